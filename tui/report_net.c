/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/iperf_json.h"
#include "engine/recorder.h"
#include "engine/units.h"
#include "tui/net_cli.h"
#include "tui/report.h"

static double num(const json_t *o, const char *key)
{
	return json_get_num(o, key, NAN);
}

/* "1,234,567 bytes" of a counter that may be null. */
static char *bytes(char *buf, const json_t *o, const char *key)
{
	double v = num(o, key);

	return fmt_size(buf, v);
}

static char *count_text(char *buf, double v)
{
	snprintf(buf, FMT_LEN, isnan(v) ? "-" : "%.0f", v);
	return buf;
}

static void datagram_streams(FILE *f, const json_t *more)
{
	const json_t *s;
	size_t i;
	char rate[FMT_LEN], ours[FMT_LEN], peers[FMT_LEN], lost[FMT_LEN], jitter[FMT_LEN];

	fprintf(f, "%-6s %-9s %12s %12s %12s %9s %10s\n", "stream", "direction", "rate", "ours", "peer's", "lost", "jitter");
	json_array_foreach((json_t *)(uintptr_t)json_object_get(more, "per_stream"), i, s)
	{
		double us = num(s, "jitter_us");
		snprintf(jitter, sizeof(jitter), isnan(us) ? "-" : "%.3f ms", us / 1e3);
		fprintf(f, "%-6.0f %-9s %12s %12s %12s %9s %10s\n", num(s, "id"), json_get_text(s, "direction", "-"),
			net_fmt_bps(rate, num(s, "bits_per_second")), bytes(ours, s, "bytes"),
			bytes(peers, s, "peer_bytes"), count_text(lost, num(s, "lost_packets")), jitter);
	}
}

static void streams(FILE *f, const json_t *more)
{
	const json_t *list = json_object_get(more, "per_stream");
	const json_t *s;
	size_t i;
	char rate[FMT_LEN], ours[FMT_LEN], peers[FMT_LEN], rtt[FMT_LEN], again[FMT_LEN];

	if (json_is_object(json_object_get(more, "udp"))) {
		datagram_streams(f, more);
		return;
	}
	fprintf(f, "%-6s %-9s %12s %12s %12s %8s %10s\n", "stream", "direction", "rate", "ours", "peer's",
		"retr", "rtt");
	json_array_foreach((json_t *)(uintptr_t)list, i, s)
	{
		double n = num(s, "retransmits"), us = num(s, "rtt_us");
		count_text(again, n);
		snprintf(rtt, sizeof(rtt), isnan(us) ? "-" : "%.3g ms", us / 1e3);
		fprintf(f, "%-6.0f %-9s %12s %12s %12s %8s %10s\n", num(s, "id"),
			json_get_text(s, "direction", "-"), net_fmt_bps(rate, num(s, "bits_per_second")),
			bytes(ours, s, "bytes"), bytes(peers, s, "peer_bytes"), again, rtt);
	}
}

static void figure(FILE *f, const char *name, const char *text)
{
	fprintf(f, "%-16s %s\n", name, text);
}

static void both_sides(FILE *f, const json_t *more)
{
	const json_t *peer = json_object_get(more, "peer");
	const char *dir = json_get_text(more, "direction", "send");
	char a[FMT_LEN], b[FMT_LEN], line[160];

	if (!json_is_object(peer)) { /* simulated: there is only one side */
		figure(f, "moved", bytes(a, more, strcmp(dir, "receive") == 0 ? "received" : "sent"));
		return;
	}
	if (strcmp(dir, "receive") != 0) {
		snprintf(line, sizeof(line), "%s by us, %s received by the peer", bytes(a, more, "sent"),
			 bytes(b, peer, "received"));
		figure(f, "sent", line);
	}
	if (strcmp(dir, "send") != 0) {
		snprintf(line, sizeof(line), "%s by us, %s sent by the peer", bytes(a, more, "received"),
			 bytes(b, peer, "sent"));
		figure(f, "received", line);
	}
}

static void levels(FILE *f, const json_t *more)
{
	const json_t *row = json_object_get(more, "row"), *phase;
	double scale = json_get_num(more, "time_scale", 1), base = num(row, "baseline_gbps"),
	       burst = num(row, "burst_gbps"), len = num(row, "burst_s");
	char a[FMT_LEN], b[FMT_LEN], line[200];
	size_t i;

	json_array_foreach(json_object_get(more, "phases"), i, phase)
	{
		snprintf(line, sizeof(line), "%s from %.1f to %.1f s",
			 net_fmt_bps(a, num(phase, "bits_per_second")), scale * num(phase, "start_s"),
			 scale * num(phase, "end_s"));
		figure(f, json_get_text(phase, "kind", "phase"), line);
	}
	if (isnan(base))
		return;
	snprintf(line, sizeof(line), "%s above the baseline", fmt_size(b, num(row, "bytes_above_baseline")));
	figure(f, "burst moved", line);
	fprintf(f, "\n%8s %10s %14s %12s %10s\n", "vCPU", "MiB", "baseline Gbps", "burst Gbps", "burst s");
	double vcpu = num(row, "vcpu"), mib = num(row, "memory_mib");
	snprintf(a, sizeof(a), isnan(vcpu) ? "-" : "%g", vcpu);
	snprintf(b, sizeof(b), isnan(mib) ? "-" : "%.0f", mib);
	fprintf(f, "%8s %10s %14.3f %12.3f %10.0f\n", a, b, base, burst, len);
}

static void card(FILE *f, const json_t *more)
{
	const json_t *i = json_object_get(more, "interface"), *ena = json_object_get(i, "ena"), *value;
	const char *key, *missing = json_get_text(i, "ena_missing", NULL);
	char in[FMT_LEN], out[FMT_LEN], line[200];

	if (!json_is_object(i))
		return;
	snprintf(line, sizeof(line), "%s: %s in, %s out", json_get_text(i, "name", "?"),
		 bytes(in, i, "rx_bytes"), bytes(out, i, "tx_bytes"));
	figure(f, "card", line);
	json_object_foreach((json_t *)(uintptr_t)ena, key, value)
		fprintf(f, "%-16s %s %+.0f\n", "allowance", key, json_number_value(value));
	if (missing)
		figure(f, "allowance", missing);
}

static void datagrams(FILE *f, const json_t *udp)
{
	double packets = num(udp, "packets"), lost = num(udp, "lost_packets"), late = num(udp, "out_of_order");
	char line[200];

	if (isnan(packets))
		return;
	int n = snprintf(line, sizeof(line), "%.0f of %.0f (%.2g %%) of %.0f bytes", lost, packets, num(udp, "lost_pct"),
			 num(udp, "len"));
	if (late > 0)
		snprintf(line + n, sizeof(line) - (size_t)n, "; %.0f out of order", late);
	figure(f, "datagrams lost", line);
	snprintf(line, sizeof(line), "%.3f ms", num(udp, "jitter_us") / 1e3);
	figure(f, "jitter", line);
}

void net_table(FILE *f, const struct result *r)
{
	const json_t *more = r->more;
	char a[FMT_LEN], line[200];
	double again = num(more, "retransmits"), rtt = num(more, "rtt_us");

	streams(f, more);
	fputc('\n', f);
	snprintf(line, sizeof(line), "%s over %.2f s", net_fmt_bps(a, num(more, "bits_per_second")),
		 r->runtime_s);
	figure(f, "throughput", line);
	both_sides(f, more);
	datagrams(f, json_object_get(more, "udp"));
	if (!isnan(again)) {
		snprintf(line, sizeof(line), "%.0f segment%s", again, again == 1 ? "" : "s");
		figure(f, "retransmits", line);
	}
	if (!isnan(rtt)) {
		snprintf(line, sizeof(line), "%.3g ms", rtt / 1e3);
		figure(f, "round trip", line);
	}
	if (!isnan(r->cpu_pct)) {
		double theirs = num(json_object_get(more, "peer"), "cpu_pct");
		snprintf(line, sizeof(line),
			 isnan(theirs) ? "%.0f %% of a core here" : "%.0f %% of a core here, %.0f %% at the peer",
			 r->cpu_pct, theirs);
		figure(f, "CPU", line);
	}
	levels(f, more);
	card(f, more);
	fputc('\n', f);
}

char *report_iperf3(const struct runlog_snap *run, struct err *err)
{
	const struct result *r = run->nr_results ? run->results[0] : NULL;
	const json_t *kept = r ? json_object_get(r->more, IPERF_KEPT) : NULL;

	if (!kept) {
		err_set(err, ERR_USAGE, "--format iperf3 is for network tests that came to an end");
		return NULL;
	}
	json_t *doc = iperf_kept_to_json(kept);
	char *text = json_text_of(doc, true), *line = text ? realloc(text, strlen(text) + 2) : NULL;
	json_decref(doc);
	if (!line) {
		free(text);
		err_set(err, ENOMEM, "no memory");
		return NULL;
	}
	return strcat(line, "\n");
}
