/* SPDX-License-Identifier: MIT */
#ifndef TUI_VOLUMES_ACTIONS_H
#define TUI_VOLUMES_ACTIONS_H

#include <jansson.h>
#include <stdbool.h>

#include "aws/volume_life.h"
#include "tui/cmd.h"

/**
 * What `ebscope volumes` can do: one row an action. What was typed is looked at first (volumes_action_check), before
 * anybody is asked; then each asks for consent, does it, and prints the answer.
 */

/** What an action works with. */
struct volumes_job {
	struct cli  *cli;
	struct cloud cloud;
	struct life  life;
	bool	     json, dry_run;
	json_t	    *done; /**< volumes dealt with, for the JSON answer */
	const struct limits *limits; /**< the tables in use */
	struct volumes spec;	     /**< of those that take one */
};

struct volumes_action {
	const char *name;
	int (*run)(struct volumes_job *, struct err *); /**< exit status, or -1 */
	bool needs_instance; /**< asks the metadata which one this is */
	const char *takes;   /**< its arguments, a letter each: v a volume's id, s a SPEC, t a state, * any ids */
	const char *usage;
};
/** Ends with a row whose name is NULL. */
extern const struct volumes_action volumes_actions[];
/** By name; NULL with the closest one and all there are in @p err. */
const struct volumes_action *volumes_action_find(const char *name, struct err *err);
/** Are its arguments, and --tag, what it takes? Fills job->spec. Nobody is asked. */
int volumes_action_check(const struct volumes_action *a, struct volumes_job *job, struct err *err);

#endif
