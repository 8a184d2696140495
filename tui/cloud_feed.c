/* SPDX-License-Identifier: MIT */
#include "tui/cloud_feed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/detect.h"

struct cloud_feed {
	struct facts_fetcher *fetcher;
	struct facts_wants    wants;
	struct volume_job    *job;
	int		      news_fd;
	unsigned	      serial; /* of the facts handed over last */
	bool		      running;
	bool		      host_told;
	char		      path[FORM_VALUE_MAX]; /* the target that the form's volume was looked up for */
	struct volume	      filled;		    /* and what was filled in; type NULL nothing */
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
	struct host host;
	struct err err;

	if (feed->host_told || form_types(&a->setup.form))
		return;
	feed->host_told = f->place != PLACE_ASKING;
	if (facts_host(f, a->setup.limits, &host, &err) < 0) {
		app_say(a, false, "host: %s", err.msg);
		return;
	}
	if (host.kind == HOST_NONE)
		return;
	net_form_host(&a->net, &host);
	if (!*field->value)
		setup_form_host(&a->setup, &host);
}

/* The volume below the chosen target, where the form has none or the one that was filled in here before. */
static void tell_volume(struct cloud_feed *feed, const struct facts *f, struct app *a)
{
	const struct setup_form *s = &a->setup;
	struct volumes vs;
	char text[160];

	if (form_types(&a->setup.form))
		return; /* when the typing is over */
	snprintf(feed->path, sizeof(feed->path), "%s", s->path);
	bool ours = feed->filled.type && s->has_volume && s->volume.type == feed->filled.type &&
		    s->volume.size_gib == feed->filled.size_gib && s->volume.iops == feed->filled.iops &&
		    s->volume.mibps == feed->filled.mibps;
	if (!detect_volumes(s->path, f, s->limits, &vs))
		return;
	if (s->has_volume && !ours) {
		struct volumes named;
		char other[160];
		setup_form_get_volumes(s, &named);
		named.raid = vs.raid;
		volumes_text(&vs, text, sizeof(text));
		if (strcmp(text, volumes_text(&named, other, sizeof(other))) != 0)
			app_say(a, true, "actual volume: %s", text);
		return;
	}
	feed->filled = vs.v[0];
	setup_form_volumes(&a->setup, &vs);
	app_say(a, false, "the volume, as AWS knows it: %s", volumes_text(&vs, text, sizeof(text)));
}

static void pump_facts(struct cloud_feed *feed, struct app *a)
{
	struct facts *f = facts_get(feed->fetcher);

	bool moved = strcmp(a->setup.path, feed->path) != 0; /* another target */
	if (f)
		tell_host(feed, f, a); /* also of facts seen before: somebody may have been typing */
	if (!f || (f->serial == feed->serial && !moved)) {
		facts_unref(f);
		return;
	}
	if (f->volumes)
		tell_volume(feed, f, a);
	if (f->serial == feed->serial) {
		facts_unref(f);
		return;
	}
	feed->serial = f->serial;
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

void cloud_feed_complete(struct cloud_feed *feed, struct setup *s, struct limits *own)
{
	struct facts *f = feed ? facts_get(feed->fetcher) : NULL;

	detect_from_facts(s, f, own);
	facts_unref(f);
}

bool cloud_feed_settled(struct cloud_feed *feed, const char *target)
{
	struct facts *f = feed ? facts_get(feed->fetcher) : NULL;
	bool settled = !feed || detect_settled(target, f);

	facts_unref(f);
	return settled;
}

struct facts_fetcher *cloud_feed_fetcher(struct cloud_feed *feed)
{
	if (!feed)
		return NULL;
	if (!feed->wants.cloudwatch) {
		feed->wants.cloudwatch = true;
		cloud_feed_refresh(feed);
	}
	return feed->fetcher;
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
