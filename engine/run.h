/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/job.h"
#include "engine/runlog.h"
#include "engine/shape.h"
#include "engine/target.h"

/**
 * A run: tests in order on one list of targets, conducted by a thread of its own. The conductor opens the targets,
 * lays out what must be read, starts and ends each job, takes the readings at the edges of the measured part, and
 * feeds log and recording. Who started the run reads its log, turns knobs and says stop; it never waits for I/O.
 */

/** What a body of its own is told; which fields count is the body's. A plain value. */
struct step_params {
	uint64_t bs, count;	  /**< bytes of one I/O, how many of them */
	bool	 dsync, fdatasync, direct, random;
	bool	 stdio;		  /**< per-character I/O through stdio, else a system call a byte */
	uint64_t files, file_max, file_min, dirs; /**< of file tests */
	int	 dir_fd;	  /**< of file tests: the directory of our own, set by the run */
};

/** One test of the run. A plain value. */
struct step {
	char		name[32];
	enum test_kind	kind;
	struct workload wl;
	unsigned	repeats;      /**< at least 1 */
	uint64_t	work_ios;     /**< of a body: I/Os that it does, where that is known beforehand; else 0 */
	worker_body	body;	      /**< NULL: block I/O by the workload */
	struct step_params params;    /**< the body's spec->body_arg */
	char		equivalent[160]; /**< the dd, hdparm or bonnie++ line that does the same, or "" */
	bool		fresh_target; /**< open the targets anew for this step (a new scratch file) */
	bool		no_layout;    /**< the test writes its own data before it reads any */
	bool		writes;	      /**< a body that writes, whatever wl.rw says */
	bool		null_short;   /**< under half a second there is no figure: null, and +++++ in tables */
	bool		once;	      /**< of block I/O: ends with one pass of each worker, should runtime not be over */
	bool		settle;	      /**< flush when it is measured: when was its data on disk (durable_s)? */
	char		measures[96]; /**< what the figure really is, or "" */
	char		warning[160]; /**< said with the result, or "" */
	/** Adds to the result's `more` how the test is done, where that is part of what it means; or NULL. */
	void	      (*describe)(struct result *r, const struct step *step);
};

struct run;

/** What other layers add. All on the conductor's thread; any may be NULL. */
struct run_hooks {
	/** The targets are open, nothing was written yet. May complete @p header (its doc, shaped, …). */
	int (*opened)(void *ctx, const struct target_list *targets, struct run_header *header, struct err *err);
	/** A test is about to start: what is known of it beforehand. */
	void (*test)(void *ctx, struct run *run, unsigned test, const struct step *step);
	/** A tick before anyone sees it: may set model_iops and model_balance, may call run_event(). */
	void (*tick)(void *ctx, struct run *run, struct tick *t, struct shaper *shaper);
	/** A test is done: may set r->more, verdict, reason, warnings. @p samples: all rows of the run so far. */
	void (*result)(void *ctx, struct run *run, struct result *r, unsigned test, struct span samples);
};

struct run_plan {
	const char	      *target;	/**< as typed; copied */
	struct target_request  req;	/**< texts borrowed until run_free(); `write` and `direct` are set from the steps */
	const char	      *title;	/**< a suite's or a workload's name; copied */
	struct step	       step[PLANNED_MAX];
	unsigned	       nr_steps;
	struct target_lines    notes;	/**< lines for the user, said when the run begins */
	struct shape	       shape;	/**< nr_limits and nr_steps 0: not shaped */
	bool		       simulated;
	const char	      *record;	/**< NULL: no recording; "": a new file in recorder_dir(); else a path or "-" */
	const char	      *version;
	const struct run_hooks *hooks;	/**< borrowed */
	void		      *hooks_ctx;
	int		       news_fd; /**< an eventfd that is written when the log has news or the run ends; -1: none */
};

enum knob { KNOB_IODEPTH, KNOB_BS, KNOB_RWMIXREAD, KNOB_RATE_IOPS, KNOB_TIME_SCALE, KNOB_REFILL, KNOB_NR };
const char *knob_name(enum knob k); /**< "iodepth", "bs", "rwmixread", "rate_iops", "time_scale", "credits" */

/** Start the conductor. The plan is copied. Fails only without memory or threads: all else comes from run_join(). */
int run_start(struct run **run, const struct run_plan *plan, struct err *err);
/**
 * End the run: workers stop within a second, what was measured is kept, the recording gets its end.
 * @param end  RUN_STOPPED or RUN_SIGNAL. Any thread; the first call counts.
 */
void run_stop(struct run *run, enum run_end end, const char *text);
/** End the step in hand. If others follow, the run pauses until run_go_on() or run_stop(). Any thread. */
void run_skip(struct run *run);
void run_go_on(struct run *run);
bool run_paused(struct run *run);
/** The conductor has finished; run_join() returns at once. Any thread. */
bool run_ended(struct run *run);
/**
 * Turn a knob of the job in hand: an event, a cut of the series. Out-of-range values are clamped, bs to whole logical
 * blocks; without effect while nothing is measured, and on a test with a body of its own. Any thread.
 */
void run_knob(struct run *run, enum knob k, double value);
/** A knob of the job in hand now; NAN when there is none. Any thread. */
double run_knob_get(struct run *run, enum knob k);
/** Does the job in hand look at iodepth, bs, rwmixread and rate_iops? Laying out and a body of its own do not. Any thread. */
bool run_has_knobs(struct run *run);
/** A mark on the plot. Any thread; text copied. */
void run_mark(struct run *run, const char *text);
/** An event of now. The conductor's thread only (hooks). */
void run_event(struct run *run, enum event_kind kind, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** What somebody else says, into log and recording. The conductor's thread only (hooks). */
void run_outside(struct run *run, const struct outside *o);

/** The log; NULL until the targets are open. Lives until run_free(). Any thread. */
struct runlog *run_log(struct run *run);
/** Where the recording is; "" without one. Valid once there is a log. */
const char *run_record_path(struct run *run);
/** Lines for the user (notes of the targets, what could not be recorded), oldest first; drains. Any thread. @return false: none */
bool run_note(struct run *run, char *buf, size_t size);

/** Wait for the conductor. @return 0, or -1 with why the run could not start or what I/O error ended it. */
int run_join(struct run *run, struct err *err);
/** After run_join(): true where a recording that was asked for by name is not whole, with why. */
bool run_record_lost(struct run *run, struct err *err);
/** How it ended; RUN_RUNNING before. */
enum run_end run_how(struct run *run);
void run_free(struct run *run);

#endif
