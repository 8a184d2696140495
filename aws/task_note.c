/* SPDX-License-Identifier: MIT */
#include "aws/task_note.h"

#include <math.h>
#include <stdio.h>

#include "engine/units.h"

#define BLOG "AWS Containers Blog, tests of February 2023 in us-west-2"

json_t *task_note_json(const struct host *h, const struct volumes *vs)
{
	if (h->kind != HOST_TASK)
		return NULL;
	json_t *o = json_object(), *baseline = json_null(), *observed = json_null();
	const char *text = vs->n ? task_observed(h->vcpu * 1024, vs->v[0].type->kind) : NULL;

	if (!isnan(h->iops_base))
		baseline = json_pack("{s:o, s:o, s:o}", "iops", json_num(h->iops_base), "bw_bytes", json_num(h->bw_base), "source",
				     json_text(h->source));
	if (text)
		observed = json_pack("{s:o, s:s}", "text", json_text(text), "source", BLOG);
	json_object_set_new(o, "size", json_text(h->name));
	json_object_set_new(o, "baseline", baseline);
	json_object_set_new(o, "observed", observed);
	return o;
}

char *task_note_text(const json_t *note, char *buf, size_t size)
{
	const json_t *baseline = json_object_get(note, "baseline"), *observed = json_object_get(note, "observed");
	char iops[FMT_LEN], bw[FMT_LEN];
	int n;

	*buf = 0;
	if (!json_is_object(note))
		return buf;
	n = snprintf(buf, size, "task %s: ", json_get_text(note, "size", "?"));
	if (json_is_object(baseline))
		n += snprintf(buf + n, size - (size_t)n, "documented baseline %s IOPS (16 KiB) and %s, a floor that may be exceeded (%s)",
			      fmt_iops(iops, json_get_num(baseline, "iops", NAN)), fmt_bw(bw, json_get_num(baseline, "bw_bytes", NAN)),
			      json_get_text(baseline, "source", "?"));
	else
		n += snprintf(buf + n, size - (size_t)n, "no EBS baseline is documented up to 1 vCPU");
	if (n > 0 && (size_t)n < size && json_is_object(observed))
		snprintf(buf + n, size - (size_t)n, "; observed once, no promise: %s (%s)", json_get_text(observed, "text", "?"),
			 json_get_text(observed, "source", "?"));
	return buf;
}
