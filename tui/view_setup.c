/* SPDX-License-Identifier: MIT */
/* Setup: what to run on what, and beside it what to expect of that. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "tui/panel.h"
#include "tui/view_setup.h"

/* --- targets --- */

static void target_line(const struct setup_form *s, struct canvas *cv, struct rect in, int y, size_t i)
{
	const struct setup_target *t = &s->target[i];
	bool on = (int)i == s->selected, named = strcmp(t->path, s->path) == 0;
	unsigned style = on && s->in_list ? STYLE_SELECTED
			 : !t->usable     ? STYLE_FAINT
			 : named          ? STYLE_STRONG
					  : STYLE_TEXT;
	char size[FMT_LEN];

	if (on && s->in_list)
		canvas_fill(cv, (struct rect){ in.x, y, in.w, 1 }, ' ', style);
	canvas_text(cv, in.x, y, style, named ? "▸" : on ? "›" : " ");
	int path = in.w >= 60 ? 22 : 16, sizes = 9, x = in.x + 2;
	if (t->size_bytes) {
		canvas_textn(cv, x, y, path, style, t->path);
		canvas_right(cv, x + path + sizes, y, sizes - 1, style,
			     fmt_size(size, (double)t->size_bytes));
		x += path + sizes + 1;
	} else { /* what has no size says in its place what it is */
		canvas_textn(cv, x, y, path + 3, style, t->path);
		x += path + 4;
	}
	unsigned quiet = on && s->in_list ? STYLE_SELECTED : t->usable ? STYLE_LABEL : STYLE_FAINT;
	x = canvas_textn(cv, x, y, in.x + in.w - x, quiet, t->what);
	if (*t->note && x + 4 < in.x + in.w) {
		x = canvas_text(cv, x, y, quiet, " · ");
		canvas_textn(cv, x, y, in.x + in.w - x, quiet, t->note);
	}
}

static void draw_targets(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct setup_form *s = f->setup;
	char count[32];

	snprintf(count, sizeof(count), s->in_list && at.w >= 44 ? "Enter chooses · %zu" : "%zu", s->nr_targets);
	struct rect in = panel(cv, at, s->in_list ? STYLE_FRAME_FOCUS : STYLE_FRAME_LIST, "Targets",
			       STYLE_LABEL, s->nr_targets ? count : NULL);
	if (rect_empty(in))
		return;
	if (s->nr_targets == 0) {
		canvas_textn(cv, in.x + 1, in.y, in.w - 2, STYLE_LABEL, "none found: type a path below");
		return;
	}
	int first = s->selected >= in.h ? s->selected - in.h + 1 : 0;
	for (int row = 0; row < in.h && (size_t)(first + row) < s->nr_targets; row++)
		target_line(s, cv, in, in.y + row, (size_t)(first + row));
	if (first + in.h < (int)s->nr_targets)
		canvas_text(cv, at.x + at.w - 3, at.y + at.h - 1, STYLE_KEY, "▾");
}

static void draw_form(const struct frame *f, struct canvas *cv, struct rect at)
{
	bool focus = !f->setup->in_list;
	struct rect in =
		panel(cv, at, focus ? STYLE_FRAME_FOCUS : STYLE_FRAME_SIDE, "Test", STYLE_LABEL, NULL);

	in.x++;
	in.w -= 2;
	if (!rect_empty(in))
		form_draw(&f->setup->form, cv, in);
}

/* --- what to expect --- */

static void rate_line(struct named_lines *l, const char *name, unsigned style, const struct rate *r)
{
	char iops[FMT_LEN], bw[FMT_LEN], text[96];

	if (isinf(r->iops)) {
		named_line(l, name, style, "no limit known");
		return;
	}
	snprintf(text, sizeof(text), "%6s IOPS%6s MiB/s", fmt_iops(iops, r->iops), fmt_mibps(bw, r->bw));
	named_line(l, name, style, "%s", text);
}

/* As much of it as there is room for. */
static void cost_line(struct named_lines *l, const struct expectation *e)
{
	char text[64];
	int len = snprintf(text, sizeof(text), "$%.2f a month (us-east-1, %s)", e->cost_usd, e->as_of);

	if (len > l->at.w - l->label - 1)
		snprintf(text, sizeof(text), "$%.2f a month (%s)", e->cost_usd, e->as_of);
	named_line(l, "cost", STYLE_TEXT, "%s", text);
}

static void expect_lines(const struct expectation *e, struct named_lines *l)
{
	char a[FMT_LEN], b[FMT_LEN];
	bool bursts = expect_bursts(e);

	if (bursts) {
		rate_line(l, "burst", STYLE_STRONG, &e->burst);
		named_line(l, "for", STYLE_TEXT, "%s%s",
		     isinf(e->burst_s) ? "as long as it runs" : fmt_duration(a, e->burst_s),
		     isinf(e->burst_s) ? "" : " from full");
		for (size_t i = 1; i + 1 < e->nr_curve; i++) { /* what lies between, as a host whose burst outlives the volumes' */
			rate_line(l, "then", STYLE_STRONG, &e->curve[i].rate);
			named_line(l, "for", STYLE_TEXT, "%s", fmt_duration(a, e->curve[i].end_s - e->curve[i].start_s));
		}
		rate_line(l, "then", STYLE_STRONG, &e->baseline);
	} else {
		rate_line(l, "lasting", STYLE_STRONG, &e->baseline);
	}
	if (isinf(e->baseline.iops_max) && !isinf(e->baseline.iops))
		named_line(l, "from", STYLE_LABEL, "it is a floor, no cap");
	else if (e->baseline.iops_min < e->baseline.iops_max * 0.99)
		named_line(l, "from", STYLE_LABEL, "%s to %s IOPS%s", fmt_iops(a, e->baseline.iops_min),
			   fmt_iops(b, e->baseline.iops_max), e->baseline.iops_max > e->baseline.iops && e->host.floor
			   ? ", the task's is a floor" : expectation_merges(e) ? ", as I/Os merge" : "");
	const char *first = bound_name(bursts ? e->burst.bound : e->baseline.bound),
		   *then = bound_name(e->baseline.bound);
	if (first && then && strcmp(first, then) != 0)
		named_line(l, "bound", STYLE_WARN, "%s, then %s", first, then);
	else if (then || first)
		named_line(l, "bound", STYLE_WARN, "%s", then ? then : first);
	if (e->volume_bucket)
		named_line(l, "refill", STYLE_TEXT, "%s from empty", fmt_duration(a, e->bucket[0].refill_s));
	if (e->depth_needed > 0)
		named_line(l, "depth", e->iodepth * e->numjobs < e->depth_needed ? STYLE_WARN : STYLE_TEXT,
		     "%llu in flight%s", (unsigned long long)e->depth_needed,
		     e->depth_assumed ? " (assumed)" : "");
	if (e->volumes.n > 0)
		cost_line(l, e);
}

static void draw_expect(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct setup_form *s = f->setup;
	char title[96] = "What to expect";
	struct rect in = panel(cv, at, STYLE_FRAME_SIDE, title, STYLE_LABEL, NULL);
	struct named_lines l = { .cv = cv, .at = { in.x + 1, in.y, in.w - 2, in.h }, .label = in.w < 34 ? 7 : 8 };

	if (rect_empty(in))
		return;
	if (!s->expect_known) {
		draw_wrapped(cv, l.at, *s->expect_error ? STYLE_ERROR : STYLE_LABEL,
			     *s->expect_error ? s->expect_error
					      : "Choose a volume or name a host: then this says what AWS "
						"documents for the test on it.");
		return;
	}
	if (setup_form_many(s)) { /* each of its tests has an expectation of its own */
		char bs[FMT_LEN];
		named_line(&l, "of", STYLE_LABEL, l.at.w >= 44 ? "%s %s; each other test has its own" : "%s %s", rw_name(s->expect.rw),
		     fmt_bs(bs, s->expect.bs));
	}
	expect_lines(&s->expect, &l);
	for (size_t i = 0; i < s->expect.nr_notes && l.y < l.at.h; i++) {
		struct rect rest = { l.at.x, l.at.y + l.y, l.at.w, l.at.h - l.y };
		l.y += draw_wrapped(cv, rest, STYLE_LABEL, s->expect.notes[i]);
	}
}

/* The expected curve: burst and baseline over as long as shows both. */
static void draw_curve(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct expectation *e = &f->setup->expect;
	struct rect in = panel(cv, at, STYLE_FRAME_RATE, "Expected IOPS", STYLE_LABEL, "volume's time");
	double y[1024];
	struct limit_line limit[LIVE_LIMITS];

	if (rect_empty(in) || !f->setup->expect_known || isinf(e->baseline.iops))
		return;
	int n = 2 * plot_dots(in).w;
	n = n > 1024 ? 1024 : n;
	double last_s = e->nr_curve ? e->curve[e->nr_curve - 1].start_s : 0;
	double length = isfinite(e->burst_s) && e->burst_s > 0 ? live_axis(fmax(e->burst_s, last_s) * 1.4) : 3600;
	for (int i = 0; i < n; i++) {
		const struct curve_part *part = expectation_at(e, (i + 0.5) / n * length);
		y[i] = part ? part->rate.iops : NAN;
	}
	size_t nr = live_limits(e, false, NAN, limit);
	struct band band[2] = { { 0, e->burst_s, "burst", STYLE_BURST, SHADE_BURST },
				{ e->burst_s, length, "baseline", STYLE_BASELINE, 0 } };
	bool bursts = expect_bursts(e), falls = bursts && isfinite(e->burst_s) && e->burst_s > 0;
	bool stays = bursts && isinf(e->burst_s);
	if (!falls)
		band[0] = (struct band){ 0, length, stays ? "burst" : "sustained", stays ? STYLE_BURST : STYLE_STEADY, 0 };
	struct time_plot p = { .at = in,
			       .ink = f->ink,
			       .t1 = length,
			       .fill = { y, (size_t)(n > 0 ? n : 0) },
			       .below = GRAD_RATE,
			       .above = GRAD_RATE,
			       .limit = limit,
			       .nr_limits = nr,
			       .band = band,
			       .nr_bands = falls ? 2 : 1,
			       .ymax = plot_ymax(isnan(e->burst.iops) ? e->baseline.iops : e->burst.iops,
						 limit, nr) };
	plot_time(cv, &p);
}

void view_setup(const struct frame *f, struct canvas *cv)
{
	struct layout l;

	setup_form_layout(f->setup, cv->w, cv->h, &l);
	draw_header(f, cv, l.header);
	if (!rect_empty(l.summary)) {
		canvas_textn(cv, l.summary.x, l.summary.y, l.summary.w, STYLE_TEXT, f->setup->path);
		canvas_textn(cv, l.summary.x, l.summary.y + 1, l.summary.w, STYLE_BUTTON, "[ Start ]");
	}
	draw_targets(f, cv, l.panel[PANEL_TARGETS]);
	if (!rect_empty(l.panel[PANEL_FORM]))
		draw_form(f, cv, l.panel[PANEL_FORM]);
	draw_about(f, cv, l.panel[PANEL_ABOUT]);
	draw_expect(f, cv, l.panel[PANEL_EXPECT]);
	draw_curve(f, cv, l.panel[PANEL_CURVE]);
	draw_beside_volumes(f, cv, l.panel[PANEL_BESIDE]);
	draw_cycle(f, cv, l.panel[PANEL_CYCLE]);
	draw_bursts(f, cv, l.panel[PANEL_BURSTS]);
	draw_limits(f, cv, l.panel[PANEL_LIMITS]);
	draw_before(f, cv, l.panel[PANEL_BEFORE]);
	draw_keys(f, cv, l.keys);
}
