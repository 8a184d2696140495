/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "aws/limits.h"
#include "aws/model_limits.h"
#include "aws/verdict_text.h"
#include "engine/units.h"

/* From this share of a limit up, it holds too. */
#define HOLDS 0.99

/* What has more than one volume of a type that is bought to its cap. */
static const char *joined(const struct volume_type *t, bool more_in_io2)
{
	return more_in_io2 && t->kind != VOLUME_IO2 ? "io2, or several volumes joined, raise it"
						    : "several volumes joined raise it";
}

static void provisioned_step(struct words *w, enum bound b, const struct volume *v, bool nitro, bool both)
{
	const struct volume_type *t = v->type, *io2 = &limits_builtin()->type[VOLUME_IO2];
	struct volume_perf p = volume_perf(v, nitro), own = volume_perf(v, true);
	double mibps = p.bw_base / (double)MIB;
	bool by_iops = b == BOUND_VOLUME_IOPS, bought = t->mibps_included > 0; /* its throughput is bought by itself */
	bool no_iops = p.iops_base >= t->iops_max, no_bw = mibps >= t->mibps_max;
	char text[FMT_LEN];

	if (by_iops ? p.iops_base < own.iops_base : p.bw_base < own.bw_base)
		word_say(w, W_NEXT, "an instance that is Nitro raises it");
	else if (by_iops ? no_iops || (both && no_bw) : no_bw || (!bought && no_iops))
		word_say(w, W_NEXT, "%s has no more: %s", t->name,
			 joined(t, by_iops && !both ? io2->iops_max > t->iops_max : io2->mibps_max > t->mibps_max));
	else if (both && bought)
		word_say(w, W_NEXT, "only more provisioned IOPS and more throughput together raise it");
	else if (!by_iops && bought)
		word_say(w, W_NEXT, "more provisioned throughput raises it");
	else if (!by_iops && t->low_iops > 0 && p.iops_base <= t->low_iops && mibps >= t->mibps_low)
		word_say(w, W_NEXT, "more than %s provisioned IOPS raise it", fmt_iops(text, t->low_iops));
	else
		word_say(w, W_NEXT, "more provisioned IOPS raise it%s",
			 v->iops >= volume_legal(v, VF_IOPS).max ? ", and take a larger volume" : "");
}

static void size_step(struct words *w, enum bound b, const struct volume *v, bool both)
{
	bool largest = volume_perf(v, true).iops_base >= v->type->iops_max;

	if (b == BOUND_VOLUME_BW)
		word_say(w, W_NEXT, "gp3 with more throughput raises it");
	else if (both)
		word_say(w, W_NEXT, "only gp3 with more IOPS and more throughput raises it");
	else
		word_say(w, W_NEXT, "%sgp3 with more IOPS%s raises it", largest ? "" : "a larger volume, or ", largest ? "" : ",");
}

static void hdd_step(struct words *w, enum bound b, const struct volume *v)
{
	const struct volume_type *t = v->type;
	char unit[FMT_LEN];

	if (b == BOUND_VOLUME_IOPS)
		word_say(w, W_NEXT, "larger I/Os, up to %s, raise it", fmt_bs(unit, (uint64_t)t->io_unit));
	else if ((double)v->size_gib / 1024 * t->base_per_tib >= t->base_max)
		word_say(w, W_NEXT, "%s has no more: gp3, or several volumes joined, raise it", t->name);
	else
		word_say(w, W_NEXT, "a larger volume raises it, up to the type's cap");
}

static void host_step(struct words *w, const struct host *h)
{
	bool task = h->kind == HOST_TASK;

	if (task && h->vcpu * 1024 >= limits_builtin()->task[TASK_SIZES - 1].cpu_units)
		word_say(w, W_NEXT, "no task is larger, and more or faster volumes will not help");
	else
		word_say(w, W_NEXT, "a larger %s raises it, more or faster volumes will not help", task ? "task" : "instance");
}

/* Do the volumes' IOPS and throughput end at the same rate? A set's copies and parity cost both alike. */
static bool both_hold(const struct expectation *e, const struct rate *rate)
{
	struct volume_perf p = volumes_perf(&e->volumes, host_nitro(&e->host));
	double iops = rate->iops > e->baseline.iops ? p.iops_burst : p.iops_base;
	uint64_t op = expectation_merges(e) ? p.io_unit : e->bs;

	return rate->bound == BOUND_VOLUME_IOPS && (double)op / shape_ops(p.io_unit, op) * iops >= HOLDS * p.bw_burst;
}

void words_of_next(struct words *w, const struct expectation *e, const struct rate *rate, enum bound b)
{
	const struct volume *v = e->volumes.n && e->volumes.v[0].type ? &e->volumes.v[0] : NULL;
	bool both = v && b == BOUND_VOLUME_IOPS && both_hold(e, rate);
	double full;
	uint64_t enough = b == BOUND_VOLUME_IOPS ? expectation_full_bs(e, &full) : 0;
	char bs[FMT_LEN], most[FMT_LEN], now[WORD_LEN];

	if (bound_is_host(b))
		host_step(w, &e->host);
	else if (b == BOUND_IODEPTH || b == BOUND_CPU)
		word_say(w, W_NEXT, b == BOUND_CPU ? "more CPU raises it" : "a larger iodepth raises it");
	else if (!v || b == BOUND_NONE)
		word_say(w, W_NEXT, "raise the workload to see a limit");
	else if (v->type->class == CLASS_PROVISIONED)
		provisioned_step(w, b, v, host_nitro(&e->host), both);
	else if (v->type->class == CLASS_SIZE)
		size_step(w, b, v, both);
	else if (v->type->class == CLASS_HDD)
		hdd_step(w, b, v);
	else
		word_say(w, W_NEXT, "any newer type raises it");
	if (enough) {
		memcpy(now, w->w[W_NEXT], sizeof(now));
		word_say(w, W_NEXT, "%.60s, and a bs of %s has its %s", now, fmt_bs(bs, enough), fmt_bw(most, full));
	}
}
