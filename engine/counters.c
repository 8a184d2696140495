/* SPDX-License-Identifier: MIT */
#include "engine/counters.h"

#include <string.h>

/* Sizes change with a knob, or with each file of a test of files: never while lat is read so often. */
#define READ_TRIES 16

void counters_init(struct counters *c)
{
	for (int d = 0; d < DDIR_NR; d++) {
		atomic_init(&c->dir[d].ios, 0);
		atomic_init(&c->dir[d].sizes, 0);
		for (int i = 0; i < 2; i++) {
			atomic_init(&c->dir[d].of[i].skew, 0);
			atomic_init(&c->dir[d].of[i].size, 0);
		}
		hist_init(&c->dir[d].slat);
		hist_init(&c->dir[d].clat);
		hist_init(&c->dir[d].lat);
	}
	atomic_init(&c->errors, 0);
	atomic_init(&c->inflight, 0);
	atomic_init(&c->depth_ns, 0);
	atomic_init(&c->began_ns, 0);
	atomic_init(&c->accepted_ns, 0);
	atomic_init(&c->durable_ns, 0);
	atomic_init(&c->cpu_usr_ns, 0);
	atomic_init(&c->cpu_sys_ns, 0);
}

static uint64_t acquire(const _Atomic uint64_t *ctr)
{
	return atomic_load_explicit(ctr, memory_order_acquire);
}

void counters_read(const struct counters *c, enum ddir d, struct counted *out)
{
	uint64_t sizes, skew, size;
	unsigned tries = 0;

	out->ios = out->bytes = 0;
	hist_snap_init(&out->lat);
	if (!ctr_get(&c->dir[d].ios))
		return; /* most tests have one direction: buckets by the thousand less to read */
	do {
		do {
			sizes = acquire(&c->dir[d].sizes);
			skew = acquire(&c->dir[d].of[sizes & 1].skew);
			size = acquire(&c->dir[d].of[sizes & 1].size);
		} while (sizes != acquire(&c->dir[d].sizes)); /* two changes on: these were written over */
		hist_snap_init(&out->lat);
		hist_read(&c->dir[d].lat, &out->lat);
	} while (sizes != acquire(&c->dir[d].sizes) && ++tries < READ_TRIES);
	out->ios = out->lat.count;
	out->bytes = skew + out->ios * size;
}

void totals_init(struct totals *t)
{
	memset(t, 0, sizeof(*t));
	for (int d = 0; d < DDIR_NR; d++) {
		hist_snap_init(&t->dir[d].slat);
		hist_snap_init(&t->dir[d].clat);
		hist_snap_init(&t->dir[d].lat);
	}
}

static void later(uint64_t *to, uint64_t t_ns)
{
	if (t_ns > *to)
		*to = t_ns;
}

void totals_add(struct totals *t, const struct counters *c)
{
	for (enum ddir d = 0; d < DDIR_NR; d++) {
		struct counted now;

		counters_read(c, d, &now);
		if (!now.ios)
			continue;
		hist_read(&c->dir[d].slat, &t->dir[d].slat);
		hist_read(&c->dir[d].clat, &t->dir[d].clat);
		hist_snap_add(&t->dir[d].lat, &now.lat);
		t->dir[d].bytes += now.bytes;
		t->dir[d].ios += now.ios;
	}
	t->errors += ctr_get(&c->errors);
	t->inflight += ctr_get(&c->inflight);
	t->depth_ns += ctr_get(&c->depth_ns);
	t->cpu_usr_ns += ctr_get(&c->cpu_usr_ns);
	t->cpu_sys_ns += ctr_get(&c->cpu_sys_ns);
	uint64_t began = ctr_get(&c->began_ns);
	if (began && (!t->began_ns || began < t->began_ns))
		t->began_ns = began;
	later(&t->accepted_ns, ctr_get(&c->accepted_ns));
	later(&t->durable_ns, ctr_get(&c->durable_ns));
}

void totals_sub(struct totals *to, const struct totals *before)
{
	for (int d = 0; d < DDIR_NR; d++) {
		to->dir[d].ios -= before->dir[d].ios;
		to->dir[d].bytes -= before->dir[d].bytes;
		hist_snap_sub(&to->dir[d].slat, &before->dir[d].slat);
		hist_snap_sub(&to->dir[d].clat, &before->dir[d].clat);
		hist_snap_sub(&to->dir[d].lat, &before->dir[d].lat);
	}
	to->t_ns -= before->t_ns;
	to->errors -= before->errors;
	to->depth_ns -= before->depth_ns;
	to->cpu_usr_ns -= before->cpu_usr_ns;
	to->cpu_sys_ns -= before->cpu_sys_ns;
}
