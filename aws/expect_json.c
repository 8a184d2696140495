/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "aws/model.h"
#include "engine/units.h"

/* A figure: whole ones without a fraction, those that do not exist (or never end) null. */
static json_t *figure(double v)
{
	if (isfinite(v) && v == floor(v) && fabs(v) < 9e15)
		return json_integer((json_int_t)v);
	return json_num(v);
}

static json_t *mibps(double bw)
{
	return figure(bw / (double)MIB);
}

static void put(json_t *o, const char *key, json_t *v)
{
	json_object_set_new(o, key, v);
}

static json_t *rate_json(const struct rate *r)
{
	json_t *o = json_object();

	put(o, "iops", figure(r->iops));
	put(o, "mibps", mibps(r->bw));
	put(o, "bound_by", json_text(bound_name(r->bound)));
	if (r->iops_min < r->iops || r->iops_max > r->iops) {
		put(o, "iops_min", figure(r->iops_min));
		put(o, "iops_max", figure(r->iops_max));
	}
	return o;
}

static json_t *volume_json(const struct volume *v)
{
	struct volume_perf p = volume_perf(v, true);
	json_t *o = json_object();

	put(o, "type", json_text(v->type->name));
	put(o, "size_gib", json_u64(v->size_gib));
	put(o, "iops", v->iops ? json_u64(v->iops) : json_null());
	put(o, "throughput_mibps", mibps(p.bw_base));
	return o;
}

static json_t *host_json(const struct host *h)
{
	static const char *const kinds[] = { [HOST_INSTANCE] = "instance", [HOST_TASK] = "task", [HOST_LAMBDA] = "lambda" };
	json_t *o;

	if (h->kind == HOST_NONE)
		return json_null();
	o = json_object();
	put(o, "kind", json_text(kinds[h->kind]));
	put(o, "name", json_text(h->name));
	put(o, "vcpu", figure(h->vcpu));
	put(o, "memory_mib", h->mem_mib ? json_u64(h->mem_mib) : json_null());
	put(o, "floor", json_boolean(h->floor && h->iops_base > 0));
	return o;
}

static json_t *bucket_json(const struct bucket *b)
{
	bool mib = b->bytes && b->limit == BOUND_VOLUME_BW;
	double unit = mib ? (double)MIB : 1;
	json_t *o = json_object();

	put(o, "unit", json_text(mib ? "mib" : b->bytes ? "bytes" : "io"));
	put(o, "capacity", figure(b->capacity / unit));
	put(o, "earn_per_s", figure(b->earn / unit));
	put(o, "refill_seconds", figure(b->refill_s));
	if (b->balance < b->capacity)
		put(o, "balance", figure(b->balance / unit));
	return o;
}

static json_t *curve_json(const struct expectation *e)
{
	json_t *a = json_array();

	for (size_t i = 0; i < e->nr_curve; i++) {
		json_t *o = json_object();

		put(o, "start_s", figure(e->curve[i].start_s));
		put(o, "end_s", figure(e->curve[i].end_s));
		json_t *r = rate_json(&e->curve[i].rate);
		json_object_update(o, r);
		json_decref(r);
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *limits_json(const struct expectation *e)
{
	json_t *a = json_array();

	for (size_t i = 0; i < e->nr_limits; i++) {
		const struct named_limit *l = &e->limit[i];
		json_t *o = json_object();

		put(o, "name", json_text(l->name));
		put(o, "value", l->bytes ? mibps(l->value) : figure(l->value));
		put(o, "unit", json_text(l->bytes ? "MiB/s" : "iops"));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *legal_json(const struct volumes *vs)
{
	static const char *const keys[VF_NR] = { "size_gib", "iops", "throughput_mibps" };
	json_t *o;

	if (!vs->n)
		return json_null();
	o = json_object();
	for (int f = 0; f < VF_NR; f++) {
		struct volume_range r = volume_legal(&vs->v[0], (enum volume_field)f);

		put(o, keys[f], r.settable ? json_pack("[I,I]", (json_int_t)r.min, (json_int_t)r.max) : json_null());
	}
	return o;
}

static json_t *burst_json(const struct expectation *e)
{
	json_t *o;

	if (isnan(e->burst.iops))
		return json_null();
	o = rate_json(&e->burst);
	put(o, "seconds", figure(e->burst_s));
	return o;
}

static json_t *credits_json(const struct expectation *e)
{
	json_t *o;

	if (!e->volume_bucket)
		return json_null();
	o = bucket_json(&e->bucket[0]);
	if (!isnan(e->scan_s))
		put(o, "scan_seconds", figure(e->scan_s));
	return o;
}

static json_t *sources_json(const struct expectation *e)
{
	json_t *a = json_array();

	for (size_t i = 0; i < e->volumes.n; i++) {
		if (!i || e->volumes.v[i].type != e->volumes.v[i - 1].type)
			json_array_append_new(a, json_text(e->volumes.v[i].type->source));
	}
	if (e->host.kind != HOST_NONE)
		json_array_append_new(a, json_text(e->host.source));
	if (*e->origin)
		json_array_append_new(a, json_text(e->origin));
	return a;
}

json_t *expectation_to_json(const struct expectation *e)
{
	json_t *o = json_object(), *a;

	put(o, "volumes", a = json_array());
	for (size_t i = 0; i < e->volumes.n; i++)
		json_array_append_new(a, volume_json(&e->volumes.v[i]));
	if (e->volumes.n > 1)
		put(o, "raid", json_text(raid_name(e->volumes.raid)));
	put(o, "host", host_json(&e->host));
	put(o, "workload", a = json_object());
	put(a, "rw", json_text(rw_name(e->rw)));
	put(a, "bs", json_u64(e->bs));
	if (e->rw == RW_RW || e->rw == RW_RANDRW)
		put(a, "rwmixread", json_u64(e->rwmixread));
	put(o, "baseline", rate_json(&e->baseline));
	put(o, "burst", burst_json(e));
	put(o, "credits", credits_json(e));
	put(o, "host_credits", a = json_array());
	for (size_t i = e->volume_bucket; i < e->nr_buckets; i++)
		json_array_append_new(a, bucket_json(&e->bucket[i]));
	put(o, "curve", curve_json(e));
	put(o, "limits", limits_json(e));
	put(o, "legal", legal_json(&e->volumes));
	put(o, "cost_usd_month", json_num(e->cost_usd));
	put(o, "depth_needed", e->depth_needed ? json_u64(e->depth_needed) : json_null());
	put(o, "notes", a = json_array());
	for (size_t i = 0; i < e->nr_notes; i++)
		json_array_append_new(a, json_text(e->notes[i]));
	put(o, "sources", sources_json(e));
	put(o, "as_of", json_text(e->as_of));
	return o;
}

json_t *expectation_to_result_json(const struct expectation *e, const struct rate *now)
{
	const struct rate *r = now ? now : &e->curve[0].rate;
	json_t *o = json_object();

	put(o, "iops_min", json_num(r->iops_min));
	put(o, "iops_max", json_num(r->iops_max));
	put(o, "bw_bytes", json_num(r->bw));
	put(o, "bound_by", json_text(bound_name(r->bound)));
	put(o, "baseline", rate_json(&e->baseline));
	put(o, "burst", burst_json(e));
	put(o, "curve", curve_json(e));
	return o;
}
