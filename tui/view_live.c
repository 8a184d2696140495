/* SPDX-License-Identifier: MIT */
/* Live: how fast, against what, for how much longer, and can I believe it? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/touch.h"
#include "aws/credits.h"
#include "engine/units.h"
#include "tui/panel.h"
#include "tui/story.h"
#include "tui/sweep.h"
#include "tui/view_live.h"
#include "tui/view_setup.h"

/* What is allowed from now on: as now until the credits are gone, then the baseline. */
static void forecast(const struct frame *f, const struct bins *b, double factor, double *out)
{
	const struct live *l = f->live;
	const struct expectation *e = f->expect;
	double empty = l->empty_s / live_scale(f->run) + l->now_s, now = NAN;

	for (int i = 0; i < b->n; i++) {
		double t = ((double)(b->first + i) + 0.5) * b->step;
		double v = b->value[BIN_MODEL][i];
		if (!isnan(v))
			now = v;
		else if (t > l->now_s && e && !isnan(now))
			v = t > empty ? e->baseline.iops : now;
		out[i] = v * factor;
	}
}

#define DOTS_MAX 2048

/* Axes and overlays that every time plot of the stretch has. */
struct overlay {
	struct band band[LIVE_BANDS];
	struct band_label label[LIVE_BANDS];
	struct moment moment[16];
	struct limit_line limit[LIVE_LIMITS + 1]; /* and a ghost's level */
	struct pace pace[LIVE_PACES];
	struct between between;
	char between_label[LIVE_BETWEEN];
	double model[DOTS_MAX], level[DOTS_MAX];
};

/* "steady 2,998" is "steady" */
static void drop_figure(char *text)
{
	char *digit = strpbrk(text, "0123456789");

	if (digit && digit > text)
		digit[-1] = 0;
}

static struct time_plot base_plot(const struct frame *f, struct rect at, const struct bins *b,
				  struct overlay *o, bool rates)
{
	struct time_plot p = { .at = at, .ink = f->ink, .pace = o->pace };

	p.nr_pace = live_paces(f->run, f->live->start_s, &p.scale, o->pace);
	p.t0 = (double)b->first * b->step;
	p.t1 = (double)(b->first + b->n) * b->step;
	p.band = o->band;
	p.nr_bands = live_bands(f->live, f->run, o->band, o->label);
	/* what is a rate in the label is I/Os per second: other plots say the phase alone */
	for (size_t i = 0; !rates && i < p.nr_bands; i++)
		if (o->band[i].style != STYLE_BURST || strncmp(o->label[i].text, "bursting ", 9) == 0)
			drop_figure(o->label[i].text);
	p.moment = o->moment;
	p.nr_moments = live_moments(f->live, f->run, o->moment, 16);
	for (size_t i = 0; at.w < 40 && i < p.nr_moments; i++)
		o->moment[i].label = NULL;
	return p;
}

/* While the volume is being modified, and until AWS says that it is done: what lies between old and new. */
static void set_between(const struct frame *f, struct time_plot *p, struct overlay *o, bool bytes)
{
	int percent = live_progress(f->run, f->optimizing);

	if (percent >= 0 && percent < 100 &&
	    live_between(&f->before, &f->after, percent, bytes, o->limit, &p->nr_limits, &o->between, o->between_label))
		p->between = &o->between;
}

/* The rate of now as AWS counts it, where that is another than the operating system's; NAN else. */
static double counted_now(const struct frame *f)
{
	const struct expectation *e = f->expect;

	if (!e || !e->volumes.n || !f->wl || isnan(f->live->iops_now))
		return NAN;
	struct volume_perf perf = volume_perf(&e->volumes.v[0], host_nitro(&e->host));
	double n = credits_count(&perf, f->live->iops_now, f->live->bw_now, !rw_is_rand(f->wl->rw));
	n = perf.bw_hdd_unit > 0 ? n / perf.bw_hdd_unit : n;
	return fabs(n - f->live->iops_now) > 0.01 * f->live->iops_now ? n : NAN;
}

static void draw_rate(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct bins *b = &f->live->rate;
	char now[FMT_LEN], mean[FMT_LEN], counts[FMT_LEN], right[128];
	double counted = counted_now(f);
	struct overlay o;

	fmt_iops(now, f->live->iops_now);
	fmt_iops(mean, f->live->iops_mean);
	snprintf(right, sizeof(right),
		 at.w >= 46 && !isnan(f->live->iops_mean) ? "%7s now · mean %s" : "%7s now", now, mean);
	if (!isnan(counted) && at.w >= 50)
		snprintf(right, sizeof(right), "%7s now · AWS counts %s", now, fmt_iops(counts, counted));
	struct rect in = panel(cv, at, STYLE_FRAME_RATE, "IOPS", STYLE_STRONG, right);
	if (rect_empty(in) || b->n == 0 || b->n > DOTS_MAX)
		return;
	struct time_plot p = base_plot(f, in, b, &o, true);
	p.fill = (struct series){ b->value[BIN_IOPS], (size_t)b->n };
	p.below = p.above = GRAD_RATE;
	p.limit = o.limit;
	p.nr_limits = live_limits(f->expect, false, f->live->iops_now, o.limit);
	set_between(f, &p, &o, false);
	ghost_limit(&p, f->ghost ? f->ghost->iops : NAN, o.limit);
	p.ymax = plot_ymax(p.between ? fmax(f->live->iops_top, p.between->hi) : f->live->iops_top, o.limit, p.nr_limits);
	forecast(f, b, 1, o.model);
	p.model = (struct series){ o.model, (size_t)b->n };
	if (f->ghost)
		ghost_series(&p, &f->ghost->rate, BIN_IOPS, f->ghost->iops, o.level);
	plot_time(cv, &p);
	if (f->ghost)
		ghost_legend(cv, &p, f->ghost);
}

static void draw_bw(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct bins *b = &f->live->bw;
	char now[FMT_LEN], mean[FMT_LEN], right[96];
	struct overlay o;

	fmt_mibps(now, f->live->bw_now);
	fmt_mibps(mean, f->live->bw_mean);
	snprintf(right, sizeof(right),
		 at.w >= 46 && !isnan(f->live->bw_mean) ? "%7s now · mean %s" : "%5s now", now, mean);
	struct rect in = panel(cv, at, STYLE_FRAME_BW, "MiB/s", STYLE_STRONG, right);
	if (rect_empty(in) || b->n == 0 || b->n > DOTS_MAX)
		return;
	struct time_plot p = base_plot(f, in, b, &o, false);
	p.unit = MIB;
	p.fill = (struct series){ b->value[BIN_BW], (size_t)b->n };
	p.below = GRAD_READ;
	p.above = GRAD_WRITE;
	p.split = (struct series){ b->value[BIN_READ_BW], (size_t)b->n };
	p.limit = o.limit;
	p.nr_limits = live_limits(f->expect, true, f->live->bw_now, o.limit);
	set_between(f, &p, &o, true);
	ghost_limit(&p, f->ghost ? f->ghost->bw_bytes : NAN, o.limit);
	double top = p.between ? fmax(f->live->bw_top, p.between->hi) : f->live->bw_top;
	p.ymax = plot_ymax(top / MIB, NULL, 0) * MIB;
	if (p.nr_limits) {
		struct limit_line in_mib[LIVE_LIMITS + 1];
		for (size_t i = 0; i < p.nr_limits; i++)
			in_mib[i] = (struct limit_line){ o.limit[i].value / MIB, NULL, false };
		p.ymax = plot_ymax(top / MIB, in_mib, p.nr_limits) * MIB;
	}
	forecast(f, b, f->wl ? (double)f->wl->bs : NAN, o.model);
	p.model = (struct series){ o.model, (size_t)b->n };
	if (f->ghost)
		ghost_series(&p, &f->ghost->bw, BIN_BW, f->ghost->bw_bytes, o.level);
	plot_time(cv, &p);
}

/* Latency over time: the median, and above it up to the worst 99th percentile. */
static void draw_lattime(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct bins *b = &f->live->rate;
	struct overlay o;
	double top = b->n ? live_top(b->value[BIN_P99], b->n) : 0;
	bool ms = top >= 1e6;
	char p50[FMT_LEN], p99[FMT_LEN], right[96];
	const struct tick *t = &f->run->last;
	fmt_lat(p50, t->p50 ? (double)t->p50 : NAN);
	fmt_lat(p99, t->p99 ? (double)t->p99 : NAN);
	snprintf(right, sizeof(right), "p50 %s · p99 %s", p50, p99);
	struct rect in =
		panel(cv, at, STYLE_FRAME_SIDE, ms ? "Latency ms" : "Latency µs", STYLE_STRONG, right);
	if (rect_empty(in) || b->n == 0 || b->n > DOTS_MAX)
		return;
	struct time_plot p = base_plot(f, in, b, &o, false);
	p.unit = ms ? 1e6 : 1e3;
	p.fill = (struct series){ b->value[BIN_P99], (size_t)b->n };
	p.split = (struct series){ b->value[BIN_P50], (size_t)b->n };
	p.below = GRAD_SEEN;
	p.above = GRAD_LAT;
	p.ymax = plot_ymax(top / p.unit, NULL, 0) * p.unit;
	plot_time(cv, &p);
}

/* Which is which, in the frame: the columns are what the host waited, the outline what the device took of it. */
static void latency_legend(struct canvas *cv, struct rect at)
{
	const char *host = cv->ascii ? " # host " : " █ host ", *device = cv->ascii ? "= device " : "─ device ";
	int x = at.x + at.w - 2 - text_width(host) - text_width(device);

	if (x >= at.x + 11)
		canvas_text(cv, x, at.y, STYLE_LABEL, host);
	x = at.x + at.w - 3 - text_width(device);
	if (x >= at.x + 10)
		canvas_text(cv, canvas_text(cv, x, at.y, STYLE_SAID, " "), at.y, STYLE_SAID, device);
}

/* The device's percentiles, between the bounds of its bins. */
static void device_latency(const struct frame *f, struct canvas *cv, struct rect at)
{
	char p50[FMT_LEN], p99[FMT_LEN], text[96];

	fmt_lat(p50, device_lat_at(&f->run->device, 0.5));
	fmt_lat(p99, device_lat_at(&f->run->device, 0.99));
	snprintf(text, sizeof(text), at.w >= 34 ? "device p50 %s  p99 %s" : "device %s  %s", p50, p99);
	canvas_textn(cv, at.x, at.y, at.w, STYLE_SAID, text);
}

static void draw_latency(const struct frame *f, struct canvas *cv, struct rect at)
{
	static const struct {
		const char *name;
		unsigned style;
	} marks[] = { { "p50", STYLE_P50 }, { "p99", STYLE_P99 }, { "p99.9", STYLE_P999 } };
	const struct tick *t = &f->run->last;
	uint64_t value[] = { t->p50, t->p99, t->p999 };
	bool device = f->run->device.n > 0;
	struct rect in = panel(cv, at, STYLE_FRAME_SIDE, "Latency", STYLE_LABEL, device ? NULL : "log scale");
	char figure[FMT_LEN];

	if (rect_empty(in))
		return;
	if (device)
		latency_legend(cv, at);
	int figures = 1 + (device && in.h >= 6);
	if (figures > 1)
		device_latency(f, cv, (struct rect){ in.x + 1, in.y + in.h - 2, in.w - 1, 1 });
	struct lat_plot p = { .at = { in.x + 1, in.y, in.w - 2, in.h - figures },
			      .device = &f->run->device,
			      .ink = f->ink,
			      .count = f->run->display,
			      .nr = DISPLAY_NR - 1,
			      .low = display_low,
			      .p50 = (double)t->p50,
			      .p99 = (double)t->p99,
			      .p999 = (double)t->p999 };
	plot_latency(cv, &p);
	/* all three with their names, else the first two with the sign that marks them above */
	int n = in.w >= 45 ? 3 : 2, y = in.y + in.h - 1;
	bool named = in.w / n >= 15;
	for (int i = 0; i < n; i++) {
		int x = in.x + 1 + i * (in.w - 1) / n;
		x = named ? canvas_text(cv, x, y, STYLE_LABEL, marks[i].name) + 1
			  : canvas_text(cv, x, y, marks[i].style, "▼") + 1;
		canvas_textn(cv, x, y, in.x + in.w - x, marks[i].style,
			     fmt_lat(figure, value[i] ? (double)value[i] : NAN));
	}
}

/* Where the volume was read for the first time, by how long that took; a cell a piece of it, in rows. */
static void draw_touch(const struct frame *f, struct canvas *cv, struct rect at, struct touch_map *m)
{
	char left[FMT_LEN], right[48] = "", text[FMT_LEN];

	if (!isnan(m->left_s) && f->run->end == RUN_RUNNING)
		snprintf(right, sizeof(right), "%s left", fmt_duration(left, ceil(m->left_s)));
	struct rect in = panel(cv, at, STYLE_FRAME_RATE, "First touch", STYLE_LABEL, right);
	int rows = in.h > 2 ? in.h - 1 : in.h;
	if (rect_empty(in) || !touch_map(m, f->run->header, f->run->span, (unsigned)(in.w * rows)))
		return;
	for (unsigned i = 0; i < m->n; i++) {
		double decades = log10(m->cell[i]) - 5; /* 0.1 ms to 1 s */
		uint32_t sign = f->ink == INK_ASCII ? (isnan(m->cell[i]) ? '.' : m->cell[i] > 4 * m->fast_ns ? '#' : '+')
						    : isnan(m->cell[i]) ? 0x00b7 : 0x2588;
		canvas_put(cv, in.x + (int)i % in.w, in.y + (int)i / in.w, sign, isnan(m->cell[i]) ? STYLE_FAINT : style_grad(GRAD_LAT, decades / 4));
	}
	if (rows == in.h)
		return;
	int x = canvas_printf(cv, in.x, in.y + rows, STYLE_LABEL, "%s cold", fmt_size(text, (double)(m->size - m->done)));
	if (!isnan(m->worst_ns) && in.w >= 34)
		canvas_printf(cv, x + 2, in.y + rows, STYLE_LABEL, "worst %s", fmt_lat(text, m->worst_ns));
}

static void draw_seen(const struct frame *f, struct canvas *cv, struct rect at)
{
	struct touch_map *m = malloc(sizeof(*m));
	bool touch = m && touch_map(m, f->run->header, f->run->span, 1);

	if (touch)
		draw_touch(f, cv, at, m);
	free(m);
	if (touch)
		return;
	struct sweep sweep;
	if (sweep_of(&sweep, f->run)) {
		struct rect room = panel(cv, at, STYLE_FRAME_RATE, "IOPS by depth", STYLE_LABEL, at.w >= 36 ? "and mean latency" : NULL);
		if (!rect_empty(room))
			draw_sweep(f, cv, room, &sweep, -1);
		return;
	}
	struct limit_line limit[LIVE_LIMITS];
	struct rect in = panel(cv, at, STYLE_FRAME_RATE, "IOPS seen", STYLE_LABEL,
			       at.w >= 30 ? "share of time" : NULL);

	if (rect_empty(in))
		return;
	size_t n = live_limits(f->expect, false, f->live->iops_now, limit);
	struct seen_plot p = { .at = in,
			       .ink = f->ink,
			       .count = f->live->seen,
			       .nr = HIST_NR,
			       .limit = limit,
			       .nr_limits = n,
			       .ymax = plot_ymax(f->live->iops_top, limit, n) };
	plot_seen(cv, &p);
}

static const struct {
	enum panel panel;
	void (*draw)(const struct frame *f, struct canvas *cv, struct rect at);
} panels[] = {
	{ PANEL_RATE, draw_rate },       { PANEL_BW, draw_bw },           { PANEL_LATTIME, draw_lattime },
	{ PANEL_LATENCY, draw_latency }, { PANEL_SEEN, draw_seen },       { PANEL_CREDITS, draw_credits },
	{ PANEL_NOW, draw_now },         { PANEL_WORKERS, draw_workers }, { PANEL_EVENTS, draw_events },
};

/* Before the first run: what could be done next, and on large screens with what. */
static void draw_nothing_yet(const struct frame *f, struct canvas *cv, struct rect at)
{
	bool large = at.h >= 18 && at.w >= 70;
	struct rect top = { at.x, at.y, at.w, large ? 5 : at.h }, low = { at.x, at.y + top.h, at.w * 52 / 100, at.h - top.h };
	struct rect in = panel(cv, top, STYLE_FRAME_RATE, "Live", 0, NULL), text = { in.x + 2, in.y, in.w - 4, in.h };
	const char *words = f->starting ? "Starting: opening the target."
					: "Nothing runs yet. Go to Setup (1) and press Enter on [ Start ], or "
					  "replay a recording from Results (3).";

	text.y += (in.h - draw_wrapped(NULL, text, 0, words) + 1) / 2;
	text.h = in.y + in.h - text.y;
	draw_wrapped(cv, text, STYLE_LABEL, words);
	if (!large)
		return;
	draw_about(f, cv, low);
	draw_before(f, cv, (struct rect){ low.x + low.w, low.y, at.w - low.w, low.h });
}

/* A story is told where the workers are listed, and the events beside them where both stand in one row. */
static void make_room(const struct frame *f, struct canvas *cv, struct layout *l)
{
	struct rect at = l->panel[PANEL_WORKERS], *events = &l->panel[PANEL_EVENTS];

	if (rect_empty(at)) {
		at = *events;
		*events = (struct rect){ 0 };
	} else if (events->y == at.y) {
		at.w += events->w;
		*events = (struct rect){ 0 };
	}
	l->panel[PANEL_WORKERS] = (struct rect){ 0 };
	draw_story(f, cv, at);
}

void view_live(const struct frame *f, struct canvas *cv)
{
	struct layout l;

	if (f->run && f->net_live->net) { /* a network test has a screen of its own */
		view_network(f, cv);
		return;
	}
	layout_live(cv->w, cv->h, &l);
	draw_header(f, cv, l.header);
	if (!f->run) {
		draw_nothing_yet(f, cv, (struct rect){ 0, l.header.h, cv->w, cv->h - l.header.h - l.keys.h });
		draw_keys(f, cv, l.keys);
		return;
	}
	if (!rect_empty(l.summary))
		draw_summary(f, cv, l.summary);
	if (!f->expect || !f->expect->nr_buckets)
		layout_limits(&l, limits_rows(f));
	if (live_watches(f->run))
		layout_watch(&l, f->run->device.n > 0);
	if (story_of(f->run->header))
		make_room(f, cv, &l);
	else if (!live_watches(f->run))
		layout_workers(&l, f->wl && f->wl->numjobs > 1 ? (int)f->wl->numjobs : 1);
	for (size_t i = 0; i < sizeof(panels) / sizeof(*panels); i++)
		if (!rect_empty(l.panel[panels[i].panel]))
			panels[i].draw(f, cv, l.panel[panels[i].panel]);
	draw_progress(f, cv, l.progress);
	draw_keys(f, cv, l.keys);
}

void view_live_dots(int w, int h, int *rate, int *bw)
{
	struct layout l;

	layout_live(w, h, &l);
	*rate = 2 * plot_dots(rect_inner(l.panel[PANEL_RATE])).w;
	*bw = 2 * plot_dots(rect_inner(l.panel[PANEL_BW])).w;
	*rate = *rate < 0 ? 0 : *rate > DOTS_MAX ? DOTS_MAX : *rate;
	*bw = *bw < 0 ? 0 : *bw > DOTS_MAX ? DOTS_MAX : *bw;
}
