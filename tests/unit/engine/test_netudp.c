/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/netio.h"
#include "engine/netudp.h"

static uint64_t lost_of(struct netflow *f)
{
	return atomic_load(&f->lost);
}

static void a_gap_in_the_numbers_is_loss_until_the_missed_one_comes(void **state)
{
	struct netflow f = { 0 };

	(void)state;
	netudp_arrived(&f, 1, 0);
	netudp_arrived(&f, 2, 0);
	assert_int_equal(lost_of(&f), 0);
	netudp_arrived(&f, 5, 0);
	assert_int_equal(lost_of(&f), 2);
	netudp_arrived(&f, 4, 0);
	assert_int_equal(lost_of(&f), 1);
	assert_int_equal(atomic_load(&f.late), 1);
	assert_int_equal(atomic_load(&f.packets), 5);
}

static void the_first_numbers_that_do_not_come_are_lost_too(void **state)
{
	struct netflow f = { 0 };

	(void)state;
	netudp_arrived(&f, 4, 0);
	assert_int_equal(lost_of(&f), 3);
}

static void jitter_moves_by_a_sixteenth_of_each_difference(void **state)
{
	struct netflow f = { 0 };

	(void)state;
	netudp_arrived(&f, 1, -5000000); /* the clocks need not agree */
	assert_int_equal(atomic_load(&f.jitter_ns), 0);
	netudp_arrived(&f, 2, -5000000 + 16000);
	assert_int_equal(atomic_load(&f.jitter_ns), 1000);
	netudp_arrived(&f, 3, -5000000);
	assert_int_equal(atomic_load(&f.jitter_ns), 1938); /* 1000 + (16000 - 1000) / 16 */
}

/* Two sockets that talk to each other over loopback. */
static void pair(int fd[2])
{
	struct net_sockopts so = { 0 };
	struct net_addr at, to[NET_ADDR_MAX];
	struct err err;

	assert_int_equal(net_resolve("127.0.0.1", 0, AF_INET, clock_ns() + NS_PER_SEC, NULL, to, &err), 1);
	fd[0] = net_udp_bind(&to[0], &so, &err);
	assert_true(fd[0] >= 0);
	net_addr_local(fd[0], &at);
	fd[1] = net_udp_connect(&at, &so, &err);
	assert_true(fd[1] >= 0);
}

static void receive(struct netudp *u, struct netflow *f, unsigned want)
{
	struct err err;
	unsigned got = 0, n;

	while (got < want) {
		assert_true(net_wait(f->fd, POLLIN, clock_ns() + 5 * NS_PER_SEC, NULL, &err) > 0);
		assert_true(netudp_receive(u, f, true, &n) >= 0);
		got += n;
	}
	assert_int_equal(got, want);
}

static void what_is_sent_in_batches_is_received_and_counted(void **state)
{
	char buf[1000];
	int fd[2];

	(void)state;
	memset(buf, 7, sizeof(buf));
	for (int wide = 0; wide < 2; wide++) {
		struct netudp *u = netudp_new(buf, sizeof(buf), wide);
		pair(fd);
		struct netflow in = { .fd = fd[0] }, out = { .fd = fd[1], .sends = true };
		netudp_receives(in.fd);
		assert_int_equal(netudp_send(u, &out, 1), 1000);
		assert_int_equal(netudp_send(u, &out, 20), 20000);
		receive(u, &in, 21);
		assert_int_equal(atomic_load(&in.packets), 21);
		assert_int_equal(lost_of(&in), 0);
		assert_int_equal(atomic_load(&in.late), 0);
		assert_true(atomic_load(&in.jitter_ns) < NS_PER_SEC);
		netudp_free(u);
		close(fd[0]);
		close(fd[1]);
	}
}

static void numbers_of_32_bits_go_on_behind_the_last_of_them(void **state)
{
	char buf[64];
	int fd[2];
	struct netudp *u = netudp_new(buf, sizeof(buf), false);

	(void)state;
	pair(fd);
	struct netflow in = { .fd = fd[0] }, out = { .fd = fd[1], .sends = true };
	atomic_store(&out.packets, UINT64_C(0xfffffffe));
	atomic_store(&in.packets, UINT64_C(0xfffffffe));
	assert_int_equal(netudp_send(u, &out, 4), 4 * 64);
	receive(u, &in, 4);
	assert_int_equal(atomic_load(&in.packets), UINT64_C(0x100000002));
	assert_int_equal(lost_of(&in), 0);
	netudp_free(u);
	close(fd[0]);
	close(fd[1]);
}

static void a_scrap_is_no_datagram_of_the_test(void **state)
{
	char buf[64];
	int fd[2];
	struct netudp *u = netudp_new(buf, sizeof(buf), true);

	(void)state;
	pair(fd);
	struct netflow in = { .fd = fd[0] };
	assert_int_equal(send(fd[1], "9876", 4, 0), 4);
	receive(u, &in, 1);
	assert_int_equal(atomic_load(&in.packets), 0);
	assert_int_equal(lost_of(&in), 0);
	netudp_free(u);
	close(fd[0]);
	close(fd[1]);
}

static void what_finds_no_room_in_the_socket_is_told_apart(void **state)
{
	char buf[8000];
	int fd[2], small = 1;
	struct netudp *u = netudp_new(buf, sizeof(buf), true);

	(void)state;
	memset(buf, 0, sizeof(buf));
	pair(fd);
	struct netflow out = { .fd = fd[1], .sends = true };
	assert_int_equal(setsockopt(fd[0], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	if (netudp_dropped(fd[0]) == UINT64_MAX)
		skip();
	assert_int_equal(netudp_dropped(fd[0]), 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(netudp_send(u, &out, 1), 8000);
	assert_in_range(netudp_dropped(fd[0]), 5, 10);
	netudp_free(u);
	close(fd[0]);
	close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gap_in_the_numbers_is_loss_until_the_missed_one_comes),
		cmocka_unit_test(the_first_numbers_that_do_not_come_are_lost_too),
		cmocka_unit_test(jitter_moves_by_a_sixteenth_of_each_difference),
		cmocka_unit_test(what_is_sent_in_batches_is_received_and_counted),
		cmocka_unit_test(numbers_of_32_bits_go_on_behind_the_last_of_them),
		cmocka_unit_test(a_scrap_is_no_datagram_of_the_test),
		cmocka_unit_test(what_finds_no_room_in_the_socket_is_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
