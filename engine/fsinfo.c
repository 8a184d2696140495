/* SPDX-License-Identifier: MIT */
#include "engine/fsinfo.h"

#include <libmount/libmount.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <linux/magic.h>

#include "engine/mounts.h"
#include "engine/sysroot.h"

/* Filesystems whose direct I/O may stop short of the device, or do more there than was asked. */
static const struct {
	const char *type, *caution;
} cautions[] = {
	{ "btrfs", "is copy-on-write and may compress: what the device moves differs from what is asked" },
	{ "zfs", "is copy-on-write, compresses and may cache direct I/O" },
	{ "bcachefs", "is copy-on-write and may compress" },
	{ "nilfs2", "is log-structured" },
	{ "overlay", "is a container's overlay: the device below cannot be seen" },
	{ "aufs", "is a container's union: the device below cannot be seen" },
	{ "nfs", "is a network filesystem: it shows the server and the network" },
	{ "nfs4", "is a network filesystem: it shows the server and the network" },
	{ "cifs", "is a network filesystem: it shows the server and the network" },
	{ "smb3", "is a network filesystem: it shows the server and the network" },
	{ "ceph", "is a network filesystem: it shows the servers and the network" },
	{ "lustre", "is a network filesystem: it shows the servers and the network" },
	{ "9p", "is another machine's filesystem: its caches are out of sight" },
	{ "virtiofs", "is another machine's filesystem: its caches are out of sight" },
	{ "fuse", "is served by a program: what it caches is out of sight" },
};

static const char *caution_of(const char *type)
{
	for (size_t i = 0; i < sizeof(cautions) / sizeof(*cautions); i++) {
		if (!strcmp(type, cautions[i].type))
			return cautions[i].caution;
	}
	return !strncmp(type, "fuse.", 5) ? "is served by a program: what it caches is out of sight" : NULL;
}

/* libmount's list of filesystems without a device, but for those that keep users' files. */
static bool keeps_no_files(const char *type)
{
	static const char *const keep[] = { "tmpfs", "ramfs", "rootfs", "overlay", "none" };

	for (size_t i = 0; i < sizeof(keep) / sizeof(*keep); i++) {
		if (!strcmp(type, keep[i]))
			return false;
	}
	return strncmp(type, "fuse", 4) && mnt_fstype_is_pseudofs(type);
}

static void add_device(struct fsinfo *fs, const struct blockdev *dev)
{
	if (dev && fs->nr_devices < FSINFO_DEVICES)
		snprintf(fs->device[fs->nr_devices++], BLOCKDEV_NAME, "%s", dev->name);
}

/* The search through /sys/fs/btrfs for the filesystem that has a device. */
struct btrfs {
	const struct blockdevs *devs;
	struct fsinfo *fs;
	const char *first; /* the device that is known */
	char data[128];	   /* what sysfs says of the allocation of data */
};

static int add_btrfs_device(const char *name, void *arg)
{
	struct btrfs *b = arg;

	if (strcmp(name, b->first))
		add_device(b->fs, blockdevs_find(b->devs, name));
	return 0;
}

/* Beside directories of profiles there are files of figures. A profile that holds nothing is one that was. */
static int add_btrfs_profile(const char *name, void *arg)
{
	struct btrfs *b = arg;
	char path[PATH_MAX];
	uint64_t bytes;
	size_t n = strlen(b->fs->profile);

	if (strlen(name) > 16)
		return 0;
	snprintf(path, sizeof(path), "%s/%s/total_bytes", b->data, name);
	if (!sysroot_u64(path, &bytes) && bytes)
		snprintf(b->fs->profile + n, sizeof(b->fs->profile) - n, "%s%s", n ? "+" : "", name);
	return 0;
}

static int look_in_btrfs(const char *uuid, void *arg)
{
	struct btrfs *b = arg;
	char path[PATH_MAX];

	if (strlen(uuid) > 64)
		return 0;
	snprintf(path, sizeof(path), "/sys/fs/btrfs/%s/devices/%s", uuid, b->first);
	if (!sysroot_exists(path))
		return 0;
	snprintf(path, sizeof(path), "/sys/fs/btrfs/%s/devices", uuid);
	sysroot_each(path, add_btrfs_device, b);
	for (const char *const *kind = (const char *const[]){ "data", "mixed", NULL }; *kind; kind++) {
		snprintf(b->data, sizeof(b->data), "/sys/fs/btrfs/%s/allocation/%s", uuid, *kind);
		sysroot_each(b->data, add_btrfs_profile, b);
	}
	return 1;
}

static void find_devices(struct fsinfo *fs, const struct blockdevs *devs, const struct mount *mount)
{
	const struct blockdev *dev =
		mount->major ? blockdevs_find_number(devs, mount->major, mount->minor) : NULL;

	if (!dev && !strncmp(mount->source, "/dev/", 5))
		dev = blockdevs_find_path(devs, mount->source);
	add_device(fs, dev);
	if (dev && !strcmp(mount->type, "btrfs")) {
		struct btrfs b = { .devs = devs, .fs = fs, .first = dev->name };
		sysroot_each("/sys/fs/btrfs", look_in_btrfs, &b);
	}
}

/* mountinfo goes by path; where bind mounts or a chroot hide the point, the number of the file's device
 * decides. */
static int find_mount(const struct mounts *m, const char *path, struct mount *mount)
{
	struct mount other;
	struct stat st;
	bool real = !sysroot_is_set() && stat(path, &st) == 0 && major(st.st_dev);
	int ret = mounts_of_path(m, path, mount);

	if (real &&
	    (ret < 0 ||
	     (mount->major && (mount->major != major(st.st_dev) || mount->minor != minor(st.st_dev)))) &&
	    mounts_of_number(m, major(st.st_dev), minor(st.st_dev), &other) == 0) {
		*mount = other;
		return 0;
	}
	return ret;
}

/* A container's overlay names a directory of its host, as a rule out of sight; where it is in sight, it is
 * followed. */
static void follow_upper(struct fsinfo *fs, const struct blockdevs *devs, const struct mounts *m,
			 const struct mount *overlay)
{
	char upper[PATH_MAX];
	struct mount mount;
	struct stat st;

	if (mount_option(overlay, "upperdir", upper, sizeof(upper)) == 0 && stat(upper, &st) == 0 &&
	    find_mount(m, upper, &mount) == 0 && strcmp(mount.type, "overlay"))
		find_devices(fs, devs, &mount);
}

static void read_statfs(struct fsinfo *fs, const char *path)
{
	struct statfs sf;

	if (statfs(path, &sf) < 0)
		return;
	bool memory = sf.f_type == TMPFS_MAGIC || (unsigned long)sf.f_type == RAMFS_MAGIC;
	if (memory && !*fs->type)
		snprintf(fs->type, sizeof(fs->type), "tmpfs");
	if (memory && strcmp(fs->type, "devtmpfs")) {
		fs->memory = true;
		fs->nr_devices = 0;
	}
}

/* Does fstab want a filesystem between / and @p path that is not there? Only the machine's own fstab, on
 * itself. */
static void look_in_fstab(struct fsinfo *fs, const char *path)
{
	struct libmnt_table *tab = sysroot_is_set() ? NULL : mnt_new_table_from_file("/etc/fstab");
	struct libmnt_iter *it = tab ? mnt_new_iter(MNT_ITER_FORWARD) : NULL;
	struct libmnt_fs *line;

	while (it && mnt_table_next_fs(tab, it, &line) == 0) {
		const char *point = mnt_fs_get_target(line);
		size_t n = point && *point == '/' ? strlen(point) : 0;
		if (n > strlen(fs->point) && n > 1 && !strncmp(path, point, n) &&
		    (!path[n] || path[n] == '/')) {
			fs->forgotten = true;
			snprintf(fs->fstab_point, sizeof(fs->fstab_point), "%s", point);
		}
	}
	mnt_free_iter(it);
	mnt_unref_table(tab);
}

void fsinfo_of_path(struct fsinfo *fs, const struct blockdevs *devs, const char *path)
{
	struct mounts m;
	struct mount mount;
	struct stat here, top;
	struct err ignored;

	*fs = (struct fsinfo){ 0 };
	if (mounts_read(&m, &ignored) == 0) {
		if (find_mount(&m, path, &mount) == 0) {
			snprintf(fs->type, sizeof(fs->type), "%s", mount.type);
			snprintf(fs->point, sizeof(fs->point), "%s", mount.point);
			find_devices(fs, devs, &mount);
			if (!strcmp(mount.type, "overlay"))
				follow_upper(fs, devs, &m, &mount);
		}
		mounts_release(&m);
	}
	read_statfs(fs, path);
	fs->kernel = keeps_no_files(fs->type);
	fs->root = stat(path, &here) == 0 && stat("/", &top) == 0 && here.st_dev == top.st_dev;
	fs->caution = caution_of(fs->type);
	look_in_fstab(fs, path);
}
