/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/import.h"
#include "engine/json_cut.h"
#include "engine/units.h"
#include "tests/unit/near.h"

static struct import_run run;
static struct err err;

#define DATA(f) "tests/data/import/" f
#define TEXT(s) import_text(&run, "x", s, strlen(s), &err)

static int release(void **state)
{
	(void)state;
	import_release(&run);
	err = (struct err){ 0 };
	return 0;
}

static const struct result *test(size_t k)
{
	assert_true(k < run.nr_tests);
	return run.test[k].r;
}

static bool warned(const char *part)
{
	for (size_t i = 0; i < run.nr_warnings; i++)
		if (strstr(run.warning[i], part))
			return true;
	return false;
}

static void fails(int rc, const char *part)
{
	assert_int_equal(rc, -1);
	assert_int_equal(err_status(&err), 3);
	if (!strstr(err.msg, part) || strchr(err.msg, '\n'))
		fail_msg("%s", err.msg);
	assert_int_equal(run.nr_tests, 0);
}

/* --- fio --- */

static void what_fio_3_writes_is_read_with_the_lines_before_it(void **state)
{
	(void)state;
	assert_int_equal(import_file(&run, DATA("fio-3.33.json"), &err), 0);
	assert_int_equal(run.kind, IMPORT_FIO);
	assert_string_equal(run.source, "fio-3.33");
	assert_true(warned("note: both iodepth >= 1"));
	assert_int_equal(run.nr_tests, 1);
	assert_string_equal(test(0)->name, "rr");
	assert_int_equal(test(0)->wl.rw, RW_RANDREAD);
	assert_int_equal(test(0)->wl.bs, 16384);
	assert_int_equal(test(0)->wl.iodepth, 1); /* as that note has it */
	assert_near(test(0)->all.iops, 119744.255744, 1e-6);
	assert_int_equal(test(0)->all.bytes, 1963851776);
	assert_near(test(0)->lat.max, 12121810, 100000);
	assert_true(test(0)->clat.pct[0] > 1000);
	assert_true(isnan(test(0)->lat.pct[0])); /* only those of completion are there */
	assert_false(run.partial || run.failed);
}

static void fio_2_counts_kib_and_microseconds(void **state)
{
	(void)state;
	assert_int_equal(import_file(&run, DATA("fio-2.16.json"), &err), 0);
	const struct result *r = test(0);
	assert_int_equal(r->dir[DDIR_READ].bytes, 400000 * 1024);
	assert_near(r->dir[DDIR_READ].bw_bytes, 40000 * 1024, 1e-6);
	assert_near(r->dir[DDIR_READ].clat.mean, 2e6, 1e-6);
	assert_near(r->all.iops, 6000, 1e-9);
	assert_near(r->lat.max, 9010e3, 1e-6);
	assert_near(r->lat.mean, (50000 * 2003e3 + 10000 * 3004e3) / 60000, 1);
	assert_true(isnan(r->lat.pct[0])); /* of reads and writes together there is none */
	assert_string_equal(run.date, "2017-01-29T04:53:40Z");
	assert_true(warned("terse version mismatch"));
}

static void a_jobs_own_options_win_over_the_global_ones(void **state)
{
	(void)state;
	assert_int_equal(import_file(&run, DATA("fio-2.16.json"), &err), 0);
	assert_int_equal(test(0)->wl.iodepth, 32);
	assert_int_equal(test(0)->wl.bs, 8192);
	assert_int_equal(test(0)->wl.rw, RW_RANDRW);
	assert_int_equal(test(0)->wl.direct, 1);
}

static void a_percentile_never_exceeds_the_maximum(void **state)
{
	(void)state;
	assert_int_equal(import_file(&run, DATA("fio-2.16.json"), &err), 0);
	assert_near(test(0)->dir[DDIR_READ].clat.pct[4], 9000e3, 0);
}

static void what_is_not_in_the_document_is_fios_default_and_said_to_be(void **state)
{
	(void)state;
	assert_int_equal(TEXT("{\"fio version\":\"fio-3.1\",\"jobs\":[{\"jobname\":\"j\",\"read\":{\"io_bytes\":4096,"
			      "\"io_kbytes\":4,\"iops\":1.0,\"runtime\":1000,\"total_ios\":1}}]}"), 0);
	assert_int_equal(test(0)->wl.iodepth, 1);
	assert_int_equal(test(0)->wl.bs, 4096);
	assert_int_equal(test(0)->wl.numjobs, 1);
	assert_true(warned("fio's default is assumed: rw read bs 4k iodepth 1 numjobs 1"));
}

static void a_depth_is_that_of_engines_that_have_one(void **state)
{
	static const struct {
		const char *name;
		enum ioengine engine;
		uint64_t depth;
	} engine[] = { { "io_uring", IOENGINE_AUTO, 32 }, { "libaio", IOENGINE_LIBAIO, 32 }, { "psync", IOENGINE_SYNC, 1 } };
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(engine) / sizeof(*engine); i++) {
		snprintf(text, sizeof(text), "{\"fio version\":\"fio-3.1\",\"jobs\":[{\"jobname\":\"j\",\"job options\":{\"ioengine\":\"%s\","
			 "\"iodepth\":\"32\"},\"read\":{\"io_bytes\":4096,\"iops\":1.0,\"runtime\":1000,\"total_ios\":1}}]}", engine[i].name);
		assert_int_equal(TEXT(text), 0);
		assert_int_equal(test(0)->wl.ioengine, engine[i].engine);
		assert_int_equal(test(0)->wl.iodepth, engine[i].depth);
		import_release(&run);
	}
}

static void a_job_with_an_error_is_a_failed_run(void **state)
{
	(void)state;
	assert_int_equal(TEXT("fio: io_u error on file x\nfio: pid=7, err=5\n{\"jobs\":[{\"jobname\":\"j\",\"error\":5,"
			      "\"read\":{\"io_bytes\":0,\"iops\":0.0}}]}"), 0);
	assert_true(run.failed);
	assert_true(test(0)->failed);
	assert_true(warned("fio: pid=7, err=5"));
	assert_true(warned("error 5 (Input/output error)"));
}

static void several_documents_and_the_clients_of_a_server_are_all_read(void **state)
{
	(void)state;
	assert_int_equal(TEXT("{\"jobs\":[{\"jobname\":\"a\",\"read\":{\"iops\":1,\"io_bytes\":1}}]}\n"
			      "{\"fio version\":\"fio-3.30\",\"client_stats\":["
			      "{\"jobname\":\"b\",\"hostname\":\"h1\",\"read\":{\"iops\":2,\"io_bytes\":1}},"
			      "{\"jobname\":\"b\",\"hostname\":\"h2\",\"read\":{\"iops\":3,\"io_bytes\":1}},"
			      "{\"jobname\":\"All clients\",\"read\":{\"iops\":5,\"io_bytes\":1}}]}\n"), 0);
	assert_int_equal(run.nr_tests, 4);
	assert_string_equal(test(1)->name, "b@h1");
	assert_string_equal(test(3)->name, "All clients");
	assert_near(test(3)->all.iops, 5, 0);
}

static void jobs_of_one_group_that_ran_at_once_are_added_up(void **state)
{
	(void)state;
#define JOB "{\"jobname\":\"w\",\"groupid\":0,\"job options\":{\"numjobs\":\"2\",\"rw\":\"randwrite\"},\"write\":" \
	    "{\"io_bytes\":1000,\"io_kbytes\":1,\"iops\":50.0,\"runtime\":1000,\"total_ios\":50,\"lat_ns\":{\"min\":1,\"max\":9,\"mean\":4}}}"
	assert_int_equal(TEXT("{\"fio version\":\"fio-3.36\",\"jobs\":[" JOB "," JOB "]}"), 0);
	assert_int_equal(run.nr_tests, 1);
	assert_near(test(0)->all.iops, 100, 1e-9);
	assert_int_equal(test(0)->all.bytes, 2000);
	assert_near(test(0)->lat.mean, 4, 1e-9);
	assert_true(warned("its 2 jobs are added up"));
}

static void a_document_that_is_cut_gives_its_whole_jobs(void **state)
{
	const char *whole = "{\"fio version\":\"fio-3.36\",\"jobs\":[" JOB ",\n" JOB ",\n" JOB "]}";
	size_t len = strlen(whole);

	(void)state;
	for (size_t cut = 0; cut < len; cut++) {
		import_release(&run);
		err = (struct err){ 0 };
		if (import_text(&run, "x", whole, cut, &err) < 0) {
			assert_true(strstr(err.msg, "line 1") != NULL);
			continue;
		}
		assert_true(run.partial);
		assert_true(run.nr_tests >= 1);
	}
	assert_true(run.partial);
}

/* --- bonnie++ --- */

static void the_three_ages_of_bonnie_are_told_apart(void **state)
{
	(void)state;
	assert_int_equal(TEXT("host,2G,17273,29,20595,3,8109,1,10213,17,10571,0,399.5,1,16,+++++,+++,+++++,+++,+++++,+++,"
			      "+++++,+++,+++++,+++,+++++,+++\n"), 0);
	assert_string_equal(run.source, "bonnie++ 1.03");
	assert_int_equal(run.nr_tests, 12);
	assert_string_equal(test(0)->name, "write-char");
	assert_int_equal(run.test[0].per_char, PER_CHAR_STDIO);
	assert_near(run.test[1].shown, 20595, 0);
	assert_near(test(1)->all.bw_bytes, 20595 * 1024, 0);
	assert_near(test(5)->all.iops, 399.5, 0);
	assert_true(test(6)->too_short);
	assert_true(isnan(test(6)->all.iops));
	assert_int_equal(test(1)->wl.size, 2 * GIB);
	import_release(&run);
	assert_int_equal(TEXT("1.97,1.97,minerva,1,1485665620,16G,,585,90,62549,10,30285,5,2322,95,63776,7,109.2,3,16,,,,,18445,"
			      "34,+++++,+++,+++++,+++,27279,49,+++++,+++,30763,45,22012us,2442ms,3533ms,19712us,32693us,1609ms,"
			      "14623us,1209us,1105us,1175us,438us,516us"), 0);
	assert_string_equal(run.source, "bonnie++ 1.97");
	assert_int_equal(run.test[3].per_char, PER_CHAR_SYSCALL);
	assert_near(test(1)->lat.max, 2442e6, 0);
	assert_near(test(9)->all.iops, 27279, 0);
	import_release(&run);
	assert_int_equal(import_file(&run, DATA("bonnie-2.00a.csv"), &err), 0);
	assert_string_equal(run.source, "bonnie++ 2.00a");
	assert_int_equal(run.nr_tests, 12);
	assert_near(run.test[0].shown, 1342, 0);
	assert_near(test(0)->lat.max, 13696e3, 0);
}

static void a_line_that_is_cut_gives_what_stands_before_the_cut(void **state)
{
	(void)state;
	assert_int_equal(TEXT("1.97,1.97,minerva,1,1485665620,16G,,585,90,62549,10,302"), 0);
	assert_true(run.partial);
	assert_int_equal(run.nr_tests, 2); /* 302 may be the half of 30285 */
	assert_near(run.test[1].shown, 62549, 0);
	assert_string_equal(run.warning[0], "the line of bonnie++ 1.97 is cut: 12 fields, 48 expected");
	import_release(&run);
	assert_int_equal(TEXT("1.97,1.97,minerva,1,1485665620,16G"), -1);
}

static void lines_of_the_same_test_are_repetitions(void **state)
{
	(void)state;
#define LINE(x) "host,2G,,," x ",3,,,,,,,,,16,,,,,,,,,,,,\n"
	assert_int_equal(TEXT(LINE("100") LINE("200") LINE("300")), 0);
	assert_int_equal(run.nr_tests, 1);
	assert_int_equal(test(0)->nr_repeats, 3);
	assert_near(run.test[0].shown, 200, 1e-9);
}

/* --- iperf3 --- */

static void what_iperf3_writes_is_read_with_its_series(void **state)
{
	(void)state;
	assert_int_equal(import_file(&run, DATA("iperf-3.12.json"), &err), 0);
	assert_int_equal(run.kind, IMPORT_IPERF3);
	assert_string_equal(run.source, "iperf 3.12");
	assert_int_equal(run.nr_tests, 1);
	assert_string_equal(test(0)->name, "send");
	assert_near(test(0)->all.bw_bytes * 8, 12584363661.462542, 1);
	assert_int_equal(run.test[0].nr_points, 2);
	assert_true(isnan(run.test[0].point[0].ios));
	assert_near(run.test[0].retransmits, 3, 0);
}

#define SUM(bytes, more) "{\"seconds\":1,\"bytes\":" #bytes ",\"bits_per_second\":" #bytes "0" more "}"
#define START(protocol) "{\"start\":{\"version\":\"iperf 3.12\",\"test_start\":{\"protocol\":\"" protocol "\"}},\"end\":{"

static void both_directions_are_read_though_the_start_says_nothing_of_them(void **state)
{
	(void)state;
	assert_int_equal(TEXT(START("TCP") "\"sum_sent\":" SUM(10, "") ",\"sum_received\":" SUM(8, "")
			      ",\"sum_sent_bidir_reverse\":" SUM(30, "") ",\"sum_received_bidir_reverse\":" SUM(20, "") "}}"), 0);
	assert_int_equal(run.nr_tests, 2);
	assert_string_equal(test(1)->name, "receive");
	assert_int_equal(test(1)->all.bytes, 20);
}

static void of_datagrams_loss_and_jitter_are_read(void **state)
{
	(void)state;
	assert_int_equal(TEXT(START("UDP") "\"sum\":" SUM(10, ",\"jitter_ms\":0.25,\"lost_percent\":1.5")
			      ",\"sum_sent\":" SUM(10, ",\"lost_percent\":0") ",\"sum_received\":" SUM(8, "") "}}"), 0);
	assert_near(run.test[0].lost_pct, 1.5, 0);
	assert_near(run.test[0].jitter_ms, 0.25, 0);
	assert_true(isnan(run.test[0].retransmits));
}

static void a_refused_iperf3_run_failed_and_is_no_zero(void **state)
{
	(void)state;
	assert_int_equal(import_file(&run, DATA("iperf-3.12-refused.json"), &err), 0);
	assert_true(run.failed);
	assert_int_equal(run.nr_tests, 0);
	assert_true(warned("failed run: unable to connect to server: Connection refused"));
}

/* --- our own, and nobody's --- */

static void our_own_result_keeps_every_digit(void **state)
{
	(void)state;
	assert_int_equal(TEXT("{\"schema\":\"ebscope/1\",\"version\":\"9\",\"started\":\"2026-01-01T00:00:00Z\",\"tests\":["
			      "{\"name\":\"t\",\"kind\":\"block\",\"rw\":\"randread\",\"bs\":4096,\"iops\":5.5,"
			      "\"bytes\":9007199254740993,\"ios\":3000000000}]}"), 0);
	assert_int_equal(run.kind, IMPORT_RESULT);
	assert_int_equal(test(0)->all.bytes, 9007199254740993);
	assert_int_equal(test(0)->all.ios, 3000000000);
	assert_string_equal(run.date, "2026-01-01T00:00:00Z");
	import_release(&run);
	assert_int_equal(TEXT("{\"schema\":\"ebscope/1\",\"tests\":[{\"name\":\"write-char\",\"kind\":\"char\","
			      "\"per_char\":\"stdio\",\"bw_bytes\":1}]}"), 0);
	assert_int_equal(run.test[0].per_char, PER_CHAR_STDIO);
}

static void what_a_document_says_of_a_run_is_one_line(void **state)
{
	static const char result[] =
		"{\"schema\":\"ebscope/1\",\"version\":\"1\\n2\",\"started\":\"2026\\r\\n\",\"host\":{\"task\":\"a\\nb\"},"
		"\"targets\":[{\"path\":\"/d\\u009b\\n\"}],\"tests\":[{\"name\":\"t\\n\",\"kind\":\"block\",\"iops\":1}]}";

	(void)state;
	assert_int_equal(import_text(&run, "n\nl", result, strlen(result), &err), 0);
	assert_string_equal(run.name, "n?l");
	assert_string_equal(run.source, "ebscope 1?2");
	assert_string_equal(run.date, "2026??");
	assert_string_equal(run.on, "/d???, task a?b");
	assert_string_equal(test(0)->name, "t?");
	import_release(&run);
	assert_int_equal(TEXT("{\"schema\":\"ebscope/1\",\"volumes\":[{\"type\":\"gp3\",\"size_gib\":9}],"
			      "\"tests\":[{\"name\":\"t\",\"kind\":\"block\",\"iops\":1}]}"), 0);
	assert_string_equal(run.on, "gp3 9 GiB");
}

static void our_own_error_document_is_a_failed_run(void **state)
{
	(void)state;
	assert_int_equal(TEXT("{\"schema\":\"ebscope/1\",\"error\":{\"code\":3,\"message\":\"no such host\"}}"), 0);
	assert_true(run.failed);
	assert_true(warned("no such host"));
}

#define HEAD(kind) "{\"type\":\"header\",\"schema\":\"ebscope/1\",\"planned\":[{\"name\":\"one\",\"kind\":\"" kind "\"}]}\n"
#define TICK(phase) "{\"type\":\"sample\",\"t\":0.1,\"dt\":0.1,\"phase\":\"" phase "\",\"r\":{\"ios\":1,\"bytes\":1000}}\n"

static int recording(const char *text)
{
	char path[] = "/tmp/ebscope-test-XXXXXX";
	int fd = mkstemp(path);

	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	int rc = import_file(&run, path, &err);
	unlink(path);
	return rc;
}

static void what_several_tests_warn_of_is_said_once_with_their_names(void **state)
{
	(void)state;
	assert_int_equal(TEXT("{\"schema\":\"ebscope/1\",\"version\":\"0.1.0\",\"tests\":["
			      "{\"name\":\"a\",\"warnings\":[\"of both\",\"of a\"]},{\"name\":\"b\",\"warnings\":[\"of both\",\"of b and c\"]},"
			      "{\"name\":\"c\",\"warnings\":[\"of b and c\",\"of both\"]}]}"), 0);
	assert_int_equal(run.nr_warnings, 3);
	assert_string_equal(run.warning[0], "all tests: of both");
	assert_string_equal(run.warning[1], "a: of a");
	assert_string_equal(run.warning[2], "b, c: of b and c");
}

static void a_warning_of_very_many_tests_names_the_first(void **state)
{
	char text[8000] = "{\"schema\":\"ebscope/1\",\"version\":\"0.1.0\",\"tests\":[{\"name\":\"none\"}";

	(void)state;
	for (int i = 0; i < 50; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ",{\"name\":\"t%d\",\"warnings\":[\"slow\"]}", i);
	strcat(text, "]}");
	assert_int_equal(TEXT(text), 0);
	assert_int_equal(run.nr_warnings, 1);
	assert_string_equal(run.warning[0], "t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11 and 38 more: slow");
}

static void a_recording_that_ends_before_its_first_measurement_has_no_figures(void **state)
{
	(void)state;
	fails(recording(HEAD("block") TICK("layout")), "ended before its first test");
}

static void a_network_test_that_was_cut_short_has_bytes_and_no_ios(void **state)
{
	(void)state;
	assert_int_equal(recording(HEAD("net") TICK("measure")), 0);
	assert_near(test(0)->all.bw_bytes, 10000, 1e-6);
	assert_int_equal(test(0)->all.ios, 0);
	assert_true(isnan(test(0)->all.iops));
}

static void what_is_nobodys_is_refused_in_one_line(void **state)
{
	(void)state;
	fails(TEXT(""), "x: line 1: the file is empty");
	fails(TEXT("hello\n"), "x: line 1: no JSON object and no bonnie++ CSV");
	fails(TEXT("a,b,c\n"), "line 1");
	fails(TEXT("\n\n{\"a\":1}\n"), "line 3: a JSON object without results");
	fails(TEXT("text\n{\"jobs\":[{\"jobname\":"), "line 2: the file ends inside the JSON document");
	fails(import_file(&run, "tests/data/import/none", &err), "No such file");
	fails(import_file(&run, "tests/data", &err), "a directory");
	fails(import_file(&run, "/dev/zero", &err), "a device; expected a file with results");
}

static void hostile_nesting_costs_neither_stack_nor_time(void **state)
{
	size_t n = 2000000;
	char *text = malloc(n + 16);

	(void)state;
	assert_non_null(text);
	strcpy(text, "{\"jobs\":");
	memset(text + 8, '[', n);
	fails(import_text(&run, "x", text, n + 8, &err), "ends inside");
	free(text);
}

static void more_tests_than_anyone_needs_are_left_out(void **state)
{
	enum { N = IMPORT_TESTS_MAX + 50 };
	static const char job[] = "{\"read\":{\"iops\":1}},";
	size_t len = sizeof(job) - 1;
	char *text = malloc(N * len + 32);

	(void)state;
	assert_non_null(text);
	char *p = stpcpy(text, "{\"jobs\":[");
	for (int i = 0; i < N; i++)
		p = stpcpy(p, job);
	strcpy(p - 1, "]}");
	assert_int_equal(TEXT(text), 0);
	assert_int_equal(run.nr_tests, IMPORT_TESTS_MAX);
	assert_true(run.partial);
	free(text);
}

/* --- the cutter --- */

static void a_text_is_cut_into_its_members(void **state)
{
	const char *text = " {\"a\":[1,{\"x\":\"}\\\"]\"}], \"b\" : null ,\"c\":-1.5e3}";
	struct json_span s = json_span_at(text, text + strlen(text)), key, value;
	struct json_iter it;
	char buf[8];

	(void)state;
	assert_true(json_iter_init(&it, s));
	assert_true(json_iter_next(&it, &key, &value));
	assert_true(json_span_is(key, "a"));
	assert_int_equal(value.end - value.p, 16);
	assert_true(json_iter_next(&it, &key, &value));
	assert_true(isnan(json_span_num(value)));
	assert_true(json_iter_next(&it, &key, &value));
	assert_near(json_span_num(value), -1500, 0);
	assert_false(json_iter_next(&it, &key, &value));
	assert_false(it.broken);
	assert_null(json_span_get(s, "d").p);
	assert_string_equal(json_span_text(key, buf, sizeof(buf)), "");
}

static void what_is_no_json_breaks_the_walk_where_it_stands(void **state)
{
	static const char *const bad[] = { "{", "{1}", "{\"a\"}", "{\"a\":}", "[1,", "[", "{\"a", "[,,]" };
	struct json_span key, value;
	struct json_iter it;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct json_span s = json_span_at(bad[i], bad[i] + strlen(bad[i]));
		assert_true(json_iter_init(&it, s));
		while (json_iter_next(&it, &key, &value))
			;
		assert_true(it.broken);
	}
}

#define T(f) cmocka_unit_test_teardown(f, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_fio_3_writes_is_read_with_the_lines_before_it),
		T(fio_2_counts_kib_and_microseconds),
		T(a_jobs_own_options_win_over_the_global_ones),
		T(a_percentile_never_exceeds_the_maximum),
		T(what_is_not_in_the_document_is_fios_default_and_said_to_be),
		T(a_depth_is_that_of_engines_that_have_one),
		T(a_job_with_an_error_is_a_failed_run),
		T(several_documents_and_the_clients_of_a_server_are_all_read),
		T(jobs_of_one_group_that_ran_at_once_are_added_up),
		T(a_document_that_is_cut_gives_its_whole_jobs),
		T(the_three_ages_of_bonnie_are_told_apart),
		T(a_line_that_is_cut_gives_what_stands_before_the_cut),
		T(lines_of_the_same_test_are_repetitions),
		T(what_iperf3_writes_is_read_with_its_series),
		T(both_directions_are_read_though_the_start_says_nothing_of_them),
		T(of_datagrams_loss_and_jitter_are_read),
		T(a_refused_iperf3_run_failed_and_is_no_zero),
		T(our_own_result_keeps_every_digit),
		T(what_a_document_says_of_a_run_is_one_line),
		T(our_own_error_document_is_a_failed_run),
		T(what_several_tests_warn_of_is_said_once_with_their_names),
		T(a_warning_of_very_many_tests_names_the_first),
		T(a_recording_that_ends_before_its_first_measurement_has_no_figures),
		T(a_network_test_that_was_cut_short_has_bytes_and_no_ios),
		T(what_is_nobodys_is_refused_in_one_line),
		T(hostile_nesting_costs_neither_stack_nor_time),
		T(more_tests_than_anyone_needs_are_left_out),
		T(a_text_is_cut_into_its_members),
		T(what_is_no_json_breaks_the_walk_where_it_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
