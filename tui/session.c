/* SPDX-License-Identifier: MIT */
#include "tui/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aws/task_note.h"
#include "aws/volume_life.h"
#include "engine/clock.h"
#include "engine/run_judge.h"
#include "engine/touch.h"
#include "engine/units.h"
#include "tui/analysis.h"
#include "tui/baseline.h"
#include "tui/sweep.h"
#include "tui/volume_change.h"

int session_init(struct session *s, const struct setup *setup, struct err *err)
{
	*s = (struct session){ .setup = *setup, .time_scale = 1, .at_limit = -1 };
	if (setup_volumes(&s->setup, &s->volumes, &s->host, err) < 0)
		return -1;
	s->known = s->volumes.n || s->host.kind != HOST_NONE;
	return 0;
}

void session_close(struct session *s)
{
	nvme_set_close(&s->nvme);
	json_decref(s->baseline);
	s->baseline = NULL;
}

static void add_volume(json_t *list, const char *type, uint64_t size_gib, uint64_t iops, uint64_t mibps, const char *id,
		       const char *source)
{
	json_t *o = json_object();

	json_object_set_new(o, "type", json_text(type));
	json_object_set_new(o, "size_gib", size_gib ? json_u64(size_gib) : json_null());
	json_object_set_new(o, "iops", iops ? json_u64(iops) : json_null());
	json_object_set_new(o, "throughput_mibps", mibps ? json_u64(mibps) : json_null());
	json_object_set_new(o, "volume_id", json_text(id));
	json_object_set_new(o, "source", json_text(source));
	json_array_append_new(list, o);
}

static void add_leaves(json_t *list, const struct blockdevs *devs, const struct blockdev *d)
{
	const struct blockdev *leaf[DISKSET_MAX];
	size_t n = d ? blockdevs_leaves(devs, d, leaf, DISKSET_MAX) : 0;

	for (size_t i = 0; i < n; i++)
		if (*leaf[i]->volume_id)
			add_volume(list, NULL, leaf[i]->size_bytes >> 30, 0, 0, leaf[i]->volume_id, "nvme");
}

/* Neither named nor learned from AWS: what the devices themselves say. Of one that is watched nothing is open. */
static void add_seen(json_t *list, const struct session *s, const struct target_list *targets)
{
	struct diskset disks = { 0 };
	struct blockdevs devs;
	struct err none;

	if (blockdevs_read(&devs, &none))
		return;
	for (size_t i = 0; i < targets->n; i++)
		for (unsigned k = 0; k < targets->at[i].nr_volumes; k++)
			add_leaves(list, &devs, life_find_here(&devs, targets->at[i].volume[k], NULL));
	if (!targets->n && !setup_is_sim(&s->setup) && !run_watch_disks(&disks, s->setup.target, &none))
		for (size_t i = 0; i < disks.n; i++)
			add_leaves(list, &devs, blockdevs_find(&devs, disks.name[i]));
	blockdevs_release(&devs);
}

static json_t *volumes_json(const struct session *s, const struct target_list *targets)
{
	const char *source = setup_is_sim(&s->setup) ? "sim" : *s->setup.volume_source ? s->setup.volume_source : "flag";
	bool same = s->volumes.n == 1 && targets->n == 1 && targets->at[0].nr_volumes == 1;
	json_t *list = json_array();

	for (size_t i = 0; i < s->volumes.n; i++) {
		const struct volume *v = &s->volumes.v[i];
		add_volume(list, v->type->name, v->size_gib, v->iops, v->mibps, same ? targets->at[0].volume[0] : NULL, source);
	}
	if (!s->volumes.n)
		add_seen(list, s, targets);
	return list;
}

/* What a replay needs to come to the same expectation. */
static json_t *setup_json(const struct setup *s)
{
	json_t *o = json_object();

	json_object_set_new(o, "volume", json_text(*s->volume ? s->volume : setup_is_sim(s) ? s->target + 4 : ""));
	json_object_set_new(o, "raid", json_text(s->raid));
	json_object_set_new(o, "instance", json_text(s->instance));
	json_object_set_new(o, "task", json_text(s->task));
	json_object_set_new(o, "shaped", json_boolean(s->shaped));
	json_object_set_new(o, "shape", json_text(s->shape));
	json_object_set_new(o, "credits", json_num(s->credits));
	if (*s->story)
		json_object_set_new(o, "story", json_text(s->story));
	if (s->optimizing >= 0) {
		json_object_set_new(o, "volume_before", json_text(s->volume_before));
		json_object_set_new(o, "optimizing", json_integer(s->optimizing));
	}
	return o;
}

/* The devices' own counters; of a device that is only watched nothing else is open. */
static void open_counters(struct session *s, const struct target_list *targets)
{
	struct diskset disks = { 0 };
	struct err none; /* the run says it */

	for (size_t i = 0; i < targets->n; i++)
		for (size_t k = 0; k < targets->at[i].disks.n; k++)
			nvme_set_add(&s->nvme, targets->at[i].disks.name[k]);
	if (!targets->n && !setup_is_sim(&s->setup) && !run_watch_disks(&disks, s->setup.target, &none))
		for (size_t i = 0; i < disks.n; i++)
			nvme_set_add(&s->nvme, disks.name[i]);
}

static int opened(void *ctx, const struct target_list *targets, struct run_header *h, struct err *err)
{
	struct session *s = ctx;
	json_t *host = json_object_get(h->doc, "host");

	if (s->setup.compare && targets->n && !(s->baseline = baseline_load(&targets->at[0], err)))
		return -1;
	open_counters(s, targets);
	snprintf(s->no_counters, sizeof(s->no_counters), "%s", s->nvme.note);
	if (!h->shaped && !h->simulated) /* else the credits on the screen are not the volume's own */
		outside_feed_open(&s->outside, s->facts, s->setup.target);
	s->time_scale = h->time_scale;
	json_object_set_new(h->doc, "volumes", volumes_json(s, targets));
	json_object_set_new(h->doc, "setup", setup_json(&s->setup));
	json_object_set_new(h->doc, "as_of", json_text(s->setup.limits->as_of));
	json_object_set_new(h->doc, "as_of_stale", json_boolean(limits_stale(s->setup.limits, (int64_t)time(NULL))));
	if (*s->setup.instance_id)
		json_object_set_new(host, "instance_id", json_text(s->setup.instance_id));
	if (s->host.kind == HOST_INSTANCE)
		json_object_set_new(host, "instance_type", json_text(s->host.name));
	if (s->host.kind == HOST_TASK)
		json_object_set_new(host, "task", json_text(s->host.name));
	return 0;
}

static struct model_input input_of(const struct session *s)
{
	return (struct model_input){ .volumes = &s->volumes, .host = &s->host, .wl = &s->wl,
				     .credits = s->setup.credits, .host_credits = { s->setup.credits, s->setup.credits },
				     .limits = s->setup.limits };
}

/* The expectation for the workload as it is, from the balances as they are. */
static void expect_now(struct session *s)
{
	struct model_input in = input_of(s);

	if (s->credits_ready)
		credits_apply(&s->credits, &in);
	model_expect(&in, &s->expect);
}

static void test(void *ctx, struct run *run, unsigned index, const struct step *step)
{
	struct session *s = ctx;

	(void)run;
	(void)index;
	s->wl = step->wl;
	s->watch = step->kind == TEST_WATCH;
	s->sequential = !s->watch && !rw_is_rand(step->wl.rw);
	expect_now(s);
	if (s->known && !s->credits_ready) {
		credits_init(&s->credits, &s->expect, s->setup.credits, s->time_scale);
		s->credits_ready = true;
	}
	nvme_set_base(&s->nvme);
}

static bool device_io(const struct session *s, const struct sample *p, struct credits_io *io)
{
	for (int d = 0; d < DDIR_NR; d++) {
		if (p->dev[d].bytes == DEV_NONE || p->dev[d].ios == DEV_NONE)
			return false;
		io->ios[d] = (double)p->dev[d].ios;
		io->bytes[d] = (double)p->dev[d].bytes;
	}
	/* A cache, or a simulated device, moves nothing: then what the workers did is all there is. */
	return !setup_is_sim(&s->setup);
}

/*
 * The shaper's balances are what the I/O is really held to; the model's own count would drift from them by what
 * completed a little later than it was booked.
 */
static void follow_shaper(struct session *s, struct shaper *shaper)
{
	struct model_input in = input_of(s);
	struct shape shape;

	model_shape(&in, &shape);
	for (size_t k = 0; k < shape.nr_limits; k++) {
		struct shaper_limit_state st = shaper_state(shaper, clock_ns(), k);

		for (size_t i = 0; i < s->credits.nr && st.capacity > 0; i++) {
			struct bucket *b = &s->credits.bucket[i].b;
			if ((int)b->limit == shape.limit[k].tag)
				b->balance = st.spent ? 0 : st.balance / st.capacity * b->capacity;
		}
	}
}

static void account(struct session *s, struct run *run, const struct sample *p, struct shaper *shaper)
{
	struct credits_io io = { .sequential = s->sequential };
	bool device = device_io(s, p, &io);
	double before[BUCKETS_MAX];
	char text[FMT_LEN];

	for (size_t i = 0; i < s->credits.nr; i++)
		before[i] = credits_percent(&s->credits, i);
	for (int d = 0; d < DDIR_NR && !device; d++) {
		io.ios[d] = (double)p->dir[d].ios;
		io.bytes[d] = (double)p->dir[d].bytes;
	}
	credits_tick(&s->credits, sample_seconds(p), &io, device);
	if (shaper && !*s->setup.shape)
		follow_shaper(s, shaper);
	for (size_t i = 0; i < s->credits.nr; i++) {
		const char *whose = i == 0 && s->credits.volume_bucket ? "" : "the host's ";
		double after = credits_percent(&s->credits, i);

		if (before[i] > 0 && after <= 0)
			run_event(run, EVENT_CREDITS_EMPTY, "%scredits spent after %s of volume time", whose,
				  fmt_duration(text, s->credits.t_s));
		if (before[i] < 100 && after >= 100 && s->drawn[i])
			run_event(run, EVENT_CREDITS_FULL, "%scredits full again", whose);
		s->drawn[i] = after < 99 || (s->drawn[i] && after < 100);
	}
}

/* Once a second; an event when the device comes to another limit, or leaves it. */
static void read_counters(struct session *s, struct run *run, struct tick *t)
{
	const struct sample *p = &t->s;
	int worst = -1;

	if (!nvme_set_tick(&s->nvme, clock_ns(), t))
		return;
	for (int k = 0; k < NVME_LIMIT_NR; k++)
		if (p->limit_ns[k] != DEV_NONE && p->limit_ns[k] > NS_PER_SEC / 10 &&
		    (worst < 0 || p->limit_ns[k] > p->limit_ns[worst]))
			worst = k;
	if (worst >= 0 && worst != s->at_limit)
		run_event(run, EVENT_THROTTLED, "device at its limit: %s", nvme_limit_name((enum nvme_limit)worst));
	s->at_limit = worst;
}

/* From here on the limits are those of another volume. */
static void become(struct session *s, const char *spec)
{
	struct volumes vs = { 0 };
	struct err unknown; /* to the tables: then the old ones stay, and the result says so */

	if (!s->volumes.n || volumes_parse(&vs, s->setup.limits, spec, &unknown))
		return;
	vs.raid = s->volumes.raid;
	s->volumes = vs;
	expect_now(s);
	if (s->credits_ready)
		credits_change(&s->credits, &s->expect);
}

/* AWS told of a modification: an event when it begins and one when it is over, and the model follows. */
static void follow_changes(struct session *s, struct run *run)
{
	struct runlog_snap *snap = calloc(1, sizeof(*snap));
	struct setup *begin = calloc(1, sizeof(*begin));
	struct volume_change c[VOLUME_CHANGES_MAX];

	if (snap && begin) {
		runlog_snap(run_log(run), snap);
		begin->limits = s->setup.limits;
		analysis_setup(begin, snap->header);
		size_t n = volume_changes(snap, begin, INFINITY, c), over = 0;
		for (size_t i = 0; i < n; i++) {
			bool begins = i >= s->changes_begun && isfinite(c[i].start_s);
			if (begins)
				run_event(run, EVENT_KNOB, "volume %s to %s", c[i].before, c[i].after);
			if (isfinite(c[i].end_s) && over++ >= s->changes_over && !begins)
				run_event(run, EVENT_KNOB, "volume is %s%s", c[i].failed ? c[i].before : c[i].after,
					  c[i].failed ? ": the change failed" : "");
		}
		if (n && volume_changes_one(begin) && (n > s->changes_begun || over > s->changes_over))
			become(s, volume_change_spec(c, n, INFINITY, begin));
		s->changes_begun = n;
		s->changes_over = over;
		runlog_snap_release(snap);
	}
	free(begin);
	free(snap);
}

static void tick(void *ctx, struct run *run, struct tick *t, struct shaper *shaper)
{
	struct session *s = ctx;

	read_counters(s, run, t);
	if (outside_feed_tick(&s->outside, run, t->s.t_ns))
		follow_changes(s, run);
	if (!s->known)
		return;
	if (shaper)
		s->credits.time_scale = run_knob_get(run, KNOB_TIME_SCALE);
	account(s, run, &t->s, shaper);
	struct model_input in = input_of(s);
	double v;
	if (s->watch)
		analysis_watched(&s->wl, &t->s, 1);
	if (!isnan(v = run_knob_get(run, KNOB_BS)) && v > 0)
		s->wl.bs = (uint64_t)v;
	if (!isnan(v = run_knob_get(run, KNOB_RWMIXREAD)))
		s->wl.rwmixread = (uint64_t)v;
	credits_apply(&s->credits, &in);
	struct rate r = model_rate(&in);
	t->s.model_iops = isfinite(r.iops) ? r.iops : NAN;
	for (size_t i = 0; i < s->credits.nr; i++) {
		const struct bucket *b = &s->credits.bucket[i].b;

		if (i == 0 && s->credits.volume_bucket)
			t->s.model_balance = b->balance;
		else
			t->s.model_host[b->limit == BOUND_HOST_BW] = b->balance;
	}
}

/* A volume that was read once has a map for a verdict. */
static bool touched(struct result *r, const struct runlog_snap *snap)
{
	struct touch_map *m = malloc(sizeof(*m));
	bool is = m && touch_map(m, snap->header, snap->span, 1024);

	if (is) {
		json_object_set_new(r->more, "first_touch", touch_to_json(m));
		touch_text(m, r->reason, sizeof(r->reason));
	}
	free(m);
	return is;
}

/* Figures, phases and verdict of a finished test; what the documents say is already in r->more. */
static void judge(struct session *s, struct run *run, struct result *r, unsigned index)
{
	struct runlog_snap *snap = calloc(1, sizeof(*snap));
	struct analysis *a = calloc(1, sizeof(*a));
	struct err err;

	if (snap && a) {
		runlog_snap(run_log(run), snap);
		if (touched(r, snap))
			; /* a cold volume is slower than its figures: nothing to judge it by */
		else if (analysis_of(a, snap, s->setup.limits, index, r, &err) == 0) {
			r->verdict = a->judgement.verdict;
			snprintf(r->reason, sizeof(r->reason), "%s", a->judgement.reason);
			/* A sweep is meant to begin too shallow; its deepest test says whether the limit is reached. */
			if (r->verdict == VERDICT_SHORT && strcmp(s->setup.suite, "sweep") == 0 && index + 1 < snap->header->nr_planned)
				r->verdict = VERDICT_NONE;
			if (*a->changed)
				result_warn(r, "%s", a->changed);
			json_object_set_new(r->more, "phases", analysis_phases_json(a));
			if (a->judgement.seen_spent)
				credits_seen_spent(&s->credits);
			json_t *expected = json_object_get(r->more, "expected");
			if (expected && a->judgement.bound != BOUND_NONE)
				json_object_set_new(expected, "bound_by", json_text(bound_name(a->judgement.bound)));
		} else {
			result_warn(r, "not judged: %.150s", err.msg);
		}
		analysis_release(a);
		runlog_snap_release(snap);
	}
	free(snap);
	free(a);
}

/* The test's I/Os as AWS counts them: whole units on SSD types, MiB on st1 and sc1. */
static double counted(const struct session *s, const struct result *r)
{
	struct volume_perf perf = volume_perf(&s->volumes.v[0], host_nitro(&s->host));
	double n = 0;

	for (int d = 0; d < DDIR_NR; d++)
		n += credits_count(&perf, (double)r->dir[d].ios, (double)r->dir[d].bytes, s->sequential);
	return perf.bw_hdd_unit > 0 ? n / perf.bw_hdd_unit : n;
}

static void result(void *ctx, struct run *run, struct result *r, unsigned index, struct span samples)
{
	struct session *s = ctx;

	(void)samples;
	if (!r->more)
		r->more = json_object();
	struct nvme_total total;
	nvme_set_total(&s->nvme, &total);
	json_object_set_new(r->more, "device", nvme_total_to_json(&total));
	json_t *task = task_note_json(&s->host, &s->volumes);
	if (task)
		json_object_set_new(r->more, "task", task);
	else if (strncmp(s->setup.suite, "fargate-", 8) == 0)
		result_warn(r, "no task size is named (--task VCPU:MEMORY) or detected: nothing documented to set it against");
	for (unsigned i = 0; i < s->setup.nr_notes; i++)
		result_warn(r, "%s", s->setup.note[i]);
	if (*s->nvme.note)
		result_warn(r, "%.190s", s->nvme.note);
	if (s->volumes.n && !s->watch)
		json_object_set_new(r->more, "counted_ios", json_u64((uint64_t)llround(counted(s, r))));
	if (s->known) {
		json_t *expected = expectation_to_result_json(&s->expect, NULL);
		json_object_set_new(expected, "limits", sweep_limits_json(&s->expect));
		json_object_set_new(r->more, "expected", expected);
	}
	json_t *change = s->baseline ? baseline_change(s->baseline, r) : NULL;
	if (change)
		json_object_set_new(r->more, "change", change);
	judge(s, run, r, index);
	if (s->known)
		json_object_set_new(r->more, "credits", credits_to_json(&s->credits)); /* as the verdict found them */
}

const struct run_hooks session_hooks = { .opened = opened, .test = test, .tick = tick, .result = result };
