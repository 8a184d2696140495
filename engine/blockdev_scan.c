/* SPDX-License-Identifier: MIT */
/* Reading the machine: one pass over sysfs for what each device is; blockdev_link.c then joins them. */
#include "engine/blockdev_parts.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/sysroot.h"

#define MAX_DEVICES 4096

/* What the callbacks of one scan share. */
struct scan {
	struct blockdevs *devs;
	struct blockdev *dev; /* whose directory is being listed */
	const char *base;     /* of that directory, or of the devices to add */
	size_t cap;
	bool no_memory;
};

static void add_text(struct scan *scan, struct strlist *list, const char *text)
{
	if (strlist_add(list, text) < 0)
		scan->no_memory = true;
}

/* "BASE/FILE" of a device; too long a path reads as a file that isn't there. */
static const char *attr(char *path, const char *base, const char *file)
{
	if ((size_t)snprintf(path, PATH_MAX, "%s/%s", base, file) >= PATH_MAX)
		path[0] = '\0';
	return path;
}

static int attr_line(const char *base, const char *file, char *out, size_t size)
{
	char path[PATH_MAX];

	return sysroot_line(attr(path, base, file), out, size);
}

static uint64_t attr_u64(const char *base, const char *file)
{
	char path[PATH_MAX];
	uint64_t v = 0;

	sysroot_u64(attr(path, base, file), &v);
	return v;
}

static bool attr_exists(const char *base, const char *file)
{
	char path[PATH_MAX];

	return sysroot_exists(attr(path, base, file));
}

/* Where a flat tree and older kernels keep a controller's attributes: /sys/class/nvme/nvme1 of nvme1n1. */
static void nvme_attr(const char *name, const char *file, char *out, size_t size)
{
	char base[PATH_MAX];
	unsigned ctrl;

	if (sscanf(name, "nvme%un", &ctrl) == 1) {
		snprintf(base, sizeof(base), "/sys/class/nvme/nvme%u", ctrl);
		attr_line(base, file, out, size);
	}
}

/* "vol0123456789abcdef0" to "vol-0123456789abcdef0": 17 hex digits, or 8 in old ids. */
static bool volume_of_serial(const char *serial, char *id, size_t size)
{
	size_t n = strlen(serial);

	if (strncmp(serial, "vol", 3))
		return false;
	const char *hex = serial + 3 + (serial[3] == '-');
	n = strlen(hex);
	if ((n != 17 && n != 8) || strspn(hex, "0123456789abcdef") != n)
		return false;
	snprintf(id, size, "vol-%s", hex);
	return true;
}

static enum blockdev_kind kind_of(struct blockdev *dev, const char *base)
{
	if (attr_exists(base, "md") ||
	    (!strncmp(dev->name, "md", 2) && (isdigit((unsigned char)dev->name[2]) || dev->name[2] == '_')))
		return BLOCKDEV_MD;
	if (attr_exists(base, "dm") || !strncmp(dev->name, "dm-", 3))
		return BLOCKDEV_DM;
	if (attr_exists(base, "loop") ||
	    (!strncmp(dev->name, "loop", 4) && isdigit((unsigned char)dev->name[4])))
		return BLOCKDEV_LOOP;
	bool volume = volume_of_serial(dev->serial, dev->volume_id, sizeof(dev->volume_id));
	if (!strcmp(dev->model, "Amazon Elastic Block Store") || (volume && !strncmp(dev->name, "nvme", 4)))
		return BLOCKDEV_EBS;
	if (!strcmp(dev->model, "Amazon EC2 NVMe Instance Storage"))
		return BLOCKDEV_INSTANCE_STORE;
	return BLOCKDEV_OTHER;
}

static void read_identity(struct blockdev *dev, const char *base)
{
	if (attr_line(base, "device/model", dev->model, sizeof(dev->model)) < 0)
		nvme_attr(dev->name, "model", dev->model, sizeof(dev->model));
	if (attr_line(base, "device/serial", dev->serial, sizeof(dev->serial)) < 0 &&
	    attr_line(base, "serial", dev->serial, sizeof(dev->serial)) < 0)
		nvme_attr(dev->name, "serial", dev->serial, sizeof(dev->serial));
	dev->kind = kind_of(dev, base);
}

/* A name may be renamed, removed while another link stays, or mean something else in this mount namespace. */
static void read_loop(struct blockdev *dev)
{
	struct loop_info64 info;

	if (!*dev->backing || sysroot_is_set())
		return;
	int fd = sysroot_open_device(dev->path, O_RDONLY | O_NONBLOCK);
	if (fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, &info) == 0) {
		dev->backing_dev = info.lo_device;
		dev->backing_ino = info.lo_inode;
	}
	if (fd >= 0)
		close(fd);
}

/* What only a set, a mapping or a loop device has. */
static void read_virtual(struct blockdev *dev, const char *base)
{
	char uuid[160];

	attr_line(base, "md/level", dev->level, sizeof(dev->level));
	dev->chunk_bytes = attr_u64(base, "md/chunk_size");
	attr_line(base, "dm/name", dev->dm_name, sizeof(dev->dm_name));
	dev->lvm = attr_line(base, "dm/uuid", uuid, sizeof(uuid)) == 0 && !strncmp(uuid, "LVM-", 4);
	attr_line(base, "loop/backing_file", dev->backing, sizeof(dev->backing));
	read_loop(dev);
}

static int add_member(const char *name, void *arg)
{
	struct scan *scan = arg;

	add_text(scan, &scan->dev->members, name);
	return 0;
}

static int add_holder(const char *name, void *arg)
{
	struct scan *scan = arg;

	add_text(scan, &scan->dev->holders, name);
	return 0;
}

/*
 * device-mapper's stripe target tells its geometry as I/O hints: minimum = chunk, optimal = chunk x stripes
 * (drivers/md/dm-stripe.c stripe_io_hints, Linux 6.1). Anything else over several devices stays without a
 * level.
 */
static void read_dm_stripe(struct blockdev *dev, const char *base)
{
	uint64_t min = attr_u64(base, "queue/minimum_io_size"), opt = attr_u64(base, "queue/optimal_io_size");

	if (dev->kind == BLOCKDEV_DM && dev->members.n > 1 && min >= 4096 && opt / min == dev->members.n &&
	    !(opt % min)) {
		snprintf(dev->level, sizeof(dev->level), "raid0");
		dev->chunk_bytes = min;
	}
}

static void read_device(struct scan *scan, struct blockdev *dev, const char *base)
{
	char line[64], path[PATH_MAX];

	if (attr_line(base, "dev", line, sizeof(line)) < 0 ||
	    sscanf(line, "%u:%u", &dev->major, &dev->minor) != 2)
		dev->major = dev->minor = 0;
	uint64_t sectors = attr_u64(base, "size");
	dev->size_bytes = sectors < UINT64_MAX / 512 ? sectors * 512 : 0;
	uint64_t lba = attr_u64(base, "queue/logical_block_size");
	dev->logical_block = lba >= 512 && lba <= 65536 && !(lba & (lba - 1)) ? (uint32_t)lba : 0;
	dev->read_only = attr_u64(base, "ro") != 0;
	read_identity(dev, base);
	read_virtual(dev, base);
	scan->dev = dev;
	sysroot_each(attr(path, base, "slaves"), add_member, scan);
	sysroot_each(attr(path, base, "holders"), add_holder, scan);
	read_dm_stripe(dev, base);
}

static int add_device(const char *name, void *arg)
{
	struct scan *scan = arg;
	struct blockdevs *devs = scan->devs;
	char base[PATH_MAX];

	if (strlen(name) >= BLOCKDEV_NAME || name[0] == '.' || devs->n >= MAX_DEVICES ||
	    blockdevs_find(devs, name))
		return 0;
	if (devs->n == scan->cap) {
		size_t cap = scan->cap ? scan->cap * 2 : 32;
		struct blockdev *at = realloc(devs->at, cap * sizeof(*at));
		if (!at) {
			scan->no_memory = true;
			return 1;
		}
		devs->at = at;
		scan->cap = cap;
	}
	const char *above = scan->base;
	struct blockdev *dev = &devs->at[devs->n++];
	*dev = (struct blockdev){ 0 };
	snprintf(dev->name, sizeof(dev->name), "%s", name);
	snprintf(dev->path, sizeof(dev->path), "/dev/%s", name);
	for (char *p = dev->path; (p = strchr(p, '!')) != NULL;)
		*p = '/';
	read_device(scan, dev, attr(base, above, name));
	return scan->no_memory;
}

/* A partition may be listed only below its disk. */
static int add_partition(const char *name, void *arg)
{
	struct scan *scan = arg;
	char path[PATH_MAX];
	size_t n = strlen(scan->base) - (size_t)(strrchr(scan->base, '/') - scan->base) - 1;

	if (strncmp(name, strrchr(scan->base, '/') + 1, n))
		return 0;
	if ((size_t)snprintf(path, sizeof(path), "%s/%s/partition", scan->base, name) >= sizeof(path))
		return 0;
	return sysroot_exists(path) ? add_device(name, scan) : 0;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct blockdev *)a)->name, ((const struct blockdev *)b)->name);
}

static void read_devices(struct scan *scan)
{
	scan->base = "/sys/class/block";
	sysroot_each(scan->base, add_device, scan);
	size_t disks = scan->devs->n;
	for (size_t i = 0; i < disks; i++) {
		char base[PATH_MAX];
		snprintf(base, sizeof(base), "/sys/class/block/%s", scan->devs->at[i].name);
		scan->base = base;
		sysroot_each(base, add_partition, scan);
	}
	if (scan->devs->n)
		qsort(scan->devs->at, scan->devs->n, sizeof(*scan->devs->at), by_name);
}

int blockdevs_read(struct blockdevs *devs, struct err *err)
{
	struct scan scan = { .devs = devs };

	*devs = (struct blockdevs){ 0 };
	if (sysroot_check(err) < 0)
		return -1;
	read_devices(&scan);
	if (blockdevs_link(devs) < 0 || scan.no_memory) {
		blockdevs_release(devs);
		return err_set(err, ENOMEM, "block devices: out of memory");
	}
	for (size_t i = 0; i < devs->n; i++) {
		if (!devs->at[i].logical_block)
			devs->at[i].logical_block = 512;
	}
	return 0;
}
