/* SPDX-License-Identifier: MIT */
#include "engine/netphases.h"

#include <math.h>
#include <stdlib.h>

#include "engine/clock.h"

/* Shorter pauses are what queues and timers do. */
#define STALL_NS (NS_PER_SEC / 2)

const char *net_direction_name(enum net_direction d)
{
	static const char *const names[] = { "send", "receive", "both" };

	return names[d];
}

static double bytes_of(const struct net_sample *s, enum net_direction dir)
{
	return (dir != NET_RECEIVE ? (double)s->sent : 0) + (dir != NET_SEND ? (double)s->received : 0);
}

double net_sample_bps(const struct net_sample *s, enum net_direction dir)
{
	return s->dt_ns ? bytes_of(s, dir) * 8 / clock_seconds(s->dt_ns) : NAN;
}

static void add_stall(struct net_shape *out, const struct net_sample *first, uint64_t length_ns)
{
	out->stalled_s += clock_seconds(length_ns);
	if (out->nr_stalls < NET_STALLS_MAX)
		out->stall[out->nr_stalls++] = (struct net_stall){ clock_seconds(first->t_ns - first->dt_ns),
								   clock_seconds(length_ns) };
}

/* The measured samples as points, stalls left out. @return how many */
static size_t points_of(const struct net_series *s, enum net_direction dir, struct phase_point *pt,
			struct net_shape *out)
{
	size_t n = 0;
	double bytes = 0;
	uint64_t time_ns = 0;

	for (size_t i = 0; i < s->n;) {
		uint64_t quiet = 0;
		size_t end = i;
		if (s->row[i].omitted) {
			i++;
			continue;
		}
		while (end < s->n && bytes_of(&s->row[end], dir) <= 0)
			quiet += s->row[end++].dt_ns;
		if (quiet >= STALL_NS) {
			add_stall(out, &s->row[i], quiet);
			time_ns += quiet;
			i = end;
			continue;
		}
		for (end = end > i ? end : i + 1; i < end; i++) {
			const struct net_sample *x = &s->row[i];
			pt[n++] = (struct phase_point){ .t_s = clock_seconds(x->t_ns),
							.dt_s = clock_seconds(x->dt_ns),
							.ios = NAN,
							.bytes = bytes_of(x, dir) };
			bytes += bytes_of(x, dir);
			time_ns += x->dt_ns;
		}
	}
	out->mean_bps = time_ns ? bytes * 8 / clock_seconds(time_ns) : NAN;
	return n;
}

static void amounts(struct net_shape *out, const struct phase_point *pt, size_t n)
{
	const struct phase *burst = NULL, *base = NULL, *level = NULL;

	for (size_t i = 0; i < out->nr_phases; i++) {
		const struct phase *p = &out->phase[i];
		if (p->kind == PH_BURST && !burst)
			burst = p;
		if (p->kind == PH_BASELINE && burst)
			base = p; /* the last one: what it came down to in the end */
		if (p->kind != PH_RAMP || !level)
			level = p;
	}
	if (level)
		out->level_bps = level->bw * 8;
	if (!burst || !base)
		return;
	out->burst_bps = burst->bw * 8;
	out->baseline_bps = base->bw * 8;
	out->burst_start_s = burst->start_s;
	out->burst_end_s = burst->end_s;
	out->burst_s = burst->end_s - burst->start_s;
	out->above_bytes = 0;
	for (size_t i = 0; i < n && pt[i].t_s <= burst->end_s; i++)
		out->above_bytes += fmax(pt[i].bytes - base->bw * pt[i].dt_s, 0);
}

int net_shape_of(const struct net_series *s, enum net_direction dir, struct net_shape *out)
{
	struct phase_point *pt = calloc(s->n ? s->n : 1, sizeof(*pt));

	*out = (struct net_shape){ .mean_bps = NAN,
				   .burst_bps = NAN,
				   .burst_start_s = NAN,
				   .burst_end_s = NAN,
				   .burst_s = NAN,
				   .baseline_bps = NAN,
				   .above_bytes = NAN,
				   .level_bps = NAN };
	if (!pt)
		return -1;
	size_t n = points_of(s, dir, pt, out);
	int found = phases_find(pt, n, NULL, 0, out->phase, PHASES_MAX);
	if (found > 0)
		out->nr_phases = (size_t)found;
	amounts(out, pt, n);
	free(pt);
	return found < 0 ? -1 : 0;
}
