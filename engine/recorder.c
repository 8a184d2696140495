/* SPDX-License-Identifier: MIT */
#include "engine/recorder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/xdg.h"


char *json_text_of(const json_t *doc, bool indent)
{
	return json_dumps(doc, JSON_REAL_PRECISION(15) | (indent ? (size_t)JSON_INDENT(2) : (size_t)JSON_COMPACT));
}

char *recorder_dir(char *buf, size_t size, struct err *err)
{
	if (!xdg_state(buf, size, "runs", err))
		return NULL;
	if (xdg_make_dirs(buf) < 0)
		return err_sys(err, "make %s", buf), NULL;
	if (access(buf, W_OK) < 0)
		return err_sys(err, "write to %s", buf), NULL;
	return buf;
}

int recorder_open(struct recorder *r, const struct run_header *h, struct err *err)
{
	char dir[3800], stamp[40], title[64];

	*r = (struct recorder){ .fd = -1 };
	if (!recorder_dir(dir, sizeof(dir), err))
		return -1;
	size_t n = 0;
	for (const char *p = h->started; *p && n + 1 < sizeof(stamp); p++) {
		if (isalnum((unsigned char)*p) || *p == '-')
			stamp[n++] = *p;
	}
	stamp[n] = 0;
	for (n = 0; h->title[n] && n + 1 < sizeof(title); n++)
		title[n] = isalnum((unsigned char)h->title[n]) ? h->title[n] : '-';
	title[n] = 0;
	for (int i = 0; i < 1000; i++) {
		if (i)
			snprintf(r->path, sizeof(r->path), "%s/%s-%s-%d.jsonl", dir, stamp, title, i);
		else
			snprintf(r->path, sizeof(r->path), "%s/%s-%s.jsonl", dir, stamp, title);
		r->fd = open(r->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
		if (r->fd >= 0 || errno != EEXIST)
			break;
	}
	if (r->fd >= 0)
		return 0;
	err_sys(err, "create %s", r->path);
	r->path[0] = 0; /* there is none */
	return -1;
}

/* A recording may take the place of another, and of nothing else that holds something. */
static int may_replace(const char *path, struct err *err)
{
	char head[16] = "";
	struct stat st;

	if (stat(path, &st) < 0 || (S_ISREG(st.st_mode) && !st.st_size) || (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)))
		return 0;
	int fd = S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool ours = fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) && !memcmp(head, "{\"type\":\"header\"", sizeof(head));
	if (fd >= 0)
		close(fd);
	return ours ? 0 : err_set(err, ERR_REFUSED, "record to %.300s: it is there and is no recording; name another file", path);
}

/* It is ours while we write it: another run would cut it off below our feet, and both would be in one file. */
static int take(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return err_set(err, ERR_REFUSED, "record to %.300s: another run is writing it; name another file", path);
	return ftruncate(fd, 0) < 0 ? err_sys(err, "record to %.300s", path) : 0;
}

int recorder_open_path(struct recorder *r, const char *path, struct err *err)
{
	*r = (struct recorder){ .fd = -1 };
	if (strcmp(path, "-") != 0 && may_replace(path, err) < 0)
		return -1;
	if (strcmp(path, "-") == 0) {
		r->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	} else {
		snprintf(r->path, sizeof(r->path), "%s", path);
		r->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		if (take(r->fd, path, err) < 0) {
			close(r->fd);
			r->fd = -1;
			return -1;
		}
	}
	return r->fd < 0 ? err_sys(err, "record to %s", path) : 0;
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -1;
		p += w;
		n -= (size_t)w;
	}
	return 0;
}

int recorder_write(struct recorder *r, json_t *entry, struct err *err)
{
	int rc = 0;

	if (r->fd >= 0 && !r->lost.code) {
		char *text = json_text_of(entry, false);
		size_t n = text ? strlen(text) : 0;

		if (text) {
			text[n] = '\n'; /* in the place of the end: the length is kept in n */
			rc = write_all(r->fd, text, n + 1);
		}
		if (!text || rc < 0) {
			rc = err_sys(err, "the recording%s%s stops here", *r->path ? " " : "", r->path);
			r->lost = *err;
		}
		free(text);
	}
	json_decref(entry);
	return rc;
}

bool recorder_lost(const struct recorder *r, struct err *err)
{
	if (r->lost.code)
		err_set(err, r->lost.code, "the recording%s%s is not whole: %s", *r->path ? " " : "", r->path, strerror(r->lost.code));
	return r->lost.code;
}

void recorder_close(struct recorder *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}
