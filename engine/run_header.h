/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_RUN_HEADER_H
#define ENGINE_RUN_HEADER_H

#include "engine/run.h"

/**
 * Room for live knobs: the deepest queue and the largest block that a job can be turned to while it runs. 256 and
 * 1 MiB, or the workload's own where larger; together never more than 256 MiB of buffers, nor a quarter of the memory
 * there is (the container's).
 */
uint64_t run_iodepth_max(const struct workload *wl);
uint64_t run_bs_max(const struct workload *wl); /**< bytes */

/** Refuse (ERR_USAGE) a workload whose buffers take more than a quarter of the memory: the kernel would kill us. */
int run_check_memory(const struct workload *wl, struct err *err);

/**
 * The bytes of a test that ends with its work: each job as much as it uses of a target, and so often that all targets
 * are gone through where there are more of them than jobs.
 */
uint64_t run_pass_bytes(const struct workload *wl, const struct target_list *targets);

/** What is known of a run before its first I/O: names, plan, host and targets (`host`, `targets` in doc). */
void run_header_fill(struct run_header *h, const struct run_plan *plan, const struct target_list *targets);
/** `host` and `targets` of the JSON result. New references. */
json_t *run_host_json(void);
json_t *run_targets_json(const struct target_list *targets);
/** `targets` of what is only watched, so never opened: a row a device below @p path. */
json_t *run_watched_json(const char *path, const struct diskset *disks);

#endif
