/* SPDX-License-Identifier: MIT */
/* Live's panel of credits and limits: the model's balance, and beside it what CloudWatch and the device say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/cloudwatch.h"
#include "aws/nvme.h"
#include "engine/units.h"
#include "tui/panel.h"
#include "tui/view_live.h"

/* Lines of a panel, written from the top until it is full. */
struct lines {
	struct canvas *cv;
	struct rect at;
	int y;
};

static void line(struct lines *l, unsigned style, const char *text)
{
	if (l->y < l->at.h && *text)
		canvas_textn(l->cv, l->at.x, l->at.y + l->y, l->at.w, style, text);
	l->y++;
}

/* A name and its figure, on one line at the two sides. */
static void pair(struct lines *l, const char *name, unsigned style, const char *figure)
{
	if (l->y < l->at.h) {
		int w = text_width(figure);
		canvas_textn(l->cv, l->at.x, l->at.y + l->y, l->at.w - w - 1, STYLE_LABEL, name);
		canvas_right(l->cv, l->at.x + l->at.w, l->at.y + l->y, l->at.w, style, figure);
	}
	l->y++;
}

/* --- what CloudWatch says of the bucket --- */

#define DOTS_MAX 512

/* Its figures of a run, oldest first; of several volumes all. */
struct said {
	size_t		n;
	struct plot_dot dot[DOTS_MAX]; /* run time, percent */
	const char     *why_none;      /* "" nobody asked */
};

static const char *metric_of(const struct expectation *e, size_t bucket)
{
	return cw_metric_name(bucket == 0 && e->volume_bucket		 ? CW_BURST_BALANCE :
			      e->bucket[bucket].limit == BOUND_HOST_BW ? CW_EBS_BYTE_BALANCE :
									 CW_EBS_IO_BALANCE);
}

static int by_time(const void *a, const void *b)
{
	const struct plot_dot *p = a, *q = b;

	return (p->t > q->t) - (p->t < q->t);
}

static void said_of(const struct frame *f, struct said *s)
{
	const char *metric = metric_of(f->expect, f->live->bucket);

	s->n = 0;
	s->why_none = "";
	for (size_t i = f->run->nr_outside; i-- > 0 && s->n < DOTS_MAX;) {
		const struct outside *o = &f->run->outside[i];
		if (strcmp(o->name, metric) != 0)
			continue;
		if (isnan(o->value))
			s->why_none = *s->why_none ? s->why_none : o->text;
		else
			s->dot[s->n++] = (struct plot_dot){ o->t_s, o->value };
	}
	qsort(s->dot, s->n, sizeof(s->dot[0]), by_time);
}

static double now_of(const struct frame *f)
{
	return (double)f->run->last.s.t_ns / 1e9;
}

static void said_line(const struct frame *f, struct lines *out, const struct said *s)
{
	char text[96];

	if (s->n) {
		const struct plot_dot *last = &s->dot[s->n - 1];
		double minutes = fmax(0, floor((now_of(f) - last->t) / 60));
		snprintf(text, sizeof(text), out->at.w >= 30 ? "● CloudWatch %.0f %%, %.0f min ago" : "● CloudWatch %.0f %% -%.0fm",
			 last->value, minutes);
		line(out, STYLE_SAID, text);
	} else if (*s->why_none) {
		/* the reason in brackets has room on wide panels only, and on narrow ones its sign says whose word it is */
		snprintf(text, sizeof(text), "CloudWatch: %s", s->why_none);
		if (text_width(text) > out->at.w)
			text[strcspn(text, "(")] = 0;
		if (text_width(text) > out->at.w)
			snprintf(text, sizeof(text), "● %s", s->why_none);
		line(out, STYLE_LABEL, text);
	}
}

/* --- what the device says of its limits --- */

#define LIMIT_TABLE_W 34 /* columns that a line for each of them needs */

/* --- the model's balance --- */

static char *fmt_units(char *buf, double v, bool bytes)
{
	char figure[FMT_LEN];

	if (bytes)
		return fmt_size(buf, v);
	snprintf(buf, FMT_LEN, "%s I/Os", fmt_short(figure, v));
	return buf;
}

/* What the balance comes to: its style and a few words. */
static unsigned countdown(const struct live *l, char *text, size_t size)
{
	char time[FMT_LEN];

	if (l->empty_s == 0)
		snprintf(text, size, "empty");
	else if (isfinite(l->empty_s))
		snprintf(text, size, "empty in %s", fmt_duration(time, l->empty_s));
	else if (l->full_s == 0)
		snprintf(text, size, "full");
	else if (isfinite(l->full_s))
		snprintf(text, size, "full in %s", fmt_duration(time, l->full_s));
	else
		snprintf(text, size, "neither falls nor rises");
	return l->empty_s == 0 ? STYLE_LIMIT_HIT : STYLE_STRONG;
}

/* How long it took to spend them, and takes to earn them again. @param room for lines that may be left out */
static void spent_lines(const struct frame *f, struct lines *out, bool room)
{
	const struct live *l = f->live;
	char time[FMT_LEN], text[64];

	if (!isnan(l->empty_at_s) && room) {
		snprintf(text, sizeof(text), "spent in %s",
			 fmt_duration(time, live_volume_s(f->run, l->start_s, l->start_s + l->empty_at_s)));
		line(out, STYLE_TEXT, text);
	}
	snprintf(text, sizeof(text), "full again in %s", fmt_duration(time, f->expect->bucket[l->bucket].refill_s));
	line(out, STYLE_LABEL, text);
}

/* The share of the bucket at a moment of the run, percent; NAN where nothing was sampled. */
static double share_at(const struct frame *f, double t)
{
	struct span span = f->run->span;
	size_t lo = 0, hi = span.n;

	while (lo < hi) { /* the first row that ends at or after it */
		size_t mid = lo + (hi - lo) / 2;
		if ((double)span.row[mid].t_ns / 1e9 < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == span.n || t < 0)
		return NAN;
	return 100 * live_balance(&span.row[lo], f->expect, f->live->bucket) / f->live->capacity;
}

#define BEFORE_S 1800 /* how much of the time before the run is shown, where CloudWatch has figures of it */

/* The balance over the whole run as modelled, and CloudWatch's figures over it, each at its own time. */
static void credit_curve(const struct frame *f, struct canvas *cv, struct rect at, const struct said *s)
{
	double share[2 * DOTS_MAX], now = now_of(f);
	struct pace pace[LIVE_PACES];
	struct time_plot p = { .at = at, .ink = f->ink, .t1 = live_axis(now), .ymax = 100, .below = GRAD_CREDIT, .above = GRAD_CREDIT,
			       .pace = pace, .dot = s->dot, .nr_dots = s->n };
	struct rect dots = plot_dots(at);
	int n = dots.w * 2;

	if (rect_empty(dots) || n > 2 * DOTS_MAX)
		return;
	p.nr_pace = live_paces(f->run, 0, &p.scale, pace);
	if (s->n && s->dot[0].t < 0)
		p.t0 = -fmin(BEFORE_S, ceil(-s->dot[0].t / 60) * 60);
	for (int i = 0; i < n; i++)
		share[i] = share_at(f, p.t0 + (p.t1 - p.t0) * (i + 0.5) / n);
	p.fill = (struct series){ share, (size_t)n };
	plot_time(cv, &p);
	int x = dots.x + dots.w + 1;
	if (plot_gutter(at.w) >= 12 && s->n)
		canvas_text(cv, x, at.y, STYLE_SAID, "● CloudWatch");
	if (plot_gutter(at.w) >= 12)
		canvas_text(cv, x, at.y + 1, STYLE_LABEL, cv->ascii ? "# model" : "█ model");
}

/* One row or two of a gauge, with CloudWatch's newest figure where it would end. */
static void credit_gauge(const struct frame *f, struct lines *out, const struct said *s)
{
	double share = f->live->balance / f->live->capacity;

	for (int rows = out->at.h >= 10 ? 2 : 1; rows > 0; rows--) {
		int x = s->n ? (int)(s->dot[s->n - 1].value / 100 * out->at.w) : -1;
		draw_gauge(out->cv, out->at.x, out->at.y + out->y, out->at.w, share, f->ink, GRAD_CREDIT);
		if (x >= 0)
			canvas_put(out->cv, out->at.x + (x < out->at.w ? x : out->at.w - 1), out->at.y + out->y, 0x25cf, STYLE_SAID);
		out->y++;
	}
}

static void credit_lines(const struct frame *f, struct lines *out)
{
	const struct live *l = f->live;
	const struct bucket *b = &f->expect->bucket[l->bucket];
	double share = l->balance / l->capacity;
	char a[FMT_LEN], text[96], when[64];
	double ignored;
	bool counted = out->at.w >= LIMIT_TABLE_W && out->at.h >= 14 && live_device(f->run, &ignored);
	int curve = out->at.h - 6 - (counted ? SAMPLE_LIMITS : 0);
	struct said said;

	said_of(f, &said);
	if (curve >= 3) {
		credit_curve(f, out->cv, (struct rect){ out->at.x - 1, out->at.y, out->at.w + 2, curve }, &said);
		out->y = curve;
	} else {
		credit_gauge(f, out, &said);
	}
	snprintf(text, sizeof(text), "%.0f %% of %s", share > 0 && share < 0.01 ? 1 : floor(share * 100),
		 fmt_units(a, l->capacity, b->bytes));
	unsigned style = countdown(l, when, sizeof(when));
	if (text_width(text) + text_width(when) + 2 <= out->at.w) {
		canvas_textn(out->cv, out->at.x, out->at.y + out->y, out->at.w, STYLE_TEXT, text);
		pair(out, "", style, when);
	} else {
		line(out, STYLE_TEXT, text);
		line(out, style, when);
	}
	bool heard = said.n || *said.why_none;
	if (l->empty_s == 0)
		spent_lines(f, out, out->at.h - out->y >= 4 + f->assumed + heard);
	else if (isfinite(l->spend) && fabs(l->spend) >= l->capacity * 1e-7 && out->at.h - out->y >= 3 + f->assumed + heard) {
		snprintf(text, sizeof(text), "%s %s/s net", l->spend >= 0 ? "spends" : "earns",
			 fmt_units(a, fabs(l->spend), b->bytes));
		line(out, STYLE_LABEL, text);
	}
	if (f->assumed)
		line(out, STYLE_WARN, out->at.w >= 21 ? "assumed full at start" : "start assumed full");
	said_line(f, out, &said);
}

/* Without a bucket: what is documented, and that it lasts. */
static void limit_lines(const struct frame *f, struct lines *out)
{
	const struct rate *r = &f->expect->baseline;
	char figure[FMT_LEN], text[64];

	pair(out, "documented IOPS", STYLE_STRONG, fmt_iops(figure, r->iops));
	snprintf(text, sizeof(text), "%s MiB/s", fmt_mibps(figure, r->bw));
	pair(out, "throughput", STYLE_STRONG, text);
	line(out, STYLE_LABEL, "no credits: it lasts");
}

/* Names that fit: AWS's throughput limits are said by their unit where there is little room. */
static const char *limit_word(int k, bool brief)
{
	static const char *const words[] = { "volume iops", "volume MiB/s", "host iops", "host MiB/s" };

	return brief ? words[k] : nvme_limit_name((enum nvme_limit)k);
}

/* All four that are counted, a bar each. */
static void limit_table(const struct frame *f, struct lines *out, const double *percent, int n)
{
	int word = 18, bar = out->at.w - word - 5;
	char text[16];

	line(out, STYLE_SAID, "at a limit, as the device counts it");
	for (int k = 0; k < n; k++) {
		int y = out->at.y + out->y;
		if (isnan(percent[k]))
			continue;
		unsigned style = percent[k] >= 1 ? STYLE_LIMIT_HIT : STYLE_LABEL;
		snprintf(text, sizeof(text), "%.0f %%", percent[k]);
		canvas_textn(out->cv, out->at.x, y, word, style, limit_word(k, false));
		canvas_right(out->cv, out->at.x + word + 5, y, 5, style, text);
		draw_bar(out->cv, out->at.x + word + 6, y, bar - 1, percent[k] / 100, f->ink, STYLE_LIMIT_HIT);
		out->y++;
	}
}

/*
 * What the device itself says, where it can be asked: for how much of the last second demand was over each limit. All
 * of them where there is room, else those that held, the longest first.
 */
static void device_lines(const struct frame *f, struct lines *out)
{
	double seconds, percent[SAMPLE_LIMITS];
	const struct sample *s = live_device(f->run, &seconds);
	int known = 0, held = 0, room = out->at.h - out->y - 1;
	char text[64];

	for (int k = 0; k < SAMPLE_LIMITS; k++) {
		percent[k] = s && s->limit_ns[k] != DEV_NONE ? fmin(100, (double)s->limit_ns[k] / 1e7 / seconds) : NAN;
		known += !isnan(percent[k]);
	}
	if (!known)
		return;
	if (out->at.w >= LIMIT_TABLE_W && room >= known + 1) {
		limit_table(f, out, percent, SAMPLE_LIMITS);
		return;
	}
	for (; held < (room > 1 ? 2 : 1); held++) {
		int worst = -1;
		for (int k = 0; k < SAMPLE_LIMITS; k++)
			if (percent[k] >= 1 && (worst < 0 || percent[k] > percent[worst]))
				worst = k;
		if (worst < 0)
			break;
		snprintf(text, sizeof(text), out->at.w >= 32 ? "device: at %s %.0f %%" : "at %s %.0f %%",
			 limit_word(worst, out->at.w < 34), percent[worst]);
		line(out, STYLE_LIMIT_HIT, text);
		percent[worst] = NAN;
	}
	if (!held)
		line(out, STYLE_LABEL, "device: at no limit");
}

int limits_rows(const struct frame *f)
{
	double seconds;

	/* three lines, a blank and what binds; the device's own need five more */
	return 7 + (live_device(f->run, &seconds) ? 5 : 0);
}

void draw_credits(const struct frame *f, struct canvas *cv, struct rect at)
{
	bool bucket = f->expect && f->expect->nr_buckets && !isnan(f->live->balance);
	bool host = bucket && !(f->expect->volume_bucket && f->live->bucket == 0);
	char text[64];
	struct rect in = panel(cv, at, STYLE_FRAME_SIDE,
			       host     ? "Host credits"
			       : bucket ? "Credits"
					: "Limits",
			       STYLE_LABEL, NULL);
	struct lines out = { cv, { in.x + 1, in.y, in.w - 2, in.h }, 0 };

	if (rect_empty(in))
		return;
	if (!f->expect) {
		out.y = draw_wrapped(cv, out.at, STYLE_LABEL,
				     "No volume known: nothing to compare with. Name one in Setup (1), or "
				     "with --volume gp3:500.");
		device_lines(f, &out);
		return;
	}
	if (bucket)
		credit_lines(f, &out);
	else
		limit_lines(f, &out);
	const struct rate *now = bucket && f->live->empty_s != 0 && !isnan(f->expect->burst.iops)
					 ? &f->expect->burst
					 : &f->expect->baseline;
	device_lines(f, &out);
	if (bound_name(now->bound)) {
		if (out.at.h - out.y >= 2)
			out.y = out.at.h - 1;
		snprintf(text, sizeof(text), out.at.w >= 27 ? "bound by: %s" : "by %s",
			 bound_name(now->bound));
		line(&out, STYLE_TEXT, text);
	}
}
