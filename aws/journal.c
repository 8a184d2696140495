/* SPDX-License-Identifier: MIT */
#include "aws/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/json.h"
#include "engine/xdg.h"

#define JOURNAL	 "volumes.jsonl"
#define LOCK	 "volumes.lock"
#define MAX_FILE ((size_t)64 << 20)

/* A file of the state directory, for appending, made where it is missing. */
static int open_state(const char *name, struct err *err)
{
	char path[PATH_MAX], *slash;

	if (!xdg_state(path, sizeof(path), name, err))
		return err_wrap(err, "journal");
	slash = strrchr(path, '/');
	*slash = 0;
	if (xdg_make_dirs(path) < 0)
		return err_sys(err, "journal: make %s", path);
	*slash = '/';
	int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? err_sys(err, "journal %s", path) : fd;
}

/* Of a file that was just made the names are put on disk too, its own and those of the directories above. */
static int sync_names(void)
{
	char path[PATH_MAX], *slash;
	struct err ignored;
	int rc = 0;

	if (!xdg_state(path, sizeof(path), JOURNAL, &ignored))
		return -1;
	for (bool own = true; (slash = strrchr(path, '/')) && slash != path && !rc; own = false) {
		*slash = 0;
		int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		rc = (fd < 0 || (fsync(fd) && errno != EINVAL)) && own ? -1 : 0; /* EINVAL: a filesystem without */
		if (fd >= 0)
			close(fd);
	}
	return rc;
}

/* One line, whole and on disk, behind whatever a crash left of the line before. */
static int append_line(int fd, const char *line, size_t len)
{
	struct stat st;
	char last = '\n';

	if (flock(fd, LOCK_EX) || fstat(fd, &st))
		return -1;
	if (!st.st_size && sync_names())
		return -1;
	if (st.st_size && pread(fd, &last, 1, st.st_size - 1) != 1)
		return -1;
	if (last != '\n' && write(fd, "\n", 1) != 1)
		return -1;
	for (size_t at = 0; at < len;) {
		ssize_t n = write(fd, line + at, len - at);
		if (n < 0)
			return -1;
		at += (size_t)n;
	}
	return fsync(fd);
}

/* Takes the object. */
static int append(json_t *obj, struct err *err)
{
	time_t now = time(NULL);
	char stamp[32];
	struct tm tm;

	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	if (obj)
		json_object_set_new(obj, "t", json_string(stamp));
	char *line = obj ? json_dumps(obj, JSON_COMPACT) : NULL;
	json_decref(obj);
	if (!line)
		return err_set(err, ENOMEM, "journal: no memory");
	size_t len = strlen(line);
	line[len++] = '\n'; /* in the place of the NUL */
	int fd = open_state(JOURNAL, err), rc = fd < 0 ? -1 : append_line(fd, line, len);
	if (fd >= 0 && rc)
		err_sys(err, "journal");
	if (fd >= 0)
		close(fd);
	free(line);
	return rc;
}

int journal_create(const char *run, const char *token, const char *region, const char *az, const char *spec,
		   struct err *err)
{
	return append(json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "event", "create", "run", run, "token", token, "region",
				region, "az", az, "spec", spec),
		      err);
}

int journal_token(const char *event, const char *token, const char *volume_id, struct err *err)
{
	return append(json_pack("{s:s, s:s, s:s}", "event", event, "token", token, "volume_id", volume_id), err);
}

int journal_volume_event(const char *event, const char *volume_id, struct err *err)
{
	return append(json_pack("{s:s, s:s}", "event", event, "volume_id", volume_id), err);
}

int journal_modified(const char *volume_id, int64_t start, struct err *err)
{
	return append(json_pack("{s:s, s:s, s:I}", "event", "modified", "volume_id", volume_id, "start", (json_int_t)start),
		      err);
}

void journal_new_run(char *run)
{
	uint32_t r = (uint32_t)getpid();
	time_t now = time(NULL);
	struct tm tm;

	if (getrandom(&r, sizeof(r), GRND_NONBLOCK) != sizeof(r))
		r ^= (uint32_t)now << 8;
	size_t n = strftime(run, 48, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
	snprintf(run + n, 48 - n, "-%08x", r);
}

/* A byte of an empty file that stands for a run: locked while it lives, by a lock that dies with its process. */
static struct flock byte_of(const char *run)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	for (const char *p = run; *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211u;
	return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)(h >> 2), .l_len = 1 };
}

int journal_hold_run(const char *run, struct err *err)
{
	struct flock byte = byte_of(run);
	int fd = open_state(LOCK, err);

	if (fd < 0 || !fcntl(fd, F_OFD_SETLK, &byte))
		return fd;
	err_sys(err, "journal: lock");
	close(fd);
	return -1;
}

void journal_end_run(int held)
{
	if (held >= 0)
		close(held);
}

bool journal_run_lives(const char *run)
{
	struct flock byte = byte_of(run);
	char path[PATH_MAX];
	struct err ignored;

	int fd = xdg_state(path, sizeof(path), LOCK, &ignored) ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
	bool lives = fd >= 0 && !fcntl(fd, F_OFD_GETLK, &byte) && byte.l_type != F_UNLCK;
	if (fd >= 0)
		close(fd);
	return lives;
}

static struct journal_volume *find(struct journal_list *l, const char *token, const char *id)
{
	for (size_t i = l->n; i-- > 0;)
		if (*token ? !strcmp(l->v[i].token, token) : *id && !strcmp(l->v[i].volume_id, id))
			return &l->v[i];
	return NULL;
}

static int add(struct journal_list *l, const json_t *line)
{
	struct journal_volume *v = realloc(l->v, (l->n + 1) * sizeof(*v));

	if (!v)
		return -1;
	l->v = v;
	v = &l->v[l->n];
	*v = (struct journal_volume){ 0 };
	json_copy_text(line, "run", v->run, sizeof(v->run));
	json_copy_text(line, "token", v->token, sizeof(v->token));
	json_copy_text(line, "region", v->region, sizeof(v->region));
	json_copy_text(line, "az", v->az, sizeof(v->az));
	json_copy_text(line, "spec", v->spec, sizeof(v->spec));
	json_copy_text(line, "t", v->time, sizeof(v->time));
	if (*v->run && *v->token && *v->region)
		l->n++;
	return 0;
}

static int take_line(void *arg, const json_t *line)
{
	struct journal_list *l = arg;
	const char *event = json_get_text(line, "event", ""), *id = json_get_text(line, "volume_id", "");

	if (!strcmp(event, "create"))
		return add(l, line);
	struct journal_volume *v = find(l, json_get_text(line, "token", ""), id);
	if (v && !strcmp(event, "created") && ec2_is_volume_id(id)) {
		snprintf(v->volume_id, sizeof(v->volume_id), "%s", id);
		v->state = JOURNAL_CREATED;
	} else if (v && (!strcmp(event, "deleted") || !strcmp(event, "never"))) {
		v->state = JOURNAL_GONE;
	}
	return 0;
}

/* @return -1 as soon as @p take fails */
static int each_line(const char *text, size_t len, int (*take)(void *arg, const json_t *line), void *arg)
{
	for (const char *p = text, *end = text + len; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl ? nl : end) - p);
		json_t *line = json_loadb(p, n, 0, NULL);
		int rc = json_is_object(line) ? take(arg, line) : 0;
		json_decref(line);
		if (rc)
			return -1;
		p += n + 1;
	}
	return 0;
}

int journal_parse(const char *text, size_t len, struct journal_list *out, struct err *err)
{
	*out = (struct journal_list){ 0 };
	if (!each_line(text, len, take_line, out))
		return 0;
	journal_release(out);
	return err_set(err, ENOMEM, "journal: no memory");
}

/* All of it into new memory; a journal that is not there is empty. */
static int load(char **text, size_t *len, struct err *err)
{
	char path[PATH_MAX];
	struct stat st;
	int rc = -1;

	*text = NULL;
	*len = 0;
	if (!xdg_state(path, sizeof(path), JOURNAL, err))
		return err_wrap(err, "journal");
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(err, "journal %s", path);
	if (fstat(fd, &st) || flock(fd, LOCK_SH)) {
		err_sys(err, "journal %s", path);
		close(fd);
		return -1;
	}
	size_t size = st.st_size > 0 && (size_t)st.st_size < MAX_FILE ? (size_t)st.st_size : 0;
	*text = malloc(size + 1);
	for (ssize_t n = 1; *text && *len < size && n > 0; *len += n > 0 ? (size_t)n : 0)
		n = read(fd, *text + *len, size - *len);
	if (st.st_size && !size)
		err_set(err, EFBIG, "journal %s: longer than %zu MiB", path, MAX_FILE >> 20);
	else
		rc = *text ? 0 : err_set(err, ENOMEM, "journal: no memory");
	close(fd);
	return rc;
}

int journal_read(struct journal_list *out, struct err *err)
{
	size_t len;
	char *text;

	*out = (struct journal_list){ 0 };
	int rc = load(&text, &len, err);
	if (!rc && text)
		rc = journal_parse(text, len, out, err);
	free(text);
	return rc;
}

/* What the lines say of one volume. */
struct doings {
	const char *volume_id;
	int64_t	    modified;
	bool	    deleted;
};

static int take_doing(void *arg, const json_t *line)
{
	const json_t *start = json_object_get(line, "start");
	const char *event = json_get_text(line, "event", "");
	struct doings *d = arg;

	if (strcmp(json_get_text(line, "volume_id", ""), d->volume_id))
		return 0;
	if (json_is_integer(start) && !strcmp(event, "modified"))
		d->modified = json_integer_value(start);
	d->deleted |= !strcmp(event, "deleted");
	return 0;
}

static struct doings doings_of(const char *volume_id)
{
	struct doings d = { volume_id, -1, false };
	struct err ignored; /* nothing is known then */
	size_t len;
	char *text;

	if (!load(&text, &len, &ignored) && text)
		each_line(text, len, take_doing, &d);
	free(text);
	return d;
}

int64_t journal_last_modified(const char *volume_id)
{
	return doings_of(volume_id).modified;
}

bool journal_deleted(const char *volume_id)
{
	return doings_of(volume_id).deleted;
}

void journal_release(struct journal_list *l)
{
	free(l->v);
	*l = (struct journal_list){ 0 };
}
