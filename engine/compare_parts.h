/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_COMPARE_PARTS_H
#define ENGINE_COMPARE_PARTS_H

#include "engine/bootstrap.h"
#include "engine/compare.h"

/** What compare.c (which tests belong together) and compare_rows.c (their figures) share. No other user. */

/* The tests of all runs that belong together: index of the test in each run, or none. */
#define NONE SIZE_MAX
struct group {
	size_t at[COMPARE_RUNS_MAX];
	size_t first; /* the run that the others are compared with */
};

/* What there is to say of a group before any figure. */
struct standing {
	bool ok[COMPARE_RUNS_MAX]; /* may the run be compared with the group's first */
	char why[200], differs[200]; /* as in struct compare_row */
};

/* What one test's series amounts to. */
struct levels {
	struct phase phase[PHASES_MAX];
	int nr;
	struct stratum all[PHASES_MAX], burst[PHASES_MAX], baseline[PHASES_MAX];
	size_t nr_all, nr_burst, nr_baseline;
};

static inline const struct import_test *group_member(const struct comparison *c, const struct group *g, size_t k)
{
	return g->at[k] == NONE ? NULL : &c->run[k].test[g->at[k]];
}

/* A metric of a row: how it is read, and which series tells its noise. */
struct metric {
	const char *name, *unit;
	double	    scale; /* value in `unit` = figure * scale */
	enum { FROM_IOPS, FROM_BW, FROM_SHOWN, FROM_BURST, FROM_BASELINE, FROM_BURST_S, FROM_CLAT_P50, FROM_CLAT_P99,
	       FROM_P50, FROM_P99, FROM_MAX, FROM_CPU, FROM_DURABLE, FROM_RETRANSMITS, FROM_LOST, FROM_JITTER } from;
};
#define METRICS_MAX 10

/** The phases of a test's series, and where they lie in it. */
void find_levels(const struct import_test *t, struct levels *l);
/** The figures of a kind of test, the main one first. @return how many */
size_t metrics_of(const struct import_test *t, struct metric out[METRICS_MAX]);
/**
 * Add the row of one figure, if any run has it, or if it is wanted always.
 * @return     -1 without memory
 */
int compare_metric(struct comparison *c, const struct group *g, const struct metric *m, bool always,
		   const struct levels *l, const struct standing *s);

#endif
