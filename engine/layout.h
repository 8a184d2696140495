/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_LAYOUT_H
#define ENGINE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/job.h"
#include "engine/target.h"
#include "engine/workload.h"

/**
 * Real data in a file before it is measured: an extent that was never written reads back as zeros at the speed of
 * memory, and writing it for the first time pays for its allocation. It is a job like any other (one worker a target,
 * counting writes), so it is seen live and stops when told to.
 */

/** Whether one of these targets has to be laid out before it is measured. */
bool layout_needed(const struct target *targets, unsigned nr);

/**
 * Start writing incompressible data to what @p wl uses of each target that needs it (target.needs_layout), 1 MiB at a
 * time, 8 deep; through the page cache, where it must be, with a flush every 8 MiB so that it stops within a second
 * on any but the slowest disk. At its end everything is on disk (counters.durable_ns), and needs_layout is false if
 * it was not stopped before. @p targets borrowed until job_join().
 */
int layout_start(struct job **job, const struct workload *wl, struct target *targets, unsigned nr, int notify_fd,
		 struct err *err);

/** Drop what the page cache holds of a target (fio's --invalidate=1), so that a buffered read reaches the device. */
int layout_drop_cache(const struct target *t, struct err *err);

#endif
