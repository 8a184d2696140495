/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_IPERF_JSON_H
#define ENGINE_IPERF_JSON_H

#include "engine/iperf_client.h"
#include "engine/json.h"
#include "engine/netseries.h"

/**
 * The document that `iperf3 -J` prints for a client's TCP test (3.12's keys, in its order), so that what
 * reads those reads ours: start, intervals of a second by stream, end with both sides' figures. Where a
 * figure is not known the key is left out, as iperf3 does; a failed test has `error` and what was measured.
 */

/**
 * @param series  its intervals by stream; may be empty
 * @param program what stands as `version`
 * @param error   message of a failed test, or NULL
 * @return new reference
 */
json_t *iperf_report_to_json(const struct iperf_report *r, const struct net_series *series,
			     const char *program, const char *error);

#endif
