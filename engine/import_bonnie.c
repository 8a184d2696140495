/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/import_parts.h"
#include "engine/units.h"

/*
 * bonnie++ CSV. Fields as bon_csv2html(1) of bonnie++ 2.00a names them (1.98), and its manuals for the older ones:
 *
 *   1.03  27: name size | 6 x (figure, %CPU) | num_files | 6 x (figure, %CPU)
 *   1.97  48: format version name concurrency seed size chunk | 6 x | num_files max min dirs chunk | 6 x | 12 latencies
 *   1.98  50: as 1.97, with seeks and seekers behind the chunk size
 */
#define FIELDS_MAX 64
#define FIELD_LEN  64

struct layout {
	size_t fields_min, fields_max;
	size_t name, size, chunk, first, files, create, latency; /* 0: not there (name is never looked for at 0 but in 1.03) */
	enum per_char per_char;
};

static const struct layout layouts[] = {
	{ .fields_min = 27, .fields_max = 27, .name = 0, .size = 1, .first = 2, .files = 14, .create = 15,
	  .per_char = PER_CHAR_STDIO },
	{ .fields_min = 48, .fields_max = 48, .name = 2, .size = 5, .chunk = 6, .first = 7, .files = 19, .create = 24,
	  .latency = 36, .per_char = PER_CHAR_SYSCALL },
	{ .fields_min = 50, .fields_max = 51, .name = 2, .size = 5, .chunk = 6, .first = 9, .files = 21, .create = 26,
	  .latency = 38, .per_char = PER_CHAR_SYSCALL },
};

/* The tests, in the order of their columns. */
static const struct {
	const char    *name;
	enum test_kind kind;
	enum rw	       rw;
	bool	       rate; /* the figure is a count a second, not KiB/s */
} tests[12] = {
	{ "write-char", TEST_CHAR, RW_WRITE, false },  { "write-block", TEST_BLOCK, RW_WRITE, false },
	{ "rewrite", TEST_BLOCK, RW_RW, false },       { "read-char", TEST_CHAR, RW_READ, false },
	{ "read-block", TEST_BLOCK, RW_READ, false },  { "seeks", TEST_BLOCK, RW_RANDRW, true },
	{ "create-seq", TEST_FILE, RW_WRITE, true },   { "stat-seq", TEST_FILE, RW_READ, true },
	{ "delete-seq", TEST_FILE, RW_WRITE, true },   { "create-rand", TEST_FILE, RW_WRITE, true },
	{ "stat-rand", TEST_FILE, RW_READ, true },     { "delete-rand", TEST_FILE, RW_WRITE, true },
};

static double number(const char *text)
{
	json_t *j = json_loads(text, JSON_DECODE_ANY, NULL); /* whatever the locale */
	double v = json_is_number(j) && json_number_value(j) >= 0 ? json_number_value(j) : NAN;

	json_decref(j);
	return v;
}

/* "22012us", "2442ms", "3s" as ns. */
static double latency_ns(const char *text)
{
	uint64_t ns;
	struct err err;

	return *text && parse_time(text, &ns, &err) == 0 ? (double)ns : NAN;
}

static size_t split(const char *line, size_t len, char field[FIELDS_MAX][FIELD_LEN])
{
	size_t n = 0, at = 0;

	while (len && (line[len - 1] == '\r' || line[len - 1] == ' '))
		len--;
	field[0][0] = '\0';
	for (size_t i = 0; i <= len; i++) {
		if (i == len || line[i] == ',') {
			field[n][at] = '\0';
			at = 0;
			if (++n == FIELDS_MAX || i == len)
				return i == len ? n : 0;
		} else if (at < FIELD_LEN - 1) {
			field[n][at++] = line[i];
		} else {
			return 0; /* no field of bonnie++'s is that long */
		}
	}
	return n;
}

static bool plus(const char *text) { return text[0] == '+' && text[strspn(text, "+")] == '\0'; }

/* Each figure is a number, "+++++" (too fast to tell) or empty (not done). */
static bool is_figure(const char *text)
{
	return !*text || plus(text) || !isnan(number(text));
}

static const struct layout *layout_of(char field[FIELDS_MAX][FIELD_LEN], size_t n)
{
	bool versioned = n >= 48 && strncmp(field[0], "1.9", 3) == 0;

	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		const struct layout *l = &layouts[i];
		if (n < l->fields_min || n > l->fields_max || versioned != (l->latency > 0))
			continue;
		bool all = true;
		for (size_t k = 0; k < 12; k++)
			all = all && is_figure(field[l->first + k]) && is_figure(field[l->create + k]);
		if (all)
			return l;
	}
	return NULL;
}

/* A line that names its version and is cut: what stands before the cut, without the last field, may be half of one. */
static const struct layout *layout_cut(char field[FIELDS_MAX][FIELD_LEN], size_t n)
{
	const struct layout *l = strcmp(field[0], "1.97") == 0 ? &layouts[1] : strcmp(field[0], "1.98") == 0 ? &layouts[2] : NULL;

	if (!l || n >= l->fields_min || n < l->first + 2)
		return NULL;
	field[n - 1][0] = '\0';
	for (size_t k = 0; k < 12; k++)
		if (!is_figure(field[l->first + k]) || !is_figure(field[l->create + k]))
			return NULL;
	return l;
}

/* A line more of the same test: bonnie++ -x N. The figure becomes the mean of all. */
static void add_repeat(struct import_test *t, bool is_rate, double v)
{
	struct result *r = t->r;
	double *figure = is_rate ? &r->all.iops : &r->all.bw_bytes, sum = 0;

	if (r->nr_repeats == 0)
		r->repeat[r->nr_repeats++] = (struct repeat){ r->all.iops, r->all.bw_bytes };
	if (r->nr_repeats < RESULT_REPEATS_MAX)
		r->repeat[r->nr_repeats++] = (struct repeat){ is_rate ? v : NAN, is_rate ? NAN : v * 1024 };
	for (unsigned i = 0; i < r->nr_repeats; i++)
		sum += is_rate ? r->repeat[i].iops : r->repeat[i].bw_bytes;
	*figure = sum / r->nr_repeats;
	t->shown = is_rate ? *figure : *figure / 1024;
	r->too_short = r->too_short || isnan(v);
}

static uint64_t size_or(const char *text, uint64_t missing)
{
	uint64_t size;
	struct err err;

	return parse_size(text, &size, &err) == 0 ? size : missing;
}

static void read_test(struct import_run *run, const struct layout *l, char field[FIELDS_MAX][FIELD_LEN], size_t k)
{
	size_t at = k < 6 ? l->first + 2 * k : l->create + 2 * (k - 6);
	double v = number(field[at]);
	char size[FIELD_LEN];

	if (!field[at][0])
		return;
	for (size_t i = 0; i < run->nr_tests; i++)
		if (strcmp(run->test[i].r->name, tests[k].name) == 0) {
			add_repeat(&run->test[i], tests[k].rate, v);
			return;
		}
	struct import_test *t = import_add(run, tests[k].name, tests[k].kind);
	if (!t)
		return;
	struct result *r = t->r;
	bool is_char = k == 0 || k == 3;
	snprintf(size, sizeof(size), "%s", field[l->size]);
	char *colon = strchr(size, ':'); /* 1.03 writes SIZE:CHUNK where the chunk is not 8 KiB */
	if (colon)
		*colon++ = '\0';
	r->wl.rw = tests[k].rw;
	r->wl.size = size_or(size, 0);
	r->wl.bs = is_char ? 1 : size_or(l->chunk ? field[l->chunk] : colon ? colon : "", 8 * KIB);
	r->wl.direct = 0;
	r->wl.ioengine = IOENGINE_SYNC;
	r->cpu_pct = number(field[at + 1]);
	r->too_short = plus(field[at]);
	if (r->too_short)
		result_warn(r, "under half a second: +++++");
	t->shown = v;
	t->unit = k == 5 ? "seeks/s" : tests[k].rate ? "files/s" : "KiB/s";
	*(tests[k].rate ? &r->all.iops : &r->all.bw_bytes) = tests[k].rate ? v : v * 1024;
	t->per_char = !is_char ? PER_CHAR_NONE : l->latency && strncmp(field[1], "1.03", 4) == 0 ? PER_CHAR_STDIO : l->per_char;
	if (l->latency)
		r->lat.max = latency_ns(field[l->latency + k]);
}

bool import_bonnie_line(struct import_run *run, const char *line, size_t len)
{
	char field[FIELDS_MAX][FIELD_LEN] = { "" };
	size_t n = len && *line != '#' ? split(line, len, field) : 0;
	const struct layout *l = n ? layout_of(field, n) : NULL;

	if (!l && n && (l = layout_cut(field, n))) {
		run->partial = true;
		import_warn(run, "the line of bonnie++ %.10s is cut: %zu fields, %zu expected", field[0], n, l->fields_min);
	}
	if (!l)
		return false;
	run->kind = IMPORT_BONNIE;
	snprintf(run->source, sizeof(run->source), "bonnie++ %s", l->latency ? field[1] : "1.03");
	for (size_t k = 0; k < 12; k++)
		read_test(run, l, field, k);
	return run->nr_tests > 0;
}
