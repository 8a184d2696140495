/* SPDX-License-Identifier: MIT */
#ifndef AWS_VOLUME_JOB_H
#define AWS_VOLUME_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "aws/volume_life.h"

/**
 * One errand of volume_life.h on a thread of its own, for a screen that must not wait: several volumes one after the
 * other, with what is going on as lines. Consent was asked for before.
 */
enum volume_action { VOLUME_CREATE, VOLUME_ATTACH, VOLUME_MODIFY, VOLUME_DETACH, VOLUME_DELETE, VOLUME_ACTION_NR };
/** "create", "attach", "modify", "detach", "delete" */
const char *volume_action_name(enum volume_action a);

/** What to do. A plain value. */
struct volume_request {
	enum volume_action action;
	struct volumes	   want; /**< create: these; modify: v[0] */
	bool		   attach; /**< create: and attach */
	char		   az[40]; /**< create: "" this instance's */
	size_t		   n;	 /**< others: these */
	char		   id[VOLUMES_MAX][EC2_ID];
};

#define JOB_LINES 24
/** How far it is. A plain value. */
struct volume_job_view {
	enum volume_action action;
	bool	 running, failed;
	char	 error[512];
	unsigned n_lines;
	char	 line[JOB_LINES][160]; /**< the newest, oldest first */
	size_t	 n;			/**< volumes dealt with so far */
	struct life_volume volume[VOLUMES_MAX];
};

struct volume_job;

/** @param news_fd  an eventfd that is written with each line and at the end; -1 none */
struct volume_job *volume_job_start(const struct volume_request *req, int news_fd, struct err *err);
/** Any thread. */
void volume_job_look(struct volume_job *job, struct volume_job_view *out);
/** Cancel if it still runs (what was created stays in the journal), wait for the thread, free. Accepts NULL. */
void volume_job_free(struct volume_job *job);

#endif
