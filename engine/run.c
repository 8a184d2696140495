/* SPDX-License-Identifier: MIT */
#include "engine/run_impl.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

int run_start(struct run **out, const struct run_plan *plan, struct err *err)
{
	struct run *run = calloc(1, sizeof(*run));
	int rc;

	if (!run)
		return err_set(err, ENOMEM, "no memory");
	pthread_mutex_init(&run->lock, NULL);
	run->plan = *plan;
	run->recorder.fd = -1;
	snprintf(run->target_text, sizeof(run->target_text), "%s", plan->target);
	snprintf(run->title, sizeof(run->title), "%s", plan->title);
	snprintf(run->version, sizeof(run->version), "%s", plan->version);
	run->plan.target = run->target_text;
	run->plan.title = run->title;
	run->plan.version = run->version;
	run->before = malloc(sizeof(struct totals));
	run->now = malloc(sizeof(struct totals));
	run->sum = malloc(sizeof(struct totals));
	run->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!run->before || !run->now || !run->sum || run->wake_fd < 0)
		rc = errno ? errno : ENOMEM;
	else
		rc = pthread_create(&run->thread, NULL, run_main, run);
	if (rc) {
		run->ended = true;
		run->thread = pthread_self();
		run_free(run);
		return err_set(err, rc, "start the run: %s", strerror(rc));
	}
	*out = run;
	return 0;
}

void run_stop(struct run *run, enum run_end end, const char *text)
{
	pthread_mutex_lock(&run->lock);
	if (run->stop == RUN_RUNNING && !run->ended) {
		run->stop = end;
		snprintf(run->stop_text, sizeof(run->stop_text), "%s", text ? text : "");
		if (run->job)
			job_stop(run->job);
	}
	pthread_mutex_unlock(&run->lock);
	run_wake(run->wake_fd);
}

static void command(struct run *run, const struct command *cmd)
{
	pthread_mutex_lock(&run->lock);
	if (run->nr_commands < COMMANDS_MAX)
		run->command[run->nr_commands++] = *cmd;
	pthread_mutex_unlock(&run->lock);
	run_wake(run->wake_fd);
}

void run_skip(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	run->skip = !run->paused; /* while it pauses there is no step in hand */
	if (run->job)
		job_stop(run->job);
	pthread_mutex_unlock(&run->lock);
	run_wake(run->wake_fd);
}

void run_go_on(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	run->paused = false;
	pthread_mutex_unlock(&run->lock);
	run_wake(run->wake_fd);
}

bool run_paused(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	bool p = run->paused;
	pthread_mutex_unlock(&run->lock);
	return p;
}

bool run_ended(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	bool e = run->ended;
	pthread_mutex_unlock(&run->lock);
	return e;
}

void run_knob(struct run *run, enum knob k, double value)
{
	command(run, &(struct command){ .what = CMD_KNOB, .knob = k, .value = value });
}

void run_mark(struct run *run, const char *text)
{
	struct command cmd = { .what = CMD_MARK };

	snprintf(cmd.text, sizeof(cmd.text), "%s", text);
	command(run, &cmd);
}

struct runlog *run_log(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	struct runlog *log = run->log;
	pthread_mutex_unlock(&run->lock);
	return log;
}

const char *run_record_path(struct run *run)
{
	return run->recorder.path;
}

bool run_record_lost(struct run *run, struct err *err)
{
	return run->plan.record && *run->plan.record && recorder_lost(&run->recorder, err);
}

bool run_note(struct run *run, char *buf, size_t size)
{
	pthread_mutex_lock(&run->lock);
	bool any = run->nr_notes > 0;
	if (any) {
		snprintf(buf, size, "%s", run->note[0]);
		run->nr_notes--;
		memmove(run->note[0], run->note[1], run->nr_notes * sizeof(run->note[0]));
	}
	pthread_mutex_unlock(&run->lock);
	return any;
}

enum run_end run_how(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	enum run_end e = run->ended ? run->stop : RUN_RUNNING;
	pthread_mutex_unlock(&run->lock);
	return e;
}

int run_join(struct run *run, struct err *err)
{
	if (!pthread_equal(run->thread, pthread_self())) {
		pthread_join(run->thread, NULL);
		run->thread = pthread_self();
	}
	if (run->err.code) {
		*err = run->err;
		return -1;
	}
	return 0;
}

void run_free(struct run *run)
{
	struct err ignored;

	if (!run)
		return;
	(void)run_join(run, &ignored);
	runlog_free(run->log);
	shaper_free(run->shaper);
	free(run->before);
	free(run->now);
	free(run->sum);
	if (run->wake_fd >= 0)
		close(run->wake_fd);
	pthread_mutex_destroy(&run->lock);
	free(run);
}
