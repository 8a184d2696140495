/* SPDX-License-Identifier: MIT */
#include "aws/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aws/model_limits.h"
#include "engine/units.h"

static const char *const bound_names[BOUND_NR] = {
	[BOUND_VOLUME_IOPS] = "volume iops", [BOUND_VOLUME_BW] = "volume throughput",
	[BOUND_HOST_IOPS] = "host iops",     [BOUND_HOST_BW] = "host throughput",
	[BOUND_IODEPTH] = "iodepth",	     [BOUND_CPU] = "cpu",
};

const char *bound_name(enum bound b)
{
	return bound_names[b];
}

/* Which of the figures of a range count, and whether a floor does. */
enum figure { FIGURE_MIDDLE, FIGURE_LOW, FIGURE_HIGH };

static double limit_rate(const struct cost_limit *l, enum figure f)
{
	if (cost_limit_bursts(l))
		return l->spent ? l->base : l->burst;
	return f == FIGURE_LOW ? l->low : f == FIGURE_HIGH ? l->high : l->base;
}

/* I/Os per second that all limits let pass as they stand; INFINITY without one. */
static double rate_now(const struct cost_limits *ls, enum reading reading, enum figure f, enum bound *bound)
{
	double iops = INFINITY;

	*bound = BOUND_NONE;
	for (size_t i = 0; i < ls->n; i++) {
		const struct cost_limit *l = &ls->l[i];

		if (!(l->cost[reading] > 0) || (f == FIGURE_HIGH && l->floor))
			continue;
		double r = limit_rate(l, f) / l->cost[reading];
		if (r < iops * (1 - 1e-12)) {
			iops = r;
			*bound = l->bound;
		}
	}
	return iops;
}

static struct rate make_rate(const struct cost_limits *ls, uint64_t bs)
{
	struct rate r;
	enum bound ignored;

	r.iops = rate_now(ls, READ_MERGED, FIGURE_MIDDLE, &r.bound);
	r.bw = r.iops * (double)bs;
	r.iops_min = fmin(r.iops, rate_now(ls, READ_SINGLE, FIGURE_LOW, &ignored));
	r.iops_max = fmax(r.iops, rate_now(ls, READ_MERGED, FIGURE_HIGH, &ignored));
	return r;
}

struct rate model_rate(const struct model_input *in)
{
	struct cost_limits ls;

	cost_limits_make(in, &ls);
	return make_rate(&ls, in->wl->bs);
}

/* A simulated stretch of one rate. */
struct stretch {
	double start, end, iops;
	enum bound bound;
};

/*
 * Run from event to event: at the rate of now until the next bucket is empty. The rate never rises on the way (a
 * bucket can refill while another limit holds, but then it is not what holds), so there is at most one more stretch
 * than there are buckets.
 */
static size_t simulate(struct cost_limits ls, enum reading reading, enum figure f, struct stretch out[CURVE_MAX])
{
	double t = 0;
	size_t n = 0;

	for (;;) {
		enum bound bound;
		double iops = rate_now(&ls, reading, f, &bound), dt = INFINITY;
		struct cost_limit *first = NULL;

		for (struct cost_limit *l = ls.l; l < ls.l + ls.n; l++) {
			double drain = iops * l->cost[reading] - l->base;

			if (!cost_limit_bursts(l) || l->spent || !(drain > l->base * 1e-9))
				continue;
			if (l->balance / drain < dt) {
				dt = l->balance / drain;
				first = l;
			}
		}
		if (n && iops >= out[n - 1].iops * (1 - 1e-12) && bound == out[n - 1].bound)
			out[n - 1].end = t + dt; /* a bucket was emptied that did not hold the rate */
		else
			out[n++] = (struct stretch){ t, t + dt, iops, bound };
		if (!first || n == CURVE_MAX)
			return n;
		for (struct cost_limit *l = ls.l; l < ls.l + ls.n; l++)
			l->balance = fmin(l->capacity, fmax(0, l->balance + dt * (l->base - iops * l->cost[reading])));
		first->balance = 0;
		first->spent = true;
		t += dt;
	}
}

/* The rate of a simulated curve at a time; at an edge the later one. */
static double stretch_at(const struct stretch *s, size_t n, double t)
{
	size_t i = 0;

	while (i + 1 < n && s[i].end <= t)
		i++;
	return s[i].iops;
}

/* The curve as expected, with the least (nothing merged) that each part may sink to and the most it may be. */
static void make_curve(const struct cost_limits *ls, uint64_t bs, struct expectation *out)
{
	struct stretch mid[CURVE_MAX], low[CURVE_MAX], high[CURVE_MAX];
	size_t n = simulate(*ls, READ_MERGED, FIGURE_MIDDLE, mid);
	size_t nlow = simulate(*ls, READ_SINGLE, FIGURE_LOW, low);
	size_t nhigh = simulate(*ls, READ_MERGED, FIGURE_HIGH, high);

	out->nr_curve = n;
	for (size_t i = 0; i < n; i++) {
		double just_before = isinf(mid[i].end) ? INFINITY : mid[i].end * (1 - 1e-9);

		out->curve[i] = (struct curve_part){
			.start_s = mid[i].start, .end_s = mid[i].end,
			.rate = { .iops = mid[i].iops, .bw = mid[i].iops * (double)bs, .bound = mid[i].bound,
				  .iops_min = fmin(mid[i].iops, stretch_at(low, nlow, just_before)),
				  .iops_max = fmax(mid[i].iops, stretch_at(high, nhigh, mid[i].start)) },
		};
	}
}

static void set_spent(struct cost_limits *ls, bool spent)
{
	for (size_t i = 0; i < ls->n; i++)
		ls->l[i].spent = spent;
}

static void make_rates(const struct cost_limits *ls, uint64_t bs, struct expectation *out)
{
	struct cost_limits all = *ls;
	bool bursts = false;

	for (size_t i = 0; i < ls->n; i++)
		bursts |= cost_limit_bursts(&ls->l[i]);
	set_spent(&all, true);
	out->baseline = make_rate(&all, bs);
	out->burst = (struct rate){ NAN, NAN, BOUND_NONE, NAN, NAN };
	out->burst_s = NAN;
	if (!bursts)
		return;
	set_spent(&all, false);
	out->burst = make_rate(&all, bs);
	out->burst_s = out->curve[0].rate.iops >= out->burst.iops * (1 - 1e-9) ? out->curve[0].end_s : 0;
}

static void add_bucket(struct expectation *out, struct bucket b, double share)
{
	b.balance = b.capacity * (isnan(share) ? 1 : share);
	b.refill_s = b.capacity / b.earn;
	out->bucket[out->nr_buckets++] = b;
}

/* The volumes' buckets as one, then the host's. st1 and sc1 have theirs also where it never limits. */
static void make_buckets(const struct model_input *in, struct expectation *out)
{
	const struct volumes *vs = &out->volumes;
	const struct host *h = &out->host;

	if (vs->n) {
		struct volume_perf p = volumes_perf(vs, host_nitro(h));
		bool hdd = p.bw_hdd_unit > 0;

		if (p.capacity > 0) {
			out->volume_bucket = true;
			add_bucket(out, (struct bucket){ .limit = hdd ? BOUND_VOLUME_BW : BOUND_VOLUME_IOPS, .bytes = hdd,
							 .capacity = p.capacity, .earn = p.earn,
							 .burst = hdd ? p.bw_burst : p.iops_burst }, in->credits);
		}
	}
	double part = vs->n == 1 && h->ebs_cards > 1 ? 1.0 / h->ebs_cards : 1;

	if (h->iops_max > h->iops_base)
		add_bucket(out, (struct bucket){ .limit = BOUND_HOST_IOPS, .burst = part * h->iops_max,
						 .capacity = part * (h->iops_max - h->iops_base) * HOST_BURST_SECONDS,
						 .earn = part * h->iops_base }, in->host_credits[0]);
	if (h->bw_max > h->bw_base)
		add_bucket(out, (struct bucket){ .limit = BOUND_HOST_BW, .bytes = true, .burst = part * h->bw_max,
						 .capacity = part * (h->bw_max - h->bw_base) * HOST_BURST_SECONDS,
						 .earn = part * h->bw_base }, in->host_credits[1]);
}

static void add_limit(struct expectation *out, const char *name, bool bytes, double value)
{
	if (isfinite(value) && value > 0)
		out->limit[out->nr_limits++] = (struct named_limit){ name, bytes, value };
}

/*
 * Each limit in its own unit; IOPS that follow from the size also bound the throughput, at that of the largest operations.
 * Where throughput follows from IOPS the documented figure stands: io2's is a little over that.
 */
static void make_limits(struct expectation *out)
{
	const struct volumes *vs = &out->volumes;
	const struct host *h = &out->host;

	if (vs->n) {
		struct volume_perf p = volumes_perf(vs, host_nitro(h));
		double unit = p.io_unit ? (double)p.io_unit : INFINITY, mib = (double)MIB;
		bool hdd = p.bw_hdd_unit > 0, sized = false;
		double base = hdd ? p.bw_base / mib : p.iops_base, burst = hdd ? p.bw_burst / mib : p.iops_burst;

		for (size_t i = 0; i < vs->n; i++)
			sized |= vs->v[i].type->class != CLASS_PROVISIONED;
		if (!sized)
			unit = INFINITY;
		add_limit(out, "volume baseline iops", false, base);
		if (burst > base)
			add_limit(out, "volume burst iops", false, burst);
		add_limit(out, "volume baseline throughput", true, fmin(p.bw_base, base * unit));
		if (burst > base)
			add_limit(out, "volume burst throughput", true, fmin(p.bw_burst, burst * unit));
	}
	add_limit(out, "host baseline iops", false, h->iops_base);
	if (h->iops_max > h->iops_base)
		add_limit(out, "host burst iops", false, h->iops_max);
	add_limit(out, "host baseline throughput", true, h->bw_base);
	if (h->bw_max > h->bw_base)
		add_limit(out, "host burst throughput", true, h->bw_max);
}

/* Little's law: I/Os in flight = rate x latency. */
static void make_depth(const struct model_input *in, struct expectation *out)
{
	double iops = isnan(out->burst.iops) ? out->baseline.iops : out->burst.iops;
	struct model_input deep = *in;

	out->depth_latency_ns = in->clat_ns;
	out->depth_assumed = !in->clat_ns;
	for (size_t i = 0; i < out->volumes.n && out->depth_assumed; i++) {
		uint64_t ns = volume_sim_latency(&out->volumes.v[i]);

		if (ns > out->depth_latency_ns)
			out->depth_latency_ns = ns;
	}
	if (in->clat_ns) { /* what the limits other than the depth itself allow */
		struct cost_limits ls;

		deep.clat_ns = 0;
		cost_limits_make(&deep, &ls);
		set_spent(&ls, false);
		iops = make_rate(&ls, in->wl->bs).iops;
	}
	if (isfinite(iops) && out->depth_latency_ns)
		out->depth_needed = (uint64_t)fmax(1, ceil(iops * (double)out->depth_latency_ns / 1e9 - 1e-9));
}

void model_expect(const struct model_input *in, struct expectation *out)
{
	const struct limits *l = in->limits ? in->limits : limits_builtin();
	struct cost_limits ls;

	memset(out, 0, sizeof(*out));
	if (in->volumes)
		out->volumes = *in->volumes;
	if (in->host)
		out->host = *in->host;
	if (out->host.kind == HOST_NONE)
		out->host.iops_base = out->host.iops_max = out->host.bw_base = out->host.bw_max = NAN;
	out->rw = in->wl->rw;
	out->bs = in->wl->bs;
	out->iodepth = in->wl->iodepth;
	out->numjobs = in->wl->numjobs;
	out->rwmixread = in->wl->rwmixread;
	memcpy(out->as_of, l->as_of, sizeof(out->as_of));
	memcpy(out->origin, l->origin, sizeof(out->origin));
	cost_limits_make(in, &ls);
	make_curve(&ls, in->wl->bs, out);
	make_rates(&ls, in->wl->bs, out);
	make_buckets(in, out);
	make_limits(out);
	make_depth(in, out);
	out->cost_usd = out->volumes.n ? volumes_cost(&out->volumes) : NAN;
	out->scan_s = NAN;
	for (size_t i = 0; i < out->volumes.n; i++)
		out->scan_s = fmax(out->scan_s, volume_scan_seconds(&out->volumes.v[i]));
	model_notes(out);
}

const struct curve_part *expectation_at(const struct expectation *e, double t_s)
{
	size_t i = 0;

	while (i + 1 < e->nr_curve && e->curve[i].end_s <= t_s)
		i++;
	return &e->curve[i];
}

uint64_t expectation_full_bs(const struct expectation *e, double *bw)
{
	const struct volume_type *t = e->volumes.n ? e->volumes.v[0].type : NULL;
	uint64_t bs = e->bs;

	*bw = NAN;
	if (!t || t->class != CLASS_PROVISIONED || e->baseline.bound != BOUND_VOLUME_IOPS)
		return 0;
	struct volume_perf p = volumes_perf(&e->volumes, host_nitro(&e->host));
	double iops = e->baseline.iops; /* what a set's copies and parity leave of the members' */
	*bw = fmin(p.bw_base, p.iops_base * (double)p.io_unit) * (iops / p.iops_base);
	if (e->host.bw_base > 0 && e->host.bw_base < *bw)
		return 0;
	while (bs < (uint64_t)t->io_unit && (double)bs * iops < *bw * 0.999)
		bs *= 2;
	return bs > e->bs && (double)bs * iops >= *bw * 0.999 ? bs : 0;
}

uint64_t expectation_merges(const struct expectation *e)
{
	double unit = e->volumes.n ? e->volumes.v[0].type->io_unit : e->host.iops_base > 0 ? 256 * KIB : 0;

	return rw_is_rand(e->rw) || fmod((double)e->bs, unit > 0 ? unit : 1) == 0 ? 0 : (uint64_t)unit;
}

void model_default_workload(const struct volumes *vs, struct workload *wl)
{
	bool ssd = !vs->n || vs->v[0].type->class == CLASS_SIZE || vs->v[0].type->class == CLASS_PROVISIONED;

	wl->rw = ssd ? RW_RANDREAD : RW_READ;
	wl->bs = ssd ? 16 * KIB : MIB;
}
