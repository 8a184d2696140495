/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_MOUNTS_H
#define ENGINE_MOUNTS_H

#include <stddef.h>

#include "engine/err.h"

struct libmnt_table;

/**
 * What is mounted, and what is swap, in this process's mount namespace: /proc/self/mountinfo (else /proc/mounts) and
 * /proc/swaps through sysroot.h, read by libmount. Lines that make no sense are left out.
 */
struct mounts {
	struct libmnt_table *table; /**< NULL when nothing could be read */
	struct libmnt_table *swaps;
};

/** One mount; texts are borrowed from its struct mounts and never NULL. */
struct mount {
	const char *point, *source, *type;
	const char *root;     /**< the directory of the filesystem that is mounted here: "/" unless bound */
	const char *options;  /**< of the filesystem and the mount, comma-separated */
	unsigned    major, minor; /**< 0:N for filesystems on no single device */
};

/** @return 0, or -1 where no table of mounts can be read; then nobody knows what is mounted */
int mounts_read(struct mounts *m, struct err *err);
void mounts_release(struct mounts *m);

/** Call @p each in order of mounting until it returns nonzero. @return that, or 0 */
int mounts_each(const struct mounts *m, int (*each)(const struct mount *mount, void *arg), void *arg);
/** The same for what is in use as swap: the path of a device or file. */
int mounts_each_swap(const struct mounts *m, int (*each)(const char *path, void *arg), void *arg);
/** The mount that a canonical @p path lies on: the last one over its longest prefix. @return 0, or -1 if none */
int mounts_of_path(const struct mounts *m, const char *path, struct mount *mount);
/** The last mount of the filesystem with this number. @return 0, or -1 if none */
int mounts_of_number(const struct mounts *m, unsigned major, unsigned minor, struct mount *mount);
/** The value of an option ("upperdir") of a mount into @p out. @return 0, or -1 if it has none */
int mount_option(const struct mount *mount, const char *name, char *out, size_t size);

#endif
