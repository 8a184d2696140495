/* SPDX-License-Identifier: MIT */
#ifndef TUI_PLOT_PARTS_H
#define TUI_PLOT_PARTS_H

#include "tui/plot.h"

/** What the files of plot.h share. @p at is where the dots are, of plot_dots(). */

/** The cell column of a time, from the first that has dots; it may lie outside. */
int plot_column(const struct time_plot *p, struct rect at, double t);
/** Figures left of the dots, if there is room. */
void plot_y_axis(struct canvas *cv, const struct time_plot *p, struct rect at);
/** Times under them, and under the bands. */
void plot_time_axis(struct canvas *cv, const struct time_plot *p, struct rect at);

#endif
