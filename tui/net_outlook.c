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
	double most[DOTS_MAX], unit = peak >= 0.9995e9 ? 1e9 : 1e6;
	bool bursts = peak > 1.02 * base, known = !isnan(e->burst_s);
	/* so much is sure of a burst of which only 5 to 60 minutes is said */
	double sure = known ? e->burst_s : 300, end = bursts ? fmax(length, known ? 1.4 * sure : 4500) : length;
	int dots = 2 * plot_dots(at).w;
	char text[200];

	say(e, length, text, sizeof(text));
	int used = draw_wrapped(cv, (struct rect){ at.x + 1, at.y, at.w - 2, 2 }, STYLE_TEXT, text);
	at.y += used;
	at.h -= used;
	dots = dots > DOTS_MAX ? DOTS_MAX : dots;
	if (dots < 2 || at.h < 3)
		return;
	for (int i = 0; i < dots; i++)
		most[i] = !bursts || (i + 0.5) * end / dots < sure ? peak : base;
	struct band band[3] = { { 0, end, "lasting", STYLE_STEADY, SHADE_NONE } };
	size_t nr_bands = 1;
	if (bursts) {
		band[0] = (struct band){ 0, sure, "burst", STYLE_BURST, SHADE_BURST };
		if (!known)
			band[nr_bands++] = (struct band){ sure, 3600, "burst or baseline", STYLE_RAMP, SHADE_SETUP };
		band[nr_bands] = (struct band){ band[nr_bands - 1].t1, end, "baseline", STYLE_BASELINE, SHADE_NONE };
		nr_bands++;
	}
	const struct moment moment = { length, "test ends" };
	const struct limit_line limit[] = { { peak, bursts ? "burst" : "limit", false }, { base, "base", false } };
	const struct time_plot p = { .at = at,
				     .ink = ink,
				     .t1 = end,
				     .unit = unit,
				     .fmt = net_fmt_bps,
				     .ymax = nice_above(1.1 * peak / unit) * unit,
				     .fill = { most, (size_t)dots },
				     .below = net_setup_direction(&form->setup) == NET_SEND ? GRAD_WRITE : GRAD_READ,
				     .limit = limit,
				     .nr_limits = bursts ? 2 : 1,
				     .band = band,
				     .nr_bands = nr_bands,
				     .moment = &moment,
				     .nr_moments = length < 0.98 * end };
	plot_time(cv, &p);
}

/* A thin bar of a burst, heavy as far as what lasts: a row of the table stays a row. */
static void draw_rate(struct canvas *cv, int x, int y, int w, double burst, double base)
{
	for (int i = 0; i < (int)lround(burst * w); i++) {
		bool lasts = i < fmax(1, round(base * w));
		canvas_put(cv, x + i, y, lasts ? 0x2501 : 0x2500, style_grad(GRAD_READ, lasts ? 0.8 : 0.4));
	}
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
		draw_rate(cv, x + 3, y, at.x + at.w - x - 3, o->burst_gbps / most, o->base_gbps / most);
}

/* The tasks, or the functions, of one Region. @return the row behind them */
static int draw_region(struct canvas *cv, struct rect at, int y, const struct net_observation *all, const char *region)
{
	char name[64], size[FMT_LEN];
	double most = 0;

	for (const struct net_observation *o = net_observed_tasks; o->region; o++)
		most = fmax(most, o->burst_gbps);
	for (const struct net_observation *o = all; o->region && y < at.y + at.h; o++) {
		if (strcmp(o->region, region) != 0)
			continue;
		fmt_size(size, (double)o->mem_mib * 1048576);
		snprintf(name, sizeof(name), "%g vCPU %s", o->cpu_units / 1024.0, size);
		observed_line(cv, at, y++, o->cpu_units ? name : size, o, most);
	}
	return y;
}

static int rows_of(const struct net_observation *all, const char *region)
{
	int n = 0;

	for (; all->region; all++)
		n += strcmp(all->region, region) == 0;
	return n;
}

/* What others measured in one Region: each task size, and where there is room each function; then the other's tasks. */
void draw_net_observed(struct canvas *cv, struct rect at)
{
	const char *region = NET_OBSERVED_REGION, *other = NULL;
	int y = at.y, end = at.y + at.h;

	for (const struct net_observation *o = net_observed_tasks; o->region && !other; o++)
		other = strcmp(o->region, region) != 0 ? o->region : NULL;
	canvas_printf(cv, at.x, y++, STYLE_LABEL, "%-19s %10s  %-9s %10s", "Fargate task", "burst", "for", "then");
	y = draw_region(cv, at, y, net_observed_tasks, region);
	if (y + rows_of(net_observed_lambda, region) + 2 < end) {
		canvas_text(cv, at.x, y + 1, STYLE_LABEL, "Lambda function");
		y = draw_region(cv, at, y + 2, net_observed_lambda, region);
	}
	if (other && y + rows_of(net_observed_tasks, other) + 3 < end) {
		canvas_printf(cv, at.x, y + 1, STYLE_LABEL, "Fargate task in %s", other);
		y = draw_region(cv, at, y + 2, net_observed_tasks, other);
	}
	if (y + 1 < end)
		draw_wrapped(cv, (struct rect){ at.x, y + 1, at.w, end - y - 1 }, STYLE_LABEL,
			     "observed in " NET_OBSERVED_REGION " by " NET_OBSERVED_SOURCE "; not a promise");
}

void draw_net_outlook(struct canvas *cv, struct rect at, const struct net_form *form, enum ink ink)
{
	if (at.h < 3 || at.w < 40)
		return;
	if (!isnan(form->expect.base_bps))
		draw_expected(cv, at, form, ink);
	else
		draw_net_observed(cv, (struct rect){ at.x + 1, at.y, at.w - 2, at.h });
}
