/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_IO_H
#define ENGINE_IO_H

#include <assert.h>
#include <libaio.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/target.h"
#include "engine/workload.h"

/**
 * The seam to the kernel. An engine takes slots, does their I/O, and hands them back:
 *
 *	io_send()   slots go in, in batches; the engine may take fewer than it is given
 *	io_reap()   slots come out, in batches; waits for the first one at most so long
 *
 * Three engines: `libaio` (asynchronous direct I/O), `sync` (pread and pwrite, done when io_send() returns) and `sim`
 * (no I/O at all: as fast as it can, or with an assumed service time, and with faults for tests). An engine belongs to
 * one thread. Nothing in here allocates, locks or formats between io_open() and io_close().
 */

/** One I/O. The worker's while idle; the engine's from io_send() until io_reap() gives it back. */
struct slot {
	struct iocb	     iocb;   /**< private to libaio; the first member */
	void		    *buf;    /**< of this I/O; aligned for direct I/O */
	const struct target *target; /**< what it is on */
	uint64_t	     offset, len; /**< bytes */
	enum ddir	     ddir;
	int		     flags;  /**< of the call: RWF_DSYNC, RWF_SYNC or 0 */
	uint64_t	     intended_ns; /**< when it should have started: lat counts from here */
	uint64_t	     due_ns;	  /**< when it may start (a shape holds it until then) */
	uint64_t	     start_ns;	  /**< when it was made, or let go by a shape: slat counts from here to issue_ns */
	uint64_t	     issue_ns;	  /**< set by the engine: submitted; clat counts from here to done_ns */
	uint64_t	     done_ns;	  /**< set by the engine: completed */
	int64_t		     res;	  /**< set by the engine: bytes moved, or a negative errno */
	void		    *buf_of[DDIR_NR]; /**< the worker's: where buf points for each direction */
	uint64_t	     filled;	      /**< the worker's: bytes of the write buffer that hold incompressible data */
};

/** How an engine is set up. */
struct io_config {
	enum ioengine engine;	   /**< never AUTO */
	unsigned      depth;	   /**< slots that can be in the engine at once, > 0 */
	uint64_t      sim_lat_ns;  /**< sim: done this long after due_ns; 0: at once, and clocks are real */
	uint64_t      sim_fail_at; /**< sim: the I/O that fails, counted from 1; 0: none */
	int	      sim_errno;   /**< sim: its errno; 0: it is short by half */
};

struct io;

/** What makes an engine. */
struct io_ops {
	const char *name;
	bool	    virtual_time; /**< done_ns is computed, not read: it may lie a little before the clock */
	int (*open)(struct io **io, const struct io_config *cfg, struct err *err);
	int (*send)(struct io *io, struct slot *const *slots, unsigned n);
	int (*reap)(struct io *io, struct slot **done, unsigned max, uint64_t timeout_ns, uint64_t *now_ns);
	void (*close)(struct io *io);
};

extern const struct io_ops io_aio_ops, io_sync_ops, io_sim_ops;

/** Each engine's own struct begins with this one. */
struct io {
	const struct io_ops *ops;
};

/**
 * Open an engine. EAGAIN of io_setup names fs.aio-max-nr, what is asked and what is left (code EAGAIN).
 * @param io set to NULL on failure; io_close() accepts that
 */
int io_open(struct io **io, const struct io_config *cfg, struct err *err);

/**
 * Hand over the first of @p n slots, with buf, target, offset, len, ddir, due_ns and start_ns set.
 * @return how many were taken (0: the kernel has no room now, reap first), or a negative errno that belongs to slots[0]
 */
static inline int io_send(struct io *io, struct slot *const *slots, unsigned n)
{
	/* The last of the guards: whatever went wrong above, nothing is written that was not opened for writing. */
	for (unsigned i = 0; i < n; i++)
		assert(slots[i]->ddir != DDIR_WRITE || slots[i]->target->writable || slots[i]->target->kind == TARGET_SIM);
	return io->ops->send(io, slots, n);
}

/**
 * Take back up to @p max completed slots; with none there, wait for the first at most @p timeout_ns (0: don't).
 * Also with nothing in flight: this is where a worker waits for its next turn.
 * @param now_ns set to the clock after the wait
 * @return how many, 0 after the time or a signal, or a negative errno
 */
static inline int io_reap(struct io *io, struct slot **done, unsigned max, uint64_t timeout_ns, uint64_t *now_ns)
{
	return io->ops->reap(io, done, max, timeout_ns, now_ns);
}

/** End it. Nothing may be in flight: the kernel would wait for it here. */
void io_close(struct io *io);

#endif
