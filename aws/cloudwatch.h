/* SPDX-License-Identifier: MIT */
#ifndef AWS_CLOUDWATCH_H
#define AWS_CLOUDWATCH_H

#include <stddef.h>
#include <stdint.h>

#include "aws/cloud.h"

/**
 * What CloudWatch knows of burst credits: minute averages that come 1 to 3 minutes late, only while something is
 * attached. A series without points is absent: it does not burst, or it is too young; never 0 percent. BurstBalance is
 * reported for gp2, st1 and sc1 alone, and on Nitro not where the baseline reaches the burst (AWS's metric text, 2026).
 * Each metric asked for is charged.
 */
enum cw_metric { CW_BURST_BALANCE, CW_EBS_IO_BALANCE, CW_EBS_BYTE_BALANCE, CW_METRIC_NR };
/** "BurstBalance", "EBSIOBalance%", "EBSByteBalance%" */
const char *cw_metric_name(enum cw_metric m);

#define CW_POINTS 180 /* the newest that are kept: three hours */

/** Percent left, oldest first. */
struct cw_series {
	enum cw_metric metric;
	char	       id[EC2_ID]; /**< of the volume or the instance */
	size_t	       n;	   /**< 0: absent */
	struct {
		int64_t t; /**< s since 1970 */
		double	percent;
	} point[CW_POINTS];
};

/**
 * Ask for series of @p s (metric and id filled in, at most 100) from @p from to @p to, s since 1970; fills the points.
 * EACCES names the action that the policy lacks.
 */
int cw_get(struct cloud *c, struct cw_series *s, size_t n, int64_t from, int64_t to, struct err *err);

/** From the text of an answer, the k-th series being that of Id "m<k>". Points out of order or range are dropped. */
int cw_parse(const char *text, size_t len, struct cw_series *s, size_t n, struct err *err);

#endif
