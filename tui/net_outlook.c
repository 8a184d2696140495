/* SPDX-License-Identifier: MIT */
#include "tui/net_outlook.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aws/netobs.h"
#include "engine/units.h"
#include "tui/panel.h"

#define DOTS_MAX 1024

/* The network's seconds that the test in the form takes; a test that ends by bytes: ten minutes. */
static double length_of(const struct net_setup *s)
{
	double seconds = s->params.time_s ? (double)(s->params.time_s + s->params.omit_s) : 600;

	return seconds * (s->simulated ? s->time_scale : 1);
}

static void say(const struct net_expect *e, double length, char *text, size_t size)
{
	char a[FMT_LEN], b[FMT_LEN];

	if (!(e->peak_bps > 1.02 * e->base_bps))
		snprintf(text, size, "Expected: %s for as long as one likes.", net_fmt_bps(a, net_expect_base(e)));
	else if (isnan(e->burst_s))
		snprintf(text, size, "Expected: a burst of 5 to 60 minutes, then %s.",
			 net_fmt_bps(a, net_expect_base(e)));
	else if (length > e->burst_s)
		snprintf(text, size, "Expected: %s for %s, then %s.", net_fmt_bps(a, net_expect_peak(e)),
			 fmt_duration(b, e->burst_s), net_fmt_bps((char[FMT_LEN]){ 0 }, net_expect_base(e)));
	else
		snprintf(text, size,
			 "Expected: %s all the time. The baseline of %s comes after %s: longer than this test.",
			 net_fmt_bps(a, net_expect_peak(e)),
			 net_fmt_bps((char[FMT_LEN]){ 0 }, net_expect_base(e)), fmt_duration(b, e->burst_s));
}

static void draw_expected(struct canvas *cv, struct rect at, const struct net_form *form, enum ink ink)
{
	const struct net_expect *e = &form->expect;
	double peak = net_expect_peak(e), base = net_expect_base(e), length = length_of(&form->setup);
	double allowed[DOTS_MAX], unit = peak >= 0.9995e9 ? 1e9 : 1e6;
	int dots = 2 * plot_dots(at).w;
	char text[200];

	say(e, length, text, sizeof(text));
	int used = draw_wrapped(cv, (struct rect){ at.x + 1, at.y, at.w - 2, 2 }, STYLE_TEXT, text);
	at.y += used;
	at.h -= used;
	dots = dots > DOTS_MAX ? DOTS_MAX : dots;
	if (dots < 2 || at.h < 3)
		return;
	for (int i = 0; i < dots; i++) {
		double t = (i + 0.5) * length / dots;
		allowed[i] = isnan(e->burst_s) || t < e->burst_s ? peak : base;
	}
	bool bursts = peak > 1.02 * base;
	const struct limit_line limit[] = { { peak, bursts ? "burst" : "limit", false }, { base, "base", false } };
	const struct time_plot p = { .at = at,
				     .ink = ink,
				     .t1 = length,
				     .unit = unit,
				     .fmt = net_fmt_bps,
				     .ymax = nice_above(1.1 * peak / unit) * unit,
				     .model = { allowed, (size_t)dots },
				     .limit = limit,
				     .nr_limits = bursts ? 2 : 1 };
	plot_time(cv, &p);
}

/* A thin bar of a rate: a row of the table stays a row. */
static void draw_rate(struct canvas *cv, int x, int y, int w, double share)
{
	for (int i = 0; i < (int)lround(share * w); i++)
		canvas_put(cv, x + i, y, 0x2501, style_grad(GRAD_READ, 0.3 + 0.6 * i / w));
}

static void observed_line(struct canvas *cv, struct rect at, int y, const char *name, const struct net_observation *o,
			  double most)
{
	char burst[FMT_LEN], length[FMT_LEN], base[FMT_LEN];

	canvas_printf(cv, at.x, y, STYLE_TEXT, "%-19s", name);
	int x = canvas_printf(cv, at.x + 20, y, STYLE_STRONG, "%10s", net_fmt_bps(burst, 1e9 * o->burst_gbps));
	x = canvas_printf(cv, x + 2, y, STYLE_TEXT, "%-9s", isnan(o->burst_s) ? "" : fmt_duration(length, o->burst_s));
	x = canvas_printf(cv, x + 1, y, STYLE_STRONG, "%10s", net_fmt_bps(base, 1e9 * o->base_gbps));
	if (at.x + at.w - x > 12)
		draw_rate(cv, x + 3, y, at.x + at.w - x - 3, o->burst_gbps / most);
}

/* What others measured in one Region: each task size, and where there is room each function. */
static void draw_observed(struct canvas *cv, struct rect at)
{
	const char *region = net_observed_tasks[0].region;
	const struct net_observation *o;
	char name[48], size[FMT_LEN];
	double most = 0;
	int y = at.y, end = at.y + at.h;

	for (o = net_observed_tasks; o->region; o++)
		most = fmax(most, o->burst_gbps);
	canvas_printf(cv, at.x, y++, STYLE_LABEL, "%-19s %10s  %-9s %10s", "Fargate task", "burst", "for", "then");
	for (o = net_observed_tasks; o->region && y < end; o++) {
		if (strcmp(o->region, region) != 0)
			continue;
		snprintf(name, sizeof(name), "%g vCPU %s", o->cpu_units / 1024.0,
			 fmt_size(size, (double)o->mem_mib * 1048576));
		observed_line(cv, at, y++, name, o, most);
	}
	bool room = y + 5 < end;
	if (room)
		canvas_printf(cv, at.x, y + 1, STYLE_LABEL, "Lambda function");
	y += room ? 2 : 0;
	for (o = net_observed_lambda; room && o->region && y + 2 < end; o++) {
		if (strcmp(o->region, region) != 0)
			continue;
		observed_line(cv, at, y++, fmt_size(size, (double)o->mem_mib * 1048576), o, most);
	}
	if (y + 1 < end)
		canvas_printf(cv, at.x, y + 1, STYLE_LABEL, "observed in %s by " NET_OBSERVED_SOURCE "; not a promise",
			      region);
}

void draw_net_outlook(struct canvas *cv, struct rect at, const struct net_form *form, enum ink ink)
{
	if (at.h < 3 || at.w < 40)
		return;
	if (!isnan(form->expect.base_bps))
		draw_expected(cv, at, form, ink);
	else
		draw_observed(cv, (struct rect){ at.x + 1, at.y, at.w - 2, at.h });
}
