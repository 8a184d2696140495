/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_RUN_HEADER_H
#define ENGINE_RUN_HEADER_H

#include "engine/run.h"

/** Room for live knobs: the deepest queue and the largest block that a job can be turned to while it runs. */
#define RUN_IODEPTH_MAX(wl) ((wl)->iodepth > 256 ? (wl)->iodepth : 256)
#define RUN_BS_MAX(wl)	    run_bs_max(wl)
/** bytes: 1 MiB, or the workload's own where larger; never more than 256 MiB of buffers in all. */
uint64_t run_bs_max(const struct workload *wl);

/** What is known of a run before its first I/O: names, plan, host and targets (`host`, `targets` in doc). */
void run_header_fill(struct run_header *h, const struct run_plan *plan, const struct target_list *targets);
/** `host` and `targets` of the JSON result. New references. */
json_t *run_host_json(void);
json_t *run_targets_json(const struct target_list *targets);

#endif
