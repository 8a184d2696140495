/* SPDX-License-Identifier: MIT */
#include "tui/results.h"

#include <string.h>

#include "aws/reference.h"

void results_set_runs(struct results *r, const struct run_entry *e, size_t n)
{
	r->nr_runs = n < RUN_ENTRIES_MAX ? n : RUN_ENTRIES_MAX;
	memcpy(r->run, e, r->nr_runs * sizeof(*e));
	if (r->chosen >= (int)r->nr_runs)
		r->chosen = r->nr_runs ? (int)r->nr_runs - 1 : 0;
}

size_t results_before(const struct results *r, const char *path, bool net, const struct run_entry **out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nr_runs; i++) {
		const struct run_entry *e = &r->run[i];
		if (reference_named(e->path) || e->net != net ||
		    (*path && strncmp(e->target, path, sizeof(e->target) - 1) != 0))
			continue;
		if (n < max)
			out[n] = e;
		n++;
	}
	return n;
}

static int step(int at, int by, size_t n)
{
	int to = at + by;

	return n == 0 || to < 0 ? 0 : to >= (int)n ? (int)n - 1 : to;
}

enum results_answer results_key(struct results *r, enum action act, size_t nr_tests)
{
	int *at = r->in_runs ? &r->chosen : &r->test;
	size_t n = r->in_runs ? r->nr_runs : nr_tests;

	switch (act) {
	case ACT_UP:
		*at = step(*at, -1, n);
		return RESULTS_DONE;
	case ACT_DOWN:
		*at = step(*at, 1, n);
		return RESULTS_DONE;
	case ACT_PGUP:
		*at = step(*at, -10, n);
		return RESULTS_DONE;
	case ACT_PGDN:
		*at = step(*at, 10, n);
		return RESULTS_DONE;
	case ACT_HOME:
		*at = 0;
		return RESULTS_DONE;
	case ACT_END:
		*at = step(0, (int)n, n);
		return RESULTS_DONE;
	case ACT_NEXT:
	case ACT_PREV:
	case ACT_LEFT:
	case ACT_RIGHT:
		r->in_runs = !r->in_runs;
		return RESULTS_DONE;
	case ACT_ENTER:
		if (!r->in_runs || !r->nr_runs)
			return RESULTS_PASS;
		return reference_named(r->run[r->chosen].path) ? RESULTS_BESIDE : RESULTS_OPEN; /* a reference has no series to play */
	case ACT_BESIDE:
		return r->nr_runs ? RESULTS_BESIDE : RESULTS_PASS;
	default:
		return RESULTS_PASS;
	}
}
