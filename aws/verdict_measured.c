/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "aws/verdict_text.h"
#include "engine/units.h"

void measured_init(struct measured *m)
{
	*m = (struct measured){ .seconds = NAN, .iops = NAN, .bw = NAN, .queue = NAN, .moved_share = NAN,
				.cpu_throttled = NAN, .others_iops = NAN, .optimizing = -1, .time_scale = 1,
				.later_iops = NAN, .later_bw = NAN, .later_s = NAN };
}

void measured_schedule(struct measured *m, const struct shape *shape)
{
	double s = 0;

	for (size_t i = 0; i + 1 < shape->nr_steps; i++) {
		double next = shape->step[i + 1].rate;
		s += shape->step[i].seconds;
		if (next >= shape->step[i].rate)
			continue;
		m->later_s = s;
		m->later_iops = shape->step_unit == SHAPE_OPS ? next : NAN;
		m->later_bw = shape->step_unit == SHAPE_BYTES ? next : NAN;
		return;
	}
}

void measured_of_result(struct measured *m, const struct result *r)
{
	m->start_s = r->start_s;
	m->seconds = r->runtime_s;
	m->iops = r->all.iops;
	m->bw = r->all.bw_bytes;
	m->queue = r->queue_mean;
	m->cached = r->cached;
	m->moved_share = r->moved_share;
	m->failed = r->failed;
	m->too_short = r->too_short;
	m->cpu_bound = r->cpu_bound;
	m->other_unit = r->kind == TEST_CHAR || r->kind == TEST_FILE;
	m->cpu_throttled = r->cpu_throttled;
}

/* A rate that no expectation gives a unit: in both, where there are bytes. */
static void say_both(struct words *w, enum word k, double iops, double bw)
{
	char a[FMT_LEN], b[FMT_LEN];

	if (bw > 0)
		word_say(w, k, "%s IOPS (%s)", fmt_iops(a, iops), fmt_bw(b, bw));
	else
		word_say(w, k, "%s IOPS", fmt_iops(a, iops));
}

enum reason reason_untrusted(const struct verdict_input *in, struct words *w)
{
	const struct measured *x = in->measured;
	char a[FMT_LEN];
	bool any = false;

	say_both(w, W_MEASURED, x->iops, x->bw);
	word_say(w, W_LENGTH, "%s", isnan(x->seconds) ? "nothing" : fmt_duration(a, x->seconds));
	if (x->failed)
		return R_FAILED;
	if (isnan(x->iops) && !in->nr_phases)
		return R_NO_FIGURES;
	if (x->too_short || x->seconds < 0.5)
		return in->running ? R_NOT_YET : R_TOO_SHORT;
	if (x->other_unit)
		return R_OTHER_UNIT;
	if (x->cached == TRI_TRUE) {
		if (x->moved_share >= 0)
			word_say(w, W_PERCENT, "storage moved %.0f %% of the bytes", 100 * x->moved_share);
		else
			word_say(w, W_PERCENT, "%s", "the bytes never reached storage");
		return R_CACHED;
	}
	if (x->optimizing >= 0 && x->optimizing < 100) {
		word_say(w, W_PERCENT, "%d %%", x->optimizing);
		return R_OPTIMIZING;
	}
	for (size_t i = 0; in->expect && i < in->nr_segments; i++)
		any = any || (in->expect[i] && in->expect[i]->volumes.n);
	if (any)
		return REASON_NR;
	for (size_t i = 0; i + 1 < in->nr_phases; i++) {
		const struct phase *p = &in->phase[i];
		if (p->kind != PH_BURST || isnan(p->iops))
			continue;
		say_both(w, W_FIRST, p->iops, p->bw);
		say_both(w, W_LATER, p[1].iops, p[1].bw);
		word_say(w, W_WHEN, "%s", fmt_duration(a, (p->end_s - x->start_s) * x->time_scale));
		return R_NO_VOLUME_CHANGE;
	}
	if (x->seconds * x->time_scale < x->later_s) {
		char b[FMT_LEN];
		word_say(w, W_LATER, "%s%s", isnan(x->later_bw) ? fmt_iops(b, x->later_iops) : fmt_bw(b, x->later_bw),
			 isnan(x->later_bw) ? " IOPS" : "");
		word_say(w, W_WHEN, "%s", fmt_duration(a, x->later_s));
		return R_NO_VOLUME_NOT_REACHED;
	}
	return R_NO_VOLUME;
}
