/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/import_parts.h"

/*
 * iperf3 -J (3.0 to 3.2x): "start" (version, timestamp, test_start), "intervals" (sum an interval), "end" (sum_sent,
 * sum_received; "sum" for UDP, with loss and jitter), and "error" when it failed. With --bidir there are
 * sum_bidir_reverse and sum_sent_bidir_reverse and so on for the other direction; 3.12 does not say it in "start".
 */

/* What "start" says. */
struct about {
	char	 protocol[8];
	uint64_t streams;
	bool	 reverse, bidir;
};

static void read_start(struct import_run *run, struct about *a, struct json_span start)
{
	struct json_span test = json_span_get(start, "test_start");
	struct json_span time = json_span_get(start, "timestamp");

	json_span_text(json_span_get(start, "version"), run->source, sizeof(run->source));
	if (!run->date[0])
		import_date(run->date, sizeof(run->date), json_span_u64(json_span_get(time, "timesecs"), 0));
	json_span_text(json_span_get(test, "protocol"), a->protocol, sizeof(a->protocol));
	a->streams = json_span_u64(json_span_get(test, "num_streams"), 1);
	a->reverse = json_span_u64(json_span_get(test, "reverse"), 0) > 0;
	a->bidir = json_span_u64(json_span_get(test, "bidir"), 0) > 0;
}

/* The series of one direction: the interval sums that are not omitted. */
static void read_intervals(struct import_run *run, struct import_test *t, struct json_span intervals, const char *sum)
{
	struct json_iter it;
	struct json_span key, value;
	size_t cap = 0;

	if (!json_iter_init(&it, intervals) || it.object)
		return;
	while (json_iter_next(&it, &key, &value)) {
		struct json_span s = json_span_get(value, sum), omitted = json_span_get(s, "omitted");
		double end = import_num(json_span_get(s, "end")), len = import_num(json_span_get(s, "seconds"));
		double bytes = import_num(json_span_get(s, "bytes"));
		if (value.cut || !(len > 0) || isnan(bytes) || isnan(end) ||
		    (omitted.p && omitted.end - omitted.p == 4 && memcmp(omitted.p, "true", 4) == 0))
			continue;
		if (t->nr_points == cap) {
			cap = cap ? 2 * cap : 64;
			struct phase_point *grown = realloc(t->point, cap * sizeof(*grown));
			if (!grown)
				break;
			t->point = grown;
		}
		t->point[t->nr_points++] = (struct phase_point){ end, len, NAN, bytes };
	}
	if (it.broken)
		run->partial = true;
}

/* Without an end, what the intervals say. */
static void rate_of_series(struct import_test *t)
{
	double bytes = 0, len = 0;

	for (size_t i = 0; i < t->nr_points; i++) {
		bytes += t->point[i].bytes;
		len += t->point[i].dt_s;
	}
	if (!(len > 0))
		return;
	t->r->all.bw_bytes = bytes / len;
	t->r->all.bytes = (uint64_t)bytes;
	t->r->runtime_s = len;
}

/* One direction: its receiver's count is what arrived. */
static bool read_direction(struct import_run *run, struct json_span doc, const struct about *a, const char *name,
			   const char *const sums[3], const char *interval_sum)
{
	struct json_span end = json_span_get(doc, "end"), sum = json_span_get(end, sums[0]);
	struct json_span sent = json_span_get(end, sums[1]);

	if (!(import_num(json_span_get(sum, "bits_per_second")) > 0))
		sum = sent.p ? sent : json_span_get(end, sums[2]);
	struct import_test *t = import_add(run, name, TEST_NET);
	if (!t)
		return false;
	struct result *r = t->r;
	r->wl.numjobs = a->streams;
	read_intervals(run, t, json_span_get(doc, "intervals"), interval_sum);
	r->all.bw_bytes = import_num(json_span_get(sum, "bits_per_second")) / 8;
	r->all.bytes = json_span_u64(json_span_get(sum, "bytes"), 0);
	r->runtime_s = import_num(json_span_get(sum, "seconds"));
	t->retransmits = import_num(json_span_get(sent, "retransmits"));
	t->lost_pct = import_num(json_span_get(json_span_get(end, sums[2]), "lost_percent"));
	t->jitter_ms = import_num(json_span_get(json_span_get(end, sums[2]), "jitter_ms"));
	if (isnan(r->all.bw_bytes)) {
		rate_of_series(t);
		run->partial = run->partial || !isnan(r->all.bw_bytes);
	}
	if (isnan(r->all.bw_bytes)) { /* nothing at all was measured */
		result_free(r);
		free(t->point);
		run->nr_tests--;
		return false;
	}
	return true;
}

bool import_iperf3(struct import_run *run, struct json_span doc)
{
	static const char *const forward[3] = { "sum_received", "sum_sent", "sum" };
	static const char *const backward[3] = { "sum_received_bidir_reverse", "sum_sent_bidir_reverse", "sum_bidir_reverse" };
	struct about a = { .streams = 1 };
	struct json_span error = json_span_get(doc, "error");
	char message[160];

	run->kind = IMPORT_IPERF3;
	read_start(run, &a, json_span_get(doc, "start"));
	if (error.p) {
		run->failed = true;
		import_warn(run, "failed run: %s", json_span_text(error, message, sizeof(message)));
	}
	bool any = read_direction(run, doc, &a, a.reverse ? "receive" : "send", forward, "sum");
	if (a.bidir || json_span_get(json_span_get(doc, "end"), backward[0]).p)
		any = read_direction(run, doc, &a, a.reverse ? "send" : "receive", backward, "sum_bidir_reverse") || any;
	if (strcmp(a.protocol, "UDP") == 0)
		import_warn(run, "UDP: its rate is what was asked for, if that arrived");
	return any || error.p;
}
