/* SPDX-License-Identifier: MIT */
#ifndef AWS_NETRUN_H
#define AWS_NETRUN_H

#include "aws/ena.h"
#include "aws/netmodel.h"
#include "engine/iperf_client.h"
#include "engine/netphases.h"
#include "engine/netstat.h"
#include "engine/result.h"

/**
 * A network test with everything that is known about it: the test itself (or its simulation), what the card
 * counted meanwhile, what the host should do, burst and baseline, the verdict, and all of it as a result of
 * the run.
 */

/** What to do. A plain value; the zero value with net_setup_init() is a test of one stream for ten seconds.
 */
struct net_setup {
	char peer[256]; /**< name or address; with sim: the task as typed */
	uint16_t port;
	struct iperf_params params;
	int family;
	char bind[64]; /**< "" any */
	uint16_t cport;
	uint64_t connect_timeout_ns; /**< 0 default */
	uint64_t interval_ns;        /**< of the series by stream; 0: one for the whole test */
	struct host on;              /**< where we run: kind HOST_NONE not known */
	bool cluster;                /**< both ends in one cluster placement group */
	bool simulated;
	double time_scale, credits; /**< of a simulation; 1 and 1 */
	char preset[16];            /**< "" none */
};

/** Presets, after published measurements; ends with name NULL. */
struct net_preset {
	const char *name, *about;
	unsigned streams, seconds;
	bool reverse;
};
extern const struct net_preset net_presets[];

void net_setup_init(struct net_setup *s);
/** @return -1 for no such preset (ERR_USAGE) */
int net_setup_preset(struct net_setup *s, const char *name, struct err *err);
/** "HOST", "HOST:PORT", "[V6]:PORT", or "sim:net:TASK" (TASK as --task, an instance type, or lambda:MIB). */
int net_setup_target(struct net_setup *s, const char *text, const struct limits *limits, struct err *err);
/** A host from one text: a task size, an instance type, `lambda:MIB`; "" or "none" is HOST_NONE. */
int net_host_parse(struct host *h, const char *text, const struct limits *limits, struct err *err);
enum net_direction net_setup_direction(const struct net_setup *s);

/** A test and what came of it. Owns; netrun_release(). */
struct netrun {
	struct net_setup setup;
	struct net_expect expect;
	struct net_series series;
	struct iperf_report report;
	struct net_shape shape;
	struct net_judgement judgement;
	char card[NETDEV_NAME]; /**< that carried it; "" not known */
	bool card_known;        /**< its counters could be read before and after */
	struct netdev card_before, card_moved;
	bool ena_known;
	struct ena ena_before, ena_moved;
	char ena_missing[128]; /**< why not; "" when known */
	bool failed;
	char error[512];                        /**< "" unless failed */
	const struct iperf_client_hooks *hooks; /* the caller's, during the test */
};

/**
 * Do it, on the thread that calls. @p r is filled as far as the test got, whatever is returned.
 * @return as iperf_client_run()
 */
int netrun_go(struct netrun *r, const struct net_setup *setup, const struct iperf_client_hooks *hooks,
	      net_stop *stop, struct err *err);
/** As one of `tests[]`; its `more` has the members of a net test. The caller's; NULL without memory. */
struct result *netrun_result(const struct netrun *r);
void netrun_release(struct netrun *r);

/** What happened in a tick beyond the baseline, bytes: what it took from the credit (or gave back). */
double net_credit_spent(const struct net_expect *e, enum net_direction dir, const struct net_sample *s);

#endif
