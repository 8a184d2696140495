/* SPDX-License-Identifier: MIT */
#ifndef AWS_ENA_H
#define AWS_ENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * What an Elastic Network Adapter counts of an instance's allowances: packets that were queued or dropped
 * because a limit of the *instance* was reached. If such a counter moved during a test, the instance was the
 * limit, not the path: that is proof; that none moved is none.
 *
 * EC2 User Guide, "Monitor network performance for ENA settings" (2023-05, and an excerpt of 2026). Read
 * through SIOCETHTOOL, which needs no privilege; found by name, since their number and order differ by
 * driver. The first five exist since driver 2.2.10, conntrack_allowance_available since 2.8.1; a Fargate task
 * sees none.
 *
 * Under a sysroot (engine/sysroot.h) the text file /dev/IF.ethtool stands for the card: lines "name: value",
 * first of them "driver: ena", as `ethtool -i` and `ethtool -S` print them.
 */

enum ena_counter {
	ENA_BW_IN,               /**< inbound bandwidth over the instance's maximum */
	ENA_BW_OUT,              /**< outbound likewise */
	ENA_PPS,                 /**< packets per second, both directions */
	ENA_CONNTRACK,           /**< dropped: no room for one more tracked connection */
	ENA_LINKLOCAL,           /**< dropped: packets to DNS, IMDS and NTP over the interface's maximum */
	ENA_CONNTRACK_AVAILABLE, /**< a gauge: tracked connections still possible */
	ENA_SRD_MODE, /**< a gauge: 0 off, 1 ENA Express on, 2 off but UDP left on, 3 on with UDP */
	ENA_SRD_ELIGIBLE_TX,
	ENA_SRD_TX,
	ENA_SRD_RX,
	ENA_NR
};
/** The driver's name for it: "bw_in_allowance_exceeded", … */
const char *ena_counter_name(enum ena_counter c);
/** Does it stand for a state of now, not for a sum? */
static inline bool ena_is_gauge(enum ena_counter c)
{
	return c == ENA_CONNTRACK_AVAILABLE || c == ENA_SRD_MODE;
}

/** The driver has no such counter. */
#define ENA_NONE UINT64_MAX

/** A reading of one card. */
struct ena {
	char driver[32];        /**< "ena"; "" where the kernel does not say */
	uint64_t value[ENA_NR]; /**< since the driver was reset; ENA_NONE */
};

/** Read card @p ifname. Always fills @p out. @return whether any of the five allowance counters is there */
bool ena_read(const char *ifname, struct ena *out);
/** From the driver's @p n names, 32 bytes each and perhaps without a NUL, and their values. */
void ena_take(struct ena *out, const char *names, const uint64_t *value, size_t n);
/** From the text that stands for a card. */
void ena_parse(struct ena *out, const char *text);
bool ena_has_allowance(const struct ena *e);
/** Counters: to - from (a reset driver counts from zero), ENA_NONE where either has none. Gauges: those of
 * to. */
void ena_delta(const struct ena *from, const struct ena *to, struct ena *out);
/** Why there is nothing to read, one sentence: "no counter: driver virtio_net of eth0 is not ena". @return
 * buf */
char *ena_missing_text(const struct ena *e, const char *ifname, char *buf, size_t size);

#endif
