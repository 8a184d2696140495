/* SPDX-License-Identifier: MIT */
#include "engine/run_impl.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/diskstats.h"
#include "engine/recorder.h"
#include "engine/run_header.h"
#include "engine/run_judge.h"
#include "engine/sampler.h"

void run_wake(int fd)
{
	uint64_t one = 1;

	if (fd >= 0 && write(fd, &one, sizeof(one)) < 0)
		return; /* full: it is readable anyway */
}

void run_say(struct run *run, const char *text)
{
	size_t n = strnlen(text, sizeof(run->note[0]) - 1);

	pthread_mutex_lock(&run->lock);
	if (run->nr_notes < NOTES_MAX) {
		memcpy(run->note[run->nr_notes], text, n);
		run->note[run->nr_notes++][n] = 0;
	}
	pthread_mutex_unlock(&run->lock);
}

void run_record(struct run *run, json_t *entry)
{
	struct err err;

	if (recorder_write(&run->recorder, entry, &err) < 0)
		run_say(run, err.msg);
}

static bool stopping(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	bool s = run->stop != RUN_RUNNING;
	pthread_mutex_unlock(&run->lock);
	return s;
}

bool run_skipping(struct run *run)
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
	clean_text(e.text, e.text, false);
	runlog_event(run->log, &e);
	run_record(run, event_to_json(&e));
}

void run_outside(struct run *run, const struct outside *o)
{
	runlog_outside(run->log, o);
	run_record(run, outside_to_json(o));
}

/* Nobody looked for a while: said at once, and beside the figures, which count that time. */
static void notice_stall(struct run *run, const struct sample *s)
{
	uint64_t period = s->t_ns - s->dt_ns < SAMPLER_SLOW_AFTER_NS ? SAMPLER_PERIOD_NS : SAMPLER_SLOW_PERIOD_NS;

	if (s->phase != PHASE_MEASURE || s->dt_ns < period + SAMPLE_STALL_NS)
		return;
	run->stalled_ns += s->dt_ns - period;
	run_event(run, EVENT_THROTTLED, "stood still for %.1f s", clock_seconds(s->dt_ns - period));
}

void run_drain_ticks(struct run *run)
{
	struct tick *t;
	bool any = false;

	while ((t = sampler_next(run->sampler))) {
		if (run->plan.hooks && run->plan.hooks->tick)
			run->plan.hooks->tick(run->plan.hooks_ctx, run, t, run->shaper);
		runlog_tick(run->log, t);
		run_record(run, tick_to_json(t));
		notice_stall(run, &t->s);
		free(t);
		any = true;
	}
	if (any)
		run_wake(run->plan.news_fd);
}

/* Sleep until there is news or @p until_ns (0: no end), and deal with the news. */
void run_wait_news(struct run *run, uint64_t until_ns)
{
	struct pollfd p = { .fd = run->wake_fd, .events = POLLIN };
	uint64_t now = clock_ns(), n;
	struct timespec ts = clock_timespec(until_ns > now ? until_ns - now : 0);

	if (ppoll(&p, 1, until_ns ? &ts : NULL, NULL) > 0 && read(run->wake_fd, &n, sizeof(n)) < 0)
		return;
	run_drain_ticks(run);
	run_do_commands(run);
}

void run_set_job(struct run *run, struct job *job)
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

void run_attach(struct run *run, enum run_phase phase)
{
	struct sampler_source src = { .job = run->job, .read_device = run->disks.n ? read_device : NULL, .ctx = run,
				      .test = run->test, .repeat = run->repeat, .phase = phase };

	run->phase = phase;
	sampler_attach(run->sampler, &src);
}

/* Join the job in hand. What it counted must have been read. */
int run_end_job(struct run *run, struct err *err)
{
	struct job *job = run->job;

	sampler_detach(run->sampler);
	run_drain_ticks(run);
	run_set_job(run, NULL);
	return job_join(job, err);
}

static int open_targets(struct run *run, struct err *err)
{
	struct target_request req = run->plan.req;

	if (run->plan.step[0].kind == TEST_WATCH)
		return run_watch_disks(&run->disks, run->target_text, err);
	req.write = req.direct = req.mixed = false;
	for (unsigned i = 0; i < run->plan.nr_steps; i++) {
		const struct step *s = &run->plan.step[i];
		if (workload_check(&s->wl, 0, err) < 0 || (!run->plan.simulated && run_check_memory(&s->wl, err) < 0))
			return -1; /* before a file is made; again below, with the target's block size */
		req.write = req.write || rw_writes(s->wl.rw) || s->writes;
		req.direct = req.direct || s->wl.direct;
		req.mixed = req.mixed || !s->wl.direct != !run->plan.step[0].wl.direct;
		if (s->wl.size > req.size) {
			req.size = s->wl.size;
			req.fixed_size = s->kind == TEST_DD;
		}
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
			run_say(run, t->notes.text[k]);
	}
	return 0;
}

int run_reopen_targets(struct run *run, struct err *err)
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
	run_wake(run->plan.news_fd);
	while (paused && !stopping(run)) {
		run_wait_news(run, 0);
		pthread_mutex_lock(&run->lock);
		paused = run->paused;
		pthread_mutex_unlock(&run->lock);
	}
}

static int prepare(struct run *run, struct err *err)
{
	struct run_header *h = calloc(1, sizeof(*h));
	struct err warn;

	if (!h)
		return err_set(err, ENOMEM, "no memory");
	for (unsigned i = 0; i < run->plan.notes.n; i++)
		run_say(run, run->plan.notes.text[i]);
	if (open_targets(run, err) < 0)
		goto fail;
	run_header_fill(h, &run->plan, &run->targets);
	if (!run->targets.n)
		json_object_set_new(h->doc, "targets", run_watched_json(run->target_text, &run->disks));
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
		run_say(run, warn.msg);
	}
	run_record(run, run_header_to_json(h));
	struct runlog *log = runlog_new(h);
	if (!log) {
		err_set(err, ENOMEM, "no memory");
		goto fail;
	}
	pthread_mutex_lock(&run->lock);
	run->log = log;
	pthread_mutex_unlock(&run->lock);
	free(h); /* its doc is the log's now */
	return 0;
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
		run_record(run, run_end_to_json(end, t, text));
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
	run_wake(run->plan.news_fd);
}

void *run_main(void *arg)
{
	struct run *run = arg;
	struct err err = { 0 };
	int rc = prepare(run, &err);

	for (run->test = 0; rc == 0 && run->test < run->plan.nr_steps && !stopping(run); run->test++) {
		rc = run_do_step(run, &run->plan.step[run->test], &err);
		pause_if_skipped(run, rc == 0 && run->test + 1 < run->plan.nr_steps);
	}
	if (rc < 0) {
		pthread_mutex_lock(&run->lock);
		run->err = err;
		pthread_mutex_unlock(&run->lock);
	}
	finish(run, rc);
	return NULL;
}
