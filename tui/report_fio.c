/* SPDX-License-Identifier: MIT */
#include "tui/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/recorder.h"
#include "engine/units.h"

/*
 * fio's JSON as its version 3 writes it (checked against 3.33): a reader of that finds every figure we have where fio
 * has it. fio has no null: what does not exist is left out, and 0 stands only where fio itself would write it.
 */

/* A whole number as fio prints it: 0 where there is none. Out of a recording any figure may come. */
static json_t *whole_number(double v)
{
	return json_integer(v >= 0 && v < 9e15 ? llround(v) : 0);
}

static void put(json_t *o, const char *key, double v)
{
	if (isfinite(v))
		json_object_set_new(o, key, json_real(v));
}

static json_t *lat(const struct lat_stats *l, bool percentiles)
{
	json_t *o = json_object(), *pct;

	json_object_set_new(o, "min", whole_number(l->n ? l->min : 0));
	json_object_set_new(o, "max", whole_number(l->n ? l->max : 0));
	json_object_set_new(o, "mean", json_real(l->n ? l->mean : 0));
	json_object_set_new(o, "stddev", json_real(l->n ? l->stddev : 0));
	json_object_set_new(o, "N", json_u64(l->n));
	if (percentiles && l->n) {
		pct = json_object();
		for (int i = 0; i < LAT_PCT_NR; i++)
			json_object_set_new(pct, lat_pct_name[i], whole_number(l->pct[i]));
		json_object_set_new(o, "percentile", pct);
	}
	return o;
}

/* Spread of one direction's rate over the ticks, as fio gives it of its own samples. */
struct spread {
	double n, sum, sq, min, max;
};

static void spread_add(struct spread *s, double v)
{
	s->min = s->n > 0 ? fmin(s->min, v) : v;
	s->max = s->n > 0 ? fmax(s->max, v) : v;
	s->n++;
	s->sum += v;
	s->sq += v * v;
}

static void spread_put(json_t *o, const char *what, const struct spread *s, bool whole)
{
	static const char *const tail[] = { "min", "max", "mean", "dev", "samples" };
	double mean = s->n > 0 ? s->sum / s->n : 0;
	double dev = s->n > 1 ? sqrt(fmax(0, (s->sq - s->n * mean * mean) / (s->n - 1))) : 0;
	double v[] = { s->min, s->max, mean, dev, s->n };

	for (size_t i = 0; i < 5; i++) {
		char key[32];
		snprintf(key, sizeof(key), "%s_%s", what, i == 3 && whole ? "stddev" : tail[i]);
		json_object_set_new(o, key, i == 2 || i == 3 ? json_real(v[i]) : whole_number(v[i]));
	}
}

static json_t *direction(const struct runlog_snap *run, const struct result *r, unsigned test, enum ddir d)
{
	const struct dir_result *x = &r->dir[d];
	struct spread bw = { 0 }, iops = { 0 };
	json_t *o = json_object();

	for (size_t i = 0; i < run->span.n; i++) {
		const struct sample *s = &run->span.row[i];
		if (s->test != test || s->phase != PHASE_MEASURE || !s->dt_ns || !x->ios)
			continue;
		spread_add(&bw, (double)s->dir[d].bytes / 1024 / sample_seconds(s));
		spread_add(&iops, (double)s->dir[d].ios / sample_seconds(s));
	}
	json_object_set_new(o, "io_bytes", json_u64(x->bytes));
	json_object_set_new(o, "io_kbytes", json_u64(x->bytes / 1024));
	json_object_set_new(o, "bw_bytes", whole_number(x->bw_bytes));
	json_object_set_new(o, "bw", whole_number(x->bw_bytes / 1024));
	json_object_set_new(o, "iops", json_real(isfinite(x->iops) ? x->iops : 0));
	json_object_set_new(o, "runtime", whole_number(x->ios ? r->runtime_s * 1000 : 0));
	json_object_set_new(o, "total_ios", json_u64(x->ios));
	json_object_set_new(o, "short_ios", json_integer(0));
	json_object_set_new(o, "drop_ios", json_integer(0));
	json_object_set_new(o, "slat_ns", lat(&x->slat, false));
	json_object_set_new(o, "clat_ns", lat(&x->clat, true));
	json_object_set_new(o, "lat_ns", lat(&x->lat, false));
	spread_put(o, "bw", &bw, false);
	spread_put(o, "iops", &iops, true);
	return o;
}

static json_t *job(const struct runlog_snap *run, const struct result *r, unsigned test)
{
	json_t *o = json_object(), *opts = json_object();
	char buf[64];

	json_object_set_new(o, "jobname", json_text(r->name));
	json_object_set_new(o, "groupid", json_integer(test));
	json_object_set_new(o, "error", json_integer(r->failed ? EIO : 0));
	json_object_set_new(o, "elapsed", whole_number(ceil(r->runtime_s)));
	for (const struct workload_field *f = workload_fields; f->key; f++)
		json_object_set_new(opts, f->key, json_text(workload_get(&r->wl, f->key, buf, sizeof(buf))));
	json_object_set_new(opts, "filename", json_text(run->header->target));
	json_object_set_new(o, "job options", opts);
	json_object_set_new(o, "read", direction(run, r, test, DDIR_READ));
	json_object_set_new(o, "write", direction(run, r, test, DDIR_WRITE));
	json_object_set_new(o, "job_runtime", whole_number(r->runtime_s * 1000));
	put(o, "usr_cpu", 100 * r->cpu_usr_s / r->runtime_s);
	put(o, "sys_cpu", 100 * r->cpu_sys_s / r->runtime_s);
	return o;
}

static unsigned test_of(const struct runlog_snap *run, const struct result *r)
{
	for (unsigned i = 0; i < run->header->nr_planned; i++) {
		if (strcmp(run->header->planned[i].name, r->name) == 0)
			return i;
	}
	return 0;
}

char *report_fio(const struct runlog_snap *run, struct err *err)
{
	json_t *o = json_object(), *jobs = json_array();
	struct tm tm = { 0 };
	time_t t = 0;

	if (strptime(run->header->started, "%Y-%m-%dT%H:%M:%S", &tm))
		t = timegm(&tm);
	json_object_set_new(o, "fio version", json_pack("s+", "ebscope-", run->header->version));
	json_object_set_new(o, "timestamp", json_integer(t));
	json_object_set_new(o, "timestamp_ms", json_integer((json_int_t)t * 1000));
	json_object_set_new(o, "time", json_text(run->header->started));
	for (size_t i = 0; i < run->nr_results; i++)
		json_array_append_new(jobs, job(run, run->results[i], test_of(run, run->results[i])));
	json_object_set_new(o, "jobs", jobs);
	json_object_set_new(o, "disk_util", json_array());
	char *text = json_text_of(o, true), *line = NULL;
	json_decref(o);
	if (text && (line = realloc(text, strlen(text) + 2)))
		strcat(line, "\n");
	if (!line)
		err_set(err, ENOMEM, "no memory");
	return line;
}
