/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_SYSROOT_H
#define ENGINE_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

/**
 * The one place that opens /proc, /sys and /dev. With EBSCOPE_SYSROOT=DIR in the environment they are DIR/proc,
 * DIR/sys and DIR/dev, so that machines we don't have are files: a plain file dev/NAME with sys/class/block/NAME
 * stands for that block device. While it is set nothing outside DIR is opened by this module (links that leave it are
 * refused) and nothing that is not a plain file or directory, so never a real device, pipe or socket.
 *
 * Paths given here are the machine's ("/sys/class/block"), whatever the setting. What is read is bounded and may be
 * hostile: cut files, NULs, endless numbers. Failures are told by -1 and errno. Any thread.
 */

/** Longest text file that is read whole; more is cut. A mountinfo of a busy node has some 100 KiB. */
#define SYSROOT_MAX (4U << 20)

/** The directory set, canonical, or NULL when the machine's own files are used. The text lives in @p buf (PATH_MAX). */
const char *sysroot_dir(char *buf);
bool sysroot_is_set(void);
/** ERR_USAGE when it is set and no directory: then everything below fails too, and this says why. */
int sysroot_check(struct err *err);

/** Where @p path ("/proc…", "/sys…" or "/dev…") really is, links resolved. @p out PATH_MAX bytes. @return 0 or -1 */
int sysroot_path(const char *path, char *out);

/** Read a file of up to @p size - 1 bytes into @p buf and end it with NUL. @return bytes read or -1 */
long sysroot_read(const char *path, char *buf, size_t size);
/** Read a whole file (at most SYSROOT_MAX) into new memory that ends with NUL; the caller frees. NULL on failure. */
char *sysroot_read_all(const char *path, size_t *len);
/** The first line without blanks at its ends, control characters as '?'. @return 0, or -1 with out "" */
int sysroot_line(const char *path, char *out, size_t size);
/** The first line as a whole number, nothing else in it. @return 0 or -1, *out left alone */
int sysroot_u64(const char *path, uint64_t *out);
bool sysroot_exists(const char *path);

/** Call @p each for the names in a directory, in no order, until it returns nonzero. @return that, 0, or -1 unreadable */
int sysroot_each(const char *path, int (*each)(const char *name, void *arg), void *arg);

/**
 * Open the device node @p path ("/dev/nvme1n1"). On the machine it must be a block device, wherever its node is (in a
 * container it may be anywhere); under a sysroot a plain file in its dev, and with O_EXCL it is locked (flock) where the kernel would claim a device. @return a descriptor, or -1:
 * EBUSY when someone else has it, ENOTBLK when it is something else
 */
int sysroot_open_device(const char *path, int flags);

#endif
