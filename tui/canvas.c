/* SPDX-License-Identifier: MIT */
#include "tui/canvas.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDE 10000

static const struct cell blank = { .ch = ' ', .style = STYLE_TEXT, .shade = SHADE_NONE };

struct rect rect_cross(struct rect a, struct rect b)
{
	int x0 = a.x > b.x ? a.x : b.x, y0 = a.y > b.y ? a.y : b.y;
	int x1 = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w;
	int y1 = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;

	return (struct rect){ x0, y0, x1 > x0 ? x1 - x0 : 0, y1 > y0 ? y1 - y0 : 0 };
}

int canvas_resize(struct canvas *cv, int w, int h, struct err *err)
{
	if (w < 1 || h < 1 || w > MAX_SIDE || h > MAX_SIDE)
		return err_set(err, ERR_USAGE, "%dx%d is no screen size (1x1 to %dx%d)", w, h, MAX_SIDE,
			       MAX_SIDE);
	struct cell *cell = malloc((size_t)w * (size_t)h * sizeof(*cell));
	if (!cell)
		return err_set(err, ENOMEM, "a screen of %dx%d: out of memory", w, h);
	free(cv->cell);
	cv->w = w;
	cv->h = h;
	cv->cell = cell;
	canvas_clear(cv);
	return 0;
}

int canvas_init(struct canvas *cv, int w, int h, struct err *err)
{
	*cv = (struct canvas){ 0 };
	return canvas_resize(cv, w, h, err);
}

void canvas_release(struct canvas *cv)
{
	free(cv->cell);
	*cv = (struct canvas){ 0 };
}

void canvas_clear(struct canvas *cv)
{
	cv->clip = (struct rect){ 0, 0, cv->w, cv->h };
	for (int i = 0; i < cv->w * cv->h; i++)
		cv->cell[i] = blank;
}

bool canvas_equal(const struct canvas *a, const struct canvas *b)
{
	if (a->w != b->w || a->h != b->h)
		return false;
	for (int i = 0; i < a->w * a->h; i++) {
		const struct cell *p = &a->cell[i], *q = &b->cell[i];
		if (p->ch != q->ch || p->style != q->style || p->shade != q->shade)
			return false;
	}
	return true;
}

struct rect canvas_clip(struct canvas *cv, struct rect at)
{
	struct rect before = cv->clip;

	cv->clip = rect_cross(before, at);
	return before;
}

void canvas_unclip(struct canvas *cv, struct rect before)
{
	cv->clip = before;
}

static struct cell *cell_at(const struct canvas *cv, int x, int y)
{
	return &cv->cell[y * cv->w + x];
}

/* Half of a wide character that is overwritten leaves a blank in place of its other half. */
static void unpair(struct canvas *cv, int x, int y)
{
	struct cell *c = cell_at(cv, x, y);

	if (c->ch == 0 && x > 0)
		c[-1].ch = ' ';
	else if (x + 1 < cv->w && c[1].ch == 0)
		c[1].ch = ' ';
}

void canvas_put(struct canvas *cv, int x, int y, uint32_t ch, unsigned style)
{
	if (ch < 0x20 || (ch >= 0x7f && ch < 0xa0))
		ch = '?';
	int width = char_width(ch);
	if (cv->ascii && ch > 0x7e) {
		ch = ascii_like(ch);
		if (width == 2)
			canvas_put(cv, x + 1, y, ' ', style);
		width = width ? 1 : 0;
	}
	if (width == 0 || !rect_has(cv->clip, x, y) || !rect_has(cv->clip, x + width - 1, y))
		return;
	struct cell *c = cell_at(cv, x, y);
	unpair(cv, x, y);
	c->ch = ch;
	c->style = (uint8_t)style;
	if (width == 2) {
		unpair(cv, x + 1, y);
		c[1].ch = 0;
		c[1].style = (uint8_t)style;
	}
}

struct cell canvas_at(const struct canvas *cv, int x, int y)
{
	return rect_has((struct rect){ 0, 0, cv->w, cv->h }, x, y) ? *cell_at(cv, x, y) : blank;
}

void canvas_fill(struct canvas *cv, struct rect at, uint32_t ch, unsigned style)
{
	struct rect r = rect_cross(at, cv->clip);

	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			canvas_put(cv, x, y, ch, style);
}

void canvas_shade(struct canvas *cv, struct rect at, enum shade shade)
{
	struct rect r = rect_cross(at, cv->clip);

	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			cell_at(cv, x, y)->shade = (uint8_t)shade;
}

int canvas_text(struct canvas *cv, int x, int y, unsigned style, const char *text)
{
	for (uint32_t ch; (ch = utf8_next(&text));) {
		int width = char_width(ch);
		if (width)
			canvas_put(cv, x, y, ch, style);
		x += width;
	}
	return x;
}

int canvas_textn(struct canvas *cv, int x, int y, int w, unsigned style, const char *text)
{
	if (w <= 0)
		return x;
	if (text_width(text) <= w)
		return canvas_text(cv, x, y, style, text);
	int end = x + w - 1;
	for (uint32_t ch; (ch = utf8_next(&text));) {
		int width = char_width(ch);
		if (x + width > end)
			break;
		if (width)
			canvas_put(cv, x, y, ch, style);
		x += width;
	}
	canvas_put(cv, x, y, 0x2026, style);
	return x + 1;
}

int canvas_right(struct canvas *cv, int end, int y, int w, unsigned style, const char *text)
{
	int width = text_width(text);
	int x = end - (width < w ? width : w);

	canvas_textn(cv, x, y, w, style, text);
	return x;
}

int canvas_printf(struct canvas *cv, int x, int y, unsigned style, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return canvas_text(cv, x, y, style, text);
}

void canvas_frame(struct canvas *cv, struct rect at, unsigned style)
{
	int right = at.x + at.w - 1, low = at.y + at.h - 1;

	if (at.w < 2 || at.h < 2)
		return;
	canvas_fill(cv, (struct rect){ at.x + 1, at.y, at.w - 2, 1 }, 0x2500, style);
	canvas_fill(cv, (struct rect){ at.x + 1, low, at.w - 2, 1 }, 0x2500, style);
	canvas_fill(cv, (struct rect){ at.x, at.y + 1, 1, at.h - 2 }, 0x2502, style);
	canvas_fill(cv, (struct rect){ right, at.y + 1, 1, at.h - 2 }, 0x2502, style);
	canvas_put(cv, at.x, at.y, 0x256d, style);
	canvas_put(cv, right, at.y, 0x256e, style);
	canvas_put(cv, at.x, low, 0x2570, style);
	canvas_put(cv, right, low, 0x256f, style);
}

int canvas_dump(const struct canvas *cv, FILE *out)
{
	for (int y = 0; y < cv->h; y++) {
		int last = cv->w;
		while (last > 0 && cell_at(cv, last - 1, y)->ch == ' ')
			last--;
		for (int x = 0; x < last; x++) {
			char bytes[4];
			uint32_t ch = cell_at(cv, x, y)->ch;
			if (ch)
				fwrite(bytes, 1, (size_t)utf8_put(bytes, ch), out);
		}
		putc('\n', out);
	}
	return ferror(out) ? -1 : 0;
}
