/* SPDX-License-Identifier: MIT */
/* Setup's lists: what else could be bought, the limits side by side, what was measured before, what Start does. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aws/netmodel.h"
#include "engine/suite.h"
#include "engine/units.h"
#include "tui/panel.h"
#include "tui/view_setup.h"

/* A host that could burst higher than the volume goes is no burst of what is measured. */
bool expect_bursts(const struct expectation *e)
{
	return e->burst.iops > e->baseline.iops * 1.01 || e->burst.bw > e->baseline.bw * 1.01;
}

/* --- what else could be bought --- */

/* Columns of a table, right-aligned; the caller's x moves on. */
static void figure(struct canvas *cv, int *x, int y, int w, unsigned style, const char *text)
{
	*x += w;
	canvas_right(cv, *x, y, w - 1, style, text);
}

static void rate_figures(struct canvas *cv, int *x, int y, bool bw, unsigned style, const struct rate *r)
{
	char text[FMT_LEN];
	bool none = !isfinite(r->iops);

	style = none ? STYLE_FAINT : style;
	figure(cv, x, y, 8, style, none ? "-" : fmt_iops(text, r->iops));
	if (bw)
		figure(cv, x, y, 7, style, none ? "-" : fmt_mibps(text, r->bw));
}

static void alternative_line(const struct frame *f, struct canvas *cv, struct rect in, int y, const struct alternative *a)
{
	const struct setup_form *s = f->setup;
	unsigned style = a->chosen ? STYLE_STRONG : STYLE_TEXT, quiet = a->chosen ? STYLE_STRONG : STYLE_LABEL;
	bool bursts = !isnan(a->burst.iops), wide = in.w >= 60, bw = in.w >= 76;
	char spec[96], text[FMT_LEN], name[112];
	int x = in.x;

	volume_spec(&a->v, spec, sizeof(spec));
	if (s->has_volume && s->count > 1)
		snprintf(name, sizeof(name), "%u*%s", s->count, spec);
	else
		snprintf(name, sizeof(name), "%s", spec);
	canvas_text(cv, x, y, style, a->chosen ? "▸" : " ");
	canvas_textn(cv, x + 2, y, in.w < 44 ? 18 : 21, style, name);
	x += in.w < 44 ? 20 : 24;
	if (in.w >= 44) {
		rate_figures(cv, &x, y, bw, style, bursts ? &a->burst : &a->baseline);
		figure(cv, &x, y, 11, quiet, !bursts ? "lasts" : isinf(a->burst_s) ? "lasts" : fmt_duration(text, a->burst_s));
	}
	if (wide || in.w < 44)
		rate_figures(cv, &x, y, bw, bursts || !wide ? style : quiet, &a->baseline);
	char cost[32];
	snprintf(cost, sizeof(cost), in.w < 44 ? "$%.0f" : "$%.2f", a->cost_usd);
	figure(cv, &x, y, in.w < 44 ? 6 : 11, style, cost);
	const char *bound = bound_name(a->baseline.bound);
	if (bound && x + 20 <= in.x + in.w)
		canvas_textn(cv, x + 2, y, in.x + in.w - x - 2, quiet, bound);
}

void draw_beside_volumes(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct setup_form *s = f->setup;
	char bs[FMT_LEN], right[64];

	snprintf(right, sizeof(right), "%s %s", rw_name(s->wl.rw), fmt_bs(bs, s->wl.bs));
	struct rect in = panel(cv, at, STYLE_FRAME_SIDE, s->has_volume ? "Beside other volumes" : "What volumes give", STYLE_LABEL, right);
	bool wide = in.w >= 60, bw = in.w >= 76;
	int x = in.x + (in.w < 44 ? 20 : 24);

	if (rect_empty(in))
		return;
	canvas_text(cv, in.x + 2, in.y, STYLE_LABEL, "volume");
	if (in.w >= 44) {
		figure(cv, &x, in.y, 8, STYLE_LABEL, "IOPS");
		if (bw)
			figure(cv, &x, in.y, 7, STYLE_LABEL, "MiB/s");
		figure(cv, &x, in.y, 11, STYLE_LABEL, "for");
	}
	if (in.w < 44) { /* room for one rate, and not for how long another would hold */
		x += 8;
		canvas_right(cv, x - 1, in.y, 12, STYLE_LABEL, "lasting IOPS");
	} else if (wide) {
		figure(cv, &x, in.y, 8, STYLE_LABEL, "then");
		if (bw)
			figure(cv, &x, in.y, 7, STYLE_LABEL, "MiB/s");
	}
	figure(cv, &x, in.y, in.w < 44 ? 6 : 11, STYLE_LABEL, in.w < 44 ? "$/mon" : "a month");
	if (x + 20 <= in.x + in.w)
		canvas_text(cv, x + 2, in.y, STYLE_LABEL, "bound by");
	for (size_t i = 0; i < s->nr_alternatives && (int)i + 1 < in.h; i++)
		alternative_line(f, cv, in, in.y + 1 + (int)i, &s->alternative[i]);
}

/* --- the limits, side by side --- */

/* Each limit as the rate of this workload, on a logarithmic scale from 10: which is the lowest, how far is the next? */
static void limit_row(const struct frame *f, struct canvas *cv, struct rect in, int y, const struct named_limit *l, double lowest,
		      double highest)
{
	const struct expectation *e = &f->setup->expect;
	double iops = limit_iops(e, l), from = log10(fmin(lowest, 10)), to = log10(highest);
	bool binds = iops <= lowest * 1.001;
	char own[FMT_LEN + 8], figure_text[FMT_LEN];
	int name = 28, x = in.x + name, bar = in.w - name - 24;

	canvas_textn(cv, in.x, y, name - 1, binds ? STYLE_STRONG : STYLE_LABEL, l->name);
	snprintf(own, sizeof(own), l->bytes ? "%s MiB/s" : "%s", l->bytes ? fmt_mibps(figure_text, l->value) : fmt_iops(figure_text, l->value));
	figure(cv, &x, y, 13, STYLE_TEXT, own);
	figure(cv, &x, y, 10, binds ? STYLE_LIMIT_HIT : STYLE_STRONG, fmt_iops(figure_text, iops));
	double share = to > from ? (log10(fmax(iops, 1)) - from) / (to - from) : 1;
	for (int i = 0; bar > 4 && i < (int)lround(share * bar); i++) /* thin: rows under each other stay rows */
		canvas_put(cv, x + 1 + i, y, 0x2501, binds ? STYLE_LIMIT_HIT : STYLE_LIMIT);
}

void draw_limits(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct expectation *e = &f->setup->expect;
	char bs[FMT_LEN], right[64];
	double lowest = INFINITY, highest = 0;

	snprintf(right, sizeof(right), "%s %s", rw_name(e->rw), fmt_bs(bs, e->bs));
	struct rect in = panel(cv, at, STYLE_FRAME_LIST, "Limits as this test meets them", STYLE_LABEL, right);
	if (rect_empty(in))
		return;
	for (size_t i = 0; i < e->nr_limits; i++) {
		double iops = limit_iops(e, &e->limit[i]);
		lowest = isfinite(iops) ? fmin(lowest, iops) : lowest;
		highest = isfinite(iops) ? fmax(highest, iops) : highest;
	}
	struct rect rows = { in.x + 1, in.y, in.w - 2, in.h };
	int x = rows.x + 28;
	canvas_text(cv, rows.x, rows.y, STYLE_LABEL, "limit");
	figure(cv, &x, rows.y, 13, STYLE_LABEL, "documented");
	figure(cv, &x, rows.y, 10, STYLE_LABEL, "is IOPS");
	int y = 1;
	for (size_t i = 0; i < e->nr_limits && y < rows.h; i++)
		if (isfinite(e->limit[i].value))
			limit_row(f, cv, rows, rows.y + y++, &e->limit[i], lowest, highest);
}

/* --- what was measured before --- */

static void before_line(struct canvas *cv, struct rect in, int y, const struct run_entry *e, bool target)
{
	char iops[FMT_LEN], bw[FMT_LEN], rates[48];
	int room = e->net ? 10 : 28;
	unsigned style;
	const char *verdict = verdict_text(e->verdict, &style);
	int x = in.x + 1, end = in.x + in.w - 1;

	x = canvas_printf(cv, x, y, STYLE_LABEL, "%.10s %.5s", e->started, strlen(e->started) > 16 ? e->started + 11 : "") + 2;
	if (*verdict)
		canvas_printf(cv, end - text_width(verdict) - 2, y, style, " %s ", verdict);
	end -= 12;
	if (e->net)
		net_fmt_bps(rates, 8 * e->bw_bytes);
	else
		snprintf(rates, sizeof(rates), "%8s IOPS %7s MiB/s", fmt_iops(iops, e->iops), fmt_mibps(bw, e->bw_bytes));
	if (end - x >= room + 16) {
		canvas_right(cv, end, y, room, STYLE_STRONG, rates);
		end -= room + 1;
	}
	x = canvas_textn(cv, x, y, end - x, STYLE_TEXT, e->title) + 1;
	if (target && end - x > 6)
		canvas_textn(cv, x, y, end - x, STYLE_LABEL, e->target);
}

static int before_lines(const struct frame *f, struct canvas *cv, struct rect in, const char *path, bool net)
{
	const struct run_entry *e[RUN_ENTRIES_MAX];
	size_t n = results_before(f->results, path, net, e, RUN_ENTRIES_MAX);

	for (size_t i = 0; i < n && (int)i < in.h; i++)
		before_line(cv, in, in.y + (int)i, e[i], !*path);
	return (int)n;
}

/* The newest recordings of the target that is named; where there are none, of the others. */
void draw_before(const struct frame *f, struct canvas *cv, struct rect at)
{
	const char *path = f->setup->path;
	struct rect in = panel(cv, at, STYLE_FRAME_LIST, *path ? "Measured here before" : "Measured before", STYLE_LABEL, "key 3 plays");

	if (rect_empty(in) || before_lines(f, cv, in, path, false))
		return;
	struct rect others = { in.x, in.y + 1, in.w, in.h - 1 };
	bool some = *path && before_lines(f, cv, others, "", false);
	canvas_textn(cv, in.x + 1, in.y, in.w - 2, STYLE_LABEL,
		     some ? "nothing of this target yet; of others:" : *path ? "nothing of this target yet" : "nothing recorded yet");
}

void draw_before_net(const struct frame *f, struct canvas *cv, struct rect at)
{
	struct rect in = panel(cv, at, STYLE_FRAME_LIST, "Measured before", STYLE_LABEL, "key 3 plays");

	if (!rect_empty(in) && !before_lines(f, cv, in, "", true))
		canvas_textn(cv, in.x + 1, in.y, in.w - 2, STYLE_LABEL, "no network test recorded yet");
}

/* --- what Start does --- */

/* What a test is expected to give; of what is no block test nothing is documented. */
static void planned_expect(const struct setup_form *s, const struct planned *p, struct rate *out)
{
	struct volumes vs;
	struct expectation e;

	*out = (struct rate){ .iops = NAN, .bw = NAN };
	if (!s->expect_known || p->kind != TEST_BLOCK)
		return;
	setup_form_get_volumes(s, &vs);
	struct model_input in = model_input(&vs, &s->host, &p->wl);
	in.limits = s->limits;
	model_expect(&in, &e);
	*out = expect_bursts(&e) ? e.burst : e.baseline;
}

static void planned_line(const struct setup_form *s, struct canvas *cv, struct rect in, int y, const struct planned *p)
{
	char what[160], time[FMT_LEN], repeats[24] = "";
	int end = in.x + in.w, name = in.w >= 50 ? 17 : 12;
	struct rate r;

	if (s->expect_known && in.w >= 60) {
		int x = end - 15;
		planned_expect(s, p, &r);
		rate_figures(cv, &x, y, true, STYLE_STRONG, &r);
		end -= 15;
	}
	if (p->repeats > 1)
		snprintf(repeats, sizeof(repeats), "%u × ", p->repeats);
	char took[64];
	snprintf(took, sizeof(took), "%s%s", repeats, isnan(p->seconds) ? "-" : fmt_duration(time, p->seconds / p->repeats));
	canvas_right(cv, end, y, 11, STYLE_TEXT, took);
	canvas_textn(cv, in.x, y, name - 1, STYLE_TEXT, p->name);
	canvas_textn(cv, in.x + name, y, end - 11 - in.x - name, STYLE_LABEL, test_text(p->kind, &p->wl, what, sizeof(what)));
}

/* The tests in order. @return lines used */
static int planned_table(const struct frame *f, struct canvas *cv, struct rect in)
{
	const struct outline *o = f->outline;
	bool rates = f->setup->expect_known && in.w >= 60;
	int x = in.x + in.w - 15, rows = (int)o->nr < in.h - 1 ? (int)o->nr : in.h - 1;

	if (rows < 1)
		return 0;
	canvas_text(cv, in.x, in.y, STYLE_LABEL, "test");
	if (rates) {
		figure(cv, &x, in.y, 8, STYLE_LABEL, "IOPS");
		figure(cv, &x, in.y, 7, STYLE_LABEL, "MiB/s");
	}
	canvas_right(cv, in.x + in.w - (rates ? 15 : 0), in.y, 8, STYLE_LABEL, "time");
	for (int i = 0; i < rows; i++) {
		if (i == rows - 1 && (int)o->nr > rows)
			canvas_printf(cv, in.x, in.y + 1 + i, STYLE_LABEL, "and %d more", (int)o->nr - i);
		else
			planned_line(f->setup, cv, in, in.y + 1 + i, &o->test[i]);
	}
	return rows + 1;
}

static const char *about_test(const struct setup_form *s)
{
	const struct suite *suite = *s->suite ? suite_find(s->suite) : NULL;

	if (*s->suite)
		return suite ? suite->about : "your own, the steps of its file";
	for (size_t i = 0; *workloads[i].name && !s->in_turn; i++)
		if (strcmp(workloads[i].name, s->form.field[SF_TEST].value) == 0)
			return workload_about[i];
	return s->in_turn ? "one after the other" : "";
}

static bool outline_writes(const struct outline *o)
{
	bool writes = false;

	for (unsigned i = 0; i < o->nr; i++)
		writes = writes || rw_writes(o->test[i].wl.rw);
	return writes;
}

static const char *about_target(const struct frame *f)
{
	const struct setup_form *s = f->setup;
	bool writes = outline_writes(f->outline);

	return !*s->path			      ? "Name a target: one of the list (Tab, arrows, Enter), or any path."
	       : strncmp(s->path, "sim:", 4) == 0     ? "Nothing is read or written: the volume is simulated."
	       : !writes			      ? "In a directory it reads a scratch file of its own that is gone afterwards; a file "
							"or device is only read."
						      : "In a directory it works on a scratch file of its own that is gone afterwards; a "
							"file or device is written only after you have typed its name.";
}

/* Text in the room that is left, which gets less by it. */
static void put(struct canvas *cv, struct rect *rest, unsigned style, const char *text)
{
	int used = draw_wrapped(cv, *rest, style, text);

	rest->y += used;
	rest->h -= used;
}

/* What pressing Start will do: its tests, on what, and the same as a command. */
void draw_about(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct outline *o = f->outline;
	char time[FMT_LEN], right[64] = "";

	if (o->nr)
		snprintf(right, sizeof(right), "%u test%s%s%s", o->nr, o->nr == 1 ? "" : "s", isnan(o->seconds) ? "" : " · ",
			 isnan(o->seconds) ? "" : fmt_duration(time, o->seconds));
	struct rect in = panel(cv, at, STYLE_FRAME_LIST, "What Start does", STYLE_LABEL, right);
	struct rect rest = { in.x + 1, in.y, in.w - 2, in.h };

	if (rect_empty(in))
		return;
	if (*o->error)
		put(cv, &rest, STYLE_ERROR, o->error);
	if (*about_test(f->setup))
		put(cv, &rest, STYLE_TEXT, about_test(f->setup));
	put(cv, &rest, *f->setup->path ? STYLE_LABEL : STYLE_WARN, about_target(f));
	if (rest.h > (int)o->nr + 6)
		rest.y++, rest.h--;
	int used = planned_table(f, cv, rest);
	rest.y += used;
	rest.h -= used;
	if (rest.h < 4 || !*o->command)
		return;
	rest.y++;
	rest.h--;
	put(cv, &rest, STYLE_LABEL, outline_writes(o) && strncmp(f->setup->path, "sim:", 4) != 0 ?
		"The same without the dashboard (a file wants --overwrite too, a device --destroy-data=NAME):" :
		"The same without the dashboard:");
	put(cv, &rest, STYLE_TEXT, o->command);
}
