/* SPDX-License-Identifier: MIT */
#include "engine/sampler.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/job.h"

struct queued {
	struct tick    tick; /* first: who takes the tick frees the whole */
	struct queued *next;
};

/* A reading of everything that a tick is the difference of. */
struct reading {
	uint64_t	      t_ns, cpu_ns;
	uint64_t	      ios[DDIR_NR], bytes[DDIR_NR], errors;
	struct hist_snap      lat;
	struct device_reading dev;
	struct worker_row     worker[WORKER_ROWS_MAX]; /* cumulative */
	unsigned	      nr_workers, inflight;
};

struct sampler {
	pthread_t	      thread;
	pthread_mutex_t	      lock; /* guards all below; the thread sleeps on `wake` with it released */
	pthread_cond_t	      wake;
	bool		      quit, attached;
	int		      notify_fd;
	uint64_t	      start_ns;
	struct sampler_source src;
	struct reading	     *before, *now;
	struct hist_snap     *first, *diff; /* lat at the start of the measured part; a scratch */
	uint64_t	      so_far[3]; /* 50th, 99th, 99.9th percentile since `first`; what drains is none of the test's */
	struct queued	     *head, **tail;
};

static void read_worker(const struct counters *c, struct worker_row *row, struct reading *r)
{
	*row = (struct worker_row){ .errors = ctr_get(&c->errors), .inflight = (uint32_t)ctr_get(&c->inflight) };
	for (enum ddir d = 0; d < DDIR_NR; d++) {
		struct counted now;

		counters_read(c, d, &now);
		row->ios += now.ios;
		row->bytes += now.bytes;
		r->ios[d] += now.ios;
		r->bytes[d] += now.bytes;
		hist_snap_add(&r->lat, &now.lat);
	}
	r->errors += row->errors;
	r->inflight += row->inflight;
}

static void read_all(const struct sampler_source *src, struct reading *r)
{
	struct worker_row rest;

	memset(r, 0, sizeof(*r));
	hist_snap_init(&r->lat);
	for (int d = 0; d < DDIR_NR; d++)
		r->dev.dir[d].ios = r->dev.dir[d].bytes = DEV_NONE;
	if (src->read_device)
		src->read_device(src->ctx, &r->dev);
	if (src->job) {
		unsigned n = job_nr_workers(src->job);

		for (unsigned i = 0; i < n; i++)
			read_worker(job_counters(src->job, i), i < WORKER_ROWS_MAX ? &r->worker[i] : &rest, r);
		r->nr_workers = n < WORKER_ROWS_MAX ? n : WORKER_ROWS_MAX;
		r->cpu_ns = job_cpu_ns(src->job);
	}
	r->t_ns = clock_ns();
}

static uint64_t dev_diff(uint64_t now, uint64_t before)
{
	return now == DEV_NONE || before == DEV_NONE || now < before ? DEV_NONE : now - before;
}

static uint64_t pct_ns(const struct hist_snap *h, double q)
{
	return h->count ? (uint64_t)llround(hist_snap_percentile(h, q)) : 0;
}

static void fill_latency(struct sampler *s, struct tick *t)
{
	static const double q[] = { 50, 99, 99.9 };

	*s->diff = s->now->lat;
	hist_snap_sub(s->diff, s->first);
	for (int i = 0; i < 3 && s->src.phase != PHASE_DRAIN; i++)
		s->so_far[i] = pct_ns(s->diff, q[i]);
	t->p50 = s->so_far[0];
	t->p99 = s->so_far[1];
	t->p999 = s->so_far[2];
	*s->diff = s->now->lat;
	hist_snap_sub(s->diff, &s->before->lat);
	t->s.lat_p50 = pct_ns(s->diff, 50);
	t->s.lat_p99 = pct_ns(s->diff, 99);
	t->s.lat_max = s->diff->count ? s->diff->max : 0;
	for (unsigned i = 0; i < HIST_NR; i++)
		t->display[i >> DISPLAY_SHIFT] += (uint32_t)s->diff->bucket[i];
}

static void fill_tick(struct sampler *s, struct tick *t)
{
	const struct reading *a = s->before, *b = s->now;
	struct sample *o = &t->s;

	o->t_ns = b->t_ns - s->start_ns;
	o->dt_ns = b->t_ns - a->t_ns;
	o->test = s->src.test;
	o->repeat = s->src.repeat;
	o->phase = s->src.phase;
	for (int d = 0; d < DDIR_NR; d++) {
		o->dir[d].ios = b->ios[d] - a->ios[d];
		o->dir[d].bytes = b->bytes[d] - a->bytes[d];
		o->dev[d].ios = dev_diff(b->dev.dir[d].ios, a->dev.dir[d].ios);
		o->dev[d].bytes = dev_diff(b->dev.dir[d].bytes, a->dev.dir[d].bytes);
	}
	for (int d = 0; d < DDIR_NR && !s->src.job && o->dev[d].ios != DEV_NONE; d++) {
		o->dir[d].ios = o->dev[d].ios; /* nobody works for us: what the device does is what is shown */
		o->dir[d].bytes = o->dev[d].bytes;
	}
	o->errors = b->errors - a->errors;
	o->inflight = b->inflight;
	o->model_iops = o->model_balance = o->model_host[0] = o->model_host[1] = NAN;
	for (int i = 0; i < SAMPLE_LIMITS; i++)
		o->limit_ns[i] = DEV_NONE;
	o->dev_queue = DEV_NONE;
	o->cpu = s->src.job && o->dt_ns ? (double)(b->cpu_ns - a->cpu_ns) / (double)o->dt_ns : NAN;
	t->nr_workers = b->nr_workers;
	for (unsigned i = 0; i < b->nr_workers; i++) {
		t->worker[i] = b->worker[i];
		t->worker[i].ios -= a->worker[i].ios;
		t->worker[i].bytes -= a->worker[i].bytes;
	}
	fill_latency(s, t);
}

static void notify(const struct sampler *s)
{
	uint64_t one = 1;

	if (s->notify_fd >= 0 && write(s->notify_fd, &one, sizeof(one)) < 0)
		return; /* the counter is full: it is readable anyway */
}

/* Called with the lock held. Without memory this interval becomes part of the next tick. */
static void make_tick(struct sampler *s)
{
	struct queued *q;

	if (!s->attached)
		return;
	read_all(&s->src, s->now);
	if (s->now->t_ns == s->before->t_ns || !(q = calloc(1, sizeof(*q))))
		return;
	fill_tick(s, &q->tick);
	struct reading *swap = s->before;
	s->before = s->now;
	s->now = swap;
	*s->tail = q;
	s->tail = &q->next;
	notify(s);
}

static void *sampler_main(void *arg)
{
	struct sampler *s = arg;
	uint64_t next = s->start_ns;

	pthread_mutex_lock(&s->lock);
	while (!s->quit) {
		uint64_t now = clock_ns();
		uint64_t period = now - s->start_ns < SAMPLER_SLOW_AFTER_NS ? SAMPLER_PERIOD_NS
									     : SAMPLER_SLOW_PERIOD_NS;
		if (now >= next) {
			make_tick(s);
			next += period * ((now - next) / period + 1); /* deadlines missed are missed, not caught up */
		}
		struct timespec ts = clock_timespec(next);
		if (s->attached)
			pthread_cond_timedwait(&s->wake, &s->lock, &ts);
		else
			pthread_cond_wait(&s->wake, &s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int sampler_start(struct sampler **out, uint64_t start_ns, int notify_fd, struct err *err)
{
	struct sampler *s = calloc(1, sizeof(*s));
	pthread_condattr_t attr;

	if (!s)
		return err_set(err, ENOMEM, "sampler: no memory");
	s->before = calloc(1, sizeof(*s->before));
	s->now = calloc(1, sizeof(*s->now));
	s->first = calloc(1, sizeof(*s->first));
	s->diff = calloc(1, sizeof(*s->diff));
	s->tail = &s->head;
	s->start_ns = start_ns;
	s->notify_fd = notify_fd;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &attr);
	pthread_condattr_destroy(&attr);
	int rc = s->before && s->now && s->first && s->diff ? pthread_create(&s->thread, NULL, sampler_main, s) : ENOMEM;
	if (rc) {
		s->thread = pthread_self();
		sampler_free(s);
		return err_set(err, rc, "sampler: %s", strerror(rc));
	}
	*out = s;
	return 0;
}

void sampler_free(struct sampler *s)
{
	struct tick *t;

	if (!s)
		return;
	if (!pthread_equal(s->thread, pthread_self())) {
		pthread_mutex_lock(&s->lock);
		s->quit = true;
		pthread_cond_signal(&s->wake);
		pthread_mutex_unlock(&s->lock);
		pthread_join(s->thread, NULL);
	}
	while ((t = sampler_next(s)))
		free(t);
	free(s->before);
	free(s->now);
	free(s->first);
	free(s->diff);
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void sampler_attach(struct sampler *s, const struct sampler_source *src)
{
	pthread_mutex_lock(&s->lock);
	make_tick(s);
	s->src = *src;
	s->attached = true;
	memset(s->so_far, 0, sizeof(s->so_far));
	read_all(&s->src, s->before);
	*s->first = s->before->lat;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
}

void sampler_phase(struct sampler *s, enum run_phase phase)
{
	pthread_mutex_lock(&s->lock);
	make_tick(s);
	s->src.phase = phase;
	*s->first = s->before->lat;
	pthread_mutex_unlock(&s->lock);
}

void sampler_detach(struct sampler *s)
{
	pthread_mutex_lock(&s->lock);
	make_tick(s);
	s->attached = false;
	pthread_mutex_unlock(&s->lock);
}

struct tick *sampler_next(struct sampler *s)
{
	pthread_mutex_lock(&s->lock);
	struct queued *q = s->head;
	if (q) {
		s->head = q->next;
		if (!s->head)
			s->tail = &s->head;
	}
	pthread_mutex_unlock(&s->lock);
	return q ? &q->tick : NULL;
}
