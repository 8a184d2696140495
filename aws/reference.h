/* SPDX-License-Identifier: MIT */
#ifndef AWS_REFERENCE_H
#define AWS_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/import.h"

/**
 * Published measurements of other people, as runs to compare with: figures exactly as they were published, each with
 * its document and date (references.json, compiled in). They are observations and promise nothing.
 *
 *   ref:dd/single|raid0|raid5            seven dd and hdparm tests on gp2 volumes
 *   ref:bonnie/ebs-magnetic|local        two bonnie++ lines
 *   ref:fargate-ebs/TYPE                 what Fargate tasks reached on a volume of that type
 *   ref:fargate-net/REGION/VCPU:MIB      network of a task size: burst, baseline, how long
 *   ref:lambda-net/REGION/MIB            network of a function
 */

/** What there is to say of one in a list. */
struct reference {
	char name[64];
	char about[160];
	char source[160];
	char date[24];
};

/** How many there are. */
size_t reference_count(void);
/** The @p i-th, in the order of the table. @return false behind the last */
bool reference_get(size_t i, struct reference *out);
/** The first of them, at most @p max: the table is read once, where reference_get() reads it for each. @return how many */
size_t reference_list(struct reference *out, size_t max);
/** Does a name stand for a reference run ("ref:…")? Whether there is one is for reference_load() to say. */
bool reference_named(const char *name);
/** As a run of kind IMPORT_REFERENCE. An unknown name is ERR_USAGE with those that are close. import_release(). */
int reference_load(struct import_run *run, const char *name, struct err *err);

#endif
