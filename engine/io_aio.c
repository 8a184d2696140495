/* SPDX-License-Identifier: MIT */
/* Linux asynchronous I/O: batches in by io_submit, completions out of the ring that the kernel shares with
 * us. */
#include "engine/io.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "engine/clock.h"
#include "engine/sysroot.h"

/* What an io_context_t points at: fs/aio.c of the kernel, unchanged since 2.6. */
#define AIO_RING_MAGIC 0xa10a10a1u

struct aio_ring {
	unsigned id, nr, head, tail;
	unsigned magic, compat, incompat, header_length;
	struct io_event event[];
};

struct io_aio {
	struct io base;
	io_context_t ctx;
	struct aio_ring *ring; /* NULL where it looks different: then only by io_getevents */
	unsigned depth;
	struct iocb **send;
	struct io_event *event;
};

static int setup_error(int code, unsigned depth, struct err *err)
{
	uint64_t max = 0, used = 0;

	if (code != EAGAIN || sysroot_u64("/proc/sys/fs/aio-max-nr", &max) < 0 ||
	    sysroot_u64("/proc/sys/fs/aio-nr", &used) < 0) {
		errno = code;
		return err_sys(err, "io_setup for %u I/Os", depth);
	}
	return err_set(err, EAGAIN,
		       "io_setup for %u I/Os: fs.aio-max-nr allows %" PRIu64 ", %" PRIu64
		       " are taken, %" PRIu64
		       " left: lower iodepth or numjobs, or raise it (sysctl fs.aio-max-nr=%" PRIu64 ")",
		       depth, max, used, used < max ? max - used : 0, used + 2 * (uint64_t)depth + 65536);
}

static void aio_close(struct io *io)
{
	struct io_aio *a = (struct io_aio *)io;

	if (a->ctx)
		io_destroy(a->ctx);
	free(a->send);
	free(a->event);
	free(a);
}

static int aio_open(struct io **io, const struct io_config *cfg, struct err *err)
{
	struct io_aio *a = calloc(1, sizeof(*a));

	if (!a)
		return err_set(err, ENOMEM, "libaio: no memory");
	a->depth = cfg->depth;
	a->send = calloc(cfg->depth, sizeof(*a->send));
	a->event = calloc(cfg->depth, sizeof(*a->event));
	if (!a->send || !a->event) {
		err_set(err, ENOMEM, "libaio: no memory");
		goto fail;
	}
	int rc = io_setup((int)cfg->depth, &a->ctx);
	if (rc < 0) {
		a->ctx = NULL;
		setup_error(-rc, cfg->depth, err);
		goto fail;
	}
	struct aio_ring *ring = (struct aio_ring *)(void *)a->ctx;
	if (ring->magic == AIO_RING_MAGIC && ring->incompat == 0 && ring->header_length == sizeof(*ring))
		a->ring = ring;
	*io = &a->base;
	return 0;
fail:
	aio_close(&a->base);
	return -1;
}

static int aio_send(struct io *io, struct slot *const *slots, unsigned n)
{
	struct io_aio *a = (struct io_aio *)io;

	for (unsigned i = 0; i < n; i++) {
		struct slot *s = slots[i];

		if (s->ddir == DDIR_WRITE)
			io_prep_pwrite(&s->iocb, s->target->fd, s->buf, s->len, (long long)s->offset);
		else
			io_prep_pread(&s->iocb, s->target->fd, s->buf, s->len, (long long)s->offset);
		s->iocb.aio_rw_flags = (__typeof__(s->iocb.aio_rw_flags))(s->ddir == DDIR_WRITE ? s->flags : 0);
		a->send[i] = &s->iocb;
	}
	int sent = io_submit(a->ctx, (long)n, a->send);
	if (sent == -EAGAIN || sent == -EINTR)
		return 0;
	uint64_t now = clock_ns();
	for (int i = 0; i < sent; i++)
		slots[i]->issue_ns = now;
	return sent;
}

static void take(struct slot **done, const struct io_event *e)
{
	struct slot *s = (struct slot *)(void *)e->obj; /* iocb is its first member */

	s->res = (int64_t)e->res;
	*done = s;
}

/* Completions that are in the ring already, without a system call. The kernel fills and moves tail, we move
 * head. */
static unsigned take_from_ring(struct io_aio *a, struct slot **done, unsigned max)
{
	struct aio_ring *ring = a->ring;
	unsigned n = 0, head, tail;

	if (!ring)
		return 0;
	head = ring->head;
	tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	while (n < max && head != tail) {
		take(&done[n++], &ring->event[head]);
		head = head + 1 < ring->nr ? head + 1 : 0;
	}
	if (n)
		__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	return n;
}

static int aio_reap(struct io *io, struct slot **done, unsigned max, uint64_t timeout_ns, uint64_t *now_ns)
{
	struct io_aio *a = (struct io_aio *)io;
	int n = (int)take_from_ring(a, done, max);

	if (n == 0 && (timeout_ns || !a->ring)) {
		struct timespec ts = clock_timespec(timeout_ns);

		n = io_getevents(a->ctx, 1, (long)(max < a->depth ? max : a->depth), a->event, &ts);
		if (n < 0 && n != -EINTR)
			return n;
		n = n < 0 ? 0 : n;
		for (int i = 0; i < n; i++)
			take(&done[i], &a->event[i]);
	}
	*now_ns = clock_ns();
	for (int i = 0; i < n; i++)
		done[i]->done_ns = *now_ns;
	return n;
}

const struct io_ops io_aio_ops = {
	.name = "libaio",
	.open = aio_open,
	.send = aio_send,
	.reap = aio_reap,
	.close = aio_close,
};
