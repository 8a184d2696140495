/* SPDX-License-Identifier: MIT */
#include "aws/alternatives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"

/* Where no volume is chosen: each type, at sizes where it becomes another (gp2: its floor, no burst, its ceiling). */
static const struct {
	const char *type;
	uint64_t size, iops, mibps;
} usual[] = {
	{ "gp3", 500, 3000, 125 }, { "gp3", 500, 16000, 1000 }, { "gp2", 100, 0, 0 }, { "gp2", 500, 0, 0 }, { "gp2", 1000, 0, 0 },
	{ "gp2", 5334, 0, 0 }, { "io1", 500, 16000, 0 }, { "io2", 500, 16000, 0 }, { "io2", 500, 64000, 0 }, { "st1", 500, 0, 0 },
	{ "st1", 12800, 0, 0 }, { "sc1", 500, 0, 0 }, { "standard", 500, 0, 0 },
};

struct list {
	const struct model_input *in;
	const struct limits *limits;
	struct alternative *at;
	size_t n;
};

static void add(struct list *l, const struct volume *v)
{
	struct volumes vs = { .n = 1, .v = { *v }, .raid = RAID_0 };
	struct model_input in = *l->in;
	struct expectation e;

	for (size_t i = 0; i < l->n; i++)
		if (volume_same(&l->at[i].v, v))
			return;
	if (l->n == ALTERNATIVES_MAX)
		return;
	if (in.volumes && in.volumes->n) {
		vs = *in.volumes;
		for (size_t i = 0; i < vs.n; i++)
			vs.v[i] = *v;
	}
	in.volumes = &vs;
	model_expect(&in, &e);
	struct alternative *a = &l->at[l->n++];
	*a = (struct alternative){ .v = *v, .burst = e.burst, .burst_s = e.burst_s, .baseline = e.baseline, .cost_usd = e.cost_usd };
	if (!(e.burst.iops > e.baseline.iops * 1.01)) {
		a->burst.iops = a->burst.bw = a->burst_s = NAN;
	}
}

/* The nearest legal volume of that type; 0: what the type includes. */
static void add_type(struct list *l, const char *type, uint64_t size, double iops, double mibps)
{
	const struct volume_type *t = volume_type_find(l->limits, type);

	if (!t)
		return;
	struct volume v = volume_make(t, size, (uint64_t)iops, (uint64_t)mibps);
	v = volume_nearest(&v);
	add(l, &v);
}

static int by_cost(const void *a, const void *b)
{
	double x = ((const struct alternative *)a)->cost_usd, y = ((const struct alternative *)b)->cost_usd;

	return (x > y) - (x < y);
}

static void beside(struct list *l, const struct volume *v)
{
	struct volume_perf p = volume_perf(v, true);
	double iops = isfinite(p.iops_burst) ? ceil(p.iops_burst) : 3000, mibps = ceil(p.bw_burst / MIB);

	if (mibps <= 128) /* what gp3 includes is as good */
		mibps = 125;
	add(l, v);
	l->at[0].chosen = true;
	add_type(l, "gp3", v->size_gib, 0, 0);
	add_type(l, "gp3", v->size_gib, fmax(iops, 3000), fmin(mibps, fmax(iops, 3000) / 4));
	add_type(l, "gp2", v->size_gib, 0, 0);
	if (iops <= 16000) /* of the size that earns it */
		add_type(l, "gp2", (uint64_t)ceil(iops / 3) > v->size_gib ? (uint64_t)ceil(iops / 3) : v->size_gib, 0, 0);
	add_type(l, "io2", v->size_gib, iops, 0);
	add_type(l, "st1", v->size_gib, 0, 0);
	add_type(l, "sc1", v->size_gib, 0, 0);
}

size_t alternatives(const struct model_input *in, const struct limits *limits, struct alternative out[ALTERNATIVES_MAX])
{
	struct list l = { .in = in, .limits = limits, .at = out };

	if (in->volumes && in->volumes->n)
		beside(&l, &in->volumes->v[0]);
	else
		for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
			add_type(&l, usual[i].type, usual[i].size, (double)usual[i].iops, (double)usual[i].mibps);
	qsort(out, l.n, sizeof(*out), by_cost);
	return l.n;
}

bool alternative_falls(const struct alternative *a)
{
	return a->burst.iops > a->baseline.iops * 1.01 && isfinite(a->burst_s);
}

bool alternative_restores(const struct volume *now, const struct volume *was, struct volume *out)
{
	const struct volume_type *t = now->type;
	struct volume_perf have = volume_perf(now, true), want = volume_perf(was, true);
	double iops = isfinite(want.iops_base) ? want.iops_base : 0, mibps = ceil(want.bw_burst / MIB);
	struct err err = { 0 };

	if (t->class != CLASS_PROVISIONED || (have.iops_base >= iops && have.bw_burst >= want.bw_burst))
		return false;
	if (have.bw_burst < want.bw_burst && t->mibps_per_iops > 0)
		iops = fmax(iops, ceil(mibps / t->mibps_per_iops));
	*out = volume_make(t, now->size_gib, (uint64_t)fmax((double)now->iops, iops),
			   t->mibps_included > 0 ? (uint64_t)fmax((double)now->mibps, mibps) : 0);
	have = volume_perf(out, true);
	return volume_check(out, &err) == 0 && have.iops_base >= iops && have.bw_burst >= want.bw_burst;
}
