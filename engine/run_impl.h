/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_RUN_IMPL_H
#define ENGINE_RUN_IMPL_H

#include <pthread.h>

#include "engine/recorder.h"
#include "engine/run.h"
#include "engine/run_judge.h"
#include "engine/sampler.h"
#include "engine/scratch.h"

/**
 * The inside of a run, shared by its parts: run.c (what others call), run_conduct.c (the conductor's thread and its
 * news), run_test.c (one test: lay out, start, measure, judge), run_knobs.c (what is turned while it runs). All but
 * run.c run on the conductor's thread.
 */

#define NOTES_MAX 32

struct command {
	enum { CMD_KNOB, CMD_MARK } what;
	enum knob knob;
	double	  value;
	char	  text[120];
};
#define COMMANDS_MAX 64

struct run {
	pthread_t	   thread;
	struct run_plan	   plan;
	char		   target_text[4096], title[96], version[32];
	int		   wake_fd; /* eventfd: ticks, commands, the end of a job */
	struct target_list targets;
	bool		   targets_open, rechecked;
	struct scratch_dir files; /* of file tests: open from the first of them to the end of the run */
	struct diskset	   disks;
	struct shaper	  *shaper;
	struct sampler	  *sampler;
	struct recorder	   recorder;
	uint64_t	   start_ns;

	/* the conductor's own: the test in hand */
	unsigned	   test, repeat;
	enum run_phase	   phase;
	struct result	  *result;
	uint64_t	   stalled_ns; /* of its measured part in which this program stood still */
	struct totals	  *before, *now, *sum;
	struct run_usage   usage; /* device, cgroup and CPU at the start of the measured part */

	pthread_mutex_t	   lock; /* guards all below */
	struct job	  *job;
	struct runlog	  *log;
	struct command	   command[COMMANDS_MAX];
	unsigned	   nr_commands;
	bool		   skip, paused, ended;
	enum run_end	   stop; /* RUN_RUNNING: not asked to */
	char		   stop_text[160];
	struct err	   err;
	char		   note[NOTES_MAX][256];
	unsigned	   nr_notes;
};

/** Write an eventfd; -1 is none. */
void run_wake(int fd);
/** A line for the user. */
void run_say(struct run *run, const char *text);
/** One entry into the recording; takes the reference. A failure is noted once. */
void run_record(struct run *run, json_t *entry);
/** The step in hand was told to end, or the run. */
bool run_skipping(struct run *run);
/** Take what the sampler has queued: hooks, log, recording. */
void run_drain_ticks(struct run *run);
/** The first stretch of a measured part begins, with the knobs as they are; turns of a knob cut it. */
void run_begin_segment(struct run *run, double t_s);
/** Do what was asked from other threads. */
void run_do_commands(struct run *run);
/** Sleep until there is news or @p until_ns (0: no end), and deal with the news. */
void run_wait_news(struct run *run, uint64_t until_ns);
/** The job in hand, NULL none: what run_stop() reaches. */
void run_set_job(struct run *run, struct job *job);
/** Sample the job in hand as @p phase from now on. */
void run_attach(struct run *run, enum run_phase phase);
/** Join the job in hand. What it counted must have been read. */
int run_end_job(struct run *run, struct err *err);
/** Close and open the targets: a new scratch file. */
int run_reopen_targets(struct run *run, struct err *err);
/** One test, all its repetitions. @return -1 with what ended the run */
int run_do_step(struct run *run, const struct step *step, struct err *err);
/** The conductor's thread: @p arg is the run. */
void *run_main(void *arg);

#endif
