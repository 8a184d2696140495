/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_COUNTERS_H
#define ENGINE_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "engine/hist.h"
#include "engine/workload.h"

/**
 * What one worker counts: cumulative since its job began, written by that worker alone, read by anyone.
 * Latencies as in fio: slat from made to submitted, clat from there to reaped, lat both (with rate_iops or a shape:
 * from the intended start). The number of I/Os is the number of values in lat, and the bytes follow from that number:
 * nothing can disagree with it, and a reader needs no lock for a figure that the worker's next I/O changes.
 */
struct counters {
	struct {
		_Atomic uint64_t ios; /**< the worker's own count: what others read is that of lat */
		/**
		 * I/Os are all of one size for long: bytes = skew + ios * size, modulo 2^64. Another size is written where
		 * sizes + 1 is about to point (modulo 2), then told by it, and only then I/Os of that size are counted; so
		 * whoever finds `sizes` the same before and after it has read lat has read I/Os of the sizes it knows.
		 */
		_Atomic uint64_t sizes;
		struct {
			_Atomic uint64_t skew, size;
		} of[2];
		struct hist slat, clat, lat;
	} dir[DDIR_NR];
	_Atomic uint64_t errors;
	_Atomic uint64_t inflight;     /**< now */
	_Atomic uint64_t depth_ns;     /**< integral of inflight over time, for the mean depth */
	_Atomic uint64_t began_ns;     /**< clock when a body's time began, what it works with being there; 0: with the job */
	_Atomic uint64_t accepted_ns;  /**< clock when the last write call had been accepted (dd's own figure); 0 none */
	_Atomic uint64_t durable_ns;   /**< clock when the last byte was on disk (after fsync); 0 none */
	_Atomic uint64_t cpu_usr_ns, cpu_sys_ns; /**< of the thread, published at its end and each second or so */
};

/* One writer a counter, so a load and a store do: no locked read-modify-write. */
static inline void ctr_add(_Atomic uint64_t *ctr, uint64_t n)
{
	atomic_store_explicit(ctr, atomic_load_explicit(ctr, memory_order_relaxed) + n, memory_order_relaxed);
}

static inline void ctr_set(_Atomic uint64_t *ctr, uint64_t v)
{
	atomic_store_explicit(ctr, v, memory_order_relaxed);
}

static inline uint64_t ctr_get(const _Atomic uint64_t *ctr)
{
	return atomic_load_explicit(ctr, memory_order_relaxed);
}

void counters_init(struct counters *c);

/** Count @p n I/Os of @p bytes each, their latencies apart. The worker alone, and before it counts them in lat. */
static inline void counters_ios(struct counters *c, enum ddir d, uint64_t n, uint64_t bytes)
{
	uint64_t sizes = ctr_get(&c->dir[d].sizes), ios = ctr_get(&c->dir[d].ios);
	uint64_t size = ctr_get(&c->dir[d].of[sizes & 1].size);

	if (bytes != size) {
		uint64_t skew = ctr_get(&c->dir[d].of[sizes & 1].skew) + ios * (size - bytes);

		sizes++;
		atomic_store_explicit(&c->dir[d].of[sizes & 1].skew, skew, memory_order_release);
		atomic_store_explicit(&c->dir[d].of[sizes & 1].size, bytes, memory_order_release);
		atomic_store_explicit(&c->dir[d].sizes, sizes, memory_order_release);
	}
	ctr_set(&c->dir[d].ios, ios + n);
}

/** What one direction of a worker holds: figures of one moment, that of the reading of lat. */
struct counted {
	uint64_t	 ios, bytes;
	struct hist_snap lat;
};

/** Read one direction while its worker counts on. Any thread. */
void counters_read(const struct counters *c, enum ddir d, struct counted *out);

/** A reading of all workers of a job, summed, at one moment. About 170 KiB: never on a small stack. */
struct totals {
	uint64_t t_ns; /**< CLOCK_MONOTONIC when it was read */
	struct {
		uint64_t ios, bytes;
		struct hist_snap slat, clat, lat;
	} dir[DDIR_NR];
	uint64_t errors, inflight, depth_ns, cpu_usr_ns, cpu_sys_ns;
	uint64_t began_ns;		  /**< of the worker that began first */
	uint64_t accepted_ns, durable_ns; /**< of the one that ended last */
};

void totals_init(struct totals *t);
/** Add what @p c holds now. */
void totals_add(struct totals *t, const struct counters *c);
/** to -= before: what happened between two readings. t_ns becomes the length between them. */
void totals_sub(struct totals *to, const struct totals *before);

#endif
