/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_TARGET_PARTS_H
#define ENGINE_TARGET_PARTS_H

#include <sys/stat.h>

#include "engine/target.h"

/**
 * The parts of target.c, one file a kind; nobody else includes this. Opening has two steps, so that every target of
 * a list has passed all its checks before any is opened for writing: *_check() looks and fills the description,
 * *_commit() opens.
 */

/** Set size_bytes from what the user asked of the whole_bytes there are. */
int target_take_size(struct target *t, uint64_t asked, struct err *err);
/** Add a device below to the description: device (the first), media, volumes, raid. */
void target_describe_device(struct target *t, const struct blockdevs *devs, const struct blockdev *dev);
/** Open t->real with @p flags, O_DIRECT as wanted and possible, and hold it against id_dev and id_ino. */
int target_open_direct(struct target *t, int dirfd, const char *path, int flags, struct err *err);
/** Warn of what the filesystem of a directory or file does to figures, and describe the devices below it. */
int target_check_fs(struct target *t, const struct blockdevs *devs, struct fsinfo *fs, struct err *err);
/** lba and mem_align as the kernel wants them for direct I/O through t->fd; size_bytes follows. */
int target_alignment(struct target *t, struct err *err);

/**
 * Look at one target: everything that can be refused is refused here, and nothing has been opened for writing.
 *
 * @param devs	   read on first need; the caller releases it
 * @param claimed  bytes that scratch files of the same list take on this filesystem
 */
int target_check(struct target *t, const char *path, const struct target_request *req, struct blockdevs *devs, uint64_t claimed,
		 struct err *err);
/** What is @p path? Takes the same @p devs; the first part of target_check(): it only looks. */
int target_find(struct target *t, const char *path, struct blockdevs *devs, struct err *err);
/** Open what was checked. On failure the caller closes it. */
int target_commit(struct target *t, struct err *err);

int target_dir_check(struct target *t, const struct blockdevs *devs, const struct target_request *req, uint64_t claimed,
		     struct err *err);
int target_dir_commit(struct target *t, struct err *err);

int target_file_check(struct target *t, const struct blockdevs *devs, const struct target_request *req, struct err *err);
int target_file_commit(struct target *t, struct err *err);

int target_block_check(struct target *t, struct blockdevs *devs, const struct target_request *req, struct err *err);
int target_block_commit(struct target *t, struct err *err);
int target_block_recheck(struct target *t, struct err *err);

#endif
