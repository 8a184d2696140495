/* SPDX-License-Identifier: MIT */
#include "engine/iperf_client_parts.h"

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

/* How long the end of the protocol may take at least: results travel behind a queue that the test has filled.
 */
#define FINISH_NS (10 * NS_PER_SEC)
/* And how long once the user wants to go. */
#define STOP_FINISH_NS (2 * NS_PER_SEC)

static void note(const struct iperf_client *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void note(const struct iperf_client *c, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (!c->hooks->note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	c->hooks->note(c->hooks->ctx, text);
}

static uint64_t deadline(const struct iperf_client *c)
{
	return clock_ns() + c->timeout_ns;
}

/* --- the control connection --- */

/* 0xFE: two numbers follow, iperf3's and errno. */
int iperf_client_server_error(struct iperf_client *c, struct err *err)
{
	unsigned char b[8];
	struct err ignored;

	if (net_read(c->ctrl, b, sizeof(b), clock_ns() + NS_PER_SEC, NULL, &ignored) < 0)
		return err_set(err, EPROTO,
			       "%s ended the test with an error and no number; does it ask for a user name?",
			       c->peer);
	int32_t number = (int32_t)iperf_frame_length(b), errnum = (int32_t)iperf_frame_length(b + 4);
	const char *text = iperf_error_text(number);
	return err_set(err, EPROTO, "%s: %s (iperf3 error %d%s%s)", c->peer,
		       text ? text : "the server reports an error", number, errnum > 0 ? ", " : "",
		       errnum > 0 ? strerror(errnum) : "");
}

/* A server of ours says for whom we wait behind the byte; iperf3 says nothing more and its reset may come
 * first. */
static json_t *other_client(struct iperf_client *c)
{
	struct err ignored;
	size_t n;
	char *text = iperf_frame_read(c->ctrl, 1024, &n, clock_ns() + NS_PER_SEC / 4, NULL, &ignored);
	if (!text)
		return NULL;
	json_t *doc = json_loadb(text, n, 0, NULL);
	free(text);
	return doc;
}

static int busy(struct iperf_client *c, struct err *err)
{
	json_t *doc = other_client(c);
	const char *who = json_get_text(doc, "busy_with", NULL);
	double left = json_get_num(doc, "remaining_s", NAN);

	if (who && !isnan(left))
		err_set(err, EBUSY, "%s is busy: %.60s is testing, %.0f s left; try again later", c->peer,
			who, left);
	else
		err_set(err, EBUSY, "%s is busy running another test; try again later", c->peer);
	json_decref(doc);
	return -1;
}

static void queued(struct iperf_client *c)
{
	json_t *doc = other_client(c);

	note(c, "%s: queued, %.0f ahead: %.60s is testing, %.0f s left", c->peer,
	     json_get_num(doc, "ahead", 1), json_get_text(doc, "busy_with", "another client"),
	     json_get_num(doc, "remaining_s", 0));
	json_decref(doc);
}

int iperf_client_unexpected(const struct iperf_client *c, int state, int want, struct err *err)
{
	char got[24], wanted[24];

	if (state == IPERF_SERVER_TERMINATE)
		return err_set(err, ECONNRESET, "%s: the server was stopped", c->peer);
	if (state < 17)
		return err_set(err, EPROTO, "%s answered %s where %s was due", c->peer,
			       iperf_state_name(state, got), iperf_state_name(want, wanted));
	return err_set(err, EPROTO, "%s answers with byte 0x%02x: that is no iperf3 server", c->peer,
		       state & 0xff);
}

/* Wait for one state. The end of the connection before the first one means what 0xFF means. */
static int expect(struct iperf_client *c, int want, uint64_t deadline_ns, net_stop *stop, struct err *err)
{
	bool first = want == IPERF_PARAM_EXCHANGE;

	for (;;) {
		int state;
		if (iperf_state_read(c->ctrl, &state, deadline_ns, stop, err) < 0) {
			if (first && (err->code == ECONNRESET || err->code == EPIPE))
				return err_set(err, EBUSY,
					       "%s closed the connection: busy, or not an iperf3 server",
					       c->peer);
			if (first && err->code == ETIMEDOUT)
				return err_set(
					err, ETIMEDOUT,
					"%s: connected, but no answer in time: is it an iperf3 server?",
					c->peer);
			char name[24];
			return err_wrap(err, "%s: waiting for %s", c->peer, iperf_state_name(want, name));
		}
		if (state == want)
			return 0;
		if (state == IPERF_ACCESS_DENIED && !first)
			return err_set(err, EPROTO,
				       "%s does not allow this test; does it ask for a user name?", c->peer);
		if (state == IPERF_ACCESS_DENIED)
			return busy(c, err);
		if (state == IPERF_SERVER_ERROR)
			return iperf_client_server_error(c, err);
		if (state != IPERF_QUEUED || !first)
			return iperf_client_unexpected(c, state, want, err);
		queued(c);
		deadline_ns = UINT64_MAX; /* our turn comes when it comes; the server tells us each second */
	}
}

static struct net_sockopts data_opts(const struct iperf_client_opts *o)
{
	return (struct net_sockopts){ .family = o->family,
				      .bind = o->bind,
				      .window = o->params.window,
				      .mss = o->params.mss,
				      .nodelay = o->params.nodelay,
				      .congestion = o->params.congestion,
				      .tos = o->params.tos,
				      .max_pacing_bps = o->params.fqrate };
}

static int connect_control(struct iperf_client *c, struct err *err)
{
	struct net_addr at[NET_ADDR_MAX];
	struct net_sockopts so = { .family = c->opts->family, .bind = c->opts->bind, .nodelay = true };
	uint64_t until = deadline(c);
	int which = 0;

	int n = net_resolve(c->opts->host, c->opts->port, c->opts->family, until, c->stop, at, err);
	if (n < 0)
		return err_wrap(err, "%s", c->opts->host);
	c->ctrl = net_connect_any(at, n, &so, until, c->stop, &which, err);
	if (c->ctrl < 0)
		return err_wrap(err, "%s", c->peer);
	c->rep->peer = at[which];
	net_addr_local(c->ctrl, &c->rep->local);
	iperf_cookie_make(c->rep->cookie);
	char text[NET_ADDR_TEXT];
	note(c, "connected to %s", net_addr_text(&c->rep->peer, text));
	if (c->hooks->connected)
		c->hooks->connected(c->hooks->ctx, &c->rep->local, &c->rep->peer);
	if (net_write(c->ctrl, c->rep->cookie, IPERF_COOKIE, until, c->stop, err) < 0)
		return err_wrap(err, "%s", c->peer);
	return expect(c, IPERF_PARAM_EXCHANGE, until, c->stop, err);
}

/* How long a greeting may have been under way before it is taken for lost and sent again. */
#define GREET_NS (2 * NS_PER_SEC)

/* A datagram says that we are there; the answer, from a socket of the stream's own, that the server is. */
static int greet(int fd, uint64_t until, net_stop *stop, struct err *err)
{
	static const uint32_t hello = IPERF_UDP_HELLO;
	char answer[64];

	for (;;) {
		uint64_t again = clock_ns() + GREET_NS;
		if (send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) < 0)
			return err_sys(err, "write");
		int got = net_wait(fd, POLLIN, again < until ? again : until, stop, err);
		if (got < 0)
			return -1;
		/* What came may be data already: the server is there all the same. */
		if (got && recv(fd, answer, sizeof(answer), MSG_DONTWAIT) >= 0)
			return 0;
		if (got && errno != EAGAIN)
			return err_sys(err, "no way for datagrams");
		if (clock_ns() >= until)
			return err_set(err, ETIMEDOUT, "no datagram came back: does a firewall let UDP through?");
	}
}

static int open_stream(struct iperf_client *c, const struct net_sockopts *so, int *fd, struct err *err)
{
	uint64_t until = deadline(c);
	bool udp = c->rep->params.udp;

	*fd = udp ? net_udp_connect(&c->rep->peer, so, err) : net_connect(&c->rep->peer, so, until, c->stop, err);
	if (*fd < 0)
		return -1;
	return udp ? greet(*fd, until, c->stop, err)
		   : net_write(*fd, c->rep->cookie, IPERF_COOKIE, until, c->stop, err);
}

static int connect_streams(struct iperf_client *c, struct err *err)
{
	struct net_sockopts so = data_opts(c->opts);

	for (unsigned i = 0; i < c->rep->n; i++) {
		struct iperf_report_stream *s = &c->rep->stream[i];
		so.bind_port = c->opts->cport ? (uint16_t)(c->opts->cport + i) : 0;
		if (open_stream(c, &so, &c->flow[i].fd, err) < 0)
			return err_wrap(err, "%s: stream %u", c->peer, i + 1);
		int fd = s->socket = c->flow[i].fd;
		net_addr_local(fd, &s->local);
		net_addr_peer(fd, &s->remote);
	}
	return 0;
}

static void describe_sockets(struct iperf_client *c)
{
	struct tcp_state ts;
	int fd = c->flow[0].fd, v = 0;
	socklen_t len = sizeof(v);

	if (tcp_state_read(fd, &ts))
		c->rep->mss = ts.mss;
	if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &v, &len) == 0)
		c->rep->sndbuf = (unsigned)v;
	if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &v, &len) == 0)
		c->rep->rcvbuf = (unsigned)v;
	tcp_congestion(fd, c->rep->congestion, sizeof(c->rep->congestion));
}

static int negotiate(struct iperf_client *c, struct err *err)
{
	struct tcp_state ts = { 0 };

	if (connect_control(c, err) < 0)
		return -1;
	if (!c->rep->params.len)
		c->rep->params.len = iperf_params_udp_len(tcp_state_read(c->ctrl, &ts) ? ts.mss : 0);
	json_t *doc = iperf_params_to_json(&c->rep->params);
	int rc = iperf_frame_write(c->ctrl, doc, deadline(c), c->stop, err);
	json_decref(doc);
	if (rc < 0)
		return err_wrap(err, "%s: parameters", c->peer);
	if (expect(c, IPERF_CREATE_STREAMS, deadline(c), c->stop, err) < 0 || connect_streams(c, err) < 0 ||
	    expect(c, IPERF_TEST_START, deadline(c), c->stop, err) < 0 ||
	    expect(c, IPERF_TEST_RUNNING, deadline(c), c->stop, err) < 0)
		return -1;
	describe_sockets(c);
	return 0;
}

/* --- the end --- */

static void our_datagrams(const struct iperf_report_stream *s, struct iperf_stream_result *out)
{
	if (s->packets == NET_NONE)
		return;
	out->omitted_packets = s->base_packets;
	out->packets = s->packets + s->base_packets;
	if (s->sends)
		return;
	out->jitter_s = s->jitter_s;
	out->omitted_lost = s->base_lost;
	out->lost = s->lost + s->base_lost;
}

static json_t *our_results(const struct iperf_client *c)
{
	const struct iperf_report *r = c->rep;
	struct iperf_stream_result *list = calloc(r->n, sizeof(*list));
	struct iperf_results res = { .cpu_total = r->cpu_total,
				     .cpu_user = r->cpu_user,
				     .cpu_system = r->cpu_system,
				     .has_retransmits = r->retransmits != NET_NONE ? 1 : -1,
				     .stream = list };

	if (!list)
		return NULL;
	memcpy(res.congestion, r->congestion, sizeof(res.congestion));
	for (; res.n < r->n; res.n++) {
		list[res.n] = (struct iperf_stream_result){ .id = r->stream[res.n].id,
							    .bytes = r->stream[res.n].bytes,
							    .retransmits = r->stream[res.n].retransmits,
							    .end_s = r->stream[res.n].seconds };
		our_datagrams(&r->stream[res.n], &list[res.n]);
	}
	json_t *doc = iperf_results_to_json(&res);
	free(list);
	return doc;
}

/* Without the omitted seconds; an old peer does not say how many they were, but a sender of ours knows. */
static void take_peer_datagrams(struct iperf_report_stream *s, const struct iperf_stream_result *p)
{
	bool said = p->omitted_packets != IPERF_UNKNOWN && p->omitted_lost != IPERF_UNKNOWN;
	uint64_t packets = said ? p->omitted_packets : s->base_packets, lost = said ? p->omitted_lost : s->base_lost;

	if (p->packets == IPERF_UNKNOWN)
		return;
	s->peer_packets = p->packets > packets ? p->packets - packets : 0;
	if (!s->sends || p->lost == IPERF_UNKNOWN)
		return;
	s->lost = p->lost > lost ? p->lost - lost : 0;
	s->jitter_s = p->jitter_s;
}

static void take_peer(struct iperf_report *r, const struct iperf_results *peer)
{
	r->peer_cpu_total = peer->cpu_total, r->peer_cpu_user = peer->cpu_user,
	r->peer_cpu_system = peer->cpu_system;
	memcpy(r->peer_congestion, peer->congestion, sizeof(r->peer_congestion));
	memcpy(r->peer_version, peer->version, sizeof(r->peer_version));
	for (unsigned i = 0; i < r->n; i++) {
		struct iperf_report_stream *s = &r->stream[i];
		const struct iperf_stream_result *p = iperf_results_find(peer, s->id);
		if (!p || p->bytes == IPERF_UNKNOWN)
			continue;
		s->peer_bytes = p->bytes;
		s->peer_end_s = p->end_s;
		if (r->params.udp)
			take_peer_datagrams(s, p);
		uint64_t *sum = s->sends ? &r->peer_received : &r->peer_sent;
		*sum = (*sum == NET_NONE ? 0 : *sum) + p->bytes;
		if (s->sends || p->retransmits == IPERF_UNKNOWN || peer->has_retransmits != 1)
			continue;
		s->peer_retransmits = p->retransmits;
		r->peer_retransmits =
			(r->peer_retransmits == NET_NONE ? 0 : r->peer_retransmits) + p->retransmits;
	}
}

/* TEST_END, both results, IPERF_DONE. */
static int finish(struct iperf_client *c, struct err *err)
{
	uint64_t wait = c->timeout_ns > FINISH_NS ? c->timeout_ns : FINISH_NS;
	uint64_t until = clock_ns() + (c->rep->stopped ? STOP_FINISH_NS : wait);
	net_stop *stop = c->rep->stopped ? NULL : c->stop;
	struct iperf_results peer;
	size_t n;

	if (iperf_state_write(c->ctrl, IPERF_TEST_END, until, stop, err) < 0)
		return err_wrap(err, "%s: end of the test", c->peer);
	if (expect(c, IPERF_EXCHANGE_RESULTS, until, stop, err) < 0)
		return -1;
	json_t *doc = our_results(c);
	int rc = doc ? iperf_frame_write(c->ctrl, doc, until, stop, err)
		     : err_set(err, ENOMEM, "out of memory");
	json_decref(doc);
	char *text = rc < 0 ? NULL : iperf_frame_read(c->ctrl, IPERF_RESULTS_MAX, &n, until, stop, err);
	if (!text)
		return err_wrap(err, "%s: results", c->peer);
	rc = iperf_results_parse(&peer, text, n, err);
	free(text);
	if (rc < 0)
		return err_wrap(err, "%s: results", c->peer);
	take_peer(c->rep, &peer);
	iperf_results_release(&peer);
	c->rep->complete = true;
	/* What is left is courtesy: the figures are ours already. */
	struct err ignored;
	if (expect(c, IPERF_DISPLAY_RESULTS, until, NULL, &ignored) == 0)
		iperf_state_write(c->ctrl, IPERF_DONE, until, NULL, &ignored);
	shutdown(c->ctrl, SHUT_WR);
	return 0;
}

static int client_init(struct iperf_client *c, struct err *err)
{
	struct iperf_report *r = c->rep;

	if (iperf_params_check(&c->rep->params, err) < 0)
		return -1;
	r->n = iperf_params_streams(&c->rep->params);
	r->stream = calloc(r->n, sizeof(*r->stream));
	c->flow = calloc(r->n, sizeof(*c->flow));
	c->now = calloc(r->n, sizeof(*c->now));
	c->prev = calloc(r->n, sizeof(*c->prev));
	if (!r->stream || !c->flow || !c->now || !c->prev)
		return err_sys(err, "streams");
	for (unsigned i = 0; i < r->n; i++) {
		bool sends = iperf_params_client_sends(&c->rep->params, i);
		c->flow[i] = (struct netflow){ .fd = -1, .sends = sends };
		r->stream[i] = (struct iperf_report_stream){ .id = iperf_stream_id(i),
							     .sends = sends,
							     .retransmits = NET_NONE,
							     .peer_bytes = NET_NONE,
							     .peer_retransmits = NET_NONE,
							     .packets = NET_NONE,
							     .peer_packets = NET_NONE,
							     .lost = NET_NONE,
							     .late = NET_NONE,
							     .dropped = NET_NONE,
							     .jitter_s = NAN,
							     .peer_end_s = NAN,
							     .mean_rtt_us = NAN };
	}
	return 0;
}

static void client_release(struct iperf_client *c)
{
	netflow_finish(c->set);
	for (unsigned i = 0; c->flow && i < c->rep->n; i++)
		if (c->flow[i].fd >= 0)
			close(c->flow[i].fd);
	if (c->ctrl >= 0)
		close(c->ctrl);
	free(c->flow);
	free(c->now);
	free(c->prev);
}

static int run(struct iperf_client *c, struct err *err)
{
	if (client_init(c, err) < 0 || negotiate(c, err) < 0)
		return -1;
	note(c, "testing");
	if (iperf_client_data(c, err) < 0)
		return -1;
	struct err late;
	if (finish(c, &late) == 0)
		return 0;
	/* A user who wants to go has his figures; that the peer's did not come is in the report. */
	if (c->rep->stopped)
		return 0;
	*err = late;
	return -1;
}

int iperf_client_run(const struct iperf_client_opts *opts, const struct iperf_client_hooks *hooks,
		     net_stop *stop, struct iperf_report *report, struct err *err)
{
	static const struct iperf_client_hooks none;
	struct iperf_client c = {
		.opts = opts, .hooks = hooks ? hooks : &none, .stop = stop, .rep = report, .ctrl = -1
	};

	*report = (struct iperf_report){ .params = opts->params,
					 .port = opts->port,
					 .retransmits = NET_NONE,
					 .peer_sent = NET_NONE,
					 .peer_received = NET_NONE,
					 .peer_retransmits = NET_NONE,
					 .peer_cpu_total = NAN,
					 .peer_cpu_user = NAN,
					 .peer_cpu_system = NAN };
	snprintf(report->host, sizeof(report->host), "%s", opts->host);
	snprintf(c.peer, sizeof(c.peer), "%.255s port %u", opts->host, opts->port);
	c.timeout_ns = opts->connect_timeout_ns ? opts->connect_timeout_ns : IPERF_CONNECT_TIMEOUT_NS;
	c.tick_ns = opts->tick_ns ? opts->tick_ns : IPERF_TICK_NS;
	c.silence_ns = opts->silence_ns ? opts->silence_ns : IPERF_SILENCE_NS;
	int rc = run(&c, err);
	if (!report->complete && c.ctrl >= 0) {
		/* We give up: tell the server, so that it is free at once. */
		struct err ignored;
		iperf_state_write(c.ctrl, IPERF_CLIENT_TERMINATE, clock_ns() + NS_PER_SEC / 4, NULL,
				  &ignored);
	}
	client_release(&c);
	return rc;
}

void iperf_report_release(struct iperf_report *r)
{
	free(r->stream);
	*r = (struct iperf_report){ 0 };
}

static void add(uint64_t *sum, uint64_t v)
{
	if (v != NET_NONE)
		*sum = (*sum == NET_NONE ? 0 : *sum) + v;
}

void iperf_report_datagrams(const struct iperf_report *r, struct iperf_datagrams *out)
{
	double jitter = 0;
	unsigned n = 0;

	*out = (struct iperf_datagrams){ NET_NONE, NET_NONE, NAN, NET_NONE, NET_NONE, NAN, NET_NONE };
	for (unsigned i = 0; i < r->n; i++) {
		const struct iperf_report_stream *s = &r->stream[i];
		uint64_t came = s->sends ? s->peer_packets : s->packets, sent = s->sends ? s->packets : s->peer_packets;
		if (s->lost == NET_NONE || came == NET_NONE)
			continue;
		add(&out->packets, came);
		add(&out->lost, s->lost);
		add(&out->dropped, s->dropped);
		add(&out->late, s->late);
		if (sent != NET_NONE)
			add(&out->tail, sent > came ? sent - came : 0);
		jitter += s->jitter_s;
		n++;
	}
	if (n)
		out->jitter_s = jitter / n;
	if (n && out->packets)
		out->lost_share = (double)out->lost / (double)out->packets;
}

double iperf_report_bps(const struct iperf_report *r)
{
	if (!r->measured || r->seconds <= 0)
		return NAN;
	double bits = 0;
	for (unsigned i = 0; i < r->n; i++) {
		const struct iperf_report_stream *s = &r->stream[i];
		bool peer = s->sends && s->peer_bytes != NET_NONE;
		double seconds = peer && s->peer_end_s > 0 ? s->peer_end_s : s->seconds;
		if (seconds <= 0)
			continue;
		bits += 8.0 * (double)(peer ? s->peer_bytes : s->bytes) / seconds;
	}
	return bits;
}
