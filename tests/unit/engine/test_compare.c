/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compare.h"
#include "tests/unit/near.h"

static struct import_run run[3];
static struct comparison c;
static struct err err;

static int release(void **state)
{
	(void)state;
	compare_release(&c);
	for (int i = 0; i < 3; i++)
		import_release(&run[i]);
	return 0;
}

/* A block test of its own: rate, pattern, block size. */
static struct import_test *add(int k, const char *name, double iops, enum rw rw, uint64_t bs)
{
	struct import_test *t = import_add(&run[k], name, TEST_BLOCK);

	assert_non_null(t);
	t->r->all.iops = iops;
	t->r->all.bw_bytes = iops * (double)bs;
	t->r->wl.rw = rw;
	t->r->wl.bs = bs;
	t->r->wl.iodepth = 32;
	return t;
}

/* 30 s of ticks: burst until `fall`, then baseline; a little of noise that is the same each time. */
static void series(struct import_test *t, double burst, double fall, double baseline, unsigned seed)
{
	t->point = malloc(300 * sizeof(*t->point));
	assert_non_null(t->point);
	for (unsigned i = 0; i < 300; i++) {
		double noise = 1 + 0.02 * ((double)((i * 7919 + seed * 104729) % 101) / 50 - 1);
		double rate = i * 0.1 < fall ? burst : baseline;
		t->point[i] = (struct phase_point){ 0.1 * (i + 1), 0.1, 0.1 * rate * noise, 1638.4 * rate * noise };
	}
	t->nr_points = 300;
}

static const struct compare_row *row(const char *test, const char *metric)
{
	for (size_t i = 0; i < c.nr_rows; i++)
		if (strcmp(c.row[i].test, test) == 0 && strcmp(c.row[i].metric, metric) == 0)
			return &c.row[i];
	fail_msg("no row %s %s", test, metric);
	return NULL;
}

static void compare(size_t n)
{
	assert_int_equal(compare_runs(&c, run, n, &err), 0);
}

static void figures_stand_beside_each_other_with_their_ratio(void **state)
{
	(void)state;
	add(0, "iops", 3000, RW_RANDREAD, 16384);
	add(1, "iops", 6000, RW_RANDREAD, 16384);
	compare(2);
	assert_near(row("iops", "iops")->value[1], 6000, 0);
	assert_near(row("iops", "iops")->ratio[0], 1, 0);
	assert_near(row("iops", "iops")->ratio[1], 2, 0);
	assert_int_equal(row("iops", "iops")->significant[1], TRI_NULL);
	assert_string_equal(row("iops", "iops")->not_comparable, "");
}

static void the_same_work_under_another_name_belongs_together(void **state)
{
	(void)state;
	add(0, "iops", 3000, RW_RANDREAD, 16384);
	add(1, "other", 5, RW_WRITE, 4096);
	add(1, "myjob", 3000, RW_RANDREAD, 16384);
	compare(2);
	assert_near(row("iops", "iops")->value[1], 3000, 0);
	assert_true(isnan(row("other", "iops")->value[0]));
}

static void another_block_size_is_said_and_not_blurred(void **state)
{
	(void)state;
	add(0, "iops", 3000, RW_RANDREAD, 16384);
	add(1, "iops", 3000, RW_RANDREAD, 4096);
	add(2, "iops", 3000, RW_RANDREAD, 4096);
	compare(3);
	assert_string_equal(row("iops", "iops")->not_comparable, "run 2, 3: block size 4k beside 16k");
	assert_true(isnan(row("iops", "iops")->ratio[1]));
	assert_near(row("iops", "iops")->value[1], 3000, 0);
}

static void what_differs_is_said_of_what_may_be_compared(void **state)
{
	(void)state;
	for (int k = 0; k < 3; k++) {
		struct workload *wl = &add(k, "iops", 3000, RW_RANDRW, 16384)->r->wl;
		wl->numjobs = 1;
		wl->direct = k != 2;
		wl->rwmixread = k == 1 ? 70 : 50;
		wl->size = 1ULL << 30;
		wl->iodepth = k ? 8 : 32;
		wl->ioengine = IOENGINE_LIBAIO;
	}
	compare(3);
	assert_string_equal(row("iops", "iops")->not_comparable, "");
	assert_string_equal(row("iops", "iops")->differs,
			    "run 2: iodepth 8 beside 32, rwmixread 70 beside 50; run 3: iodepth 8 beside 32, direct 0 beside 1");
	assert_near(row("iops", "iops")->ratio[1], 1, 0);
	json_t *doc = compare_to_json(&c);
	assert_true(json_is_string(json_object_get(json_array_get(json_object_get(doc, "rows"), 0), "differs")));
	json_decref(doc);
}

static void what_a_run_does_not_say_of_itself_is_no_difference(void **state)
{
	(void)state;
	add(0, "iops", 3000, RW_RANDREAD, 16384)->r->wl.numjobs = 4;
	add(1, "iops", 3000, RW_RANDREAD, 16384)->r->wl.iodepth = 0; /* published without it */
	compare(2);
	assert_string_equal(row("iops", "iops")->differs, "");
}

static void what_memory_gave_is_not_compared(void **state)
{
	(void)state;
	add(0, "iops", 3000, RW_RANDREAD, 16384);
	add(1, "iops", 300000, RW_RANDREAD, 16384)->r->cached = TRI_TRUE;
	add(2, "iops", 0, RW_RANDREAD, 16384)->r->failed = true;
	compare(3);
	assert_non_null(strstr(row("iops", "iops")->not_comparable, "run 2: cached"));
	assert_non_null(strstr(row("iops", "iops")->not_comparable, "run 3: failed run"));
}

static void the_two_meanings_of_per_char_do_not_compare(void **state)
{
	static const char *const lines[] = {
		"host,2G,17273,29,20595,3,,,,,,,,,16,,,,,,,,,,,,",
		"1.97,1.97,m,1,1,16G,,585,90,62549,10,,,,,,,,,16,,,,,,,,,,,,,,,,,,,,,,,,,,,,",
	};

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(import_text(&run[i], "x", lines[i], strlen(lines[i]), &err), 0);
	compare(2);
	assert_string_equal(row("write-char", "bw_kib")->not_comparable, "run 2: per-char by syscall beside stdio");
	assert_near(row("write-block", "bw_kib")->value[0], 20595, 0);
	assert_near(row("write-block", "bw_kib")->ratio[1], 62549.0 / 20595, 1e-9);
}

static void burst_and_baseline_are_compared_each_with_its_own(void **state)
{
	(void)state;
	series(add(0, "iops", 1650, RW_RANDREAD, 16384), 3000, 15, 300, 1);
	series(add(1, "iops", 2550, RW_RANDREAD, 16384), 3000, 25, 300, 2);
	compare(2);
	assert_near(row("iops", "burst_iops")->ratio[1], 1, 0.01);
	assert_int_equal(row("iops", "burst_iops")->significant[1], TRI_FALSE);
	assert_int_equal(row("iops", "baseline_iops")->significant[1], TRI_FALSE);
	assert_int_equal(row("iops", "iops")->significant[1], TRI_TRUE);
	assert_near(row("iops", "burst_s")->value[0], 15, 0.2);
	assert_near(row("iops", "burst_s")->value[1], 25, 0.2);
	assert_true(row("iops", "burst_iops")->spread[0] < 0.02);
}

static void a_burst_that_was_played_faster_is_as_long_in_the_volumes_time(void **state)
{
	(void)state;
	series(add(0, "iops", 1650, RW_RANDREAD, 16384), 3000, 15, 300, 1);
	series(add(1, "iops", 1650, RW_RANDREAD, 16384), 3000, 15, 300, 2);
	series(add(2, "iops", 1650, RW_RANDREAD, 16384), 3000, 15, 300, 3);
	run[1].test[0].time_scale = 60;
	run[2].test[0].time_scale = NAN; /* turned meanwhile: nobody knows */
	compare(3);
	assert_near(row("iops", "burst_s")->value[0], 15, 0.2);
	assert_near(row("iops", "burst_s")->value[1], 900, 12);
	assert_true(isnan(row("iops", "burst_s")->value[2]));
}

static void repetitions_tell_the_noise_where_there_is_no_series(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++) {
		struct result *r = add(k, "iops", k ? 3300 : 3000, RW_RANDREAD, 16384)->r;
		for (int i = 0; i < 5; i++)
			r->repeat[r->nr_repeats++] = (struct repeat){ r->all.iops + 10 * (i - 2), NAN };
	}
	compare(2);
	assert_int_equal(row("iops", "iops")->significant[1], TRI_TRUE);
}

static void a_comparison_as_json_has_the_promised_members(void **state)
{
	(void)state;
	add(0, "iops", 3000, RW_RANDREAD, 16384);
	add(1, "iops", NAN, RW_RANDREAD, 4096);
	snprintf(run[0].name, sizeof(run[0].name), "a");
	compare(2);
	json_t *o = compare_to_json(&c), *r = json_array_get(json_object_get(o, "rows"), 0);
	assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(o, "runs"), 0), "name")), "a");
	assert_string_equal(json_string_value(json_object_get(r, "unit")), "IO/s");
	assert_true(json_is_null(json_array_get(json_object_get(r, "values"), 1)));
	assert_true(json_is_null(json_array_get(json_object_get(r, "ratio"), 1)));
	assert_true(json_is_null(json_array_get(json_object_get(r, "significant"), 1)));
	assert_true(json_is_string(json_object_get(r, "not_comparable")));
	json_decref(o);
}

#define T(f) cmocka_unit_test_teardown(f, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(figures_stand_beside_each_other_with_their_ratio),
		T(the_same_work_under_another_name_belongs_together),
		T(another_block_size_is_said_and_not_blurred),
		T(what_differs_is_said_of_what_may_be_compared),
		T(what_a_run_does_not_say_of_itself_is_no_difference),
		T(what_memory_gave_is_not_compared),
		T(the_two_meanings_of_per_char_do_not_compare),
		T(burst_and_baseline_are_compared_each_with_its_own),
		T(a_burst_that_was_played_faster_is_as_long_in_the_volumes_time),
		T(repetitions_tell_the_noise_where_there_is_no_series),
		T(a_comparison_as_json_has_the_promised_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
