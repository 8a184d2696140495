/* SPDX-License-Identifier: MIT */
#include "engine/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compare_parts.h"
#include "engine/units.h"

static bool same_name(const struct result *a, const struct result *b)
{
	return a->kind == b->kind && strcmp(a->name, b->name) == 0;
}

static bool same_work(const struct import_test *a, const struct import_test *b)
{
	const struct workload *x = &a->r->wl, *y = &b->r->wl;

	return a->r->kind == TEST_BLOCK && b->r->kind == TEST_BLOCK && x->rw == y->rw && x->bs == y->bs &&
	       x->iodepth * x->numjobs == y->iodepth * y->numjobs && !a->bs_mixed && !b->bs_mixed;
}

static struct group *find_group(const struct comparison *c, struct group *g, size_t n, size_t run, size_t test)
{
	const struct import_test *t = &c->run[run].test[test];

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++) {
			const struct import_test *first = group_member(c, &g[i], g[i].first);
			if (g[i].at[run] == NONE && (pass ? same_work(first, t) : same_name(first->r, t->r)))
				return &g[i];
		}
	return NULL;
}

/* @return the groups, *n of them, in the order of the runs; NULL without memory. Caller frees. */
static struct group *make_groups(const struct comparison *c, size_t *n)
{
	size_t total = 0;

	*n = 0;
	for (size_t k = 0; k < c->nr_runs; k++)
		total += c->run[k].nr_tests;
	struct group *g = malloc((total + 1) * sizeof(*g));
	if (!g)
		return NULL;
	for (size_t k = 0; k < c->nr_runs; k++)
		for (size_t i = 0; i < c->run[k].nr_tests; i++) {
			/* tests of the first run, and of one run alone, need no looking for */
			struct group *at = k ? find_group(c, g, *n, k, i) : NULL;
			if (!at) {
				at = &g[(*n)++];
				for (size_t r = 0; r < COMPARE_RUNS_MAX; r++)
					at->at[r] = NONE;
				at->first = k;
			}
			at->at[k] = i;
		}
	return g;
}

char *compare_why_not(const struct import_test *base, const struct import_test *t, char *out, size_t size)
{
	char a[FMT_LEN], b[FMT_LEN];
	const struct result *x = base->r, *y = t->r;
	bool block = x->kind == TEST_BLOCK && y->kind == TEST_BLOCK;

	out[0] = '\0';
	if (y->failed || x->failed)
		snprintf(out, size, "failed run");
	else if (y->cached == TRI_TRUE || x->cached == TRI_TRUE)
		snprintf(out, size, "cached: memory, not storage, was measured");
	else if (x->too_short || y->too_short)
		snprintf(out, size, "too short to be true");
	else if (x->kind != y->kind)
		snprintf(out, size, "%s test beside %s test", test_kind_name(y->kind), test_kind_name(x->kind));
	else if (base->per_char != t->per_char && base->per_char && t->per_char)
		snprintf(out, size, "per-char by %s beside %s", per_char_name(t->per_char), per_char_name(base->per_char));
	else if (block && (base->bs_mixed || t->bs_mixed))
		snprintf(out, size, "several block sizes at once");
	else if (block && x->wl.bs != y->wl.bs)
		snprintf(out, size, "block size %s beside %s", fmt_bs(a, y->wl.bs), fmt_bs(b, x->wl.bs));
	else if (block && x->wl.rw != y->wl.rw)
		snprintf(out, size, "%s beside %s", rw_name(y->wl.rw), rw_name(x->wl.rw));
	return out;
}

/* Is there a figure for that word of the command line? What a run does not say of itself is 0 or "auto". */
static bool tells(const struct import_test *t, const char *key)
{
	const struct workload *wl = &t->r->wl;

	if (strcmp(key, "size") == 0)
		return wl->size > 0;
	if (strcmp(key, "direct") == 0)
		return t->r->kind != TEST_NET && (wl->iodepth || wl->size || t->r->kind == TEST_DD);
	if (t->r->kind != TEST_BLOCK || !wl->iodepth)
		return false;
	if (strcmp(key, "rwmixread") == 0)
		return wl->rw == RW_RW || wl->rw == RW_RANDRW;
	return strcmp(key, "ioengine") != 0 || wl->ioengine != IOENGINE_AUTO;
}

/* In what @p t is not the same work as @p base, though it may be compared: "iodepth 8 beside 32, direct 0 beside 1". */
static void what_differs(const struct import_test *base, const struct import_test *t, char *out, size_t size)
{
	static const char *const keys[] = { "iodepth", "numjobs", "rwmixread", "size", "direct", "ioengine" };
	char a[64], b[64];
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys) && n < size; i++) {
		if (!tells(base, keys[i]) || !tells(t, keys[i]))
			continue;
		workload_get(&t->r->wl, keys[i], a, sizeof(a));
		workload_get(&base->r->wl, keys[i], b, sizeof(b));
		if (strcmp(a, b) != 0)
			n += (size_t)snprintf(out + n, size - n, "%s%s %s beside %s", n ? ", " : "", keys[i], a, b);
	}
}

#define REMARK_MAX 160

/* What is to say of several runs in one text: "run 2, 3: cached: …; run 4: …". @p say is used up. */
static void join(char say[][REMARK_MAX], size_t runs, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t k = 0; k < runs; k++) {
		if (!say[k][0])
			continue;
		n += (size_t)snprintf(text + n, size - n, "%srun %zu", n ? "; " : "", k + 1);
		for (size_t i = k + 1; i < runs && n < size; i++)
			if (strcmp(say[i], say[k]) == 0) {
				n += (size_t)snprintf(text + n, size - n, ", %zu", i + 1);
				say[i][0] = '\0';
			}
		if (n < size)
			n += (size_t)snprintf(text + n, size - n, ": %s", say[k]);
		if (n >= size)
			return; /* cut: there is no room for more */
	}
}

static void check_group(const struct comparison *c, const struct group *g, struct standing *s)
{
	const struct import_test *base = group_member(c, g, g->first);
	char why[COMPARE_RUNS_MAX][REMARK_MAX] = { "" }, differs[COMPARE_RUNS_MAX][REMARK_MAX] = { "" };

	for (size_t k = 0; k < c->nr_runs; k++) {
		const struct import_test *t = group_member(c, g, k);
		s->ok[k] = t != NULL;
		if (!t || k == g->first)
			continue;
		compare_why_not(base, t, why[k], sizeof(why[k]));
		s->ok[k] = !why[k][0];
		if (s->ok[k])
			what_differs(base, t, differs[k], sizeof(differs[k]));
	}
	join(why, c->nr_runs, s->why, sizeof(s->why));
	join(differs, c->nr_runs, s->differs, sizeof(s->differs));
}

static int compare_group(struct comparison *c, const struct group *g, struct levels *l)
{
	struct metric metric[METRICS_MAX];
	struct standing s = { .why = "" };
	size_t n = metrics_of(group_member(c, g, g->first), metric);

	check_group(c, g, &s);
	for (size_t k = 0; k < c->nr_runs; k++)
		find_levels(group_member(c, g, k), &l[k]);
	for (size_t i = 0; i < n; i++)
		if (compare_metric(c, g, &metric[i], i == 0, l, &s) < 0)
			return -1;
	return 0;
}

int compare_better(const struct compare_row *row)
{
	if (strcmp(row->metric, "lost_pct") == 0)
		return -1;
	if (strcmp(row->unit, "%") == 0)
		return 0;
	return strcmp(row->unit, "ns") == 0 || strcmp(row->unit, "segments") == 0 || strcmp(row->metric, "durable_s") == 0 ? -1 : 1;
}

int compare_runs(struct comparison *c, const struct import_run *run, size_t n, struct err *err)
{
	size_t nr = 0;
	int rc = 0;

	*c = (struct comparison){ .run = run, .nr_runs = n };
	struct group *g = make_groups(c, &nr);
	struct levels *l = calloc(n, sizeof(*l));
	if (!g || !l)
		rc = -1;
	for (size_t i = 0; i < nr && rc == 0; i++)
		rc = compare_group(c, &g[i], l);
	free(g);
	free(l);
	if (rc == 0)
		return 0;
	compare_release(c);
	return err_set(err, ENOMEM, "no memory to compare");
}

void compare_release(struct comparison *c)
{
	free(c->row);
	*c = (struct comparison){ .nr_runs = 0 };
}

static json_t *run_json(const struct import_run *r)
{
	json_t *o = json_object(), *w = json_array();

	for (size_t i = 0; i < r->nr_warnings; i++)
		json_array_append_new(w, json_text(r->warning[i]));
	json_object_set_new(o, "name", json_text(r->name));
	json_object_set_new(o, "kind", json_text(import_kind_name(r->kind)));
	json_object_set_new(o, "on", *r->on ? json_text(r->on) : json_null());
	json_object_set_new(o, "source", json_text(r->source));
	json_object_set_new(o, "date", r->date[0] ? json_text(r->date) : json_null());
	json_object_set_new(o, "partial", json_boolean(r->partial));
	json_object_set_new(o, "failed", json_boolean(r->failed));
	json_object_set_new(o, "warnings", w);
	return o;
}

static json_t *numbers(const double *v, size_t n)
{
	json_t *a = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, json_num(v[i]));
	return a;
}

json_t *compare_to_json(const struct comparison *c)
{
	json_t *o = json_object(), *runs = json_array(), *rows = json_array();

	for (size_t k = 0; k < c->nr_runs; k++)
		json_array_append_new(runs, run_json(&c->run[k]));
	for (size_t i = 0; i < c->nr_rows; i++) {
		const struct compare_row *r = &c->row[i];
		json_t *row = json_object(), *s = json_array();
		for (size_t k = 0; k < c->nr_runs; k++)
			json_array_append_new(s, r->significant[k] == TRI_NULL ? json_null()
									       : json_boolean(r->significant[k] == TRI_TRUE));
		json_object_set_new(row, "test", json_text(r->test));
		json_object_set_new(row, "metric", json_text(r->metric));
		json_object_set_new(row, "unit", json_text(r->unit));
		json_object_set_new(row, "values", numbers(r->value, c->nr_runs));
		json_object_set_new(row, "ratio", numbers(r->ratio, c->nr_runs));
		json_object_set_new(row, "spread", numbers(r->spread, c->nr_runs));
		json_object_set_new(row, "significant", s);
		json_object_set_new(row, "not_comparable", r->not_comparable[0] ? json_text(r->not_comparable) : json_null());
		json_object_set_new(row, "differs", r->differs[0] ? json_text(r->differs) : json_null());
		json_array_append_new(rows, row);
	}
	json_object_set_new(o, "schema", json_string("ebscope/1"));
	json_object_set_new(o, "runs", runs);
	json_object_set_new(o, "rows", rows);
	return o;
}
