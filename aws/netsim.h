/* SPDX-License-Identifier: MIT */
#ifndef AWS_NETSIM_H
#define AWS_NETSIM_H

#include "aws/netmodel.h"
#include "engine/iperf_client.h"

/**
 * A network that isn't there: the model of a task size, an instance or a function as a test would see it. It
 * bursts at the peak until the credits are spent and then goes on at the baseline. No byte moves; whoever
 * shows it says SIMULATED. Under a time scale the credits last as much shorter; rates stay what they are.
 */
struct netsim {
	double base_bps, peak_bps, burst_s; /**< as the network has them */
	double time_scale;                  /**< the network's seconds per wall second, > 0 */
	double credits;                     /**< share of the bucket at the start, 0 to 1 */
};

/** From what is expected of a host. A burst whose length nobody knows lasts 5 minutes, the shortest
 * documented.
 * @return -1 where no network figure of the host is known (ERR_USAGE) */
int netsim_of(const struct net_expect *e, double time_scale, double credits, struct netsim *out,
	      struct err *err);
/** Bits that pass from @p from_s to @p to_s, wall seconds since the start. */
double netsim_bits(const struct netsim *s, double from_s, double to_s);
/** Wall seconds until the credits are spent. */
double netsim_burst_end(const struct netsim *s);

/**
 * As iperf_client_run(): runs for opts->params.time_s (and omit_s) wall seconds, calls hooks->sample at each
 * tick and fills the report as a test does. Streams share the rate. Cannot fail but for memory.
 */
int netsim_run(const struct netsim *s, const struct iperf_client_opts *opts,
	       const struct iperf_client_hooks *hooks, net_stop *stop, struct iperf_report *report,
	       struct err *err);

#endif
