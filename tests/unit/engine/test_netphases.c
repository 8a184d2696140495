/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "engine/clock.h"
#include "engine/netphases.h"

#define TENTH (NS_PER_SEC / 10)

/* Go on for @p seconds at @p bps, ten samples a second. */
static void flow(struct net_series *s, double seconds, double bps, bool omitted)
{
	uint64_t t = s->n ? s->row[s->n - 1].t_ns : 0;

	for (int i = 0; i < (int)lround(seconds * 10); i++) {
		/* a little unrest, as any link has */
		double wobble = 1 + 0.02 * ((i * 7 % 5) - 2);
		struct net_sample x = { .t_ns = t += TENTH,
					.dt_ns = TENTH,
					.omitted = omitted,
					.retransmits = NET_NONE,
					.received = (uint64_t)(bps / 80 * wobble) };
		assert_int_equal(net_series_add(s, &x), 0);
	}
}

static struct net_shape shape(const struct net_series *s)
{
	struct net_shape sh;

	assert_int_equal(net_shape_of(s, NET_RECEIVE, &sh), 0);
	return sh;
}

static bool about(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance;
}

static void a_burst_ends_where_the_rate_falls(void **state)
{
	struct net_series s;

	(void)state;
	net_series_init(&s, NS_PER_SEC);
	flow(&s, 780, 9e9, false);
	flow(&s, 120, 1.14e9, false);
	struct net_shape sh = shape(&s);
	assert_true(about(sh.burst_s, 780, 0.2));
	assert_true(about(sh.burst_bps, 9e9, 0.01 * 9e9));
	assert_true(about(sh.baseline_bps, 1.14e9, 0.01 * 1.14e9));
	assert_true(about(sh.above_bytes, 780 * (9e9 - 1.14e9) / 8, 0.01 * 780e9));
	net_series_release(&s);
}

static void a_short_test_sees_only_one_level(void **state)
{
	struct net_series s;

	(void)state;
	net_series_init(&s, NS_PER_SEC);
	flow(&s, 60, 9e9, false);
	struct net_shape sh = shape(&s);
	assert_true(isnan(sh.burst_bps));
	assert_true(isnan(sh.baseline_bps));
	assert_true(about(sh.level_bps, 9e9, 0.01 * 9e9));
	net_series_release(&s);
}

static void a_burst_of_two_seconds_in_five_is_one(void **state)
{
	struct net_series s;

	(void)state;
	net_series_init(&s, NS_PER_SEC);
	flow(&s, 2, 5e9, false);
	flow(&s, 3, 0.5e9, false);
	struct net_shape sh = shape(&s);
	assert_true(about(sh.burst_s, 2, 0.2));
	assert_true(about(sh.burst_bps, 5e9, 0.02 * 5e9));
	assert_true(about(sh.baseline_bps, 0.5e9, 0.02 * 0.5e9));
	net_series_release(&s);
}

static void a_stall_that_recovers_is_not_the_end_of_the_burst(void **state)
{
	struct net_series s;

	(void)state;
	net_series_init(&s, NS_PER_SEC);
	flow(&s, 30, 4e9, false);
	flow(&s, 10, 0, false);
	flow(&s, 30, 4e9, false);
	struct net_shape sh = shape(&s);
	assert_true(isnan(sh.burst_bps));
	assert_int_equal(sh.nr_stalls, 1);
	assert_true(about(sh.stall[0].start_s, 30, 0.01));
	assert_true(about(sh.stall[0].length_s, 10, 0.01));
	assert_true(about(sh.level_bps, 4e9, 0.01 * 4e9));
	assert_true(about(sh.mean_bps, 4e9 * 6 / 7, 0.01 * 4e9));
	flow(&s, 30, 0.2e9, false);
	sh = shape(&s);
	assert_true(about(sh.burst_end_s, 70, 0.2));
	net_series_release(&s);
}

static void omitted_seconds_are_no_part_of_it(void **state)
{
	struct net_series s;

	(void)state;
	net_series_init(&s, NS_PER_SEC);
	flow(&s, 5, 9e9, true);
	flow(&s, 20, 1e9, false);
	struct net_shape sh = shape(&s);
	assert_true(isnan(sh.burst_bps));
	assert_true(about(sh.mean_bps, 1e9, 0.01e9));
	net_series_release(&s);
}

static void an_empty_series_has_no_figures(void **state)
{
	struct net_series s;

	(void)state;
	net_series_init(&s, NS_PER_SEC);
	struct net_shape sh = shape(&s);
	assert_int_equal(sh.nr_phases, 0);
	assert_true(isnan(sh.mean_bps));
	assert_true(isnan(sh.level_bps));
	flow(&s, 3, 0, false); /* and one that only stalls moves nothing */
	sh = shape(&s);
	assert_true(sh.mean_bps == 0);
	assert_true(about(sh.stalled_s, 3, 0.01));
	net_series_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_burst_ends_where_the_rate_falls),
		cmocka_unit_test(a_short_test_sees_only_one_level),
		cmocka_unit_test(a_burst_of_two_seconds_in_five_is_one),
		cmocka_unit_test(a_stall_that_recovers_is_not_the_end_of_the_burst),
		cmocka_unit_test(omitted_seconds_are_no_part_of_it),
		cmocka_unit_test(an_empty_series_has_no_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
