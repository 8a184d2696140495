/* SPDX-License-Identifier: MIT */
#ifndef TESTS_TMP_TREE_H
#define TESTS_TMP_TREE_H

/** A directory that a test fills: tmp_tree() makes it, tree_put() writes files below it, tmp_tree_remove() ends it. */

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** Fill @p dir (PATH_MAX bytes) with the path of a new directory; canonical. */
static inline void tmp_tree(char *dir)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/unit.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(path) || !realpath(path, dir))
		abort();
}

/** Write a file below @p dir with all directories that it needs. */
static inline void tree_put(const char *dir, const char *name, const void *data, size_t n)
{
	char path[PATH_MAX + 256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	close(fd);
}

static inline void tree_text(const char *dir, const char *name, const char *text)
{
	tree_put(dir, name, text, strlen(text));
}

/** A file of @p size bytes that is one hole. */
static inline void tree_hole(const char *dir, const char *name, off_t size)
{
	char path[PATH_MAX + 256];

	tree_put(dir, name, "", 0);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (truncate(path, size) < 0)
		abort();
}

static inline int tmp_tree_unlink(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static inline void tmp_tree_remove(const char *dir)
{
	nftw(dir, tmp_tree_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

/** Names in a directory but "." and "..". */
static inline int tree_count(const char *dir)
{
	char command[PATH_MAX + 32];
	int n = -1;

	snprintf(command, sizeof(command), "ls -A '%s' | wc -l", dir);
	FILE *f = popen(command, "r");
	if (!f || fscanf(f, "%d", &n) != 1)
		abort();
	pclose(f);
	return n;
}

#endif
