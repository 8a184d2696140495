/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_JOB_H
#define ENGINE_JOB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/counters.h"
#include "engine/err.h"
#include "engine/workload.h"

struct target;
struct shaper;
struct job;
struct worker;

/**
 * One test being done: `numjobs` workers, one thread each, that all do the same kind of work on the targets, each
 * with counters of its own. The job knows nothing of ticks, phases or files: whoever started it reads the counters
 * when it likes, turns the knobs and says stop.
 */

/** The live knobs. Written by anyone (relaxed), read by the workers between submissions. */
struct knobs {
	_Atomic uint64_t iodepth; /**< at most the iodepth_max the job was started with */
	_Atomic uint64_t bs;	  /**< at most bs_max; a multiple of the logical block for direct I/O */
	_Atomic uint64_t rwmixread;
	_Atomic uint64_t rate_iops; /**< per job; 0 no cap */
};

/**
 * What a kind of work does in a worker's thread: issue its I/O until worker_stopped() or done, counting into the
 * worker's counters. @return 0, or -1 with the worker's err filled (offset, direction, device, errno in words).
 */
typedef int (*worker_body)(struct worker *w, struct err *err);

struct job_spec {
	const struct workload *wl;	    /**< copied */
	struct target	      *targets;	    /**< borrowed until job_join(); workers are spread across them */
	unsigned	       nr_targets;
	struct shaper	      *shaper;	    /**< borrowed; NULL: not shaped */
	uint64_t	       sim_lat_ns;  /**< sim engine: assumed latency of one I/O; 0: none */
	uint64_t	       iodepth_max; /**< room for the knob, where it is to be had; 0: as the workload */
	uint64_t	       bs_max;	    /**< room for the knob, where it is to be had; 0: as the workload */
	uint64_t	       duration_ns; /**< stop issuing so long after all workers began; 0: never */
	uint64_t	       bytes_max;   /**< stop after this many bytes in all (layout, one pass); 0: no end */
	worker_body	       body;	    /**< NULL: block I/O by the workload */
	const void	      *body_arg;    /**< for the body; borrowed until job_join() */
	bool		       held;	    /**< no worker begins before job_go(): room for a first reading */
	int		       notify_fd;   /**< an eventfd that is written when the last worker ends; -1: none */
	uint64_t	       sim_fail_at; /**< sim engine: the I/O of each worker that fails, from 1; 0: none */
	int		       sim_errno;   /**< with this errno; 0: it is short by half */
};

/**
 * Open an I/O engine per worker, allocate, fill buffers, start the threads.
 * The I/O engine's own limits are errors here, with what to do (EAGAIN of io_setup names fs.aio-max-nr).
 */
int job_start(struct job **job, const struct job_spec *spec, struct err *err);
/** Let the workers of a `held` job begin, all at once. Once, by the thread that started it, before job_join(). */
void job_go(struct job *job);
/** Tell the workers to stop; they drain what is in flight. Any thread, also a signal handler's. */
void job_stop(struct job *job);
/** All workers have ended. Any thread. */
bool job_done(const struct job *job);
/** Wait for the workers, free everything. @return -1 with the first worker's error; counters are gone: read before. */
int job_join(struct job *job, struct err *err);

/** When all workers were ready and began together: CLOCK_MONOTONIC. Of a `held` job: after job_go(). */
uint64_t job_began_ns(const struct job *job);
unsigned job_nr_workers(const struct job *job);
const struct counters *job_counters(const struct job *job, unsigned worker);
struct knobs *job_knobs(struct job *job);
/** Do its workers look at the knobs? A body of its own does not. Any thread while the job lives. */
bool job_has_knobs(const struct job *job);
/** Sum of all workers' counters now. Any thread while the job lives. */
void job_totals(const struct job *job, struct totals *out);
/** CPU time of the workers' threads so far, ns (user and system together). Any thread while the job lives. */
uint64_t job_cpu_ns(const struct job *job);
/** The engine that is really used: never AUTO. */
enum ioengine job_ioengine(const struct job *job);
/** The most I/Os a worker really has in flight: 1 where libaio is synchronous (buffered, tmpfs) or with sync. */
uint64_t job_real_depth(const struct job *job);
/** How far the knobs iodepth and bs can be turned up: the room that was asked for, or less where it was not to be had. */
uint64_t job_iodepth_max(const struct job *job);
uint64_t job_bs_max(const struct job *job); /**< bytes */

#endif
