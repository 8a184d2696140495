/* SPDX-License-Identifier: MIT */
#ifndef TUI_NET_LIVE_H
#define TUI_NET_LIVE_H

#include "engine/netphases.h"
#include "engine/runlog.h"
#include "tui/bins.h"
#include "tui/plot.h"

/**
 * What the Network screen shows of a test, worked out from its log alone: live and replayed it is the same.
 * Rates are bits per second, times wall seconds since the data began to flow; what does not exist is NAN.
 */
struct net_live {
	bool net; /**< the log is of a network test */
	bool any; /**< data flows, or did */
	enum net_direction dir;
	unsigned streams;              /**< in each direction */
	double now_s, total_s;         /**< total NAN: ends by bytes */
	double sent_bps, received_bps; /**< over the last second */
	double now_bps, mean_bps;      /**< in the test's direction */
	double rtt_ms;
	uint64_t again, again_all; /**< segments sent again: in the last second, and in all */
	double top_bps;
	struct bins bw; /**< at the dots of the plot */
	struct net_shape shape;
	/* of the header: what was expected when it began; NAN not known */
	double peak_bps, base_bps, flow_bps, burst_s, capacity;
	char source[96];
	double balance; /**< credit left, bytes */
	double empty_s; /**< the network's seconds until it is spent at this rate; INFINITY never; NAN not
			   known */
	/* private */
	const struct run_header *header;
	size_t shaped;
	double measured_s, bytes;
	size_t next;
};

void net_live_release(struct net_live *l);
/** Take in what is new. @param l zeroed before its first use @param dots columns of dots of the plot, 0: none
 */
void net_live_update(struct net_live *l, const struct runlog_snap *run, int dots);
/** Is the run a network test? */
bool net_live_is(const struct runlog_snap *run);

#define NET_LIMITS 3
size_t net_live_limits(const struct net_live *l, struct limit_line *out);

#endif
