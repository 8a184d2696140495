/* SPDX-License-Identifier: MIT */
#include "tui/panel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "tui/keymap.h"
#include "tui/live.h"
#include "tui/report_words.h"

struct rect panel(struct canvas *cv, struct rect at, unsigned frame, const char *title, unsigned right_style,
		  const char *right)
{
	int end = at.x + at.w - 2, used = 0;

	if (rect_empty(at))
		return (struct rect){ 0 };
	canvas_frame(cv, at, frame);
	int w = text_width(title);
	if (at.w >= w + 6) {
		canvas_text(cv, at.x + 2, at.y, STYLE_TITLE, " ");
		canvas_text(cv, at.x + 3, at.y, STYLE_TITLE, title);
		canvas_text(cv, at.x + 3 + w, at.y, STYLE_TITLE, " ");
		used = w + 5;
	}
	if (right && *right && text_width(right) + 3 <= at.w - 2 - used) {
		int x = end - text_width(right) - 1;
		canvas_put(cv, x - 1, at.y, ' ', frame);
		canvas_text(cv, x, at.y, right_style, right);
		canvas_put(cv, end - 1, at.y, ' ', frame);
	}
	struct rect in = rect_inner(at);
	return in.w > 0 && in.h > 0 ? in : (struct rect){ 0 };
}

const char *verdict_text(enum verdict v, unsigned *style)
{
	static const struct {
		const char *text;
		unsigned style;
	} looks[VERDICT_NR] = {
		[VERDICT_NONE] = { "", STYLE_LABEL },
		[VERDICT_PASS] = { "✓ pass", STYLE_PASS_BADGE },
		[VERDICT_UNKNOWN] = { "? unknown", STYLE_UNKNOWN_BADGE },
		[VERDICT_ABOVE] = { "▲ above", STYLE_ABOVE_BADGE },
		[VERDICT_SHORT] = { "▼ short", STYLE_SHORT_BADGE },
	};

	if (style)
		*style = looks[v].style;
	return looks[v].text;
}

char *fmt_mibps(char *buf, double bw_bytes)
{
	double v = bw_bytes / MIB;

	if (isnan(v))
		return strcpy(buf, "-");
	if (v >= 999.5)
		return fmt_iops(buf, round(v));
	snprintf(buf, FMT_LEN, "%.*f", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v);
	return buf;
}

int draw_wrapped(struct canvas *cv, struct rect at, unsigned style, const char *text)
{
	int y = 0;
	char word[128];

	for (int x = 0; *text && y < at.h;) {
		text += strspn(text, " ");
		size_t n = strcspn(text, " ");
		snprintf(word, sizeof(word), "%.*s", (int)(n < sizeof(word) - 1 ? n : sizeof(word) - 1),
			 text);
		size_t fits = strlen(word);
		while (text_width(word) > at.w && fits > 1) { /* goes on in the next line */
			do
				fits--;
			while (fits > 1 && (word[fits] & 0xc0) == 0x80);
			word[fits] = 0;
		}
		int w = text_width(word);
		if (x && x + 1 + w > at.w) {
			x = 0;
			if (++y == at.h) {
				if (cv)
					canvas_put(cv, at.x + at.w - 1, at.y + y - 1, 0x2026, style);
				break;
			}
		}
		x += x > 0;
		if (cv)
			canvas_textn(cv, at.x + x, at.y + y, at.w - x, style, word);
		x += w;
		text += fits;
	}
	return y + (y < at.h);
}

/* --- the first line --- */

static int badge(struct canvas *cv, int end, int min, int y, unsigned style, const char *text)
{
	int w = text_width(text) + 2;

	if (end - w < min)
		return end;
	canvas_printf(cv, end - w, y, style, " %s ", text);
	return end - w - 1;
}

#define MEMORY_BADGE_ROOM 40 /* what was asked for comes first */

/* From the right: what must be known of the figures. @return where the room for the rest ends */
static int draw_badges(const struct frame *f, struct canvas *cv, int end, int min, int y)
{
	const struct run_header *h = f->run ? f->run->header : NULL;
	char text[64];

	if (f->frozen)
		end = badge(cv, end, min, y, STYLE_SELECTED, "FROZEN");
	if (f->replay) {
		snprintf(text, sizeof(text), f->speed == 1 ? "REPLAY" : "REPLAY ×%g", f->speed);
		end = badge(cv, end, min, y, STYLE_SELECTED, text);
	}
	if (h && (h->shaped || h->simulated)) {
		const char *what = h->simulated ? "SIMULATED" : "SHAPED";
		double scale = live_scale(f->run);
		snprintf(text, sizeof(text), scale != 1 ? "%s ×%g" : "%s", what, scale);
		end = badge(cv, end, min, y, STYLE_BADGE, text);
	}
	if (h && *words_memory(h, text, sizeof(text)))
		end = badge(cv, end, min + MEMORY_BADGE_ROOM, y, STYLE_WARN, text);
	return end;
}

/* All screens have a tab where there is room beside what Live says of its run; else the one that is shown. */
static bool tab_shows(const struct frame *f, int w, int s)
{
	if (s == (int)f->screen)
		return true;
	return s < SCREEN_HELP && views[s].draw && w >= (f->screen == SCREEN_LIVE && f->run ? 140 : 70);
}

/* Columns of a tab, with the gap behind it. */
static int tab_width(const struct frame *f, int s)
{
	return text_width(views[s].name) + (s == (int)f->screen ? 3 : 4);
}

static int draw_tabs(const struct frame *f, struct canvas *cv, struct rect at)
{
	int x = at.x;

	for (int s = 0; s < SCREEN_NR; s++) {
		if (!tab_shows(f, at.w, s))
			continue;
		if (s == (int)f->screen) {
			canvas_printf(cv, x, at.y, STYLE_TAB, " %s ", views[s].name);
		} else {
			canvas_printf(cv, x, at.y, STYLE_KEY, "%d", s + 1);
			canvas_text(cv, x + 2, at.y, STYLE_LABEL, views[s].name);
		}
		x += tab_width(f, s);
	}
	return x;
}

int header_tab(const struct frame *f, int w, int x)
{
	for (int s = 0, from = 0; s < SCREEN_NR; s++) {
		if (!tab_shows(f, w, s))
			continue;
		if (x >= from && x < from + tab_width(f, s) - 1)
			return s < SCREEN_HELP ? s : -1;
		from += tab_width(f, s);
	}
	return -1;
}

/* "gp2 200 GiB · m5.large" of what was expected. */
static const char *subject(const struct frame *f, char *buf, size_t size)
{
	const struct expectation *e = f->expect;
	size_t n = 0;

	buf[0] = 0;
	if (!e)
		return buf;
	if (e->volumes.n == 1) {
		const struct volume *v = &e->volumes.v[0];
		n = (size_t)snprintf(buf, size, "%s %llu GiB", v->type ? v->type->name : "volume",
				     (unsigned long long)v->size_gib);
	} else if (e->volumes.n > 1) {
		const struct volume *v = &e->volumes.v[0];
		n = (size_t)snprintf(buf, size, "%zu × %s", e->volumes.n, v->type ? v->type->name : "volume");
	}
	if (n < size && e->host.kind != HOST_NONE)
		snprintf(buf + n, size - n, "%s%s", n ? " · " : "", e->host.name);
	return buf;
}

const char *test_text(enum test_kind kind, const struct workload *wl, char *buf, size_t size)
{
	char bs[FMT_LEN];

	switch (kind) {
	case TEST_WATCH:
		snprintf(buf, size, "watching, no I/O of ours");
		break;
	case TEST_CHAR: /* bonnie's words */
		snprintf(buf, size, "%s a byte at a time, through the page cache", rw_name(wl->rw));
		break;
	case TEST_FILE:
		snprintf(buf, size, "files: made, looked up or deleted");
		break;
	case TEST_DD:
		snprintf(buf, size, "dd %s, %s%s", rw_name(wl->rw), fmt_bs(bs, wl->bs), wl->direct ? "" : " · buffered");
		break;
	default:
		workload_text(wl, buf, size);
	}
	return buf;
}

void draw_header(const struct frame *f, struct canvas *cv, struct rect at)
{
	char what[160], about[96];

	if (rect_empty(at))
		return;
	int end = draw_badges(f, cv, at.x + at.w, at.x + 8, at.y);
	int x = draw_tabs(f, cv, at) + 1;
	if (f->screen != SCREEN_LIVE || !f->run || !f->wl)
		return;
	subject(f, about, sizeof(about));
	int w = *about ? text_width(about) + 2 : 0;
	if (w && end - x >= w + 24)
		end = canvas_right(cv, end - 1, at.y, w, STYLE_STRONG, about) - 1;
	const struct run_header *h = f->run->header;
	test_text(f->live->test < h->nr_planned ? h->planned[f->live->test].kind : TEST_BLOCK, f->wl, what, sizeof(what));
	x = canvas_textn(cv, x, at.y, end - x, STYLE_TEXT, what);
	if (end - x > 8) {
		x = canvas_text(cv, x, at.y, STYLE_LABEL, " · ");
		canvas_textn(cv, x, at.y, end - x, STYLE_LABEL, f->run->header->target);
	}
}

/* --- the last line --- */

static bool in_bar(const struct frame *f, const struct keymap_row *row, int rank)
{
	return *row->bar && row->rank <= rank && keymap_applies(row, f->keys);
}

/* Columns of a key with its word, and the gap behind it. */
static int key_width(const struct keymap_row *row)
{
	return text_width(row->name) + 1 + text_width(row->bar) + 2;
}

/* Keys up to which rank have room in @p w columns. */
static int bar_rank(const struct frame *f, int w)
{
	int rank = 10, used;

	do {
		rank--;
		used = 9; /* 1-5 Go */
		for (const struct keymap_row *row = keymap; row->action; row++)
			used += in_bar(f, row, rank) ? key_width(row) : 0;
	} while (rank > 0 && used > w - 1);
	return rank;
}

enum action key_bar_action(const struct frame *f, int w, int x)
{
	int rank = bar_rank(f, w), from = 1;

	if (*f->message)
		return ACT_NONE;
	for (const struct keymap_row *row = keymap; row->action; row++) {
		if (!in_bar(f, row, rank))
			continue;
		if (x >= from && x < from + key_width(row) - 2) {
			/* "[ ]" are two */
			bool pair = strlen(row->name) == 3 && row->name[1] == ' ';
			struct key k = { .code = (unsigned char)row->name[x - from < 2 ? 0 : 2] };
			return pair ? keymap_action(k, f->keys) : row->action;
		}
		from += key_width(row);
	}
	return ACT_NONE;
}

void draw_keys(const struct frame *f, struct canvas *cv, struct rect at)
{
	int x = at.x + 1, rank = bar_rank(f, at.w);

	if (rect_empty(at))
		return;
	if (*f->message) {
		canvas_textn(cv, x, at.y, at.w - 2, f->message_bad ? STYLE_ERROR : STYLE_WARN, f->message);
		return;
	}
	for (const struct keymap_row *row = keymap; row->action; row++) {
		if (!in_bar(f, row, rank))
			continue;
		x = canvas_text(cv, x, at.y, STYLE_KEY, row->name) + 1;
		x = canvas_text(cv, x, at.y, STYLE_LABEL, row->bar) + 2;
	}
	if (x + 6 <= at.x + at.w) {
		x = canvas_text(cv, x, at.y, STYLE_KEY, "1-5") + 1;
		canvas_text(cv, x, at.y, STYLE_LABEL, "Go");
	}
}

/* --- progress --- */

static void test_label(const struct frame *f, char *buf, size_t size)
{
	const struct run_header *h = f->run->header;
	const struct live *l = f->live;

	buf[0] = 0;
	if (!l->any || l->test >= h->nr_planned)
		return;
	const struct planned *p = &h->planned[l->test];
	size_t n = 0;
	if (h->nr_planned > 1)
		n = (size_t)snprintf(buf, size, "%u/%u %s", l->test + 1, h->nr_planned, p->name);
	if (p->repeats > 1 && n < size)
		snprintf(buf + n, size - n, "%srepeat %u/%u", n ? " " : "", l->repeat + 1, p->repeats);
}

static const char *state_text(const struct frame *f, char *buf, size_t size)
{
	char left[FMT_LEN];

	if (f->run->end != RUN_RUNNING)
		snprintf(buf, size, "%s%s%s", run_end_name(f->run->end), *f->run->end_text ? ": " : "",
			 f->run->end_text);
	else if (f->paused)
		snprintf(buf, size, "paused: x asks");
	else if (!f->live->any)
		snprintf(buf, size, "starting");
	else if (f->live->layout)
		snprintf(buf, size, "laying out the file");
	else if (!isnan(f->live->test_left_s)) {
		unsigned more = f->run->header->nr_planned - f->live->test - 1;
		int n = snprintf(buf, size, "%s left", fmt_duration(left, ceil(f->live->test_left_s)));
		if (more && n > 0)
			snprintf(buf + n, size - (size_t)n, ", then %u more test%s", more, more > 1 ? "s" : "");
	} else if (isnan(f->live->run_left_s))
		snprintf(buf, size, "%s so far%s", fmt_duration(left, floor(f->live->now_s)),
			 isnan(f->live->run_share) ? "; x ends it" : "");
	else
		snprintf(buf, size, "%s left", fmt_duration(left, ceil(f->live->run_left_s)));
	return buf;
}

/* A line that is heavy as far as the run has come, in halves of a cell. */
static void draw_track(struct canvas *cv, int x, int y, int w, double share)
{
	int halves = share > 0 ? (int)lround(fmin(share, 1) * w * 2) : 0;

	for (int i = 0; i < w; i++, halves -= 2) {
		canvas_put(cv, x + i, y,
			   halves >= 2   ? 0x2501
			   : halves == 1 ? 0x2578
					 : 0x2500,
			   halves > 0 ? style_grad(GRAD_RATE, 0.6) : STYLE_METER);
	}
}

int draw_share(struct canvas *cv, int x, int y, int w, double share)
{
	if (isnan(share))
		return x;
	draw_track(cv, x, y, w, share);
	canvas_printf(cv, x + w + 2, y, STYLE_STRONG, "%3.0f %%", floor(fmin(share, 1) * 100));
	return x + w + 9;
}

void draw_progress(const struct frame *f, struct canvas *cv, struct rect at)
{
	char state[320], test[96];
	int end = at.x + at.w - 1;
	unsigned style;

	if (rect_empty(at) || !f->run)
		return;
	const char *verdict = verdict_text(f->verdict, &style);
	if (*verdict) {
		int w = text_width(verdict) + 2;
		canvas_printf(cv, end - w, at.y, style, " %s ", verdict);
		end -= w + 1;
		if (at.w >= 70) {
			const char *so_far = f->run->end == RUN_RUNNING ? "so far" : "verdict";
			end = canvas_right(cv, end, at.y, 8, STYLE_LABEL, so_far) - 2;
		}
	}
	double share = f->run->end == RUN_DONE ? 1 : f->live->any ? f->live->run_share : 0;
	/* of several tests their names are worth more than the bar's length */
	bool several = f->run->header->nr_planned > 1;
	int bar = at.w >= 150 ? 48 : at.w >= 100 || (at.w >= 70 && !several) ? 28 : at.w / (several ? 6 : 4), x = at.x + 1;
	x = draw_share(cv, x, at.y, bar, share);
	state_text(f, state, sizeof(state));
	unsigned how = f->run->end == RUN_ERROR     ? STYLE_ERROR
		       : f->run->end == RUN_RUNNING ? STYLE_TEXT
						    : STYLE_STRONG;
	x = canvas_textn(cv, x, at.y, end - x, how, state) + 3;
	test_label(f, test, sizeof(test));
	canvas_textn(cv, x, at.y, end - x, STYLE_LABEL, test);
}

/* --- the smallest sizes --- */

void draw_summary(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct live *l = f->live;
	char iops[FMT_LEN], bw[FMT_LEN], lat[FMT_LEN], text[160];
	unsigned style;

	if (rect_empty(at))
		return;
	if (!f->run || !l->any) {
		canvas_textn(cv, at.x, at.y, at.w, STYLE_TEXT, f->run ? "starting" : "ebscope");
		return;
	}
	fmt_iops(iops, l->iops_now);
	fmt_bw(bw, l->bw_now);
	fmt_lat(lat, f->run->last.p99 ? (double)f->run->last.p99 : NAN);
	if (at.h == 1) {
		const char *verdict = verdict_text(f->verdict, &style);
		snprintf(text, sizeof(text), "%s IOPS %s p99 %s %s", iops, bw, lat, verdict);
		canvas_textn(cv, at.x, at.y, at.w, STYLE_STRONG, text);
		return;
	}
	struct rect before = canvas_clip(cv, at);
	canvas_printf(cv, at.x, at.y, STYLE_STRONG, "%s IOPS", iops);
	canvas_text(cv, at.x, at.y + 1, STYLE_TEXT, bw);
	canvas_printf(cv, at.x, at.y + 2, STYLE_TEXT, "p99 %s", lat);
	canvas_text(cv, at.x, at.y + 3, STYLE_LABEL, state_text(f, text, sizeof(text)));
	canvas_unclip(cv, before);
}

void named_line(struct named_lines *l, const char *name, unsigned style, const char *fmt, ...)
{
	int label = l->label ? l->label : 8;
	char text[256];
	va_list ap;

	if (l->y >= l->at.h)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	canvas_textn(l->cv, l->at.x, l->at.y + l->y, label, STYLE_LABEL, name);
	canvas_textn(l->cv, l->at.x + label + 1, l->at.y + l->y, l->at.w - label - 1, style, text);
	l->y++;
}
