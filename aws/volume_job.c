/* SPDX-License-Identifier: MIT */
#include "aws/volume_job.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

struct volume_job {
	pthread_t	       thread;
	int		       news_fd;
	atomic_bool	       cancel;
	struct volume_request  req;
	pthread_mutex_t	       lock; /* of the view */
	struct volume_job_view view;
};

const char *volume_action_name(enum volume_action a)
{
	static const char *const name[VOLUME_ACTION_NR] = { "create", "attach", "modify", "detach", "delete" };

	return name[a];
}

static void tell(struct volume_job *job)
{
	if (job->news_fd >= 0 && eventfd_write(job->news_fd, 1) < 0) {
		/* it is readable already */
	}
}

static void on_line(void *arg, const char *line)
{
	struct volume_job *job = arg;
	struct volume_job_view *v = &job->view;

	pthread_mutex_lock(&job->lock);
	if (v->n_lines == JOB_LINES) {
		memmove(v->line[0], v->line[1], sizeof(v->line[0]) * (JOB_LINES - 1));
		v->n_lines--;
	}
	snprintf(v->line[v->n_lines++], sizeof(v->line[0]), "%s", line);
	pthread_mutex_unlock(&job->lock);
	tell(job);
}

static void took(struct volume_job *job, const struct life_volume *volume)
{
	pthread_mutex_lock(&job->lock);
	if (job->view.n < VOLUMES_MAX)
		job->view.volume[job->view.n++] = *volume;
	pthread_mutex_unlock(&job->lock);
	tell(job);
}

static int create(struct volume_job *job, struct life *l, struct err *err)
{
	const char *az = *job->req.az ? job->req.az : l->cloud->self.az;
	char run[48];
	int rc = 0;

	if (!*az)
		return err_set(err, ERR_USAGE, "in which zone? this is no EC2 instance");
	journal_new_run(run);
	int held = journal_hold_run(run, err);
	if (held < 0)
		return -1;
	for (size_t i = 0; i < job->req.want.n && !rc; i++) {
		struct life_volume v;
		rc = life_create(l, &job->req.want.v[i], az, false, NULL, 0, run, (unsigned)i + 1, &v, err);
		if (!rc && job->req.attach)
			rc = life_attach(l, NULL, &v, err);
		if (*v.id)
			took(job, &v);
	}
	journal_end_run(held);
	return rc;
}

static int one(struct volume_job *job, struct life *l, struct life_volume *v, struct err *err)
{
	struct ec2_modification m;

	switch (job->req.action) {
	case VOLUME_ATTACH:
		return life_attach(l, NULL, v, err);
	case VOLUME_DETACH:
		return life_detach(l, v->id, err);
	case VOLUME_DELETE:
		return life_delete(l, v->id, err);
	case VOLUME_MODIFY:
		return life_modify(l, v->id, &job->req.want.v[0], &m, err);
	default:
		return err_set(err, EINVAL, "no such action");
	}
}

static int work(struct volume_job *job, struct cloud *cloud, struct err *err)
{
	struct life l;

	if (cloud_need_region(cloud, err))
		return -1;
	life_init(&l, cloud, NULL);
	l.say = on_line;
	l.arg = job;
	if (job->req.action == VOLUME_CREATE)
		return create(job, &l, err);
	for (size_t i = 0; i < job->req.n; i++) {
		struct life_volume v = { 0 };
		snprintf(v.id, sizeof(v.id), "%s", job->req.id[i]);
		if (one(job, &l, &v, err))
			return -1;
		took(job, &v);
	}
	return 0;
}

static void *job_main(void *arg)
{
	struct volume_job *job = arg;
	struct cloud cloud;
	struct err err = { 0 };
	int rc = cloud_open(&cloud, NULL, NULL, &job->cancel, &err);

	if (!rc) {
		rc = work(job, &cloud, &err);
		cloud_close(&cloud);
	}
	pthread_mutex_lock(&job->lock);
	job->view.running = false;
	job->view.failed = rc != 0;
	if (rc)
		snprintf(job->view.error, sizeof(job->view.error), "%s", err.msg);
	pthread_mutex_unlock(&job->lock);
	tell(job);
	return NULL;
}

struct volume_job *volume_job_start(const struct volume_request *req, int news_fd, struct err *err)
{
	struct volume_job *job = calloc(1, sizeof(*job));
	sigset_t all, before;

	if (!job) {
		err_set(err, ENOMEM, "no memory");
		return NULL;
	}
	job->req = *req;
	job->news_fd = news_fd;
	job->view = (struct volume_job_view){ .action = req->action, .running = true };
	pthread_mutex_init(&job->lock, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are main's */
	int rc = pthread_create(&job->thread, NULL, job_main, job);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!rc)
		return job;
	err_set(err, rc, "volumes: %s", strerror(rc));
	pthread_mutex_destroy(&job->lock);
	free(job);
	return NULL;
}

void volume_job_look(struct volume_job *job, struct volume_job_view *out)
{
	pthread_mutex_lock(&job->lock);
	*out = job->view;
	pthread_mutex_unlock(&job->lock);
}

void volume_job_free(struct volume_job *job)
{
	if (!job)
		return;
	atomic_store(&job->cancel, true);
	pthread_join(job->thread, NULL);
	pthread_mutex_destroy(&job->lock);
	free(job);
}
