/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_COUNTERS_H
#define ENGINE_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "engine/hist.h"
#include "engine/workload.h"

/**
 * What one worker counts: cumulative since its job began, written by that worker alone, read by anyone (relaxed).
 * Latencies as in fio: slat from made to submitted, clat from there to reaped, lat both (with rate_iops or a shape:
 * from the intended start). The number of I/Os is the number of values in lat: nothing can disagree with it.
 */
struct counters {
	struct {
		_Atomic uint64_t ios, bytes;
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
