/* SPDX-License-Identifier: MIT */
#ifndef TUI_SETUP_H
#define TUI_SETUP_H

#include <stdbool.h>

#include "aws/model.h"
#include "engine/run.h"
#include "engine/suite.h"
#include "tui/cmd.h"

/**
 * What an operator has chosen: target, test, volume, host, shape. The command line fills it in, the Setup screen edits
 * it, and a run is planned from it: both ways in give the same run.
 */
#define SETUP_NOTES 4
#define SETUP_FILES 16 /* bonnie++'s -n where nobody says another */
struct setup {
	char target[4096];
	/* The test: a suite, named workloads, or (both empty) the pattern in wl. */
	char suite[240]; /**< its name, or the file of one */
	char workload[8][32];
	unsigned nr_workloads;
	struct workload wl;
	unsigned wl_given;	/**< bit i: workload_fields[i] was given, and overrides what a named test says */
	unsigned repeat;	/**< of each test; 0: as the suite says, else once */
	struct suite_opts opts;	/**< what suites may be told; base, writes, … are filled in when steps are made */
	/* The volume and where it is; texts as typed, "" none. */
	char volume[256], raid[8], instance[32], task[32];
	/* The shape. */
	bool shaped;		/**< hold the I/O to the documented limits of volume and host … */
	char shape[256];	/**< … or, where not "", to this schedule */
	double time_scale;	/**< NAN: not given */
	double credits;		/**< share of the buckets at the start; NAN: not known, taken as full */
	char story[32];		/**< a training story (story.h): what it says goes with the run; "" none */
	/* Consent. */
	bool overwrite;
	char destroy[512];
	/* The recording: "" a new file in the state directory. */
	char record[4096];
	bool no_record;
	const struct limits *limits; /**< the tables in use; borrowed */
	const char *limits_file;     /**< what replaces some of their figures, "" none; borrowed */
	/* What was found out, beside what was chosen (detect.h). */
	char instance_id[24];	 /**< of the machine that this is; "" none or not known */
	char volume_source[8];	 /**< "api" where AWS said what `volume` is; "" it was named */
	char volume_before[256]; /**< while it is being modified: what it was; "" it is not */
	int  optimizing;	 /**< percent done of that; -1 */
	bool compare;		 /**< with what check --before stored */
	unsigned nr_notes;
	char note[SETUP_NOTES][200]; /**< lines for the user and the result's warnings */
};

/** Defaults, nothing chosen. */
void setup_init(struct setup *s, const struct limits *limits);
/** From the command line: options and the target (its first argument, where it has one). */
int setup_from_cli(struct setup *s, const struct cli *cli, struct err *err);

/** What is known of volume and host, from the texts. n 0 and HOST_NONE where nothing is named. */
int setup_volumes(const struct setup *s, struct volumes *volumes, struct host *host, struct err *err);
/**
 * The tests that would be done. @param default_test  suite for a setup that names no test
 * @return how many in @p out (at most PLANNED_MAX), or -1
 */
int setup_steps(const struct setup *s, const char *default_test, struct step *out, struct err *err);
/** The expectation for one workload of it. */
int setup_expect(const struct setup *s, const struct workload *wl, struct expectation *out, struct err *err);
/**
 * Plan the run: steps, shape, consent, recording. Fields of @p plan that are not the setup's (hooks, news_fd, version)
 * are left as they are. Texts are borrowed from @p s.
 * @param scale_default  time scale of a sim: target where none is given (60 on the dashboard, else 1)
 */
int setup_plan(const struct setup *s, const char *default_test, double scale_default, struct run_plan *plan, struct err *err);

/** True for "sim:" and "sim:SPEC". */
bool setup_is_sim(const struct setup *s);

#endif
