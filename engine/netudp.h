/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_NETUDP_H
#define ENGINE_NETUDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/netflow.h"

/**
 * The datagrams of a UDP test. Each begins with the time it was sent (u32 s, u32 µs) and its number in the stream,
 * from 1 (u32, or u64 with iperf3's --udp-counters-64bit), all big-endian; the rest is arbitrary. From the numbers
 * the receiver knows what was lost, from the times its jitter.
 */

#define NETUDP_HEAD 16 /**< bytes that a datagram has at least */
/** Datagrams that one call of the kernel moves at most. */
#define NETUDP_BATCH 32

/** What a thread needs to move datagrams in batches; shared by its streams. */
struct netudp;

/** @param len bytes of a datagram @param payload as many, what is sent and where what comes is thrown */
struct netudp *netudp_new(char *payload, size_t len, bool wide_numbers);
void netudp_free(struct netudp *u);
/** Let the kernel note when each datagram arrives: a thread that is late does not change the jitter. */
void netudp_receives(int fd);

/** How many datagrams have found no room in the socket's buffer; UINT64_MAX where the kernel does not say. */
uint64_t netudp_dropped(int fd);

/** Send @p n datagrams, at most a batch. @return bytes sent, or -1 with errno */
ssize_t netudp_send(struct netudp *u, struct netflow *f, unsigned n);
/**
 * Take what has come, at most a batch. @p counted: into the stream's figures.
 * @param got how many datagrams
 * @return bytes, or -1 with errno
 */
ssize_t netudp_receive(struct netudp *u, struct netflow *f, bool counted, unsigned *got);

/**
 * A datagram has arrived: its number tells what was lost, its way's length against the last one's the jitter
 * (RFC 1889, A.8). One that comes late was counted as lost and is not any more.
 *
 * @param transit_ns arrival less departure, by two clocks that need not agree
 */
void netudp_arrived(struct netflow *f, uint64_t number, int64_t transit_ns);

#endif
