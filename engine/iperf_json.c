/* SPDX-License-Identifier: MIT */
#include "engine/iperf_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "engine/clock.h"

static void set(json_t *o, const char *key, json_t *v)
{
	json_object_set_new(o, key, v);
}

static double rate(uint64_t bytes, double seconds)
{
	return seconds > 0 ? 8.0 * (double)bytes / seconds : 0;
}

/* The six keys that every figure over a time starts with. */
static json_t *stretch(double start, double end, double seconds, uint64_t bytes)
{
	json_t *o = json_object();

	set(o, "start", json_num(start));
	set(o, "end", json_num(end));
	set(o, "seconds", json_num(seconds));
	set(o, "bytes", json_u64(bytes));
	set(o, "bits_per_second", json_num(rate(bytes, seconds)));
	return o;
}

static json_t *connections(const struct iperf_report *r)
{
	json_t *list = json_array();
	char local[NET_ADDR_TEXT], remote[NET_ADDR_TEXT];

	for (unsigned i = 0; i < r->n; i++) {
		const struct iperf_report_stream *s = &r->stream[i];
		if (!s->local.len)
			continue;
		json_t *o = json_object();
		set(o, "socket", json_integer(s->socket));
		set(o, "local_host", json_text(net_addr_host(&s->local, local)));
		set(o, "local_port", json_integer(net_addr_port(&s->local)));
		set(o, "remote_host", json_text(net_addr_host(&s->remote, remote)));
		set(o, "remote_port", json_integer(net_addr_port(&s->remote)));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *test_start(const struct iperf_params *p)
{
	json_t *o = json_object();

	set(o, "protocol", json_text(p->udp ? "UDP" : "TCP"));
	set(o, "num_streams", json_u64(p->parallel));
	set(o, "blksize", json_u64(p->len));
	set(o, "omit", json_u64(p->omit_s));
	set(o, "duration", json_u64(p->time_s));
	set(o, "bytes", json_u64(p->num));
	set(o, "blocks", json_u64(p->blockcount));
	set(o, "reverse", json_integer(p->reverse));
	set(o, "tos", json_u64(p->tos));
	set(o, "target_bitrate", json_u64(p->bandwidth));
	set(o, "bidir", json_integer(p->bidir));
	return o;
}

static json_t *start_of(const struct iperf_report *r, const char *program)
{
	json_t *o = json_object(), *t = json_object(), *to = json_object();
	struct utsname u;
	char system[sizeof(u) + 8] = "", date[64] = "";
	time_t at = (time_t)r->started_s;
	struct tm tm;

	if (uname(&u) == 0)
		snprintf(system, sizeof(system), "%s %s %s %s %s", u.sysname, u.nodename, u.release,
			 u.version, u.machine);
	set(o, "connected", connections(r));
	set(o, "version", json_text(program));
	set(o, "system_info", json_text(system));
	if (r->started_s && gmtime_r(&at, &tm)) {
		strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &tm);
		set(t, "time", json_text(date));
		set(t, "timesecs", json_integer(r->started_s));
		set(o, "timestamp", t);
	} else {
		json_decref(t);
	}
	set(to, "host", json_text(r->host));
	set(to, "port", json_integer(r->port));
	set(o, "connecting_to", to);
	if (!r->measured)
		return o;
	set(o, "cookie", json_text(r->cookie));
	if (!r->params.udp)
		set(o, "tcp_mss_default", json_integer(r->mss));
	set(o, "target_bitrate", json_u64(r->params.bandwidth));
	set(o, "sock_bufsize", json_u64(r->params.window));
	set(o, "sndbuf_actual", json_integer(r->sndbuf));
	set(o, "rcvbuf_actual", json_integer(r->rcvbuf));
	set(o, "test_start", test_start(&r->params));
	return o;
}

/* --- intervals: kept as rows of numbers, from which the members are made --- */

static void append(json_t *list, uint64_t v)
{
	json_array_append_new(list, v == NET_NONE ? json_integer(-1) : json_u64(v));
}

/* One stream in so many intervals, one behind the other: its bytes, and of a sender what the kernel said. */
static json_t *keep_stream(const struct net_series *s, size_t first, size_t n, unsigned k, bool sends,
			   bool udp)
{
	struct net_stream x = s->stream[first * s->nr_streams + k];
	json_t *row = json_array();

	for (size_t i = first + 1; i < first + n; i++)
		net_stream_merge(&x, &s->stream[i * s->nr_streams + k]);
	append(row, x.bytes);
	if (udp) {
		append(row, x.packets);
		if (!sends) {
			json_array_append_new(row, json_integer(x.lost));
			json_array_append_new(row, json_real((double)x.jitter_ns / 1e6));
		}
		return row;
	}
	if (!sends)
		return row;
	append(row, x.retransmits);
	const uint32_t state[] = { x.cwnd, x.wnd, x.rtt_us, x.rttvar_us, x.pmtu };
	for (size_t i = 0; i < sizeof(state) / sizeof(state[0]); i++)
		json_array_append_new(row, json_integer(state[i]));
	return row;
}

static json_t *keep_intervals(const struct iperf_report *r, const struct net_series *series, size_t max)
{
	json_t *list = json_array();
	double base = 0; /* time starts anew behind the omitted seconds */
	size_t all = series->nr_streams == r->n ? series->nr_intervals : 0,
	       most = max / (r->n ? r->n : 1) ? max / (r->n ? r->n : 1) : 1, step = (all + most - 1) / most;

	for (size_t i = 0, n; i < all; i += n) {
		const struct net_sample *x = &series->interval[i];
		for (n = 1; n < step && i + n < all && x[n].omitted == x->omitted; n++)
			;
		double from = clock_seconds(x->t_ns - x->dt_ns);
		if (!x->omitted && i && x[-1].omitted)
			base = from;
		json_t *row =
			json_pack("[f, f, i]", from - base, clock_seconds(x[n - 1].t_ns) - base, x->omitted);
		for (unsigned k = 0; k < r->n; k++)
			json_array_append_new(row, keep_stream(series, i, n, k, r->stream[k].sends, r->params.udp));
		json_array_append_new(list, row);
	}
	return list;
}

/* What a receiver knows of datagrams. */
static void set_datagrams(json_t *o, double jitter_ms, double lost, double packets)
{
	set(o, "jitter_ms", json_num(jitter_ms));
	set(o, "lost_packets", json_integer((json_int_t)lost));
	set(o, "packets", json_integer((json_int_t)packets));
	set(o, "lost_percent", json_num(packets > 0 ? 100 * lost / packets : 0));
}

/* The members of a row: a TCP sender has all seven, its receiver the first; with UDP a sender has its datagrams, and
 * a receiver also what it missed and its jitter. */
static const char *const state_keys[] = { "bytes", "retransmits", "snd_cwnd", "snd_wnd",
					  "rtt",   "rttvar",      "pmtu" };

struct interval {
	double from, to;
	bool omitted, udp;
};

static json_t *interval_stream(const struct interval *at, const json_t *row, const json_t *socket, bool sends)
{
	json_t *o = json_object(), *v;
	uint64_t bytes = (uint64_t)json_integer_value(json_array_get(row, 0));
	json_t *f = stretch(at->from, at->to, at->to - at->from, bytes);

	set(o, "socket", json_integer(json_integer_value(socket)));
	json_object_update(o, f);
	json_decref(f);
	if (at->udp && sends)
		json_object_set(o, "packets", json_array_get(row, 1));
	else if (at->udp)
		set_datagrams(o, json_number_value(json_array_get(row, 3)),
			      (double)json_integer_value(json_array_get(row, 2)),
			      (double)json_integer_value(json_array_get(row, 1)));
	for (size_t i = 1; !at->udp && i < sizeof(state_keys) / sizeof(state_keys[0]); i++)
		if ((v = json_array_get(row, i)) && json_integer_value(v) >= 0)
			json_object_set(o, state_keys[i], v);
	set(o, "omitted", json_boolean(at->omitted));
	set(o, "sender", json_boolean(sends));
	return o;
}

static json_t *interval_sum(const struct interval *at, json_t *streams, bool sends)
{
	uint64_t bytes = 0;
	json_int_t retransmits = -1;
	double jitter = 0, lost = 0, packets = 0;
	unsigned n = 0;
	json_t *s, *v;
	size_t i;

	json_array_foreach(streams, i, s)
	{
		if (json_get_bool(s, "sender", false) != sends)
			continue;
		bytes += json_get_u64(s, "bytes", 0);
		jitter += json_get_num(s, "jitter_ms", 0);
		lost += json_get_num(s, "lost_packets", 0);
		packets += json_get_num(s, "packets", 0);
		n++;
		if ((v = json_object_get(s, "retransmits")))
			retransmits = (retransmits < 0 ? 0 : retransmits) + json_integer_value(v);
	}
	json_t *o = stretch(at->from, at->to, at->to - at->from, bytes);
	if (retransmits >= 0)
		set(o, "retransmits", json_integer(retransmits));
	if (at->udp && sends)
		set(o, "packets", json_integer((json_int_t)packets));
	else if (at->udp)
		set_datagrams(o, n ? jitter / n : 0, lost, packets);
	set(o, "omitted", json_boolean(at->omitted));
	set(o, "sender", json_boolean(sends));
	return o;
}

static json_t *intervals_of(const json_t *kept, const json_t *start)
{
	const json_t *test = json_object_get(start, "test_start"),
		     *sockets = json_object_get(start, "connected");
	bool udp = strcmp(json_get_text(test, "protocol", "TCP"), "UDP") == 0;
	bool reverse = json_get_num(test, "reverse", 0) > 0, bidir = json_get_num(test, "bidir", 0) > 0;
	const struct iperf_params p = { .parallel = json_get_u64(test, "num_streams", 1),
					.reverse = reverse,
					.bidir = bidir };
	json_t *list = json_array(), *row;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)kept, i, row)
	{
		const struct interval at = { json_number_value(json_array_get(row, 0)),
					     json_number_value(json_array_get(row, 1)),
					     json_integer_value(json_array_get(row, 2)) != 0, udp };
		json_t *o = json_object(), *streams = json_array();
		for (size_t k = 0; k + 3 < json_array_size(row); k++)
			json_array_append_new(
				streams,
				interval_stream(&at, json_array_get(row, k + 3),
						json_object_get(json_array_get(sockets, k), "socket"),
						iperf_params_client_sends(&p, (unsigned)k)));
		set(o, "streams", streams);
		set(o, "sum", interval_sum(&at, streams, !reverse));
		if (bidir)
			set(o, "sum_bidir_reverse", interval_sum(&at, streams, false));
		json_array_append_new(list, o);
	}
	return list;
}

/* One stream seen from one of its ends; false where that end's figure did not come. */
static bool stream_side(const struct iperf_report_stream *s, bool sender, json_t **out)
{
	bool ours = s->sends == sender;
	uint64_t bytes = ours ? s->bytes : s->peer_bytes;
	double seconds = ours || isnan(s->peer_end_s) ? s->seconds : s->peer_end_s;

	if (bytes == NET_NONE)
		return false;
	json_t *o = json_object(), *f = stretch(0, seconds, seconds, bytes);
	set(o, "socket", json_integer(s->socket));
	json_object_update(o, f);
	json_decref(f);
	uint64_t retransmits = ours ? s->retransmits : s->peer_retransmits;
	if (sender && retransmits != NET_NONE)
		set(o, "retransmits", json_u64(retransmits));
	if (sender) {
		set(o, "max_snd_cwnd", json_integer(s->max_cwnd));
		set(o, "max_snd_wnd", json_integer(s->max_wnd));
		set(o, "max_rtt", json_integer(s->max_rtt_us));
		set(o, "min_rtt", json_integer(s->min_rtt_us));
		set(o, "mean_rtt", json_integer(isnan(s->mean_rtt_us) ? 0 : lround(s->mean_rtt_us)));
	}
	set(o, "sender", json_boolean(s->sends));
	*out = o;
	return true;
}

/* A UDP stream: the sender's time and bytes, and what the receiver saw. */
static json_t *udp_stream(const struct iperf_report_stream *s)
{
	bool ours = s->sends || s->peer_bytes == NET_NONE;
	double seconds = ours || isnan(s->peer_end_s) ? s->seconds : s->peer_end_s;
	uint64_t came = s->sends ? s->peer_packets : s->packets;
	json_t *o = json_object(), *f = stretch(0, seconds, seconds, ours ? s->bytes : s->peer_bytes);

	set(o, "socket", json_integer(s->socket));
	json_object_update(o, f);
	json_decref(f);
	if (s->lost != NET_NONE && came != NET_NONE)
		set_datagrams(o, 1e3 * s->jitter_s, (double)s->lost, (double)came);
	set(o, "out_of_order", json_u64(s->late == NET_NONE ? 0 : s->late)); /* a sender is not told; iperf3's writes 0 */
	set(o, "sender", json_boolean(s->sends));
	return o;
}

/* What stands in a sum of datagrams seen from one end: a sender knows their number alone. */
static void sum_datagrams(json_t *o, const struct iperf_report *r, bool we_send, bool sender)
{
	double jitter = 0, lost = 0, packets = 0;

	for (unsigned i = 0; i < r->n; i++) {
		const struct iperf_report_stream *s = &r->stream[i];
		uint64_t moved = we_send == sender ? s->packets : s->peer_packets;
		if (s->sends != we_send || moved == NET_NONE)
			continue;
		packets += (double)moved;
		if (sender || s->lost == NET_NONE)
			continue;
		lost += (double)s->lost;
		jitter += 1e3 * s->jitter_s / (double)r->params.parallel;
	}
	set_datagrams(o, jitter, lost, packets);
}

/* Sum of one direction (we send, or the peer does) at one of its ends. */
static void sum_side(json_t *end, const char *key, const struct iperf_report *r, bool we_send, bool sender)
{
	uint64_t bytes = 0, retransmits = NET_NONE;
	double seconds = r->seconds;

	for (unsigned i = 0; i < r->n; i++) {
		const struct iperf_report_stream *s = &r->stream[i];
		bool ours = we_send == sender;
		uint64_t b = ours ? s->bytes : s->peer_bytes, x = ours ? s->retransmits : s->peer_retransmits;
		if (s->sends != we_send)
			continue;
		if (b == NET_NONE)
			return;
		bytes += b;
		if (sender && x != NET_NONE)
			retransmits = (retransmits == NET_NONE ? 0 : retransmits) + x;
		seconds = ours || isnan(s->peer_end_s) ? s->seconds : s->peer_end_s;
	}
	json_t *o = stretch(0, seconds, seconds, bytes);
	if (retransmits != NET_NONE)
		set(o, "retransmits", json_u64(retransmits));
	if (r->params.udp)
		sum_datagrams(o, r, we_send, sender);
	set(o, "sender", json_boolean(r->params.udp ? sender : we_send));
	set(end, key, o);
}

/* iperf3's first sum of a UDP test: how long and how much of the sender, the rest of the receiver. */
static void udp_sum(json_t *end, const char *key, const struct iperf_report *r, bool we_send)
{
	sum_side(end, key, r, we_send, true);
	json_t *o = json_object_get(end, key);
	if (!o)
		return;
	sum_datagrams(o, r, we_send, false);
	set(o, "sender", json_boolean(we_send));
}

static json_t *end_of(const struct iperf_report *r)
{
	json_t *end = json_object(), *streams = json_array(), *cpu = json_object(), *side;
	const char *ours = r->congestion, *peers = r->peer_congestion;
	bool forward = !r->params.reverse;

	if (!r->measured) {
		json_decref(streams);
		json_decref(cpu);
		return end;
	}
	for (unsigned i = 0; i < r->n; i++) {
		json_t *o = json_object();
		if (r->params.udp)
			set(o, "udp", udp_stream(&r->stream[i]));
		for (int sender = 1; sender >= 0 && !r->params.udp; sender--)
			if (stream_side(&r->stream[i], sender, &side))
				set(o, sender ? "sender" : "receiver", side);
		json_array_append_new(streams, o);
	}
	set(end, "streams", streams);
	if (r->params.udp)
		udp_sum(end, "sum", r, forward);
	sum_side(end, "sum_sent", r, forward, true);
	sum_side(end, "sum_received", r, forward, false);
	if (r->params.bidir && r->params.udp)
		udp_sum(end, "sum_bidir_reverse", r, false);
	if (r->params.bidir) {
		sum_side(end, "sum_sent_bidir_reverse", r, false, true);
		sum_side(end, "sum_received_bidir_reverse", r, false, false);
	}
	set(cpu, "host_total", json_num(r->cpu_total));
	set(cpu, "host_user", json_num(r->cpu_user));
	set(cpu, "host_system", json_num(r->cpu_system));
	if (r->complete) {
		set(cpu, "remote_total", json_num(r->peer_cpu_total));
		set(cpu, "remote_user", json_num(r->peer_cpu_user));
		set(cpu, "remote_system", json_num(r->peer_cpu_system));
	}
	set(end, "cpu_utilization_percent", cpu);
	if (*(forward ? ours : peers))
		set(end, "sender_tcp_congestion", json_text(forward ? ours : peers));
	if (*(forward ? peers : ours))
		set(end, "receiver_tcp_congestion", json_text(forward ? peers : ours));
	return end;
}

json_t *iperf_report_keep(const struct iperf_report *r, const struct net_series *series, const char *program,
			  const char *error, size_t max)
{
	json_t *doc = json_object();

	set(doc, "start", start_of(r, program));
	set(doc, "intervals", keep_intervals(r, series, max));
	set(doc, "end", end_of(r));
	if (error)
		set(doc, "error", json_text(error));
	return doc;
}

json_t *iperf_kept_to_json(const json_t *kept)
{
	json_t *doc = json_copy((json_t *)(uintptr_t)kept);

	if (doc)
		set(doc, "intervals",
		    intervals_of(json_object_get(kept, "intervals"), json_object_get(kept, "start")));
	return doc;
}
