/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_PHASE_SPLIT_H
#define ENGINE_PHASE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * The statistics behind phases.h: where a series of rates on a uniform grid changes its level. No other user.
 */

/** Least length of a level, in cells: at the left end, inside, at the right end. */
struct split_min {
	size_t left, inner, right;
};

/**
 * Find the change points of @p rate (@p n cells of @p cell_s seconds).
 *
 * @param rate  not negative, finite; overwritten with its smoothed, clipped form
 * @param at    room for @p max cell numbers: a change lies between at[k] - 1 and at[k]; ascending
 * @return      how many; -1 without memory
 */
int split_levels(double *rate, size_t n, double cell_s, const struct split_min *min, size_t *at, size_t max);

#endif
