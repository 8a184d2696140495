/* SPDX-License-Identifier: MIT */
#include "engine/sysroot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* More names in one directory than any machine has devices. */
#define MAX_NAMES 65536

bool sysroot_is_set(void)
{
	const char *dir = secure_getenv("EBSCOPE_SYSROOT");

	return dir && *dir;
}

const char *sysroot_dir(char *buf)
{
	const char *dir = secure_getenv("EBSCOPE_SYSROOT");

	return dir && *dir ? realpath(dir, buf) : NULL;
}

int sysroot_check(struct err *err)
{
	const char *dir = secure_getenv("EBSCOPE_SYSROOT");
	struct stat st;

	if (!dir || !*dir)
		return 0;
	if (stat(dir, &st) < 0)
		return err_set(err, ERR_USAGE,
			       "EBSCOPE_SYSROOT=%s: %s; it names a directory that holds proc, sys and dev",
			       dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(
			err, ERR_USAGE,
			"EBSCOPE_SYSROOT=%s is no directory; it names one that holds proc, sys and dev", dir);
	return 0;
}

/* Is it /proc, /sys or /dev, or below one of them? */
static bool is_ours(const char *path)
{
	static const char *const top[] = { "/proc", "/sys", "/dev" };

	for (size_t i = 0; i < sizeof(top) / sizeof(*top); i++) {
		size_t n = strlen(top[i]);
		if (!strncmp(path, top[i], n) && (path[n] == '/' || !path[n]))
			return true;
	}
	return false;
}

int sysroot_path(const char *path, char *out)
{
	char root[PATH_MAX], joined[PATH_MAX];

	if (!is_ours(path)) {
		errno = EINVAL;
		return -1;
	}
	if (!sysroot_is_set())
		return realpath(path, out) ? 0 : -1;
	if (!sysroot_dir(root))
		return -1;
	if ((size_t)snprintf(joined, sizeof(joined), "%s%s", root, path) >= sizeof(joined)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (!realpath(joined, out))
		return -1;
	size_t n = strlen(root);
	if (strncmp(out, root, n) || (out[n] != '/' && out[n])) {
		errno = EXDEV;
		return -1;
	}
	return 0;
}

/* Open for reading: a file of the kernel's, or under a sysroot a plain file or directory and nothing else. */
static int open_read(const char *path, int flags)
{
	char real[PATH_MAX];
	struct stat st;

	flags |= O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	if (!sysroot_is_set()) {
		if (!is_ours(path)) {
			errno = EINVAL;
			return -1;
		}
		return open(path, flags);
	}
	if (sysroot_path(path, real) < 0)
		return -1;
	if (stat(real, &st) < 0)
		return -1;
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		errno = ENXIO;
		return -1;
	}
	return open(real, flags | O_NOFOLLOW);
}

static long read_fd(int fd, char *buf, size_t size)
{
	size_t n = 0;

	while (n < size - 1) {
		ssize_t got = read(fd, buf + n, size - 1 - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		n += (size_t)got;
	}
	buf[n] = '\0';
	return (long)n;
}

long sysroot_read(const char *path, char *buf, size_t size)
{
	int fd = open_read(path, 0);

	buf[0] = '\0';
	if (fd < 0)
		return -1;
	long n = read_fd(fd, buf, size);
	int code = errno;
	close(fd);
	errno = code;
	return n;
}

char *sysroot_read_all(const char *path, size_t *len)
{
	size_t cap = 16384, n = 0;
	int fd = open_read(path, 0);
	char *buf = NULL;

	if (fd < 0)
		return NULL;
	for (;;) {
		char *more = realloc(buf, cap + 1);
		if (!more)
			goto fail;
		buf = more;
		long got = read_fd(fd, buf + n, cap + 1 - n);
		if (got < 0)
			goto fail;
		n += (size_t)got;
		if (n < cap || cap >= SYSROOT_MAX)
			break;
		cap *= 2;
	}
	close(fd);
	*len = n;
	return buf;
fail:
	free(buf);
	close(fd);
	return NULL;
}

int sysroot_line(const char *path, char *out, size_t size)
{
	char buf[4096];

	out[0] = '\0';
	if (sysroot_read(path, buf, sizeof(buf)) < 0)
		return -1;
	buf[strcspn(buf, "\n")] = '\0';
	char *at = buf + strspn(buf, " \t\r");
	size_t n = strlen(at);
	while (n && strchr(" \t\r", at[n - 1]))
		n--;
	if (n >= size)
		n = size - 1;
	for (size_t i = 0; i < n; i++)
		out[i] = at[i] > 0 && (at[i] < ' ' || at[i] == 127) ? '?' : at[i];
	out[n] = '\0';
	return 0;
}

int sysroot_u64(const char *path, uint64_t *out)
{
	char line[32];

	if (sysroot_line(path, line, sizeof(line)) < 0)
		return -1;
	if (!*line || strspn(line, "0123456789") != strlen(line) || strlen(line) > 20) {
		errno = EINVAL;
		return -1;
	}
	errno = 0;
	uint64_t v = strtoull(line, NULL, 10);
	if (errno)
		return -1;
	*out = v;
	return 0;
}

bool sysroot_exists(const char *path)
{
	char real[PATH_MAX];

	if (!sysroot_is_set())
		return is_ours(path) && access(path, F_OK) == 0;
	return sysroot_path(path, real) == 0;
}

int sysroot_each(const char *path, int (*each)(const char *name, void *arg), void *arg)
{
	int fd = open_read(path, O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int ret = 0;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	struct dirent *de;
	for (unsigned n = 0; !ret && n < MAX_NAMES && (de = readdir(dir)) != NULL; n++) {
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			ret = each(de->d_name, arg);
	}
	closedir(dir);
	return ret;
}

/* Of a stand-in file: the lock that is asked for instead of the kernel's claim. */
static int lock_stand_in(int fd, int flags)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = ENOTBLK;
		return -1;
	}
	if ((flags & O_EXCL) && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK)
			errno = EBUSY;
		return -1;
	}
	return 0;
}

int sysroot_open_device(const char *path, int flags)
{
	char real[PATH_MAX];
	struct stat st;

	bool stand_in = sysroot_is_set();
	flags &= ~(O_CREAT | O_TRUNC);
	if ((stand_in ? sysroot_path(path, real) < 0 : !realpath(path, real)) || stat(real, &st) < 0)
		return -1;
	if (stand_in ? !S_ISREG(st.st_mode) : !S_ISBLK(st.st_mode)) {
		errno = ENOTBLK;
		return -1;
	}
	int fd = open(real, (stand_in ? flags & ~O_EXCL : flags) | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -1;
	if (stand_in ? lock_stand_in(fd, flags) < 0 : (fstat(fd, &st) < 0 || !S_ISBLK(st.st_mode))) {
		int code = stand_in ? errno : ENOTBLK;
		close(fd);
		errno = code;
		return -1;
	}
	return fd;
}
