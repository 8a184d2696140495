/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_WORKER_H
#define ENGINE_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/counters.h"
#include "engine/err.h"
#include "engine/job.h"
#include "engine/target.h"

struct blockio;

/** How often a worker that waits looks up to see whether it was stopped. */
#define WORKER_WAIT_NS 100000000ULL

/**
 * One thread of a job, as a body (worker_body) sees it. Everything but the counters is set before the body starts
 * and read only; the counters are written by this thread alone.
 */
struct worker {
	const struct job_spec  *spec;	   /**< of the job; spec->wl and spec->body_arg among it */
	const struct workload  *wl;	   /**< the job's copy */
	struct knobs	       *knobs;	   /**< the job's; read them between I/Os */
	unsigned		index;	   /**< 0 to job_nr_workers() - 1 */
	struct target	      **targets;   /**< those of this worker, at least one */
	unsigned		nr_targets;
	unsigned		share, nr_shares; /**< this worker is the share-th of nr_shares on its targets, from 0 */
	struct counters	       *counters;
	uint64_t		deadline_ns; /**< CLOCK_MONOTONIC, 0 none: use worker_stopped() */
	const atomic_bool      *stop;	   /**< the job's: use worker_stopped() */
	struct blockio	       *blockio;   /**< of block I/O; NULL for other bodies */
	uint64_t		cpu_due_ns;/**< when the CPU time is published next */
};

/** Told to stop, or the deadline has passed. @p now_ns a clock value at hand; 0 looks at the stop flag only. */
static inline bool worker_stopped(const struct worker *w, uint64_t now_ns)
{
	return atomic_load_explicit(w->stop, memory_order_relaxed) ||
	       (w->deadline_ns && now_ns >= w->deadline_ns);
}

/**
 * Count @p n I/Os of @p bytes each that share all their times. slat = issue - start, clat = done - issue, lat = done -
 * intended; a body that issues I/O by plain calls gives intended, start and issue the time before the call.
 */
void worker_count(struct worker *w, enum ddir ddir, uint64_t n, uint64_t bytes, uint64_t intended_ns, uint64_t start_ns,
		  uint64_t issue_ns, uint64_t done_ns);

/**
 * Count @p n I/Os of a body whose calls are so short that a look at the clock would be much of their cost: lat alone,
 * and for each of them @p lat_ns, which is that of all @p n together; such a test has no slat and no clat.
 */
void worker_count_lat(struct worker *w, enum ddir ddir, uint64_t n, uint64_t bytes, uint64_t lat_ns);

/** A body's time begins now: it has opened, allocated and filled what it works with. @return the clock */
uint64_t worker_begin(struct worker *w);

/** Publish the thread's CPU time if it is a second old, or now if @p now_ns is UINT64_MAX. */
void worker_publish_cpu(struct worker *w, uint64_t now_ns);

/**
 * An I/O that failed (@p res a negative errno) or was short (@p res less than @p len): count an error and say what,
 * where and why: "read of 16 KiB at offset 1048576 on /dev/nvme1n1: Input/output error"; ENODEV where the device is
 * no longer there, whatever the kernel said. @return -1
 */
int worker_io_error(struct worker *w, const struct target *t, enum ddir ddir, uint64_t offset, uint64_t len, int64_t res,
		    struct err *err);

/**
 * Wait until the first @p bytes of @p fd are on disk, a slice after the other with a look at the stop flag between: one
 * call for all of it keeps a thread, and its process, until a slow disk has taken the last byte, whatever signal comes.
 * @param bytes      0: all of it, in one call
 * @param data_only  end with fdatasync, else with fsync
 * @return 0 all of it is durable; 1 stopped before; -1 with errno
 */
int worker_flush(const struct worker *w, int fd, uint64_t bytes, bool data_only);

/**
 * Give this thread a descriptor table of its own, as a process with one thread has: system calls on descriptors that it
 * opens from here on take no reference and no lock (0.1 µs each, where calls of a byte are compared with other
 * programs'). What was open stays open in both until the thread ends. Where it is not allowed nothing changes.
 */
void worker_own_files(void);

/** Fill @p len bytes with data that no filesystem or device compresses, from @p seed. 8 bytes a step. */
void fill_random(void *buf, uint64_t len, uint64_t seed);

#endif
