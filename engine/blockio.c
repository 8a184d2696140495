/* SPDX-License-Identifier: MIT */
#include "engine/blockio_impl.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/shape.h"
#include "engine/units.h"

/* What a filesystem compresses at once, at most: a record of ZFS. */
#define WINDOW MIB
/* I/Os that are submitted at once, at most: see send_due(). */
#define BATCH_MAX 16U
/* A simulated slot goes on from where it was done, if its thread came by within this time. */
#define LAG_MAX_NS 20000000ULL
/* Buffered writes are flushed after so many bytes, so what was accepted is never far ahead of the disk. */
#define BUFFERED_AHEAD (8 * MIB)
/* The kernel has no room for an I/O although none of ours is in flight: look again so often, and so long. */
#define BUSY_WAIT_NS 1000000ULL
#define BUSY_MAX_NS  (10 * NS_PER_SEC)

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

/* Turned knobs, each brought within what the job was started with. The only divisions are after a turn. */
static void see_knobs(struct worker *w, struct blockio *b, uint64_t now)
{
	uint64_t bs = ctr_get(&w->knobs->bs), mix = ctr_get(&w->knobs->rwmixread);
	uint64_t rate = ctr_get(&w->knobs->rate_iops);

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
		uint64_t tail = b->left == UINT64_MAX ? 0 : pattern_tail(&l->pat, s->ddir) / b->align * b->align;
		if (tail && len) { /* a pass has an end, and gets to it */
			len = tail < len ? tail : len;
			s->offset = l->pat.base + l->pat.next[s->ddir];
			l->pat.next[s->ddir] += len;
		} else {
			s->offset = pattern_offset(&l->pat, s->ddir);
		}
	}
	s->target = l->target;
	s->len = len;
	return len;
}

/*
 * Make this write differ from every other, so that nothing below gains by compressing or by finding it again.
 * Where all buffers together are less than what a filesystem compresses at once, every word changes (the same
 * change to each: random data stay random); else one word a page is enough.
 */
static void prepare_write(struct blockio *b, struct slot *s)
{
	uint64_t step = b->depth * b->bs < WINDOW ? sizeof(uint64_t) : BLOCKIO_PAGE;
	uint64_t key = pattern_random(&b->stamp), word;

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
	s->start_ns = s->due_ns > now ? s->due_ns : now;
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

/*
 * Submit what is due, as one batch. Not more than BATCH_MAX at once: where the kernel has fewer requests than
 * we have I/Os, io_submit waits for them, and what completes meanwhile would be reaped, and stamped, late.
 */
static int send_due(struct worker *w, struct blockio *b, uint64_t now, struct err *err)
{
	struct slot **at = &b->held[b->held_head & b->held_mask];
	unsigned room = b->held_mask + 1 - (b->held_head & b->held_mask);
	unsigned max = b->held_tail - b->held_head, n = 0;

	max = max < room ? max : room;
	max = max < BATCH_MAX ? max : BATCH_MAX;
	while (n < max && at[n]->due_ns <= now)
		n++;
	int sent = n ? io_send(b->io, at, n) : 0;
	if (sent < 0)
		return send_failed(w, b, sent, err);
	b->held_head += (unsigned)sent;
	b->inflight += (unsigned)sent;
	b->busy = n && sent == 0;
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
	t = w->deadline_ns;
	until = t > now && t < until ? t : until;
	return until > now ? until - now : 0;
}

static bool same_times(const struct slot *a, const struct slot *b)
{
	return a->ddir == b->ddir && a->len == b->len && a->done_ns == b->done_ns &&
	       a->issue_ns == b->issue_ns && a->start_ns == b->start_ns && a->intended_ns == b->intended_ns;
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
			if (s->ddir == DDIR_WRITE && !s->target->direct && s->target->kind != TARGET_SIM)
				b->dirty += run * s->len;
			worker_count(w, s->ddir, run, s->len, s->intended_ns, s->start_ns, s->issue_ns,
				     s->done_ns);
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

/*
 * Buffered writes run ahead of the disk, at the speed of memory until it is full of dirty pages. A flush now and then
 * keeps their rate the disk's; the last one makes all of it durable.
 */
static int flush(struct worker *w, struct blockio *b, struct err *err)
{
	for (unsigned i = 0; b->dirty && i < w->nr_targets; i++) {
		const struct target *t = w->targets[i];

		if (t->kind != TARGET_SIM && !t->direct && fdatasync(t->fd) < 0)
			return err_sys(err, "flush %.300s", t->path);
	}
	b->dirty = 0;
	return 0;
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
		if (rc == 0 && b->dirty >= BUFFERED_AHEAD) {
			rc = flush(w, b, err);
			now = clock_ns();
		}
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
	if (b->dirty) {
		struct err more;

		if (flush(w, b, rc ? &more : err) < 0)
			rc = -1;
		else
			ctr_set(&w->counters->durable_ns, clock_ns());
	}
	return rc;
}
