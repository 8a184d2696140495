/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_SAMPLER_H
#define ENGINE_SAMPLER_H

#include <stdint.h>

#include "engine/err.h"
#include "engine/runlog.h"

struct job;
struct sampler;

/**
 * The tick: one thread that reads the counters of the job in hand at absolute deadlines on CLOCK_MONOTONIC and turns
 * two readings into a tick with the interval that really passed. It never writes to disk and never waits for a
 * reader: ticks go into a queue, and an eventfd says that there are some.
 *
 * 10 Hz for the first hour of a run, then once a second (a recording of days stays small).
 */
#define SAMPLER_PERIOD_NS      (NS_PER_SEC / 10)
#define SAMPLER_SLOW_AFTER_NS  (3600 * NS_PER_SEC)
#define SAMPLER_SLOW_PERIOD_NS NS_PER_SEC

/** What the device moved so far: DEV_NONE where it can't be read. Any thread. */
struct device_reading {
	struct {
		uint64_t ios, bytes;
	} dir[DDIR_NR];
};

struct sampler_source {
	const struct job *job; /**< NULL: only the device is read */
	/** Read the device; called once a tick on the sampler's thread, so it must not block. NULL: no device. */
	void (*read_device)(void *ctx, struct device_reading *out);
	void		 *ctx;
	uint32_t	  test, repeat;
	enum run_phase	  phase;
};

/** @param start_ns  the run's beginning, which samples count from  @param notify_fd  an eventfd; -1: none */
int sampler_start(struct sampler **s, uint64_t start_ns, int notify_fd, struct err *err);
/** Stop the thread and free everything that is still queued. */
void sampler_free(struct sampler *s);

/**
 * Sample this from now on. What was sampled before gets a last tick that ends now: no tick straddles two phases.
 * The job must live until sampler_detach() or the next attach returns. The caller's thread makes the tick.
 */
void sampler_attach(struct sampler *s, const struct sampler_source *src);
/** As a change of the phase alone. */
void sampler_phase(struct sampler *s, enum run_phase phase);
/** A last tick for what is attached, then nothing more is sampled. */
void sampler_detach(struct sampler *s);

/** The oldest queued tick, the caller's to free(); NULL when there is none. */
struct tick *sampler_next(struct sampler *s);

#endif
