/* SPDX-License-Identifier: MIT */
#ifndef TUI_BESIDE_H
#define TUI_BESIDE_H

#include <stdbool.h>

#include "engine/compare.h"

/** Two runs side by side on Results: the one in hand, and an earlier one or a reference. {0} holds none. */
struct beside {
	struct import_run run[2];
	struct comparison c; /**< of them */
	bool any;
	int  scroll;	     /**< rows above the first that is shown */
};

/**
 * Read both and compare them, each figure of @p path against the run in hand.
 * @param hand  recording of the run in hand; "" none: the other one's figures stand alone
 * @param path  a recording, or "ref:NAME"
 * @return 0, or -1: @p b is empty then
 */
int beside_load(struct beside *b, const char *hand, const char *path, struct err *err);
/** Empties it; fine when it is empty. */
void beside_release(struct beside *b);
/** Rows that are shown: of block tests those that matter; first what both runs have. @return how many; @p row may be NULL */
int beside_rows(const struct beside *b, const struct compare_row **row, int max);

#endif
