/* SPDX-License-Identifier: MIT */
#ifndef TUI_ANALYSIS_H
#define TUI_ANALYSIS_H

#include "aws/verdict.h"
#include "engine/phases.h"
#include "engine/runlog.h"
#include "tui/setup.h"

/**
 * One test of a run held against the documents: expectation per segment, phases, verdict. A pure function of the log
 * (its header says which volume and host were named, its samples the balances), so the live screen, the result and a
 * replay come to the same.
 */

#define ANALYSIS_SEGMENTS (RESULT_TURNS_MAX + 1)

struct analysis {
	bool		   known;    /**< a volume or host is named: `expect` and the verdict mean something */
	struct volumes	   volumes;
	struct host	   host;
	unsigned	   nr_segments;
	struct segment	   segment[ANALYSIS_SEGMENTS]; /**< seconds since the run began */
	struct expectation *expect;  /**< one a segment, with the credits as they stood; owned */
	size_t		   nr_phases;
	struct phase	   phase[PHASES_MAX];	      /**< seconds since the run began */
	struct judgement   judgement;
	int		   optimizing;		      /**< percent of a modification under way at the end; -1 none */
	char		   changed[RESULT_WARNING_LEN]; /**< what must be said of a change of the volume; "" nothing */
	struct rate	   before, after;	      /**< then: what the volumes alone give in the long run, without and with it */
};

/** What a header says of volume and host. @p setup's limits are used; other fields are overwritten. */
void analysis_setup(struct setup *setup, const struct run_header *h);

/**
 * Analyse test @p test, its last repetition.
 * @param limits  the tables to hold it against
 * @param r       its result so far; NULL: the test is still running, and what the samples say is all there is
 * @return -1 without memory or with a header that names an impossible volume
 */
int analysis_of(struct analysis *a, const struct runlog_snap *run, const struct limits *limits, uint32_t test,
		const struct result *r, struct err *err);
void analysis_release(struct analysis *a);
/** What kind of workload was seen on a device that was only watched: mean I/O size and share of reads of @p n rows. */
void analysis_watched(struct workload *wl, const struct sample *row, size_t n);
/** The expectation that counts at the end of what was analysed; NULL when nothing is known. */
const struct expectation *analysis_expect(const struct analysis *a);
/** As tests[].phases. New reference. */
json_t *analysis_phases_json(const struct analysis *a);

#endif
