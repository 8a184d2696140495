/* SPDX-License-Identifier: MIT */
#include "engine/blockio_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "engine/units.h"

#define HUGE_PAGE (2 * MIB)
/* Blocks from which buffers are worth huge pages: fewer pages to pin an I/O. */
#define HUGE_FROM (64 * KIB)

uint64_t blockio_span(const struct workload *wl, const struct target *t)
{
	return wl->size && wl->size < t->size_bytes ? wl->size / t->lba * t->lba : t->size_bytes;
}

bool blockio_is_serial(enum ioengine engine, struct target *const *targets, unsigned nr)
{
	for (unsigned i = 0; engine == IOENGINE_LIBAIO && i < nr; i++) {
		if (!targets[i]->direct || targets[i]->tmpfs)
			return true;
	}
	return engine == IOENGINE_SYNC;
}

int blockio_engine(const struct workload *wl, struct target *const *targets, unsigned nr, enum ioengine *out,
		   struct err *err)
{
	bool sim = targets[0]->kind == TARGET_SIM;

	*out = wl->ioengine;
	if (sim && (*out == IOENGINE_AUTO || *out == IOENGINE_SIM)) {
		*out = IOENGINE_SIM;
		return 0;
	}
	if (sim)
		return err_set(err, ERR_USAGE, "ioengine: %s does real I/O, the target sim: has none: sim",
			       ioengine_name(*out));
	if (*out == IOENGINE_SIM)
		return err_set(err, ERR_USAGE, "ioengine: sim does no I/O, and only on the target sim:");
	if (*out == IOENGINE_AUTO)
		*out = blockio_is_serial(IOENGINE_LIBAIO, targets, nr) ? IOENGINE_SYNC : IOENGINE_LIBAIO;
	return 0;
}

/* This worker's region of a target: all of it, or its share where several would go through the same blocks.
 */
static int lane_init(struct worker *w, struct lane *l, struct target *t, unsigned i, struct err *err)
{
	uint64_t span = blockio_span(w->wl, t), base = 0, bs = w->wl->bs;
	uint64_t seed = (w->wl->seed ? w->wl->seed : 1) + ((uint64_t)w->index << 32) + i;
	char a[FMT_LEN], b[FMT_LEN];

	if (span < bs)
		return err_set(err, ERR_USAGE, "bs: %s is more than the %s that are used of %.300s",
			       fmt_bs(a, bs), fmt_bs(b, span), t->path);
	if (!rw_is_rand(w->wl->rw) && w->nr_shares > 1 && span / w->nr_shares >= bs) {
		uint64_t part = span / w->nr_shares / bs * bs;

		base = part * w->share;
		span = w->share + 1 == w->nr_shares ? span - base : part;
	}
	/* As fio does: else the kernel reads ahead of random reads, and the device moves what nobody asked for. */
	if (!t->direct && t->kind != TARGET_SIM)
		posix_fadvise(t->fd, 0, 0, rw_is_rand(w->wl->rw) ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL);
	l->target = t;
	l->key = (uint64_t)(t - w->spec->targets) << 52;
	l->passed = 0;
	pattern_init(&l->pat, w->wl, base, span, pattern_random(&seed));
	return 0;
}

static int make_buffers(struct blockio *b, const struct workload *wl)
{
	bool both = rw_reads(wl->rw) && rw_writes(wl->rw);
	uint64_t each = (b->cfg.bs_max + BLOCKIO_PAGE - 1) & ~(BLOCKIO_PAGE - 1),
		 huge = wl->bs >= HUGE_FROM ? HUGE_PAGE : 0;
	uint64_t len = each * b->cfg.depth_max * (both ? 2 : 1);

	/* Reserved, not touched: room for a knob that is never turned costs nothing. */
	b->bufs_len = len + huge;
	void *at = mmap(NULL, b->bufs_len, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return -1;
	b->bufs = at;
	char *buf = at;
	if (huge) {
		buf = (char *)(((uintptr_t)at + huge - 1) & ~(uintptr_t)(huge - 1));
		madvise(buf, len, MADV_HUGEPAGE);
	}
	for (uint64_t i = 0; i < b->cfg.depth_max; i++) {
		struct slot *s = &b->slots[i];

		s->buf_of[DDIR_READ] = s->buf_of[DDIR_WRITE] = buf;
		buf += each;
		if (both) {
			s->buf_of[DDIR_WRITE] = buf;
			buf += each;
		}
		b->idle[b->cfg.depth_max - 1 - i] = s;
	}
	b->nr_idle = (unsigned)b->cfg.depth_max;
	return 0;
}

/* What is going to be used is there before the clock runs. */
static void touch_buffers(struct blockio *b, const struct workload *wl)
{
	static const int flags[WSYNC_NR] = { [WSYNC_DSYNC] = RWF_DSYNC, [WSYNC_SYNC] = RWF_SYNC };

	if (b->cfg.engine == IOENGINE_SIM)
		return;
	for (uint64_t i = 0; i < b->cfg.depth_max; i++)
		b->slots[i].flags = flags[wl->sync];
	for (uint64_t i = 0; i < b->cfg.depth_max && i < wl->iodepth; i++) {
		struct slot *s = &b->slots[i];

		for (uint64_t at = 0; rw_reads(wl->rw) && at < wl->bs; at += BLOCKIO_PAGE)
			((volatile char *)s->buf_of[DDIR_READ])[at] = 0;
		if (rw_writes(wl->rw)) {
			fill_random(s->buf_of[DDIR_WRITE], wl->bs, i + 1);
			s->filled = wl->bs;
		}
	}
}

/* This worker's part of what the job may do: whole blocks, and what is left over for the first. */
static uint64_t bytes_allowed(const struct worker *w)
{
	uint64_t max = w->spec->bytes_max, n = w->wl->numjobs, part = max / n / w->wl->bs * w->wl->bs;

	if (!max)
		return UINT64_MAX;
	return w->index ? part : max - part * (n - 1);
}

int blockio_open(struct worker *w, const struct blockio_config *cfg, struct err *err)
{
	struct blockio *b = calloc(1, sizeof(*b));
	unsigned ring = 1;

	if (!b)
		return err_set(err, ENOMEM, "no memory for a worker");
	w->blockio = b;
	b->cfg = *cfg;
	while (ring < cfg->depth_max)
		ring *= 2;
	b->held_mask = ring - 1;
	b->slots = calloc(cfg->depth_max, sizeof(*b->slots));
	b->idle = calloc(cfg->depth_max, sizeof(struct slot *));
	b->done = calloc(cfg->depth_max, sizeof(struct slot *));
	b->held = calloc(ring, sizeof(struct slot *));
	b->lanes = calloc(w->nr_targets, sizeof(*b->lanes));
	if (!b->slots || !b->idle || !b->done || !b->held || !b->lanes || make_buffers(b, w->wl) < 0)
		return err_set(err, ENOMEM, "no memory for %llu buffers of %llu bytes",
			       (unsigned long long)cfg->depth_max, (unsigned long long)cfg->bs_max);
	b->nr_lanes = w->nr_targets;
	b->align = 1;
	for (unsigned i = 0; i < b->nr_lanes; i++) {
		if (lane_init(w, &b->lanes[i], w->targets[i], i, err) < 0)
			return -1;
		if (w->targets[i]->direct && w->targets[i]->lba > b->align)
			b->align = w->targets[i]->lba;
	}
	b->left = bytes_allowed(w);
	b->bs = w->wl->bs;
	b->mix = w->wl->rwmixread;
	touch_buffers(b, w->wl);
	struct io_config io = {
		.engine = cfg->engine,
		.depth = (unsigned)cfg->depth_max,
		.sim_lat_ns = w->spec->sim_lat_ns,
		.sim_fail_at = w->spec->sim_fail_at,
		.sim_errno = w->spec->sim_errno,
	};
	if (io_open(&b->io, &io, err) < 0)
		return -1;
	b->virtual_time = b->io->ops->virtual_time;
	return 0;
}

void blockio_close(struct worker *w)
{
	struct blockio *b = w->blockio;

	if (!b)
		return;
	io_close(b->io);
	if (b->bufs)
		munmap(b->bufs, b->bufs_len);
	free(b->slots);
	free(b->idle);
	free(b->done);
	free(b->held);
	free(b->lanes);
	free(b);
	w->blockio = NULL;
}
