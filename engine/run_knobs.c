/* SPDX-License-Identifier: MIT */
#include "engine/run_impl.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/sampler.h"
#include "engine/units.h"

static const char *const knob_names[KNOB_NR] = { "iodepth", "bs", "rwmixread", "rate_iops", "time_scale", "credits" };

const char *knob_name(enum knob k)
{
	return knob_names[k];
}

void run_begin_segment(struct run *run, double t_s)
{
	struct result *r = run->result;
	const struct knobs *k = job_knobs(run->job);

	if (r->nr_segments == RESULT_SEGMENTS_MAX)
		return;
	r->segment[r->nr_segments++] = (struct segment){ t_s, t_s, ctr_get(&k->bs), ctr_get(&k->iodepth),
							 ctr_get(&k->rwmixread), ctr_get(&k->rate_iops) };
}

/* A stretch of the measured part ends here; a new one begins with the knobs as they are. */
static void cut_segment(struct run *run)
{
	double t = clock_seconds(clock_ns() - run->start_ns);

	run->result->segment[run->result->nr_segments - 1].end_s = t;
	run_begin_segment(run, t);
}

static _Atomic uint64_t *knob_of(struct knobs *k, enum knob which)
{
	switch (which) {
	case KNOB_IODEPTH:
		return &k->iodepth;
	case KNOB_BS:
		return &k->bs;
	case KNOB_RWMIXREAD:
		return &k->rwmixread;
	default:
		return &k->rate_iops;
	}
}

static double knob_clamp(const struct run *run, enum knob which, double v)
{
	double lba = run->targets.n ? run->targets.at[0].lba : 512;

	switch (which) {
	case KNOB_IODEPTH:
		return fmin(fmax(v, 1), (double)job_iodepth_max(run->job));
	case KNOB_BS:
		return fmin(fmax(floor(v / lba) * lba, lba), (double)job_bs_max(run->job));
	case KNOB_RWMIXREAD:
		return fmin(fmax(v, 0), 100);
	default:
		return fmin(fmax(v, 0), 1e9);
	}
}

/* A result has room for so many stretches: one that hid further turns would give figures for knobs that moved. */
static bool may_turn(struct run *run)
{
	struct result *r = run->result;
	unsigned said = r->nr_warnings;

	if (run->phase != PHASE_MEASURE || result_turns(r) < RESULT_TURNS_MAX)
		return true;
	result_warn(r, "knobs were turned %d times, which is all that a test takes: they stayed as they were from there", RESULT_TURNS_MAX);
	if (r->nr_warnings > said)
		run_event(run, EVENT_MARK, "%d turns of knobs: a test takes no more", RESULT_TURNS_MAX);
	return false;
}

static void turn_knob(struct run *run, enum knob which, double v)
{
	char text[FMT_LEN];

	if (!may_turn(run))
		return;
	if (which == KNOB_TIME_SCALE || which == KNOB_REFILL) {
		if (!run->shaper)
			return;
		if (which == KNOB_REFILL) {
			shaper_refill(run->shaper, clock_ns());
			run_event(run, EVENT_KNOB, "credits full again");
		} else {
			shaper_set_time_scale(run->shaper, clock_ns(), fmin(fmax(v, 1), SHAPE_SCALE_MAX));
			run_event(run, EVENT_KNOB, "time scale %.0f", shaper_time_scale(run->shaper));
		}
	} else if (!job_has_knobs(run->job)) {
		return;
	} else {
		_Atomic uint64_t *knob = knob_of(job_knobs(run->job), which);
		uint64_t to = (uint64_t)knob_clamp(run, which, v);
		if (to == (which == KNOB_IODEPTH ? job_real_depth(run->job) : ctr_get(knob)))
			return;
		ctr_set(knob, to);
		if (which == KNOB_BS)
			run_event(run, EVENT_KNOB, "bs %s", fmt_bs(text, to));
		else if (which == KNOB_RATE_IOPS && !to)
			run_event(run, EVENT_KNOB, "rate_iops none");
		else
			run_event(run, EVENT_KNOB, "%s %llu", knob_name(which), (unsigned long long)to);
	}
	sampler_phase(run->sampler, run->phase); /* no tick straddles the turn */
	if (run->phase == PHASE_MEASURE)
		cut_segment(run);
}

void run_do_commands(struct run *run)
{
	struct command cmd[COMMANDS_MAX];

	pthread_mutex_lock(&run->lock);
	unsigned n = run->nr_commands;
	memcpy(cmd, run->command, n * sizeof(*cmd));
	run->nr_commands = 0;
	pthread_mutex_unlock(&run->lock);
	for (unsigned i = 0; i < n; i++) {
		if (cmd[i].what == CMD_MARK)
			run_event(run, EVENT_MARK, "%s", cmd[i].text);
		else if (cmd[i].what == CMD_KNOB && run->job && (run->phase == PHASE_RAMP || run->phase == PHASE_MEASURE))
			turn_knob(run, cmd[i].knob, cmd[i].value);
	}
}

double run_knob_get(struct run *run, enum knob k)
{
	double v = NAN;

	pthread_mutex_lock(&run->lock);
	if (k == KNOB_TIME_SCALE)
		v = run->shaper ? shaper_time_scale(run->shaper) : NAN;
	else if (run->job && k != KNOB_REFILL)
		v = (double)ctr_get(knob_of(job_knobs(run->job), k));
	pthread_mutex_unlock(&run->lock);
	return v;
}

bool run_has_knobs(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	bool has = run->job && job_has_knobs(run->job);
	pthread_mutex_unlock(&run->lock);
	return has;
}
