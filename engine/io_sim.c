/* SPDX-License-Identifier: MIT */
/*
 * A device that does nothing. Without a service time slots come back at once and all clocks are real: that
 * measures the engine itself. With one, an I/O is done exactly that long after it was due, by arithmetic and
 * not by the clock: the thread may sleep past it and take several at once, no latency is longer for it, and
 * nothing spins.
 */
#include "engine/io.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/clock.h"

/* The shortest sleep: at most 10,000 wake-ups a second, whatever the rate. */
#define SLEEP_MIN_NS 100000ULL

struct io_sim {
	struct io base;
	struct io_config cfg;
	uint64_t count;   /* I/Os taken since the start */
	uint64_t last_ns; /* done_ns of the newest: the queue is in order */
	unsigned head, tail, mask;
	struct slot **queue; /* a ring of a power of two */
};

static int sim_open(struct io **io, const struct io_config *cfg, struct err *err)
{
	struct io_sim *m = calloc(1, sizeof(*m));
	unsigned size = 1;

	while (size < cfg->depth)
		size *= 2;
	struct slot **queue = calloc(size, sizeof(*queue));
	if (!m || !queue) {
		free(m);
		free(queue);
		return err_set(err, ENOMEM, "sim: no memory");
	}
	m->cfg = *cfg;
	m->mask = size - 1;
	m->queue = queue;
	*io = &m->base;
	return 0;
}

static void sim_close(struct io *io)
{
	struct io_sim *m = (struct io_sim *)io;

	free(m->queue);
	free(m);
}

static int sim_send(struct io *io, struct slot *const *slots, unsigned n)
{
	struct io_sim *m = (struct io_sim *)io;
	uint64_t lat = m->cfg.sim_lat_ns, now = lat ? 0 : clock_ns(), fail_at = m->cfg.sim_fail_at - m->count;

	for (unsigned i = 0; i < n; i++) {
		struct slot *s = slots[i];

		s->res = (int64_t)s->len;
		if (lat) {
			uint64_t done = s->due_ns + lat;

			m->last_ns = done > m->last_ns ? done : m->last_ns;
			s->start_ns = s->issue_ns = m->last_ns - lat;
			s->done_ns = m->last_ns;
		} else {
			s->issue_ns = now;
		}
		m->queue[m->tail++ & m->mask] = s;
	}
	if (fail_at && fail_at <= n)
		slots[fail_at - 1]->res =
			m->cfg.sim_errno ? -m->cfg.sim_errno : (int64_t)(slots[fail_at - 1]->len / 2);
	m->count += n;
	return (int)n;
}

static unsigned take_due(struct io_sim *m, struct slot **done, unsigned max, uint64_t now)
{
	unsigned n = 0;

	while (n < max && m->head != m->tail && m->queue[m->head & m->mask]->done_ns <= now)
		done[n++] = m->queue[m->head++ & m->mask];
	return n;
}

static unsigned take_all(struct io_sim *m, struct slot **done, unsigned max, uint64_t now)
{
	unsigned n = 0;

	while (n < max && m->head != m->tail) {
		done[n] = m->queue[m->head++ & m->mask];
		done[n++]->done_ns = now;
	}
	return n;
}

static int sim_reap(struct io *io, struct slot **done, unsigned max, uint64_t timeout_ns, uint64_t *now_ns)
{
	struct io_sim *m = (struct io_sim *)io;
	uint64_t now = clock_ns();
	unsigned n = m->cfg.sim_lat_ns ? take_due(m, done, max, now) : take_all(m, done, max, now);

	if (n == 0 && timeout_ns) {
		uint64_t until = now + timeout_ns;

		if (m->head != m->tail && m->queue[m->head & m->mask]->done_ns < until)
			until = m->queue[m->head & m->mask]->done_ns;
		if (until < now + SLEEP_MIN_NS)
			until = now + SLEEP_MIN_NS;
		struct timespec ts = clock_timespec(until);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		now = clock_ns();
		n = take_due(m, done, max, now);
	}
	*now_ns = now;
	return (int)n;
}

const struct io_ops io_sim_ops = {
	.name = "sim",
	.virtual_time = true,
	.open = sim_open,
	.send = sim_send,
	.reap = sim_reap,
	.close = sim_close,
};
