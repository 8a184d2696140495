/* SPDX-License-Identifier: MIT */
/* What a network peer sends: parameters and results as frames, a cookie, /proc/net/dev of a strange kernel.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/iperf_proto.h"
#include "engine/netstat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted is in range, and reads back as itself. */
static void parameters(const char *text, size_t n)
{
	struct iperf_params p, q;
	struct err err = { 0 };

	if (iperf_params_parse(&p, text, n, &err) < 0) {
		assert(err.code && err.msg[0]);
		return;
	}
	assert(iperf_params_check(&p, &err) == 0);
	assert(iperf_params_streams(&p) >= 1 && iperf_params_streams(&p) <= 2 * IPERF_STREAMS_MAX);
	json_t *doc = iperf_params_to_json(&p);
	char *back = json_dumps(doc, JSON_COMPACT);
	json_decref(doc);
	assert(back && iperf_params_parse(&q, back, strlen(back), &err) == 0);
	assert(q.parallel == p.parallel && q.len == p.len && q.reverse == p.reverse && q.time_s == p.time_s);
	free(back);
}

static void results(const char *text, size_t n)
{
	struct iperf_results r;
	struct err err = { 0 };

	if (iperf_results_parse(&r, text, n, &err) < 0) {
		assert(err.code && err.msg[0] && !r.stream);
		return;
	}
	assert(r.n <= 2 * IPERF_STREAMS_MAX);
	json_decref(iperf_results_to_json(&r));
	iperf_results_release(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct netdev d;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	parameters(text, size);
	results(text, size);
	if (size >= IPERF_COOKIE)
		iperf_cookie_valid(text);
	netdev_parse(text, "lo", &d);
	free(text);
	return 0;
}
