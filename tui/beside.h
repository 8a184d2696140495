/* SPDX-License-Identifier: MIT */
#ifndef TUI_BESIDE_H
#define TUI_BESIDE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "engine/compare.h"

/** Two runs side by side on Results: the one in hand, and an earlier one or a reference. {0} holds none. */
struct beside {
	struct import_run run[2];
	struct comparison c; /**< of them */
	bool any;
	int  scroll;	     /**< lines above the first that is shown */
};

/**
 * Read both and compare them, each figure of @p path against the run in hand. Slow: not for the main thread.
 * @param hand  recording of the run in hand; "" none: the other one's figures stand alone
 * @param path  a recording, or "ref:NAME"
 * @param cancel gives it up when true; NULL never
 * @return 0, or -1: @p b is empty then
 */
int beside_load(struct beside *b, const char *hand, const char *path, const atomic_bool *cancel, struct err *err);
/** Empties it; fine when it is empty. */
void beside_release(struct beside *b);
/** A line of it: a figure, or below the figures of a test what differs in its work. */
struct beside_line {
	const struct compare_row *row;
	bool remark;
};
/**
 * Those that are shown: of block tests the figures that matter; first the tests of which both runs have a figure.
 * @return how many; @p out may be NULL
 */
int beside_lines(const struct beside *b, struct beside_line *out, int max);

#endif
