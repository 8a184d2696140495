/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/import_parts.h"
#include "engine/recorder.h"
#include "engine/runlog.h"
#include "engine/units.h"

/* Network tests belong together by their direction, as this side sees it; levels as the test found them. */
static void read_net(struct import_test *t, const json_t *more)
{
	const json_t *row = json_object_get(more, "row");
	const char *direction = json_get_text(more, "direction", NULL);

	if (direction)
		snprintf(t->r->name, sizeof(t->r->name), "%s", direction);
	if (isnan(t->r->all.bw_bytes))
		t->r->all.bw_bytes = json_get_num(more, "bits_per_second", NAN) / 8;
	t->baseline = json_get_num(row, "baseline_gbps", NAN) * 1e9 / 8;
	if (isnan(t->baseline)) /* one level only: nobody can say which it was */
		return;
	t->burst = json_get_num(row, "burst_gbps", NAN) * 1e9 / 8;
	t->burst_s = json_get_num(row, "burst_s", NAN);
}

/* What a result says in its members that engine only passes on. */
static void read_more(struct import_test *t)
{
	const json_t *more = t->r->more;
	const char *meaning = json_get_text(more, "per_char", "");

	for (int p = PER_CHAR_STDIO; p <= PER_CHAR_SYSCALL; p++)
		if (strcmp(meaning, per_char_name((enum per_char)p)) == 0)
			t->per_char = (enum per_char)p;
	t->retransmits = json_get_num(more, "retransmits", NAN);
	t->lost_pct = json_get_num(json_object_get(more, "udp"), "lost_pct", NAN);
	t->jitter_ms = json_get_num(json_object_get(more, "udp"), "jitter_us", NAN) / 1000;
	if (t->r->kind == TEST_NET)
		read_net(t, more);
}

/*
 * A test of the bonnie suite, as bonnie++ counts: a rewrite is a chunk, not its read and its write; a seek is a seek, not
 * the one in ten that writes back.
 */
static void bonnie_meaning(struct result *r)
{
	if (strncmp(r->equivalent, "bonnie++", 8) != 0 || r->kind != TEST_BLOCK)
		return;
	r->kind = TEST_CHAR;
	if (strcmp(r->name, "rewrite") == 0)
		r->all = r->dir[DDIR_WRITE];
	else if (strcmp(r->name, "seeks") == 0)
		r->all = r->dir[DDIR_READ];
}

/* Take over @p r as the result of a new test. */
static struct import_test *add_result(struct import_run *run, struct result *r)
{
	bonnie_meaning(r);
	struct import_test *t = import_add(run, r->name, r->kind);

	if (!t) {
		result_free(r);
		return NULL;
	}
	result_free(t->r);
	t->r = r;
	read_more(t);
	return t;
}

static void say_warning(void *run, const char *tests, const char *text)
{
	import_warn(run, "%s: %.160s", tests, text);
}

static void take_warnings(struct import_run *run)
{
	const struct result **r = calloc(run->nr_tests + 1, sizeof(*r));

	for (size_t i = 0; r && i < run->nr_tests; i++)
		r[i] = run->test[i].r;
	results_warnings(r, r ? run->nr_tests : 0, say_warning, run);
	free(r);
}

static bool volume_alike(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "type", "size_gib", "iops", "throughput_mibps" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i])))
			return false;
	return true;
}

static void read_volumes(struct import_volumes *vs, const json_t *list)
{
	const json_t *first = json_array_get(list, 0);
	size_t n = json_array_size(list);

	for (size_t i = 1; i < n; i++)
		if (!volume_alike(first, json_array_get(list, i)))
			return;
	json_copy_text(first, "type", vs->type, sizeof(vs->type));
	vs->n = *vs->type ? (unsigned)n : 0;
	vs->size_gib = json_get_num(first, "size_gib", NAN);
	vs->iops = json_get_num(first, "iops", NAN);
	vs->mibps = json_get_num(first, "throughput_mibps", NAN);
}

static void put_figure(FILE *f, const char *before, double v, const char *unit)
{
	char figure[FMT_LEN];

	if (v > 0)
		fprintf(f, "%s%s %s", before, fmt_iops(figure, v), unit);
}

/* What the figures are of: targets, volumes and host, as the head of a recording and of a result name them. */
static void read_place(struct import_run *run, const json_t *head)
{
	const json_t *host = json_object_get(head, "host"), *targets = json_object_get(head, "targets"), *t;
	const char *type = json_get_text(host, "instance_type", NULL), *task = json_get_text(host, "task", NULL);
	struct import_volumes *vs = &run->volumes;
	FILE *f = fmemopen(run->on, sizeof(run->on), "w");
	const char *sep = "";
	size_t i;

	read_volumes(vs, json_object_get(head, "volumes"));
	if (!f)
		return;
	json_array_foreach(targets, i, t) {
		fprintf(f, "%s%.120s", sep, json_get_text(t, "path", "?"));
		sep = ", ";
	}
	if (vs->n > 1)
		fprintf(f, "%s%u x %s", sep, vs->n, vs->type);
	else if (vs->n)
		fprintf(f, "%s%s", sep, vs->type);
	if (vs->n) {
		sep = ", ";
		put_figure(f, " ", vs->size_gib, "GiB");
		put_figure(f, ", ", vs->iops, "IOPS");
		put_figure(f, ", ", vs->mibps, "MiB/s");
	}
	if (type || task)
		fprintf(f, "%s%s%s", sep, task ? "task " : "", task ? task : type);
	fclose(f);
	run->on[sizeof(run->on) - 1] = 0;
	clean_text(run->on, run->on, false);
}

static void warn_played(struct import_run *run, bool simulated, bool shaped)
{
	if (simulated)
		import_warn(run, "simulated: no device was measured");
	if (shaped)
		import_warn(run, "shaped: held to limits by ebscope itself");
}

/* The members of a result's head; its tests are many and are read one by one. */
static json_t *head_of(struct json_span doc)
{
	static const char *const keys[] = { "host", "targets", "volumes", "simulated", "shaped" };
	json_t *head = json_object();

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_object_set_new(head, keys[i], json_span_load(json_span_get(doc, keys[i])));
	return head;
}

bool import_result(struct import_run *run, struct json_span doc)
{
	struct json_iter it;
	struct json_span key, value;
	char version[64];
	size_t before = run->nr_tests;

	run->kind = IMPORT_RESULT;
	json_span_text(json_span_get(doc, "version"), version, sizeof(version));
	snprintf(run->source, sizeof(run->source), "ebscope %s", version);
	json_span_text(json_span_get(doc, "started"), run->date, sizeof(run->date));
	json_t *head = head_of(doc);
	read_place(run, head);
	warn_played(run, json_get_bool(head, "simulated", false), json_get_bool(head, "shaped", false));
	json_decref(head);
	struct json_span error = json_span_get(doc, "error");
	if (error.p) {
		char message[160];
		run->failed = true;
		import_warn(run, "failed run: %s", json_span_text(json_span_get(error, "message"), message, sizeof(message)));
	}
	if (!json_iter_init(&it, json_span_get(doc, "tests")))
		return error.p != NULL;
	while (json_iter_next(&it, &key, &value)) {
		json_t *o = json_span_load(value);
		struct result *r = json_is_object(o) ? result_from_json(o) : NULL;
		json_decref(o);
		if (r)
			add_result(run, r);
		else
			run->partial = true;
	}
	take_warnings(run);
	return run->nr_tests > before || error.p;
}

/* How fast the volume's time ran in a test: as the run began, or as it was turned before; NAN: it was turned in it. */
static double scale_of(const struct runlog_snap *s, uint32_t test)
{
	double scale = s->header->time_scale > 0 ? s->header->time_scale : 1, to;

	for (size_t i = 0; i < s->nr_events; i++)
		if (s->events[i].kind == EVENT_KNOB && s->events[i].test <= test && sscanf(s->events[i].text, "time scale %lf", &to) == 1)
			scale = s->events[i].test < test ? to : NAN;
	return scale;
}

/* All measured ticks of a test, repetition after repetition; a new repetition and a knob turn cut the series. */
static void take_series(struct import_test *t, const struct runlog_snap *s, uint32_t test)
{
	const struct result *r = t->r;
	size_t n = 0;
	uint32_t last = 0;

	for (size_t i = 0; i < s->span.n; i++) {
		n += s->span.row[i].test == test;
		last = s->span.row[i].test == test && s->span.row[i].repeat > last ? s->span.row[i].repeat : last;
	}
	t->point = n ? malloc(n * sizeof(*t->point)) : NULL;
	if (!t->point)
		return;
	for (uint32_t repeat = 0; repeat <= last && repeat < RESULT_REPEATS_MAX; repeat++) {
		size_t got = phase_points(s->span.row, s->span.n, test, repeat, t->point + t->nr_points);
		if (got && t->nr_points && t->nr_cuts < RESULT_SEGMENTS_MAX)
			t->cut_s[t->nr_cuts++] = t->point[t->nr_points].t_s - t->point[t->nr_points].dt_s;
		t->nr_points += got;
	}
	t->time_scale = scale_of(s, test);
	for (size_t i = 0; r->kind == TEST_NET && i < t->nr_points; i++)
		t->point[i].ios = NAN; /* bytes are what a network counts */
	for (unsigned k = 1; k < r->nr_segments && !last && t->nr_cuts < RESULT_SEGMENTS_MAX; k++)
		t->cut_s[t->nr_cuts++] = r->segment[k].start_s;
}

/* A test that was cut short has no result of its own: its ticks are one. */
static void result_of_series(struct import_test *t, const struct planned *p)
{
	struct result *r = t->r;
	double ios = 0, bytes = 0, len = 0;

	r->wl = p->wl;
	for (size_t i = 0; i < t->nr_points; i++) {
		ios += t->point[i].ios;
		bytes += t->point[i].bytes;
		len += t->point[i].dt_s;
	}
	r->runtime_s = len;
	r->all.ios = isnan(ios) ? 0 : (uint64_t)ios; /* of a network test */
	r->all.bytes = (uint64_t)bytes;
	r->all.iops = len > 0 ? ios / len : NAN;
	r->all.bw_bytes = len > 0 ? bytes / len : NAN;
	result_warn(r, "cut short: figures from the ticks that were recorded");
}

static const struct result *result_named(const struct runlog_snap *s, const char *name, bool *used)
{
	for (size_t i = 0; i < s->nr_results; i++)
		if (!used[i] && strcmp(s->results[i]->name, name) == 0) {
			used[i] = true;
			return s->results[i];
		}
	return NULL;
}

static struct result *result_copy(const struct result *r)
{
	json_t *o = result_to_json(r);
	struct result *copy = result_from_json(o);

	json_decref(o);
	return copy;
}

static void take_tests(struct import_run *run, const struct runlog_snap *s)
{
	bool *used = calloc(s->nr_results + 1, sizeof(*used));
	unsigned nr = s->header->nr_planned;

	for (uint32_t k = 0; used && k < nr; k++) {
		const struct planned *p = &s->header->planned[k];
		const struct result *r = result_named(s, p->name, used);
		struct result *copy = r ? result_copy(r) : NULL;
		struct import_test *t = copy ? add_result(run, copy) : import_add(run, p->name, p->kind);
		if (!t)
			break;
		/* A simulated network's seconds are not the clock's: its levels are in the result. */
		if (t->r->kind != TEST_NET || s->header->time_scale == 1)
			take_series(t, s, k);
		if (copy)
			continue;
		if (t->nr_points) {
			result_of_series(t, p);
		} else { /* it never began */
			result_free(t->r);
			free(t->point);
			run->nr_tests--;
		}
	}
	for (size_t i = 0; used && i < s->nr_results; i++) {
		struct result *copy = used[i] ? NULL : result_copy(s->results[i]);
		if (copy)
			add_result(run, copy);
	}
	free(used);
}

int import_recording(struct import_run *run, const char *path, const char *text, size_t len, const atomic_bool *cancel,
		     struct err *err)
{
	struct runlog *log = text ? recording_load_text(path, text, len, &run->partial, err)
				  : recording_load_until(path, cancel, &run->partial, err);

	if (!log)
		return -1;
	struct runlog_snap *s = calloc(1, sizeof(*s));
	if (!s) {
		runlog_free(log);
		return err_set(err, ENOMEM, "%s: no memory", path);
	}
	runlog_snap(log, s);
	run->kind = IMPORT_RECORDING;
	snprintf(run->source, sizeof(run->source), "ebscope %s", s->header->version);
	snprintf(run->date, sizeof(run->date), "%s", s->header->started);
	read_place(run, s->header->doc);
	warn_played(run, s->header->simulated, s->header->shaped);
	if (run->partial)
		import_warn(run, "interrupted: %.160s", s->end_text[0] ? s->end_text : "the recording has no end");
	run->failed = s->end == RUN_ERROR;
	if (run->failed)
		import_warn(run, "failed run: %.160s", s->end_text);
	take_tests(run, s);
	take_warnings(run);
	runlog_snap_release(s);
	free(s);
	runlog_free(log);
	if (run->nr_tests)
		return 0;
	return err_set(err, EBADMSG, "%s: a recording without any figures; it ended before its first test", path);
}
