/* SPDX-License-Identifier: MIT */
/* A directory as a target: a scratch file in it, sized so that the filesystem keeps room. */
#include "engine/target_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/cgroup.h"
#include "engine/units.h"

#define DEFAULT_SIZE GIB
#define MIN_RESERVE  (256 * MIB)

uint64_t target_reserve(uint64_t total_bytes)
{
	uint64_t share = total_bytes / 20;

	return share > MIN_RESERVE ? share : MIN_RESERVE;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int target_scratch_size(const struct target_space *space, uint64_t asked, bool fixed, uint64_t *bytes, struct err *err)
{
	uint64_t reserve = target_reserve(space->total), size = asked;
	uint64_t room = space->avail > reserve ? (space->avail - reserve) / MIB * MIB : 0;
	char a[FMT_LEN], b[FMT_LEN], c[FMT_LEN], hint[FMT_LEN + 96];

	if (!size) {
		size = least(DEFAULT_SIZE, space->avail / 10);
		if (space->memory)
			size = least(size, space->memory / 4);
		size = size / MIB * MIB;
		if (size < MIB)
			size = MIB;
		size = room ? least(size, room) : size;
	}
	if (size <= (space->avail > reserve ? space->avail - reserve : 0)) {
		*bytes = size;
		return 0;
	}
	if (fixed)
		snprintf(hint, sizeof(hint), "the test's size is fixed: free %s more, or choose a larger filesystem",
			 fmt_size(a, (double)(size + reserve - space->avail)));
	else if (room)
		snprintf(hint, sizeof(hint), "the most here is --size %s", fmt_bs(a, room));
	else
		snprintf(hint, sizeof(hint), "free some space or choose another directory");
	return err_set(
		err, ENOSPC,
		"a scratch file of %s does not fit: of %s free, a run leaves %s (5 %%, at least 256 MiB); %s",
		fmt_size(c, (double)size), fmt_size(b, (double)space->avail),
		fmt_size((char[FMT_LEN]){ 0 }, (double)reserve), hint);
}

/* What is free for us, and what the notes tell before anything is written. */
static int take_space(struct target *t, const struct target_request *req, uint64_t claimed, struct err *err)
{
	char size[FMT_LEN], free_now[FMT_LEN], left[FMT_LEN];
	struct cgroup_limits lim;
	struct statvfs vfs;

	if (statvfs(t->real, &vfs) < 0)
		return err_sys(err, "%s", t->path);
	struct target_space space = {
		.total = (uint64_t)vfs.f_blocks * vfs.f_frsize,
		.avail = (uint64_t)vfs.f_bavail * vfs.f_frsize,
	};
	space.avail = space.avail > claimed ? space.avail - claimed : 0;
	if (t->tmpfs || !t->want_direct || req->mixed) {
		cgroup_limits(&lim);
		space.memory = lim.memory;
	}
	if (target_scratch_size(&space, req->size, req->fixed_size, &t->size_bytes, err) < 0)
		return err_wrap(err, "%s", t->path);
	t->size_bytes -= t->size_bytes % t->lba;
	if (!t->size_bytes)
		return err_set(err, ERR_USAGE, "%s: a size of %llu bytes is less than one block of %u",
			       t->path, (unsigned long long)req->size, t->lba);
	t->whole_bytes = t->size_bytes;
	target_say(&t->notes, "%s: a scratch file of %s; %s are free, %s will stay free", t->path,
		   fmt_size(size, (double)t->size_bytes), fmt_size(free_now, (double)space.avail),
		   fmt_size(left, (double)(space.avail - t->size_bytes)));
	return 0;
}

/* The wrong medium, measured silently, is the classic mistake. */
static void tell_where(struct target *t, const struct fsinfo *fs)
{
	if (fs->forgotten)
		target_say(&t->warnings,
			   "%s: fstab mounts %s, but nothing is mounted there: this is the filesystem of %s",
			   t->path, fs->fstab_point, *fs->point ? fs->point : "/");
	else if (fs->root)
		target_say(&t->notes, "%s: this is the root volume%s%s%s", t->path, *t->device ? " (" : "",
			   t->device, *t->device ? ")" : "");
}

int target_dir_check(struct target *t, const struct blockdevs *devs, const struct target_request *req,
		     uint64_t claimed, struct err *err)
{
	struct fsinfo *fs = malloc(sizeof(*fs));
	int ret = -1;

	if (!fs)
		return err_set(err, ENOMEM, "%s: out of memory", t->path);
	if (target_check_fs(t, devs, fs, err) == 0 && take_space(t, req, claimed, err) == 0) {
		tell_where(t, fs);
		ret = 0;
	}
	free(fs);
	return ret;
}

/* Has this filesystem no O_TMPFILE? Kernels from before 3.11 and some filesystems say it in their own way. */
static bool no_tmpfile(int code)
{
	return code == EOPNOTSUPP || code == EISDIR || code == ENOENT || code == EINVAL || code == ENOSYS;
}

/* Where a file must have a name, it has one for a moment: ours is removed as soon as it is open, if that
 * works. */
static int open_named(struct target *t, struct err *err)
{
	if (scratch_dir_open(&t->named, t->real, err) < 0)
		return -1;
	if (target_open_direct(t, t->named.fd, "data", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, err) < 0)
		return -1;
	unlinkat(t->named.fd, "data", 0);
	if (unlinkat(t->named.parent_fd, t->named.name, AT_REMOVEDIR) == 0)
		scratch_dir_close(&t->named);
	return 0;
}

int target_dir_commit(struct target *t, struct err *err)
{
	char stale[sizeof(t->named.name)];
	unsigned n = scratch_sweep(t->real, stale, sizeof(stale));

	if (n)
		target_say(&t->notes, "%s: removed %s%s, left by a run that was killed", t->path, stale,
			   n > 1 ? " and others" : "");
	t->scratch = t->needs_layout = true;
	if (target_open_direct(t, AT_FDCWD, t->real, O_TMPFILE | O_RDWR, err) < 0 &&
	    (!no_tmpfile(err->code) || open_named(t, err) < 0))
		return -1;
	t->writable = true;
	return 0;
}
