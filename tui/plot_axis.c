/* SPDX-License-Identifier: MIT */
/* The axes of a plot: where it ends, and round figures along its edges. */
#include "tui/plot_parts.h"

#include <math.h>
#include <stdio.h>

#include "engine/units.h"

int plot_column(const struct time_plot *p, struct rect at, double t)
{
	return (int)floor((t - p->t0) / (p->t1 - p->t0) * at.w + 1e-9);
}

double nice_above(double v)
{
	static const double steps[] = { 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };

	if (!(v > 0) || isinf(v))
		return 1;
	double power = pow(10, floor(log10(v)));
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (steps[i] * power >= v * 0.999999)
			return steps[i] * power;
	return 10 * power;
}

double plot_ymax(double data_max, const struct limit_line *limit, size_t nr_limits)
{
	double need = data_max > 0 && isfinite(data_max) ? data_max : 0, lowest = INFINITY;

	for (size_t i = 0; i < nr_limits; i++)
		if (limit[i].value > 0 && limit[i].value < lowest)
			lowest = limit[i].value;
	if (isfinite(lowest) && lowest > need && need < lowest * 1e6)
		need = need > 0 && lowest > need * 8 ? need : lowest;
	for (bool grown = true; grown;) {
		grown = false;
		for (size_t i = 0; i < nr_limits; i++)
			if (limit[i].value > need && limit[i].value <= need * 1.6) {
				need = limit[i].value;
				grown = true;
			}
	}
	return nice_above(need * 1.06);
}

char *fmt_axis_time(char *buf, double seconds)
{
	long s = lround(seconds);

	if (seconds <= -0.05) {
		char after[FMT_LEN];
		snprintf(buf, FMT_LEN, "-%.*s", FMT_LEN - 2, fmt_axis_time(after, -seconds));
	} else if (seconds < 0.05)
		snprintf(buf, FMT_LEN, "0");
	else if (seconds < 10 && fabs(seconds - (double)s) > 0.01)
		snprintf(buf, FMT_LEN, "%.1fs", seconds);
	else if (s < 60)
		snprintf(buf, FMT_LEN, "%lds", s);
	else if (s < 3600)
		snprintf(buf, FMT_LEN, s % 60 ? "%ldm%02lds" : "%ldm", s / 60, s % 60);
	else if (s < 86400)
		snprintf(buf, FMT_LEN, s % 3600 ? "%ldh%02ldm" : "%ldh", s / 3600, s % 3600 / 60);
	else
		snprintf(buf, FMT_LEN, s % 86400 ? "%ldd%02ldh" : "%ldd", s / 86400, s % 86400 / 3600);
	return buf;
}

/*
 * The axis is divided evenly up to its edge, into at most @p most parts: as many as have the roundest steps (1, 2 and 5),
 * or steps that are still short to write where those would be half as many.
 */
static double round_step(double top, int most)
{
	static const double steps[] = { 1, 2, 5, 1.2, 1.5, 2.5, 3, 4, 6, 8 };
	int parts[2] = { 0 };

	for (int n = most; n > 0; n--) {
		double figure = top / n / pow(10, floor(log10(top / n) + 1e-9));
		for (int i = 0; i < (int)(sizeof(steps) / sizeof(*steps)); i++)
			if (fabs(figure - steps[i]) < 1e-6 && !parts[i >= 3])
				parts[i >= 3] = n;
	}
	int n = parts[0] > 1 && 2 * parts[0] >= parts[1] ? parts[0] : parts[parts[1] > parts[0]];
	return n ? top / n : nice_above(top / most);
}

/* At least two rows apart; the higher the plot, the further. */
void plot_y_axis(struct canvas *cv, const struct time_plot *p, struct rect at)
{
	double unit = p->unit > 0 ? p->unit : 1, top = p->ymax / unit;
	double step = round_step(top, at.h >= 24 ? 6 : at.h >= 16 ? at.h / 4 : at.h >= 9 ? at.h / 3 : at.h >= 4 ? 2 : 1);
	bool hundredths = step < 1 && fabs(step * 10 - round(step * 10)) > 1e-6;
	int last = at.h + 1;
	char buf[FMT_LEN];

	if (at.x - p->at.x < PLOT_LEFT)
		return;
	for (double v = 0; v <= top * 1.0001; v += step) {
		int row = at.h - 1 - (int)(v / top * at.h * 0.9999);
		if (row > last - (at.h >= 4 ? 2 : 1) || row < 0)
			continue;
		if (hundredths && v > 0)
			snprintf(buf, sizeof(buf), "%.2f", v);
		else
			fmt_short(buf, v);
		canvas_right(cv, at.x - 1, at.y + row, PLOT_LEFT - 1, STYLE_LABEL, buf);
		last = row;
	}
}

/* What the axis says of a moment, and the moment of which it says that. */
static double axis_of(const struct time_plot *p, double t)
{
	double scale = p->scale > 0 ? p->scale : 1, from = 0, at = 0;

	for (size_t i = 0; i < p->nr_pace && p->pace[i].t < t; i++) {
		at += (p->pace[i].t - from) * scale;
		from = p->pace[i].t;
		scale = p->pace[i].scale;
	}
	return at + (t - from) * scale;
}

static double moment_of(const struct time_plot *p, double axis)
{
	double scale = p->scale > 0 ? p->scale : 1, from = 0, at = 0;

	for (size_t i = 0; i < p->nr_pace; i++) {
		double next = at + (p->pace[i].t - from) * scale;
		if (next >= axis)
			break;
		at = next;
		from = p->pace[i].t;
		scale = p->pace[i].scale;
	}
	return from + (axis - at) / scale;
}

void plot_time_axis(struct canvas *cv, const struct time_plot *p, struct rect at)
{
	static const double steps[] = { 0.5, 1,    2,    5,    10,   20,    30,    60,    120,   300,
					600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800 };
	double from = axis_of(p, p->t0), to = axis_of(p, p->t1), step = steps[0];
	int y = at.y + at.h + (p->at.h >= 6 ? 1 : 0), free_from = p->at.x;
	char buf[FMT_LEN];

	if (p->at.h < 4)
		return;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		step = steps[i];
		if ((to - from) / step * 10 <= at.w)
			break;
	}
	while ((to - from) / step * 10 > at.w)
		step *= 2;
	for (double t = ceil(from / step - 1e-6) * step; t <= to * 1.000001; t += step) {
		int w = text_width(fmt_axis_time(buf, t)),
		    x = at.x + plot_column(p, at, moment_of(p, t)) - (t > 0 ? w / 2 : 0);
		x = x + w > at.x + at.w ? at.x + at.w - w : x;
		if (x < free_from)
			continue;
		canvas_text(cv, x, y, STYLE_LABEL, buf);
		free_from = x + w + 1;
	}
}
