/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/robust.h"
#include "tests/unit/near.h"

#define MOST 60

static uint64_t seed = 1;

static unsigned draw(unsigned below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(seed >> 33) % below;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double sorted_median(const double *v, size_t n)
{
	double s[2 * MOST];

	memcpy(s, v, n * sizeof(*v));
	qsort(s, n, sizeof(*s), by_value);
	return s[n / 2];
}

static void the_median_is_that_of_the_sorted_values(void **state)
{
	double v[MOST], want;

	(void)state;
	assert_true(isnan(robust_median(v, 0)));
	for (int round = 0; round < 5000; round++) {
		size_t n = 1 + draw(MOST - 1);
		unsigned kinds = 1 + draw(20);
		for (size_t i = 0; i < n; i++)
			v[i] = draw(kinds);
		want = sorted_median(v, n);
		assert_near(robust_median(v, n), want, 0);
	}
}

static void a_running_median_is_that_of_each_window(void **state)
{
	double v[MOST], out[MOST], window[2 * MOST + 1], at[2 * MOST];

	(void)state;
	for (int round = 0; round < 300; round++) {
		size_t n = 1 + draw(MOST - 1), h = draw(12);
		for (size_t i = 0; i < n; i++)
			v[i] = draw(9);
		robust_running_median(v, n, h, 3, 5, window, out);
		for (size_t i = 0; i < n; i++) {
			for (size_t k = 0; k < 2 * h + 1; k++) {
				ptrdiff_t j = (ptrdiff_t)(i + k) - (ptrdiff_t)h;
				at[k] = j < 0 ? 3 : j >= (ptrdiff_t)n ? 5 : v[j];
			}
			assert_near(out[i], sorted_median(at, 2 * h + 1), 0);
		}
	}
}

static void a_running_mean_keeps_the_sum(void **state)
{
	double v[MOST], sum[MOST + 1], out[MOST], was = 0, is = 0;

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		was += v[i] = i % 2 ? 600 : 0;
	robust_prefix_sum(v, MOST, sum);
	assert_near(sum[MOST], was, 0);
	robust_smooth(sum, MOST, 3, out);
	for (size_t i = 0; i < MOST; i++) {
		is += out[i];
		assert_near(out[i], 300, 300.0 / 7 + 1e-9);
	}
	assert_near(is, was, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_median_is_that_of_the_sorted_values),
		cmocka_unit_test(a_running_median_is_that_of_each_window),
		cmocka_unit_test(a_running_mean_keeps_the_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
