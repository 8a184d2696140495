/* SPDX-License-Identifier: MIT */
#ifndef TUI_PLOT_H
#define TUI_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/runlog.h"
#include "tui/canvas.h"

/**
 * Plots: numbers to cells. Every function reads its arguments and writes cells inside its rectangle: no terminal, no
 * clock, no state. Values that are NAN are gaps, never zeros; a zero is drawn as the lowest dot.
 */

/** What a plot is drawn with. */
enum ink {
	INK_BRAILLE, /**< 2 x 4 dots a cell */
	INK_BLOCKS,  /**< eighths of a cell, for terminals whose font has no braille (Linux console) */
	INK_ASCII
};

/** Values at equal steps, one a dot column (two a cell), from the left edge. */
struct series {
	const double *y;
	size_t	      n;
};

/** A documented limit: a line over the whole width, and its label at the right, never over another. */
struct limit_line {
	double	    value;
	const char *label; /**< "burst"; its figure is put behind it. Shorter words may follow, as in "volume max|vol max".
			    *   NULL: no label */
	bool	    hit;   /**< reached just now: another colour, an unbroken line and an arrow */
};

/** A stretch of time under the plot: a phase. */
struct band {
	double	    t0, t1;
	const char *label;
	unsigned    style;
	enum shade  shade; /**< of the plot above it */
};

/** A stretch of values between two limits, shaded, with a label inside: what is true lies somewhere in it. */
struct between {
	double	    lo, hi;
	const char *label; /**< up to its colon where there is little room, and nothing where the plot is low */
};

/** A moment: a knob turned, a mark set. */
struct moment {
	double	    t;
	const char *label; /**< may be NULL */
};

/** A place on an axis that is not of time: what it is called, and what was measured there. */
struct place {
	double	    t;
	const char *label; /**< under the axis */
	const char *below; /**< under the label; NULL: nothing */
	double	    value; /**< a point there; NAN: none */
	bool	    chosen;
};

/** What somebody else says, at a time of its own: a dot over everything. */
struct plot_dot {
	double t, value;
};

/** From a moment on a second counts so many on the axis. */
struct pace {
	double t, scale;
};

/** A rate over time. Everything is borrowed for the call. */
struct time_plot {
	struct rect at; /**< with axes and labels */
	enum ink    ink;
	double	    t0, t1; /**< seconds at the edges of the dots */
	double	    scale;  /**< what a second counts on the axis (time scale); 0: 1 … */
	const struct pace *pace; /**< … until it was turned: in order, behind 0 */
	size_t nr_pace;
	double	    ymax;   /**< value at the upper edge, > 0 */
	double	    unit;   /**< figures on axis and labels are value / unit; 0: 1 */
	char	 *(*fmt)(char *buf, double value); /**< writes a limit under one unit, with a unit of its own; NULL: as all */
	struct series fill;  /**< the area */
	struct series split; /**< of it, the part below this is `below`, the rest `above`; n 0: all `below` */
	enum gradient below, above;
	struct series model; /**< what is allowed: a step line over everything */
	struct series ghost; /**< an earlier run: a faint line */
	const struct limit_line *limit;
	size_t nr_limits;
	size_t ghost_label;  /**< of those, how many at the end are no limits but the ghost's level: a label alone */
	const struct band *band;
	size_t nr_bands;
	const struct moment *moment;
	size_t nr_moments;
	const struct place *place; /**< in the place of times and bands: the axis is of something else */
	size_t nr_places;
	const struct plot_dot *dot;
	size_t nr_dots;
	const struct between *between; /**< NULL: none */
};

/** Room for labels: columns left of the dots, and right of them for @p at this wide. */
#define PLOT_LEFT 5
int plot_gutter(int w);
/** The cells that hold dots, inside a plot at @p at; and whether there is room for bands and for the axis. */
struct rect plot_dots(struct rect at);

void plot_time(struct canvas *cv, const struct time_plot *p);

/**
 * The upper edge for a plot: a round figure over @p data_max and over each limit that is at most 1.6 times what is
 * needed anyway. Grows in few steps, so that the picture does not jump. > 0 always.
 */
double plot_ymax(double data_max, const struct limit_line *limit, size_t nr_limits);
/** The next of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is not below @p v; 1 for nothing. */
double nice_above(double v);
/** A time for an axis: "0", "30s", "2m30s", "1h30m"; before it "-5m". @return buf (FMT_LEN) */
char *fmt_axis_time(char *buf, double seconds);

/** Latencies: how many in each bucket of a logarithmic scale. The columns and the outline have a height of their own each. */
struct lat_plot {
	struct rect	at; /**< columns, an axis under them where h > 2 */
	enum ink	ink;
	const uint64_t *count;
	unsigned	nr;
	uint64_t (*low)(unsigned i); /**< smallest latency of a bucket, ns */
	double		p50, p99, p999;	 /**< ns; NAN or 0: not marked */
	const struct device_lat *device; /**< as the device counted: an outline over the columns; NULL or n 0: none */
};
void plot_latency(struct canvas *cv, const struct lat_plot *p);

/** How often each rate was seen: a bar a row, highest rate on top. */
struct seen_plot {
	struct rect	at;
	enum ink	ink;
	const uint32_t *count; /**< by hist_index(rate) */
	unsigned	nr;
	double		ymax, unit;
	const struct limit_line *limit;
	size_t		nr_limits;
};
void plot_seen(struct canvas *cv, const struct seen_plot *p);

/** A bar of @p w cells, filled by @p share (0 to 1, NAN: empty), in eighths of a cell. One row. */
void draw_bar(struct canvas *cv, int x, int y, int w, double share, enum ink ink, unsigned style);
/** The same, each cell in the colour of its place in the gradient. */
void draw_gauge(struct canvas *cv, int x, int y, int w, double share, enum ink ink, enum gradient g);
/** A figure in digits three rows high; needs 4 columns a digit, 2 a comma or point. @return columns used */
int draw_digits(struct canvas *cv, int x, int y, unsigned style, const char *figure);
/** Columns that draw_digits() takes. */
int digits_width(const char *figure);

#endif
