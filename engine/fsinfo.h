/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_FSINFO_H
#define ENGINE_FSINFO_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/blockdev.h"

/**
 * The filesystem that a file or directory lives on, as mountinfo tells, and the block devices below it: one, all
 * members of a btrfs, or none that can be seen (tmpfs, network, a container's overlay).
 */
#define FSINFO_DEVICES 32
struct fsinfo {
	char   type[32];       /**< "ext4", "overlay", …; "" unknown */
	char   point[PATH_MAX]; /**< where it is mounted; "" unknown */
	bool   memory;	       /**< tmpfs or ramfs */
	bool   kernel;	       /**< proc, sysfs, devtmpfs, cgroup …: no place for files */
	bool   root;	       /**< the same filesystem as / */
	bool   forgotten;      /**< fstab mounts something over this path that is not mounted now … */
	char   fstab_point[256]; /**< … here */
	const char *caution;   /**< why direct I/O on it may not show the device: "copy-on-write …"; NULL */
	char   profile[32];    /**< of a btrfs, how its data lie on its devices: "raid1", "raid0+single"; "" not known */
	size_t nr_devices;
	char   device[FSINFO_DEVICES][BLOCKDEV_NAME]; /**< kernel names: a partition is itself here */
};

/** @param path canonical and there. Never fails: what can't be told is left empty. */
void fsinfo_of_path(struct fsinfo *fs, const struct blockdevs *devs, const char *path);

#endif
