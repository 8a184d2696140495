/* SPDX-License-Identifier: MIT */
#ifndef AWS_NETMODEL_H
#define AWS_NETMODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aws/ena.h"
#include "aws/host.h"
#include "engine/err.h"
#include "engine/json.h"
#include "engine/netphases.h"
#include "engine/result.h"

/**
 * What a host's network should do, and what a test says about it. Rates are bits per second of payload in one
 * direction; figures that no document and no measurement gives are NAN. Pure functions; any thread.
 *
 * EC2 (User Guide, "Amazon EC2 instance network bandwidth", 2023-05): an instance has a baseline and often a
 * peak for 5 to 60 minutes, in each direction for itself; one flow (one connection) has at most 5 Gbps, 10
 * when both ends are in one cluster placement group. Fargate and Lambda: netobs.h, observations without a
 * promise.
 */

#define NET_FLOW_BPS         5e9
#define NET_FLOW_CLUSTER_BPS 10e9

/** What to expect. A plain value. */
struct net_expect {
	struct host host;        /**< HOST_NONE: nothing is known */
	double base_bps;         /**< for ever */
	double peak_bps;         /**< while credits last; equals base_bps without a burst */
	double burst_s;          /**< how long from full credits, as observed; NAN not known */
	double burst_bytes;      /**< credit: what a full bucket gives above the baseline; NAN not known */
	double flow_bps;         /**< cap of one connection; NAN: none is documented here (Lambda, tasks) */
	unsigned streams;        /**< in one direction */
	unsigned streams_needed; /**< to reach peak_bps in spite of flow_bps; 0 not known */
	bool observed;           /**< measured by others, not documented */
	char label[96];          /**< "observed 2024-06, eu-west-1, not a promise", or the document */
};

/** @param cluster both ends are in one cluster placement group */
void net_expect_of(const struct host *host, unsigned streams, bool cluster, struct net_expect *out);
/** What @p streams connections may carry while credits last; NAN not known. */
double net_expect_peak(const struct net_expect *e);
/** And afterwards. */
double net_expect_base(const struct net_expect *e);
json_t *net_expect_to_json(const struct net_expect *e);

/** What held the rate. */
enum net_bound {
	NETB_NONE,      /**< nothing that shows */
	NETB_RATE,      /**< the test's own -b */
	NETB_INSTANCE,  /**< bw_in/out_allowance_exceeded moved: proven */
	NETB_PPS,       /**< pps_allowance_exceeded moved: proven */
	NETB_CONNTRACK, /**< conntrack_allowance_exceeded moved: proven */
	NETB_CPU,       /**< this side's CPU had nothing left */
	NETB_FLOW,      /**< cap of single flows */
	NETB_LOSS,      /**< retransmits */
	NETB_LOST,      /**< datagrams that did not arrive */
	NETB_NR
};
/** "rate cap", "instance allowance", "packet rate", …; NULL for NONE. */
const char *net_bound_name(enum net_bound b);

/** What a test measured, as far as the judgement needs it. */
struct net_measured {
	enum net_direction dir;
	const struct net_shape *shape;
	double seconds;
	double time_scale;  /**< the network's seconds per wall second, for the texts */
	double goodput_bps;   /**< the receivers' figure over the whole test; NAN not known */
	uint64_t sent;        /**< bytes by the side whose retransmits are known; 0 not known */
	uint64_t retransmits; /**< UINT64_MAX not known */
	uint32_t mss;
	bool udp;            /**< what is sent says nothing of what arrives: only the receivers' figures count */
	double lost_share;   /**< of datagrams, 0 to 1; NAN not known */
	double rate_cap_bps; /**< -b times streams; 0 none */
	double cpu_share; /**< busy share of the cores that the data threads may use, 0 to 1; NAN not known */
	const struct ena *ena;   /**< deltas over the test; NULL: could not be read */
	const char *ena_missing; /**< why not, or NULL */
	bool failed;             /**< the test did not come to its end */
};

struct net_judgement {
	enum verdict verdict;
	enum net_bound bound;
	bool proven;         /**< a counter of the card says so */
	double expected_bps; /**< what the mean level was held against; NAN none */
	char reason[400];
};

/** pass at 90 % of what is expected or more, above over 110 % of the peak, short below, unknown without a
 * host. */
void net_judge(const struct net_expect *e, const struct net_measured *m, struct net_judgement *out);

/** "4.21 Gbps", "63 Mbps", "-"; buf has FMT_LEN bytes (engine/units.h). @return buf */
char *net_fmt_bps(char *buf, double bps);

#endif
