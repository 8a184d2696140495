/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/fio_words.h"
#include "engine/import_parts.h"
#include "engine/run_judge.h"
#include "engine/units.h"

/*
 * fio's JSON, by its stat.c of 2.1 to 3.4x:
 *
 *   2.x      io_bytes and bw are KiB (and KiB/s); slat, clat, lat in us; no total_ios at first
 *   from 3.0 io_bytes is bytes and io_kbytes stands beside it; slat_ns, clat_ns, lat_ns; bw still KiB/s, later also
 *            bw_bytes
 *   options  "job options" of a job, "global options" of the document; neither in early 2.x
 *   servers  "client_stats" instead of "jobs": an entry a client's job, then "All clients" with their sum
 */

/** What a test was told to do, as far as the document says. */
struct options {
	char rw[24], bs[40], iodepth[24], numjobs[24], direct[8], ioengine[32], size[32], rwmixread[16], rate_iops[24];
	char bssplit[8];
};

/* Option names, with their other spellings, and where they go. */
static const struct {
	const char *key;
	size_t	    at, size;
} option_rows[] = {
#define O(k, f) { k, offsetof(struct options, f), sizeof(((struct options *)0)->f) }
	O("rw", rw),	       O("readwrite", rw),   O("bs", bs),	    O("blocksize", bs),
	O("iodepth", iodepth), O("numjobs", numjobs), O("direct", direct),  O("ioengine", ioengine),
	O("size", size),       O("rwmixread", rwmixread), O("rate_iops", rate_iops), O("bssplit", bssplit),
	O("bsrange", bssplit), O("blocksize_range", bssplit),
#undef O
};

static void read_options(struct options *o, struct json_span object)
{
	struct json_iter it;
	struct json_span key, value;

	if (!json_iter_init(&it, object) || !it.object)
		return;
	while (json_iter_next(&it, &key, &value))
		for (size_t i = 0; i < sizeof(option_rows) / sizeof(*option_rows); i++)
			if (json_span_is(key, option_rows[i].key))
				json_span_text(value, (char *)o + option_rows[i].at, option_rows[i].size);
}

static void read_percentiles(struct lat_stats *out, struct json_span s, double scale)
{
	struct json_iter it;
	struct json_span key, value;
	char text[32];

	if (!json_iter_init(&it, s) || !it.object)
		return;
	while (json_iter_next(&it, &key, &value)) {
		json_t *q = json_loads(json_span_text(key, text, sizeof(text)), JSON_DECODE_ANY, NULL);
		double p = json_is_number(q) ? json_number_value(q) : NAN;
		json_decref(q);
		for (int i = 0; i < LAT_PCT_NR; i++)
			if (fabs(p - lat_pct[i]) < 1e-6)
				out->pct[i] = import_num(value) * scale;
	}
}

static void read_latency(struct lat_stats *out, struct json_span s, double scale, uint64_t ios)
{
	struct json_iter it;
	struct json_span key, value;

	if (!json_iter_init(&it, s) || !it.object || !ios)
		return;
	while (json_iter_next(&it, &key, &value)) {
		if (json_span_is(key, "min"))
			out->min = import_num(value) * scale;
		else if (json_span_is(key, "max"))
			out->max = import_num(value) * scale;
		else if (json_span_is(key, "mean"))
			out->mean = import_num(value) * scale;
		else if (json_span_is(key, "stddev"))
			out->stddev = import_num(value) * scale;
		else if (json_span_is(key, "N"))
			out->n = json_span_u64(value, 0);
		else if (json_span_is(key, "percentile"))
			read_percentiles(out, value, scale);
	}
	if (!out->n)
		out->n = ios;
}

/* One direction of one job. @return its runtime in seconds */
static double read_direction(struct dir_result *d, struct json_span s)
{
	struct json_iter it;
	struct json_span key, value, lat[3][2] = { 0 };
	static const char *const lat_name[3][2] = { { "slat", "slat_ns" }, { "clat", "clat_ns" }, { "lat", "lat_ns" } };
	double bw_kib = NAN, bw_bytes = NAN, runtime = NAN, io = NAN;
	uint64_t ios = 0, bytes = 0;
	bool in_bytes = false;

	if (!json_iter_init(&it, s) || !it.object)
		return NAN;
	while (json_iter_next(&it, &key, &value)) {
		if (json_span_is(key, "io_bytes")) {
			bytes = json_span_u64(value, 0);
			io = import_num(value);
		} else if (json_span_is(key, "io_kbytes"))
			in_bytes = true;
		else if (json_span_is(key, "bw"))
			bw_kib = import_num(value);
		else if (json_span_is(key, "bw_bytes"))
			bw_bytes = import_num(value);
		else if (json_span_is(key, "iops"))
			d->iops = import_num(value);
		else if (json_span_is(key, "runtime"))
			runtime = import_num(value) / 1e3;
		else if (json_span_is(key, "total_ios"))
			ios = json_span_u64(value, 0);
		for (int i = 0; i < 3; i++)
			for (int ns = 0; ns < 2; ns++)
				if (json_span_is(key, lat_name[i][ns]))
					lat[i][ns] = value;
	}
	if (isnan(io) && isnan(d->iops))
		return NAN;
	d->bytes = in_bytes || bytes > UINT64_MAX / 1024 ? bytes : bytes * 1024;
	d->ios = ios ? ios : d->iops > 0 && runtime > 0 && d->iops * runtime < 1e18 ? (uint64_t)llround(d->iops * runtime) : 0;
	d->bw_bytes = in_bytes && runtime > 0 ? (double)d->bytes / runtime : !isnan(bw_bytes) ? bw_bytes : bw_kib * 1024;
	struct lat_stats *const out[3] = { &d->slat, &d->clat, &d->lat };
	for (int i = 0; i < 3; i++)
		read_latency(out[i], lat[i][1].p ? lat[i][1] : lat[i][0], lat[i][1].p ? 1 : 1e3, d->ios);
	return runtime;
}

/* What is not said is fio's default: it is assumed, and said to be. */
static void apply_options(struct import_run *run, struct import_test *t, const struct options *o)
{
	struct result *r = t->r;
	struct err err;
	bool reads = r->dir[DDIR_READ].ios > 0, writes = r->dir[DDIR_WRITE].ios > 0;
	const char *rw = o->rw[0] ? o->rw : reads && writes ? "rw" : writes ? "write" : "read";
	char bs[sizeof(o->bs)], assumed[96] = "";

	snprintf(bs, sizeof(bs), "%s", o->bs[0] ? o->bs : "4k");
	char *comma = strchr(bs, ',');
	if (comma) { /* "read,write,trim": one size if they agree */
		*comma = '\0';
		t->bs_mixed = writes && strncmp(comma + 1, bs, strlen(bs)) != 0;
	}
	t->bs_mixed = t->bs_mixed || o->bssplit[0];
	char mode[sizeof(o->rw)];
	snprintf(mode, sizeof(mode), "%s", rw);
	mode[strcspn(mode, ":")] = '\0'; /* "randread:8" */
	if (workload_set(&r->wl, "rw", strcmp(mode, "readwrite") == 0 ? "rw" : mode, &err) < 0)
		import_warn(run, "%s: rw=%s is not known here", r->name, rw);
	if (parse_size(bs, &r->wl.bs, &err) < 0 || !r->wl.bs)
		t->bs_mixed = true;
	r->wl.iodepth = r->wl.numjobs = 1;
	(void)parse_count(o->iodepth, &r->wl.iodepth, &err);
	(void)parse_count(o->numjobs, &r->wl.numjobs, &err);
	(void)parse_count(o->rwmixread, &r->wl.rwmixread, &err);
	(void)parse_count(o->rate_iops, &r->wl.rate_iops, &err);
	(void)parse_size(o->size, &r->wl.size, &err);
	r->wl.direct = strcmp(o->direct, "1") == 0;
	/* which it was is said of those that we have, and of the others that hold one I/O at a time */
	r->wl.ioengine = fio_engine(o->ioengine);
	if (r->wl.ioengine == IOENGINE_SYNC)
		r->wl.iodepth = 1; /* whatever was asked for */
	snprintf(assumed, sizeof(assumed), "%s%s%s%s%s", o->rw[0] ? "" : " rw ", o->rw[0] ? "" : mode,
		 o->bs[0] || o->bssplit[0] ? "" : " bs 4k", o->iodepth[0] ? "" : " iodepth 1", o->numjobs[0] ? "" : " numjobs 1");
	if (assumed[0]) {
		import_warn(run, "not in the document, so fio's default is assumed:%s", assumed);
		result_warn(r, "fio's default is assumed:%s", assumed);
	}
}

/* Reads and writes together, or what unified_rw_reporting has put together already. */
static void add_up(struct result *r, const struct dir_result *mixed)
{
	const struct dir_result *a = &r->dir[DDIR_READ], *b = &r->dir[DDIR_WRITE];
	const struct dir_result *only = mixed ? mixed : !b->ios ? a : !a->ios ? b : NULL;

	if (only) {
		r->all = *only;
	} else {
		r->all.ios = a->ios + b->ios;
		r->all.bytes = a->bytes + b->bytes;
		r->all.iops = a->iops + b->iops;
		r->all.bw_bytes = a->bw_bytes + b->bw_bytes;
		r->lat.n = r->all.ios;
		r->lat.min = fmin(a->lat.min, b->lat.min);
		r->lat.max = fmax(a->lat.max, b->lat.max);
		r->lat.mean = ((double)a->ios * a->lat.mean + (double)b->ios * b->lat.mean) / (double)r->all.ios;
		return; /* percentiles of both together can't be had from those of each */
	}
	r->lat = only->lat;
	r->clat = only->clat;
	r->slat = only->slat;
}

/* A job more of a group of equal ones (numjobs without group_reporting): they ran at the same time. */
static void merge_job(struct result *to, const struct result *job)
{
	for (int d = 0; d <= DDIR_NR; d++) {
		struct dir_result *a = d < DDIR_NR ? &to->dir[d] : &to->all;
		const struct dir_result *b = d < DDIR_NR ? &job->dir[d] : &job->all;
		a->ios += b->ios;
		a->bytes += b->bytes;
		a->iops = isnan(a->iops) ? b->iops : a->iops + (isnan(b->iops) ? 0 : b->iops);
		a->bw_bytes = isnan(a->bw_bytes) ? b->bw_bytes : a->bw_bytes + (isnan(b->bw_bytes) ? 0 : b->bw_bytes);
	}
	double n = (double)to->lat.n + (double)job->lat.n;
	to->lat.mean = n > 0 ? (to->lat.mean * (double)to->lat.n + job->lat.mean * (double)job->lat.n) / n : NAN;
	to->lat.n += job->lat.n;
	to->lat.min = fmin(to->lat.min, job->lat.min);
	to->lat.max = fmax(to->lat.max, job->lat.max);
	to->lat.stddev = NAN;
	for (int i = 0; i < LAT_PCT_NR; i++)
		to->lat.pct[i] = NAN;
	to->runtime_s = fmax(to->runtime_s, job->runtime_s);
	to->failed = to->failed || job->failed;
}

/* What the walk through a document carries from job to job. */
struct walk {
	struct options global;
	uint64_t       last_group;
	bool	       any;
};

/* What the document says of one job, not yet read. */
struct job_parts {
	struct json_span dir[DDIR_NR + 1]; /* read, write, and both together */
	struct json_span name, host;
	struct options	 options;
	double		 error, usr, sys; /* NAN: not said */
	uint64_t	 group;
};

static void find_parts(struct job_parts *j, struct json_span job)
{
	static const char *const dirs[DDIR_NR + 1] = { "read", "write", "mixed" };
	struct json_iter it;
	struct json_span key, value;

	if (!json_iter_init(&it, job) || !it.object)
		return;
	while (json_iter_next(&it, &key, &value)) {
		for (int i = 0; i <= DDIR_NR; i++)
			if (json_span_is(key, dirs[i]))
				j->dir[i] = value;
		if (json_span_is(key, "jobname"))
			j->name = value;
		else if (json_span_is(key, "hostname"))
			j->host = value;
		else if (json_span_is(key, "groupid"))
			j->group = json_span_u64(value, 0);
		else if (json_span_is(key, "error"))
			j->error = json_span_num(value);
		else if (json_span_is(key, "usr_cpu"))
			j->usr = import_num(value);
		else if (json_span_is(key, "sys_cpu"))
			j->sys = import_num(value);
		else if (json_span_is(key, "job options"))
			read_options(&j->options, value);
	}
}

static struct import_test *add_test(struct import_run *run, const struct job_parts *j)
{
	char name[64], host[64], full[140];

	json_span_text(j->name, name, sizeof(name));
	json_span_text(j->host, host, sizeof(host));
	snprintf(full, sizeof(full), "%s%s%s", name[0] ? name : "job", host[0] ? "@" : "", host);
	return import_add(run, full, TEST_BLOCK);
}

static void read_figures(struct import_run *run, struct import_test *t, const struct job_parts *j)
{
	struct result *r = t->r;

	for (int i = 0; i <= DDIR_NR; i++)
		r->runtime_s = fmax(r->runtime_s, read_direction(i < DDIR_NR ? &r->dir[i] : &r->all, j->dir[i]));
	add_up(r, j->dir[DDIR_NR].p ? &r->all : NULL);
	apply_options(run, t, &j->options);
	r->cpu_usr_s = j->usr * r->runtime_s / 100;
	r->cpu_sys_s = j->sys * r->runtime_s / 100;
	r->cpu_pct = j->usr + j->sys;
	r->too_short = r->runtime_s > 0 && r->runtime_s < TOO_SHORT_S;
	if (j->error != 0 && !isnan(j->error)) {
		r->failed = run->failed = true;
		r->errors = 1;
		import_warn(run, "%s: failed run: error %.0f (%s)", r->name, j->error,
			    strerror((int)fmin(fmax(j->error, 0), 4095)));
	}
}

static void drop_last(struct import_run *run, struct import_test *t)
{
	result_free(t->r);
	run->nr_tests--;
}

static void read_job(struct import_run *run, struct walk *w, struct json_span job)
{
	struct job_parts j = { .options = w->global, .usr = NAN, .sys = NAN };

	find_parts(&j, job);
	if (!j.dir[DDIR_READ].p && !j.dir[DDIR_WRITE].p && !j.dir[DDIR_NR].p)
		return;
	if (job.cut) {
		run->partial = true; /* its figures may be half there: better none */
		return;
	}
	struct import_test *t = add_test(run, &j);
	if (!t)
		return;
	struct result *r = t->r;
	read_figures(run, t, &j);
	if (!r->failed && isnan(r->all.iops) && isnan(r->all.bw_bytes)) { /* no figures at all */
		drop_last(run, t);
		return;
	}
	w->any = true;
	struct import_test *before = run->nr_tests > 1 ? t - 1 : NULL;
	if (before && r->wl.numjobs > 1 && strcmp(before->r->name, r->name) == 0 && w->last_group == j.group) {
		merge_job(before->r, r);
		import_warn(run, "%s: its %llu jobs are added up; they have no common percentiles", r->name,
			    (unsigned long long)r->wl.numjobs);
		drop_last(run, t);
	}
	w->last_group = j.group;
}

bool import_fio(struct import_run *run, struct json_span doc)
{
	struct json_iter it;
	struct json_span key, value, jobs = { 0 };
	struct walk w = { .last_group = UINT64_MAX };

	run->kind = IMPORT_FIO;
	json_iter_init(&it, doc);
	while (json_iter_next(&it, &key, &value)) {
		if (json_span_is(key, "fio version"))
			json_span_text(value, run->source, sizeof(run->source));
		else if (json_span_is(key, "timestamp") && !run->date[0])
			import_date(run->date, sizeof(run->date), json_span_u64(value, 0));
		else if (json_span_is(key, "global options"))
			read_options(&w.global, value);
		else if (json_span_is(key, "jobs") || json_span_is(key, "client_stats"))
			jobs = value;
	}
	if (!run->source[0])
		snprintf(run->source, sizeof(run->source), "fio");
	if (!json_iter_init(&it, jobs))
		return false;
	while (run->nr_tests < IMPORT_TESTS_MAX && json_iter_next(&it, &key, &value))
		read_job(run, &w, value);
	if (run->nr_tests == IMPORT_TESTS_MAX) {
		run->partial = true;
		import_warn(run, "only the first %d tests are read", IMPORT_TESTS_MAX);
	}
	if (it.broken)
		run->partial = true;
	return w.any;
}
