/* SPDX-License-Identifier: MIT */
/* One pread or pwrite at a time: done when io_send() returns, so at most one I/O is ever in flight. */
#include "engine/io.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/clock.h"

struct io_sync {
	struct io base;
	struct slot *done; /* the one that waits to be reaped, or NULL */
};

static int sync_open(struct io **io, const struct io_config *cfg, struct err *err)
{
	struct io_sync *s = calloc(1, sizeof(*s));

	(void)cfg;
	if (!s)
		return err_set(err, ENOMEM, "sync: no memory");
	*io = &s->base;
	return 0;
}

static void sync_close(struct io *io)
{
	free(io);
}

/* Submitting and doing it are one call: all of its time is clat. */
static int sync_send(struct io *io, struct slot *const *slots, unsigned n)
{
	struct io_sync *y = (struct io_sync *)io;
	struct slot *s = slots[0];
	ssize_t res;

	if (n == 0 || y->done)
		return 0;
	s->issue_ns = clock_ns();
	do {
		if (s->ddir == DDIR_WRITE && s->flags)
			res = pwritev2(s->target->fd, &(struct iovec){ s->buf, s->len }, 1, (off_t)s->offset, s->flags);
		else if (s->ddir == DDIR_WRITE)
			res = pwrite(s->target->fd, s->buf, s->len, (off_t)s->offset);
		else
			res = pread(s->target->fd, s->buf, s->len, (off_t)s->offset);
	} while (res < 0 && errno == EINTR);
	s->res = res < 0 ? -errno : res;
	s->done_ns = clock_ns();
	y->done = s;
	return 1;
}

static int sync_reap(struct io *io, struct slot **done, unsigned max, uint64_t timeout_ns, uint64_t *now_ns)
{
	struct io_sync *y = (struct io_sync *)io;

	if (y->done && max) {
		done[0] = y->done;
		*now_ns = y->done->done_ns;
		y->done = NULL;
		return 1;
	}
	if (timeout_ns) {
		struct timespec ts = clock_timespec(timeout_ns);

		clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
	}
	*now_ns = clock_ns();
	return 0;
}

const struct io_ops io_sync_ops = {
	.name = "sync",
	.open = sync_open,
	.send = sync_send,
	.reap = sync_reap,
	.close = sync_close,
};
