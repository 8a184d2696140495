/* SPDX-License-Identifier: MIT */
#include "aws/netmodel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"

/* Payload is less than what a link carries (1,448 of 1,514 bytes at the smallest MTU): that is within the
 * tenth. */
#define PASS_SHARE  0.9
#define ABOVE_SHARE 1.1
/* From here on there is nothing left for more data: what remains is interrupts and other processes. */
#define CPU_BUSY 0.9
/* Share of segments sent again from which loss is worth naming. */
#define LOSS_SHARE 0.01

const char *net_bound_name(enum net_bound b)
{
	static const char *const names[NETB_NR] = {
		[NETB_RATE] = "rate cap",    [NETB_INSTANCE] = "instance allowance",
		[NETB_PPS] = "packet rate",  [NETB_CONNTRACK] = "tracked connections",
		[NETB_CPU] = "cpu",          [NETB_FLOW] = "single flow",
		[NETB_LOSS] = "retransmits", [NETB_LOST] = "lost datagrams",
	};

	return names[b];
}

static void say(struct net_judgement *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct net_judgement *j, const char *fmt, ...)
{
	size_t n = strlen(j->reason);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(j->reason + n, sizeof(j->reason) - n, fmt, ap);
	va_end(ap);
}

static bool moved(const struct ena *e, enum ena_counter c)
{
	return e && e->value[c] != ENA_NONE && e->value[c] > 0;
}

static double loss(const struct net_measured *m)
{
	if (m->retransmits == UINT64_MAX || !m->sent || !m->mss)
		return NAN;
	return (double)m->retransmits * m->mss / (double)m->sent;
}

/* What held the rate: what a counter proves first, then what the figures suggest. */
static void find_bound(const struct net_expect *e, const struct net_measured *m, double level,
		       struct net_judgement *j)
{
	double flows = e->flow_bps * e->streams * (m->dir == NET_BOTH ? 2 : 1);
	bool in = m->dir != NET_SEND && moved(m->ena, ENA_BW_IN),
	     out = m->dir != NET_RECEIVE && moved(m->ena, ENA_BW_OUT);

	j->proven = true;
	if (in || out)
		j->bound = NETB_INSTANCE;
	else if (moved(m->ena, ENA_PPS))
		j->bound = NETB_PPS;
	else if (moved(m->ena, ENA_CONNTRACK))
		j->bound = NETB_CONNTRACK;
	else
		j->proven = false;
	if (j->proven)
		return;
	if (m->rate_cap_bps > 0 && level >= PASS_SHARE * m->rate_cap_bps)
		j->bound = NETB_RATE;
	else if (m->cpu_share >= CPU_BUSY)
		j->bound = NETB_CPU;
	else if (e->flow_bps * e->streams < e->peak_bps && level >= 0.85 * flows &&
		 level <= ABOVE_SHARE * flows)
		j->bound = NETB_FLOW;
	else if (m->udp && m->lost_share >= LOSS_SHARE)
		j->bound = NETB_LOST;
	else if (!m->udp && loss(m) >= LOSS_SHARE)
		j->bound = NETB_LOSS;
}

static void say_bound(const struct net_expect *e, const struct net_measured *m, struct net_judgement *j)
{
	char a[FMT_LEN], b[FMT_LEN];

	switch (j->bound) {
	case NETB_INSTANCE:
		say(j,
		    " The instance's bandwidth allowance was the limit: bw_%s_allowance_exceeded moved by "
		    "%llu.",
		    m->dir != NET_SEND && moved(m->ena, ENA_BW_IN) ? "in" : "out",
		    (unsigned long long)m->ena
			    ->value[m->dir != NET_SEND && moved(m->ena, ENA_BW_IN) ? ENA_BW_IN : ENA_BW_OUT]);
		break;
	case NETB_PPS:
		say(j,
		    " The instance's packet rate was the limit: pps_allowance_exceeded moved by %llu; larger "
		    "packets help.",
		    (unsigned long long)m->ena->value[ENA_PPS]);
		break;
	case NETB_CONNTRACK:
		say(j,
		    " The table of tracked connections was full: conntrack_allowance_exceeded moved by %llu.",
		    (unsigned long long)m->ena->value[ENA_CONNTRACK]);
		break;
	case NETB_RATE:
		say(j, " The test's own -b held it at %s.", net_fmt_bps(a, m->rate_cap_bps));
		break;
	case NETB_CPU:
		say(j, " This side's CPU was %.0f %% busy: it, not the network, was the limit.",
		    m->cpu_share * 100);
		break;
	case NETB_FLOW:
		say(j, " Single-flow cap: one connection carries about %s; -P %u shows what the %s have.",
		    net_fmt_bps(a, e->flow_bps), e->streams_needed, net_fmt_bps(b, e->peak_bps));
		break;
	case NETB_LOSS:
		say(j, " %.1f %% of the segments were sent again: look for loss on the path.", loss(m) * 100);
		break;
	default:
		break;
	}
}

static void say_no_proof(const struct net_measured *m, struct net_judgement *j)
{
	if (j->bound == NETB_NONE && m->ena)
		say(j, " No allowance counter of the card moved: the limit is elsewhere on the path.");
	else if (j->bound == NETB_NONE)
		say(j, " Nothing proves a limit (%s).", m->ena_missing ? m->ena_missing : "no counter");
}

static enum verdict share_verdict(double measured, double expected, double ceiling)
{
	if (measured > ABOVE_SHARE * ceiling)
		return VERDICT_ABOVE;
	return measured >= PASS_SHARE * expected ? VERDICT_PASS : VERDICT_SHORT;
}

/* Both levels were seen. The baseline decides, a burst is best effort: still it is held against what is
 * known. */
static void judge_burst(const struct net_expect *e, const struct net_shape *s, double both, double scale,
			struct net_judgement *j)
{
	char a[FMT_LEN], b[FMT_LEN], c[FMT_LEN], d[FMT_LEN], len[FMT_LEN];
	double peak = net_expect_peak(e) * both, base = net_expect_base(e) * both;
	enum verdict burst = share_verdict(s->burst_bps, peak, peak),
		     after = share_verdict(s->baseline_bps, base, peak);

	j->verdict = burst > after ? burst : after;
	j->expected_bps = base;
	say(j, "Burst of %s for %s, then a baseline of %s; expected %s and %s (%s).",
	    net_fmt_bps(a, s->burst_bps), fmt_duration(len, s->burst_s * scale),
	    net_fmt_bps(b, s->baseline_bps), net_fmt_bps(c, peak), net_fmt_bps(d, base), e->label);
}

/* One level. Above the baseline it is the burst, and the test was too short to see its end. */
static void judge_level(const struct net_expect *e, const struct net_measured *m, double level, double both,
			struct net_judgement *j)
{
	char a[FMT_LEN], b[FMT_LEN], c[FMT_LEN], len[FMT_LEN];
	double peak = net_expect_peak(e) * both, base = net_expect_base(e) * both;
	bool bursts = peak > base * 1.02;
	bool at_base = bursts && level >= PASS_SHARE * base && level <= ABOVE_SHARE * base;

	j->expected_bps = at_base ? base : peak;
	if (at_base) {
		j->verdict = VERDICT_PASS;
		say(j, "%s from the start: the baseline of %s (%s); no credits were left for a burst to %s.",
		    net_fmt_bps(a, level), net_fmt_bps(b, base), e->label, net_fmt_bps(c, peak));
		return;
	}
	j->verdict = share_verdict(level, peak, peak);
	say(j, "%s, expected %s (%s).", net_fmt_bps(a, level), net_fmt_bps(b, peak), e->label);
	if (bursts && j->verdict != VERDICT_SHORT)
		say(j, " Baseline not reached in %s: a burst lasts %s, then %s.",
		    fmt_duration(a, m->seconds * m->time_scale),
		    isnan(e->burst_s) ? "5 to 60 minutes" : fmt_duration(len, e->burst_s),
		    net_fmt_bps(c, base));
}

void net_judge(const struct net_expect *e, const struct net_measured *m, struct net_judgement *out)
{
	const struct net_shape *s = m->shape;
	double both = m->dir == NET_BOTH ? 2 : 1;
	bool burst = !isnan(s->burst_bps) && (!m->udp || m->dir == NET_RECEIVE);
	/* The receivers' figure where it is known: what was sent is not yet what arrived. */
	double level = burst                                       ? s->burst_bps
		       : (s->stalled_s > 0 && !m->udp) || isnan(m->goodput_bps) ? s->level_bps
								   : m->goodput_bps;
	char a[FMT_LEN];

	*out = (struct net_judgement){ .verdict = VERDICT_UNKNOWN, .expected_bps = NAN };
	if (isnan(level) || m->failed) {
		say(out, m->failed ? "The test did not come to its end." : "Nothing was measured.");
		return;
	}
	find_bound(e, m, level, out);
	if (isnan(e->base_bps)) {
		say(out, "%s; %s, so there is nothing to hold it against.", net_fmt_bps(a, level),
		    e->host.kind == HOST_NONE ? e->label : "no network figure of this host is known");
	} else if (burst) {
		judge_burst(e, s, both, m->time_scale, out);
	} else {
		judge_level(e, m, level, both, out);
	}
	if (s->nr_stalls)
		say(out, " Nothing moved for %.1f s in all.", s->stalled_s * m->time_scale);
	say_bound(e, m, out);
	if (m->udp && m->lost_share >= LOSS_SHARE)
		say(out, " %.1f %% of the datagrams were lost.", m->lost_share * 100);
	/* A cap that the user set, or a flow's, is no fault of the network. */
	if (out->verdict == VERDICT_SHORT && out->bound == NETB_RATE)
		out->verdict = VERDICT_UNKNOWN;
	if (out->verdict == VERDICT_SHORT)
		say_no_proof(m, out);
}
