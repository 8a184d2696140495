/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/iperf_client.h"
#include "engine/iperf_server.h"

/* A server on a thread of its own. */
struct served_one {
	bool ok;
	char why[256];
	uint64_t sent, received, first_stream, last_stream;
	unsigned streams;
};

struct server {
	struct iperf_server_opts opts;
	atomic_bool stop;
	int ready;
	uint16_t port;
	pthread_t thread;
	int rc;
	pthread_mutex_t lock;
	char notes[4096];
	unsigned nr;
	struct served_one test[8];
};

static void listening(void *ctx, const char *address, uint16_t port)
{
	struct server *sv = ctx;

	(void)address;
	sv->port = port;
	eventfd_write(sv->ready, 1);
}

static void noted(void *ctx, const char *text)
{
	struct server *sv = ctx;

	pthread_mutex_lock(&sv->lock);
	size_t n = strlen(sv->notes);
	snprintf(sv->notes + n, sizeof(sv->notes) - n, "%s\n", text);
	pthread_mutex_unlock(&sv->lock);
}

static void served(void *ctx, const struct iperf_served *t)
{
	struct server *sv = ctx;

	pthread_mutex_lock(&sv->lock);
	struct served_one *o = &sv->test[sv->nr++ % 8];
	*o = (struct served_one){
		.ok = t->ok, .sent = t->sent, .received = t->received, .streams = t->ours->n
	};
	snprintf(o->why, sizeof(o->why), "%s", t->why);
	if (t->ours->n) {
		o->first_stream = t->ours->stream[0].bytes;
		o->last_stream = t->ours->stream[t->ours->n - 1].bytes;
	}
	pthread_mutex_unlock(&sv->lock);
}

static void *server_main(void *arg)
{
	struct server *sv = arg;
	const struct iperf_server_hooks hooks = { sv, listening, noted, NULL, served };
	struct err err;

	sv->rc = iperf_server_run(&sv->opts, &hooks, &sv->stop, &err);
	return NULL;
}

static void server_start(struct server *sv)
{
	eventfd_t v;

	sv->opts.bind = "127.0.0.1";
	sv->opts.version = "a test";
	if (!sv->opts.handshake_ns)
		sv->opts.handshake_ns = 2 * NS_PER_SEC;
	pthread_mutex_init(&sv->lock, NULL);
	sv->ready = eventfd(0, 0);
	assert_int_equal(pthread_create(&sv->thread, NULL, server_main, sv), 0);
	eventfd_read(sv->ready, &v);
	close(sv->ready);
}

static void server_end(struct server *sv)
{
	sv->stop = true;
	pthread_join(sv->thread, NULL);
	pthread_mutex_destroy(&sv->lock);
	assert_int_equal(sv->rc, 0);
}

static bool noted_text(struct server *sv, const char *text)
{
	pthread_mutex_lock(&sv->lock);
	bool found = strstr(sv->notes, text) != NULL;
	pthread_mutex_unlock(&sv->lock);
	return found;
}

/* Wait until so many tests have ended on the server's side too. @return the last one */
static struct served_one ended(struct server *sv, unsigned nr)
{
	struct served_one o = { 0 };

	for (uint64_t until = clock_ns() + 5 * NS_PER_SEC; clock_ns() < until; usleep(1000)) {
		pthread_mutex_lock(&sv->lock);
		bool there = sv->nr >= nr;
		o = sv->test[nr - 1];
		pthread_mutex_unlock(&sv->lock);
		if (there)
			break;
	}
	return o;
}

/* --- clients --- */

static uint64_t soon(void)
{
	return clock_ns() + 5 * NS_PER_SEC;
}

static int dial(const struct server *sv)
{
	struct net_sockopts none = { 0 };
	struct net_addr at[NET_ADDR_MAX];
	struct err err;

	assert_true(net_resolve("127.0.0.1", sv->port, AF_INET, soon(), NULL, at, &err) > 0);
	int fd = net_connect(&at[0], &none, soon(), NULL, &err);
	assert_true(fd >= 0);
	return fd;
}

static void put(int fd, const void *bytes, size_t n)
{
	struct err err;

	assert_int_equal(net_write(fd, bytes, n, soon(), NULL, &err), 0);
}

static int state_of(int fd)
{
	struct err err;
	int state = 0;

	return iperf_state_read(fd, &state, soon(), NULL, &err) < 0 ? 0 : state;
}

static const char stock_cookie[] = "yibm4ypzp5vxe3bnthb3se75zxfkfvsfdpqs";

/* A control connection whose parameters are due. */
static int control(const struct server *sv)
{
	int fd = dial(sv);

	put(fd, stock_cookie, IPERF_COOKIE);
	assert_int_equal(state_of(fd), IPERF_PARAM_EXCHANGE);
	return fd;
}

static void put_frame(int fd, const char *text)
{
	uint32_t n = (uint32_t)strlen(text);
	unsigned char head[4] = { (unsigned char)(n >> 24), (unsigned char)(n >> 16), (unsigned char)(n >> 8),
				  (unsigned char)n };

	put(fd, head, 4);
	put(fd, text, n);
}

/* A whole, small test. @return the client's return value */
static int small_test(const struct server *sv, bool reverse, struct iperf_report *rep, struct err *err)
{
	struct iperf_client_opts o = { .host = "127.0.0.1",
				       .port = sv->port,
				       .connect_timeout_ns = 5 * NS_PER_SEC };

	iperf_params_init(&o.params);
	o.params.reverse = reverse;
	o.params.parallel = 3;
	o.params.time_s = 0;
	o.params.num = 3000000;
	return iperf_client_run(&o, NULL, NULL, rep, err);
}

static void serves(const struct server *sv)
{
	struct iperf_report rep;
	struct err err;

	if (small_test(sv, false, &rep, &err) < 0)
		fail_msg("%s", err.msg);
	assert_true(rep.complete);
	iperf_report_release(&rep);
}

/* --- tests --- */

static void both_sides_agree_to_the_byte_in_each_direction(void **state)
{
	struct server sv = { 0 };
	struct iperf_report rep;
	struct err err;

	(void)state;
	server_start(&sv);
	for (int reverse = 0; reverse < 2; reverse++) {
		assert_int_equal(small_test(&sv, reverse, &rep, &err), 0);
		if (reverse) {
			assert_true(rep.received >= 3000000);
			assert_true(rep.received <= rep.peer_sent);
		} else {
			assert_true(rep.sent >= 3000000);
			assert_true(rep.peer_received <= rep.sent);
		}
		assert_string_equal(rep.peer_version, "a test");
		assert_int_equal(rep.stream[2].id, 4);
		struct served_one o = ended(&sv, (unsigned)reverse + 1);
		assert_true(o.ok);
		assert_true((reverse ? o.sent : o.received) == (reverse ? rep.peer_sent : rep.peer_received));
		iperf_report_release(&rep);
	}
	server_end(&sv);
}

static void strays_occupy_nothing(void **state)
{
	struct server sv = { 0 };
	char *zeros = calloc(1, 65536);
	int kept[20];

	(void)state;
	server_start(&sv);
	for (int i = 0; i < 100; i++)
		close(dial(&sv));
	for (int i = 0; i < 20; i++) {
		kept[i] = dial(&sv); /* the last ten never say a word */
		if (i < 9)
			put(kept[i], "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nxxxx", 38);
		if (i == 9)
			send(kept[i], zeros, 65536, MSG_NOSIGNAL);
	}
	serves(&sv);
	for (int i = 0; i < 20; i++)
		close(kept[i]);
	free(zeros);
	server_end(&sv);
	assert_int_equal(sv.nr, 1);
}

static void a_bad_frame_is_answered_with_an_error_and_the_next_client_is_served(void **state)
{
	static const char *const bad[] = { "{{{{", "{\"udp\":true}", "{\"tcp\":true,\"parallel\":1000}",
					   "[1]" };
	struct server sv = { 0 };
	int fd;

	(void)state;
	server_start(&sv);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fd = control(&sv);
		put_frame(fd, bad[i]);
		assert_int_equal(state_of(fd), IPERF_SERVER_ERROR);
		close(fd);
	}
	fd = control(&sv);
	put(fd, "\x7f\xff\xff\xff", 4); /* two GiB are announced */
	assert_int_equal(state_of(fd), IPERF_SERVER_ERROR);
	close(fd);
	fd = control(&sv);
	put(fd, "\0\0\0\0", 4);
	assert_int_equal(state_of(fd), IPERF_SERVER_ERROR);
	close(fd);
	serves(&sv);
	server_end(&sv);
}

static void a_client_that_gives_up_frees_the_server(void **state)
{
	struct server sv = { 0 };

	(void)state;
	server_start(&sv);
	int fd = control(&sv);
	put(fd, "\x0c", 1); /* CLIENT_TERMINATE where a frame is due */
	close(fd);
	fd = control(&sv);
	put_frame(fd, "{\"tcp\":true,\"time\":1,\"parallel\":2}");
	assert_int_equal(state_of(fd), IPERF_CREATE_STREAMS);
	put(fd, "\x0c", 1);
	close(fd);
	serves(&sv);
	server_end(&sv);
	assert_string_equal(sv.test[0].why, "the client gave up");
}

static void of_a_test_of_so_many_bytes_what_comes_behind_its_end_counts(void **state)
{
	static const char results[] = "{\"cpu_util_total\":0,\"cpu_util_user\":0,\"cpu_util_system\":0,"
				      "\"sender_has_retransmits\":-1,\"streams\":[{\"id\":1,\"bytes\":100000,"
				      "\"retransmits\":-1,\"jitter\":0,\"errors\":0,\"packets\":0}]}";
	static const char data[100000];
	struct server sv = { 0 };

	(void)state;
	server_start(&sv);
	int fd = control(&sv);
	put_frame(fd, "{\"tcp\":true,\"time\":0,\"num\":100000,\"parallel\":1,\"len\":10000}");
	assert_int_equal(state_of(fd), IPERF_CREATE_STREAMS);
	int stream = dial(&sv);
	put(stream, stock_cookie, IPERF_COOKIE);
	assert_int_equal(state_of(fd), IPERF_TEST_START);
	assert_int_equal(state_of(fd), IPERF_TEST_RUNNING);
	put(stream, data, 60000);
	put(fd, "\x04", 1);
	usleep(20000);
	put(stream, data, 40000);
	assert_int_equal(state_of(fd), IPERF_EXCHANGE_RESULTS);
	put_frame(fd, results);
	close(fd);
	assert_int_equal(ended(&sv, 1).received, 100000);
	close(stream);
	server_end(&sv);
}

static void a_client_that_says_nothing_more_is_dropped_in_time(void **state)
{
	struct server sv = { .opts.handshake_ns = NS_PER_SEC / 10 };

	(void)state;
	server_start(&sv);
	int fd = control(&sv);
	assert_int_equal(state_of(fd), 0); /* closed by the server */
	close(fd);
	server_end(&sv);
	assert_string_equal(sv.test[0].why, "the client's parameters did not come");
	sv = (struct server){ .opts.handshake_ns = NS_PER_SEC }; /* in which this thread says a word */
	server_start(&sv);
	fd = control(&sv);
	put_frame(fd, "{\"tcp\":true,\"time\":1,\"parallel\":2}");
	assert_int_equal(state_of(fd), IPERF_CREATE_STREAMS);
	assert_int_equal(state_of(fd), IPERF_SERVER_ERROR); /* the streams did not come */
	close(fd);
	server_end(&sv);
	assert_string_equal(sv.test[0].why, "the client's data connections did not come");
}

static void a_second_client_is_refused_and_told_by_whom(void **state)
{
	struct server sv = { 0 };
	struct iperf_report rep;
	struct err err = { 0 };

	(void)state;
	server_start(&sv);
	int fd = control(&sv);
	put_frame(fd, "{\"tcp\":true,\"time\":77,\"parallel\":1}");
	assert_int_equal(state_of(fd), IPERF_CREATE_STREAMS);
	int stock = dial(&sv);
	put(stock, "abcdefghabcdefghabcdefghabcdefghabcd", IPERF_COOKIE);
	assert_int_equal(state_of(stock), IPERF_ACCESS_DENIED);
	assert_int_equal(state_of(stock), 0); /* and nothing else that iperf3 would not know */
	close(stock);
	assert_int_equal(small_test(&sv, false, &rep, &err), -1);
	assert_int_equal(err.code, EBUSY);
	assert_non_null(strstr(err.msg, "127.0.0.1:"));
	assert_non_null(strstr(err.msg, "is testing, 77 s left"));
	assert_true(noted_text(&sv, "is refused: 127.0.0.1:"));
	iperf_report_release(&rep);
	close(fd);
	server_end(&sv);
}

static void *client_main(void *arg)
{
	serves(arg);
	return NULL;
}

static void a_queued_client_waits_for_its_turn(void **state)
{
	struct server sv = { .opts.queue = 1 };
	pthread_t thread;

	(void)state;
	server_start(&sv);
	int fd = control(&sv);
	assert_int_equal(pthread_create(&thread, NULL, client_main, &sv), 0);
	for (uint64_t until = soon(); !noted_text(&sv, "waits as number 1") && clock_ns() < until;)
		usleep(1000);
	int third = dial(&sv);
	put(third, "abcdefghabcdefghabcdefghabcdefghabcd", IPERF_COOKIE);
	assert_int_equal(state_of(third), IPERF_ACCESS_DENIED); /* the queue is full */
	close(third);
	close(fd);
	pthread_join(thread, NULL);
	server_end(&sv);
	assert_int_equal(sv.nr, 2);
	assert_true(sv.test[1].ok);
}

static void streams_are_numbered_as_they_connect_even_if_a_cookie_is_late(void **state)
{
	struct server sv = { 0 };

	(void)state;
	server_start(&sv);
	int fd = control(&sv);
	put_frame(fd, "{\"tcp\":true,\"time\":5,\"parallel\":2}");
	assert_int_equal(state_of(fd), IPERF_CREATE_STREAMS);
	int first = dial(&sv);
	put(first, stock_cookie, 10);
	usleep(20000);
	int second = dial(&sv);
	put(second, stock_cookie, IPERF_COOKIE);
	usleep(20000);
	put(first, stock_cookie + 10, IPERF_COOKIE - 10);
	assert_int_equal(state_of(fd), IPERF_TEST_START);
	assert_int_equal(state_of(fd), IPERF_TEST_RUNNING);
	put(first, "12345", 5);
	put(second, "1234567", 7);
	usleep(50000);
	put(fd, "\x04", 1);
	assert_int_equal(state_of(fd), IPERF_EXCHANGE_RESULTS);
	close(first);
	close(second);
	close(fd);
	server_end(&sv);
	assert_int_equal(sv.test[0].first_stream, 5);
	assert_int_equal(sv.test[0].last_stream, 7);
	assert_false(sv.test[0].ok);
}

static void a_test_outlives_neither_its_time_nor_the_silence(void **state)
{
	struct server sv = { .opts.grace_ns = NS_PER_SEC / 10 };

	(void)state;
	server_start(&sv);
	int fd = control(&sv);
	put_frame(fd, "{\"tcp\":true,\"time\":1,\"parallel\":1}");
	assert_int_equal(state_of(fd), IPERF_CREATE_STREAMS);
	int data = dial(&sv);
	put(data, stock_cookie, IPERF_COOKIE);
	assert_int_equal(state_of(fd), IPERF_TEST_START);
	assert_int_equal(state_of(fd), IPERF_TEST_RUNNING);
	assert_int_equal(state_of(fd), IPERF_SERVER_ERROR);
	close(data);
	close(fd);
	server_end(&sv);
	assert_string_equal(sv.test[0].why, "the client did not end the test in its time");
}

static void stopping_the_server_tells_the_client(void **state)
{
	struct server sv = { 0 };

	(void)state;
	server_start(&sv);
	int fd = control(&sv);
	server_end(&sv);
	assert_int_equal(state_of(fd), IPERF_SERVER_TERMINATE);
	close(fd);
}

static void a_one_off_server_ends_after_a_test(void **state)
{
	struct server sv = { .opts.one_off = true };

	(void)state;
	server_start(&sv);
	close(control(&sv)); /* no test yet */
	serves(&sv);
	pthread_join(sv.thread, NULL);
	assert_int_equal(sv.rc, 0);
	pthread_mutex_destroy(&sv.lock);
}

static void a_port_that_is_taken_is_said_with_its_address(void **state)
{
	struct server sv = { 0 };
	struct iperf_server_opts o = { .bind = "127.0.0.1" };
	struct err err;
	char want[64];

	(void)state;
	server_start(&sv);
	o.port = sv.port;
	assert_int_equal(iperf_server_run(&o, NULL, NULL, &err), -1);
	snprintf(want, sizeof(want), "listen on 127.0.0.1:%u: Address already in use", sv.port);
	assert_string_equal(err.msg, want);
	server_end(&sv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sides_agree_to_the_byte_in_each_direction),
		cmocka_unit_test(strays_occupy_nothing),
		cmocka_unit_test(a_bad_frame_is_answered_with_an_error_and_the_next_client_is_served),
		cmocka_unit_test(of_a_test_of_so_many_bytes_what_comes_behind_its_end_counts),
		cmocka_unit_test(a_client_that_gives_up_frees_the_server),
		cmocka_unit_test(a_client_that_says_nothing_more_is_dropped_in_time),
		cmocka_unit_test(a_second_client_is_refused_and_told_by_whom),
		cmocka_unit_test(a_queued_client_waits_for_its_turn),
		cmocka_unit_test(streams_are_numbered_as_they_connect_even_if_a_cookie_is_late),
		cmocka_unit_test(a_test_outlives_neither_its_time_nor_the_silence),
		cmocka_unit_test(stopping_the_server_tells_the_client),
		cmocka_unit_test(a_one_off_server_ends_after_a_test),
		cmocka_unit_test(a_port_that_is_taken_is_said_with_its_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
