/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "engine/timeline.h"

#define TICK 100000000ULL

static struct sample tick(unsigned i, uint32_t test, uint64_t ios)
{
	return (struct sample){ .t_ns = (i + 1) * TICK,
				.dt_ns = TICK,
				.test = test,
				.phase = PHASE_MEASURE,
				.dir[DDIR_READ] = { ios, ios * 4096 },
				.lat_p99 = i,
				.inflight = i,
				.dev[DDIR_READ] = { ios, ios * 4096 },
				.model_iops = NAN,
				.cpu = 0.5 };
}

static struct timeline *filled(size_t cap, uint32_t (*test_of)(unsigned))
{
	struct timeline *tl = timeline_new(cap);

	for (unsigned i = 0; i < cap; i++) {
		struct sample s = tick(i, test_of(i), 10);
		assert_int_equal(timeline_append(tl, &s), 0);
	}
	return tl;
}

static uint32_t one_test(unsigned i)
{
	(void)i;
	return 0;
}

static uint32_t two_tests(unsigned i)
{
	return i >= 3;
}

static uint32_t a_test_each(unsigned i)
{
	return i;
}

static void rows_are_seen_in_the_order_they_were_appended(void **state)
{
	struct timeline *tl = filled(4, one_test);
	struct span sp = timeline_span(tl);

	(void)state;
	assert_int_equal(sp.n, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(sp.row[i].t_ns, (i + 1) * TICK);
	timeline_unref(tl);
}

static void a_full_timeline_refuses_and_stays_as_it_was(void **state)
{
	struct timeline *tl = filled(4, one_test);
	struct sample s = tick(9, 0, 99);

	(void)state;
	assert_int_equal(timeline_append(tl, &s), -1);
	assert_int_equal(timeline_span(tl).n, 4);
	assert_int_equal(timeline_span(tl).row[3].dir[DDIR_READ].ios, 10);
	timeline_unref(tl);
}

static void a_span_taken_before_does_not_see_later_rows(void **state)
{
	struct timeline *tl = timeline_new(4);
	struct sample s = tick(0, 0, 1);

	(void)state;
	timeline_append(tl, &s);
	struct span sp = timeline_span(tl);
	timeline_append(tl, &s);
	assert_int_equal(sp.n, 1);
	timeline_unref(tl);
}

static void a_coarser_timeline_loses_no_io_and_no_time(void **state)
{
	struct timeline *tl = filled(8, one_test), *c = timeline_coarser(tl);
	struct span sp = timeline_span(c);
	uint64_t ios = 0, dt = 0;

	(void)state;
	assert_true(sp.n <= 4 && sp.n > 0);
	assert_int_equal(c->cap, 8);
	for (size_t i = 0; i < sp.n; i++) {
		ios += sp.row[i].dir[DDIR_READ].ios;
		dt += sp.row[i].dt_ns;
	}
	assert_int_equal(ios, 80);
	assert_int_equal(dt, 8 * TICK);
	assert_int_equal(sp.row[sp.n - 1].t_ns, 8 * TICK);
	timeline_unref(tl);
	timeline_unref(c);
}

static void the_newest_rows_keep_their_ticks(void **state)
{
	struct timeline *tl = filled(16, one_test), *c = timeline_coarser(tl);
	struct span sp = timeline_span(c);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(sp.row[sp.n - 1 - i].dt_ns, TICK);
	assert_true(sp.row[0].dt_ns > TICK);
	timeline_unref(tl);
	timeline_unref(c);
}

static void rows_of_two_tests_are_never_merged(void **state)
{
	struct timeline *tl = filled(8, two_tests), *c = timeline_coarser(tl);
	struct span sp = timeline_span(c);
	uint64_t ios[2] = { 0, 0 };

	(void)state;
	for (size_t i = 0; i < sp.n; i++)
		ios[sp.row[i].test] += sp.row[i].dir[DDIR_READ].ios;
	assert_int_equal(ios[0], 30);
	assert_int_equal(ios[1], 50);
	timeline_unref(tl);
	timeline_unref(c);
}

static void where_nothing_can_be_merged_the_oldest_rows_go(void **state)
{
	struct timeline *tl = filled(6, a_test_each), *c = timeline_coarser(tl);
	struct span sp = timeline_span(c);

	(void)state;
	assert_int_equal(sp.n, 3);
	assert_int_equal(sp.row[0].test, 3);
	assert_int_equal(sp.row[2].test, 5);
	timeline_unref(tl);
	timeline_unref(c);
}

static void a_run_of_days_stays_within_its_rows(void **state)
{
	struct timeline *tl = timeline_new(32);
	uint64_t ios = 0;

	(void)state;
	for (unsigned i = 0; i < 100000; i++) {
		struct sample s = tick(i, 0, 1);

		if (timeline_append(tl, &s) < 0) {
			struct timeline *c = timeline_coarser(tl);
			timeline_unref(tl);
			tl = c;
			assert_int_equal(timeline_append(tl, &s), 0);
		}
	}
	struct span sp = timeline_span(tl);
	for (size_t i = 0; i < sp.n; i++)
		ios += sp.row[i].dir[DDIR_READ].ios;
	assert_true(sp.n <= 32);
	assert_int_equal(ios, 100000);
	timeline_unref(tl);
}

static void a_reader_that_holds_the_old_one_may_go_on_reading(void **state)
{
	struct timeline *tl = filled(8, one_test);
	struct span sp = timeline_span(timeline_ref(tl));
	struct timeline *c = timeline_coarser(tl);

	(void)state;
	timeline_unref(tl);
	assert_int_equal(sp.row[0].dir[DDIR_READ].ios, 10);
	timeline_unref(tl);
	timeline_unref(c);
}

static void merging_adds_sums_keeps_the_worse_latency_and_the_later_state(void **state)
{
	struct sample a = tick(0, 0, 5), b = tick(7, 0, 6);

	(void)state;
	a.cpu = 1, b.cpu = 0.5, b.dt_ns = 3 * TICK;
	a.errors = 1, b.errors = 2;
	sample_merge(&a, &b);
	assert_int_equal(a.dir[DDIR_READ].ios, 11);
	assert_int_equal(a.dt_ns, 4 * TICK);
	assert_int_equal(a.t_ns, 8 * TICK);
	assert_int_equal(a.lat_p99, 7);
	assert_int_equal(a.inflight, 7);
	assert_int_equal(a.errors, 3);
	assert_true(fabs(a.cpu - 0.625) < 1e-9);
	assert_true(isnan(a.model_iops));
}

static void a_device_figure_missing_in_one_part_is_missing_in_the_sum(void **state)
{
	struct sample a = tick(0, 0, 5), b = tick(1, 0, 6);

	(void)state;
	b.dev[DDIR_READ].ios = DEV_NONE;
	sample_merge(&a, &b);
	assert_true(a.dev[DDIR_READ].ios == DEV_NONE);
	assert_int_equal(a.dev[DDIR_READ].bytes, 11 * 4096);
}

static void an_interval_of_no_length_has_no_rate(void **state)
{
	struct sample s = { .dir[DDIR_READ] = { 5, 5 } };

	(void)state;
	assert_true(isnan(sample_iops(&s)));
	assert_true(isnan(sample_bw(&s)));
}

static void the_last_second_is_one_interval(void **state)
{
	(void)state;
	struct sample s = { .t_ns = 7 };
	struct timeline *tl = filled(25, one_test);

	assert_false(span_last_second((struct span){ 0 }, &s));
	assert_int_equal(s.t_ns, 7);
	assert_true(span_last_second(timeline_span(tl), &s));
	assert_int_equal(s.dt_ns, 10 * TICK);
	assert_int_equal(s.t_ns, 25 * TICK);
	assert_int_equal(s.dir[DDIR_READ].ios, 100);
	assert_true(span_last_second((struct span){ tl->row, 3 }, &s));
	assert_int_equal(s.dt_ns, 3 * TICK);
	timeline_unref(tl);
}

static void the_share_of_the_last_second_takes_each_tick_by_its_own_limit(void **state)
{
	struct sample row[10];

	(void)state;
	for (int i = 0; i < 10; i++) {
		row[i] = (struct sample){ .t_ns = ((uint64_t)i + 1) * TICK, .dt_ns = TICK, .model_iops = 3000 };
		row[i].dir[DDIR_READ].ios = 150; /* half of what 3,000 a second allow */
	}
	assert_float_equal(span_last_share((struct span){ row, 10 }), 0.5, 1e-9);
	row[9].model_iops = 100; /* one large I/O, of which fewer are allowed: no ten times the limit */
	row[9].dir[DDIR_READ].ios = 1;
	assert_float_equal(span_last_share((struct span){ row, 10 }), (9 * 0.05 + 0.01) / 1.0, 1e-9);
	row[9].model_iops = NAN;
	assert_float_equal(span_last_share((struct span){ row, 10 }), 0.45, 1e-9);
	assert_true(isnan(span_last_share((struct span){ row + 9, 1 })));
	assert_true(isnan(span_last_share((struct span){ NULL, 0 })));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_seen_in_the_order_they_were_appended),
		cmocka_unit_test(a_full_timeline_refuses_and_stays_as_it_was),
		cmocka_unit_test(a_span_taken_before_does_not_see_later_rows),
		cmocka_unit_test(a_coarser_timeline_loses_no_io_and_no_time),
		cmocka_unit_test(the_newest_rows_keep_their_ticks),
		cmocka_unit_test(rows_of_two_tests_are_never_merged),
		cmocka_unit_test(where_nothing_can_be_merged_the_oldest_rows_go),
		cmocka_unit_test(a_run_of_days_stays_within_its_rows),
		cmocka_unit_test(a_reader_that_holds_the_old_one_may_go_on_reading),
		cmocka_unit_test(merging_adds_sums_keeps_the_worse_latency_and_the_later_state),
		cmocka_unit_test(a_device_figure_missing_in_one_part_is_missing_in_the_sum),
		cmocka_unit_test(an_interval_of_no_length_has_no_rate),
		cmocka_unit_test(the_last_second_is_one_interval),
		cmocka_unit_test(the_share_of_the_last_second_takes_each_tick_by_its_own_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
