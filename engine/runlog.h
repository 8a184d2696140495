/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_RUNLOG_H
#define ENGINE_RUNLOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/json.h"
#include "engine/result.h"
#include "engine/sample.h"
#include "engine/timeline.h"

/**
 * Everything that is known of one run, as a stream of entries: a header, then ticks, events and results in order,
 * then an end. The live run, a replayed recording and an imported one all fill the same log through the same calls,
 * and every screen and report reads only this: so a live frame and its replay can't differ.
 *
 * One thread adds; any thread reads through a snapshot.
 */

/** Latencies as the screen shows them: 8 buckets a power of two. DISPLAY index = hist_index() >> 3. */
#define DISPLAY_SHIFT 3
#define DISPLAY_NR    (HIST_NR >> DISPLAY_SHIFT)
/** The smallest latency of display bucket @p i, ns. */
uint64_t display_low(unsigned i);

/** A worker in the tick. */
struct worker_row {
	uint64_t ios, bytes; /**< in the tick, both directions */
	uint32_t inflight;
	uint64_t errors;     /**< so far */
};
#define WORKER_ROWS_MAX 256

/** Latencies as the device counted them in an interval, by bounds of its own; ascending. */
#define DEVICE_BINS 64
struct device_lat {
	unsigned n; /**< 0: not read, or it counts none */
	struct {
		uint64_t lower_us, upper_us;
		uint64_t ios[DDIR_NR];
	} bin[DEVICE_BINS];
};
/** Add @p from to @p to, bin by bin; bins that are new are put in their place while there is room. */
void device_lat_add(struct device_lat *to, const struct device_lat *from);
/** The latency that @p share (0 to 1) of the I/Os did not exceed, ns, straight between a bin's bounds; NAN for none. */
double device_lat_at(const struct device_lat *d, double share);

/** What the sampler makes of one interval: everything a screen or a recording needs of it. */
struct tick {
	struct sample	  s;
	uint64_t	  p50, p99, p999; /**< latency of the test so far (its measured part), ns; 0 none */
	uint32_t	  display[DISPLAY_NR]; /**< completions of this tick by latency */
	struct device_lat device; /**< since it was read before; in most ticks it is not */
	unsigned	  nr_workers;
	struct worker_row worker[WORKER_ROWS_MAX];
};

enum event_kind {
	EVENT_START, EVENT_KNOB, EVENT_MARK, EVENT_PHASE, EVENT_CREDITS_EMPTY, EVENT_CREDITS_FULL, EVENT_THROTTLED,
	EVENT_ERROR, EVENT_TEST, EVENT_STOP, EVENT_NR
};
const char *event_kind_name(enum event_kind k);

struct event {
	uint64_t	t_ns; /**< since the run began */
	enum event_kind kind;
	uint32_t	test;
	char		text[160];
};

/**
 * What somebody else says of what the run is on: a figure at a time of its own, which may lie before the run, and which
 * is known later than that.
 */
struct outside {
	char   name[24]; /**< "BurstBalance" */
	char   id[24];	 /**< of what: a volume's or an instance's id */
	double t_s;	 /**< when it was so, since the run began */
	double value;	 /**< NAN: there is no figure, and `text` says why */
	char   text[64];
};
#define OUTSIDE_MAX 8192 /**< that are kept of a run, the first */

/** A test that the run will do, from the start: the list on the screen. */
struct planned {
	char	       name[32];
	enum test_kind kind;
	struct workload wl;
	unsigned       repeats;
	double	       seconds; /**< how long its repetitions are planned to take, with their ramps; NAN not known */
	bool	       stdio;	/**< TEST_CHAR: through stdio, else a system call a byte */
	double	       ios;	/**< where it ends with its work and not with the clock: I/Os of one repetition; NAN not known */
};
#define PLANNED_MAX 64

struct run_header {
	char	 version[32];
	char	 started[32];	/**< RFC 3339, UTC */
	char	 target[256];	/**< as typed */
	char	 title[96];	/**< what the run is: a suite's or a workload's name */
	bool	 shaped, simulated;
	double	 time_scale;	/**< the volume's seconds per wall second */
	unsigned nr_planned;
	struct planned planned[PLANNED_MAX];
	json_t	*doc;		/**< the rest of the JSON header: host, targets, volumes, …; owned */
};

enum run_end { RUN_RUNNING, RUN_DONE, RUN_STOPPED, RUN_SIGNAL, RUN_ERROR, RUN_INTERRUPTED, RUN_END_NR };
const char *run_end_name(enum run_end e); /**< as in the recording: "done", "stopped", "signal", "error"; "interrupted" for none */

#define EVENTS_KEPT 512

struct runlog;

/** What a reader sees, all of one moment. Borrowed pointers live until runlog_snap_release(). */
struct runlog_snap {
	const struct run_header *header;
	struct timeline		*tl;
	struct span		 span;
	struct tick		 last;	   /**< the newest tick; last.s.dt_ns is 0 before the first */
	uint64_t		 display[DISPLAY_NR]; /**< of the test in hand so far */
	struct device_lat	 device;   /**< the same as the device counted it; n 0: it does not, or nobody may ask it */
	const struct outside	*outside;  /**< in the order in which they became known */
	size_t			 nr_outside;
	const struct event	*events;   /**< oldest first */
	size_t			 nr_events;
	const struct result *const *results;
	size_t			 nr_results;
	enum run_end		 end;
	char			 end_text[256]; /**< the error's message, or "" */
	uint64_t		 end_ns;
	uint64_t		 serial;   /**< changes with each entry */
};

/** @p header is copied; its doc's reference is taken over. NULL without memory. */
struct runlog *runlog_new(const struct run_header *header);
void runlog_free(struct runlog *log);

/* Adding: one thread. */
void runlog_tick(struct runlog *log, const struct tick *t);
void runlog_event(struct runlog *log, const struct event *e);
void runlog_outside(struct runlog *log, const struct outside *o);
/** The log owns @p r from here on. */
void runlog_result(struct runlog *log, struct result *r);
void runlog_end(struct runlog *log, enum run_end end, uint64_t t_ns, const char *text);

/** Fill @p out. Any thread. The snapshot is about 30 KiB: not for small stacks. */
void runlog_snap(struct runlog *log, struct runlog_snap *out);
void runlog_snap_release(struct runlog_snap *s);
/** Number that changes with every entry: is there news? Any thread. */
uint64_t runlog_serial(struct runlog *log);

/*
 * The same entries as JSON, one object a line in a recording. New references; the readers return -1 for an object
 * that is no such entry.
 */
json_t *run_header_to_json(const struct run_header *h);
json_t *tick_to_json(const struct tick *t);
json_t *event_to_json(const struct event *e);
json_t *outside_to_json(const struct outside *o);
json_t *run_end_to_json(enum run_end end, uint64_t t_ns, const char *text);
int run_header_from_json(struct run_header *h, const json_t *o);
int tick_from_json(struct tick *t, const json_t *o);
int event_from_json(struct event *e, const json_t *o);
int outside_from_json(struct outside *out, const json_t *o);

#endif
