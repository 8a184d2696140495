/* SPDX-License-Identifier: MIT */
#include "aws/model_limits.h"

#include <math.h>

#include "engine/units.h"

/* Operations of a host are counted per 256 KiB or part of it (EC2 User Guide, "I/O characteristics", 2023-05). */
#define HOST_IO_UNIT (256 * KIB)

/* What share of one user's I/O each of n members sees, by direction; sequential writes may fill whole stripes. */
struct shares {
	double read, write, write_stripe;
};

static struct shares raid_shares(enum raid raid, double n)
{
	if (n < 2)
		return (struct shares){ 1, 1, 1 };
	switch (raid) {
	case RAID_1:
		return (struct shares){ 1 / n, 1, 1 };
	case RAID_10:
		return (struct shares){ 1 / n, 2 / n, 2 / n };
	case RAID_5:
		return (struct shares){ 1 / n, 4 / n, n > 1 ? 1 / (n - 1) : 1 };
	case RAID_6:
		return (struct shares){ 1 / n, 6 / n, n > 2 ? 1 / (n - 2) : 1 };
	case RAID_NONE: /* one sum of all, see volumes_perf() */
		return (struct shares){ 1, 1, 1 };
	default:
		return (struct shares){ 1 / n, 1 / n, 1 / n };
	}
}

static bool sequential(const struct workload *wl)
{
	return !rw_is_rand(wl->rw);
}

/* Operations that one I/O is counted as; on a stripe it is first cut at the chunks. */
static double count_single(uint64_t unit, uint64_t bs, uint64_t chunk)
{
	if (!chunk || bs <= chunk)
		return shape_ops(unit, bs);
	return (double)(bs / chunk) * shape_ops(unit, chunk) + (bs % chunk ? shape_ops(unit, bs % chunk) : 0);
}

/* With all merged that can be: whole units only. */
static double count_merged(uint64_t unit, uint64_t bs)
{
	return unit ? (double)bs / (double)unit : 1;
}

/* The part of a workload's I/O that reads. */
static double read_share(const struct workload *wl)
{
	if (!rw_writes(wl->rw))
		return 1;
	return rw_reads(wl->rw) ? (double)wl->rwmixread / 100 : 0;
}

static void add_perf(struct volume_perf *sum, const struct volume_perf *p)
{
	sum->iops_base += p->iops_base;
	sum->iops_burst += p->iops_burst;
	sum->bw_base += p->bw_base;
	sum->bw_burst += p->bw_burst;
	sum->capacity += p->capacity;
	sum->earn += p->earn;
	sum->iops_floor += p->iops_floor;
	sum->bw_floor += p->bw_floor;
}

struct volume_perf volumes_perf(const struct volumes *vs, bool nitro)
{
	struct volume_perf sum = volume_perf(&vs->v[0], nitro), least = sum;
	double n = (double)vs->n;

	for (size_t i = 1; i < vs->n; i++) {
		struct volume_perf p = volume_perf(&vs->v[i], nitro);

		add_perf(&sum, &p);
		least.iops_base = fmin(least.iops_base, p.iops_base);
		least.iops_burst = fmin(least.iops_burst, p.iops_burst);
		least.bw_base = fmin(least.bw_base, p.bw_base);
		least.bw_burst = fmin(least.bw_burst, p.bw_burst);
		least.iops_floor = fmin(least.iops_floor, p.iops_floor);
		least.bw_floor = fmin(least.bw_floor, p.bw_floor);
	}
	if (vs->raid == RAID_NONE)
		return sum;
	sum.iops_base = least.iops_base * n;
	sum.iops_burst = least.iops_burst * n;
	sum.bw_base = least.bw_base * n;
	sum.bw_burst = least.bw_burst * n;
	sum.iops_floor = least.iops_floor * n;
	sum.bw_floor = least.bw_floor * n;
	return sum;
}

/* Costs that are common to all limits of a member, or of the host (all members together). */
struct unit_cost {
	double io[READING_NR];	  /* of one I/O's worth, both directions mixed */
	double weight[DDIR_NR];
};

static struct unit_cost unit_cost(const struct workload *wl, struct shares s, double members)
{
	double r = read_share(wl), stripe = sequential(wl) ? s.write_stripe : s.write;

	return (struct unit_cost){
		.io = { [READ_MERGED] = members * (r * s.read + (1 - r) * stripe),
			[READ_SINGLE] = members * (r * s.read + (1 - r) * s.write) },
		.weight = { [DDIR_READ] = members * s.read, [DDIR_WRITE] = members * stripe },
	};
}

static struct cost_limit *add(struct cost_limits *out, enum bound bound, const struct unit_cost *u)
{
	struct cost_limit *l = &out->l[out->n++];

	*l = (struct cost_limit){ .bound = bound, .weight = { u->weight[0], u->weight[1] } };
	return l;
}

static void set_rate(struct cost_limit *l, double base, double burst, double capacity, double share)
{
	l->base = l->low = l->high = base;
	l->burst = burst;
	l->capacity = burst > base ? capacity : 0;
	l->balance = l->capacity * (isnan(share) ? 1 : share);
	l->spent = !(l->balance > 0);
}

static void cost_ops(struct cost_limit *l, const struct workload *wl, const struct unit_cost *u, uint64_t chunk)
{
	double single = count_single(l->io_unit, wl->bs, chunk);

	l->cost[READ_SINGLE] = u->io[READ_SINGLE] * single;
	l->cost[READ_MERGED] = u->io[READ_MERGED] * (sequential(wl) ? count_merged(l->io_unit, wl->bs) : single);
}

static void cost_bytes(struct cost_limit *l, const struct workload *wl, const struct unit_cost *u)
{
	l->bytes = true;
	for (int i = 0; i < READING_NR; i++)
		l->cost[i] = u->io[i] * (double)wl->bs;
}

/* st1, sc1: one limit, of throughput, to which every I/O costs whole MiB unless it is merged. */
static void add_hdd(const struct model_input *in, const struct volume_perf *p, const struct unit_cost *u,
		    struct cost_limits *out)
{
	struct cost_limit *l = add(out, BOUND_VOLUME_BW, u);

	l->io_unit = p->io_unit;
	cost_ops(l, in->wl, u, in->volumes->chunk_bytes);
	/* Where an I/O is charged more than its bytes, it is their number that hurts. */
	if (l->cost[READ_MERGED] * p->bw_hdd_unit > u->io[READ_MERGED] * (double)in->wl->bs * 1.0001)
		l->bound = BOUND_VOLUME_IOPS;
	set_rate(l, p->bw_base / p->bw_hdd_unit, p->bw_burst / p->bw_hdd_unit, p->capacity / p->bw_hdd_unit, in->credits);
}

static void add_volume(const struct model_input *in, const struct volume *v, const struct volume_perf *p,
		       const struct unit_cost *u, struct cost_limits *out)
{
	if (p->bw_hdd_unit > 0) {
		add_hdd(in, p, u, out);
		return;
	}
	struct cost_limit *l = add(out, BOUND_VOLUME_IOPS, u);

	l->io_unit = p->io_unit;
	cost_ops(l, in->wl, u, in->volumes->chunk_bytes);
	set_rate(l, p->iops_base, p->iops_burst, p->capacity, in->credits);
	l->low = p->iops_floor;
	if (v->type->class == CLASS_MAGNETIC)
		l->high = v->type->iops_max * (p->iops_floor / v->type->iops_min);
	l = add(out, BOUND_VOLUME_BW, u);
	cost_bytes(l, in->wl, u);
	set_rate(l, p->bw_base, p->bw_burst, 0, NAN);
	l->low = p->bw_floor;
}

static void add_volumes(const struct model_input *in, bool nitro, struct cost_limits *out)
{
	const struct volumes *vs = in->volumes;
	struct unit_cost u = unit_cost(in->wl, raid_shares(vs->raid, (double)vs->n), 1);

	if (vs->raid == RAID_NONE) {
		struct volume_perf p = volumes_perf(vs, nitro);

		add_volume(in, &vs->v[0], &p, &u, out);
		return;
	}
	for (size_t i = 0; i < vs->n; i++) {
		struct volume_perf p;
		size_t j = 0;

		while (j < i && !volume_same(&vs->v[i], &vs->v[j]))
			j++;
		if (j < i)
			continue;
		p = volume_perf(&vs->v[i], nitro);
		add_volume(in, &vs->v[i], &p, &u, out);
	}
}

static void add_host(const struct model_input *in, struct cost_limits *out)
{
	const struct host *h = in->host;
	const struct volumes *vs = in->volumes;
	double members = vs && vs->n && vs->raid != RAID_NONE ? (double)vs->n : 1;
	struct shares s = vs && vs->n ? raid_shares(vs->raid, (double)vs->n) : raid_shares(RAID_0, 1);
	struct unit_cost u = unit_cost(in->wl, s, members);
	/* A volume hangs on one card of a host that has several, each with its part of the figures. */
	double part = vs && vs->n == 1 && h->ebs_cards > 1 ? 1.0 / h->ebs_cards : 1;

	if (h->iops_base > 0) {
		struct cost_limit *l = add(out, BOUND_HOST_IOPS, &u);

		l->io_unit = HOST_IO_UNIT;
		l->floor = h->floor;
		cost_ops(l, in->wl, &u, vs ? vs->chunk_bytes : 0);
		set_rate(l, part * h->iops_base, part * h->iops_max,
			 part * (h->iops_max - h->iops_base) * HOST_BURST_SECONDS, in->host_credits[0]);
	}
	if (h->bw_base > 0) {
		struct cost_limit *l = add(out, BOUND_HOST_BW, &u);

		l->floor = h->floor;
		cost_bytes(l, in->wl, &u);
		set_rate(l, part * h->bw_base, part * h->bw_max, part * (h->bw_max - h->bw_base) * HOST_BURST_SECONDS,
			 in->host_credits[1]);
	}
}

/* A limit in I/Os of the workload itself. */
static void add_plain(struct cost_limits *out, enum bound bound, double iops)
{
	static const struct unit_cost one = { { 1, 1 }, { 1, 1 } };
	struct cost_limit *l = add(out, bound, &one);

	l->cost[READ_MERGED] = l->cost[READ_SINGLE] = 1;
	set_rate(l, iops, iops, 0, NAN);
}

void cost_limits_make(const struct model_input *in, struct cost_limits *out)
{
	const struct workload *wl = in->wl;
	bool host = in->host && (in->host->kind == HOST_INSTANCE || in->host->kind == HOST_TASK);
	double jobs = wl->numjobs ? (double)wl->numjobs : 1;

	out->n = 0;
	if (in->volumes && in->volumes->n)
		add_volumes(in, !host || host_nitro(in->host), out);
	if (host)
		add_host(in, out);
	if (in->clat_ns)
		add_plain(out, BOUND_IODEPTH, (double)(wl->iodepth ? wl->iodepth : 1) * jobs * 1e9 / (double)in->clat_ns);
	if (wl->rate_iops)
		add_plain(out, BOUND_NONE, (double)wl->rate_iops * jobs);
}
