/* SPDX-License-Identifier: MIT */
#include "tui/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/nvme.h"
#include "engine/clock.h"
#include "engine/units.h"
#include "tui/live.h"
#include "tui/volume_change.h"

void analysis_setup(struct setup *s, const struct run_header *h)
{
	const struct limits *limits = s->limits;
	const json_t *o = json_object_get(h->doc, "setup");

	setup_init(s, limits);
	snprintf(s->target, sizeof(s->target), "%s", h->target);
	json_copy_text(o, "volume", s->volume, sizeof(s->volume));
	json_copy_text(o, "raid", s->raid, sizeof(s->raid));
	json_copy_text(o, "instance", s->instance, sizeof(s->instance));
	json_copy_text(o, "task", s->task, sizeof(s->task));
	json_copy_text(o, "shape", s->shape, sizeof(s->shape));
	s->shaped = h->shaped;
	s->time_scale = h->time_scale;
	s->credits = json_get_num(o, "credits", NAN);
	json_copy_text(o, "volume_before", s->volume_before, sizeof(s->volume_before));
	s->optimizing = (int)json_get_u64(o, "optimizing", UINT32_MAX); /* -1 where it is not */
}

/* Rows of one test's last repetition. */
static uint32_t last_repeat(const struct runlog_snap *run, uint32_t test)
{
	uint32_t repeat = 0;

	for (size_t i = run->span.n; i-- > 0;) {
		if (run->span.row[i].test == test)
			return run->span.row[i].repeat;
	}
	return repeat;
}

static const struct sample *first_measured(const struct runlog_snap *run, uint32_t test, uint32_t repeat)
{
	for (size_t i = 0; i < run->span.n; i++) {
		const struct sample *s = &run->span.row[i];
		if (s->test == test && s->repeat == repeat && s->phase == PHASE_MEASURE)
			return s;
	}
	return NULL;
}

/* A knob's event as a change of the segment: "iodepth 8", "bs 16k", "rwmixread 70", "rate_iops 100". */
static void turn(struct segment *seg, const char *text)
{
	char key[32];
	const char *value = strchr(text, ' ');
	struct workload wl;
	struct err ignored; /* an event of a newer version changes nothing we know */

	if (!value || (size_t)(value - text) >= sizeof(key))
		return;
	memcpy(key, text, (size_t)(value - text));
	key[value - text] = 0;
	workload_init(&wl);
	if (strcmp(value + 1, "none") == 0)
		value = " 0";
	if (workload_set(&wl, key, value + 1, &ignored) < 0)
		return;
	if (strcmp(key, "iodepth") == 0)
		seg->iodepth = wl.iodepth;
	else if (strcmp(key, "bs") == 0)
		seg->bs = wl.bs;
	else if (strcmp(key, "rwmixread") == 0)
		seg->rwmixread = wl.rwmixread;
	else if (strcmp(key, "rate_iops") == 0)
		seg->rate_iops = wl.rate_iops;
}

void analysis_watched(struct workload *wl, const struct sample *row, size_t n)
{
	double ios[DDIR_NR] = { 0 }, bytes = 0;

	for (size_t i = 0; i < n; i++) {
		for (int d = 0; d < DDIR_NR; d++)
			ios[d] += (double)row[i].dir[d].ios;
		bytes += (double)sample_bytes(&row[i]);
	}
	double all = ios[DDIR_READ] + ios[DDIR_WRITE];
	wl->rw = RW_RANDRW; /* what could be merged was merged before the device counted it */
	if (all > 0) {
		wl->bs = (uint64_t)fmax(512, round(bytes / all));
		wl->rwmixread = (uint64_t)round(100 * ios[DDIR_READ] / all);
	}
}

/* The workload of a test as it was planned; of one that only watches, as it was seen. */
static struct workload workload_of(const struct runlog_snap *run, uint32_t test)
{
	const struct planned *p = &run->header->planned[test];
	struct workload wl = p->wl;

	if (p->kind == TEST_WATCH)
		analysis_watched(&wl, run->span.row, run->span.n);
	return wl;
}

/* Turns of knobs before the measured part (in the ramp) change what it begins with; later ones cut it. */
static void find_segments(struct analysis *a, const struct runlog_snap *run, uint32_t test, double start_s)
{
	struct workload wl = workload_of(run, test);
	struct segment seg = { start_s, INFINITY, wl.bs, wl.iodepth, wl.rwmixread, wl.rate_iops };

	a->segment[0] = seg;
	a->nr_segments = 1;
	for (size_t i = 0; i < run->nr_events; i++) {
		const struct event *e = &run->events[i];
		double t = clock_seconds(e->t_ns);

		if (e->kind != EVENT_KNOB || e->test != test)
			continue;
		struct segment *last = &a->segment[a->nr_segments - 1];
		if (t <= start_s) {
			turn(last, e->text);
			continue;
		}
		if (a->nr_segments == ANALYSIS_SEGMENTS)
			return;
		last->end_s = t;
		a->segment[a->nr_segments] = *last;
		a->segment[a->nr_segments].start_s = t;
		a->segment[a->nr_segments].end_s = INFINITY;
		turn(&a->segment[a->nr_segments++], e->text);
	}
}

/* Another segment from @p t_s on, where none begins about there. */
static void cut_at(struct analysis *a, double t_s)
{
	const double about = 0.1;
	unsigned i = 0;

	while (i < a->nr_segments && a->segment[i].end_s <= t_s + about)
		i++;
	if (i == a->nr_segments || t_s <= a->segment[i].start_s + about || a->nr_segments == ANALYSIS_SEGMENTS)
		return;
	memmove(&a->segment[i + 1], &a->segment[i], (a->nr_segments++ - i) * sizeof(a->segment[0]));
	a->segment[i].end_s = a->segment[i + 1].start_s = t_s;
}

/* Share of a bucket at @p t_s, from the last sample before; NAN: full or not known. */
static void balances_at(const struct runlog_snap *run, double t_s, const struct expectation *full, struct model_input *in)
{
	const struct sample *at = NULL;

	for (size_t i = 0; i < run->span.n && clock_seconds(run->span.row[i].t_ns) <= t_s + 1e-6; i++) {
		if (!isnan(run->span.row[i].model_balance) || !isnan(run->span.row[i].model_host[0]) ||
		    !isnan(run->span.row[i].model_host[1]))
			at = &run->span.row[i];
	}
	for (size_t i = 0; at && i < full->nr_buckets; i++) {
		const struct bucket *b = &full->bucket[i];
		if (b->capacity <= 0)
			continue;
		if (b->limit == BOUND_HOST_IOPS && !isnan(at->model_host[0]))
			in->host_credits[0] = at->model_host[0] / b->capacity;
		else if (b->limit == BOUND_HOST_BW && !isnan(at->model_host[1]))
			in->host_credits[1] = at->model_host[1] / b->capacity;
		else if (i == 0 && full->volume_bucket && !isnan(at->model_balance))
			in->credits = at->model_balance / b->capacity;
	}
}

/*
 * The curve of an expectation falls when a load at the full rate has spent the credits. This load may have spent less,
 * or others more: each fall is put to when the balances, counted from what was really done, allowed less. A fall that
 * has not come by the end of the segment comes after it.
 */
static void fit_curve(struct expectation *e, const struct runlog_snap *run, uint32_t test, const struct segment *seg, double scale)
{
	size_t i = 0, k = 0;
	double now_s = run->span.n ? clock_seconds(run->span.row[run->span.n - 1].t_ns) : seg->start_s;
	double end_s = (fmin(seg->end_s, now_s) - seg->start_s) * scale;

	for (; k + 1 < e->nr_curve; k++) {
		struct curve_part *part = &e->curve[k], *next = &e->curve[k + 1];
		double length = part->end_s - part->start_s, fall_s = INFINITY, between = (part->rate.iops + next->rate.iops) / 2;

		for (; i < run->span.n && isinf(fall_s); i++) {
			const struct sample *s = &run->span.row[i];
			double t = clock_seconds(s->t_ns);
			if (s->test == test && t > seg->start_s && t <= seg->end_s && s->model_iops < between)
				fall_s = (t - seg->start_s) * scale;
		}
		part->end_s = isfinite(fall_s) ? fall_s : fmax(end_s * 1.01 + 1, part->start_s + length);
		if (k + 2 < e->nr_curve) /* the next part keeps its length until its own fall is found */
			next->end_s = part->end_s + (next->end_s - next->start_s);
		next->start_s = part->end_s;
	}
}

/* The pace of the volume's time in a segment: a turn of it begins another one. */
static double scale_in(const struct runlog_snap *run, const struct segment *seg)
{
	double s = fmin(seg->end_s - seg->start_s, 1);

	return s > 0 ? live_volume_s(run, seg->start_s, seg->start_s + s) / s : 1;
}

/* The changes of the volume that a test is judged around: all of them over. */
struct changes {
	struct volume_change c[VOLUME_CHANGES_MAX];
	size_t		     n;
	const struct setup  *begin;
};

/* A time within a segment, and not at its edges. */
static double within(const struct segment *seg)
{
	return isfinite(seg->end_s) ? (seg->start_s + seg->end_s) / 2 : seg->start_s + 1;
}

/* The volumes of a segment; those of the end where a change made them what the tables do not know. */
static struct volumes volumes_in(const struct analysis *a, const struct changes *ch, const struct setup *s,
				 const struct segment *seg)
{
	struct volumes vs = { 0 };
	struct err ignored;

	if (!ch->n || volumes_parse(&vs, s->limits, volume_change_spec(ch->c, ch->n, within(seg), ch->begin), &ignored))
		return a->volumes;
	vs.raid = a->volumes.raid;
	return vs;
}

static int expect_segments(struct analysis *a, const struct runlog_snap *run, const struct setup *s,
			   const struct changes *ch, uint32_t test)
{
	a->expect = calloc(a->nr_segments, sizeof(*a->expect));
	if (!a->expect)
		return -1;
	for (unsigned i = 0; i < a->nr_segments; i++) {
		struct workload wl = workload_of(run, test);
		struct volumes volumes = volumes_in(a, ch, s, &a->segment[i]);
		struct model_input in = model_input(&volumes, &a->host, &wl);
		struct expectation full;

		wl.bs = a->segment[i].bs;
		wl.iodepth = a->segment[i].iodepth;
		wl.rwmixread = a->segment[i].rwmixread;
		wl.rate_iops = a->segment[i].rate_iops;
		in.credits = in.host_credits[0] = in.host_credits[1] = s->credits;
		in.limits = s->limits;
		model_expect(&in, &full);
		balances_at(run, a->segment[i].start_s, &full, &in);
		model_expect(&in, &a->expect[i]);
		fit_curve(&a->expect[i], run, test, &a->segment[i], scale_in(run, &a->segment[i]));
	}
	return 0;
}

/* What the samples alone say of a test that is still running. */
static void measured_so_far(struct measured *m, const struct phase_point *pt, size_t n)
{
	double ios = 0, bytes = 0, s = 0;

	for (size_t i = 0; i < n; i++) {
		ios += pt[i].ios;
		bytes += pt[i].bytes;
		s += pt[i].dt_s;
	}
	m->seconds = s;
	m->iops = s > 0 ? ios / s : NAN;
	m->bw = s > 0 ? bytes / s : NAN;
	m->cached = TRI_NULL;
	m->too_short = s < 0.5;
}

/*
 * What others did on the device beside the workers, in I/Os of the workers' size per second; NAN where the device can't
 * be read. By bytes: the kernel splits and merges I/Os on their way, which is nobody else's load.
 */
static double others(const struct runlog_snap *run, uint32_t test, uint32_t repeat)
{
	double dev = 0, own = 0, ios = 0, s = 0;

	for (size_t i = 0; i < run->span.n; i++) {
		const struct sample *p = &run->span.row[i];
		if (p->test != test || p->repeat != repeat || p->phase != PHASE_MEASURE)
			continue;
		if (p->dev[DDIR_READ].bytes == DEV_NONE || p->dev[DDIR_WRITE].bytes == DEV_NONE)
			return NAN;
		dev += (double)(p->dev[DDIR_READ].bytes + p->dev[DDIR_WRITE].bytes);
		own += (double)sample_bytes(p);
		ios += (double)sample_ios(p);
		s += sample_seconds(p);
	}
	return s > 0 && own > 0 ? fmax(0, dev - own) / (own / ios) / s : NAN;
}

/* What the device itself counted in the test: from its result, else from the samples so far. */
static void counters_of(const struct runlog_snap *run, uint32_t test, uint32_t repeat, const struct result *r,
			struct limit_seconds *out)
{
	const json_t *limits = r ? json_object_get(json_object_get(r->more, "device"), "limits") : NULL;

	*out = (struct limit_seconds){ .known = json_is_object(limits) };
	for (unsigned k = 0; out->known && k < NVME_LIMIT_NR; k++)
		out->s[k] = json_get_num(json_object_get(limits, nvme_limit_name((enum nvme_limit)k)), "seconds", 0);
	for (size_t i = 0; !r && i < run->span.n; i++) {
		const struct sample *p = &run->span.row[i];
		if (p->test != test || p->repeat != repeat || p->phase != PHASE_MEASURE)
			continue;
		for (unsigned k = 0; k < NVME_LIMIT_NR; k++)
			if (p->limit_ns[k] != DEV_NONE) {
				out->s[k] += clock_seconds(p->limit_ns[k]);
				out->known = true;
			}
	}
}

/* Of a device that was only watched nobody knows how much was asked of it: less than allowed is no shortage. */
static void judge_watched(struct judgement *j)
{
	char seen[FMT_LEN], allowed[FMT_LEN];

	if (j->verdict != VERDICT_SHORT)
		return;
	j->verdict = VERDICT_UNKNOWN;
	snprintf(j->reason, sizeof(j->reason),
		 "the load was %s IOPS, %.0f %% of the %s that the documents allow; was more asked for? %s; "
		 "run a test, or look at the queue", fmt_iops(seen, j->measured_iops), 100 * j->share,
		 fmt_iops(allowed, j->expected_iops), proof_text(j->proof));
}

/* Who watches sees the device idle until somebody works on it: under 1 % of the highest rate is not yet the load. */
static size_t idle_points(const struct phase_point *pt, size_t n)
{
	double top = 0;
	size_t i = 0;

	for (size_t k = 0; k < n; k++)
		top = fmax(top, pt[k].dt_s > 0 ? pt[k].ios / pt[k].dt_s : 0);
	while (i < n && pt[i].ios <= 0.01 * top * pt[i].dt_s)
		i++;
	return i == n ? 0 : i;
}

/* @param optimizing percent of a modification that is taken to be under way; -1 none */
static int judge(struct analysis *a, const struct runlog_snap *run, const struct setup *s, const struct changes *ch,
		 uint32_t test, const struct result *r, int optimizing, struct err *err)
{
	uint32_t repeat = last_repeat(run, test);
	const struct sample *first = first_measured(run, test, repeat);
	struct phase_point *pt = calloc(run->span.n + 1, sizeof(*pt));
	const struct expectation *expect[ANALYSIS_SEGMENTS];
	double cuts[ANALYSIS_SEGMENTS];
	struct limit_seconds counters;
	struct measured m;

	if (!pt)
		return err_set(err, ENOMEM, "no memory");
	size_t n = phase_points(run->span.row, run->span.n, test, repeat, pt), idle = 0;
	if (run->header->planned[test].kind == TEST_WATCH)
		idle = idle_points(pt, n);
	double start_s = first ? clock_seconds(first->t_ns - first->dt_ns) : 0;
	find_segments(a, run, test, start_s);
	for (size_t i = 0; i < ch->n; i++) {
		cut_at(a, ch->c[i].start_s);
		cut_at(a, ch->c[i].end_s);
	}
	if (a->known && expect_segments(a, run, s, ch, test) < 0) {
		free(pt);
		return err_set(err, ENOMEM, "no memory");
	}
	for (unsigned i = 1; i < a->nr_segments; i++)
		cuts[i - 1] = a->segment[i].start_s;
	int found = phases_find(pt + idle, n - idle, cuts, a->nr_segments - 1, a->phase, PHASES_MAX);
	a->nr_phases = found > 0 ? (size_t)found : 0;
	measured_init(&m);
	if (r)
		measured_of_result(&m, r);
	else
		measured_so_far(&m, pt, n);
	m.start_s = start_s;
	double scale[ANALYSIS_SEGMENTS];
	bool turned = false; /* the pace of the volume's time */
	for (unsigned i = 0; i < a->nr_segments; i++) {
		scale[i] = scale_in(run, &a->segment[i]);
		turned = turned || fabs(scale[i] - scale[0]) > 1e-6 * scale[0];
	}
	m.time_scale = turned && m.seconds > 0 ? live_volume_s(run, start_s, start_s + m.seconds) / m.seconds : scale[0];
	m.credits_told = !isnan(s->credits);
	struct shape shape = { .nr_steps = 0 };
	struct err ignored; /* it was read before the run began */
	if (*s->shape && shape_parse(&shape, s->shape, &ignored) == 0)
		measured_schedule(&m, &shape);
	enum test_kind kind = run->header->planned[test].kind;
	m.watched = kind == TEST_WATCH;
	m.unheld = run->header->simulated && !run->header->shaped;
	m.other_unit = kind == TEST_CHAR || kind == TEST_FILE;
	m.others_iops = m.watched ? NAN : others(run, test, repeat);
	m.optimizing = optimizing;
	for (unsigned i = 0; i < a->nr_segments; i++)
		expect[i] = a->known && !volume_change_at(ch->c, ch->n, within(&a->segment[i])) ? &a->expect[i] : NULL;
	counters_of(run, test, repeat, r, &counters);
	struct verdict_input in = { .counters = &counters, .measured = &m, .expect = a->known ? expect : NULL, .nr_segments = a->nr_segments,
				    .time_scale = turned ? scale : NULL,
				    .phase = a->phase, .nr_phases = a->nr_phases, .running = !r };
	verdict_judge(&in, &a->judgement);
	if (run->header->planned[test].kind == TEST_WATCH)
		judge_watched(&a->judgement);
	free(pt);
	return 0;
}

/* What volumes give in the long run, whatever the host and whoever holds back. */
static struct rate alone(const struct volumes *volumes, const struct runlog_snap *run, const struct setup *s, uint32_t test,
			 const struct segment *seg)
{
	struct workload wl = workload_of(run, test);
	struct model_input in = model_input(volumes, NULL, &wl);
	struct expectation e;

	wl.bs = seg->bs;
	wl.iodepth = seg->iodepth;
	wl.rwmixread = seg->rwmixread;
	wl.rate_iops = 0;
	in.limits = s->limits;
	model_expect(&in, &e);
	return e.baseline;
}

/*
 * While the volume is being modified its figures lie between the old and the new: what falls short of both is short,
 * anything else is not known.
 */
static int judge_between(struct analysis *a, const struct runlog_snap *run, const struct setup *s, uint32_t test,
			 const struct result *r, struct err *err)
{
	static const struct changes none;
	struct analysis *past = calloc(1, sizeof(*past));
	int rc = past ? volumes_parse(&past->volumes, s->limits, s->volume_before, err) : err_set(err, ENOMEM, "no memory");

	if (rc == 0) {
		past->volumes.raid = a->volumes.raid;
		past->host = a->host;
		past->known = true;
		rc = judge(past, run, s, &none, test, r, -1, err);
	}
	if (rc == 0)
		rc = judge(a, run, s, &none, test, r, -1, err);
	if (rc == 0 && past->judgement.verdict == VERDICT_SHORT && a->judgement.verdict == VERDICT_SHORT) {
		if (past->judgement.share > a->judgement.share)
			a->judgement = past->judgement; /* against the lower of the two */
	} else if (rc == 0) {
		analysis_release(a);
		rc = judge(a, run, s, &none, test, r, s->optimizing, err);
	}
	if (rc == 0 && a->nr_segments) {
		a->optimizing = s->optimizing;
		a->before = alone(&past->volumes, run, s, test, &a->segment[a->nr_segments - 1]);
		a->after = alone(&a->volumes, run, s, test, &a->segment[a->nr_segments - 1]);
	}
	if (past)
		analysis_release(past);
	free(past);
	return rc;
}

/* From when to when a test was sampled, run time. */
static void extent(const struct runlog_snap *run, uint32_t test, double *start_s, double *end_s)
{
	*start_s = INFINITY;
	*end_s = -INFINITY;
	for (size_t i = 0; i < run->span.n; i++)
		if (run->span.row[i].test == test) {
			*start_s = fmin(*start_s, clock_seconds(run->span.row[i].t_ns - run->span.row[i].dt_ns));
			*end_s = clock_seconds(run->span.row[i].t_ns);
		}
}

/*
 * The header says what was known of a modification when the run began; one may have begun or ended since. What is under
 * way at the end of the test goes into the setup as if it always had been; around one that is over, the test is cut.
 */
static void follow_changes(struct setup *s, struct changes *ch, double end_s)
{
	const struct volume_change *last = ch->n ? &ch->c[ch->n - 1] : NULL;

	snprintf(s->volume, sizeof(s->volume), "%s", volume_change_spec(ch->c, ch->n, end_s, ch->begin));
	s->optimizing = last && last->end_s > end_s ? last->percent : -1;
	if (s->optimizing < 0)
		return;
	snprintf(s->volume_before, sizeof(s->volume_before), "%s", last->before);
	ch->n = 0;
}

/* Around the changes; where they leave nothing to judge, that is why. */
static int judge_around(struct analysis *a, const struct runlog_snap *run, const struct setup *s,
			const struct changes *ch, uint32_t test, const struct result *r, double start_s, struct err *err)
{
	const struct volume_change *last = ch->n ? &ch->c[ch->n - 1] : NULL;
	int rc = judge(a, run, s, ch, test, r, -1, err);

	if (rc < 0 || !last || last->end_s <= start_s || a->judgement.verdict != VERDICT_UNKNOWN ||
	    !isnan(a->judgement.expected_iops))
		return rc;
	analysis_release(a);
	return judge(a, run, s, ch, test, r, last->percent, err);
}

int analysis_of(struct analysis *a, const struct runlog_snap *run, const struct limits *limits, uint32_t test,
		const struct result *r, struct err *err)
{
	struct setup *s = calloc(2, sizeof(*s)); /* as it is, and as it was when the run began */
	struct changes ch = { .begin = s + 1 };
	double start_s, end_s;
	int rc;

	*a = (struct analysis){ .optimizing = -1 };
	if (!s)
		return err_set(err, ENOMEM, "no memory");
	if (test >= run->header->nr_planned) {
		free(s);
		return err_set(err, EINVAL, "the run has no test %u", test);
	}
	s->limits = limits;
	analysis_setup(s, run->header);
	s[1] = s[0];
	extent(run, test, &start_s, &end_s);
	ch.n = volume_changes(run, ch.begin, end_s, ch.c);
	volume_change_text(ch.c, ch.n, start_s, end_s, ch.begin, a->changed, sizeof(a->changed));
	if (volume_changes_one(ch.begin))
		follow_changes(s, &ch, end_s);
	else
		ch.n = 0;
	rc = setup_volumes(s, &a->volumes, &a->host, err);
	a->known = rc == 0 && (a->volumes.n || a->host.kind != HOST_NONE);
	if (rc == 0 && a->known && s->optimizing >= 0 && *s->volume_before)
		rc = judge_between(a, run, s, test, r, err);
	else if (rc == 0)
		rc = judge_around(a, run, s, &ch, test, r, start_s, err);
	free(s);
	return rc;
}

void analysis_release(struct analysis *a)
{
	free(a->expect);
	a->expect = NULL;
}

const struct expectation *analysis_expect(const struct analysis *a)
{
	return a->known && a->expect ? &a->expect[a->nr_segments - 1] : NULL;
}

json_t *analysis_phases_json(const struct analysis *a)
{
	json_t *list = json_array();

	for (size_t i = 0; i < a->nr_phases; i++) {
		const struct phase *p = &a->phase[i];
		json_t *o = json_object();

		json_object_set_new(o, "kind", json_text(phase_kind_name(p->kind)));
		json_object_set_new(o, "start_s", json_num(p->start_s));
		json_object_set_new(o, "end_s", json_num(p->end_s));
		json_object_set_new(o, "iops", json_num(p->iops));
		json_object_set_new(o, "bw_bytes", json_num(p->bw));
		json_object_set_new(o, "spread", json_num(p->spread));
		json_array_append_new(list, o);
	}
	return list;
}
