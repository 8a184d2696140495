/* SPDX-License-Identifier: MIT */
#include "engine/blockdev.h"

#include <blkid/blkid.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "engine/sysroot.h"

/* Sets upon sets: deeper than anything real, and an end to a hostile tree that loops. */
#define MAX_DEPTH 8

const char *blockdev_kind_name(enum blockdev_kind kind)
{
	static const char *const name[BLOCKDEV_NR] = { "other", "ebs", "instance-store", "md", "dm", "loop" };

	return name[kind];
}

void blockdevs_release(struct blockdevs *devs)
{
	for (size_t i = 0; i < devs->n; i++) {
		struct blockdev *dev = &devs->at[i];
		strlist_release(&dev->mounts);
		strlist_release(&dev->partitions);
		strlist_release(&dev->holders);
		strlist_release(&dev->members);
		strlist_release(&dev->loops);
	}
	free(devs->at);
	*devs = (struct blockdevs){ 0 };
}

struct blockdev *blockdevs_find(const struct blockdevs *devs, const char *name)
{
	for (size_t i = 0; i < devs->n; i++) {
		if (!strcmp(devs->at[i].name, name))
			return &devs->at[i];
	}
	return NULL;
}

struct blockdev *blockdevs_find_number(const struct blockdevs *devs, unsigned maj, unsigned min)
{
	for (size_t i = 0; i < devs->n; i++) {
		if (devs->at[i].major == maj && devs->at[i].minor == min && (maj || min))
			return &devs->at[i];
	}
	return NULL;
}

/* By the text alone: "/dev/NAME", "/dev/mapper/DM-NAME"; for nodes that this namespace does not have. */
static struct blockdev *find_text(const struct blockdevs *devs, const char *path)
{
	char name[BLOCKDEV_NAME];

	if (!strncmp(path, "/dev/mapper/", 12)) {
		for (size_t i = 0; i < devs->n; i++) {
			if (*devs->at[i].dm_name && !strcmp(devs->at[i].dm_name, path + 12))
				return &devs->at[i];
		}
	}
	if (strncmp(path, "/dev/", 5) || strlen(path + 5) >= sizeof(name))
		return NULL;
	snprintf(name, sizeof(name), "%s", path + 5);
	for (char *p = name; (p = strchr(p, '/')) != NULL;)
		*p = '!';
	return blockdevs_find(devs, name);
}

struct blockdev *blockdevs_find_path(const struct blockdevs *devs, const char *path)
{
	char real[PATH_MAX], root[PATH_MAX];
	struct stat st;

	if (!sysroot_is_set()) {
		if (stat(path, &st) < 0)
			return find_text(devs, path);
		return S_ISBLK(st.st_mode) ? blockdevs_find_number(devs, major(st.st_rdev), minor(st.st_rdev))
					   : NULL;
	}
	if (sysroot_path(path, real) < 0 || !sysroot_dir(root))
		return find_text(devs, path);
	return find_text(devs, real + strlen(root));
}

static size_t add_leaves(const struct blockdevs *devs, const struct blockdev *dev,
			 const struct blockdev **leaf, size_t n, size_t max, int depth)
{
	if (*dev->disk) {
		const struct blockdev *disk = blockdevs_find(devs, dev->disk);
		if (disk && depth)
			return add_leaves(devs, disk, leaf, n, max, depth - 1);
	}
	if (dev->members.n && depth) {
		for (size_t i = 0; i < dev->members.n; i++) {
			const struct blockdev *below = blockdevs_find(devs, dev->members.at[i]);
			if (below)
				n = add_leaves(devs, below, leaf, n, max, depth - 1);
		}
		return n;
	}
	for (size_t i = 0; i < n; i++) {
		if (leaf[i] == dev)
			return n;
	}
	if (n < max)
		leaf[n++] = dev;
	return n;
}

size_t blockdevs_leaves(const struct blockdevs *devs, const struct blockdev *dev,
			const struct blockdev **leaf, size_t max)
{
	return add_leaves(devs, dev, leaf, 0, max, MAX_DEPTH);
}

bool blockdev_is_named(const struct blockdev *dev, const char *name)
{
	if (!*name)
		return false;
	return !strcmp(name, dev->name) || (!*dev->disk && *dev->volume_id && !strcmp(name, dev->volume_id));
}

/*
 * Everything libblkid can recognise, superblocks with bad checksums included: a damaged filesystem is
 * somebody's data too. GPT is believed without its protective MBR for the same reason.
 */
static blkid_probe new_probe(int fd)
{
	blkid_probe pr = blkid_new_probe();

	if (!pr)
		return NULL;
	if (blkid_probe_set_device(pr, fd, 0, 0) != 0) {
		blkid_free_probe(pr);
		return NULL;
	}
	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(pr, 1);
	blkid_probe_set_partitions_flags(pr, BLKID_PARTS_FORCE_GPT);
	return pr;
}

static bool probe_value(blkid_probe pr, const char *key, char *out, size_t size)
{
	const char *text;

	if (blkid_probe_lookup_value(pr, key, &text, NULL) != 0)
		return false;
	snprintf(out, size, "%s", text);
	return *out;
}

void blockdev_probe_fd(struct blockdev *dev, int fd)
{
	/* libblkid reads where it likes, which O_DIRECT forbids; and from the medium, not from what was
	 * cached of it. */
	int flags = fcntl(fd, F_GETFL);
	if (flags >= 0 && (flags & O_DIRECT))
		fcntl(fd, F_SETFL, flags & ~O_DIRECT);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	blkid_probe pr = new_probe(fd);
	int found = pr ? blkid_do_safeprobe(pr) : -1;

	dev->probed = true;
	dev->table = false;
	dev->signature[0] = '\0';
	if (found == -2) {
		snprintf(dev->signature, sizeof(dev->signature), "ambivalent");
	} else if (found < 0) {
		snprintf(dev->signature, sizeof(dev->signature), "unreadable");
	} else if (found == 0 && !probe_value(pr, "TYPE", dev->signature, sizeof(dev->signature))) {
		dev->table = probe_value(pr, "PTTYPE", dev->signature, sizeof(dev->signature));
		if (!dev->table)
			snprintf(dev->signature, sizeof(dev->signature), "unknown");
	}
	blkid_free_probe(pr);
	if (flags >= 0 && (flags & O_DIRECT))
		fcntl(fd, F_SETFL, flags);
}

int blockdev_probe(struct blockdev *dev, struct err *err)
{
	const char *node = *dev->node ? dev->node : dev->path;
	int fd = sysroot_open_device(node, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return err_sys(err, "open %s", node);
	blockdev_probe_fd(dev, fd);
	close(fd);
	return 0;
}
