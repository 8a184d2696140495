/* SPDX-License-Identifier: MIT */
#ifndef TUI_NET_OUTLOOK_H
#define TUI_NET_OUTLOOK_H

#include "tui/canvas.h"
#include "tui/net_form.h"
#include "tui/plot.h"

/**
 * What stands in the plot's place on the Network screen before a test: of a host that is known the rate that is
 * expected over the time of the test in the form, so that one sees whether its baseline will be reached; else what
 * others measured of each task size.
 */
void draw_net_outlook(struct canvas *cv, struct rect at, const struct net_form *form, enum ink ink);
/** What others measured: a row of each task size, and where there is room more. */
void draw_net_observed(struct canvas *cv, struct rect at);

#endif
