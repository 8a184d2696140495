/* SPDX-License-Identifier: MIT */
#ifndef TUI_DASHBOARD_H
#define TUI_DASHBOARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tui/app.h"
#include "tui/keymap.h"
#include "tui/screen.h"

/**
 * The app in time: on a terminal, or without one for a dump. One loop on keys, news and timers; nothing happens at
 * rest, a frame is drawn at most five times a second, and only when something changed.
 */
#define FRAME_NS 200000000ULL /* between two frames that news asks for */
#define KEY_NS	 30000000ULL  /* between two that keys ask for */

/** What the loop waits for beside keys, and who moves things on. */
struct dashboard_io {
	int news_fd;   /**< an eventfd, written when a log has news or a run ends; -1: none */
	int signal_fd; /**< a signalfd; any signal ends the loop; -1: none */
	void *ctx;
	/** After each wake-up, before the app looks: runs that began or ended, recordings that play. NULL: nothing. */
	void (*pump)(void *ctx, uint64_t now_ns);
	/** When pump wants to be called without news, on clock_ns(); 0: never. NULL: never. */
	uint64_t (*due)(void *ctx);
};

/**
 * Run on the terminal until the user quits. The first frame comes at once.
 * @param sig  set to the signal that ended it (SIGHUP for a terminal that is gone), 0: the user did. The caller stops a
 *             live run.
 * @return     0, or -1: there is no terminal to run on
 */
int dashboard_run(struct app *a, const struct dashboard_io *io, enum color_when color, int *sig, struct err *err);

/**
 * Run without a terminal: take the steps of --keys, then print the screen.
 * @param ansi  with colours where @p color wants them: as many as COLORTERM says, 256 where it says nothing
 * @param sig   as above; then nothing is printed
 */
int dashboard_dump(struct app *a, const struct dashboard_io *io, int w, int h, const struct key_step *step, size_t nr,
		   enum color_when color, bool ansi, FILE *out, int *sig, struct err *err);

/** Read `120x40` of --screen. */
int screen_size_parse(const char *text, int *w, int *h, struct err *err);

#endif
