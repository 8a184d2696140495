/* SPDX-License-Identifier: MIT */
#ifndef AWS_VOLUME_LIFE_H
#define AWS_VOLUME_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aws/cloud.h"
#include "aws/ec2.h"
#include "aws/journal.h"
#include "aws/volume.h"
#include "engine/blockdev.h"
#include "engine/err.h"

/**
 * The life of a volume, step by step, each with its safety rules: create, attach, wait for the device, modify, detach,
 * delete; and what was left by a run that was killed. Asks nobody for consent: the caller does, before. Blocks for
 * minutes; cloud's cancel ends it.
 *
 * Rules: what is created is in the journal before AWS is asked, carries the tag `ebscope:run`, and has a ClientToken,
 * so that asking again makes no second one. After a time-out on attach, detach, delete or modify the volume is
 * described before anything is repeated. Nothing is detached or deleted that is in use here (mounted, swap, member of
 * a set), nor what the instance boots from (ERR_REFUSED).
 */

#define LIFE_FRESH_S 600 /* so long AWS may not tell everywhere of what it did */

#define LIFE_SETTLE_S 10 /* of looks that agree */

#define LIFE_TAG "ebscope:run"

struct life {
	struct cloud *cloud;
	char	      instance[EC2_ID]; /**< to attach to; "" not known */
	bool	      here;		/**< that is this machine: devices appear here */
	bool	      dry_run;		/**< every change is asked about only, nothing is waited for, nothing journalled */
	void	      (*say)(void *arg, const char *line); /**< what is going on; or NULL */
	void	     *arg;
	long	      poll_ms;	  /**< first wait between two looks, then longer up to 15 s; 0: 500 */
	long	      timeout_ms; /**< of each wait; 0: 10 min */
};

/** Find out which instance this is; with @p instance, take that one. An error only where it is needed: see attach. */
void life_init(struct life *l, struct cloud *cloud, const char *instance);

/** A volume under way. */
struct life_volume {
	char id[EC2_ID];
	char device[40]; /**< as EC2 knows it: "/dev/sdf" */
	char path[BLOCKDEV_NAME + 8]; /**< here: "/dev/nvme1n1"; "" not seen */
	int64_t modified; /**< in a wait: an older modification than of this time is not meant; -1 any */
	bool	 moved;	  /**< in a wait: AWS told of what is waited for, or it was done from here: its end is believed at once */
	uint64_t none_ns; /**< in a wait: since when AWS's answer is that there is none; 0 it is not */
};

/**
 * Create one and wait until it is available.
 * @param run  of journal_new_run(), held; @param n  which of the run, from 1
 */
int life_create(struct life *l, const struct volume *v, const char *az, bool encrypted, const struct ec2_tag *tag,
		size_t n_tags, const char *run, unsigned n, struct life_volume *out, struct err *err);
/** Attach out->id to the instance and wait for the device. @param device "" or NULL: the next free /dev/sd[f-p] */
int life_attach(struct life *l, const char *device, struct life_volume *out, struct err *err);
int life_detach(struct life *l, const char *id, struct err *err);
int life_delete(struct life *l, const char *id, struct err *err);
/** Change to @p want (a figure of 0 stays as it is) and fill @p out with what AWS began. */
int life_modify(struct life *l, const char *id, const struct volume *want, struct ec2_modification *out, struct err *err);

/**
 * States to wait for: "available", "attached" (and its device here), "deleted", "optimizing", "completed". That there is no
 * volume, or no modification but an earlier one, may be what AWS does not tell yet of another's doing: it is believed when
 * it was the answer for LIFE_SETTLE_S.
 */
extern const char *const life_states[];
int life_wait(struct life *l, const char *id, const char *state, struct life_volume *out, struct err *err);

/** May it be detached or deleted? ERR_REFUSED with the reason: in use here, or the root volume. */
int life_guard(struct life *l, const struct ec2_volume *v, struct err *err);
/** The whole device here of that volume, by its id, or on Xen by the letter it was attached with. NULL: none. */
const struct blockdev *life_find_here(const struct blockdevs *devs, const char *id, const char *device);

/** What a run left behind. */
struct life_leftover {
	struct journal_volume j;	/**< volume_id filled in where it could be found out */
	bool		      exists;	/**< in this account, in its Region */
	bool		      unknown;	/**< AWS could not be asked there, or may not tell of it yet, or it is living */
	bool		      living;	/**< its run is still at it: not a leftover, and left alone */
	char		      state[12];
	char		      attached_to[EC2_ID];
};
struct life_leftovers {
	struct life_leftover *v;
	size_t		      n;
};
/**
 * Everything in the journal that is not known to be gone, as AWS knows it now. Visits each Region named there; one that
 * cannot be asked is said and leaves its volumes unknown. Fails where none could be asked.
 */
int life_leftovers(struct life *l, struct life_leftovers *out, struct err *err);
void life_leftovers_release(struct life_leftovers *lo);
/**
 * Detach where needed and delete one that exists, in its Region. ERR_REFUSED where it is attached to another machine,
 * for what uses it there cannot be seen, unless @p named: the user meant this one.
 */
int life_remove(struct life *l, const struct life_leftover *lo, bool named, struct err *err);

/** USD an hour of what costs @p month a month, as AWS bills: a month has 730 hours. */
static inline double life_hourly(double month) { return month / 730; }

/**
 * The rest of the errand, shown and never run: partition or RAID set, filesystem, mount; or with @p down the way back.
 * @param paths of the devices @return new text, lines ended by newline; NULL without memory
 */
char *life_errand(const char *const *paths, size_t n, enum raid raid, bool down);

#endif
