/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_JOBFILE_H
#define ENGINE_JOBFILE_H

#include <stddef.h>

#include "engine/err.h"
#include "engine/suite_file.h"

/**
 * A job file of fio's (3.33) as a list of steps, one a job, with the meanings and the defaults that fio has:
 *
 *   options   the rows of workload_fields, under fio's other names too (readwrite, blocksize, timeout, buffered,
 *             rwmixwrite), and name, stonewall, time_based; direct=0 and ioengine=psync where nothing is said
 *   size      each of numjobs does so much, once, even before runtime is over: step->once. time_based: until it is
 *   order     jobs with a stonewall follow each other. Jobs that fio would run at once are one step with their numjobs
 *             added up if all else in them is the same, and refused if not: tests here run one after the other
 *   target    filename and directory are never looked at: what is measured is named by the command line, which is said
 *   ${NAME}   of the environment; one that is not set is refused (fio takes it as empty)
 *   else      options that change nothing in the I/O are left out, which is said; what would change it is refused, with
 *             the line and what there is instead: fio_words.h. So are an include, and numbers that fio reads otherwise
 *             (4ki is 4000 bytes to it, 1.5 seconds are 1)
 *
 * A job of one file in a directory of its own has in fio, with numjobs, a file a worker; here they share one of `size`.
 */

/**
 * Read the text of one. @param name for messages
 * @return how many steps are in @p out, -1 with ERR_USAGE: "FILE:LINE: what is wrong"
 */
int jobfile_parse(const char *name, const char *text, size_t len, struct suite_file *file, struct step *out, unsigned max,
		  struct err *err);

#endif
