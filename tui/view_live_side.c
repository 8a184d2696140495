/* SPDX-License-Identifier: MIT */
/* Live's panels of figures and lists. */
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* --- credits --- */

static char *fmt_units(char *buf, double v, bool bytes)
{
	char figure[FMT_LEN];

	if (bytes)
		return fmt_size(buf, v);
	snprintf(buf, FMT_LEN, "%s I/Os", fmt_short(figure, v));
	return buf;
}

static void credit_countdown(const struct frame *f, struct lines *out)
{
	const struct live *l = f->live;
	char time[FMT_LEN], text[64];
	double scale = f->run->header->time_scale > 0 ? f->run->header->time_scale : 1;

	if (l->empty_s == 0) {
		line(out, STYLE_LIMIT_HIT, "empty");
		if (!isnan(l->empty_at_s)) {
			snprintf(text, sizeof(text), "spent in %s",
				 fmt_duration(time, l->empty_at_s * scale));
			line(out, STYLE_TEXT, text);
		}
		snprintf(text, sizeof(text), "full again in %s",
			 fmt_duration(time, f->expect->bucket[l->bucket].refill_s));
		line(out, STYLE_LABEL, text);
	} else if (isfinite(l->empty_s)) {
		snprintf(text, sizeof(text), "empty in %s", fmt_duration(time, l->empty_s));
		line(out, STYLE_STRONG, text);
	} else if (l->full_s == 0) {
		line(out, STYLE_STRONG, "full");
	} else if (isfinite(l->full_s)) {
		snprintf(text, sizeof(text), "full in %s", fmt_duration(time, l->full_s));
		line(out, STYLE_STRONG, text);
	} else {
		line(out, STYLE_STRONG, "neither falls nor rises");
	}
}

/* CloudWatch's own figure of the volume that is measured, beside the modelled one; minutes late. */
static void cloudwatch_line(const struct frame *f, struct lines *out)
{
	const json_t *target = json_array_get(json_object_get(f->run->header->doc, "targets"), 0);
	const struct facts *facts = f->volumes ? f->volumes->facts : NULL;
	const struct cw_series *s = facts_series_find(facts, CW_BURST_BALANCE, json_get_text(target, "volume_id", ""));
	char text[64];

	if (f->replay || !s || !s->n)
		return;
	const int64_t age = (facts->at - s->point[s->n - 1].t) / 60;
	snprintf(text, sizeof(text), out->at.w >= 30 ? "CloudWatch: %.0f %%, %lld min ago" : "CloudWatch %.0f %% -%lldm",
		 s->point[s->n - 1].percent, (long long)(age > 0 ? age : 0));
	line(out, STYLE_LABEL, text);
}

static void credit_lines(const struct frame *f, struct lines *out)
{
	const struct live *l = f->live;
	const struct bucket *b = &f->expect->bucket[l->bucket];
	double share = l->balance / l->capacity;
	char a[FMT_LEN], text[96];

	draw_gauge(out->cv, out->at.x, out->at.y, out->at.w, share, f->ink, GRAD_CREDIT);
	if (out->at.h >= 10) {
		draw_gauge(out->cv, out->at.x, out->at.y + 1, out->at.w, share, f->ink, GRAD_CREDIT);
		out->y++;
	}
	out->y++;
	snprintf(text, sizeof(text), "%.0f %% of %s", share > 0 && share < 0.01 ? 1 : floor(share * 100),
		 fmt_units(a, l->capacity, b->bytes));
	line(out, STYLE_TEXT, text);
	credit_countdown(f, out);
	if (l->empty_s != 0 && isfinite(l->spend) && fabs(l->spend) >= l->capacity * 1e-7 &&
	    out->at.h - out->y >= 3) {
		snprintf(text, sizeof(text), "%s %s/s net", l->spend >= 0 ? "spends" : "earns",
			 fmt_units(a, fabs(l->spend), b->bytes));
		line(out, STYLE_LABEL, text);
	}
	if (f->assumed)
		line(out, STYLE_WARN, out->at.w >= 21 ? "assumed full at start" : "start assumed full");
	cloudwatch_line(f, out);
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

/* The two newest readings of the device's own counters: the newer covers the time between them. */
static const struct sample *device_reading(const struct runlog_snap *run, double *seconds)
{
	const struct sample *newest = NULL;

	for (size_t i = run->span.n; i-- > 0;) {
		const struct sample *s = &run->span.row[i];
		bool read = false;
		for (int k = 0; k < SAMPLE_LIMITS; k++)
			read |= s->limit_ns[k] != DEV_NONE;
		if (newest && (read || newest->t_ns - s->t_ns > 2000000000)) {
			*seconds = (double)(newest->t_ns - s->t_ns) / 1e9;
			return newest;
		}
		if (read)
			newest = s;
		else if (!newest && run->span.row[run->span.n - 1].t_ns - s->t_ns > 3000000000)
			break; /* nothing new for so long: it is no figure of now */
	}
	*seconds = 1;
	return newest;
}

/* What the device itself says, where it can be asked: the limit that it is at, and for how much of the time.
 */
static void device_line(const struct frame *f, struct lines *out)
{
	int worst = -1;
	double seconds;
	char text[64];
	const struct sample *s = device_reading(f->run, &seconds);

	for (int k = 0; s && k < SAMPLE_LIMITS; k++)
		if (s->limit_ns[k] != DEV_NONE && (worst < 0 || s->limit_ns[k] > s->limit_ns[worst]))
			worst = k;
	if (worst < 0)
		return;
	double percent = fmin(100, (double)s->limit_ns[worst] / 1e7 / seconds);
	if (percent < 1)
		snprintf(text, sizeof(text), "device: at no limit");
	else
		snprintf(text, sizeof(text), out->at.w >= 32 ? "device: at %s %.0f %%" : "at %s %.0f %%",
			 nvme_limit_name((enum nvme_limit)worst), percent);
	line(out, percent < 1 ? STYLE_LABEL : STYLE_LIMIT_HIT, text);
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
		device_line(f, &out);
		return;
	}
	if (bucket)
		credit_lines(f, &out);
	else
		limit_lines(f, &out);
	const struct rate *now = bucket && f->live->empty_s != 0 && !isnan(f->expect->burst.iops)
					 ? &f->expect->burst
					 : &f->expect->baseline;
	device_line(f, &out);
	if (bound_name(now->bound)) {
		if (out.at.h - out.y >= 2)
			out.y = out.at.h - 1;
		snprintf(text, sizeof(text), out.at.w >= 27 ? "bound by: %s" : "by %s",
			 bound_name(now->bound));
		line(&out, STYLE_TEXT, text);
	}
}

/* --- now --- */

void draw_now(const struct frame *f, struct canvas *cv, struct rect at)
{
	struct rect in = panel(cv, at, STYLE_FRAME_RATE, "Now", STYLE_LABEL, NULL);
	char iops[FMT_LEN], mibps[FMT_LEN], lat[FMT_LEN], text[96];
	int half = in.w >= 50 ? in.w / 2 : 34, y = in.y + (in.h >= 6);

	if (rect_empty(in))
		return;
	fmt_iops(iops, f->live->iops_now);
	fmt_mibps(mibps, f->live->bw_now);
	draw_digits(cv, in.x + half - 6 - digits_width(iops), y, style_grad(GRAD_RATE, 0.6), iops);
	canvas_text(cv, in.x + half - 5, y + 2, STYLE_LABEL, "IOPS");
	if (in.w >= 50) {
		draw_digits(cv, in.x + in.w - 7 - digits_width(mibps), y, style_grad(GRAD_READ, 0.6), mibps);
		canvas_text(cv, in.x + in.w - 6, y + 2, STYLE_LABEL, "MiB/s");
	}
	fmt_lat(lat, f->run->last.p99 ? (double)f->run->last.p99 : NAN);
	struct lines out = { cv, { in.x + 1, in.y, in.w - 2, in.h }, in.h - 1 };
	if (in.w >= 50)
		snprintf(text, sizeof(text), "in flight %u   p99 %s   errors %llu", f->run->last.s.inflight,
			 lat, (unsigned long long)f->run->last.s.errors);
	else
		snprintf(text, sizeof(text), "%s MiB/s  p99 %s", mibps, lat);
	line(&out, STYLE_TEXT, text);
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
	snprintf(text, sizeof(text), "%8s IOPS%7s MiB/s", a, b);
	at = canvas_textn(cv, at, y, x + w - at, row->ios ? STYLE_STRONG : STYLE_FAINT, text);
	if (row->errors)
		snprintf(text, sizeof(text), "  %llu errors", (unsigned long long)row->errors);
	else
		snprintf(text, sizeof(text), "  in flight %u", row->inflight);
	if (at + text_width(text) <= x + w)
		canvas_textn(cv, at, y, x + w - at, row->errors ? STYLE_ERROR : STYLE_LABEL, text);
}

void draw_workers(const struct frame *f, struct canvas *cv, struct rect at)
{
	unsigned n = f->run->last.nr_workers;
	char text[32];

	snprintf(text, sizeof(text), "%u", n);
	struct rect in = panel(cv, at, STYLE_FRAME_LIST, "Workers", STYLE_LABEL, n > 1 ? text : NULL);
	if (rect_empty(in))
		return;
	if (n == 0 && f->run->header->nr_planned && f->run->header->planned[0].kind == TEST_WATCH) {
		draw_wrapped(cv, (struct rect){ in.x + 1, in.y, in.w - 2, in.h }, STYLE_LABEL,
			     "None: what is drawn is what the kernel's counters say that the device did, for everybody.");
		return;
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
	double scale = f->run->header->time_scale > 0 ? f->run->header->time_scale : 1;

	for (int row = 0; row < in.h && (size_t)row < f->run->nr_events; row++) {
		const struct event *e = &f->run->events[f->run->nr_events - 1 - (size_t)row];
		long s = (long)((double)e->t_ns / 1e9 * scale);
		char time[32];
		if (s < 3600)
			snprintf(time, sizeof(time), "%02ld:%02ld", s / 60, s % 60);
		else
			snprintf(time, sizeof(time), "%ldh%02ld", s / 3600, s % 3600 / 60);
		int x = canvas_text(cv, in.x + 1, in.y + row, STYLE_LABEL, time) + 1;
		canvas_textn(cv, x, in.y + row, in.x + in.w - x, event_style(e->kind), e->text);
	}
}
