/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_SUITE_H
#define ENGINE_SUITE_H

#include <stdbool.h>

#include "engine/err.h"
#include "engine/run.h"

/**
 * Lists of tests under a name. A suite is a table of steps: adding one is adding rows.
 */
struct suite_step {
	const char *name;  /**< of the test; NULL ends the list */
	enum rw	    rw;
	uint64_t    bs, iodepth;
	uint64_t    runtime_ns;
};

/** What a suite may be told. */
struct suite_opts {
	struct workload base;	    /**< values of the command line under those of the rows */
	bool		writes;	    /**< false: tests that write are left out */
	bool		directory;  /**< the target is one: tests of files can be done */
	bool		dd_random;  /**< dd: incompressible data in the place of zeros */
	bool		stdio;	    /**< bonnie: per-character through stdio (1.03), else a system call a byte */
	uint64_t	char_bytes; /**< bonnie: bytes of the per-character tests; 0: as the real one */
	uint64_t	files, file_max, file_min, file_dirs; /**< bonnie's -n */
	uint64_t	memory;	    /**< bytes this process may use; 0 not known */
	uint64_t	bytes;	    /**< bonnie: size of the file; 0: twice the memory */
};

struct suite {
	const char *name;
	const char *about; /**< one line */
	unsigned    repeats; /**< of each test, where none are asked for */
	const struct suite_step *steps; /**< block tests; NULL: make */
	unsigned (*make)(const struct suite_opts *o, struct step *out, unsigned max);
	const char *options; /**< of those that make: what it looks at, words of the command line */
};

/** Ends with a row whose name is NULL. */
extern const struct suite suites[];
const struct suite *suite_find(const char *name);
/**
 * Does it look at that option? The classics only at what they name; other tests (@p s NULL too: of a file, or given by
 * their parameters) at each parameter of a workload, and at none of the classics' own.
 */
bool suite_takes(const struct suite *s, const char *option);
/** Its steps as a run does them. @return how many, at most @p max */
unsigned suite_steps(const struct suite *s, const struct suite_opts *o, struct step *out, unsigned max);

#endif
