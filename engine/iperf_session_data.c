/* SPDX-License-Identifier: MIT */
#include "engine/iperf_session.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/counters.h"
#include "engine/netstat.h"

/* What was counted so far in one direction is no part of the result; a sender's count starts with what is
 * acknowledged. */
void session_take_base(struct session *s, bool sends, uint64_t now)
{
	struct tcp_state ts;

	for (unsigned i = 0; i < s->n; i++) {
		if (s->flow[i].sends != sends)
			continue;
		bool known = tcp_state_read(s->flow[i].fd, &ts);
		s->base[i].packets = ctr_get(&s->flow[i].packets);
		s->base[i].lost = ctr_get(&s->flow[i].lost);
		uint64_t bytes = ctr_get(&s->flow[i].bytes);
		if (sends && known && ts.acked != NETSTAT_NONE && ts.acked - s->base[i].acked < bytes)
			bytes = ts.acked - s->base[i].acked;
		s->base[i].bytes = bytes;
		s->base[i].retransmits = known ? ts.retransmits : 0;
	}
	s->base_ns[sends] = now;
	s->based[sends] = true;
}

void session_run_begin(struct session *s)
{
	const struct iperf_params *p = &s->params;
	struct netflow_opts o = {
		.len = p->len,
		.rate_bps = p->bandwidth,
		.burst = p->burst,
		.skip_copy = p->skip_rx_copy,
		.udp = p->udp,
		.wide_numbers = p->wide_numbers,
	};
	struct err err;

	getrusage(RUSAGE_SELF, &s->usage);
	for (unsigned i = 0; i < s->n; i++) {
		struct tcp_state ts;
		s->base[i].acked =
			tcp_state_read(s->flow[i].fd, &ts) && ts.acked != NETSTAT_NONE ? ts.acked : 0;
	}
	s->set = netflow_start(s->flow, s->n, &o, &err);
	if (!s->set) {
		session_say_error(s, IPERF_EACCEPT, err.code);
		session_over(s, "%s", err.msg);
		return;
	}
	/* Ready first, then the word: the client's time starts with it, and so does ours. */
	session_say(s, (const char[]){ IPERF_TEST_START, IPERF_TEST_RUNNING }, 2);
	uint64_t now = clock_ns();
	s->start_ns = s->base_ns[0] = s->base_ns[1] = s->tick_ns = s->moved_ns = now;
	s->based[0] = s->based[1] = !p->omit_s;
	if (s->state == SESSION_OVER)
		return;
	uint64_t until =
		p->time_s ? now + (p->time_s + p->omit_s) * NS_PER_SEC + s->opts->grace_ns : UINT64_MAX;
	session_enter(s, SESSION_RUN, until);
}

static void moved(const struct session *s, uint64_t *sent, uint64_t *received)
{
	*sent = *received = 0;
	for (unsigned i = 0; i < s->n; i++)
		*(s->flow[i].sends ? sent : received) += ctr_get(&s->flow[i].bytes);
}

void session_progress(struct session *s, uint64_t now)
{
	uint64_t sent, received, dt = now - s->tick_ns;

	moved(s, &sent, &received);
	uint64_t d_sent = sent - s->tick_sent, d_received = received - s->tick_received;
	if (d_sent + d_received)
		s->moved_ns = now;
	s->tick_ns = now, s->tick_sent = sent, s->tick_received = received;
	if (s->hooks->progress && dt)
		s->hooks->progress(s->hooks->ctx, &s->peer, clock_seconds(now - s->start_ns),
				   s->params.time_s ? (double)(s->params.time_s + s->params.omit_s) : NAN, dt,
				   d_sent, d_received);
}

static double seconds_of(struct timeval a, struct timeval b)
{
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_usec - a.tv_usec) / 1e6;
}

/* No byte for so long: the rest does not come. And no client keeps the others waiting for longer in all. */
#define REST_SILENCE_NS (NS_PER_SEC / 5)
#define REST_MAX_NS     NS_PER_SEC
#define REST_LOOK_NS    1000000

/*
 * The end of a test is told on a connection of its own and may overtake data that waits for room in our buffers. A
 * test by the clock ends then; of one that sends so many bytes each counts.
 */
void session_await_rest(struct session *s)
{
	const struct iperf_params *p = &s->params;
	uint64_t want = p->num ? p->num : p->blockcount * p->len, sent, received, before = 0;
	uint64_t start = clock_ns(), came = start;
	struct timespec pause = clock_timespec(REST_LOOK_NS);

	if (!want || p->reverse || p->bidir || !s->set)
		return;
	for (uint64_t now = start; now - came < REST_SILENCE_NS && now - start < REST_MAX_NS; now = clock_ns()) {
		moved(s, &sent, &received);
		if (received >= want)
			return;
		if (received != before)
			came = now;
		before = received;
		nanosleep(&pause, NULL);
	}
}

/* Stop the data and take our figures; the data connections are closed, as every iperf3 does here. */
void session_run_end(struct session *s)
{
	struct rusage u;
	struct tcp_state ts;

	if (!s->set)
		return;
	netflow_drain(s->set, true);
	uint64_t now = clock_ns();
	for (int sends = 0; sends < 2; sends++)
		if (!s->based[sends])
			session_take_base(s, sends, now);
	getrusage(RUSAGE_SELF, &u);
	double wall = clock_seconds(now - s->start_ns);
	s->served.seconds = clock_seconds(now - s->base_ns[s->flow[0].sends]);
	s->ours.cpu_user = wall > 0 ? seconds_of(s->usage.ru_utime, u.ru_utime) / wall * 100 : 0;
	s->ours.cpu_system = wall > 0 ? seconds_of(s->usage.ru_stime, u.ru_stime) / wall * 100 : 0;
	s->ours.cpu_total = s->ours.cpu_user + s->ours.cpu_system;
	s->ours.has_retransmits = -1;
	tcp_congestion(s->flow[0].fd, s->ours.congestion, sizeof(s->ours.congestion));
	snprintf(s->ours.version, sizeof(s->ours.version), "%s", s->opts->version ? s->opts->version : "");
	for (unsigned i = 0; i < s->n; i++) {
		struct iperf_stream_result *r = &s->ours.stream[i];
		bool sends = s->flow[i].sends, known = sends && tcp_state_read(s->flow[i].fd, &ts);
		*r = (struct iperf_stream_result){
			.id = iperf_stream_id(i),
			.bytes = ctr_get(&s->flow[i].bytes) - s->base[i].bytes,
			.retransmits = known ? ts.retransmits - s->base[i].retransmits : IPERF_UNKNOWN,
			.packets = ctr_get(&s->flow[i].packets),
			.omitted_packets = s->base[i].packets,
			.lost = ctr_get(&s->flow[i].lost),
			.omitted_lost = s->base[i].lost,
			.jitter_s = (double)ctr_get(&s->flow[i].jitter_ns) / 1e9,
			.end_s = clock_seconds(now - s->base_ns[sends])
		};
		if (known)
			s->ours.has_retransmits = 1;
		*(sends ? &s->served.sent : &s->served.received) += r->bytes;
	}
	s->ours.n = s->n;
	netflow_finish(s->set);
	s->set = NULL;
	for (unsigned i = 0; i < s->n; i++) {
		close(s->flow[i].fd);
		s->flow[i].fd = -1;
	}
}
