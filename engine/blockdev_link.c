/* SPDX-License-Identifier: MIT */
/* What the devices of a machine are to each other, and what they are used for. */
#include "engine/blockdev_parts.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/mounts.h"
#include "engine/sysroot.h"

/* What the callbacks share. */
struct links {
	struct blockdevs *devs;
	bool no_memory;
};

static void add_text(struct links *l, struct strlist *list, const char *text)
{
	if (strlist_add(list, text) < 0)
		l->no_memory = true;
}

/* The disk whose partition is called @p name, by the kernel's rule: "sda" + "1", "nvme1n1" + "p1". */
static struct blockdev *disk_by_name(const struct blockdevs *devs, const char *name)
{
	char disk[BLOCKDEV_NAME];
	size_t n = strlen(name), end = n;

	if (n >= sizeof(disk))
		return NULL;
	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	if (n == end || n < 2)
		return NULL;
	bool p = name[n - 1] == 'p' && isdigit((unsigned char)name[n - 2]);
	snprintf(disk, sizeof(disk), "%.*s", (int)(p ? n - 1 : n), name);
	struct blockdev *dev = blockdevs_find(devs, disk);
	bool digit = *disk && isdigit((unsigned char)disk[strlen(disk) - 1]) != 0;
	return digit == p ? dev : NULL;
}

static struct blockdev *disk_of(const struct blockdevs *devs, const struct blockdev *dev)
{
	char path[PATH_MAX], real[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/class/block/%s", dev->name);
	if (sysroot_path(path, real) == 0) {
		*strrchr(real, '/') = '\0';
		struct blockdev *disk =
			blockdevs_find(devs, strrchr(real, '/') ? strrchr(real, '/') + 1 : "");
		if (disk && disk != dev)
			return disk;
	}
	return disk_by_name(devs, dev->name);
}

/* A partition is a part of its disk in all that sysfs says of the disk. */
static void link_partitions(struct links *l)
{
	for (size_t i = 0; i < l->devs->n; i++) {
		struct blockdev *dev = &l->devs->at[i], *disk = disk_of(l->devs, dev);
		if (!disk || disk == dev)
			continue;
		add_text(l, &disk->partitions, dev->name);
		snprintf(dev->disk, sizeof(dev->disk), "%s", disk->name);
		dev->kind = disk->kind;
		if (!dev->logical_block)
			dev->logical_block = disk->logical_block;
		memcpy(dev->model, disk->model, sizeof(dev->model));
		memcpy(dev->serial, disk->serial, sizeof(dev->serial));
		memcpy(dev->volume_id, disk->volume_id, sizeof(dev->volume_id));
	}
}

/* One line of mdstat: "md0 : active raid0 nvme2n1[1] nvme1n1[0](S)"; the level is there only while it is
 * active. */
static void read_mdstat_line(struct links *l, char *line)
{
	char *save, *word = strtok_r(line, " ", &save);
	struct blockdev *md = word ? blockdevs_find(l->devs, word) : NULL;

	word = md ? strtok_r(NULL, " ", &save) : NULL;
	if (!word || strcmp(word, ":"))
		return;
	while ((word = strtok_r(NULL, " ", &save)) != NULL) {
		char *slot = strchr(word, '[');
		if (slot) {
			*slot = '\0';
			add_text(l, &md->members, word);
		} else if (!*md->level && (!strncmp(word, "raid", 4) || !strcmp(word, "linear"))) {
			snprintf(md->level, sizeof(md->level), "%s", word);
		}
	}
}

static void read_mdstat(struct links *l)
{
	size_t len;
	char *text = sysroot_read_all("/proc/mdstat", &len), *save = NULL;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save))
		read_mdstat_line(l, line);
	free(text);
}

/* Both ends of "is built on" know of each other, whichever of them sysfs or mdstat told. */
static void link_members(struct links *l)
{
	struct blockdevs *devs = l->devs;

	for (size_t i = 0; i < devs->n; i++) {
		struct blockdev *dev = &devs->at[i], *other;
		for (size_t k = 0; k < dev->members.n; k++) {
			if ((other = blockdevs_find(devs, dev->members.at[k])) != NULL && other != dev)
				add_text(l, &other->holders, dev->name);
		}
		for (size_t k = 0; k < dev->holders.n; k++) {
			if ((other = blockdevs_find(devs, dev->holders.at[k])) != NULL && other != dev)
				add_text(l, &other->members, dev->name);
		}
	}
}

static void link_loops(struct links *l)
{
	for (size_t i = 0; i < l->devs->n; i++) {
		struct blockdev *loop = &l->devs->at[i];
		if (loop->kind != BLOCKDEV_LOOP || strncmp(loop->backing, "/dev/", 5))
			continue;
		struct blockdev *below = blockdevs_find_path(l->devs, loop->backing);
		if (below && below != loop)
			add_text(l, &below->loops, loop->name);
	}
}

/* The device named by a mount or swap; a partition that sysfs does not show counts as its disk. */
static struct blockdev *device_of_source(const struct blockdevs *devs, const char *source)
{
	if (strncmp(source, "/dev/", 5))
		return NULL;
	struct blockdev *dev = blockdevs_find_path(devs, source);
	return dev ? dev : disk_by_name(devs, source + 5);
}

static int link_mount(const struct mount *mount, void *arg)
{
	struct links *l = arg;
	struct blockdev *dev =
		mount->major ? blockdevs_find_number(l->devs, mount->major, mount->minor) : NULL;
	struct blockdev *named = device_of_source(l->devs, mount->source);

	if (dev)
		add_text(l, &dev->mounts, mount->point);
	if (named && named != dev)
		add_text(l, &named->mounts, mount->point);
	return 0;
}

static int link_swap(const char *path, void *arg)
{
	struct links *l = arg;
	struct blockdev *dev = device_of_source(l->devs, path);

	if (dev)
		dev->swap = true;
	return 0;
}

/* Amazon Linux's udev rules make /dev/sdf or /dev/xvdf a link to the NVMe device that was attached by that
 * name. */
static int link_ebs_name(const char *name, void *arg)
{
	struct links *l = arg;
	char path[PATH_MAX];

	if (strlen(name) >= 32 || (strncmp(name, "sd", 2) && strncmp(name, "xvd", 3)))
		return 0;
	snprintf(path, sizeof(path), "/dev/%s", name);
	struct blockdev *dev = blockdevs_find_path(l->devs, path);
	if (dev && dev->kind == BLOCKDEV_EBS && !*dev->disk && strcmp(dev->name, name))
		snprintf(dev->ebs_name, sizeof(dev->ebs_name), "%s", name);
	return 0;
}

static void sort_lists(struct blockdevs *devs)
{
	for (size_t i = 0; i < devs->n; i++) {
		struct blockdev *dev = &devs->at[i];
		strlist_sort(&dev->partitions);
		strlist_sort(&dev->holders);
		strlist_sort(&dev->members);
		strlist_sort(&dev->loops);
	}
}

int blockdevs_link(struct blockdevs *devs)
{
	struct links l = { .devs = devs };
	struct mounts mounts;
	struct err ignored;

	/* A tree that shows no mounts has none; a machine that shows none hides them. */
	devs->blind = mounts_read(&mounts, &ignored) < 0 && !sysroot_is_set();
	link_partitions(&l);
	read_mdstat(&l);
	link_members(&l);
	link_loops(&l);
	mounts_each(&mounts, link_mount, &l);
	mounts_each_swap(&mounts, link_swap, &l);
	mounts_release(&mounts);
	sysroot_each("/dev", link_ebs_name, &l);
	sort_lists(devs);
	return l.no_memory ? -1 : 0;
}
