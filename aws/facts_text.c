/* SPDX-License-Identifier: MIT */
#include "aws/facts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The half of facts.h that is pure: what facts mean for the model and in words. */

char *facts_place_text(const struct facts *facts, char *buf, size_t size)
{
	if (!facts || facts->place == PLACE_ASKING)
		snprintf(buf, size, "asking where this is");
	else if (facts->place == PLACE_EC2)
		snprintf(buf, size, "on EC2: %s in %s", facts->self.instance_type, facts->self.az);
	else if (facts->place == PLACE_NONE)
		snprintf(buf, size, "not on EC2 (or unreachable)");
	else if (isnan(facts->task.vcpu) || isnan(facts->task.memory_mib))
		snprintf(buf, size, "%s task in %s", facts->place == PLACE_FARGATE ? "Fargate" : "ECS", facts->task.az);
	else
		snprintf(buf, size, "%s task, %g vCPU, %g MiB", facts->place == PLACE_FARGATE ? "Fargate" : "ECS",
			 facts->task.vcpu, facts->task.memory_mib);
	return buf;
}

/* Mbit/s of 10^6 as bytes per second. */
static double mbps(double v, double fallback)
{
	return isnan(v) ? fallback : v * 125000;
}

static double either(double v, double fallback)
{
	return isnan(v) ? fallback : v;
}

int facts_host(const struct facts *facts, const struct limits *l, struct host *out, struct err *err)
{
	*out = (struct host){ .kind = HOST_NONE };
	if (!facts)
		return 0;
	if (facts->place == PLACE_FARGATE) {
		if (isnan(facts->task.vcpu) || isnan(facts->task.memory_mib))
			return 0;
		return host_task_size(out, l, facts->task.vcpu * 1024, (uint64_t)facts->task.memory_mib, err);
	}
	if (!*facts->self.instance_type || host_instance(out, l, facts->self.instance_type, err))
		return *facts->self.instance_type ? -1 : 0;
	if (facts->has_type) { /* what AWS says today beats the catalogue */
		out->iops_base = either(facts->type.ebs_base_iops, out->iops_base);
		out->iops_max = either(facts->type.ebs_max_iops, out->iops_max);
		out->bw_base = mbps(facts->type.ebs_base_mbps, out->bw_base);
		out->bw_max = mbps(facts->type.ebs_max_mbps, out->bw_max);
		out->source = "DescribeInstanceTypes, today";
	}
	return 0;
}

int facts_volume(const struct ec2_volume *v, const struct limits *l, struct volume *out)
{
	const struct volume_type *type = volume_type_find(l, v->type);

	if (!type || v->size_gib == EC2_NONE)
		return -1;
	*out = volume_make(type, v->size_gib, v->iops == EC2_NONE ? 0 : v->iops, v->mibps == EC2_NONE ? 0 : v->mibps);
	return 0;
}

const struct cw_series *facts_series_find(const struct facts *facts, enum cw_metric metric, const char *id)
{
	for (size_t i = 0; facts && facts->series && i < facts->series->n; i++)
		if (facts->series->s[i].metric == metric && !strcmp(facts->series->s[i].id, id))
			return &facts->series->s[i];
	return NULL;
}

const char *facts_no_balance(const struct ec2_volume *v)
{
	bool gp2 = !strcmp(v->type, "gp2");

	if (!gp2 && strcmp(v->type, "st1") != 0 && strcmp(v->type, "sc1") != 0)
		return "does not burst";
	if (gp2 && v->iops != EC2_NONE && v->iops >= 3000)
		return "does not burst (baseline above 3,000)";
	if (!v->n_attachments)
		return "is not attached: no metric";
	return NULL;
}
