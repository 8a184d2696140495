/* SPDX-License-Identifier: MIT */
/* Live's panels of figures and lists. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "tui/panel.h"
#include "tui/view_live.h"

/* --- now --- */

void draw_now(const struct frame *f, struct canvas *cv, struct rect at)
{
	struct rect in = panel(cv, at, STYLE_FRAME_RATE, "Now", STYLE_LABEL, NULL);
	char iops[FMT_LEN], mibps[FMT_LEN], lat[FMT_LEN], text[96];
	int half = in.w >= 50 ? in.w / 2 : 34, y = in.y + (in.h >= 6);

	if (rect_empty(in))
		return;
	fmt_iops(iops, f->live->iops_now);
	bool gib = f->live->bw_now >= 9999.5 * MIB; /* in MiB the digits would not have the room */
	fmt_mibps(mibps, gib ? f->live->bw_now / 1024 : f->live->bw_now);
	draw_digits(cv, in.x + half - 6 - digits_width(iops), y, style_grad(GRAD_RATE, 0.6), iops);
	canvas_text(cv, in.x + half - 5, y + 2, STYLE_LABEL, "IOPS");
	if (in.w >= 50) {
		draw_digits(cv, in.x + in.w - 7 - digits_width(mibps), y, style_grad(GRAD_READ, 0.6), mibps);
		canvas_text(cv, in.x + in.w - 6, y + 2, STYLE_LABEL, gib ? "GiB/s" : "MiB/s");
	}
	fmt_lat(lat, f->run->last.p99 ? (double)f->run->last.p99 : NAN);
	if (live_watches(f->run))
		snprintf(text, sizeof(text), "in flight %u", f->run->last.s.inflight);
	else if (in.w >= 50)
		snprintf(text, sizeof(text), "in flight %u   p99 %s   errors %llu", f->run->last.s.inflight,
			 lat, (unsigned long long)f->run->last.s.errors);
	else
		snprintf(text, sizeof(text), "%s %s  p99 %s", mibps, gib ? "GiB/s" : "MiB/s", lat);
	canvas_textn(cv, in.x + 1, in.y + in.h - 1, in.w - 2, STYLE_TEXT, text);
}

/* --- workers --- */

static void worker_line(const struct frame *f, struct canvas *cv, int x, int y, int w, unsigned i)
{
	const struct tick *t = &f->run->last;
	const struct worker_row *row = &t->worker[i];
	double secs = sample_seconds(&t->s);
	char a[FMT_LEN], b[FMT_LEN], left[48], text[96];

	snprintf(left, sizeof(left), "%2u %-9s", i + 1, f->wl ? rw_name(f->wl->rw) : "");
	fmt_iops(a, secs > 0 ? (double)row->ios / secs : NAN);
	fmt_mibps(b, secs > 0 ? (double)row->bytes / secs : NAN);
	int at = canvas_textn(cv, x, y, w, STYLE_TEXT, left);
	snprintf(text, sizeof(text), "%8s IOPS %6s MiB/s", a, b);
	at = canvas_textn(cv, at, y, x + w - at, row->ios ? STYLE_STRONG : STYLE_FAINT, text);
	if (row->errors)
		snprintf(text, sizeof(text), "  %llu errors", (unsigned long long)row->errors);
	else
		snprintf(text, sizeof(text), "  in flight %u", row->inflight);
	if (at + text_width(text) <= x + w)
		canvas_textn(cv, at, y, x + w - at, row->errors ? STYLE_ERROR : STYLE_LABEL, text);
}

/* --- the steps of a suite --- */

static int step_columns(const struct run_header *h, unsigned i)
{
	return text_width(h->planned[i].name) + 4; /* a sign, and gaps */
}

/* The line of step @p i, where @p from is the first and a line has @p w columns. */
static int step_line(const struct run_header *h, unsigned from, unsigned i, int w)
{
	int line = 0, used = 0;

	for (unsigned k = from; k <= i; k++) {
		int need = step_columns(h, k);
		if (used && used + need > w) {
			line++;
			used = 0;
		}
		used += need;
	}
	return line;
}

/* How many lines they take in all. */
static int steps_lines(const struct run_header *h, int w)
{
	return h->nr_planned > 1 ? step_line(h, 0, h->nr_planned - 1, w) + 1 : 0;
}

/* A sign and a style for how it stands: the verdict of what is done, what is in hand, what is to come. */
static const char *step_sign(const struct frame *f, unsigned i, unsigned *style)
{
	if (i >= f->run->nr_results) {
		bool now = f->live->any && i == f->live->test && f->run->end == RUN_RUNNING;
		*style = now ? STYLE_STRONG : STYLE_FAINT;
		return now ? "▶" : "·";
	}
	static const char *const signs[VERDICT_NR] = { "●", "✓", "?", "▲", "▼" };
	static const unsigned styles[VERDICT_NR] = { STYLE_LABEL, STYLE_PASS, STYLE_LABEL, STYLE_ABOVE, STYLE_SHORT };
	*style = styles[f->run->results[i]->verdict];
	return signs[f->run->results[i]->verdict];
}

/* As many as there is room for, the one in hand always among them. */
static void draw_steps(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct run_header *h = f->run->header;
	unsigned from = 0, now = f->live->any ? f->live->test : 0, style;
	int x = at.x, y = at.y;

	while (from < now && step_line(h, from, now, at.w) >= at.h)
		from++;
	for (unsigned i = from; i < h->nr_planned; i++) {
		int need = step_columns(h, i);
		if (x > at.x && x + need > at.x + at.w) {
			x = at.x;
			y++;
		}
		if (y >= at.y + at.h)
			return;
		const char *sign = step_sign(f, i, &style);
		int to = canvas_textn(cv, x, y, at.w, style, sign) + 1;
		canvas_textn(cv, to, y, at.x + at.w - to, style == STYLE_STRONG || style == STYLE_FAINT ? style : STYLE_LABEL,
			     h->planned[i].name);
		x += need;
	}
}

/* No workers: what the device did in the last second, by direction. */
static void draw_watched(const struct frame *f, struct canvas *cv, struct rect at)
{
	static const char *const names[DDIR_NR] = { [DDIR_READ] = "read", [DDIR_WRITE] = "write" };
	struct sample s = { 0 };
	(void)span_last_second(f->run->span, &s);
	double secs = sample_seconds(&s);
	char a[FMT_LEN], b[FMT_LEN], each[FMT_LEN];
	int y = at.y;

	for (int d = 0; d < DDIR_NR && y < at.y + at.h; d++, y++) {
		double ios = (double)s.dir[d].ios, bytes = (double)s.dir[d].bytes;
		canvas_textn(cv, at.x, y, 6, STYLE_TEXT, names[d]);
		int x = canvas_printf(cv, at.x + 6, y, ios > 0 ? STYLE_STRONG : STYLE_FAINT, "%8s IOPS %7s MiB/s", fmt_iops(a, secs > 0 ? ios / secs : NAN),
				  fmt_mibps(b, secs > 0 ? bytes / secs : NAN));
		if (ios > 0 && x + 18 < at.x + at.w)
			canvas_printf(cv, x, y, STYLE_LABEL, "  %s each", fmt_size(each, bytes / ios));
	}
	draw_wrapped(cv, (struct rect){ at.x, y, at.w, at.y + at.h - y }, STYLE_LABEL,
		     "the kernel's counters, for everybody; no I/O of ours");
}

void draw_workers(const struct frame *f, struct canvas *cv, struct rect at)
{
	unsigned n = f->run->last.nr_workers;
	char text[48] = "";
	double ignored;
	const struct sample *dev = live_device(f->run, &ignored);
	int w = n > 1 ? snprintf(text, sizeof(text), "%u", n) : 0;

	if (dev && dev->dev_queue != DEV_NONE) /* of those in flight; the rest waits in the host */
		snprintf(text + w, sizeof(text) - (size_t)w, "%s%llu in the device's queue", w ? " · " : "",
			 (unsigned long long)dev->dev_queue);
	const char *title = live_watches(f->run) ? "Device" : f->run->header->nr_planned > 1 ? "Workers and steps" : "Workers";
	struct rect in = panel(cv, at, STYLE_FRAME_LIST, title, STYLE_LABEL, *text ? text : NULL);
	if (rect_empty(in))
		return;
	if (live_watches(f->run)) {
		draw_watched(f, cv, (struct rect){ in.x + 1, in.y, in.w - 2, in.h });
		return;
	}
	/* below the workers, of whom one at least has a line */
	int steps = steps_lines(f->run->header, in.w - 2);
	steps = steps > in.h - 1 ? in.h - 1 : steps;
	if (steps > 0) {
		in.h -= steps;
		draw_steps(f, cv, (struct rect){ in.x + 1, in.y + in.h, in.w - 2, steps });
	}
	int columns = in.w >= 116 ? 2 : 1, width = in.w / columns;
	for (unsigned i = 0; i < n; i++) {
		int column = (int)i / in.h, row = (int)i % in.h;
		if (column >= columns)
			break;
		bool last = column == columns - 1 && row == in.h - 1;
		int x = in.x + 1 + column * width, y = in.y + row;
		if (last && n > i + 1) {
			snprintf(text, sizeof(text), "    and %u more", n - i);
			canvas_textn(cv, x, y, width - 2, STYLE_LABEL, text);
			break;
		}
		worker_line(f, cv, x, y, width - 2, i);
	}
}

/* --- events --- */

static unsigned event_style(enum event_kind k)
{
	switch (k) {
	case EVENT_KNOB:
	case EVENT_MARK:
		return STYLE_MARK;
	case EVENT_ERROR:
		return STYLE_ERROR;
	case EVENT_CREDITS_EMPTY:
	case EVENT_THROTTLED:
		return STYLE_WARN;
	default:
		return STYLE_TEXT;
	}
}

void draw_events(const struct frame *f, struct canvas *cv, struct rect at)
{
	struct rect in = panel(cv, at, STYLE_FRAME_LIST, "Events", STYLE_LABEL, NULL);

	for (int row = 0; row < in.h && (size_t)row < f->run->nr_events; row++) {
		const struct event *e = &f->run->events[f->run->nr_events - 1 - (size_t)row];
		long s = (long)live_volume_s(f->run, 0, (double)e->t_ns / 1e9);
		char time[32];
		if (s < 3600)
			snprintf(time, sizeof(time), "%02ld:%02ld", s / 60, s % 60);
		else
			snprintf(time, sizeof(time), "%ldh%02ld", s / 3600, s % 3600 / 60);
		int x = canvas_text(cv, in.x + 1, in.y + row, STYLE_LABEL, time) + 1;
		canvas_textn(cv, x, in.y + row, in.x + in.w - x, event_style(e->kind), e->text);
	}
}
