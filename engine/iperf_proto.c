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

/* --- parameters
 * ----------------------------------------------------------------------------------------------- */

/** One row a number: both directions of JSON and the range check walk this table, in iperf3's order of keys.
 */
static const struct param {
	const char *key, *option;
	size_t at;
	uint64_t min, max;
	bool always;
} param_table[] = {
#define P(k) .at = offsetof(struct iperf_params, k)
	{ "omit", "-O", P(omit_s), 0, 600, true },
	{ "time", "-t", P(time_s), 0, IPERF_TIME_MAX, true },
	{ "num", "-n", P(num), 0, INT64_MAX, true },
	{ "blockcount", "-k", P(blockcount), 0, INT64_MAX, true },
	{ "MSS", "-M", P(mss), 88, 32767, false },
	{ "parallel", "-P", P(parallel), 1, IPERF_STREAMS_MAX, true },
	{ "window", "-w", P(window), 1, 512 * 1048576ULL, false },
	{ "len", "-l", P(len), 1, IPERF_LEN_MAX, true },
	{ "bandwidth", "-b", P(bandwidth), 1, INT64_MAX, false },
	{ "fqrate", "--fq-rate", P(fqrate), 1, INT64_MAX, false },
	{ "burst", "-b", P(burst), 1, 1000, false },
	{ "TOS", "-S", P(tos), 0, 255, false },
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
		if ((row->always || v) && (v < row->min || v > row->max))
			return err_set(err, ERR_USAGE, "%s %llu: allowed is %llu to %llu", row->option,
				       (unsigned long long)v, (unsigned long long)row->min,
				       (unsigned long long)row->max);
	}
	if (p->reverse && p->bidir)
		return err_set(err, ERR_USAGE, "-R and --bidir exclude each other");
	if (p->num && p->blockcount)
		return err_set(err, ERR_USAGE, "-n and -k exclude each other");
	return 0;
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

	set_true(doc, "tcp", true);
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
	if (p->congestion[0])
		json_object_set_new(doc, "congestion", json_text(p->congestion));
	json_object_set_new(doc, "client_version", json_text(p->version));
	return doc;
}

/* Integers as reals: -1 comes as 2^64 - 1 from old peers, which no JSON integer holds; exact up to 2^53. */
static json_t *load(const char *text, size_t n, struct err *err)
{
	json_error_t why;
	json_t *doc = json_loadb(text, n, JSON_DECODE_INT_AS_REAL, &why);

	if (!doc)
		err_set(err, EPROTO, "no JSON: %.160s", why.text);
	else if (!json_is_object(doc)) {
		err_set(err, EPROTO, "no JSON object");
		json_decref(doc);
		doc = NULL;
	}
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
	json_t *doc = load(text, n, err);
	int rc = -1;

	if (!doc)
		return -1;
	iperf_params_init(p);
	if (!json_is_true(json_object_get(doc, "tcp")) || json_object_get(doc, "udp") ||
	    json_object_get(doc, "sctp")) {
		err_set(err, EPROTO, "only TCP tests are served");
		goto out;
	}
	for (size_t i = 0; i < NR(param_table); i++)
		if (param_load(p, doc, &param_table[i], err) < 0)
			goto out;
	p->reverse = json_get_bool(doc, "reverse", false);
	p->bidir = json_get_bool(doc, "bidirectional", false);
	p->nodelay = json_get_bool(doc, "nodelay", false);
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

/* --- results
 * -------------------------------------------------------------------------------------------------- */

static json_t *counter(uint64_t v)
{
	return v == IPERF_UNKNOWN ? json_integer(-1) : json_u64(v);
}

json_t *iperf_results_to_json(const struct iperf_results *r)
{
	json_t *doc = json_object(), *list = json_array();

	json_object_set_new(doc, "cpu_util_total", json_real(r->cpu_total));
	json_object_set_new(doc, "cpu_util_user", json_real(r->cpu_user));
	json_object_set_new(doc, "cpu_util_system", json_real(r->cpu_system));
	json_object_set_new(doc, "sender_has_retransmits", json_integer(r->has_retransmits));
	if (r->congestion[0])
		json_object_set_new(doc, "congestion_used", json_text(r->congestion));
	if (r->version[0])
		json_object_set_new(doc, "server_version", json_text(r->version));
	for (unsigned i = 0; i < r->n; i++) {
		const struct iperf_stream_result *s = &r->stream[i];
		json_array_append_new(list,
				      json_pack("{s:i, s:o, s:o, s:i, s:i, s:i, s:f, s:f}", "id", s->id,
						"bytes", counter(s->bytes), "retransmits",
						counter(s->retransmits), "jitter", 0, "errors", 0, "packets",
						0, "start_time", s->start_s, "end_time", s->end_s));
	}
	json_object_set_new(doc, "streams", list);
	return doc;
}

static int need(const json_t *obj, const char *key, double *out, struct err *err)
{
	const json_t *v = json_object_get(obj, key);

	if (!json_is_number(v))
		return err_set(err, EPROTO, "no number %s in the results", key);
	*out = json_number_value(v);
	return 0;
}

static uint64_t known(double v)
{
	return v < 0 || v >= 9.2e18 ? IPERF_UNKNOWN : (uint64_t)v;
}

static int stream_parse(struct iperf_stream_result *s, const json_t *obj, struct err *err)
{
	double id = 0, bytes = 0, retransmits = 0, ignored;

	if (need(obj, "id", &id, err) < 0 || need(obj, "bytes", &bytes, err) < 0 ||
	    need(obj, "retransmits", &retransmits, err) < 0 || need(obj, "jitter", &ignored, err) < 0 ||
	    need(obj, "errors", &ignored, err) < 0 || need(obj, "packets", &ignored, err) < 0)
		return -1;
	if (id < 1 || id > 4 * IPERF_STREAMS_MAX)
		return err_set(err, EPROTO, "no stream of ours in the results");
	*s = (struct iperf_stream_result){ .id = (int)id,
					   .bytes = known(bytes),
					   .retransmits = known(retransmits),
					   .start_s = json_get_num(obj, "start_time", __builtin_nan("")),
					   .end_s = json_get_num(obj, "end_time", __builtin_nan("")) };
	return 0;
}

int iperf_results_parse(struct iperf_results *r, const char *text, size_t n, struct err *err)
{
	json_t *doc = load(text, n, err);
	double retransmits = 0;

	*r = (struct iperf_results){ 0 };
	if (!doc)
		return -1;
	if (need(doc, "cpu_util_total", &r->cpu_total, err) < 0 ||
	    need(doc, "cpu_util_user", &r->cpu_user, err) < 0 ||
	    need(doc, "cpu_util_system", &r->cpu_system, err) < 0 ||
	    need(doc, "sender_has_retransmits", &retransmits, err) < 0)
		goto fail;
	r->has_retransmits = known(retransmits) == IPERF_UNKNOWN ? -1 : retransmits >= 1;
	json_copy_text(doc, "congestion_used", r->congestion, sizeof(r->congestion));
	json_copy_text(doc, "server_version", r->version, sizeof(r->version));
	const json_t *list = json_object_get(doc, "streams");
	size_t nr = json_array_size(list);
	if (!json_is_array(list) || nr > 2 * IPERF_STREAMS_MAX) {
		err_set(err, EPROTO, "no list of streams in the results");
		goto fail;
	}
	r->stream = calloc(nr ? nr : 1, sizeof(*r->stream));
	if (!r->stream) {
		err_sys(err, "results");
		goto fail;
	}
	for (; r->n < nr; r->n++)
		if (stream_parse(&r->stream[r->n], json_array_get(list, r->n), err) < 0)
			goto fail;
	json_decref(doc);
	return 0;
fail:
	json_decref(doc);
	iperf_results_release(r);
	return -1;
}

const struct iperf_stream_result *iperf_results_find(const struct iperf_results *r, int id)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->stream[i].id == id)
			return &r->stream[i];
	return NULL;
}

void iperf_results_release(struct iperf_results *r)
{
	free(r->stream);
	*r = (struct iperf_results){ 0 };
}

/* --- frames
 * --------------------------------------------------------------------------------------------------- */

char *iperf_frame(const json_t *doc, size_t *size)
{
	char *text = json_dumps(doc, JSON_COMPACT);

	if (!text)
		return NULL;
	size_t n = strlen(text);
	char *frame = malloc(n + 4);
	if (frame) {
		frame[0] = (char)(n >> 24), frame[1] = (char)(n >> 16), frame[2] = (char)(n >> 8),
		frame[3] = (char)n;
		memcpy(frame + 4, text, n);
		*size = n + 4;
	}
	free(text);
	return frame;
}

char *iperf_frame_read(int fd, size_t max, size_t *size, uint64_t deadline_ns, net_stop *stop,
		       struct err *err)
{
	unsigned char head[4];

	if (net_read(fd, head, sizeof(head), deadline_ns, stop, err) < 0)
		return NULL;
	size_t n = iperf_frame_length(head);
	if (n == 0 || n > max) {
		err_set(err, EPROTO, "a frame of %zu bytes, where 1 to %zu are allowed", n, max);
		return NULL;
	}
	char *text = malloc(n + 1);
	if (!text) {
		err_sys(err, "frame");
		return NULL;
	}
	if (net_read(fd, text, n, deadline_ns, stop, err) < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	*size = n;
	return text;
}

int iperf_frame_write(int fd, const json_t *doc, uint64_t deadline_ns, net_stop *stop, struct err *err)
{
	size_t n;
	char *frame = iperf_frame(doc, &n);

	if (!frame)
		return err_set(err, ENOMEM, "frame: out of memory");
	int rc = net_write(fd, frame, n, deadline_ns, stop, err);
	free(frame);
	return rc;
}

int iperf_state_read(int fd, int *state, uint64_t deadline_ns, net_stop *stop, struct err *err)
{
	signed char byte;

	if (net_read(fd, &byte, 1, deadline_ns, stop, err) < 0)
		return -1;
	*state = byte;
	return 0;
}

int iperf_state_write(int fd, int state, uint64_t deadline_ns, net_stop *stop, struct err *err)
{
	signed char byte = (signed char)state;

	return net_write(fd, &byte, 1, deadline_ns, stop, err);
}
