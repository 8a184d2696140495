/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_NETIO_H
#define ENGINE_NETIO_H

#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "engine/err.h"

/**
 * Sockets with a deadline on everything: resolve, connect, listen, read and write all of a buffer. TCP but for two.
 *
 * Each socket made here is non-blocking and close-on-exec. Deadlines are moments of clock_ns(). A stop flag,
 * where one is taken, may be NULL; it is looked at ten times a second and at each signal, and ends the call
 * with ECANCELED. Errors carry an errno (ETIMEDOUT past the deadline, ECONNRESET when the peer closed) and
 * one line without the peer's name: the caller wraps it. Any thread.
 */

typedef const atomic_bool net_stop;
/** How often a stop flag is looked at while nothing else happens. */
#define NET_STOP_CHECK_NS 100000000ULL
static inline bool net_stopped(net_stop *stop)
{
	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/** One resolved address. */
struct net_addr {
	struct sockaddr_storage ss;
	socklen_t len;
};

/** Room for net_addr_text(). */
#define NET_ADDR_TEXT (INET6_ADDRSTRLEN + 24)
/** How many addresses of a name are tried at most. */
#define NET_ADDR_MAX 8

/** What is set on a socket before it connects or listens; zero is "leave it". */
struct net_sockopts {
	int family;              /**< AF_INET, AF_INET6, or AF_UNSPEC for either */
	const char *bind;        /**< local address, NULL any */
	uint16_t bind_port;      /**< local port of an outgoing connection, 0 any (iperf3's --cport) */
	uint64_t window;         /**< bytes of SO_SNDBUF and SO_RCVBUF */
	uint64_t mss;            /**< TCP_MAXSEG, bytes */
	bool nodelay;            /**< TCP_NODELAY */
	const char *congestion;  /**< TCP_CONGESTION, NULL or "" the system's */
	uint64_t tos;            /**< IP_TOS or traffic class */
	uint64_t max_pacing_bps; /**< SO_MAX_PACING_RATE, bits per second */
};

/** Addresses of @p host (a name, IPv4 or IPv6 text, in brackets or not). @return how many, or -1. */
int net_resolve(const char *host, uint16_t port, int family, uint64_t deadline_ns, net_stop *stop,
		struct net_addr out[NET_ADDR_MAX], struct err *err);
/** Connect to one address. @return the descriptor, or -1 */
int net_connect(const struct net_addr *to, const struct net_sockopts *opts, uint64_t deadline_ns,
		net_stop *stop, struct err *err);
/** A datagram socket that talks to this address alone; not a byte is sent. @return the descriptor, or -1 */
int net_udp_connect(const struct net_addr *to, const struct net_sockopts *opts, struct err *err);
/** A datagram socket at a local address that others may have too: one connected to its peer gets what that one sends.
 * @return the descriptor, or -1 */
int net_udp_bind(const struct net_addr *at, const struct net_sockopts *opts, struct err *err);
/** Connect to the first of @p n addresses that answers; each gets an equal share of the time that is left.
 * @param which index of the one that did */
int net_connect_any(const struct net_addr *to, int n, const struct net_sockopts *opts, uint64_t deadline_ns,
		    net_stop *stop, int *which, struct err *err);
/** Listen on opts->bind or on every address (IPv6 with IPv4 in it where there is IPv6). @return descriptor,
 * or -1 */
int net_listen(uint16_t port, const struct net_sockopts *opts, struct err *err);

/** Set on a socket of @p family what @p opts asks for beside the binding. */
int net_sockopts_apply(int fd, int family, const struct net_sockopts *opts, struct err *err);

/** Read exactly @p n bytes. */
int net_read(int fd, void *buf, size_t n, uint64_t deadline_ns, net_stop *stop, struct err *err);
/** Write exactly @p n bytes. */
int net_write(int fd, const void *buf, size_t n, uint64_t deadline_ns, net_stop *stop, struct err *err);
/** Wait until @p fd has one of @p events or the deadline is there. @return poll's revents, 0 at the deadline,
 * -1 */
int net_wait(int fd, short events, uint64_t deadline_ns, net_stop *stop, struct err *err);

/** "10.0.0.1:5201", "[::1]:5201"; an IPv4 address inside an IPv6 one is written as IPv4. @return buf */
char *net_addr_text(const struct net_addr *a, char buf[NET_ADDR_TEXT]);
/** The same without a port. */
char *net_addr_host(const struct net_addr *a, char buf[NET_ADDR_TEXT]);
uint16_t net_addr_port(const struct net_addr *a);
/** Both ends of a connected socket; a length of 0 where the kernel does not say. */
void net_addr_local(int fd, struct net_addr *a);
void net_addr_peer(int fd, struct net_addr *a);
/** Do both ends of a connected socket have an address of this machine? Over loopback or over its own address;
 * false where the kernel does not say. */
bool net_peer_is_here(int fd);

#endif
