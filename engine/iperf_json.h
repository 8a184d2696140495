/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_IPERF_JSON_H
#define ENGINE_IPERF_JSON_H

#include "engine/iperf_client.h"
#include "engine/json.h"
#include "engine/netseries.h"

/**
 * The document that `iperf3 -J` prints for a client's test, TCP or UDP (3.12's keys, in its order), so that what
 * reads those reads ours: start, intervals of a second by stream, end with both sides' figures. Where a
 * figure is not known the key is left out, as iperf3 does (which writes 0 for windows and round trips of a sender that
 * is the peer, and so do we); a failed test has `error` and what was measured.
 */

/** Member of a result in the log that holds what iperf_report_keep() made. */
#define IPERF_KEPT "iperf3"
/** So many stream entries go into a line of a recording: 10 streams for 66 minutes by the second, then
 * coarser. */
#define IPERF_KEEP_MAX 40000

/**
 * All that the document holds, to be kept: each interval is a row of numbers,
 * [from, to, omitted, [bytes, retransmits, cwnd, wnd, rtt, rttvar, pmtu], …], of a receiver [bytes] alone; -1
 * unknown. With UDP [bytes, packets], of a receiver [bytes, packets, lost, jitter in ms].
 *
 * @param series  its intervals by stream; may be empty
 * @param program what stands as `version`
 * @param error   message of a failed test, or NULL
 * @param max     entries of streams; beyond, neighbouring intervals are made one
 * @return new reference
 */
json_t *iperf_report_keep(const struct iperf_report *r, const struct net_series *series, const char *program,
			  const char *error, size_t max);
/** The document from what was kept. New reference; NULL without memory. */
json_t *iperf_kept_to_json(const json_t *kept);

#endif
