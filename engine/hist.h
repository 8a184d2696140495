/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_HIST_H
#define ENGINE_HIST_H

#include <stdatomic.h>
#include <stdint.h>

/**
 * Latency histogram: log-linear buckets of nanoseconds, as in fio.
 *
 * Values below 2^HIST_BITS have a bucket each; above, each power of two is cut into 2^HIST_BITS equal buckets, so a
 * bucket is at most 1/2^HIST_BITS of its value wide. A percentile is given as the middle of its bucket: it is off by
 * at most half a bucket, 1/128 = 0.78 %, and it is clamped to the smallest and largest value seen. With 64 buckets a
 * power of two up to 2^HIST_MAX_BITS ns (73 minutes) there are HIST_NR buckets; longer values count in the last one.
 */
#define HIST_BITS     6
#define HIST_MAX_BITS 42
#define HIST_NR	      ((HIST_MAX_BITS - HIST_BITS + 1) << HIST_BITS)

/**
 * Written by one thread, read by any at any time; never reset, readers subtract two readings. Whoever reads a value has
 * with it all that its thread had stored before it (release, acquire: plain stores and loads on x86).
 */
struct hist {
	_Atomic uint64_t bucket[HIST_NR];
	_Atomic uint64_t min;   /**< smallest value, UINT64_MAX before the first */
	_Atomic uint64_t max;   /**< largest value, 0 before the first */
	_Atomic uint64_t sum;   /**< of all values, ns */
	_Atomic double	 sumsq; /**< of all squares, for the standard deviation */
};

/**
 * A plain copy, to add, subtract and ask. min and max are those of everything since the histogram began. count is the
 * sum of the buckets as they were read: a copy agrees with itself even when the owner counts meanwhile (sum and sumsq
 * may then lag by the I/Os of a few nanoseconds).
 */
struct hist_snap {
	uint64_t bucket[HIST_NR];
	uint64_t count, min, max, sum;
	double	 sumsq;
};

/** Which bucket a value belongs to: 0 to HIST_NR - 1. */
static inline unsigned hist_index(uint64_t ns)
{
	if (ns < (1u << HIST_BITS))
		return (unsigned)ns;
	unsigned msb = 63u - (unsigned)__builtin_clzll(ns);
	if (msb >= HIST_MAX_BITS)
		return HIST_NR - 1;
	unsigned shift = msb - HIST_BITS;
	return (unsigned)(((uint64_t)(shift + 1) << HIST_BITS) + ((ns >> shift) & ((1u << HIST_BITS) - 1)));
}

/** The smallest value of bucket @p i, ns; hist_low(i + 1) is one more than its largest. */
uint64_t hist_low(unsigned i);

void hist_init(struct hist *h);

/**
 * Count @p n times the value @p ns (I/Os submitted and reaped together have one latency). The owning thread only.
 * One writer a counter, so a load and a store do: nothing here is a locked instruction.
 */
static inline void hist_add_n(struct hist *h, uint64_t ns, uint64_t n)
{
	_Atomic uint64_t *b = &h->bucket[hist_index(ns)];
	double v = (double)ns;

#define HIST_GET(at)	 atomic_load_explicit(at, memory_order_relaxed)
#define HIST_SET(at, to) atomic_store_explicit(at, to, memory_order_relaxed)
	atomic_store_explicit(b, HIST_GET(b) + n, memory_order_release);
	HIST_SET(&h->sum, HIST_GET(&h->sum) + ns * n);
	HIST_SET(&h->sumsq, HIST_GET(&h->sumsq) + v * v * (double)n);
	if (ns < HIST_GET(&h->min))
		HIST_SET(&h->min, ns);
	if (ns > HIST_GET(&h->max))
		HIST_SET(&h->max, ns);
#undef HIST_GET
#undef HIST_SET
}

/** Count one value. The owning thread only. */
static inline void hist_add(struct hist *h, uint64_t ns)
{
	hist_add_n(h, ns, 1);
}

/** Add what @p h holds now to @p out. Any thread. */
void hist_read(const struct hist *h, struct hist_snap *out);

void hist_snap_init(struct hist_snap *s);
void hist_snap_add(struct hist_snap *to, const struct hist_snap *from);
/**
 * to -= before, an earlier reading of the same histogram. min and max of the difference are not known exactly: they
 * become the bounds of the outermost buckets left, clamped to the old min and max; where max grew since, it is exact.
 */
void hist_snap_sub(struct hist_snap *to, const struct hist_snap *before);
/** The nearest-rank percentile, ns; @p q from 0 to 100. NAN without values. Never under min nor over max. */
double hist_snap_percentile(const struct hist_snap *s, double q);
double hist_snap_mean(const struct hist_snap *s);   /**< ns, NAN without values */
double hist_snap_stddev(const struct hist_snap *s); /**< ns, NAN without values */

#endif
