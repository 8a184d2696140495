/* SPDX-License-Identifier: MIT */
#include "aws/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aws/verdict_text.h"
#include "engine/units.h"

#define ABOVE_SHARE 1.10
/* A fall of the measured rate is taken for the next part of the curve from here down. */
#define FALL 0.90
/* A part of the curve that is over sooner than this, seconds of the clock, need not show in the series. */
#define PART_MIN_S 2.0
/* A series opens at a part of the curve within these shares of it, after OPENS_S seconds. */
#define OPENS_LOW  0.85
#define OPENS_HIGH 1.10
#define OPENS_S	   2.0
/* A watched load of no more than this share of its highest is a pause. */
#define PAUSE 0.01
/* Shares from which a cause is one. */
#define CPU_THROTTLED_MIN 0.05
#define OTHERS_MIN	  0.05
/* An I/O that takes no longer than so many times the type's usual latency was not waiting for a throttle. */
#define NATURAL_LATENCY 3.0

enum verdict verdict_worst(enum verdict a, enum verdict b)
{
	return a > b ? a : b;
}

size_t verdict_opens_at(const struct expectation *e, double iops, double seconds)
{
	if (seconds < OPENS_S || iops >= PASS_SHARE * e->curve[0].rate.iops_min)
		return 0;
	for (size_t k = 1; k < e->nr_curve; k++) {
		const struct rate *r = &e->curve[k].rate;
		if (iops >= OPENS_LOW * r->iops_min && iops <= OPENS_HIGH * r->iops_max)
			return k;
	}
	return 0;
}

static double part_clock(const struct match *m, double volume_s)
{
	return m->start_s + volume_s / m->scale;
}

/* The part behind k that a measured fall stands for. */
static size_t next_part(const struct expectation *e, size_t k, double scale)
{
	do {
		k++;
	} while (k + 1 < e->nr_curve && (e->curve[k].end_s - e->curve[k].start_s) / scale < PART_MIN_S);
	return k;
}

/* The part that a segment begins with: what is over at once need not show. */
static size_t opening_part(const struct expectation *e, double scale)
{
	size_t k = 0;

	while (k + 1 < e->nr_curve && (e->curve[k].end_s - e->curve[k].start_s) / scale < PART_MIN_S)
		k++;
	return k;
}

static void judge_phase(const struct match *m, struct findings *f)
{
	double rate = m->p.iops, low = m->part->rate.iops_min, high = m->part->rate.iops_max;
	double share = rate / low, over = rate / high;
	double due_s = part_clock(m, m->part->end_s);
	bool late = m->k + 1 < m->e->nr_curve && low >= 0.99 * m->part->rate.iops && rate >= 0.98 * m->part->rate.iops &&
		    m->p.end_s - m->start_s > 1.15 * (due_s - m->start_s) + 1;

	f->judged = true;
	f->last = *m;
	if (share < PASS_SHARE && !(f->low_share <= share)) {
		f->low = *m;
		f->low_share = share;
	}
	if ((over > ABOVE_SHARE || late) && !(f->high_share >= over)) {
		f->high = *m;
		f->high_share = over;
		f->lasting = late && over <= ABOVE_SHARE;
	}
}

/* The phases [from, to) of one segment against its expectation. */
static void judge_segment(const struct verdict_input *in, uint32_t segment, const struct phase *p, size_t n,
			  struct findings *f)
{
	const struct expectation *e = in->expect[segment];
	struct match m = { .e = e, .start_s = p[0].start_s, .segment = segment,
			   .scale = in->time_scale ? in->time_scale[segment] : in->measured->time_scale };
	bool first = true;
	double top = 0;

	for (size_t i = 0; i < n; i++)
		top = fmax(top, p[i].iops);
	for (size_t i = 0; i < n; i++) {
		if (p[i].kind == PH_RAMP || isnan(p[i].iops) || p[i].end_s - p[i].start_s < 0.5 ||
		    (in->measured->watched && p[i].iops <= PAUSE * top))
			continue;
		if (first) {
			size_t due = opening_part(e, m.scale);
			while (due > 0 && p[i].iops > ABOVE_SHARE * e->curve[due].rate.iops_max)
				due--; /* it does show: a short burst is a burst */
			size_t opens = verdict_opens_at(e, p[i].iops, p[i].end_s - p[i].start_s);
			m.spent_told = opens > due && in->measured->credits_told;
			f->seen_spent = f->seen_spent || (opens > due && !m.spent_told);
			m.k = opens > due && !m.spent_told ? opens : due;
		} else {
			m.fell = p[i].iops < FALL * m.p.iops;
			m.before = m.p.iops;
			if (m.fell && m.k + 1 < e->nr_curve) {
				f->burst = m;
				f->burst_end_s = p[i].start_s;
				m.k = next_part(e, m.k, m.scale);
			}
		}
		m.p = p[i];
		m.part = &e->curve[m.k];
		judge_phase(&m, f);
		first = false;
	}
}

static void judge_all(const struct verdict_input *in, struct findings *f)
{
	*f = (struct findings){ .low_share = NAN, .high_share = NAN, .burst_end_s = NAN };
	if (!in->nr_phases) {
		struct phase all = { .kind = PH_STEADY, .start_s = in->measured->start_s, .iops = in->measured->iops,
				     .bw = in->measured->bw, .spread = NAN };
		all.end_s = all.start_s + in->measured->seconds;
		judge_segment(in, 0, &all, 1, f);
		return;
	}
	for (size_t i = 0; i < in->nr_phases;) {
		size_t from = i;
		uint32_t segment = in->phase[i].segment;
		while (i < in->nr_phases && in->phase[i].segment == segment)
			i++;
		if (segment < in->nr_segments && in->expect[segment])
			judge_segment(in, segment, in->phase + from, i - from, f);
	}
}

/* Which limit the device counted longest over; BOUND_NONE if none for a share of the test that matters. */
static enum bound touched(const struct verdict_input *in, double *seconds)
{
	enum bound bound = BOUND_NONE;
	double most = LIMIT_TOUCHED * in->measured->seconds;

	for (int i = 0; in->counters && in->counters->known && i < 4; i++)
		if (in->counters->s[i] > most) {
			most = in->counters->s[i];
			bound = (enum bound)(BOUND_VOLUME_IOPS + i);
		}
	*seconds = most;
	return bound;
}

static double usual_latency(const struct expectation *e)
{
	double ns = 1e6;

	for (size_t i = 0; i < e->volumes.n; i++)
		ns = fmax(ns, (double)volume_sim_latency(&e->volumes.v[i]));
	return ns / 1e9;
}

/* With more in flight it would have gone faster: its latency is the device's own, not that of waiting for a limit. */
static bool too_shallow(const struct verdict_input *in, const struct match *m, enum proof proof)
{
	double q = match_depth(in, m), latency = q / m->p.iops;

	return q > 0 && (latency <= NATURAL_LATENCY * usual_latency(m->e) || proof == PROOF_NOT_LIMITED);
}

/* Why a phase is short: the causes in the order in which they are asked. */
static enum reason short_reason(const struct verdict_input *in, const struct match *m, enum bound counted,
				enum proof proof, enum bound *bound)
{
	const struct measured *x = in->measured;
	double others = isnan(x->others_iops) ? 0 : x->others_iops, low = m->part->rate.iops_min;

	*bound = BOUND_NONE;
	if (x->initializing && rw_reads(m->e->rw))
		return R_SHORT_FIRST_TOUCH;
	if (others >= OTHERS_MIN * low && m->p.iops + others >= PASS_SHARE * low)
		return R_SHORT_OTHERS;
	if (counted != BOUND_NONE) {
		*bound = counted;
		return bound_is_host(counted) ? R_SHORT_HOST_PROVEN : R_SHORT_VOLUME_PROVEN;
	}
	if (x->cpu_throttled >= CPU_THROTTLED_MIN || x->cpu_bound) {
		*bound = BOUND_CPU;
		return x->cpu_throttled >= CPU_THROTTLED_MIN ? R_SHORT_CPU_THROTTLED : R_SHORT_CPU;
	}
	if (m->spent_told) {
		*bound = m->e->curve[verdict_opens_at(m->e, m->p.iops, OPENS_S)].rate.bound;
		return R_SHORT_SPENT;
	}
	if (m->fell)
		return R_SHORT_FELL;
	if (too_shallow(in, m, proof)) {
		*bound = BOUND_IODEPTH;
		return R_SHORT_DEPTH;
	}
	return R_SHORT;
}

static bool not_sustained(const struct match *m)
{
	if (m->k + 1 >= m->e->nr_curve)
		return false;
	const struct rate *now = &m->part->rate, *next = &m->e->curve[m->k + 1].rate;
	return next->iops < FALL * now->iops && m->p.iops > ABOVE_SHARE * next->iops_max;
}

static enum reason pass_reason(const struct findings *f, const struct judgement *out)
{
	const struct match *m = &f->last;
	bool floor = m->e->host.floor && bound_is_host(m->part->rate.bound);

	if (f->seen_spent && !f->burst.e)
		return R_PASS_SPENT;
	if (f->burst.e && f->burst.segment == m->segment)
		return bound_is_host(f->burst.part->rate.bound) && bound_is_host(m->part->rate.bound) ? R_PASS_BURST_OVER_HOST
											  : R_PASS_BURST_OVER;
	if (out->not_sustained)
		return bound_is_host(m->part->rate.bound) ? R_PASS_NOT_REACHED_HOST : R_PASS_NOT_REACHED;
	if (floor && m->p.iops > ABOVE_SHARE * m->part->rate.iops_min)
		return R_PASS_FLOOR;
	if (m->part->rate.bound == BOUND_NONE)
		return R_PASS_CAP;
	return bound_is_host(m->part->rate.bound) ? R_PASS_HOST : R_PASS;
}

static void answer(struct judgement *out, const struct verdict_input *in, enum reason r, const struct words *w,
		   const struct match *m)
{
	size_t n = 0;

	out->verdict = reason_verdict(r);
	if (m && in->nr_segments > 1) {
		char a[FMT_LEN], b[FMT_LEN];
		double s = in->time_scale ? 1 : in->measured->time_scale, t0 = in->measured->start_s;
		int len = snprintf(out->reason, sizeof(out->reason), "from %s to %s%s: ", fmt_duration(a, (m->start_s - t0) * s),
				   fmt_duration(b, (m->p.end_s - t0) * s), in->time_scale ? " of the clock" : "");
		n = len > 0 ? (size_t)len : 0;
	}
	reason_text(r, w, out->reason + n, sizeof(out->reason) - n);
}

/* The burst was over sooner than the told credits allow. */
static bool ended_early(const struct verdict_input *in, const struct findings *f)
{
	if (!f->burst.e || !in->measured->credits_told || !isfinite(f->burst.part->end_s))
		return false;
	double seen = (f->burst_end_s - f->burst.start_s) * f->burst.scale;
	return seen < PASS_SHARE * f->burst.part->end_s - f->burst.scale;
}

/* Pick the reason, the bound and the match that decides. */
static enum reason decide(const struct verdict_input *in, const struct findings *f, enum bound counted,
			  struct judgement *out, const struct match **m)
{
	*m = &f->last;
	if (!isnan(f->low_share)) {
		*m = &f->low;
		return short_reason(in, *m, counted, out->proof, &out->bound);
	}
	if (!isnan(f->high_share)) {
		*m = &f->high;
		return in->measured->unheld ? R_ABOVE_UNHELD : f->lasting ? R_ABOVE_LASTING : R_ABOVE;
	}
	if (ended_early(in, f)) {
		out->bound = f->last.part->rate.bound;
		return R_SHORT_ENDED_EARLY;
	}
	out->bound = counted != BOUND_NONE ? counted : out->proof == PROOF_NOT_LIMITED ? BOUND_NONE : f->last.part->rate.bound;
	return pass_reason(f, out);
}

void verdict_judge(const struct verdict_input *in, struct judgement *out)
{
	struct words w = { 0 };
	struct findings f;
	double seconds;

	*out = (struct judgement){ .expected_iops = NAN, .expected_bw = NAN, .share = NAN, .burst_end_s = NAN,
				   .measured_iops = in->measured->iops, .measured_bw = in->measured->bw };
	enum bound counted = touched(in, &seconds);
	out->proof = !in->counters || !in->counters->known ? PROOF_UNKNOWN
							   : counted != BOUND_NONE ? PROOF_LIMITED : PROOF_NOT_LIMITED;
	enum reason r = reason_untrusted(in, &w);
	if (r != REASON_NR) {
		answer(out, in, r, &w, NULL);
		return;
	}
	judge_all(in, &f);
	if (!f.judged || !isfinite(f.last.part->rate.iops)) {
		answer(out, in, f.judged ? R_NO_LIMIT : in->measured->watched ? R_IDLE : R_TOO_SHORT, &w, NULL);
		return;
	}
	const struct match *m;
	out->seen_spent = f.seen_spent;
	out->not_sustained = not_sustained(&f.last);
	out->burst_end_s = f.burst.e ? f.burst_end_s - in->measured->start_s : NAN;
	r = decide(in, &f, counted, out, &m);
	out->measured_iops = m->p.iops;
	out->measured_bw = m->p.bw;
	out->expected_iops = m->part->rate.iops_min;
	out->expected_bw = m->part->rate.iops_min * (double)m->e->bs;
	out->share = m->p.iops / out->expected_iops;
	words_of_match(&w, in, m, out->bound);
	words_of_reason(&w, in, &f, m, r, out->not_sustained);
	words_of_proof(&w, in, out->proof, counted, seconds, m->e);
	answer(out, in, r, &w, m);
}
