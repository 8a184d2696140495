/* SPDX-License-Identifier: MIT */
#include "engine/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/pattern.h"
#include "engine/units.h"

/* A flush waits for so much at a time, while the disk already has what it takes in so much time, to a limit. */
#define FLUSH_SLICE    (8 * MIB)
#define FLUSH_AHEAD_NS (NS_PER_SEC / 5)
#define FLUSH_AHEAD    (64 * MIB)

void worker_count(struct worker *w, enum ddir ddir, uint64_t n, uint64_t bytes, uint64_t intended_ns,
		  uint64_t start_ns, uint64_t issue_ns, uint64_t done_ns)
{
	struct counters *c = w->counters;

	counters_ios(c, ddir, n, bytes);
	hist_add_n(&c->dir[ddir].slat, issue_ns - start_ns, n);
	hist_add_n(&c->dir[ddir].clat, done_ns - issue_ns, n);
	hist_add_n(&c->dir[ddir].lat, done_ns - intended_ns, n);
}

void worker_count_lat(struct worker *w, enum ddir ddir, uint64_t n, uint64_t bytes, uint64_t lat_ns)
{
	struct counters *c = w->counters;

	if (!n)
		return;
	counters_ios(c, ddir, n, bytes);
	hist_add_n(&c->dir[ddir].lat, lat_ns, n);
}

uint64_t worker_begin(struct worker *w)
{
	uint64_t now = clock_ns();

	ctr_set(&w->counters->began_ns, now);
	return now;
}

static uint64_t timeval_ns(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * NS_PER_SEC + (uint64_t)tv.tv_usec * 1000;
}

void worker_publish_cpu(struct worker *w, uint64_t now_ns)
{
	struct rusage ru;

	if (now_ns < w->cpu_due_ns)
		return;
	w->cpu_due_ns = now_ns == UINT64_MAX ? now_ns : now_ns + NS_PER_SEC;
	getrusage(RUSAGE_THREAD, &ru);
	ctr_set(&w->counters->cpu_usr_ns, timeval_ns(ru.ru_utime));
	ctr_set(&w->counters->cpu_sys_ns, timeval_ns(ru.ru_stime));
}

int worker_io_error(struct worker *w, const struct target *t, enum ddir ddir, uint64_t offset, uint64_t len,
		    int64_t res, struct err *err)
{
	const char *what = ddir == DDIR_WRITE ? "write" : "read";
	char size[FMT_LEN];

	ctr_add(&w->counters->errors, 1);
	fmt_size(size, (double)len);
	const char *gone = target_gone(t);
	if (gone)
		return err_set(err, ENODEV, "%s of %s at offset %" PRIu64 " on %.300s: %s is gone: detached or removed while the test ran",
			       what, size, offset, t->path, gone);
	if (res < 0)
		return err_set(err, (int)-res, "%s of %s at offset %" PRIu64 " on %.300s: %s", what, size,
			       offset, t->path, strerror((int)-res));
	return err_set(err, EIO, "%s of %s at offset %" PRIu64 " on %.300s: only %" PRId64 " bytes were %s",
		       what, size, offset, t->path, res, ddir == DDIR_WRITE ? "written" : "read");
}

int worker_flush(const struct worker *w, int fd, uint64_t bytes, bool data_only)
{
	const unsigned whole = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	uint64_t sent = 0, ahead = FLUSH_SLICE;

	for (uint64_t at = 0; at < bytes; at += FLUSH_SLICE) {
		uint64_t start = clock_ns();
		int rc = 0;

		if (worker_stopped(w, 0))
			return 1;
		for (; rc == 0 && sent < bytes && sent <= at + ahead; sent += FLUSH_SLICE)
			rc = sync_file_range(fd, (off_t)sent, FLUSH_SLICE, SYNC_FILE_RANGE_WRITE);
		if (rc == 0)
			rc = sync_file_range(fd, (off_t)at, FLUSH_SLICE, whole);
		if (rc < 0 && (errno == ENOSYS || errno == EINVAL || errno == ESPIPE))
			break; /* not to be had here: all at once then */
		if (rc < 0)
			return -1;
		ahead = FLUSH_SLICE * FLUSH_AHEAD_NS / (clock_ns() - start + 1);
		ahead = ahead < FLUSH_SLICE ? FLUSH_SLICE : ahead > FLUSH_AHEAD ? FLUSH_AHEAD : ahead;
	}
	return worker_stopped(w, 0) ? 1 : data_only ? fdatasync(fd) : fsync(fd);
}

void worker_own_files(void)
{
#ifndef __SANITIZE_THREAD__ /* which takes equal numbers in two tables for one descriptor, and calls that a race */
	if (unshare(CLONE_FILES) < 0)
		return; /* some containers forbid it: a little slower, nothing else */
#endif
}

void fill_random(void *buf, uint64_t len, uint64_t seed)
{
	uint64_t state = seed, word;
	char *at = buf;

	for (; len >= sizeof(word); at += sizeof(word), len -= sizeof(word)) {
		word = pattern_random(&state);
		memcpy(at, &word, sizeof(word));
	}
	word = pattern_random(&state);
	memcpy(at, &word, len);
}
