/* SPDX-License-Identifier: MIT */
#include "tui/compare_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"
#include "tui/csv.h"

static char *one_digit(char *buf, double v)
{
	snprintf(buf, FMT_LEN, "%.1f", v);
	return buf;
}

/* As bonnie++ writes it, who has no mega below a million of them. */
static char *kibibytes(char *buf, double v)
{
	char figure[FMT_LEN];

	if (v >= 1e6)
		return fmt_bw(buf, v * KIB);
	snprintf(buf, FMT_LEN, "%.20s KiB/s", fmt_iops(figure, v));
	return buf;
}

static char *gigabits(char *buf, double v)
{
	snprintf(buf, FMT_LEN, "%.3f Gbit/s", v);
	return buf;
}

static char *percent(char *buf, double v)
{
	snprintf(buf, FMT_LEN, "%.0f %%", v);
	return buf;
}

/* How a unit's values are written. */
static const struct {
	const char *unit;
	char	 *(*fmt)(char *, double);
	double	    scale;
} units[] = {
	{ "IO/s", fmt_iops, 1 }, { "files/s", fmt_iops, 1 },  { "seeks/s", one_digit, 1 }, { "B/s", fmt_bw, 1 },
	{ "KiB/s", kibibytes, 1 }, { "MiB/s", fmt_bw, MIB },   { "Gbit/s", gigabits, 1 },   { "ns", fmt_lat, 1 },
	{ "s", fmt_duration, 1 }, { "%", percent, 1 },	      { "segments", fmt_iops, 1 },
};

/* As dd writes it, in powers of ten; as hdparm does, whose mega is 2^20 and who has no giga. */
static char *dd_rate(char *buf, const char *unit, double v)
{
	static const char *const powers[] = { "B/s", "kB/s", "MB/s", "GB/s", "TB/s" };
	size_t i = 0;
	char figure[FMT_LEN];

	if (strcmp(unit, "MiB/s") == 0) {
		snprintf(buf, FMT_LEN, "%.20s MiB/s", fmt_iops(figure, v));
		return buf;
	}
	while (v >= 999.5 && i + 1 < sizeof(powers) / sizeof(*powers)) {
		v /= 1000;
		i++;
	}
	snprintf(buf, FMT_LEN, "%.*f %s", i && v < 99.95 ? 1 : 0, v, powers[i]);
	return buf;
}

char *compare_value(char *buf, const struct compare_row *row, size_t run)
{
	double v = row->value[run];

	if (row->too_short[run])
		return strcpy(buf, "+++++");
	if (row->dd && !isnan(v))
		return dd_rate(buf, row->unit, v);
	for (size_t i = 0; !isnan(v) && i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(units[i].unit, row->unit) == 0)
			return units[i].fmt(buf, v * units[i].scale);
	return strcpy(buf, "-");
}

static void put_runs(FILE *f, const struct comparison *c)
{
	for (size_t k = 0; k < c->nr_runs; k++) {
		const struct import_run *r = &c->run[k];
		fprintf(f, "%2zu  %s: %s%s%s%s%s%s%s\n", k + 1, r->name, import_kind_name(r->kind), r->source[0] ? ", " : "",
			r->source, r->date[0] ? ", " : "", r->date, r->partial ? ", PARTIAL" : "", r->failed ? ", FAILED" : "");
		if (*r->on)
			fprintf(f, "      on %s\n", r->on);
		for (size_t i = 0; i < r->nr_warnings; i++)
			fprintf(f, "      %s\n", r->warning[i]);
	}
	fputc('\n', f);
}

/* "2,950  0.98x =" */
static void cell(const struct compare_row *row, size_t k, size_t first, char *out, size_t size)
{
	char v[FMT_LEN];
	const char *mark = row->significant[k] == TRI_TRUE ? " *" : row->significant[k] == TRI_FALSE ? " =" : "";

	compare_value(v, row, k);
	if (k == first || isnan(row->ratio[k]))
		snprintf(out, size, "%s", v);
	else
		snprintf(out, size, "%s  %.3gx%s", v, row->ratio[k], mark);
}

static size_t first_run(const struct compare_row *row, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (!isnan(row->value[k]))
			return k;
	return 0;
}

/* Does a test begin at row @p i? One of the same name does where the figures begin anew. */
static bool begins(const struct comparison *c, size_t i, const char *first_metric)
{
	return i == 0 || strcmp(c->row[i].test, c->row[i - 1].test) != 0 || strcmp(c->row[i].metric, first_metric) == 0;
}

char *compare_to_table(const struct comparison *c)
{
	const char *head = "";
	char *text = NULL, value[80];
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_runs(f, c);
	fprintf(f, "%-43s", "");
	for (size_t k = 0; k < c->nr_runs; k++)
		fprintf(f, " %22zu", k + 1);
	fputc('\n', f);
	for (size_t i = 0; i < c->nr_rows; i++) {
		const struct compare_row *row = &c->row[i];
		size_t first = first_run(row, c->nr_runs);
		bool begin = begins(c, i, head);
		head = begin ? row->metric : head;
		fprintf(f, "%-18.18s %-24s", begin ? row->test : "", row->metric);
		for (size_t k = 0; k < c->nr_runs; k++) {
			cell(row, k, first, value, sizeof(value));
			fprintf(f, " %22s", value);
		}
		fputc('\n', f);
		bool last = i + 1 == c->nr_rows || begins(c, i + 1, head);
		if (last && row->not_comparable[0])
			fprintf(f, "%-18s not comparable: %s\n", "", row->not_comparable);
		if (last && row->differs[0])
			fprintf(f, "%-18s not quite the same: %s\n", "", row->differs);
	}
	bool marks = false;
	for (size_t i = 0; i < c->nr_rows; i++)
		for (size_t k = 0; k < c->nr_runs; k++)
			marks = marks || c->row[i].significant[k] != TRI_NULL;
	if (marks)
		fputs("\n* differs by more than the noise   = does not (block bootstrap, 95 %)\n", f);
	return fclose(f) == 0 ? text : (free(text), NULL);
}

static void put_text(FILE *f, const char *text, char end)
{
	csv_text(f, text);
	fputc(end, f);
}

static void put_number(FILE *f, double v)
{
	csv_number(f, v);
	fputc(',', f);
}

char *compare_to_csv(const struct comparison *c)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fputs("test,metric,unit,run,value,ratio,spread,significant,not_comparable,differs\n", f);
	for (size_t i = 0; i < c->nr_rows; i++)
		for (size_t k = 0; k < c->nr_runs; k++) {
			const struct compare_row *r = &c->row[i];
			put_text(f, r->test, ',');
			fprintf(f, "%s,%s,", r->metric, r->unit);
			put_text(f, c->run[k].name, ',');
			put_number(f, r->value[k]);
			put_number(f, r->ratio[k]);
			put_number(f, r->spread[k]);
			fputs(r->significant[k] == TRI_NULL ? "," : r->significant[k] == TRI_TRUE ? "true," : "false,", f);
			put_text(f, r->not_comparable, ',');
			put_text(f, r->differs, '\n');
		}
	return fclose(f) == 0 ? text : (free(text), NULL);
}
