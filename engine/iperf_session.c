/* SPDX-License-Identifier: MIT */
#include "engine/iperf_session.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/netstat.h"

/* A client has this long to say that it is done: its results are on our side already. */
#define DONE_NS (5 * NS_PER_SEC)

void session_over(struct session *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!s->served.ok && !s->served.why[0])
		vsnprintf(s->served.why, sizeof(s->served.why), fmt, ap);
	va_end(ap);
	s->state = SESSION_OVER;
}

void session_enter(struct session *s, enum session_state state, uint64_t deadline_ns)
{
	s->state = state;
	s->deadline_ns = deadline_ns;
	s->head_got = s->body_got = s->body_len = 0;
	free(s->body);
	s->body = NULL;
}

/* --- output --- */

static void flush(struct session *s)
{
	while (s->out_put < s->out_len) {
		ssize_t w = send(s->fd, s->out + s->out_put, s->out_len - s->out_put,
				 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0 && errno == EAGAIN)
			return;
		if (w < 0) {
			session_over(s, "the client is gone: %s", strerror(errno));
			break;
		}
		s->out_put += (size_t)w;
	}
	s->out_len = s->out_put = 0;
}

void session_say(struct session *s, const void *bytes, size_t n)
{
	char *more = realloc(s->out, s->out_len + n);

	if (!more) {
		session_over(s, "out of memory");
		return;
	}
	s->out = more;
	memcpy(s->out + s->out_len, bytes, n);
	s->out_len += n;
	flush(s);
}

static void say_state(struct session *s, int state)
{
	signed char byte = (signed char)state;

	session_say(s, &byte, 1);
}

void session_say_error(struct session *s, int32_t number, int32_t errnum)
{
	unsigned char b[9] = { (unsigned char)IPERF_SERVER_ERROR };

	for (int i = 0; i < 4; i++) {
		b[1 + i] = (unsigned char)((uint32_t)number >> (24 - 8 * i));
		b[5 + i] = (unsigned char)((uint32_t)errnum >> (24 - 8 * i));
	}
	session_say(s, b, sizeof(b));
}

/* --- what the client says --- */

static int streams_alloc(struct session *s)
{
	s->n = iperf_params_streams(&s->params);
	s->flow = calloc(s->n, sizeof(*s->flow));
	s->base = calloc(s->n, sizeof(*s->base));
	s->ours.stream = calloc(s->n, sizeof(*s->ours.stream));
	if (!s->flow || !s->base || !s->ours.stream)
		return -1;
	for (unsigned i = 0; i < s->n; i++)
		s->flow[i] = (struct netflow){ .fd = -1, .sends = !iperf_params_client_sends(&s->params, i) };
	return 0;
}

static struct net_sockopts data_opts(const struct session *s)
{
	const struct iperf_params *p = &s->params;
	struct net_sockopts o = { .window = p->window, .tos = p->tos, .max_pacing_bps = p->fqrate };

	if (!p->udp)
		o.mss = p->mss, o.nodelay = p->nodelay, o.congestion = p->congestion;
	return o;
}

/* Where the client's greetings come: the address to which its control connection came, so that the answer has it. */
static int listen_udp(struct session *s, struct err *err)
{
	const struct net_sockopts o = data_opts(s);
	struct net_addr at;

	net_addr_local(s->fd, &at);
	s->udp_listener = net_udp_bind(&at, &o, err);
	return s->udp_listener < 0 ? -1 : 0;
}

static void got_params(struct session *s, uint64_t now)
{
	struct err err;

	if (iperf_params_parse(&s->params, s->body, s->body_len, &err) < 0) {
		session_say_error(s, IPERF_EBADPARAM, 0);
		session_over(s, "bad parameters: %s", err.msg);
		return;
	}
	if (streams_alloc(s) < 0) {
		session_over(s, "out of memory");
		return;
	}
	if (s->params.udp && listen_udp(s, &err) < 0) {
		session_say_error(s, IPERF_EACCEPT, err.code);
		session_over(s, "%s", err.msg);
		return;
	}
	session_enter(s, SESSION_STREAMS, now + s->opts->handshake_ns);
	say_state(s, IPERF_CREATE_STREAMS);
}

static void got_results(struct session *s, uint64_t now)
{
	struct err err;

	if (iperf_results_parse(&s->peers, s->body, s->body_len, &err) < 0) {
		session_say_error(s, IPERF_EBADRESULT, 0);
		session_over(s, "bad results: %s", err.msg);
		return;
	}
	size_t n;
	json_t *doc = iperf_results_to_json(&s->ours);
	char *frame = iperf_frame(doc, &n);
	json_decref(doc);
	if (!frame) {
		session_over(s, "out of memory");
		return;
	}
	s->served.ok = true;
	session_enter(s, SESSION_DONE, now + DONE_NS);
	session_say(s, frame, n);
	free(frame);
	if (s->state != SESSION_OVER)
		say_state(s, IPERF_DISPLAY_RESULTS);
}

static void got_state(struct session *s, int state, uint64_t now)
{
	char name[24];

	if (state == IPERF_CLIENT_TERMINATE)
		session_over(s, "the client gave up");
	else if (state == IPERF_TEST_END && s->state == SESSION_RUN) {
		session_await_rest(s);
		session_run_end(s);
		session_enter(s, SESSION_RESULTS, now + s->opts->handshake_ns);
		say_state(s, IPERF_EXCHANGE_RESULTS);
	} else if (state == IPERF_DONE && s->state == SESSION_DONE)
		s->state = SESSION_OVER;
	else
		session_over(s, "the client sent %s out of turn", iperf_state_name(state, name));
}

/* The four bytes in front of a frame are there. A client that gives up sends its one byte in their place. */
static void got_head(struct session *s)
{
	size_t cap = s->state == SESSION_PARAMS ? IPERF_PARAMS_MAX : IPERF_RESULTS_MAX;
	size_t len = iperf_frame_length(s->head);

	if (len == 0 || len > cap) {
		session_say_error(s, s->state == SESSION_PARAMS ? IPERF_EBADPARAM : IPERF_EBADRESULT, 0);
		session_over(s, "a frame of %zu bytes, where 1 to %zu are allowed", len, cap);
		return;
	}
	s->body = malloc(len);
	s->body_len = len;
	if (!s->body)
		session_over(s, "out of memory");
}

/* @return whether to go on reading */
static bool read_some(struct session *s, uint64_t now)
{
	bool framed = s->state == SESSION_PARAMS || s->state == SESSION_RESULTS;
	unsigned char byte;
	void *to = !framed   ? &byte
		   : s->body ? (void *)(s->body + s->body_got)
			     : (void *)(s->head + s->head_got);
	size_t want = !framed ? 1 : s->body ? s->body_len - s->body_got : sizeof(s->head) - s->head_got;

	ssize_t r = recv(s->fd, to, want, MSG_DONTWAIT);
	if (r < 0 && (errno == EAGAIN || errno == EINTR))
		return errno == EINTR;
	if (r <= 0) {
		session_over(s, "the client is gone%s%s", r < 0 ? ": " : "", r < 0 ? strerror(errno) : "");
		return false;
	}
	if (!framed)
		got_state(s, (signed char)byte, now);
	else if (!s->body) {
		s->head_got += (size_t)r;
		if (s->head[0] == IPERF_CLIENT_TERMINATE)
			got_state(s, IPERF_CLIENT_TERMINATE, now);
		else if (s->head_got == sizeof(s->head))
			got_head(s);
	} else if ((s->body_got += (size_t)r) == s->body_len) {
		if (s->state == SESSION_PARAMS)
			got_params(s, now);
		else
			got_results(s, now);
	}
	return s->state != SESSION_OVER;
}

/* --- interface --- */

void session_begin(struct session *s, int fd, const char cookie[IPERF_COOKIE], const struct net_addr *peer,
		   uint64_t now)
{
	const struct iperf_server_opts *opts = s->opts;
	const struct iperf_server_hooks *hooks = s->hooks;

	*s = (struct session){ .opts = opts, .hooks = hooks, .fd = fd, .peer = *peer, .served.peer = *peer,
				.udp_listener = -1 };
	struct net_sockopts o = { .nodelay = true };
	struct err ignored;
	net_sockopts_apply(fd, AF_UNSPEC, &o, &ignored);
	memcpy(s->cookie, cookie, IPERF_COOKIE);
	session_enter(s, SESSION_PARAMS, now + opts->handshake_ns);
	say_state(s, IPERF_PARAM_EXCHANGE);
}

void session_stream(struct session *s, int fd)
{
	struct net_sockopts o = data_opts(s);
	struct net_addr local;
	struct err err;

	if (s->state != SESSION_STREAMS || s->params.udp) {
		close(fd);
		return;
	}
	net_addr_local(fd, &local);
	/* What this kernel can't set is no reason to refuse the test: the client set its own side. */
	if (net_sockopts_apply(fd, local.ss.ss_family, &o, &err) < 0 && s->hooks->note)
		s->hooks->note(s->hooks->ctx, err.msg);
	s->flow[s->accepted++].fd = fd;
	if (s->accepted == s->n)
		session_run_begin(s);
}

void session_greeted(struct session *s)
{
	static const uint32_t answer = IPERF_UDP_ANSWER;
	struct net_addr from = { .len = sizeof(from.ss) };
	char hello[8], host[NET_ADDR_TEXT], client[NET_ADDR_TEXT];
	struct err err;
	int fd = s->udp_listener;

	ssize_t n = recvfrom(fd, hello, sizeof(hello), MSG_DONTWAIT, (struct sockaddr *)&from.ss, &from.len);
	/* Datagrams come from anybody; four bytes of the client's host are its greeting. */
	if (n != 4 || strcmp(net_addr_host(&from, host), net_addr_host(&s->peer, client)) != 0)
		return;
	/* This socket is the stream's from now on, and another one waits for the next. */
	s->udp_listener = -1;
	s->flow[s->accepted++].fd = fd;
	if (connect(fd, (struct sockaddr *)&from.ss, from.len) < 0 ||
	    (s->accepted < s->n && listen_udp(s, &err) < 0) ||
	    send(fd, &answer, sizeof(answer), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
		session_say_error(s, IPERF_EACCEPT, errno);
		session_over(s, "a stream's answer: %s", strerror(errno));
	} else if (s->accepted == s->n) {
		session_run_begin(s);
	}
}

short session_events(const struct session *s)
{
	return (short)(POLLIN | (s->out_put < s->out_len ? POLLOUT : 0));
}

void session_io(struct session *s, short revents, uint64_t now)
{
	if (s->state == SESSION_OVER)
		return;
	if (revents & POLLOUT)
		flush(s);
	if (revents & (POLLIN | POLLHUP | POLLERR))
		while (s->state != SESSION_OVER && read_some(s, now))
			;
}

uint64_t session_next(const struct session *s)
{
	uint64_t next = s->deadline_ns;

	if (s->state != SESSION_RUN)
		return s->state == SESSION_FREE ? UINT64_MAX : next;
	uint64_t tick = s->tick_ns + NS_PER_SEC;
	for (int sends = 0; sends < 2; sends++) {
		uint64_t omit_end = s->start_ns + iperf_omit_end(s->params.omit_s, sends);
		if (!s->based[sends] && omit_end < next)
			next = omit_end;
	}
	return tick < next ? tick : next;
}

void session_time(struct session *s, uint64_t now)
{
	static const char *const due[] = { [SESSION_PARAMS] = "parameters",
					   [SESSION_STREAMS] = "data connections",
					   [SESSION_RESULTS] = "results",
					   [SESSION_DONE] = "end" };

	if (s->state == SESSION_RUN) {
		for (int sends = 0; sends < 2; sends++)
			if (!s->based[sends] && now >= s->start_ns + iperf_omit_end(s->params.omit_s, sends))
				session_take_base(s, sends, now);
		if (now - s->tick_ns >= NS_PER_SEC)
			session_progress(s, now);
		if (now - s->moved_ns >= s->opts->silence_ns + NS_PER_SEC) {
			session_say_error(s, IPERF_ENODATA, 0);
			session_over(s, "no data moved for %.0f s", clock_seconds(s->opts->silence_ns));
		} else if (now >= s->deadline_ns) {
			session_say_error(s, IPERF_EDURATION, 0);
			session_over(s, "the client did not end the test in its time");
		}
	} else if (s->state != SESSION_FREE && s->state != SESSION_OVER && now >= s->deadline_ns) {
		if (s->state == SESSION_STREAMS)
			session_say_error(s, IPERF_EACCEPT, ETIMEDOUT);
		session_over(s, "the client's %s did not come", due[s->state]);
	}
}

void session_terminate(struct session *s)
{
	if (s->state == SESSION_FREE || s->state == SESSION_OVER)
		return;
	say_state(s, IPERF_SERVER_TERMINATE);
	session_over(s, "the server was stopped");
}

void session_release(struct session *s)
{
	session_run_end(s);
	if (s->hooks->served) {
		s->served.params = s->params;
		s->served.ours = &s->ours, s->served.peers = &s->peers;
		s->hooks->served(s->hooks->ctx, &s->served);
	}
	for (unsigned i = 0; s->flow && i < s->n; i++)
		if (s->flow[i].fd >= 0)
			close(s->flow[i].fd);
	if (s->udp_listener >= 0)
		close(s->udp_listener);
	shutdown(s->fd, SHUT_WR);
	close(s->fd);
	free(s->body);
	free(s->out);
	free(s->flow);
	free(s->base);
	iperf_results_release(&s->ours);
	iperf_results_release(&s->peers);
	*s = (struct session){ .opts = s->opts, .hooks = s->hooks, .udp_listener = -1 };
}

double session_remaining(const struct session *s, uint64_t now)
{
	double total = (double)(s->params.time_s + s->params.omit_s);

	if (s->state < SESSION_RUN || !s->params.time_s)
		return s->state == SESSION_FREE || s->state >= SESSION_RESULTS ? 0
		       : s->params.time_s                                      ? total
									       : NAN;
	return s->state == SESSION_RUN ? fmax(total - clock_seconds(now - s->start_ns), 0) : 0;
}
