/* SPDX-License-Identifier: MIT */
#include "tui/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "tui/plot_parts.h"

#define BRAILLE 0x2800

/* Dots of a braille cell, from the bottom up: left column, right column. */
static const uint8_t dot[2][4] = { { 0x40, 0x04, 0x02, 0x01 }, { 0x80, 0x20, 0x10, 0x08 } };

int plot_gutter(int w)
{
	return w >= 120 ? 17 : w >= 90 ? 15 : w >= 60 ? 14 : w >= 44 ? 13 : 0;
}

struct rect plot_dots(struct rect at)
{
	int left = at.w >= 16 ? PLOT_LEFT : 0, below = at.h >= 6 ? 2 : at.h >= 4 ? 1 : 0;

	return (struct rect){ at.x + left, at.y, at.w - left - plot_gutter(at.w), at.h - below };
}

/* Height of a value in dots: 0 for a gap, else 1 to rows. */
static int level(double v, double ymax, int rows)
{
	if (isnan(v))
		return 0;
	double at = v / ymax * rows;
	return at < 1 ? 1 : at > rows ? rows : (int)lround(at);
}

static double value_at(const struct series *s, ptrdiff_t i)
{
	return i >= 0 && (size_t)i < s->n ? s->y[i] : NAN;
}

/* A line's dots in one column: its own height, and the jump from the column before it. */
struct run {
	int lo, hi; /* dot rows from 1, both included; hi 0: none */
};

static struct run line_run(const struct series *s, ptrdiff_t i, double ymax, int rows)
{
	double v = value_at(s, i), before = value_at(s, i - 1);
	int at = level(v, ymax, rows);

	if (at == 0 || v > ymax * 1.02)
		return (struct run){ 0, 0 };
	if (isnan(before))
		return (struct run){ at, at };
	int from = level(before, ymax, rows);
	/* the jump's corner belongs to the column before */
	return from < at   ? (struct run){ from + 1, at }
	       : from > at ? (struct run){ at, from - 1 }
			   : (struct run){ at, at };
}

/* Dots of one column, of those in the cell whose lowest dot row is base + 1. */
static uint8_t fill_bits(int col, int height, int base)
{
	uint8_t bits = 0;

	for (int i = 0; i < 4 && base + i < height; i++)
		bits |= dot[col][i];
	return bits;
}

static uint8_t run_bits(int col, struct run r, int base)
{
	uint8_t bits = 0;

	for (int i = 0; i < 4; i++)
		if (r.hi && base + i + 1 >= r.lo && base + i + 1 <= r.hi)
			bits |= dot[col][i];
	return bits;
}

/* One cell column's heights, in dots (braille) or cells' eighths. */
struct column {
	int fill[2], split[2];
	struct run model[2], ghost[2];
};

static struct column column_of(const struct time_plot *p, int x, int rows)
{
	struct column c;

	for (int k = 0; k < 2; k++) {
		ptrdiff_t i = 2 * (ptrdiff_t)x + k;
		c.fill[k] = level(value_at(&p->fill, i), p->ymax, rows);
		c.split[k] = p->split.n ? level(value_at(&p->split, i), p->ymax, rows) : rows;
		c.model[k] = line_run(&p->model, i, p->ymax, rows);
		c.ghost[k] = line_run(&p->ghost, i, p->ymax, rows);
	}
	return c;
}

/* What is seen of a cell lies below the split: up to its middle, or as far as it is filled at all. */
static bool in_split(const struct time_plot *p, const struct column *c, int middle)
{
	int split = c->split[0] + c->split[1], fill = c->fill[0] + c->fill[1];

	return !p->split.n || split >= 2 * middle || split >= fill;
}

static unsigned fill_style(const struct time_plot *p, const struct column *c, int base, int h, int row)
{
	double share = (h - row - 0.5) / h;

	return style_grad(in_split(p, c, base + 2) ? p->below : p->above, share);
}

#define LIMITS_DRAWN 16

/* A limit as dot rows see it. */
struct limit_row {
	int at; /* from 1; 0: not in the plot */
	bool hit;
};

struct limit_rows {
	struct limit_row row[LIMITS_DRAWN];
	size_t n;
};

static struct limit_rows limit_rows(const struct time_plot *p, int rows)
{
	struct limit_rows r = { .n = 0 };

	for (size_t i = 0; i + p->ghost_label < p->nr_limits && r.n < LIMITS_DRAWN; i++)
		if (p->limit[i].value <= p->ymax)
			r.row[r.n++] = (struct limit_row){ level(p->limit[i].value, p->ymax, rows),
							   p->limit[i].hit };
	return r;
}

/* The limits' dots in a cell, and their style; lines that are not reached are broken. */
static uint8_t limit_bits(const struct limit_rows *limits, int x, int base, unsigned *style)
{
	uint8_t bits = 0;

	for (size_t i = 0; i < limits->n; i++) {
		const struct limit_row *l = &limits->row[i];
		if (l->at <= base || l->at > base + 4 || (!l->hit && x % 2))
			continue;
		bits |= dot[0][l->at - base - 1] | dot[1][l->at - base - 1];
		if (*style != STYLE_LIMIT_HIT)
			*style = l->hit ? STYLE_LIMIT_HIT : STYLE_LIMIT;
	}
	return bits;
}

/*
 * One cell of dots. The area covers what is behind it; the model's line and the ghost go over it: as dots of
 * their own beside the area, as a line left out where the cell is full.
 */
static void braille_cell(struct canvas *cv, const struct time_plot *p, struct rect at, int x, int row,
			 const struct column *c, const struct limit_rows *limits)
{
	int base = (at.h - 1 - row) * 4;
	unsigned style = STYLE_TEXT, limit_style = STYLE_LIMIT;
	uint8_t fill = fill_bits(0, c->fill[0], base) | fill_bits(1, c->fill[1], base);
	uint8_t model = run_bits(0, c->model[0], base) | run_bits(1, c->model[1], base);
	uint8_t ghost = run_bits(0, c->ghost[0], base) | run_bits(1, c->ghost[1], base);
	uint8_t limit = limit_bits(limits, x, base, &limit_style);
	uint8_t bits;

	if (fill == 0xff) {
		bool covered = base + 4 < c->fill[0] || base + 4 < c->fill[1];
		bits = covered ? (uint8_t)(fill & ~(model | ghost)) : fill;
		style = fill_style(p, c, base, at.h, row);
	} else if (fill) {
		bits = fill | model;
		style = fill_style(p, c, base, at.h, row);
	} else {
		bits = model                                     ? model
		       : limit_style == STYLE_LIMIT_HIT && limit ? limit
		       : ghost                                   ? ghost
								 : limit;
		style = model                                     ? STYLE_MODEL
			: limit_style == STYLE_LIMIT_HIT && limit ? limit_style
			: ghost                                   ? STYLE_GHOST
								  : limit_style;
		if (model && limit_style == STYLE_LIMIT_HIT)
			bits |= limit;
	}
	if (bits)
		canvas_put(cv, at.x + x, at.y + row, BRAILLE + bits, style);
}

/* The same with one column a cell: eighths of a cell, or ASCII. */
static void block_cell(struct canvas *cv, const struct time_plot *p, struct rect at, int x, int row,
		       const struct column *c, const struct limit_rows *limits)
{
	static const uint32_t eighths[] = { ' ',    0x2581, 0x2582, 0x2583, 0x2584,
					    0x2585, 0x2586, 0x2587, 0x2588 };
	static const char ascii[] = { ' ', '.', '.', ':', ':', '+', '+', '#', '#' };
	int base = (at.h - 1 - row) * 8, both = c->fill[0] && c->fill[1] ? 2 : 1;
	int part = (c->fill[0] + c->fill[1]) / both - base;
	unsigned limit_style = STYLE_LIMIT;
	bool limit = false;

	for (size_t i = 0; i < limits->n; i++)
		if (limits->row[i].at > base && limits->row[i].at <= base + 8) {
			limit = true;
			limit_style = limits->row[i].hit ? STYLE_LIMIT_HIT : limit_style;
		}
	const struct run *m = &c->model[1], *g = &c->ghost[1];
	if (part > 0)
		canvas_put(cv, at.x + x, at.y + row,
			   p->ink == INK_ASCII ? (uint32_t)ascii[part > 8 ? 8 : part]
					       : eighths[part > 8 ? 8 : part],
			   style_grad(in_split(p, c, base + 4) ? p->below : p->above,
				      (at.h - row - 0.5) / at.h));
	else if (m->hi && m->hi > base && m->lo <= base + 8)
		canvas_put(cv, at.x + x, at.y + row, p->ink == INK_ASCII ? '=' : 0x2501, STYLE_MODEL);
	else if (limit)
		canvas_put(cv, at.x + x, at.y + row, limit_style == STYLE_LIMIT_HIT ? 0x2501 : 0x254c,
			   limit_style);
	else if (g->hi && g->hi > base && g->lo <= base + 8)
		canvas_put(cv, at.x + x, at.y + row, p->ink == INK_ASCII ? '~' : 0x2500, STYLE_GHOST);
}

/* Moments: a thread down to the area and a head at the top, its label beside it where nothing is in the way.
 */
static void draw_moments(struct canvas *cv, const struct time_plot *p, struct rect at)
{
	int free_from = 0;

	for (size_t i = 0; i < p->nr_moments; i++) {
		int x = plot_column(p, at, p->moment[i].t);
		if (x < 0 || x >= at.w)
			continue;
		for (int row = 1; row < at.h; row++) {
			uint32_t ch = canvas_at(cv, at.x + x, at.y + row).ch;
			if (ch == ' ')
				canvas_put(cv, at.x + x, at.y + row, 0x250a, STYLE_MARK);
		}
		canvas_put(cv, at.x + x, at.y, 0x25bc, STYLE_MARK);
		int w = p->moment[i].label ? text_width(p->moment[i].label) : 0;
		int next = i + 1 < p->nr_moments ? plot_column(p, at, p->moment[i + 1].t) : at.w;
		int from = x + 1 + w <= at.w ? x + 1 : x - w;
		if (w && from >= free_from && from >= 0 && (from < x || from + w <= next || next < x)) {
			canvas_text(cv, at.x + from, at.y, STYLE_MARK, p->moment[i].label);
			free_from = from + w + 1;
		}
	}
}

/* A limit's figure: whole I/Os, a decimal of small throughputs. */
static char *fmt_limit(char *buf, double v, double unit)
{
	if (unit <= 1 || v >= 99.95 || fabs(v - round(v)) < 0.05)
		return fmt_iops(buf, unit > 1 ? round(v) : v);
	snprintf(buf, FMT_LEN, "%.1f", v);
	return buf;
}

/*
 * A limit's label in @p w columns: its word goes on as long as it can, since a figure without one says too little. The
 * figure is shortened first, then the word; the figure alone is the last resort.
 */
static void limit_text(char *text, size_t size, const struct limit_line *l, const char *sign, const struct time_plot *p, int w)
{
	double unit = p->unit > 0 ? p->unit : 1;
	char full[FMT_LEN], few[FMT_LEN];
	int word = (int)strcspn(l->label, "|");

	fmt_limit(full, l->value / unit, unit);
	fmt_short(few, l->value / unit);
	if (p->fmt && l->value < unit) {
		p->fmt(full, l->value);
		p->fmt(few, l->value);
	}
	snprintf(text, size, "%s %.*s %s", sign, word, l->label, full);
	if (l->hit && text_width(text) <= w && w >= 13)
		return;
	for (const char *at = l->label; *at; at += word + (at[word] == '|')) {
		word = (int)strcspn(at, "|");
		for (int i = 0; i < 2; i++) {
			snprintf(text, size, "%s%.*s %s", sign, word, at, i ? few : full);
			if (text_width(text) <= w)
				return;
		}
	}
	snprintf(text, size, "%s%s", sign, full);
}

/* Labels of limits at the right, top down; two that fall on one row move apart, in order. */
static void draw_limit_labels(struct canvas *cv, const struct time_plot *p, struct rect at)
{
	int gutter = plot_gutter(p->at.w), last = -1, used = 0;
	bool done[16] = { false };
	size_t n = p->nr_limits < 16 ? p->nr_limits : 16;

	if (gutter == 0)
		return;
	/* of those above the edge only the nearest is worth a line */
	size_t near = n;
	for (size_t i = 0; i < n; i++)
		if (p->limit[i].value > p->ymax && (near == n || p->limit[i].value < p->limit[near].value))
			near = i;
	for (size_t i = 0; i < n; i++) {
		done[i] = !p->limit[i].label || (p->limit[i].value > p->ymax && i != near);
		used += !done[i];
	}
	if (used > at.h && near < n) { /* what is in the plot goes first */
		done[near] = true;
		used--;
	}
	for (size_t k = 0; k < n; k++) {
		size_t best = n;
		for (size_t i = 0; i < n; i++)
			if (!done[i] && (best == n || p->limit[i].value > p->limit[best].value))
				best = i;
		if (best == n || last + 1 >= at.h)
			return;
		const struct limit_line *l = &p->limit[best];
		done[best] = true;
		bool off = l->value > p->ymax;
		int row = off ? 0 : at.h - 1 - (level(l->value, p->ymax, at.h * 4) - 1) / 4;
		used--;
		row = row <= last ? last + 1 : row;
		row = row + used > at.h - 1 ? at.h - 1 - used : row; /* leave room for those below */
		row = row <= last ? last + 1 : row;
		last = row;
		char text[64];
		limit_text(text, sizeof(text), l, off ? "↑" : l->hit ? "◀" : "", p, gutter - 1);
		canvas_textn(cv, at.x + at.w + 1, at.y + row, gutter - 1,
			     l->hit			       ? STYLE_LIMIT_HIT
			     : best + p->ghost_label < p->nr_limits ? STYLE_LIMIT
								    : STYLE_GHOST, text);
	}
}

/* A band's label, or its first word where that is all that fits. */
static void band_label(struct canvas *cv, const struct band *b, int x, int y, int w)
{
	char word[32];
	const char *text = b->label;

	if (text_width(text) > w) {
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, " "), text);
		text = text_width(word) > w && strcmp(word, "baseline") == 0 ? "base" : word;
	}
	int width = text_width(text);
	if (width <= w)
		canvas_text(cv, x + (w - width) / 2, y, b->style, text);
	if (cv->ascii && w > width + 1) { /* a band shows without colours too */
		canvas_put(cv, x, y, '[', b->style);
		canvas_put(cv, x + w - 1, y, ']', b->style);
	}
}

static void draw_bands(struct canvas *cv, const struct time_plot *p, struct rect at)
{
	int y = at.y + at.h;

	for (size_t i = 0; i < p->nr_bands; i++) {
		const struct band *b = &p->band[i];
		int x0 = plot_column(p, at, b->t0), x1 = plot_column(p, at, b->t1);
		x0 = x0 < 0 ? 0 : x0;
		x1 = x1 > at.w ? at.w : x1 == x0 && x0 < at.w ? x0 + 1 : x1;
		if (x1 <= x0)
			continue;
		if (b->shade)
			canvas_shade(cv, (struct rect){ at.x + x0, at.y, x1 - x0, at.h }, b->shade);
		if (p->at.h < 6)
			continue;
		canvas_fill(cv, (struct rect){ at.x + x0, y, x1 - x0, 1 }, ' ', b->style);
		band_label(cv, b, at.x + x0, y, x1 - x0);
	}
}

/* Points, and their names below; of names that have no room beside the one before, the later ones stay away. */
static void draw_places(struct canvas *cv, const struct time_plot *p, struct rect at)
{
	int free_from[2] = { at.x - 1, at.x - 1 };

	for (size_t i = 0; i < p->nr_places; i++) {
		const struct place *k = &p->place[i];
		const char *text[2] = { k->label, k->below };
		int x = at.x + plot_column(p, at, k->t), height = (level(k->value, p->ymax, at.h * 4) + 3) / 4; /* the area's own row */
		if (height)
			canvas_put(cv, x, at.y + at.h - height, p->ink == INK_ASCII ? 'o' : 0x25cf,
				   k->chosen ? STYLE_SELECTED : STYLE_STRONG);
		for (int row = 0; row < 2 && row < p->at.h - at.h; row++) {
			int w = text[row] ? text_width(text[row]) : 0, from = x - w / 2;
			if (w && from >= free_from[row] && from + w <= p->at.x + p->at.w) {
				canvas_text(cv, from, at.y + at.h + row, k->chosen ? STYLE_STRONG : STYLE_LABEL, text[row]);
				free_from[row] = from + w + 1;
			}
		}
	}
}

static void draw_dots(struct canvas *cv, const struct time_plot *p, struct rect at)
{
	for (size_t i = 0; i < p->nr_dots; i++) {
		int x = plot_column(p, at, p->dot[i].t), row = (level(p->dot[i].value, p->ymax, at.h * 4) - 1) / 4;
		if (x >= 0 && x < at.w && !isnan(p->dot[i].value))
			canvas_put(cv, at.x + x, at.y + at.h - 1 - row, 0x25cf, STYLE_SAID);
	}
}

/* The ground between two limits, and what it means in its uppermost row; without grounds a pattern in what is blank. */
static void draw_between(struct canvas *cv, const struct time_plot *p, struct rect at)
{
	const struct between *b = p->between;
	char text[64];

	if (!b || !(b->lo < b->hi))
		return;
	int top = at.h - 1 - (level(b->hi, p->ymax, at.h * 4) - 1) / 4, bottom = at.h - 1 - (level(b->lo, p->ymax, at.h * 4) - 1) / 4;
	canvas_shade(cv, (struct rect){ at.x, at.y + top, at.w, bottom - top + 1 }, SHADE_BETWEEN);
	for (int row = top + 1; cv->ascii && row < bottom; row++)
		for (int x = row % 2; x < at.w; x += 2)
			if (canvas_at(cv, at.x + x, at.y + row).ch == ' ')
				canvas_put(cv, at.x + x, at.y + row, ':', STYLE_FAINT);
	snprintf(text, sizeof(text), "%s", b->label);
	if (text_width(text) > at.w - 2)
		text[strcspn(text, ":")] = 0;
	int y = top + (bottom > top);
	if (text_width(text) <= at.w - 2 && at.h >= 4)
		canvas_text(cv, at.x + 1, at.y + y, STYLE_WARN, text);
}

void plot_time(struct canvas *cv, const struct time_plot *p)
{
	struct rect at = plot_dots(p->at), before = canvas_clip(cv, p->at);
	bool braille = p->ink == INK_BRAILLE && !cv->ascii;

	if (!rect_empty(at) && p->ymax > 0 && p->t1 > p->t0) {
		struct limit_rows limits = limit_rows(p, at.h * (braille ? 4 : 8));
		for (int x = 0; x < at.w; x++) {
			struct column c = column_of(p, x, at.h * (braille ? 4 : 8));
			for (int row = 0; row < at.h; row++) {
				if (braille)
					braille_cell(cv, p, at, x, row, &c, &limits);
				else
					block_cell(cv, p, at, x, row, &c, &limits);
			}
		}
		draw_dots(cv, p, at);
		draw_moments(cv, p, at);
		draw_limit_labels(cv, p, at);
		plot_y_axis(cv, p, at);
		if (p->nr_places)
			draw_places(cv, p, at);
		else
			plot_time_axis(cv, p, at);
		draw_bands(cv, p, at);
		draw_between(cv, p, at);
	}
	canvas_unclip(cv, before);
}
