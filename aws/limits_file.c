/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/host.h"
#include "aws/limits.h"
#include "engine/json.h"

/* A file of replacements is a page or two; anything larger is something else. */
#define FILE_MAX (1 << 20)

/* One figure that a file may replace. */
struct key {
	const char *name;
	size_t at;
	size_t n; /* of a list; 0: a single figure */
};

static const struct key volume_keys[] = {
#define K(k) { #k, offsetof(struct volume_type, k), 0 }
	K(size_min), K(size_max), K(size_default), K(iops_min), K(iops_max), K(iops_included), K(iops_per_gib),
	K(iops_burst), K(bucket_ios), K(mibps_min), K(mibps_max), K(mibps_included), K(mibps_per_iops),
	K(mibps_small), K(small_gib), K(mibps_low), K(low_iops), K(mibps_per_iops_high), K(base_per_tib),
	K(base_max), K(burst_per_tib), K(burst_max), K(iops_max_xen), K(mibps_max_xen), K(io_unit), K(latency_ms),
	K(usd_gib), K(iops_free), K(usd_mibps), K(mibps_free), K(usd_million),
#undef K
	{ "usd_iops", offsetof(struct volume_type, usd_iops), PRICE_TIERS },
	{ "iops_tier", offsetof(struct volume_type, iops_tier), PRICE_TIERS },
	{ NULL, 0, 0 },
};

static const struct key task_keys[] = {
#define K(k) { #k, offsetof(struct task_size, k), 0 }
	K(ebs_iops), K(ebs_mibps), K(ebs_mbps), K(mem_min), K(mem_max), K(mem_step),
#undef K
	{ NULL, 0, 0 },
};

static const struct key instance_keys[] = {
	{ "ebs_base_mbps", offsetof(struct instance_override, base_mbps), 0 },
	{ "ebs_max_mbps", offsetof(struct instance_override, max_mbps), 0 },
	{ "ebs_base_iops", offsetof(struct instance_override, base_iops), 0 },
	{ "ebs_max_iops", offsetof(struct instance_override, max_iops), 0 },
	{ NULL, 0, 0 },
};

static int get_figure(const json_t *v, double *out, const char *where, const char *key, struct err *err)
{
	double d = json_is_number(v) ? json_number_value(v) : NAN;

	if (!(d >= 0 && d <= 1e15))
		return err_set(err, ERR_USAGE, "%s: %.40s must be a figure of 0 or more", where, key);
	*out = d;
	return 0;
}

static int set_key(void *row, const struct key *k, const json_t *v, const char *where, struct err *err)
{
	double *at = (double *)(void *)((char *)row + k->at);

	if (!k->n)
		return get_figure(v, at, where, k->name, err);
	if (!json_is_array(v) || json_array_size(v) > k->n)
		return err_set(err, ERR_USAGE, "%s: %s must be a list of up to %zu figures", where, k->name, k->n);
	memset(at, 0, k->n * sizeof(*at));
	for (size_t i = 0; i < json_array_size(v); i++) {
		if (get_figure(json_array_get(v, i), &at[i], where, k->name, err) < 0)
			return -1;
	}
	return 0;
}

/* Put the members of obj into row, whose keys the table names. */
static int set_row(void *row, const struct key *keys, json_t *obj, const char *where, struct err *err)
{
	const char *name;
	json_t *v;

	if (!json_is_object(obj))
		return err_set(err, ERR_USAGE, "%s: must be an object of figures", where);
	json_object_foreach(obj, name, v) {
		const struct key *k = keys;

		while (k->name && strcmp(k->name, name) != 0)
			k++;
		if (!k->name)
			return err_set(err, ERR_USAGE, "%s: unknown key '%.40s' (as in %s, %s, %s)", where, name,
				       keys[0].name, keys[1].name, keys[2].name);
		if (set_key(row, k, v, where, err) < 0)
			return -1;
	}
	return 0;
}

static int set_volumes(struct limits *l, json_t *obj, struct err *err)
{
	const char *name;
	char where[64];
	json_t *v;

	json_object_foreach(obj, name, v) {
		struct volume_type *t = l->type;

		while (t < l->type + VOLUME_NR && strcmp(t->name, name) != 0)
			t++;
		if (t == l->type + VOLUME_NR)
			return err_set(err, ERR_USAGE, "volumes: unknown key '%.40s' (gp2, gp3, io1, io2, st1, sc1, standard)",
				       name);
		snprintf(where, sizeof(where), "volumes.%s", name);
		if (set_row(t, volume_keys, v, where, err) < 0)
			return -1;
		if (!(t->size_min >= 1 && t->size_min <= t->size_max && t->iops_min <= t->iops_max &&
		      t->mibps_min <= fmax(t->mibps_max, t->mibps_min)))
			return err_set(err, ERR_USAGE, "%s: a minimum is over its maximum, or sizes begin under 1 GiB", where);
	}
	return 0;
}

static int set_tasks(struct limits *l, json_t *obj, struct err *err)
{
	const char *name;
	char where[64], *end;
	json_t *v;

	json_object_foreach(obj, name, v) {
		double units = strtod(name, &end);
		struct task_size *t = l->task;

		while (t < l->task + TASK_SIZES && (*end || t->cpu_units != units))
			t++;
		if (t == l->task + TASK_SIZES)
			return err_set(err, ERR_USAGE,
				       "tasks: unknown key '%.40s' (CPU units: 256, 512, 1024, 2048, 4096, 8192, 16384)", name);
		snprintf(where, sizeof(where), "tasks.%.20s", name);
		if (set_row(t, task_keys, v, where, err) < 0)
			return -1;
		if (!(t->mem_step >= 1 && t->mem_min >= 1 && t->mem_min <= t->mem_max))
			return err_set(err, ERR_USAGE, "%s: mem_min to mem_max in steps of mem_step, of 1 MiB or more", where);
	}
	return 0;
}

static int set_instances(struct limits *l, json_t *obj, struct err *err)
{
	const char *name;
	char where[64];
	json_t *v;

	json_object_foreach(obj, name, v) {
		struct instance_override o = { .base_mbps = NAN, .max_mbps = NAN, .base_iops = NAN, .max_iops = NAN };
		struct host known;

		if (l->nr_instances == OVERRIDES_MAX)
			return err_set(err, ERR_USAGE, "instances: at most %d", OVERRIDES_MAX);
		if (host_instance(&known, limits_builtin(), name, err) < 0)
			return err_wrap(err, "instances");
		memcpy(o.name, known.name, sizeof(o.name));
		snprintf(where, sizeof(where), "instances.%s", o.name);
		if (set_row(&o, instance_keys, v, where, err) < 0)
			return -1;
		l->instance[l->nr_instances++] = o;
	}
	return 0;
}

static int set_as_of(struct limits *l, const json_t *v, struct err *err)
{
	const char *s = json_is_string(v) ? json_string_value(v) : "";
	int year, month;
	char tail;

	if (strlen(s) < 7 || strlen(s) >= sizeof(l->as_of) || sscanf(s, "%4d-%2d%c", &year, &month, &tail) < 2 ||
	    month < 1 || month > 12)
		return err_set(err, ERR_USAGE, "as_of must be a year and a month, as in 2026-08");
	memcpy(l->as_of, s, strlen(s) + 1);
	return 0;
}

static int set_all(struct limits *l, json_t *root, struct err *err)
{
	static const struct {
		const char *name;
		int (*set)(struct limits *l, json_t *obj, struct err *err);
	} parts[] = { { "volumes", set_volumes }, { "instances", set_instances }, { "tasks", set_tasks } };
	const char *name;
	json_t *v;

	if (!json_is_object(root))
		return err_set(err, ERR_USAGE, "must be a JSON object with volumes, instances, tasks, as_of");
	json_object_foreach(root, name, v) {
		size_t i = 0;

		if (strcmp(name, "as_of") == 0) {
			if (set_as_of(l, v, err) < 0)
				return -1;
			continue;
		}
		while (i < 3 && strcmp(parts[i].name, name) != 0)
			i++;
		if (i == 3)
			return err_set(err, ERR_USAGE, "unknown key '%.40s' (volumes, instances, tasks, as_of)", name);
		if (!json_is_object(v))
			return err_set(err, ERR_USAGE, "%s must be an object", name);
		if (parts[i].set(l, v, err) < 0)
			return -1;
	}
	return 0;
}

int limits_parse(struct limits *out, const char *json, size_t len, const char *name, struct err *err)
{
	json_error_t je;
	struct limits l = *limits_builtin();
	json_t *root = json_loadb(json, len, JSON_REJECT_DUPLICATES, &je);

	if (!root)
		return err_set(err, ERR_USAGE, "%s: line %d: %s", name, je.line, je.text);
	int ret = set_all(&l, root, err);

	json_decref(root);
	if (ret < 0)
		return err_wrap(err, "%s", name);
	snprintf(l.origin, sizeof(l.origin), "%s", name);
	*out = l;
	return 0;
}

int limits_load(struct limits *out, const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	char *text;
	int ret = -1;

	if (!f) {
		err_sys(err, "limits %s", path);
		err->code = ERR_USAGE; /* it was typed wrong, like any other value that is not allowed */
		return -1;
	}
	if (!(text = malloc(FILE_MAX))) {
		err_sys(err, "limits %s", path);
		goto out;
	}
	size_t n = fread(text, 1, FILE_MAX, f);

	if (ferror(f))
		err_sys(err, "limits %s", path);
	else if (n == FILE_MAX)
		err_set(err, ERR_USAGE, "limits %s: over 1 MiB is no table of limits", path);
	else
		ret = limits_parse(out, text, n, path, err);
	free(text);
out:
	fclose(f);
	return ret;
}

const struct limits *limits_or(struct limits *own, const char *path, struct err *err)
{
	if (!path)
		return limits_builtin();
	return limits_load(own, path, err) < 0 ? NULL : own;
}
