/* SPDX-License-Identifier: MIT */
#ifndef AWS_MODEL_LIMITS_H
#define AWS_MODEL_LIMITS_H

#include "aws/model.h"

/**
 * The limits of volumes and host with what one I/O of a workload costs each: what the model's forecast, its curve
 * and the shape are all made of. Internal to the model.
 */

/** What an I/O costs a limit, by how the documents' two readings of small sequential I/O differ. */
enum reading { READ_MERGED, READ_SINGLE, READING_NR };

struct cost_limit {
	enum bound bound;
	bool	 bytes;		 /**< counts bytes, else operations */
	bool	 floor;		 /**< a figure that may be exceeded: left out of iops_max */
	double	 cost[READING_NR]; /**< units per I/O of the workload */
	double	 weight[DDIR_NR];  /**< share of one I/O that lands here, by direction (merged writes) */
	uint64_t io_unit;	 /**< of an operations count */
	double	 base, burst;	 /**< units per second; equal without a bucket */
	double	 low, high;	 /**< base where the documents give a range; else base */
	double	 capacity, balance; /**< 0: no bucket */
	bool	 spent;
};

#define COST_LIMITS_MAX (2 * VOLUMES_MAX + 4)

struct cost_limits {
	struct cost_limit l[COST_LIMITS_MAX];
	size_t n;
};

void cost_limits_make(const struct model_input *in, struct cost_limits *out);
/** What all volumes do together, as far as reads go: sums, a stripe at N times its slowest. */
struct volume_perf volumes_perf(const struct volumes *vs, bool nitro);

/** Fill in what must be said beside the figures, once they are there. */
void model_notes(struct expectation *e);

static inline bool cost_limit_bursts(const struct cost_limit *l) { return l->burst > l->base; }

#endif
