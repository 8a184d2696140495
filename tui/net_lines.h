/* SPDX-License-Identifier: MIT */
#ifndef TUI_NET_LINES_H
#define TUI_NET_LINES_H

#include <pthread.h>
#include <stdio.h>

#include "aws/netrun.h"

/**
 * The lines that iperf3 prints while a test runs, in its form: an interval of each stream with the segments
 * sent again and the congestion window of a sender, and their sum.
 *
 *     [ ID] Interval           Transfer     Bitrate         Retr  Cwnd
 *     [  1]   0.00-1.00   sec  1.22 GBytes  10.4 Gbits/sec    1   1023 KBytes
 *
 * The number is that of the stream, as in our own table (iperf3 prints a descriptor). What we send counts
 * once the peer has acknowledged it. The test's thread adds, another takes.
 */
struct net_lines {
	pthread_mutex_t lock;
	char *text; /* whole lines that nobody has taken yet */
	/* of the test's thread */
	uint64_t told_ns; /* up to here is told */
	bool begun;
};

void net_lines_init(struct net_lines *l);
void net_lines_release(struct net_lines *l);

/** Tell the intervals of r->series that are complete; @p ended: the last one too. On the test's thread. */
void net_lines_add(struct net_lines *l, const struct netrun *r, bool ended);
/** What is to be printed now; the caller's, NULL nothing. Any thread. */
char *net_lines_take(struct net_lines *l);

/** A number of bytes or bits as iperf3 writes it: "1.22 GByte" (powers of 1024), "10.4 Gbit" (of 1000). */
char *net_lines_amount(char *buf, size_t size, double v, bool bits);

#endif
