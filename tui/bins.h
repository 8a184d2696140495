/* SPDX-License-Identifier: MIT */
#ifndef TUI_BINS_H
#define TUI_BINS_H

#include <stddef.h>

#include "engine/err.h"
#include "engine/sample.h"
#include "engine/timeline.h"

/**
 * Samples as a plot wants them: means over equal steps of time, one a dot column.
 *
 * Steps are whole multiples of their length since the stretch began, so a picture that scrolls moves by whole dots
 * and no value changes on its way. Rows that were counted once are not looked at again: a frame costs what is new.
 */
enum bin_series {
	BIN_IOPS, BIN_READ_BW, BIN_BW,		  /**< per second; read alone, and both directions */
	BIN_P50, BIN_P99, BIN_MAX,		  /**< latency, ns: mean of medians, worst of the others */
	BIN_MODEL, BIN_BALANCE,			  /**< the last of the step */
	BIN_NR
};

struct bins {
	int	 n;
	double	 step;	 /**< seconds a bin */
	long	 first;	 /**< bin 0 covers [first * step, (first + 1) * step) since the stretch began */
	double	*value[BIN_NR]; /**< n each; NAN where no sample was */
	/* private */
	struct bin_sum *sum;
	int		cap;
	const struct sample *row; /* of which timeline */
	size_t		from, next;
	double		origin;
};

void bins_release(struct bins *b);

/**
 * Take in what is new.
 *
 * @param b       zeroed before its first use
 * @param span    rows of the run; those from @p from on are one stretch, in order
 * @param origin  seconds since the run began at which the stretch begins
 * @param t0      left edge, seconds since the stretch began (moved to a whole step)
 * @param step    seconds a bin, > 0
 * @param n       bins, at least 1
 * @return        0, or -1 without memory: then n is 0
 */
int bins_update(struct bins *b, struct span span, size_t from, double origin, double t0, double step, int n);

#endif
