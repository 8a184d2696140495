/* SPDX-License-Identifier: MIT */
#include "tui/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A figure, or nothing between the commas. */
static void num(FILE *f, double v)
{
	fputc(',', f);
	if (isfinite(v))
		fprintf(f, "%.15g", v);
}

static void text(FILE *f, const char *s)
{
	if (!strpbrk(s, ",\"\n")) {
		fputs(s, f);
		return;
	}
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	fputc('"', f);
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

		text(f, r->name);
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
		text(f, r->reason);
		fputc('\n', f);
	}
	fclose(f);
	return out;
}
