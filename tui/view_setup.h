/* SPDX-License-Identifier: MIT */
#ifndef TUI_VIEW_SETUP_H
#define TUI_VIEW_SETUP_H

#include "tui/frame.h"

/** Panels of the Setup screen; some of them stand on Live and Volumes while there is nothing else. Each draws into @p at, which may be empty. */

void draw_beside_volumes(const struct frame *f, struct canvas *cv, struct rect at);
void draw_limits(const struct frame *f, struct canvas *cv, struct rect at);
void draw_before(const struct frame *f, struct canvas *cv, struct rect at);
/** The same of network tests. */
void draw_before_net(const struct frame *f, struct canvas *cv, struct rect at);
void draw_about(const struct frame *f, struct canvas *cv, struct rect at);

/** The volume's credits: spent by the test, and full again at rest. */
void draw_cycle(const struct frame *f, struct canvas *cv, struct rect at);
/** Of what could be bought each rate that falls in time, beside each other. */
void draw_bursts(const struct frame *f, struct canvas *cv, struct rect at);

/** Its burst is more than its baseline. */
bool expect_bursts(const struct expectation *e);

#endif
