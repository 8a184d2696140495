/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/model.h"
#include "engine/units.h"

static const char *bound_text(enum bound b)
{
	return bound_name(b) ? bound_name(b) : "-";
}

/* Counts beyond a million with all their digits: a bucket is known to the last credit. */
static char *grouped(char *buf, double v)
{
	char digits[40];
	int n = snprintf(digits, sizeof(digits), "%.0f", v), at = 0;

	for (int i = 0; i < n && at + 2 < FMT_LEN; i++) {
		if (i && (n - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = 0;
	return buf;
}

static char *iops_text(const struct rate *r, char *buf, size_t size)
{
	char iops[FMT_LEN], least[FMT_LEN], most[FMT_LEN];

	if (!isfinite(r->iops))
		snprintf(buf, size, "no limit known");
	else if (isinf(r->iops_max))
		snprintf(buf, size, "%s IOPS or more", fmt_iops(iops, r->iops));
	else if (r->iops_min < r->iops || r->iops_max > r->iops)
		snprintf(buf, size, "%s IOPS (%s to %s)", fmt_iops(iops, r->iops), fmt_iops(least, r->iops_min),
			 fmt_iops(most, r->iops_max));
	else
		snprintf(buf, size, "%s IOPS", fmt_iops(iops, r->iops));
	return buf;
}

/* Columns that the rates of this table need: more where they have intervals. */
static int iops_width(const struct expectation *e)
{
	char text[112];
	int width = 14;

	for (size_t i = 0; i < e->nr_curve + 2; i++) {
		const struct rate *r = i < e->nr_curve	  ? &e->curve[i].rate
				       : i == e->nr_curve ? &e->baseline
							  : &e->burst;
		int n = (int)strlen(iops_text(r, text, sizeof(text)));

		width = n > width ? n : width;
	}
	return width;
}

static void put_rate(FILE *f, const char *name, int width, const struct rate *r)
{
	char bw[FMT_LEN], iops[112];

	fprintf(f, "%-10s %-*s  %-10s  %s", name, width, iops_text(r, iops, sizeof(iops)), fmt_bw(bw, r->bw),
		bound_text(r->bound));
}

static void put_head(FILE *f, const struct expectation *e)
{
	char text[256], bs[FMT_LEN];

	fprintf(f, "%-10s %s\n", "volume", e->volumes.n ? volumes_text(&e->volumes, text, sizeof(text)) : "not named");
	if (e->host.kind != HOST_NONE)
		fprintf(f, "%-10s %s\n", "host", host_text(&e->host, text, sizeof(text)));
	fprintf(f, "%-10s %s %s", "workload", rw_name(e->rw), fmt_bs(bs, e->bs));
	if (e->rw == RW_RW || e->rw == RW_RANDRW)
		fprintf(f, ", %llu %% reads", (unsigned long long)e->rwmixread);
	fprintf(f, "\n\n");
}

static void put_rates(FILE *f, const struct expectation *e)
{
	char text[FMT_LEN];
	int width = iops_width(e);

	if (!isnan(e->burst.iops)) {
		put_rate(f, "burst", width, &e->burst);
		fprintf(f, isinf(e->burst_s) ? ", %s\n" : ", for %s\n", fmt_duration(text, e->burst_s));
	}
	put_rate(f, "baseline", width, &e->baseline);
	fputc('\n', f);
	for (size_t i = 0; e->nr_curve > 1 && i < e->nr_curve; i++) {
		const struct curve_part *p = &e->curve[i];
		char from[FMT_LEN], to[FMT_LEN], iops[112], bw[FMT_LEN];

		snprintf(to, sizeof(to), isinf(p->end_s) ? "and on" : "to %s", fmt_duration(text, p->end_s));
		fprintf(f, "%-10s %-*s  %-10s  %-17s  %s %s\n", i ? "" : "curve", width,
			iops_text(&p->rate, iops, sizeof(iops)), fmt_bw(bw, p->rate.bw), bound_text(p->rate.bound),
			fmt_duration(from, p->start_s), to);
	}
}

static void put_buckets(FILE *f, const struct expectation *e)
{
	char capacity[FMT_LEN], earn[FMT_LEN], refill[FMT_LEN], scan[FMT_LEN];

	for (size_t i = 0; i < e->nr_buckets; i++) {
		const struct bucket *b = &e->bucket[i];
		bool volume = i == 0 && e->volume_bucket;

		if (b->bytes)
			fprintf(f, "%-10s %s, earns %s", volume ? "credits" : "host", fmt_size(capacity, b->capacity),
				fmt_bw(earn, b->earn));
		else
			fprintf(f, "%-10s %s I/Os, earns %s a second", volume ? "credits" : "host",
				grouped(capacity, b->capacity), fmt_iops(earn, b->earn));
		fprintf(f, ", full again in %s", fmt_duration(refill, b->refill_s));
		if (b->balance < b->capacity)
			fprintf(f, ", now %.0f %%", 100 * b->balance / b->capacity);
		if (volume && !isnan(e->scan_s))
			fprintf(f, ", full scan in %s", fmt_duration(scan, e->scan_s));
		fputc('\n', f);
	}
}

static void put_limits(FILE *f, const struct expectation *e)
{
	for (size_t i = 0; i < e->nr_limits; i++) {
		const struct named_limit *l = &e->limit[i];
		char value[FMT_LEN];

		if (l->bytes)
			fprintf(f, "%-10s %s %s\n", i ? "" : "limits", l->name, fmt_bw(value, l->value));
		else
			fprintf(f, "%-10s %s %s\n", i ? "" : "limits", l->name,
				l->value < 1e6 ? fmt_iops(value, l->value) : grouped(value, l->value));
	}
}

static void put_legal(FILE *f, const struct expectation *e)
{
	static const char *const names[VF_NR][2] = { { "", " GiB" }, { ", ", " IOPS" }, { ", ", " MiB/s" } };
	char lo[FMT_LEN], hi[FMT_LEN];

	if (!e->volumes.n)
		return;
	fprintf(f, "%-10s ", "legal");
	for (int i = 0; i < VF_NR; i++) {
		struct volume_range r = volume_legal(&e->volumes.v[0], (enum volume_field)i);

		if (r.settable)
			fprintf(f, "%s%s to %s%s", names[i][0], fmt_iops(lo, (double)r.min), fmt_iops(hi, (double)r.max),
				names[i][1]);
	}
	fprintf(f, "\n%-10s %.2f USD a month (us-east-1)\n", "cost", e->cost_usd);
}

/* How deep a queue the rate takes at the latency assumed, and what one that is shallower comes to. */
static void put_depth(FILE *f, const struct expectation *e)
{
	char lat[FMT_LEN], depth[FMT_LEN], iops[FMT_LEN];
	uint64_t told = e->iodepth * (e->numjobs ? e->numjobs : 1);

	if (!e->depth_needed)
		return;
	fprintf(f, "%-10s %s in flight at %s%s", "needs", fmt_iops(depth, (double)e->depth_needed),
		fmt_lat(lat, (double)e->depth_latency_ns), e->depth_assumed ? " (assumed)" : "");
	if (told && told < e->depth_needed)
		fprintf(f, "; %s in flight come to about %s IOPS", fmt_iops(depth, (double)told),
			fmt_iops(iops, (double)told * 1e9 / (double)e->depth_latency_ns));
	fputc('\n', f);
}

static void put_tail(FILE *f, const struct expectation *e)
{
	put_depth(f, e);
	fprintf(f, "%-10s %s%s%s\n", "as of", e->as_of, *e->origin ? ", with figures from " : "", e->origin);
	for (size_t i = 0; i < e->volumes.n; i++) {
		if (!i || e->volumes.v[i].type != e->volumes.v[i - 1].type)
			fprintf(f, "%-10s %s\n", i ? "" : "source", e->volumes.v[i].type->source);
	}
	if (e->host.kind != HOST_NONE)
		fprintf(f, "%-10s %s\n", e->volumes.n ? "" : "source", e->host.source);
	for (size_t i = 0; i < e->nr_notes; i++)
		fprintf(f, "%-10s %s\n", i ? "" : "note", e->notes[i]);
}

char *expectation_to_text(const struct expectation *e)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_head(f, e);
	put_rates(f, e);
	put_buckets(f, e);
	put_limits(f, e);
	put_legal(f, e);
	put_tail(f, e);
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
