/* SPDX-License-Identifier: MIT */
/* The half of theme.h that turns styles into what a terminal can show. */
#include <math.h>
#include <stdbool.h>

#include "tui/theme.h"

static const struct {
	enum theme_key fg, bg;
	uint8_t attr, mono;
} styles[STYLE_NR] = {
#define X(name, fg, bg, attr, mono) [STYLE_##name] = { THEME_##fg, THEME_##bg, attr, mono },
	STYLE_TABLE(X)
#undef X
};

static const enum theme_key gradients[GRAD_NR][3] = {
	[GRAD_RATE] = { THEME_CPU_START, THEME_CPU_MID, THEME_CPU_END },
	[GRAD_READ] = { THEME_DOWNLOAD_START, THEME_DOWNLOAD_MID, THEME_DOWNLOAD_END },
	[GRAD_WRITE] = { THEME_UPLOAD_START, THEME_UPLOAD_MID, THEME_UPLOAD_END },
	[GRAD_LAT] = { THEME_TEMP_START, THEME_TEMP_MID, THEME_TEMP_END },
	[GRAD_CREDIT] = { THEME_AVAILABLE_START, THEME_AVAILABLE_MID, THEME_AVAILABLE_END },
	[GRAD_SEEN] = { THEME_CACHED_START, THEME_CACHED_MID, THEME_CACHED_END },
};

static const uint8_t tty[THEME_NR] = {
#define X(key, name, def, fallback, tty) [THEME_##key] = tty,
	THEME_TABLE(X)
#undef X
};

static const int32_t defaults[THEME_NR] = {
#define X(key, name, def, fallback, tty) [THEME_##key] = def,
	THEME_TABLE(X)
#undef X
};

static bool tty_is_grey(int color)
{
	return color == 0 || color == 7 || color == 8 || color == 15;
}

static int channel(int32_t rgb, int i)
{
	return rgb >> (16 - 8 * i) & 0xff;
}

/* Of xterm's 256 colours those that no user changes: a cube of 6x6x6, then 24 greys. */
static int32_t color_256(int i)
{
	static const uint8_t level[6] = { 0, 95, 135, 175, 215, 255 };

	if (i >= 232)
		return (8 + 10 * (i - 232)) * 0x10101;
	return level[(i - 16) / 36] << 16 | level[(i - 16) / 6 % 6] << 8 | level[(i - 16) % 6];
}

/* How unlike two colours look: in brightness and in hue, as video tells the two apart (Y'CbCr). */
static double unlike(int32_t a, int32_t b)
{
	double r = channel(a, 0) - channel(b, 0), g = channel(a, 1) - channel(b, 1), blue = channel(a, 2) - channel(b, 2);
	double y = 0.299 * r + 0.587 * g + 0.114 * blue, cb = 0.564 * (blue - y), cr = 0.713 * (r - y);

	return y * y + cb * cb + cr * cr;
}

int32_t rgb_to_256(int32_t rgb)
{
	int nearest = 16;

	if (rgb < 0)
		return RGB_NONE;
	for (int i = 17; i < 256; i++)
		if (unlike(rgb, color_256(i)) < unlike(rgb, color_256(nearest)))
			nearest = i;
	return nearest;
}

static int32_t blend(int32_t from, int32_t to, double share)
{
	int32_t rgb = 0;

	for (int i = 0; i < 3; i++)
		rgb = rgb << 8 |
		      (int32_t)lround(channel(from, i) + (channel(to, i) - channel(from, i)) * share);
	return rgb;
}

/* Step i of a gradient: over the middle where the theme has one; one colour where it has no end. */
static int32_t gradient_color(const struct theme *t, const enum theme_key *g, int i)
{
	int32_t start = t->color[g[0]], mid = t->color[g[1]], end = t->color[g[2]];
	double at = (double)i / (GRAD_STEPS - 1);

	if (end < 0)
		return start;
	if (mid < 0)
		return blend(start, end, at);
	return at < 0.5 ? blend(start, mid, at * 2) : blend(mid, end, at * 2 - 1);
}

static bool is_dark(const struct theme *t)
{
	int32_t bg = t->color[THEME_MAIN_BG];

	if (bg < 0) /* the terminal's own: dark if the text is light */
		return channel(t->color[THEME_MAIN_FG], 1) >= 128;
	return channel(bg, 0) + channel(bg, 1) + channel(bg, 2) < 3 * 128;
}

/* Which of red, yellow, green, cyan, blue and magenta it is, as the terminal counts them; 0: a grey. */
static int tty_hue(int32_t rgb)
{
	static const uint8_t hues[6] = { 1, 3, 2, 6, 4, 5 };
	int r = channel(rgb, 0), g = channel(rgb, 1), b = channel(rgb, 2);
	int max = r > g ? r : g, min = r < g ? r : g;
	double hue;

	max = b > max ? b : max;
	min = b < min ? b : min;
	if (max - min <= max * 2 / 5)
		return 0;
	double span = max - min;
	if (max == r)
		hue = (g - b) / span;
	else if (max == g)
		hue = 2 + (b - r) / span;
	else
		hue = 4 + (r - g) / span;
	return hues[(int)lround(hue + 6) % 6];
}

int theme_tty_color(const struct theme *t, enum theme_key key)
{
	static const struct { uint8_t below, color; } greys[] = { { 90, 0 }, { 170, 8 }, { 245, 7 } };
	int32_t rgb = t->color[key];
	bool dark = is_dark(t);

	if (rgb < 0 || rgb == defaults[key])
		return rgb < 0 && key == THEME_MAIN_BG && !dark ? 15 : tty[key];
	int hue = tty_hue(rgb);
	if (hue && dark)
		return hue | (tty[key] & 8);
	if (hue) /* yellow and cyan can't be read on white */
		return hue == 3 ? 1 : hue == 6 ? 4 : hue;
	if (dark)
		return tty_is_grey(tty[key]) ? tty[key] : 7;
	for (size_t i = 0; i < sizeof(greys) / sizeof(*greys); i++)
		if (channel(rgb, 1) < greys[i].below)
			return greys[i].color;
	return 15;
}

/* The ground of a shade: a breath of the phase's colour. Among 256 colours only greys are that near. */
static int32_t shade_color(const struct theme *t, enum shade shade, enum depth depth)
{
	bool dark = is_dark(t);
	int32_t bg = t->color[THEME_MAIN_BG];

	if (shade == SHADE_NONE)
		return depth == DEPTH_256 ? rgb_to_256(bg) : bg;
	if (depth == DEPTH_256) {
		int32_t ground = rgb_to_256(bg < 0 ? (dark ? 0 : 0xffffff) : bg);
		int step = shade == SHADE_BURST ? 1 : shade == SHADE_SETUP ? 2 : 3;
		if (dark)
			return ground >= 232 && ground < 250 ? ground + step : 232 + step;
		return ground >= 240 ? ground - step : 256 - step; /* on white: 255 is its next */
	}
	if (bg < 0)
		bg = dark ? 0 : 0xffffff;
	return shade == SHADE_BURST   ? blend(bg, t->color[THEME_BURST], 0.10)
	       : shade == SHADE_BETWEEN ? blend(bg, t->color[THEME_LIMIT], 0.16)
					: blend(bg, t->color[THEME_DIV_LINE], 0.35);
}

/* Black or white, whichever can be read on one of the 16. */
static int tty_ink(int bg)
{
	bool dark = bg == 0 || bg == 1 || bg == 4 || bg == 8;

	return dark ? 15 : 0;
}

/* Few colours: a fixed one a meaning, bright ones as bold where there are only eight. */
static struct paint tty_paint(int fg, int bg, uint8_t attr, enum depth depth)
{
	struct paint p = { fg, bg, attr };

	/* bold black is grey on many terminals, and a bold dark colour a bright one: not on a light ground */
	if (fg == 0 || (bg == 15 && fg < 8))
		p.attr &= (uint8_t)~ATTR_BOLD;
	if (depth == DEPTH_8) {
		if (fg == 8)
			p.attr = (uint8_t)((attr & ~ATTR_BOLD) | ATTR_DIM);
		else if (fg > 8 && bg == 0)
			p.attr = attr | ATTR_BOLD;
		p.fg = fg == 8 ? 7 : fg & 7;
		p.bg = bg == 8 ? 0 : bg & 7;
		if (p.fg == p.bg)
			p.fg = p.bg == 7 ? 0 : 7;
	}
	return p;
}

static struct paint style_paint(const struct theme *t, int style, enum shade shade, enum depth depth)
{
	int32_t fg, bg;
	uint8_t attr = 0, mono = 0;
	enum theme_key fg_key, bg_key = THEME_MAIN_BG;

	if (style < STYLE_NR) {
		fg_key = styles[style].fg;
		bg_key = styles[style].bg;
		attr = styles[style].attr;
		mono = styles[style].mono;
		fg = t->color[fg_key];
	} else {
		int step = (style - STYLE_NR) % GRAD_STEPS;
		const enum theme_key *g = gradients[(style - STYLE_NR) / GRAD_STEPS];
		fg_key = g[step * 3 / GRAD_STEPS];
		fg = gradient_color(t, g, step);
	}
	if (depth == DEPTH_MONO)
		return (struct paint){ -1, -1, mono };
	if (depth < DEPTH_256) {
		int ground = theme_tty_color(t, bg_key), ink = theme_tty_color(t, fg_key);
		ground = depth == DEPTH_8 && ground > 8 ? ground & 7 : ground;
		return tty_paint(bg_key == THEME_MAIN_BG ? ink : tty_ink(ground), ground, attr, depth);
	}
	bg = bg_key == THEME_MAIN_BG ? shade_color(t, shade, depth) : t->color[bg_key];
	if (fg_key == THEME_MAIN_BG && fg < 0) /* dark on a badge, where the ground is the terminal's own */
		fg = is_dark(t) ? 0 : 0xffffff;
	if (depth == DEPTH_256) {
		fg = rgb_to_256(fg);
		bg = bg_key == THEME_MAIN_BG ? bg : rgb_to_256(bg);
	}
	return (struct paint){ fg, bg, attr };
}

void palette_make(struct palette *p, const struct theme *t, enum depth depth)
{
	p->depth = depth;
	for (int s = 0; s < STYLE_ALL; s++)
		for (int h = 0; h < SHADE_NR; h++)
			p->paint[s][h] = style_paint(t, s, (enum shade)h, depth);
}
