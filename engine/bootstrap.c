/* SPDX-License-Identifier: MIT */
#include "engine/bootstrap.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Blocks are at least this long, seconds; a little less, so that ten ticks of 99.9 ms are one. */
#define BLOCK_S	  1.0
#define BLOCK_EPS 0.02
/* Blocks are doubled while neighbours are correlated more than this and enough of them are left. */
#define CORRELATED  0.3
#define BLOCKS_KEPT 10
#define SHARE	    0.95
#define LEAST	    0.01 /* a smaller difference is none */

struct block {
	double n, s; /* I/Os or bytes; seconds */
};

/* xorshift*: small, seeded, the same everywhere. */
static uint64_t next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545F4914F6CDD1DULL;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double counted(const struct phase_point *p) { return isnan(p->ios) ? p->bytes : p->ios; }

/* Cut one stratum into blocks of block_s; what is left over at its end joins the last. @return how many */
static size_t cut(const struct phase_point *pt, struct stratum st, double block_s, struct block *out)
{
	size_t nr = 0;
	struct block b = { 0, 0 };

	for (size_t i = st.from; i < st.to; i++) {
		if (!(pt[i].dt_s > 0))
			continue;
		b.n += counted(&pt[i]);
		b.s += pt[i].dt_s;
		if (b.s >= block_s - BLOCK_EPS) {
			out[nr++] = b;
			b = (struct block){ 0, 0 };
		}
	}
	if (b.s > 0 && nr) {
		out[nr - 1].n += b.n;
		out[nr - 1].s += b.s;
	} else if (b.s > 0) {
		out[nr++] = b;
	}
	return nr;
}

/* Correlation of each block's rate with the next one's. */
static double correlation(const struct block *b, size_t n)
{
	double mean = 0, var = 0, cov = 0;

	for (size_t i = 0; i < n; i++)
		mean += b[i].n / b[i].s / (double)n;
	for (size_t i = 0; i < n; i++) {
		double d = b[i].n / b[i].s - mean;
		var += d * d;
		if (i + 1 < n)
			cov += d * (b[i + 1].n / b[i + 1].s - mean);
	}
	return var > 0 ? cov / var : 0;
}

/* All strata as blocks of one length; start[k] is where the k-th begins in out. @return how many in all */
static size_t cut_all(const struct phase_point *pt, const struct stratum *st, size_t n, double block_s, struct block *out,
		      size_t *start, double *worst)
{
	size_t nr = 0;

	*worst = 0;
	for (size_t k = 0; k < n; k++) {
		start[k] = nr;
		size_t got = cut(pt, st[k], block_s, out + nr);
		if (got >= BLOCKS_KEPT)
			*worst = fmax(*worst, correlation(out + nr, got));
		nr += got;
	}
	start[n] = nr;
	return nr;
}

static void draw_all(struct bootstrap *b, const struct block *block, const size_t *start, size_t n, unsigned seed)
{
	uint64_t state = 0x9E3779B97F4A7C15ULL * (seed + 1);

	for (int d = 0; d < BOOTSTRAP_DRAWS; d++) {
		double sum = 0, len = 0;
		for (size_t k = 0; k < n; k++) {
			size_t nr = start[k + 1] - start[k];
			for (size_t i = 0; i < nr; i++) {
				const struct block *x = &block[start[k] + next(&state) % nr];
				sum += x->n;
				len += x->s;
			}
		}
		b->draw[d] = sum / len;
	}
	qsort(b->draw, BOOTSTRAP_DRAWS, sizeof(*b->draw), by_value);
	b->low = b->draw[(int)((1 - SHARE) / 2 * BOOTSTRAP_DRAWS)];
	b->high = b->draw[BOOTSTRAP_DRAWS - 1 - (int)((1 - SHARE) / 2 * BOOTSTRAP_DRAWS)];
}

int bootstrap_rate(struct bootstrap *b, const struct phase_point *pt, const struct stratum *st, size_t n, unsigned seed)
{
	size_t points = 0, nr = 0;
	double sum = 0, len = 0, worst = 0;

	b->rate = b->low = b->high = NAN;
	b->block_s = BLOCK_S;
	for (size_t k = 0; k < n; k++)
		for (size_t i = st[k].from; i < st[k].to; i++, points++)
			if (pt[i].dt_s > 0) {
				sum += counted(&pt[i]);
				len += pt[i].dt_s;
			}
	if (!(len > 0))
		return 0;
	b->rate = sum / len;
	struct block *block = malloc(points * sizeof(*block));
	size_t *start = malloc((n + 1) * sizeof(*start));
	if (!block || !start) {
		free(block);
		free(start);
		return -1;
	}
	nr = cut_all(pt, st, n, b->block_s, block, start, &worst);
	while (worst > CORRELATED && nr >= 2 * BLOCKS_KEPT * n) {
		b->block_s *= 2;
		nr = cut_all(pt, st, n, b->block_s, block, start, &worst);
	}
	if (nr >= BOOTSTRAP_BLOCKS_MIN)
		draw_all(b, block, start, n, seed);
	free(block);
	free(start);
	return 0;
}

/* Share of all pairs of draws in which a's is smaller; both are sorted, so one walk through both counts them. */
static double share_below(const struct bootstrap *a, const struct bootstrap *b)
{
	double pairs = 0;
	int i = 0;

	for (int k = 0; k < BOOTSTRAP_DRAWS; k++) {
		while (i < BOOTSTRAP_DRAWS && a->draw[i] < b->draw[k])
			i++;
		pairs += i;
	}
	return pairs / ((double)BOOTSTRAP_DRAWS * BOOTSTRAP_DRAWS);
}

int bootstrap_differ(const struct bootstrap *a, const struct bootstrap *b)
{
	if (isnan(a->low) || isnan(b->low))
		return -1;
	double below = share_below(a, b), above = share_below(b, a), one_side = 1 - (1 - SHARE) / 2;
	double off = fabs(a->rate - b->rate) / fmax(fmax(a->rate, b->rate), 1e-300);

	return off >= LEAST && (below >= one_side || above >= one_side);
}
