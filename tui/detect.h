/* SPDX-License-Identifier: MIT */
#ifndef TUI_DETECT_H
#define TUI_DETECT_H

#include "aws/facts.h"
#include "tui/setup.h"

/**
 * What a command finds out by itself before it runs: the EBS volumes below the target as AWS knows them, a modification
 * under way, the instance or task it runs on. What was named stays where nothing better is known; where AWS says
 * otherwise the real volume counts, and a note says so. Volumes that are joined in a way that is not modelled (linear,
 * RAID 4, sets of sets, …) are none to expect anything of, unless --raid names a level; a note says that too.
 *
 * Asks for detect_patience_ns() at most, and nobody where there is no sign of EC2 or ECS: no EBS volume below, no such
 * machine, no --volume-id.
 */

/** As long as six requests to a metadata service may take. */
uint64_t detect_patience_ns(void);
/**
 * Fill in @p s: volume, raid, instance or task, notes, and the target where only --volume-id was given.
 * @param volume_id  of --volume-id: ids or devices, comma-separated; NULL none
 * @param own        room for tables with AWS's live figures; s->limits points there afterwards if there are any
 * @return 0, or -1 where --volume-id cannot be resolved
 */
int detect(struct setup *s, const char *volume_id, struct limits *own, struct err *err);

/**
 * The same from facts that are known already, for the dashboard: nobody is asked, nothing waits but for sysfs.
 * @param own  NULL: the host is left alone
 */
void detect_from_facts(struct setup *s, const struct facts *f, struct limits *own);
/** Is there a sign that AWS can say what is below @p target: an EBS volume, or a machine or task of theirs? */
bool detect_asks(const char *target);
/** Do @p f (NULL: none yet) say all that is to be learned of it, be it that nothing is? */
bool detect_settled(const char *target, const struct facts *f);
/** The ids of the EBS volumes below @p target, by sysfs alone. @return how many */
size_t detect_ids(const char *target, char id[][EC2_ID], size_t max);
/** The volumes below @p target as @p f knows them, for the form. @return how many; 0 not all of them are known */
size_t detect_volumes(const char *target, const struct facts *f, const struct limits *l, struct volumes *out);

#endif
