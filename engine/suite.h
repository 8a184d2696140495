/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_SUITE_H
#define ENGINE_SUITE_H

#include <stdbool.h>

#include "engine/err.h"
#include "engine/run.h"

/**
 * Lists of tests under a name. A suite is a table of steps: adding one is adding rows.
 */
struct suite {
	const char *name;
	const char *about; /**< one line */
	const struct suite_step {
		const char *name;  /**< of the test; NULL ends the list */
		enum rw	    rw;
		uint64_t    bs, iodepth;
		uint64_t    runtime_ns;
	} *steps;
};

/** Ends with a row whose name is NULL. */
extern const struct suite suites[];
const struct suite *suite_find(const char *name);
/**
 * Its steps as a run does them, over the values of @p base (direct, numjobs, size, …).
 * @param writes  false: steps that write are left out
 * @return how many, at most @p max
 */
unsigned suite_steps(const struct suite *s, const struct workload *base, bool writes, struct step *out, unsigned max);

#endif
