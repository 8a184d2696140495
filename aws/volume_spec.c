/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "aws/closest.h"
#include "aws/volume.h"
#include "engine/units.h"

static const char *const field_names[VF_NR] = { "size", "IOPS", "throughput" };

const struct volume_type *volume_type_find(const struct limits *l, const char *name)
{
	for (size_t i = 0; i < VOLUME_NR; i++) {
		if (strcasecmp(l->type[i].name, name) == 0)
			return &l->type[i];
	}
	return NULL;
}

int volume_type_parse(const struct limits *l, const char *name, const struct volume_type **out, struct err *err)
{
	const struct volume_type *t = volume_type_find(l, name);
	struct closest c = { .want = name };
	char near[128];

	if (t) {
		*out = t;
		return 0;
	}
	for (size_t i = 0; i < VOLUME_NR; i++)
		closest_add(&c, l->type[i].name);
	closest_text(&c, near, sizeof(near));
	return err_set(err, ERR_USAGE,
		       "'%.40s' is not a volume type%s%s (allowed: gp2, gp3, io1, io2, st1, sc1, standard)", name,
		       *near ? ": " : "", near);
}

/* GiB: bare, or any size that is whole GiB. */
static int parse_gib(const char *text, uint64_t *out, struct err *err)
{
	uint64_t v;

	if (strspn(text, "0123456789") == strlen(text) && *text)
		return parse_count(text, out, err);
	if (parse_size(text, &v, err) < 0 || v % GIB || isdigit((unsigned char)text[strlen(text) - 1]))
		return err_set(err, ERR_USAGE, "size '%.40s' is not whole GiB (like 100, 500GiB or 2TiB)", text);
	*out = v / GIB;
	return 0;
}

/* A count with one of some units behind it. */
static int parse_with(const char *text, const char *const *units, const char *allowed, uint64_t *out, struct err *err)
{
	size_t n = strspn(text, "0123456789");
	char digits[24];

	for (; *units; units++) {
		if (n && n < sizeof(digits) && strcasecmp(text + n, *units) == 0) {
			memcpy(digits, text, n);
			digits[n] = 0;
			return parse_count(digits, out, err);
		}
	}
	return err_set(err, ERR_USAGE, "'%.40s' is not %s", text, allowed);
}

static uint64_t *field_of(struct volume *v, enum volume_field f)
{
	return f == VF_SIZE ? &v->size_gib : f == VF_IOPS ? &v->iops : &v->mibps;
}

int volume_field_parse(struct volume *v, enum volume_field f, const char *text, struct err *err)
{
	static const char *const iops[] = { "", "iops", NULL };
	static const char *const mibps[] = { "", "MiBps", "MiB/s", "MiB", NULL };
	uint64_t value = 0;
	int ret;

	if (f == VF_SIZE)
		ret = parse_gib(text, &value, err);
	else if (f == VF_IOPS)
		ret = parse_with(text, iops, "IOPS (a whole number, like 3000)", &value, err);
	else
		ret = parse_with(text, mibps, "throughput in MiB/s (like 250 or 250MiBps)", &value, err);
	if (ret < 0)
		return -1;
	if (value > UINT32_MAX)
		return err_set(err, ERR_USAGE, "%s '%.40s' is beyond any volume", field_names[f], text);
	*field_of(v, f) = value;
	return 0;
}

/* `TYPE[:SIZE[:IOPS[:THROUGHPUT]]]`; cuts the text up. */
static int parse_one(const struct limits *l, char *text, struct volume *v, struct err *err)
{
	struct volume typed = { 0 };
	char *colon = strchr(text, ':');
	int zero = VF_NR;

	if (colon)
		*colon = 0;
	if (volume_type_parse(l, text, &typed.type, err) < 0)
		return -1;
	for (int f = 0; colon; f++) {
		char *value = colon + 1;

		if (f == VF_NR)
			return err_set(err, ERR_USAGE, "':%.40s' is too much: TYPE:SIZE:IOPS:THROUGHPUT", value);
		if ((colon = strchr(value, ':')))
			*colon = 0;
		if (!*value && !colon)
			return err_set(err, ERR_USAGE, "a colon with nothing behind it: TYPE:SIZE:IOPS:THROUGHPUT, like %s:%g",
				       typed.type->name, typed.type->size_default);
		if (!*value)
			continue;
		if (volume_field_parse(&typed, (enum volume_field)f, value, err) < 0)
			return -1;
		if (!*field_of(&typed, (enum volume_field)f))
			zero = f;
	}
	*v = volume_make(typed.type, typed.size_gib, typed.iops, typed.mibps);
	if (zero < VF_NR) /* 0 is no default here */
		*field_of(v, (enum volume_field)zero) = 0;
	return volume_check(v, err);
}

/* `[N*]…`: how many, and where the rest begins. */
static int parse_times(char **text, uint64_t *times, struct err *err)
{
	char *star = strchr(*text, '*');

	*times = 1;
	if (!star)
		return 0;
	*star = 0;
	if (parse_count(*text, times, err) < 0 || !*times || *times > VOLUMES_MAX)
		return err_set(err, ERR_USAGE, "'%.20s*' volumes: 1 to %d are allowed", *text, VOLUMES_MAX);
	*text = star + 1;
	return 0;
}

int volumes_parse(struct volumes *vs, const struct limits *l, const char *spec, struct err *err)
{
	struct volumes out = *vs;
	char *copy = strdup(spec), *next;
	int ret = -1;

	if (!copy)
		return err_sys(err, "volume");
	for (char *p = copy; p; p = next) {
		uint64_t times;
		struct volume v;

		if ((next = strchr(p, ',')))
			*next++ = 0;
		if (parse_times(&p, &times, err) < 0 || parse_one(l, p, &v, err) < 0)
			goto out;
		if (out.n + times > VOLUMES_MAX) {
			err_set(err, ERR_USAGE, "at most %d volumes are allowed", VOLUMES_MAX);
			goto out;
		}
		while (times--)
			out.v[out.n++] = v;
	}
	*vs = out;
	ret = 0;
out:
	free(copy);
	return ret;
}

static const struct {
	const char *typed, *name;
	size_t members; /* at least */
} raids[] = {
	[RAID_0] = { "0", "RAID 0", 1 },  [RAID_1] = { "1", "RAID 1", 2 },    [RAID_5] = { "5", "RAID 5", 3 },
	[RAID_6] = { "6", "RAID 6", 4 },  [RAID_10] = { "10", "RAID 10", 2 }, [RAID_NONE] = { NULL, "separate", 1 },
};

int raid_parse(const char *text, enum raid *raid, struct err *err)
{
	for (int i = 0; i < RAID_NONE; i++) {
		if (strcmp(raids[i].typed, text) == 0) {
			*raid = (enum raid)i;
			return 0;
		}
	}
	return err_set(err, ERR_USAGE, "'%.40s' is not a RAID level (allowed: 0, 1, 5, 6, 10)", text);
}

enum raid raid_find(const char *level)
{
	int i = 0;

	while (i < RAID_NONE && (strncmp(level, "raid", 4) || strcmp(raids[i].typed, level + 4)))
		i++;
	return (enum raid)i;
}

const char *raid_name(enum raid raid)
{
	return raids[raid].name;
}

int volumes_check(const struct volumes *vs, struct err *err)
{
	size_t need = raids[vs->raid].members;

	if (vs->n && vs->n < need)
		return err_set(err, ERR_USAGE, "%s needs %zu volumes or more, as in %zu*%s:…; here %s %zu", raid_name(vs->raid),
			       need, need, vs->v[0].type->name, vs->n == 1 ? "is" : "are", vs->n);
	return 0;
}

bool volume_same(const struct volume *a, const struct volume *b)
{
	return a->type == b->type && a->size_gib == b->size_gib && a->iops == b->iops && a->mibps == b->mibps;
}

static int one_text(const struct volume *v, char *buf, size_t size)
{
	char gib[FMT_LEN], iops[FMT_LEN], mibps[FMT_LEN];
	int n = snprintf(buf, size, "%s %s GiB", v->type->name, fmt_iops(gib, (double)v->size_gib));

	if (v->type->class == CLASS_PROVISIONED && n >= 0 && (size_t)n < size) {
		n += snprintf(buf + n, size - (size_t)n, ", %s IOPS", fmt_iops(iops, (double)v->iops));
		if (v->type->mibps_included > 0 && (size_t)n < size)
			n += snprintf(buf + n, size - (size_t)n, ", %s MiB/s", fmt_iops(mibps, (double)v->mibps));
	}
	return n;
}

char *volumes_text(const struct volumes *vs, char *buf, size_t size)
{
	size_t at = 0;

	*buf = 0;
	for (size_t i = 0, run; i < vs->n && at + 1 < size; i += run) {
		for (run = 1; i + run < vs->n && volume_same(&vs->v[i], &vs->v[i + run]); run++)
			;
		if (i)
			at += (size_t)snprintf(buf + at, size - at, " + ");
		if (run > 1 && at < size)
			at += (size_t)snprintf(buf + at, size - at, "%zu x ", run);
		if (at < size)
			at += (size_t)one_text(&vs->v[i], buf + at, size - at);
	}
	if (vs->n > 1 && at < size)
		snprintf(buf + at, size - at, ", %s", raid_name(vs->raid));
	return buf;
}

char *volume_spec(const struct volume *v, char *buf, size_t size)
{
	const struct volume_type *t = v->type;

	if (t->class != CLASS_PROVISIONED)
		snprintf(buf, size, "%s:%" PRIu64, t->name, v->size_gib);
	else if (t->mibps_included > 0)
		snprintf(buf, size, "%s:%" PRIu64 ":%" PRIu64 ":%" PRIu64, t->name, v->size_gib, v->iops, v->mibps);
	else
		snprintf(buf, size, "%s:%" PRIu64 ":%" PRIu64, t->name, v->size_gib, v->iops);
	return buf;
}
