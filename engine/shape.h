/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_SHAPE_H
#define ENGINE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/workload.h"

/**
 * What real I/O can be held to: a few limits at once, each a rate that may burst while it has credits.
 *
 * A limit knows nothing of who wrote it. An I/O costs it some units (operations or bytes); it earns `base` units a
 * second all the time, up to `capacity`; while the balance lasts I/O may go at `burst` units a second, after that at
 * `base`. The balance is changed by the I/O done: at half the surplus it lasts twice as long.
 *
 *   base 300, burst 3,000, capacity 5,400,000: at 3,000 a second the balance falls by 2,700 a second and is gone
 *   after 2,000 s; at 1,650 a second it falls by 1,350 and lasts 4,000 s; idle it is full again after 18,000 s.
 *
 * `time_scale` N moves every balance N times faster, the rates stay what they are: the same fall after 2,000 / N s.
 */

/** What a limit counts. */
enum shape_unit { SHAPE_OPS, SHAPE_BYTES };

#define SHAPE_LIMITS_MAX 66 /* two a volume of 32, and two of a host */
#define SHAPE_STEPS_MAX	 16
#define SHAPE_SCALE_MAX	 10000.0

/** One limit. A plain value; zero `burst` means that there is none (base always). */
struct shape_limit {
	enum shape_unit unit;
	uint64_t io_unit;	 /**< SHAPE_OPS: bytes that count as one operation, or part of it; 0: any I/O is one */
	bool	 merge;		 /**< SHAPE_OPS: from the third on, I/Os that follow each other count together, up to io_unit */
	double	 weight[DDIR_NR];/**< what one unit of that direction costs here: 1, or 1/N on one of N stripes, … */
	double	 base;		 /**< units a second, > 0 */
	double	 burst;		 /**< units a second, > base, while credits last; else 0 */
	double	 capacity;	 /**< of the bucket, units */
	double	 start;		 /**< balance at the start, units, 0 to capacity */
	int	 tag;		 /**< the caller's: which limit this is. Not read here */
};

/** A step of a schedule: @p rate units a second for @p seconds (the last step: for ever). */
struct shape_step {
	double rate, seconds;
};

/** All limits of a job. A plain value: copy it freely. Zeroed: no limit. */
struct shape {
	struct shape_limit limit[SHAPE_LIMITS_MAX];
	size_t		   nr_limits;
	/**
	 * A schedule beside the limits, or nr_steps 0. A step down is a budget, not a clock: (rate - next rate) *
	 * seconds units above the next rate, spent by the I/O done. A step up (or level) comes after its time.
	 */
	struct shape_step step[SHAPE_STEPS_MAX];
	size_t		  nr_steps;
	enum shape_unit	  step_unit;
	double		  time_scale; /**< 0 counts as 1 */
	uint64_t	  latency_ns; /**< assumed service time of one I/O on a simulated device; 0: none */
};

/**
 * Read `RATE@TIME,…,RATE`: "260MiBps@60s,128MiBps", "3000iops@20s,300iops". Rates are `iops` (a bare number too),
 * or KiBps, MiBps, GiBps, MBps, GBps, all of one kind; times as in parse_time(). Sets steps and step_unit only.
 */
int shape_parse(struct shape *shape, const char *text, struct err *err);
/** Read a time scale: 1 to SHAPE_SCALE_MAX, decimals allowed. */
int shape_scale_parse(const char *text, double *scale, struct err *err);
/** The schedule as text that shape_parse() reads back; "" without one. @return buf */
char *shape_text(const struct shape *shape, char *buf, size_t size);

/**
 * The operations that one I/O of @p len bytes is counted as, alone: 1 MiB with io_unit 256 KiB is 4.
 * @p io_unit 0: always 1.
 */
double shape_ops(uint64_t io_unit, uint64_t len);

/** A shape at work: shared by all workers of a job, any thread. */
struct shaper;

/** NULL without memory. Balances start as the limits say; the first reservation starts the clock. */
struct shaper *shaper_new(const struct shape *shape);
void shaper_free(struct shaper *s);

/**
 * Book one I/O. The sooner a worker asks (as soon as it has a free slot), the smoother the rate.
 *
 * Over any second the I/Os booked exceed no limit by more than 1 % (a single I/O that is itself more than that
 * apart); a caller that asks late gets back at most 0.9 % of a second of what it left unused. I/O that a limit with
 * credits leaves unused is earned, as credits. Once a balance is spent, the burst resumes when it has grown to one
 * second's earnings, so that the jitter of the callers makes no spikes in a steady rate.
 *
 * @param now_ns  CLOCK_MONOTONIC, or any other clock that all callers share; may differ a little between threads
 * @param offset  bytes, for merging only
 * @param len     bytes, > 0
 * @return        when the I/O may be issued, ns on the same clock, >= now_ns. About 60 ns of work, no system call.
 */
uint64_t shaper_reserve(struct shaper *s, uint64_t now_ns, enum ddir ddir, uint64_t offset, uint64_t len);

/** What a limit is doing now. */
struct shaper_limit_state {
	double balance;	 /**< units, 0 to capacity; NAN without a bucket */
	double capacity; /**< units; NAN without a bucket */
	double rate;	 /**< units a second that it lets pass now */
	bool   spent;	 /**< its credits are gone, base holds */
};

/** @p limit from 0 to nr_limits - 1; nr_limits is the schedule, where there is one. */
struct shaper_limit_state shaper_state(struct shaper *s, uint64_t now_ns, size_t limit);
/** The rate allowed now of I/Os of one kind, per second: the least of all limits. Unmerged. */
double shaper_iops(struct shaper *s, uint64_t now_ns, enum ddir ddir, uint64_t len);
/** From now on balances move @p scale times as fast as the clock. */
void shaper_set_time_scale(struct shaper *s, uint64_t now_ns, double scale);
double shaper_time_scale(struct shaper *s);
/** All buckets full again, the schedule at its first step. */
void shaper_refill(struct shaper *s, uint64_t now_ns);

#endif
