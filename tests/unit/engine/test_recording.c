/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/recorder.h"

static struct run_header a_header(void)
{
	struct run_header h = { .version = "1", .started = "2026-12-01T00:00:00.000Z", .target = "/data",
				.title = "iops", .time_scale = 60, .nr_planned = 1 };

	strcpy(h.planned[0].name, "iops");
	h.planned[0].wl = *workload_find("iops");
	h.planned[0].repeats = 2;
	h.planned[0].seconds = 30;
	h.doc = json_pack("{s:{s:s}}", "host", "hostname", "box");
	return h;
}

static void a_tick(struct tick *t, uint64_t i)
{
	memset(t, 0, sizeof(*t));
	t->s = (struct sample){ .t_ns = i * 100000007, .dt_ns = 100000007, .phase = PHASE_MEASURE,
				.dir = { { 9007199254740993, 3000000000 }, { 7, 11 } },
				.lat_p50 = 480123, .lat_p99 = 9999999, .lat_max = 12345678901, .inflight = 32,
				.dev = { { 5, 6 }, { 7, 9007199254740995 } }, .model_iops = 3000.25, .model_balance = 5400000, .model_host = { 1e6, 0.5 },
				.cpu = 0.25 };
	t->p50 = 1;
	t->p99 = 2;
	t->p999 = 3;
	t->display[10] = 4;
	t->s.dev_queue = 9;
	t->device = (struct device_lat){ .n = 2, .bin = { { 256, 512, { 3, 0 } }, { 512, 9007199254740993, { 1, 9007199254740993 } } } };
	t->nr_workers = 2;
	t->worker[1] = (struct worker_row){ 5, 6, 7, 8 };
}

/* A recording of a header, @p n ticks, an event, a result and an end; its text in memory. */
static char *a_recording(unsigned n, size_t *len)
{
	char path[] = "/tmp/ebscope-test-XXXXXX";
	struct run_header h = a_header();
	struct recorder r;
	struct tick t;
	struct err err;

	close(mkstemp(path));
	assert_int_equal(recorder_open_path(&r, path, &err), 0);
	assert_int_equal(recorder_write(&r, run_header_to_json(&h), &err), 0);
	for (unsigned i = 1; i <= n; i++) {
		a_tick(&t, i);
		assert_int_equal(recorder_write(&r, tick_to_json(&t), &err), 0);
	}
	struct event e = { .t_ns = 500000000, .kind = EVENT_KNOB, .text = "iodepth 8 \"quoted\"" };
	assert_int_equal(recorder_write(&r, event_to_json(&e), &err), 0);
	struct outside said = { "BurstBalance", "vol-1", -120.5, 42.25, "" }, none = { "BurstBalance", "vol-2", 3, NAN, "no figure yet" };
	assert_int_equal(recorder_write(&r, outside_to_json(&said), &err), 0);
	assert_int_equal(recorder_write(&r, outside_to_json(&none), &err), 0);
	struct result *res = result_new();
	strcpy(res->name, "iops");
	res->all.ios = 9007199254740993;
	json_t *o = result_to_json(res);
	json_object_set_new(o, "type", json_string("result"));
	assert_int_equal(recorder_write(&r, o, &err), 0);
	assert_int_equal(recorder_write(&r, run_end_to_json(RUN_DONE, 600000000, ""), &err), 0);
	recorder_close(&r);
	result_free(res);
	json_decref(h.doc);

	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 20);
	*len = fread(text, 1, 1 << 20, f);
	fclose(f);
	unlink(path);
	return text;
}

static struct runlog *load(const char *text, size_t len, bool *partial, struct err *err)
{
	char path[] = "/tmp/ebscope-test-XXXXXX";
	int fd = mkstemp(path);

	assert_int_equal(write(fd, text, len), (ssize_t)len);
	close(fd);
	struct runlog *log = recording_load(path, partial, err);
	unlink(path);
	return log;
}

static void a_recording_is_given_up_when_nobody_wants_it_any_longer(void **state)
{
	static const atomic_bool cancel = true;
	char path[] = "/tmp/ebscope-test-XXXXXX";
	int fd = mkstemp(path);
	struct err err = { 0 };
	size_t len;
	bool partial;

	(void)state;
	char *text = a_recording(3, &len);
	assert_int_equal(write(fd, text, len), (ssize_t)len);
	close(fd);
	assert_null(recording_load_until(path, &cancel, &partial, &err));
	assert_int_equal(err.code, ECANCELED);
	unlink(path);
	free(text);
}

static void how_characters_are_to_be_written_is_in_the_header(void **state)
{
	struct run_header *h = calloc(2, sizeof(*h));

	(void)state;
	h->nr_planned = 2;
	h->planned[0].kind = h->planned[1].kind = TEST_CHAR;
	h->planned[1].stdio = true;
	json_t *o = run_header_to_json(h);
	assert_int_equal(run_header_from_json(&h[1], o), 0);
	assert_false(h[1].planned[0].stdio);
	assert_true(h[1].planned[1].stdio);
	json_decref(h[1].doc);
	json_decref(o);
	free(h);
}

static void what_was_recorded_comes_back_to_the_digit(void **state)
{
	struct runlog_snap *s = calloc(1, sizeof(*s));
	struct err err;
	struct tick t;
	size_t len;
	bool partial;

	(void)state;
	char *text = a_recording(3, &len);
	struct runlog *log = load(text, len, &partial, &err);
	assert_non_null(log);
	assert_false(partial);
	runlog_snap(log, s);
	a_tick(&t, 3);
	assert_int_equal(s->span.n, 3);
	assert_memory_equal(&s->span.row[2], &t.s, sizeof(t.s));
	assert_memory_equal(&s->last, &t, sizeof(t));
	assert_int_equal(s->display[10], 12);
	assert_string_equal(s->events[0].text, "iodepth 8 \"quoted\"");
	assert_true(s->device.bin[1].ios[DDIR_READ] == 3 && s->device.bin[0].ios[DDIR_READ] == 9);
	assert_int_equal(s->nr_outside, 2);
	assert_string_equal(s->outside[0].id, "vol-1");
	assert_true(s->outside[0].t_s == -120.5 && s->outside[0].value == 42.25);
	assert_true(isnan(s->outside[1].value));
	assert_string_equal(s->outside[1].text, "no figure yet");
	assert_int_equal(s->nr_results, 1);
	assert_true(s->results[0]->all.ios == 9007199254740993);
	assert_true(isnan(s->results[0]->all.iops));
	assert_int_equal(s->end, RUN_DONE);
	assert_int_equal(s->header->planned[0].wl.iodepth, 32);
	assert_true(s->header->time_scale == 60);
	assert_string_equal(json_get_text(json_object_get(s->header->doc, "host"), "hostname", ""), "box");
	runlog_snap_release(s);
	runlog_free(log);
	free(s);
	free(text);
}

static void a_recording_cut_at_any_byte_gives_all_entries_before_the_cut(void **state)
{
	struct runlog_snap *s = calloc(1, sizeof(*s));
	size_t len, header_end;

	(void)state;
	char *text = a_recording(2, &len);
	header_end = (size_t)(strchr(text, '\n') - text) + 1;
	for (size_t cut = 0; cut < len; cut += 7) {
		struct err err = { 0 };
		bool partial;
		size_t lines = 0;

		for (size_t i = 0; i < cut; i++)
			lines += text[i] == '\n';
		struct runlog *log = load(text, cut, &partial, &err);
		if (cut < header_end) {
			assert_null(log);
			assert_non_null(strstr(err.msg, "header"));
			continue;
		}
		assert_non_null(log);
		assert_true(partial);
		runlog_snap(log, s);
		assert_int_equal(s->span.n, lines > 3 ? 2 : lines - 1);
		assert_int_equal(s->end, RUN_INTERRUPTED);
		runlog_snap_release(s);
		runlog_free(log);
	}
	free(s);
	free(text);
}

static void a_broken_line_is_named_and_what_stood_before_it_is_kept(void **state)
{
	struct runlog_snap *s = calloc(1, sizeof(*s));
	struct err err;
	bool partial;
	size_t len;

	(void)state;
	char *text = a_recording(2, &len);
	char *third = strchr(strchr(text, '\n') + 1, '\n') + 1;
	third[0] = '[';
	struct runlog *log = load(text, len, &partial, &err);
	assert_non_null(log);
	assert_true(partial);
	runlog_snap(log, s);
	assert_int_equal(s->span.n, 1);
	assert_non_null(strstr(s->end_text, "line 3"));
	runlog_snap_release(s);
	runlog_free(log);
	free(s);
	free(text);
}

static void what_is_no_recording_is_refused_by_name(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "empty" },
		{ "\n\n", "empty" },
		{ "hello\n", "line 1" },
		{ "[1,2]\n", "not an object" },
		{ "{\"type\":\"sample\"}\n", "no header" },
		{ "{\"type\":\"header\",\"schema\":\"ebscope/2\"}\n", "ebscope/2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct err err = { 0 };
		bool partial;

		assert_null(load(cases[i].text, strlen(cases[i].text), &partial, &err));
		if (!strstr(err.msg, cases[i].says))
			fail_msg("%s: %s", cases[i].text, err.msg);
	}
}

static void entries_of_a_newer_version_are_passed_over(void **state)
{
	struct runlog_snap *s = calloc(1, sizeof(*s));
	struct err err;
	bool partial;
	size_t len;

	(void)state;
	char *text = a_recording(1, &len);
	const char *extra = "{\"type\":\"hologram\",\"t\":9}\n";
	char *more = malloc(len + strlen(extra));
	size_t head = (size_t)(strchr(text, '\n') - text) + 1;
	memcpy(more, text, head);
	memcpy(more + head, extra, strlen(extra));
	memcpy(more + head + strlen(extra), text + head, len - head);
	struct runlog *log = load(more, len + strlen(extra), &partial, &err);
	assert_non_null(log);
	assert_false(partial);
	runlog_snap(log, s);
	assert_int_equal(s->span.n, 1);
	runlog_snap_release(s);
	runlog_free(log);
	free(more);
	free(text);
	free(s);
}

static void a_state_directory_that_cannot_be_made_is_an_error_with_its_name(void **state)
{
	struct err err;
	char buf[256];

	(void)state;
	setenv("XDG_STATE_HOME", "/proc/nothing", 1);
	assert_null(recorder_dir(buf, sizeof(buf), &err));
	assert_non_null(strstr(err.msg, "/proc/nothing"));
	unsetenv("XDG_STATE_HOME");
}

static void a_warning_is_text_wherever_it_was_cut_and_whatever_was_in_it(void **state)
{
	struct result *r = result_new();
	char path[RESULT_WARNING_LEN] = "";

	(void)state;
	memset(path, 'a', RESULT_WARNING_LEN - 2);
	result_warn(r, "%s\u00e9", path); /* cut within the last character */
	result_warn(r, "/data/\xff is buffered");
	json_t *o = result_to_json(r), *w = json_object_get(o, "warnings");
	assert_int_equal(json_array_size(w), 2);
	assert_true(json_is_string(json_array_get(w, 0)));
	assert_string_equal(json_string_value(json_array_get(w, 1)), "/data/? is buffered");
	json_decref(o);
	result_free(r);
}

static void a_devices_latencies_add_up_by_bounds_and_have_percentiles(void **state)
{
	static struct device_lat sum;
	static const struct device_lat late = { 1, { { 512, 1024, { 30, 0 } } } }, early = { 2, { { 256, 512, { 5, 5 } }, { 512, 1024, { 0, 60 } } } };

	(void)state;
	assert_true(isnan(device_lat_at(&sum, 0.5)));
	device_lat_add(&sum, &late);
	device_lat_add(&sum, &early);
	assert_int_equal(sum.n, 2);
	assert_true(sum.bin[0].lower_us == 256 && sum.bin[1].ios[DDIR_READ] == 30 && sum.bin[1].ios[DDIR_WRITE] == 60);
	assert_true(device_lat_at(&sum, 0.05) == 384e3);
	assert_true(device_lat_at(&sum, 0.55) == 768e3);
	for (unsigned i = 0; i < 2 * DEVICE_BINS; i++) { /* more bounds than there is room for */
		struct device_lat one = { 1, { { 2000 + i, 2001 + i, { 1, 0 } } } };
		device_lat_add(&sum, &one);
	}
	assert_int_equal(sum.n, DEVICE_BINS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_is_given_up_when_nobody_wants_it_any_longer),
		cmocka_unit_test(how_characters_are_to_be_written_is_in_the_header),
		cmocka_unit_test(what_was_recorded_comes_back_to_the_digit),
		cmocka_unit_test(a_recording_cut_at_any_byte_gives_all_entries_before_the_cut),
		cmocka_unit_test(a_broken_line_is_named_and_what_stood_before_it_is_kept),
		cmocka_unit_test(a_warning_is_text_wherever_it_was_cut_and_whatever_was_in_it),
		cmocka_unit_test(a_devices_latencies_add_up_by_bounds_and_have_percentiles),
		cmocka_unit_test(what_is_no_recording_is_refused_by_name),
		cmocka_unit_test(entries_of_a_newer_version_are_passed_over),
		cmocka_unit_test(a_state_directory_that_cannot_be_made_is_an_error_with_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
