/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aws/host.h"
#include "aws/netobs.h"
#include "engine/units.h"

#define SOURCE_TASK "ECS Developer Guide, Performance of Amazon EBS volumes for Fargate on-demand tasks, 2026"

/* AWS Containers Blog, tests of February 2023 in us-west-2: 16 KiB random (SSD), 1 MiB sequential (HDD), xfs. */
static const struct task_observation observations[] = {
	{ VOLUME_GP3, 256, 256, "0.25 vCPU stayed short of 16,000 IOPS, with at most 200 MiB/s read and 150 written" },
	{ VOLUME_GP3, 512, 512, "0.5 vCPU is between 0.25 vCPU (short of 16,000 IOPS) and 1 vCPU (reaches them)" },
	{ VOLUME_GP3, 1024, 16384, "1 vCPU and more reached 16,000 IOPS (about 260 MB/s at 16 KiB)" },
	{ VOLUME_GP2, 256, 512, "0.25 and 0.5 vCPU stayed short of 16,000 IOPS" },
	{ VOLUME_GP2, 1024, 16384, "1 vCPU and more reached 16,000 IOPS" },
	{ VOLUME_IO1, 256, 256, "0.25 vCPU stayed under 300 MiB/s" },
	{ VOLUME_IO1, 512, 4096, "below 8 vCPU at most 20,000 IOPS, 300 MiB/s and more" },
	{ VOLUME_IO1, 8192, 16384, "8 and 16 vCPU passed 20,000 IOPS and 500 MiB/s, never near 64,000 IOPS" },
	{ VOLUME_IO2, 256, 256, "0.25 vCPU stayed under 300 MiB/s" },
	{ VOLUME_IO2, 512, 4096, "below 8 vCPU at most 20,000 IOPS, 300 MiB/s and more" },
	{ VOLUME_IO2, 8192, 16384, "8 and 16 vCPU had about 40,000 IOPS" },
	{ VOLUME_ST1, 1025, 16384, "above 1 vCPU about 500 IOPS and 500 MiB/s of 1 MiB sequential I/O" },
	{ VOLUME_SC1, 1025, 16384, "about half of st1: some 250 IOPS and 250 MiB/s" },
};

const char *task_observed(double cpu_units, enum volume_kind volume)
{
	for (size_t i = 0; i < sizeof(observations) / sizeof(*observations); i++) {
		const struct task_observation *o = &observations[i];

		if (o->volume == volume && cpu_units >= o->cpu_min && cpu_units <= o->cpu_max)
			return o->text;
	}
	return NULL;
}

uint64_t task_memory(const struct task_size *t, size_t i)
{
	double mib = t->mem_min;

	/* The smallest size alone goes in doublings. */
	if (t->cpu_units == 256)
		mib = i < 12 ? t->mem_min * (double)(1u << i) : t->mem_max + 1;
	else
		mib += (double)i * t->mem_step;
	return mib <= t->mem_max ? (uint64_t)mib : 0;
}

static uint64_t nearest_memory(const struct task_size *t, uint64_t mib)
{
	uint64_t best = task_memory(t, 0);

	for (size_t i = 1; task_memory(t, i); i++) {
		uint64_t m = task_memory(t, i);

		if (fabs((double)m - (double)mib) < fabs((double)best - (double)mib))
			best = m;
	}
	return best;
}

static const struct task_size *nearest_size(const struct limits *l, double cpu_units)
{
	const struct task_size *best = l->task;

	for (const struct task_size *t = l->task; t < l->task + TASK_SIZES; t++) {
		if (fabs(t->cpu_units - cpu_units) < fabs(best->cpu_units - cpu_units))
			best = t;
	}
	return best;
}

/* As one types it: "2:6", "0.25:512MiB". */
static const char *task_spec(double cpu_units, uint64_t mib, char *buf, size_t size)
{
	if (mib % 1024)
		snprintf(buf, size, "%g:%uMiB", cpu_units / 1024, (unsigned)mib);
	else
		snprintf(buf, size, "%g:%u", cpu_units / 1024, (unsigned)(mib / 1024));
	return buf;
}

static int refuse_memory(const struct task_size *t, uint64_t mib, struct err *err)
{
	char lo[FMT_LEN], hi[FMT_LEN], step[FMT_LEN], near[48];
	double mib_bytes = (double)MIB;

	if (t->cpu_units == 256)
		return err_set(err, ERR_USAGE, "0.25 vCPU has 512 MiB, 1 GiB or 2 GiB; the nearest is %s",
			       task_spec(256, nearest_memory(t, mib), near, sizeof(near)));
	return err_set(err, ERR_USAGE, "%g vCPU has %s to %s in steps of %s; the nearest is %s", t->cpu_units / 1024,
		       fmt_size(lo, t->mem_min * mib_bytes), fmt_size(hi, t->mem_max * mib_bytes),
		       fmt_size(step, t->mem_step * mib_bytes),
		       task_spec(t->cpu_units, nearest_memory(t, mib), near, sizeof(near)));
}

/* AWS documents none. A memory that was not measured is taken for the next smaller one; above 4 vCPU nothing was. */
static void network(struct host *h, double cpu_units)
{
	h->net_base = h->net_peak = h->net_burst_s = NAN;
	for (const struct net_observation *o = net_observed_tasks; o->region; o++) {
		if (strcmp(o->region, NET_OBSERVED_REGION) != 0 || o->cpu_units != cpu_units || o->mem_mib > h->mem_mib)
			continue;
		h->net_measured = true;
		h->net_base = o->base_gbps * 1e9;
		h->net_peak = o->burst_gbps * 1e9;
		h->net_burst_s = o->burst_s;
	}
}

int host_task_size(struct host *h, const struct limits *l, double cpu_units, uint64_t mem_mib, struct err *err)
{
	const struct task_size *t = nearest_size(l, cpu_units);
	char near[48];

	/* The metadata endpoint gives vCPU as a decimal: 0.25 is 256 units, whatever the rounding on the way. */
	if (!(fabs(t->cpu_units - cpu_units) < 1))
		return err_set(err, ERR_USAGE, "%g vCPU: a task has 0.25, 0.5, 1, 2, 4, 8 or 16; the nearest is %s",
			       cpu_units / 1024, task_spec(t->cpu_units, nearest_memory(t, mem_mib), near, sizeof(near)));
	size_t i = 0;
	while (task_memory(t, i) && task_memory(t, i) != mem_mib)
		i++;
	if (!task_memory(t, i))
		return refuse_memory(t, mem_mib, err);
	double iops = t->ebs_iops > 0 ? t->ebs_iops : NAN;
	double bw = t->ebs_mibps > 0 ? t->ebs_mibps * (double)MIB : NAN;

	*h = (struct host){
		.kind = HOST_TASK, .vcpu = t->cpu_units / 1024, .mem_mib = mem_mib, .current = true, .ebs_cards = 1,
		.iops_base = iops, .iops_max = iops, .bw_base = bw, .bw_max = bw, .floor = true,
		.source = *l->origin ? l->origin : SOURCE_TASK,
	};
	task_spec(t->cpu_units, mem_mib, h->name, sizeof(h->name));
	network(h, t->cpu_units);
	return 0;
}

int host_task(struct host *h, const struct limits *l, const char *text, struct err *err)
{
	static const char *const help = "'%.40s' is not VCPU:MEMORY (like 0.25:1, 2:6GB or 0.25:512MiB)";
	const char *colon = strchr(text, ':');
	char cpu[24] = "", mem[24] = "";
	double vcpu = 0, scale = 1;
	uint64_t bytes;

	if (!colon || colon == text || (size_t)(colon - text) >= sizeof(cpu) || strlen(colon + 1) + 3 >= sizeof(mem))
		return err_set(err, ERR_USAGE, help, text);
	memcpy(cpu, text, (size_t)(colon - text));
	size_t whole = strspn(cpu, "0123456789"), fraction = 0;
	if (cpu[whole] == '.')
		fraction = 1 + strspn(cpu + whole + 1, "0123456789");
	if (!whole || cpu[whole + fraction] || fraction == 1)
		return err_set(err, ERR_USAGE, help, text);
	for (const char *p = cpu; *p; p++) {
		if (*p == '.')
			scale = 0.1;
		else if (scale == 1)
			vcpu = vcpu * 10 + (*p - '0');
		else
			vcpu += (*p - '0') * scale, scale /= 10;
	}
	/* GiB unless it says otherwise; a bare number is given its unit. */
	size_t n = strlen(colon + 1);
	memcpy(mem, colon + 1, n);
	if (strspn(mem, "0123456789.") == n)
		memcpy(mem + n, "GiB", 4);
	struct err inner;
	if (parse_size(mem, &bytes, &inner) < 0 || bytes % MIB)
		return err_set(err, ERR_USAGE, help, text);
	return host_task_size(h, l, vcpu * 1024, bytes / MIB, err);
}
