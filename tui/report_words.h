/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPORT_WORDS_H
#define TUI_REPORT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/runlog.h"

/**
 * What was measured, in words, as formats put it above or below their figures: from the log alone, so a recording says
 * the same on any machine. Each writes into buf and returns it; "" where nothing is known.
 */

/** "gp3 500 GiB, 6,000 IOPS, 250 MiB/s", "10 × gp2 20 GiB …"; of the first volume where they differ. */
char *words_volume(const struct run_header *h, char *buf, size_t size);
/** "m5.large", "task 2:4096", else "8 CPUs, 16 GiB". */
char *words_host(const struct run_header *h, char *buf, size_t size);
/** "256 MiB (cgroup) of 24 GiB" where the run was held to less than the machine has, else "". */
char *words_memory(const struct run_header *h, char *buf, size_t size);
/** "/data, xfs on nvme1n1, vol-0123…". */
char *words_target(const struct run_header *h, char *buf, size_t size);
/** "2026-12-01 05:00 UTC". */
char *words_date(const struct run_header *h, char *buf, size_t size);
/** "SIMULATED", "SHAPED ×60", "SHAPED ×60 to ×240" where that was turned meanwhile, "" for a run as it is. */
char *words_shape(const struct runlog_snap *run, char *buf, size_t size);

/** "3 times: mean 2,998 IOPS ± 0.4 %, 2,985 to 3,010" of a test with repetitions. */
char *words_repeat(const struct result *r, char *buf, size_t size);
/** "accepted after 0.071 s, on disk after 0.263 s" of a test that knows both. */
char *words_durable(const struct result *r, char *buf, size_t size);

#endif
