/* SPDX-License-Identifier: MIT */
#ifndef TUI_LIVE_H
#define TUI_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "aws/model.h"
#include "engine/hist.h"
#include "engine/phases.h"
#include "engine/runlog.h"
#include "tui/bins.h"
#include "tui/plot.h"

/**
 * What the Live screen shows of a run, worked out from its log alone: a live run and its replay give the same.
 *
 * It is about one stretch: a repetition of a test from the end of its layout on, or the layout itself. Times are
 * seconds of wall time since the stretch began, unless they say "run". Figures that do not exist are NAN.
 */
struct live {
	bool	 any;		 /**< there was a tick */
	bool	 layout;	 /**< the stretch is a layout */
	uint32_t test, repeat;
	double	 start_s;	 /**< run time at which the stretch began */
	double	 now_s;
	double	 total_s;	 /**< planned length; NAN not known */
	double	 run_share, run_left_s; /**< of the whole run, 0 to 1; NAN not known */
	double	 test_left_s;	 /**< of the test in hand, where it ends with its work and not with the clock; NAN */

	double	 iops_now, bw_now;   /**< over the last second */
	double	 iops_mean, bw_mean; /**< over the measured part */
	double	 iops_top, bw_top;   /**< what the plot must hold, single peaks left out */
	uint32_t seen[HIST_NR];	     /**< ticks of the measured part by hist_index(IOPS) */
	uint64_t ticks;

	struct bins rate, bw;	 /**< at the dots of the two plots */

	struct phase phase[PHASES_MAX]; /**< run time */
	size_t	 nr_phases;

	/* credits, where the expectation has a bucket: that one which will be empty first */
	size_t	 bucket;	 /**< its index in the expectation */
	double	 balance, capacity, spend; /**< units; spend: net units a volume second, over the last seconds */
	double	 empty_s, full_s;	   /**< volume seconds from now; INFINITY never at this rate; NAN no bucket */
	double	 empty_at_s;		   /**< stretch time at which it was empty first; NAN not yet */

	/* private: where counting stands */
	const struct sample *row;
	size_t from, next;
	double measured_s, ios, bytes;
	size_t phased;
};

/** Release what live_update() allocated. */
void live_release(struct live *l);

/**
 * Take in what is new in @p run.
 *
 * @param l       zeroed before its first use
 * @param expect  for the test in hand; NULL: none
 * @param span_s  seconds of the plots; 0: the whole stretch
 * @param dots_rate, dots_bw  dot columns of the two plots
 */
void live_update(struct live *l, const struct runlog_snap *run, const struct expectation *expect, double span_s,
		 int dots_rate, int dots_bw);

/** How fast the volume's time runs just now: what a knob last set, else what the run began with; 1 where neither says. */
double live_scale(const struct runlog_snap *run);
/** The slowest and the fastest that it ran in the whole run. */
void live_scales(const struct runlog_snap *run, double *lo, double *hi);
/** Seconds of the volume's time between two moments of the run, whatever knobs have made of its pace meanwhile. */
double live_volume_s(const struct runlog_snap *run, double from_s, double to_s);
/**
 * The pace of the volume's time for a plot that begins @p start_s into the run.
 * @param scale  set to that at its beginning  @param out  turns behind that, seconds since; LIVE_PACES  @return how many
 */
#define LIVE_PACES 32
size_t live_paces(const struct runlog_snap *run, double start_s, double *scale, struct pace *out);

/** The balance of bucket @p i of an expectation at the end of a tick; NAN not known. */
double live_balance(const struct sample *s, const struct expectation *e, size_t i);

/**
 * The newest reading of the device's own counters, if that is of now. @param seconds that it covers
 * @return NULL: nobody can read them, or not for some seconds
 */
const struct sample *live_device(const struct runlog_snap *run, double *seconds);

/** The highest value of a series but for single peaks: those are cut off rather than that all the rest lies flat. */
double live_top(const double *y, int n);
/** It only watches: no I/O of ours, no latency. */
bool live_watches(const struct runlog_snap *run);
/** A limit as the rate of the expectation's workload, I/Os per second. */
double limit_iops(const struct expectation *e, const struct named_limit *l);
/** The limits to draw: of I/Os per second, or with @p bytes of throughput; rates are the workload's. @return how many */
#define LIVE_LIMITS 8
size_t live_limits(const struct expectation *e, bool bytes, double now, struct limit_line *out);
/**
 * While the volume is being modified: the stretch from what it gave before to what it will give, instead of one limit of
 * its own. Lines of @p limit (of live_limits()) at those figures give way to two called "old" and "new".
 * @param label room for "optimizing 37 %: 3,000 to 6,000 IOPS", LIVE_BETWEEN bytes
 * @return false where nothing lies between: the two do not differ in this
 */
#define LIVE_BETWEEN 64
bool live_between(const struct rate *before, const struct rate *after, int percent, bool bytes, struct limit_line *limit,
		  size_t *nr_limits, struct between *out, char *label);
/** The newest percentage that AWS told of the modification; @p begun where none was told. 100: it is completed. */
int live_progress(const struct runlog_snap *run, int begun);
/** Bands under the plots: layout, ramp, and the phases found. Labels in @p label. @return how many */
struct band_label {
	char text[48];
};
#define LIVE_BANDS (PHASES_MAX + 2)
size_t live_bands(const struct live *l, const struct runlog_snap *run, struct band *out, struct band_label *label);
/** Knobs turned and marks set in the stretch, newest last. @return how many, at most @p max */
size_t live_moments(const struct live *l, const struct runlog_snap *run, struct moment *out, size_t max);
/** Length of the plot's time axis for @p now_s seconds of a stretch of unknown length. */
double live_axis(double now_s);

#endif
