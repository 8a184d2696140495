/* SPDX-License-Identifier: MIT */
#include "engine/iperf_proto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Integers as reals: -1 comes as 2^64 - 1 from old peers, which no JSON integer holds; exact up to 2^53. */
json_t *iperf_load(const char *text, size_t n, struct err *err)
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
				      json_pack("{s:i, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:f, s:f}", "id", s->id,
						"bytes", counter(s->bytes), "retransmits", counter(s->retransmits),
						"jitter", s->jitter_s, "errors", counter(s->lost), "omitted_errors",
						counter(s->omitted_lost), "packets", counter(s->packets),
						"omitted_packets", counter(s->omitted_packets), "start_time",
						s->start_s, "end_time", s->end_s));
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
	double id = 0, bytes = 0, retransmits = 0, jitter = 0, lost = 0, packets = 0;

	if (need(obj, "id", &id, err) < 0 || need(obj, "bytes", &bytes, err) < 0 ||
	    need(obj, "retransmits", &retransmits, err) < 0 || need(obj, "jitter", &jitter, err) < 0 ||
	    need(obj, "errors", &lost, err) < 0 || need(obj, "packets", &packets, err) < 0)
		return -1;
	if (id < 1 || id > 4 * IPERF_STREAMS_MAX)
		return err_set(err, EPROTO, "no stream of ours in the results");
	*s = (struct iperf_stream_result){ .id = (int)id,
					   .bytes = known(bytes),
					   .retransmits = known(retransmits),
					   .jitter_s = jitter,
					   .packets = known(packets),
					   .lost = known(lost),
					   .omitted_packets = known(json_get_num(obj, "omitted_packets", -1)),
					   .omitted_lost = known(json_get_num(obj, "omitted_errors", -1)),
					   .start_s = json_get_num(obj, "start_time", __builtin_nan("")),
					   .end_s = json_get_num(obj, "end_time", __builtin_nan("")) };
	return 0;
}

int iperf_results_parse(struct iperf_results *r, const char *text, size_t n, struct err *err)
{
	json_t *doc = iperf_load(text, n, err);
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

/* --- frames --- */

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
