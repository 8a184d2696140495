/* SPDX-License-Identifier: MIT */
#include "tui/report_svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "tui/plot.h"
#include "tui/sweep.h"

static double px(const struct picture *p, double s)
{
	double x = SVG_LEFT + (SVG_RIGHT - SVG_LEFT) * s / p->end_s;

	return x < SVG_LEFT ? SVG_LEFT : x > SVG_RIGHT ? SVG_RIGHT : x;
}

static double py(const struct panel *a, double v)
{
	double share = v / a->max;

	return a->y + a->h * (1 - (share < 0 ? 0 : share > 1 ? 1 : share));
}

static void area(struct picture *p, const struct panel *a)
{
	const double *v = p->bins.value[a->series];
	int n = p->bins.n;

	for (int from = 0; from < n;) {
		int to = from;
		while (to < n && !isnan(v[to]))
			to++;
		if (to > from) {
			double x0 = px(p, from * p->bins.step), base = py(a, 0);
			for (int pass = 0; pass < 2; pass++) {
				fprintf(p->f, "<path class=\"%s\" d=\"", pass ? a->line : a->fill);
				if (!pass)
					fprintf(p->f, "M%.1f %.1f", x0, base);
				for (int i = from; i < to; i++)
					fprintf(p->f, "%c%.1f %.1f", pass && i == from ? 'M' : 'L', px(p, (i + 0.5) * p->bins.step),
						py(a, v[i] / a->unit));
				if (!pass)
					fprintf(p->f, "L%.1f %.1fZ", px(p, to * p->bins.step), base);
				fputs("\"/>\n", p->f);
			}
		}
		from = to > from ? to : from + 1;
	}
}

/* What was allowed at each moment, as the model followed the credits. */
static void model(struct picture *p, const struct panel *a)
{
	const double *v = p->bins.value[BIN_MODEL];
	bool on = false, any = false;

	if (a->series != BIN_IOPS)
		return;
	for (int i = 0; i < p->bins.n; i++) {
		double x = px(p, (i + 0.5) * p->bins.step);
		if (isnan(v[i])) {
			on = false;
			continue;
		}
		if (!any)
			fputs("<path class=\"model\" d=\"", p->f);
		fprintf(p->f, "%c%.1f %.1f", on ? 'L' : 'M', x, py(a, v[i]));
		on = any = true;
	}
	if (any)
		fputs("\"/>\n", p->f);
}

static void grid(struct picture *p, const struct panel *a)
{
	char text[FMT_LEN];
	int steps = 4;

	for (int i = 0; i <= steps; i++) {
		double v = a->max * i / steps, y = py(a, v);
		fprintf(p->f, "<path class=\"%s\" d=\"M%d %.1fH%d\"/>\n", i ? "grid" : "axis", SVG_LEFT, y, SVG_RIGHT);
		svg_text(p, SVG_LEFT - 8, y + 4, "s num", "%s", i ? fmt_short(text, v) : "0");
	}
	svg_text(p, SVG_LEFT, a->y - 8, "b", "%s", a->name);
}

static void time_axis(struct picture *p, const struct panel *a)
{
	static const double nice[] = { 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400 };
	double all = p->end_s * p->scale, step = nice[0];
	char text[FMT_LEN];

	for (size_t i = 0; i < sizeof(nice) / sizeof(*nice) && all / step > 9; i++)
		step = nice[i];
	for (double s = 0; s <= all * 1.0001; s += step) {
		double x = px(p, s / p->scale);
		fprintf(p->f, "<path class=\"axis\" d=\"M%.1f %.1fv4\"/>\n", x, a->y + a->h);
		fprintf(p->f, "<g text-anchor=\"%s\">", s > 0 ? x > SVG_RIGHT - 20 ? "end" : "middle" : "start");
		snprintf(text, sizeof(text), step >= 3600 ? "%g h" : step >= 60 ? "%g min" : "%g s", s / (step >= 3600 ? 3600 : step >= 60 ? 60 : 1));
		svg_text(p, x, a->y + a->h + 17, "s", "%s", s > 0 ? text : "0");
		fputs("</g>\n", p->f);
		if (all / step > 100)
			break;
	}
}

/* Lines of one test: burst and baseline, or the one there is. */
static void limits(struct picture *p, const struct panel *a, const struct result *r, double *said)
{
	static const char *const which[] = { "burst", "baseline" };
	const json_t *e = json_object_get(r->more, "expected");
	char figure[FMT_LEN];

	for (size_t i = 0; i < 2; i++) {
		const json_t *o = json_object_get(e, which[i]);
		double v = json_get_num(o, a->key, NAN);

		if (!isfinite(v) || v > a->max || isnan(r->start_s) || isnan(r->end_s))
			continue;
		double x0 = px(p, r->start_s), x1 = px(p, r->end_s), y = py(a, v);
		fprintf(p->f, "<path class=\"limit\" d=\"M%.1f %.1fH%.1f\"/>\n", x0, y, x1);
		if (x1 - x0 < 130 || said[i] == v)
			continue;
		said[i] = v;
		bool burst = json_is_object(json_object_get(e, "burst"));
		fputs("<g text-anchor=\"end\">", p->f);
		svg_text(p, x1 - 4, y < a->y + 14 ? y + 13 : y - 5, "limitt", "%s %s%s%s", burst ? which[i] : "documented",
			 v < 100 ? (snprintf(figure, sizeof(figure), "%.3g", v), figure) : fmt_iops(figure, v),
			 json_get_text(o, "bound_by", NULL) ? " · " : "", json_get_text(o, "bound_by", ""));
		fputs("</g>\n", p->f);
	}
}

static void phases(struct picture *p, const struct panel *a, const struct result *r)
{
	const json_t *list = json_object_get(r->more, "phases"), *o;
	char figure[FMT_LEN];
	size_t i;

	json_array_foreach(list, i, o) {
		const char *kind = json_get_text(o, "kind", "");
		double x0 = px(p, json_get_num(o, "start_s", 0)), x1 = px(p, json_get_num(o, "end_s", 0));
		bool burst = strcmp(kind, "burst") == 0, setup = strcmp(kind, "ramp") == 0;
		double v = json_get_num(o, "iops", NAN);

		if (burst || setup)
			fprintf(p->f, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", burst ? "burst" : "setup", x0,
				a->y, x1 > x0 ? x1 - x0 : 0, a->h);
		if (a->series == BIN_IOPS && x1 - x0 > 90 && !setup && (p->run->nr_results < 2 || strcmp(kind, "steady") != 0))
			svg_text(p, x0 + 6, a->y + a->h - 8, burst ? "burstt" : "baset", "%s %s", kind, fmt_iops(figure, v));
	}
}

/* Where the file was laid out. */
static void setup_parts(struct picture *p, const struct panel *a)
{
	const struct span *s = &p->run->span;

	for (size_t i = 0; i < s->n;) {
		size_t k = i;
		while (k < s->n && s->row[k].phase == s->row[i].phase)
			k++;
		if (s->row[i].phase == PHASE_LAYOUT || s->row[i].phase == PHASE_RAMP) {
			double t0 = (double)(s->row[i].t_ns - s->row[i].dt_ns) / 1e9, t1 = (double)s->row[k - 1].t_ns / 1e9;
			fprintf(p->f, "<rect class=\"setup\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", px(p, t0), a->y,
				px(p, t1) - px(p, t0), a->h);
			if (px(p, t1) - px(p, t0) > 50)
				svg_text(p, px(p, t0) + 5, a->y + 14, "s", "%s", run_phase_name(s->row[i].phase));
		}
		i = k;
	}
}

static double panel_top(const struct picture *p, const struct panel *a)
{
	struct limit_line line[2 * SVG_TESTS];
	size_t n = 0;
	double top = 0;

	for (int i = 0; i < p->bins.n; i++) {
		double v = p->bins.value[a->series][i] / a->unit;
		top = v > top ? v : top;
	}
	for (size_t i = 0; i < p->run->nr_results && n + 2 <= 2 * SVG_TESTS; i++) {
		const json_t *e = json_object_get(p->run->results[i]->more, "expected");
		line[n++] = (struct limit_line){ json_get_num(json_object_get(e, "burst"), a->key, NAN), NULL, false };
		line[n++] = (struct limit_line){ json_get_num(json_object_get(e, "baseline"), a->key, NAN), NULL, false };
	}
	return plot_ymax(top, line, n);
}

void svg_panel(struct picture *p, struct panel *a)
{
	const struct runlog_snap *run = p->run;
	double said[2] = { NAN, NAN };

	a->max = panel_top(p, a);
	grid(p, a);
	setup_parts(p, a);
	for (size_t i = 0; i < run->nr_results; i++)
		phases(p, a, run->results[i]);
	area(p, a);
	for (size_t i = 0; i < run->nr_results; i++) {
		const struct result *r = run->results[i];
		double x = px(p, r->start_s);

		limits(p, a, r, said);
		if (run->nr_results < 2 || isnan(r->start_s))
			continue;
		if (i)
			fprintf(p->f, "<path class=\"cut\" d=\"M%.1f %.1fv%.1f\"/>\n", x, a->y, a->h);
		if (a->series == BIN_IOPS && px(p, r->end_s) - x > 3.4 * (double)strlen(r->name)) /* two may overlap: in two rows */
			svg_text(p, x + 5, a->y + (i % 2 ? 28 : 14), "s", "%s", r->name);
	}
	model(p, a);
	time_axis(p, a);
}

/* --- a series of depths --- */

static double depth_x(const struct sweep *s, double log2_depth)
{
	return SVG_LEFT + (SVG_RIGHT - SVG_LEFT) * (log2_depth - s->from + 0.5) / (s->to - s->from + 1);
}

static void curve_limits(struct picture *p, const struct panel *a, const json_t *limits)
{
	char figure[FMT_LEN];
	double said = NAN;
	const json_t *o;
	size_t i;

	fputs("<g text-anchor=\"end\">", p->f);
	json_array_foreach(limits, i, o) {
		double v = json_get_num(o, "iops", NAN), y = py(a, v);
		if (!(v <= a->max))
			continue;
		fprintf(p->f, "<path class=\"limit\" d=\"M%d %.1fH%d\"/>\n", SVG_LEFT, y, SVG_RIGHT);
		bool over = fabs(said - (y - 5)) < 13; /* the one before has its place */
		said = over ? y + 13 : y - 5;
		svg_text(p, SVG_RIGHT - 4, said, "limitt", "%s %s", json_get_text(o, "name", ""), fmt_iops(figure, v));
	}
	fputs("</g>\n", p->f);
}

/* The line through the points, each with its depth and its latency below. */
static void curve_points(struct picture *p, const struct panel *a, const struct sweep *s)
{
	char text[FMT_LEN];

	fputs("<path class=\"rate\" d=\"", p->f);
	for (size_t i = 0, drawn = 0; i < s->n; i++)
		if (!isnan(s->point[i].iops))
			fprintf(p->f, "%c%.1f %.1f", drawn++ ? 'L' : 'M', depth_x(s, log2((double)s->point[i].iodepth)), py(a, s->point[i].iops));
	fputs("\"/>\n<g text-anchor=\"middle\">", p->f);
	for (size_t i = 0; i < s->n; i++) {
		double x = depth_x(s, log2((double)s->point[i].iodepth));
		if (!isnan(s->point[i].iops))
			fprintf(p->f, "<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", x, py(a, s->point[i].iops));
		svg_text(p, x, a->y + a->h + 17, "s", "%" PRIu64, s->point[i].iodepth);
		svg_text(p, x, a->y + a->h + 33, "s", "%s %s", sweep_latency(s, i, text), sweep_latency_unit(s));
	}
	fputs("</g>\n", p->f);
}

double svg_curve(struct picture *p, double y)
{
	struct panel a = { .y = y, .h = 230, .name = "IOPS by iodepth, mean latency below" };
	struct limit_line line[LIVE_LIMITS];
	struct sweep s;
	const json_t *limits, *o;
	double most = 0;
	size_t i, n = 0;

	if (!p->run->nr_results || !sweep_of(&s, p->run))
		return 0;
	limits = json_object_get(json_object_get(p->run->results[0]->more, "expected"), "limits");
	json_array_foreach(limits, i, o)
		if (n < LIVE_LIMITS)
			line[n++] = (struct limit_line){ json_get_num(o, "iops", NAN), NULL, false };
	for (i = 0; i < s.n; i++)
		most = fmax(most, s.point[i].iops);
	a.max = plot_ymax(most, line, n);
	grid(p, &a);
	if (s.has_knee && !s.knee.rising) {
		double x = depth_x(&s, log2((double)s.knee.iodepth));
		fprintf(p->f, "<path class=\"knee\" d=\"M%.1f %.1fv%.1f\"/>\n", x, a.y, a.h);
		svg_text(p, x + 6, a.y + a.h - 10, "modelt", "knee: iodepth %" PRIu64, s.knee.iodepth);
	}
	curve_limits(p, &a, limits);
	curve_points(p, &a, &s);
	return a.h + 78;
}
