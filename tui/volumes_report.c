/* SPDX-License-Identifier: MIT */
#include "tui/volumes_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/json.h"
#include "engine/units.h"
#include "tui/grid.h"

static void put_number(struct grid *g, uint64_t v)
{
	char text[FMT_LEN];

	grid_put(g, "%s", v == EC2_NONE ? "-" : fmt_iops(text, (double)v));
}

char *volumes_describe(const struct ec2_volume *v, char *buf, size_t size)
{
	const struct {
		uint64_t    n;
		const char *before, *unit;
	} part[] = { { v->size_gib, " ", "GiB" }, { v->iops, ", ", "IOPS" }, { v->mibps, ", ", "MiB/s" } };
	char text[FMT_LEN];
	size_t len = (size_t)snprintf(buf, size, "%s", v->type);

	for (size_t i = 0; i < sizeof(part) / sizeof(*part) && len < size; i++)
		if (part[i].n != EC2_NONE)
			len += (size_t)snprintf(buf + len, size - len, "%s%s %s", part[i].before,
						fmt_iops(text, (double)part[i].n), part[i].unit);
	return buf;
}

double volumes_month(const struct ec2_volume *v, const struct limits *l)
{
	const struct volume_type *t = volume_type_find(l, v->type);

	if (!t || v->size_gib == EC2_NONE)
		return NAN;
	const struct volume vol = volume_make(t, v->size_gib, v->iops == EC2_NONE ? 0 : v->iops,
					      v->mibps == EC2_NONE ? 0 : v->mibps);
	return volume_cost(&vol);
}

char *volumes_dollars(char *buf, double usd)
{
	snprintf(buf, FMT_LEN, isnan(usd) ? "an unknown price" : "$%.2f", usd);
	return buf;
}

static const struct blockdev *here(const struct volumes_list *l, const struct ec2_volume *v)
{
	const char *device = NULL;

	for (size_t i = 0; i < v->n_attachments; i++)
		if (*l->instance && !strcmp(v->attachment[i].instance_id, l->instance))
			device = v->attachment[i].device;
	return l->devs ? life_find_here(l->devs, v->id, device) : NULL;
}

static void put_tags(struct grid *g, const struct ec2_volume *v)
{
	const char *name = ec2_tag(v, "Name"), *run = ec2_tag(v, LIFE_TAG);

	grid_put(g, "%s%s%s%s", name ? name : "", name && run ? " " : "", run ? "run " : "", run ? run : "");
}

char *volumes_list_table(const struct volumes_list *l)
{
	static const char *const head[] = { "VOLUME", "TYPE",	      "GiB",	     "IOPS", "MiB/s", "STATE",
					    "CHANGE", "ATTACHED TO", "DEVICE", "HERE", "NAME" };
	struct grid g = { .columns = sizeof(head) / sizeof(*head) };

	for (size_t i = 0; i < g.columns; i++)
		grid_put(&g, "%s", head[i]);
	for (size_t i = 0; i < l->volumes->n; i++) {
		const struct ec2_volume *v = &l->volumes->v[i];
		const struct ec2_modification *m = ec2_modifications_find(l->modifications, v->id);
		const struct blockdev *d = here(l, v);
		grid_put(&g, "%s", v->id);
		grid_put(&g, "%s", v->type);
		put_number(&g, v->size_gib);
		put_number(&g, v->iops);
		put_number(&g, v->mibps);
		grid_put(&g, "%s", v->state);
		if (m)
			grid_put(&g, "%s %llu %%", m->state, (unsigned long long)m->progress);
		else
			grid_put(&g, "-");
		grid_put(&g, "%s", v->n_attachments && *v->attachment[0].instance_id ? v->attachment[0].instance_id : "-");
		grid_put(&g, "%s", v->n_attachments && *v->attachment[0].device ? v->attachment[0].device : "-");
		grid_put(&g, "%s", d ? d->path : "-");
		put_tags(&g, v);
	}
	return grid_print(&g);
}

static json_t *count(uint64_t v)
{
	return v == EC2_NONE ? json_null() : json_u64(v);
}

static json_t *figures_json(const struct ec2_figures *f)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "type", json_text(*f->type ? f->type : NULL), "size_gib", count(f->size_gib),
			 "iops", count(f->iops), "throughput_mibps", count(f->mibps));
}

static json_t *modification_json(const struct ec2_modification *m)
{
	if (!m)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "state", json_text(m->state), "progress", json_u64(m->progress),
			 "message", json_text(*m->message ? m->message : NULL), "from", figures_json(&m->from), "to",
			 figures_json(&m->to));
}

static json_t *volume_json(const struct volumes_list *l, const struct ec2_volume *v)
{
	const struct blockdev *d = here(l, v);
	json_t *tags = json_object(), *attachments = json_array();

	for (size_t i = 0; i < v->n_tags; i++)
		json_object_set_new(tags, v->tag[i].key, json_text(v->tag[i].value));
	for (size_t i = 0; i < v->n_attachments; i++) {
		const struct ec2_attachment *a = &v->attachment[i];
		json_array_append_new(attachments, json_pack("{s:o, s:o, s:o}", "instance_id",
							     json_text(*a->instance_id ? a->instance_id : NULL), "device",
							     json_text(*a->device ? a->device : NULL), "state",
							     json_text(a->state)));
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "volume_id",
			 json_text(v->id), "type", json_text(v->type), "size_gib", count(v->size_gib), "iops",
			 count(v->iops), "throughput_mibps", count(v->mibps), "state", json_text(v->state), "az",
			 json_text(v->az), "created", json_text(v->created), "encrypted", v->encrypted, "attachments",
			 attachments, "modification", modification_json(ec2_modifications_find(l->modifications, v->id)),
			 "path", json_text(d ? d->path : NULL), "tags", tags, "cost_usd_month",
			 json_num(volumes_month(v, l->limits)));
}

json_t *volumes_list_json(const struct volumes_list *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->volumes->n; i++)
		json_array_append_new(list, volume_json(l, &l->volumes->v[i]));
	return json_pack("{s:s, s:o, s:o}", "schema", "ebscope/1", "region", json_text(l->region), "volumes", list);
}

char *volumes_leftovers_table(const struct life_leftovers *lo)
{
	static const char *const head[] = { "VOLUME", "SPEC", "REGION", "CREATED", "STATE", "ATTACHED TO", "RUN" };
	struct grid g = { .columns = sizeof(head) / sizeof(*head) };

	for (size_t i = 0; i < g.columns; i++)
		grid_put(&g, "%s", head[i]);
	for (size_t i = 0; i < lo->n; i++) {
		const struct life_leftover *o = &lo->v[i];
		grid_put(&g, "%s", *o->j.volume_id ? o->j.volume_id : "-");
		grid_put(&g, "%s", o->j.spec);
		grid_put(&g, "%s", o->j.region);
		grid_put(&g, "%s", o->j.time);
		grid_put(&g, "%s", o->exists ? o->state : o->living ? "being created" : o->unknown ? "not known" : "not there");
		grid_put(&g, "%s", *o->attached_to ? o->attached_to : "-");
		grid_put(&g, "%s", o->j.run);
	}
	return grid_print(&g);
}

json_t *volumes_leftovers_json(const struct life_leftovers *lo)
{
	json_t *list = json_array();

	for (size_t i = 0; i < lo->n; i++) {
		const struct life_leftover *o = &lo->v[i];
		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "volume_id",
						      json_text(*o->j.volume_id ? o->j.volume_id : NULL), "spec",
						      json_text(o->j.spec), "region", json_text(o->j.region), "created",
						      json_text(o->j.time), "exists", o->exists, "state",
						      json_text(o->exists ? o->state : NULL), "attached_to",
						      json_text(*o->attached_to ? o->attached_to : NULL), "run",
						      json_text(o->j.run)));
	}
	return list;
}
