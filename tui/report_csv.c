/* SPDX-License-Identifier: MIT */
#include "tui/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tui/csv.h"

static void num(FILE *f, double v)
{
	fputc(',', f);
	csv_number(f, v);
}

static void lat(FILE *f, const struct lat_stats *l)
{
	num(f, l->min);
	num(f, l->mean);
	num(f, l->max);
	num(f, l->stddev);
	for (int i = 0; i < LAT_PCT_NR; i++)
		num(f, l->pct[i]);
}

char *report_csv(const struct runlog_snap *run, struct err *err)
{
	static const char *const lats[] = { "lat", "slat", "clat" };
	char *out = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&out, &len);

	if (!f)
		return err_sys(err, "no memory"), NULL;
	fputs("test,kind,rw,bs,iodepth,numjobs,direct,runtime_s,ios,bytes,errors,iops,bw_bytes,read_iops,read_bw_bytes,"
	      "write_iops,write_bw_bytes,cpu_pct", f);
	for (size_t i = 0; i < 3; i++)
		fprintf(f, ",%s_min_ns,%s_mean_ns,%s_max_ns,%s_stddev_ns,%s_p50_ns,%s_p90_ns,%s_p99_ns,%s_p99.9_ns,%s_p99.99_ns",
			lats[i], lats[i], lats[i], lats[i], lats[i], lats[i], lats[i], lats[i], lats[i]);
	fputs(",device_bytes,cached,amplified,verdict,reason\n", f);
	for (size_t i = 0; i < run->nr_results; i++) {
		const struct result *r = run->results[i];

		csv_text(f, r->name);
		if (r->kind == TEST_NET) /* it has no blocks and no queue */
			fputs(",net,,,,,", f);
		else
			fprintf(f, ",%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, test_kind_name(r->kind), rw_name(r->wl.rw),
				r->wl.bs, r->wl.iodepth, r->wl.numjobs, r->wl.direct);
		num(f, r->runtime_s);
		fprintf(f, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, r->all.ios, r->all.bytes, r->errors);
		num(f, r->all.iops);
		num(f, r->all.bw_bytes);
		for (int d = 0; d < DDIR_NR; d++) {
			num(f, r->dir[d].iops);
			num(f, r->dir[d].bw_bytes);
		}
		num(f, r->cpu_pct);
		lat(f, &r->lat);
		lat(f, &r->slat);
		lat(f, &r->clat);
		num(f, r->device_bytes);
		fprintf(f, ",%s", r->cached == TRI_NULL ? "" : r->cached == TRI_TRUE ? "true" : "false");
		num(f, r->amplified);
		fprintf(f, ",%s,", verdict_name(r->verdict) ? verdict_name(r->verdict) : "");
		csv_text(f, r->reason);
		fputc('\n', f);
	}
	fclose(f);
	return out;
}

/* What moved in @p dt seconds, a second: nothing between the commas where there is no such count. */
static void rates(FILE *f, double ios, double bytes, double dt)
{
	num(f, ios / dt);
	num(f, bytes / dt);
}

static double counted(uint64_t n)
{
	return n == DEV_NONE ? NAN : (double)n;
}

char *report_series(const struct runlog_snap *run, struct err *err)
{
	const struct run_header *h = run->header;
	char *out = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&out, &len);

	if (!f)
		return err_sys(err, "no memory"), NULL;
	fputs("t_s,dt_s,test,repeat,phase,iops,bw_bytes,read_iops,read_bw_bytes,write_iops,write_bw_bytes,lat_p50_ns,lat_p99_ns,"
	      "lat_max_ns,inflight,errors,device_read_iops,device_read_bw_bytes,device_write_iops,device_write_bw_bytes,"
	      "expected_iops,credits\n", f);
	for (size_t i = 0; i < run->span.n; i++) {
		const struct sample *s = &run->span.row[i];
		const struct planned *p = s->test < h->nr_planned ? &h->planned[s->test] : NULL;
		double dt = sample_seconds(s), ios[DDIR_NR];
		bool net = p && p->kind == TEST_NET; /* it has bytes alone */

		for (int d = 0; d < DDIR_NR; d++)
			ios[d] = net ? NAN : (double)s->dir[d].ios;
		fprintf(f, "%.9g,%.9g,", (double)s->t_ns / 1e9, dt);
		csv_text(f, p ? p->name : "");
		fprintf(f, ",%" PRIu32 ",%s", s->repeat, run_phase_name(s->phase));
		rates(f, ios[DDIR_READ] + ios[DDIR_WRITE], (double)sample_bytes(s), dt);
		for (int d = 0; d < DDIR_NR; d++)
			rates(f, ios[d], (double)s->dir[d].bytes, dt);
		num(f, s->lat_max ? (double)s->lat_p50 : NAN);
		num(f, s->lat_max ? (double)s->lat_p99 : NAN);
		num(f, s->lat_max ? (double)s->lat_max : NAN);
		fprintf(f, ",%" PRIu32 ",%" PRIu64, s->inflight, s->errors);
		for (int d = 0; d < DDIR_NR; d++)
			rates(f, counted(s->dev[d].ios), counted(s->dev[d].bytes), dt);
		num(f, s->model_iops);
		num(f, s->model_balance);
		fputc('\n', f);
	}
	fclose(f);
	return out;
}
