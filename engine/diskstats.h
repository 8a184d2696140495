/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_DISKSTATS_H
#define ENGINE_DISKSTATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/blockdev.h"
#include "engine/fsinfo.h"
#include "engine/workload.h"

/**
 * What a device itself has moved, for everybody, since it appeared: what catches a page cache that lies.
 *
 * Read from /sys/class/block/NAME/stat or, where sysfs is hidden, /proc/diskstats (kernel Documentation/admin-guide/
 * iostats.rst: sectors are 512 bytes whatever the device's block; merged requests count as one). About 10 µs a
 * device; nothing is held open. Any thread.
 */
struct diskstats {
	struct {
		uint64_t ios;	 /**< requests completed */
		uint64_t merged; /**< requests merged into others before they were sent */
		uint64_t bytes;
		uint64_t time_ns; /**< summed over requests, from queued to completed; the kernel counts ms */
	} dir[DDIR_NR];
	uint64_t inflight; /**< now */
	uint64_t busy_ns;  /**< time with at least one request in flight */
};

/** The devices that one target lives on, summed. A plain value. Empty: nothing below can be seen. */
#define DISKSET_MAX 32
struct diskset {
	size_t n;
	char   name[DISKSET_MAX][BLOCKDEV_NAME];
};

/** Of one device by kernel name. @return 0, or -1 when there is none of that name */
int diskstats_read(const char *name, struct diskstats *st);
/** The sum over @p set. @return 0, or -1 when it is empty or one of it is gone */
int diskstats_sum(const struct diskset *set, struct diskstats *st);
/** to -= before. @return 0, or -1 when a counter went backwards (the device was replaced): to is then zero */
int diskstats_sub(struct diskstats *to, const struct diskstats *before);

/** The device for a target: a partition's whole disk, else the device itself (md, dm and loop count themselves). */
void diskset_of_device(struct diskset *set, const struct blockdevs *devs, const struct blockdev *dev);
/** The devices below a filesystem (fsinfo.h), partitions as their whole disks; empty where none can be seen. */
void diskset_of_fs(struct diskset *set, const struct blockdevs *devs, const struct fsinfo *fs);

/** Bytes that this process made storage fetch (/proc/self/io read_bytes; works on overlay). @return 0 or -1 */
int self_read_bytes(uint64_t *bytes);

#endif
