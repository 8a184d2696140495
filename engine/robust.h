/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_ROBUST_H
#define ENGINE_ROBUST_H

#include <stddef.h>

/** Order statistics and running means of plain arrays. Pure, no memory of their own. */

/** The median (of an even number the upper of the two in the middle); NAN of none. Reorders @p v. Linear time. */
double robust_median(double *v, size_t n);
/** sum[k] = v[0] + … + v[k - 1]; n + 1 of them. */
void robust_prefix_sum(const double *v, size_t n, double *sum);
/** Running mean over 2h + 1 values, the series mirrored at both ends: so its sum stays what it was. @p sum: prefix sums. */
void robust_smooth(const double *sum, size_t n, size_t h, double *out);
/**
 * Running median over 2h + 1 values. It removes what lasts less than h of them and keeps steps where they are. Beyond
 * the ends the series is continued with @p left and @p right. @p w: room for 2h + 1.
 */
void robust_running_median(const double *in, size_t n, size_t h, double left, double right, double *w, double *out);

#endif
