/* SPDX-License-Identifier: MIT */
#include "engine/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/blockio.h"
#include "engine/clock.h"
#include "engine/units.h"

#define LAYOUT_BS         MIB
#define LAYOUT_DEPTH      8
#define LAYOUT_SYNC_BYTES (8 * MIB)

bool layout_needed(const struct target *targets, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		if (targets[i].needs_layout)
			return true;
	}
	return false;
}

static int sync_target(const struct target *t, struct err *err)
{
	if (fdatasync(t->fd) < 0)
		return err_sys(err, "flush %.300s", t->path);
	return 0;
}

/* Through the page cache. What is dirty stays little, so that the last flush is short. */
static int write_buffered(struct worker *w, const struct target *t, uint64_t span, struct err *err)
{
	char *buf = malloc(LAYOUT_BS);
	uint64_t unsynced = 0, now = clock_ns();
	int rc = 0;

	if (!buf)
		return err_set(err, ENOMEM, "no memory to lay out %.300s", t->path);
	assert(t->writable);
	for (uint64_t at = 0; at < span && rc == 0 && !worker_stopped(w, now);) {
		uint64_t len = span - at < LAYOUT_BS ? span - at : LAYOUT_BS, start = clock_ns();

		fill_random(buf, len, at + 1);
		ssize_t res = pwrite(t->fd, buf, len, (off_t)at);
		now = clock_ns();
		if (res != (ssize_t)len) {
			rc = worker_io_error(w, t, DDIR_WRITE, at, len, res < 0 ? -errno : res, err);
			break;
		}
		worker_count(w, DDIR_WRITE, 1, len, start, start, start, now);
		at += len;
		unsynced += len;
		if (unsynced >= LAYOUT_SYNC_BYTES) {
			rc = sync_target(t, err);
			unsynced = 0;
		}
		worker_publish_cpu(w, now);
	}
	free(buf);
	return rc;
}

static int write_direct(struct worker *w, struct err *err)
{
	struct blockio_config cfg = {
		.engine = IOENGINE_LIBAIO, .depth_max = LAYOUT_DEPTH, .bs_max = w->wl->bs, .one_pass = true
	};
	int rc = blockio_open(w, &cfg, err);

	if (rc < 0 && err->code == EAGAIN) { /* others have taken what AIO allows: one at a time will do */
		blockio_close(w);
		cfg.engine = IOENGINE_SYNC;
		cfg.depth_max = 1;
		rc = blockio_open(w, &cfg, err);
	}
	if (rc == 0)
		rc = blockio_run(w, err);
	blockio_close(w);
	return rc;
}

static int layout_body(struct worker *w, struct err *err)
{
	struct target *t = w->targets[0];
	uint64_t span = blockio_span(w->wl, t);
	struct counted written;
	int rc;

	if (!t->needs_layout)
		return 0;
	rc = t->direct && !t->tmpfs ? write_direct(w, err) : write_buffered(w, t, span, err);
	ctr_set(&w->counters->accepted_ns, clock_ns());
	if (rc < 0 || sync_target(t, err) < 0)
		return -1;
	ctr_set(&w->counters->durable_ns, clock_ns());
	counters_read(w->counters, DDIR_WRITE, &written);
	if (written.bytes == span)
		t->needs_layout = false;
	return 0;
}

int layout_start(struct job **job, const struct workload *wl, struct target *targets, unsigned nr,
		 int notify_fd, struct err *err)
{
	struct workload all;
	struct job_spec spec = {
		.wl = &all, .targets = targets, .nr_targets = nr, .body = layout_body, .notify_fd = notify_fd
	};

	workload_init(&all);
	strcpy(all.name, "layout");
	all.rw = RW_WRITE;
	all.bs = LAYOUT_BS;
	for (unsigned i = 0; i < nr; i++) {
		if (blockio_span(wl, &targets[i]) < all.bs)
			all.bs = blockio_span(wl, &targets[i]);
	}
	all.iodepth = LAYOUT_DEPTH;
	all.numjobs = nr;
	all.size = wl->size;
	return job_start(job, &spec, err);
}

int layout_drop_cache(const struct target *t, struct err *err)
{
	if (t->kind == TARGET_SIM)
		return 0;
	if (t->writable && fdatasync(t->fd) < 0)
		return err_sys(err, "flush %.300s", t->path);
	int rc = posix_fadvise(t->fd, 0, 0, POSIX_FADV_DONTNEED);
	if (rc)
		return err_set(err, rc, "drop the page cache of %.300s: %s", t->path, strerror(rc));
	return 0;
}
