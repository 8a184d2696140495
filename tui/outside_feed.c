/* SPDX-License-Identifier: MIT */
#include "tui/outside_feed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tui/detect.h"

void outside_feed_open(struct outside_feed *f, struct facts_fetcher *fetcher, const char *target)
{
	*f = (struct outside_feed){ .fetcher = fetcher };
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

static bool spec_of(const struct ec2_figures *f, char *out, size_t size)
{
	struct ec2_volume v = { .size_gib = f->size_gib, .iops = f->iops, .mibps = f->mibps };
	struct volume vol;

	snprintf(v.type, sizeof(v.type), "%s", f->type);
	if (facts_volume(&v, limits_builtin(), &vol))
		return false;
	volume_spec(&vol, out, size);
	return true;
}

/* How far the modification of a volume is, when that is another figure than before. */
static size_t take_progress(struct outside_feed *f, size_t k, const struct facts *facts, double now_s, struct outside *out, size_t max)
{
	const struct ec2_modification *m = ec2_modifications_find(&facts->volumes->modifications, f->id[k]);
	bool going = m && (!strcmp(m->state, "modifying") || !strcmp(m->state, "optimizing"));
	int percent = going ? (int)m->progress : 100;
	size_t n = 0;

	if (max == 0 || (!going && !f->percent[k]) || f->percent[k] == percent + 1)
		return 0;
	f->percent[k] = going ? percent + 1 : 0;
	struct outside *o = add(out, &n, "optimizing", f->id[k], now_s, percent);
	char from[28], to[28];
	if (!going)
		snprintf(o->text, sizeof(o->text), "%s", m ? m->state : "completed");
	else if (spec_of(&m->from, from, sizeof(from)) && spec_of(&m->to, to, sizeof(to)))
		snprintf(o->text, sizeof(o->text), "%s to %s", from, to);
	return n;
}

size_t outside_feed_take(struct outside_feed *f, const struct facts *facts, double now_s, struct outside *out, size_t max)
{
	const char *self = facts->self.instance_id;
	size_t n = 0;

	for (size_t i = 0; facts->volumes && i < f->n_ids; i++) {
		const struct ec2_volume *v = ec2_volumes_find(&facts->volumes->volumes, f->id[i]);
		if (!v)
			continue;
		n += take_progress(f, i, facts, now_s, out + n, max - n);
		n += take_series(f, i, facts_series_find(facts, CW_BURST_BALANCE, v->id), facts_no_balance(v), CW_BURST_BALANCE, v->id,
				 now_s, out + n, max - n);
	}
	for (enum cw_metric m = CW_EBS_IO_BALANCE; *self && m <= CW_EBS_BYTE_BALANCE; m++)
		n += take_series(f, FACTS_IDS + (size_t)(m - CW_EBS_IO_BALANCE), facts_series_find(facts, m, self), NULL, m, self, now_s,
				 out + n, max - n);
	return n;
}

void outside_feed_tick(struct outside_feed *f, struct run *run, uint64_t t_ns)
{
	struct outside out[64];
	struct timespec wall;
	double now_s = (double)t_ns / 1e9;

	if (!f->fetcher)
		return;
	if (f->began <= 0 && clock_gettime(CLOCK_REALTIME, &wall) == 0)
		f->began = (double)wall.tv_sec + (double)wall.tv_nsec / 1e9 - now_s;
	struct facts *facts = facts_get(f->fetcher);
	if (facts && facts->serial != f->serial) {
		size_t n = outside_feed_take(f, facts, now_s, out, sizeof(out) / sizeof(*out));
		for (size_t i = 0; i < n; i++)
			run_outside(run, &out[i]);
		if (n < sizeof(out) / sizeof(*out)) /* else there is more */
			f->serial = facts->serial;
	}
	facts_unref(facts);
}
