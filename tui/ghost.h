/* SPDX-License-Identifier: MIT */
#ifndef TUI_GHOST_H
#define TUI_GHOST_H

#include <stdatomic.h>
#include <stdbool.h>

#include "engine/import.h"
#include "engine/runlog.h"
#include "tui/bins.h"
#include "tui/plot.h"

/**
 * An earlier run behind the plots, test by test: as its series over time, or, where nobody has published one, as the
 * level of its figure. {0} holds none.
 */

/** What of it belongs behind one plot of one test. */
struct ghost_at {
	struct bins rate, bw;	 /**< the series at the plot's dots; n 0: none */
	double	    iops, bw_bytes; /**< the level; NAN none */
	char	    says[200];	 /**< a line for the plot: whose it is, and the figure as published or why there is none */
};

struct ghost {
	char		   name[64]; /**< "" none */
	struct runlog	  *log;	     /**< owned; NULL: figures alone */
	struct runlog_snap snap;
	struct import_run  run;	     /**< those figures */
	struct ghost_at	   live, result; /**< behind Live's plots, and behind the test that is chosen in Results */
};

/**
 * Read a recording, or a reference run ("ref:NAME"). Slow: not for the main thread. A network test's is refused.
 * @param cancel  gives it up when true; NULL never
 * @return        -1 with nothing in @p g
 */
int ghost_load(struct ghost *g, const char *path, const char *name, const atomic_bool *cancel, struct err *err);
/** Empties it; fine when it is empty. */
void ghost_release(struct ghost *g);

/**
 * What of it belongs behind test @p test of a run; nothing where there is no such test.
 * @param rate, bw  bins of the plots; NULL, or with n 0: no such plot
 */
void ghost_place(const struct ghost *g, struct ghost_at *at, const struct run_header *h, uint32_t test, const struct bins *rate,
		 const struct bins *bw);

/* How a view draws it. */

/** The plot's ghost: the series, else the level over its whole width, in @p room (a value a dot). */
void ghost_series(struct time_plot *p, const struct bins *series, enum bin_series which, double level, double *room);
/** The level's label behind the plot's limits, @p limit, which have room for one more. */
void ghost_limit(struct time_plot *p, double level, struct limit_line *limit);
/** Whose it is, at the top: where nothing else was drawn yet, if it fits there. */
void ghost_legend(struct canvas *cv, const struct time_plot *p, const struct ghost_at *g);

#endif
