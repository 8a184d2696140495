/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_IPERF_CLIENT_H
#define ENGINE_IPERF_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/iperf_proto.h"
#include "engine/netio.h"
#include "engine/netseries.h"

/**
 * One network test, TCP or UDP, against an iperf3 server, from connecting to the peer's own figures. Blocks the thread
 * that calls it for the length of the test; the data moves on threads of its own (netflow.h).
 *
 * A test that fails or is stopped half-way still fills the report with what was measured.
 */

#define IPERF_CONNECT_TIMEOUT_NS 5000000000ULL /**< default of connect_timeout_ns */
#define IPERF_TICK_NS            100000000ULL  /**< default of tick_ns: ten samples a second */
#define IPERF_SILENCE_NS         120000000000ULL /**< default of silence_ns; the same as iperf3's --rcv-timeout */

struct iperf_client_opts {
	const char *host; /**< name or address, without the port */
	uint16_t port;
	struct iperf_params params;
	int family;                  /**< AF_INET, AF_INET6 or AF_UNSPEC */
	const char *bind;            /**< local address, NULL any */
	uint16_t cport;              /**< local port of the first data connection, the others follow; 0 any */
	uint64_t connect_timeout_ns; /**< no step waits longer until the data flows; 0 default */
	uint64_t tick_ns;            /**< 0 default */
	uint64_t silence_ns;         /**< no byte moves for so long: the test fails; 0 default */
};

/** Called on the thread that runs the test; quick, please. Each may be NULL. */
struct iperf_client_hooks {
	void *ctx;
	void (*sample)(void *ctx, const struct net_sample *s);
	/** The control connection stands; nothing has flowed yet. */
	void (*connected)(void *ctx, const struct net_addr *local, const struct net_addr *peer);
	/** What it waits for, one line: "connected to …", "queued, 1 ahead: …". */
	void (*note)(void *ctx, const char *text);
};

/** One stream, as we counted it and as the peer did. Omitted seconds are left out. */
struct iperf_report_stream {
	int id;
	bool sends; /**< we send on it */
	uint64_t bytes;
	uint64_t retransmits;                               /**< of ours; NET_NONE when we receive */
	uint64_t peer_bytes;                                /**< NET_NONE: the peer did not say */
	uint64_t peer_retransmits;                          /**< NET_NONE when it receives */
	uint64_t packets, peer_packets; /**< datagrams: sent, or the highest number that came; NET_NONE: TCP, or not said */
	uint64_t lost;                  /**< datagrams below it that the receiver missed; NET_NONE likewise */
	uint64_t late;                  /**< that came behind a higher number; NET_NONE when the peer receives */
	uint64_t dropped;               /**< of those lost: no room in our socket's buffer; NET_NONE likewise */
	double jitter_s;                /**< of the receiver at the end (RFC 1889); NAN likewise */
	double peer_end_s;                                  /**< length of its measurement, NAN not said */
	uint32_t max_cwnd, max_wnd, min_rtt_us, max_rtt_us; /**< senders; 0 not known */
	double mean_rtt_us;                                 /**< NAN not known */
	struct net_addr local, remote;
	int socket;     /**< descriptor it had; for iperf3's documents */
	double seconds; /**< measured, without the omitted ones */
	/* sums that become the figures above */
	bool based; /* the omitted seconds are over */
	uint64_t base_ns, start_acked, base_bytes, base_retransmits, rtt_n, rtt_sum;
	uint64_t base_packets, base_lost, base_late, base_dropped;
};

/** Zero owns nothing; iperf_report_release() in any state. */
struct iperf_report {
	bool measured; /**< data flowed: the figures below exist */
	bool complete; /**< and the peer's figures came */
	bool stopped;  /**< by the stop flag, before its time */
	struct iperf_params params;
	char host[256]; /**< as asked for */
	uint16_t port;
	struct net_addr local, peer; /**< of the control connection */
	char cookie[IPERF_COOKIE];
	int64_t started_s; /**< when the data began to flow, Unix time; 0 never */
	double seconds;    /**< measured, without the omitted ones; of the first stream */
	uint64_t sent, received;
	uint64_t retransmits;                                  /**< of ours; NET_NONE when we only receive */
	uint64_t peer_sent, peer_received, peer_retransmits;   /**< NET_NONE: not said */
	double cpu_total, cpu_user, cpu_system;                /**< of this process, percent of one core */
	double peer_cpu_total, peer_cpu_user, peer_cpu_system; /**< NAN not said */
	char congestion[16], peer_congestion[16];
	char peer_version[48]; /**< "" from an iperf3: the protocol does not tell */
	unsigned mss, sndbuf, rcvbuf;
	unsigned threads; /**< that moved the data */
	unsigned lost;    /**< streams that had ended before the test did: the peer closed them, or they broke */
	unsigned n;
	struct iperf_report_stream *stream;
};

/**
 * Run one test.
 *
 * Once @p stop is set, the test ends in the protocol at once: the server is free again and its figures still
 * come (within two seconds); that counts as success with report->stopped set. Stopped before the data flowed:
 * ECANCELED.
 *
 * @param report filled as far as the test got, whatever is returned; iperf_report_release() it
 * @return 0, or -1: EBUSY the server runs another test; EPROTO it is no iperf3 server or reports an error;
 *         ECONNRESET, ETIMEDOUT, ECONNREFUSED … as usual; ERR_USAGE for parameters out of range
 */
int iperf_client_run(const struct iperf_client_opts *opts, const struct iperf_client_hooks *hooks,
		     net_stop *stop, struct iperf_report *report, struct err *err);
void iperf_report_release(struct iperf_report *r);

/** The datagrams of all streams, as their receivers saw them. NET_NONE, NAN: not known. */
struct iperf_datagrams {
	uint64_t packets, lost; /**< numbers seen, and of them missed */
	double lost_share;      /**< 0 to 1 */
	uint64_t dropped, late; /**< of those that came to us */
	double jitter_s;        /**< mean over the streams */
	uint64_t tail;          /**< sent behind the highest number that came: on their way at the end, or lost too */
};
void iperf_report_datagrams(const struct iperf_report *r, struct iperf_datagrams *out);

/** Bits per second that arrived, in the direction(s) of the test: the receiver's bytes over its time where
 * they are known, else ours. NAN when nothing was measured. */
double iperf_report_bps(const struct iperf_report *r);

#endif
