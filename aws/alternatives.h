/* SPDX-License-Identifier: MIT */
#ifndef AWS_ALTERNATIVES_H
#define AWS_ALTERNATIVES_H

#include "aws/model.h"

/**
 * What else one could buy for the same workload on the same host, as many volumes and joined alike, with what each gives
 * and costs: the chosen volume beside the other types of its size, and beside those that hold its burst for ever.
 */
struct alternative {
	struct volume v;	/**< each of them; legal */
	bool	      chosen;	/**< it is the one asked about */
	struct rate   burst;	/**< iops NAN: it does not go over its baseline */
	double	      burst_s;	/**< INFINITY: for ever */
	struct rate   baseline;
	double	      cost_usd; /**< a month, all of them, us-east-1 */
};
#define ALTERNATIVES_MAX 14

/**
 * @param in  as model_expect() takes it; without a volume: each type, at sizes of interest
 * @param l   the tables in use
 * @return    how many, the cheapest first. Pure, about 20 us
 */
size_t alternatives(const struct model_input *in, const struct limits *l, struct alternative out[ALTERNATIVES_MAX]);

/** Its rate is one for a time, then another. */
bool alternative_falls(const struct alternative *a);
/**
 * The settings of a type at a size that give back what another volume has: its IOPS (the baseline, where it bursts) and its
 * throughput.
 *
 * @param now  of the type and size that stay; what it has beyond @p was is kept
 * @return     false: nothing is missing, its type has no such settings, or they do not go so far
 */
bool alternative_restores(const struct volume *now, const struct volume *was, struct volume *out);

#endif
