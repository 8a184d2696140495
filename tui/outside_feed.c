/* SPDX-License-Identifier: MIT */
#include "tui/outside_feed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tui/detect.h"

void outside_feed_open(struct outside_feed *f, struct facts_fetcher *fetcher, const char *target)
{
	*f = (struct outside_feed){ .fetcher = fetcher, .looked_s = NAN, .before_s = NAN };
	if (fetcher)
		f->n_ids = detect_ids(target, f->id, FACTS_IDS);
}

static struct outside *add(struct outside *out, size_t *n, const char *name, const char *id, double t_s, double value)
{
	struct outside *o = &out[(*n)++];

	*o = (struct outside){ .t_s = t_s, .value = value };
	snprintf(o->name, sizeof(o->name), "%s", name);
	snprintf(o->id, sizeof(o->id), "%s", id);
	return o;
}

/* Points that are newer than those taken before; where there are none at all, why, once. @p k: which of f->seen */
static size_t take_series(struct outside_feed *f, size_t k, const struct cw_series *s, const char *why_none, enum cw_metric metric,
			  const char *id, double now_s, struct outside *out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; s && i < s->n && n < max; i++) {
		if (s->point[i].t <= f->seen[k].last)
			continue;
		f->seen[k].last = s->point[i].t;
		add(out, &n, cw_metric_name(metric), id, (double)s->point[i].t - f->began, s->point[i].percent);
	}
	if ((s ? s->n : !why_none) || f->seen[k].none || max == 0)
		return n;
	f->seen[k].none = true;
	struct outside *o = add(out, &n, cw_metric_name(metric), id, now_s, NAN);
	snprintf(o->text, sizeof(o->text), "%s", why_none ? why_none : "no figure yet");
	return n;
}

/* As a SPEC; "" where the tables do not know such a volume. */
static void spec_of(const char *type, uint64_t size_gib, uint64_t iops, uint64_t mibps, char *out, size_t size)
{
	struct ec2_volume v = { .size_gib = size_gib, .iops = iops, .mibps = mibps };
	struct volume vol;

	*out = 0;
	snprintf(v.type, sizeof(v.type), "%s", type);
	if (!facts_volume(&v, limits_builtin(), &vol))
		volume_spec(&vol, out, size);
}

static void say_change(struct outside *o, const char *from, const char *to)
{
	if (*from && *to)
		snprintf(o->text, sizeof(o->text), "%s to %s", from, to);
}

/* The figures are others than before although no modification was seen: it came and went between two looks. */
static size_t take_figures(struct outside_feed *f, size_t k, const struct facts *facts, const struct ec2_volume *v,
			   double now_s, struct outside *out, size_t max)
{
	char spec[sizeof(f->spec[k])];
	size_t n = 0;

	spec_of(v->type, v->size_gib, v->iops, v->mibps, spec, sizeof(spec));
	bool news = *spec && *f->spec[k] && strcmp(spec, f->spec[k]) && strcmp(spec, f->to[k]);
	if (news && max < 2)
		return 0;
	if (news) {
		say_change(add(out, &n, "optimizing", f->id[k], fmin(f->before_s, now_s), 0), f->spec[k], spec);
		if (*facts->volumes_note) /* how far it is is not told */
			f->percent[k] = 1;
		else
			snprintf(add(out, &n, "optimizing", f->id[k], now_s, 100)->text, sizeof(out->text), "completed");
	}
	snprintf(f->spec[k], sizeof(f->spec[k]), "%s", spec);
	return n;
}

/* How far the modification of a volume is, when that is another figure than before. */
static size_t take_progress(struct outside_feed *f, size_t k, const struct facts *facts, const struct ec2_volume *v,
			    double now_s, struct outside *out, size_t max)
{
	const struct ec2_modification *m = ec2_modifications_find(&facts->volumes->modifications, f->id[k]);
	bool going = m && (!strcmp(m->state, "modifying") || !strcmp(m->state, "optimizing")), begins = !f->percent[k];
	int percent = going ? (int)m->progress : 100;
	size_t n = 0;

	if (!going && begins)
		return take_figures(f, k, facts, v, now_s, out, max);
	if (max == 0 || f->percent[k] == percent + 1 || (!m && *facts->volumes_note))
		return 0;
	f->percent[k] = going ? percent + 1 : 0;
	spec_of(v->type, v->size_gib, v->iops, v->mibps, f->spec[k], sizeof(f->spec[k]));
	struct outside *o = add(out, &n, "optimizing", f->id[k], begins ? fmin(f->before_s, now_s) : now_s, percent);
	if (going) {
		char from[sizeof(f->spec[k])];
		spec_of(m->from.type, m->from.size_gib, m->from.iops, m->from.mibps, from, sizeof(from));
		spec_of(m->to.type, m->to.size_gib, m->to.iops, m->to.mibps, f->to[k], sizeof(f->to[k]));
		say_change(o, from, f->to[k]);
	} else {
		snprintf(o->text, sizeof(o->text), "%s", m ? m->state : "completed");
	}
	return n;
}

size_t outside_feed_take(struct outside_feed *f, const struct facts *facts, double now_s, struct outside *out, size_t max)
{
	const char *self = facts->self.instance_id;
	size_t n = 0;

	if (facts->volumes != f->volumes) {
		f->volumes = facts->volumes;
		f->before_s = f->looked_s;
		f->looked_s = now_s;
	}
	for (size_t i = 0; facts->volumes && i < f->n_ids; i++) {
		const struct ec2_volume *v = ec2_volumes_find(&facts->volumes->volumes, f->id[i]);
		if (!v)
			continue;
		n += take_progress(f, i, facts, v, now_s, out + n, max - n);
		n += take_series(f, i, facts_series_find(facts, CW_BURST_BALANCE, v->id), facts_no_balance(v), CW_BURST_BALANCE, v->id,
				 now_s, out + n, max - n);
	}
	for (enum cw_metric m = CW_EBS_IO_BALANCE; *self && m <= CW_EBS_BYTE_BALANCE; m++)
		n += take_series(f, FACTS_IDS + (size_t)(m - CW_EBS_IO_BALANCE), facts_series_find(facts, m, self), NULL, m, self, now_s,
				 out + n, max - n);
	return n;
}

bool outside_feed_tick(struct outside_feed *f, struct run *run, uint64_t t_ns)
{
	struct outside out[64];
	struct timespec wall;
	double now_s = (double)t_ns / 1e9;
	bool changed = false;

	if (!f->fetcher)
		return false;
	if (f->began <= 0 && clock_gettime(CLOCK_REALTIME, &wall) == 0)
		f->began = (double)wall.tv_sec + (double)wall.tv_nsec / 1e9 - now_s;
	struct facts *facts = facts_get(f->fetcher);
	if (facts && facts->serial != f->serial) {
		size_t n = outside_feed_take(f, facts, now_s, out, sizeof(out) / sizeof(*out));
		for (size_t i = 0; i < n; i++) {
			run_outside(run, &out[i]);
			changed |= !strcmp(out[i].name, "optimizing");
		}
		if (n < sizeof(out) / sizeof(*out)) /* else there is more */
			f->serial = facts->serial;
	}
	facts_unref(facts);
	return changed;
}
