/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/netio.h"
#include "engine/netstat.h"

static const char net_dev[] = "Inter-|   Receive                                                |  Transmit\n"
			      " face |bytes    packets errs drop fifo frame compressed multicast|bytes    "
			      "packets errs drop fifo colls carrier compressed\n"
			      "    lo:     100       2    0    0    0     0          0         0      100    "
			      "   2    0    0    0     0       0          0\n"
			      "  ens5: 18446744073709551615 7 1 3 0 0 0 0 5000000000 9 0 4 0 0 0 0\n"
			      "ens50:1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
			      "  cut: 1 2 3\n";

static void a_card_is_found_by_its_whole_name(void **state)
{
	struct netdev d;

	(void)state;
	assert_true(netdev_parse(net_dev, "ens5", &d));
	assert_true(d.rx_bytes == UINT64_MAX);
	assert_int_equal(d.rx_dropped, 3);
	assert_true(d.tx_bytes == 5000000000);
	assert_int_equal(d.tx_packets, 9);
	assert_true(netdev_parse(net_dev, "ens50", &d));
	assert_int_equal(d.tx_bytes, 9);
	assert_false(netdev_parse(net_dev, "ens", &d));
	assert_false(netdev_parse(net_dev, "eth0", &d));
}

static void a_line_that_is_cut_is_no_card(void **state)
{
	struct netdev d;

	(void)state;
	assert_false(netdev_parse(net_dev, "cut", &d));
	assert_false(netdev_parse("", "lo", &d));
	assert_false(netdev_parse("lo:", "lo", &d));
}

static void a_counter_that_went_back_counts_from_zero(void **state)
{
	struct netdev from = { .rx_bytes = 100, .tx_bytes = 50 }, to = { .rx_bytes = 130, .tx_bytes = 7 };
	struct netdev d = netdev_delta(&from, &to);

	(void)state;
	assert_int_equal(d.rx_bytes, 30);
	assert_int_equal(d.tx_bytes, 7);
}

static void a_connection_has_a_state_and_a_card(void **state)
{
	struct net_sockopts none = { .bind = "127.0.0.1" };
	struct net_addr at;
	struct tcp_state ts;
	struct err err;
	char name[NETDEV_NAME], cc[16];

	(void)state;
	int listener = net_listen(0, &none, &err);
	assert_true(listener >= 0);
	net_addr_local(listener, &at);
	int fd = net_connect(&at, &none, clock_ns() + 5 * NS_PER_SEC, NULL, &err);
	assert_true(fd >= 0);
	assert_true(tcp_state_read(fd, &ts));
	assert_true(ts.mss > 0);
	assert_int_equal(ts.retransmits, 0);
	tcp_congestion(fd, cc, sizeof(cc));
	assert_true(strlen(cc) > 0);
	net_addr_local(fd, &at);
	netdev_of(&at, name);
	assert_string_equal(name, "lo");
	close(fd);
	close(listener);
	assert_false(tcp_state_read(-1, &ts));
}

static void addresses_are_written_as_people_type_them(void **state)
{
	struct net_addr at[NET_ADDR_MAX];
	struct err err;
	char text[NET_ADDR_TEXT];

	(void)state;
	assert_true(net_resolve("10.1.2.3", 5201, AF_UNSPEC, 0, NULL, at, &err) > 0);
	assert_string_equal(net_addr_text(&at[0], text), "10.1.2.3:5201");
	assert_true(net_resolve("[::1]", 80, AF_UNSPEC, 0, NULL, at, &err) > 0);
	assert_string_equal(net_addr_text(&at[0], text), "[::1]:80");
	assert_true(net_resolve("::ffff:10.0.0.9", 1, AF_UNSPEC, 0, NULL, at, &err) > 0);
	assert_string_equal(net_addr_text(&at[0], text), "10.0.0.9:1");
	assert_int_equal(net_addr_port(&at[0]), 1);
	assert_int_equal(net_resolve("", 1, AF_UNSPEC, 0, NULL, at, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_is_found_by_its_whole_name),
		cmocka_unit_test(a_line_that_is_cut_is_no_card),
		cmocka_unit_test(a_counter_that_went_back_counts_from_zero),
		cmocka_unit_test(a_connection_has_a_state_and_a_card),
		cmocka_unit_test(addresses_are_written_as_people_type_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
