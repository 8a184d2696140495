/* SPDX-License-Identifier: MIT */
#ifndef TUI_VOLUMES_REPORT_H
#define TUI_VOLUMES_REPORT_H

#include <jansson.h>

#include "aws/volume_life.h"
#include "engine/units.h"

/** What `ebscope volumes` prints: tables for people, JSON for scripts. New texts and references, the caller's. */

/** All that is known of a list of volumes. Borrowed. */
struct volumes_list {
	const char			*region;
	const struct ec2_volumes	*volumes;
	const struct ec2_modifications	*modifications;
	const struct blockdevs		*devs; /**< what is here; NULL not looked at */
	const struct limits		*limits;
	const char			*instance; /**< this machine's, "" none: on Xen its devices are known by letter */
};

char   *volumes_list_table(const struct volumes_list *l);
json_t *volumes_list_json(const struct volumes_list *l);

char   *volumes_leftovers_table(const struct life_leftovers *lo);
json_t *volumes_leftovers_json(const struct life_leftovers *lo);

/** "gp3 100 GiB, 3,000 IOPS, 125 MiB/s" of what EC2 says. @return buf */
char *volumes_describe(const struct ec2_volume *v, char *buf, size_t size);
/** USD a month at us-east-1 prices; NAN for a type that is not known. */
double volumes_month(const struct ec2_volume *v, const struct limits *l);
/** "$8.00"; what is not known is no figure: "an unknown price". @param buf FMT_LEN bytes @return buf */
char *volumes_dollars(char *buf, double usd);

#endif
