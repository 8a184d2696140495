/* SPDX-License-Identifier: MIT */
#include "engine/netstat.h"

#include <ifaddrs.h>
#include <inttypes.h>
#include <linux/tcp.h> /* its struct tcp_info knows more than libc's, and the two headers exclude each other */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sysroot.h"

bool tcp_state_read(int fd, struct tcp_state *out)
{
	struct tcp_info ti = { 0 };
	socklen_t len = sizeof(ti);

	*out = (struct tcp_state){ .acked = NETSTAT_NONE };
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &ti, &len) < 0)
		return false;
	/* The kernel fills as much as it knows. */
	bool has_acked = len >= offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof(ti.tcpi_bytes_acked);
	*out = (struct tcp_state){ .retransmits = ti.tcpi_total_retrans,
				   .acked = has_acked ? ti.tcpi_bytes_acked : NETSTAT_NONE,
				   .cwnd = ti.tcpi_snd_cwnd * ti.tcpi_snd_mss,
				   .wnd = ti.tcpi_snd_wnd,
				   .rtt_us = ti.tcpi_rtt,
				   .rttvar_us = ti.tcpi_rttvar,
				   .pmtu = ti.tcpi_pmtu,
				   .mss = ti.tcpi_snd_mss };
	return true;
}

void tcp_congestion(int fd, char *out, size_t size)
{
	socklen_t len = (socklen_t)size - 1;

	memset(out, 0, size);
	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, out, &len) < 0)
		out[0] = '\0';
}

bool netdev_parse(const char *text, const char *name, struct netdev *out)
{
	size_t want = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		line += strspn(line, " ");
		if (strncmp(line, name, want) != 0 || line[want] != ':')
			continue;
		uint64_t v[12];
		int n = sscanf(line + want + 1,
			       "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64
			       "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64,
			       &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9], &v[10],
			       &v[11]);
		if (n != 12)
			return false;
		*out = (struct netdev){ .rx_bytes = v[0],
					.rx_packets = v[1],
					.rx_dropped = v[3],
					.tx_bytes = v[8],
					.tx_packets = v[9],
					.tx_dropped = v[11] };
		return true;
	}
	return false;
}

bool netdev_read(const char *name, struct netdev *out)
{
	char *text = *name ? sysroot_read_all("/proc/net/dev", &(size_t){ 0 }) : NULL;
	bool ok = text && netdev_parse(text, name, out);

	free(text);
	return ok;
}

static uint64_t grown(uint64_t from, uint64_t to)
{
	return to >= from ? to - from : to;
}

struct netdev netdev_delta(const struct netdev *from, const struct netdev *to)
{
	return (struct netdev){ .rx_bytes = grown(from->rx_bytes, to->rx_bytes),
				.rx_packets = grown(from->rx_packets, to->rx_packets),
				.rx_dropped = grown(from->rx_dropped, to->rx_dropped),
				.tx_bytes = grown(from->tx_bytes, to->tx_bytes),
				.tx_packets = grown(from->tx_packets, to->tx_packets),
				.tx_dropped = grown(from->tx_dropped, to->tx_dropped) };
}

void netdev_of(const struct net_addr *local, char name[NETDEV_NAME])
{
	struct ifaddrs *list;
	char want[NET_ADDR_TEXT], have[NET_ADDR_TEXT];

	name[0] = '\0';
	net_addr_host(local, want);
	if (getifaddrs(&list) < 0)
		return;
	for (const struct ifaddrs *i = list; i; i = i->ifa_next) {
		int family = i->ifa_addr ? i->ifa_addr->sa_family : 0;
		socklen_t len = family == AF_INET    ? sizeof(struct sockaddr_in)
				: family == AF_INET6 ? sizeof(struct sockaddr_in6)
						     : 0;
		if (!len)
			continue;
		struct net_addr a = { .len = len };
		memcpy(&a.ss, i->ifa_addr, len);
		if (strcmp(net_addr_host(&a, have), want) == 0) {
			snprintf(name, NETDEV_NAME, "%s", i->ifa_name);
			break;
		}
	}
	freeifaddrs(list);
}
