/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_TARGET_H
#define ENGINE_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/blockdev.h"
#include "engine/diskstats.h"
#include "engine/err.h"
#include "engine/scratch.h"

/**
 * What a run works on: opened, described, and guarded. Writing destroys data, so there is one guard, here: a
 * descriptor that may write exists only if target_open() was asked for it (`write`) and every check has passed.
 * `writable` says so; whoever submits a write asserts it.
 *
 * Nothing but what was named is ever written: a directory gets a scratch file that has no name (O_TMPFILE) or lives
 * in a directory of our own (scratch.h); a file needs `overwrite`; a block device needs its own name in `destroy` and
 * must be free of mounts, swap, members, loop devices, partition tables and signatures (blockdev.h). A path that
 * does not exist is refused, never created. All checks come before any open for writing; then one O_EXCL descriptor
 * serves the whole job, and target_recheck() looks through it once more before the first write.
 *
 * Errors: ERR_USAGE for nonsense (an empty name, one target twice), ERR_REFUSED for what would destroy data, errno
 * values for the rest (ENOENT, ENOSPC, EACCES, …). One thread opens and closes; anybody may read meanwhile.
 */

enum target_kind { TARGET_DIR, TARGET_FILE, TARGET_BLOCK, TARGET_SIM, TARGET_KIND_NR };
/** As in the JSON result: "directory", "file", "block", "sim". */
const char *target_kind_name(enum target_kind kind);

/** Size of `sim:` in bytes: 1 TiB. */
#define TARGET_SIM_SIZE (1ULL << 40)
/** Targets that one list may name. */
#define TARGETS_MAX 128

/** How a target is to be opened. Zeroed: read tests, buffered, everything by default. */
struct target_request {
	bool	    write;	     /**< some test of the run writes */
	bool	    direct;	     /**< O_DIRECT; where the filesystem refuses it, buffered with a warning */
	bool	    mixed;	     /**< some test of the run is direct, another is not: target_set_direct() before each */
	bool	    overwrite;	     /**< an existing file may be written */
	uint64_t    size;	     /**< bytes of each target to use; 0: the default */
	bool	    fixed_size;	     /**< and a test needs them all: less can't be asked for */
	const char *destroy;	     /**< block devices that may be written: kernel names or volume ids, comma-separated; or NULL */
};

/** Lines for the user about one target, in the order they were found. */
#define TARGET_LINES 8
struct target_lines {
	unsigned n;
	char	 text[TARGET_LINES][256];
};
/** One more, without control characters; what is beyond TARGET_LINES is dropped. */
void target_say(struct target_lines *lines, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * One target. target_open() fills it; target_close() ends it. Large (about 20 KiB): not in arrays on small stacks.
 * Texts are "" where there is nothing to say.
 */
struct target {
	char		 path[PATH_MAX]; /**< as the user wrote it */
	char		 real[PATH_MAX]; /**< canonical: links resolved, devices as "/dev/NAME"; "" for sim */
	enum target_kind kind;
	int		 fd;		 /**< for all I/O of the job, positional calls only; -1 for sim */
	uint64_t	 size_bytes;	 /**< offsets 0 … size_bytes - 1 are the test's: a multiple of lba, > 0 */
	uint64_t	 whole_bytes;	 /**< of the device or file; for a directory size_bytes */
	uint32_t	 lba;		 /**< bytes; offset and length of direct I/O are multiples of it */
	uint32_t	 mem_align;	 /**< bytes; buffers of direct I/O start at multiples of it */
	bool		 direct;	 /**< the descriptor is O_DIRECT */
	bool		 writable;	 /**< the descriptor may write: our own file, or what the user agreed to lose */
	bool		 scratch;	 /**< our own file: empty until laid out, gone at close */
	bool		 needs_layout;	 /**< scratch, or a writable file with holes or unwritten extents: write real data first */
	bool		 tmpfs;		 /**< tmpfs or ramfs: memory, no device, always cached */
	char		 filesystem[32]; /**< "ext4", "xfs", "tmpfs", …; "" for block and sim */

	char		 device[BLOCKDEV_NAME]; /**< kernel name of the block device it is or lives on; "" none seen */
	struct diskset	 disks;		 /**< what diskstats counts for it; empty: none seen */
	enum blockdev_kind media;	 /**< EBS or INSTANCE_STORE when all disks below are; else OTHER */
	unsigned	 nr_leaves;	 /**< disks at the bottom */
	unsigned	 nr_volumes;	 /**< EBS volumes below, each named here once: one, or the members of a set */
	char		 volume[DISKSET_MAX][BLOCKDEV_NAME];
	char		 raid_level[32]; /**< of the md or striped dm device: "raid0"; "" when it is no set */

	char		 sim_spec[256];	 /**< what follows "sim:", uninterpreted */
	struct target_lines warnings;	 /**< what makes the figures less trustworthy; for reports */
	struct target_lines notes;	 /**< what was done or is worth knowing; for stderr only */

	/* private to target*.c: what was checked, so that the descriptor can be held against it */
	struct scratch_dir named;
	uint64_t	 id_dev, id_ino, id_bytes;
	char		 id_serial[64];
	bool		 want_write, want_direct, stand_in;
};

/**
 * Open and describe one target: a directory, a file, a block device (or an alias of one), "sim:" or "sim:SPEC".
 *
 * @p t need not be initialised. On failure it is as after target_close(), and nothing was written or left behind.
 */
int target_open(struct target *t, const char *path, const struct target_request *req, struct err *err);

/**
 * Is the open descriptor still what was checked, and is it still blank? Call it before the first write of the job.
 * 0 at once for targets that are no block device. @return 0, or -1: nothing may be written
 */
int target_recheck(struct target *t, struct err *err);

/**
 * Direct or buffered from here on, as the next test has it; opened for direct I/O, where that was refused it stays
 * buffered. While no I/O is in flight.
 */
int target_set_direct(struct target *t, bool direct, struct err *err);

/** Why buffered figures may be those of memory: a file of less than twice as much. @return buf, "" where they are not */
char *target_cache_holds(const struct target *t, char *buf, size_t size);

/**
 * After a failed I/O: the device below that is no longer there (detached, pulled out), by its kernel name; NULL while
 * all are. Borrowed from @p t. Any thread.
 */
const char *target_gone(const struct target *t);

/** Close, and remove what a scratch file left in a directory. Accepts the zero state and a closed target. */
void target_close(struct target *t);

/** Several targets: workers are spread across them, all of one size. */
struct target_list {
	struct target *at;
	size_t	       n;
};

/**
 * Open "a,b,c" (a comma in a path is written "\,"). All or none: on failure nothing stays open. A device or file
 * named twice, sim: beside others, and a name in req->destroy that is no target are refused. Scratch files on one
 * filesystem share its free space. With several, every size_bytes is the smallest of them.
 */
int target_list_open(struct target_list *list, const char *paths, const struct target_request *req, struct err *err);
/** Is each of "a,b,c" there, and something that can be a target? Only looks: nothing is opened. As typed, for a form. */
int target_list_find(const char *paths, struct err *err);
int target_list_recheck(struct target_list *list, struct err *err);
void target_list_close(struct target_list *list);

/** Bytes that are free on a filesystem for us, and what is asked of it. */
struct target_space {
	uint64_t total; /**< bytes of the filesystem */
	uint64_t avail; /**< as f_bavail counts */
	uint64_t memory; /**< bytes a container may use; 0: no limit, or direct I/O on a disk */
};

/** Bytes that a run always leaves free: 5 % of the filesystem, at least 256 MiB. */
uint64_t target_reserve(uint64_t total_bytes);

/**
 * The size of a scratch file: @p asked, or 0 for the default: 1 GiB, at most a tenth of what is free and a quarter of
 * the container's memory, a whole number of MiB. Fails with ENOSPC where the reserve would not stay free; the message
 * names the largest size that fits, or (@p fixed: it is not to be chosen) how much more would have to be free.
 */
int target_scratch_size(const struct target_space *space, uint64_t asked, bool fixed, uint64_t *bytes, struct err *err);

#endif
