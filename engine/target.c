/* SPDX-License-Identifier: MIT */
#include "engine/target_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "engine/cgroup.h"
#include "engine/sysroot.h"
#include "engine/units.h"

const char *target_kind_name(enum target_kind kind)
{
	static const char *const name[TARGET_KIND_NR] = { "directory", "file", "block", "sim" };

	return name[kind];
}

void target_say(struct target_lines *lines, const char *fmt, ...)
{
	va_list ap;

	if (lines->n == TARGET_LINES)
		return;
	va_start(ap, fmt);
	char *text = lines->text[lines->n++];
	vsnprintf(text, sizeof(lines->text[0]), fmt, ap);
	va_end(ap);
	clean_text(text, text, false);
}

int target_take_size(struct target *t, uint64_t asked, struct err *err)
{
	char a[FMT_LEN], b[FMT_LEN];

	if (asked > t->whole_bytes)
		return err_set(err, ERR_USAGE, "%s has %s: a size of %s is more than that", t->path,
			       fmt_size(a, (double)t->whole_bytes), fmt_size(b, (double)asked));
	t->size_bytes = asked ? asked : t->whole_bytes;
	t->size_bytes -= t->size_bytes % t->lba;
	if (!t->size_bytes)
		return err_set(err, ERR_USAGE, "%s: %s are less than one block of %u bytes", t->path,
			       fmt_size(a, (double)(asked ? asked : t->whole_bytes)), t->lba);
	return 0;
}

/* The disks at the bottom of one device, once each: several devices of a btrfs may share some. */
static void add_leaves(struct target *t, const struct blockdevs *devs, const struct blockdev *dev)
{
	const struct blockdev *leaf[DISKSET_MAX];
	size_t n = blockdevs_leaves(devs, dev, leaf, DISKSET_MAX);

	for (size_t i = 0; i < n; i++) {
		bool cloud = leaf[i]->kind == BLOCKDEV_EBS || leaf[i]->kind == BLOCKDEV_INSTANCE_STORE,
		     known = false;
		t->media = t->nr_leaves++ == 0 && cloud ? leaf[i]->kind
			   : leaf[i]->kind == t->media  ? t->media
							: BLOCKDEV_OTHER;
		for (unsigned k = 0; k < t->nr_volumes && !known; k++)
			known = !strcmp(t->volume[k], leaf[i]->volume_id);
		if (*leaf[i]->volume_id && !known && t->nr_volumes < DISKSET_MAX)
			snprintf(t->volume[t->nr_volumes++], BLOCKDEV_NAME, "%s", leaf[i]->volume_id);
	}
}

void target_describe_device(struct target *t, const struct blockdevs *devs, const struct blockdev *dev)
{
	if (!*t->device)
		snprintf(t->device, sizeof(t->device), "%s", dev->name);
	add_leaves(t, devs, dev);
	const struct blockdev *disk = *dev->disk ? blockdevs_find(devs, dev->disk) : NULL;
	const struct blockdev *set = disk ? disk : dev;
	if (set->members.n && *set->level)
		snprintf(t->raid_level, sizeof(t->raid_level), "%s", set->level);
}

/* One open; with O_DIRECT first where that is wanted. */
static int open_once(struct target *t, int dirfd, const char *path, int flags)
{
	t->fd = openat(dirfd, path, flags | O_CLOEXEC | (t->direct ? O_DIRECT : 0), 0600);
	return t->fd;
}

int target_open_direct(struct target *t, int dirfd, const char *path, int flags, struct err *err)
{
	struct stat st;

	t->direct = t->want_direct;
	if (open_once(t, dirfd, path, flags) < 0 && errno == EINVAL && t->direct) {
		/* The failed try may have made the name. */
		if ((flags & O_CREAT) && (flags & O_EXCL))
			unlinkat(dirfd, path, 0);
		t->direct = false;
		if (open_once(t, dirfd, path, flags) >= 0 && !t->tmpfs)
			target_say(&t->warnings,
				   "%s: the filesystem (%s) refuses direct I/O: the page cache is in the "
				   "figures",
				   t->path, t->filesystem);
	}
	if (t->fd < 0)
		return err_sys(err, "%s", t->path);
	if (t->kind == TARGET_FILE && (fstat(t->fd, &st) < 0 || !S_ISREG(st.st_mode) ||
				       st.st_dev != t->id_dev || st.st_ino != t->id_ino)) {
		close(t->fd);
		t->fd = -1;
		return err_set(err, ERR_REFUSED, "%s is another file than it was a moment ago", t->path);
	}
	return 0;
}

int target_check_fs(struct target *t, const struct blockdevs *devs, struct fsinfo *fs, struct err *err)
{
	fsinfo_of_path(fs, devs, t->real);
	snprintf(t->filesystem, sizeof(t->filesystem), "%s", fs->type);
	if (fs->kernel || !strcmp(t->real, "/dev"))
		return err_set(
			err, ERR_REFUSED,
			"%s is no place for test files: it belongs to the kernel (%s); give a directory on a "
			"disk, or a device by its name",
			t->path, *fs->type ? fs->type : "/dev");
	t->tmpfs = fs->memory;
	if (t->tmpfs) {
		t->want_direct = false;
		target_say(&t->warnings, "%s is on %s: memory, not a block device; every figure is cached",
			   t->path, fs->type);
	}
	if (fs->caution)
		target_say(&t->warnings, "%s: %s %s", t->path, fs->type, fs->caution);
	t->lba = 512;
	for (size_t i = 0; i < fs->nr_devices; i++) {
		const struct blockdev *dev = blockdevs_find(devs, fs->device[i]);
		target_describe_device(t, devs, dev);
		t->lba = dev->logical_block > t->lba ? dev->logical_block : t->lba;
	}
	diskset_of_fs(&t->disks, devs, fs);
	t->mem_align = t->lba;
	return 0;
}

char *target_cache_holds(const struct target *t, char *buf, size_t size)
{
	char a[FMT_LEN], b[FMT_LEN];
	struct cgroup_limits lim;

	buf[0] = 0;
	if (t->want_direct || t->tmpfs || (t->kind != TARGET_DIR && t->kind != TARGET_FILE))
		return buf;
	cgroup_limits(&lim);
	uint64_t memory = cgroup_memory(&lim);
	if (t->size_bytes / 2 < memory)
		snprintf(buf, size, "%.100s: buffered I/O on %s, less than twice the memory (%s%s): the page cache can hold it",
			 t->path, fmt_size(a, (double)t->size_bytes), fmt_size(b, (double)memory),
			 lim.memory ? ", of the container" : "");
	return buf;
}

int target_set_direct(struct target *t, bool direct, struct err *err)
{
	t->want_direct = direct && !t->tmpfs;
	if (t->kind == TARGET_SIM || t->direct == t->want_direct)
		return 0;
	int flags = fcntl(t->fd, F_GETFL);
	if (flags >= 0 && fcntl(t->fd, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0)
		t->direct = direct;
	else if (errno != EINVAL) /* refused: told when it was opened */
		return err_sys(err, "%s: O_DIRECT", t->path);
	return 0;
}

int target_alignment(struct target *t, struct err *err)
{
#ifdef STATX_DIOALIGN
	struct statx sx;

	if (t->direct && statx(t->fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &sx) == 0 &&
	    (sx.stx_mask & STATX_DIOALIGN) && sx.stx_dio_offset_align) {
		t->lba = sx.stx_dio_offset_align;
		t->mem_align = sx.stx_dio_mem_align;
	}
#endif
	t->size_bytes -= t->size_bytes % t->lba;
	if (!t->size_bytes)
		return err_set(err, ERR_USAGE, "%s: the size is less than one block of %u bytes", t->path,
			       t->lba);
	return 0;
}

/* "/dev/NAME" for a path that lies in the dev directory of the sysroot, whichever way it was written. */
static bool in_sysroot_dev(const char *real, char *out)
{
	char dev[PATH_MAX];

	if (!sysroot_is_set() || sysroot_path("/dev", dev) < 0)
		return false;
	size_t n = strlen(dev);
	if (strncmp(real, dev, n) || (real[n] && real[n] != '/'))
		return false;
	snprintf(out, PATH_MAX, "/dev%.*s", PATH_MAX - 5, real + n);
	return true;
}

/* Under a sysroot /dev is the sysroot's, and a device that sysfs lists may have no file at all. */
static int resolve_in_sysroot(struct target *t, const struct blockdevs *devs, struct err *err)
{
	char real[PATH_MAX];
	struct stat st;

	const struct blockdev *dev = blockdevs_find_path(devs, t->real);
	if (dev) {
		t->kind = TARGET_BLOCK;
		t->stand_in = true;
		return 0;
	}
	if (sysroot_path(t->real, real) < 0 || stat(real, &st) < 0)
		return err_set(err, errno, "%s: %s in EBSCOPE_SYSROOT; nothing is created for it", t->path,
			       strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(
			err, ERR_REFUSED,
			"%s is no place for test files: it belongs to the kernel; give a device by its name",
			t->path);
	return err_set(err, ENODEV, "%s: /sys/class/block in EBSCOPE_SYSROOT does not know this device",
		       t->path);
}

static int take_kind(struct target *t, const struct stat *st, struct err *err)
{
	if (S_ISDIR(st->st_mode)) {
		t->kind = TARGET_DIR;
	} else if (S_ISREG(st->st_mode)) {
		t->kind = TARGET_FILE;
		t->whole_bytes = (uint64_t)st->st_size;
	} else if (S_ISBLK(st->st_mode)) {
		t->kind = TARGET_BLOCK;
		if (sysroot_is_set())
			return err_set(
				err, ERR_REFUSED,
				"%s is a device of this machine; none is opened while EBSCOPE_SYSROOT is set",
				t->path);
	} else {
		return err_set(err, EINVAL,
			       "%s is a %s; a target is a directory, a file, a block device or sim:", t->path,
			       S_ISCHR(st->st_mode)    ? "character device"
			       : S_ISFIFO(st->st_mode) ? "pipe"
						       : "socket");
	}
	t->id_dev = st->st_dev;
	t->id_ino = st->st_ino;
	return 0;
}

/* Where there is nothing at @p path: what may have been meant. @return buf */
static const char *meant(const char *path, char *buf, size_t size)
{
	char dev[PATH_MAX];

	buf[0] = 0;
	if (strncmp(path, "/dev/", 5) == 0)
		return " (`ebscope devices` lists what is there)";
	if (!sysroot_is_set() && !strchr(path, '/') && snprintf(dev, sizeof(dev), "/dev/%s", path) < (int)sizeof(dev) &&
	    access(dev, F_OK) == 0)
		snprintf(buf, size, "; did you mean %.80s?", dev);
	return buf;
}

/* What is @p t->path? */
static int resolve(struct target *t, const struct blockdevs *devs, struct err *err)
{
	struct stat st;
	char hint[128];

	if (sysroot_is_set() && (!strncmp(t->path, "/dev/", 5) || !strcmp(t->path, "/dev"))) {
		snprintf(t->real, sizeof(t->real), "%s", t->path);
		return resolve_in_sysroot(t, devs, err);
	}
	if (!realpath(t->path, t->real) || stat(t->real, &st) < 0) {
		int code = errno;
		return err_set(err, code, "%s: %s; nothing is created for it%s", t->path, strerror(code),
			       meant(t->path, hint, sizeof(hint)));
	}
	char dev[PATH_MAX];
	if (in_sysroot_dev(t->real, dev)) {
		memcpy(t->real, dev, sizeof(dev));
		return resolve_in_sysroot(t, devs, err);
	}
	return take_kind(t, &st, err);
}

static int check_sim(struct target *t, const struct target_request *req, struct err *err)
{
	const char *spec = t->path + 4;

	if (strlen(spec) >= sizeof(t->sim_spec))
		return err_set(
			err, ERR_USAGE,
			"the text behind sim: is too long; a volume is TYPE[:SIZE[:IOPS[:THROUGHPUT]]]");
	snprintf(t->sim_spec, sizeof(t->sim_spec), "%s", spec);
	t->lba = t->mem_align = 512;
	t->direct = t->writable = true;
	t->whole_bytes = TARGET_SIM_SIZE;
	return target_take_size(t, req->size, err);
}

int target_find(struct target *t, const char *path, struct blockdevs *devs, struct err *err)
{
	*t = (struct target){ .fd = -1 };
	if (!*path)
		return err_set(err, ERR_USAGE,
			       "the target is empty; it is a directory, a file, a block device or sim:");
	if (strlen(path) >= sizeof(t->path))
		return err_set(err, ERR_USAGE, "the target's name is longer than %zu bytes",
			       sizeof(t->path) - 1);
	snprintf(t->path, sizeof(t->path), "%s", path);
	if (!strncmp(path, "sim:", 4)) {
		t->kind = TARGET_SIM;
		return 0;
	}
	/* among the devices are those of a sysroot that have no file */
	if (!devs->at && blockdevs_read(devs, err) < 0)
		return -1;
	return resolve(t, devs, err);
}

int target_check(struct target *t, const char *path, const struct target_request *req, struct blockdevs *devs,
		 uint64_t claimed, struct err *err)
{
	if (target_find(t, path, devs, err) < 0)
		return -1;
	t->want_write = req->write;
	t->want_direct = req->direct;
	switch (t->kind) {
	case TARGET_SIM:
		return check_sim(t, req, err);
	case TARGET_DIR:
		return target_dir_check(t, devs, req, claimed, err);
	case TARGET_FILE:
		return target_file_check(t, devs, req, err);
	default:
		return target_block_check(t, devs, req, err);
	}
}

int target_commit(struct target *t, struct err *err)
{
	int ret;

	if (t->kind == TARGET_SIM)
		return 0;
	if (t->kind == TARGET_BLOCK)
		return target_block_commit(t, err);
	ret = t->kind == TARGET_DIR ? target_dir_commit(t, err) : target_file_commit(t, err);
	return ret < 0 ? ret : target_alignment(t, err);
}

int target_recheck(struct target *t, struct err *err)
{
	return t->kind == TARGET_BLOCK && t->writable ? target_block_recheck(t, err) : 0;
}

/* A device that is pulled out has no size any more before its entry goes. */
static bool is_gone(const char *name)
{
	char path[BLOCKDEV_NAME + 32];
	struct diskstats st;
	uint64_t sectors;

	snprintf(path, sizeof(path), "/sys/class/block/%s/size", name);
	return diskstats_read(name, &st) < 0 || (sysroot_u64(path, &sectors) == 0 && !sectors);
}

const char *target_gone(const struct target *t)
{
	for (size_t i = 0; i < t->disks.n; i++)
		if (is_gone(t->disks.name[i]))
			return t->disks.name[i];
	return NULL;
}

void target_close(struct target *t)
{
	if (t->fd > 0)
		close(t->fd);
	t->fd = -1;
	t->writable = false;
	scratch_dir_close(&t->named);
}
