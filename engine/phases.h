/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_PHASES_H
#define ENGINE_PHASES_H

#include <stddef.h>
#include <stdint.h>

#include "engine/sample.h"

/**
 * Phases of a measured series: where its rate changed for good, and what it was between the changes.
 *
 * The segmentation is robust, not a percentile: it looks for the times at which the mean rate steps, weighs each
 * step against the fluctuation of the series itself at every time scale from a second up (so a saw-tooth, a slow
 * swing or a throttle that lets I/O through in lumps is noise, not a row of phases), and reports steps of 1.1 : 1 or
 * more. A dip or a peak that is over after a few samples is no phase, wherever it stands; a short level at the very
 * beginning or end of a run is one (a burst may last 3 % of a run, or 97 %).
 *
 * Everything here is a pure function of its arguments: the same series gives the same phases, live or replayed.
 * Cost: linear in the samples, plus a bounded part (at most PHASE_CELLS cells); 0.3 ms for 400 samples, 6 ms for 40,000.
 */

/** What a phase is, by its level among its neighbours between two knob turns. */
enum phase_kind {
	PH_RAMP,     /**< a short lower level at the beginning: the load was still coming up */
	PH_BURST,    /**< a level that the series lost and never came back to */
	PH_BASELINE, /**< what was left after a burst */
	PH_STEADY,   /**< neither: the only level, or one of several that came back */
	PH_NR
};
const char *phase_kind_name(enum phase_kind k); /**< "ramp", "burst", "baseline", "steady" */

/** One interval of the series. What happened in it, never a rate; figures that do not exist are NAN. */
struct phase_point {
	double t_s;   /**< end of the interval */
	double dt_s;  /**< its length; intervals without length are skipped */
	double ios;   /**< I/Os completed in it; NAN in all rows when only bytes are counted (network) */
	double bytes; /**< bytes in it; NAN in all rows when only I/Os are counted */
};

/** A stretch of the series at one level. Phases come in order and touch each other, except across gaps in the series. */
struct phase {
	enum phase_kind kind;
	double	 start_s, end_s;
	double	 iops;	  /**< I/Os over time in it, without the samples that straddle a change; NAN not counted */
	double	 bw;	  /**< bytes per second, likewise */
	double	 spread;  /**< standard deviation of one-second rates over their mean (0.05 is 5 %); NAN under 2 s */
	uint32_t segment; /**< 0 before the first cut, 1 after it, … */
};

/** More phases than this in one answer are not told apart. */
#define PHASES_MAX 64
/** A series between two cuts is looked at in at most so many cells; changes are then placed on its own samples. */
#define PHASE_CELLS 4096

/**
 * Find the phases of a series.
 *
 * The rate that is segmented is that of the I/Os, or of the bytes where no I/Os are counted.
 *
 * @param pt     @p n intervals in order of time; borrowed
 * @param cut_s  @p nr_cuts times in order at which something was changed by hand (a knob): each begins a segment of
 *               its own. The sample that a cut falls into belongs to neither side, and a change within two seconds
 *               of a cut is the knob's: never a phase. NULL with 0.
 * @param out    room for @p max phases
 * @return       how many were written; 0 for an empty series; -1 without memory
 */
int phases_find(const struct phase_point *pt, size_t n, const double *cut_s, size_t nr_cuts, struct phase *out,
		size_t max);

/**
 * The measured intervals (PHASE_MEASURE) of one repetition of one test of a run. One in which the program stood still
 * (SAMPLE_STALL_NS longer than the one before) is left out: a gap in the series, and no level of its own.
 * @param out  room for @p n
 * @return     how many were written
 */
size_t phase_points(const struct sample *row, size_t n, uint32_t test, uint32_t repeat, struct phase_point *out);

/** The change from @p a to the next phase @p b, both rates as one text-free figure: b's rate over a's. */
double phase_ratio(const struct phase *a, const struct phase *b);
/** The rate that was segmented: iops, or bw where there is no iops. */
static inline double phase_rate(const struct phase *p) { return __builtin_isnan(p->iops) ? p->bw : p->iops; }

#endif
