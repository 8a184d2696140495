/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_NETSTAT_H
#define ENGINE_NETSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/netio.h"

/**
 * What the kernel says about a connection (TCP_INFO) and about a network card (/proc/net/dev). Both are
 * readings of one moment; counters are cumulative and whoever wants a rate subtracts two. Any thread.
 */

/** A counter or gauge that the kernel does not give here. */
#define NETSTAT_NONE UINT64_MAX

/** One connection, now. All zero where TCP_INFO fails. */
struct tcp_state {
	uint64_t retransmits; /**< segments sent again since the connection began */
	uint64_t acked;       /**< bytes the peer has acknowledged; NETSTAT_NONE before Linux 4.2 */
	uint32_t cwnd;        /**< congestion window, bytes */
	uint32_t wnd;         /**< the peer's receive window, bytes; 0 before Linux 5.4 */
	uint32_t rtt_us, rttvar_us;
	uint32_t pmtu, mss; /**< bytes */
};
bool tcp_state_read(int fd, struct tcp_state *out);
/** The congestion control in use, "" where it is not known. */
void tcp_congestion(int fd, char *out, size_t size);

#define NETDEV_NAME 16

/** A line of /proc/net/dev. */
struct netdev {
	uint64_t rx_bytes, rx_packets, rx_dropped;
	uint64_t tx_bytes, tx_packets, tx_dropped;
};
/** The card's counters. @return false if there is no such card (or no /proc) */
bool netdev_read(const char *name, struct netdev *out);
/** The same from the text of /proc/net/dev. */
bool netdev_parse(const char *text, const char *name, struct netdev *out);
/** to - from, both of one card. A counter that went back (card made anew) counts from zero. */
struct netdev netdev_delta(const struct netdev *from, const struct netdev *to);
/** Name of the card that has the local address of a connected socket; "" if none has. Always this machine's.
 */
void netdev_of(const struct net_addr *local, char name[NETDEV_NAME]);

#endif
