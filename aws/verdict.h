/* SPDX-License-Identifier: MIT */
#ifndef AWS_VERDICT_H
#define AWS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "aws/model.h"
#include "engine/phases.h"
#include "engine/result.h"

/**
 * The verdict: what was measured against what the documents lead one to expect, and why.
 *
 *  pass     every phase reaches 90 % of what is expected of it at that time (of the least, where there is an interval).
 *           AWS promises 90 % of the provisioned rate 99 % of the year (gp2, gp3; io1, io2: 99.9 %): EC2 User Guide,
 *           "Amazon EBS volume types", 2023-05, and "Amazon EBS optimization", 2025.
 *  short    a phase does not
 *  above    a phase is over 110 % of the most that is documented: a cache, or another volume than was named
 *  unknown  nothing to judge by (no volume), or nothing that can be trusted (cached, too short, still optimizing)
 *
 * The reason is one sentence: the limit, the figures, the next thing to try. Whether a limit held is proven only by
 * the device's own counters; without them the sentence says so and never that nothing was limited.
 *
 * Everything here is a pure function; cheap enough to be asked once a second of a run that is still going.
 */

/** What the device's counters prove; as texts for screens that want no sentence. */
enum proof {
	PROOF_UNKNOWN,	   /**< "unknown: no counter": the device has none, or they could not be read */
	PROOF_LIMITED,	   /**< "limited (proven)": they moved */
	PROOF_NOT_LIMITED, /**< "not limited (proven)": they are there and stood still */
	PROOF_NR
};
const char *proof_text(enum proof p);

/** Seconds in which demand exceeded a limit during the test, as an EBS device counts them (its NVMe log page). */
struct limit_seconds {
	bool   known;
	double s[4]; /**< BOUND_VOLUME_IOPS, BOUND_VOLUME_BW, BOUND_HOST_IOPS, BOUND_HOST_BW, in this order */
};
/** A limit counts as touched when it was exceeded for this share of the test. */
#define LIMIT_TOUCHED 0.01

/** What a test did. A plain value; measured_init() makes every figure absent. */
struct measured {
	double	 start_s;     /**< when its measured part began, on the phases' clock */
	double	 seconds;     /**< length of its measured part */
	double	 iops, bw;    /**< means over all of it */
	double	 queue;	      /**< mean number of I/Os in flight; NAN: as the workload says */
	enum tri cached;
	double	 moved_share; /**< of the workers' bytes that storage moved, where cached; NAN */
	bool	 failed;      /**< I/O errors ended or spoilt it */
	bool	 too_short;   /**< a phase under half a second: nothing is judged */
	bool	 cpu_bound;   /**< the workers' CPU time was the limit */
	double	 cpu_throttled; /**< share of the cgroup's periods in which it was held back, 0 to 1; NAN */
	double	 others_iops; /**< what others did on the device meanwhile, I/Os per second; NAN */
	int	 optimizing;  /**< the volume is being modified: percent done; -1: it is not, or not known */
	bool	 initializing; /**< blocks may still have to be fetched from a snapshot */
	bool	 credits_told; /**< the balance at the start was told or known, not assumed full */
	bool	 other_unit;  /**< it counts files or characters, of which no document speaks */
	bool	 unheld;      /**< a simulation that nothing holds to the volume */
	bool	 watched;     /**< others made the load, so a pause in it is not the volume's */
	double	 time_scale;  /**< volume seconds per second, of all of it together; 1 */
	double	 later_iops, later_bw; /**< a schedule that it was held to (--shape=…) falls to one of these, */
	double	 later_s;     /**< after so many volume seconds at full rate; NAN: none, or it does not fall */
};
void measured_init(struct measured *m);
/** The first fall of the schedule of @p shape, if it has one. */
void measured_schedule(struct measured *m, const struct shape *shape);
/** Fill from a test's result, as far as that knows. */
void measured_of_result(struct measured *m, const struct result *r);

/** All that a verdict rests on. */
struct verdict_input {
	const struct measured *measured;
	/**
	 * One expectation a segment (the stretches between turns of a knob), each with the credits as they stood when
	 * the segment began and with clat_ns 0 (the depth is this module's own question). NULL: no volume is known.
	 */
	const struct expectation *const *expect;
	size_t nr_segments;
	const double *time_scale; /**< volume seconds per second, one a segment; NULL: that of measured in all of them */
	const struct phase *phase; /**< of phases_find() with the same cuts */
	size_t nr_phases;
	const struct limit_seconds *counters; /**< NULL: none */
	bool running; /**< the test still goes on */
};

/** The answer. A plain value. */
struct judgement {
	enum verdict verdict;
	enum bound   bound;	/**< the limit that held; BOUND_NONE: not known */
	enum proof   proof;
	double	     measured_iops, measured_bw; /**< of the phase that decides */
	double	     expected_iops, expected_bw; /**< the least expected of it; NAN without */
	double	     share;	/**< measured over expected; NAN */
	double	     burst_end_s; /**< when the burst ended, seconds of the test; NAN: no end, or none was seen */
	bool	     seen_spent; /**< opened at a lower part of the curve although the credits were assumed full */
	bool	     not_sustained; /**< ended while credits were being spent: what follows was not reached */
	char	     reason[400];
};

void verdict_judge(const struct verdict_input *in, struct judgement *out);

/** The verdict of a run: the worst of its tests' (VERDICT_NONE of none). */
enum verdict verdict_worst(enum verdict a, enum verdict b);

/**
 * Does a series that opens at @p iops for @p seconds look as if a bucket that was assumed full was spent already?
 * @return the part of the curve that it opens at (1 or more), 0 if not
 */
size_t verdict_opens_at(const struct expectation *e, double iops, double seconds);

#endif
