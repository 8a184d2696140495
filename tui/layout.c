/* SPDX-License-Identifier: MIT */
#include "tui/layout.h"

/* Cut rows off the top, or columns off the left, of what is left. */
static struct rect take_rows(struct rect *from, int h)
{
	h = h > from->h ? from->h : h < 0 ? 0 : h;
	struct rect r = { from->x, from->y, from->w, h };

	from->y += h;
	from->h -= h;
	return r;
}

static struct rect take_cols(struct rect *from, int w)
{
	w = w > from->w ? from->w : w < 0 ? 0 : w;
	struct rect r = { from->x, from->y, w, from->h };

	from->x += w;
	from->w -= w;
	return r;
}

static int clamp(int v, int lo, int hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

/* Header, progress and key bar, where there are rows for them. @return what is left for panels */
static struct rect bars(int w, int h, bool progress, struct layout *l)
{
	struct rect body = { 0, 0, w, h };

	*l = (struct layout){ 0 };
	if (h < 2)
		return body;
	l->header = take_rows(&body, 1);
	if (h >= 4) {
		l->keys = (struct rect){ 0, h - 1, w, 1 };
		body.h--;
	}
	if (progress && h >= 7) {
		l->progress = (struct rect){ 0, h - 2, w, 1 };
		body.h--;
	}
	return body;
}

/* Large screens: series at the left, one over the other with one time axis; figures and histograms at the
 * right. */
static void live_wide(struct rect body, struct layout *l)
{
	struct rect left = take_cols(&body, body.w - clamp(body.w * 28 / 100, 36, 58)), right = body;
	int workers = clamp(left.h / 6, 4, 10);

	l->panel[PANEL_RATE] = take_rows(&left, (left.h - workers) * 48 / 100);
	l->panel[PANEL_BW] = take_rows(&left, (left.h - workers) / 2);
	l->panel[PANEL_LATTIME] = take_rows(&left, left.h - workers);
	l->panel[PANEL_WORKERS] = left;
	int now = right.h >= 44 ? 8 : 6, credits = clamp(right.h / 3, 8, 20);
	l->panel[PANEL_NOW] = take_rows(&right, now);
	l->panel[PANEL_CREDITS] = take_rows(&right, credits);
	int events = clamp(right.h / 6, 5, 12);
	l->panel[PANEL_LATENCY] = take_rows(&right, (right.h - events) / 2);
	l->panel[PANEL_SEEN] = take_rows(&right, right.h - events);
	l->panel[PANEL_EVENTS] = right;
}

/* 80 columns: three rows of panels. */
static void live_compact(struct rect body, struct layout *l)
{
	int side = clamp(body.w * 3 / 10, 26, 34), bottom = body.h >= 20   ? clamp(body.h / 4, 5, 10)
							    : body.h >= 17 ? 4
									   : 0;
	int middle = body.h >= 13 ? clamp((body.h - bottom) * 2 / 5, 6, 14) : 0;
	struct rect top = take_rows(&body, body.h - middle - bottom), mid = take_rows(&body, middle);

	l->panel[PANEL_RATE] = take_cols(&top, top.w - side);
	l->panel[PANEL_CREDITS] = top;
	if (middle) {
		int third = mid.w / 3;
		l->panel[PANEL_BW] = take_cols(&mid, mid.w - 2 * third);
		l->panel[PANEL_LATENCY] = take_cols(&mid, third);
		l->panel[PANEL_SEEN] = mid;
	}
	if (bottom) {
		l->panel[PANEL_WORKERS] = take_cols(&body, l->panel[PANEL_RATE].w);
		l->panel[PANEL_EVENTS] = body;
	}
}

/* Narrow: one below the other, as many as fit. */
static void live_narrow(struct rect body, struct layout *l)
{
	static const enum panel order[] = { PANEL_CREDITS, PANEL_LATENCY, PANEL_BW, PANEL_EVENTS };
	int extra = clamp((body.h - 7) / 7, 0, 4);

	l->panel[PANEL_RATE] = take_rows(&body, body.h - extra * 7);
	for (int i = 0; i < extra; i++)
		l->panel[order[i]] = take_rows(&body, 7);
}

/* One panel's room to another, where the two make one rectangle. */
static void give(struct layout *l, enum panel from, enum panel to)
{
	struct rect *a = &l->panel[from], *b = &l->panel[to];

	if (rect_empty(*a) || rect_empty(*b))
		return;
	if (a->x == b->x && a->w == b->w && (a->y + a->h == b->y || b->y + b->h == a->y)) {
		b->y = a->y < b->y ? a->y : b->y;
		b->h += a->h;
	} else if (a->y == b->y && a->h == b->h && (a->x + a->w == b->x || b->x + b->w == a->x)) {
		b->x = a->x < b->x ? a->x : b->x;
		b->w += a->w;
	} else {
		return;
	}
	*a = (struct rect){ 0 };
}

void layout_watch(struct layout *l, bool histogram)
{
	struct rect *rate = &l->panel[PANEL_RATE], *bw = &l->panel[PANEL_BW];
	bool wide = !rect_empty(l->panel[PANEL_LATTIME]);

	give(l, PANEL_LATTIME, PANEL_BW);
	if (wide) { /* shared by the two that are left */
		int all = rate->h + bw->h;
		rate->h = all * 55 / 100;
		bw->y = rate->y + rate->h;
		bw->h = all - rate->h;
	}
	if (!histogram)
		give(l, PANEL_LATENCY, PANEL_SEEN);
}

void layout_limits(struct layout *l, int rows)
{
	struct rect *latency = &l->panel[PANEL_LATENCY], *seen = &l->panel[PANEL_SEEN];
	int spare = l->panel[PANEL_CREDITS].h - rows;

	if (spare <= 0 || rect_empty(l->panel[PANEL_LATTIME]))
		return;
	l->panel[PANEL_CREDITS].h = rows;
	latency->y -= spare;
	latency->h += spare / 2;
	seen->y = latency->y + latency->h;
	seen->h += spare - spare / 2;
}

void layout_workers(struct layout *l, int n)
{
	static const enum panel plots[] = { PANEL_RATE, PANEL_BW, PANEL_LATTIME };
	struct rect *workers = &l->panel[PANEL_WORKERS];
	int spare = workers->h - n - 2, y = l->panel[PANEL_RATE].y;

	if (spare <= 0 || rect_empty(l->panel[PANEL_LATTIME]))
		return;
	for (int i = 0; i < 3; i++) {
		struct rect *plot = &l->panel[plots[i]];
		plot->y = y;
		plot->h += spare / 3 + (i < spare % 3);
		y += plot->h;
	}
	workers->y = y;
	workers->h -= spare;
}

void layout_live(int w, int h, struct layout *l)
{
	struct rect body = bars(w, h, true, l);

	if (body.h < 4 || body.w < 20) {
		l->summary = body;
		return;
	}
	if (body.w >= 110 && body.h >= 32)
		live_wide(body, l);
	else if (body.w >= 70)
		live_compact(body, l);
	else
		live_narrow(body, l);
}

/* Over and under the form: the list of targets, and what the test will do, as there is room. */
static void setup_left(struct rect left, const struct setup_rows *rows, struct layout *l)
{
	int form = clamp(rows->fields + 2, 3, left.h), spare = left.h - form;
	int list = clamp(rows->targets + 2, 5, spare / 2), about = spare >= 12 ? spare - list : 0;
	int limits = rows->limits && about - rows->limits - 3 >= rows->tests + 12 ? rows->limits + 3 : 0;

	if (spare < 3)
		form = left.h;
	l->panel[PANEL_TARGETS] = take_rows(&left, left.h - form - about);
	l->panel[PANEL_FORM] = take_rows(&left, form);
	int cycle = left.h - limits - rows->tests - 11;
	l->panel[PANEL_ABOUT] = take_rows(&left, left.h - limits - (rows->cycle && cycle >= 8 ? cycle : 0));
	l->panel[PANEL_CYCLE] = take_rows(&left, left.h - limits);
	l->panel[PANEL_LIMITS] = left;
}

/* What to expect, as words and as a curve; on large screens beside other volumes, and what was measured before. */
static void setup_right(struct rect right, const struct setup_rows *rows, struct layout *l)
{
	int beside = rows->beside + 3, expect = right.h >= 18 ? clamp(right.h * 45 / 100, 11, 12) : right.h;
	bool large = right.h >= 33, nothing = !rows->curve;

	if (nothing && right.h >= 18)
		expect = large ? 5 : 6;
	l->panel[PANEL_EXPECT] = take_rows(&right, expect);
	int before = right.h - beside - (nothing ? 0 : 14);
	before = before < 5 ? 0 : nothing ? before : clamp(before, 5, clamp(rows->before + 2, 5, 12));
	if (!nothing)
		l->panel[PANEL_CURVE] = take_rows(&right, large ? right.h - beside - before : right.h);
	l->panel[PANEL_BESIDE] = take_rows(&right, right.h - before);
	l->panel[PANEL_BEFORE] = right;
}

void layout_setup(int w, int h, const struct setup_rows *rows, struct layout *l)
{
	struct rect body = bars(w, h, false, l);

	if (body.h < 3 || body.w < 20) {
		l->summary = body;
		return;
	}
	if (body.w >= 70) {
		/* under both, where no curve takes the room: what else could be bought, over time */
		int rest = body.h - rows->fields - rows->targets - rows->tests - 15;
		if (!rows->curve && rows->bursts && body.w >= 150 && rest >= 10) {
			rest = clamp(rest, 10, 22);
			l->panel[PANEL_BURSTS] = (struct rect){ 0, body.y + body.h - rest, w, rest };
			body.h -= rest;
		}
		setup_left(take_cols(&body, clamp(body.w * 52 / 100, 44, 88)), rows, l);
		setup_right(body, rows, l);
		return;
	}
	int expect = body.h >= rows->fields + 2 + 8 ? body.h - rows->fields - 2 : 0;
	l->panel[PANEL_FORM] = take_rows(&body, body.h - expect);
	l->panel[PANEL_EXPECT] = body;
}

void layout_results(int w, int h, int tests, struct layout *l)
{
	struct rect body = bars(w, h, false, l);

	if (body.h < 3 || body.w < 20) {
		l->summary = body;
		return;
	}
	if (tests == 0) {
		l->panel[PANEL_RUNS] = body;
		return;
	}
	if (body.h < 12) {
		l->panel[PANEL_TESTS] = body;
		return;
	}
	struct rect left = body;
	if (body.w >= 110) {
		left = take_cols(&body, body.w * 62 / 100);
		l->panel[PANEL_RUNS] = body;
	}
	l->panel[PANEL_TESTS] = take_rows(&left, clamp(tests + 3, 4, left.h * 4 / 10));
	bool beside = !rect_empty(l->panel[PANEL_RUNS]);
	l->panel[PANEL_DETAIL] = take_rows(&left, beside ? left.h : left.h * 65 / 100);
	if (!beside)
		l->panel[PANEL_RUNS] = left;
}
