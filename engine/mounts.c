/* SPDX-License-Identifier: MIT */
#include "engine/mounts.h"

#include <errno.h>
#include <libmount/libmount.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "engine/sysroot.h"

static int skip_line(struct libmnt_table *tb, const char *file, int line)
{
	(void)tb;
	(void)file;
	(void)line;
	return 1; /* recoverable: the line is left out */
}

/* A table parsed from the text of @p path, NULL when it can't be read. */
static struct libmnt_table *read_table(const char *path)
{
	size_t len;
	char *text = sysroot_read_all(path, &len);
	struct libmnt_table *tb = text && len ? mnt_new_table() : NULL;
	FILE *f = tb ? fmemopen(text, len, "r") : NULL;

	if (f) {
		mnt_table_set_parser_errcb(tb, skip_line);
		mnt_table_parse_stream(tb, f, path);
		fclose(f);
	} else {
		mnt_unref_table(tb);
		tb = NULL;
	}
	free(text);
	return tb;
}

/* libmount reads swaps only by a file's name; the kernel's own, or a plain file under the sysroot. */
static struct libmnt_table *read_swaps(void)
{
	char path[PATH_MAX];
	struct stat st;
	struct libmnt_table *tb = NULL;

	if (sysroot_path("/proc/swaps", path) < 0 || stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size > SYSROOT_MAX)
		return NULL;
	if ((tb = mnt_new_table()) != NULL) {
		mnt_table_set_parser_errcb(tb, skip_line);
		mnt_table_parse_swaps(tb, path);
	}
	return tb;
}

int mounts_read(struct mounts *m, struct err *err)
{
	static const char *const file[] = { "/proc/self/mountinfo", "/proc/mounts", "/proc/self/mounts" };

	*m = (struct mounts){ 0 };
	for (size_t i = 0; i < sizeof(file) / sizeof(*file) && !m->table; i++)
		m->table = read_table(file[i]);
	if (!m->table)
		return err_set(err, ENOENT,
			       "/proc/self/mountinfo cannot be read: nothing tells what is mounted");
	m->swaps = read_swaps();
	return 0;
}

void mounts_release(struct mounts *m)
{
	mnt_unref_table(m->table);
	mnt_unref_table(m->swaps);
	*m = (struct mounts){ 0 };
}

static const char *text_or_empty(const char *s)
{
	return s ? s : "";
}

static struct mount describe(struct libmnt_fs *fs)
{
	dev_t dev = mnt_fs_get_devno(fs);
	const char *options = mnt_fs_get_options(fs);

	return (struct mount){
		.point = text_or_empty(mnt_fs_get_target(fs)),
		.source = text_or_empty(mnt_fs_get_source(fs)),
		.type = text_or_empty(mnt_fs_get_fstype(fs)),
		.root = text_or_empty(mnt_fs_get_root(fs)),
		.options = text_or_empty(options),
		.major = major(dev),
		.minor = minor(dev),
	};
}

int mounts_each(const struct mounts *m, int (*each)(const struct mount *mount, void *arg), void *arg)
{
	struct libmnt_iter *it = m->table ? mnt_new_iter(MNT_ITER_FORWARD) : NULL;
	struct libmnt_fs *fs;
	int ret = 0;

	while (it && !ret && mnt_table_next_fs(m->table, it, &fs) == 0) {
		struct mount mount = describe(fs);
		ret = each(&mount, arg);
	}
	mnt_free_iter(it);
	return ret;
}

int mounts_each_swap(const struct mounts *m, int (*each)(const char *path, void *arg), void *arg)
{
	struct libmnt_iter *it = m->swaps ? mnt_new_iter(MNT_ITER_FORWARD) : NULL;
	struct libmnt_fs *fs;
	int ret = 0;

	while (it && !ret && mnt_table_next_fs(m->swaps, it, &fs) == 0)
		ret = each(text_or_empty(mnt_fs_get_source(fs)), arg);
	mnt_free_iter(it);
	return ret;
}

struct search {
	const char *path;
	size_t longest;
	unsigned major, minor;
	struct mount *out;
	bool found;
};

/* Is @p path at or below the directory @p top (n bytes)? */
static bool is_below(const char *path, const char *top, size_t n)
{
	if (n == 1 && top[0] == '/')
		return path[0] == '/';
	return !strncmp(path, top, n) && (!path[n] || path[n] == '/');
}

/* A later mount over the same point hides the earlier. */
static int match_path(const struct mount *mount, void *arg)
{
	struct search *s = arg;
	size_t n = strlen(mount->point);

	if (n && is_below(s->path, mount->point, n)) {
		if (!s->found || n >= s->longest) {
			*s->out = *mount;
			s->longest = n;
		}
		s->found = true;
	}
	return 0;
}

int mounts_of_path(const struct mounts *m, const char *path, struct mount *mount)
{
	struct search s = { .path = path, .out = mount };

	mounts_each(m, match_path, &s);
	return s.found ? 0 : -1;
}

static int match_number(const struct mount *mount, void *arg)
{
	struct search *s = arg;

	if (mount->major == s->major && mount->minor == s->minor) {
		*s->out = *mount;
		s->found = true;
	}
	return 0;
}

int mounts_of_number(const struct mounts *m, unsigned maj, unsigned min, struct mount *mount)
{
	struct search s = { .major = maj, .minor = min, .out = mount };

	mounts_each(m, match_number, &s);
	return s.found ? 0 : -1;
}

int mount_option(const struct mount *mount, const char *name, char *out, size_t size)
{
	char *value;
	size_t n;

	if (mnt_optstr_get_option(mount->options, name, &value, &n) != 0 || !value || !n || n >= size)
		return -1;
	memcpy(out, value, n);
	out[n] = '\0';
	return 0;
}
