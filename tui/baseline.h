/* SPDX-License-Identifier: MIT */
#ifndef TUI_BASELINE_H
#define TUI_BASELINE_H

#include "engine/json.h"
#include "engine/runlog.h"
#include "engine/target.h"

/**
 * What a check found before a change, to hold the one afterwards against: `check --before` stores it, `check --after`
 * compares. One file a volume, baselines/VOLUME-ID.json in the state directory; without an id one a path, named by a
 * hash of it. The newest replaces the one before, whole or not at all.
 */

/** Store the finished run @p run. @param path  filled with where (4096 bytes) */
int baseline_save(const struct runlog_snap *run, char *path, struct err *err);
/** The one for that target. ENOENT with what to do where there is none. New reference, or NULL. */
json_t *baseline_load(const struct target *t, struct err *err);

/**
 * A result beside the same test of the baseline: {"before":{"iops","bw_bytes","expected_iops","volumes"},"ratio",
 * "expected_ratio","as_expected"}, figures null where they are not known; NULL where the baseline has no such test.
 * The ratio is of IOPS; what was expected to change is the ratio of both expectations. New reference.
 */
json_t *baseline_change(const json_t *baseline, const struct result *r);
/** "randread-16k: 300 IOPS before, 2,998 now: x10.0, as expected (x10.0)". @return buf */
char *baseline_text(const char *test, const json_t *change, double now_iops, char *buf, size_t size);

#endif
