/* SPDX-License-Identifier: MIT */
#ifndef TUI_VOLUMES_H
#define TUI_VOLUMES_H

#include <stdbool.h>

#include "aws/facts.h"
#include "aws/volume_job.h"
#include "tui/form.h"

/**
 * The state of the Volumes screen and what keys do to it: a list of what AWS knows, a form for what is to be created or
 * changed, and the errand in hand. No thread, no network: facts and the job's view are handed in, and what is to be
 * done comes out as a request that a dialog must confirm first.
 */
enum { VOF_TYPE, VOF_SIZE, VOF_IOPS, VOF_MIBPS, VOF_COUNT, VOF_RAID, VOF_ZONE, VOF_GO, VOF_NR };

struct volumes_screen {
	struct facts *facts;	/**< a reference; NULL nothing known yet */
	const struct limits *limits;
	int	      selected; /**< row of facts->volumes */
	bool	      form_open, modify; /**< the form creates, or modifies the selected volume */
	struct form   form;
	struct volume draft;
	uint64_t      count;
	enum raid     raid;	/**< how several are to be joined: the level of the lines that are left to the operator */
	char	      zone[40], modify_id[EC2_ID];
	struct volume_job_view job; /**< the errand in hand, or the last one; n_lines 0 and not running: none */
	bool	      has_job;
	size_t	      n_made;	/**< volumes that were created here and still exist: the guided errand */
	struct life_volume made[VOLUMES_MAX];
	enum raid     made_raid;
	bool	      made_detached;
};

void volumes_screen_init(struct volumes_screen *s, const struct limits *limits);
void volumes_screen_release(struct volumes_screen *s);
/** Newer facts; takes the reference. */
void volumes_screen_facts(struct volumes_screen *s, struct facts *facts);
/** How far the errand is. */
void volumes_screen_job(struct volumes_screen *s, const struct volume_job_view *view);

/** The selected volume, or NULL. */
const struct ec2_volume *volumes_screen_at(const struct volumes_screen *s);

/** What a key asks for. */
enum volumes_answer {
	VOLUMES_PASS,	 /**< not a key of this screen's */
	VOLUMES_DONE,	 /**< handled */
	VOLUMES_REFRESH, /**< ask AWS again */
	VOLUMES_ASK,	 /**< *ask is to be confirmed and then done */
	VOLUMES_SAY,	 /**< ask->text says why not */
	VOLUMES_TEST,	 /**< go to Setup with ask->text as the target */
};

/** A question before anything is done. */
struct volumes_ask {
	struct volume_request req;
	char title[48], text[400];
	char want[64]; /**< what must be typed; "": `y` will do, for what neither costs nor destroys */
};

enum volumes_answer volumes_screen_key(struct volumes_screen *s, struct key k, enum action act, struct volumes_ask *ask);

#endif
