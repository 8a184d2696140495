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

#include "engine/clock.h"
#include "tui/app.h"

static struct app *app(void)
{
	struct app *a = app_new(NULL, NULL, limits_builtin());

	assert_non_null(a);
	a->screen = SCREEN_NETWORK;
	return a;
}

/* The screen as text. Caller frees. */
static char *shot(struct app *a, int w, int h)
{
	struct canvas cv;
	struct err err;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	app_resize(a, w, h);
	assert_int_equal(canvas_init(&cv, w, h, &err), 0);
	app_draw(a, &cv);
	assert_int_equal(canvas_dump(&cv, f), 0);
	fclose(f);
	canvas_release(&cv);
	return text;
}

static void shows(struct app *a, int w, int h, const char *what)
{
	char *text = shot(a, w, h);

	if (getenv("SHOW"))
		printf("%s\n", text);
	if (!strstr(text, what))
		fail_msg("'%s' is not on the screen:\n%s", what, text);
	free(text);
}

/* The log of a test of four streams that bursts at 4.2 Gbps for 6 s and goes on at 63 Mbps for 4 more. */
static struct runlog *log_of(enum run_end end)
{
	struct run_header h = {
		.version = "0", .target = "10.0.0.5:5201", .title = "net", .time_scale = 1, .nr_planned = 1
	};
	static struct tick t;

	h.planned[0] = (struct planned){ .name = "net", .kind = TEST_NET, .repeats = 1, .seconds = 12 };
	h.doc = json_pack("{s:{s:s, s:i, s:{s:f, s:f, s:n, s:f, s:f, s:s}}}", "net", "direction", "receive",
			  "streams", 4, "expected", "peak_bps", 4.214e9, "baseline_bps", 0.063e9,
			  "single_flow_bps", "burst_s", 410.0, "burst_bytes", 213e9, "source",
			  "observed 2024-06, eu-west-1, not a promise");
	struct runlog *log = runlog_new(&h);
	assert_non_null(log);
	for (uint64_t i = 1; i <= 100; i++) {
		double bps = i <= 60 ? 4.2e9 : 0.063e9;
		t = (struct tick){ .s = { .t_ns = i * NS_PER_SEC / 10,
					  .dt_ns = NS_PER_SEC / 10,
					  .phase = PHASE_MEASURE,
					  .model_iops = NAN,
					  .model_balance = 213e9 * (1 - (double)i / 200),
					  .cpu = NAN },
				   .nr_workers = 4 };
		t.s.dir[DDIR_READ].bytes = (uint64_t)(bps / 80 * (1 + 0.01 * (double)(i % 3)));
		for (int k = 0; k < 4; k++)
			t.worker[k].bytes = t.s.dir[DDIR_READ].bytes / 4;
		runlog_tick(log, &t);
	}
	if (end == RUN_DONE) {
		struct result *r = result_new();
		r->kind = TEST_NET;
		r->verdict = VERDICT_PASS;
		strcpy(r->reason, "Burst and baseline as observed.");
		runlog_result(log, r);
		runlog_end(log, RUN_DONE, 10 * NS_PER_SEC, "");
	}
	return log;
}

static void before_a_test_it_says_what_to_do(void **state)
{
	struct app *a = app();

	(void)state;
	shows(a, 80, 24, "Name an iperf3 server");
	shows(a, 80, 24, "Name a task size");
	shows(a, 80, 24, "streams");
	app_free(a);
}

static void a_named_host_says_what_to_expect_as_one_types(void **state)
{
	struct app *a = app();
	struct err err;

	(void)state;
	assert_int_equal(net_form_set(&a->net, NF_HOST, "0.25:512MiB", &err), 0);
	shows(a, 80, 24, "4.21 Gbps");
	shows(a, 80, 24, "63 Mbps");
	shows(a, 100, 30, "observed 2024-06, eu-west-1");
	assert_int_equal(net_form_set(&a->net, NF_HOST, "m5n.8xlarge", &err), 0);
	shows(a, 120, 30, "5 Gbps each: 5 needed for 25 Gbps");
	assert_int_equal(net_form_set(&a->net, NF_STREAMS, "129", &err), -1);
	assert_int_equal(net_form_set(&a->net, NF_PEER, "a:0", &err), -1);
	app_free(a);
}

static void before_a_test_stands_what_was_observed_and_of_a_named_host_its_burst(void **state)
{
	struct app *a = app();
	struct err err;

	(void)state;
	shows(a, 80, 24, "0.25 vCPU 512 MiB    4.21 Gbps  6 m 50 s     63 Mbps");
	shows(a, 120, 40, "4 vCPU 30 GiB");
	shows(a, 200, 60, "2.94 GiB");
	assert_int_equal(net_form_set(&a->net, NF_HOST, "0.25:512MiB", &err), 0);
	shows(a, 120, 40, "The baseline of 63 Mbps comes after 6 m 50 s: longer than this test.");
	assert_int_equal(net_form_set(&a->net, NF_TIME, "15m", &err), 0);
	shows(a, 120, 40, "Expected: 4.21 Gbps for 6 m 50 s, then 63 Mbps.");
	shows(a, 120, 40, "burst 4.2");
	shows(a, 120, 40, "base 63 Mbps");
	app_free(a);
}

static void a_limit_far_under_the_axis_has_a_unit_of_its_own(void **state)
{
	struct app *a = app();
	struct runlog *log = log_of(RUN_RUNNING);

	(void)state;
	app_watch(a, log, false, 1);
	shows(a, 120, 40, "base 63 Mbps");
	shows(a, 80, 24, "63 Mbps");
	app_free(a);
	runlog_free(log);
}

static void the_streams_take_the_rows_that_they_fill(void **state)
{
	struct app *a = app();
	struct runlog *log = log_of(RUN_RUNNING);
	char *text;

	(void)state;
	app_watch(a, log, false, 1);
	text = shot(a, 120, 40);
	const char *from = strstr(text, "Streams"), *last = from ? strstr(from, "  4 ") : NULL;
	assert_non_null(last);
	const char *frame = strstr(last, "\n");
	assert_non_null(frame);
	assert_memory_equal(frame + 1, "╰", strlen("╰")); /* the panel ends behind the last of them */
	free(text);
	app_free(a);
	runlog_free(log);
}

static void a_preset_sets_streams_time_and_direction_until_one_is_changed(void **state)
{
	struct app *a = app();
	struct err err;

	(void)state;
	assert_int_equal(net_form_set(&a->net, NF_PRESET, "fargate", &err), 0);
	assert_string_equal(a->net.form.field[NF_STREAMS].value, "10");
	assert_string_equal(a->net.form.field[NF_TIME].value, "15m");
	assert_string_equal(a->net.form.field[NF_DIRECTION].value, "receive");
	assert_string_equal(a->net.setup.preset, "fargate");
	assert_int_equal(net_form_set(&a->net, NF_STREAMS, "4", &err), 0);
	assert_string_equal(a->net.setup.preset, "");
	assert_string_equal(a->net.form.field[NF_PRESET].value, "own");
	assert_true(a->net.setup.params.reverse);
	app_free(a);
}

static void a_simulated_peer_brings_its_host_and_a_time_scale(void **state)
{
	struct app *a = app();
	struct err err;

	(void)state;
	assert_true(a->net.form.field[NF_SCALE].off);
	assert_int_equal(net_form_set(&a->net, NF_PEER, "sim:net:4:8", &err), 0);
	assert_false(a->net.form.field[NF_SCALE].off);
	assert_int_equal(a->net.setup.on.kind, HOST_TASK);
	assert_int_equal(net_form_set(&a->net, NF_PEER, "10.0.0.1", &err), 0);
	assert_int_equal(a->net.setup.on.kind, HOST_NONE);
	app_free(a);
}

static void before_a_test_its_burst_its_baseline_and_its_own_end_are_drawn(void **state)
{
	struct app *a = app();
	struct err err;

	(void)state;
	assert_int_equal(net_form_set(&a->net, NF_PEER, "sim:net:2:4", &err), 0);
	assert_int_equal(net_form_set(&a->net, NF_TIME, "2", &err), 0);
	shows(a, 80, 24, "test ends");
	shows(a, 80, 24, "baseline");
	assert_int_equal(net_form_set(&a->net, NF_PEER, "10.0.0.1", &err), 0);
	assert_int_equal(net_form_set(&a->net, NF_HOST, "m5.large", &err), 0);
	shows(a, 120, 40, "burst or baseline"); /* 5 to 60 minutes is all that is said of it */
	app_free(a);
}

static void large_screens_list_the_network_tests_that_were_measured_before(void **state)
{
	static const struct run_entry runs[] = {
		{ .title = "randread-16k", .started = "2026-01-02T03:04:05Z", .iops = 3000, .bw_bytes = 49152000 },
		{ .title = "net", .target = "10.9.8.7:5201", .started = "2026-01-02T03:04:05Z", .iops = NAN, .bw_bytes = 1.25e8, .net = true },
	};
	struct app *a = app();
	struct err err;

	(void)state;
	results_set_runs(&a->results, runs, 2);
	shows(a, 200, 60, "10.9.8.7:5201");
	shows(a, 200, 60, "1 Gbps");
	char *text = shot(a, 200, 60);
	assert_null(strstr(text, "randread-16k"));
	free(text);
	assert_int_equal(net_form_set(&a->net, NF_HOST, "m5.large", &err), 0);
	shows(a, 200, 60, "Others measured");
	a->screen = SCREEN_RESULTS;
	shows(a, 80, 24, "1 Gbps");
	app_free(a);
}

static void a_live_test_shows_rate_limits_phases_streams_and_credit(void **state)
{
	struct app *a = app();
	struct runlog *log = log_of(RUN_RUNNING);

	(void)state;
	app_watch(a, log, false, 1);
	assert_int_equal(a->screen, SCREEN_NETWORK);
	shows(a, 80, 24, "Gbps received");
	shows(a, 80, 24, "burst");
	shows(a, 80, 24, "63.");
	shows(a, 80, 24, "50 % of 198 GiB"); /* uncut */
	shows(a, 120, 40, "baseline 63");
	shows(a, 120, 40, "15.9 Mbps");
	app_free(a);
	runlog_free(log);
}

static void after_the_end_the_verdict_and_its_reason_stand(void **state)
{
	struct app *a = app();
	struct runlog *log = log_of(RUN_DONE);

	(void)state;
	app_watch(a, log, false, 1);
	shows(a, 120, 40, "pass");
	shows(a, 120, 40, "Burst and baseline as observed.");
	app_free(a);
	runlog_free(log);
}

static void every_size_from_one_cell_up_is_drawn(void **state)
{
	struct app *a = app();
	struct runlog *log = log_of(RUN_DONE);

	(void)state;
	for (int pass = 0; pass < 2; pass++) {
		for (int w = 1; w <= 210; w += w < 30 ? 1 : 13)
			for (int h = 1; h <= 64; h += h < 30 ? 1 : 7)
				free(shot(a, w, h));
		app_watch(a, log, false, 1);
	}
	app_free(a);
	runlog_free(log);
}

struct started {
	unsigned nr;
	char peer[64];
};

static int fake_start(void *ctx, const struct net_form *s, struct err *err)
{
	struct started *st = ctx;

	snprintf(st->peer, sizeof(st->peer), "%.63s", s->setup.peer);
	return st->nr++ ? err_set(err, EIO, "no thread") : 0;
}

static void press(struct app *a, const char *keys)
{
	struct key_step *step;
	size_t nr;
	struct err err;

	assert_int_equal(keys_parse(keys, &step, &nr, &err), 0);
	for (size_t i = 0; i < nr; i++)
		app_key(a, step[i].key);
	free(step);
}

static void the_start_button_starts_what_the_form_says(void **state)
{
	const struct app_ops ops = { .net_start = fake_start };
	struct started st = { 0 };
	struct app *a = app_new(&ops, &st, limits_builtin());

	(void)state;
	press(a, "F5,BTab,Enter"); /* nobody is named yet */
	assert_int_equal(st.nr, 0);
	assert_non_null(strstr(a->message, "name a peer first"));
	press(a, "text:10.0.0.9,BTab,Enter");
	assert_int_equal(st.nr, 1);
	assert_string_equal(st.peer, "10.0.0.9");
	assert_int_equal(a->screen, SCREEN_NETWORK);
	assert_true(app_running(a));
	app_failed(a, "10.0.0.9 port 5201: connect: Connection refused");
	assert_int_equal(a->screen, SCREEN_NETWORK);
	press(a, "F5,Enter");
	assert_int_equal(st.nr, 2);
	assert_string_equal(a->message, "no thread");
	app_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_a_test_it_says_what_to_do),
		cmocka_unit_test(a_named_host_says_what_to_expect_as_one_types),
		cmocka_unit_test(before_a_test_stands_what_was_observed_and_of_a_named_host_its_burst),
		cmocka_unit_test(a_limit_far_under_the_axis_has_a_unit_of_its_own),
		cmocka_unit_test(the_streams_take_the_rows_that_they_fill),
		cmocka_unit_test(a_preset_sets_streams_time_and_direction_until_one_is_changed),
		cmocka_unit_test(a_simulated_peer_brings_its_host_and_a_time_scale),
		cmocka_unit_test(before_a_test_its_burst_its_baseline_and_its_own_end_are_drawn),
		cmocka_unit_test(large_screens_list_the_network_tests_that_were_measured_before),
		cmocka_unit_test(a_live_test_shows_rate_limits_phases_streams_and_credit),
		cmocka_unit_test(after_the_end_the_verdict_and_its_reason_stand),
		cmocka_unit_test(every_size_from_one_cell_up_is_drawn),
		cmocka_unit_test(the_start_button_starts_what_the_form_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
