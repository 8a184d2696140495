/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_BLOCKIO_IMPL_H
#define ENGINE_BLOCKIO_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/blockio.h"
#include "engine/pattern.h"

/** Private to blockio.c (the loop) and blockio_open.c (what is there before and after it). One thread's. */

#define BLOCKIO_PAGE 4096ULL

/* One target of this worker, and where on it the worker is. */
struct lane {
	const struct target *target;
	uint64_t key;    /* tells targets apart where a shape asks whether I/Os follow each other */
	uint64_t passed; /* one pass: bytes done from the region's start */
	struct pattern pat;
};

struct blockio {
	struct io *io;
	struct blockio_config cfg;
	bool virtual_time;
	uint64_t align; /* largest logical block of the targets; 1 for buffered I/O */
	struct slot *slots;
	struct slot **idle; /* a stack: the buffer used last is the warmest */
	struct slot **held; /* a ring of a power of two: made, not submitted, in order */
	struct slot **done; /* room for a batch of completions */
	unsigned nr_idle, held_head, held_tail, held_mask;
	unsigned made;     /* held and in flight */
	unsigned inflight; /* submitted */
	char *bufs;
	size_t bufs_len;
	struct lane *lanes;
	unsigned nr_lanes, lane_at;
	uint64_t stamp; /* state of what makes written blocks differ */
	uint64_t left;  /* bytes that may still be issued */
	bool no_more;   /* they are used up */
	uint64_t dirty; /* bytes written to the page cache since the last flush */
	bool busy;      /* the kernel did not take what was due */
	uint64_t busy_since_ns, last_ns;
	uint64_t depth, bs, mix, rate;             /* knobs as last seen, within their limits */
	uint64_t rate_base_ns, rate_step, rate_at; /* turns: base + at; step and at in 1/256 ns */
};

#endif
