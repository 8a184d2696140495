/* SPDX-License-Identifier: MIT */
/* Block devices as targets, and the guard before they are written. */
#include "engine/target_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "engine/sysroot.h"

/* Is one of the names in the comma-separated @p list that of @p dev? */
static bool is_agreed(const struct blockdev *dev, const char *list)
{
	char name[BLOCKDEV_NAME];

	for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
		size_t n = strcspn(p, ",");
		snprintf(name, sizeof(name), "%.*s", n < sizeof(name) ? (int)n : 0, p);
		if (blockdev_is_named(dev, name))
			return true;
	}
	return false;
}

static int check_agreed(const struct target *t, const struct blockdev *dev, const char *destroy,
			struct err *err)
{
	char also[BLOCKDEV_NAME + 8] = "";

	if (*dev->volume_id && !*dev->disk)
		snprintf(also, sizeof(also), " or %s", dev->volume_id);
	if (!destroy || !*destroy)
		return err_set(err, ERR_REFUSED,
			       "%s is a block device: a test that writes destroys what is on it; if that is "
			       "meant, add --destroy-data=NAME, NAME being %s%s",
			       t->path, dev->name, also);
	if (!is_agreed(dev, destroy))
		return err_set(err, ERR_REFUSED,
			       "%s is not what --destroy-data=%.64s names; its name is %s%s", t->path,
			       destroy, dev->name, also);
	return 0;
}

/* Everything that speaks against a write, before any open for writing. */
static int guard(const struct target *t, const struct blockdevs *devs, struct blockdev *dev,
		 const char *destroy, struct err *err)
{
	struct err ignored;
	char why[256];

	blockdev_probe(dev, &ignored); /* unreadable is a reason of its own */
	if (!blockdev_may_write(devs, dev, why, sizeof(why)))
		return err_set(err, ERR_REFUSED, "%s will not be written: %s %s", t->path, dev->name, why);
	return check_agreed(t, dev, destroy, err);
}

int target_block_check(struct target *t, struct blockdevs *devs, const struct target_request *req,
		       struct err *err)
{
	struct blockdev *dev = blockdevs_find_path(devs, t->real);

	if (!dev)
		return err_set(err, ENODEV, "%s: /sys/class/block does not know this device", t->path);
	/* A container may have the node under another name than the kernel's: the one that was named is the one opened. */
	if (t->stand_in)
		snprintf(t->real, sizeof(t->real), "%s", dev->path);
	else if ((size_t)snprintf(dev->node, sizeof(dev->node), "%s", t->real) >= sizeof(dev->node))
		return err_set(err, ENAMETOOLONG, "%s: the path of a device node is too long", t->path);
	target_describe_device(t, devs, dev);
	diskset_of_device(&t->disks, devs, dev);
	t->lba = t->mem_align = dev->logical_block;
	snprintf(t->id_serial, sizeof(t->id_serial), "%s", dev->serial);
	t->id_dev = makedev(dev->major, dev->minor);
	if (req->write && guard(t, devs, dev, req->destroy, err) < 0)
		return -1;
	if (!dev->size_bytes)
		return err_set(err, ENOMEDIUM, "%s has no size: there is no medium in it", t->path);
	t->id_bytes = t->whole_bytes = dev->size_bytes;
	return target_take_size(t, req->size, err);
}

/* The size and identity that the descriptor itself has. */
static int held_against(const struct target *t, uint64_t *bytes, struct err *err)
{
	struct stat st;

	if (fstat(t->fd, &st) < 0)
		return err_sys(err, "%s", t->path);
	*bytes = (uint64_t)st.st_size;
	if (t->stand_in)
		return 0;
	if (!S_ISBLK(st.st_mode) || st.st_rdev != t->id_dev)
		return err_set(err, ERR_REFUSED, "%s is another device than it was a moment ago", t->path);
	if (ioctl(t->fd, BLKGETSIZE64, bytes) < 0)
		return err_sys(err, "%s: size", t->path);
	return 0;
}

/* A stand-in file may be shorter than the device that it plays. */
static int take_stand_in_size(struct target *t, uint64_t bytes, struct err *err)
{
	if (!bytes)
		return err_set(err, ENOMEDIUM, "%s: the file that stands for it is empty", t->path);
	t->id_bytes = bytes;
	if (bytes < t->whole_bytes)
		t->whole_bytes = bytes;
	if (bytes < t->size_bytes)
		return target_take_size(t, 0, err);
	return 0;
}

int target_block_commit(struct target *t, struct err *err)
{
	int flags = t->want_write ? O_RDWR | O_EXCL : O_RDONLY;
	uint64_t bytes;

	t->fd = sysroot_open_device(t->real, flags | (t->want_direct ? O_DIRECT : 0));
	t->direct = t->want_direct;
	if (t->fd < 0 && errno == EINVAL && t->want_direct) {
		t->direct = false;
		t->fd = sysroot_open_device(t->real, flags);
		if (t->fd >= 0)
			target_say(&t->warnings, "%s refuses direct I/O: the page cache is in the figures",
				   t->path);
	}
	if (t->fd < 0 && errno == EBUSY)
		return err_set(
			err, ERR_REFUSED,
			"%s will not be written: another program or the kernel holds it (mounted, swap, "
			"RAID, LVM, in another container?)",
			t->path);
	if (t->fd < 0)
		return err_sys(err, "open %s", t->path);
	if (held_against(t, &bytes, err) < 0)
		return -1;
	if (t->stand_in && take_stand_in_size(t, bytes, err) < 0)
		return -1;
	if (bytes != t->id_bytes)
		return err_set(err, ERR_REFUSED, "%s changed its size a moment ago; try again", t->path);
	t->writable = t->want_write;
	return t->writable ? target_block_recheck(t, err) : 0;
}

/* The device below the descriptor, as the machine describes it now. */
static struct blockdev *device_now(const struct target *t, const struct blockdevs *devs)
{
	return t->stand_in ? blockdevs_find(devs, t->device)
			   : blockdevs_find_number(devs, major(t->id_dev), minor(t->id_dev));
}

int target_block_recheck(struct target *t, struct err *err)
{
	struct blockdevs devs;
	uint64_t bytes = 0;
	char why[256];
	int ret = -1;

	if (held_against(t, &bytes, err) < 0 || blockdevs_read(&devs, err) < 0)
		return -1;
	struct blockdev *dev = device_now(t, &devs);
	if (!dev || bytes != t->id_bytes || strcmp(dev->name, t->device) ||
	    strcmp(dev->serial, t->id_serial)) {
		err_set(err, ERR_REFUSED, "%s is another device than it was a moment ago: not written",
			t->path);
		goto out;
	}
	blockdev_probe_fd(dev, t->fd);
	if (!blockdev_may_write(&devs, dev, why, sizeof(why))) {
		err_set(err, ERR_REFUSED, "%s will not be written: %s %s", t->path, dev->name, why);
		goto out;
	}
	ret = 0;
out:
	blockdevs_release(&devs);
	return ret;
}
