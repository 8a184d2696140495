/* SPDX-License-Identifier: MIT */
#include "tui/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/bonnie.h"
#include "engine/units.h"

/*
 * bonnie++'s CSV, fields as bon_csv2html(1) of its package names them. Figures are K/s (1,024 bytes), seeks and files a
 * second; %CPU whole; latencies the worst. "+++++" is too short to tell,
 * "+++" a %CPU that is not known; an empty field was not done.
 */
static const char *const columns[12] = {
	"write-char", "write-block", "rewrite", "read-char", "read-block", "seeks",
	"create-seq", "stat-seq", "delete-seq", "create-rand", "stat-rand", "delete-rand",
};
#define COLUMN_SEEKS 5
#define COLUMN_FILES 6

static const struct result *column(const struct runlog_snap *run, size_t k)
{
	for (size_t i = 0; i < run->nr_results; i++) {
		if (strcmp(run->results[i]->name, columns[k]) == 0)
			return run->results[i];
	}
	return NULL;
}

/* Per-character by stdio? What the run says; a run without those tests says nothing. */
static bool by_stdio(const struct runlog_snap *run)
{
	const struct result *r = column(run, 0);

	if (!r)
		r = column(run, 3);
	return r && strcmp(json_get_text(r->more, "per_char", ""), "stdio") == 0;
}

/* As bonnie++ counts: a rewritten chunk once, a seek once. */
static double figure(const struct result *r, size_t k)
{
	if (k >= COLUMN_FILES)
		return r->all.iops;
	if (k == COLUMN_SEEKS)
		return r->dir[DDIR_READ].iops;
	return (strcmp(r->name, "rewrite") == 0 ? r->dir[DDIR_WRITE].bw_bytes : r->all.bw_bytes) / KIB;
}

static void put_figure(FILE *f, const struct result *r, size_t k)
{
	double v = r ? figure(r, k) : NAN;

	if (!r) {
		fputs(",,", f);
		return;
	}
	if (r->too_short || !isfinite(v)) {
		fputs(",+++++,+++", f);
		return;
	}
	fprintf(f, ",%.*f,", k >= COLUMN_SEEKS && v < 1000, v);
	if (isfinite(r->cpu_pct))
		fprintf(f, "%.0f", r->cpu_pct);
	else
		fputs("+++", f);
}

static void put_latency(FILE *f, const struct result *r)
{
	double us = r ? r->lat.max / 1e3 : NAN;

	if (!isfinite(us))
		fputc(',', f);
	else if (us < 1e5)
		fprintf(f, ",%.0fus", us);
	else if (us < 1e8)
		fprintf(f, ",%.0fms", us / 1e3);
	else
		fprintf(f, ",%.0fs", us / 1e6);
}

/* Size of the file as bonnie++ writes it: whole GiB or MiB. */
static void put_size(FILE *f, const struct runlog_snap *run)
{
	const struct result *r = column(run, 1);

	for (size_t k = 0; k < COLUMN_FILES && !r; k++)
		r = column(run, k);
	if (!r)
		return;
	if (r->wl.size % GIB == 0)
		fprintf(f, "%" PRIu64 "G", r->wl.size / (uint64_t)GIB);
	else
		fprintf(f, "%" PRIu64 "M", r->wl.size / (uint64_t)MIB);
}

static const json_t *files_of(const struct runlog_snap *run)
{
	for (size_t k = COLUMN_FILES; k < 12; k++) {
		const struct result *r = column(run, k);
		if (r)
			return json_object_get(r->more, "files");
	}
	return NULL;
}

static void put_count(FILE *f, const json_t *o, const char *key)
{
	uint64_t n = json_get_u64(o, key, 0);

	fputc(',', f);
	if (n)
		fprintf(f, "%" PRIu64, n);
}

static void put_name(FILE *f, const struct runlog_snap *run)
{
	const char *name = json_get_text(json_object_get(run->header->doc, "host"), "hostname", "");

	for (; *name; name++)
		fputc(*name == ',' || (unsigned char)*name < ' ' ? '_' : *name, f);
}

static void figures(FILE *f, const struct runlog_snap *run, size_t from, size_t to)
{
	for (size_t k = from; k < to; k++)
		put_figure(f, column(run, k), k);
}

/* 1.97 and 1.98: they differ by two fields. */
static void line_19x(FILE *f, const struct runlog_snap *run, bool seeks)
{
	const json_t *files = files_of(run);

	fprintf(f, "%s,%s,", seeks ? "1.98" : "1.97", by_stdio(run) ? "1.03e" : seeks ? "2.00a" : "1.97");
	put_name(f, run);
	fputs(",1,0,", f); /* one at a time; no seed */
	put_size(f, run);
	fputc(',', f); /* chunks of 8 KiB: the default is left empty */
	if (seeks)
		fprintf(f, ",%d,%d", BONNIE_SEEKS, BONNIE_SEEKERS);
	figures(f, run, 0, COLUMN_FILES);
	put_count(f, files, "n");
	put_count(f, files, "max");
	put_count(f, files, "min");
	put_count(f, files, "dirs");
	fputc(',', f);
	figures(f, run, COLUMN_FILES, 12);
	for (size_t k = 0; k < 12; k++)
		put_latency(f, column(run, k));
}

/* 27 fields, and only one meaning of per-character. */
static void line_103(FILE *f, const struct runlog_snap *run)
{
	const json_t *files = files_of(run);
	bool stdio = by_stdio(run);

	put_name(f, run);
	fputc(',', f);
	put_size(f, run);
	for (size_t k = 0; k < COLUMN_FILES; k++)
		put_figure(f, k % 3 == 0 && k < 4 && !stdio ? NULL : column(run, k), k);
	put_count(f, files, "n");
	if (json_get_u64(files, "max", 0) || json_get_u64(files, "dirs", 0))
		fprintf(f, ":%" PRIu64 ":%" PRIu64 "/%" PRIu64, json_get_u64(files, "max", 0), json_get_u64(files, "min", 0),
			json_get_u64(files, "dirs", 0));
	figures(f, run, COLUMN_FILES, 12);
}

static char *make(const struct runlog_snap *run, const char *version, struct err *err)
{
	char *out = NULL;
	size_t len = 0, found = 0;

	for (size_t k = 0; k < 12; k++)
		found += column(run, k) != NULL;
	if (!found && run->nr_results) {
		err_set(err, ERR_USAGE, "--format bonnie is for the tests of --suite bonnie; this is %s", run->header->title);
		return NULL;
	}
	FILE *f = open_memstream(&out, &len);
	if (!f)
		return err_sys(err, "no memory"), NULL;
	if (strcmp(version, "1.03") == 0)
		line_103(f, run);
	else
		line_19x(f, run, strcmp(version, "1.98") == 0);
	fputc('\n', f);
	fclose(f);
	return out;
}

char *report_bonnie(const struct runlog_snap *run, struct err *err)
{
	return make(run, "1.98", err);
}

char *report_bonnie_197(const struct runlog_snap *run, struct err *err)
{
	return make(run, "1.97", err);
}

char *report_bonnie_103(const struct runlog_snap *run, struct err *err)
{
	return make(run, "1.03", err);
}
