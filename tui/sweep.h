/* SPDX-License-Identifier: MIT */
#ifndef TUI_SWEEP_H
#define TUI_SWEEP_H

#include "engine/knee.h"
#include "engine/runlog.h"
#include "engine/units.h"
#include "tui/frame.h"

/** Tests that differ in depth alone, as a picture: IOPS against iodepth on a log2 axis, limits, knee, latencies. */
struct sweep {
	struct knee_point point[KNEE_POINTS_MAX];
	size_t	    n;	   /**< so far */
	double	    from, to; /**< log2 of the depths that are planned: the axis stays while points arrive */
	struct knee knee;
	bool	    has_knee; /**< there are figures enough, and they bend */
};

/** @return false: this run is no such series */
bool sweep_of(struct sweep *s, const struct runlog_snap *run);
/** IOPS between two points, on the line that joins them; @p x is log2 of the depth. NAN outside. */
double sweep_at(const struct sweep *s, double x);
/** The limits that are documented for it, and which of volume and host the lowest is. @return how many */
size_t sweep_limits(const struct expectation *e, struct limit_line out[LIVE_LIMITS]);
/** As tests[].expected.limits: each line's name and its IOPS, so that a picture of the run needs no tables. New reference. */
json_t *sweep_limits_json(const struct expectation *e);
/** Latencies of all points in one unit, "ms" or "µs"; a figure takes 5 columns at most. @param buf FMT_LEN bytes */
const char *sweep_latency_unit(const struct sweep *s);
char *sweep_latency(const struct sweep *s, size_t point, char *buf);

/** @param chosen  the point to point out, an index; -1: none */
void draw_sweep(const struct frame *f, struct canvas *cv, struct rect at, const struct sweep *s, int chosen);

#endif
