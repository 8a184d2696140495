/* SPDX-License-Identifier: MIT */
#include "engine/timeline.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct timeline *timeline_new(size_t cap)
{
	struct timeline *tl = malloc(sizeof(*tl));

	if (!tl)
		return NULL;
	/* Not touched before it is used: a short run has no more memory than it needs. */
	tl->row = malloc(cap * sizeof(*tl->row));
	if (!tl->row) {
		free(tl);
		return NULL;
	}
	tl->cap = cap;
	atomic_init(&tl->published, 0);
	atomic_init(&tl->refs, 1);
	return tl;
}

struct timeline *timeline_ref(struct timeline *tl)
{
	atomic_fetch_add_explicit(&tl->refs, 1, memory_order_relaxed);
	return tl;
}

void timeline_unref(struct timeline *tl)
{
	/* The last reader must see everything that the others did before they let go. */
	if (!tl || atomic_fetch_sub_explicit(&tl->refs, 1, memory_order_acq_rel) != 1)
		return;
	free(tl->row);
	free(tl);
}

/* The appender alone writes: it fills a row nobody can see, then publishes it with one release store. */
int timeline_append(struct timeline *tl, const struct sample *s)
{
	size_t n = atomic_load_explicit(&tl->published, memory_order_relaxed);

	if (n == tl->cap)
		return -1;
	tl->row[n] = *s;
	atomic_store_explicit(&tl->published, n + 1, memory_order_release);
	return 0;
}

struct span timeline_span(const struct timeline *tl)
{
	return (struct span){ tl->row, atomic_load_explicit(&tl->published, memory_order_acquire) };
}

static bool same_series(const struct sample *a, const struct sample *b)
{
	return a->test == b->test && a->repeat == b->repeat && a->phase == b->phase;
}

/* Merge the first @p older of @p n rows in pairs where they are of one series. @return rows left */
static size_t merge_older(struct sample *row, size_t n, size_t older)
{
	size_t out = 0, i = 0;

	while (i < older) {
		row[out] = row[i++];
		if (i < older && same_series(&row[out], &row[i]))
			sample_merge(&row[out], &row[i++]);
		out++;
	}
	memmove(&row[out], &row[i], (n - i) * sizeof(*row));
	return out + n - i;
}

struct timeline *timeline_coarser(const struct timeline *tl)
{
	struct span old = timeline_span(tl);
	struct timeline *to = timeline_new(tl->cap);
	size_t n = old.n, room = tl->cap / 2;

	if (!to)
		return NULL;
	memcpy(to->row, old.row, n * sizeof(*old.row));
	while (n > room) {
		size_t left = merge_older(to->row, n, n / 2 + n % 2);

		if (left == n)
			left = merge_older(to->row, n, n);
		if (left == n) { /* more series than rows to keep: the oldest go */
			left = room;
			memmove(to->row, to->row + n - left, left * sizeof(*to->row));
		}
		n = left;
	}
	atomic_store_explicit(&to->published, n, memory_order_release);
	return to;
}

static size_t last_second(struct span span)
{
	size_t i = span.n;
	double s = 0;

	while (i > 0 && s < 0.95)
		s += sample_seconds(&span.row[--i]);
	return i;
}

double span_last_share(struct span span)
{
	double needed = 0, seconds = 0;
	bool known = false;

	for (size_t i = last_second(span); i < span.n; i++) {
		const struct sample *s = &span.row[i];
		seconds += sample_seconds(s);
		if (s->model_iops > 0) /* not where it is NAN */
			needed += (double)(s->dir[DDIR_READ].ios + s->dir[DDIR_WRITE].ios) / s->model_iops;
		known = known || s->model_iops > 0;
	}
	return known && seconds > 0 ? needed / seconds : NAN;
}

bool span_last_second(struct span span, struct sample *sum)
{
	size_t i = last_second(span);

	if (i == span.n)
		return false;
	*sum = span.row[i];
	for (i++; i < span.n; i++)
		sample_merge(sum, &span.row[i]);
	return true;
}
