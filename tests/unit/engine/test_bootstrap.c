/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "engine/bootstrap.h"
#include "tests/unit/near.h"

#define N 300 /* ticks of 0.1 s */

static struct phase_point a[N], b[N];
static struct bootstrap ba, bb;
static uint64_t seed;

static double normal(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		sum += (double)(seed >> 11) / 9007199254740992.0;
	}
	return sum;
}

/* Ticks of a rate with noise that lasts: each tick keeps `memory` of the last one's deviation. */
static void make(struct phase_point *p, unsigned nr, double rate, double noise, double memory)
{
	double x = 0;

	seed = nr * 0x9E3779B97F4A7C15ULL + 1;
	for (int i = 0; i < N; i++) {
		x = memory * x + sqrt(1 - memory * memory) * normal();
		p[i] = (struct phase_point){ 0.1 * (i + 1), 0.1, 0.1 * rate * (1 + noise * x), NAN };
	}
}

static int differ(void)
{
	struct stratum all = { 0, N };

	assert_int_equal(bootstrap_rate(&ba, a, &all, 1, 1), 0);
	assert_int_equal(bootstrap_rate(&bb, b, &all, 1, 2), 0);
	return bootstrap_differ(&ba, &bb);
}

static void the_same_rate_differs_by_no_more_than_its_noise(void **state)
{
	int wrong = 0, wrong_slow = 0;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		make(a, 2 * i, 3000, 0.1, 0);
		make(b, 2 * i + 1, 3000, 0.1, 0);
		wrong += differ();
		make(a, 2 * i, 3000, 0.1, 0.9);
		make(b, 2 * i + 1, 3000, 0.1, 0.9);
		wrong_slow += differ();
	}
	if (wrong > 10 || wrong_slow > 20)
		fail_msg("%d and %d of 100 differ", wrong, wrong_slow);
}

static void a_difference_of_three_percent_shows_through_ten_percent_of_noise(void **state)
{
	int found = 0;

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		make(a, 1000 + 2 * i, 3000, 0.1, 0);
		make(b, 1001 + 2 * i, 3090, 0.1, 0);
		found += differ();
	}
	assert_true(found >= 40);
}

static void half_a_percent_is_no_difference_however_quiet(void **state)
{
	(void)state;
	make(a, 1, 3000, 0.0001, 0);
	make(b, 2, 3015, 0.0001, 0);
	assert_int_equal(differ(), 0);
	make(b, 2, 3060, 0.0001, 0);
	assert_int_equal(differ(), 1);
}

static void phases_are_drawn_from_separately(void **state)
{
	struct stratum all = { 0, N }, two[] = { { 0, N / 2 }, { N / 2, N } };

	(void)state;
	make(a, 3, 3000, 0.02, 0);
	for (int i = N / 2; i < N; i++)
		a[i].ios /= 10;
	assert_int_equal(bootstrap_rate(&ba, a, &all, 1, 1), 0);
	assert_int_equal(bootstrap_rate(&bb, a, two, 2, 1), 0);
	assert_near(ba.rate, bb.rate, 1e-9);
	assert_true(ba.high - ba.low > 5 * (bb.high - bb.low));
	assert_true(bb.low <= bb.rate && bb.rate <= bb.high);
}

static void blocks_are_a_second_or_longer(void **state)
{
	struct stratum all = { 0, N };

	(void)state;
	make(a, 4, 3000, 0.1, 0);
	assert_int_equal(bootstrap_rate(&ba, a, &all, 1, 1), 0);
	assert_near(ba.block_s, 1, 0);
	for (int i = 0; i < N; i++)
		a[i].ios = 300 * (1 + 0.2 * sin(i / 25.0));
	assert_int_equal(bootstrap_rate(&ba, a, &all, 1, 1), 0);
	assert_true(ba.block_s >= 2);
}

static void a_short_series_has_no_noise_that_is_known(void **state)
{
	struct stratum few = { 0, 30 }, none = { 0, 0 };

	(void)state;
	make(a, 5, 3000, 0.1, 0);
	assert_int_equal(bootstrap_rate(&ba, a, &few, 1, 1), 0);
	assert_true(isnan(ba.low));
	assert_near(ba.rate, 3000, 200);
	assert_int_equal(bootstrap_rate(&bb, a, &none, 1, 1), 0);
	assert_true(isnan(bb.rate));
	assert_int_equal(bootstrap_differ(&ba, &bb), -1);
}

static void the_same_series_gives_the_same_answer(void **state)
{
	struct stratum all = { 0, N };

	(void)state;
	make(a, 6, 3000, 0.1, 0.5);
	assert_int_equal(bootstrap_rate(&ba, a, &all, 1, 7), 0);
	assert_int_equal(bootstrap_rate(&bb, a, &all, 1, 7), 0);
	assert_near(ba.low, bb.low, 0);
	assert_near(ba.high, bb.high, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_rate_differs_by_no_more_than_its_noise),
		cmocka_unit_test(a_difference_of_three_percent_shows_through_ten_percent_of_noise),
		cmocka_unit_test(half_a_percent_is_no_difference_however_quiet),
		cmocka_unit_test(phases_are_drawn_from_separately),
		cmocka_unit_test(blocks_are_a_second_or_longer),
		cmocka_unit_test(a_short_series_has_no_noise_that_is_known),
		cmocka_unit_test(the_same_series_gives_the_same_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
