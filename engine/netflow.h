/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_NETFLOW_H
#define ENGINE_NETFLOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"

/**
 * The data side of a network test: streams that are written to or read from as fast as the network takes
 * them. One thread a stream while there are cores for it, else the streams are dealt round as many threads as
 * netflow_threads() says, each with an epoll of its own. Used by both client and server.
 *
 *     netflow_start()   RUN    senders write, receivers read and count
 *     netflow_drain()   DRAIN  senders have written their last byte when it returns; receivers read on,
 *                              uncounted, so that the peer is never blocked on us
 *     netflow_finish()         threads are joined; the descriptors stay the caller's
 *
 * Bytes are counted as the kernel takes or gives them, so a partly written block counts with what was taken.
 * A datagram is whole, and counted with its payload.
 */

/** How a stream ended on its own: an errno, or NETFLOW_EOF. */
#define NETFLOW_EOF (-1)

/** One connection. fd and sends are the caller's to fill; the rest is the mover's. */
struct netflow {
	int fd;                 /**< connected, non-blocking; not closed here */
	bool sends;             /**< we write on it */
	_Atomic uint64_t bytes; /**< moved in RUN; one writer, anyone reads (relaxed) */
	_Atomic int ended;      /**< 0 while it works, else an errno or NETFLOW_EOF */
	/* Datagrams, likewise in RUN; see netudp.h. */
	_Atomic uint64_t packets;   /**< sent, or the highest number that came */
	_Atomic uint64_t lost;      /**< of a receiver: numbers below it that did not come */
	_Atomic uint64_t late;      /**< of a receiver: came behind a higher number */
	_Atomic uint64_t jitter_ns; /**< of a receiver, now */
	/* of the thread that moves it */
	bool blocked; /* until an event */
	bool hup;     /* the peer has closed: read to the end */
	uint64_t due_ns;
	bool seen; /* a datagram has come; the last one's way took transit_ns */
	int64_t transit_ns;
};

struct netflow_opts {
	uint64_t len;      /**< bytes of a block */
	uint64_t rate_bps; /**< bits per second each sender may reach on average; 0 no cap */
	uint64_t burst;    /**< blocks sent at once under a cap; 0 or 1: one */
	uint64_t limit;    /**< end of the test in bytes over all counted streams; 0 none */
	bool skip_copy;    /**< receivers let the kernel drop the bytes (MSG_TRUNC) */
	bool udp;          /**< datagrams of len bytes, at least NETUDP_HEAD */
	bool wide_numbers; /**< their numbers have 64 bits, not 32 */
};

struct netflow_set;

/** Start moving. @p flows stays the caller's and must outlive the set. @return NULL with @p err filled */
struct netflow_set *netflow_start(struct netflow *flows, unsigned n, const struct netflow_opts *opts,
				  struct err *err);
/** Readable once the byte limit is reached. */
int netflow_limit_fd(const struct netflow_set *set);
/**
 * See above; returns once no more bytes are counted or written. Takes well under a millisecond.
 * @param rest count what the kernel holds for our receivers already: for who knows that the senders have stopped
 */
void netflow_drain(struct netflow_set *set, bool rest);
/** End and join the threads, free the set. NULL is fine. */
void netflow_finish(struct netflow_set *set);
/** How many threads move its streams. */
unsigned netflow_set_threads(const struct netflow_set *set);

/**
 * How many threads move so many streams.
 *
 * A peer on this machine needs half of its cores: threads of ours beyond the others only take turns with it.
 * Ten streams over loopback against an iperf3 3.12 server on two cores, medians of five in turn: one thread
 * 34.1 Gbps sending and 37.0 receiving, two threads 33.1 and 29.3 for 13 and 7 % more CPU a byte, ten threads
 * 28.0 and 29.0; iperf3's own client 30.7 and 31.0.
 *
 * @param nr_cores  that this process may use, at least 1
 * @param peer_here the peer runs on this machine
 */
unsigned netflow_threads(unsigned streams, unsigned nr_cores, bool peer_here);

#endif
