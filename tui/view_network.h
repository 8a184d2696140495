/* SPDX-License-Identifier: MIT */
#ifndef TUI_VIEW_NETWORK_H
#define TUI_VIEW_NETWORK_H

#include "tui/frame.h"

/** Dot columns of the plot on a screen of that size: how many bins it wants. */
int view_network_dots(const struct net_form *form, int w, int h);
/** The field of its form at a cell, or -1. */
int view_network_field(const struct frame *f, int w, int h, int x, int y);
/** A network test's result, in the place that Results gives the test that is chosen. */
void draw_net_result(const struct frame *f, struct canvas *cv, struct rect in, const struct result *r);

#endif
