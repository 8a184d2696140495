/* SPDX-License-Identifier: MIT */
#include "tui/bins.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What fell into one bin so far. */
struct bin_sum {
	double secs, ios, read_bytes, bytes;
	double p50, p50_secs, p99, max;
	double model, balance;
};

static const struct bin_sum nothing = { .model = NAN, .balance = NAN };

void bins_release(struct bins *b)
{
	free(b->sum);
	free(b->value[0]);
	*b = (struct bins){ 0 };
}

static int make_room(struct bins *b, int n)
{
	if (n <= b->cap)
		return 0;
	bins_release(b);
	b->sum = malloc((size_t)n * sizeof(*b->sum));
	b->value[0] = malloc((size_t)n * BIN_NR * sizeof(double));
	if (!b->sum || !b->value[0]) {
		bins_release(b);
		return -1;
	}
	for (int s = 1; s < BIN_NR; s++)
		b->value[s] = b->value[0] + (ptrdiff_t)s * n;
	b->cap = n;
	return 0;
}

/* The first row at or behind @p from whose interval reaches into @p t (seconds since the run began). */
static size_t find_row(struct span span, size_t from, double t)
{
	size_t lo = from, hi = span.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if ((double)span.row[mid].t_ns / 1e9 <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* A row's share in each bin that its interval reaches into. */
static void add_row(struct bins *b, const struct sample *s)
{
	double end = (double)s->t_ns / 1e9 - b->origin, length = sample_seconds(s), begin = end - length;
	double bw_secs = length > 0 ? 1 / length : 0;

	for (long i = (long)floor(begin / b->step + 1e-9); (double)i * b->step < end - 1e-9; i++) {
		if (i < b->first || i >= b->first + b->n)
			continue;
		struct bin_sum *at = &b->sum[i - b->first];
		double part = fmin(end, (double)(i + 1) * b->step) - fmax(begin, (double)i * b->step);
		at->secs += part;
		at->ios += (double)sample_ios(s) * part * bw_secs;
		at->bytes += (double)sample_bytes(s) * part * bw_secs;
		at->read_bytes += (double)s->dir[DDIR_READ].bytes * part * bw_secs;
		if (s->lat_p50) {
			at->p50 += (double)s->lat_p50 * part;
			at->p50_secs += part;
			at->p99 = fmax(at->p99, (double)s->lat_p99);
			at->max = fmax(at->max, (double)s->lat_max);
		}
		at->model = s->model_iops;
		at->balance = s->model_balance;
	}
}

static void give_values(struct bins *b)
{
	for (int i = 0; i < b->n; i++) {
		const struct bin_sum *s = &b->sum[i];
		bool seen = s->secs > b->step * 0.01;
		b->value[BIN_IOPS][i] = seen ? s->ios / s->secs : NAN;
		b->value[BIN_READ_BW][i] = seen ? s->read_bytes / s->secs : NAN;
		b->value[BIN_BW][i] = seen ? s->bytes / s->secs : NAN;
		b->value[BIN_P50][i] = s->p50_secs > 0 ? s->p50 / s->p50_secs : NAN;
		b->value[BIN_P99][i] = s->p50_secs > 0 ? s->p99 : NAN;
		b->value[BIN_MAX][i] = s->p50_secs > 0 ? s->max : NAN;
		b->value[BIN_MODEL][i] = s->model;
		b->value[BIN_BALANCE][i] = s->balance;
	}
}

/* Move the window to begin at bin @p first: what stays in view stays counted. */
static void shift(struct bins *b, long first)
{
	long by = first - b->first;

	if (by > 0 && by < b->n) {
		memmove(b->sum, b->sum + by, (size_t)(b->n - by) * sizeof(*b->sum));
		for (long i = b->n - by; i < b->n; i++)
			b->sum[i] = nothing;
	}
	b->first = first;
}

int bins_update(struct bins *b, struct span span, size_t from, double origin, double t0, double step, int n)
{
	long first = (long)floor(t0 / step + 1e-6);

	if (make_room(b, n) < 0)
		return -1;
	bool same = b->row == span.row && b->from == from && b->step == step && b->n == n &&
		    b->origin == origin && first >= b->first && first - b->first < n && b->next <= span.n;
	if (same) {
		shift(b, first);
	} else {
		b->row = span.row;
		b->from = from;
		b->step = step;
		b->n = n;
		b->origin = origin;
		b->first = first;
		b->next = find_row(span, from, origin + (double)first * step);
		for (int i = 0; i < n; i++)
			b->sum[i] = nothing;
	}
	for (; b->next < span.n; b->next++)
		add_row(b, &span.row[b->next]);
	give_values(b);
	return 0;
}
