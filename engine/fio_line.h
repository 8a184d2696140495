/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_FIO_LINE_H
#define ENGINE_FIO_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/target.h"
#include "engine/workload.h"

/**
 * fio's command line (3.33) for what a block test did: as many I/Os, of that size and direction, over the same blocks,
 * as many of them at once. "" where no line is that: a simulated target; rw=rw, whose two streams are half the region
 * apart here; a mix under rate_iops, which holds it together here; buffered writes, which are flushed as they go; a
 * region that is no whole number of blocks a worker; a path that a shell or fio would take apart.
 *
 * @param wl    as it was done: engine and direct as they were, bs and iodepth to the end
 * @param once  ends with one pass of each worker, should runtime not be over
 * @param size  of @p out; "" too where the line is longer
 */
void fio_line(const struct workload *wl, const struct target *t, bool once, char *out, size_t size);

#endif
