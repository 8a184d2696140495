/* SPDX-License-Identifier: MIT */
#include "engine/scratch.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Deeper than any file test makes its trees. */
#define MAX_DEPTH 16
/* Several of one process in one place, and tries against a sweeper that was quicker. */
#define MAX_TRIES 64

/* ".ebscope.HOST." of this host; what could end a name or a pattern becomes '_'. */
static void prefix_of_host(char *buf, size_t size)
{
	char host[128] = "";

	if (gethostname(host, sizeof(host) - 1) < 0 || !*host)
		snprintf(host, sizeof(host), "localhost");
	for (char *p = host; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
			*p = '_';
	}
	snprintf(buf, size, ".ebscope.%s.", host);
}

/* Exactly PREFIX, a process number, and perhaps ".N". */
static bool is_ours(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	if (strncmp(name, prefix, n))
		return false;
	const char *p = name + n;
	size_t digits = strspn(p, "0123456789");
	if (!digits)
		return false;
	p += digits;
	if (*p == '.') {
		digits = strspn(++p, "0123456789");
		p += digits;
	}
	return digits && !*p;
}

/* Empty the directory @p fd (which this closes), never leaving its filesystem nor following a link. */
static void empty(int fd, dev_t dev, int depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *de;

	if (!dir) {
		close(fd);
		return;
	}
	while ((de = readdir(dir)) != NULL) {
		struct stat st;
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		if (fstatat(dirfd(dir), de->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (!S_ISDIR(st.st_mode)) {
			unlinkat(dirfd(dir), de->d_name, 0);
			continue;
		}
		int sub = st.st_dev == dev && depth ? openat(dirfd(dir), de->d_name,
							     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
						    : -1;
		if (sub >= 0) {
			empty(sub, dev, depth - 1);
			unlinkat(dirfd(dir), de->d_name, AT_REMOVEDIR);
		}
	}
	closedir(dir);
}

static void remove_tree(int parent_fd, int fd, const char *name)
{
	struct stat st;
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (copy >= 0 && fstat(copy, &st) == 0)
		empty(copy, st.st_dev, MAX_DEPTH);
	else if (copy >= 0)
		close(copy);
	unlinkat(parent_fd, name, AT_REMOVEDIR);
}

/* The directory @p name, locked by us and still there under that name; -1 otherwise. */
static int open_locked(int parent_fd, const char *name, int how)
{
	struct stat st, now;
	int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -1;
	/* Where there are no locks (some network filesystems) nobody can tell who is alive: sweeping is then
	 * left out. */
	if (flock(fd, how) < 0 && (errno == EWOULDBLOCK || (how & LOCK_NB)))
		goto fail;
	if (fstat(fd, &st) < 0 || fstatat(parent_fd, name, &now, AT_SYMLINK_NOFOLLOW) < 0)
		goto fail;
	if (st.st_ino != now.st_ino || st.st_dev != now.st_dev || st.st_uid != geteuid())
		goto fail;
	return fd;
fail:
	close(fd);
	return -1;
}

int scratch_dir_open(struct scratch_dir *s, const char *parent, struct err *err)
{
	char prefix[160];

	*s = (struct scratch_dir){ .fd = -1, .parent_fd = -1 };
	s->parent_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->parent_fd < 0)
		return err_sys(err, "%s", parent);
	prefix_of_host(prefix, sizeof(prefix));
	for (int i = 1, tries = 0; tries < MAX_TRIES && s->fd < 0; tries++) {
		if (i == 1)
			snprintf(s->name, sizeof(s->name), "%s%d", prefix, (int)getpid());
		else
			snprintf(s->name, sizeof(s->name), "%s%d.%d", prefix, (int)getpid(), i);
		if (mkdirat(s->parent_fd, s->name, 0700) < 0) {
			if (errno != EEXIST)
				break;
			i++;
			continue;
		}
		/* A sweeper may take it for stale before it is locked: then it is gone, and made again. */
		s->fd = open_locked(s->parent_fd, s->name, LOCK_EX);
	}
	if (s->fd < 0) {
		err_sys(err, "%s: cannot make a scratch directory", parent);
		close(s->parent_fd);
		*s = (struct scratch_dir){ .fd = -1, .parent_fd = -1 };
		return -1;
	}
	if ((size_t)snprintf(s->path, sizeof(s->path), "%s/%s", parent, s->name) >= sizeof(s->path))
		snprintf(s->path, sizeof(s->path), "%s", s->name);
	return 0;
}

void scratch_dir_close(struct scratch_dir *s)
{
	if (s->fd > 0) {
		remove_tree(s->parent_fd, s->fd, s->name);
		close(s->fd);
		close(s->parent_fd);
	}
	*s = (struct scratch_dir){ .fd = -1, .parent_fd = -1 };
}

unsigned scratch_sweep(const char *parent, char *removed, size_t size)
{
	int parent_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = parent_fd < 0 ? NULL : opendir(parent);
	char prefix[160];
	struct dirent *de;
	unsigned n = 0;

	removed[0] = '\0';
	prefix_of_host(prefix, sizeof(prefix));
	while (dir && (de = readdir(dir)) != NULL) {
		int fd = is_ours(de->d_name, prefix) ? open_locked(parent_fd, de->d_name, LOCK_EX | LOCK_NB)
						     : -1;
		if (fd < 0)
			continue;
		remove_tree(parent_fd, fd, de->d_name);
		if (faccessat(parent_fd, de->d_name, F_OK, AT_SYMLINK_NOFOLLOW) < 0) {
			snprintf(removed, size, "%s", de->d_name);
			n++;
		}
		close(fd);
	}
	if (dir)
		closedir(dir);
	if (parent_fd >= 0)
		close(parent_fd);
	return n;
}
