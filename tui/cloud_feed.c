/* SPDX-License-Identifier: MIT */
#include "tui/cloud_feed.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct cloud_feed {
	struct facts_fetcher *fetcher;
	struct facts_wants    wants;
	struct volume_job    *job;
	int		      news_fd;
	unsigned	      serial; /* of the facts handed over last */
	bool		      running;
	bool		      host_told;
};

struct cloud_feed *cloud_feed_start(int news_fd, struct err *err)
{
	struct cloud_feed *feed = calloc(1, sizeof(*feed));

	if (!feed) {
		err_set(err, ENOMEM, "no memory");
		return NULL;
	}
	feed->news_fd = news_fd;
	feed->fetcher = facts_start(&feed->wants, news_fd, err);
	if (feed->fetcher)
		return feed;
	free(feed);
	return NULL;
}

void cloud_feed_stop(struct cloud_feed *feed)
{
	if (!feed)
		return;
	volume_job_free(feed->job);
	facts_stop(feed->fetcher);
	free(feed);
}

/* Once, and only where nobody has said anything: what was typed stays. */
static void tell_host(struct cloud_feed *feed, const struct facts *f, struct app *a)
{
	const struct form_field *field = &a->setup.form.field[SF_HOST];
	char text[64] = "";
	struct err err;

	if (feed->host_told || *field->value || form_types(&a->setup.form))
		return;
	if (f->place == PLACE_EC2)
		snprintf(text, sizeof(text), "%s", f->self.instance_type);
	else if (f->place == PLACE_FARGATE && !isnan(f->task.vcpu) && !isnan(f->task.memory_mib))
		snprintf(text, sizeof(text), "%g:%.0fMiB", f->task.vcpu, f->task.memory_mib);
	feed->host_told = f->place != PLACE_ASKING;
	if (*text && form_set(&a->setup.form, SF_HOST, text, &err) < 0)
		app_say(a, false, "host: %s", err.msg);
}

static void pump_facts(struct cloud_feed *feed, struct app *a)
{
	struct facts *f = facts_get(feed->fetcher);

	if (!f || f->serial == feed->serial) {
		facts_unref(f);
		return;
	}
	feed->serial = f->serial;
	tell_host(feed, f, a);
	volumes_screen_facts(&a->volumes, f);
	app_news(a);
}

static void pump_job(struct cloud_feed *feed, struct app *a)
{
	struct volume_job_view view;

	if (!feed->job || !feed->running)
		return;
	volume_job_look(feed->job, &view);
	feed->running = view.running;
	volumes_screen_job(&a->volumes, &view);
	app_news(a);
	if (!view.running) /* what it changed is not known yet */
		cloud_feed_refresh(feed);
	if (!view.running && view.failed)
		app_say(a, true, "%s", view.error);
}

void cloud_feed_pump(struct cloud_feed *feed, struct app *a)
{
	if (!feed)
		return;
	pump_facts(feed, a);
	pump_job(feed, a);
}

int cloud_feed_do(struct cloud_feed *feed, const struct volume_request *req, struct err *err)
{
	if (!feed)
		return err_set(err, ENODEV, "AWS is not asked here");
	if (feed->running)
		return err_set(err, EBUSY, "an errand is under way: one at a time");
	volume_job_free(feed->job);
	feed->job = volume_job_start(req, feed->news_fd, err);
	feed->running = feed->job != NULL;
	return feed->job ? 0 : -1;
}

void cloud_feed_refresh(struct cloud_feed *feed)
{
	if (feed)
		facts_refresh(feed->fetcher, &feed->wants);
}

void cloud_feed_opened(struct cloud_feed *feed, enum screen_id screen)
{
	if (!feed || screen != SCREEN_VOLUMES || feed->wants.all_volumes)
		return;
	feed->wants.all_volumes = feed->wants.cloudwatch = true;
	cloud_feed_refresh(feed);
}
