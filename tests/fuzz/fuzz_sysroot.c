/* SPDX-License-Identifier: MIT */
/*
 * A machine as EBSCOPE_SYSROOT describes it: files of /proc, /sys and /dev with anything in them. The input is a list of
 * files, each `== PATH` on a line and then its content; `=> PATH TARGET` makes a link. Whatever it says, reading the
 * devices, mounts, limits and counters ends, and nothing outside the folder is opened.
 */
#include <ftw.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/blockdev.h"
#include "engine/cgroup.h"
#include "engine/diskstats.h"
#include "engine/fsinfo.h"
#include "engine/mounts.h"
#include "engine/sysroot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

/* Paths stay inside the folder: no "..". */
static int path_of(const char *root, const char *name, char *out)
{
	while (*name == '/')
		name++;
	if (!*name || strstr(name, "..") || (size_t)snprintf(out, PATH_MAX, "%s/%s", root, name) >= PATH_MAX)
		return -1;
	for (char *p = out + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(out, 0700);
		*p = '/';
	}
	return 0;
}

static void lay_out(const char *root, char *text, size_t size)
{
	char path[PATH_MAX];
	FILE *f = NULL;

	for (char *p = text, *end = text + size, *next; p < end; p = next) {
		char *eol = memchr(p, '\n', (size_t)(end - p));
		next = eol ? eol + 1 : end;
		if (next - p > 3 && (memcmp(p, "== ", 3) == 0 || memcmp(p, "=> ", 3) == 0)) {
			if (f)
				fclose(f);
			f = NULL;
			if (eol)
				*eol = 0;
			char *target = p[1] == '>' ? strchr(p + 3, ' ') : NULL;
			if (target)
				*target++ = 0;
			if (path_of(root, p + 3, path) < 0)
				continue;
			if (target)
				(void)!symlink(target, path);
			else
				f = fopen(path, "w");
		} else if (f) {
			fwrite(p, 1, (size_t)(next - p), f);
		}
	}
	if (f)
		fclose(f);
}

static int touch_mount(const struct mount *m, void *arg)
{
	char value[64];

	(void)arg;
	mount_option(m, "upperdir", value, sizeof(value));
	return 0;
}

static void look(void)
{
	struct blockdevs devs = { 0 };
	struct mounts mounts = { 0 };
	struct mount mount;
	struct cgroup_limits lim;
	struct cgroup_throttle th;
	struct diskstats st;
	struct diskset set;
	struct err err = { 0 };
	uint64_t bytes;
	char why[256];

	if (blockdevs_read(&devs, &err) == 0) {
		for (size_t i = 0; i < devs.n; i++) {
			const struct blockdev *leaf[8];
			struct blockdev *d = &devs.at[i];
			blockdev_probe(d, &err);
			blockdev_may_write(&devs, d, why, sizeof(why));
			blockdevs_leaves(&devs, d, leaf, 8);
			diskset_of_device(&set, &devs, d);
			diskstats_sum(&set, &st);
			diskstats_read(d->name, &st);
			blockdevs_find_path(&devs, d->path);
		}
		blockdevs_find_path(&devs, "/dev/disk/by-id/x");
	}
	blockdevs_release(&devs);
	if (mounts_read(&mounts, &err) == 0) {
		mounts_each(&mounts, touch_mount, NULL);
		mounts_of_path(&mounts, "/data/x", &mount);
		mounts_of_number(&mounts, 259, 0, &mount);
	}
	mounts_release(&mounts);
	cgroup_limits(&lim);
	cgroup_memory(&lim);
	cgroup_throttle(&th);
	self_read_bytes(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char root[] = "/dev/shm/ebscope-fuzz.XXXXXX", elsewhere[] = "/tmp/ebscope-fuzz.XXXXXX";
	char *text = malloc(size + 1), *made = mkdtemp(root) ? root : mkdtemp(elsewhere);

	if (text && made && size <= 65536) {
		memcpy(text, data, size);
		text[size] = 0;
		lay_out(made, text, size);
		setenv("EBSCOPE_SYSROOT", made, 1);
		look();
		unsetenv("EBSCOPE_SYSROOT");
	}
	if (made)
		nftw(made, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(text);
	return 0;
}
