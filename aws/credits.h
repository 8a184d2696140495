/* SPDX-License-Identifier: MIT */
#ifndef AWS_CREDITS_H
#define AWS_CREDITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aws/model.h"

/**
 * The balance of the buckets while I/O is done: integrated tick by tick from what the device really did (layout,
 * journal and other processes spend too), else from what the workers did, counted as AWS counts it. All volumes of a
 * target are one bucket here (their sum), since a stripe spends them evenly.
 *
 * AWS publishes no balance at the moment, so this is a model: its start is assumed full unless somebody knows.
 * `time_scale` N, as in a shape: balances move N times faster.
 */

/** What the device, or else the workers, did in a tick. */
struct credits_io {
	double	 ios[DDIR_NR];	 /**< I/Os as they reached the device (or as workers issued them) */
	double	 bytes[DDIR_NR];
	bool	 sequential;	 /**< they follow each other: small ones are counted as merged */
	bool	 members;	 /**< counted on the member devices, so a RAID level changes nothing more */
};

/** One bucket's state. */
struct credits_bucket {
	struct bucket b;	/**< balance is live */
	double	 rate;		/**< counted units per second lately (a second or so) */
	double	 spent;		/**< units that I/O cost since the start */
};

struct credits {
	struct volumes volumes;
	struct credits_bucket bucket[BUCKETS_MAX];
	size_t nr;
	bool   volume_bucket;	/**< bucket[0] is the volumes' */
	bool   assumed;		/**< the start balance was assumed full, not told */
	bool   seen_spent;	/**< it was set to 0 since the series opened at the baseline */
	bool   from_device;	/**< the last tick was the device's own count */
	bool   nitro;
	double start;		/**< of the volumes' bucket, units, as it stands after corrections; NAN without one */
	double time_scale;
	double t_s;		/**< of volume time seen so far */
};

/**
 * Start with the buckets that @p e has, the volumes' at @p start, 0 to 1; NAN: at what @p e says, and `assumed`.
 * @p time_scale 0 counts as 1.
 */
void credits_init(struct credits *c, const struct expectation *e, double start, double time_scale);
/**
 * From now on with the buckets that @p e has: the volumes are others. A bucket of the same kind keeps its balance, as far
 * as it holds it (no document says what becomes of one); another volume's begins full, `assumed`.
 */
void credits_change(struct credits *c, const struct expectation *e);
/** Account one tick of @p dt_s wall seconds. */
void credits_tick(struct credits *c, double dt_s, const struct credits_io *io, bool from_device);
/** How many units of the volumes' counting that I/O is (operations, or bytes for st1 and sc1): one direction. */
double credits_count(const struct volume_perf *p, double ios, double bytes, bool sequential);
/** The bucket was assumed full, but the series opens at the baseline: set to 0, and so is the start. */
void credits_seen_spent(struct credits *c);

/** Balance in percent; NAN without that bucket. */
double credits_percent(const struct credits *c, size_t i);
/** Put the live balances of @p c into @p in, as shares: what model_rate() then allows now. */
void credits_apply(const struct credits *c, struct model_input *in);

/** As tests[].credits of a result: {"unit","start","end","capacity","source","assumed"} or null. New reference. */
json_t *credits_to_json(const struct credits *c);

#endif
