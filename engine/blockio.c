/* SPDX-License-Identifier: MIT */
#include "engine/blockio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/clock.h"
#include "engine/pattern.h"
#include "engine/shape.h"
#include "engine/units.h"

#define PAGE	  4096ULL
#define HUGE_PAGE (2 * MIB)
/* Blocks from which buffers are worth huge pages: fewer pages to pin an I/O. */
#define HUGE_FROM (64 * KIB)
/* What a filesystem compresses at once, at most: a record of ZFS. */
#define WINDOW MIB
/* A simulated slot goes on from where it was done, if its thread came by within this time. */
#define LAG_MAX_NS 20000000ULL
/* The kernel has no room for an I/O although none of ours is in flight: look again so often, and so long. */
#define BUSY_WAIT_NS 1000000ULL
#define BUSY_MAX_NS  (10 * NS_PER_SEC)

/* One target of this worker, and where on it the worker is. */
struct lane {
	const struct target *target;
	uint64_t key; /* tells targets apart where a shape asks whether I/Os follow each other */
	uint64_t passed; /* one pass: bytes done from the region's start */
	struct pattern pat;
};

struct blockio {
	struct io *io;
	struct blockio_config cfg;
	bool virtual_time;
	uint64_t align; /* largest logical block of the targets; 1 for buffered I/O */
	struct slot *slots;
	struct slot **idle; /* a stack: the buffer used last is the warmest */
	struct slot **held; /* a ring of a power of two: made, not submitted, in order */
	struct slot **done; /* room for a batch of completions */
	unsigned nr_idle, held_head, held_tail, held_mask;
	unsigned made;	   /* held and in flight */
	unsigned inflight; /* submitted */
	char *bufs;
	size_t bufs_len;
	struct lane *lanes;
	unsigned nr_lanes, lane_at;
	uint64_t stamp; /* state of what makes written blocks differ */
	uint64_t left;	/* bytes that may still be issued */
	bool no_more;	/* they are used up */
	bool busy;	/* the kernel did not take what was due */
	uint64_t busy_since_ns, last_ns;
	uint64_t depth, bs, mix, rate; /* knobs as last seen, within their limits */
	uint64_t rate_base_ns, rate_step, rate_at; /* turns: base + at; step and at in 1/256 ns */
};

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
		return err_set(err, ERR_USAGE, "ioengine: %s does real I/O, the target sim: has none: sim", ioengine_name(*out));
	if (*out == IOENGINE_SIM)
		return err_set(err, ERR_USAGE, "ioengine: sim does no I/O, and only on the target sim:");
	if (*out == IOENGINE_AUTO)
		*out = blockio_is_serial(IOENGINE_LIBAIO, targets, nr) ? IOENGINE_SYNC : IOENGINE_LIBAIO;
	return 0;
}

/* This worker's region of a target: all of it, or its share where workers that read on would follow each other. */
static int lane_init(struct worker *w, struct lane *l, struct target *t, unsigned i, struct err *err)
{
	uint64_t span = blockio_span(w->wl, t), base = 0, bs = w->wl->bs;
	uint64_t seed = (w->wl->seed ? w->wl->seed : 1) + ((uint64_t)w->index << 32) + i;
	char a[FMT_LEN], b[FMT_LEN];

	if (span < bs)
		return err_set(err, ERR_USAGE, "bs: %s is more than the %s that are used of %.300s", fmt_bs(a, bs),
			       fmt_bs(b, span), t->path);
	if (!rw_is_rand(w->wl->rw) && w->nr_shares > 1 && span / w->nr_shares >= bs) {
		uint64_t part = span / w->nr_shares / bs * bs;

		base = part * w->share;
		span = w->share + 1 == w->nr_shares ? span - base : part;
	}
	l->target = t;
	l->key = (uint64_t)(t - w->spec->targets) << 52;
	l->passed = 0;
	pattern_init(&l->pat, w->wl, base, span, pattern_random(&seed));
	return 0;
}

static int make_buffers(struct blockio *b, const struct workload *wl)
{
	bool both = rw_reads(wl->rw) && rw_writes(wl->rw);
	uint64_t each = (b->cfg.bs_max + PAGE - 1) & ~(PAGE - 1), huge = wl->bs >= HUGE_FROM ? HUGE_PAGE : 0;
	uint64_t len = each * b->cfg.depth_max * (both ? 2 : 1);

	/* Reserved, not touched: room for a knob that is never turned costs nothing. */
	b->bufs_len = len + huge;
	void *at = mmap(NULL, b->bufs_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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
	if (b->cfg.engine == IOENGINE_SIM)
		return;
	for (uint64_t i = 0; i < b->cfg.depth_max && i < wl->iodepth; i++) {
		struct slot *s = &b->slots[i];

		for (uint64_t at = 0; rw_reads(wl->rw) && at < wl->bs; at += PAGE)
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
		return err_set(err, ENOMEM, "no memory for %llu buffers of %llu bytes", (unsigned long long)cfg->depth_max,
			       (unsigned long long)cfg->bs_max);
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

static uint64_t clamp(uint64_t v, uint64_t min, uint64_t max)
{
	return v < min ? min : v > max ? max : v;
}

static void set_bs(struct blockio *b, uint64_t bs)
{
	b->bs = bs;
	for (unsigned i = 0; i < b->nr_lanes; i++) {
		struct pattern *p = &b->lanes[i].pat;

		pattern_set_bs(p, bs < p->span ? bs : p->span);
	}
}

/* Turned knobs, each brought within what the job was started with. The only divisions, and only after a turn. */
static void see_knobs(struct worker *w, struct blockio *b, uint64_t now)
{
	uint64_t bs = ctr_get(&w->knobs->bs), mix = ctr_get(&w->knobs->rwmixread), rate = ctr_get(&w->knobs->rate_iops);

	b->depth = clamp(ctr_get(&w->knobs->iodepth), 1, b->cfg.depth_max);
	if (bs != b->bs) {
		uint64_t whole = clamp(bs / b->align * b->align, b->align, b->cfg.bs_max);

		if (whole != b->bs)
			set_bs(b, whole);
	}
	if (mix != b->mix) {
		b->mix = mix;
		for (unsigned i = 0; i < b->nr_lanes; i++)
			pattern_set_mix(&b->lanes[i].pat, mix < 100 ? mix : 100);
	}
	if (rate != b->rate) {
		b->rate = rate;
		b->rate_base_ns = now;
		b->rate_at = 0;
		b->rate_step = rate ? (NS_PER_SEC << 8) / rate : 0;
	}
}

static uint64_t rate_turn_ns(const struct blockio *b)
{
	return b->rate_base_ns + (b->rate_at >> 8);
}

/* Where the next I/O goes. @return its length, 0 if there is none left */
static uint64_t next_place(struct blockio *b, struct slot *s)
{
	struct lane *l = &b->lanes[b->lane_at];
	uint64_t len = l->pat.bs < b->left ? l->pat.bs : b->left / b->align * b->align;

	if (b->cfg.one_pass) {
		while (l->passed == l->pat.span) {
			if (++b->lane_at == b->nr_lanes)
				return 0;
			l = &b->lanes[b->lane_at];
		}
		s->ddir = l->pat.only;
		s->offset = l->pat.base + l->passed;
		len = l->pat.span - l->passed < len ? l->pat.span - l->passed : len;
		l->passed += len;
	} else {
		if (++b->lane_at == b->nr_lanes)
			b->lane_at = 0;
		s->ddir = pattern_ddir(&l->pat);
		s->offset = pattern_offset(&l->pat, s->ddir);
	}
	s->target = l->target;
	s->len = len;
	return len;
}

/*
 * Make this write differ from every other, so that nothing below gains by compressing or by finding it again. Where
 * all buffers together are less than what a filesystem compresses at once, every word changes (the same change to
 * each: random data stay random); else one word a page is enough.
 */
static void prepare_write(struct blockio *b, struct slot *s)
{
	uint64_t step = b->depth * b->bs < WINDOW ? sizeof(uint64_t) : PAGE, key = pattern_random(&b->stamp), word;

	if (s->filled < s->len) {
		fill_random(s->buf, s->len, key);
		s->filled = s->len;
	}
	for (uint64_t at = 0; at + sizeof(word) <= s->len; at += step) {
		memcpy(&word, (char *)s->buf + at, sizeof(word));
		word ^= key;
		memcpy((char *)s->buf + at, &word, sizeof(word));
	}
}

/* Make one I/O and put it behind the others. @return false when there is none to make now */
static inline bool make_one(struct worker *w, struct blockio *b, uint64_t now)
{
	struct slot *s = b->idle[b->nr_idle - 1];
	uint64_t start = now;

	if (b->virtual_time && s->done_ns + LAG_MAX_NS > now)
		start = s->done_ns;
	s->intended_ns = start;
	if (b->rate) {
		uint64_t turn = rate_turn_ns(b);

		if (turn > now)
			return false;
		s->intended_ns = turn;
		if (b->virtual_time)
			start = turn > s->done_ns ? turn : s->done_ns;
	}
	uint64_t len = next_place(b, s);
	if (len == 0) {
		b->no_more = true;
		return false;
	}
	b->rate_at += b->rate_step;
	b->left -= b->left == UINT64_MAX ? 0 : len;
	s->buf = s->buf_of[s->ddir];
	if (s->ddir == DDIR_WRITE && b->cfg.engine != IOENGINE_SIM)
		prepare_write(b, s);
	s->due_ns = start;
	if (w->spec->shaper) {
		uint64_t key = b->lanes[0].key; /* of one target: the usual case */

		if (b->nr_lanes > 1)
			key = (uint64_t)(s->target - w->spec->targets) << 52;
		s->due_ns = shaper_reserve(w->spec->shaper, start, s->ddir, key + s->offset, len);
	}
	b->nr_idle--;
	b->made++;
	b->held[b->held_tail++ & b->held_mask] = s;
	return true;
}

static int send_failed(struct worker *w, struct blockio *b, int res, struct err *err)
{
	struct slot *s = b->held[b->held_head++ & b->held_mask];

	b->made--;
	b->idle[b->nr_idle++] = s;
	return worker_io_error(w, s->target, s->ddir, s->offset, s->len, res, err);
}

/* Submit what is due, in one batch where it lies together in the ring. */
static int send_due(struct worker *w, struct blockio *b, uint64_t now, struct err *err)
{
	b->busy = false;
	while (b->held_head != b->held_tail && !b->busy) {
		struct slot **at = &b->held[b->held_head & b->held_mask];
		unsigned room = b->held_mask + 1 - (b->held_head & b->held_mask), max = b->held_tail - b->held_head, n = 0;

		while (n < max && n < room && at[n]->due_ns <= now)
			at[n++]->start_ns = now;
		if (n == 0)
			break;
		int sent = io_send(b->io, at, n);
		if (sent < 0)
			return send_failed(w, b, sent, err);
		b->held_head += (unsigned)sent;
		b->inflight += (unsigned)sent;
		b->busy = sent == 0;
	}
	if (!b->busy || b->inflight)
		b->busy_since_ns = now;
	if (now - b->busy_since_ns > BUSY_MAX_NS)
		return err_set(err, EAGAIN, "%s: the kernel takes no I/O for 10 s", b->io->ops->name);
	return 0;
}

/* How long to wait for a completion before there is something else to do. */
static uint64_t wait_ns(const struct worker *w, const struct blockio *b, uint64_t now)
{
	uint64_t until = now + (b->busy ? BUSY_WAIT_NS : WORKER_WAIT_NS), t;

	if (b->held_head != b->held_tail && !b->busy) {
		t = b->held[b->held_head & b->held_mask]->due_ns;
		until = t < until ? t : until;
	}
	if (b->rate && b->made < b->depth && !b->no_more) {
		t = rate_turn_ns(b);
		until = t < until ? t : until;
	}
	t = w->spec->deadline_ns;
	until = t > now && t < until ? t : until;
	return until > now ? until - now : 0;
}

static bool same_times(const struct slot *a, const struct slot *b)
{
	return a->ddir == b->ddir && a->len == b->len && a->done_ns == b->done_ns && a->issue_ns == b->issue_ns &&
	       a->start_ns == b->start_ns && a->intended_ns == b->intended_ns;
}

/* Count a batch of completions; those that went together through every step are counted together. */
static int count_done(struct worker *w, struct blockio *b, unsigned n, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0, run; i < n; i += run) {
		struct slot *s = b->done[i];

		for (run = 0; i + run < n; run++) {
			struct slot *t = b->done[i + run];

			if (!same_times(s, t) || t->res != (int64_t)t->len)
				break;
			b->idle[b->nr_idle++] = t;
		}
		if (run) {
			worker_count(w, s->ddir, run, s->len, s->intended_ns, s->start_ns, s->issue_ns, s->done_ns);
			continue;
		}
		b->idle[b->nr_idle++] = s;
		run = 1;
		struct err more;
		worker_io_error(w, s->target, s->ddir, s->offset, s->len, s->res, rc ? &more : err);
		rc = -1;
	}
	return rc;
}

/* Wait for completions and count them. */
static int reap(struct worker *w, struct blockio *b, uint64_t timeout_ns, uint64_t *now, struct err *err)
{
	int n = io_reap(b->io, b->done, (unsigned)b->cfg.depth_max, timeout_ns, now);

	if (n < 0) {
		b->inflight = 0; /* lost: closing the engine waits for them */
		return err_set(err, -n, "%s: waiting for I/O: %s", b->io->ops->name, strerror(-n));
	}
	ctr_add(&w->counters->depth_ns, b->made * (*now - b->last_ns));
	b->last_ns = *now;
	b->made -= (unsigned)n;
	b->inflight -= (unsigned)n;
	return count_done(w, b, (unsigned)n, err);
}

int blockio_run(struct worker *w, struct err *err)
{
	struct blockio *b = w->blockio;
	uint64_t now = clock_ns();
	int rc = 0;

	b->last_ns = b->busy_since_ns = now;
	while (!worker_stopped(w, now) && rc == 0) {
		see_knobs(w, b, now);
		while (b->made < b->depth && !b->no_more && make_one(w, b, now))
			;
		if (b->no_more && b->made == 0)
			break;
		ctr_set(&w->counters->inflight, b->made);
		rc = send_due(w, b, now, err);
		if (rc == 0)
			rc = reap(w, b, wait_ns(w, b, now), &now, err);
		worker_publish_cpu(w, now);
	}
	b->made = b->inflight; /* what was held is not done */
	while (b->inflight) {
		struct err more;

		if (reap(w, b, WORKER_WAIT_NS, &now, rc ? &more : err) < 0)
			rc = -1;
		ctr_set(&w->counters->inflight, b->inflight);
	}
	ctr_set(&w->counters->inflight, 0);
	return rc;
}
