/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/hist.h"

/* A histogram of values, read. */
static struct hist_snap of(const uint64_t *v, size_t n)
{
	static struct hist h;
	struct hist_snap s;

	hist_init(&h);
	for (size_t i = 0; i < n; i++)
		hist_add(&h, v[i]);
	hist_snap_init(&s);
	hist_read(&h, &s);
	return s;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void every_value_lies_in_its_bucket_and_buckets_have_no_gap(void **state)
{
	(void)state;
	for (unsigned i = 0; i + 1 < HIST_NR; i++) {
		assert_int_equal(hist_index(hist_low(i)), i);
		assert_int_equal(hist_index(hist_low(i + 1) - 1), i);
	}
	assert_int_equal(hist_index(UINT64_MAX), HIST_NR - 1);
	assert_true(hist_low(HIST_NR - 1) > 3600 * 1000000000ULL);
}

static void a_bucket_is_at_most_a_64th_of_its_value_wide(void **state)
{
	(void)state;
	for (unsigned i = 1u << HIST_BITS; i + 1 < HIST_NR; i++) {
		uint64_t low = hist_low(i), width = hist_low(i + 1) - low;

		assert_true(width << HIST_BITS <= low);
	}
}

static void percentiles_are_within_one_percent_of_those_of_the_sorted_values(void **state)
{
	static const double q[] = { 1, 10, 50, 90, 99, 99.9, 99.99 };
	enum { N = 20000 };
	static uint64_t v[N];
	uint64_t x = 88172645463325252ULL;

	(void)state;
	for (size_t i = 0; i < N; i++) { /* 1 µs to 17 minutes, even on a logarithmic scale */
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		v[i] = (uint64_t)pow(10, 3 + 9 * (double)(x >> 11) / 9007199254740992.0);
	}
	struct hist_snap s = of(v, N);
	qsort(v, N, sizeof(*v), by_value);
	for (size_t i = 0; i < sizeof(q) / sizeof(*q); i++) {
		double want = (double)v[(size_t)ceil(q[i] / 100 * N - 1e-6) - 1];

		assert_true(fabs(hist_snap_percentile(&s, q[i]) / want - 1) < 0.01);
	}
	assert_true(hist_snap_percentile(&s, 100) == (double)v[N - 1]);
	assert_int_equal(s.count, N);
}

static void no_percentile_is_over_the_maximum_or_under_the_minimum(void **state)
{
	static const uint64_t v[] = { 129000, 150000, 196000 };
	struct hist_snap s = of(v, 3);

	(void)state;
	assert_true(hist_snap_percentile(&s, 100) == 196000);
	for (double q = 0; q <= 100; q += 0.5) {
		assert_true(hist_snap_percentile(&s, q) <= 196000);
		assert_true(hist_snap_percentile(&s, q) >= 129000);
	}
}

static void one_outlier_moves_the_mean_but_no_percentile_below_it(void **state)
{
	enum { N = 10000 };
	static uint64_t v[N];

	(void)state;
	for (size_t i = 0; i < N; i++)
		v[i] = i == 77 ? 10000000000ULL : 1000000;
	struct hist_snap s = of(v, N);
	assert_true(fabs(hist_snap_percentile(&s, 50) / 1e6 - 1) < 0.01);
	assert_true(fabs(hist_snap_percentile(&s, 99) / 1e6 - 1) < 0.01);
	assert_true(fabs(hist_snap_percentile(&s, 99.99) / 1e6 - 1) < 0.01);
	assert_true(hist_snap_percentile(&s, 100) == 1e10);
	assert_true(hist_snap_mean(&s) > 1.9e6);
}

static void mean_and_deviation_are_exact(void **state)
{
	static const uint64_t v[] = { 2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000 };
	struct hist_snap s = of(v, 8);

	(void)state;
	assert_true(fabs(hist_snap_mean(&s) - 5000) < 1e-6);
	assert_true(fabs(hist_snap_stddev(&s) - 2000) < 1e-6);
}

static void without_values_there_is_no_figure(void **state)
{
	struct hist_snap s = of(NULL, 0);

	(void)state;
	assert_true(isnan(hist_snap_percentile(&s, 50)));
	assert_true(isnan(hist_snap_mean(&s)));
	assert_true(isnan(hist_snap_stddev(&s)));
}

static void a_value_beyond_the_last_bucket_keeps_its_size_as_maximum(void **state)
{
	static const uint64_t v[] = { 1000, 5000000000000ULL };
	struct hist_snap s = of(v, 2);

	(void)state;
	assert_int_equal(s.bucket[HIST_NR - 1], 1);
	assert_true(hist_snap_percentile(&s, 100) == 5e12);
	assert_true(hist_snap_percentile(&s, 99) <= 5e12);
}

static void the_difference_of_two_readings_is_what_happened_between_them(void **state)
{
	static const uint64_t a[] = { 100, 200000 }, b[] = { 100, 200000, 3000, 4000, 4000 };
	struct hist_snap before = of(a, 2), s = of(b, 5);

	(void)state;
	hist_snap_sub(&s, &before);
	assert_int_equal(s.count, 3);
	assert_int_equal(s.sum, 11000);
	assert_true(s.min <= 3000 && s.min > 2900);
	assert_true(s.max >= 4000 && s.max < 4100);
}

static void a_maximum_that_grew_is_exact_in_the_difference(void **state)
{
	static const uint64_t a[] = { 5000 }, b[] = { 5000, 777777 };
	struct hist_snap before = of(a, 1), s = of(b, 2);

	(void)state;
	hist_snap_sub(&s, &before);
	assert_int_equal(s.max, 777777);
	assert_true(s.min <= 777777);
}

static void a_difference_without_values_is_empty(void **state)
{
	static const uint64_t a[] = { 5000 };
	struct hist_snap before = of(a, 1), s = of(a, 1);

	(void)state;
	hist_snap_sub(&s, &before);
	assert_int_equal(s.count, 0);
	assert_true(isnan(hist_snap_percentile(&s, 50)));
	assert_int_equal(s.max, 0);
}

static void adding_two_readings_counts_both(void **state)
{
	static const uint64_t a[] = { 5000, 6000 }, b[] = { 100, 9000 };
	struct hist_snap s = of(a, 2), t = of(b, 2);

	(void)state;
	hist_snap_add(&s, &t);
	assert_int_equal(s.count, 4);
	assert_int_equal(s.min, 100);
	assert_int_equal(s.max, 9000);
	assert_int_equal(s.sum, 20100);
}

static void counting_n_at_once_is_counting_n_times(void **state)
{
	static struct hist one, many;
	struct hist_snap a, b;

	(void)state;
	hist_init(&one);
	hist_init(&many);
	for (int i = 0; i < 5; i++)
		hist_add(&one, 12345);
	hist_add_n(&many, 12345, 5);
	hist_snap_init(&a);
	hist_snap_init(&b);
	hist_read(&one, &a);
	hist_read(&many, &b);
	assert_memory_equal(a.bucket, b.bucket, sizeof(a.bucket));
	assert_int_equal(a.sum, b.sum);
	assert_true(a.sumsq == b.sumsq);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_lies_in_its_bucket_and_buckets_have_no_gap),
		cmocka_unit_test(a_bucket_is_at_most_a_64th_of_its_value_wide),
		cmocka_unit_test(percentiles_are_within_one_percent_of_those_of_the_sorted_values),
		cmocka_unit_test(no_percentile_is_over_the_maximum_or_under_the_minimum),
		cmocka_unit_test(one_outlier_moves_the_mean_but_no_percentile_below_it),
		cmocka_unit_test(mean_and_deviation_are_exact),
		cmocka_unit_test(without_values_there_is_no_figure),
		cmocka_unit_test(a_value_beyond_the_last_bucket_keeps_its_size_as_maximum),
		cmocka_unit_test(the_difference_of_two_readings_is_what_happened_between_them),
		cmocka_unit_test(a_maximum_that_grew_is_exact_in_the_difference),
		cmocka_unit_test(a_difference_without_values_is_empty),
		cmocka_unit_test(adding_two_readings_counts_both),
		cmocka_unit_test(counting_n_at_once_is_counting_n_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
