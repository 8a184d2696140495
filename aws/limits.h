/* SPDX-License-Identifier: MIT */
#ifndef AWS_LIMITS_H
#define AWS_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

/**
 * What AWS documents, as tables: one row a volume type, one row a Fargate task size. The figures that are compiled
 * in are in limits.c, each group with its document and date; `--limits FILE` makes a copy with some of them replaced.
 *
 * Volume throughput is in MiB/s and sizes are in GiB here, as AWS writes them; the model turns them into bytes.
 */

enum volume_kind { VOLUME_GP2, VOLUME_GP3, VOLUME_IO1, VOLUME_IO2, VOLUME_ST1, VOLUME_SC1, VOLUME_STANDARD, VOLUME_NR };

/** How a type comes to its performance. */
enum volume_class {
	CLASS_SIZE,	   /**< gp2: by its size, with a bucket of I/O credits */
	CLASS_PROVISIONED, /**< gp3, io1, io2: as bought */
	CLASS_HDD,	   /**< st1, sc1: throughput by its size, with a bucket of MiB credits */
	CLASS_MAGNETIC,	   /**< standard: a range, no promise */
};

#define PRICE_TIERS 3

/** One volume type. A figure that the type does not have is 0. */
struct volume_type {
	enum volume_kind  kind;
	enum volume_class class;
	const char	 *name;
	const char	 *source;	   /**< document and date of the limits */
	double size_min, size_max;	   /**< GiB */
	double size_default;		   /**< GiB, where a SPEC names none: what the console proposes */
	double iops_min, iops_max;	   /**< what can be bought; gp2: bounds of the baseline; standard: the range seen */
	double iops_included;		   /**< without asking (gp3); standard: the average */
	double iops_per_gib;		   /**< gp2: baseline; else the most that a GiB may have */
	double iops_burst;		   /**< gp2 */
	double bucket_ios;		   /**< gp2: capacity of the bucket, full at creation */
	double mibps_min, mibps_max;	   /**< what can be bought; io1, io2: cap; standard: the range seen */
	double mibps_included;		   /**< gp3 */
	double mibps_per_iops;		   /**< the most per provisioned IOPS (gp3), or what each brings (io1, io2) */
	double mibps_small, small_gib;	   /**< gp2: cap of volumes up to small_gib */
	double mibps_low, low_iops;	   /**< io1: cap up to low_iops */
	double mibps_per_iops_high;	   /**< io1: per provisioned IOPS above low_iops */
	double base_per_tib, base_max;	   /**< st1, sc1, MiB/s */
	double burst_per_tib, burst_max;   /**< st1, sc1, MiB/s */
	double iops_max_xen, mibps_max_xen;/**< io1, io2 on instances that are not Nitro */
	double io_unit;			   /**< bytes that count as one I/O; 0: any I/O is one */
	double latency_ms;		   /**< assumed for a simulated volume; no document states it */
	double usd_gib, usd_iops[PRICE_TIERS], iops_tier[PRICE_TIERS], iops_free, usd_mibps, mibps_free, usd_million;
};

/** A Fargate task size: what is documented of EBS (a floor to plan with), and its legal memory. */
struct task_size {
	double cpu_units;		/**< 1024 a vCPU */
	double mem_min, mem_max, mem_step; /**< MiB; step doubles at 256 units: 512, 1024, 2048 */
	double ebs_iops;		/**< 16 KiB I/O; 0: not documented */
	double ebs_mibps;		/**< 128 KiB I/O; 0: not documented */
	double ebs_mbps;		/**< as documented; 0: not documented */
};
#define TASK_SIZES 7

/** An instance whose EBS figures FILE replaces. */
struct instance_override {
	char   name[32];
	double base_mbps, max_mbps, base_iops, max_iops; /**< NAN: not replaced */
};
#define OVERRIDES_MAX 64

struct limits {
	char as_of[16];	  /**< "2026-08": when the figures were read from the documents */
	char origin[128]; /**< "" or the file that replaced some */
	struct volume_type type[VOLUME_NR];
	struct task_size   task[TASK_SIZES];
	struct instance_override instance[OVERRIDES_MAX];
	size_t nr_instances;
};

/** The tables that are compiled in. Const, any thread. */
const struct limits *limits_builtin(void);

/**
 * Read a file of replacements over the built-in tables into @p out. JSON, every key optional:
 *
 *   {"as_of": "2026-11",
 *    "volumes":   {"gp3": {"iops_max": 100000, "mibps_max": 3000}},
 *    "instances": {"m5.large": {"ebs_base_mbps": 650, "ebs_max_mbps": 4750, "ebs_base_iops": 3600, "ebs_max_iops": 18750}},
 *    "tasks":     {"2048": {"ebs_iops": 4000, "ebs_mibps": 100}}}
 *
 * The keys of a volume and a task are the names of the fields above (usd_iops and iops_tier: lists of up to three
 * figures). A key or an instance type that is not known, a figure below 0, or text where a figure belongs is refused,
 * and named.
 */
int limits_load(struct limits *out, const char *path, struct err *err);
/** The tables in use: the built-in ones where @p path is NULL, else those of limits_load() in @p own; NULL with err. */
const struct limits *limits_or(struct limits *own, const char *path, struct err *err);
/** As limits_load(), from text in memory; @p name is what messages call it. */
int limits_parse(struct limits *out, const char *json, size_t len, const char *name, struct err *err);
/**
 * Whether the tables are older than a year on the day @p unix_seconds. Their as_of is a year and a month; one that
 * can't be read counts as old.
 */
bool limits_stale(const struct limits *l, int64_t unix_seconds);

/** Replacements for one instance, or NULL. */
const struct instance_override *limits_instance(const struct limits *l, const char *name);

#endif
