/* SPDX-License-Identifier: MIT */
#include "engine/import.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/import_parts.h"

static const char *const kind_names[IMPORT_NR] = { "recording", "result", "fio", "bonnie++", "iperf3", "reference" };
static const char *const per_char_names[] = { NULL, "stdio", "syscall" };

const char *import_kind_name(enum import_kind k)
{
	return kind_names[k];
}

const char *per_char_name(enum per_char p)
{
	return per_char_names[p];
}

char *import_date(char *buf, size_t size, uint64_t unix_seconds)
{
	time_t t = (time_t)unix_seconds;
	struct tm tm;

	buf[0] = '\0';
	if (unix_seconds && unix_seconds < 253402300800ULL && gmtime_r(&t, &tm)) /* to the end of 9999 */
		strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return buf;
}

void import_warn(struct import_run *run, const char *fmt, ...)
{
	char text[IMPORT_WARNING_LEN];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	clean_text(text, text, false); /* cut anywhere, of a file that may hold any byte */
	for (size_t i = 0; i < run->nr_warnings; i++)
		if (strcmp(run->warning[i], text) == 0)
			return;
	if (run->nr_warnings == IMPORT_WARNINGS_MAX)
		return;
	if (!run->warning && !(run->warning = malloc(IMPORT_WARNINGS_MAX * sizeof(*run->warning))))
		return;
	memcpy(run->warning[run->nr_warnings++], text, sizeof(text));
}

struct import_test *import_add(struct import_run *run, const char *name, enum test_kind kind)
{
	if (run->nr_tests == IMPORT_TESTS_MAX) {
		run->partial = true;
		import_warn(run, "only the first %d tests are read", IMPORT_TESTS_MAX);
		return NULL;
	}
	if (run->nr_tests == run->cap_tests) {
		size_t cap = run->cap_tests ? 2 * run->cap_tests : 16;
		struct import_test *grown = realloc(run->test, cap * sizeof(*grown));
		if (!grown)
			return NULL;
		run->test = grown;
		run->cap_tests = cap;
	}
	struct result *r = result_new();
	if (!r)
		return NULL;
	snprintf(r->name, sizeof(r->name), "%s", name);
	r->kind = kind;
	struct import_test *t = &run->test[run->nr_tests++];
	*t = (struct import_test){ .r = r, .retransmits = NAN, .lost_pct = NAN, .jitter_ms = NAN, .burst = NAN,
				   .baseline = NAN, .burst_s = NAN, .shown = NAN, .time_scale = 1 };
	return t;
}

void import_release(struct import_run *run)
{
	for (size_t i = 0; i < run->nr_tests; i++) {
		result_free(run->test[i].r);
		free(run->test[i].point);
	}
	free(run->test);
	free(run->warning);
	*run = (struct import_run){ .nr_tests = 0 };
}

static unsigned line_number(const char *text, const char *at)
{
	unsigned n = 1;

	for (const char *p = text; p < at; p++)
		n += *p == '\n';
	return n;
}

/* The start of the next line whose first non-blank is '{', or end. Lines before it are warnings of the tool. */
static const char *next_document(struct import_run *run, const char *p, const char *end)
{
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end, *q = p;
		while (q < stop && (*q == ' ' || *q == '\t' || *q == '\r'))
			q++;
		if (q < stop && *q == '{')
			return q;
		int len = (int)(stop - q < RESULT_WARNING_LEN - 1 ? stop - q : RESULT_WARNING_LEN - 1);
		while (len > 0 && (q[len - 1] == '\r' || q[len - 1] == ' '))
			len--;
		bool text = len > 0;
		for (int i = 0; i < len; i++)
			text = text && ((unsigned char)q[i] >= ' ' || q[i] == '\t');
		if (text)
			import_warn(run, "%.*s", len, q);
		p = nl ? nl + 1 : end;
	}
	return end;
}

/* Which reader a document is for: by members that only its kind has. */
static bool read_document(struct import_run *run, struct json_span doc)
{
	struct json_iter it;
	struct json_span key, value;
	bool start = false;

	json_iter_init(&it, doc);
	while (json_iter_next(&it, &key, &value)) {
		if (json_span_is(key, "schema") && json_span_is(value, "ebscope/1"))
			return import_result(run, doc);
		if (json_span_is(key, "fio version") || json_span_is(key, "jobs") || json_span_is(key, "client_stats"))
			return import_fio(run, doc);
		if (start && (json_span_is(key, "intervals") || json_span_is(key, "end") || json_span_is(key, "error")))
			return import_iperf3(run, doc);
		start = start || json_span_is(key, "start");
	}
	return false;
}

static int read_json(struct import_run *run, const char *text, size_t len, struct err *err)
{
	const char *end = text + len, *p = next_document(run, text, end), *bad = NULL;
	unsigned nr = 0;
	bool cut = false;

	while (p < end) {
		struct json_span doc = json_span_at(p, end);
		nr++;
		cut = cut || doc.cut;
		if (!read_document(run, doc) && !bad)
			bad = p;
		if (doc.cut) {
			run->partial = true;
			import_warn(run, "line %u: the document that begins here is cut", line_number(text, p));
		}
		p = next_document(run, doc.end, end);
	}
	if (run->nr_tests || run->failed) {
		if (bad) {
			run->partial = true;
			import_warn(run, "line %u: a document that is not understood", line_number(text, bad));
		}
		return 0;
	}
	if (!nr)
		return err_set(err, EBADMSG,
			       "line 1: no JSON object and no bonnie++ CSV; expected a recording, or the output of "
			       "fio --output-format=json, bonnie++ -q or iperf3 -J");
	if (cut)
		return err_set(err, EBADMSG, "line %u: the file ends inside the JSON document that begins here, before a "
			       "first whole result", line_number(text, bad ? bad : text));
	return err_set(err, EBADMSG, "line %u: a JSON object without results of fio (\"jobs\"), iperf3 (\"end\") or "
		       "ebscope (\"schema\")", line_number(text, bad ? bad : text));
}

/* bonnie++ CSV: every line that is one. @return how many lines were read */
static size_t read_bonnie(struct import_run *run, const char *text, size_t len)
{
	const char *end = text + len;
	size_t nr = 0;

	for (const char *p = text; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
		nr += import_bonnie_line(run, p, (size_t)(stop - p));
		p = nl ? nl + 1 : end;
	}
	return nr;
}

/* Windows' shells begin what they redirect into a file with a mark, and write UTF-16. */
static int read_any(struct import_run *run, const char *text, size_t len, struct err *err)
{
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	if (len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
		return err_set(err, EBADMSG, "line 1: the text is UTF-16; iconv -f UTF-16 -t UTF-8 makes it readable");

	const char *p = text, *end = text + len;
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	if (p == end)
		return err_set(err, EBADMSG, "line 1: the file is empty");
	if (*p != '{' && memchr(p, ',', (size_t)(end - p)) && read_bonnie(run, text, len))
		return 0;
	return read_json(run, text, len, err);
}

/* Some tools give the upper edge of a bucket, which may lie over the maximum that was seen. */
static void clamp_percentiles(struct lat_stats *l)
{
	for (int i = 0; i < LAT_PCT_NR; i++)
		if (!isnan(l->pct[i])) /* fmin and fmax pass over a bound that is not there */
			l->pct[i] = fmin(fmax(l->pct[i], l->min), l->max);
}

static void clamp_all(struct import_run *run)
{
	for (size_t i = 0; i < run->nr_tests; i++) {
		struct result *r = run->test[i].r;
		struct lat_stats *const all[] = { &r->lat, &r->slat, &r->clat };
		for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++)
			clamp_percentiles(all[k]);
		for (int d = 0; d < DDIR_NR; d++) {
			clamp_percentiles(&r->dir[d].lat);
			clamp_percentiles(&r->dir[d].slat);
			clamp_percentiles(&r->dir[d].clat);
		}
	}
}

static void name_run(struct import_run *run, const char *name)
{
	*run = (struct import_run){ .nr_tests = 0 };
	snprintf(run->name, sizeof(run->name), "%s", name);
	clean_text(run->name, run->name, false);
}

int import_text(struct import_run *run, const char *name, const char *text, size_t len, struct err *err)
{
	name_run(run, name);
	if (read_any(run, text, len, err) == 0) {
		clamp_all(run);
		return 0;
	}
	import_release(run);
	return err_wrap(err, "%s", name);
}

/* The whole file in memory. The caller frees *text. */
static int slurp(const char *path, char **text, size_t *len, struct err *err)
{
	FILE *f = fopen(path, "re");
	struct stat st;
	size_t cap = 1 << 16, n = 0;

	*text = NULL;
	if (!f)
		return err_sys(err, "%s", path);
	if (fstat(fileno(f), &st) == 0) {
		bool dir = S_ISDIR(st.st_mode);
		if (dir || S_ISBLK(st.st_mode) || (S_ISCHR(st.st_mode) && !isatty(fileno(f)))) {
			fclose(f);
			return err_set(err, EINVAL, "%s: a %s; expected a file with results", path,
				       dir ? "directory" : "device");
		}
		if (S_ISREG(st.st_mode) && st.st_size > 0)
			cap = (size_t)st.st_size + 1;
	}
	while (cap <= IMPORT_BYTES_MAX) {
		char *grown = realloc(*text, cap);
		if (!grown)
			break;
		*text = grown;
		n += fread(*text + n, 1, cap - n, f);
		if (n < cap) {
			bool failed = ferror(f);
			fclose(f);
			*len = n;
			return failed ? err_sys(err, "%s: read", path) : 0;
		}
		cap *= 2;
	}
	fclose(f);
	return err_set(err, EFBIG, "%s: larger than 1 GiB, or than the memory; expected results of one run", path);
}

/* A recording begins with its header line. */
static bool is_recording(const char *text, size_t len)
{
	const char *nl = memchr(text, '\n', len);
	struct json_span line = json_span_at(text, nl ? nl : text + len);

	return line.p && !line.cut && json_span_is(json_span_get(line, "type"), "header");
}

int import_file(struct import_run *run, const char *path, struct err *err)
{
	return import_file_until(run, path, NULL, err);
}

int import_file_until(struct import_run *run, const char *path, const atomic_bool *cancel, struct err *err)
{
	char *text;
	size_t len = 0;
	int rc;

	name_run(run, path);
	if (slurp(path, &text, &len, err) < 0) {
		free(text);
		return -1;
	}
	if (is_recording(text, len)) {
		struct stat st; /* a file is read again, line by line; a pipe cannot be */
		if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
			free(text);
			text = NULL;
		}
		rc = import_recording(run, path, text, len, cancel, err);
		free(text);
		if (rc < 0)
			import_release(run);
		return rc;
	}
	rc = import_text(run, path, text, len, err);
	free(text);
	return rc;
}
