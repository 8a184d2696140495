/* SPDX-License-Identifier: MIT */
#include "tui/report_svg.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/knee.h"
#include "engine/units.h"
#include "tui/report_words.h"

/*
 * The run as one self-contained picture: IOPS and throughput over time with what is documented, phases, the tests'
 * verdicts, and where all of it comes from. Colours follow the reader's light or dark; nothing is loaded from elsewhere.
 */
#define WIDTH	 1000
#define BINS	 450 /* a step each two pixels */
#define ROW	 22

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

void svg_text(struct picture *p, double x, double y, const char *class, const char *fmt, ...)
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

static void pill(struct picture *p, double right, double y, const char *class, const char *text)
{
	double w = 16 + 7.2 * (double)strlen(text);

	fprintf(p->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"18\" rx=\"9\" class=\"%s\"/>\n", right - w, y - 13, w, class);
	svg_text(p, right - w / 2, y, "pt", "%s", text);
}

static void header(struct picture *p)
{
	const struct run_header *h = p->run->header;
	char volume[160], host[96], shape[48], target[400];
	double right = SVG_RIGHT;

	words_volume(h, volume, sizeof(volume));
	words_host(h, host, sizeof(host));
	svg_text(p, 30, 38, "big", "%s", *volume ? volume : h->target);
	svg_text(p, 30, 60, "m", "%s · %s%s%s", h->title, words_target(h, target, sizeof(target)), *host ? " · " : "", host);
	enum verdict v = report_verdict(p->run);
	if (v != VERDICT_NONE) {
		char text[16];
		snprintf(text, sizeof(text), "%s", verdict_name(v));
		for (char *c = text; *c; c++)
			*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 32 : *c);
		pill(p, right, 36, verdict_name(v), text);
		right -= 24 + 7.2 * (double)strlen(text);
	}
	if (*words_shape(p->run, shape, sizeof(shape)))
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

	svg_text(p, SVG_LEFT, y, "s", "test");
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		svg_text(p, heads[i].x, y, "s num", "%s", heads[i].name);
	fprintf(p->f, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", SVG_LEFT, y + 7, SVG_RIGHT);
	for (size_t i = 0; i < run->nr_results && i < SVG_TESTS; i++) {
		const struct result *r = run->results[i];
		const char *verdict = verdict_name(r->verdict);

		y += ROW;
		if (verdict)
			fprintf(p->f, "<circle cx=\"%d\" cy=\"%.1f\" r=\"5\" class=\"%s\"/>\n", SVG_LEFT - 14, y - 4, verdict);
		svg_text(p, SVG_LEFT, y, "b", "%s", r->name);
		svg_text(p, heads[0].x, y, "num", "%s", r->too_short && isnan(r->all.iops) ? "+++++" : fmt_iops(text, r->all.iops));
		if (isnan(r->all.bw_bytes))
			svg_text(p, heads[1].x, y, "num", "-");
		else
			svg_text(p, heads[1].x, y, "num", "%.1f", r->all.bw_bytes / (double)MIB);
		svg_text(p, heads[2].x, y, "num", "%s", fmt_lat(text, r->lat.pct[0]));
		svg_text(p, heads[3].x, y, "num", "%s", fmt_lat(text, r->lat.pct[2]));
		svg_text(p, 630, y, r->cached == TRI_TRUE ? "warn" : "m", "%s%s%s", r->cached == TRI_TRUE ? "cached: memory, not storage " : "",
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
		svg_text(p, SVG_LEFT, y, class, "%s", line);
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

	fprintf(p->f, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", SVG_LEFT, y - 16, SVG_RIGHT);
	svg_text(p, SVG_LEFT, y, "s", "ebscope %s · %s · %s · Linux %s%s%s%s%s", h->version, words_date(h, date, sizeof(date)),
		 json_get_text(host, "hostname", "?"), json_get_text(host, "kernel", "?"),
		 json_get_text(h->doc, "as_of", NULL) ? " · limits as of " : "", json_get_text(h->doc, "as_of", ""),
		 p->run->end == RUN_DONE ? "" : " · run ", p->run->end == RUN_DONE ? "" : run_end_name(p->run->end));
	fputs("<g text-anchor=\"end\">", p->f);
	svg_text(p, SVG_RIGHT, y, "s", "%s", p->scale == 1 ? "seconds of the clock" : "time of the volume");
	fputs("</g>\n", p->f);
}

static void body(struct picture *p, double *height)
{
	struct panel rate = { .y = 110, .h = 230, .unit = 1, .series = BIN_IOPS, .name = "IOPS", .line = "rate", .fill = "ratef", .key = "iops" };
	struct panel bw = { .y = 402, .h = 120, .unit = (double)MIB, .series = BIN_BW, .name = "MiB/s", .line = "bw", .fill = "bwf", .key = "mibps" };

	header(p);
	double down = svg_curve(p, rate.y);
	rate.y += down;
	bw.y += down;
	svg_panel(p, &rate);
	bool any = false;
	for (int i = 0; i < p->bins.n; i++)
		any = any || !isnan(p->bins.value[BIN_MODEL][i]);
	fputs("<g text-anchor=\"end\">", p->f);
	if (any)
		svg_text(p, SVG_RIGHT, rate.y - 8, "modelt", "— what is allowed at that moment");
	fputs("</g>\n", p->f);
	svg_panel(p, &bw);
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
