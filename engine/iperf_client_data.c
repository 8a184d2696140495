/* SPDX-License-Identifier: MIT */
#include "engine/iperf_client_parts.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "engine/clock.h"
#include "engine/counters.h"
#include "engine/netstat.h"
#include "engine/netudp.h"

/* The datagrams of this tick. */
static void sample_datagrams(struct iperf_client *c, unsigned i, struct net_stream *row)
{
	const struct netflow *f = &c->flow[i];
	uint64_t packets = ctr_get(&f->packets), lost = ctr_get(&f->lost);

	row->packets = packets - c->prev[i].packets;
	row->lost = (int64_t)(lost - c->prev[i].lost);
	row->jitter_ns = ctr_get(&f->jitter_ns);
	c->prev[i].packets = packets;
	c->prev[i].lost = lost;
}

/* One stream's row of this tick, and its part in the sums. */
static void sample_stream(struct iperf_client *c, unsigned i, struct net_sample *sum, uint64_t *rtts)
{
	struct iperf_report_stream *s = &c->rep->stream[i];
	struct net_stream *row = &c->now[i];
	uint64_t bytes = ctr_get(&c->flow[i].bytes);
	struct tcp_state ts;

	*row = (struct net_stream){ .bytes = bytes - c->prev[i].bytes, .retransmits = NET_NONE };
	c->prev[i].bytes = bytes;
	sample_datagrams(c, i, row);
	bool known = s->sends && tcp_state_read(c->flow[i].fd, &ts);
	if (known && ts.acked != NETSTAT_NONE) {
		row->bytes = ts.acked - c->prev[i].acked;
		c->prev[i].acked = ts.acked;
	}
	*(s->sends ? &sum->sent : &sum->received) += row->bytes;
	if (!known)
		return;
	row->retransmits = ts.retransmits - c->prev[i].retransmits;
	c->prev[i].retransmits = ts.retransmits;
	row->cwnd = ts.cwnd, row->wnd = ts.wnd, row->pmtu = ts.pmtu;
	row->rtt_us = ts.rtt_us, row->rttvar_us = ts.rttvar_us;
	sum->retransmits = (sum->retransmits == NET_NONE ? 0 : sum->retransmits) + row->retransmits;
	sum->cwnd += ts.cwnd;
	*rtts += ts.rtt_us;
	if (sum->omitted || !ts.rtt_us)
		return;
	s->rtt_n++;
	s->rtt_sum += ts.rtt_us;
	if (!s->min_rtt_us || ts.rtt_us < s->min_rtt_us)
		s->min_rtt_us = ts.rtt_us;
	if (ts.rtt_us > s->max_rtt_us)
		s->max_rtt_us = ts.rtt_us;
	if (ts.cwnd > s->max_cwnd)
		s->max_cwnd = ts.cwnd;
	if (ts.wnd > s->max_wnd)
		s->max_wnd = ts.wnd;
}

/*
 * The omitted seconds of a stream are over: what has been counted so far is no part of its result. A sender's
 * count starts with what the peer has acknowledged: what is on its way will be received in the time that
 * counts.
 */
static void take_base(struct iperf_client *c, unsigned i, uint64_t now)
{
	struct iperf_report_stream *s = &c->rep->stream[i];
	uint64_t acked = c->prev[i].acked - s->start_acked;
	bool tells = s->sends && !c->rep->params.udp && acked < c->prev[i].bytes;

	s->base_bytes = tells ? acked : c->prev[i].bytes;
	s->base_retransmits = c->prev[i].retransmits;
	s->base_packets = c->prev[i].packets;
	s->base_lost = c->prev[i].lost;
	s->base_late = ctr_get(&c->flow[i].late);
	s->base_dropped = netudp_dropped(c->flow[i].fd);
	s->base_ns = now;
	s->based = true;
}

static void tick(struct iperf_client *c, uint64_t now)
{
	struct net_sample s = { .t_ns = now - c->start_ns,
				.dt_ns = now - c->last_ns,
				.omitted = !c->rep->stream[0].based,
				.retransmits = NET_NONE,
				.nr_streams = c->rep->n,
				.stream = c->now };
	uint64_t rtts = 0;
	unsigned senders = 0;

	if (!s.dt_ns)
		return;
	for (unsigned i = 0; i < c->rep->n; i++) {
		sample_stream(c, i, &s, &rtts);
		senders += c->rep->stream[i].sends;
	}
	if (senders)
		s.rtt_us = (uint32_t)(rtts / senders);
	c->last_ns = now;
	if (s.sent + s.received)
		c->moved_ns = now;
	if (c->hooks->sample)
		c->hooks->sample(c->hooks->ctx, &s);
	for (unsigned i = 0; i < c->rep->n; i++) {
		const struct iperf_report_stream *st = &c->rep->stream[i];
		if (!st->based && now - c->start_ns >= iperf_omit_end(c->rep->params.omit_s, st->sends))
			take_base(c, i, now);
	}
}

/* Something on the control connection while data flows: only bad news. */
static int control_news(struct iperf_client *c, struct err *err)
{
	int state;

	if (iperf_state_read(c->ctrl, &state, clock_ns() + NS_PER_SEC, NULL, err) < 0)
		return err_wrap(err, "%s is gone in the middle of the test", c->peer);
	if (state == IPERF_SERVER_ERROR)
		return iperf_client_server_error(c, err);
	return iperf_client_unexpected(c, state, IPERF_TEST_RUNNING, err);
}

static unsigned nr_ended(const struct iperf_client *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->rep->n; i++)
		n += atomic_load_explicit(&c->flow[i].ended, memory_order_relaxed) != 0;
	return n;
}

/* Let the data flow until its time, its bytes, the stop flag or bad news. */
static int flow_on(struct iperf_client *c, struct err *err)
{
	const struct iperf_params *p = &c->rep->params;
	uint64_t end = p->time_s ? c->start_ns + (p->time_s + p->omit_s) * NS_PER_SEC : UINT64_MAX;
	uint64_t next = c->start_ns + c->tick_ns;
	struct pollfd pfd[2] = { { .fd = c->ctrl, .events = POLLIN },
				 { .fd = netflow_limit_fd(c->set), .events = POLLIN } };

	for (;;) {
		uint64_t now = clock_ns();
		if (now >= next) {
			tick(c, now);
			next += (now - next) / c->tick_ns * c->tick_ns + c->tick_ns;
		}
		if (now >= end || pfd[1].revents)
			return 0;
		if (c->stop && atomic_load_explicit(c->stop, memory_order_relaxed)) {
			c->rep->stopped = true;
			return 0;
		}
		if (pfd[0].revents)
			return control_news(c, err);
		if (now - c->moved_ns >= c->silence_ns)
			return err_set(err, ETIMEDOUT, "%s: no data moved for %.0f s", c->peer,
				       clock_seconds(c->silence_ns));
		/* With a byte limit nobody's clock ends a test whose streams are all gone. */
		if (end == UINT64_MAX && nr_ended(c) == c->rep->n)
			return err_set(err, ECONNRESET, "%s closed the streams", c->peer);
		uint64_t until = next < end ? next : end;
		struct timespec ts = clock_timespec(until > now ? until - now : 0);
		if (ppoll(pfd, 2, &ts, NULL) < 0)
			pfd[0].revents = pfd[1].revents = 0;
	}
}

static double seconds_of(struct timeval a, struct timeval b)
{
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_usec - a.tv_usec) / 1e6;
}

static void take_cpu(struct iperf_client *c, uint64_t now)
{
	struct rusage u;
	double wall = clock_seconds(now - c->start_ns);

	getrusage(RUSAGE_SELF, &u);
	c->rep->cpu_user = seconds_of(c->usage.ru_utime, u.ru_utime) / wall * 100;
	c->rep->cpu_system = seconds_of(c->usage.ru_stime, u.ru_stime) / wall * 100;
	c->rep->cpu_total = c->rep->cpu_user + c->rep->cpu_system;
}

static void take_datagrams(struct iperf_report_stream *s, const struct netflow *f)
{
	s->packets = ctr_get(&f->packets) - s->base_packets;
	if (s->sends)
		return;
	uint64_t lost = ctr_get(&f->lost);
	s->lost = lost > s->base_lost ? lost - s->base_lost : 0;
	s->late = ctr_get(&f->late) - s->base_late;
	uint64_t dropped = netudp_dropped(f->fd);
	s->dropped = dropped == NET_NONE ? NET_NONE : dropped - s->base_dropped;
	s->jitter_s = (double)ctr_get(&f->jitter_ns) / 1e9;
}

/* The figures of a test whose data has stopped. */
static void take_figures(struct iperf_client *c)
{
	struct iperf_report *r = c->rep;
	uint64_t now = clock_ns();

	tick(c, now);
	r->measured = true;
	r->retransmits = NET_NONE;
	for (unsigned i = 0; i < r->n; i++) {
		struct iperf_report_stream *s = &r->stream[i];
		if (!s->based) /* stopped inside the omitted seconds: nothing counts */
			take_base(c, i, now);
		s->seconds = clock_seconds(now - s->base_ns);
		s->bytes = ctr_get(&c->flow[i].bytes) - s->base_bytes;
		if (r->params.udp)
			take_datagrams(s, &c->flow[i]);
		else if (s->sends)
			s->retransmits = c->prev[i].retransmits - s->base_retransmits;
		s->mean_rtt_us = s->rtt_n ? (double)s->rtt_sum / (double)s->rtt_n : NAN;
		*(s->sends ? &r->sent : &r->received) += s->bytes;
		if (s->retransmits != NET_NONE)
			r->retransmits = (r->retransmits == NET_NONE ? 0 : r->retransmits) + s->retransmits;
	}
	r->seconds = r->stream[0].seconds;
	take_cpu(c, now);
}

int iperf_client_data(struct iperf_client *c, struct err *err)
{
	const struct iperf_params *p = &c->rep->params;
	struct netflow_opts o = { .len = p->len,
				  .rate_bps = p->bandwidth,
				  .burst = p->burst,
				  .limit = p->num ? p->num : p->blockcount * p->len,
				  .skip_copy = p->skip_rx_copy,
				  .udp = p->udp,
				  .wide_numbers = p->wide_numbers };

	for (unsigned i = 0; i < c->rep->n; i++) {
		struct tcp_state ts;
		if (tcp_state_read(c->flow[i].fd, &ts) && ts.acked != NETSTAT_NONE)
			c->prev[i].acked = c->rep->stream[i].start_acked = ts.acked;
	}
	c->rep->started_s = (int64_t)time(NULL);
	getrusage(RUSAGE_SELF, &c->usage);
	c->start_ns = c->last_ns = c->moved_ns = clock_ns();
	for (unsigned i = 0; i < c->rep->n; i++) {
		c->rep->stream[i].based = !p->omit_s;
		c->rep->stream[i].base_ns = c->start_ns;
	}
	c->set = netflow_start(c->flow, c->rep->n, &o, err);
	if (!c->set)
		return -1;
	c->rep->threads = netflow_set_threads(c->set);
	int rc = flow_on(c, err);
	c->rep->lost = nr_ended(c);
	netflow_drain(c->set, false);
	take_figures(c);
	return rc;
}
