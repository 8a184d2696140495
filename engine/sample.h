/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_SAMPLE_H
#define ENGINE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/workload.h"

/** What a run is doing in a tick. Only MEASURE counts in results. */
enum run_phase { PHASE_LAYOUT, PHASE_RAMP, PHASE_MEASURE, PHASE_DRAIN, PHASE_NR };
const char *run_phase_name(enum run_phase p); /**< "layout", "ramp", "measure", "drain" */

/** A figure of the device that could not be read. */
#define DEV_NONE UINT64_MAX
#define SAMPLE_LIMITS 4

/**
 * One tick: differences over a true interval of dt_ns, never a rate. A plain value; final once in a timeline.
 * Figures that do not exist: latencies 0 when nothing completed, device DEV_NONE, model NAN.
 */
struct sample {
	uint64_t t_ns;	/**< end of the interval, since the run began */
	uint64_t dt_ns; /**< its length, as measured */
	uint32_t test;	/**< index of the test in the run */
	uint32_t repeat; /**< which repetition of that test, from 0 */
	enum run_phase phase;
	struct {
		uint64_t ios, bytes;
	} dir[DDIR_NR];
	uint64_t lat_p50, lat_p99, lat_max; /**< ns, of lat, both directions */
	uint64_t errors;
	uint32_t inflight; /**< at the end of the interval */
	struct {
		uint64_t ios, bytes;
	} dev[DDIR_NR];	       /**< what the device moved for everybody; DEV_NONE where it can't be read */
	double model_iops;     /**< I/Os per second the documents allow at this moment */
	double model_balance;  /**< credits of the volumes left at the end, in the bucket's unit */
	double model_host[2];  /**< credits of the host left at the end: operations, bytes */
	/**
	 * Time that demand was over each of four limits, as the device itself counts it: the volume's IOPS and
	 * throughput, the host's IOPS and throughput. Read about once a second, so most ticks have DEV_NONE.
	 */
	uint64_t limit_ns[SAMPLE_LIMITS];
	uint64_t dev_queue;    /**< I/Os in the device at the end, everybody's; read with limit_ns, else DEV_NONE */
	double cpu;	       /**< CPU of the workers in this tick, cores (1.0: one core busy); NAN not known */
};

/**
 * An interval that is longer than its like by this: the program did not run meanwhile. It was stopped (Ctrl-Z, a paused
 * machine), or starved of CPU; what it counted then is no rate of the device.
 */
#define SAMPLE_STALL_NS 1500000000ULL

static inline double sample_seconds(const struct sample *s) { return (double)s->dt_ns / 1e9; }
static inline uint64_t sample_ios(const struct sample *s) { return s->dir[DDIR_READ].ios + s->dir[DDIR_WRITE].ios; }
static inline uint64_t sample_bytes(const struct sample *s) { return s->dir[DDIR_READ].bytes + s->dir[DDIR_WRITE].bytes; }
/** I/Os per second, NAN for an interval of no length. */
static inline double sample_iops(const struct sample *s) { return s->dt_ns ? (double)sample_ios(s) / sample_seconds(s) : __builtin_nan(""); }
static inline double sample_bw(const struct sample *s) { return s->dt_ns ? (double)sample_bytes(s) / sample_seconds(s) : __builtin_nan(""); }

/** to becomes the interval of both (to, then next): sums add up, latencies keep the worse, states are next's. */
void sample_merge(struct sample *to, const struct sample *next);

#endif
