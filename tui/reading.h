/* SPDX-License-Identifier: MIT */
#ifndef TUI_READING_H
#define TUI_READING_H

#include "tui/beside.h"
#include "tui/ghost.h"

/** Reading an earlier run on a thread of its own: a long one takes seconds, and the screen waits for nothing. */

enum reading_what { READING_GHOST, READING_BESIDE };

/** What came of it. */
struct reading_result {
	enum reading_what what;
	struct ghost  ghost;	 /**< of READING_GHOST */
	struct beside beside;	 /**< of READING_BESIDE */
	bool	      failed;
	struct err    err;	 /**< why */
};

struct reading;

/**
 * Begin.
 * @param hand     recording of the run in hand, for READING_BESIDE; "" none
 * @param path     a recording, or "ref:NAME"
 * @param name     what to call it
 * @param news_fd  an eventfd that is written when it is done; not kept
 * @return         NULL with @p err
 */
struct reading *reading_start(enum reading_what what, const char *hand, const char *path, const char *name, int news_fd,
			      struct err *err);
/** It has ended, well or not. */
bool reading_done(const struct reading *r);
/** After reading_done(): what @p out points to is the caller's from now on; @p r is gone. */
void reading_take(struct reading *r, struct reading_result *out);
/** Wants nothing of it any longer, done or not; @p r is gone. Never waits. NULL is fine. */
void reading_leave(struct reading *r);

#endif
