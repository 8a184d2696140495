/* SPDX-License-Identifier: MIT */
#include "engine/hist.h"

#include <math.h>
#include <string.h>

uint64_t hist_low(unsigned i)
{
	if (i < (1u << HIST_BITS))
		return i;
	unsigned shift = (i >> HIST_BITS) - 1;
	return (uint64_t)((1u << HIST_BITS) + (i & ((1u << HIST_BITS) - 1))) << shift;
}

void hist_init(struct hist *h)
{
	for (unsigned i = 0; i < HIST_NR; i++)
		atomic_init(&h->bucket[i], 0);
	atomic_init(&h->min, UINT64_MAX);
	atomic_init(&h->max, 0);
	atomic_init(&h->sum, 0);
	atomic_init(&h->sumsq, 0);
}

void hist_read(const struct hist *h, struct hist_snap *out)
{
	uint64_t min = atomic_load_explicit(&h->min, memory_order_relaxed);
	uint64_t max = atomic_load_explicit(&h->max, memory_order_relaxed);

	for (unsigned i = 0; i < HIST_NR; i++) {
		uint64_t n = atomic_load_explicit(&h->bucket[i], memory_order_acquire);
		out->bucket[i] += n;
		out->count += n;
	}
	if (min < out->min)
		out->min = min;
	if (max > out->max)
		out->max = max;
	out->sum += atomic_load_explicit(&h->sum, memory_order_relaxed);
	out->sumsq += atomic_load_explicit(&h->sumsq, memory_order_relaxed);
}

void hist_snap_init(struct hist_snap *s)
{
	memset(s, 0, sizeof(*s));
	s->min = UINT64_MAX;
}

void hist_snap_add(struct hist_snap *to, const struct hist_snap *from)
{
	for (unsigned i = 0; i < HIST_NR; i++)
		to->bucket[i] += from->bucket[i];
	to->count += from->count;
	to->sum += from->sum;
	to->sumsq += from->sumsq;
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
}

/* The largest value of a bucket; the last one has no end but the largest value seen. */
static uint64_t bucket_high(unsigned i, uint64_t max)
{
	return i == HIST_NR - 1 ? max : hist_low(i + 1) - 1;
}

void hist_snap_sub(struct hist_snap *to, const struct hist_snap *before)
{
	uint64_t max = to->max, min = to->min;
	unsigned first = HIST_NR, last = 0;

	to->count = 0;
	for (unsigned i = 0; i < HIST_NR; i++) {
		to->bucket[i] -= before->bucket[i];
		to->count += to->bucket[i];
		if (to->bucket[i]) {
			first = first == HIST_NR ? i : first;
			last = i;
		}
	}
	to->sum -= before->sum;
	to->sumsq = fmax(to->sumsq - before->sumsq, 0);
	if (to->count == 0) {
		hist_snap_init(to);
		return;
	}
	if (min >= before->min && hist_low(first) > min)
		to->min = hist_low(first);
	if (max <= before->max)
		to->max = bucket_high(last, max) < max ? bucket_high(last, max) : max;
}

double hist_snap_percentile(const struct hist_snap *s, double q)
{
	if (s->count == 0)
		return NAN;
	double want = ceil(q / 100 * (double)s->count);
	/* 99.9 / 100 * 1000 is a hair over 999 in binary: that must not ask for the 1000th. */
	if (want - q / 100 * (double)s->count > 1 - 1e-9)
		want -= 1;
	uint64_t rank = want < 1 ? 1 : want >= (double)s->count ? s->count : (uint64_t)want, seen = 0;
	unsigned i = 0;

	while (i < HIST_NR - 1 && (seen += s->bucket[i]) < rank)
		i++;
	if (q >= 100)
		return (double)s->max;
	double low = (double)hist_low(i), high = (double)bucket_high(i, s->max);
	return fmin(fmax((low + high) / 2, (double)s->min), (double)s->max);
}

double hist_snap_mean(const struct hist_snap *s)
{
	return s->count ? (double)s->sum / (double)s->count : NAN;
}

double hist_snap_stddev(const struct hist_snap *s)
{
	if (s->count == 0)
		return NAN;
	double n = (double)s->count, mean = (double)s->sum / n;
	return sqrt(fmax(s->sumsq / n - mean * mean, 0));
}
