/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_IPERF_CLIENT_PARTS_H
#define ENGINE_IPERF_CLIENT_PARTS_H

#include <sys/resource.h>

#include "engine/iperf_client.h"
#include "engine/netflow.h"

/* What the client's two halves share: iperf_client.c talks, iperf_client_data.c moves data and measures. */

struct iperf_client {
	const struct iperf_client_opts *opts;
	const struct iperf_client_hooks *hooks;
	net_stop *stop;
	struct iperf_report *rep;
	char peer[320]; /* for messages: what was asked for */
	uint64_t timeout_ns, tick_ns, silence_ns;
	int ctrl;
	struct netflow *flow;
	struct netflow_set *set;
	struct net_stream *now; /* the tick's rows */
	struct {
		uint64_t bytes, retransmits, acked, packets, lost;
	} *prev; /* each stream's counts at the last tick */
	uint64_t start_ns, last_ns, moved_ns; /* clock; moved: when a byte last did */
	struct rusage usage;
};

/** Let the data flow and take our figures into the report. @return 0 when the test came to its end */
int iperf_client_data(struct iperf_client *c, struct err *err);
/** SERVER_ERROR has come: read its two numbers. @return -1 */
int iperf_client_server_error(struct iperf_client *c, struct err *err);
/** A state that was not due. @return -1 */
int iperf_client_unexpected(const struct iperf_client *c, int state, int want, struct err *err);

#endif
