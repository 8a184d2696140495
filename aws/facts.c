/* SPDX-License-Identifier: MIT */
#include "aws/facts.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "aws/cloud.h"
#include "engine/clock.h"

#define EVERY_S	      30
#define METRICS_S     60   /* CloudWatch has a value a minute */
#define METRICS_SPAN  10800 /* asked for: three hours */
#define METRICS_MAX   40

struct facts_fetcher {
	pthread_t	   thread;
	int		   fd, news_fd;
	atomic_bool	   cancel, again;
	pthread_mutex_t	   lock; /* of the two below */
	pthread_cond_t	   wake; /* again, or cancel */
	struct facts	  *newest;
	struct facts_wants wants;
};

/** What the thread works with; nobody else sees it. */
struct work {
	struct facts_fetcher *f;
	struct facts_wants    wants;
	struct cloud	      cloud;
	struct facts	      now; /* the next to be published */
	uint64_t	      metrics_ns;
};

static void volumes_unref(struct facts_volumes *v)
{
	if (!v || atomic_fetch_sub(&v->refs, 1) != 1)
		return;
	ec2_volumes_release(&v->volumes);
	ec2_modifications_release(&v->modifications);
	free(v);
}

static void series_unref(struct facts_series *s)
{
	if (s && atomic_fetch_sub(&s->refs, 1) == 1)
		free(s);
}

void facts_unref(struct facts *facts)
{
	if (!facts || atomic_fetch_sub(&facts->refs, 1) != 1)
		return;
	volumes_unref(facts->volumes);
	series_unref(facts->series);
	free(facts);
}

/* A copy of what is known now becomes the newest; whoever holds an older one keeps it. */
static void publish(struct work *w)
{
	struct facts *copy = malloc(sizeof(*copy));

	if (!copy)
		return;
	w->now.serial++;
	w->now.at = time(NULL);
	*copy = w->now;
	atomic_init(&copy->refs, 1);
	if (copy->volumes)
		atomic_fetch_add(&copy->volumes->refs, 1);
	if (copy->series)
		atomic_fetch_add(&copy->series->refs, 1);
	pthread_mutex_lock(&w->f->lock);
	struct facts *old = w->f->newest;
	w->f->newest = copy;
	pthread_mutex_unlock(&w->f->lock);
	facts_unref(old);
	if (eventfd_write(w->f->fd, 1) < 0 || (w->f->news_fd >= 0 && eventfd_write(w->f->news_fd, 1) < 0)) {
		/* it is readable already */
	}
}

static void note(char *to, size_t size, const struct err *err)
{
	snprintf(to, size, "%.*s", (int)size - 1, err->msg);
}
#define NOTE(field, err) note(field, sizeof(field), err)

static void find_place(struct work *w)
{
	struct err err;

	if (ecs_is_task() && !ecs_task_get(w->cloud.http, &w->f->cancel, &w->now.task, &err)) {
		w->now.place = w->now.task.fargate ? PLACE_FARGATE : PLACE_ECS;
	} else if (!cloud_self(&w->cloud, &err)) {
		w->now.place = PLACE_EC2;
		w->now.self = w->cloud.self;
	} else {
		w->now.place = PLACE_NONE;
		NOTE(w->now.place_note, &err);
	}
	/* A task on EC2 has an instance below it; one on Fargate has none to ask. */
	if (w->now.place == PLACE_ECS && !cloud_self(&w->cloud, &err))
		w->now.self = w->cloud.self;
	if (!*w->cloud.cfg.region && *w->now.task.region)
		aws_config_set_region(&w->cloud.cfg, w->now.task.region, "task metadata", &err);
	if (!*w->cloud.cfg.region && *w->now.self.region)
		aws_config_set_region(&w->cloud.cfg, w->now.self.region, "instance metadata", &err);
	snprintf(w->now.region, sizeof(w->now.region), "%s", w->cloud.cfg.region);
	publish(w);
}

static bool find_creds(struct work *w)
{
	struct err err;
	const struct creds *c = cred_chain_get(w->cloud.chain, &err);

	w->now.creds = c ? c->source : CRED_NONE;
	*w->now.creds_note = 0;
	if (!c)
		NOTE(w->now.creds_note, &err);
	publish(w);
	return c && *w->cloud.cfg.region;
}

static void find_type(struct work *w)
{
	struct err err; /* without it the catalogue does */

	if (!*w->now.self.instance_type || w->now.has_type ||
	    ec2_describe_instance_type(w->cloud.ec2, w->now.self.instance_type, &w->now.type, &err))
		return;
	w->now.has_type = true;
	publish(w);
}

/* Modifications of named volumes completed long ago too; else all that are going on, in one request. */
static int find_modifications(struct work *w, struct ec2_modifications *out, struct err *err)
{
	*out = (struct ec2_modifications){ 0 };
	if (!w->wants.n_ids)
		return ec2_describe_modifications(w->cloud.ec2, NULL, out, err);
	for (size_t i = 0; i < w->wants.n_ids; i++) {
		struct ec2_modifications one;
		if (ec2_describe_modifications(w->cloud.ec2, w->wants.id[i], &one, err)) {
			ec2_modifications_release(out);
			return -1;
		}
		struct ec2_modification *m = realloc(out->m, (out->n + one.n + 1) * sizeof(*m));
		if (m) {
			out->m = m;
			if (one.n)
				memcpy(m + out->n, one.m, one.n * sizeof(*m));
			out->n += one.n;
		}
		ec2_modifications_release(&one);
	}
	return 0;
}

static void find_volumes(struct work *w)
{
	const char *ids[FACTS_IDS];
	struct ec2_filter filter = { 0 };
	struct facts_volumes *v;
	struct err err;

	for (size_t i = 0; i < w->wants.n_ids; i++)
		ids[i] = w->wants.id[i];
	if (w->wants.n_ids && !w->wants.all_volumes) {
		filter.ids = ids;
		filter.n_ids = w->wants.n_ids;
	} else if (!w->wants.all_volumes) {
		filter.instance_id = w->now.self.instance_id;
		if (!*filter.instance_id)
			return;
	}
	if (!(v = calloc(1, sizeof(*v))))
		return;
	atomic_init(&v->refs, 1);
	*w->now.volumes_note = 0;
	if (ec2_describe_volumes(w->cloud.ec2, &filter, &v->volumes, &err)) {
		NOTE(w->now.volumes_note, &err);
		free(v);
	} else {
		if (find_modifications(w, &v->modifications, &err))
			NOTE(w->now.volumes_note, &err);
		volumes_unref(w->now.volumes);
		w->now.volumes = v;
	}
	publish(w);
}

static void add_series(struct facts_series *s, enum cw_metric metric, const char *id)
{
	if (s->n == METRICS_MAX)
		return;
	s->s[s->n] = (struct cw_series){ .metric = metric };
	snprintf(s->s[s->n++].id, EC2_ID, "%s", id);
}

static void find_series(struct work *w)
{
	uint64_t now = clock_ns();
	struct err err;

	if (!w->wants.cloudwatch || (w->metrics_ns && now - w->metrics_ns < METRICS_S * NS_PER_SEC))
		return;
	struct facts_series *s = calloc(1, sizeof(*s) + METRICS_MAX * sizeof(s->s[0]));
	if (!s)
		return;
	atomic_init(&s->refs, 1);
	w->metrics_ns = now;
	if (*w->now.self.instance_id) {
		add_series(s, CW_EBS_IO_BALANCE, w->now.self.instance_id);
		add_series(s, CW_EBS_BYTE_BALANCE, w->now.self.instance_id);
	}
	for (size_t i = 0; w->now.volumes && i < w->now.volumes->volumes.n; i++) {
		const struct ec2_volume *v = &w->now.volumes->volumes.v[i];
		if (v->n_attachments && !facts_no_balance(v))
			add_series(s, CW_BURST_BALANCE, v->id);
	}
	int64_t t = time(NULL);
	*w->now.series_note = 0;
	if (s->n && cw_get(&w->cloud, s->s, s->n, t - METRICS_SPAN, t, &err)) {
		NOTE(w->now.series_note, &err);
		free(s);
	} else {
		series_unref(w->now.series);
		w->now.series = s;
	}
	publish(w);
}

/* Until it is time again, somebody asks, or the end: without a wake-up between. */
static void rest(struct facts_fetcher *f, unsigned seconds)
{
	struct timespec until = clock_timespec(clock_ns() + seconds * NS_PER_SEC);

	pthread_mutex_lock(&f->lock);
	while (!atomic_load(&f->again) && !atomic_load(&f->cancel) &&
	       pthread_cond_timedwait(&f->wake, &f->lock, &until) != ETIMEDOUT)
		;
	atomic_store(&f->again, false);
	pthread_mutex_unlock(&f->lock);
}

static void wake(struct facts_fetcher *f, atomic_bool *why)
{
	pthread_mutex_lock(&f->lock);
	atomic_store(why, true);
	pthread_cond_signal(&f->wake);
	pthread_mutex_unlock(&f->lock);
}

static void take_wants(struct work *w)
{
	pthread_mutex_lock(&w->f->lock);
	w->wants = w->f->wants;
	pthread_mutex_unlock(&w->f->lock);
}

static void *fetcher_main(void *arg)
{
	struct work w = { .f = arg };
	struct err err;

	take_wants(&w);
	if (cloud_open(&w.cloud, *w.wants.profile ? w.wants.profile : NULL, *w.wants.region ? w.wants.region : NULL,
		       &w.f->cancel, &err)) {
		NOTE(w.now.creds_note, &err);
		w.now.place = PLACE_NONE;
		publish(&w);
		return NULL;
	}
	find_place(&w);
	while (!atomic_load(&w.f->cancel)) {
		if (find_creds(&w)) {
			find_type(&w);
			find_volumes(&w);
			find_series(&w);
		}
		rest(w.f, w.wants.every_s ? w.wants.every_s : EVERY_S);
		take_wants(&w);
	}
	volumes_unref(w.now.volumes);
	series_unref(w.now.series);
	cloud_close(&w.cloud);
	return NULL;
}

struct facts_fetcher *facts_start(const struct facts_wants *wants, int news_fd, struct err *err)
{
	struct facts_fetcher *f = calloc(1, sizeof(*f));
	sigset_t all, before;

	if (!f) {
		err_set(err, ENOMEM, "no memory");
		return NULL;
	}
	f->wants = *wants;
	f->news_fd = news_fd;
	f->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&f->lock, NULL);
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&f->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are main's */
	int rc = f->fd < 0 ? errno : pthread_create(&f->thread, NULL, fetcher_main, f);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!rc)
		return f;
	err_set(err, rc, "facts: %s", strerror(rc));
	if (f->fd >= 0)
		close(f->fd);
	pthread_cond_destroy(&f->wake);
	pthread_mutex_destroy(&f->lock);
	free(f);
	return NULL;
}

void facts_stop(struct facts_fetcher *f)
{
	if (!f)
		return;
	wake(f, &f->cancel);
	pthread_join(f->thread, NULL);
	close(f->fd);
	facts_unref(f->newest);
	pthread_cond_destroy(&f->wake);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

int facts_fd(const struct facts_fetcher *f)
{
	return f->fd;
}

struct facts *facts_get(struct facts_fetcher *f)
{
	eventfd_t n;

	if (eventfd_read(f->fd, &n) < 0) {
		/* nothing new since */
	}
	pthread_mutex_lock(&f->lock);
	struct facts *newest = f->newest;
	if (newest)
		atomic_fetch_add(&newest->refs, 1);
	pthread_mutex_unlock(&f->lock);
	return newest;
}

void facts_refresh(struct facts_fetcher *f, const struct facts_wants *wants)
{
	if (wants) {
		pthread_mutex_lock(&f->lock);
		f->wants = *wants;
		pthread_mutex_unlock(&f->lock);
	}
	wake(f, &f->again);
}
