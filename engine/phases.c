/* SPDX-License-Identifier: MIT */
#include "engine/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/phase_split.h"

/* Shortest level at the beginning or the end of a run: 1 % of it, within these bounds; seconds. */
#define END_MIN_S 0.8
#define END_MAX_S 5.0
/* Shortest level between two others, or next to a knob turn: 1 % of the segment, within these bounds; seconds. */
#define INNER_MIN_S 2.0
#define INNER_MAX_S 10.0
/* The same in samples, where those are long. */
#define END_MIN_CELLS	2
#define INNER_MIN_CELLS 5
/* A change is placed on the samples this far around where the cells show it, seconds. */
#define REFINE_S 1.5
/* A level that is seen again up to this share was not lost. */
#define LOST 0.9
/* A level under this share of the highest is a pause. */
#define IDLE 0.01
/* A first level that is lower than the next is a ramp if no longer than this, or than this share of the segment. */
#define RAMP_S	   3.0
#define RAMP_SHARE 0.1
/* Phases of so many samples leave out the ones next to a change. */
#define TRIM_MIN 8

static const char *const kind_names[PH_NR] = { "ramp", "burst", "baseline", "steady" };

const char *phase_kind_name(enum phase_kind k)
{
	return (unsigned)k < PH_NR ? kind_names[k] : "?";
}

/* The samples of one segment, cumulative: u seconds of measured time, c of what is counted. Arrays of n + 1. */
struct track {
	const struct phase_point *pt;
	size_t			  n;
	bool			  by_bytes;
	bool			  cut_before, cut_after;
	double			 *u, *c;
};

static double counted(const struct track *tr, size_t i)
{
	double v = tr->by_bytes ? tr->pt[i].bytes : tr->pt[i].ios;

	return v > 0 ? v : 0;
}

static double rate(const struct track *tr, size_t from, size_t to)
{
	double len = tr->u[to] - tr->u[from];

	return len > 0 ? (tr->c[to] - tr->c[from]) / len : 0;
}

static void track_sums(struct track *tr)
{
	tr->u[0] = tr->c[0] = 0;
	for (size_t i = 0; i < tr->n; i++) {
		double dt = tr->pt[i].dt_s > 0 ? tr->pt[i].dt_s : 0;
		tr->u[i + 1] = tr->u[i] + dt;
		tr->c[i + 1] = tr->c[i] + (dt > 0 ? counted(tr, i) : 0);
	}
}

/* The series as rates on a uniform grid of m cells of cell_s. */
static void track_cells(const struct track *tr, size_t m, double cell_s, double *cell)
{
	double before = 0;
	size_t i = 0;

	for (size_t k = 0; k < m; k++) {
		double end = k + 1 == m ? tr->u[tr->n] : (double)(k + 1) * cell_s;
		while (i + 1 < tr->n && tr->u[i + 1] < end)
			i++;
		double len = tr->u[i + 1] - tr->u[i], part = len > 0 ? (end - tr->u[i]) / len : 1;
		double now = tr->c[i] + fmin(part, 1) * (tr->c[i + 1] - tr->c[i]);
		cell[k] = fmax(now - before, 0) / cell_s;
		before = now;
	}
}

/* The first sample that ends after u seconds. */
static size_t track_find(const struct track *tr, double u)
{
	size_t lo = 0, hi = tr->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (tr->u[mid + 1] <= u)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median distance of the samples [from, to) from the nearer of two levels. */
static double usual_distance(const struct track *tr, size_t from, size_t to, double a, double b)
{
	double d[256];
	size_t nr = 0, step = (to - from) / 256 + 1;

	for (size_t i = from; i < to; i += step) {
		double v = rate(tr, i, i + 1);
		d[nr++] = fmin(fabs(v - a), fabs(v - b));
	}
	qsort(d, nr, sizeof(*d), by_value);
	return nr ? d[nr / 2] : 0;
}

/*
 * Place a change that the cells show at u on the samples: the boundary in reach that leaves the least squares
 * against the means on both sides. lo and hi: samples where the neighbouring levels begin and end.
 */
static size_t refine(const struct track *tr, double u, double cell_s, size_t lo, size_t hi)
{
	double reach = fmax(REFINE_S, 2 * cell_s);
	double left = fmin(reach, (u - tr->u[lo]) / 3), right = fmin(reach, (tr->u[hi] - u) / 3);
	size_t from = track_find(tr, u - left), to = track_find(tr, u + right);
	from = from > lo ? from : lo + 1;
	to = to < hi ? to : hi - 1;
	if (from >= to)
		return from < hi ? from : hi - 1;
	double a = rate(tr, lo, from), b = rate(tr, to, hi), cost = 0, least = 0;
	double far = fmax(fabs(a - b) / 2, 4 * usual_distance(tr, from, to, a, b));
	size_t best = from;
	for (size_t i = from; i < to; i++) {
		double v = rate(tr, i, i + 1), dt = tr->u[i + 1] - tr->u[i];
		v = fmin(fmax(v, fmin(a, b) - far), fmax(a, b) + far);
		cost += ((v - a) * (v - a) - (v - b) * (v - b)) * dt;
		if (cost < least) {
			least = cost;
			best = i + 1;
		}
	}
	return best;
}

/* When the change between samples j - 1 and j happened: within the one of them whose rate lies between both levels. */
static double change_time(const struct track *tr, size_t j, double a, double b)
{
	const struct phase_point *l = &tr->pt[j - 1], *r = &tr->pt[j];
	double fl = (rate(tr, j - 1, j) - b) / (a - b), fr = (rate(tr, j, j + 1) - b) / (a - b);

	/* fl: share of the left sample that was still at level a; fr: of the right one */
	if (fr > 0.15 && fr < 1)
		return r->t_s - r->dt_s * (1 - fr);
	if (fl > 0 && fl < 0.85)
		return l->t_s - l->dt_s * (1 - fl);
	return r->t_s - r->dt_s;
}

/* Standard deviation of the rates of whole seconds over their mean. */
static double spread(const struct track *tr, size_t lo, size_t hi)
{
	double sum = 0, sumsq = 0, nr = 0;
	size_t from = lo;

	for (size_t i = lo; i < hi; i++) {
		if (tr->u[i + 1] - tr->u[from] < 0.95)
			continue;
		double v = rate(tr, from, i + 1);
		sum += v;
		sumsq += v * v;
		nr++;
		from = i + 1;
	}
	if (nr < 2 || sum <= 0)
		return NAN;
	return sqrt(fmax(sumsq - sum * sum / nr, 0) / (nr - 1)) / (sum / nr);
}

/* Fill one phase from the samples [lo, hi); at an end that is a change the straddling sample stays out. */
static void measure(const struct track *tr, size_t lo, size_t hi, struct phase *p)
{
	double ios = 0, bytes = 0, len = 0;

	p->start_s = tr->pt[lo].t_s - tr->pt[lo].dt_s;
	p->end_s = tr->pt[hi - 1].t_s;
	if (hi - lo >= TRIM_MIN) {
		lo += lo > 0;
		hi -= hi < tr->n;
	}
	for (size_t i = lo; i < hi; i++) {
		if (!(tr->pt[i].dt_s > 0))
			continue;
		ios += tr->pt[i].ios;
		bytes += tr->pt[i].bytes;
		len += tr->pt[i].dt_s;
	}
	p->iops = len > 0 ? ios / len : NAN;
	p->bw = len > 0 ? bytes / len : NAN;
	p->spread = spread(tr, lo, hi);
}

double phase_ratio(const struct phase *a, const struct phase *b)
{
	return phase_rate(b) / phase_rate(a);
}

/* Name the phases of one segment by their levels. A level next to nothing is a pause: it neither ends a burst nor is one. */
static void classify(struct phase *p, size_t n)
{
	double top = 0, len = p[n - 1].end_s - p[0].start_s;
	bool burst = false;

	for (size_t i = 0; i < n; i++)
		top = fmax(top, phase_rate(&p[i]));
	for (size_t i = 0; i < n; i++) {
		double level = phase_rate(&p[i]);
		bool idle = level < IDLE * top, lower = false, back = false;
		for (size_t k = i + 1; k < n; k++) {
			lower = lower || (phase_rate(&p[k]) < LOST * level && phase_rate(&p[k]) >= IDLE * top);
			back = back || phase_rate(&p[k]) >= LOST * level;
		}
		if (i == 0 && n > 1 && level < LOST * phase_rate(&p[1]) &&
		    p[i].end_s - p[i].start_s <= fmax(RAMP_S, RAMP_SHARE * len))
			p[i].kind = PH_RAMP;
		else if (lower && !back && !idle)
			p[i].kind = PH_BURST;
		else
			p[i].kind = burst && !idle ? PH_BASELINE : PH_STEADY;
		burst = burst || p[i].kind == PH_BURST;
	}
}

static size_t cells_of(double seconds, double cell_s, size_t least)
{
	size_t k = (size_t)ceil(seconds / cell_s - 1e-9);

	return k > least ? k : least;
}

/* Cell numbers of changes become sample numbers. @return how many are left */
static size_t place_all(const struct track *tr, double cell_s, size_t *at, size_t nr)
{
	double u[PHASES_MAX];
	size_t kept = 0;

	for (size_t k = 0; k < nr; k++)
		u[k] = (double)at[k] * cell_s;
	for (size_t k = 0; k < nr; k++) {
		size_t lo = kept ? at[kept - 1] : 0, hi = k + 1 < nr ? track_find(tr, u[k + 1]) : tr->n;
		if (hi <= lo + 1)
			continue;
		size_t j = refine(tr, u[k], cell_s, lo, hi);
		if (j > lo && j < hi)
			at[kept++] = j;
	}
	return kept;
}

/* Placed exactly, a level between two others may be too short after all: it goes to the neighbour it is nearer to. */
static int drop_short(const struct track *tr, size_t *at, size_t nr, double least_s)
{
	for (size_t k = 1; k < nr; k++) {
		size_t lo = at[k - 1], hi = at[k], before = k > 1 ? at[k - 2] : 0, after = k + 1 < nr ? at[k + 1] : tr->n;
		if (tr->u[hi] - tr->u[lo] >= least_s)
			continue;
		double v = rate(tr, lo, hi), a = fabs(v - rate(tr, before, lo)), b = fabs(v - rate(tr, hi, after));
		size_t gone = a < b ? k - 1 : k;
		memmove(at + gone, at + gone + 1, (nr - gone - 1) * sizeof(*at));
		nr--;
		k = 0;
	}
	return (int)nr;
}

/* Sample numbers at which levels begin, without 0. @return how many; -1 without memory */
static int find_changes(const struct track *tr, size_t *at, size_t max)
{
	double len = tr->u[tr->n];
	size_t m = tr->n < PHASE_CELLS ? tr->n : PHASE_CELLS;
	double cell_s = len / (double)m, inner_s = fmin(fmax(0.01 * len, INNER_MIN_S), INNER_MAX_S);
	double end_s = fmin(fmax(0.01 * len, END_MIN_S), END_MAX_S);
	size_t end = cells_of(end_s, cell_s, END_MIN_CELLS), inner = cells_of(inner_s, cell_s, INNER_MIN_CELLS);
	struct split_min min = { .left = tr->cut_before ? inner : end, .inner = inner,
				 .right = tr->cut_after ? inner : end };

	if (!(len > 0) || m < 2 * END_MIN_CELLS)
		return 0;
	double *cell = malloc(m * sizeof(*cell));
	if (!cell)
		return -1;
	track_cells(tr, m, cell_s, cell);
	int nr = split_levels(cell, m, cell_s, &min, at, max);
	free(cell);
	return nr < 0 ? nr : drop_short(tr, at, place_all(tr, cell_s, at, (size_t)nr), 0.75 * inner_s);
}

/*
 * A change within two seconds of a knob turn is that turn's: the samples between them belong to no phase.
 * @return how many changes are left in at; first and last become the samples that the phases cover
 */
static int settle(const struct track *tr, size_t *at, int nr, size_t *first, size_t *last)
{
	*first = 0;
	*last = tr->n;
	if (nr > 0 && tr->cut_before && tr->u[at[0]] < INNER_MIN_S) {
		*first = at[0];
		memmove(at, at + 1, (size_t)--nr * sizeof(*at));
	}
	if (nr > 0 && tr->cut_after && tr->u[tr->n] - tr->u[at[nr - 1]] < INNER_MIN_S)
		*last = at[--nr];
	return nr;
}

/* The phases of one segment. @return how many were written; -1 without memory */
static int segment_phases(struct track *tr, uint32_t segment, struct phase *out, size_t max)
{
	size_t at[PHASES_MAX], first = 0, last = 0;
	int nr = -1;

	if (!tr->n || !max)
		return 0;
	max = max < PHASES_MAX ? max : PHASES_MAX;
	tr->u = malloc((tr->n + 1) * sizeof(*tr->u));
	tr->c = malloc((tr->n + 1) * sizeof(*tr->c));
	if (tr->u && tr->c) {
		track_sums(tr);
		nr = settle(tr, at, find_changes(tr, at, max - 1), &first, &last);
	}
	for (int k = 0; k <= nr; k++) {
		measure(tr, k ? at[k - 1] : first, k < nr ? at[k] : last, &out[k]);
		out[k].segment = segment;
	}
	for (int k = 0; k < nr; k++) {
		double t = change_time(tr, at[k], phase_rate(&out[k]), phase_rate(&out[k + 1]));
		out[k].end_s = out[k + 1].start_s = t;
	}
	free(tr->u);
	free(tr->c);
	if (nr < 0)
		return -1;
	classify(out, (size_t)nr + 1);
	return nr + 1;
}

int phases_find(const struct phase_point *pt, size_t n, const double *cut_s, size_t nr_cuts, struct phase *out,
		size_t max)
{
	bool by_bytes = true;
	size_t i = 0, nr = 0;

	for (size_t k = 0; k < n && by_bytes; k++)
		by_bytes = isnan(pt[k].ios);
	for (size_t cut = 0; cut <= nr_cuts; cut++) {
		double end = cut < nr_cuts ? cut_s[cut] : INFINITY;
		size_t from = i;
		while (i < n && pt[i].t_s <= end + 1e-9)
			i++;
		struct track tr = { .pt = pt + from, .n = i - from, .by_bytes = by_bytes,
				    .cut_before = cut > 0, .cut_after = cut < nr_cuts };
		int got = segment_phases(&tr, (uint32_t)cut, out + nr, max - nr);
		if (got < 0)
			return -1;
		nr += (size_t)got;
		while (i < n && pt[i].t_s - pt[i].dt_s < end - 1e-9 && cut < nr_cuts)
			i++;
	}
	return (int)nr;
}

size_t phase_points(const struct sample *row, size_t n, uint32_t test, uint32_t repeat, struct phase_point *out)
{
	uint64_t before_ns = UINT64_MAX - SAMPLE_STALL_NS;
	size_t nr = 0;

	for (size_t i = 0; i < n; i++) {
		if (row[i].test != test || row[i].repeat != repeat || row[i].phase != PHASE_MEASURE || !row[i].dt_ns)
			continue;
		if (row[i].dt_ns >= before_ns + SAMPLE_STALL_NS)
			continue;
		before_ns = row[i].dt_ns;
		out[nr++] = (struct phase_point){ .t_s = (double)row[i].t_ns / 1e9, .dt_s = sample_seconds(&row[i]),
						  .ios = (double)sample_ios(&row[i]),
						  .bytes = (double)sample_bytes(&row[i]) };
	}
	return nr;
}
