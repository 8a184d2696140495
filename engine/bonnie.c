/* SPDX-License-Identifier: MIT */
#include "engine/bonnie.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/filetest.h"
#include "engine/target.h"
#include "engine/units.h"
#include "engine/worker.h"

/* What a body works with: a descriptor with an offset of its own, and an aligned chunk. */
struct chunks {
	struct worker		 *w;
	const struct step_params *p;
	const struct target	 *t;
	int			  fd;
	char			 *buf;
	uint64_t		  now;
};

static int begin(struct chunks *c, struct worker *w, int flags, struct err *err)
{
	char path[40];

	*c = (struct chunks){ .w = w, .p = w->spec->body_arg, .t = w->targets[0], .fd = -1 };
	c->buf = mmap(NULL, BONNIE_CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->buf == MAP_FAILED)
		return err_sys(err, "a buffer");
	fill_random(c->buf, BONNIE_CHUNK, w->index + 1);
	worker_own_files();
	snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", c->t->fd);
	c->fd = open(path, flags | (c->p->direct ? O_DIRECT : 0) | O_CLOEXEC);
	if (c->fd < 0) {
		munmap(c->buf, BONNIE_CHUNK);
		return err_sys(err, "reopen %.300s", c->t->path);
	}
	ctr_set(&w->counters->inflight, 1);
	c->now = worker_begin(w);
	return 0;
}

static int end(struct chunks *c, bool flush, int rc, struct err *err)
{
	int flushed = flush && rc == 0 ? worker_flush(c->w, c->fd, c->p->count * c->p->bs, false) : 1;

	if (flushed < 0)
		rc = err_sys(err, "flush %.300s", c->t->path);
	uint64_t now = clock_ns(); /* its time ends here, as bonnie++'s: whoever waits for the thread sees it later */
	ctr_set(&c->w->counters->accepted_ns, now);
	if (flushed == 0)
		ctr_set(&c->w->counters->durable_ns, now);
	close(c->fd);
	munmap(c->buf, BONNIE_CHUNK);
	return rc;
}

/* One chunk at the descriptor's own offset. */
static int chunk(struct chunks *c, enum ddir d, uint64_t offset, struct err *err)
{
	uint64_t start = clock_ns();
	ssize_t n;

	do {
		n = d == DDIR_WRITE ? write(c->fd, c->buf, BONNIE_CHUNK) : read(c->fd, c->buf, BONNIE_CHUNK);
	} while (n < 0 && errno == EINTR);
	c->now = clock_ns();
	if (n != (ssize_t)BONNIE_CHUNK)
		return worker_io_error(c->w, c->t, d, offset, BONNIE_CHUNK, n < 0 ? -errno : n, err);
	worker_count(c->w, d, 1, BONNIE_CHUNK, start, start, start, c->now);
	worker_publish_cpu(c->w, c->now);
	return 0;
}

static void dirty(struct chunks *c, uint64_t i)
{
	c->buf[i % BONNIE_CHUNK]++;
}

static int write_block_body(struct worker *w, struct err *err)
{
	struct chunks c;
	int rc = begin(&c, w, O_RDWR, err);

	if (rc < 0)
		return -1;
	for (uint64_t i = 0; rc == 0 && i < c.p->count && !worker_stopped(w, c.now); i++) {
		dirty(&c, i);
		rc = chunk(&c, DDIR_WRITE, i * BONNIE_CHUNK, err);
	}
	return end(&c, true, rc, err);
}

static int read_block_body(struct worker *w, struct err *err)
{
	struct chunks c;
	int rc = begin(&c, w, O_RDWR, err);

	if (rc < 0)
		return -1;
	for (uint64_t i = 0; rc == 0 && i < c.p->count && !worker_stopped(w, c.now); i++)
		rc = chunk(&c, DDIR_READ, i * BONNIE_CHUNK, err);
	return end(&c, false, rc, err);
}

/* Read, dirty, go back, write in place. */
static int rewrite_body(struct worker *w, struct err *err)
{
	struct chunks c;
	int rc = begin(&c, w, O_RDWR, err);

	if (rc < 0)
		return -1;
	for (uint64_t i = 0; rc == 0 && i < c.p->count && !worker_stopped(w, c.now); i++) {
		rc = chunk(&c, DDIR_READ, i * BONNIE_CHUNK, err);
		dirty(&c, i);
		if (rc == 0 && lseek(c.fd, -(off_t)BONNIE_CHUNK, SEEK_CUR) < 0)
			rc = err_sys(err, "seek in %.300s", c.t->path);
		if (rc == 0)
			rc = chunk(&c, DDIR_WRITE, i * BONNIE_CHUNK, err);
	}
	return end(&c, true, rc, err);
}

/* Its share of the seeks: somewhere, read; one in ten is dirtied and written back. Each seeker ends with an fsync. */
static int seeks_body(struct worker *w, struct err *err)
{
	unsigned share = BONNIE_SEEKS / BONNIE_SEEKERS + (w->index < BONNIE_SEEKS % BONNIE_SEEKERS);
	struct chunks c;
	int rc = begin(&c, w, O_RDWR, err);
	uint64_t state = 0x9e3779b97f4a7c15ULL * (w->index + 1);

	if (rc < 0)
		return -1;
	for (unsigned i = 0; rc == 0 && i < share && !worker_stopped(w, c.now); i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		uint64_t at = state % c.p->count * BONNIE_CHUNK;

		if (lseek(c.fd, (off_t)at, SEEK_SET) < 0)
			rc = err_sys(err, "seek in %.300s", c.t->path);
		if (rc == 0)
			rc = chunk(&c, DDIR_READ, at, err);
		if (rc < 0 || i % BONNIE_REWRITES)
			continue;
		dirty(&c, i);
		if (lseek(c.fd, (off_t)at, SEEK_SET) < 0)
			rc = err_sys(err, "seek in %.300s", c.t->path);
		if (rc == 0)
			rc = chunk(&c, DDIR_WRITE, at, err);
	}
	if (rc == 0 && worker_flush(w, c.fd, 0, false) < 0) /* of little: in one piece */
		rc = err_sys(err, "flush %.300s", c.t->path);
	return end(&c, false, rc, err);
}

/*
 * One system call a byte, and nothing beside it that the real one has not: the clock is read once a chunk, and syscall()
 * is no cancellation point, which costs each write() and read() of a process with threads a fifth of such a call.
 */
static int char_syscalls(struct chunks *c, enum ddir d, struct err *err)
{
	const long call = d == DDIR_WRITE ? SYS_write : SYS_read;

	for (uint64_t i = 0; i < c->p->count && !worker_stopped(c->w, c->now);) {
		uint64_t n = c->p->count - i < BONNIE_CHUNK ? c->p->count - i : BONNIE_CHUNK, done = 0, start = c->now;
		long got = 1;

		while (done < n && !worker_stopped(c->w, 0) && (got = syscall(call, c->fd, &c->buf[done], 1UL)) == 1)
			done++;
		c->now = clock_ns();
		worker_count_lat(c->w, d, done, 1, c->now - start);
		if (got != 1)
			return worker_io_error(c->w, c->t, d, i + done, 1, got < 0 ? -errno : got, err);
		worker_publish_cpu(c->w, c->now);
		i += n;
	}
	return 0;
}

/* putc and getc: stdio does one system call a buffer, the CPU does the rest. Counted by the buffer. */
static int char_stdio(struct chunks *c, enum ddir d, struct err *err)
{
	int fd = dup(c->fd), rc = 0;
	FILE *f = fd < 0 ? NULL : fdopen(fd, d == DDIR_WRITE ? "w" : "r");

	if (!f) {
		rc = err_sys(err, "stdio on %.300s", c->t->path);
		if (fd >= 0)
			close(fd);
		return rc;
	}
	__fsetlocking(f, FSETLOCKING_BYCALLER); /* no lock a byte, as in a process without threads */
	for (uint64_t i = 0; rc == 0 && i < c->p->count && !worker_stopped(c->w, c->now);) {
		uint64_t start = c->now, n = c->p->count - i < BUFSIZ ? c->p->count - i : BUFSIZ, done = 0;

		for (; done < n; done++) {
			if ((d == DDIR_WRITE ? putc(c->buf[done % BONNIE_CHUNK], f) : getc(f)) == EOF)
				break;
		}
		c->now = clock_ns();
		if (done < n)
			rc = worker_io_error(c->w, c->t, d, i + done, n, ferror(f) ? -errno : (int64_t)done, err);
		else
			worker_count(c->w, d, 1, n, start, start, start, c->now);
		i += n;
		worker_publish_cpu(c->w, c->now);
	}
	if (fclose(f) == EOF && rc == 0)
		rc = err_sys(err, "write %.300s", c->t->path);
	return rc;
}

static int char_body(struct worker *w, enum ddir d, struct err *err)
{
	struct chunks c;

	if (begin(&c, w, O_RDWR, err) < 0)
		return -1;
	int rc = c.p->stdio ? char_stdio(&c, d, err) : char_syscalls(&c, d, err);
	return end(&c, d == DDIR_WRITE, rc, err);
}

static int write_char_body(struct worker *w, struct err *err)
{
	return char_body(w, DDIR_WRITE, err);
}

static int read_char_body(struct worker *w, struct err *err)
{
	return char_body(w, DDIR_READ, err);
}

static const struct bonnie_row {
	const char    *name;
	enum test_kind kind;
	enum rw	       rw;
	worker_body    body;
	bool	       chars;
} rows[] = {
	{ "write-char", TEST_CHAR, RW_WRITE, write_char_body, true },
	{ "write-block", TEST_BLOCK, RW_WRITE, write_block_body, false },
	{ "rewrite", TEST_BLOCK, RW_RW, rewrite_body, false },
	{ "read-char", TEST_CHAR, RW_READ, read_char_body, true },
	{ "read-block", TEST_BLOCK, RW_READ, read_block_body, false },
	{ "seeks", TEST_BLOCK, RW_RANDRW, seeks_body, false },
};

static uint64_t file_bytes(const struct suite_opts *o)
{
	uint64_t bytes = o->bytes ? o->bytes : o->memory ? 2 * o->memory : 2 * GIB;

	bytes = bytes / MIB * MIB;
	return bytes > BONNIE_CHAR_BYTES ? bytes : 4 * MIB;
}

unsigned bonnie_steps(const struct suite_opts *o, struct step *out, unsigned max)
{
	uint64_t bytes = file_bytes(o), chars = o->char_bytes ? o->char_bytes : o->stdio ? bytes : BONNIE_CHAR_BYTES;
	unsigned n = 0;

	if (chars > bytes)
		chars = bytes;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && n < max; i++) {
		const struct bonnie_row *r = &rows[i];
		struct step *s = &out[n++];

		*s = (struct step){ .kind = r->kind, .wl = o->base, .repeats = 1, .body = r->body, .no_layout = true,
				    .writes = true, .null_short = true };
		s->params = (struct step_params){ .bs = r->chars ? 1 : BONNIE_CHUNK, .count = r->chars ? chars : bytes / BONNIE_CHUNK,
						  .stdio = o->stdio, .direct = o->base.direct && !r->chars };
		s->work_ios = r->body == seeks_body ? BONNIE_SEEKS + BONNIE_SEEKS / BONNIE_REWRITES :
			      !r->chars ? s->params.count * (r->body == rewrite_body ? 2 : 1) :
			      o->stdio ? chars / BUFSIZ : chars;
		snprintf(s->name, sizeof(s->name), "%s", r->name);
		if (r->chars)
			snprintf(s->measures, sizeof(s->measures), "%s", o->stdio ? "putc and getc of stdio (as bonnie++ 1.03), latency: of 8,192" :
										       "one system call a byte (as bonnie++ 1.9x and later), latency: of 8,192");
		snprintf(s->equivalent, sizeof(s->equivalent), "bonnie++ -s %llum -n 0", (unsigned long long)(bytes / MIB));
		memcpy(s->wl.name, s->name, sizeof(s->wl.name));
		s->wl.rw = r->rw;
		s->wl.bs = s->params.bs;
		s->wl.size = bytes;
		s->wl.direct = s->params.direct;
		s->wl.iodepth = 1;
		s->wl.numjobs = r->body == seeks_body ? BONNIE_SEEKERS : 1;
		s->wl.ioengine = IOENGINE_SYNC;
		s->wl.runtime_ns = s->wl.ramp_ns = 0;
	}
	return o->directory && o->files ? n + filetest_steps(o, out + n, max - n) : n;
}
