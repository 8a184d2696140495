/* SPDX-License-Identifier: MIT */
#ifndef TUI_FRAME_H
#define TUI_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "aws/model.h"
#include "engine/result.h"
#include "engine/runlog.h"
#include "tui/beside.h"
#include "tui/canvas.h"
#include "tui/dialog.h"
#include "tui/ghost.h"
#include "tui/live.h"
#include "tui/net_form.h"
#include "tui/net_live.h"
#include "tui/outline.h"
#include "tui/plot.h"
#include "tui/results.h"
#include "tui/setup_form.h"
#include "tui/volumes.h"

/**
 * All that a view may look at: const pointers into the app's state, of one moment. A view is a pure function from a
 * frame to cells, so the live picture, a replay's, a dump and the terminal's can only be the same.
 */

/** In the order of their number keys. */
enum screen_id { SCREEN_SETUP, SCREEN_LIVE, SCREEN_RESULTS, SCREEN_VOLUMES, SCREEN_NETWORK, SCREEN_HELP, SCREEN_NR };

struct frame {
	enum screen_id screen;
	enum ink       ink;
	const char    *theme;	    /**< its name */
	unsigned       keys;	    /**< ON_* and WHEN_* of keymap.h that hold now */

	/* The run that Live shows: live, or a recording played */
	const struct runlog_snap *run;	 /**< NULL: none yet */
	const struct live	 *live;	 /**< of it; never NULL */
	const struct workload	 *wl;	 /**< as the knobs stand now; NULL without a run */
	const struct expectation *expect; /**< for wl; NULL: nothing known to expect */
	int	     optimizing; /**< percent of a modification under way; -1 none */
	struct rate  before, after; /**< then: what the volume alone gives in the long run, without it and with it */
	bool	     assumed;	 /**< the credits' start was assumed full */
	enum verdict verdict;	 /**< so far; VERDICT_NONE: nothing to say yet */
	bool	     replay;	 /**< a recording */
	double	     speed;	 /**< of the replay */
	bool	     frozen;
	bool	     paused;   /**< between two tests, until it is said whether the rest goes on */
	bool	     starting; /**< a run was asked for, and there is nothing of it yet */
	const struct ghost_at *ghost, *result_ghost; /**< an earlier run behind Live's plots, and behind Results'; NULL none */

	const struct bins *result_rate; /**< of the test that is chosen in Results; n 0 none */
	double	     result_start_s;	/**< run time at which its bins begin */

	const struct setup_form   *setup;
	const struct outline	  *outline; /**< what Start would do; nothing in it: not asked */
	const struct net_form *net;	   /**< the form of the Network screen */
	const struct net_live *net_live; /**< of the run, where it is a network test; never NULL */
	const struct results *results;
	const struct beside *beside; /**< two runs side by side on Results; NULL none */
	const struct volumes_screen *volumes;
	const struct dialog  *dialog; /**< open over the screen; NULL none */
	int	    help_scroll;
	unsigned    help_on; /**< ON_* of the screen that help was asked for on: its keys come first */
	const char *recordings, *own_files; /**< where they are, as help says it */
	const char *message;	     /**< one line; "" none */
	bool	    message_bad;
};

/** A screen: one row of the table of views. */
struct view {
	const char *name;
	void (*draw)(const struct frame *f, struct canvas *cv);
	unsigned    on;	  /**< ON_* of keymap.h */
};
/** By enum screen_id. Screens that are not built have no draw. */
extern const struct view views[SCREEN_NR];

/** Draw everything: the frame's screen, its dialog, its message. */
void frame_draw(const struct frame *f, struct canvas *cv);

void view_setup(const struct frame *f, struct canvas *cv);
void view_live(const struct frame *f, struct canvas *cv);
void view_results(const struct frame *f, struct canvas *cv);
/** Of view_results(): the two runs of f->beside. */
void draw_beside(const struct frame *f, struct canvas *cv, struct rect at);
/** Rows that it fills with all its lines, with the frame. */
int beside_rows(const struct beside *b);
/** The row of its lists at a cell: a test of the run in hand, or an earlier run. @return false: none is there */
bool view_results_row(const struct frame *f, int w, int h, int x, int y, bool *in_runs, int *row);
/** Dot columns of its plot of the chosen test. */
int view_results_dots(int w, int h, int tests);
void view_network(const struct frame *f, struct canvas *cv);
void view_volumes(const struct frame *f, struct canvas *cv);
void view_help(const struct frame *f, struct canvas *cv);
/** How far it can be scrolled on a screen of that size. */
int view_help_most(const struct frame *f, int w, int h);

#endif
