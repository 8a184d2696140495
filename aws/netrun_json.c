/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aws/netrun.h"
#include "engine/clock.h"

/* The card also carries headers, acknowledgements and what others do; above this it is worth a word. */
#define CARD_MORE 1.25

static void set(json_t *o, const char *key, json_t *v)
{
	json_object_set_new(o, key, v);
}

static json_t *counter(uint64_t v)
{
	return v == NET_NONE ? json_null() : json_u64(v);
}

static json_t *per_stream(const struct iperf_report *r)
{
	json_t *list = json_array();
	char text[NET_ADDR_TEXT];

	for (unsigned i = 0; i < r->n; i++) {
		const struct iperf_report_stream *s = &r->stream[i];
		json_t *o = json_object();
		set(o, "id", json_integer(s->id));
		set(o, "direction", json_text(s->sends ? "send" : "receive"));
		set(o, "bytes", json_u64(s->bytes));
		set(o, "bits_per_second",
		    json_num(s->seconds > 0 ? 8.0 * (double)s->bytes / s->seconds : NAN));
		set(o, "peer_bytes", counter(s->peer_bytes));
		set(o, "retransmits", counter(s->sends ? s->retransmits : s->peer_retransmits));
		set(o, "rtt_us", json_num(s->mean_rtt_us));
		set(o, "packets", counter(s->packets));
		set(o, "peer_packets", counter(s->peer_packets));
		set(o, "lost_packets", counter(s->lost));
		set(o, "dropped_here", counter(s->dropped));
		set(o, "out_of_order", counter(s->late));
		set(o, "jitter_us", json_num(1e6 * s->jitter_s));
		set(o, "max_cwnd", s->max_cwnd ? json_integer(s->max_cwnd) : json_null());
		set(o, "local", s->local.len ? json_text(net_addr_text(&s->local, text)) : json_null());
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *peer_of(const struct netrun *r)
{
	const struct iperf_report *rep = &r->report;
	json_t *o = json_object();
	char text[NET_ADDR_TEXT];
	bool known = rep->peer_sent != NET_NONE || rep->peer_received != NET_NONE;

	if (r->setup.simulated) {
		json_decref(o);
		return json_null();
	}
	set(o, "address", rep->peer.len ? json_text(net_addr_host(&rep->peer, text)) : json_null());
	set(o, "port", json_integer(rep->port));
	set(o, "version", rep->peer_version[0] ? json_text(rep->peer_version) : json_null());
	set(o, "bytes",
	    known ? json_u64((rep->peer_sent == NET_NONE ? 0 : rep->peer_sent) +
			     (rep->peer_received == NET_NONE ? 0 : rep->peer_received))
		  : json_null());
	set(o, "sent", counter(rep->peer_sent));
	set(o, "received", counter(rep->peer_received));
	set(o, "retransmits", counter(rep->peer_retransmits));
	set(o, "cpu_pct", json_num(rep->peer_cpu_total));
	set(o, "congestion", rep->peer_congestion[0] ? json_text(rep->peer_congestion) : json_null());
	return o;
}

static json_t *phases_of(const struct net_shape *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->nr_phases; i++) {
		json_t *o = json_object();
		set(o, "kind", json_text(phase_kind_name(s->phase[i].kind)));
		set(o, "start_s", json_num(s->phase[i].start_s));
		set(o, "end_s", json_num(s->phase[i].end_s));
		set(o, "iops", json_null());
		set(o, "bw_bytes", json_num(s->phase[i].bw));
		set(o, "bits_per_second", json_num(s->phase[i].bw * 8));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *stalls_of(const struct net_shape *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->nr_stalls; i++)
		json_array_append_new(list, json_pack("{s:f, s:f}", "start_s", s->stall[i].start_s, "seconds",
						      s->stall[i].length_s));
	return list;
}

/* A row in the form of the published tables, in the network's time: what a full credit gives does not shrink with it. */
static json_t *row_of(const struct netrun *r)
{
	const struct net_shape *s = &r->shape;
	const struct host *h = &r->setup.on;
	double scale = r->setup.simulated ? r->setup.time_scale : 1;
	bool burst = !isnan(s->burst_bps);
	json_t *o = json_object();

	set(o, "vcpu", h->kind == HOST_NONE ? json_null() : json_num(h->vcpu));
	set(o, "memory_mib", h->kind == HOST_NONE ? json_null() : json_u64(h->mem_mib));
	set(o, "baseline_gbps", json_num(s->baseline_bps / 1e9));
	set(o, "burst_gbps", json_num((burst ? s->burst_bps : s->level_bps) / 1e9));
	set(o, "burst_s", json_num(s->burst_s * scale));
	set(o, "bytes_above_baseline", json_num(s->above_bytes * scale));
	return o;
}

static json_t *credits_of(const struct netrun *r)
{
	const struct net_expect *e = &r->expect;
	enum net_direction dir = net_setup_direction(&r->setup);
	double spent = 0, start = r->setup.simulated ? r->setup.credits : 1;

	if (isnan(e->burst_bytes) || e->burst_bytes <= 0)
		return json_null();
	for (size_t i = 0; i < r->series.n; i++)
		spent = fmax(spent + net_credit_spent(e, dir, &r->series.row[i]), 0);
	json_t *o = json_object();
	set(o, "unit", json_text("bytes"));
	set(o, "start", json_num(start * e->burst_bytes));
	set(o, "end", json_num(fmax(start * e->burst_bytes - spent * r->setup.time_scale, 0)));
	set(o, "capacity", json_num(e->burst_bytes));
	set(o, "source", json_text("workers"));
	set(o, "assumed", json_boolean(!r->setup.simulated));
	return o;
}

static json_t *interface_of(const struct netrun *r)
{
	json_t *o = json_object(), *ena = json_object();

	if (!r->card[0]) {
		json_decref(o);
		json_decref(ena);
		return json_null();
	}
	set(o, "name", json_text(r->card));
	set(o, "rx_bytes", r->card_known ? json_u64(r->card_moved.rx_bytes) : json_null());
	set(o, "tx_bytes", r->card_known ? json_u64(r->card_moved.tx_bytes) : json_null());
	set(o, "rx_packets", r->card_known ? json_u64(r->card_moved.rx_packets) : json_null());
	set(o, "tx_packets", r->card_known ? json_u64(r->card_moved.tx_packets) : json_null());
	set(o, "rx_dropped", r->card_known ? json_u64(r->card_moved.rx_dropped) : json_null());
	set(o, "tx_dropped", r->card_known ? json_u64(r->card_moved.tx_dropped) : json_null());
	for (int c = 0; r->ena_known && c < ENA_NR; c++)
		if (r->ena_moved.value[c] != ENA_NONE)
			set(ena, ena_counter_name((enum ena_counter)c), json_u64(r->ena_moved.value[c]));
	if (r->ena_known) {
		set(o, "ena", ena);
	} else {
		json_decref(ena);
		set(o, "ena", json_null());
		set(o, "ena_missing", json_text(r->ena_missing));
	}
	return o;
}

/* Of all streams: what the receivers saw. */
static json_t *datagrams_of(const struct iperf_report *rep)
{
	struct iperf_datagrams d;
	json_t *o = json_object();

	iperf_report_datagrams(rep, &d);
	set(o, "len", json_u64(rep->params.len));
	set(o, "packets", counter(d.packets));
	set(o, "lost_packets", counter(d.lost));
	set(o, "lost_pct", json_num(100 * d.lost_share));
	set(o, "dropped_here", counter(d.dropped));
	set(o, "out_of_order", counter(d.late));
	set(o, "jitter_us", json_num(1e6 * d.jitter_s));
	return o;
}

static json_t *more_of(const struct netrun *r)
{
	const struct iperf_report *rep = &r->report;
	json_t *o = json_object();
	double rtt = 0, n = 0;

	for (unsigned i = 0; i < rep->n; i++)
		if (!isnan(rep->stream[i].mean_rtt_us))
			rtt += rep->stream[i].mean_rtt_us, n++;
	set(o, "direction", json_text(net_direction_name(net_setup_direction(&r->setup))));
	set(o, "streams", json_u64(r->setup.params.parallel));
	set(o, "preset", r->setup.preset[0] ? json_text(r->setup.preset) : json_null());
	set(o, "time_scale", json_num(r->setup.simulated ? r->setup.time_scale : 1));
	set(o, "omit_s", json_u64(r->setup.params.omit_s));
	set(o, "bits_per_second", json_num(iperf_report_bps(rep)));
	set(o, "sent", rep->measured ? json_u64(rep->sent) : json_null());
	set(o, "received", rep->measured ? json_u64(rep->received) : json_null());
	set(o, "retransmits",
	    counter(rep->retransmits != NET_NONE ? rep->retransmits : rep->peer_retransmits));
	set(o, "rtt_us", json_num(n > 0 ? rtt / n : NAN));
	set(o, "udp", rep->params.udp ? datagrams_of(rep) : json_null());
	set(o, "mss", rep->mss ? json_integer(rep->mss) : json_null());
	set(o, "congestion", rep->congestion[0] ? json_text(rep->congestion) : json_null());
	set(o, "per_stream", per_stream(rep));
	set(o, "peer", peer_of(r));
	set(o, "phases", phases_of(&r->shape));
	set(o, "stalls", stalls_of(&r->shape));
	set(o, "row", row_of(r));
	set(o, "interface", interface_of(r));
	set(o, "expected", net_expect_to_json(&r->expect));
	set(o, "credits", credits_of(r));
	set(o, "bound_by", json_text(net_bound_name(r->judgement.bound)));
	set(o, "proven", json_boolean(r->judgement.proven));
	set(o, "stopped", json_boolean(rep->stopped));
	set(o, "error", r->failed ? json_text(r->error) : json_null());
	return o;
}

static void warn_datagrams(struct result *res, const struct iperf_report *rep)
{
	struct iperf_datagrams d;

	iperf_report_datagrams(rep, &d);
	if (d.dropped != NET_NONE && d.dropped && d.lost != NET_NONE && d.lost)
		result_warn(res, "%llu of the %llu lost datagrams arrived and found no room in our socket: -w, or a CPU "
				 "that keeps up, not the network", (unsigned long long)d.dropped, (unsigned long long)d.lost);
	if (d.lost_share >= 0.01 && !rep->params.reverse)
		result_warn(res, "what we send is drawn as sent: %.1f %% of the datagrams did not arrive", 100 * d.lost_share);
	if (d.tail != NET_NONE && d.tail > d.packets / 10)
		result_warn(res, "the last %llu datagrams of those sent did not come, and count for no loss",
			    (unsigned long long)d.tail);
}

static void warn(struct result *res, const struct netrun *r)
{
	const struct iperf_report *rep = &r->report;
	enum net_direction dir = net_setup_direction(&r->setup);
	double ours = 0,
	       card = (double)(dir == NET_RECEIVE ? r->card_moved.rx_bytes : r->card_moved.tx_bytes);

	for (size_t i = 0; i < r->series.n; i++)
		ours += (double)(dir == NET_RECEIVE ? r->series.row[i].received : r->series.row[i].sent);
	if (r->card_known && strcmp(r->card, "lo") != 0 && card > CARD_MORE * ours && card - ours > 1e7)
		result_warn(res, "%s moved %.0f %% more than the test: others used it too", r->card,
			    (card / ours - 1) * 100);
	if (r->shape.nr_stalls)
		result_warn(res, "nothing moved for %.1f s in all: drawn as zero, no part of a phase",
			    r->shape.stalled_s);
	if (rep->params.omit_s && rep->complete &&
	    ((rep->peer_received != NET_NONE && dir == NET_SEND && rep->peer_received > rep->sent) ||
	     (rep->peer_sent != NET_NONE && dir == NET_RECEIVE && rep->received > rep->peer_sent)))
		result_warn(res, "more was received than sent: the two sides' omitted seconds end at "
				 "different moments");
	if (rep->measured && !rep->complete && !r->setup.simulated)
		result_warn(res, "the peer's figures did not come: only ours are shown");
	if (rep->complete && rep->lost)
		result_warn(res, "%u of %u streams ended before the test did", rep->lost, rep->n);
	if (rep->params.udp)
		warn_datagrams(res, rep);
	if (rep->stopped)
		result_warn(res, "stopped before its time");
}

struct result *netrun_result(const struct netrun *r)
{
	const struct iperf_report *rep = &r->report;
	struct result *res = result_new();
	double wall;

	if (!res)
		return NULL;
	wall = r->series.n ? clock_seconds(r->series.row[r->series.n - 1].t_ns) : 0;
	res->kind = TEST_NET;
	snprintf(res->name, sizeof(res->name), "%s", r->setup.preset[0] ? r->setup.preset : "net");
	res->start_s = (double)rep->params.omit_s;
	res->end_s = wall;
	res->runtime_s = rep->measured ? rep->seconds : NAN;
	res->dir[DDIR_READ].bytes = rep->received;
	res->dir[DDIR_WRITE].bytes = rep->sent;
	res->all.bytes = rep->sent + rep->received;
	res->all.bw_bytes = iperf_report_bps(rep) / 8;
	if (rep->measured && !r->setup.simulated) {
		res->cpu_pct = rep->cpu_total;
		res->cpu_usr_s = rep->cpu_user / 100 * wall;
		res->cpu_sys_s = rep->cpu_system / 100 * wall;
	}
	res->cpu_bound = r->judgement.bound == NETB_CPU;
	res->failed = r->failed;
	res->verdict = r->judgement.verdict;
	snprintf(res->reason, sizeof(res->reason), "%s", r->judgement.reason);
	res->more = more_of(r);
	warn(res, r);
	return res;
}
