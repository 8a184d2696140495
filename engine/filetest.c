/* SPDX-License-Identifier: MIT */
#include "engine/filetest.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/bonnie.h"
#include "engine/clock.h"
#include "engine/pattern.h"
#include "engine/units.h"
#include "engine/worker.h"

#define FILES_UNIT 1024

enum file_step { FILE_CREATE, FILE_STAT, FILE_DELETE };
static const char *const step_verb[] = { "create", "stat", "delete" };

/* What a body works with. */
struct files {
	struct worker		 *w;
	const struct step_params *p;
	enum file_step		  what;
	bool			  random;
	uint64_t		  now;
	char			  buf[BONNIE_CHUNK];
};

static uint64_t mix(uint64_t x)
{
	return pattern_random(&x);
}

/*
 * As bonnie++ names them: a number of 10 hexadecimal digits and up to 12 letters, in that order or (random) the other way
 * round. It makes its names before its time begins; we make each when it is needed, so it has to be quick.
 */
static void name_of(const struct step_params *p, bool random, uint64_t i, char *out, size_t size)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEF";
	uint64_t r = mix(i);
	unsigned n = (unsigned)(r % 13);
	int at = p->dirs ? snprintf(out, size, "%05u/", (unsigned)(i % p->dirs)) : 0;
	char *tail = out + at + (random ? 0 : 10), *number = out + at + (random ? n : 0);

	assert((size_t)at + n + 10 < size);
	for (unsigned k = 0; k < n; k++)
		tail[k] = letters[r >> (4 + 5 * k) & 31];
	for (unsigned k = 0; k < 10; k++)
		number[k] = "0123456789abcdef"[i >> 4 * (9 - k) & 15];
	out[(size_t)at + n + 10] = 0;
}

static uint64_t bytes_of(const struct step_params *p, uint64_t i)
{
	return p->file_max > p->file_min ? p->file_min + mix(~i) % (p->file_max - p->file_min + 1) : p->file_min;
}

static int create_one(int dir, const char *name, uint64_t bytes, const char *buf)
{
	int fd = openat(dir, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0)
		return -1;
	for (uint64_t at = 0; at < bytes;) {
		ssize_t n = write(fd, buf, bytes - at < BONNIE_CHUNK ? bytes - at : BONNIE_CHUNK);
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

/* What is in it is read, too. */
static int stat_one(int dir, const char *name, uint64_t *bytes, char *buf)
{
	struct stat st;
	ssize_t n = 1;

	if (fstatat(dir, name, &st, 0) < 0)
		return -1;
	*bytes = (uint64_t)st.st_size;
	if (!*bytes)
		return 0;
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	for (uint64_t at = 0; at < *bytes && n > 0; at += (uint64_t)n)
		n = read(fd, buf, BONNIE_CHUNK);
	close(fd);
	return n > 0 ? 0 : -1;
}

/* The step for one file of @p bytes, timed and counted. */
static int visit(struct files *f, int dir, const char *name, uint64_t bytes, struct err *err)
{
	uint64_t start = f->now;
	int rc;

	if (f->what == FILE_CREATE)
		rc = create_one(dir, name, bytes, f->buf);
	else if (f->what == FILE_STAT)
		rc = stat_one(dir, name, &bytes, f->buf);
	else
		rc = unlinkat(dir, name, 0);
	if (rc < 0 && errno == ENOENT && f->what != FILE_CREATE)
		return 0; /* never made, as its own step was ended half-way: no I/O, and no reason to end the others */
	if (rc < 0)
		return err_sys(err, "%s file %s", step_verb[f->what], name);
	f->now = clock_ns();
	worker_count(f->w, f->what == FILE_STAT ? DDIR_READ : DDIR_WRITE, 1, bytes, start, start, start, f->now);
	worker_publish_cpu(f->w, f->now);
	return 0;
}

/* What one directory holds, in the order that it lists it: bonnie++'s sequential stat and delete. */
static int visit_listed(struct files *f, const char *name, struct err *err)
{
	int fd = openat(f->p->dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return err_sys(err, "list directory %s", name);
	}
	while (rc == 0 && !worker_stopped(f->w, f->now) && (e = readdir(d))) {
		if (e->d_name[0] != '.' && e->d_type != DT_DIR)
			rc = visit(f, fd, e->d_name, 0, err);
	}
	closedir(d);
	return rc;
}

static int visit_all_listed(struct files *f, struct err *err)
{
	char name[16];

	for (uint64_t i = 0; i < f->p->dirs; i++) {
		snprintf(name, sizeof(name), "%05u", (unsigned)i);
		if (visit_listed(f, name, err) < 0)
			return -1;
	}
	return f->p->dirs ? 0 : visit_listed(f, ".", err);
}

/* All of them by their names: as they are made, or each once at random. */
static int visit_named(struct files *f, struct err *err)
{
	struct workload wl;
	struct pattern order;
	char name[64];

	workload_init(&wl);
	wl.rw = f->random && f->what != FILE_CREATE ? RW_RANDREAD : RW_READ;
	wl.bs = 1;
	pattern_init(&order, &wl, 0, f->p->files, f->what + 1);
	for (uint64_t i = 0; i < f->p->files && !worker_stopped(f->w, f->now); i++) {
		uint64_t k = pattern_offset(&order, DDIR_READ);

		name_of(f->p, f->random, k, name, sizeof(name));
		if (visit(f, f->p->dir_fd, name, f->what == FILE_CREATE ? bytes_of(f->p, k) : 0, err) < 0)
			return -1;
	}
	return 0;
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
	struct files f = { .w = w, .p = w->spec->body_arg, .what = what, .random = random };

	fill_random(f.buf, sizeof(f.buf), 1);
	if (what == FILE_CREATE && make_dirs(f.p, err) < 0)
		return -1;
	f.now = worker_begin(w);
	if ((what == FILE_CREATE || random ? visit_named(&f, err) : visit_all_listed(&f, err)) < 0)
		return -1;
	/* bonnie++ calls sync(2) here, inside the time; other filesystems are none of ours. */
	if (what != FILE_STAT && syncfs(f.p->dir_fd) < 0)
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
