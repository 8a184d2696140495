/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_IPERF_SERVER_H
#define ENGINE_IPERF_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/iperf_proto.h"
#include "engine/netio.h"

/**
 * A server for iperf3 clients and our own: one test at a time, on one port for control and data.
 *
 * Only a complete cookie makes a connection a client, so port scans, silent peers, half-open connections and
 * garbage occupy nothing but one of a bounded number of places for a bounded time. While a test runs, a
 * further client waits (opts.queue) or is refused as iperf3 refuses, with the byte 0xFF. A client of ours is
 * told by whom it is kept waiting and for how long. Every wait has a bound; every buffer that a peer fills
 * has a cap.
 */

struct iperf_server_opts {
	uint16_t port;       /**< 0: any free one, see hooks.listening */
	int family;          /**< AF_INET, AF_INET6 or AF_UNSPEC */
	const char *bind;    /**< local address, NULL every one */
	unsigned queue;      /**< clients that may wait; 0: refused while a test runs */
	bool one_off;        /**< end after one test (iperf3's -1) */
	const char *version; /**< what we call ourselves in the results, NULL nothing */
	/* For tests; 0 the default. */
	uint64_t handshake_ns; /**< 10 s: cookie, parameters, streams: each must come within */
	uint64_t grace_ns;     /**< 40 s: a test may last its time, its omitted time and this */
	uint64_t silence_ns;   /**< 120 s without a byte end a test */
};
#define IPERF_QUEUE_MAX 64

/** A test that ended, well or not. Values of the streams are in `ours` and `peer`; borrowed for the call. */
struct iperf_served {
	struct net_addr peer;
	struct iperf_params params;
	bool ok;        /**< results were exchanged */
	char why[256];  /**< what went wrong, "" when ok */
	double seconds; /**< measured, without the omitted ones; 0 when no data flowed */
	uint64_t sent, received;
	const struct iperf_results *ours, *peers; /**< peers->n is 0 when they did not come */
};

/** All on the thread that runs the server. Each may be NULL. */
struct iperf_server_hooks {
	void *ctx;
	void (*listening)(void *ctx, const char *address, uint16_t port);
	void (*note)(void *ctx, const char *text); /**< one line: who connects, waits, is refused */
	/** Once a second while data flows: bytes since the last call over dt_ns. */
	void (*progress)(void *ctx, const struct net_addr *peer, double elapsed_s, double total_s,
			 uint64_t dt_ns, uint64_t sent, uint64_t received);
	void (*served)(void *ctx, const struct iperf_served *t);
};

/**
 * Serve until @p stop is set or, with one_off, until a test has ended. A running test is ended in the
 * protocol (SERVER_TERMINATE).
 * @return 0; -1 if the port can't be had. One test's failure is not the server's: hooks.served tells.
 */
int iperf_server_run(const struct iperf_server_opts *opts, const struct iperf_server_hooks *hooks,
		     net_stop *stop, struct err *err);

#endif
