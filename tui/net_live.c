/* SPDX-License-Identifier: MIT */
#include "tui/net_live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/live.h"

void net_live_release(struct net_live *l)
{
	bins_release(&l->bw);
	*l = (struct net_live){ 0 };
}

bool net_live_is(const struct runlog_snap *run)
{
	return run->header->nr_planned && run->header->planned[0].kind == TEST_NET;
}

static void read_header(struct net_live *l, const struct run_header *h)
{
	const json_t *net = json_object_get(h->doc, "net"), *e = json_object_get(net, "expected");
	const char *dir = json_get_text(net, "direction", "send");

	l->header = h;
	l->dir = strcmp(dir, "both") == 0 ? NET_BOTH : strcmp(dir, "receive") == 0 ? NET_RECEIVE : NET_SEND;
	l->streams = (unsigned)json_get_u64(net, "streams", 1);
	l->total_s = h->planned[0].seconds + json_get_num(net, "omit_s", 0);
	l->peak_bps = json_get_num(e, "peak_bps", NAN);
	l->base_bps = json_get_num(e, "baseline_bps", NAN);
	l->flow_bps = json_get_num(e, "single_flow_bps", NAN);
	l->burst_s = json_get_num(e, "burst_s", NAN);
	l->capacity = json_get_num(e, "burst_bytes", NAN);
	json_copy_text(e, "source", l->source, sizeof(l->source));
}

static double bytes_of(const struct sample *s, enum net_direction dir)
{
	return (dir != NET_RECEIVE ? (double)s->dir[DDIR_WRITE].bytes : 0) +
	       (dir != NET_SEND ? (double)s->dir[DDIR_READ].bytes : 0);
}

static void newest(struct net_live *l, struct span span)
{
	double secs = 0, sent = 0, received = 0;
	uint64_t again = 0;

	for (size_t i = span.n; i > 0 && secs < 0.999; i--) {
		const struct sample *s = &span.row[i - 1];
		secs += sample_seconds(s);
		sent += (double)s->dir[DDIR_WRITE].bytes;
		received += (double)s->dir[DDIR_READ].bytes;
		again += s->errors;
	}
	const struct sample *last = &span.row[span.n - 1];
	l->now_s = (double)last->t_ns / 1e9;
	l->sent_bps = secs > 0 ? 8 * sent / secs : NAN;
	l->received_bps = secs > 0 ? 8 * received / secs : NAN;
	l->now_bps = l->dir == NET_SEND      ? l->sent_bps
		     : l->dir == NET_RECEIVE ? l->received_bps
					     : l->sent_bps + l->received_bps;
	l->again = again;
	l->rtt_ms = last->lat_p50 ? (double)last->lat_p50 / 1e6 : NAN;
	l->balance = last->model_balance;
	/* Credits are spent by what goes beyond the baseline; a direction has its own. */
	double spend = (l->now_bps / (l->dir == NET_BOTH ? 2 : 1) - l->base_bps) / 8;
	/* A twentieth over the baseline is the unrest of the link: no forecast can rest on it. */
	bool spends = spend > 0.05 * l->base_bps / 8;
	l->empty_s = isnan(l->balance) || isnan(spend) ? NAN : spends ? l->balance / spend : INFINITY;
}

static void count(struct net_live *l, struct span span)
{
	for (; l->next < span.n; l->next++) {
		const struct sample *s = &span.row[l->next];
		l->again_all += s->errors;
		if (s->phase != PHASE_MEASURE)
			continue;
		l->measured_s += sample_seconds(s);
		l->bytes += bytes_of(s, l->dir);
	}
	l->mean_bps = l->measured_s > 0 ? 8 * l->bytes / l->measured_s : NAN;
}

/* Phases anew when a fiftieth was added: in between the last answer stands. */
static void find_shape(struct net_live *l, const struct runlog_snap *run)
{
	size_t n = run->span.n;
	struct net_series series = { .n = n };
	struct net_sample *row;

	if (n == l->shaped || (n < l->shaped + 1 + l->shaped / 50 && run->end == RUN_RUNNING))
		return;
	row = calloc(n, sizeof(*row));
	if (!row)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct sample *s = &run->span.row[i];
		row[i] = (struct net_sample){ .t_ns = s->t_ns,
					      .dt_ns = s->dt_ns,
					      .omitted = s->phase != PHASE_MEASURE,
					      .sent = s->dir[DDIR_WRITE].bytes,
					      .received = s->dir[DDIR_READ].bytes };
	}
	series.row = row;
	if (net_shape_of(&series, l->dir, &l->shape) == 0)
		l->shaped = n;
	free(row);
}

void net_live_update(struct net_live *l, const struct runlog_snap *run, int dots)
{
	if (l->header != run->header) {
		net_live_release(l);
		l->net = net_live_is(run);
		if (l->net)
			read_header(l, run->header);
	}
	l->any = l->net && run->span.n > 0;
	if (!l->any)
		return;
	if (l->next > run->span.n) { /* a coarser timeline was handed over: count anew */
		l->next = l->shaped = 0;
		l->measured_s = l->bytes = 0;
		l->again_all = 0;
	}
	newest(l, run->span);
	count(l, run->span);
	find_shape(l, run);
	if (dots > 0) {
		double axis = isnan(l->total_s) ? live_axis(l->now_s) : l->total_s;
		(void)bins_update(&l->bw, run->span, 0, 0, 0, axis / dots, dots);
		l->top_bps = 8 * live_top(l->bw.value[BIN_BW], l->bw.n);
	}
}

size_t net_live_limits(const struct net_live *l, struct limit_line *out)
{
	double both = l->dir == NET_BOTH ? 2 : 1, flow = l->flow_bps * l->streams;
	bool bursts = l->peak_bps > 1.02 * l->base_bps;
	size_t n = 0;
	const struct limit_line all[NET_LIMITS] = {
		{ l->peak_bps * both, bursts ? "burst" : "limit", false },
		{ bursts ? l->base_bps * both : NAN, "base", false },
		{ flow < l->peak_bps ? flow * both : NAN, l->streams == 1 ? "one flow" : "flows", false },
	};

	for (size_t i = 0; i < NET_LIMITS; i++) {
		if (!(all[i].value > 0))
			continue;
		out[n] = all[i];
		out[n++].hit = l->now_bps >= 0.95 * all[i].value && l->now_bps <= 1.05 * all[i].value;
	}
	return n;
}
