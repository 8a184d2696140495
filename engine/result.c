/* SPDX-License-Identifier: MIT */
#include "engine/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 12 /* tests that are named with a warning of theirs */

const double lat_pct[LAT_PCT_NR] = { 50, 90, 99, 99.9, 99.99 };
const char *const lat_pct_name[LAT_PCT_NR] = { "50.000000", "90.000000", "99.000000", "99.900000", "99.990000" };

static const char *const kind_names[TEST_NR] = { "block", "char", "file", "dd", "net", "watch" };
static const char *const verdict_names[VERDICT_NR] = { NULL, "pass", "unknown", "above", "short" };

const char *test_kind_name(enum test_kind k)
{
	return kind_names[k];
}

const char *verdict_name(enum verdict v)
{
	return verdict_names[v];
}

void lat_stats_of(struct lat_stats *out, const struct hist_snap *h)
{
	bool any = h->count > 0;

	*out = (struct lat_stats){
		.n = h->count,
		.min = any ? (double)h->min : NAN,
		.mean = hist_snap_mean(h),
		.max = any ? (double)h->max : NAN,
		.stddev = hist_snap_stddev(h),
	};
	for (int i = 0; i < LAT_PCT_NR; i++)
		out->pct[i] = hist_snap_percentile(h, lat_pct[i]);
}

static void lat_none(struct lat_stats *l)
{
	*l = (struct lat_stats){ .min = NAN, .mean = NAN, .max = NAN, .stddev = NAN };
	for (int i = 0; i < LAT_PCT_NR; i++)
		l->pct[i] = NAN;
}

static void dir_none(struct dir_result *d)
{
	*d = (struct dir_result){ .iops = NAN, .bw_bytes = NAN };
	lat_none(&d->lat);
	lat_none(&d->slat);
	lat_none(&d->clat);
}

struct result *result_new(void)
{
	struct result *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	workload_init(&r->wl);
	r->start_s = r->end_s = r->runtime_s = NAN;
	r->cpu_usr_s = r->cpu_sys_s = r->cpu_pct = NAN;
	r->layout_s = r->durable_s = r->queue_mean = r->device_bytes = r->amplified = r->moved_share = NAN;
	r->dev_dir[DDIR_READ] = r->dev_dir[DDIR_WRITE] = r->self_read = r->cpu_throttled = NAN;
	dir_none(&r->all);
	dir_none(&r->dir[DDIR_READ]);
	dir_none(&r->dir[DDIR_WRITE]);
	lat_none(&r->lat);
	lat_none(&r->slat);
	lat_none(&r->clat);
	return r;
}

void result_free(struct result *r)
{
	if (r)
		json_decref(r->more);
	free(r);
}

static void merged_stats(struct lat_stats *out, const struct hist_snap *a, const struct hist_snap *b)
{
	struct hist_snap *sum = malloc(sizeof(*sum));

	if (!sum)
		return;
	*sum = *a;
	hist_snap_add(sum, b);
	lat_stats_of(out, sum);
	free(sum);
}

void result_measure(struct result *r, const struct totals *t)
{
	double s = (double)t->t_ns / 1e9;

	r->runtime_s = s;
	r->errors = t->errors;
	r->all.ios = r->all.bytes = 0;
	for (int d = 0; d < DDIR_NR; d++) {
		struct dir_result *o = &r->dir[d];

		o->ios = t->dir[d].ios;
		o->bytes = t->dir[d].bytes;
		o->iops = s > 0 ? (double)o->ios / s : NAN;
		o->bw_bytes = s > 0 ? (double)o->bytes / s : NAN;
		lat_stats_of(&o->slat, &t->dir[d].slat);
		lat_stats_of(&o->clat, &t->dir[d].clat);
		lat_stats_of(&o->lat, &t->dir[d].lat);
		r->all.ios += o->ios;
		r->all.bytes += o->bytes;
	}
	r->all.iops = s > 0 ? (double)r->all.ios / s : NAN;
	r->all.bw_bytes = s > 0 ? (double)r->all.bytes / s : NAN;
	merged_stats(&r->lat, &t->dir[DDIR_READ].lat, &t->dir[DDIR_WRITE].lat);
	merged_stats(&r->slat, &t->dir[DDIR_READ].slat, &t->dir[DDIR_WRITE].slat);
	merged_stats(&r->clat, &t->dir[DDIR_READ].clat, &t->dir[DDIR_WRITE].clat);
	r->queue_mean = t->t_ns ? (double)t->depth_ns / (double)t->t_ns : NAN;
}

void result_no_figures(struct result *r)
{
	struct dir_result *const all[] = { &r->all, &r->dir[DDIR_READ], &r->dir[DDIR_WRITE] };

	for (size_t i = 0; i < 3; i++) {
		uint64_t ios = all[i]->ios, bytes = all[i]->bytes;

		dir_none(all[i]);
		all[i]->ios = ios;
		all[i]->bytes = bytes;
	}
	lat_none(&r->lat);
	lat_none(&r->slat);
	lat_none(&r->clat);
	r->nr_repeats = 0;
}

static bool warns(const struct result *r, const char *text)
{
	for (unsigned k = 0; k < r->nr_warnings; k++) {
		if (strcmp(r->warning[k], text) == 0)
			return true;
	}
	return false;
}

void result_warn(struct result *r, const char *fmt, ...)
{
	char text[RESULT_WARNING_LEN];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	clean_text(text, text, false); /* cut anywhere, and a path may hold any byte: JSON takes neither */
	if (!warns(r, text) && r->nr_warnings < RESULT_WARNINGS_MAX)
		strcpy(r->warning[r->nr_warnings++], text);
}

/* Who carries it: "all tests", or "a, b, c and 4 more". */
static void warned_names(const struct result *const *results, size_t n, const char *text, char *names, size_t size)
{
	size_t all = 0, named = 0;

	for (size_t i = 0; i < n; i++)
		all += warns(results[i], text);
	if (all == n && n > 1) {
		snprintf(names, size, "all tests");
		return;
	}
	for (size_t i = 0, at = 0; i < n && named < NAMES_MAX; i++) {
		if (warns(results[i], text))
			at += (size_t)snprintf(names + at, size - at, "%s%s", named++ ? ", " : "", results[i]->name);
	}
	if (all > named)
		snprintf(names + strlen(names), size - strlen(names), " and %zu more", all - named);
}

void results_warnings(const struct result *const *results, size_t n,
		      void (*say)(void *ctx, const char *tests, const char *text), void *ctx)
{
	const char *said[RESULTS_WARNINGS_MAX];
	char names[NAMES_MAX * sizeof(results[0]->name) + 40];
	size_t nr = 0;

	for (size_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < results[i]->nr_warnings; k++) {
			const char *text = results[i]->warning[k];
			size_t j = 0;

			while (j < nr && strcmp(said[j], text) != 0)
				j++;
			if (j < nr || nr == RESULTS_WARNINGS_MAX)
				continue;
			said[nr++] = text;
			warned_names(results, n, text, names, sizeof(names));
			say(ctx, names, text);
		}
	}
}

unsigned result_turns(const struct result *r)
{
	unsigned n = 0;

	for (unsigned i = 1; i < r->nr_segments; i++)
		n += r->segment[i].start_s == r->segment[i - 1].end_s;
	return n;
}

bool result_repeat_stats(const struct result *r, double *mean, double *stddev, double *min, double *max)
{
	unsigned n = r->nr_repeats;
	double sum = 0, sq = 0, lo = INFINITY, hi = -INFINITY;

	if (n < 2)
		return false;
	for (unsigned i = 0; i < n; i++) {
		double v = r->repeat[i].iops;

		sum += v;
		lo = fmin(lo, v);
		hi = fmax(hi, v);
	}
	*mean = sum / n;
	for (unsigned i = 0; i < n; i++)
		sq += (r->repeat[i].iops - *mean) * (r->repeat[i].iops - *mean);
	*stddev = sqrt(sq / (n - 1));
	*min = lo;
	*max = hi;
	return true;
}

static json_t *lat_json(const struct lat_stats *l)
{
	json_t *pct = json_object(), *o = json_object();

	for (int i = 0; i < LAT_PCT_NR; i++)
		json_object_set_new(pct, lat_pct_name[i], json_num(l->pct[i]));
	json_object_set_new(o, "min", json_num(l->min));
	json_object_set_new(o, "mean", json_num(l->mean));
	json_object_set_new(o, "max", json_num(l->max));
	json_object_set_new(o, "stddev", json_num(l->stddev));
	json_object_set_new(o, "n", json_u64(l->n));
	json_object_set_new(o, "percentile", pct);
	return o;
}

static void lat_from(struct lat_stats *l, const json_t *o)
{
	const json_t *pct = json_object_get(o, "percentile");

	l->n = json_get_u64(o, "n", 0);
	l->min = json_get_num(o, "min", NAN);
	l->mean = json_get_num(o, "mean", NAN);
	l->max = json_get_num(o, "max", NAN);
	l->stddev = json_get_num(o, "stddev", NAN);
	for (int i = 0; i < LAT_PCT_NR; i++)
		l->pct[i] = json_get_num(pct, lat_pct_name[i], NAN);
}

static json_t *dir_json(const struct dir_result *d)
{
	json_t *o = json_object();

	json_object_set_new(o, "ios", json_u64(d->ios));
	json_object_set_new(o, "bytes", json_u64(d->bytes));
	json_object_set_new(o, "iops", json_num(d->iops));
	json_object_set_new(o, "bw_bytes", json_num(d->bw_bytes));
	json_object_set_new(o, "lat_ns", lat_json(&d->lat));
	json_object_set_new(o, "slat_ns", lat_json(&d->slat));
	json_object_set_new(o, "clat_ns", lat_json(&d->clat));
	return o;
}

static void dir_from(struct dir_result *d, const json_t *o)
{
	d->ios = json_get_u64(o, "ios", 0);
	d->bytes = json_get_u64(o, "bytes", 0);
	d->iops = json_get_num(o, "iops", NAN);
	d->bw_bytes = json_get_num(o, "bw_bytes", NAN);
	lat_from(&d->lat, json_object_get(o, "lat_ns"));
	lat_from(&d->slat, json_object_get(o, "slat_ns"));
	lat_from(&d->clat, json_object_get(o, "clat_ns"));
}

static json_t *repeat_json(const struct result *r)
{
	double mean, sd, lo, hi;
	json_t *o;

	if (!result_repeat_stats(r, &mean, &sd, &lo, &hi))
		return json_null();
	o = json_object();
	json_object_set_new(o, "n", json_integer(r->nr_repeats));
	json_object_set_new(o, "mean", json_num(mean));
	json_object_set_new(o, "stddev", json_num(sd));
	json_object_set_new(o, "min", json_num(lo));
	json_object_set_new(o, "max", json_num(hi));
	return o;
}

static json_t *tri_json(enum tri t)
{
	return t == TRI_NULL ? json_null() : json_boolean(t == TRI_TRUE);
}

static void set_lists(json_t *o, const struct result *r)
{
	json_t *repeats = json_array(), *segments = json_array(), *warnings = json_array();

	for (unsigned i = 0; i < r->nr_repeats; i++) {
		json_t *e = json_object();
		json_object_set_new(e, "iops", json_num(r->repeat[i].iops));
		json_object_set_new(e, "bw_bytes", json_num(r->repeat[i].bw_bytes));
		json_array_append_new(repeats, e);
	}
	for (unsigned i = 0; i < r->nr_segments; i++) {
		const struct segment *s = &r->segment[i];
		json_t *e = json_object();
		json_object_set_new(e, "start_s", json_num(s->start_s));
		json_object_set_new(e, "end_s", json_num(s->end_s));
		json_object_set_new(e, "bs", json_u64(s->bs));
		json_object_set_new(e, "iodepth", json_u64(s->iodepth));
		json_object_set_new(e, "rwmixread", json_u64(s->rwmixread));
		json_object_set_new(e, "rate_iops", json_u64(s->rate_iops));
		json_array_append_new(segments, e);
	}
	for (unsigned i = 0; i < r->nr_warnings; i++)
		json_array_append_new(warnings, json_text(r->warning[i]));
	json_object_set_new(o, "repeat", repeat_json(r));
	json_object_set_new(o, "repeats", repeats);
	json_object_set_new(o, "segments", segments);
	json_object_set_new(o, "warnings", warnings);
}

/* A network test has no I/Os, blocks or latencies: its own members, in more, say all there is. */
static json_t *net_json(const struct result *r)
{
	json_t *o = json_object(), *warnings = json_array();

	json_object_set_new(o, "name", json_text(r->name));
	json_object_set_new(o, "kind", json_text(test_kind_name(r->kind)));
	json_object_set_new(o, "start_s", json_num(r->start_s));
	json_object_set_new(o, "end_s", json_num(r->end_s));
	json_object_set_new(o, "runtime_s", json_num(r->runtime_s));
	json_object_set_new(o, "bytes", json_u64(r->all.bytes));
	json_object_set_new(o, "bw_bytes", json_num(r->all.bw_bytes));
	json_object_set_new(o, "cpu_usr_s", json_num(r->cpu_usr_s));
	json_object_set_new(o, "cpu_sys_s", json_num(r->cpu_sys_s));
	json_object_set_new(o, "cpu_pct", json_num(r->cpu_pct));
	json_object_set_new(o, "failed", json_boolean(r->failed));
	if (r->more)
		json_object_update(o, r->more);
	for (unsigned i = 0; i < r->nr_warnings; i++)
		json_array_append_new(warnings, json_text(r->warning[i]));
	json_object_set_new(o, "warnings", warnings);
	json_object_set_new(o, "verdict", json_text(verdict_name(r->verdict)));
	json_object_set_new(o, "reason", r->reason[0] ? json_text(r->reason) : json_null());
	return o;
}

json_t *result_to_json(const struct result *r)
{
	if (r->kind == TEST_NET)
		return net_json(r);
	json_t *o = json_object();

	json_object_set_new(o, "name", json_text(r->name));
	json_object_set_new(o, "kind", json_text(test_kind_name(r->kind)));
	json_object_set_new(o, "rw", json_text(rw_name(r->wl.rw)));
	json_object_set_new(o, "bs", json_u64(r->wl.bs));
	json_object_set_new(o, "iodepth", json_u64(r->wl.iodepth));
	json_object_set_new(o, "numjobs", json_u64(r->wl.numjobs));
	json_object_set_new(o, "direct", json_boolean(r->wl.direct));
	json_object_set_new(o, "ioengine", json_text(ioengine_name(r->wl.ioengine)));
	json_object_set_new(o, "sync", json_text(wsync_name(r->wl.sync)));
	json_object_set_new(o, "size", json_u64(r->wl.size));
	json_object_set_new(o, "rwmixread", json_u64(r->wl.rwmixread));
	json_object_set_new(o, "rate_iops", json_u64(r->wl.rate_iops));
	json_object_set_new(o, "measures", r->measures[0] ? json_text(r->measures) : json_null());
	json_object_set_new(o, "equivalent", r->equivalent[0] ? json_text(r->equivalent) : json_null());
	json_object_set_new(o, "start_s", json_num(r->start_s));
	json_object_set_new(o, "end_s", json_num(r->end_s));
	json_object_set_new(o, "runtime_s", json_num(r->runtime_s));
	json_object_set_new(o, "ios", json_u64(r->all.ios));
	json_object_set_new(o, "counted_ios", json_null());
	json_object_set_new(o, "bytes", json_u64(r->all.bytes));
	json_object_set_new(o, "errors", json_u64(r->errors));
	json_object_set_new(o, "iops", json_num(r->all.iops));
	json_object_set_new(o, "bw_bytes", json_num(r->all.bw_bytes));
	json_object_set_new(o, "cpu_usr_s", json_num(r->cpu_usr_s));
	json_object_set_new(o, "cpu_sys_s", json_num(r->cpu_sys_s));
	json_object_set_new(o, "cpu_pct", json_num(r->cpu_pct));
	json_object_set_new(o, "lat_ns", lat_json(&r->lat));
	json_object_set_new(o, "slat_ns", lat_json(&r->slat));
	json_object_set_new(o, "clat_ns", lat_json(&r->clat));
	json_object_set_new(o, "read", dir_json(&r->dir[DDIR_READ]));
	json_object_set_new(o, "write", dir_json(&r->dir[DDIR_WRITE]));
	json_object_set_new(o, "layout_s", json_num(r->layout_s));
	json_object_set_new(o, "durable_s", json_num(r->durable_s));
	json_object_set_new(o, "queue_mean", json_num(r->queue_mean));
	set_lists(o, r);
	json_object_set_new(o, "phases", json_array());
	json_object_set_new(o, "expected", json_null());
	json_object_set_new(o, "credits", json_null());
	json_object_set_new(o, "device_bytes",
			    isnan(r->device_bytes) ? json_null() : json_u64((uint64_t)r->device_bytes));
	json_object_set_new(o, "device_source", r->device_source[0] ? json_text(r->device_source) : json_null());
	json_object_set_new(o, "cached", tri_json(r->cached));
	json_object_set_new(o, "moved_share", json_num(r->moved_share));
	json_object_set_new(o, "amplified", json_num(r->amplified));
	json_object_set_new(o, "cpu_bound", json_boolean(r->cpu_bound));
	json_object_set_new(o, "too_short", json_boolean(r->too_short));
	json_object_set_new(o, "failed", json_boolean(r->failed));
	if (r->more)
		json_object_update(o, r->more);
	json_object_set_new(o, "verdict", json_text(verdict_name(r->verdict)));
	json_object_set_new(o, "reason", r->reason[0] ? json_text(r->reason) : json_null());
	return o;
}

static int name_index(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++) {
		if (names[i] && strcmp(names[i], name) == 0)
			return i;
	}
	return 0;
}

static enum tri tri_from(const json_t *v)
{
	return json_is_boolean(v) ? (json_is_true(v) ? TRI_TRUE : TRI_FALSE) : TRI_NULL;
}

static void lists_from(struct result *r, const json_t *o)
{
	size_t i;
	json_t *e;

	json_array_foreach(json_object_get(o, "repeats"), i, e) {
		if (r->nr_repeats < RESULT_REPEATS_MAX)
			r->repeat[r->nr_repeats++] = (struct repeat){ json_get_num(e, "iops", NAN),
								      json_get_num(e, "bw_bytes", NAN) };
	}
	json_array_foreach(json_object_get(o, "segments"), i, e) {
		if (r->nr_segments < RESULT_SEGMENTS_MAX)
			r->segment[r->nr_segments++] = (struct segment){
				json_get_num(e, "start_s", NAN),   json_get_num(e, "end_s", NAN),
				json_get_u64(e, "bs", 0),	   json_get_u64(e, "iodepth", 0),
				json_get_u64(e, "rwmixread", 100), json_get_u64(e, "rate_iops", 0),
			};
	}
	json_array_foreach(json_object_get(o, "warnings"), i, e) {
		if (json_is_string(e))
			result_warn(r, "%s", json_string_value(e));
	}
}

static void workload_from(struct workload *wl, const json_t *o)
{
	struct err err;
	const char *rw = json_get_text(o, "rw", NULL);

	if (rw)
		(void)workload_set(wl, "rw", rw, &err);
	wl->bs = json_get_u64(o, "bs", 0);
	wl->iodepth = json_get_u64(o, "iodepth", 1);
	wl->numjobs = json_get_u64(o, "numjobs", 1);
	wl->direct = json_get_bool(o, "direct", false);
	wl->size = json_get_u64(o, "size", 0);
	wl->rwmixread = json_get_u64(o, "rwmixread", 50);
	wl->rate_iops = json_get_u64(o, "rate_iops", 0);
	(void)workload_set(wl, "sync", json_get_text(o, "sync", "none"), &err);
	(void)workload_set(wl, "ioengine", json_get_text(o, "ioengine", "libaio"), &err);
}

/* What other layers had added: members that are theirs, and those that a result alone does not have. */
static json_t *more_of(const struct result *r, const json_t *o)
{
	static const char *const theirs[] = { "phases", "expected", "credits", "counted_ios" };
	json_t *own = result_to_json(r), *more = json_object(), *v;
	const char *key;

	for (size_t i = 0; i < sizeof(theirs) / sizeof(*theirs); i++)
		json_object_del(own, theirs[i]);
	json_object_foreach((json_t *)(uintptr_t)o, key, v)
		if (!json_object_get(own, key) && strcmp(key, "type") != 0)
			json_object_set(more, key, v);
	json_decref(own);
	return more;
}

struct result *result_from_json(const json_t *o)
{
	struct result *r;

	if (!json_is_object(o) || !(r = result_new()))
		return NULL;
	json_copy_text(o, "name", r->name, sizeof(r->name));
	memcpy(r->wl.name, r->name, sizeof(r->wl.name));
	json_copy_text(o, "equivalent", r->equivalent, sizeof(r->equivalent));
	json_copy_text(o, "measures", r->measures, sizeof(r->measures));
	json_copy_text(o, "device_source", r->device_source, sizeof(r->device_source));
	json_copy_text(o, "reason", r->reason, sizeof(r->reason));
	r->kind = (enum test_kind)name_index(json_get_text(o, "kind", ""), kind_names, TEST_NR);
	r->verdict = (enum verdict)name_index(json_get_text(o, "verdict", ""), verdict_names, VERDICT_NR);
	workload_from(&r->wl, o);
	r->start_s = json_get_num(o, "start_s", NAN);
	r->end_s = json_get_num(o, "end_s", NAN);
	r->runtime_s = json_get_num(o, "runtime_s", NAN);
	r->errors = json_get_u64(o, "errors", 0);
	r->all.ios = json_get_u64(o, "ios", 0);
	r->all.bytes = json_get_u64(o, "bytes", 0);
	r->all.iops = json_get_num(o, "iops", NAN);
	r->all.bw_bytes = json_get_num(o, "bw_bytes", NAN);
	r->cpu_usr_s = json_get_num(o, "cpu_usr_s", NAN);
	r->cpu_sys_s = json_get_num(o, "cpu_sys_s", NAN);
	r->cpu_pct = json_get_num(o, "cpu_pct", NAN);
	lat_from(&r->lat, json_object_get(o, "lat_ns"));
	lat_from(&r->slat, json_object_get(o, "slat_ns"));
	lat_from(&r->clat, json_object_get(o, "clat_ns"));
	dir_from(&r->dir[DDIR_READ], json_object_get(o, "read"));
	dir_from(&r->dir[DDIR_WRITE], json_object_get(o, "write"));
	r->layout_s = json_get_num(o, "layout_s", NAN);
	r->durable_s = json_get_num(o, "durable_s", NAN);
	r->queue_mean = json_get_num(o, "queue_mean", NAN);
	r->device_bytes = json_get_num(o, "device_bytes", NAN);
	r->cached = tri_from(json_object_get(o, "cached"));
	r->moved_share = json_get_num(o, "moved_share", NAN);
	r->amplified = json_get_num(o, "amplified", NAN);
	r->cpu_bound = json_get_bool(o, "cpu_bound", false);
	r->too_short = json_get_bool(o, "too_short", false);
	r->failed = json_get_bool(o, "failed", false);
	lists_from(r, o);
	if (r->kind == TEST_NET) {
		r->more = json_copy((json_t *)(uintptr_t)o);
		return r;
	}
	r->more = more_of(r, o);
	return r;
}
