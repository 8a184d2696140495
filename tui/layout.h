/* SPDX-License-Identifier: MIT */
#ifndef TUI_LAYOUT_H
#define TUI_LAYOUT_H

#include <stdbool.h>

#include "tui/canvas.h"

/**
 * Where things stand on a screen of a given size: pure functions from columns and rows to rectangles.
 *
 * For every size from 1x1 up: rectangles lie inside the screen and never overlap. What has no room is left out, the
 * least important first; a rectangle that was left out is empty. The smallest sizes keep one line with the figures.
 */

enum panel {
	PANEL_RATE, PANEL_BW, PANEL_LATENCY, PANEL_LATTIME, PANEL_SEEN, PANEL_CREDITS, PANEL_NOW, PANEL_WORKERS,
	PANEL_EVENTS,
	PANEL_TARGETS, PANEL_FORM, PANEL_ABOUT, PANEL_EXPECT, PANEL_CURVE,
	PANEL_BESIDE, PANEL_BEFORE, PANEL_LIMITS, PANEL_CYCLE, PANEL_BURSTS, /* Setup */
	PANEL_TESTS, PANEL_DETAIL, PANEL_RUNS,		      /* Results */
	PANEL_NR
};

struct layout {
	struct rect header, progress, keys;
	struct rect summary; /**< the figures as text, where no panel has room */
	struct rect panel[PANEL_NR];
};

void layout_live(int w, int h, struct layout *l);
/** Of what is only watched no I/O is timed here: latency's panels give their room to those beside them. @p histogram: but for
 *  the one of the device's own. */
void layout_watch(struct layout *l, bool histogram);
/** Where there are no credits to draw, @p rows are enough: the others go to the histograms under them. */
void layout_limits(struct layout *l, int rows);
/** Rows that @p n workers do not fill go to the plots over them, where those stand one over the other. */
void layout_workers(struct layout *l, int n);
/** Rows that Setup's lists have; where there is little room they get less. */
struct setup_rows {
	int fields, targets;
	int tests;	/**< that Start would do */
	int limits;	/**< that are documented; 0 none */
	int beside;	/**< of the other volumes */
	bool curve;	/**< there is one to draw */
	bool cycle;	/**< and a bucket that it empties */
	int bursts;	/**< of the other volumes, those whose rate falls in time */
	int before;	/**< what was measured before */
};
void layout_setup(int w, int h, const struct setup_rows *rows, struct layout *l);
/** @p tests: rows of results; none: the earlier runs have all the room. */
void layout_results(int w, int h, int tests, struct layout *l);

#endif
