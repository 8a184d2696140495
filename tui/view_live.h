/* SPDX-License-Identifier: MIT */
#ifndef TUI_VIEW_LIVE_H
#define TUI_VIEW_LIVE_H

#include "tui/frame.h"

/** Dot columns of Live's two rate plots on a screen of that size: how many bins they want. */
void view_live_dots(int w, int h, int *rate, int *bw);

/** Rows of the credits' panel where there are none, and only limits are named. */
int limits_rows(const struct frame *f);

/* The panels beside the plots (view_live_credits.c, view_live_side.c). */
void draw_credits(const struct frame *f, struct canvas *cv, struct rect at);
void draw_now(const struct frame *f, struct canvas *cv, struct rect at);
void draw_workers(const struct frame *f, struct canvas *cv, struct rect at);
/** Of a run that tells a story (view_story.c). */
void draw_story(const struct frame *f, struct canvas *cv, struct rect at);
void draw_events(const struct frame *f, struct canvas *cv, struct rect at);

#endif
