/* SPDX-License-Identifier: MIT */
/* Why a block device must not be overwritten. */
#include "engine/blockdev.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Sets upon sets: an end to a hostile tree that goes in circles. */
#define MAX_DEPTH 8

/* The search for a reason. Below, `of` says how the device at hand is related to the target: "" when it is
 * itself. */
struct search {
	const struct blockdevs *devs;
	char *why;
	size_t size;
};

static bool found(struct search *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool found(struct search *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->why, s->size, fmt, ap);
	va_end(ap);
	return true;
}

/* Where the sets that are built on @p dev end up mounted, or "". */
static const char *mounted_above(const struct blockdevs *devs, const struct blockdev *dev, int depth)
{
	for (size_t i = 0; depth && i < dev->holders.n; i++) {
		const struct blockdev *up = blockdevs_find(devs, dev->holders.at[i]);
		if (!up)
			continue;
		if (up->mounts.n)
			return up->mounts.at[0];
		const char *at = mounted_above(devs, up, depth - 1);
		if (*at)
			return at;
	}
	return "";
}

static bool held(struct search *s, const struct blockdev *dev, const char *of)
{
	const char *name = dev->holders.at[0], *at = mounted_above(s->devs, dev, MAX_DEPTH);
	const struct blockdev *up = blockdevs_find(s->devs, name);
	const char *what = up && up->lvm                   ? "an LVM physical volume below"
			   : up && up->kind == BLOCKDEV_DM ? "mapped by"
							   : "a member of";

	return found(s, "%sis %s %s%s%s%s%s%s; choose another device, or take the set itself: /dev/%s", of,
		     what, name, up && *up->dm_name ? " (" : "", up ? up->dm_name : "",
		     up && *up->dm_name ? ")" : "", *at ? ", mounted on " : "", at, name);
}

/* Is @p dev, just as it is, in use by someone? */
static bool in_use(struct search *s, const struct blockdev *dev, const char *of)
{
	if (dev->mounts.n)
		return found(s, "%sis mounted on %s; unmount it first, or give the directory as the target",
			     of, dev->mounts.at[0]);
	if (dev->swap)
		return found(s, "%sis used as swap; swapoff it first, or choose another device", of);
	if (dev->holders.n)
		return held(s, dev, of);
	if (dev->loops.n)
		return found(
			s,
			"%sis below the loop device %s; losetup -d /dev/%s first, or choose another device",
			of, dev->loops.at[0], dev->loops.at[0]);
	return false;
}

/* @p lead comes before "has a partition …". */
static bool parts_in_use(struct search *s, const struct blockdev *dev, const char *lead)
{
	for (size_t i = 0; i < dev->partitions.n; i++) {
		const struct blockdev *part = blockdevs_find(s->devs, dev->partitions.at[i]);
		char of[3 * BLOCKDEV_NAME];
		snprintf(of, sizeof(of), "%shas a partition %s that ", lead, dev->partitions.at[i]);
		if (part && in_use(s, part, of))
			return true;
	}
	return false;
}

/*
 * A loop device writes to what is below it, and shares that with every other loop device there. On a device
 * it may begin at any offset, so that what it covers cannot be judged by what is at its own beginning.
 */
static bool backing_in_use(struct search *s, const struct blockdev *loop)
{
	char of[2 * BLOCKDEV_NAME];

	for (size_t i = 0; i < s->devs->n; i++) {
		const struct blockdev *other = &s->devs->at[i];
		bool same = !strcmp(other->backing, loop->backing) ||
			    (loop->backing_ino && other->backing_ino == loop->backing_ino &&
			     other->backing_dev == loop->backing_dev);
		if (other != loop && other->kind == BLOCKDEV_LOOP && same)
			return found(s, "shares %s with %s; losetup -d /dev/%s first", loop->backing,
				     other->name, other->name);
	}
	const struct blockdev *below =
		strncmp(loop->backing, "/dev/", 5) ? NULL : blockdevs_find_path(s->devs, loop->backing);
	if (!below || below == loop)
		return false;
	snprintf(of, sizeof(of), "lies on %s, which ", below->name);
	if ((below->mounts.n || below->swap || below->holders.n) && in_use(s, below, of))
		return true;
	return parts_in_use(s, below, of) ||
	       found(s, "lies on the device %s; give that one itself", below->name);
}

static bool carries_something(struct search *s, const struct blockdev *dev)
{
	if (s->devs->blind)
		return found(s, "cannot be judged: /proc/self/mountinfo cannot be read, and nothing else "
				"tells what is mounted");
	if (!dev->probed)
		return found(s, "cannot be read to see what is on it (permission denied?); run as root");
	if (dev->table || dev->partitions.n)
		return found(s, "carries a partition table (%s); if nothing on it matters: wipefs -a %s",
			     dev->table ? dev->signature : dev->partitions.at[0], dev->path);
	if (*dev->signature)
		return found(s, "carries a signature (%s); if nothing on it matters: wipefs -a %s",
			     dev->signature, dev->path);
	return false;
}

bool blockdev_may_write(const struct blockdevs *devs, const struct blockdev *dev, char *why, size_t size)
{
	struct search s = { .devs = devs, .why = why, .size = size };
	const struct blockdev *disk = *dev->disk ? blockdevs_find(devs, dev->disk) : NULL;
	char of[BLOCKDEV_NAME + 32];

	why[0] = '\0';
	if (in_use(&s, dev, "") || parts_in_use(&s, dev, ""))
		return false;
	snprintf(of, sizeof(of), "is a part of %s, which ", dev->disk);
	if (disk && in_use(&s, disk, of))
		return false;
	if (*dev->backing && backing_in_use(&s, dev))
		return false;
	if (dev->read_only)
		return !found(&s, "is read-only");
	return !carries_something(&s, dev);
}
