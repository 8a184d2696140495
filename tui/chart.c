/* SPDX-License-Identifier: MIT */
/* The half of plot.h that is no time plot: histograms, bars, gauges, tall digits. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/hist.h"
#include "engine/units.h"
#include "tui/plot.h"

static const uint32_t rising[] = { ' ', 0x2581, 0x2582, 0x2583, 0x2584, 0x2585, 0x2586, 0x2587, 0x2588 };
static const uint32_t growing[] = { ' ', 0x258f, 0x258e, 0x258d, 0x258c, 0x258b, 0x258a, 0x2589, 0x2588 };

void draw_bar(struct canvas *cv, int x, int y, int w, double share, enum ink ink, unsigned style)
{
	int eighths = share > 0 ? (int)lround(fmin(share, 1) * w * 8) : 0;

	if (share > 0 && eighths == 0)
		eighths = 1;
	for (int i = 0; i < w; i++, eighths -= 8) {
		int part = eighths > 8 ? 8 : eighths < 0 ? 0 : eighths;
		if (ink == INK_ASCII || cv->ascii)
			canvas_put(cv, x + i, y, part >= 4 ? '#' : '.', part >= 4 ? style : STYLE_METER);
		else if (part > 0)
			canvas_put(cv, x + i, y, growing[part], style);
	}
}

void draw_gauge(struct canvas *cv, int x, int y, int w, double share, enum ink ink, enum gradient g)
{
	int cells = share > 0 ? (int)ceil(fmin(share, 1) * w - 0.001) : 0;

	for (int i = 0; i < w; i++) {
		bool on = i < cells;
		uint32_t ch = ink == INK_ASCII || cv->ascii ? (on ? '#' : '.') : on ? 0x25a0 : 0x00b7;
		canvas_put(cv, x + i, y, ch, on ? style_grad(g, (i + 0.5) / w) : STYLE_METER);
	}
}

/* --- tall digits: three rows of half blocks, three columns and a gap each --- */

static const char *const tall[10][3] = {
	{ "█▀█", "█ █", "▀▀▀" }, { "▀█ ", " █ ", "▀▀▀" }, { "▀▀█", "█▀▀", "▀▀▀" }, { "▀▀█", " ▀█", "▀▀▀" },
	{ "█ █", "▀▀█", "  ▀" }, { "█▀▀", "▀▀█", "▀▀▀" }, { "█▀▀", "█▀█", "▀▀▀" }, { "▀▀█", "  █", "  ▀" },
	{ "█▀█", "█▀█", "▀▀▀" }, { "█▀█", "▀▀█", "▀▀▀" },
};

int digits_width(const char *figure)
{
	int w = 0;

	for (; *figure; figure++)
		w += *figure >= '0' && *figure <= '9' ? 4 : 2;
	return w > 0 ? w - 1 : 0;
}

static void draw_digit(struct canvas *cv, int x, int y, unsigned style, int digit)
{
	for (int row = 0; row < 3; row++) {
		const char *p = tall[digit][row];
		uint32_t ch;
		for (int i = 0; (ch = utf8_next(&p)); i++)
			if (ch != ' ')
				canvas_put(cv, x + i, y + row, ch, style);
	}
}

int draw_digits(struct canvas *cv, int x, int y, unsigned style, const char *figure)
{
	int from = x;

	for (; *figure; figure++) {
		if (*figure >= '0' && *figure <= '9') {
			draw_digit(cv, x, y, style, *figure - '0');
			x += 4;
		} else {
			canvas_put(cv, x, y + 2,
				   *figure == ','   ? 0x2597
				   : *figure == '.' ? 0x2584
						    : (unsigned char)*figure,
				   style);
			x += 2;
		}
	}
	return x - from;
}

/* --- latency --- */

static uint64_t bin_ios(const struct device_lat *d, unsigned i)
{
	return d->bin[i].ios[DDIR_READ] + d->bin[i].ios[DDIR_WRITE];
}

/* The power of ten of ns; a bin from 0 begins a decade below the first microsecond. */
static double bin_log(uint64_t us)
{
	return us ? log10((double)us * 1e3) : 2;
}

/* The decades that hold everything, as powers of ten of ns: at least one and a half. */
static bool decades(const struct lat_plot *p, double *from, double *to)
{
	unsigned first = p->nr, last = 0;

	for (unsigned i = 0; i < p->nr; i++) {
		if (!p->count[i])
			continue;
		first = i < first ? i : first;
		last = i;
	}
	double lo = INFINITY, hi = -INFINITY;
	if (first < p->nr) {
		lo = log10(fmax((double)p->low(first), 1));
		hi = log10(fmax((double)p->low(last + 1), 2));
	}
	for (unsigned i = 0; p->device && i < p->device->n; i++) {
		if (!bin_ios(p->device, i))
			continue;
		lo = fmin(lo, bin_log(p->device->bin[i].lower_us));
		hi = fmax(hi, bin_log(p->device->bin[i].upper_us));
	}
	if (isinf(lo))
		return false;
	*from = floor(lo * 2) / 2; /* half decades: 1, 3, 10, 30 … */
	*to = ceil(hi * 2) / 2;
	if (*to - *from < 1.5)
		*to = *from + 1.5;
	return true;
}

#define COLUMNS_MAX 512

/* What lies between two powers of ten, evenly over the columns that they reach into. */
static void spread_one(double n, double lo, double hi, double *column, int w)
{
	for (int x = lo > 0 ? (int)lo : 0; x < w && x < hi; x++)
		column[x] += n * (fmin(hi, x + 1) - fmax(lo, x)) / (hi - lo);
}

static double tallest(const double *column, int w)
{
	double most = 0;

	for (int x = 0; x < w; x++)
		most = fmax(most, column[x]);
	return most;
}

/* Spread the buckets over the columns; a bucket that two share counts in each by its part. @return the
 * tallest */
static double spread(const struct lat_plot *p, double from, double to, double *column, int w)
{
	for (unsigned i = 0; i < p->nr; i++) {
		if (!p->count[i])
			continue;
		double lo = (log10(fmax((double)p->low(i), 1)) - from) / (to - from) * w;
		double hi = (log10(fmax((double)p->low(i + 1), 2)) - from) / (to - from) * w;
		spread_one((double)p->count[i], lo, hi, column, w);
	}
	return tallest(column, w);
}

/*
 * The device's own histogram as an outline: a line at the height of each column and down or up to the next. Over a
 * filled cell the line stands alone, so that both are seen.
 */
static void device_outline(struct canvas *cv, const struct lat_plot *p, struct rect at, double from, double to, int rows)
{
	static const uint8_t dots[4] = { 0x40 | 0x80, 0x04 | 0x20, 0x02 | 0x10, 0x01 | 0x08 }, left[4] = { 0x40, 0x04, 0x02, 0x01 };
	double column[COLUMNS_MAX] = { 0 };
	int before = 0;

	for (unsigned i = 0; i < p->device->n; i++)
		spread_one((double)bin_ios(p->device, i), (bin_log(p->device->bin[i].lower_us) - from) / (to - from) * at.w,
			   (bin_log(p->device->bin[i].upper_us) - from) / (to - from) * at.w, column, at.w);
	double most = tallest(column, at.w);
	for (int x = 0; x < at.w; x++) {
		int level = most > 0 && column[x] > 0 ? (int)ceil(column[x] / most * rows * 4) : 0;
		for (int row = 0; row < rows; row++) {
			uint8_t bits = 0;
			for (int i = 0; i < 4; i++) {
				int dot = row * 4 + i + 1;
				if (dot == level)
					bits |= dots[i];
				else if ((dot > before && dot < level) || (dot <= before && dot > level))
					bits |= left[i];
			}
			if (bits)
				canvas_put(cv, at.x + x, at.y + at.h - 1 - row,
					   p->ink == INK_BRAILLE && !cv->ascii ? 0x2800u + bits :
					   cv->ascii			       ? '=' :
									     0x2500,
					   STYLE_SAID);
		}
		before = level;
	}
}

/* Every step-th power of ten under the columns. @param cv NULL: nothing is drawn @return false: they have no room */
static bool latency_ticks(struct canvas *cv, struct rect at, double from, double to, int step)
{
	int free_from = at.x;
	char buf[FMT_LEN];

	for (double d = ceil(from - 1e-9); d <= to + 1e-9; d += step) {
		static const char *const units[] = { "ns", "µs", "ms", "s", "ks" };
		int power = (int)d < 0 ? 0 : (int)d;
		snprintf(buf, sizeof(buf), "%d %s",
			 power % 3 == 0   ? 1
			 : power % 3 == 1 ? 10
					  : 100,
			 units[power / 3 > 4 ? 4 : power / 3]);
		int w = text_width(buf), x = at.x + (int)lround((d - from) / (to - from) * at.w) - w / 2, end = at.x + at.w - w;
		if (x > end && end < free_from) /* the last stays away from the edge */
			return true;
		x = x < at.x ? at.x : x > end ? end : x;
		if (x < free_from)
			return false;
		if (cv)
			canvas_text(cv, x, at.y + at.h, STYLE_LABEL, buf);
		free_from = x + w + 1;
	}
	return true;
}

static void latency_axis(struct canvas *cv, struct rect at, double from, double to)
{
	int step = 1;

	while (step < to - from && !latency_ticks(NULL, at, from, to, step))
		step++;
	latency_ticks(cv, at, from, to, step);
}

/* A percentile: a head at the top and a thread down to the columns. */
static void latency_mark(struct canvas *cv, struct rect at, double ns, double from, double to, unsigned style)
{
	if (!(ns > 0))
		return;
	int x = (int)((log10(ns) - from) / (to - from) * at.w);
	x = x < 0 ? 0 : x >= at.w ? at.w - 1 : x;
	for (int row = 1; row < at.h; row++)
		if (canvas_at(cv, at.x + x, at.y + row).ch == ' ')
			canvas_put(cv, at.x + x, at.y + row, 0x250a, style);
	canvas_put(cv, at.x + x, at.y, 0x25bc, style);
}

/* Colours mean the same in every run: 100 µs is fast, a second is slow. */
static unsigned latency_style(double log_ns)
{
	return style_grad(GRAD_LAT, (log_ns - 5) / 4);
}

void plot_latency(struct canvas *cv, const struct lat_plot *p)
{
	struct rect at = p->at, before = canvas_clip(cv, p->at);
	double from, to, column[COLUMNS_MAX] = { 0 };

	if (at.h > 2)
		at.h--;
	at.w = at.w > COLUMNS_MAX ? COLUMNS_MAX : at.w;
	if (!rect_empty(at) && decades(p, &from, &to)) {
		double most = spread(p, from, to, column, at.w);
		int rows = at.h > 2 ? at.h - 1 : at.h; /* the top row is for the heads of the marks */
		for (int x = 0; x < at.w; x++) {
			int eighths = column[x] > 0 ? (int)ceil(column[x] / most * rows * 8) : 0;
			for (int row = at.h - 1; eighths > 0; row--, eighths -= 8) {
				int part = eighths > 8 ? 8 : eighths;
				canvas_put(cv, at.x + x, at.y + row,
					   cv->ascii ? (part > 3 ? '#' : '.') : rising[part],
					   latency_style(from + (x + 0.5) / at.w * (to - from)));
			}
		}
		if (p->device && p->device->n)
			device_outline(cv, p, at, from, to, rows);
		latency_mark(cv, at, p->p999, from, to, STYLE_P999);
		latency_mark(cv, at, p->p99, from, to, STYLE_P99);
		latency_mark(cv, at, p->p50, from, to, STYLE_P50);
		if (p->at.h > 2)
			latency_axis(cv, at, from, to);
	}
	canvas_unclip(cv, before);
}

/* --- rates seen --- */

/* One row of rates: how often, and the mean of what was seen in it. */
struct seen_row {
	double lo, hi, mean;
	uint64_t n;
};
#define SEEN_ROWS 128

/* Fill rows from the lowest up; what is over the edge counts in the highest. @return ticks in all */
static uint64_t seen_rows(const struct seen_plot *p, struct seen_row *row, int rows)
{
	double step = p->ymax / rows;
	uint64_t total = 0;

	for (int i = 0; i < rows; i++)
		row[i] = (struct seen_row){ step * i, i == rows - 1 ? INFINITY : step * (i + 1), 0, 0 };
	for (unsigned i = 0; i + 1 < p->nr; i++) {
		if (!p->count[i])
			continue;
		double middle = ((double)hist_low(i) + (double)hist_low(i + 1) - 1) / 2;
		int at = middle >= p->ymax ? rows - 1 : (int)(middle / step);
		at = at >= rows ? rows - 1 : at;
		row[at].n += p->count[i];
		row[at].mean += middle * p->count[i];
		total += p->count[i];
	}
	for (int i = 0; i < rows; i++)
		row[i].mean = row[i].n ? row[i].mean / (double)row[i].n : step * (i + 0.5);
	return total;
}

/* The limit that falls into a row, the one that is reached first. */
static const struct limit_line *limit_in(const struct seen_plot *p, struct seen_row r)
{
	const struct limit_line *found = NULL;

	for (size_t i = 0; i < p->nr_limits; i++)
		if (p->limit[i].value >= r.lo && p->limit[i].value < r.hi && (!found || p->limit[i].hit))
			found = &p->limit[i];
	return found;
}

/* Five digits at most, and of rates below one a second two decimals. */
static char *fmt_seen(char *buf, double v, double most)
{
	if (most >= 1 || v == 0)
		return v < 99999.5 ? fmt_iops(buf, v) : fmt_short(buf, v);
	snprintf(buf, FMT_LEN, "%.2f", v);
	return buf;
}

static void draw_seen_row(struct canvas *cv, const struct seen_plot *p, int y, const struct seen_row *r,
			  double of_most, double percent, double height)
{
	const struct limit_line *l = limit_in(p, *r);
	double unit = p->unit > 0 ? p->unit : 1;
	unsigned limit = l && l->hit ? STYLE_LIMIT_HIT : STYLE_LIMIT;
	int x = p->at.x, w = p->at.w;
	char buf[FMT_LEN];

	canvas_right(cv, x + 6, y, 6,
		     l      ? limit
		     : r->n ? STYLE_TEXT
			    : STYLE_FAINT,
		     fmt_seen(buf, r->mean / unit, p->ymax / unit));
	canvas_put(cv, x + 6, y, l ? 0x25b8 : r->n ? ' ' : 0x00b7, l ? limit : STYLE_FAINT);
	if (!r->n)
		return;
	draw_bar(cv, x + 7, y, w - 12, of_most, p->ink, style_grad(GRAD_SEEN, height));
	snprintf(buf, sizeof(buf), percent < 0.5 ? "<1 %%" : "%.0f %%", percent);
	canvas_right(cv, x + w, y, 5, STYLE_LABEL, buf);
}

void plot_seen(struct canvas *cv, const struct seen_plot *p)
{
	struct rect at = p->at, before = canvas_clip(cv, p->at);
	struct seen_row row[SEEN_ROWS];
	uint64_t most = 1;

	if (at.w > 12 && at.h > 0) {
		int rows = at.h > SEEN_ROWS ? SEEN_ROWS : at.h;
		uint64_t total = seen_rows(p, row, rows);
		for (int i = 0; i < rows; i++)
			most = row[i].n > most ? row[i].n : most;
		for (int i = 0; i < rows; i++)
			draw_seen_row(cv, p, at.y + rows - 1 - i, &row[i], (double)row[i].n / (double)most,
				      total ? 100.0 * (double)row[i].n / (double)total : 0, (i + 0.5) / rows);
	}
	canvas_unclip(cv, before);
}
