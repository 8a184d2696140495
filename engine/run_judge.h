/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_RUN_JUDGE_H
#define ENGINE_RUN_JUDGE_H

#include "engine/cgroup.h"
#include "engine/counters.h"
#include "engine/diskstats.h"
#include "engine/job.h"
#include "engine/result.h"
#include "engine/target.h"

/**
 * What the figures of a test are worth: what the device moved against what the workers did, and what the client's CPU
 * and its container had to do with it. Used by the conductor of a run at the edges of the measured part.
 */

/** Storage that moved less than this share of the workers' bytes makes a figure `cached`. */
#define CACHED_BELOW 0.95
/** More than this is `amplified`. */
#define AMPLIFIED_ABOVE 1.05
/** A worker that is on a CPU for this share of the time is CPU-bound. */
#define CPU_BOUND_FROM 0.95
/** A cgroup that was stopped in this share of its periods is CPU-bound too. */
#define THROTTLED_FROM 0.05
/** Seconds; a measured part under this is too short to be judged. */
#define TOO_SHORT_S 0.5

/** Cumulative readings around the job's own counters. */
struct run_usage {
	bool		       has_disk, has_self, has_throttle;
	struct diskstats       disk;
	uint64_t	       self_read; /**< bytes */
	struct cgroup_throttle throttle;
	uint64_t	       cpu_ns;	  /**< of the job's workers */
};

/** The devices of all targets together; none where there are more than DISKSET_MAX: what some of them moved tells nothing. */
void run_disks_of(struct diskset *set, const struct target_list *targets);
/** The devices below a path that is only watched: nothing is opened. Fails where none can be seen. */
int run_watch_disks(struct diskset *set, const char *path, struct err *err);
/** @p job NULL: before it has started. */
void run_usage_read(struct run_usage *u, const struct diskset *disks, const struct job *job);
/** to -= before; what was not there in both is not there. */
void run_usage_sub(struct run_usage *to, const struct run_usage *before);

/** Set durable_s, where the test made its data durable, from the clock values in @p end. */
void run_judge_durable(struct result *r, const struct totals *end, uint64_t start_ns);
/** Add one repetition: its totals to @p sum, its figures to the repeats, its usage to the result's. */
void run_judge_add(struct result *r, struct totals *sum, const struct totals *rep, const struct run_usage *u);
/** Split the CPU time of all repetitions so far into user and system, in the share that the last one's workers' clocks say. */
void run_judge_cpu(struct result *r, const struct totals *all);
/** cached, amplified, cpu_bound, too_short and the warnings that go with them. After result_measure(). */
void run_judge(struct result *r, const struct totals *sum, const struct target_list *targets);

#endif
