/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_TIMELINE_H
#define ENGINE_TIMELINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/err.h"
#include "engine/sample.h"

/**
 * The samples of a run in order, in bounded memory. One thread appends; any thread reads: rows [0, n) never change
 * once published. When TIMELINE_CAP rows are full, the appender makes a coarser timeline (the older half merged in
 * pairs of one test and phase) and the runlog hands it over whole; the old one lives until its last reader lets go.
 */
#ifndef TIMELINE_CAP
#define TIMELINE_CAP 40960 /* 68 minutes at 10 Hz; then one sample a second: 9 more hours before it coarsens */
#endif

struct timeline {
	struct sample	 *row;
	size_t		  cap;
	_Atomic size_t	  published;
	_Atomic unsigned  refs;
};

/** A view of the rows published when it was made; valid while a reference to the timeline is held. */
struct span {
	const struct sample *row;
	size_t		     n;
};

/** A new one with one reference, or NULL without memory. */
struct timeline *timeline_new(size_t cap);
struct timeline *timeline_ref(struct timeline *tl);
void timeline_unref(struct timeline *tl);
/** @return 0, or -1 when it is full: then timeline_coarser(). Appender only. */
int timeline_append(struct timeline *tl, const struct sample *s);
/**
 * A new timeline of the same cap with the rows of @p tl, older ones merged in pairs until at most half of it is used,
 * so the newest quarter keeps its ticks and rows get longer towards the past. Only rows of one test, repetition and
 * phase are merged; should there be more of those than rows to keep, the oldest are dropped. NULL without memory.
 */
struct timeline *timeline_coarser(const struct timeline *tl);
/** Any thread that holds a reference. */
struct span timeline_span(const struct timeline *tl);
/** Its last second as one interval. @return false: there are no rows, *sum is left alone */
bool span_last_second(struct span span, struct sample *sum);
/**
 * The share of its last second's time in which the documents would have let through what was done in it, each tick by
 * its own limit: ticks of large and of small I/Os have different ones. 1 is the limit; NAN where no tick has one.
 */
double span_last_share(struct span span);

#endif
