/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_SUITE_FILE_H
#define ENGINE_SUITE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/err.h"
#include "engine/suite.h"

/**
 * Suites of the user's own: $XDG_CONFIG_HOME/ebscope/suites/NAME.json or NAME.fio (~/.config where that is not set), used
 * as --suite NAME, or any file, used as --suite FILE, which has a '/' in it or ends in ".json" or ".fio". What begins with
 * '{' or is named .json is a table of steps, each with the keys of the command line; all else is a job file of fio's, for
 * which see jobfile.h:
 *
 *     { "about": "how our database writes", "repeat": 3,
 *       "steps": [ { "name": "log", "rw": "write", "bs": "16k", "sync": "dsync", "runtime": "30s" },
 *                  { "name": "pages", "rw": "randrw", "bs": "8k", "iodepth": 16, "rwmixread": 70 } ] }
 *
 * A step of a table without runtime and size takes 10 s. A built-in suite of the same name comes first. What is wrong in a file is
 * one line with file and line, or the step.
 */

#define SUITE_FILE_BYTES_MAX (256 * 1024)
#define SUITE_FILE_NAME_LEN  28

/** What a file says beside its steps. */
struct suite_file {
	char	 about[128]; /**< "" none */
	unsigned repeats;    /**< of each step; 1 to 100 */
	struct target_lines notes; /**< how a job file was understood: lines for the user */
};

/**
 * Read a suite's text. @param name for messages @param base values under those of the steps
 * @return how many steps are in @p out, -1 with ERR_USAGE
 */
int suite_file_parse(const char *name, const char *text, size_t len, const struct workload *base, struct suite_file *file,
		     struct step *out, unsigned max, struct err *err);
/** Does --suite name a file, and not a suite? */
bool suite_file_is_path(const char *name);
/** The same of a user's suite by its name, or of a file by its path. ENOENT where there is none. */
int suite_file_load(const char *name, const struct workload *base, struct suite_file *file, struct step *out, unsigned max,
		    struct err *err);
/** Is there a user's suite of that name, readable or not? */
bool suite_file_exists(const char *name);
/** Names of all of them, sorted. @return how many */
size_t suite_file_list(char (*names)[SUITE_FILE_NAME_LEN], size_t max);

#endif
