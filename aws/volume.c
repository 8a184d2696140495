/* SPDX-License-Identifier: MIT */
#include "aws/volume.h"

#include <math.h>

#include "engine/units.h"

static double clamp(double v, double lo, double hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

/* What a ratio of 0 means in a table: no such rule. */
static double ratio(double v, double per, double without)
{
	return per > 0 ? v * per : without;
}

/* MiB/s that io1 and io2 bring by their IOPS. */
static double provisioned_mibps(const struct volume_type *t, double iops)
{
	if (t->low_iops > 0 && iops > t->low_iops)
		return fmin(t->mibps_max, iops * t->mibps_per_iops_high);
	return fmin(t->mibps_low > 0 ? t->mibps_low : t->mibps_max, ratio(iops, t->mibps_per_iops, t->mibps_max));
}

static double gp2_mibps(const struct volume_type *t, double size)
{
	return size <= t->small_gib ? t->mibps_small : t->mibps_max;
}

static double hdd_mibps(double size, double per_tib, double max)
{
	return fmin(size / 1024 * per_tib, max);
}

/* IOPS and MiB/s that follow for a type where they can't be set; gp3's are what it includes. */
static double implied_iops(const struct volume *v)
{
	const struct volume_type *t = v->type;

	switch (t->class) {
	case CLASS_SIZE:
		return clamp((double)v->size_gib * t->iops_per_gib, t->iops_min, t->iops_max);
	case CLASS_PROVISIONED:
	case CLASS_MAGNETIC:
		return t->iops_included;
	default:
		return 0;
	}
}

static double implied_mibps(const struct volume *v)
{
	const struct volume_type *t = v->type;

	switch (t->class) {
	case CLASS_SIZE:
		return gp2_mibps(t, (double)v->size_gib);
	case CLASS_PROVISIONED:
		return t->mibps_included > 0 ? t->mibps_included : provisioned_mibps(t, (double)v->iops);
	case CLASS_HDD:
		return hdd_mibps((double)v->size_gib, t->base_per_tib, t->base_max);
	default:
		return t->mibps_max;
	}
}

struct volume volume_make(const struct volume_type *type, uint64_t size_gib, uint64_t iops, uint64_t mibps)
{
	struct volume v = { .type = type, .size_gib = size_gib ? size_gib : (uint64_t)type->size_default };

	v.iops = iops ? iops : (uint64_t)implied_iops(&v);
	v.mibps = mibps ? mibps : (uint64_t)llround(implied_mibps(&v));
	return v;
}

static bool settable(const struct volume_type *t, enum volume_field f)
{
	if (f == VF_SIZE)
		return true;
	return t->class == CLASS_PROVISIONED && (f == VF_IOPS || t->mibps_included > 0);
}

struct volume_range volume_legal(const struct volume *v, enum volume_field f)
{
	const struct volume_type *t = v->type;
	double lo, hi;

	if (f == VF_SIZE) {
		lo = t->size_min;
		hi = t->size_max;
	} else if (!settable(t, f)) {
		lo = hi = f == VF_IOPS ? implied_iops(v) : (double)llround(implied_mibps(v));
	} else if (f == VF_IOPS) {
		lo = t->iops_min;
		hi = fmax(lo, fmin(t->iops_max, ratio((double)v->size_gib, t->iops_per_gib, t->iops_max)));
	} else {
		lo = t->mibps_min;
		hi = fmax(lo, fmin(t->mibps_max, floor(ratio((double)v->iops, t->mibps_per_iops, t->mibps_max))));
	}
	return (struct volume_range){ settable(t, f), (uint64_t)lo, (uint64_t)hi };
}

/* Numbers of a message, grouped; each call site has room for its own. */
#define N(v) fmt_iops((char[FMT_LEN]){ 0 }, (double)(v))

static int refuse_size(const struct volume *v, struct volume_range r, struct err *err)
{
	return err_set(err, ERR_USAGE, "%s of %s GiB: a volume has %s to %s GiB; the nearest is %s GiB", v->type->name,
		       N(v->size_gib), N(r.min), N(r.max), N(v->size_gib < r.min ? r.min : r.max));
}

/* IOPS that the type does not sell: what the size gives, and the size that would give what was asked. */
static int refuse_iops_unsold(const struct volume *v, struct volume_range r, struct err *err)
{
	const struct volume_type *t = v->type;

	if (t->class != CLASS_SIZE)
		return err_set(err, ERR_USAGE, "%s has no IOPS to set%s: leave them out", t->name,
			       t->class == CLASS_HDD ? ", its throughput follows from its size" : "");
	double want = fmax(t->iops_min, fmin((double)v->iops, t->iops_max));
	return err_set(err, ERR_USAGE,
		       "%s IOPS follow from the size (%g per GiB, %s to %s): the nearest at %s GiB is %s; %s need %s GiB",
		       t->name, t->iops_per_gib, N(t->iops_min), N(t->iops_max), N(v->size_gib), N(r.max), N(want),
		       N(ceil(want / t->iops_per_gib)));
}

static int refuse_iops(const struct volume *v, struct volume_range r, struct err *err)
{
	const struct volume_type *t = v->type;
	double want = (double)v->iops;

	if (!r.max || !settable(t, VF_IOPS))
		return refuse_iops_unsold(v, r, err);
	if (!v->iops)
		return err_set(err, ERR_USAGE, "%s needs its IOPS: %s to %s at %s GiB, as in %s:%llu:%llu", t->name,
			       N(r.min), N(r.max), N(v->size_gib), t->name, (unsigned long long)v->size_gib,
			       (unsigned long long)(r.max < 3000 ? r.max : 3000));
	if (v->iops < r.min)
		return err_set(err, ERR_USAGE, "%s %s IOPS: at least %s; the nearest is %s", t->name, N(want), N(r.min),
			       N(r.min));
	if (want > t->iops_max)
		return err_set(err, ERR_USAGE, "%s %s IOPS: at most %s, at %s GiB %s; the nearest is %s", t->name, N(want),
			       N(t->iops_max), N(v->size_gib), N(r.max), N(r.max));
	return err_set(err, ERR_USAGE,
		       "%s %s IOPS: at most %s at %s GiB (%s per GiB); raise the size to %s GiB; the nearest is %s", t->name,
		       N(want), N(r.max), N(v->size_gib), N(t->iops_per_gib), N(ceil(want / t->iops_per_gib)), N(r.max));
}

static int refuse_mibps(const struct volume *v, struct volume_range r, struct err *err)
{
	const struct volume_type *t = v->type;
	double want = (double)v->mibps;

	if (!r.settable)
		return err_set(err, ERR_USAGE, "%s throughput can't be set, it follows from the %s: %s MiB/s", t->name,
			       t->class == CLASS_PROVISIONED ? "IOPS" : "size", N(r.max));
	if (v->mibps < r.min)
		return err_set(err, ERR_USAGE, "%s %s MiB/s: at least %s MiB/s; the nearest is %s", t->name, N(want),
			       N(r.min), N(r.min));
	if (want > t->mibps_max)
		return err_set(err, ERR_USAGE, "%s %s MiB/s: at most %s MiB/s, at %s IOPS %s; the nearest is %s", t->name,
			       N(want), N(t->mibps_max), N(v->iops), N(r.max), N(r.max));
	return err_set(err, ERR_USAGE,
		       "%s %s MiB/s: at most %s MiB/s at %s IOPS; raise IOPS to %s; the nearest is %s MiB/s", t->name,
		       N(want), N(r.max), N(v->iops), N(ceil(want / t->mibps_per_iops)), N(r.max));
}
#undef N

int volume_field_check(const struct volume *v, enum volume_field f, struct err *err)
{
	struct volume_range r = volume_legal(v, f);
	uint64_t value = f == VF_SIZE ? v->size_gib : f == VF_IOPS ? v->iops : v->mibps;

	if (value >= r.min && value <= r.max)
		return 0;
	switch (f) {
	case VF_SIZE:
		return refuse_size(v, r, err);
	case VF_IOPS:
		return refuse_iops(v, r, err);
	default:
		return refuse_mibps(v, r, err);
	}
}

int volume_check(const struct volume *v, struct err *err)
{
	for (int f = 0; f < VF_NR; f++) {
		if (volume_field_check(v, (enum volume_field)f, err) < 0)
			return -1;
	}
	return 0;
}

static uint64_t into(uint64_t v, struct volume_range r)
{
	return v < r.min ? r.min : v > r.max ? r.max : v;
}

struct volume volume_nearest(const struct volume *v)
{
	struct volume n = *v;

	n.size_gib = into(n.size_gib, volume_legal(&n, VF_SIZE));
	n.iops = into(n.iops, volume_legal(&n, VF_IOPS));
	n.mibps = into(n.mibps, volume_legal(&n, VF_MIBPS));
	return n;
}

struct volume_perf volume_perf(const struct volume *v, bool nitro)
{
	const struct volume_type *t = v->type;
	double size = (double)v->size_gib, mib = (double)MIB;
	struct volume_perf p = { .io_unit = (uint64_t)t->io_unit };

	p.iops_base = p.iops_burst = (double)v->iops;
	p.bw_base = p.bw_burst = mib * (t->mibps_included > 0 ? (double)v->mibps : implied_mibps(v));
	switch (t->class) {
	case CLASS_SIZE:
		if (p.iops_base < t->iops_burst) {
			p.iops_burst = t->iops_burst;
			p.capacity = t->bucket_ios;
			p.earn = p.iops_base;
		}
		break;
	case CLASS_PROVISIONED:
		if (!nitro && t->iops_max_xen > 0) {
			p.iops_base = p.iops_burst = fmin(p.iops_base, t->iops_max_xen);
			p.bw_base = p.bw_burst = fmin(p.bw_base, t->mibps_max_xen * mib);
		}
		break;
	case CLASS_HDD:
		p.iops_base = p.iops_burst = INFINITY;
		p.bw_burst = hdd_mibps(size, t->burst_per_tib, t->burst_max) * mib;
		p.bw_hdd_unit = t->io_unit;
		p.capacity = size * (double)GIB;
		p.earn = p.bw_base;
		break;
	case CLASS_MAGNETIC:
		break;
	}
	p.iops_floor = t->class == CLASS_MAGNETIC ? t->iops_min : p.iops_base;
	p.bw_floor = t->class == CLASS_MAGNETIC ? t->mibps_min * mib : p.bw_base;
	return p;
}

/* Above the free part, by tiers; the last tier with a price is for all that is left. */
static double iops_cost(const struct volume_type *t, double iops)
{
	double usd = 0, from = t->iops_free;

	for (int i = 0; i < PRICE_TIERS && t->usd_iops[i] > 0 && iops > from; i++) {
		double to = t->iops_tier[i] > 0 && i + 1 < PRICE_TIERS ? fmin(iops, t->iops_tier[i]) : iops;

		usd += (to - from) * t->usd_iops[i];
		from = to;
	}
	return usd;
}

double volume_cost(const struct volume *v)
{
	const struct volume_type *t = v->type;
	double usd = (double)v->size_gib * t->usd_gib + fmax(0, (double)v->mibps - t->mibps_free) * t->usd_mibps;

	if (t->class == CLASS_PROVISIONED)
		usd += iops_cost(t, (double)v->iops);
	return round(usd * 1e4) / 1e4;
}

double volumes_cost(const struct volumes *vs)
{
	double usd = 0;

	for (size_t i = 0; i < vs->n; i++)
		usd += volume_cost(&vs->v[i]);
	return round(usd * 1e4) / 1e4;
}

double volume_scan_seconds(const struct volume *v)
{
	if (v->type->class != CLASS_HDD)
		return NAN;
	return (double)v->size_gib * 1024 / hdd_mibps((double)v->size_gib, v->type->burst_per_tib, v->type->burst_max);
}

uint64_t volume_sim_latency(const struct volume *v)
{
	return (uint64_t)llround(v->type->latency_ms * 1e6);
}
