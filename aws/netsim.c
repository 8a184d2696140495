/* SPDX-License-Identifier: MIT */
#include "aws/netsim.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/clock.h"

/* The shortest burst that the EC2 User Guide names (2023-05: "5 to 60 minutes"). */
#define BURST_UNKNOWN_S 300.0

int netsim_of(const struct net_expect *e, double time_scale, double credits, struct netsim *out,
	      struct err *err)
{
	if (isnan(e->base_bps) || e->base_bps <= 0)
		return err_set(err, ERR_USAGE, "no network figure to simulate: %s", e->label);
	*out = (struct netsim){ .base_bps = net_expect_base(e),
				.peak_bps = net_expect_peak(e),
				.time_scale = time_scale,
				.burst_s = isnan(e->burst_s) ? BURST_UNKNOWN_S : e->burst_s,
				.credits = credits };
	return 0;
}

double netsim_burst_end(const struct netsim *s)
{
	return s->peak_bps > s->base_bps ? s->burst_s * s->credits / s->time_scale : 0;
}

double netsim_bits(const struct netsim *s, double from_s, double to_s)
{
	double end = netsim_burst_end(s);
	double bursting = fmax(fmin(to_s, end) - from_s, 0);

	return bursting * s->peak_bps + (to_s - from_s - bursting) * s->base_bps;
}

/* A link is never quite still: up to 1.5 % up or down from one tick to the next, the same each time. */
static double unrest(uint64_t tick)
{
	uint64_t x = (tick + 1) * 0x9e3779b97f4a7c15ULL;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ULL;
	return 1 + 0.015 * ((double)(x >> 40) / (double)(1 << 23) - 1);
}

struct sim {
	const struct netsim *net;
	const struct iperf_client_hooks *hooks;
	struct iperf_report *rep;
	struct net_stream *now;
	uint64_t omit_ns, last_ns, ticks;
};

/* One tick of @p r: the streams share what the network lets through. */
static void sim_tick(struct sim *m, uint64_t t_ns)
{
	struct iperf_report *r = m->rep;
	struct net_sample s = { .t_ns = t_ns,
				.dt_ns = t_ns - m->last_ns,
				.omitted = m->last_ns < m->omit_ns,
				.retransmits = NET_NONE,
				.nr_streams = r->n,
				.stream = m->now };
	double bits =
		netsim_bits(m->net, clock_seconds(m->last_ns), clock_seconds(t_ns)) * unrest(m->ticks++);
	unsigned share = (unsigned)r->params.parallel;

	for (unsigned i = 0; i < r->n; i++) {
		struct iperf_report_stream *st = &r->stream[i];
		uint64_t bytes = (uint64_t)(bits / 8 / share);
		m->now[i] = (struct net_stream){ .bytes = bytes, .retransmits = st->sends ? 0 : NET_NONE };
		*(st->sends ? &s.sent : &s.received) += bytes;
		if (st->sends)
			s.retransmits = 0;
		if (!s.omitted)
			st->bytes += bytes;
	}
	if (!s.omitted)
		r->seconds += clock_seconds(s.dt_ns);
	m->last_ns = t_ns;
	if (m->hooks->sample)
		m->hooks->sample(m->hooks->ctx, &s);
}

static void sim_loop(struct sim *m, uint64_t tick_ns, uint64_t end_ns, net_stop *stop)
{
	uint64_t start = clock_ns();

	for (uint64_t next = tick_ns; m->last_ns < end_ns; next += tick_ns) {
		uint64_t at = start + (next < end_ns ? next : end_ns);
		struct timespec ts = clock_timespec(at);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		uint64_t now = clock_ns();
		if (now >= at)
			sim_tick(m, now - start);
		if (stop && atomic_load_explicit(stop, memory_order_relaxed)) {
			m->rep->stopped = true;
			return;
		}
	}
}

static void sim_figures(struct iperf_report *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct iperf_report_stream *st = &r->stream[i];
		*(st->sends ? &r->sent : &r->received) += st->bytes;
		*(st->sends ? &r->peer_received : &r->peer_sent) += st->bytes;
		st->peer_bytes = st->bytes;
		st->seconds = st->peer_end_s = r->seconds;
	}
	r->measured = r->complete = true;
}

int netsim_run(const struct netsim *s, const struct iperf_client_opts *opts,
	       const struct iperf_client_hooks *hooks, net_stop *stop, struct iperf_report *report,
	       struct err *err)
{
	static const struct iperf_client_hooks none;
	const struct iperf_params *p = &opts->params;
	struct sim m = {
		.net = s, .hooks = hooks ? hooks : &none, .rep = report, .omit_ns = p->omit_s * NS_PER_SEC
	};

	*report = (struct iperf_report){ .params = *p,
					 .retransmits = NET_NONE,
					 .peer_retransmits = NET_NONE,
					 .peer_cpu_total = NAN,
					 .peer_cpu_user = NAN,
					 .peer_cpu_system = NAN,
					 .started_s = (int64_t)time(NULL) };
	snprintf(report->host, sizeof(report->host), "%s", opts->host ? opts->host : "sim:net");
	if (iperf_params_check(p, err) < 0)
		return -1;
	report->n = iperf_params_streams(p);
	report->stream = calloc(report->n, sizeof(*report->stream));
	m.now = calloc(report->n, sizeof(*m.now));
	if (!report->stream || !m.now) {
		free(m.now);
		return err_sys(err, "streams");
	}
	for (unsigned i = 0; i < report->n; i++)
		report->stream[i] = (struct iperf_report_stream){ .id = iperf_stream_id(i),
								  .sends = iperf_params_client_sends(p, i),
								  .retransmits = NET_NONE,
								  .peer_retransmits = NET_NONE,
								  .mean_rtt_us = NAN };
	sim_loop(&m, opts->tick_ns ? opts->tick_ns : IPERF_TICK_NS, (p->time_s + p->omit_s) * NS_PER_SEC,
		 stop);
	sim_figures(report);
	free(m.now);
	return 0;
}
