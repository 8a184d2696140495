/* SPDX-License-Identifier: MIT */
#include "tui/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "tui/panel.h"

bool sweep_of(struct sweep *s, const struct runlog_snap *run)
{
	const struct run_header *h = run->header;

	*s = (struct sweep){ .n = 0 };
	if (!knee_planned(h))
		return false;
	s->from = log2((double)(h->planned[0].wl.iodepth * h->planned[0].wl.numjobs));
	s->to = log2((double)(h->planned[h->nr_planned - 1].wl.iodepth * h->planned[h->nr_planned - 1].wl.numjobs));
	s->n = knee_points(run->results, run->nr_results, s->point);
	s->has_knee = knee_find(run->results, run->nr_results, &s->knee);
	return s->n || !run->nr_results;
}

double sweep_at(const struct sweep *s, double x)
{
	const struct knee_point *p = s->point;

	for (size_t i = 0; i + 1 < s->n; i++) {
		double from = log2((double)p[i].iodepth), to = log2((double)p[i + 1].iodepth);
		if (x >= from && x <= to)
			return p[i].iops + (p[i + 1].iops - p[i].iops) * (x - from) / (to - from);
	}
	return NAN;
}

size_t sweep_limits(const struct expectation *e, struct limit_line out[LIVE_LIMITS])
{
	size_t n = live_limits(e, false, 0, out);

	for (size_t i = 0; i < n; i++)
		if (strcmp(out[i].label, "limit") == 0)
			out[i].label = e->baseline.bound == BOUND_HOST_IOPS || e->baseline.bound == BOUND_HOST_BW ? "host" : "volume";
	return n;
}

json_t *sweep_limits_json(const struct expectation *e)
{
	struct limit_line line[LIVE_LIMITS];
	size_t n = sweep_limits(e, line);
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_pack("{s:s%,s:o}", "name", line[i].label, strcspn(line[i].label, "|"), "iops",
						      json_num(line[i].value)));
	return list;
}

static bool in_ms(const struct sweep *s)
{
	double most = 0;

	for (size_t i = 0; i < s->n; i++)
		most = fmax(most, s->point[i].lat_ns);
	return most >= 1e6;
}

const char *sweep_latency_unit(const struct sweep *s)
{
	return in_ms(s) ? "ms" : "µs";
}

char *sweep_latency(const struct sweep *s, size_t i, char *buf)
{
	double v = s->point[i].lat_ns / (in_ms(s) ? 1e6 : 1e3);

	if (isnan(v))
		return strcpy(buf, "-");
	snprintf(buf, FMT_LEN, "%.*f", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v);
	return buf;
}

#define DOTS_MAX 512

void draw_sweep(const struct frame *f, struct canvas *cv, struct rect at, const struct sweep *s, int chosen)
{
	char depth[KNEE_POINTS_MAX][24], lat[KNEE_POINTS_MAX][FMT_LEN], words[32];
	struct place place[KNEE_POINTS_MAX];
	struct limit_line limit[LIVE_LIMITS];
	struct moment knee = { NAN, words };
	double y[DOTS_MAX], most = 0;
	struct rect dots = plot_dots(at);
	int n = 2 * dots.w > DOTS_MAX ? DOTS_MAX : 2 * dots.w;

	if (n < 2 || at.h < 4)
		return;
	/* half a step at either side, so that the outer points' names stand below them */
	struct time_plot p = { .at = at, .ink = f->ink, .t0 = s->from - 0.5, .t1 = s->to + 0.5, .below = GRAD_RATE, .above = GRAD_RATE };
	for (size_t i = 0; i < s->n; i++) {
		snprintf(depth[i], sizeof(depth[i]), "%" PRIu64, s->point[i].iodepth);
		place[i] = (struct place){ log2((double)s->point[i].iodepth), depth[i], sweep_latency(s, i, lat[i]), s->point[i].iops,
					 (int)i == chosen };
		most = fmax(most, s->point[i].iops);
	}
	for (int i = 0; i < n; i++)
		y[i] = sweep_at(s, p.t0 + (p.t1 - p.t0) * (i + 0.5) / n);
	p.fill = (struct series){ y, (size_t)n };
	p.limit = limit;
	p.nr_limits = sweep_limits(f->expect, limit);
	for (size_t i = 0; i < p.nr_limits; i++) /* reached by any of them */
		limit[i].hit = most >= 0.95 * limit[i].value && most <= 1.05 * limit[i].value;
	p.ymax = plot_ymax(most, limit, p.nr_limits);
	if (s->has_knee && !s->knee.rising) {
		knee.t = log2((double)s->knee.iodepth);
		snprintf(words, sizeof(words), "knee %" PRIu64, s->knee.iodepth);
		p.moment = &knee;
		p.nr_moments = 1;
	}
	p.place = place;
	p.nr_places = s->n;
	plot_time(cv, &p);
	if (dots.x - at.x >= PLOT_LEFT && dots.h < at.h && s->n) {
		canvas_text(cv, at.x, dots.y + dots.h, STYLE_LABEL, "qd");
		if (dots.h + 1 < at.h)
			canvas_text(cv, at.x, dots.y + dots.h + 1, STYLE_LABEL, sweep_latency_unit(s));
	}
}
