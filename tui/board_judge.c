/* SPDX-License-Identifier: MIT */
/* The part of board.h that says what the documents say of a run. */
#include "tui/board.h"

#include <math.h>

void board_forget_judgement(struct board *b)
{
	if (b->judged)
		analysis_release(&b->analysis);
	b->judged = false;
}

/* Is what was judged last still right? A test at rest is judged once; a live one when a fiftieth was added. */
static bool judgement_holds(const struct board *b, const struct runlog_snap *run, const struct live *live)
{
	return b->judged && b->judged_header == run->header && b->judged_test == live->test && b->judged_end == run->end &&
	       b->judged_events == run->nr_events && b->judged_outside == run->nr_outside &&
	       (run->end == RUN_RUNNING ? run->span.n < b->judged_rows + 10 + b->judged_rows / 50 : run->span.n == b->judged_rows);
}

void board_judge(void *ctx, const struct runlog_snap *run, const struct live *live, const struct workload *wl, struct app_judgement *out)
{
	struct board *b = ctx;
	struct err ignored;

	(void)wl;
	if (!live->any)
		return;
	if (!judgement_holds(b, run, live)) {
		struct setup s = { .limits = b->limits };
		const struct result *r = run->end != RUN_RUNNING && live->test < run->nr_results ? run->results[live->test] : NULL;
		board_forget_judgement(b);
		if (analysis_of(&b->analysis, run, b->limits, live->test, r, &ignored) < 0)
			return;
		b->judged = true;
		b->judged_rows = run->span.n;
		b->judged_events = run->nr_events;
		b->judged_outside = run->nr_outside;
		b->judged_test = live->test;
		b->judged_end = run->end;
		b->judged_header = run->header;
		analysis_setup(&s, run->header);
		b->assumed = isnan(s.credits) && !b->analysis.judgement.seen_spent;
	}
	const struct expectation *e = analysis_expect(&b->analysis);
	out->known = b->analysis.known && e;
	if (out->known)
		out->expect = *e;
	out->optimizing = b->analysis.optimizing;
	out->before = b->analysis.before;
	out->after = b->analysis.after;
	out->assumed = b->assumed;
	out->verdict = out->known ? b->analysis.judgement.verdict : VERDICT_NONE;
}
