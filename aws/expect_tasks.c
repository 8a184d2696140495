/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "aws/model.h"
#include "engine/units.h"

/* The i-th task size as a host, with its smallest memory: EBS depends on the vCPU alone. */
static void expect_task(const struct model_input *in, size_t i, struct expectation *e)
{
	const struct limits *l = in->limits ? in->limits : limits_builtin();
	struct model_input one = *in;
	struct host h;
	struct err impossible;

	host_task_size(&h, l, l->task[i].cpu_units, task_memory(&l->task[i], 0), &impossible);
	one.host = &h;
	model_expect(&one, e);
}

static const char *observed(const struct model_input *in, const struct expectation *e)
{
	return in->volumes && in->volumes->n ? task_observed(e->host.vcpu * 1024, in->volumes->v[0].type->kind) : NULL;
}

json_t *expect_tasks_json(const struct model_input *in)
{
	static const char *const shared[] = { "volumes", "workload", "legal", "cost_usd_month", "as_of" };
	static const char *const own[] = { "baseline", "burst", "curve" };
	const struct limits *l = in->limits ? in->limits : limits_builtin();
	json_t *doc = json_object(), *tasks = json_array();
	char refused[TASK_REFUSES_LEN];
	struct expectation e;

	for (size_t i = 0; i < TASK_SIZES; i++) {
		expect_task(in, i, &e);
		json_t *full = expectation_to_json(&e), *row = json_object();

		for (size_t k = 0; i == 0 && k < sizeof(shared) / sizeof(*shared); k++)
			json_object_set(doc, shared[k], json_object_get(full, shared[k]));
		json_object_set_new(row, "vcpu", json_num(e.host.vcpu));
		json_object_set_new(row, "memory_mib",
				    json_pack("[I,I]", (json_int_t)l->task[i].mem_min, (json_int_t)l->task[i].mem_max));
		json_object_set_new(row, "documented", json_boolean(e.host.iops_base > 0));
		for (size_t k = 0; k < sizeof(own) / sizeof(*own); k++)
			json_object_set(row, own[k], json_object_get(full, own[k]));
		json_object_set_new(row, "observed", json_text(observed(in, &e)));
		json_array_append_new(tasks, row);
		json_decref(full);
	}
	json_object_set_new(doc, "tasks", tasks);
	json_object_set_new(doc, "refused", *task_refuses(&e.volumes, refused, sizeof(refused)) ? json_text(refused) : json_null());
	json_object_set_new(doc, "note",
			    json_text("A task's figures are a baseline to plan with, shared with its ephemeral storage; none is "
				      "documented below 2 vCPU. What was observed is no promise."));
	return doc;
}

char *expect_tasks_text(const struct model_input *in)
{
	char *text = NULL, iops[FMT_LEN], bw[FMT_LEN], memory[48], volume[256];
	const char *before = NULL;
	const struct limits *l = in->limits ? in->limits : limits_builtin();
	char refused[TASK_REFUSES_LEN];
	struct expectation e;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < TASK_SIZES; i++) {
		const struct task_size *t = &l->task[i];

		expect_task(in, i, &e);
		const char *bound = bound_name(e.baseline.bound); /* NULL: the workload's own rate cap */
		if (i == 0)
			fprintf(f, "%s, %s %s, as of %s\n\n%5s  %-14s %9s  %-10s  %s\n", volumes_text(&e.volumes, volume, sizeof(volume)),
				rw_name(e.rw), fmt_bs(bw, e.bs), e.as_of, "vCPU", "memory", "IOPS", "throughput", "bound by");
		snprintf(memory, sizeof(memory), "%g-%g GiB", t->mem_min / 1024, t->mem_max / 1024);
		fprintf(f, "%5g  %-14s %9s  %-10s  %s\n", e.host.vcpu, memory, fmt_iops(iops, e.baseline.iops),
			fmt_bw(bw, e.baseline.bw),
			!(e.host.iops_base > 0) ? "no EBS figure documented for the task" : bound ? bound : "-");
	}
	fprintf(f, "\nA task's figures are a baseline to plan with, shared with its ephemeral storage; more is often seen.\n"
		   "Seen by the AWS containers blog (February 2023), no promise:\n");
	for (size_t i = 0; i < TASK_SIZES; i++) {
		expect_task(in, i, &e);
		const char *now = observed(in, &e);

		if (now && now != before)
			fprintf(f, "  %s\n", now);
		before = now;
	}
	if (*task_refuses(&e.volumes, refused, sizeof(refused)))
		fprintf(f, "%s\n", refused);
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
