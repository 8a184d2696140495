/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_COMPARE_H
#define ENGINE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/import.h"
#include "engine/json.h"

/**
 * Runs side by side, test by test, each figure against the first run that has it: ratio, spread, and whether the
 * difference is larger than the noise. Tests of the same name belong together, else block tests of the same rw, bs and
 * depth. What must not be compared (other block size or pattern, cached, other meaning of per-char, failed, too short)
 * has no ratio but a text that says why. What may be compared although it is not the very same work (another depth,
 * number of jobs, share of reads, size, engine, or buffered) has a ratio, and a text that says what differs.
 */

#define COMPARE_RUNS_MAX 16

/** One figure of one test, of all runs. */
struct compare_row {
	char	    test[64];
	const char *metric; /**< "iops", "bw_bytes", "burst_iops", "lat_p99", …; "burst_s" counts the volume's time, others the clock's */
	const char *unit;   /**< "IO/s", "B/s", "KiB/s", "MiB/s", "Gbit/s", "ns", "s", "%", "files/s", "seeks/s", "segments" */
	double	    value[COMPARE_RUNS_MAX];
	double	    spread[COMPARE_RUNS_MAX]; /**< half of what 95 % of the draws lie within, over the value; NAN */
	double	    ratio[COMPARE_RUNS_MAX];  /**< to the first run that has it; NAN */
	enum tri    significant[COMPARE_RUNS_MAX]; /**< is that ratio larger than the noise; NULL: not known */
	bool	    too_short[COMPARE_RUNS_MAX]; /**< there is no value since it was over too soon: "+++++" */
	bool	    dd;			      /**< a throughput as dd ("272 MB/s") or hdparm ("8,954 MiB/s") writes it */
	char	    not_comparable[200];      /**< "" or why, and which runs */
	char	    differs[200];	      /**< "" or what, and in which runs */
};

struct comparison {
	const struct import_run *run; /**< borrowed */
	size_t nr_runs;
	struct compare_row *row;
	size_t nr_rows, cap_rows;
};

/** @p n runs, 1 to COMPARE_RUNS_MAX, borrowed until compare_release(). @return -1 without memory */
int compare_runs(struct comparison *c, const struct import_run *run, size_t n, struct err *err);
void compare_release(struct comparison *c);

/** Is a larger figure of the row the better one (1), the worse (-1), or neither by itself (0: CPU)? */
int compare_better(const struct compare_row *row);
/** Why the figures of @p t must not be held against those of @p base; "" if they may. @return out */
char *compare_why_not(const struct import_test *base, const struct import_test *t, char *out, size_t size);

/** {"runs":[…],"rows":[…]}; NAN becomes null. New reference. */
json_t *compare_to_json(const struct comparison *c);

#endif
