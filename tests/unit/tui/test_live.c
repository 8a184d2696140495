/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/clock.h"
#include "tests/unit/near.h"
#include "tui/live.h"
#include "tui/report_words.h"
#include "tui/panel.h"

/* A gp2 volume of 100 GiB on an m5.large: burst 3,000, baseline 300 of 16 KiB. */
static void expect_capped(struct expectation *e, const char *host, uint64_t rate_iops)
{
	struct workload wl = *workload_find("iops");
	struct volumes vs = { .n = 0 };
	struct host h = { .kind = HOST_NONE };
	struct err err;

	assert_int_equal(volumes_parse(&vs, limits_builtin(), "gp2:100", &err), 0);
	if (host)
		assert_int_equal(host_instance(&h, limits_builtin(), host, &err), 0);
	wl.rate_iops = rate_iops;
	struct model_input in = model_input(&vs, &h, &wl);
	model_expect(&in, e);
}

static void expect(struct expectation *e, const char *host)
{
	expect_capped(e, host, 0);
}

/* What a run of two tests does at tick i (100 ms): 2 s of ramp, then 3,000 IOPS until tick 100, then 300. */
static void add(struct runlog *log, uint32_t test, unsigned from, unsigned to)
{
	static struct tick t;

	for (unsigned i = from; i < to; i++) {
		memset(&t, 0, sizeof(t));
		t.s = (struct sample){ .t_ns = (i + 1) * 100000000ULL, .dt_ns = 100000000ULL, .test = test };
		t.s.phase = i - from < 20 ? PHASE_RAMP : PHASE_MEASURE;
		t.s.dir[DDIR_READ].ios = i < 100 ? 300 : 30;
		t.s.dir[DDIR_READ].bytes = t.s.dir[DDIR_READ].ios * 16384;
		t.s.model_iops = i < 100 ? 3000 : 300;
		t.s.model_balance = i < 100 ? 54000.0 - 540.0 * i : 0;
		runlog_tick(log, &t);
	}
}

static struct runlog *new_log(void)
{
	struct run_header h = { .target = "/data", .title = "two", .time_scale = 1, .nr_planned = 2 };

	for (int i = 0; i < 2; i++) {
		h.planned[i] = (struct planned){ .name = "iops", .wl = *workload_find("iops"), .repeats = 1, .seconds = 20 };
		h.planned[i].wl.ramp_ns = 2 * NS_PER_SEC;
	}
	return runlog_new(&h);
}

static struct runlog_snap snap;

static void look(struct live *l, struct runlog *log, const struct expectation *e, double span)
{
	runlog_snap(log, &snap);
	live_update(l, &snap, e, span, 100, 40);
}

static void figures_of_now_and_of_the_measured_part_are_kept_apart(void **state)
{
	(void)state;
	struct runlog *log = new_log();
	struct live l = { 0 };
	struct expectation e;

	expect(&e, NULL);
	look(&l, log, &e, 0);
	assert_false(l.any);
	runlog_snap_release(&snap);
	add(log, 0, 0, 150);
	look(&l, log, &e, 0);
	assert_near(l.now_s, 15, 1e-9);
	assert_near(l.iops_now, 300, 1e-6);
	assert_near(l.iops_mean, (80 * 3000 + 50 * 300) / 130.0, 1e-6);
	assert_int_equal(l.ticks, 130);
	assert_near(l.total_s, 20, 1e-9);
	assert_near(l.run_share, 15 / 40.0, 1e-9);
	assert_near(l.run_left_s, 25, 1e-9);
	assert_near(l.empty_at_s, 10.1, 1e-9);
	assert_near(l.empty_s, 0, 0);
	live_release(&l);
	runlog_snap_release(&snap);
	runlog_free(log);
}

static void the_time_of_a_test_is_that_of_all_its_repetitions(void **state)
{
	(void)state;
	struct run_header h = { .target = "/data", .title = "thrice", .time_scale = 1, .nr_planned = 1 };
	struct live l = { 0 };

	h.planned[0] = (struct planned){ .name = "iops", .wl = *workload_find("iops"), .repeats = 3, .seconds = 60 };
	h.planned[0].wl.ramp_ns = 2 * NS_PER_SEC;
	struct runlog *log = runlog_new(&h);
	add(log, 0, 0, 50);
	look(&l, log, NULL, 0);
	assert_near(l.total_s, 20, 1e-9); /* of the one in hand */
	assert_near(l.run_share, 5 / 60.0, 1e-9);
	assert_near(l.run_left_s, 55, 1e-9);
	live_release(&l);
	runlog_snap_release(&snap);
	runlog_free(log);
}

static void while_credits_last_it_counts_down(void **state)
{
	(void)state;
	struct runlog *log = new_log();
	struct live l = { 0 };
	struct expectation e;
	struct band band[LIVE_BANDS];
	struct band_label label[LIVE_BANDS];

	expect(&e, NULL);
	add(log, 0, 0, 60);
	look(&l, log, &e, 0);
	assert_near(l.spend, 5400, 1e-6);
	assert_near(l.empty_s, l.balance / 5400, 1e-6);
	size_t n = live_bands(&l, &snap, band, label);
	assert_string_equal(band[0].label, "ramp");
	assert_near(band[0].t1, 2, 1e-9);
	assert_string_equal(band[n - 1].label, "bursting 3,000");
	live_release(&l);
	runlog_snap_release(&snap);
	runlog_free(log);
}

static void a_refill_is_no_rate_and_another_time_scale_counts_down_by_its_own(void **state)
{
	(void)state;
	struct runlog *log = new_log();
	struct live l = { 0 };
	struct expectation e;
	static const struct event refill = { 4000000000, EVENT_KNOB, 0, "credits full again" },
				  slower = { 6000000000, EVENT_KNOB, 0, "time scale 10" };
	static struct tick t;

	expect(&e, NULL);
	add(log, 0, 0, 40);
	runlog_event(log, &refill);
	for (unsigned i = 40; i < 45; i++) { /* far more than before, and falling */
		t.s = (struct sample){ .t_ns = (i + 1) * 100000000ULL, .dt_ns = 100000000ULL, .phase = PHASE_MEASURE };
		t.s.model_balance = 5400000 - 540.0 * (i - 40);
		runlog_tick(log, &t);
	}
	look(&l, log, &e, 0);
	assert_near(l.spend, 5400, 1e-6);
	assert_true(isfinite(l.empty_s));
	assert_near(live_scale(&snap), 1, 0);
	runlog_snap_release(&snap);

	add(log, 0, 45, 60);
	runlog_event(log, &slower);
	add(log, 0, 60, 65);
	look(&l, log, &e, 0);
	assert_near(live_scale(&snap), 10, 0);
	assert_near(l.spend, 540, 1e-6); /* units a second of the volume's time */
	assert_near(live_volume_s(&snap, 2, 5), 3, 1e-9); /* turned at 6 s of the run */
	assert_near(live_volume_s(&snap, 5, 6.5), 1 + 5, 1e-9);
	assert_near(live_volume_s(&snap, 6, 6.5), 5, 1e-9);
	struct run_header shaped = *snap.header;
	struct runlog_snap said = snap;
	char text[64];
	shaped.shaped = true;
	said.header = &shaped;
	assert_string_equal(words_shape(&said, text, sizeof(text)), "SHAPED ×1 to ×10");
	struct pace pace[LIVE_PACES];
	double first;
	assert_int_equal(live_paces(&snap, 1, &first, pace), 1);
	assert_near(first, 1, 0);
	assert_near(pace[0].t, 5, 1e-9);
	assert_near(pace[0].scale, 10, 0);
	assert_int_equal(live_paces(&snap, 6, &first, pace), 0);
	assert_near(first, 10, 0);
	live_release(&l);
	runlog_snap_release(&snap);
	runlog_free(log);
}

static void each_test_is_a_stretch_of_its_own(void **state)
{
	(void)state;
	struct runlog *log = new_log();
	struct live l = { 0 };

	add(log, 0, 0, 50);
	look(&l, log, NULL, 0);
	runlog_snap_release(&snap);
	add(log, 1, 50, 80);
	look(&l, log, NULL, 0);
	assert_int_equal(l.test, 1);
	assert_near(l.start_s, 5, 1e-9);
	assert_near(l.now_s, 3, 1e-9);
	assert_near(l.run_share, 23 / 40.0, 1e-9);
	assert_true(isnan(l.empty_s));
	live_release(&l);
	runlog_snap_release(&snap);
	runlog_free(log);
}

static void a_window_ends_at_now_and_moves_by_whole_dots(void **state)
{
	(void)state;
	struct runlog *log = new_log();
	struct live l = { 0 };

	add(log, 0, 0, 97);
	look(&l, log, NULL, 5);
	assert_int_equal(l.rate.n, 100);
	assert_near(l.rate.step, 0.05, 1e-12);
	assert_near((double)(l.rate.first + l.rate.n) * l.rate.step, 9.7, 1e-9);
	assert_true(!isnan(l.rate.value[BIN_IOPS][99]));
	live_release(&l);
	runlog_snap_release(&snap);
	runlog_free(log);
}

static void marks_and_knobs_are_moments_and_nothing_else_is(void **state)
{
	(void)state;
	struct runlog *log = new_log();
	struct live l = { 0 };
	struct moment m[2];
	static const struct event e[] = { { 1000000000, EVENT_KNOB, 0, "iodepth 8" }, { 2000000000, EVENT_PHASE, 0, "burst" },
					  { 3000000000, EVENT_MARK, 0, "mark" }, { 4000000000, EVENT_MARK, 0, "mark 2" } };

	for (int i = 0; i < 4; i++)
		runlog_event(log, &e[i]);
	add(log, 0, 0, 50);
	look(&l, log, NULL, 0);
	assert_int_equal(live_moments(&l, &snap, m, 2), 2);
	assert_string_equal(m[0].label, "mark");
	assert_near(m[1].t, 4, 1e-9);
	live_release(&l);
	runlog_snap_release(&snap);
	runlog_free(log);
}

static void limits_are_the_workloads_and_only_one_is_reached(void **state)
{
	(void)state;
	struct limit_line l[LIVE_LIMITS];
	struct expectation e;
	int hit = 0;

	expect(&e, "m5.large");
	size_t n = live_limits(&e, false, 2990, l);
	assert_true(n >= 3);
	assert_string_equal(l[0].label, "burst");
	assert_near(l[0].value, 3000, 1e-6);
	assert_string_equal(l[1].label, "base");
	assert_near(l[1].value, 300, 1e-6);
	for (size_t i = 0; i < n; i++)
		hit += l[i].hit;
	assert_int_equal(hit, 1);
	assert_true(l[0].hit);
	n = live_limits(&e, true, 0, l);
	assert_near(l[0].value, 3000 * 16384.0, 1e-3);
	assert_int_equal(live_limits(NULL, false, 1, l), 0);
}

static void a_rate_cap_is_called_a_cap_and_not_a_documented_limit(void **state)
{
	(void)state;
	struct limit_line l[LIVE_LIMITS];
	struct expectation e;

	expect_capped(&e, "m5.large", 400);
	live_limits(&e, false, 0, l);
	assert_string_equal(l[0].label, "cap");
	assert_near(l[0].value, 400, 1e-6);
	assert_string_equal(l[1].label, "base");
	assert_near(l[1].value, 300, 1e-6);
	expect_capped(&e, "m5.large", 200);
	live_limits(&e, false, 0, l);
	assert_string_equal(l[0].label, "cap");
	assert_near(l[0].value, 200, 1e-6);
}

static void a_modification_is_two_limits_and_what_lies_between(void **state)
{
	(void)state;
	struct limit_line l[LIVE_LIMITS];
	struct rate old = { .iops = 300, .bw = 300 * 16384.0 }, new = { .iops = 6000, .bw = 6000 * 16384.0 };
	struct between b;
	struct expectation e;
	char text[LIVE_BETWEEN];
	int named = 0;

	expect(&e, "m5.large");
	size_t n = live_limits(&e, false, 0, l), before = n;
	assert_true(live_between(&old, &new, 37, false, l, &n, &b, text));
	assert_string_equal(text, "optimizing 37 %: 300 to 6,000 IOPS");
	assert_near(b.lo, 300, 1e-6);
	assert_near(b.hi, 6000, 1e-6);
	for (size_t i = 0; i < n; i++) {
		named += strcmp(l[i].label, "old") == 0 ? 1 : strcmp(l[i].label, "new") == 0 ? 2 : 0;
		assert_string_not_equal(l[i].label, "base"); /* at the same figure as the old */
	}
	assert_int_equal(named, 3);
	assert_int_equal(n, before + 1);
	assert_true(live_between(&new, &old, 37, true, l, &n, &b, text));
	assert_string_equal(text, "optimizing 37 %: 94 to 5 MiB/s");
	assert_true(b.lo < b.hi);
	assert_false(live_between(&old, &old, 37, false, l, &n, &b, text));
}

static void the_newest_percentage_of_a_modification_counts(void **state)
{
	(void)state;
	struct runlog *log = new_log();
	static const struct outside said[] = { { "optimizing", "vol-1", 3, 41, "optimizing" }, { "BurstBalance", "vol-1", 4, 99, "" } };

	runlog_snap(log, &snap);
	assert_int_equal(live_progress(&snap, 37), 37);
	assert_int_equal(live_progress(&snap, -1), -1);
	runlog_snap_release(&snap);
	runlog_outside(log, &said[0]);
	runlog_outside(log, &said[1]);
	runlog_snap(log, &snap);
	assert_int_equal(live_progress(&snap, 37), 41);
	runlog_snap_release(&snap);
	runlog_free(log);
}

static void single_peaks_do_not_flatten_the_plot(void **state)
{
	(void)state;
	double y[40];

	for (int i = 0; i < 40; i++)
		y[i] = i == 0 ? 90000 : i < 30 ? 3000 : (double)NAN;
	assert_near(live_top(y, 40), 3000, 1e-9);
	for (int i = 0; i < 6; i++)
		y[i] = 90000;
	assert_near(live_top(y, 40), 90000, 1e-9);
	assert_near(live_top(y, 0), 0, 0);
}

static void verdicts_differ_by_sign_and_word(void **state)
{
	(void)state;
	for (int a = VERDICT_PASS; a < VERDICT_NR; a++)
		for (int b = a + 1; b < VERDICT_NR; b++) {
			unsigned sa, sb;
			const char *p = verdict_text((enum verdict)a, &sa), *q = verdict_text((enum verdict)b, &sb);
			assert_int_not_equal(utf8_next(&p), utf8_next(&q));
			assert_int_not_equal(sa, sb);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_of_now_and_of_the_measured_part_are_kept_apart),
		cmocka_unit_test(the_time_of_a_test_is_that_of_all_its_repetitions),
		cmocka_unit_test(while_credits_last_it_counts_down),
		cmocka_unit_test(a_refill_is_no_rate_and_another_time_scale_counts_down_by_its_own),
		cmocka_unit_test(each_test_is_a_stretch_of_its_own),
		cmocka_unit_test(a_window_ends_at_now_and_moves_by_whole_dots),
		cmocka_unit_test(marks_and_knobs_are_moments_and_nothing_else_is),
		cmocka_unit_test(limits_are_the_workloads_and_only_one_is_reached),
		cmocka_unit_test(a_rate_cap_is_called_a_cap_and_not_a_documented_limit),
		cmocka_unit_test(a_modification_is_two_limits_and_what_lies_between),
		cmocka_unit_test(the_newest_percentage_of_a_modification_counts),
		cmocka_unit_test(single_peaks_do_not_flatten_the_plot),
		cmocka_unit_test(verdicts_differ_by_sign_and_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
