/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPORT_SVG_H
#define TUI_REPORT_SVG_H

#include "tui/bins.h"
#include "tui/report.h"

/** Shared by the two halves of the SVG report: what is around the plots (report_svg.c) and the plots (report_svg_plot.c). */

#define SVG_LEFT  70
#define SVG_RIGHT 970 /**< the plots, and the text below them, between the two */
#define SVG_TESTS 16  /**< of a run that have a row, and lines */

/** The picture while it is made. */
struct picture {
	FILE *f;
	const struct runlog_snap *run;
	double scale;  /**< volume seconds a wall second */
	double end_s;  /**< wall seconds of the whole run */
	struct bins bins;
};

/** One of the plots over time. */
struct panel {
	double y, h, max;
	double unit; /**< figures are divided by it */
	enum bin_series series;
	const char *name, *line, *fill, *key; /**< of `expected`: "iops", "mibps" */
};

void svg_text(struct picture *p, double x, double y, const char *class, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/** Rate over time with limits, phases and tests; fills in the highest figure of its axis. */
void svg_panel(struct picture *p, struct panel *a);
/** IOPS against depth, where the run is a series of depths. @return the height that it takes */
double svg_curve(struct picture *p, double y);

#endif
