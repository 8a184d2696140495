/* SPDX-License-Identifier: MIT */
#include "tui/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "tui/canvas.h"
#include "tui/report_words.h"

/*
 * A card of 80 columns that people paste: pairs of rows "NAME read" and "NAME write" side by side, what was measured on
 * what, and what makes a figure doubtful. Of repetitions the best stands here, as those cards have it; the latencies are
 * of all of them.
 */
#define CARD_WIDTH 80

static void rule(FILE *f)
{
	for (int i = 0; i < CARD_WIDTH; i++)
		fputc('-', f);
	fputc('\n', f);
}

/* A paragraph in lines of the card, the later ones indented. */
static void wrapped(FILE *f, const char *first, const char *text)
{
	int x = fprintf(f, "%s", first), indent = (int)strlen(first);

	while (*text) {
		size_t n = strcspn(text, " ");
		char word[512];

		snprintf(word, sizeof(word), "%.*s", (int)n, text);
		if (x > indent && x + 1 + text_width(word) > CARD_WIDTH - 1) {
			fprintf(f, "\n%*s", indent, "");
			x = indent;
		}
		x += fprintf(f, "%s", x > indent ? " " : "") + text_width(word);
		fputs(word, f);
		text += n + (text[n] == ' ');
	}
	fputc('\n', f);
}

/* Text at the left, text at the right. */
static void sides(FILE *f, const char *left, const char *right)
{
	int gap = CARD_WIDTH - 2 - text_width(left) - text_width(right);

	if (gap >= 2)
		fprintf(f, " %s%*s%s\n", left, gap, "", right);
	else {
		wrapped(f, " ", left);
		if (*right)
			wrapped(f, " ", right);
	}
}

/* The same test in the other direction: "X read" and "X write". */
static const struct result *partner(const struct runlog_snap *run, const struct result *r, const char *other)
{
	const char *end = strrchr(r->name, ' ');
	char name[64];

	if (!end)
		return NULL;
	snprintf(name, sizeof(name), "%.*s %s", (int)(end - r->name), r->name, other);
	for (size_t i = 0; i < run->nr_results; i++) {
		if (strcmp(run->results[i]->name, name) == 0)
			return run->results[i];
	}
	return NULL;
}

static bool ends(const struct result *r, const char *word)
{
	const char *end = strrchr(r->name, ' ');

	return end && strcmp(end + 1, word) == 0;
}

static void padded(FILE *f, int width, const char *text)
{
	int w = text_width(text);

	fprintf(f, "%*s%s", width > w ? width - w : 0, "", text);
}

static bool doubtful(const struct result *r)
{
	return r->failed || r->cached == TRI_TRUE || r->too_short || r->cpu_bound;
}

/* Its reads and its writes stand apart. */
static bool mixed(const struct result *r)
{
	return rw_reads(r->wl.rw) && rw_writes(r->wl.rw) && !ends(r, "read") && !ends(r, "write");
}

/* 31 columns: MiB/s, IOPS, median latency, and a sign where a doubt is said below. @param one of a mix: that direction alone */
static void half(FILE *f, const struct result *r, const struct dir_result *one)
{
	char text[FMT_LEN];
	double bw, iops;

	if (!r) {
		fprintf(f, "%31s", "");
		return;
	}
	bw = one ? one->bw_bytes : r->all.bw_bytes;
	iops = one ? one->iops : r->all.iops;
	for (unsigned i = 0; i < r->nr_repeats && !one; i++) {
		bw = fmax(bw, r->repeat[i].bw_bytes);
		iops = fmax(iops, r->repeat[i].iops);
	}
	if (isnan(bw))
		snprintf(text, sizeof(text), "-");
	else
		snprintf(text, sizeof(text), "%.*f", bw < 1000 * (double)MIB ? 2 : 0, bw / (double)MIB);
	padded(f, 10, text);
	padded(f, 10, fmt_iops(text, iops));
	padded(f, 10, fmt_lat(text, one ? one->lat.pct[0] : r->lat.pct[0]));
	fputc(doubtful(r) ? '!' : ' ', f);
}

static void rows(FILE *f, const struct runlog_snap *run)
{
	fprintf(f, " %-16s%31s%31s\n", "", "read                  ", "write                 ");
	fprintf(f, " %-16s%10s%10s%10s %10s%10s%10s\n", "", "MiB/s", "IOPS", "p50", "MiB/s", "IOPS", "p50");
	for (size_t i = 0; i < run->nr_results; i++) {
		const struct result *r = run->results[i];
		bool read = ends(r, "read"), write = ends(r, "write");
		const struct result *other = read ? partner(run, r, "write") : write ? partner(run, r, "read") : NULL;
		int n = (int)strlen(r->name);

		if (write && other)
			continue; /* stands beside its read */
		if (read || write)
			n = (int)(strrchr(r->name, ' ') - r->name);
		fprintf(f, " %-16.*s", n < 16 ? n : 16, r->name);
		bool mix = mixed(r);
		half(f, write || (!read && !rw_reads(r->wl.rw)) ? NULL : r, mix ? &r->dir[DDIR_READ] : NULL);
		half(f, read ? other : write || mix || !rw_reads(r->wl.rw) ? r : NULL, mix ? &r->dir[DDIR_WRITE] : NULL);
		fputc('\n', f);
	}
}

static void say_doubt(void *ctx, const char *tests, const char *text)
{
	FILE *f = ctx;
	char line[1400];

	snprintf(line, sizeof(line), "%s: %s", tests, text);
	wrapped(f, " ! ", line);
}

/* Against what is documented: the tests by their verdict; the first reason of those that fell short. */
static void verdicts(FILE *f, const struct runlog_snap *run)
{
	static const enum verdict order[] = { VERDICT_SHORT, VERDICT_ABOVE, VERDICT_PASS };

	for (size_t k = 0; k < sizeof(order) / sizeof(*order); k++) {
		const char *reason = "";
		char line[1400] = "", first[32];

		for (size_t i = 0; i < run->nr_results; i++) {
			const struct result *r = run->results[i];
			if (r->verdict != order[k])
				continue;
			if (!*line && order[k] == VERDICT_SHORT)
				reason = r->reason;
			snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%s", *line ? ", " : "", r->name);
		}
		if (!*line)
			continue;
		if (*reason)
			snprintf(line + strlen(line), sizeof(line) - strlen(line), " - %s", reason);
		snprintf(first, sizeof(first), " %s: ", verdict_name(order[k]));
		wrapped(f, first, line);
	}
}

char *report_card(const struct runlog_snap *run, struct err *err)
{
	const struct run_header *h = run->header;
	char *out = NULL, left[512], right[512], a[128], b[400];
	size_t len = 0;
	unsigned best = 0;

	FILE *f = open_memstream(&out, &len);
	if (!f)
		return err_sys(err, "no memory"), NULL;
	for (size_t i = 0; i < run->nr_results; i++)
		best = run->results[i]->nr_repeats > best ? run->results[i]->nr_repeats : best;
	snprintf(left, sizeof(left), "ebscope %s  %s%s%s", h->version, h->title, *words_shape(run, a, sizeof(a)) ? "  " : "", a);
	if (best > 1)
		snprintf(left + strlen(left), sizeof(left) - strlen(left), "  best of %u", best);
	rule(f);
	sides(f, left, words_date(h, right, sizeof(right)));
	words_volume(h, left, sizeof(left));
	sides(f, *left ? left : "volume not known", words_host(h, right, sizeof(right)));
	snprintf(left, sizeof(left), "%.500s", words_target(h, b, sizeof(b)));
	const char *name = json_get_text(json_object_get(h->doc, "host"), "hostname", "");
	sides(f, left, name);
	rule(f);
	rows(f, run);
	rule(f);
	verdicts(f, run);
	results_warnings(run->results, run->nr_results, say_doubt, f);
	for (size_t i = 0; i < run->nr_results; i++)
		if (mixed(run->results[i]) && run->results[i]->nr_repeats > 1)
			say_doubt(f, run->results[i]->name, "a mix of reads and writes, the mean of all repetitions");
	if (run->end != RUN_DONE) {
		snprintf(left, sizeof(left), "run %s%s%s", run_end_name(run->end), *run->end_text ? ": " : "", run->end_text);
		wrapped(f, " ! ", left);
	}
	fclose(f);
	return out;
}
