/* SPDX-License-Identifier: MIT */
#include "aws/credits.h"

#include <math.h>
#include <string.h>

#include "aws/model_limits.h"
#include "engine/units.h"

/* Seconds over which "the current rate" is taken. */
#define RATE_SECONDS 1.0

void credits_init(struct credits *c, const struct expectation *e, double start, double time_scale)
{
	memset(c, 0, sizeof(*c));
	c->volumes = e->volumes;
	c->nitro = host_nitro(&e->host);
	c->volume_bucket = e->volume_bucket;
	c->nr = e->nr_buckets;
	c->assumed = isnan(start);
	c->time_scale = time_scale > 0 ? time_scale : 1;
	c->start = NAN;
	for (size_t i = 0; i < c->nr; i++)
		c->bucket[i].b = e->bucket[i];
	if (!c->volume_bucket)
		return;
	if (!isnan(start))
		c->bucket[0].b.balance = start * c->bucket[0].b.capacity;
	c->start = c->bucket[0].b.balance;
}

void credits_change(struct credits *c, const struct expectation *e)
{
	const struct credits was = *c;

	credits_init(c, e, NAN, was.time_scale);
	c->assumed = was.assumed || (c->volume_bucket && !was.volume_bucket);
	c->seen_spent = was.seen_spent;
	c->from_device = was.from_device;
	c->t_s = was.t_s;
	for (size_t i = 0; i < c->nr; i++)
		for (size_t k = 0; k < was.nr; k++) {
			struct credits_bucket *to = &c->bucket[i];
			if (to->b.limit != was.bucket[k].b.limit || to->b.bytes != was.bucket[k].b.bytes)
				continue;
			to->b.balance = fmin(was.bucket[k].b.balance, to->b.capacity);
			to->rate = was.bucket[k].rate;
			to->spent = was.bucket[k].spent;
			if (i == 0 && c->volume_bucket)
				c->start = was.start;
		}
}

double credits_count(const struct volume_perf *p, double ios, double bytes, bool sequential)
{
	double unit = (double)p->io_unit;

	if (!(ios > 0) || !(bytes > 0))
		return 0;
	if (!(unit > 0))
		return ios;
	double mean = bytes / ios;
	double counted = mean >= unit || sequential ? bytes / unit : ios;

	/* Larger I/O is cut: whole units and a rest that counts as one, unless the next I/O follows it. */
	if (mean > unit && !sequential)
		counted = ios * ceil(mean / unit - 1e-9);
	return p->bw_hdd_unit > 0 ? counted * p->bw_hdd_unit : counted;
}

/* Operations (or bytes) on all members for one of the user's, by direction: mirrors, parity. */
static double raid_factor(const struct volumes *vs, enum ddir ddir, bool sequential)
{
	double n = (double)vs->n;

	if (n < 2 || ddir == DDIR_READ)
		return 1;
	switch (vs->raid) {
	case RAID_1:
		return n;
	case RAID_10:
		return 2;
	case RAID_5:
		return sequential ? n / (n - 1) : 4;
	case RAID_6:
		return sequential && n > 2 ? n / (n - 2) : 6;
	default:
		return 1;
	}
}

static double bucket_cost(const struct credits *c, size_t i, const struct credits_io *io)
{
	static const struct volume_perf host = { .io_unit = 256 * KIB };
	const struct bucket *b = &c->bucket[i].b;
	bool volume = i == 0 && c->volume_bucket;
	struct volume_perf p = volume ? volume_perf(&c->volumes.v[0], c->nitro) : host;
	double cost = 0;

	for (int d = 0; d < DDIR_NR; d++) {
		double units = !volume && b->bytes ? io->bytes[d] : credits_count(&p, io->ios[d], io->bytes[d], io->sequential);

		cost += units * (io->members ? 1 : raid_factor(&c->volumes, (enum ddir)d, io->sequential));
	}
	return cost;
}

void credits_tick(struct credits *c, double dt_s, const struct credits_io *io, bool from_device)
{
	if (!(dt_s > 0))
		return;
	c->from_device = from_device;
	c->t_s += dt_s * c->time_scale;
	for (size_t i = 0; i < c->nr; i++) {
		struct credits_bucket *k = &c->bucket[i];
		double cost = bucket_cost(c, i, io), keep = exp(-dt_s / RATE_SECONDS);

		k->rate = k->rate * keep + cost / dt_s * (1 - keep);
		k->spent += cost * c->time_scale;
		k->b.balance += (k->b.earn * dt_s - cost) * c->time_scale;
		k->b.balance = fmin(fmax(k->b.balance, 0), k->b.capacity);
	}
}

void credits_seen_spent(struct credits *c)
{
	if (!c->volume_bucket)
		return;
	c->bucket[0].b.balance = c->start = 0;
	c->seen_spent = true;
}

double credits_percent(const struct credits *c, size_t i)
{
	return i < c->nr ? 100 * c->bucket[i].b.balance / c->bucket[i].b.capacity : NAN;
}

/* Less than a second's earnings is the jitter of a spent bucket, not a burst. */
static double share_now(const struct credits *c, const struct bucket *b)
{
	return b->balance < fmin(b->capacity, b->earn * c->time_scale) ? 0 : b->balance / b->capacity;
}

void credits_apply(const struct credits *c, struct model_input *in)
{
	for (size_t i = 0; i < c->nr; i++) {
		const struct bucket *b = &c->bucket[i].b;

		if (i == 0 && c->volume_bucket)
			in->credits = share_now(c, b);
		else
			in->host_credits[b->bytes] = share_now(c, b);
	}
}

json_t *credits_to_json(const struct credits *c)
{
	if (!c->volume_bucket)
		return json_null();
	const struct bucket *b = &c->bucket[0].b;
	double unit = b->bytes ? (double)MIB : 1;
	json_t *o = json_object();

	json_object_set_new(o, "unit", json_text(b->bytes ? "mib" : "io"));
	json_object_set_new(o, "start", json_num(c->start / unit));
	json_object_set_new(o, "end", json_num(b->balance / unit));
	json_object_set_new(o, "capacity", json_num(b->capacity / unit));
	json_object_set_new(o, "source", json_text(c->from_device ? "device" : "workers"));
	json_object_set_new(o, "assumed", json_boolean(c->assumed && !c->seen_spent));
	return o;
}
