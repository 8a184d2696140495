/* SPDX-License-Identifier: MIT */
#include "engine/run.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/cgroup.h"
#include "engine/blockio.h"
#include "engine/clock.h"
#include "engine/diskstats.h"
#include "engine/layout.h"
#include "engine/recorder.h"
#include "engine/run_header.h"
#include "engine/run_judge.h"
#include "engine/sampler.h"
#include "engine/units.h"
#include "engine/worker.h"

#define NOTES_MAX 32

struct command {
	enum { CMD_KNOB, CMD_MARK } what;
	enum knob knob;
	double	  value;
	char	  text[120];
};
#define COMMANDS_MAX 64

struct run {
	pthread_t	   thread;
	struct run_plan	   plan;
	char		   target_text[4096], title[96], version[32];
	int		   wake_fd; /* eventfd: ticks, commands, the end of a job */
	struct target_list targets;
	bool		   targets_open, rechecked;
	struct scratch_dir files; /* of file tests: open from the first of them to the end of the run */
	struct diskset	   disks;
	struct shaper	  *shaper;
	struct sampler	  *sampler;
	struct recorder	   recorder;
	uint64_t	   start_ns;

	/* the conductor's own: the test in hand */
	unsigned	   test, repeat;
	enum run_phase	   phase;
	struct result	  *result;
	struct totals	  *before, *now, *sum;
	struct run_usage   usage; /* device, cgroup and CPU at the start of the measured part */

	pthread_mutex_t	   lock; /* guards all below */
	struct job	  *job;
	struct runlog	  *log;
	struct command	   command[COMMANDS_MAX];
	unsigned	   nr_commands;
	bool		   skip, paused, ended;
	enum run_end	   stop; /* RUN_RUNNING: not asked to */
	char		   stop_text[160];
	struct err	   err;
	char		   note[NOTES_MAX][256];
	unsigned	   nr_notes;
};

static const char *const knob_names[KNOB_NR] = { "iodepth", "bs", "rwmixread", "rate_iops", "time_scale", "credits" };

const char *knob_name(enum knob k)
{
	return knob_names[k];
}

static void wake(int fd)
{
	uint64_t one = 1;

	if (fd >= 0 && write(fd, &one, sizeof(one)) < 0)
		return; /* full: it is readable anyway */
}

static void note(struct run *run, const char *text)
{
	pthread_mutex_lock(&run->lock);
	if (run->nr_notes < NOTES_MAX)
		snprintf(run->note[run->nr_notes++], sizeof(run->note[0]), "%.*s", (int)sizeof(run->note[0]) - 1, text);
	pthread_mutex_unlock(&run->lock);
}

static void record(struct run *run, json_t *entry)
{
	struct err err;

	if (recorder_write(&run->recorder, entry, &err) < 0)
		note(run, err.msg);
}

static bool stopping(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	bool s = run->stop != RUN_RUNNING;
	pthread_mutex_unlock(&run->lock);
	return s;
}

static bool skipping(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	bool s = run->skip || run->stop != RUN_RUNNING;
	pthread_mutex_unlock(&run->lock);
	return s;
}

void run_event(struct run *run, enum event_kind kind, const char *fmt, ...)
{
	struct event e = { .t_ns = clock_ns() - run->start_ns, .kind = kind, .test = run->test };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e.text, sizeof(e.text), fmt, ap);
	va_end(ap);
	runlog_event(run->log, &e);
	record(run, event_to_json(&e));
}

static void drain_ticks(struct run *run)
{
	struct tick *t;
	bool any = false;

	while ((t = sampler_next(run->sampler))) {
		if (run->plan.hooks && run->plan.hooks->tick)
			run->plan.hooks->tick(run->plan.hooks_ctx, run, t, run->shaper);
		runlog_tick(run->log, t);
		record(run, tick_to_json(t));
		free(t);
		any = true;
	}
	if (any)
		wake(run->plan.news_fd);
}

/* A stretch ends here; a new one begins with the knobs as they are. */
static void cut_segment(struct run *run)
{
	struct result *r = run->result;
	const struct knobs *k = job_knobs(run->job);
	double t = clock_seconds(clock_ns() - run->start_ns);

	if (r->nr_segments)
		r->segment[r->nr_segments - 1].end_s = t;
	if (r->nr_segments == RESULT_SEGMENTS_MAX)
		return;
	r->segment[r->nr_segments++] = (struct segment){ t, t, ctr_get(&k->bs), ctr_get(&k->iodepth),
							 ctr_get(&k->rwmixread), ctr_get(&k->rate_iops) };
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
	const struct workload *wl = &run->result->wl;
	double lba = run->targets.n ? run->targets.at[0].lba : 512;

	switch (which) {
	case KNOB_IODEPTH:
		return fmin(fmax(v, 1), (double)run_iodepth_max(wl));
	case KNOB_BS:
		return fmin(fmax(v, lba), (double)run_bs_max(wl));
	case KNOB_RWMIXREAD:
		return fmin(fmax(v, 0), 100);
	default:
		return fmin(fmax(v, 0), 1e9);
	}
}

static void turn_knob(struct run *run, enum knob which, double v)
{
	char text[FMT_LEN];

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
	} else {
		_Atomic uint64_t *knob = knob_of(job_knobs(run->job), which);
		uint64_t to = (uint64_t)knob_clamp(run, which, v);
		if (to == ctr_get(knob))
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
	cut_segment(run);
}

static void do_commands(struct run *run)
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
		else if (cmd[i].what == CMD_KNOB && run->job && run->result && run->phase != PHASE_LAYOUT)
			turn_knob(run, cmd[i].knob, cmd[i].value);
	}
}

/* Sleep until there is news or @p until_ns (0: no end), and deal with the news. */
static void wait_news(struct run *run, uint64_t until_ns)
{
	struct pollfd p = { .fd = run->wake_fd, .events = POLLIN };
	uint64_t now = clock_ns(), n;
	struct timespec ts = clock_timespec(until_ns > now ? until_ns - now : 0);

	if (ppoll(&p, 1, until_ns ? &ts : NULL, NULL) > 0 && read(run->wake_fd, &n, sizeof(n)) < 0)
		return;
	drain_ticks(run);
	do_commands(run);
}

static void set_job(struct run *run, struct job *job)
{
	pthread_mutex_lock(&run->lock);
	run->job = job;
	pthread_mutex_unlock(&run->lock);
}

static void read_device(void *ctx, struct device_reading *out)
{
	const struct run *run = ctx;
	struct diskstats st;

	if (diskstats_sum(&run->disks, &st) < 0)
		return;
	for (int d = 0; d < DDIR_NR; d++) {
		out->dir[d].ios = st.dir[d].ios;
		out->dir[d].bytes = st.dir[d].bytes;
	}
}

static void attach(struct run *run, enum run_phase phase)
{
	struct sampler_source src = { .job = run->job, .read_device = run->disks.n ? read_device : NULL, .ctx = run,
				      .test = run->test, .repeat = run->repeat, .phase = phase };

	run->phase = phase;
	sampler_attach(run->sampler, &src);
}

/* Join the job in hand. What it counted must have been read. */
static int end_job(struct run *run, struct err *err)
{
	struct job *job = run->job;

	sampler_detach(run->sampler);
	drain_ticks(run);
	set_job(run, NULL);
	return job_join(job, err);
}

/* Before the first write: is what is open still what was checked? After it, the targets hold our data. */
static int recheck(struct run *run, struct err *err)
{
	if (!run->rechecked && target_list_recheck(&run->targets, err) < 0)
		return -1;
	run->rechecked = true;
	return 0;
}

static int lay_out(struct run *run, struct err *err)
{
	uint64_t t0 = clock_ns();
	struct job *job;

	if (recheck(run, err) < 0 ||
	    layout_start(&job, &run->result->wl, run->targets.at, (unsigned)run->targets.n, run->wake_fd, err) < 0)
		return err_wrap(err, "lay out");
	set_job(run, job);
	run_event(run, EVENT_START, "laying out %s", run->targets.at[0].path);
	attach(run, PHASE_LAYOUT);
	while (!job_done(job)) {
		if (skipping(run))
			job_stop(job);
		wait_news(run, 0);
	}
	if (end_job(run, err) < 0)
		return err_wrap(err, "lay out");
	run->result->layout_s = clock_seconds(clock_ns() - t0);
	return 0;
}

/* A sequential write lays out as it goes; everything else would touch blocks that are not there yet. */
static bool needs_layout(const struct run *run, const struct step *step)
{
	if (step->no_layout || (step->wl.rw == RW_WRITE && !step->body))
		return false;
	return layout_needed(run->targets.at, (unsigned)run->targets.n);
}

static int drop_caches(const struct run *run, struct err *err)
{
	for (size_t i = 0; i < run->targets.n; i++) {
		if (layout_drop_cache(&run->targets.at[i], err) < 0)
			return -1;
	}
	return 0;
}

/*
 * The measured part begins. A test with a body of its own is measured from before its first step (@p from_start: the
 * readings are there already), block I/O from when it runs.
 */
static void begin_measure(struct run *run, bool from_start)
{
	struct result *r = run->result;

	if (run->phase != PHASE_MEASURE) {
		run->phase = PHASE_MEASURE;
		sampler_phase(run->sampler, PHASE_MEASURE);
	}
	if (!from_start) {
		run_usage_read(&run->usage, &run->disks, run->job);
		totals_init(run->before);
		job_totals(run->job, run->before);
	}
	if (isnan(r->start_s))
		r->start_s = clock_seconds(run->before->t_ns - run->start_ns);
	cut_segment(run);
}

/* The measured part ends: totals of what happened in it are added to those of earlier repetitions. */
static void end_measure(struct run *run)
{
	struct result *r = run->result;
	struct run_usage usage;

	totals_init(run->now);
	job_totals(run->job, run->now);
	if (run->now->accepted_ns > run->before->t_ns)
		run->now->t_ns = run->now->accepted_ns; /* a body's own word of when its time ended */
	run_usage_read(&usage, &run->disks, run->job);
	if (run->phase == PHASE_MEASURE) {
		run->phase = PHASE_DRAIN;
		sampler_phase(run->sampler, PHASE_DRAIN);
	}
	r->end_s = clock_seconds(run->now->t_ns - run->start_ns);
	if (r->nr_segments)
		r->segment[r->nr_segments - 1].end_s = r->end_s;
	run_judge_durable(r, run->now, run->before->t_ns);
	totals_sub(run->now, run->before);
	run_usage_sub(&usage, &run->usage);
	run_judge_add(r, run->sum, run->now, &usage);
}

static int start_job(struct run *run, const struct step *step, struct err *err)
{
	const struct workload *wl = &step->wl;
	struct job *job;
	struct job_spec spec = {
		.wl = wl,
		.targets = run->targets.at,
		.nr_targets = (unsigned)run->targets.n,
		.shaper = run->shaper,
		.sim_lat_ns = run->plan.shape.latency_ns,
		.iodepth_max = step->body ? 0 : run_iodepth_max(wl),
		.bs_max = step->body ? 0 : run_bs_max(wl),
		.duration_ns = wl->runtime_ns ? wl->ramp_ns + wl->runtime_ns : 0,
		.bytes_max = wl->runtime_ns || step->body ? 0 : run->targets.at[0].size_bytes * wl->numjobs,
		.body = step->body,
		.body_arg = &step->params,
		.notify_fd = run->wake_fd,
	};

	if (job_start(&job, &spec, err) < 0)
		return -1;
	set_job(run, job);
	run->result->wl.ioengine = job_ioengine(job);
	if (!step->body && job_real_depth(job) < wl->iodepth)
		result_warn(run->result, "%s: I/O is synchronous here, so iodepth is 1 per job, not %llu",
			    wl->direct ? "not direct" : "buffered", (unsigned long long)wl->iodepth);
	return 0;
}

/* The body of a job that only waits until everything is on disk. */
static int settle_body(struct worker *w, struct err *err)
{
	for (unsigned i = 0; i < w->nr_targets; i++) {
		const struct target *t = w->targets[i];

		if (t->fd >= 0 && worker_flush(w, t->fd, blockio_span(w->wl, t), false) < 0)
			return err_sys(err, "flush %.300s", w->targets[i]->path);
	}
	return 0;
}

/* What was accepted is measured; now wait for the disk, and note when it had all of it. */
static int settle(struct run *run, struct err *err)
{
	struct job_spec spec = { .wl = &run->result->wl, .targets = run->targets.at, .nr_targets = (unsigned)run->targets.n,
				 .body = settle_body, .notify_fd = run->wake_fd };
	struct job *job;

	if (job_start(&job, &spec, err) < 0)
		return -1;
	set_job(run, job);
	attach(run, PHASE_DRAIN);
	while (!job_done(job)) {
		if (skipping(run))
			job_stop(job);
		wait_news(run, 0);
	}
	if (isnan(run->result->durable_s) && !skipping(run))
		run->result->durable_s = (double)(clock_ns() - run->before->t_ns) / 1e9;
	return end_job(run, err);
}

/* One repetition of one test. @return -1 with the error that ended it; what was measured is in run->result. */
static int do_repeat(struct run *run, const struct step *step, struct err *err)
{
	if (step->wl.invalidate && !step->body && !step->wl.direct && rw_reads(step->wl.rw) && drop_caches(run, err) < 0)
		return -1;
	if ((rw_writes(step->wl.rw) || step->writes) && recheck(run, err) < 0)
		return -1;
	if (step->body) {
		run_usage_read(&run->usage, &run->disks, NULL);
		totals_init(run->before);
		run->before->t_ns = clock_ns();
	}
	if (start_job(run, step, err) < 0)
		return -1;
	uint64_t ramp_end = job_began_ns(run->job) + step->wl.ramp_ns, end = ramp_end + step->wl.runtime_ns;
	attach(run, step->wl.ramp_ns ? PHASE_RAMP : PHASE_MEASURE);
	while (run->phase == PHASE_RAMP && clock_ns() < ramp_end && !job_done(run->job) && !skipping(run))
		wait_news(run, ramp_end);
	begin_measure(run, step->body != NULL);
	while (!job_done(run->job) && !skipping(run) && !(step->wl.runtime_ns && clock_ns() >= end))
		wait_news(run, step->wl.runtime_ns ? end : 0);
	end_measure(run);
	job_stop(run->job);
	while (!job_done(run->job))
		wait_news(run, 0);
	totals_init(run->now);
	job_totals(run->job, run->now);
	run_judge_cpu(run->result, run->now);
	if (end_job(run, err) < 0)
		return -1;
	return step->settle && !skipping(run) ? settle(run, err) : 0;
}

/*
 * No I/O of ours: what the devices do by themselves, until told to stop. What they moved is what is measured.
 */
static int do_watch(struct run *run, const struct step *step, struct err *err)
{
	struct run_usage before = { 0 }, after = { 0 };
	uint64_t t0 = clock_ns(), end = t0 + step->wl.runtime_ns;

	if (diskstats_sum(&run->disks, &before.disk) < 0)
		return err_set(err, ENODEV, "%s: there are no counters of a device below it", run->plan.target);
	attach(run, PHASE_MEASURE);
	run->result->start_s = clock_seconds(t0 - run->start_ns);
	while (!skipping(run) && !(step->wl.runtime_ns && clock_ns() >= end))
		wait_news(run, step->wl.runtime_ns ? end : 0);
	uint64_t t1 = clock_ns();
	bool there = diskstats_sum(&run->disks, &after.disk) == 0;
	sampler_detach(run->sampler);
	drain_ticks(run);
	run->result->end_s = clock_seconds(t1 - run->start_ns);
	if (!there || diskstats_sub(&after.disk, &before.disk) < 0)
		return err_set(err, ENODEV, "%s: the device is gone", run->plan.target);
	run->sum->t_ns = t1 - t0;
	for (int d = 0; d < DDIR_NR; d++) {
		run->sum->dir[d].ios = after.disk.dir[d].ios;
		run->sum->dir[d].bytes = after.disk.dir[d].bytes;
	}
	return 0;
}

static struct result *new_result(struct run *run, const struct step *step)
{
	struct result *r = result_new();

	if (!r)
		return NULL;
	memcpy(r->name, step->name, sizeof(r->name));
	memcpy(r->equivalent, step->equivalent, sizeof(r->equivalent));
	memcpy(r->measures, step->measures, sizeof(r->measures));
	if (*step->warning)
		result_warn(r, "%s", step->warning);
	r->kind = step->kind;
	r->wl = step->wl;
	if (r->kind == TEST_CHAR && (r->more = json_object())) /* its two meanings do not compare */
		json_object_set_new(r->more, "per_char", json_string(step->params.stdio ? "stdio" : "syscall"));
	if (!r->wl.size && run->targets.n)
		r->wl.size = run->targets.at[0].size_bytes;
	if (step->describe)
		step->describe(r, step);
	return r;
}

static void finish_result(struct run *run, const struct step *step, bool stopped)
{
	struct result *r = run->result;

	if (run->sum->t_ns) {
		result_measure(r, run->sum);
		if (r->kind != TEST_WATCH)
			run_judge(r, run->sum, &run->targets);
		if (r->too_short && step->null_short)
			result_no_figures(r);
		if (stopped && step->wl.runtime_ns)
			result_warn(r, "ended by hand after %.1f s of %.1f s", r->runtime_s,
				    clock_seconds(step->wl.runtime_ns) * step->repeats);
		struct runlog_snap *snap = malloc(sizeof(*snap));
		if (snap && run->plan.hooks && run->plan.hooks->result) {
			runlog_snap(run->log, snap);
			run->plan.hooks->result(run->plan.hooks_ctx, run, r, run->test, snap->span);
			runlog_snap_release(snap);
		}
		free(snap);
		json_t *o = result_to_json(r);
		json_object_set_new(o, "type", json_string("result"));
		record(run, o);
		runlog_result(run->log, r);
		wake(run->plan.news_fd);
	} else {
		result_free(r); /* stopped before anything was measured */
	}
	run->result = NULL;
}

static int open_targets(struct run *run, struct err *err)
{
	struct target_request req = run->plan.req;

	if (run->plan.step[0].kind == TEST_WATCH)
		return run_watch_disks(&run->disks, run->target_text, err);
	req.write = req.direct = false;
	for (unsigned i = 0; i < run->plan.nr_steps; i++) {
		const struct step *s = &run->plan.step[i];
		if (workload_check(&s->wl, 0, err) < 0 || (!run->plan.simulated && run_check_memory(&s->wl, err) < 0))
			return -1; /* before a file is made; again below, with the target's block size */
		req.write = req.write || rw_writes(s->wl.rw) || s->writes;
		req.direct = req.direct || s->wl.direct;
		if (s->wl.size > req.size)
			req.size = s->wl.size;
	}
	if (target_list_open(&run->targets, run->target_text, &req, err) < 0)
		return -1;
	run->targets_open = true;
	run->rechecked = false;
	run_disks_of(&run->disks, &run->targets);
	for (unsigned i = 0; i < run->plan.nr_steps; i++) {
		if (workload_check(&run->plan.step[i].wl, run->targets.at[0].lba, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < run->targets.n && !run->log; i++) { /* said once, not at each new scratch file */
		const struct target *t = &run->targets.at[i];
		for (unsigned k = 0; k < t->notes.n; k++)
			note(run, t->notes.text[k]);
	}
	return 0;
}

static int reopen_targets(struct run *run, struct err *err)
{
	target_list_close(&run->targets);
	run->targets_open = false;
	return open_targets(run, err);
}

static void pause_if_skipped(struct run *run, bool more)
{
	pthread_mutex_lock(&run->lock);
	run->paused = run->skip && more && run->stop == RUN_RUNNING;
	run->skip = false;
	bool paused = run->paused;
	pthread_mutex_unlock(&run->lock);
	if (paused)
		run_event(run, EVENT_STOP, "ended by hand; go on with the rest?");
	wake(run->plan.news_fd);
	while (paused && !stopping(run)) {
		wait_news(run, 0);
		pthread_mutex_lock(&run->lock);
		paused = run->paused;
		pthread_mutex_unlock(&run->lock);
	}
}

/* Where files with names are made: a directory of our own, mode 0700, that goes with the run. */
static int open_files(struct run *run, struct err *err)
{
	char text[256];

	if (run->files.fd > 0)
		return 0;
	if (run->targets.at[0].kind != TARGET_DIR)
		return err_set(err, ERR_USAGE, "%s is no directory: tests of files need one", run->plan.target);
	if (scratch_dir_open(&run->files, run->targets.at[0].real, err) < 0)
		return -1;
	snprintf(text, sizeof(text), "files are made in %.180s, a directory of our own (mode 0700)", run->files.path);
	note(run, text);
	for (unsigned i = 0; i < run->plan.nr_steps; i++)
		run->plan.step[i].params.dir_fd = run->files.fd;
	return 0;
}

static int do_step(struct run *run, const struct step *step, struct err *err)
{
	int rc = 0;

	if (step->fresh_target && run->test && reopen_targets(run, err) < 0)
		return -1;
	if (step->kind == TEST_FILE && open_files(run, err) < 0)
		return -1;
	run->result = new_result(run, step);
	if (!run->result)
		return err_set(err, ENOMEM, "no memory");
	totals_init(run->sum);
	run_event(run, EVENT_TEST, "%s", step->name);
	if (run->plan.hooks && run->plan.hooks->test)
		run->plan.hooks->test(run->plan.hooks_ctx, run, run->test, step);
	if (step->kind != TEST_WATCH && needs_layout(run, step))
		rc = lay_out(run, err);
	if (step->kind == TEST_WATCH)
		rc = do_watch(run, step, err);
	for (run->repeat = 0; step->kind != TEST_WATCH && rc == 0 && run->repeat < step->repeats && !skipping(run); run->repeat++)
		rc = do_repeat(run, step, err);
	if (rc < 0) {
		run->result->failed = true;
		result_warn(run->result, "%s", err->msg);
		run_event(run, EVENT_ERROR, "%s", err->msg);
	}
	finish_result(run, step, skipping(run));
	return rc < 0 ? err_wrap(err, "%s", step->name) : 0;
}

static int prepare(struct run *run, struct err *err)
{
	struct run_header *h = calloc(1, sizeof(*h));
	struct err warn;

	if (!h)
		return err_set(err, ENOMEM, "no memory");
	if (open_targets(run, err) < 0)
		goto fail;
	run_header_fill(h, &run->plan, &run->targets);
	if (run->plan.hooks && run->plan.hooks->opened &&
	    run->plan.hooks->opened(run->plan.hooks_ctx, &run->targets, h, err) < 0)
		goto fail;
	if (h->shaped) {
		run->shaper = shaper_new(&run->plan.shape);
		if (!run->shaper) {
			err_set(err, ENOMEM, "no memory");
			goto fail;
		}
	}
	run->start_ns = clock_ns();
	if (sampler_start(&run->sampler, run->start_ns, run->wake_fd, err) < 0)
		goto fail;
	if (run->plan.record && *run->plan.record && recorder_open_path(&run->recorder, run->plan.record, err) < 0)
		goto fail;
	if (run->plan.record && !*run->plan.record && recorder_open(&run->recorder, h, &warn) < 0) {
		err_wrap(&warn, "not recorded");
		note(run, warn.msg);
	}
	record(run, run_header_to_json(h));
	struct runlog *log = runlog_new(h); /* owns the header's doc now */
	pthread_mutex_lock(&run->lock);
	run->log = log;
	pthread_mutex_unlock(&run->lock);
	free(h);
	return log ? 0 : err_set(err, ENOMEM, "no memory");
fail:
	json_decref(h->doc);
	free(h);
	return -1;
}

static void finish(struct run *run, int rc)
{
	pthread_mutex_lock(&run->lock);
	enum run_end end = rc < 0 ? RUN_ERROR : run->stop != RUN_RUNNING ? run->stop : RUN_DONE;
	const char *text = rc < 0 ? run->err.msg : run->stop_text;
	pthread_mutex_unlock(&run->lock);
	if (run->log) {
		uint64_t t = clock_ns() - run->start_ns;
		record(run, run_end_to_json(end, t, text));
		runlog_end(run->log, end, t, text);
	}
	recorder_close(&run->recorder);
	sampler_free(run->sampler);
	run->sampler = NULL;
	scratch_dir_close(&run->files);
	if (run->targets_open)
		target_list_close(&run->targets);
	run->targets_open = false;
	pthread_mutex_lock(&run->lock);
	run->stop = end;
	run->ended = true;
	pthread_mutex_unlock(&run->lock);
	wake(run->plan.news_fd);
}

static void *run_main(void *arg)
{
	struct run *run = arg;
	struct err err = { 0 };
	int rc = prepare(run, &err);

	for (run->test = 0; rc == 0 && run->test < run->plan.nr_steps && !stopping(run); run->test++) {
		rc = do_step(run, &run->plan.step[run->test], &err);
		pause_if_skipped(run, run->test + 1 < run->plan.nr_steps);
	}
	if (rc < 0) {
		pthread_mutex_lock(&run->lock);
		run->err = err;
		pthread_mutex_unlock(&run->lock);
	}
	finish(run, rc);
	return NULL;
}

int run_start(struct run **out, const struct run_plan *plan, struct err *err)
{
	struct run *run = calloc(1, sizeof(*run));
	int rc;

	if (!run)
		return err_set(err, ENOMEM, "no memory");
	pthread_mutex_init(&run->lock, NULL);
	run->plan = *plan;
	run->recorder.fd = -1;
	snprintf(run->target_text, sizeof(run->target_text), "%s", plan->target);
	snprintf(run->title, sizeof(run->title), "%s", plan->title);
	snprintf(run->version, sizeof(run->version), "%s", plan->version);
	run->plan.target = run->target_text;
	run->plan.title = run->title;
	run->plan.version = run->version;
	run->before = malloc(sizeof(struct totals));
	run->now = malloc(sizeof(struct totals));
	run->sum = malloc(sizeof(struct totals));
	run->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!run->before || !run->now || !run->sum || run->wake_fd < 0)
		rc = errno ? errno : ENOMEM;
	else
		rc = pthread_create(&run->thread, NULL, run_main, run);
	if (rc) {
		run->ended = true;
		run->thread = pthread_self();
		run_free(run);
		return err_set(err, rc, "start the run: %s", strerror(rc));
	}
	*out = run;
	return 0;
}

void run_stop(struct run *run, enum run_end end, const char *text)
{
	pthread_mutex_lock(&run->lock);
	if (run->stop == RUN_RUNNING && !run->ended) {
		run->stop = end;
		snprintf(run->stop_text, sizeof(run->stop_text), "%s", text ? text : "");
		if (run->job)
			job_stop(run->job);
	}
	pthread_mutex_unlock(&run->lock);
	wake(run->wake_fd);
}

static void command(struct run *run, const struct command *cmd)
{
	pthread_mutex_lock(&run->lock);
	if (run->nr_commands < COMMANDS_MAX)
		run->command[run->nr_commands++] = *cmd;
	pthread_mutex_unlock(&run->lock);
	wake(run->wake_fd);
}

void run_skip(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	run->skip = true;
	if (run->job)
		job_stop(run->job);
	pthread_mutex_unlock(&run->lock);
	wake(run->wake_fd);
}

void run_go_on(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	run->paused = false;
	pthread_mutex_unlock(&run->lock);
	wake(run->wake_fd);
}

bool run_paused(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	bool p = run->paused;
	pthread_mutex_unlock(&run->lock);
	return p;
}

bool run_ended(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	bool e = run->ended;
	pthread_mutex_unlock(&run->lock);
	return e;
}

void run_knob(struct run *run, enum knob k, double value)
{
	command(run, &(struct command){ .what = CMD_KNOB, .knob = k, .value = value });
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

void run_mark(struct run *run, const char *text)
{
	struct command cmd = { .what = CMD_MARK };

	snprintf(cmd.text, sizeof(cmd.text), "%s", text);
	command(run, &cmd);
}

struct runlog *run_log(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	struct runlog *log = run->log;
	pthread_mutex_unlock(&run->lock);
	return log;
}

const char *run_record_path(struct run *run)
{
	return run->recorder.path;
}

bool run_note(struct run *run, char *buf, size_t size)
{
	pthread_mutex_lock(&run->lock);
	bool any = run->nr_notes > 0;
	if (any) {
		snprintf(buf, size, "%s", run->note[0]);
		run->nr_notes--;
		memmove(run->note[0], run->note[1], run->nr_notes * sizeof(run->note[0]));
	}
	pthread_mutex_unlock(&run->lock);
	return any;
}

enum run_end run_how(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	enum run_end e = run->ended ? run->stop : RUN_RUNNING;
	pthread_mutex_unlock(&run->lock);
	return e;
}

int run_join(struct run *run, struct err *err)
{
	if (!pthread_equal(run->thread, pthread_self())) {
		pthread_join(run->thread, NULL);
		run->thread = pthread_self();
	}
	if (run->err.code) {
		*err = run->err;
		return -1;
	}
	return 0;
}

void run_free(struct run *run)
{
	struct err ignored;

	if (!run)
		return;
	(void)run_join(run, &ignored);
	runlog_free(run->log);
	shaper_free(run->shaper);
	free(run->before);
	free(run->now);
	free(run->sum);
	if (run->wake_fd >= 0)
		close(run->wake_fd);
	pthread_mutex_destroy(&run->lock);
	free(run);
}
