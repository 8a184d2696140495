/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "aws/model_limits.h"
#include "engine/units.h"

/* What ECS lets one attach to a task (Amazon ECS API Reference, TaskManagedEBSVolumeConfiguration, 2026-05-20). */
#define ECS_GP3_IOPS  16000
#define ECS_GP3_MIBPS 1000
#define ECS_SIZE_GIB  16384

static void __attribute__((format(printf, 2, 3))) note(struct expectation *e, const char *fmt, ...)
{
	va_list ap;

	if (e->nr_notes == NOTES_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(e->notes[e->nr_notes++], sizeof(e->notes[0]), fmt, ap);
	va_end(ap);
}

static void volume_notes(struct expectation *e)
{
	const struct volumes *vs = &e->volumes;
	bool hdd = false, magnetic = false, unlike = false;
	const struct volume_type *doubt = NULL;
	char size[FMT_LEN];

	for (size_t i = 0; i < vs->n; i++) {
		const struct volume *v = &vs->v[i];

		hdd |= v->type->class == CLASS_HDD;
		magnetic |= v->type->class == CLASS_MAGNETIC;
		unlike |= !volume_same(v, &vs->v[0]);
		if (v->type->class == CLASS_PROVISIONED && volume_perf(v, true).bw_base > (double)v->iops * v->type->io_unit)
			doubt = v->type;
	}
	if (doubt && (double)e->bs >= doubt->io_unit)
		note(e, "AWS documents %g MiB/s per IOPS of %s, but counts %g MiB as one I/O: expected is the lower, and what lies "
			"between is in doubt.", doubt->mibps_per_iops, doubt->name, doubt->io_unit / (double)MIB);
	if (e->baseline.iops_min < e->baseline.iops * 0.999 && expectation_merges(e))
		note(e, "Small sequential I/O has an interval: from nothing merged to all merged into %s.",
		     fmt_size(size, (double)expectation_merges(e)));
	if (hdd && e->bucket[0].burst > e->bucket[0].earn)
		note(e, "The length of the burst counts the credits that are earned meanwhile; AWS's scan time does not.");
	if (hdd)
		note(e, "A snapshot in progress may hold st1 and sc1 to their baseline.");
	if (magnetic)
		note(e, "For standard volumes AWS names a range, %g to %g IOPS, and promises nothing.",
		     vs->v[0].type->iops_min, vs->v[0].type->iops_max);
	if (unlike && vs->raid != RAID_NONE)
		note(e, "The members differ: the slowest sets the pace of all.");
}

static void instance_notes(struct expectation *e)
{
	const struct host *h = &e->host;

	if (!(h->iops_base > 0))
		note(e, "No EBS figures are documented for %s: it may share its network for EBS.", h->name);
	else if (h->ebs_optional)
		note(e, "The figures of %s hold only with EBS optimization switched on.", h->name);
	if (host_bursts(h))
		note(e, "%s holds its maximum for 30 minutes at least once in 24 hours; how fast it refills is not published.",
		     h->name);
	if (h->ebs_cards > 1)
		note(e, "%s has %u EBS cards: one volume can have %s of its figures.", h->name, h->ebs_cards,
		     h->ebs_cards == 2 ? "half" : "a part");
	for (size_t i = 0; i < e->volumes.n && !host_nitro(h); i++) {
		const struct volume_type *t = e->volumes.v[i].type;
		char iops[FMT_LEN], mibps[FMT_LEN];

		if (t->iops_max_xen > 0) {
			note(e, "%s on an instance that is not Nitro gives at most %s IOPS and %s MiB/s.", t->name,
			     fmt_iops(iops, t->iops_max_xen), fmt_iops(mibps, t->mibps_max_xen));
			break;
		}
	}
}

char *task_refuses(const struct volumes *vs, char *buf, size_t size)
{
	char gib[FMT_LEN], iops[FMT_LEN], mibps[FMT_LEN];

	*buf = 0;
	for (size_t i = 0; i < vs->n; i++) {
		const struct volume *v = &vs->v[i];

		if (v->type->kind == VOLUME_STANDARD) {
			snprintf(buf, size, "Fargate does not attach standard volumes.");
			return buf;
		}
		if (v->size_gib > ECS_SIZE_GIB ||
		    (v->type->kind == VOLUME_GP3 && (v->iops > ECS_GP3_IOPS || v->mibps > ECS_GP3_MIBPS))) {
			snprintf(buf, size, "ECS attaches volumes up to %s GiB, gp3 up to %s IOPS and %s MiB/s only.",
				 fmt_iops(gib, ECS_SIZE_GIB), fmt_iops(iops, ECS_GP3_IOPS), fmt_iops(mibps, ECS_GP3_MIBPS));
			return buf;
		}
	}
	if (vs->n > 1)
		snprintf(buf, size, "A task has one EBS volume.");
	return buf;
}

static void task_notes(struct expectation *e)
{
	const struct host *h = &e->host;
	const struct volumes *vs = &e->volumes;
	const char *seen = vs->n ? task_observed(h->vcpu * 1024, vs->v[0].type->kind) : NULL;
	char refused[TASK_REFUSES_LEN];

	if (!(h->iops_base > 0))
		note(e, "No EBS figure is documented for tasks below 2 vCPU: only the volume's limits are counted.");
	else
		note(e, "The task's figures are a documented baseline to plan with, shared with its ephemeral storage; more is "
			"often seen.");
	if (seen)
		note(e, "Seen by the AWS containers blog (February 2023), no promise: %s.", seen);
	if (*task_refuses(vs, refused, sizeof(refused)))
		note(e, "%s", refused);
}

static void bs_note(struct expectation *e)
{
	char bs[FMT_LEN], full[FMT_LEN], now[FMT_LEN], most[FMT_LEN];
	double bw;
	uint64_t enough = expectation_full_bs(e, &bw);

	if (enough)
		note(e, "With I/Os of %s the volume's IOPS end at %s; the %s that it has need I/Os of %s.", fmt_bs(bs, e->bs),
		     fmt_bw(now, e->baseline.bw), fmt_bw(most, bw), fmt_bs(full, enough));
}

void model_notes(struct expectation *e)
{
	volume_notes(e);
	if (e->host.kind == HOST_INSTANCE)
		instance_notes(e);
	else if (e->host.kind == HOST_TASK)
		task_notes(e);
	else if (e->host.kind == HOST_LAMBDA)
		note(e, "A Lambda function has no EBS volumes.");
	bs_note(e);
}
