/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "engine/clock.h"
#include "engine/shape.h"

/* Share of a second's units that a late caller may catch up on: with it no second exceeds a rate by 1 %. */
#define CATCH_UP 0.009
/* Sequential streams told apart at once; the one that began longest ago is forgotten. */
#define STREAMS 32

/*
 * Pacing is virtual scheduling (GCRA): `next` is when the next I/O would be due if all came exactly on time. An I/O
 * goes at max(now, next of every limit); then each limit moves its own `next` on by cost / rate. No tick, no token
 * counter, and the rate is exact: what counts is when I/Os were due, not when a thread got round to it.
 *
 * Times in here are seconds since the first reservation, as doubles: after a month still exact to a nanosecond.
 */
struct live {
	struct shape_limit l;
	bool   bucket;	/* has a burst */
	double next;	/* see above */
	double balance; /* at time `at`; below 0 by at most one I/O */
	double at;
	bool   spent;
};

/*
 * I/O that follows itself. On a small target random I/O hits the end of another one by chance (32 streams, 4,096 blocks:
 * eight in a thousand), so the first two count by themselves and merging begins with the third.
 */
struct stream {
	uint64_t run;	 /* bytes since it began */
	uint64_t n;	 /* I/Os since it began */
	uint64_t len[2]; /* of the first two */
};

struct shaper {
	pthread_mutex_t lock; /* all below; held for some tens of ns, never across a call that waits */
	struct shape	shape;
	double		scale;
	bool		started;
	uint64_t	origin; /* clock of the first reservation */
	struct live	live[SHAPE_LIMITS_MAX + 1];
	size_t		nr;	/* with the schedule */
	size_t		step;	/* of the schedule, which is live[shape.nr_limits] */
	double		step_end; /* when a step that leads up ends; INFINITY for others */
	uint64_t	merge_unit; /* the largest io_unit that merges, 0 none */
	struct stream	stream[STREAMS];
	uint64_t	follows[STREAMS]; /* what continues each: stream_key() */
	unsigned	next_stream;	  /* to be forgotten */
};

/* Load step i of the schedule: towards a lower rate a bucket with the surplus, else a plain rate with an end. */
static void load_step(struct shaper *s, size_t i, double t)
{
	const struct shape *sh = &s->shape;
	struct live *lv = &s->live[sh->nr_limits];
	double rate = sh->step[i].rate, then = i + 1 < sh->nr_steps ? sh->step[i + 1].rate : rate;

	lv->l = (struct shape_limit){ .unit = sh->step_unit, .weight = { 1, 1 }, .base = rate };
	s->step = i;
	s->step_end = INFINITY;
	lv->bucket = then < rate;
	lv->spent = false;
	lv->at = t;
	if (lv->bucket) {
		lv->l.base = then;
		lv->l.burst = rate;
		lv->l.capacity = lv->balance = (rate - then) * sh->step[i].seconds;
	} else if (i + 1 < sh->nr_steps) {
		s->step_end = t + sh->step[i].seconds / s->scale;
	}
}

struct shaper *shaper_new(const struct shape *shape)
{
	struct shaper *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	assert(shape->nr_limits <= SHAPE_LIMITS_MAX && shape->nr_steps <= SHAPE_STEPS_MAX);
	pthread_mutex_init(&s->lock, NULL);
	s->shape = *shape;
	s->scale = shape->time_scale > 0 ? shape->time_scale : 1;
	s->nr = shape->nr_limits + (shape->nr_steps > 0);
	s->step_end = INFINITY;
	for (size_t i = 0; i < shape->nr_limits; i++) {
		const struct shape_limit *l = &shape->limit[i];

		assert(l->base > 0);
		s->live[i] = (struct live){ .l = *l, .bucket = l->burst > l->base, .balance = l->start };
		s->live[i].spent = s->live[i].bucket && l->start <= 0;
		if (l->merge && l->unit == SHAPE_OPS && l->io_unit > s->merge_unit)
			s->merge_unit = l->io_unit;
	}
	if (shape->nr_steps)
		load_step(s, 0, 0);
	return s;
}

void shaper_free(struct shaper *s)
{
	if (!s)
		return;
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Seconds since the first reservation, which this may be. */
static double relative(struct shaper *s, uint64_t now_ns)
{
	if (!s->started) {
		s->started = true;
		s->origin = now_ns;
	}
	return now_ns > s->origin ? (double)(now_ns - s->origin) / 1e9 : 0;
}

/* Earn up to time t; the burst comes back when there is enough for a second of it to mean something. */
static void earn(const struct shaper *s, struct live *lv, double t)
{
	if (!lv->bucket || t <= lv->at)
		return;
	lv->balance = fmin(lv->l.capacity, lv->balance + (t - lv->at) * lv->l.base * s->scale);
	lv->at = t;
	if (lv->spent && lv->balance >= fmin(lv->l.capacity, lv->l.base * s->scale))
		lv->spent = false;
}

static double rate_of(const struct live *lv)
{
	return lv->bucket && !lv->spent ? lv->l.burst : lv->l.base;
}

/* Operations that the next I/O of a stream adds to those it has been charged so far. */
static double merged_ops(const struct stream *st, uint64_t unit, uint64_t len)
{
	if (st->n < 2)
		return shape_ops(unit, len);
	double head = shape_ops(unit, st->len[0]) + shape_ops(unit, st->len[1]);

	return fmax(head, shape_ops(unit, st->run + len)) - fmax(head, shape_ops(unit, st->run));
}

/* Units that an I/O costs; @p st is what it follows. */
static double cost_of(const struct shape_limit *l, enum ddir ddir, uint64_t len, const struct stream *st)
{
	double units = (double)len;

	if (l->unit == SHAPE_OPS)
		units = l->merge && l->io_unit ? merged_ops(st, l->io_unit, len) : shape_ops(l->io_unit, len);
	return units * l->weight[ddir];
}

/* Offset and direction in one word; never 0, which is a free place. */
static uint64_t stream_key(enum ddir ddir, uint64_t offset)
{
	return (offset << 2) | (uint64_t)ddir << 1 | 1;
}

/* The stream that this I/O follows, as it was before (zero: it follows none); notes it for the next. */
static struct stream stream_before(struct shaper *s, enum ddir ddir, uint64_t offset, uint64_t len)
{
	uint64_t key = stream_key(ddir, offset);
	struct stream before = { .n = 0 };
	unsigned at = STREAMS;

	for (unsigned i = 0; i < STREAMS; i++)
		at = s->follows[i] == key ? i : at;
	if (at < STREAMS)
		before = s->stream[at];
	else
		at = s->next_stream++ % STREAMS;

	struct stream *now = &s->stream[at];

	*now = before;
	if (now->n < 2)
		now->len[now->n] = len;
	now->n++;
	now->run += len;
	s->follows[at] = stream_key(ddir, offset + len);
	return before;
}

/* Take the cost at time t and say when this limit's next I/O is due. */
static void spend(struct shaper *s, struct live *lv, double t, double cost)
{
	earn(s, lv, t);
	if (lv->bucket && !lv->spent && lv->balance < cost * s->scale) {
		if (lv == &s->live[s->shape.nr_limits])
			load_step(s, s->step + 1, t);
		else
			lv->spent = true;
	}
	double rate = rate_of(lv);
	double slack = fmax(0, CATCH_UP * rate - cost) / rate;

	lv->next = fmax(lv->next, t - slack) + cost / rate;
	if (lv->bucket)
		lv->balance -= cost * s->scale;
}

uint64_t shaper_reserve(struct shaper *s, uint64_t now_ns, enum ddir ddir, uint64_t offset, uint64_t len)
{
	double cost[SHAPE_LIMITS_MAX + 1];
	struct stream before = { .n = 0 };

	pthread_mutex_lock(&s->lock);
	double t = relative(s, now_ns);

	if (s->merge_unit && len % s->merge_unit)
		before = stream_before(s, ddir, offset, len);
	for (size_t i = 0; i < s->nr; i++) {
		cost[i] = cost_of(&s->live[i].l, ddir, len, &before);
		if (cost[i] > 0)
			t = fmax(t, s->live[i].next);
	}
	while (t >= s->step_end)
		load_step(s, s->step + 1, s->step_end);
	for (size_t i = 0; i < s->nr; i++) {
		if (cost[i] > 0)
			spend(s, &s->live[i], t, cost[i]);
	}
	uint64_t at = s->origin + (uint64_t)ceil(t * 1e9 - 1e-3);
	pthread_mutex_unlock(&s->lock);
	return at > now_ns ? at : now_ns;
}

/* The balance at time t, although I/O may be booked beyond it already (at the rate of now). */
static double balance_at(const struct shaper *s, const struct live *lv, double t)
{
	double b = lv->balance + (t - lv->at) * lv->l.base * s->scale;

	if (t < lv->at)
		b += (lv->at - t) * rate_of(lv) * s->scale;
	return fmin(fmax(b, 0), lv->l.capacity);
}

struct shaper_limit_state shaper_state(struct shaper *s, uint64_t now_ns, size_t limit)
{
	pthread_mutex_lock(&s->lock);
	assert(limit < s->nr);
	const struct live *lv = &s->live[limit];
	double t = s->started && now_ns > s->origin ? (double)(now_ns - s->origin) / 1e9 : 0;
	struct shaper_limit_state st = { .balance = NAN, .capacity = NAN, .rate = rate_of(lv), .spent = lv->spent };

	if (lv->bucket) {
		st.balance = balance_at(s, lv, t);
		st.capacity = lv->l.capacity;
	}
	pthread_mutex_unlock(&s->lock);
	return st;
}

double shaper_iops(struct shaper *s, uint64_t now_ns, enum ddir ddir, uint64_t len)
{
	double iops = INFINITY;

	pthread_mutex_lock(&s->lock);
	double t = s->started && now_ns > s->origin ? (double)(now_ns - s->origin) / 1e9 : 0;

	for (size_t i = 0; i < s->nr; i++) {
		struct live lv = s->live[i];
		double cost = lv.l.unit == SHAPE_OPS ? shape_ops(lv.l.io_unit, len) : (double)len;

		earn(s, &lv, t);
		iops = fmin(iops, rate_of(&lv) / (cost * lv.l.weight[ddir]));
	}
	pthread_mutex_unlock(&s->lock);
	return iops;
}

void shaper_set_time_scale(struct shaper *s, uint64_t now_ns, double scale)
{
	assert(scale > 0);
	pthread_mutex_lock(&s->lock);
	double t = s->started ? relative(s, now_ns) : 0;

	for (size_t i = 0; i < s->nr; i++)
		earn(s, &s->live[i], t);
	if (isfinite(s->step_end))
		s->step_end = fmax(t, t + (s->step_end - t) * s->scale / scale);
	s->scale = scale;
	pthread_mutex_unlock(&s->lock);
}

double shaper_time_scale(struct shaper *s)
{
	pthread_mutex_lock(&s->lock);
	double scale = s->scale;

	pthread_mutex_unlock(&s->lock);
	return scale;
}

void shaper_refill(struct shaper *s, uint64_t now_ns)
{
	pthread_mutex_lock(&s->lock);
	double t = s->started ? relative(s, now_ns) : 0;

	for (size_t i = 0; i < s->shape.nr_limits; i++) {
		struct live *lv = &s->live[i];

		lv->at = fmax(lv->at, t);
		lv->balance = lv->l.capacity;
		lv->spent = false;
	}
	if (s->shape.nr_steps)
		load_step(s, 0, fmax(t, s->live[s->shape.nr_limits].at));
	pthread_mutex_unlock(&s->lock);
}
