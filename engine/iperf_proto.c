/* SPDX-License-Identifier: MIT */
#include "engine/iperf_proto.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "engine/clock.h"

static const struct {
	int state;
	const char *name;
} states[] = {
	{ IPERF_TEST_START, "TEST_START" },
	{ IPERF_TEST_RUNNING, "TEST_RUNNING" },
	{ IPERF_TEST_END, "TEST_END" },
	{ IPERF_PARAM_EXCHANGE, "PARAM_EXCHANGE" },
	{ IPERF_CREATE_STREAMS, "CREATE_STREAMS" },
	{ IPERF_SERVER_TERMINATE, "SERVER_TERMINATE" },
	{ IPERF_CLIENT_TERMINATE, "CLIENT_TERMINATE" },
	{ IPERF_EXCHANGE_RESULTS, "EXCHANGE_RESULTS" },
	{ IPERF_DISPLAY_RESULTS, "DISPLAY_RESULTS" },
	{ IPERF_DONE, "IPERF_DONE" },
	{ IPERF_QUEUED, "QUEUED" },
	{ IPERF_ACCESS_DENIED, "ACCESS_DENIED" },
	{ IPERF_SERVER_ERROR, "SERVER_ERROR" },
};

static const struct {
	int32_t number;
	const char *text;
} errors[] = {
	{ 5, "the duration is too long" },
	{ 6, "too many parallel streams" },
	{ 7, "the block size is too large" },
	{ 27, "the bitrate is over the server's limit" },
	{ 37, "the duration is over the server's maximum" },
	{ 114, "the server did not accept the test parameters" },
	{ 117, "the server did not accept the results" },
	{ 121, "the server is busy running a test" },
	{ 142, "the server asks for a user name and password" },
	{ 144, "the server received no data for its timeout" },
	{ 160, "the test ran longer than the server waits" },
	{ 203, "the server could not connect a stream" },
	{ 204, "the server could not accept a stream" },
	{ 206, "the server could not read from a stream" },
	{ 208, "the server does not know a stream of the results" },
};

#define NR(a) (sizeof(a) / sizeof((a)[0]))

const char *iperf_state_name(int state, char buf[24])
{
	for (size_t i = 0; i < NR(states); i++)
		if (states[i].state == state)
			return states[i].name;
	snprintf(buf, 24, "state %d", state);
	return buf;
}

const char *iperf_error_text(int32_t number)
{
	for (size_t i = 0; i < NR(errors); i++)
		if (errors[i].number == number)
			return errors[i].text;
	return NULL;
}

/* All letters of the mark are in iperf3's own alphabet, so no server can tell such a cookie from another. */
static const char cookie_mark[] = "ebscope2";
static const char cookie_alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";

void iperf_cookie_make(char cookie[IPERF_COOKIE])
{
	const size_t mark = sizeof(cookie_mark) - 1;
	unsigned char rnd[IPERF_COOKIE];

	if (getrandom(rnd, sizeof(rnd), 0) != (ssize_t)sizeof(rnd)) {
		/* A cookie tells tests apart and guards nothing: without a random source the clock does. */
		uint64_t x = clock_ns();
		for (size_t i = 0; i < sizeof(rnd);
		     i++, x = x * 6364136223846793005ULL + 1442695040888963407ULL)
			rnd[i] = (unsigned char)(x >> 56);
	}
	memcpy(cookie, cookie_mark, mark);
	for (size_t i = mark; i < IPERF_COOKIE - 1; i++)
		cookie[i] = cookie_alphabet[rnd[i] % 32];
	cookie[IPERF_COOKIE - 1] = '\0';
}

bool iperf_cookie_valid(const char cookie[IPERF_COOKIE])
{
	size_t len = 0;

	/* Old clients build it from host name and time, so any printable text will do. */
	while (len < IPERF_COOKIE && cookie[len] > ' ' && cookie[len] < 127)
		len++;
	return len && len < IPERF_COOKIE && !cookie[len] && !cookie[IPERF_COOKIE - 1];
}

bool iperf_cookie_ours(const char cookie[IPERF_COOKIE])
{
	return memcmp(cookie, cookie_mark, sizeof(cookie_mark) - 1) == 0;
}

/* --- parameters --- */

/** One row a number: both directions of JSON and the range check walk this table, in iperf3's order of keys.
 */
static const struct param {
	const char *key, *option;
	size_t at;
	uint64_t min, max;
	bool always;
} param_table[] = {
#define P(k) .at = offsetof(struct iperf_params, k)
	{ "omit", "-O", P(omit_s), 0, IPERF_OMIT_MAX, true },
	{ "time", "-t", P(time_s), 0, IPERF_TIME_MAX, true },
	{ "num", "-n", P(num), 0, INT64_MAX, true },
	{ "blockcount", "-k", P(blockcount), 0, INT64_MAX, true },
	{ "MSS", "-M", P(mss), IPERF_MSS_MIN, IPERF_MSS_MAX, false },
	{ "parallel", "-P", P(parallel), 1, IPERF_STREAMS_MAX, true },
	{ "window", "-w", P(window), 1, IPERF_WINDOW_MAX, false },
	{ "len", "-l", P(len), 1, IPERF_LEN_MAX, true },
	{ "bandwidth", "-b", P(bandwidth), 1, INT64_MAX, false },
	{ "fqrate", "--fq-rate", P(fqrate), 1, INT64_MAX, false },
	{ "burst", "-b", P(burst), 1, 1000, false },
	{ "TOS", "-S", P(tos), 0, UINT8_MAX, false },
#undef P
};

static uint64_t param_get(const struct iperf_params *p, const struct param *row)
{
	uint64_t v;

	memcpy(&v, (const char *)p + row->at, sizeof(v));
	return v;
}

void iperf_params_init(struct iperf_params *p)
{
	*p = (struct iperf_params){ .time_s = 10, .parallel = 1, .len = IPERF_LEN };
}

int iperf_params_check(const struct iperf_params *p, struct err *err)
{
	for (size_t i = 0; i < NR(param_table); i++) {
		const struct param *row = &param_table[i];
		uint64_t v = param_get(p, row);
		bool later = p->udp && !v && row->at == offsetof(struct iperf_params, len);
		if ((row->always || v) && !later && (v < row->min || v > row->max))
			return err_set(err, ERR_USAGE, "%s %llu: allowed is %llu to %llu", row->option,
				       (unsigned long long)v, (unsigned long long)row->min,
				       (unsigned long long)row->max);
	}
	if (p->reverse && p->bidir)
		return err_set(err, ERR_USAGE, "-R and --bidir exclude each other");
	if (p->num && p->blockcount)
		return err_set(err, ERR_USAGE, "-n and -k exclude each other");
	if (p->udp && p->len && (p->len < IPERF_UDP_LEN_MIN || p->len > IPERF_UDP_LEN_MAX))
		return err_set(err, ERR_USAGE, "-l %llu: a datagram has %d to %d bytes", (unsigned long long)p->len,
			       IPERF_UDP_LEN_MIN, IPERF_UDP_LEN_MAX);
	return 0;
}

uint64_t iperf_params_udp_len(unsigned mss)
{
	return mss < IPERF_UDP_LEN_MIN ? IPERF_UDP_LEN : mss > IPERF_UDP_LEN_MAX ? IPERF_UDP_LEN_MAX : mss;
}

unsigned iperf_params_streams(const struct iperf_params *p)
{
	return (unsigned)p->parallel * (p->bidir ? 2 : 1);
}

bool iperf_params_client_sends(const struct iperf_params *p, unsigned i)
{
	return p->bidir ? i < p->parallel : !p->reverse;
}

static void set_true(json_t *doc, const char *key, bool on)
{
	if (on)
		json_object_set_new(doc, key, json_true());
}

json_t *iperf_params_to_json(const struct iperf_params *p)
{
	json_t *doc = json_object();

	set_true(doc, p->udp ? "udp" : "tcp", true);
	for (size_t i = 0; i < NR(param_table); i++) {
		const struct param *row = &param_table[i];
		uint64_t v = param_get(p, row);
		if (v || row->always)
			json_object_set_new(doc, row->key, json_u64(v));
		if (row->at != offsetof(struct iperf_params, parallel))
			continue;
		set_true(doc, "reverse", p->reverse);
		set_true(doc, "bidirectional", p->bidir);
		set_true(doc, "nodelay", p->nodelay);
		set_true(doc, "skip_rx_copy", p->skip_rx_copy);
	}
	json_object_set_new(doc, "pacing_timer", json_integer(1000));
	if (p->udp && p->wide_numbers)
		json_object_set_new(doc, "udp_counters_64bit", json_integer(1));
	if (p->congestion[0])
		json_object_set_new(doc, "congestion", json_text(p->congestion));
	json_object_set_new(doc, "client_version", json_text(p->version));
	return doc;
}

static int param_load(struct iperf_params *p, const json_t *doc, const struct param *row, struct err *err)
{
	const json_t *v = json_object_get(doc, row->key);

	if (!v || json_is_null(v))
		return 0;
	double d = json_is_number(v) ? json_number_value(v) : -1;
	/* 0 says "not set" where a minimum is above it. */
	bool ok = d >= 0 && d <= 9e18 && d <= (double)row->max &&
		  ((uint64_t)d >= row->min || (d < 1 && !row->always));
	if (!ok)
		return err_set(err, EPROTO, "%s is out of range (%llu to %llu)", row->key,
			       (unsigned long long)row->min, (unsigned long long)row->max);
	uint64_t u = (uint64_t)d;
	memcpy((char *)p + row->at, &u, sizeof(u));
	return 0;
}

int iperf_params_parse(struct iperf_params *p, const char *text, size_t n, struct err *err)
{
	json_t *doc = iperf_load(text, n, err);
	int rc = -1;

	if (!doc)
		return -1;
	iperf_params_init(p);
	p->udp = json_is_true(json_object_get(doc, "udp"));
	if (json_is_true(json_object_get(doc, "tcp")) == p->udp || json_object_get(doc, "sctp")) {
		err_set(err, EPROTO, "only TCP and UDP tests are served");
		goto out;
	}
	for (size_t i = 0; i < NR(param_table); i++)
		if (param_load(p, doc, &param_table[i], err) < 0)
			goto out;
	p->reverse = json_get_bool(doc, "reverse", false);
	p->bidir = json_get_bool(doc, "bidirectional", false);
	p->nodelay = json_get_bool(doc, "nodelay", false);
	p->wide_numbers = json_get_num(doc, "udp_counters_64bit", 0) > 0;
	p->skip_rx_copy = json_get_bool(doc, "skip_rx_copy", false);
	json_copy_text(doc, "congestion", p->congestion, sizeof(p->congestion));
	json_copy_text(doc, "client_version", p->version, sizeof(p->version));
	rc = iperf_params_check(p, err);
	if (rc)
		err->code = EPROTO;
out:
	json_decref(doc);
	return rc;
}
