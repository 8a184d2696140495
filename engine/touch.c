/* SPDX-License-Identifier: MIT */
#include "engine/touch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"

#define SLOW 4
#define RECENT_S 10.0

/* Weights of what was added to a cell: bytes, and bytes times latency. */
struct weight {
	double bytes, sum;
};

/* A tick's reads cover [from, to): each cell gets its part. */
static void spread(struct weight *w, const struct touch_map *m, double from, double to, double lat_ns)
{
	double cell = (double)m->size / m->n;

	for (unsigned i = (unsigned)(from / cell); i < m->n && i * cell < to; i++) {
		double part = fmin(to, (i + 1) * cell) - fmax(from, i * cell);

		if (part <= 0)
			continue;
		w[i].bytes += part;
		w[i].sum += part * lat_ns;
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* How slow is slow: against the fastest tenth of what was read. */
static void judge(struct touch_map *m)
{
	double *sorted = malloc(m->n * sizeof(*sorted));
	unsigned n = 0;

	if (!sorted)
		return;
	for (unsigned i = 0; i < m->n; i++) {
		if (!isnan(m->cell[i]))
			sorted[n++] = m->cell[i];
	}
	if (n) {
		qsort(sorted, n, sizeof(*sorted), ascending);
		m->fast_ns = sorted[n / 10];
	}
	for (unsigned i = 0; i < m->n; i++) {
		if (m->cell[i] > SLOW * m->fast_ns)
			m->slow += m->size / m->n;
	}
	free(sorted);
}

bool touch_map(struct touch_map *m, const struct run_header *h, struct span span, unsigned n)
{
	size_t targets = json_array_size(json_object_get(h->doc, "targets"));
	struct weight *w;
	double at = 0, recent_s = 0, recent = 0;

	if (strcmp(h->title, TOUCH_SUITE) != 0 || h->nr_planned != 1 || !h->planned[0].wl.size || !n)
		return false;
	*m = (struct touch_map){ .size = h->planned[0].wl.size * (targets ? targets : 1), .left_s = NAN, .fast_ns = NAN, .worst_ns = NAN,
				 .n = n < TOUCH_CELLS_MAX ? n : TOUCH_CELLS_MAX };
	w = calloc(m->n, sizeof(*w));
	if (!w)
		return false;
	for (size_t i = 0; i < span.n; i++) {
		const struct sample *s = &span.row[i];
		double bytes = (double)s->dir[DDIR_READ].bytes;

		if (s->phase != PHASE_MEASURE || s->repeat)
			continue;
		m->seconds += sample_seconds(s);
		if (s->lat_p50)
			spread(w, m, at, at + bytes, (double)s->lat_p50);
		if (s->lat_max)
			m->worst_ns = isnan(m->worst_ns) ? (double)s->lat_max : fmax(m->worst_ns, (double)s->lat_max);
		at += bytes;
	}
	m->done = at < (double)m->size ? (uint64_t)at : m->size;
	for (size_t i = span.n; i-- > 0 && recent_s < RECENT_S;) {
		recent_s += sample_seconds(&span.row[i]);
		recent += (double)span.row[i].dir[DDIR_READ].bytes;
	}
	if (recent > 0)
		m->left_s = (double)(m->size - m->done) / (recent / recent_s);
	for (unsigned i = 0; i < m->n; i++)
		m->cell[i] = w[i].bytes > 0 ? w[i].sum / w[i].bytes : NAN;
	free(w);
	judge(m);
	return true;
}

char *touch_text(const struct touch_map *m, char *buf, size_t size)
{
	char a[FMT_LEN], b[FMT_LEN], c[FMT_LEN], d[FMT_LEN];
	double share = m->done ? (double)m->slow / (double)m->done : 0;
	int n = snprintf(buf, size, "%s of %s read for the first time in %s", fmt_size(a, (double)m->done), fmt_size(b, (double)m->size),
			 fmt_duration(c, m->seconds));

	if (!isnan(m->fast_ns) && n > 0 && (size_t)n < size)
		n += snprintf(buf + n, size - (size_t)n, "; %.0f %% of it took over %d times as long as its fastest tenth (%s), the worst read %s",
			      100 * fmin(share, 1), SLOW, fmt_lat(a, m->fast_ns), fmt_lat(b, m->worst_ns));
	if (n > 0 && (size_t)n < size && m->done < m->size)
		snprintf(buf + n, size - (size_t)n, "; %s from %s on were not read: still cold", fmt_size(c, (double)(m->size - m->done)),
			 fmt_size(d, (double)m->done));
	else if (n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, "; nothing is cold any more");
	return buf;
}

json_t *touch_to_json(const struct touch_map *m)
{
	json_t *o = json_object(), *cells = json_array();

	for (unsigned i = 0; i < m->n; i++)
		json_array_append_new(cells, json_num(m->cell[i]));
	json_object_set_new(o, "size_bytes", json_u64(m->size));
	json_object_set_new(o, "read_bytes", json_u64(m->done));
	json_object_set_new(o, "cold_bytes", json_u64(m->size - m->done));
	json_object_set_new(o, "slow_bytes", json_u64(m->slow));
	json_object_set_new(o, "fast_ns", json_num(m->fast_ns));
	json_object_set_new(o, "worst_ns", json_num(m->worst_ns));
	json_object_set_new(o, "seconds", json_num(m->seconds));
	json_object_set_new(o, "cells", cells);
	return o;
}
