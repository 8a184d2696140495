/* SPDX-License-Identifier: MIT */
#include "aws/nvme_set.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/blockdev.h"
#include "engine/clock.h"

static void note(struct nvme_set *set, const struct err *err)
{
	if (*set->note)
		return;
	if (err->code == EACCES || err->code == EPERM)
		snprintf(set->note, sizeof(set->note), "the device's own counters need root: %.180s", err->msg);
	else
		snprintf(set->note, sizeof(set->note), "%.200s", err->msg);
}

/* Whether it gives its counters shows when it is read for the first time. */
static void add_disk(struct nvme_set *set, const struct blockdev *d)
{
	struct nvme_member *m;
	struct err err;

	for (size_t i = 0; i < set->n; i++)
		if (!strcmp(set->m[i].dev.name, d->name))
			return;
	if (set->n == NVME_SET_MAX || strncmp(d->name, "nvme", 4) != 0)
		return;
	m = realloc(set->m, (set->n + 1) * sizeof(*m));
	if (!m)
		return;
	set->m = m;
	m += set->n;
	if (nvme_open(&m->dev, d->name, &err) || nvme_read_log(&m->dev, &m->last, &err)) {
		nvme_close(&m->dev);
		note(set, &err);
		return;
	}
	m->base = m->last;
	set->n++;
}

void nvme_set_add(struct nvme_set *set, const char *name)
{
	const struct blockdev *leaf[NVME_SET_MAX];
	struct blockdevs devs;
	struct err err;

	if (blockdevs_read(&devs, &err))
		return;
	const struct blockdev *d = blockdevs_find(&devs, name);
	size_t n = d ? blockdevs_leaves(&devs, d, leaf, NVME_SET_MAX) : 0;
	for (size_t i = 0; i < n; i++)
		if (leaf[i]->kind == BLOCKDEV_EBS || leaf[i]->kind == BLOCKDEV_INSTANCE_STORE)
			add_disk(set, leaf[i]);
	blockdevs_release(&devs);
}

void nvme_set_close(struct nvme_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		nvme_close(&set->m[i].dev);
	free(set->m);
	*set = (struct nvme_set){ 0 };
}

/* Read all; one that fails keeps its last reading, and adds nothing from then on. @return whether none did */
static bool read_all(struct nvme_set *set)
{
	struct err err;
	bool all = true;

	for (size_t i = 0; i < set->n; i++) {
		struct nvme_log log;
		if (!nvme_read_log(&set->m[i].dev, &log, &err)) {
			set->m[i].last = log;
			continue;
		}
		all = false;
		note(set, &err);
	}
	set->read_ns = clock_ns();
	return all;
}

bool nvme_set_base(struct nvme_set *set)
{
	read_all(set);
	for (size_t i = 0; i < set->n; i++)
		set->m[i].base = set->m[i].last;
	return set->n > 0;
}

/* What a device counted in both directions; where those have other bounds, each in its own. */
static void add_latencies(struct device_lat *to, const struct nvme_delta *d)
{
	for (unsigned dir = 0; dir < DDIR_NR; dir++) {
		const struct nvme_hist *h = &d->dir[dir].lat;
		struct device_lat one = { .n = 0 };
		for (unsigned i = 0; i < h->n && one.n < DEVICE_BINS; i++) {
			if (!h->bin[i].count)
				continue;
			one.bin[one.n].lower_us = h->bin[i].lower_us;
			one.bin[one.n].upper_us = h->bin[i].upper_us;
			one.bin[one.n++].ios[dir] = h->bin[i].count;
		}
		device_lat_add(to, &one);
	}
}

bool nvme_set_tick(struct nvme_set *set, uint64_t now_ns, struct tick *t)
{
	struct nvme_log before[NVME_SET_MAX];
	uint64_t *limit_ns = t->s.limit_ns;

	for (unsigned k = 0; k < NVME_LIMIT_NR; k++)
		limit_ns[k] = DEV_NONE;
	t->s.dev_queue = DEV_NONE;
	t->device.n = 0;
	if (!set->n || now_ns - set->read_ns < NS_PER_SEC)
		return false;
	for (size_t i = 0; i < set->n; i++)
		before[i] = set->m[i].last;
	read_all(set);
	for (size_t i = 0; i < set->n; i++) {
		struct nvme_delta d;
		nvme_log_sub(&set->m[i].last, &before[i], &d);
		for (unsigned k = 0; k < NVME_LIMIT_NR; k++) {
			uint64_t ns = isnan(d.share[k]) ? DEV_NONE : (uint64_t)(d.share[k] * d.seconds * 1e9);
			if (ns != DEV_NONE && (limit_ns[k] == DEV_NONE || ns > limit_ns[k]))
				limit_ns[k] = ns;
		}
		if (d.reset || d.seconds <= 0)
			continue;
		t->s.dev_queue = d.queue + (t->s.dev_queue == DEV_NONE ? 0 : t->s.dev_queue);
		add_latencies(&t->device, &d);
	}
	return true;
}

static void add_hist(struct nvme_hist *to, const struct nvme_hist *from, bool first)
{
	if (first) {
		*to = *from;
		return;
	}
	if (to->n != from->n)
		to->n = 0;
	for (unsigned i = 0; i < to->n; i++) {
		if (to->bin[i].lower_us != from->bin[i].lower_us || to->bin[i].upper_us != from->bin[i].upper_us) {
			to->n = 0;
			return;
		}
		to->bin[i].count += from->bin[i].count;
	}
}

void nvme_set_total(struct nvme_set *set, struct nvme_total *out)
{
	*out = (struct nvme_total){ .known = set->n > 0 };
	for (unsigned k = 0; k < NVME_LIMIT_NR; k++)
		out->limit_s[k] = NAN;
	out->known = read_all(set) && out->known;
	for (size_t i = 0; i < set->n; i++) {
		struct nvme_delta d;
		nvme_log_sub(&set->m[i].last, &set->m[i].base, &d);
		out->known = out->known && !d.reset && d.seconds > 0;
		out->seconds = fmax(out->seconds, d.seconds);
		out->queue += d.queue;
		for (unsigned k = 0; k < NVME_LIMIT_NR; k++)
			out->limit_s[k] = fmax(out->limit_s[k], d.share[k] * d.seconds); /* fmax passes over NAN */
		for (unsigned dir = 0; dir < DDIR_NR; dir++) {
			out->ios[dir] += d.dir[dir].ios;
			out->bytes[dir] += d.dir[dir].bytes;
			add_hist(&out->lat[dir], &d.dir[dir].lat, !i);
		}
	}
}

json_t *nvme_total_to_json(const struct nvme_total *t)
{
	json_t *limits = json_object(), *lat = json_array();

	for (unsigned k = 0; t->known && k < NVME_LIMIT_NR; k++)
		json_object_set_new(limits, nvme_limit_name((enum nvme_limit)k),
				    json_pack("{s:o, s:o}", "seconds", json_num(t->limit_s[k]), "percent",
					      json_num(100 * t->limit_s[k] / t->seconds)));
	const struct nvme_hist *r = &t->lat[DDIR_READ], *w = &t->lat[DDIR_WRITE];
	for (unsigned i = 0; t->known && i < r->n && r->n == w->n; i++)
		if (r->bin[i].count || w->bin[i].count)
			json_array_append_new(lat, json_pack("[o, o, o, o]", json_u64(r->bin[i].lower_us),
							     json_u64(r->bin[i].upper_us), json_u64(r->bin[i].count),
							     json_u64(w->bin[i].count)));
	if (t->known)
		return json_pack("{s:o, s:o, s:o, s:o}", "seconds", json_num(t->seconds), "queue", json_u64(t->queue), "limits",
				 limits, "lat_us", lat);
	json_decref(limits);
	json_decref(lat);
	return json_null();
}
