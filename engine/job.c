/* SPDX-License-Identifier: MIT */
#include "engine/job.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "engine/blockio.h"
#include "engine/clock.h"
#include "engine/worker.h"

/* Timers of a worker fire this much late at most, instead of the usual 50 µs: a rate cap is kept by them. */
#define TIMER_SLACK_NS 1000UL

struct job_worker {
	struct worker w;
	struct job *job;
	pthread_t thread;
	clockid_t cpu_clock;
	_Atomic uint64_t cpu_ns; /* by that clock, the most that was read or told */
	atomic_bool ended;
	int rc;
	struct err err; /* read after the join */
};

struct job {
	struct job_spec spec;
	struct workload wl;
	struct knobs knobs;
	struct blockio_config io;
	struct job_worker *workers;
	unsigned nr_workers, nr_started;
	struct target **target_of; /* of all workers, one after the other */
	atomic_bool stop;
	atomic_uint nr_running;
	atomic_int failed; /* the worker that failed first, or -1 */
	pthread_mutex_t gate; /* held until all threads are there (256 that run leave no CPU to start the next) and may begin */
	uint64_t began_ns;
};

/* 0 where its thread is gone. */
static uint64_t cpu_clock_ns(clockid_t clock)
{
	struct timespec ts;

	return clock_gettime(clock, &ts) ? 0 : (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* What was told stands: a reading that the thread's own last word overtakes takes nothing back. @return the greater */
static uint64_t raise_to(_Atomic uint64_t *to, uint64_t ns)
{
	uint64_t seen = atomic_load(to);

	while (seen < ns && !atomic_compare_exchange_weak(to, &seen, ns))
		;
	return seen < ns ? ns : seen;
}

static void *worker_main(void *arg)
{
	struct job_worker *jw = arg;
	struct job *job = jw->job;
	int none = -1;
	char name[16];

	snprintf(name, sizeof(name), "worker %u", jw->w.index + 1); /* as the screen counts them; for top and gdb */
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	pthread_mutex_lock(&job->gate);
	pthread_mutex_unlock(&job->gate);
	jw->rc = job->spec.body ? job->spec.body(&jw->w, &jw->err) : blockio_run(&jw->w, &jw->err);
	if (jw->rc < 0) {
		atomic_compare_exchange_strong(&job->failed, &none, (int)jw->w.index);
		job_stop(job);
	}
	ctr_set(&jw->w.counters->inflight, 0);
	worker_publish_cpu(&jw->w, UINT64_MAX);
	raise_to(&jw->cpu_ns, cpu_clock_ns(CLOCK_THREAD_CPUTIME_ID));
	atomic_store(&jw->ended, true);
	if (atomic_fetch_sub(&job->nr_running, 1) == 1 && job->spec.notify_fd >= 0) {
		uint64_t one = 1;

		/* An eventfd takes 8 bytes or is full, which wakes its reader as well. */
		if (write(job->spec.notify_fd, &one, sizeof(one)) < 0)
			return NULL;
	}
	return NULL;
}

/* Worker i on target i, i + n, …; with more workers than targets several on one. */
static void spread(struct job *job, struct target **at)
{
	unsigned n = job->nr_workers, nt = job->spec.nr_targets;

	for (unsigned i = 0; i < n; i++) {
		struct worker *w = &job->workers[i].w;

		w->targets = at;
		for (unsigned t = i % nt; t < nt; t += n)
			w->targets[w->nr_targets++] = &job->spec.targets[t];
		at += w->nr_targets;
		w->share = i / nt;
		w->nr_shares = n > nt ? (n - i % nt + nt - 1) / nt : 1;
	}
}

static int make_workers(struct job *job, struct err *err)
{
	unsigned n = (unsigned)job->wl.numjobs;

	job->workers = calloc(n, sizeof(*job->workers));
	job->target_of = calloc(n + job->spec.nr_targets, sizeof(struct target *));
	if (!job->workers || !job->target_of)
		return err_set(err, ENOMEM, "no memory for %u workers", n);
	job->nr_workers = n;
	for (unsigned i = 0; i < n; i++) {
		struct job_worker *jw = &job->workers[i];
		struct counters *c = aligned_alloc(64, (sizeof(*c) + 63) & ~(size_t)63);

		if (!c)
			return err_set(err, ENOMEM, "no memory for %u workers", n);
		counters_init(c);
		atomic_init(&jw->cpu_ns, 0);
		atomic_init(&jw->ended, false);
		jw->job = job;
		jw->w.spec = &job->spec;
		jw->w.wl = &job->wl;
		jw->w.knobs = &job->knobs;
		jw->w.index = i;
		jw->w.counters = c;
		jw->w.stop = &job->stop;
	}
	spread(job, job->target_of);
	return 0;
}

/* Is this workload allowed on these targets? And which engine, with how much room for its knobs? */
static int settle(struct job *job, struct err *err)
{
	struct job_spec *spec = &job->spec;
	struct target **all = calloc(spec->nr_targets, sizeof(*all));
	int rc = -1;

	if (!all)
		return err_set(err, ENOMEM, "no memory for a job");
	for (unsigned i = 0; i < spec->nr_targets; i++) {
		struct target *t = all[i] = &spec->targets[i];

		if (rw_writes(job->wl.rw) && !spec->body && !t->writable && t->kind != TARGET_SIM) {
			err_set(err, ERR_REFUSED,
				"%.300s: a test that writes, and a target that was opened for reading",
				t->path);
			goto out;
		}
		if (workload_check(&job->wl, t->direct ? t->lba : 0, err) < 0)
			goto out;
	}
	if (blockio_engine(&job->wl, all, spec->nr_targets, &job->io.engine, err) < 0)
		goto out;
	job->io.depth_max = spec->iodepth_max > job->wl.iodepth ? spec->iodepth_max : job->wl.iodepth;
	job->io.bs_max = spec->bs_max > job->wl.bs ? spec->bs_max : job->wl.bs;
	if (blockio_is_serial(job->io.engine, all, spec->nr_targets))
		job->io.depth_max = 1;
	rc = 0;
out:
	free(all);
	return rc;
}

static int open_engines(struct job *job, struct err *err)
{
	for (unsigned i = 0; i < job->nr_workers; i++) {
		if (blockio_open(&job->workers[i].w, &job->io, err) == 0)
			continue;
		do
			blockio_close(&job->workers[i].w);
		while (i--);
		return -1;
	}
	return 0;
}

/* Room for the knob is welcome, but the test does not fail for the want of it. */
static int open_with_room(struct job *job, struct err *err)
{
	struct err first;

	if (job->spec.body)
		return 0;
	if (open_engines(job, &first) == 0)
		return 0;
	if ((first.code == EAGAIN && job->io.depth_max > job->wl.iodepth) || first.code == ENOMEM) {
		if (job->io.depth_max > job->wl.iodepth)
			job->io.depth_max = job->wl.iodepth;
		job->io.bs_max = job->wl.bs;
		return open_engines(job, err);
	}
	*err = first;
	return -1;
}

void job_go(struct job *job)
{
	job->began_ns = clock_ns();
	for (unsigned i = 0; i < job->nr_started; i++)
		job->workers[i].w.deadline_ns = job->spec.duration_ns ? job->began_ns + job->spec.duration_ns : 0;
	pthread_mutex_unlock(&job->gate);
}

/* Workers take no signals: the main thread does. */
static int start_threads(struct job *job, struct err *err)
{
	sigset_t all, old;
	int rc = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pthread_mutex_lock(&job->gate);
	for (unsigned i = 0; i < job->nr_workers && rc == 0; i++) {
		struct job_worker *jw = &job->workers[i];

		rc = pthread_create(&jw->thread, NULL, worker_main, jw);
		if (rc == 0)
			pthread_getcpuclockid(jw->thread, &jw->cpu_clock); /* held at the gate, so it is there */
		job->nr_started += rc == 0;
	}
	if (rc || !job->spec.held)
		job_go(job);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc)
		return err_set(err, rc, "start worker %u of %u: %s", job->nr_started + 1, job->nr_workers,
			       strerror(rc));
	return 0;
}

static void job_free(struct job *job)
{
	for (unsigned i = 0; i < job->nr_workers; i++) {
		blockio_close(&job->workers[i].w);
		free(job->workers[i].w.counters);
	}
	free(job->workers);
	free(job->target_of);
	pthread_mutex_destroy(&job->gate);
	free(job);
}

int job_start(struct job **out, const struct job_spec *spec, struct err *err)
{
	struct job *job = calloc(1, sizeof(*job));

	*out = NULL;
	if (!job)
		return err_set(err, ENOMEM, "no memory for a job");
	job->spec = *spec;
	job->wl = *spec->wl;
	job->spec.wl = &job->wl;
	atomic_init(&job->knobs.iodepth, job->wl.iodepth);
	atomic_init(&job->knobs.bs, job->wl.bs);
	atomic_init(&job->knobs.rwmixread, job->wl.rwmixread);
	atomic_init(&job->knobs.rate_iops, job->wl.rate_iops);
	atomic_init(&job->stop, false);
	atomic_init(&job->failed, -1);
	pthread_mutex_init(&job->gate, NULL);
	if (settle(job, err) < 0 || make_workers(job, err) < 0 || open_with_room(job, err) < 0) {
		job_free(job);
		return -1;
	}
	atomic_init(&job->nr_running, job->nr_workers);
	if (start_threads(job, err) < 0) {
		struct err theirs;

		job_stop(job);
		job_join(job, &theirs);
		return -1;
	}
	*out = job;
	return 0;
}

void job_stop(struct job *job)
{
	atomic_store_explicit(&job->stop, true, memory_order_relaxed);
}

bool job_done(const struct job *job)
{
	return atomic_load(&job->nr_running) == 0;
}

int job_join(struct job *job, struct err *err)
{
	for (unsigned i = 0; i < job->nr_started; i++)
		pthread_join(job->workers[i].thread, NULL);
	int failed = atomic_load(&job->failed);
	if (failed >= 0)
		*err = job->workers[failed].err;
	job_free(job);
	return failed >= 0 ? -1 : 0;
}

uint64_t job_began_ns(const struct job *job)
{
	return job->began_ns;
}

unsigned job_nr_workers(const struct job *job)
{
	return job->nr_workers;
}

const struct counters *job_counters(const struct job *job, unsigned worker)
{
	return job->workers[worker].w.counters;
}

struct knobs *job_knobs(struct job *job)
{
	return &job->knobs;
}

bool job_has_knobs(const struct job *job)
{
	return !job->spec.body;
}

void job_totals(const struct job *job, struct totals *out)
{
	totals_init(out);
	out->t_ns = clock_ns();
	for (unsigned i = 0; i < job->nr_workers; i++)
		totals_add(out, job->workers[i].w.counters);
}

uint64_t job_cpu_ns(const struct job *job)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < job->nr_started; i++) {
		struct job_worker *jw = &job->workers[i];

		sum += atomic_load(&jw->ended) ? atomic_load(&jw->cpu_ns)
					       : raise_to(&jw->cpu_ns, cpu_clock_ns(jw->cpu_clock));
	}
	return sum;
}

enum ioengine job_ioengine(const struct job *job)
{
	return job->io.engine;
}

uint64_t job_real_depth(const struct job *job)
{
	uint64_t asked = atomic_load_explicit(&job->knobs.iodepth, memory_order_relaxed);

	return asked < job->io.depth_max ? asked : job->io.depth_max;
}

uint64_t job_iodepth_max(const struct job *job)
{
	return job->io.depth_max;
}

uint64_t job_bs_max(const struct job *job)
{
	return job->io.bs_max;
}
