/* SPDX-License-Identifier: MIT */
#include "engine/run_impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/blockio.h"
#include "engine/clock.h"
#include "engine/diskstats.h"
#include "engine/fio_line.h"
#include "engine/layout.h"
#include "engine/run_header.h"
#include "engine/run_judge.h"
#include "engine/sampler.h"
#include "engine/worker.h"

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
	struct workload whole = run->result->wl;
	uint64_t t0 = clock_ns();
	struct job *job;

	whole.size = 0; /* a later test may use more of the targets than this one does */
	if (recheck(run, err) < 0 ||
	    layout_start(&job, &whole, run->targets.at, (unsigned)run->targets.n, run->wake_fd, err) < 0)
		return err_wrap(err, "lay out");
	run_set_job(run, job);
	run_event(run, EVENT_START, "laying out %s", run->targets.at[0].path);
	run_attach(run, PHASE_LAYOUT);
	while (!job_done(job)) {
		if (run_skipping(run))
			job_stop(job);
		run_wait_news(run, 0);
	}
	if (run_end_job(run, err) < 0)
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

/* What everything stands at, the first of the two readings that a measurement is the difference of. */
static void read_before(struct run *run)
{
	run_usage_read(&run->usage, &run->disks, run->job);
	job_totals(run->job, run->before);
}

/* The workers begin. Readings come before it, so that the first I/O is measured as all others are. */
static void let_go(struct run *run, bool ramp)
{
	run_attach(run, ramp ? PHASE_RAMP : PHASE_MEASURE);
	read_before(run);
	job_go(run->job);
	run->before->t_ns = job_began_ns(run->job);
}

/* The measured part begins: here where there was a ramp, else it did with the first I/O. */
static void begin_measure(struct run *run)
{
	struct result *r = run->result;

	if (run->phase != PHASE_MEASURE) {
		run->phase = PHASE_MEASURE;
		sampler_phase(run->sampler, PHASE_MEASURE);
		read_before(run);
	}
	if (isnan(r->start_s))
		r->start_s = clock_seconds(run->before->t_ns - run->start_ns);
	run_begin_segment(run, clock_seconds(run->before->t_ns - run->start_ns));
}

/* The measured part ends: totals of what happened in it are added to those of earlier repetitions. */
static void end_measure(struct run *run)
{
	struct result *r = run->result;
	struct run_usage usage;

	job_totals(run->job, run->now);
	if (run->now->began_ns > run->before->t_ns)
		run->before->t_ns = run->now->began_ns; /* a body's own word of when its time began, and ended */
	if (run->now->accepted_ns > run->before->t_ns)
		run->now->t_ns = run->now->accepted_ns;
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
		.bytes_max = (wl->runtime_ns && !step->once) || step->body ? 0 : run_pass_bytes(wl, &run->targets),
		.body = step->body,
		.body_arg = &step->params,
		.held = true,
		.notify_fd = run->wake_fd,
	};

	if (job_start(&job, &spec, err) < 0)
		return -1;
	run_set_job(run, job);
	run->result->wl.ioengine = job_ioengine(job);
	if (!step->body && job_real_depth(job) < wl->iodepth)
		result_warn(run->result, "%s: I/O is synchronous here, so iodepth is 1 per job, not %llu",
			    wl->ioengine == IOENGINE_SYNC ? "ioengine=sync" : wl->direct ? "not direct" : "buffered", (unsigned long long)wl->iodepth);
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
	run_set_job(run, job);
	run_attach(run, PHASE_DRAIN);
	while (!job_done(job)) {
		if (run_skipping(run))
			job_stop(job);
		run_wait_news(run, 0);
	}
	if (isnan(run->result->durable_s) && !run_skipping(run))
		run->result->durable_s = (double)(clock_ns() - run->before->t_ns) / 1e9;
	return run_end_job(run, err);
}

/* One repetition of one test. @return -1 with the error that ended it; what was measured is in run->result. */
static int do_repeat(struct run *run, const struct step *step, struct err *err)
{
	if (step->wl.invalidate && !step->body && !step->wl.direct && rw_reads(step->wl.rw) && drop_caches(run, err) < 0)
		return -1;
	if ((rw_writes(step->wl.rw) || step->writes) && recheck(run, err) < 0)
		return -1;
	if (start_job(run, step, err) < 0)
		return -1;
	let_go(run, step->wl.ramp_ns > 0);
	uint64_t ramp_end = job_began_ns(run->job) + step->wl.ramp_ns, end = ramp_end + step->wl.runtime_ns;
	while (run->phase == PHASE_RAMP && clock_ns() < ramp_end && !job_done(run->job) && !run_skipping(run))
		run_wait_news(run, ramp_end);
	begin_measure(run);
	while (!job_done(run->job) && !run_skipping(run) && !(step->wl.runtime_ns && clock_ns() >= end))
		run_wait_news(run, step->wl.runtime_ns ? end : 0);
	end_measure(run);
	job_stop(run->job);
	while (!job_done(run->job))
		run_wait_news(run, 0);
	job_totals(run->job, run->now);
	run_judge_cpu(run->result, run->now);
	if (run_end_job(run, err) < 0)
		return -1;
	return step->settle && !run_skipping(run) ? settle(run, err) : 0;
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
	run_attach(run, PHASE_MEASURE);
	run->result->start_s = clock_seconds(t0 - run->start_ns);
	after.disk = before.disk;
	bool there = true; /* looked at each tick: without it there is nothing to wait for */
	while (there && !run_skipping(run) && !(step->wl.runtime_ns && clock_ns() >= end)) {
		run_wait_news(run, step->wl.runtime_ns ? end : 0);
		there = diskstats_sum(&run->disks, &after.disk) == 0;
	}
	uint64_t t1 = clock_ns();
	sampler_detach(run->sampler);
	run_drain_ticks(run);
	run->result->end_s = clock_seconds(t1 - run->start_ns);
	if (!there || diskstats_sub(&after.disk, &before.disk) < 0)
		return err_set(err, ENODEV, "%s: the device is gone: detached or removed", run->plan.target);
	run->sum->t_ns = t1 - t0;
	for (int d = 0; d < DDIR_NR; d++) {
		run->sum->dir[d].ios = after.disk.dir[d].ios;
		run->sum->dir[d].bytes = after.disk.dir[d].bytes;
	}
	return 0;
}

/* As they were opened, whatever was asked for: a filesystem may refuse O_DIRECT. */
static bool all_direct(const struct target_list *targets)
{
	for (size_t i = 0; i < targets->n; i++) {
		if (!targets->at[i].direct)
			return false;
	}
	return true;
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
	if (r->kind == TEST_BLOCK && run->targets.at[0].kind != TARGET_SIM)
		r->wl.direct = all_direct(&run->targets);
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
		if (r->kind == TEST_BLOCK && !step->body && run->targets.n == 1 && !run->shaper && !result_turns(r))
			fio_line(&r->wl, &run->targets.at[0], step->once, r->equivalent, sizeof(r->equivalent));
		if (run->stalled_ns && r->kind != TEST_WATCH)
			result_warn(r, "stood still: this program did not run for %.1f s (stopped, or starved of CPU); the rates "
				    "and latencies count that time, the phases do not", clock_seconds(run->stalled_ns));
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
		run_record(run, o);
		runlog_result(run->log, r);
		run_wake(run->plan.news_fd);
	} else {
		result_free(r); /* stopped before anything was measured */
	}
	run->result = NULL;
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
	run_say(run, text);
	for (unsigned i = 0; i < run->plan.nr_steps; i++)
		run->plan.step[i].params.dir_fd = run->files.fd;
	return 0;
}

int run_do_step(struct run *run, const struct step *step, struct err *err)
{
	int rc = 0;

	if (step->fresh_target && run->test && run_reopen_targets(run, err) < 0)
		return -1;
	for (size_t i = 0; i < run->targets.n; i++) {
		if (target_set_direct(&run->targets.at[i], step->wl.direct, err) < 0)
			return -1;
	}
	if (step->kind == TEST_FILE && open_files(run, err) < 0)
		return -1;
	run->result = new_result(run, step);
	if (!run->result)
		return err_set(err, ENOMEM, "no memory");
	totals_init(run->sum);
	run->stalled_ns = 0;
	run_event(run, EVENT_TEST, "%s", step->name);
	if (run->plan.hooks && run->plan.hooks->test)
		run->plan.hooks->test(run->plan.hooks_ctx, run, run->test, step);
	if (step->kind != TEST_WATCH && needs_layout(run, step))
		rc = lay_out(run, err);
	if (step->kind == TEST_WATCH)
		rc = do_watch(run, step, err);
	for (run->repeat = 0; step->kind != TEST_WATCH && rc == 0 && run->repeat < step->repeats && !run_skipping(run); run->repeat++)
		rc = do_repeat(run, step, err);
	if (rc < 0) {
		run->result->failed = true;
		result_warn(run->result, "%s", err->msg);
		run_event(run, EVENT_ERROR, "%s", err->msg);
	}
	finish_result(run, step, run_skipping(run));
	return rc < 0 ? err_wrap(err, "%s", step->name) : 0;
}
