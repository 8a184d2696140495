/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_KNEE_H
#define ENGINE_KNEE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/json.h"
#include "engine/result.h"
#include "engine/runlog.h"

/**
 * Where more depth stops helping, from tests that differ in iodepth alone.
 *
 * By Little's law IOPS times latency is the depth: doubling it must raise one, the other, or both. The knee is where
 * IOPS over mean latency is largest (Kleinrock's "power"): up to there a step deeper gains more in IOPS than it costs in
 * latency, behind it it costs more than it gains. That need not yet be the most that the device does, so the smallest
 * depth that reaches 95 % of it is told too.
 */
struct knee {
	uint64_t iodepth;	   /**< at the knee; in flight in all jobs together */
	double	 iops, lat_ns;	   /**< there; latency is the mean */
	bool	 rising;	   /**< it is the deepest that was tried: the knee may lie deeper */
	uint64_t full_iodepth;	   /**< the smallest that reaches 95 % of the most */
	double	 most_iops;
	uint64_t deepest;
	double	 deepest_iops, deepest_lat_ns;
	uint64_t limit_iodepth;	   /**< the smallest that reaches 90 % of the documented rate; 0: none did */
	double	 limit_iops;	   /**< that rate, as the results say it; NAN not known */
	char	 limit_name[32];   /**< "volume iops", …; "" not known */
};

/** The series itself: one depth of it. */
struct knee_point {
	uint64_t iodepth;
	double	 iops, lat_ns; /**< the mean; both NAN where the test failed */
};
#define KNEE_POINTS_MAX 32
/** Are these planned tests such a series, of three depths or more? */
bool knee_planned(const struct run_header *h);
/** What there is of it so far, an entry a result. @return how many; 0: the results are no series */
size_t knee_points(const struct result *const *r, size_t n, struct knee_point out[KNEE_POINTS_MAX]);
/** Of the results of one run. @return false: they are no such series, or fewer than three depths have figures */
bool knee_find(const struct result *const *r, size_t n, struct knee *out);
/** One or two sentences. @return buf */
char *knee_text(const struct knee *k, char *buf, size_t size);
/** New reference. */
json_t *knee_to_json(const struct knee *k);

#endif
