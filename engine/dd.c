/* SPDX-License-Identifier: MIT */
#include "engine/dd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/target.h"
#include "engine/units.h"
#include "engine/worker.h"

/* hdparm -T: how much is reread, and for how long (hdparm 9.65: 2 MiB, 2 s). */
#define T7_BYTES (2 * MIB)
#define T7_NS	 (2 * NS_PER_SEC)
/* Incompressible data that blocks are read from in the place of /dev/zero. */
#define RANDOM_BYTES (16 * MIB)

const struct dd_row dd_rows[] = {
	{ "T1", GIB, 1, true, false, "one large synchronous write: the volume's throughput" },
	{ "T2", 64 * MIB, 1, true, false, "one write of 64 MiB: too small to outlast a cache or a burst" },
	{ "T3", MIB, 256, false, true, "256 MiB through the page cache and one flush: the volume's throughput" },
	{ "T4", 8 * KIB, 10240, false, false, "80 MiB into the page cache: memory, not the volume" },
	{ "T5", 512, 1000, true, false, "small synchronous writes one at a time: latency" },
	{ "T6", GIB, 1, false, true, "1 GiB through the page cache and one flush: the volume's throughput" },
	{ "T7", T7_BYTES, 0, false, false, "the same 2 MiB read again and again: memory, not the volume" },
	{ 0 },
};

/* A descriptor with flags and an offset of its own for what the target has open. */
static int reopen(const struct target *t, int flags, struct err *err)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", t->fd);
	int fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? err_sys(err, "reopen %.300s", t->path) : fd;
}

/* The source of dd's if=: /dev/zero, or random data that is made before the clock runs. */
static int open_source(bool random, struct err *err)
{
	if (!random) {
		int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
		return fd < 0 ? err_sys(err, "open /dev/zero") : fd;
	}
	int fd = memfd_create("ebscope", MFD_CLOEXEC);
	void *data = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, RANDOM_BYTES) == 0)
		data = mmap(NULL, RANDOM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED) {
		err_sys(err, "random data");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	fill_random(data, RANDOM_BYTES, 1);
	munmap(data, RANDOM_BYTES);
	return fd;
}

/* One block from the source, whole; random data starts again at its end. */
static int read_block(int fd, char *buf, uint64_t len, struct err *err)
{
	for (uint64_t at = 0; at < len;) {
		ssize_t n = read(fd, buf + at, len - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || (n == 0 && lseek(fd, 0, SEEK_SET) < 0))
			return err_sys(err, "read the source");
		at += (uint64_t)n;
	}
	return 0;
}

static int write_block(struct worker *w, int fd, const char *buf, uint64_t offset, uint64_t len, struct err *err)
{
	for (uint64_t at = 0; at < len;) {
		ssize_t n = write(fd, buf + at, len - at); /* the kernel takes 2 GiB less a page at most */
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return worker_io_error(w, w->targets[0], DDIR_WRITE, offset + at, len - at, -errno, err);
		at += (uint64_t)n;
	}
	return 0;
}

static int copy_blocks(struct worker *w, const struct step_params *p, int in, int out, char *buf, struct err *err)
{
	uint64_t now = worker_begin(w);

	ctr_set(&w->counters->inflight, 1);
	for (uint64_t i = 0; i < p->count && !worker_stopped(w, now); i++) {
		uint64_t start = clock_ns();

		if (read_block(in, buf, p->bs, err) < 0 || write_block(w, out, buf, i * p->bs, p->bs, err) < 0)
			return -1;
		now = clock_ns();
		worker_count(w, DDIR_WRITE, 1, p->bs, start, start, start, now);
		worker_publish_cpu(w, now);
	}
	int flushed = p->fdatasync ? worker_flush(w, out, p->bs * p->count, true) : 0;
	if (flushed < 0)
		return worker_io_error(w, w->targets[0], DDIR_WRITE, 0, p->bs * p->count, -errno, err);
	ctr_set(&w->counters->accepted_ns, clock_ns());
	if (flushed == 0 && (p->fdatasync || p->dsync))
		ctr_set(&w->counters->durable_ns, clock_ns());
	return 0;
}

/*
 * dd's file is new and grows with each block: with O_DSYNC that is what takes the time. The descriptor that empties it is
 * closed before the test: ext4, XFS and btrfs flush a file that was emptied at its next close, a new one they do not.
 */
static int make_new(const struct target *t, struct err *err)
{
	int fd = reopen(t, O_WRONLY, err);

	if (fd < 0)
		return -1;
	int rc = ftruncate(fd, 0) < 0 ? err_sys(err, "empty %.300s", t->path) : 0;
	close(fd);
	return rc;
}

static int dd_body(struct worker *w, struct err *err)
{
	const struct step_params *p = w->spec->body_arg;
	int flags = O_WRONLY | (p->dsync ? O_DSYNC : 0) | (p->direct ? O_DIRECT : 0);
	worker_own_files();
	if (w->targets[0]->scratch && make_new(w->targets[0], err) < 0)
		return -1;
	int in = open_source(p->random, err), out = in < 0 ? -1 : reopen(w->targets[0], flags, err);
	void *buf = MAP_FAILED;
	int rc = -1;

	if (in >= 0 && out >= 0) {
		buf = mmap(NULL, p->bs, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		rc = buf == MAP_FAILED ? err_sys(err, "a buffer of %llu bytes", (unsigned long long)p->bs) :
					 copy_blocks(w, p, in, out, buf, err);
	}
	if (buf != MAP_FAILED)
		munmap(buf, p->bs);
	if (out >= 0)
		close(out);
	if (in >= 0)
		close(in);
	return rc;
}

/* A scratch file is empty: what is reread has to be there first. */
static int t7_fill(const struct target *t, char *buf, uint64_t len, struct err *err)
{
	if (!t->scratch)
		return 0;
	fill_random(buf, len, 1);
	int fd = reopen(t, O_WRONLY, err);
	if (fd < 0)
		return -1;
	ssize_t n = pwrite(fd, buf, len, 0);
	bool synced = fdatasync(fd) == 0;
	close(fd);
	return n == (ssize_t)len && synced ? 0 : err_sys(err, "write what is to be reread on %.300s", t->path);
}

/* hdparm writes to each sector of what it has read: a seventh of its time, so a part of what its figure means. */
static void touch(volatile char *buf, uint64_t len)
{
	for (uint64_t at = 0; at < len; at += 512)
		buf[at]++;
}

static int t7_body(struct worker *w, struct err *err)
{
	const struct step_params *p = w->spec->body_arg;
	const struct target *t = w->targets[0];
	void *buf = mmap(NULL, p->bs, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = -1, rc = -1;

	worker_own_files();
	if (buf == MAP_FAILED)
		return err_sys(err, "a buffer");
	if (t7_fill(t, buf, p->bs, err) == 0)
		fd = reopen(t, O_RDONLY | (p->direct ? O_DIRECT : 0), err);
	if (fd >= 0) {
		uint64_t now = worker_begin(w), end = now + T7_NS;

		rc = 0;
		while (rc == 0 && now < end && !worker_stopped(w, now)) {
			uint64_t start = now;
			ssize_t n = lseek(fd, 0, SEEK_SET) < 0 ? -1 : read(fd, buf, p->bs);

			touch(buf, p->bs);
			now = clock_ns();
			if (n != (ssize_t)p->bs)
				rc = worker_io_error(w, t, DDIR_READ, 0, p->bs, n < 0 ? -errno : n, err);
			else
				worker_count(w, DDIR_READ, 1, p->bs, start, start, start, now);
		}
		close(fd);
	}
	munmap(buf, p->bs);
	return rc;
}

static void equivalent(const struct dd_row *row, bool direct, bool random, char *out, size_t size)
{
	static const char *const suffix[] = { "G", "M", "k", "" };
	static const uint64_t unit[] = { GIB, MIB, KIB, 1 };
	char flags[64];
	size_t u = 0;

	if (!row->count) {
		snprintf(out, size, "hdparm -T%s", direct ? " --direct" : "");
		return;
	}
	while (row->bs % unit[u])
		u++;
	snprintf(flags, sizeof(flags), "%s%s%s%s%s", row->dsync || direct ? " oflag=" : "", direct ? "direct" : "",
		 row->dsync && direct ? "," : "", row->dsync ? "dsync" : "", row->fdatasync ? " conv=fdatasync" : "");
	snprintf(out, size, "dd if=%s bs=%llu%s count=%llu%s%s", random ? "RANDOM" : "/dev/zero",
		 (unsigned long long)(row->bs / unit[u]), suffix[u],
		 (unsigned long long)(row->count % 1024 ? row->count : row->count / 1024), row->count % 1024 ? "" : "k", flags);
}

static void fit(struct step_params *p, uint64_t memory, struct step *o)
{
	uint64_t whole = p->bs;
	char a[FMT_LEN], b[FMT_LEN];

	while (memory && p->bs > memory / 4 && p->bs > MIB) {
		p->bs /= 2;
		p->count *= 2;
	}
	if (p->bs != whole)
		snprintf(o->warning, sizeof(o->warning), "in pieces of %s: a buffer of %s does not fit into the memory there is",
			 fmt_size(a, (double)p->bs), fmt_size(b, (double)whole));
}

unsigned dd_steps(const struct workload *base, bool direct, bool random, uint64_t memory, struct step *out, unsigned max)
{
	unsigned n = 0;

	for (const struct dd_row *row = dd_rows; row->name && n < max; row++) {
		struct step *o = &out[n++];
		bool reads = row->count == 0;

		*o = (struct step){ .kind = TEST_DD, .wl = *base, .repeats = 1, .fresh_target = true, .no_layout = true,
				    .writes = true, .settle = !reads, .body = reads ? t7_body : dd_body };
		o->params = (struct step_params){ .bs = row->bs, .count = row->count, .dsync = row->dsync,
						  .fdatasync = row->fdatasync, .random = random, .direct = direct };
		snprintf(o->name, sizeof(o->name), "%s", row->name);
		snprintf(o->measures, sizeof(o->measures), "%s",
			 direct ? "the same size with O_DIRECT: the volume, not the page cache" : row->measures);
		equivalent(row, direct, random, o->equivalent, sizeof(o->equivalent));
		fit(&o->params, memory, o);
		o->work_ios = o->params.count;
		memcpy(o->wl.name, o->name, sizeof(o->wl.name));
		o->wl.rw = reads ? RW_READ : RW_WRITE;
		o->wl.bs = o->params.bs;
		o->wl.size = reads ? row->bs : row->bs * row->count;
		o->wl.sync = row->dsync ? WSYNC_DSYNC : WSYNC_NONE;
		o->wl.direct = direct;
		o->wl.iodepth = o->wl.numjobs = 1;
		o->wl.ioengine = IOENGINE_SYNC;
		o->wl.runtime_ns = o->wl.ramp_ns = 0;
	}
	return n;
}
