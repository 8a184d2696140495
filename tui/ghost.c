/* SPDX-License-Identifier: MIT */
#include "tui/ghost.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/reference.h"
#include "engine/compare.h"
#include "engine/recorder.h"
#include "engine/units.h"

int ghost_load(struct ghost *g, const char *path, const char *name, const atomic_bool *cancel, struct err *err)
{
	bool partial;

	*g = (struct ghost){ .log = NULL };
	if (reference_named(path)) {
		if (reference_load(&g->run, path, err) < 0)
			return -1;
	} else if (!(g->log = recording_load_until(path, cancel, &partial, err))) {
		return -1;
	} else {
		runlog_snap(g->log, &g->snap);
		if (g->snap.header->nr_planned && g->snap.header->planned[0].kind == TEST_NET) {
			ghost_release(g);
			return err_set(err, ERR_USAGE, "%s: a network test has no I/O to show behind this one; choose a run in Results (3)", name);
		}
	}
	snprintf(g->name, sizeof(g->name), "%s", name);
	return 0;
}

static void release_at(struct ghost_at *at)
{
	bins_release(&at->rate);
	bins_release(&at->bw);
}

void ghost_release(struct ghost *g)
{
	release_at(&g->live);
	release_at(&g->result);
	if (g->log) {
		runlog_snap_release(&g->snap);
		runlog_free(g->log);
	}
	import_release(&g->run);
	*g = (struct ghost){ .log = NULL };
}

/* --- its series --- */

static bool same_work(const struct planned *a, const struct planned *b)
{
	return a->kind == b->kind && a->wl.rw == b->wl.rw && a->wl.bs == b->wl.bs;
}

/* The test of that name, else the first that does the same work, else the only one there is. */
static int test_like(const struct run_header *h, const struct planned *p)
{
	for (unsigned i = 0; i < h->nr_planned; i++)
		if (strcmp(h->planned[i].name, p->name) == 0)
			return (int)i;
	for (unsigned i = 0; i < h->nr_planned; i++)
		if (same_work(&h->planned[i], p))
			return (int)i;
	return h->nr_planned == 1 ? 0 : -1;
}

/* Its first repetition, from the end of the layout on, each plot's dots from its own start. */
static void place_series(const struct ghost *g, struct ghost_at *at, int test, const struct bins *rate, const struct bins *bw)
{
	struct span span = g->snap.span;
	size_t from = 0, to;

	while (from < span.n && (span.row[from].test != (uint32_t)test || span.row[from].phase == PHASE_LAYOUT))
		from++;
	for (to = from; to < span.n && span.row[to].test == span.row[from].test && span.row[to].repeat == span.row[from].repeat; to++)
		;
	if (from == to)
		return;
	double origin = (double)(span.row[from].t_ns - span.row[from].dt_ns) / 1e9;
	span.n = to;
	if (rate && rate->n)
		(void)bins_update(&at->rate, span, from, origin, (double)rate->first * rate->step, rate->step, rate->n);
	if (bw && bw->n)
		(void)bins_update(&at->bw, span, from, origin, (double)bw->first * bw->step, bw->step, bw->n);
}

/* --- its figures --- */

static const struct import_test *figures_of(const struct import_run *run, const struct planned *p)
{
	for (size_t i = 0; i < run->nr_tests; i++)
		if (strcmp(run->test[i].r->name, p->name) == 0)
			return &run->test[i];
	for (size_t i = 0; i < run->nr_tests; i++) {
		const struct result *r = run->test[i].r;
		if (r->kind == TEST_BLOCK && p->kind == TEST_BLOCK && r->wl.rw == p->wl.rw && r->wl.bs == p->wl.bs)
			return &run->test[i];
	}
	return NULL;
}

/* May a planned test be held against it? @return why not, "" if it may */
static const char *why_not(const struct import_test *t, const struct planned *p, char *buf, size_t size)
{
	struct result *r = result_new();
	struct import_test ours = { .r = r };

	if (!r)
		return "no memory";
	r->kind = t->r->kind; /* of one name: a suite's name has one meaning */
	r->wl = p->wl;
	if (p->kind == TEST_CHAR)
		ours.per_char = p->stdio ? PER_CHAR_STDIO : PER_CHAR_SYSCALL;
	compare_why_not(t, &ours, buf, size);
	result_free(r);
	return buf;
}

/* Figures in words: as they were published. */
static void tell(char *buf, size_t size, const struct import_test *t)
{
	char a[FMT_LEN];
	double v = t->shown;

	if (t->unit && !isnan(v) && v != floor(v))
		snprintf(buf, size, "%.10g %s", v, t->unit);
	else if (t->unit && !isnan(v))
		snprintf(buf, size, "%s %s", fmt_iops(a, v), t->unit);
	else if (!isnan(t->r->all.iops))
		snprintf(buf, size, "%s IOPS", fmt_iops(a, t->r->all.iops));
	else
		snprintf(buf, size, "%s", fmt_bw(a, t->r->all.bw_bytes));
}

static void place_level(const struct ghost *g, struct ghost_at *at, const struct planned *p)
{
	const struct import_test *t = figures_of(&g->run, p);
	char words[120];

	if (!t) {
		snprintf(at->says, sizeof(at->says), "%s: no test %s", g->name, p->name);
		return;
	}
	if (*why_not(t, p, words, sizeof(words))) {
		snprintf(at->says, sizeof(at->says), "%s: %s", g->name, words);
		return;
	}
	at->iops = t->r->all.iops;
	at->bw_bytes = t->r->all.bw_bytes;
	if (isnan(at->iops) && t->r->wl.bs > 1 && t->r->wl.bs == p->wl.bs) /* I/Os of one size: a rate of the one is one of the other */
		at->iops = at->bw_bytes / (double)t->r->wl.bs;
	tell(words, sizeof(words), t);
	snprintf(at->says, sizeof(at->says), "%s %s", g->name, words);
}

void ghost_place(const struct ghost *g, struct ghost_at *at, const struct run_header *h, uint32_t test, const struct bins *rate,
		 const struct bins *bw)
{
	at->iops = at->bw_bytes = NAN;
	at->says[0] = 0;
	if (!*g->name || test >= h->nr_planned) {
		release_at(at);
		return;
	}
	const struct planned *p = &h->planned[test];
	if (!g->log) {
		place_level(g, at, p);
		return;
	}
	int like = test_like(g->snap.header, p);
	snprintf(at->says, sizeof(at->says), like < 0 ? "%s: no test %s" : "%s", g->name, p->name);
	release_at(at); /* another test's rows may be counted in them */
	if (like >= 0)
		place_series(g, at, like, rate, bw);
}

/* --- drawing --- */

void ghost_series(struct time_plot *p, const struct bins *series, enum bin_series which, double level, double *room)
{
	if (series->n && (size_t)series->n == p->fill.n)
		p->ghost = (struct series){ series->value[which], (size_t)series->n };
	if (isnan(level))
		return;
	for (size_t i = 0; i < p->fill.n; i++)
		room[i] = level;
	p->ghost = (struct series){ room, p->fill.n };
}

void ghost_limit(struct time_plot *p, double level, struct limit_line *limit)
{
	if (isnan(level))
		return;
	limit[p->nr_limits++] = (struct limit_line){ level, "ref", false };
	p->ghost_label = 1;
}

#define LEGEND_ROWS 3 /* below them it would not be seen as a legend */

static bool is_blank(const struct canvas *cv, int x, int y, int w)
{
	while (w > 0 && canvas_at(cv, x + w - 1, y).ch == ' ')
		w--;
	return w <= 0;
}

void ghost_legend(struct canvas *cv, const struct time_plot *p, const struct ghost_at *g)
{
	struct rect at = plot_dots(p->at);
	char text[sizeof(g->says) + 8];

	if (rect_empty(at) || !*g->says)
		return;
	snprintf(text, sizeof(text), "%s %s", p->ink == INK_ASCII ? "~" : "┄", g->says);
	int w = text_width(text), x = 1, y = 0;
	for (int i = 0; i < LEGEND_ROWS * at.w; i++) {
		int from = i % at.w, row = i / at.w;
		if (from > 0 && from + w <= at.w && row < at.h && is_blank(cv, at.x + from, at.y + row, w)) {
			x = from;
			y = row;
			break;
		}
	}
	canvas_textn(cv, at.x + x, at.y + y, at.w - x, STYLE_GHOST, text);
}
