/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_NETPHASES_H
#define ENGINE_NETPHASES_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/netseries.h"
#include "engine/phases.h"

/**
 * Burst and baseline of a network test: the phases of phases.h on its series, and what they amount to.
 *
 * A stall (no byte for half a second or longer) is left out of the series, so that it is neither the end of a
 * burst nor a baseline; it is told by itself. On the plot it is zero, since nothing moved.
 */

enum net_direction { NET_SEND, NET_RECEIVE, NET_BOTH };
const char *net_direction_name(enum net_direction d); /**< "send", "receive", "both" */

struct net_stall {
	double start_s, length_s;
};
#define NET_STALLS_MAX 16

/** Rates are bits per second; what does not exist is NAN. Times are seconds since the data began to flow. */
struct net_shape {
	struct phase phase[PHASES_MAX]; /**< .bw is bytes per second */
	size_t nr_phases;
	struct net_stall stall[NET_STALLS_MAX];
	size_t nr_stalls; /**< those that fit */
	double stalled_s; /**< all of them together */
	double mean_bps;  /**< over the measured time, stalls included */
	double burst_bps; /**< NAN when no burst was found */
	double burst_start_s, burst_end_s;
	double burst_s;      /**< its length */
	double baseline_bps; /**< what was left after it; NAN when no burst was found */
	double above_bytes;  /**< moved above the baseline while it lasted */
	double level_bps; /**< without a burst: the last level, without the ramp; NAN for an empty series */
};

/** @return -1 without memory */
int net_shape_of(const struct net_series *s, enum net_direction dir, struct net_shape *out);
/** Bits per second of one sample in that direction; NAN for one without length. */
double net_sample_bps(const struct net_sample *s, enum net_direction dir);

#endif
