/* SPDX-License-Identifier: MIT */
#include "tui/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aws/task_note.h"
#include "engine/knee.h"
#include "engine/units.h"
#include "tui/net_cli.h"
#include "tui/report_words.h"

static const char *label(const struct result *r)
{
	return r->failed ? "failed" : r->cached == TRI_TRUE ? "cached" : r->too_short ? "too short" :
	       verdict_name(r->verdict) ? verdict_name(r->verdict) : "";
}

/* "µs" is one column but two bytes. */
static int pad(const char *s, int width)
{
	return width + (strstr(s, "µ") ? 1 : 0);
}

static void row(FILE *f, const struct result *r)
{
	char iops[FMT_LEN], bw[FMT_LEN], p50[FMT_LEN], p99[FMT_LEN], max[FMT_LEN], bs[FMT_LEN], what[64], cpu[FMT_LEN] = "-";

	if (r->kind == TEST_BLOCK)
		snprintf(what, sizeof(what), "%s %s", rw_name(r->wl.rw), fmt_bs(bs, r->wl.bs));
	else
		snprintf(what, sizeof(what), "%s %s", test_kind_name(r->kind), fmt_bs(bs, r->wl.bs));
	fmt_iops(iops, r->all.iops);
	fmt_bw(bw, r->all.bw_bytes);
	if (r->too_short && isnan(r->all.iops)) { /* bonnie++'s sign for it */
		strcpy(iops, "+++++");
		strcpy(bw, "+++++");
	}
	fmt_lat(p50, r->lat.pct[0]);
	fmt_lat(p99, r->lat.pct[2]);
	fmt_lat(max, r->lat.max);
	if (!isnan(r->cpu_pct))
		snprintf(cpu, sizeof(cpu), "%.0f %%", r->cpu_pct);
	fprintf(f, "%-16s %-14s %9s %12s %*s %*s %*s %6s  %s\n", r->name, what, iops, bw, pad(p50, 9), p50, pad(p99, 9), p99, pad(max, 9), max,
		cpu, label(r));
	if (*r->measures)
		fprintf(f, "  %s%s%s\n", r->measures, *r->equivalent ? "; as: " : "", r->equivalent);
	char *(*const words[])(const struct result *, char *, size_t) = { words_repeat, words_durable };
	for (size_t i = 0; i < 2; i++) {
		char text[160];
		if (*words[i](r, text, sizeof(text)))
			fprintf(f, "  %s\n", text);
	}
}

/* What the tests say together, and what is known of a task's size. */
static void notes(FILE *f, const struct runlog_snap *run)
{
	struct knee knee;
	char text[600];

	if (knee_find(run->results, run->nr_results, &knee))
		fprintf(f, "%s\n", knee_text(&knee, text, sizeof(text)));
	if (run->nr_results && run->results[0]->more &&
	    *task_note_text(json_object_get(run->results[0]->more, "task"), text, sizeof(text)))
		fprintf(f, "%s\n", text);
}

static void say_warning(void *ctx, const char *tests, const char *text)
{
	fprintf(ctx, "%s: %s\n", tests, text);
}

char *report_table(const struct runlog_snap *run, struct err *err)
{
	const struct run_header *h = run->header;
	char *out = NULL, memory[64], shape[64];
	size_t len = 0;
	FILE *f = open_memstream(&out, &len);

	if (!f)
		return err_sys(err, "no memory"), NULL;
	fprintf(f, "ebscope %s  %s on %s", h->version, h->title, h->target);
	if (*words_shape(run, shape, sizeof(shape)))
		fprintf(f, "  %s", shape);
	if (*words_memory(h, memory, sizeof(memory)))
		fprintf(f, "  %s", memory);
	bool net = run->nr_results && run->results[0]->kind == TEST_NET;
	fputs("\n\n", f);
	if (!net)
		fprintf(f, "%-16s %-14s %9s %12s %9s %9s %9s %6s\n", "test", "what", "IOPS", "bandwidth", "p50", "p99", "max", "CPU");
	for (size_t i = 0; i < run->nr_results; i++) {
		if (net)
			net_table(f, run->results[i]);
		else
			row(f, run->results[i]);
	}
	if (!run->nr_results)
		fputs("(nothing was measured)\n", f);
	if (!net)
		fputc('\n', f);
	notes(f, run);
	results_warnings(run->results, run->nr_results, say_warning, f);
	for (size_t i = 0; i < run->nr_results; i++) {
		const struct result *r = run->results[i];
		if (*r->reason && strcmp(r->reason, i + 1 < run->nr_results ? run->results[i + 1]->reason : "") != 0)
			fprintf(f, "%s: %s - %s\n", r->name, verdict_name(r->verdict) ? verdict_name(r->verdict) : "-", r->reason);
	}
	if (run->end != RUN_DONE)
		fprintf(f, "run %s%s%s\n", run_end_name(run->end), *run->end_text ? ": " : "", run->end_text);
	fclose(f);
	return out;
}
