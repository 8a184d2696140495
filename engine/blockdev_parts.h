/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_BLOCKDEV_PARTS_H
#define ENGINE_BLOCKDEV_PARTS_H

#include "engine/blockdev.h"

/** The second half of blockdevs_read(), for blockdev_scan.c alone: what the devices are to each other. */

/** Once every device is there, sorted: partitions, members and holders, loop devices, mounts, swap, names in /dev. */
int blockdevs_link(struct blockdevs *devs);

#endif
