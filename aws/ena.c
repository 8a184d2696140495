/* SPDX-License-Identifier: MIT */
#include "aws/ena.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/sysroot.h"

/* Drivers have some hundred; what says more is not believed. */
#define STATS_MAX 4096

static const char *const counter_names[ENA_NR] = {
	[ENA_BW_IN] = "bw_in_allowance_exceeded",
	[ENA_BW_OUT] = "bw_out_allowance_exceeded",
	[ENA_PPS] = "pps_allowance_exceeded",
	[ENA_CONNTRACK] = "conntrack_allowance_exceeded",
	[ENA_LINKLOCAL] = "linklocal_allowance_exceeded",
	[ENA_CONNTRACK_AVAILABLE] = "conntrack_allowance_available",
	[ENA_SRD_MODE] = "ena_srd_mode",
	[ENA_SRD_ELIGIBLE_TX] = "ena_srd_eligible_tx_pkts",
	[ENA_SRD_TX] = "ena_srd_tx_pkts",
	[ENA_SRD_RX] = "ena_srd_rx_pkts",
};

const char *ena_counter_name(enum ena_counter c)
{
	return counter_names[c];
}

static void clear(struct ena *e)
{
	*e = (struct ena){ 0 };
	for (int c = 0; c < ENA_NR; c++)
		e->value[c] = ENA_NONE;
}

static void set(struct ena *e, const char *name, size_t len, uint64_t value)
{
	for (int c = 0; c < ENA_NR; c++)
		if (strlen(counter_names[c]) == len && memcmp(counter_names[c], name, len) == 0)
			e->value[c] = value;
}

void ena_take(struct ena *out, const char *names, const uint64_t *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		set(out, names + i * ETH_GSTRING_LEN, strnlen(names + i * ETH_GSTRING_LEN, ETH_GSTRING_LEN),
		    value[i]);
}

void ena_parse(struct ena *out, const char *text)
{
	clear(out);
	for (const char *line = text; *line; line += *line == '\n') {
		line += strspn(line, " \t");
		size_t len = strcspn(line, ":\n");
		const char *value =
			line[len] == ':' ? line + len + 1 + strspn(line + len + 1, " ") : line + len;
		if (len == 6 && memcmp(line, "driver", 6) == 0)
			snprintf(out->driver, sizeof(out->driver), "%.*s", (int)strcspn(value, " \n"), value);
		else if (*value >= '0' && *value <= '9')
			set(out, line, len, strtoull(value, NULL, 10));
		line = value + strcspn(value, "\n");
	}
}

static bool request(int fd, const char *ifname, void *data)
{
	struct ifreq ifr = { .ifr_data = data };

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", ifname);
	return ioctl(fd, SIOCETHTOOL, &ifr) == 0;
}

static unsigned stats_count(int fd, const char *ifname)
{
	union { /* the request, and the one answer behind it */
		struct ethtool_sset_info info;
		uint32_t word[sizeof(struct ethtool_sset_info) / 4 + 1];
	} q = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_STATS } };

	return request(fd, ifname, &q) && q.info.sset_mask ? q.word[sizeof(q.info) / 4] : 0;
}

static void read_stats(int fd, const char *ifname, struct ena *out)
{
	unsigned n = stats_count(fd, ifname);

	if (!n || n > STATS_MAX)
		return;
	struct ethtool_gstrings *strings = calloc(1, sizeof(*strings) + (size_t)n * ETH_GSTRING_LEN);
	struct ethtool_stats *stats = calloc(1, sizeof(*stats) + (size_t)n * sizeof(uint64_t));
	if (strings && stats) {
		*strings = (struct ethtool_gstrings){ .cmd = ETHTOOL_GSTRINGS,
						      .string_set = ETH_SS_STATS,
						      .len = n };
		*stats = (struct ethtool_stats){ .cmd = ETHTOOL_GSTATS, .n_stats = n };
		/* The driver may have changed its mind about how many: what both gave is used. */
		if (request(fd, ifname, strings) && request(fd, ifname, stats)) {
			unsigned have = strings->len < stats->n_stats ? strings->len : stats->n_stats;
			ena_take(out, (const char *)strings->data, (const uint64_t *)stats->data,
				 have < n ? have : n);
		}
	}
	free(strings);
	free(stats);
}

bool ena_read(const char *ifname, struct ena *out)
{
	clear(out);
	if (!*ifname || strchr(ifname, '/'))
		return false;
	if (sysroot_is_set()) {
		char path[64];
		snprintf(path, sizeof(path), "/dev/%.15s.ethtool", ifname);
		char *text = sysroot_read_all(path, &(size_t){ 0 });
		if (text)
			ena_parse(out, text);
		free(text);
		return ena_has_allowance(out);
	}
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	struct ethtool_drvinfo drv = { .cmd = ETHTOOL_GDRVINFO };
	if (request(fd, ifname, &drv))
		snprintf(out->driver, sizeof(out->driver), "%.31s", drv.driver);
	read_stats(fd, ifname, out);
	close(fd);
	return ena_has_allowance(out);
}

bool ena_has_allowance(const struct ena *e)
{
	for (int c = ENA_BW_IN; c <= ENA_LINKLOCAL; c++)
		if (e->value[c] != ENA_NONE)
			return true;
	return false;
}

void ena_delta(const struct ena *from, const struct ena *to, struct ena *out)
{
	struct ena d = *to;

	for (int c = 0; c < ENA_NR; c++) {
		if (ena_is_gauge((enum ena_counter)c) || d.value[c] == ENA_NONE)
			continue;
		if (from->value[c] == ENA_NONE)
			d.value[c] = ENA_NONE;
		else if (d.value[c] >= from->value[c])
			d.value[c] -= from->value[c];
	}
	*out = d;
}

char *ena_missing_text(const struct ena *e, const char *ifname, char *buf, size_t size)
{
	if (!*ifname)
		snprintf(buf, size, "no counter: the interface is not known");
	else if (strcmp(e->driver, "ena") == 0)
		snprintf(buf, size, "no counter: the ena driver of %s is older than 2.2.10", ifname);
	else if (e->driver[0])
		snprintf(buf, size, "no counter: driver %s of %s is not ena", e->driver, ifname);
	else
		snprintf(buf, size, "no counter: %s has no driver that counts", ifname);
	return buf;
}
