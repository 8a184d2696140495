/* SPDX-License-Identifier: MIT */
/* An existing file as a target: read as it is, or overwritten within its size. */
#include "engine/target_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/mounts.h"
#include "engine/sysroot.h"
#include "engine/units.h"

/* Extents that one FIEMAP call returns. */
#define EXTENTS 256
#define UNKNOWN UINT64_MAX

struct swap_search {
	const struct target *t;
	bool found;
};

static int is_this_file(const char *path, void *arg)
{
	struct swap_search *s = arg;

	s->found = !strcmp(path, s->t->real);
	return s->found;
}

/* What is a file by name may be a device or memory to the kernel. */
static int guard(const struct target *t, const struct blockdevs *devs, const struct target_request *req,
		 struct err *err)
{
	struct swap_search s = { .t = t };
	struct mounts m;

	if (!sysroot_exists("/sys/class/block"))
		return err_set(err, ERR_REFUSED,
			       "%s will not be written: /sys/class/block cannot be read, and nothing else tells "
			       "whether a loop device is made of it",
			       t->path);
	for (size_t i = 0; i < devs->n; i++) {
		const struct blockdev *loop = &devs->at[i];
		struct stat st;
		bool same =
			*loop->backing &&
			(!strcmp(loop->backing, t->real) ||
			 (loop->backing_ino == t->id_ino && loop->backing_dev == t->id_dev) ||
			 (stat(loop->backing, &st) == 0 && st.st_dev == t->id_dev && st.st_ino == t->id_ino));
		if (same)
			return err_set(err, ERR_REFUSED,
				       "%s will not be written: the loop device %s is made of it; losetup -d "
				       "/dev/%s first",
				       t->path, loop->name, loop->name);
	}
	if (mounts_read(&m, err) < 0)
		return -1;
	mounts_each_swap(&m, is_this_file, &s);
	mounts_release(&m);
	if (s.found)
		return err_set(err, ERR_REFUSED, "%s will not be written: it is used as swap", t->path);
	if (!req->overwrite)
		return err_set(
			err, ERR_REFUSED,
			"%s is an existing file: a test that writes destroys what is in it; if that is "
			"meant, add --overwrite, or give a directory to work in",
			t->path);
	return 0;
}

/* The largest text that is looked into: job files are pages, not megabytes. */
#define JOB_FILE_MAX 65536

/* Does a line of fio's job files begin with one of these words? */
static bool is_job_line(const char *line)
{
	static const char *const words[] = { "rw=", "readwrite=", "ioengine=", "bs=", "blocksize=", "filename=", "directory=" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strncmp(line, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

/*
 * What a small text is, and where it belongs: named as a target, its few bytes would be measured. A job file has
 * [sections] with fio's words, a suite is an object with steps. NULL: it is neither.
 */
static const char *text_of_tests(const struct target *t)
{
	bool section = false, object = false;
	const char *what = NULL;
	char line[256];
	FILE *f = t->whole_bytes && t->whole_bytes <= JOB_FILE_MAX ? fopen(t->real, "re") : NULL;

	while (f && !what && fgets(line, sizeof(line), f)) {
		const char *p = line + strspn(line, " \t");
		section |= *p == '[' && strchr(p, ']');
		object |= *p == '{';
		if (section && is_job_line(p))
			what = "a job file of fio's and no target: --suite FILE takes it";
		else if (object && strstr(p, "\"steps\""))
			what = "a suite and no target: --suite FILE takes it";
	}
	if (f)
		fclose(f);
	return what;
}

int target_file_check(struct target *t, const struct blockdevs *devs, const struct target_request *req,
		      struct err *err)
{
	struct fsinfo *fs = malloc(sizeof(*fs));
	int ret = -1;

	if (!fs)
		return err_set(err, ENOMEM, "%s: out of memory", t->path);
	if (target_check_fs(t, devs, fs, err) < 0)
		goto out;
	const char *tests = text_of_tests(t);
	if (tests) {
		err_set(err, ERR_USAGE, "%s is %s", t->path, tests);
		goto out;
	}
	if (req->write && guard(t, devs, req, err) < 0)
		goto out;
	if (!t->whole_bytes) {
		err_set(err, EINVAL, "%s is empty: there is nothing to read, and a file is never made longer",
			t->path);
		goto out;
	}
	ret = target_take_size(t, req->size, err);
out:
	free(fs);
	return ret;
}

/* Bytes of the first @p size that hold real data on the medium; UNKNOWN where the filesystem does not tell.
 */
static uint64_t written_bytes(int fd, uint64_t size)
{
	struct fiemap *map = malloc(sizeof(*map) + EXTENTS * sizeof(map->fm_extents[0]));
	uint64_t at = 0, sum = 0;
	bool last = false;

	while (map && !last && at < size) {
		*map = (struct fiemap){ .fm_start = at,
					.fm_length = size - at,
					.fm_flags = FIEMAP_FLAG_SYNC,
					.fm_extent_count = EXTENTS };
		if (ioctl(fd, FS_IOC_FIEMAP, map) < 0) {
			sum = UNKNOWN;
			break;
		}
		if (!map->fm_mapped_extents)
			break;
		for (uint32_t i = 0; i < map->fm_mapped_extents; i++) {
			const struct fiemap_extent *e = &map->fm_extents[i];
			uint64_t from = e->fe_logical > at ? e->fe_logical : at,
				 to = e->fe_logical + e->fe_length;
			to = to < size ? to : size;
			if (to > from && !(e->fe_flags & FIEMAP_EXTENT_UNWRITTEN))
				sum += to - from;
			at = to > at ? to : at;
			last |= (e->fe_flags & FIEMAP_EXTENT_LAST) != 0;
		}
	}
	if (!map)
		sum = UNKNOWN;
	free(map);
	return sum;
}

/* Filling holes takes space that must be there. */
static int check_space(const struct target *t, uint64_t missing, struct err *err)
{
	char a[FMT_LEN], b[FMT_LEN];
	struct statvfs vfs;

	if (fstatvfs(t->fd, &vfs) < 0)
		return err_sys(err, "%s", t->path);
	uint64_t avail = (uint64_t)vfs.f_bavail * vfs.f_frsize,
		 reserve = target_reserve((uint64_t)vfs.f_blocks * vfs.f_frsize);
	if (missing + reserve > avail)
		return err_set(err, ENOSPC,
			       "%s has holes: filling %s of them does not leave %s of the filesystem free",
			       t->path, fmt_size(a, (double)missing), fmt_size(b, (double)reserve));
	return 0;
}

int target_file_commit(struct target *t, struct err *err)
{
	char text[FMT_LEN];

	if (target_open_direct(t, AT_FDCWD, t->real, (t->want_write ? O_RDWR : O_RDONLY) | O_NOFOLLOW, err) <
	    0)
		return -1;
	t->writable = t->want_write;
	uint64_t written = written_bytes(t->fd, t->size_bytes);
	if (written == UNKNOWN || written >= t->size_bytes)
		return 0;
	uint64_t missing = t->size_bytes - written;
	if (t->writable) {
		t->needs_layout = true;
		return check_space(t, missing, err);
	}
	target_say(&t->warnings,
		   "%s has %s of holes or unwritten extents in it: reading those reads no device", t->path,
		   fmt_size(text, (double)missing));
	return 0;
}
