/* SPDX-License-Identifier: MIT */
#ifndef TUI_STORY_H
#define TUI_STORY_H

#include "tui/setup.h"

/**
 * Training stories: a simulated volume whose limits and credits behave as documented, at a time scale that tells it in
 * under a minute, with sentences that appear beside the plot as it happens. Each is labelled SIMULATED and SHAPED.
 */

/** When a line of a story is said. */
enum story_when {
	STORY_START,	 /**< at once */
	STORY_SECONDS,	 /**< `at` wall seconds after the start */
	STORY_EMPTY,	 /**< when credits have run out */
	STORY_DONE,	 /**< when the run is over */
};

struct story_line {
	enum story_when when;
	double		at;
	const char     *text; /**< NULL ends the list */
};

struct story {
	const char *name;  /**< "gp2-burst" */
	const char *title; /**< "gp2: the burst that ends" */
	const char *volume, *raid, *instance, *task;
	const char *rw, *bs, *iodepth, *runtime;
	double	    time_scale;
	const struct story_line *lines;
};

/** Ends with a row whose name is NULL. */
extern const struct story stories[];
const struct story *story_find(const char *name, struct err *err);
/** Fill the setup of a story: target sim:, shaped. */
int story_setup(const struct story *st, struct setup *s, struct err *err);
/**
 * The lines whose time has come, in order: the last is the one of now. @return how many, at most @p max
 * @param t_s wall seconds since the start  @param empty credits ran out
 */
size_t story_says(const struct story *st, double t_s, bool empty, bool done, const char **say, size_t max);
/** Lines of a story at most. */
#define STORY_LINES 8
/** The story that a run tells, or NULL: its header names it. */
const struct story *story_of(const struct run_header *h);
/** The target that stands for a story in lists: "train:NAME". */
#define STORY_PREFIX "train:"

#endif
