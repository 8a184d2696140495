/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_WORKLOAD_H
#define ENGINE_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

/** Direction of one I/O. */
enum ddir { DDIR_READ, DDIR_WRITE, DDIR_NR };

/** Access pattern, as fio's --rw. */
enum rw { RW_READ, RW_WRITE, RW_RW, RW_RANDREAD, RW_RANDWRITE, RW_RANDRW, RW_NR };

/** Writes that return when data (DSYNC), or data and metadata (SYNC), are on disk: fio's --sync. */
enum wsync { WSYNC_NONE, WSYNC_DSYNC, WSYNC_SYNC, WSYNC_NR };

/** Engine that issues the I/O, as fio's --ioengine. AUTO: libaio for direct I/O on a device or a disk's file, sync else. */
enum ioengine { IOENGINE_AUTO, IOENGINE_LIBAIO, IOENGINE_SYNC, IOENGINE_SIM, IOENGINE_NR };

/**
 * What to do: fio's words with fio's meanings. A plain value; const once a job has started.
 * A zero in `size` or `runtime_ns` means "not given": the run decides (see design of each in workload_fields).
 */
struct workload {
	char	      name[32];	  /**< of the test, as results call it: "randread-16k", "iops" */
	enum rw	      rw;
	uint64_t      bs;	  /**< bytes per I/O */
	uint64_t      iodepth;	  /**< I/Os in flight per job */
	uint64_t      numjobs;	  /**< workers */
	uint64_t      size;	  /**< bytes used of each target; 0: the default of the target. Without a runtime each job moves so many */
	uint64_t      runtime_ns; /**< wall time measured, after ramp_time */
	uint64_t      ramp_ns;	  /**< wall time before, not measured */
	uint64_t      rwmixread;  /**< percent of the I/Os that read, for rw and randrw */
	uint64_t      rate_iops;  /**< I/Os per second each job may start; 0: no cap */
	uint64_t      direct;	  /**< 1: O_DIRECT */
	enum ioengine ioengine;
	enum wsync    sync;
	uint64_t      invalidate; /**< 1: drop the page cache of the target before a buffered read */
	uint64_t      seed;	  /**< of the offsets; 0: the default, the same offsets each run */
};

/** One row a field: the parser, --help, the form, the recording and the docs all walk this table. */
struct workload_field {
	const char *key;   /**< fio's name, the option without the dashes */
	enum { FIELD_COUNT, FIELD_SIZE, FIELD_TIME, FIELD_RW, FIELD_ENGINE, FIELD_SYNC } type;
	size_t	    at;	   /**< offset in struct workload */
	uint64_t    min, max;
	const char *help;  /**< one line */
};
/** Ends with a row whose key is NULL. */
extern const struct workload_field workload_fields[];

/** Named workloads (`iops`, `throughput`, `latency`, `mixed`, …); ends with a row whose name is "". */
extern const struct workload workloads[];
/** What `workloads[i]` is for, one line; same index. */
extern const char *const workload_about[];

/** fio's defaults for what is not said, with direct=1. */
void workload_init(struct workload *wl);
/** Find a named workload. @return NULL if there is none of that name */
const struct workload *workload_find(const char *name);
/** Copy the field of @p f, and only that. */
void workload_copy_field(struct workload *to, const struct workload *from, const struct workload_field *f);
/** The row of a key. @return NULL if there is none of that name */
const struct workload_field *workload_field_find(const char *key);
/** All keys, "rw bs iodepth …". @return buf */
char *workload_keys(char *buf, size_t size);
/** Set one field from text. @p err says key, value and what is allowed; @p wl is then as it was. */
int workload_set(struct workload *wl, const char *key, const char *value, struct err *err);
/** The field as text that workload_set() reads back. @p size at least 32. @return buf */
char *workload_get(const struct workload *wl, const char *key, char *buf, size_t size);
/** For --help: what is allowed and, in brackets, the default: "1 to 4096 (1)". @p size at least 128. @return buf */
char *workload_allowed(const struct workload_field *f, char *buf, size_t size);
/** Rules between fields (bs against size, direct against bs, …). @p lba logical block of the target, bytes. */
int workload_check(const struct workload *wl, uint64_t lba, struct err *err);
/** "randread 16k · iodepth 32 · 2 jobs" for titles; UTF-8. @return buf */
char *workload_text(const struct workload *wl, char *buf, size_t size);

const char *rw_name(enum rw rw);
static inline bool rw_is_rand(enum rw rw) { return rw >= RW_RANDREAD; }
static inline bool rw_reads(enum rw rw) { return rw != RW_WRITE && rw != RW_RANDWRITE; }
static inline bool rw_writes(enum rw rw) { return rw != RW_READ && rw != RW_RANDREAD; }
const char *ioengine_name(enum ioengine e);
const char *wsync_name(enum wsync s); /**< "none", "dsync", "sync" */

#endif
