/* SPDX-License-Identifier: MIT */
#include "engine/filetest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/units.h"
#include "engine/worker.h"

#define FILES_UNIT 1024

enum file_step { FILE_CREATE, FILE_STAT, FILE_DELETE };

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* As bonnie++ names them: a number of 7 digits and up to 12 letters, in that order or (random) the other way round. */
static void name_of(const struct step_params *p, bool random, uint64_t i, char *out, size_t size)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	uint64_t r = mix(i + 1);
	char tail[16];
	unsigned n = (unsigned)(r % 13);

	for (unsigned k = 0; k < n; k++)
		tail[k] = letters[(r = mix(r)) % (sizeof(letters) - 1)];
	tail[n] = 0;
	int at = p->dirs ? snprintf(out, size, "%05u/", (unsigned)(i % p->dirs)) : 0;
	if (random)
		snprintf(out + at, size - (size_t)at, "%s%07u", tail, (unsigned)i);
	else
		snprintf(out + at, size - (size_t)at, "%07u%s", (unsigned)i, tail);
}

static uint64_t bytes_of(const struct step_params *p, uint64_t i)
{
	return p->file_max > p->file_min ? p->file_min + mix(i ^ 0x5bd1e995) % (p->file_max - p->file_min + 1) : p->file_min;
}

static int create_one(const struct step_params *p, const char *name, uint64_t bytes, const char *buf)
{
	int fd = openat(p->dir_fd, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		return -1;
	for (uint64_t at = 0; at < bytes;) {
		ssize_t n = write(fd, buf, bytes - at < BUFSIZ ? bytes - at : BUFSIZ);
		if (n < 0) {
			int code = errno;
			close(fd);
			errno = code;
			return -1;
		}
		at += (uint64_t)n;
	}
	return close(fd);
}

static int stat_one(const struct step_params *p, const char *name, uint64_t bytes, char *buf)
{
	struct stat st;
	int fd, rc = 0;

	if (fstatat(p->dir_fd, name, &st, 0) < 0)
		return -1;
	if (!bytes)
		return 0;
	fd = openat(p->dir_fd, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while (rc == 0 && bytes) {
		ssize_t n = read(fd, buf, BUFSIZ);
		if (n <= 0)
			rc = -1;
		else
			bytes -= (uint64_t)n < bytes ? (uint64_t)n : bytes;
	}
	close(fd);
	return rc;
}

static int one(const struct step_params *p, enum file_step what, bool random, uint64_t i, char *buf, char *name, size_t size)
{
	uint64_t bytes = bytes_of(p, i);

	name_of(p, random, i, name, size);
	switch (what) {
	case FILE_CREATE:
		return create_one(p, name, bytes, buf);
	case FILE_STAT:
		return stat_one(p, name, bytes, buf);
	default:
		return unlinkat(p->dir_fd, name, 0);
	}
}

/* The i-th file of @p n in an order that visits each once: n is a power of two times something; step is odd and coprime. */
static uint64_t at_random(uint64_t i, uint64_t n)
{
	uint64_t step = n / 2 + n / 9 + 1;

	for (;; step++) {
		uint64_t a = n, b = step;
		while (b) {
			uint64_t t = a % b;
			a = b;
			b = t;
		}
		if (a == 1)
			break;
	}
	return (i * step + 12345) % n;
}

/* Delete what one directory holds, in the order that it lists it, as bonnie++'s sequential delete does. */
static int delete_listed(struct worker *w, const struct step_params *p, const char *dir, uint64_t *now, struct err *err)
{
	int fd = openat(p->dir_fd, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	int rc = 0;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return err_sys(err, "list directory %s", dir);
	}
	while (rc == 0 && !worker_stopped(w, *now) && (e = readdir(d))) {
		uint64_t start = *now;

		if (e->d_name[0] == '.' || e->d_type == DT_DIR)
			continue;
		if (unlinkat(fd, e->d_name, 0) < 0) {
			rc = err_sys(err, "delete file %s", e->d_name);
			break;
		}
		*now = clock_ns();
		worker_count(w, DDIR_WRITE, 1, 0, start, start, start, *now);
		worker_publish_cpu(w, *now);
	}
	closedir(d);
	return rc;
}

static int delete_all_listed(struct worker *w, const struct step_params *p, struct err *err)
{
	uint64_t now = clock_ns();
	char name[16];

	for (uint64_t i = 0; i < p->dirs; i++) {
		snprintf(name, sizeof(name), "%05u", (unsigned)i);
		if (delete_listed(w, p, name, &now, err) < 0)
			return -1;
	}
	return p->dirs ? 0 : delete_listed(w, p, ".", &now, err);
}

static int make_dirs(const struct step_params *p, struct err *err)
{
	for (uint64_t i = 0; i < p->dirs; i++) {
		char name[8];
		snprintf(name, sizeof(name), "%05u", (unsigned)i);
		if (mkdirat(p->dir_fd, name, 0700) < 0 && errno != EEXIST)
			return err_sys(err, "make directory %s", name);
	}
	return 0;
}

static int file_body(struct worker *w, enum file_step what, bool random, struct err *err)
{
	const struct step_params *p = w->spec->body_arg;
	enum ddir d = what == FILE_STAT ? DDIR_READ : DDIR_WRITE;
	uint64_t now = clock_ns();
	char buf[BUFSIZ], name[64];

	fill_random(buf, sizeof(buf), 1);
	if (what == FILE_CREATE && make_dirs(p, err) < 0)
		return -1;
	bool listed = what == FILE_DELETE && !random;
	if (listed && delete_all_listed(w, p, err) < 0)
		return -1;
	for (uint64_t i = 0; !listed && i < p->files && !worker_stopped(w, now); i++) {
		uint64_t k = random && what != FILE_CREATE ? at_random(i, p->files) : i, start = now;

		if (one(p, what, random, k, buf, name, sizeof(name)) < 0)
			return err_sys(err, "%s file %s", what == FILE_CREATE ? "create" : what == FILE_STAT ? "stat" : "delete", name);
		now = clock_ns();
		worker_count(w, d, 1, what == FILE_DELETE ? 0 : bytes_of(p, k), start, start, start, now);
		worker_publish_cpu(w, now);
	}
	/* bonnie++ calls sync(2) here, inside the time; other filesystems are none of ours. */
	if (what != FILE_STAT && syncfs(p->dir_fd) < 0)
		return err_sys(err, "flush the filesystem");
	return 0;
}

#define BODY(name, what, random)                                     \
	static int name(struct worker *w, struct err *err)           \
	{                                                            \
		return file_body(w, what, random, err);              \
	}
BODY(create_seq, FILE_CREATE, false)
BODY(stat_seq, FILE_STAT, false)
BODY(delete_seq, FILE_DELETE, false)
BODY(create_rand, FILE_CREATE, true)
BODY(stat_rand, FILE_STAT, true)
BODY(delete_rand, FILE_DELETE, true)
#undef BODY

static const struct {
	const char *name;
	worker_body body;
	enum rw	    rw;
} rows[] = {
	{ "create-seq", create_seq, RW_WRITE },	  { "stat-seq", stat_seq, RW_READ },	   { "delete-seq", delete_seq, RW_WRITE },
	{ "create-rand", create_rand, RW_RANDWRITE }, { "stat-rand", stat_rand, RW_RANDREAD }, { "delete-rand", delete_rand, RW_RANDWRITE },
};

/* How many, how large, where: as bonnie++'s -n says it. */
static void describe(struct result *r, const struct step *s)
{
	json_t *o = json_object();

	json_object_set_new(o, "n", json_u64(s->params.files / FILES_UNIT));
	json_object_set_new(o, "max", json_u64(s->params.file_max));
	json_object_set_new(o, "min", json_u64(s->params.file_min));
	json_object_set_new(o, "dirs", json_u64(s->params.dirs));
	r->more = json_object();
	json_object_set_new(r->more, "files", o);
}

unsigned filetest_steps(const struct suite_opts *o, struct step *out, unsigned max)
{
	unsigned n = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && n < max; i++) {
		struct step *s = &out[n++];

		*s = (struct step){ .kind = TEST_FILE, .wl = o->base, .repeats = 1, .body = rows[i].body, .no_layout = true, .writes = true,
				    .null_short = true, .describe = describe };
		s->params = (struct step_params){ .files = o->files * FILES_UNIT, .file_max = o->file_max, .file_min = o->file_min,
						  .dirs = o->file_dirs, .dir_fd = -1 };
		s->work_ios = s->params.files;
		snprintf(s->name, sizeof(s->name), "%s", rows[i].name);
		snprintf(s->equivalent, sizeof(s->equivalent), "bonnie++ -s 0 -n %llu:%llu:%llu:%llu", (unsigned long long)o->files,
			 (unsigned long long)o->file_max, (unsigned long long)o->file_min, (unsigned long long)o->file_dirs);
		memcpy(s->wl.name, s->name, sizeof(s->wl.name));
		s->wl.rw = rows[i].rw;
		s->wl.bs = o->file_max > 512 ? o->file_max : 512;
		s->wl.size = 0;
		s->wl.direct = 0;
		s->wl.iodepth = s->wl.numjobs = 1;
		s->wl.ioengine = IOENGINE_SYNC;
		s->wl.runtime_ns = s->wl.ramp_ns = 0;
	}
	return n;
}

int filetest_parse(struct suite_opts *o, const char *text, struct err *err)
{
	uint64_t *const fields[] = { &o->files, &o->file_max, &o->file_min, &o->file_dirs };
	static const uint64_t most[] = { 1024, 16 * 1024 * 1024, 16 * 1024 * 1024, 1024 };
	static const char *const names[] = { "N of N[:MAX[:MIN[:DIRS]]]", "MAX", "MIN", "DIRS" };
	char part[32];

	o->files = o->file_max = o->file_min = o->file_dirs = 0;
	for (size_t i = 0; i < 4; i++) {
		size_t n = strcspn(text, ":");
		if (n >= sizeof(part))
			return err_set(err, ERR_USAGE, "'%.40s' is not N[:MAX[:MIN[:DIRS]]]", text);
		memcpy(part, text, n);
		part[n] = 0;
		if ((i == 1 || i == 2 ? parse_size(part, fields[i], err) : parse_count(part, fields[i], err)) < 0)
			return err_wrap(err, "%s", names[i]);
		if (*fields[i] > most[i])
			return err_set(err, ERR_USAGE, "'%s' is over %llu", part, (unsigned long long)most[i]);
		text += n;
		if (!*text)
			break;
		text++;
		if (i == 3)
			return err_set(err, ERR_USAGE, "N[:MAX[:MIN[:DIRS]]]: there is more behind DIRS");
	}
	if (o->file_min > o->file_max)
		return err_set(err, ERR_USAGE, "files: MIN is over MAX");
	return 0;
}
