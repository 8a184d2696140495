/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_BLOCKIO_H
#define ENGINE_BLOCKIO_H

#include "engine/io.h"
#include "engine/worker.h"

/**
 * Block I/O by the workload: the body of most jobs. A worker keeps up to `iodepth` I/Os going, each made, held until
 * its time (rate cap, shape), submitted and reaped; free ones are submitted together, completed ones reaped together.
 *
 * Several workers on one target: random ones use all of it, each with a permutation of its own; sequential ones get
 * an equal part each and stay in it, so that none reads what another has just brought into a cache (fio starts all of
 * them at offset 0). A worker on several targets takes them in turn.
 *
 * A rate cap starts I/Os evenly, 1/rate_iops apart; one that starts late keeps its intended start, which lat counts
 * from, and the ones after it catch up. A turn of that knob begins a new schedule.
 */

/** What of a target is used: all of it, or wl->size bytes, in whole logical blocks. */
uint64_t blockio_span(const struct workload *wl, const struct target *t);

/** The engine for these targets: AUTO resolved. ERR_USAGE where the workload asks for one that cannot serve them. */
int blockio_engine(const struct workload *wl, struct target *const *targets, unsigned nr, enum ioengine *out,
		   struct err *err);

/**
 * Whether that engine has one I/O in flight at most, whatever iodepth says: sync always has; libaio does buffered I/O
 * and I/O on tmpfs inside io_submit. Such an engine is given one I/O at a time, so that its latency is that of one.
 */
bool blockio_is_serial(enum ioengine engine, struct target *const *targets, unsigned nr);

/** Room for the knobs, settled before the workers start. */
struct blockio_config {
	enum ioengine engine;
	uint64_t      depth_max; /**< I/Os in flight */
	uint64_t      bs_max;	 /**< bytes of a buffer */
	bool	      one_pass;	 /**< layout: every byte of the region once, in order, then end */
};

/** Open the engine, make slots and buffers of @p w. EAGAIN as in io_open(). Ended by blockio_close(). */
int blockio_open(struct worker *w, const struct blockio_config *cfg, struct err *err);
/** Do it until stopped, out of bytes, or an I/O failed; drains what is in flight. The worker's thread. */
int blockio_run(struct worker *w, struct err *err);
void blockio_close(struct worker *w);

#endif
