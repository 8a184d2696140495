/* SPDX-License-Identifier: MIT */
#ifndef TUI_WATCH_H
#define TUI_WATCH_H

#include "engine/run.h"
#include "tui/setup.h"

/** No I/O of ours: what a device does by itself, held against its limits. On the dashboard, or as lines. */

/** Make the setup of a command line one that only watches: one step, until it is told to stop or --runtime is over. */
int watch_setup(struct setup *s, const struct cli *cli, struct err *err);
/** The plan of that setup: a step without I/O. */
void watch_plan(struct run_plan *plan);

#endif
