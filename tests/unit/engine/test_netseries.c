/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "engine/clock.h"
#include "engine/netseries.h"

#define TENTH (NS_PER_SEC / 10)

/* Sample number i, from 1, of two streams that move 10 and 1 bytes in it; one retransmit a sample on the
 * first. */
static int add(struct net_series *s, uint64_t i, bool omitted)
{
	const struct net_stream st[2] = { { .bytes = 10, .retransmits = 1, .rtt_us = (uint32_t)i },
					  { .bytes = 1, .retransmits = NET_NONE } };
	const struct net_sample x = { .t_ns = i * TENTH,
				      .dt_ns = TENTH,
				      .omitted = omitted,
				      .sent = 10,
				      .received = 1,
				      .retransmits = 1,
				      .nr_streams = 2,
				      .stream = st };

	return net_series_add(s, &x);
}

static void ten_samples_are_an_interval_of_a_second(void **state)
{
	struct net_series s;

	(void)state;
	net_series_init(&s, NS_PER_SEC);
	for (uint64_t i = 1; i <= 25; i++)
		assert_int_equal(add(&s, i, false), 0);
	assert_int_equal(s.n, 25);
	assert_int_equal(s.nr_intervals, 3);
	assert_true(s.interval[0].dt_ns == NS_PER_SEC);
	assert_true(s.interval[1].t_ns == 2 * NS_PER_SEC);
	assert_int_equal(s.interval[0].sent, 100);
	assert_int_equal(s.stream[2].bytes, 100);
	assert_int_equal(s.stream[2].retransmits, 10);
	assert_int_equal(s.stream[2].rtt_us, 20); /* the state at the end */
	assert_int_equal(s.stream[3].bytes, 10);
	assert_true(s.stream[3].retransmits == NET_NONE);
	assert_int_equal(s.stream[4].bytes, 50);
	net_series_release(&s);
}

static void an_omitted_sample_is_never_in_one_interval_with_one_that_counts(void **state)
{
	struct net_series s;

	(void)state;
	net_series_init(&s, NS_PER_SEC);
	for (uint64_t i = 1; i <= 15; i++)
		add(&s, i, i <= 5);
	assert_int_equal(s.nr_intervals, 2);
	assert_true(s.interval[0].omitted);
	assert_int_equal(s.interval[0].sent, 50);
	assert_false(s.interval[1].omitted);
	assert_int_equal(s.interval[1].sent, 100);
	net_series_release(&s);
}

static void a_long_test_keeps_its_sums_in_bounded_memory(void **state)
{
	struct net_series s;
	uint64_t n = 3 * (uint64_t)NET_SERIES_ROWS_MAX, sent = 0, t = 0, by_stream = 0;

	(void)state;
	net_series_init(&s, TENTH); /* an interval a sample, so that they coarsen too */
	for (uint64_t i = 1; i <= n; i++)
		add(&s, i, false);
	assert_true(s.n <= NET_SERIES_ROWS_MAX);
	for (size_t i = 0; i < s.n; i++) {
		assert_true(s.row[i].t_ns > t);
		assert_true(s.row[i].t_ns - s.row[i].dt_ns == t);
		t = s.row[i].t_ns;
		sent += s.row[i].sent;
	}
	assert_true(sent == n * 10);
	assert_true(s.row[s.n - 1].dt_ns == TENTH);
	assert_true(s.nr_intervals * 2 <= NET_SERIES_STREAMS_MAX);
	for (size_t i = 0; i < s.nr_intervals; i++)
		by_stream += s.stream[2 * i].bytes;
	assert_true(by_stream == n * 10);
	net_series_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_samples_are_an_interval_of_a_second),
		cmocka_unit_test(an_omitted_sample_is_never_in_one_interval_with_one_that_counts),
		cmocka_unit_test(a_long_test_keeps_its_sums_in_bounded_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
