/* SPDX-License-Identifier: MIT */
/* Setup's small plots over time: a volume's credits, and what bursts among all that could be bought. */
#include <math.h>
#include <stdio.h>

#include "engine/units.h"
#include "tui/panel.h"
#include "tui/view_setup.h"

#define DOTS_MAX 1024

static int dots_of(struct rect at)
{
	int n = 2 * plot_dots(at).w;

	return n < 0 ? 0 : n > DOTS_MAX ? DOTS_MAX : n;
}

void draw_cycle(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct expectation *e = &f->setup->expect;
	double percent[DOTS_MAX], length = e->burst_s + e->bucket[0].refill_s;
	char a[FMT_LEN], right[48], spent[48], full[64];

	if (e->bucket[0].bytes)
		fmt_size(right, e->bucket[0].capacity);
	else
		snprintf(right, sizeof(right), "%s I/Os", fmt_short(a, e->bucket[0].capacity));
	struct rect in = panel(cv, at, STYLE_FRAME_SIDE, "Credits", STYLE_LABEL, right);
	if (rect_empty(in))
		return;
	int n = dots_of(in);
	for (int i = 0; i < n; i++) {
		double t = (i + 0.5) / n * length;
		percent[i] = t < e->burst_s ? 100 * (1 - t / e->burst_s) : 100 * (t - e->burst_s) / e->bucket[0].refill_s;
	}
	snprintf(spent, sizeof(spent), "spent in %s", fmt_duration(a, e->burst_s));
	snprintf(full, sizeof(full), "at rest full again in %s", fmt_duration(a, e->bucket[0].refill_s));
	const struct band band[] = { { 0, e->burst_s, spent, STYLE_BURST, SHADE_BURST },
				     { e->burst_s, length, full, STYLE_STEADY, SHADE_NONE } };
	const struct time_plot p = { .at = in,
				     .ink = f->ink,
				     .t1 = length,
				     .ymax = 100,
				     .fill = { percent, (size_t)n },
				     .below = GRAD_CREDIT,
				     .above = GRAD_CREDIT,
				     .band = band,
				     .nr_bands = 2 };
	plot_time(cv, &p);
}

/* One of them over the time that all are drawn over, under a line that names it. */
static void draw_burst(const struct frame *f, struct canvas *cv, struct rect at, const struct alternative *a,
		       double length)
{
	char spec[96], iops[FMT_LEN], time[FMT_LEN], lasts[48];
	double rate[DOTS_MAX];

	volume_spec(&a->v, spec, sizeof(spec));
	int x = canvas_textn(cv, at.x + 1, at.y, at.w - 2, STYLE_STRONG, spec) + 2;
	snprintf(lasts, sizeof(lasts), "%s IOPS for %s", fmt_iops(iops, a->burst.iops), fmt_duration(time, a->burst_s));
	canvas_textn(cv, x, at.y, at.x + at.w - 1 - x, STYLE_LABEL, lasts);
	at.y++;
	at.h--;
	int n = dots_of(at);
	for (int i = 0; i < n; i++)
		rate[i] = (i + 0.5) / n * length < a->burst_s ? a->burst.iops : a->baseline.iops;
	const struct limit_line limit = { a->baseline.iops, "base", false };
	const struct band band[] = { { 0, a->burst_s, "burst", STYLE_BURST, SHADE_BURST },
				     { a->burst_s, length, "baseline", STYLE_BASELINE, SHADE_NONE } };
	const struct time_plot p = { .at = at,
				     .ink = f->ink,
				     .t1 = length,
				     .ymax = nice_above(1.05 * a->burst.iops),
				     .fill = { rate, (size_t)n },
				     .below = GRAD_RATE,
				     .above = GRAD_RATE,
				     .limit = &limit,
				     .nr_limits = 1,
				     .band = band,
				     .nr_bands = 2 };
	plot_time(cv, &p);
}

void draw_bursts(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct setup_form *s = f->setup;
	struct rect in = panel(cv, at, STYLE_FRAME_RATE, "What bursts, and for how long", STYLE_LABEL,
			       "IOPS over the volume's time");
	double longest = 0;
	int n = 0, i = 0;

	for (size_t k = 0; k < s->nr_alternatives; k++)
		if (alternative_falls(&s->alternative[k])) {
			longest = fmax(longest, s->alternative[k].burst_s);
			n++;
		}
	if (rect_empty(in) || !n)
		return;
	int shown = in.w < 72 ? 1 : n < in.w / 36 ? n : in.w / 36, w = in.w / shown;
	for (size_t k = 0; k < s->nr_alternatives && i < shown; k++)
		if (alternative_falls(&s->alternative[k]))
			draw_burst(f, cv, (struct rect){ in.x + i++ * w, in.y, w - 1, in.h }, &s->alternative[k], 1.2 * longest);
}
