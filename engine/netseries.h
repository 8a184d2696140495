/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_NETSERIES_H
#define ENGINE_NETSERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

/** A figure that does not exist (a receiver has no retransmits of its own). */
#define NET_NONE UINT64_MAX

/** One stream in one interval: differences for what counts, the state at its end for the rest. */
struct net_stream {
	uint64_t bytes;
	uint64_t retransmits; /**< NET_NONE at a receiver */
	uint32_t cwnd, wnd;   /**< bytes; senders */
	uint32_t rtt_us, rttvar_us, pmtu;
	/* Of datagrams; 0 with TCP. */
	uint64_t packets;   /**< sent, or by how much the highest number that came has grown */
	int64_t lost;       /**< of them missed by us as receiver; below 0: what was missed before came late */
	uint64_t jitter_ns; /**< of us as receiver */
};

/**
 * One interval of a network test, all streams: differences over a true dt_ns, never a rate. What we send counts here
 * once the peer's kernel has acknowledged it: bytes that only fill our socket buffers have not passed the network.
 */
struct net_sample {
	uint64_t t_ns;  /**< end of the interval, since the data began to flow (omitted seconds included) */
	uint64_t dt_ns; /**< its length as measured */
	bool omitted;   /**< in the seconds that -O leaves out of the result */
	uint64_t sent, received; /**< bytes by us, over all streams */
	uint64_t retransmits;    /**< NET_NONE when we only receive */
	uint32_t rtt_us;         /**< mean over our sending streams; 0 not known */
	uint32_t cwnd;           /**< bytes, sum over them */
	unsigned nr_streams;
	const struct net_stream *stream; /**< borrowed, for the length of the call; NULL in a kept sample */
};

/**
 * The samples of a test, kept: sums at the rate they come, and each stream by the second (as iperf3 prints
 * them). Memory is bounded: beyond the caps the older half is merged in pairs. One thread.
 */
struct net_series {
	struct net_sample *row;
	size_t n, cap;
	/* Intervals of step_ns by stream: interval i holds nr_streams entries from stream[i * nr_streams]. */
	uint64_t step_ns;
	unsigned nr_streams;
	struct net_stream *stream;
	struct net_sample *interval;
	size_t nr_intervals, cap_intervals, max_intervals;
};

#define NET_SERIES_ROWS_MAX    65536  /**< 109 minutes at 10 Hz, then coarser */
#define NET_SERIES_STREAMS_MAX 524288 /**< stream entries: 128 streams for 68 minutes, then coarser */

/** The zero value is an empty one; @p step_ns is the length of an interval by stream. */
void net_series_init(struct net_series *s, uint64_t step_ns);
void net_series_release(struct net_series *s);
/** Keep one. Its stream rows are copied. @return -1 without memory */
int net_series_add(struct net_series *s, const struct net_sample *sample);
/** to becomes the interval of both (to, then next): counts add, states are next's. */
void net_sample_merge(struct net_sample *to, const struct net_sample *next);
/** The same for one stream. */
void net_stream_merge(struct net_stream *to, const struct net_stream *next);

#endif
