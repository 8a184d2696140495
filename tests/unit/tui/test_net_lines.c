/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"
#include "tui/net_lines.h"

static const char *amount(double v, bool bits)
{
	static char buf[32];

	return net_lines_amount(buf, sizeof(buf), v, bits);
}

/* As iperf3 3.12 writes them. */
static void amounts_are_written_as_iperf3_writes_them(void **state)
{
	(void)state;
	assert_string_equal(amount(0, false), "0.00 Byte");
	assert_string_equal(amount(1023.0 * 1024, false), "1023 KByte");
	assert_string_equal(amount(640.0 * 1024, false), " 640 KByte");
	assert_string_equal(amount(1.22 * 1024 * 1024 * 1024, false), "1.22 GByte");
	assert_string_equal(amount(10.4e9, true), "10.4 Gbit");
	assert_string_equal(amount(5.24e6, true), "5.24 Mbit");
	assert_string_equal(amount(118e6, true), " 118 Mbit");
	assert_string_equal(amount(999e12, true), " 999 Tbit");
}

/* A test with so many streams each way; what it moves is added by samples of 0.5 s. */
static struct netrun run_of(unsigned parallel, bool reverse, bool bidir)
{
	struct netrun r = { 0 };

	r.report.params = (struct iperf_params){ .parallel = parallel, .reverse = reverse, .bidir = bidir };
	r.report.n = iperf_params_streams(&r.report.params);
	r.report.stream = calloc(r.report.n, sizeof(*r.report.stream));
	assert_non_null(r.report.stream);
	for (unsigned i = 0; i < r.report.n; i++) {
		r.report.stream[i].id = iperf_stream_id(i);
		r.report.stream[i].sends = iperf_params_client_sends(&r.report.params, i);
	}
	net_series_init(&r.series, NS_PER_SEC);
	return r;
}

static void half_second(struct netrun *r, uint64_t t, uint64_t bytes, bool omitted)
{
	struct net_stream row[4];
	struct net_sample s = { .t_ns = t * NS_PER_SEC / 2,
				.dt_ns = NS_PER_SEC / 2,
				.omitted = omitted,
				.retransmits = NET_NONE,
				.nr_streams = r->report.n,
				.stream = row };

	for (unsigned i = 0; i < r->report.n; i++) {
		bool sends = r->report.stream[i].sends;
		row[i] = (struct net_stream){ .bytes = bytes,
					      .retransmits = sends ? 2 : NET_NONE,
					      .cwnd = sends ? 4U << 20 : 0,
					      .packets = 100,
					      .lost = sends ? 0 : 3,
					      .jitter_ns = sends ? 0 : 12000 };
		*(sends ? &s.sent : &s.received) += bytes;
		if (sends)
			s.retransmits = (s.retransmits == NET_NONE ? 0 : s.retransmits) + 2;
	}
	assert_int_equal(net_series_add(&r->series, &s), 0);
}

static void expect(struct net_lines *l, const char *want)
{
	char *text = net_lines_take(l);

	if (want)
		assert_string_equal(text ? text : "", want);
	else
		assert_null(text);
	free(text);
}

#define RULE "- - - - - - - - - - - - - - - - - - - - - - - - -\n"

static void a_second_is_told_once_the_next_has_begun_and_the_last_at_the_end(void **state)
{
	struct netrun r = run_of(1, true, false);
	struct net_lines l;

	(void)state;
	net_lines_init(&l);
	for (uint64_t t = 1; t <= 3; t++) {
		half_second(&r, t, 1U << 20, false);
		net_lines_add(&l, &r, false);
		if (t < 3)
			expect(&l, NULL);
	}
	expect(&l, "[ ID] Interval           Transfer     Bitrate\n"
		   "[  1]   0.00-1.00   sec  2.00 MBytes  16.8 Mbits/sec\n");
	net_lines_add(&l, &r, true);
	expect(&l, "[  1]   1.00-1.50   sec  1.00 MBytes  16.8 Mbits/sec\n" RULE);
	net_lines_release(&l);
	netrun_release(&r);
}

/* A run of two half seconds, whole, is told in these lines. */
static void a_second_says(struct netrun r, const char *want)
{
	struct net_lines l;

	net_lines_init(&l);
	for (uint64_t t = 1; t <= 2; t++)
		half_second(&r, t, 1U << 20, false);
	net_lines_add(&l, &r, true);
	expect(&l, want);
	net_lines_release(&l);
	netrun_release(&r);
}

static void senders_have_segments_sent_again_and_a_window_and_several_streams_a_sum(void **state)
{
	(void)state;
	a_second_says(run_of(2, false, false), "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
		   "[  1]   0.00-1.00   sec  2.00 MBytes  16.8 Mbits/sec    4   4.00 MBytes\n"
		   "[  3]   0.00-1.00   sec  2.00 MBytes  16.8 Mbits/sec    4   4.00 MBytes\n"
		   "[SUM]   0.00-1.00   sec  4.00 MBytes  33.6 Mbits/sec    8\n" RULE);
}

static void both_ways_each_line_has_its_role(void **state)
{
	(void)state;
	a_second_says(run_of(1, false, true), "[ ID][Role] Interval           Transfer     Bitrate         Retr  Cwnd\n"
		   "[  1][TX-C]   0.00-1.00   sec  2.00 MBytes  16.8 Mbits/sec    4   4.00 MBytes\n"
		   "[  3][RX-C]   0.00-1.00   sec  2.00 MBytes  16.8 Mbits/sec\n" RULE);
}

static struct netrun datagrams(struct netrun r)
{
	r.report.params.udp = true;
	return r;
}

static void a_sender_of_datagrams_has_their_number_and_a_receiver_what_it_missed(void **state)
{
	(void)state;
	a_second_says(datagrams(run_of(2, false, false)),
		      "[ ID] Interval           Transfer     Bitrate         Total Datagrams\n"
		      "[  1]   0.00-1.00   sec  2.00 MBytes  16.8 Mbits/sec  200\n"
		      "[  3]   0.00-1.00   sec  2.00 MBytes  16.8 Mbits/sec  200\n"
		      "[SUM]   0.00-1.00   sec  4.00 MBytes  33.6 Mbits/sec  400\n" RULE);
	a_second_says(datagrams(run_of(2, true, false)),
		      "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
		      "[  1]   0.00-1.00   sec  2.00 MBytes  16.8 Mbits/sec  0.012 ms  6/200 (3%)\n"
		      "[  3]   0.00-1.00   sec  2.00 MBytes  16.8 Mbits/sec  0.012 ms  6/200 (3%)\n"
		      "[SUM]   0.00-1.00   sec  4.00 MBytes  33.6 Mbits/sec  0.012 ms  12/400 (3%)\n" RULE);
}

static void behind_omitted_seconds_time_starts_anew(void **state)
{
	struct netrun r = run_of(1, true, false);
	struct net_lines l;

	(void)state;
	net_lines_init(&l);
	for (uint64_t t = 1; t <= 4; t++)
		half_second(&r, t, 1U << 20, t <= 2);
	net_lines_add(&l, &r, true);
	expect(&l, "[ ID] Interval           Transfer     Bitrate\n"
		   "[  1]   0.00-1.00   sec  2.00 MBytes  16.8 Mbits/sec  (omitted)\n"
		   "[  1]   0.00-1.00   sec  2.00 MBytes  16.8 Mbits/sec\n" RULE);
	net_lines_release(&l);
	netrun_release(&r);
}

static void a_test_that_never_moved_data_has_no_lines(void **state)
{
	struct netrun r = run_of(1, false, false);
	struct net_lines l;

	(void)state;
	net_lines_init(&l);
	net_lines_add(&l, &r, true);
	expect(&l, NULL);
	net_lines_release(&l);
	netrun_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amounts_are_written_as_iperf3_writes_them),
		cmocka_unit_test(a_second_is_told_once_the_next_has_begun_and_the_last_at_the_end),
		cmocka_unit_test(senders_have_segments_sent_again_and_a_window_and_several_streams_a_sum),
		cmocka_unit_test(both_ways_each_line_has_its_role),
		cmocka_unit_test(a_sender_of_datagrams_has_their_number_and_a_receiver_what_it_missed),
		cmocka_unit_test(behind_omitted_seconds_time_starts_anew),
		cmocka_unit_test(a_test_that_never_moved_data_has_no_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
