/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_BOOTSTRAP_H
#define ENGINE_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/phases.h"

/**
 * Is the difference between two measured rates larger than their noise?
 *
 * A block bootstrap: neighbouring ticks of a run are not independent (a throttle lets I/O through in slices, a cache
 * fills and drains), so whole blocks of at least a second are drawn again, longer ones where blocks of a second still
 * follow each other, and only among the blocks of one phase. Drawing is seeded: the same series give the same answer.
 */

/** Draws of each series. */
#define BOOTSTRAP_DRAWS 1000
/** A rate without at least so many blocks has no noise that could be known. */
#define BOOTSTRAP_BLOCKS_MIN 5

/** Stretches [from, to) of a series that are drawn from separately: its phases. */
struct stratum {
	size_t from, to;
};

/** A rate and what it might as well have been. */
struct bootstrap {
	double rate;	    /**< sum over time: I/Os (or bytes, where no I/Os are counted) per second */
	double low, high;   /**< 95 % of the draws lie between; NAN: too few blocks to tell */
	double block_s;	    /**< length of a block that was used */
	double draw[BOOTSTRAP_DRAWS]; /**< sorted; not filled when low is NAN */
};

/** @return -1 without memory. @p n strata; the samples in none of them are left out. */
int bootstrap_rate(struct bootstrap *b, const struct phase_point *pt, const struct stratum *st, size_t n, unsigned seed);
/**
 * @return 1 the rates differ by more than their noise (95 % of all pairs of draws lie on one side, and by one percent
 *         or more in the middle), 0 they do not, -1 not known
 */
int bootstrap_differ(const struct bootstrap *a, const struct bootstrap *b);

#endif
