/* SPDX-License-Identifier: MIT */
#include "tui/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/knee.h"
#include "engine/units.h"
#include "tui/analysis.h"
#include "tui/bins.h"
#include "tui/plot.h"
#include "tui/report_words.h"
#include "tui/sweep.h"

/*
 * The run as one self-contained picture: IOPS and throughput over time with what is documented, phases, the tests'
 * verdicts, and where all of it comes from. Colours follow the reader's light or dark; nothing is loaded from elsewhere.
 */
#define WIDTH	 1000
#define LEFT	 70
#define RIGHT	 970
#define PLOT_W	 (RIGHT - LEFT)
#define BINS	 450 /* a step each two pixels */
#define ROW	 22
#define TESTS_MAX 16

static const char style[] =
	"<style>\n"
	"text{font:13px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#24292f}\n"
	".bg{fill:#ffffff;stroke:#d8dee4}.big{font-size:20px;font-weight:600}.b{font-weight:600}\n"
	".m{fill:#656d76;font-size:12px}.s{fill:#656d76;font-size:11px}.num{text-anchor:end}\n"
	".grid{stroke:#eaeef2}.axis{stroke:#afb8c1}.cut{stroke:#afb8c1;stroke-dasharray:2 3}\n"
	".rate{stroke:#0969da;fill:none;stroke-width:1.6;stroke-linejoin:round}.bw{stroke:#1a7f37;fill:none;stroke-width:1.6;stroke-linejoin:round}\n"
	".ratef{fill:#0969da;fill-opacity:.14}.bwf{fill:#1a7f37;fill-opacity:.14}\n"
	".limit{stroke:#bc4c00;stroke-width:1.2;stroke-dasharray:7 4}.limitt{fill:#bc4c00;font-size:11px}\n"
	".model{stroke:#8250df;fill:none;stroke-width:1.2}.modelt{fill:#8250df;font-size:11px}\n"
	".knee{stroke:#8250df;stroke-dasharray:3 3}.point{fill:#0969da;stroke:#ffffff}\n"
	".burst{fill:#d4a72c;fill-opacity:.16}.burstt{fill:#7d4e00;font-size:11px}.baset{fill:#0550ae;font-size:11px}\n"
	".setup{fill:#8c959f;fill-opacity:.14}\n"
	".limitt,.modelt,.burstt,.baset{stroke:#ffffff;stroke-width:3px;paint-order:stroke}\n" /* readable on a line too */
	".pill{fill:#8250df}.pass{fill:#1a7f37}.short{fill:#cf222e}.above{fill:#9a6700}.unknown{fill:#6e7781}.pt{fill:#ffffff;font-size:11px;font-weight:600;text-anchor:middle}\n"
	".warn{fill:#9a6700;font-size:11px}\n"
	"@media (prefers-color-scheme:dark){\n"
	"text{fill:#e6edf3}.bg{fill:#0d1117;stroke:#30363d}.m,.s{fill:#8d96a0}\n"
	".grid{stroke:#21262d}.axis,.cut{stroke:#484f58}\n"
	".rate{stroke:#4493f8}.bw{stroke:#3fb950}.ratef{fill:#4493f8;fill-opacity:.2}.bwf{fill:#3fb950;fill-opacity:.2}\n"
	".limit{stroke:#f0883e}.limitt{fill:#f0883e}.model{stroke:#ab7df8}.modelt{fill:#ab7df8}\n"
	".knee{stroke:#ab7df8}.point{fill:#4493f8;stroke:#0d1117}\n"
	".burst{fill:#d29922;fill-opacity:.16}.burstt{fill:#e3b341}.baset{fill:#79c0ff}.warn{fill:#d29922}\n"
	".pass{fill:#238636}.short{fill:#da3633}.above{fill:#9e6a03}\n"
	".limitt,.modelt,.burstt,.baset{stroke:#0d1117}.pt{fill:#ffffff}\n"
	"}\n</style>\n";

struct picture {
	FILE *f;
	const struct runlog_snap *run;
	double scale;  /* volume seconds a wall second */
	double end_s;  /* wall seconds of the whole run */
	struct bins bins;
};

/* One of the two plots. */
struct panel {
	double y, h, max;
	double unit; /* figures are divided by it */
	enum bin_series series;
	const char *name, *line, *fill, *key; /* of `expected`: "iops", "mibps" */
};

static void put_text(struct picture *p, double x, double y, const char *class, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
static void put_text(struct picture *p, double x, double y, const char *class, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(p->f, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	for (const char *s = text; *s; s++) {
		if (*s == '<' || *s == '>' || *s == '&')
			fputs(*s == '<' ? "&lt;" : *s == '>' ? "&gt;" : "&amp;", p->f);
		else
			fputc((unsigned char)*s < ' ' ? ' ' : *s, p->f);
	}
	fputs("</text>\n", p->f);
}

static double px(const struct picture *p, double s)
{
	double x = LEFT + PLOT_W * s / p->end_s;

	return x < LEFT ? LEFT : x > RIGHT ? RIGHT : x;
}

static double py(const struct panel *a, double v)
{
	double share = v / a->max;

	return a->y + a->h * (1 - (share < 0 ? 0 : share > 1 ? 1 : share));
}

static void pill(struct picture *p, double right, double y, const char *class, const char *text)
{
	double w = 16 + 7.2 * (double)strlen(text);

	fprintf(p->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"18\" rx=\"9\" class=\"%s\"/>\n", right - w, y - 13, w, class);
	put_text(p, right - w / 2, y, "pt", "%s", text);
}

/* --- the plots --- */

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
		fprintf(p->f, "<path class=\"%s\" d=\"M%d %.1fH%d\"/>\n", i ? "grid" : "axis", LEFT, y, RIGHT);
		put_text(p, LEFT - 8, y + 4, "s num", "%s", i ? fmt_short(text, v) : "0");
	}
	put_text(p, LEFT, a->y - 8, "b", "%s", a->name);
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
		fprintf(p->f, "<g text-anchor=\"%s\">", s > 0 ? x > RIGHT - 20 ? "end" : "middle" : "start");
		snprintf(text, sizeof(text), step >= 3600 ? "%g h" : step >= 60 ? "%g min" : "%g s", s / (step >= 3600 ? 3600 : step >= 60 ? 60 : 1));
		put_text(p, x, a->y + a->h + 17, "s", "%s", s > 0 ? text : "0");
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
		put_text(p, x1 - 4, y < a->y + 14 ? y + 13 : y - 5, "limitt", "%s %s%s%s", burst ? which[i] : "documented",
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
			put_text(p, x0 + 6, a->y + a->h - 8, burst ? "burstt" : "baset", "%s %s", kind, fmt_iops(figure, v));
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
				put_text(p, px(p, t0) + 5, a->y + 14, "s", "%s", run_phase_name(s->row[i].phase));
		}
		i = k;
	}
}

static double panel_top(const struct picture *p, const struct panel *a)
{
	struct limit_line line[2 * TESTS_MAX];
	size_t n = 0;
	double top = 0;

	for (int i = 0; i < p->bins.n; i++) {
		double v = p->bins.value[a->series][i] / a->unit;
		top = v > top ? v : top;
	}
	for (size_t i = 0; i < p->run->nr_results && n + 2 <= 2 * TESTS_MAX; i++) {
		const json_t *e = json_object_get(p->run->results[i]->more, "expected");
		line[n++] = (struct limit_line){ json_get_num(json_object_get(e, "burst"), a->key, NAN), NULL, false };
		line[n++] = (struct limit_line){ json_get_num(json_object_get(e, "baseline"), a->key, NAN), NULL, false };
	}
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (isfinite(line[i].value))
			line[kept++] = line[i];
	return plot_ymax(top, line, kept);
}

static void draw_panel(struct picture *p, struct panel *a)
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
			put_text(p, x + 5, a->y + (i % 2 ? 28 : 14), "s", "%s", r->name);
	}
	model(p, a);
	time_axis(p, a);
}

/* --- a series of depths --- */

static double depth_x(const struct sweep *s, double log2_depth)
{
	return LEFT + PLOT_W * (log2_depth - s->from + 0.5) / (s->to - s->from + 1);
}

static void curve_limits(struct picture *p, const struct panel *a, const struct limit_line *limit, size_t n)
{
	char figure[FMT_LEN];
	double said = NAN;

	fputs("<g text-anchor=\"end\">", p->f);
	for (size_t i = 0; i < n; i++) {
		double y = py(a, limit[i].value);
		if (limit[i].value > a->max)
			continue;
		fprintf(p->f, "<path class=\"limit\" d=\"M%d %.1fH%d\"/>\n", LEFT, y, RIGHT);
		bool over = fabs(said - (y - 5)) < 13; /* the one before has its place */
		said = over ? y + 13 : y - 5;
		put_text(p, RIGHT - 4, said, "limitt", "%s %s", limit[i].label, fmt_iops(figure, limit[i].value));
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
		put_text(p, x, a->y + a->h + 17, "s", "%" PRIu64, s->point[i].iodepth);
		put_text(p, x, a->y + a->h + 33, "s", "%s %s", sweep_latency(s, i, text), sweep_latency_unit(s));
	}
	fputs("</g>\n", p->f);
}

/* IOPS against depth, where the run is such a series. @return the height that it takes */
static double curve(struct picture *p, double y)
{
	struct panel a = { .y = y, .h = 230, .name = "IOPS by iodepth, mean latency below" };
	struct limit_line limit[LIVE_LIMITS];
	struct analysis documented;
	struct sweep s;
	struct err ignored;
	double most = 0;
	size_t n = 0;

	if (!p->run->nr_results || !sweep_of(&s, p->run))
		return 0;
	if (analysis_of(&documented, p->run, limits_builtin(), 0, p->run->results[0], &ignored) == 0) {
		n = sweep_limits(analysis_expect(&documented), limit);
		analysis_release(&documented);
	}
	for (size_t i = 0; i < s.n; i++)
		most = fmax(most, s.point[i].iops);
	a.max = plot_ymax(most, limit, n);
	grid(p, &a);
	if (s.has_knee && !s.knee.rising) {
		double x = depth_x(&s, log2((double)s.knee.iodepth));
		fprintf(p->f, "<path class=\"knee\" d=\"M%.1f %.1fv%.1f\"/>\n", x, a.y, a.h);
		put_text(p, x + 6, a.y + a.h - 10, "modelt", "knee: iodepth %" PRIu64, s.knee.iodepth);
	}
	curve_limits(p, &a, limit, n);
	curve_points(p, &a, &s);
	return a.h + 78;
}

/* --- around them --- */

static void header(struct picture *p)
{
	const struct run_header *h = p->run->header;
	char volume[160], host[96], shape[48], target[400];
	double right = RIGHT;

	words_volume(h, volume, sizeof(volume));
	words_host(h, host, sizeof(host));
	put_text(p, 30, 38, "big", "%s", *volume ? volume : h->target);
	put_text(p, 30, 60, "m", "%s · %s%s%s", h->title, words_target(h, target, sizeof(target)), *host ? " · " : "", host);
	enum verdict v = report_verdict(p->run);
	if (v != VERDICT_NONE) {
		char text[16];
		snprintf(text, sizeof(text), "%s", verdict_name(v));
		for (char *c = text; *c; c++)
			*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 32 : *c);
		pill(p, right, 36, verdict_name(v), text);
		right -= 24 + 7.2 * (double)strlen(text);
	}
	if (*words_shape(h, shape, sizeof(shape)))
		pill(p, right, 36, "pill", shape);
}

static double table(struct picture *p, double y)
{
	static const struct {
		const char *name;
		double x;
	} heads[] = { { "IOPS", 330 }, { "MiB/s", 420 }, { "p50", 510 }, { "p99", 600 } };
	const struct runlog_snap *run = p->run;
	char text[FMT_LEN];

	put_text(p, LEFT, y, "s", "test");
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		put_text(p, heads[i].x, y, "s num", "%s", heads[i].name);
	fprintf(p->f, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, y + 7, RIGHT);
	for (size_t i = 0; i < run->nr_results && i < TESTS_MAX; i++) {
		const struct result *r = run->results[i];
		const char *verdict = verdict_name(r->verdict);

		y += ROW;
		if (verdict)
			fprintf(p->f, "<circle cx=\"%d\" cy=\"%.1f\" r=\"5\" class=\"%s\"/>\n", LEFT - 14, y - 4, verdict);
		put_text(p, LEFT, y, "b", "%s", r->name);
		put_text(p, heads[0].x, y, "num", "%s", r->too_short && isnan(r->all.iops) ? "+++++" : fmt_iops(text, r->all.iops));
		if (isnan(r->all.bw_bytes))
			put_text(p, heads[1].x, y, "num", "-");
		else
			put_text(p, heads[1].x, y, "num", "%.1f", r->all.bw_bytes / (double)MIB);
		put_text(p, heads[2].x, y, "num", "%s", fmt_lat(text, r->lat.pct[0]));
		put_text(p, heads[3].x, y, "num", "%s", fmt_lat(text, r->lat.pct[2]));
		put_text(p, 630, y, r->cached == TRI_TRUE ? "warn" : "m", "%s%s%s", r->cached == TRI_TRUE ? "cached: memory, not storage " : "",
			 verdict ? verdict : "", r->too_short ? " too short" : "");
	}
	return y + ROW;
}

/* Text in lines of the picture's width. @return the next y */
static double wrapped(struct picture *p, double y, const char *class, const char *text)
{
	char line[176];

	while (*text) {
		size_t n = strlen(text), room = 136;
		if (n > room) {
			n = room;
			while (n > 60 && text[n] != ' ')
				n--;
			while (((unsigned char)text[n] & 0xc0) == 0x80)
				n--;
		}
		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		put_text(p, LEFT, y, class, "%s", line);
		y += 16;
		text += n + (text[n] == ' ');
	}
	return y;
}

struct notes {
	struct picture *p;
	double y;
	int	left;
};

static void say_warning(void *ctx, const char *tests, const char *text)
{
	struct notes *n = ctx;
	char line[1400];

	if (n->left-- <= 0)
		return;
	snprintf(line, sizeof(line), "%s: %s", tests, text);
	n->y = wrapped(n->p, n->y, "warn", line);
}

static double notes(struct picture *p, double y)
{
	const struct runlog_snap *run = p->run;
	struct notes n = { p, y, 6 };
	struct knee knee;
	char text[600];
	int reasons = 0;

	if (knee_find(run->results, run->nr_results, &knee))
		n.y = wrapped(p, n.y, "m", knee_text(&knee, text, sizeof(text)));
	for (size_t i = 0; i < run->nr_results && reasons < 4; i++) {
		const struct result *r = run->results[i];
		if (!*r->reason || r->verdict == VERDICT_NONE)
			continue;
		snprintf(text, sizeof(text), "%s: %s - %s", r->name, verdict_name(r->verdict), r->reason);
		n.y = wrapped(p, n.y, "m", text);
		reasons++;
	}
	results_warnings(run->results, run->nr_results, say_warning, &n);
	return n.y;
}

static void footer(struct picture *p, double y)
{
	const struct run_header *h = p->run->header;
	const json_t *host = json_object_get(h->doc, "host");
	char date[48];

	fprintf(p->f, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, y - 16, RIGHT);
	put_text(p, LEFT, y, "s", "ebscope %s · %s · %s · Linux %s%s%s%s%s", h->version, words_date(h, date, sizeof(date)),
		 json_get_text(host, "hostname", "?"), json_get_text(host, "kernel", "?"),
		 json_get_text(h->doc, "as_of", NULL) ? " · limits as of " : "", json_get_text(h->doc, "as_of", ""),
		 p->run->end == RUN_DONE ? "" : " · run ", p->run->end == RUN_DONE ? "" : run_end_name(p->run->end));
	fputs("<g text-anchor=\"end\">", p->f);
	put_text(p, RIGHT, y, "s", "%s", p->scale == 1 ? "seconds of the clock" : "time of the volume");
	fputs("</g>\n", p->f);
}

static void body(struct picture *p, double *height)
{
	struct panel rate = { .y = 110, .h = 230, .unit = 1, .series = BIN_IOPS, .name = "IOPS", .line = "rate", .fill = "ratef", .key = "iops" };
	struct panel bw = { .y = 402, .h = 120, .unit = (double)MIB, .series = BIN_BW, .name = "MiB/s", .line = "bw", .fill = "bwf", .key = "mibps" };

	header(p);
	double down = curve(p, rate.y);
	rate.y += down;
	bw.y += down;
	draw_panel(p, &rate);
	bool any = false;
	for (int i = 0; i < p->bins.n; i++)
		any = any || !isnan(p->bins.value[BIN_MODEL][i]);
	fputs("<g text-anchor=\"end\">", p->f);
	if (any)
		put_text(p, RIGHT, rate.y - 8, "modelt", "— what is allowed at that moment");
	fputs("</g>\n", p->f);
	draw_panel(p, &bw);
	double y = table(p, bw.y + bw.h + 54);
	y = notes(p, y + 4);
	footer(p, y + 22);
	*height = y + 42;
}

char *report_svg(const struct runlog_snap *run, struct err *err)
{
	struct picture p = { .run = run, .scale = run->header->time_scale > 0 ? run->header->time_scale : 1 };
	char *inner = NULL, *out = NULL;
	size_t len = 0;
	double height = 0;

	p.end_s = run->span.n ? (double)run->span.row[run->span.n - 1].t_ns / 1e9 : 1;
	if (!(p.end_s > 0))
		p.end_s = 1;
	int bins = run->span.n > BINS ? BINS : run->span.n > 1 ? (int)run->span.n : 1;
	if (bins_update(&p.bins, run->span, 0, 0, 0, p.end_s / bins, bins) < 0 || !(p.f = open_memstream(&inner, &len))) {
		err_set(err, ENOMEM, "no memory");
		goto out;
	}
	body(&p, &height);
	fclose(p.f);
	if (!(p.f = open_memstream(&out, &len))) {
		err_set(err, ENOMEM, "no memory");
		goto out;
	}
	fprintf(p.f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" role=\"img\">\n%s", WIDTH,
		height, WIDTH, height, style);
	fprintf(p.f, "<rect x=\".5\" y=\".5\" width=\"%d\" height=\"%.0f\" rx=\"10\" class=\"bg\"/>\n%s</svg>\n", WIDTH - 1, height - 1, inner);
	fclose(p.f);
out:
	bins_release(&p.bins);
	free(inner);
	return out;
}
