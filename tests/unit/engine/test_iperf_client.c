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
#include <unistd.h>

#include "engine/clock.h"
#include "engine/iperf_client.h"
#include "engine/iperf_proto.h"

/*
 * A server that plays a script: what it sends at each step, as bytes. It takes one control connection, then
 * as many data connections as the script asks for.
 */
struct script {
	const char *first; /* after the cookie; NULL: not a word */
	size_t first_n;
	bool hang_up;     /* close without reading the cookie */
	bool run;         /* go on to TEST_RUNNING with one stream … */
	const char *then; /* … and say this in the middle of it */
	size_t then_n;
	bool swallow;  /* read the data while it runs */
	bool drop;     /* then close the stream, and at the end of the test the rest */
	int seen_last; /* out: the last state byte the client sent */
};

struct fake {
	struct script *s;
	int listener;
	uint16_t port;
	pthread_t thread;
};

static uint64_t soon(void)
{
	return clock_ns() + 5 * NS_PER_SEC;
}

static int take(int listener)
{
	struct err err;

	return net_wait(listener, POLLIN, soon(), NULL, &err) > 0 ? accept(listener, NULL, NULL) : -1;
}

/* Read the client's parameter frame, take its stream, start. */
static int negotiate(struct fake *f, int fd)
{
	struct err err;
	size_t n;
	char cookie[IPERF_COOKIE];

	iperf_state_write(fd, IPERF_PARAM_EXCHANGE, soon(), NULL, &err);
	free(iperf_frame_read(fd, IPERF_PARAMS_MAX, &n, soon(), NULL, &err));
	iperf_state_write(fd, IPERF_CREATE_STREAMS, soon(), NULL, &err);
	int data = take(f->listener);
	net_read(data, cookie, IPERF_COOKIE, soon(), NULL, &err);
	net_write(fd, "\1\2", 2, soon(), NULL, &err);
	return data;
}

static void *fake_main(void *arg)
{
	struct fake *f = arg;
	struct err err;
	char buf[4096], cookie[IPERF_COOKIE];
	int fd = take(f->listener), data = -1, state;

	if (fd < 0)
		return NULL;
	if (f->s->hang_up)
		goto out;
	net_read(fd, cookie, IPERF_COOKIE, soon(), NULL, &err);
	if (f->s->first)
		net_write(fd, f->s->first, f->s->first_n, soon(), NULL, &err);
	if (f->s->run) {
		data = negotiate(f, fd);
		usleep(50000);
		if (f->s->swallow && recv(data, buf, sizeof(buf), 0) < 0)
			goto out;
		if (f->s->drop) {
			close(data);
			data = -1;
		}
		if (f->s->then)
			net_write(fd, f->s->then, f->s->then_n, soon(), NULL, &err);
	}
	while ((!f->s->then || f->s->then_n) && !(f->s->drop && f->s->seen_last == IPERF_TEST_END) &&
	       iperf_state_read(fd, &state, soon(), NULL, &err) == 0)
		f->s->seen_last = state;
out:
	if (data >= 0)
		close(data);
	close(fd);
	return NULL;
}

static void fake_start(struct fake *f, struct script *s)
{
	struct net_sockopts so = { .bind = "127.0.0.1" };
	struct net_addr at;
	struct err err;

	f->s = s;
	f->listener = net_listen(0, &so, &err);
	assert_true(f->listener >= 0);
	net_addr_local(f->listener, &at);
	f->port = net_addr_port(&at);
	assert_int_equal(pthread_create(&f->thread, NULL, fake_main, f), 0);
}

static void fake_end(struct fake *f)
{
	pthread_join(f->thread, NULL);
	close(f->listener);
}

/* Run a client against the script. @return what it returned */
static int client(struct script *s, struct iperf_client_opts *o, net_stop *stop, struct iperf_report *rep,
		  struct err *err)
{
	struct fake f;

	*err = (struct err){ 0 };
	fake_start(&f, s);
	o->host = "127.0.0.1", o->port = f.port;
	if (!o->params.parallel)
		iperf_params_init(&o->params);
	if (!o->connect_timeout_ns)
		o->connect_timeout_ns = 2 * NS_PER_SEC;
	int rc = iperf_client_run(o, NULL, stop, rep, err);
	fake_end(&f);
	return rc;
}

static int fails(struct script *s, struct err *err)
{
	struct iperf_client_opts o = { 0 };
	struct iperf_report rep;
	int rc = client(s, &o, NULL, &rep, err);

	assert_int_equal(rc, -1);
	assert_false(rep.complete);
	assert_null(strchr(err->msg, '\n'));
	iperf_report_release(&rep);
	return err->code;
}

static void a_closed_port_is_refused_at_once(void **state)
{
	struct iperf_client_opts o = { .host = "127.0.0.1", .port = 1 };
	struct iperf_report rep;
	struct err err;

	(void)state;
	iperf_params_init(&o.params);
	assert_int_equal(iperf_client_run(&o, NULL, NULL, &rep, &err), -1);
	assert_int_equal(err.code, ECONNREFUSED);
	assert_string_equal(err.msg, "127.0.0.1 port 1: connect: Connection refused");
	assert_false(rep.measured);
	iperf_report_release(&rep);
}

static void the_byte_255_says_busy(void **state)
{
	struct script s = { .first = "\xff", .first_n = 1 };
	struct err err;

	(void)state;
	assert_int_equal(fails(&s, &err), EBUSY);
	assert_non_null(strstr(err.msg, "busy"));
}

static void a_server_of_ours_says_for_whom_and_how_long(void **state)
{
	char said[] = "\xff\0\0\0\0{\"busy_with\":\"10.0.0.1:4242\",\"remaining_s\":12}";
	struct script s = { .first = said, .first_n = sizeof(said) - 1 };
	struct err err;

	(void)state;
	said[4] = (char)(sizeof(said) - 1 - 5); /* the frame's length */
	assert_int_equal(fails(&s, &err), EBUSY);
	assert_non_null(strstr(err.msg, "10.0.0.1:4242 is testing, 12 s left"));
}

static void a_connection_closed_before_the_first_byte_is_busy_or_no_server(void **state)
{
	struct script s = { .hang_up = true };
	struct err err;

	(void)state;
	assert_int_equal(fails(&s, &err), EBUSY);
}

static void a_server_error_is_told_with_its_number_and_its_meaning(void **state)
{
	struct script s = { .first = "\xfe\0\0\0\x8e\0\0\0\0", .first_n = 9 };
	struct err err;

	(void)state;
	assert_int_equal(fails(&s, &err), EPROTO);
	assert_non_null(strstr(err.msg, "user name and password"));
	assert_non_null(strstr(err.msg, "142"));
}

static void what_answers_nonsense_is_no_iperf3_server(void **state)
{
	struct script s = { .first = "SSH-2.0-OpenSSH_9.2\r\n", .first_n = 21 };
	struct err err;

	(void)state;
	assert_int_equal(fails(&s, &err), EPROTO);
	assert_non_null(strstr(err.msg, "no iperf3 server"));
}

static void a_peer_that_never_answers_is_given_up_in_time(void **state)
{
	struct script s = { 0 };
	struct iperf_client_opts o = { .connect_timeout_ns = NS_PER_SEC / 5 };
	struct iperf_report rep;
	struct err err;
	uint64_t from = clock_ns();

	(void)state;
	assert_int_equal(client(&s, &o, NULL, &rep, &err), -1);
	assert_int_equal(err.code, ETIMEDOUT);
	assert_true(clock_ns() - from >= NS_PER_SEC / 5);
	assert_int_equal(s.seen_last, IPERF_CLIENT_TERMINATE);
	iperf_report_release(&rep);
}

static void a_peer_that_goes_in_the_middle_leaves_what_was_measured(void **state)
{
	struct script s = { .run = true, .swallow = true, .then = "", .then_n = 0 };
	struct iperf_client_opts o = { 0 };
	struct iperf_report rep;
	struct err err;

	(void)state;
	assert_int_equal(client(&s, &o, NULL, &rep, &err), -1);
	assert_non_null(strstr(err.msg, "gone in the middle"));
	assert_true(rep.measured);
	assert_false(rep.complete);
	assert_true(rep.sent > 0);
	assert_true(rep.peer_received == NET_NONE);
	iperf_report_release(&rep);
}

static void a_server_that_is_stopped_says_so(void **state)
{
	struct script s = { .run = true, .then = "\x0b", .then_n = 1 };
	struct iperf_client_opts o = { 0 };
	struct iperf_report rep;
	struct err err;

	(void)state;
	assert_int_equal(client(&s, &o, NULL, &rep, &err), -1);
	assert_non_null(strstr(err.msg, "the server was stopped"));
	assert_true(rep.measured);
	iperf_report_release(&rep);
}

static void silence_ends_a_test(void **state)
{
	struct script s = { .run = true, .then = NULL };
	struct iperf_client_opts o = { .silence_ns = NS_PER_SEC / 5, .tick_ns = NS_PER_SEC / 50 };
	struct iperf_report rep;
	struct err err;

	(void)state;
	iperf_params_init(&o.params);
	o.params.reverse = true; /* the script never sends */
	assert_int_equal(client(&s, &o, NULL, &rep, &err), -1);
	assert_int_equal(err.code, ETIMEDOUT);
	assert_non_null(strstr(err.msg, "no data moved"));
	assert_int_equal(s.seen_last, IPERF_CLIENT_TERMINATE);
	iperf_report_release(&rep);
}

static void a_stream_that_ends_before_the_test_is_counted_as_lost(void **state)
{
	struct script s = { .run = true, .swallow = true, .drop = true };
	struct iperf_client_opts o = { 0 };
	struct iperf_report rep;
	struct err err;

	(void)state;
	iperf_params_init(&o.params);
	o.params.time_s = 1;
	assert_int_equal(client(&s, &o, NULL, &rep, &err), -1);
	assert_int_equal(s.seen_last, IPERF_TEST_END);
	assert_true(rep.measured);
	assert_int_equal(rep.lost, 1);
	iperf_report_release(&rep);
}

static void stopping_before_the_data_flows_is_told_to_the_server(void **state)
{
	atomic_bool stop = true;
	struct script s = { 0 };
	struct iperf_client_opts o = { 0 };
	struct iperf_report rep;
	struct err err;

	(void)state;
	assert_int_equal(client(&s, &o, &stop, &rep, &err), -1);
	assert_int_equal(err.code, ECANCELED);
	iperf_report_release(&rep);
}

static void parameters_out_of_range_never_reach_the_network(void **state)
{
	struct iperf_client_opts o = { .host = "127.0.0.1", .port = 1 };
	struct iperf_report rep;
	struct err err;

	(void)state;
	iperf_params_init(&o.params);
	o.params.parallel = 200;
	assert_int_equal(iperf_client_run(&o, NULL, NULL, &rep, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	iperf_report_release(&rep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_closed_port_is_refused_at_once),
		cmocka_unit_test(the_byte_255_says_busy),
		cmocka_unit_test(a_server_of_ours_says_for_whom_and_how_long),
		cmocka_unit_test(a_connection_closed_before_the_first_byte_is_busy_or_no_server),
		cmocka_unit_test(a_server_error_is_told_with_its_number_and_its_meaning),
		cmocka_unit_test(what_answers_nonsense_is_no_iperf3_server),
		cmocka_unit_test(a_peer_that_never_answers_is_given_up_in_time),
		cmocka_unit_test(a_peer_that_goes_in_the_middle_leaves_what_was_measured),
		cmocka_unit_test(a_server_that_is_stopped_says_so),
		cmocka_unit_test(silence_ends_a_test),
		cmocka_unit_test(a_stream_that_ends_before_the_test_is_counted_as_lost),
		cmocka_unit_test(stopping_before_the_data_flows_is_told_to_the_server),
		cmocka_unit_test(parameters_out_of_range_never_reach_the_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
