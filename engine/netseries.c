/* SPDX-License-Identifier: MIT */
#include "engine/netseries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void net_series_init(struct net_series *s, uint64_t step_ns)
{
	*s = (struct net_series){ .step_ns = step_ns };
}

void net_series_release(struct net_series *s)
{
	free(s->row);
	free(s->stream);
	free(s->interval);
	*s = (struct net_series){ 0 };
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a == NET_NONE ? b : b == NET_NONE ? a : a + b;
}

void net_sample_merge(struct net_sample *to, const struct net_sample *next)
{
	to->t_ns = next->t_ns;
	to->dt_ns += next->dt_ns;
	to->omitted = next->omitted;
	to->sent += next->sent;
	to->received += next->received;
	to->retransmits = plus(to->retransmits, next->retransmits);
	to->rtt_us = next->rtt_us;
	to->cwnd = next->cwnd;
}

void net_stream_merge(struct net_stream *to, const struct net_stream *next)
{
	uint64_t bytes = to->bytes + next->bytes, retransmits = plus(to->retransmits, next->retransmits);
	uint64_t packets = to->packets + next->packets;
	int64_t lost = to->lost + next->lost;

	*to = *next;
	to->bytes = bytes;
	to->retransmits = retransmits;
	to->packets = packets;
	to->lost = lost;
}

/* Room for one more of @p size bytes; memory grows by doubling up to max, NULL without. */
static void *room(void *old, size_t n, size_t *cap, size_t max, size_t size)
{
	if (n < *cap)
		return old;
	size_t want = *cap ? *cap * 2 : 256;
	if (want > max)
		want = max;
	void *p = realloc(old, want * size);
	if (p)
		*cap = want;
	return p;
}

/* Merge the older half in pairs, but never an omitted one with one that counts. @return how many are left */
static size_t coarsen_rows(struct net_sample *row, size_t n)
{
	size_t to = 0, half = n / 2;

	for (size_t i = 0; i < n; i++) {
		bool pair = i + 1 < half && row[i].omitted == row[i + 1].omitted;
		row[to] = row[i];
		if (pair)
			net_sample_merge(&row[to], &row[++i]);
		to++;
	}
	return to;
}

static void coarsen_intervals(struct net_series *s)
{
	size_t to = 0, half = s->nr_intervals / 2, width = s->nr_streams * sizeof(*s->stream);
	const size_t nr = s->nr_streams;

	for (size_t i = 0; i < s->nr_intervals; i++) {
		bool pair = i + 1 < half && s->interval[i].omitted == s->interval[i + 1].omitted;
		s->interval[to] = s->interval[i];
		memmove(&s->stream[to * nr], &s->stream[i * nr], width);
		if (pair) {
			i++;
			net_sample_merge(&s->interval[to], &s->interval[i]);
			for (size_t k = 0; k < nr; k++)
				net_stream_merge(&s->stream[to * nr + k], &s->stream[i * nr + k]);
		}
		to++;
	}
	s->nr_intervals = to;
}

static int interval_room(struct net_series *s)
{
	if (s->nr_intervals == s->max_intervals)
		coarsen_intervals(s);
	if (s->nr_intervals < s->cap_intervals)
		return 0;
	size_t cap = s->cap_intervals, cap_streams = cap;
	struct net_sample *iv = room(s->interval, s->nr_intervals, &cap, s->max_intervals, sizeof(*iv));
	if (!iv)
		return -1;
	s->interval = iv;
	struct net_stream *st =
		room(s->stream, s->nr_intervals, &cap_streams, s->max_intervals, s->nr_streams * sizeof(*st));
	if (!st)
		return -1;
	s->stream = st;
	s->cap_intervals = cap;
	return 0;
}

/* An interval ends where a sample crosses its step; a whole sample belongs to one interval. */
static int interval_add(struct net_series *s, const struct net_sample *x)
{
	struct net_sample *last = s->nr_intervals ? &s->interval[s->nr_intervals - 1] : NULL;
	/* The scrap at the end of a test is no interval of its own. */
	bool more = last && (last->dt_ns + x->dt_ns / 2 < s->step_ns || x->dt_ns < s->step_ns / 20);
	bool open = more && last->omitted == x->omitted;

	if (open) {
		struct net_stream *st = &s->stream[(s->nr_intervals - 1) * s->nr_streams];
		net_sample_merge(last, x);
		for (unsigned i = 0; i < s->nr_streams; i++)
			net_stream_merge(&st[i], &x->stream[i]);
		return 0;
	}
	if (interval_room(s) < 0)
		return -1;
	s->interval[s->nr_intervals] = *x;
	s->interval[s->nr_intervals].stream = NULL;
	memcpy(&s->stream[s->nr_intervals * s->nr_streams], x->stream, s->nr_streams * sizeof(*s->stream));
	s->nr_intervals++;
	return 0;
}

int net_series_add(struct net_series *s, const struct net_sample *x)
{
	if (s->n == NET_SERIES_ROWS_MAX)
		s->n = coarsen_rows(s->row, s->n);
	struct net_sample *row = room(s->row, s->n, &s->cap, NET_SERIES_ROWS_MAX, sizeof(*row));
	if (!row)
		return -1;
	s->row = row;
	s->row[s->n] = *x;
	s->row[s->n++].stream = NULL;
	if (!x->stream || !x->nr_streams)
		return 0;
	if (!s->nr_streams) {
		s->nr_streams = x->nr_streams;
		s->max_intervals = NET_SERIES_STREAMS_MAX / x->nr_streams;
	}
	return s->nr_streams == x->nr_streams ? interval_add(s, x) : 0;
}
