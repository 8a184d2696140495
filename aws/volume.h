/* SPDX-License-Identifier: MIT */
#ifndef AWS_VOLUME_H
#define AWS_VOLUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aws/limits.h"
#include "engine/err.h"

/**
 * A volume as one buys it, and what AWS says of it: what is legal, what it costs, what it can do.
 */

/** One volume. A plain value; `type` points into the tables it was read with. NULL: no volume. */
struct volume {
	const struct volume_type *type;
	uint64_t size_gib;
	uint64_t iops;	/**< as bought; gp2: the baseline that its size gives; standard: the average; st1, sc1: 0 */
	uint64_t mibps; /**< MiB/s. gp3: as bought; else the cap that follows (st1, sc1: rounded, see volume_perf) */
};

/** How several volumes are joined. RAID_NONE: each is used by itself, and their rates add up. */
enum raid { RAID_0, RAID_1, RAID_5, RAID_6, RAID_10, RAID_NONE };
#define VOLUMES_MAX 32

/** The volumes under one target. A plain value. n == 0: none known. */
struct volumes {
	size_t	      n;
	struct volume v[VOLUMES_MAX];
	enum raid     raid;	   /**< matters from two on */
	uint64_t      chunk_bytes; /**< of a stripe; 0 not known: I/O is taken not to cross chunks */
};

/**
 * Read SPEC = `[N*]TYPE[:SIZE[:IOPS[:THROUGHPUT]]]` and add its volumes to @p vs, all of them legal.
 *
 * SIZE in GiB, or with GiB or TiB; IOPS a count; THROUGHPUT in MiB/s, or with MiBps, MiB/s. Case does not matter. An
 * empty or missing SIZE is the type's default, IOPS and THROUGHPUT what the type includes (io1 and io2 need IOPS).
 * Several SPECs may be joined by commas.
 */
int volumes_parse(struct volumes *vs, const struct limits *l, const char *spec, struct err *err);
/** Bought alike: of one type, with the same figures. */
bool volume_same(const struct volume *a, const struct volume *b);
/** Read `0`, `1`, `5`, `6` or `10`. */
int raid_parse(const char *text, enum raid *raid, struct err *err);
/** Of the level as the kernel names it, "raid0", "raid1", …; RAID_NONE for one that is not modelled, such as "linear". */
enum raid raid_find(const char *level);
const char *raid_name(enum raid raid); /**< "RAID 0", …; RAID_NONE: "separate" */
/** The level needs more members than there are: refused with the number. */
int volumes_check(const struct volumes *vs, struct err *err);
/** "gp3 500 GiB, 6,000 IOPS, 250 MiB/s", "10 x gp2 20 GiB, RAID 0". @return buf */
char *volumes_text(const struct volumes *vs, char *buf, size_t size);
/** As a SPEC that volumes_parse() reads back: "gp3:500:6000:250". @return buf */
char *volume_spec(const struct volume *v, char *buf, size_t size);

/** The row of a type, NULL if there is none of that name; case does not matter. */
const struct volume_type *volume_type_find(const struct limits *l, const char *name);
/** As above, with the closest names in the error. */
int volume_type_parse(const struct limits *l, const char *name, const struct volume_type **out, struct err *err);

/* One volume, field by field: for a form. */

enum volume_field { VF_SIZE, VF_IOPS, VF_MIBPS, VF_NR };

/** What a field may be, the others being what they are. */
struct volume_range {
	bool	 settable; /**< else AWS computes it: min == max == that */
	uint64_t min, max;
};
struct volume_range volume_legal(const struct volume *v, enum volume_field f);
/** A volume of that type with the defaults of what is not given (0). Not checked. IOPS stay 0 for io1 and io2. */
struct volume volume_make(const struct volume_type *type, uint64_t size_gib, uint64_t iops, uint64_t mibps);
/** Read one field as typed, with its unit or without, into @p v. The text alone; volume_check() knows what is legal. */
int volume_field_parse(struct volume *v, enum volume_field f, const char *text, struct err *err);
/** Is this one field legal, the others being what they are? The error: AWS's rule and the nearest legal value. */
int volume_field_check(const struct volume *v, enum volume_field f, struct err *err);
/** All fields. @return 0, or -1 with the first rule that is broken. */
int volume_check(const struct volume *v, struct err *err);
/** The nearest legal volume of that type: size first, then IOPS, then throughput. */
struct volume volume_nearest(const struct volume *v);

/** What a volume can do by itself. Operations are of io_unit, bw in bytes per second. */
struct volume_perf {
	double iops_base, iops_burst; /**< of counted operations; equal when it does not burst. INFINITY: no such limit */
	double bw_base, bw_burst;     /**< equal for all but st1 and sc1 */
	double bw_hdd_unit;	      /**< st1, sc1: bytes that the smallest I/O costs; else 0 */
	uint64_t io_unit;	      /**< bytes that count as one operation; 0: any I/O is one */
	double capacity;	      /**< of the bucket: operations (gp2) or bytes (st1, sc1); 0: none */
	double earn;		      /**< per second, in the same unit */
	double iops_floor, bw_floor;  /**< standard: the low end of what AWS names; else as base */
};
/** @p nitro false: io1 and io2 on an older instance give at most 32,000 IOPS and 500 MiB/s. */
struct volume_perf volume_perf(const struct volume *v, bool nitro);
/** USD a month in us-east-1, without what is billed per request (standard). Of all: volumes_cost(). */
double volume_cost(const struct volume *v);
double volumes_cost(const struct volumes *vs);
/** Seconds that reading the whole volume takes as AWS documents it, without refill; NAN but for st1 and sc1. */
double volume_scan_seconds(const struct volume *v);
/** Assumed latency of one I/O on a simulated volume, ns (io2 0.4 ms; gp2, gp3, io1 1 ms; st1, sc1, standard 10 ms). */
uint64_t volume_sim_latency(const struct volume *v);

#endif
