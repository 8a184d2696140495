/* SPDX-License-Identifier: MIT */
#include "engine/iperf_server.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/iperf_session.h"

/*
 * Streams are numbered, and given their direction, in the order in which they connect; a cookie that was lost
 * on the way and sent again must not change that. So a stream waits this long for an older connection of the
 * same host.
 */
#define ORDER_NS (NS_PER_SEC)

/* Connections whose cookie has not come yet; the oldest makes room. 128 streams both ways and some strays
 * fit. */
#define PENDING_MAX 384

/* A connection before it is a client, and a client before it is its turn. */
struct guest {
	int fd;
	struct net_addr peer;
	char cookie[IPERF_COOKIE];
	size_t got;
	uint64_t born_ns, deadline_ns;
	bool for_streams; /* came while the test's data connections were due */
};

struct server {
	struct iperf_server_opts opts;
	const struct iperf_server_hooks *hooks;
	int listener;
	struct session test;
	unsigned nr_pending, nr_queue, served;
	struct guest pending[PENDING_MAX], queue[IPERF_QUEUE_MAX];
	uint64_t told_ns; /* when the queue was last told how long it lasts */
	struct pollfd pfd[3 + PENDING_MAX + IPERF_QUEUE_MAX];
};

static void note(const struct server *sv, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void note(const struct server *sv, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	if (!sv->hooks->note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	sv->hooks->note(sv->hooks->ctx, text);
}

static void guest_remove(struct guest *list, unsigned *n, unsigned i)
{
	memmove(&list[i], &list[i + 1], (*n - i - 1) * sizeof(*list));
	(*n)--;
}

/* A client of ours learns by whom it is kept; never waits for it to read. */
static void tell_busy(const struct server *sv, const struct guest *g, int state, unsigned ahead, uint64_t now)
{
	char who[NET_ADDR_TEXT];
	signed char byte = (signed char)state;
	size_t n;

	if (send(g->fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1 || !iperf_cookie_ours(g->cookie))
		return;
	json_t *doc =
		json_pack("{s:s, s:o, s:i}", "busy_with", net_addr_text(&sv->test.peer, who), "remaining_s",
			  json_num(ceil(session_remaining(&sv->test, now))), "ahead", (int)ahead);
	char *frame = doc ? iperf_frame(doc, &n) : NULL;
	if (frame && send(g->fd, frame, n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		note(sv, "%s does not read", net_addr_text(&g->peer, who));
	free(frame);
	json_decref(doc);
}

/* "12 s left", or what is known. */
static char *left_text(const struct server *sv, uint64_t now, char buf[48])
{
	double left = session_remaining(&sv->test, now);

	snprintf(buf, 48, isnan(left) ? "it has no set time" : "%.0f s left", ceil(left));
	return buf;
}

static void refuse(struct server *sv, struct guest *g, uint64_t now)
{
	char who[NET_ADDR_TEXT], busy[NET_ADDR_TEXT], left[48];

	note(sv, "%s is refused: %s is testing, %s", net_addr_text(&g->peer, who),
	     net_addr_text(&sv->test.peer, busy), left_text(sv, now, left));
	tell_busy(sv, g, IPERF_ACCESS_DENIED, 0, now);
	shutdown(g->fd, SHUT_WR);
	close(g->fd);
}

static void enqueue(struct server *sv, struct guest *g, uint64_t now)
{
	char who[NET_ADDR_TEXT], busy[NET_ADDR_TEXT], left[48];

	sv->queue[sv->nr_queue++] = *g;
	note(sv, "%s waits as number %u: %s is testing, %s", net_addr_text(&g->peer, who), sv->nr_queue,
	     net_addr_text(&sv->test.peer, busy), left_text(sv, now, left));
	if (iperf_cookie_ours(g->cookie))
		tell_busy(sv, g, IPERF_QUEUED, sv->nr_queue, now);
}

static void begin(struct server *sv, struct guest *g, uint64_t now)
{
	char who[NET_ADDR_TEXT];

	note(sv, "%s connects", net_addr_text(&g->peer, who));
	session_begin(&sv->test, g->fd, g->cookie, &g->peer, now);
}

static void next_test(struct server *sv, uint64_t now)
{
	if (sv->test.state == SESSION_OVER) {
		/* A client that never came to its data has not used up a one-off server. */
		sv->served += sv->test.start_ns != 0;
		session_release(&sv->test);
	}
	bool ended = sv->opts.one_off && sv->served;
	if (sv->test.state == SESSION_FREE && sv->nr_queue && !ended) {
		struct guest g = sv->queue[0];
		guest_remove(sv->queue, &sv->nr_queue, 0);
		begin(sv, &g, now);
	}
}

static bool is_stream(const struct server *sv, const struct guest *g)
{
	return g->got == IPERF_COOKIE && sv->test.state == SESSION_STREAMS &&
	       memcmp(g->cookie, sv->test.cookie, IPERF_COOKIE) == 0;
}

/* A whole cookie has come: a stream of the test in hand, or a client. Takes the descriptor. */
static void admit(struct server *sv, struct guest *g, uint64_t now)
{
	if (!is_stream(sv, g) && sv->test.state != SESSION_FREE) {
		/* It may come just when the test's client has left: look once more before it is sent away. */
		session_io(&sv->test, POLLIN, now);
		next_test(sv, now);
	}
	bool same = memcmp(g->cookie, sv->test.cookie, IPERF_COOKIE) == 0;
	if (!iperf_cookie_valid(g->cookie))
		close(g->fd);
	else if (is_stream(sv, g))
		session_stream(&sv->test, g->fd);
	else if (sv->test.state == SESSION_FREE)
		begin(sv, g, now);
	else if (!same && sv->nr_queue < sv->opts.queue)
		enqueue(sv, g, now);
	else
		refuse(sv, g, now);
}

/* @return whether the guest is still one */
static bool guest_read(struct server *sv, struct guest *g, uint64_t now)
{
	while (g->got < IPERF_COOKIE) {
		ssize_t r = recv(g->fd, g->cookie + g->got, IPERF_COOKIE - g->got, MSG_DONTWAIT);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0 && errno == EAGAIN)
			return true;
		if (r <= 0) {
			close(g->fd);
			return false;
		}
		g->got += (size_t)r;
	}
	if (is_stream(sv, g))
		return true; /* admit_streams() */
	admit(sv, g, now);
	return false;
}

static bool same_host(const struct guest *a, const struct guest *b)
{
	char ta[NET_ADDR_TEXT], tb[NET_ADDR_TEXT];

	return strcmp(net_addr_host(&a->peer, ta), net_addr_host(&b->peer, tb)) == 0;
}

/* Is there an older connection that may be an earlier stream whose cookie is late? */
static bool must_wait(const struct server *sv, unsigned i, uint64_t now)
{
	const struct guest *g = sv->pending;

	for (unsigned k = 0; k < i; k++)
		if (g[k].got < IPERF_COOKIE && g[k].for_streams && now - g[k].born_ns < ORDER_NS &&
		    same_host(&g[k], &g[i]))
			return true;
	return false;
}

static void admit_streams(struct server *sv, uint64_t now)
{
	for (unsigned i = 0; i < sv->nr_pending;) {
		struct guest g = sv->pending[i];
		if (g.got < IPERF_COOKIE || (is_stream(sv, &g) && must_wait(sv, i, now))) {
			i++;
			continue;
		}
		guest_remove(sv->pending, &sv->nr_pending, i);
		admit(sv, &g, now);
	}
}

static void accept_all(struct server *sv, uint64_t now)
{
	for (;;) {
		int fd = accept4(sv->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		bool full = fd < 0 ? errno == EMFILE || errno == ENFILE : sv->nr_pending == PENDING_MAX;
		if (full && sv->nr_pending) { /* the one that has kept us waiting longest goes */
			close(sv->pending[0].fd);
			guest_remove(sv->pending, &sv->nr_pending, 0);
		}
		if (fd < 0)
			return;
		int on = 1;
		struct guest *g = &sv->pending[sv->nr_pending++];
		*g = (struct guest){ .fd = fd,
				     .born_ns = now,
				     .deadline_ns = now + sv->opts.handshake_ns,
				     .for_streams = sv->test.state == SESSION_STREAMS };
		net_addr_peer(fd, &g->peer);
		setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
		if (!guest_read(sv, g, now)) /* the cookie is mostly there already */
			sv->nr_pending--;
	}
}

static void guests_time(struct server *sv, uint64_t now)
{
	for (unsigned i = sv->nr_pending; i-- > 0;)
		if (now >= sv->pending[i].deadline_ns) {
			close(sv->pending[i].fd);
			guest_remove(sv->pending, &sv->nr_pending, i);
		}
	if (!sv->nr_queue || now - sv->told_ns < NS_PER_SEC)
		return;
	sv->told_ns = now;
	for (unsigned i = 0; i < sv->nr_queue; i++)
		if (iperf_cookie_ours(sv->queue[i].cookie))
			tell_busy(sv, &sv->queue[i], IPERF_QUEUED, i + 1, now);
}

/* A waiting client has nothing to say: whatever is there means that it is gone. */
static void queue_io(struct server *sv, const struct pollfd *pfd)
{
	char who[NET_ADDR_TEXT];

	for (unsigned i = sv->nr_queue; i-- > 0;)
		if (pfd[i].revents) {
			note(sv, "%s does not wait any longer", net_addr_text(&sv->queue[i].peer, who));
			close(sv->queue[i].fd);
			guest_remove(sv->queue, &sv->nr_queue, i);
		}
}

static uint64_t next_time(const struct server *sv, uint64_t now)
{
	uint64_t next = session_next(&sv->test);

	for (unsigned i = 0; i < sv->nr_pending; i++) {
		const struct guest *g = &sv->pending[i];
		uint64_t order = g->born_ns + ORDER_NS; /* a stream may be held back until then */
		if (g->deadline_ns < next)
			next = g->deadline_ns;
		if (g->for_streams && now < order && order < next)
			next = order;
	}
	if (sv->nr_queue && sv->told_ns + NS_PER_SEC < next)
		next = sv->told_ns + NS_PER_SEC;
	uint64_t check = now + NS_PER_SEC / 5; /* the stop flag */
	return next < check ? next : check;
}

/* One wait and what it brought. */
static void turn(struct server *sv)
{
	uint64_t now = clock_ns(), next = next_time(sv, now);
	struct pollfd *p = sv->pfd;
	nfds_t n = 3;

	p[0] = (struct pollfd){ .fd = sv->listener, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = sv->test.state == SESSION_FREE ? -1 : sv->test.fd };
	if (p[1].fd >= 0)
		p[1].events = session_events(&sv->test);
	p[2] = (struct pollfd){ .fd = sv->test.udp_listener, .events = POLLIN };
	for (unsigned i = 0; i < sv->nr_queue; i++)
		p[n++] = (struct pollfd){ .fd = sv->queue[i].fd, .events = POLLIN | POLLRDHUP };
	nfds_t first_pending = n;
	for (unsigned i = 0; i < sv->nr_pending; i++)
		p[n++] = (struct pollfd){ .fd = sv->pending[i].got < IPERF_COOKIE ? sv->pending[i].fd : -1,
					  .events = POLLIN };
	struct timespec ts = clock_timespec(next > now ? next - now : 0);
	if (ppoll(p, n, &ts, NULL) < 0)
		return;
	now = clock_ns();
	if (p[1].revents && sv->test.state != SESSION_OVER)
		session_io(&sv->test, p[1].revents, now);
	session_time(&sv->test, now);
	queue_io(sv, &p[3]);
	next_test(sv, now);
	for (unsigned i = sv->nr_pending; i-- > 0;) /* backwards, since guests leave */
		if (p[first_pending + i].revents && !guest_read(sv, &sv->pending[i], now))
			guest_remove(sv->pending, &sv->nr_pending, i);
	if (p[2].revents && sv->test.udp_listener >= 0)
		session_greeted(&sv->test);
	if (p[0].revents)
		accept_all(sv, now);
	admit_streams(sv, now);
	guests_time(sv, now);
	next_test(sv, now);
}

static int open_port(struct server *sv, struct err *err)
{
	struct net_sockopts so = { .family = sv->opts.family, .bind = sv->opts.bind };
	struct net_addr at;
	char host[NET_ADDR_TEXT];

	sv->listener = net_listen(sv->opts.port, &so, err);
	if (sv->listener < 0)
		return -1;
	net_addr_local(sv->listener, &at);
	if (sv->hooks->listening)
		sv->hooks->listening(sv->hooks->ctx, net_addr_host(&at, host), net_addr_port(&at));
	return 0;
}

int iperf_server_run(const struct iperf_server_opts *opts, const struct iperf_server_hooks *hooks,
		     net_stop *stop, struct err *err)
{
	static const struct iperf_server_hooks none;
	struct server *sv = calloc(1, sizeof(*sv));

	if (!sv)
		return err_sys(err, "server");
	sv->opts = *opts;
	sv->opts.handshake_ns = opts->handshake_ns ? opts->handshake_ns : 10 * NS_PER_SEC;
	sv->opts.grace_ns = opts->grace_ns ? opts->grace_ns : 40 * NS_PER_SEC;
	sv->opts.silence_ns = opts->silence_ns ? opts->silence_ns : 120 * NS_PER_SEC;
	sv->opts.queue = opts->queue < IPERF_QUEUE_MAX ? opts->queue : IPERF_QUEUE_MAX;
	sv->hooks = hooks ? hooks : &none;
	sv->test = (struct session){ .opts = &sv->opts, .hooks = sv->hooks, .udp_listener = -1 };
	int rc = open_port(sv, err);
	while (!rc && !(stop && atomic_load_explicit(stop, memory_order_relaxed)) &&
	       !(sv->opts.one_off && sv->served))
		turn(sv);
	session_terminate(&sv->test);
	if (sv->test.state == SESSION_OVER)
		session_release(&sv->test);
	for (unsigned i = 0; i < sv->nr_pending; i++)
		close(sv->pending[i].fd);
	for (unsigned i = 0; i < sv->nr_queue; i++)
		close(sv->queue[i].fd);
	if (sv->listener >= 0 && !rc)
		close(sv->listener);
	free(sv);
	return rc;
}
