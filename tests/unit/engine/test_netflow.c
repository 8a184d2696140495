/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/socket.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/netflow.h"
#include "engine/netio.h"

static void a_peer_elsewhere_leaves_us_every_core(void **state)
{
	(void)state;
	assert_int_equal(netflow_threads(10, 2, false), 2);
	assert_int_equal(netflow_threads(128, 16, false), 16);
}

static void a_peer_on_this_machine_needs_half_of_its_cores(void **state)
{
	(void)state;
	assert_int_equal(netflow_threads(10, 2, true), 1);
	assert_int_equal(netflow_threads(128, 16, true), 8);
	assert_int_equal(netflow_threads(128, 3, true), 2);
}

static void there_is_always_a_thread_and_never_more_than_streams(void **state)
{
	(void)state;
	assert_int_equal(netflow_threads(10, 1, true), 1);
	assert_int_equal(netflow_threads(3, 16, true), 3);
	assert_int_equal(netflow_threads(1, 16, false), 1);
}

static void over_loopback_the_peer_is_here(void **state)
{
	static const char *const address[] = { "127.0.0.1", "127.0.0.2" };
	struct net_addr at, to[NET_ADDR_MAX];
	struct err err;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct net_sockopts so = { .bind = address[i] }, plain = { 0 };
		uint64_t until = clock_ns() + 5 * NS_PER_SEC;
		int listener = net_listen(0, &so, &err);
		assert_true(listener >= 0);
		net_addr_local(listener, &at);
		assert_int_equal(net_resolve(address[i], net_addr_port(&at), AF_INET, until, NULL, to, &err),
				 1);
		int fd = net_connect(to, &plain, until, NULL, &err);
		assert_true(fd >= 0);
		assert_true(net_peer_is_here(fd));
		assert_false(net_peer_is_here(listener)); /* nobody at its other end */
		close(fd);
		close(listener);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_peer_elsewhere_leaves_us_every_core),
		cmocka_unit_test(a_peer_on_this_machine_needs_half_of_its_cores),
		cmocka_unit_test(there_is_always_a_thread_and_never_more_than_streams),
		cmocka_unit_test(over_loopback_the_peer_is_here),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
