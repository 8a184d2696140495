/* SPDX-License-Identifier: MIT */
#include "engine/runlog.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const event_names[EVENT_NR] = {
	"start", "knob", "mark", "phase", "credits_empty", "credits_full", "throttled", "error", "test", "stop",
};
static const char *const end_names[RUN_END_NR] = { "running", "done", "stopped", "signal", "error", "interrupted" };

const char *event_kind_name(enum event_kind k)
{
	return event_names[k];
}

const char *run_end_name(enum run_end e)
{
	return end_names[e];
}

static int find_event(const char *name)
{
	for (int i = 0; i < EVENT_NR; i++) {
		if (strcmp(event_names[i], name) == 0)
			return i;
	}
	return -1;
}

static int find_phase(const char *name)
{
	for (int i = 0; i < PHASE_NR; i++) {
		if (strcmp(run_phase_name((enum run_phase)i), name) == 0)
			return i;
	}
	return -1;
}

/* Times as seconds with every nanosecond: integer seconds stay below 2^53 ns for 104 days. */
static json_t *seconds(uint64_t ns)
{
	return json_real((double)ns / 1e9);
}

static uint64_t get_ns(const json_t *o, const char *key)
{
	double s = json_get_num(o, key, 0);

	return s >= 0 && s < 9e9 ? (uint64_t)llround(s * 1e9) : 0;
}

json_t *run_header_to_json(const struct run_header *h)
{
	json_t *o = json_object(), *tests = json_array();

	json_object_set_new(o, "type", json_string("header"));
	json_object_set_new(o, "schema", json_string("ebscope/1"));
	json_object_set_new(o, "version", json_text(h->version));
	json_object_set_new(o, "started", json_text(h->started));
	json_object_set_new(o, "target", json_text(h->target));
	json_object_set_new(o, "title", json_text(h->title));
	json_object_set_new(o, "shaped", json_boolean(h->shaped));
	json_object_set_new(o, "simulated", json_boolean(h->simulated));
	json_object_set_new(o, "time_scale", json_num(h->time_scale));
	for (unsigned i = 0; i < h->nr_planned; i++) {
		const struct planned *p = &h->planned[i];
		json_t *t = json_object();
		char buf[64];

		json_object_set_new(t, "name", json_text(p->name));
		json_object_set_new(t, "kind", json_text(test_kind_name(p->kind)));
		json_object_set_new(t, "repeats", json_integer(p->repeats));
		json_object_set_new(t, "seconds", json_num(p->seconds));
		json_object_set_new(t, "ios", json_num(p->ios));
		if (p->kind == TEST_CHAR)
			json_object_set_new(t, "per_char", json_string(p->stdio ? "stdio" : "syscall"));
		for (const struct workload_field *f = workload_fields; f->key; f++)
			json_object_set_new(t, f->key, json_text(workload_get(&p->wl, f->key, buf, sizeof(buf))));
		json_array_append_new(tests, t);
	}
	json_object_set_new(o, "planned", tests);
	if (h->doc)
		json_object_update(o, h->doc);
	return o;
}

static void planned_from(struct planned *p, const json_t *o)
{
	struct err err;

	*p = (struct planned){ .seconds = json_get_num(o, "seconds", NAN), .ios = json_get_num(o, "ios", NAN) };
	workload_init(&p->wl);
	json_copy_text(o, "name", p->name, sizeof(p->name));
	memcpy(p->wl.name, p->name, sizeof(p->wl.name));
	p->repeats = (unsigned)json_get_u64(o, "repeats", 1);
	p->stdio = strcmp(json_get_text(o, "per_char", ""), "stdio") == 0;
	for (int k = 0; k < TEST_NR; k++) {
		if (strcmp(json_get_text(o, "kind", ""), test_kind_name((enum test_kind)k)) == 0)
			p->kind = (enum test_kind)k;
	}
	for (const struct workload_field *f = workload_fields; f->key; f++) {
		const char *v = json_get_text(o, f->key, NULL);
		if (v)
			(void)workload_set(&p->wl, f->key, v, &err); /* a value from a newer version: the default stays */
	}
}

int run_header_from_json(struct run_header *h, const json_t *o)
{
	static const char *const own[] = { "type",   "schema",    "version",    "started", "target", "title",
					   "shaped", "simulated", "time_scale", "planned" };
	size_t i;
	json_t *e;

	if (strcmp(json_get_text(o, "type", ""), "header") != 0 ||
	    strcmp(json_get_text(o, "schema", ""), "ebscope/1") != 0)
		return -1;
	*h = (struct run_header){ .time_scale = json_get_num(o, "time_scale", 1) };
	json_copy_text(o, "version", h->version, sizeof(h->version));
	json_copy_text(o, "started", h->started, sizeof(h->started));
	json_copy_text(o, "target", h->target, sizeof(h->target));
	json_copy_text(o, "title", h->title, sizeof(h->title));
	h->shaped = json_get_bool(o, "shaped", false);
	h->simulated = json_get_bool(o, "simulated", false);
	if (!(h->time_scale > 0))
		h->time_scale = 1;
	json_array_foreach(json_object_get(o, "planned"), i, e) {
		if (h->nr_planned < PLANNED_MAX)
			planned_from(&h->planned[h->nr_planned++], e);
	}
	h->doc = json_copy((json_t *)(uintptr_t)o);
	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		json_object_del(h->doc, own[i]);
	return 0;
}

static json_t *dir_json(uint64_t ios, uint64_t bytes)
{
	json_t *o = json_object();

	json_object_set_new(o, "ios", json_u64(ios));
	json_object_set_new(o, "bytes", json_u64(bytes));
	return o;
}

static json_t *lat_or_null(uint64_t ns)
{
	return ns ? json_u64(ns) : json_null();
}

static bool has_limits(const struct sample *s)
{
	for (int i = 0; i < SAMPLE_LIMITS; i++)
		if (s->limit_ns[i] != DEV_NONE)
			return true;
	return false;
}

/* Of the latencies only the bins that counted something. */
static json_t *device_lat_json(const struct device_lat *d)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < d->n; i++)
		if (d->bin[i].ios[DDIR_READ] || d->bin[i].ios[DDIR_WRITE])
			json_array_append_new(list, json_pack("[o,o,o,o]", json_u64(d->bin[i].lower_us), json_u64(d->bin[i].upper_us),
							      json_u64(d->bin[i].ios[DDIR_READ]), json_u64(d->bin[i].ios[DDIR_WRITE])));
	return list;
}

static json_t *device_json(const struct tick *t)
{
	const struct sample *s = &t->s;
	json_t *o;

	if (s->dev[DDIR_READ].bytes == DEV_NONE && !has_limits(s))
		return json_null();
	o = json_object();
	if (has_limits(s)) {
		json_t *limits = json_array();
		for (int i = 0; i < SAMPLE_LIMITS; i++)
			json_array_append_new(limits, json_u64(s->limit_ns[i]));
		json_object_set_new(o, "limit_ns", limits);
		json_object_set_new(o, "queue", s->dev_queue == DEV_NONE ? json_null() : json_u64(s->dev_queue));
		json_object_set_new(o, "lat_us", device_lat_json(&t->device));
	}
	json_object_set_new(o, "r_bytes", json_u64(s->dev[DDIR_READ].bytes));
	json_object_set_new(o, "w_bytes", json_u64(s->dev[DDIR_WRITE].bytes));
	json_object_set_new(o, "r_ios", json_u64(s->dev[DDIR_READ].ios));
	json_object_set_new(o, "w_ios", json_u64(s->dev[DDIR_WRITE].ios));
	return o;
}

json_t *tick_to_json(const struct tick *t)
{
	const struct sample *s = &t->s;
	json_t *o = json_object(), *lat = json_object(), *model = json_object(), *workers = json_array(),
	       *hist = json_array();

	json_object_set_new(o, "type", json_string("sample"));
	json_object_set_new(o, "t", seconds(s->t_ns));
	json_object_set_new(o, "dt", seconds(s->dt_ns));
	json_object_set_new(o, "test", json_integer(s->test));
	json_object_set_new(o, "repeat", json_integer(s->repeat));
	json_object_set_new(o, "phase", json_text(run_phase_name(s->phase)));
	json_object_set_new(o, "r", dir_json(s->dir[DDIR_READ].ios, s->dir[DDIR_READ].bytes));
	json_object_set_new(o, "w", dir_json(s->dir[DDIR_WRITE].ios, s->dir[DDIR_WRITE].bytes));
	json_object_set_new(lat, "p50", lat_or_null(s->lat_p50));
	json_object_set_new(lat, "p99", lat_or_null(s->lat_p99));
	json_object_set_new(lat, "max", lat_or_null(s->lat_max));
	json_object_set_new(o, "lat_ns", lat);
	json_object_set_new(o, "so_far", json_pack("[o,o,o]", lat_or_null(t->p50), lat_or_null(t->p99),
						   lat_or_null(t->p999)));
	json_object_set_new(o, "inflight", json_integer(s->inflight));
	json_object_set_new(o, "errors", json_u64(s->errors));
	json_object_set_new(o, "cpu", json_num(s->cpu));
	json_object_set_new(o, "device", device_json(t));
	json_object_set_new(model, "iops", json_num(s->model_iops));
	json_object_set_new(model, "balance", json_num(s->model_balance));
	if (!isnan(s->model_host[0]) || !isnan(s->model_host[1]))
		json_object_set_new(model, "host", json_pack("[o,o]", json_num(s->model_host[0]), json_num(s->model_host[1])));
	json_object_set_new(o, "model", model);
	for (unsigned i = 0; i < t->nr_workers; i++)
		json_array_append_new(workers,
				      json_pack("{s:I,s:I,s:I,s:I}", "ios", (json_int_t)t->worker[i].ios, "bytes",
						(json_int_t)t->worker[i].bytes, "inflight",
						(json_int_t)t->worker[i].inflight, "errors",
						(json_int_t)t->worker[i].errors));
	json_object_set_new(o, "workers", workers);
	for (unsigned i = 0; i < DISPLAY_NR; i++) {
		if (t->display[i])
			json_array_append_new(hist, json_pack("[I,I]", (json_int_t)i, (json_int_t)t->display[i]));
	}
	json_object_set_new(o, "hist", hist);
	return o;
}

static void device_lat_from(struct device_lat *d, const json_t *list)
{
	size_t i;
	json_t *e;

	json_array_foreach(list, i, e) {
		uint64_t v[4];
		bool good = d->n < DEVICE_BINS;
		for (size_t k = 0; k < 4; k++) {
			const json_t *n = json_array_get(e, k);
			good = good && json_is_integer(n) && json_integer_value(n) >= 0;
			v[k] = good ? (uint64_t)json_integer_value(n) : 0;
		}
		if (!good || v[0] >= v[1] || (d->n && v[0] < d->bin[d->n - 1].lower_us))
			continue;
		d->bin[d->n].lower_us = v[0];
		d->bin[d->n].upper_us = v[1];
		d->bin[d->n].ios[DDIR_READ] = v[2];
		d->bin[d->n++].ios[DDIR_WRITE] = v[3];
	}
}

static void device_from(struct tick *t, const json_t *o)
{
	struct sample *s = &t->s;
	static const char *const keys[DDIR_NR][2] = { { "r_ios", "r_bytes" }, { "w_ios", "w_bytes" } };

	for (int d = 0; d < DDIR_NR; d++) {
		s->dev[d].ios = json_get_u64(o, keys[d][0], DEV_NONE);
		s->dev[d].bytes = json_get_u64(o, keys[d][1], DEV_NONE);
	}
	for (size_t i = 0; i < SAMPLE_LIMITS; i++) {
		const json_t *v = json_array_get(json_object_get(o, "limit_ns"), i);
		s->limit_ns[i] = json_is_integer(v) && json_integer_value(v) >= 0 ? (uint64_t)json_integer_value(v) : DEV_NONE;
	}
	s->dev_queue = json_get_u64(o, "queue", DEV_NONE);
	device_lat_from(&t->device, json_object_get(o, "lat_us"));
}

static void workers_from(struct tick *t, const json_t *list)
{
	size_t i;
	json_t *e;

	json_array_foreach(list, i, e) {
		if (t->nr_workers == WORKER_ROWS_MAX)
			break;
		t->worker[t->nr_workers++] = (struct worker_row){
			.ios = json_get_u64(e, "ios", 0),
			.bytes = json_get_u64(e, "bytes", 0),
			.inflight = (uint32_t)json_get_u64(e, "inflight", 0),
			.errors = json_get_u64(e, "errors", 0),
		};
	}
}

static void display_from(struct tick *t, const json_t *list)
{
	size_t i;
	json_t *e;

	json_array_foreach(list, i, e) {
		json_int_t bucket = json_integer_value(json_array_get(e, 0));
		json_int_t n = json_integer_value(json_array_get(e, 1));
		if (bucket >= 0 && bucket < DISPLAY_NR && n >= 0 && n <= UINT32_MAX)
			t->display[bucket] = (uint32_t)n;
	}
}

int tick_from_json(struct tick *t, const json_t *o)
{
	struct sample *s = &t->s;
	const json_t *lat = json_object_get(o, "lat_ns"), *so_far = json_object_get(o, "so_far");
	const json_t *model = json_object_get(o, "model");
	static const char *const keys[DDIR_NR] = { "r", "w" };
	int phase = find_phase(json_get_text(o, "phase", ""));

	if (strcmp(json_get_text(o, "type", ""), "sample") != 0 || phase < 0 ||
	    !json_is_number(json_object_get(o, "t")) || !json_is_number(json_object_get(o, "dt")))
		return -1;
	memset(t, 0, sizeof(*t));
	s->t_ns = get_ns(o, "t");
	s->dt_ns = get_ns(o, "dt");
	s->test = (uint32_t)json_get_u64(o, "test", 0);
	s->repeat = (uint32_t)json_get_u64(o, "repeat", 0);
	s->phase = (enum run_phase)phase;
	for (int d = 0; d < DDIR_NR; d++) {
		const json_t *dir = json_object_get(o, keys[d]);
		s->dir[d].ios = json_get_u64(dir, "ios", 0);
		s->dir[d].bytes = json_get_u64(dir, "bytes", 0);
	}
	s->lat_p50 = json_get_u64(lat, "p50", 0);
	s->lat_p99 = json_get_u64(lat, "p99", 0);
	s->lat_max = json_get_u64(lat, "max", 0);
	t->p50 = (uint64_t)json_integer_value(json_array_get(so_far, 0));
	t->p99 = (uint64_t)json_integer_value(json_array_get(so_far, 1));
	t->p999 = (uint64_t)json_integer_value(json_array_get(so_far, 2));
	s->inflight = (uint32_t)json_get_u64(o, "inflight", 0);
	s->errors = json_get_u64(o, "errors", 0);
	s->cpu = json_get_num(o, "cpu", NAN);
	device_from(t, json_object_get(o, "device"));
	s->model_iops = json_get_num(model, "iops", NAN);
	s->model_balance = json_get_num(model, "balance", NAN);
	for (size_t i = 0; i < 2; i++) {
		const json_t *v = json_array_get(json_object_get(model, "host"), i);
		s->model_host[i] = json_is_number(v) ? json_number_value(v) : NAN;
	}
	workers_from(t, json_object_get(o, "workers"));
	display_from(t, json_object_get(o, "hist"));
	return 0;
}

json_t *event_to_json(const struct event *e)
{
	json_t *o = json_object();

	json_object_set_new(o, "type", json_string("event"));
	json_object_set_new(o, "t", seconds(e->t_ns));
	json_object_set_new(o, "kind", json_text(event_kind_name(e->kind)));
	json_object_set_new(o, "test", json_integer(e->test));
	json_object_set_new(o, "text", json_text(e->text));
	return o;
}

int event_from_json(struct event *e, const json_t *o)
{
	int kind = find_event(json_get_text(o, "kind", ""));

	if (strcmp(json_get_text(o, "type", ""), "event") != 0 || kind < 0)
		return -1;
	*e = (struct event){ .t_ns = get_ns(o, "t"),
			     .kind = (enum event_kind)kind,
			     .test = (uint32_t)json_get_u64(o, "test", 0) };
	json_copy_text(o, "text", e->text, sizeof(e->text));
	return 0;
}

json_t *outside_to_json(const struct outside *out)
{
	json_t *o = json_pack("{s:s,s:s,s:s,s:o,s:o}", "type", "outside", "name", out->name, "id", out->id, "t", json_num(out->t_s),
			      "value", json_num(out->value));

	if (*out->text)
		json_object_set_new(o, "text", json_text(out->text));
	return o;
}

int outside_from_json(struct outside *out, const json_t *o)
{
	*out = (struct outside){ .t_s = json_get_num(o, "t", NAN), .value = json_get_num(o, "value", NAN) };
	json_copy_text(o, "name", out->name, sizeof(out->name));
	json_copy_text(o, "id", out->id, sizeof(out->id));
	json_copy_text(o, "text", out->text, sizeof(out->text));
	return strcmp(json_get_text(o, "type", ""), "outside") == 0 && *out->name && isfinite(out->t_s) ? 0 : -1;
}

json_t *run_end_to_json(enum run_end end, uint64_t t_ns, const char *text)
{
	json_t *o = json_object();

	json_object_set_new(o, "type", json_string("end"));
	json_object_set_new(o, "t", seconds(t_ns));
	json_object_set_new(o, "reason", json_text(run_end_name(end)));
	if (text && *text)
		json_object_set_new(o, "text", json_text(text));
	return o;
}
