/* SPDX-License-Identifier: MIT */
#include "aws/verdict_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"

/* From this size up rates are told in MiB/s. */
#define BW_FROM (128 * KIB)

double match_depth(const struct verdict_input *in, const struct match *m)
{
	const struct expectation *e = m->e;
	double named = (double)e->iodepth * (double)(e->numjobs ? e->numjobs : 1), real = in->measured->queue;

	return real > 0 && real < named ? real : named;
}

void word_say(struct words *w, enum word k, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->w[k], WORD_LEN, fmt, ap);
	va_end(ap);
}

static void say_rate(struct words *w, enum word k, const struct expectation *e, enum bound b, double iops)
{
	char buf[FMT_LEN];
	bool bw = b == BOUND_VOLUME_BW || b == BOUND_HOST_BW || e->bs >= BW_FROM;

	if (bw)
		word_say(w, k, "%s", fmt_bw(buf, iops * (double)e->bs));
	else
		word_say(w, k, "%s IOPS", fmt_iops(buf, iops));
}

static void say_share(struct words *w, enum word k, double share)
{
	word_say(w, k, "%.*f %%", share < 0.095 ? 1 : 0, 100 * share);
}

static void say_limit(struct words *w, const struct expectation *e, enum bound b)
{
	char host[64];

	if (bound_is_host(b))
		word_say(w, W_LIMIT, "%s's EBS %s", host_text(&e->host, host, sizeof(host)),
		    b == BOUND_HOST_IOPS ? "IOPS" : "throughput");
	else if (b == BOUND_NONE)
		word_say(w, W_LIMIT, "the workload's own rate cap");
	else
		word_say(w, W_LIMIT, "the volume%s %s", e->volumes.n > 1 ? "s'" : "'s",
		    b == BOUND_VOLUME_IOPS ? "IOPS" : b == BOUND_VOLUME_BW ? "throughput" : bound_name(b));
}

/* What the volumes could do by themselves, in the unit of the host's limit. */
static void say_alone(struct words *w, const struct expectation *e, enum bound host_bound)
{
	bool bytes = host_bound == BOUND_HOST_BW;
	double most = 0;
	char buf[FMT_LEN];

	for (size_t i = 0; i < e->nr_limits; i++)
		if (e->limit[i].bytes == bytes && strncmp(e->limit[i].name, "volume ", 7) == 0)
			most = fmax(most, e->limit[i].value);
	if (bytes)
		word_say(w, W_ALONE, "%s", fmt_bw(buf, most));
	else
		word_say(w, W_ALONE, "%s IOPS", fmt_iops(buf, most));
}

void words_of_proof(struct words *w, const struct verdict_input *in, enum proof proof, enum bound counted, double s,
		      const struct expectation *e)
{
	char a[FMT_LEN], b[FMT_LEN];
	struct words limit;

	if (proof == PROOF_LIMITED) {
		say_limit(&limit, e, counted);
		word_say(w, W_PROOF, "; limited (proven): over %.40s for %s of %s", limit.w[W_LIMIT], fmt_duration(a, s),
		    fmt_duration(b, in->measured->seconds));
	} else {
		word_say(w, W_PROOF, "; %s", proof == PROOF_NOT_LIMITED
						? "not limited (proven): the device's counters stood still"
						: "limited or not is unknown: no counter");
	}
}

/* How long the burst lasted in the volume's time, and how long it was due. */
static void say_burst(struct words *w, const struct verdict_input *in, const struct findings *f)
{
	const struct match *m = &f->burst;
	char a[FMT_LEN], b[FMT_LEN];
	double seen = (f->burst_end_s - m->start_s) * m->scale, due = m->part->end_s;
	bool off = isfinite(due) && fabs(seen - due) > 0.1 * due + m->scale;

	say_rate(w, W_FIRST, m->e, m->part->rate.bound, m->p.iops);
	word_say(w, W_LENGTH, "%s", fmt_duration(b, due));
	if (off)
		word_say(w, W_WHEN, "%s (%s from %s credits)", fmt_duration(a, seen), fmt_duration(b, due),
		    in->measured->credits_told ? "the told" : "full");
	else
		word_say(w, W_WHEN, "%s", fmt_duration(a, seen));
}

static void say_fall(struct words *w, const struct match *m)
{
	char text[FMT_LEN];

	say_rate(w, W_FIRST, m->e, m->part->rate.bound, m->before);
	say_rate(w, W_LATER, m->e, m->part->rate.bound, m->p.iops);
	word_say(w, W_WHEN, "%s", fmt_duration(text, (m->p.start_s - m->start_s) * m->scale));
}

static void say_depth(struct words *w, const struct verdict_input *in, const struct match *m)
{
	double q = match_depth(in, m), latency = q / m->p.iops;
	char a[FMT_LEN], b[FMT_LEN];

	word_say(w, W_DEPTH, "%s", fmt_iops(a, round(q)));
	word_say(w, W_LATENCY, "%s", fmt_lat(b, latency * 1e9));
	/* a fiftieth less: what the measuring itself adds to a latency is no reason for one more */
	word_say(w, W_NEEDED, "%s", fmt_iops(a, ceil(m->part->rate.iops_min * latency * 0.98)));
}

/* A time of the volume's, as texts tell it; where it runs at another pace also that of the clock, which a runtime counts. */
static void say_when(struct words *w, double volume_s, double scale)
{
	char a[FMT_LEN], b[FMT_LEN];

	fmt_duration(a, ceil(volume_s));
	fmt_duration(b, ceil(volume_s / scale));
	if (strcmp(a, b) == 0)
		word_say(w, W_WHEN, "%s", a);
	else
		word_say(w, W_WHEN, "%s (%s of the clock)", a, b);
}

/*
 * The phase beside what its limit allows. Where the documents give an interval (by how much is merged, or a range that
 * promises nothing), the end of it that was reached, or that it lies between the two.
 */
static void say_held(struct words *w, const struct match *m)
{
	const struct rate *r = &m->part->rate;
	const struct expectation *e = m->e;
	char bs[FMT_LEN], least[WORD_LEN];
	struct words most;
	bool interval = r->iops_min < r->iops * 0.999, merged = interval && expectation_merges(e);

	if (interval && m->p.iops >= PASS_SHARE * r->iops_max) {
		say_rate(w, W_EXPECTED, e, r->bound, r->iops_max);
		say_share(w, W_SHARE, m->p.iops / r->iops_max);
	} else if (interval) {
		memcpy(least, w->w[W_EXPECTED], sizeof(least));
		word_say(w, W_EXPECTED, "%.40s%s", least, merged ? " (nothing merged)" : "");
		if (m->p.iops >= r->iops_min) {
			say_rate(&most, W_EXPECTED, e, r->bound, r->iops_max);
			word_say(w, W_HELD, "%s lies between the %s and the %s%s that %s allows", w->w[W_MEASURED],
				 w->w[W_EXPECTED], most.w[W_EXPECTED], merged ? " (all merged)" : "", w->w[W_LIMIT]);
			if (merged)
				word_say(w, W_NEXT, "with a bs of %s nothing is left to merge", fmt_bs(bs, expectation_merges(e)));
			return;
		}
	}
	word_say(w, W_HELD, "%s is %s of the %s that %s allows", w->w[W_MEASURED], w->w[W_SHARE], w->w[W_EXPECTED],
		 w->w[W_LIMIT]);
}

/* Everything that any template may want of the deciding match. */
void words_of_match(struct words *w, const struct verdict_input *in, const struct match *m, enum bound bound)
{
	const struct expectation *e = m->e;
	char buf[64];
	enum bound b = m->part->rate.bound;

	say_rate(w, W_MEASURED, e, b, m->p.iops);
	say_rate(w, W_EXPECTED, e, b, m->part->rate.iops_min);
	say_share(w, W_SHARE, m->p.iops / m->part->rate.iops_min);
	say_limit(w, e, bound != BOUND_NONE && bound < BOUND_IODEPTH ? bound : b);
	words_of_next(w, e, &m->part->rate, bound != BOUND_NONE ? bound : b);
	say_held(w, m);
	word_say(w, W_VOLUME, "%s", volumes_text(&e->volumes, buf, sizeof(buf)));
	word_say(w, W_HOST, "%s", host_text(&e->host, buf, sizeof(buf)));
	word_say(w, W_KIND, "%s", e->host.kind == HOST_TASK ? "task size" : "instance");
	if (bound_is_host(b) || bound_is_host(bound))
		say_alone(w, e, bound_is_host(b) ? b : bound);
	if (m->k + 1 < e->nr_curve) {
		say_rate(w, W_LATER, e, e->curve[m->k + 1].rate.bound, e->curve[m->k + 1].rate.iops);
		say_when(w, m->part->end_s, m->scale);
	}
	say_depth(w, in, m);
	if (!isnan(in->measured->cpu_throttled))
		say_share(w, W_PERCENT, in->measured->cpu_throttled);
	if (!isnan(in->measured->others_iops))
		say_rate(w, W_OTHERS, e, BOUND_VOLUME_IOPS, in->measured->others_iops);
}

/* What was thought of the volumes' credits. */
static void say_balance(struct words *w, const struct expectation *e)
{
	double share = 1;

	for (size_t i = 0; i < e->nr_buckets; i++)
		if (e->bucket[i].capacity > 0)
			share = fmin(share, e->bucket[i].balance / e->bucket[i].capacity);
	if (share > 0.99)
		word_say(w, W_BALANCE, "assumed full");
	else
		word_say(w, W_BALANCE, "thought to be at %.0f %%", 100 * share);
}

void words_of_reason(struct words *w, const struct verdict_input *in, const struct findings *f, const struct match *m,
		     enum reason r, bool not_sustained)
{
	const struct rate *rate = &m->part->rate;

	switch (r) {
	case R_ABOVE:
	case R_ABOVE_UNHELD:
	case R_ABOVE_LASTING:
		say_rate(w, W_EXPECTED, m->e, rate->bound, rate->iops_max);
		say_share(w, W_SHARE, m->p.iops / rate->iops_max);
		break;
	case R_PASS_BURST_OVER:
	case R_PASS_BURST_OVER_HOST:
	case R_SHORT_ENDED_EARLY:
		if (not_sustained)
			word_say(w, W_MORE, "; the next fall, to %.60s, was not reached", w->w[W_LATER]);
		say_burst(w, in, f);
		say_rate(w, W_LATER, m->e, rate->bound, m->p.iops);
		break;
	case R_SHORT_FELL:
		say_fall(w, m);
		break;
	case R_PASS_SPENT:
		say_balance(w, m->e);
		break;
	default:
		break;
	}
}
