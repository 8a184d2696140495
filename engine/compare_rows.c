/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compare_parts.h"

void find_levels(const struct import_test *t, struct levels *l)
{
	size_t from = 0;

	*l = (struct levels){ .nr = 0 };
	if (!t || !t->nr_points)
		return;
	l->nr = phases_find(t->point, t->nr_points, t->cut_s, t->nr_cuts, l->phase, PHASES_MAX);
	for (int k = 0; k < l->nr; k++) {
		struct stratum s = { from, from };
		while (s.from < t->nr_points && t->point[s.from].t_s <= l->phase[k].start_s + 1e-9)
			s.from++;
		s.to = s.from;
		while (s.to < t->nr_points && t->point[s.to].t_s <= l->phase[k].end_s + 1e-9)
			s.to++;
		from = s.to;
		if (s.to == s.from)
			continue;
		l->all[l->nr_all++] = s;
		if (l->phase[k].kind == PH_BURST)
			l->burst[l->nr_burst++] = s;
		else if (l->phase[k].kind == PH_BASELINE)
			l->baseline[l->nr_baseline++] = s;
	}
}

/* The rate over some phases, else the level as it was published. */
static double level_rate(double level, const struct stratum *st, size_t n, const struct import_test *t)
{
	double sum = 0, len = 0;

	for (size_t k = 0; k < n; k++)
		for (size_t i = st[k].from; i < st[k].to; i++) {
			sum += isnan(t->point[i].ios) ? t->point[i].bytes : t->point[i].ios;
			len += t->point[i].dt_s;
		}
	return len > 0 ? sum / len : level;
}

/* In the volume's time, as it is published and as screens have it: one that was played faster is as long. */
static double burst_seconds(const struct import_test *t, const struct levels *l)
{
	double s = 0;

	for (int k = 0; k < l->nr; k++)
		if (l->phase[k].kind == PH_BURST)
			s += l->phase[k].end_s - l->phase[k].start_s;
	return s > 0 ? s * t->time_scale : t->burst_s;
}

static double figure(const struct metric *m, const struct import_test *t, const struct levels *l)
{
	const struct result *r = t->r;

	switch (m->from) {
	case FROM_IOPS:
		return r->all.iops;
	case FROM_BW:
		return r->all.bw_bytes;
	case FROM_SHOWN:
		return !isnan(t->shown) ? t->shown / m->scale : r->all.bw_bytes;
	case FROM_BURST:
		return level_rate(t->burst, l->burst, l->nr_burst, t);
	case FROM_BASELINE:
		return level_rate(t->baseline, l->baseline, l->nr_baseline, t);
	case FROM_BURST_S:
		return burst_seconds(t, l);
	case FROM_CLAT_P50: /* fio prints percentiles of one latency only: by default those of completion */
		return r->clat.pct[0];
	case FROM_CLAT_P99:
		return r->clat.pct[2];
	case FROM_P50:
		return r->lat.pct[0];
	case FROM_P99:
		return r->lat.pct[2];
	case FROM_MAX:
		return r->lat.max;
	case FROM_CPU:
		return r->cpu_pct;
	case FROM_DURABLE:
		return r->durable_s;
	case FROM_RETRANSMITS:
		return t->retransmits;
	case FROM_LOST:
		return t->lost_pct;
	case FROM_JITTER:
		return t->jitter_ms;
	}
	return NAN;
}

/* The stretches whose noise is that of the figure; 0 where the series does not tell. */
static size_t strata(const struct metric *m, const struct levels *l, const struct stratum **st)
{
	switch (m->from) {
	case FROM_IOPS:
	case FROM_BW:
	case FROM_SHOWN:
		*st = l->all;
		return l->nr_all;
	case FROM_BURST:
		*st = l->burst;
		return l->nr_burst;
	case FROM_BASELINE:
		*st = l->baseline;
		return l->nr_baseline;
	default:
		*st = NULL;
		return 0;
	}
}

static struct compare_row *add_row(struct comparison *c)
{
	if (c->nr_rows == c->cap_rows) {
		size_t cap = c->cap_rows ? 2 * c->cap_rows : 32;
		struct compare_row *grown = realloc(c->row, cap * sizeof(*grown));
		if (!grown)
			return NULL;
		c->row = grown;
		c->cap_rows = cap;
	}
	return &c->row[c->nr_rows++];
}

/* Mean and its standard error over repetitions, where there are three or more. */
static bool repeat_error(const struct result *r, bool bw, double *mean, double *error)
{
	double sum = 0, sq = 0, n = r->nr_repeats;

	if (r->nr_repeats < 3)
		return false;
	for (unsigned i = 0; i < r->nr_repeats; i++)
		sum += bw ? r->repeat[i].bw_bytes : r->repeat[i].iops;
	*mean = sum / n;
	for (unsigned i = 0; i < r->nr_repeats; i++) {
		double d = (bw ? r->repeat[i].bw_bytes : r->repeat[i].iops) - *mean;
		sq += d * d;
	}
	*error = sqrt(sq / (n - 1) / n);
	return !isnan(*mean);
}

/* Student's t for 95 %, two-sided, by degrees of freedom; the smaller run's, which is the careful choice. */
static double student(unsigned repeats)
{
	static const double t[] = { 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26 };
	unsigned df = repeats > 1 ? repeats - 1 : 1;

	return df <= 9 ? t[df - 1] : 2.2;
}

static enum tri repeats_differ(const struct result *a, const struct result *b, bool bw)
{
	double ma, ea, mb, eb;

	if (!repeat_error(a, bw, &ma, &ea) || !repeat_error(b, bw, &mb, &eb))
		return TRI_NULL;
	unsigned n = a->nr_repeats < b->nr_repeats ? a->nr_repeats : b->nr_repeats;
	return fabs(ma - mb) > student(n) * hypot(ea, eb) ? TRI_TRUE : TRI_FALSE;
}

/* Noise of every run's figure, and which differ from the first by more. */
static int add_noise(const struct comparison *c, const struct group *g, const struct metric *m, const struct levels *l,
		     const bool *ok, struct compare_row *row)
{
	struct bootstrap *b = calloc(c->nr_runs, sizeof(*b));

	if (!b)
		return -1;
	for (size_t k = 0; k < c->nr_runs; k++) {
		const struct import_test *t = group_member(c, g, k);
		const struct stratum *st;
		size_t n = t ? strata(m, &l[k], &st) : 0;
		b[k].rate = b[k].low = b[k].high = NAN;
		if (n && bootstrap_rate(&b[k], t->point, st, n, (unsigned)k) < 0) {
			free(b);
			return -1;
		}
		if (!isnan(b[k].low) && b[k].rate > 0)
			row->spread[k] = (b[k].high - b[k].low) / 2 / b[k].rate;
	}
	for (size_t k = 0; k < c->nr_runs; k++) {
		const struct import_test *t = group_member(c, g, k), *base = group_member(c, g, g->first);
		if (!t || k == g->first || !ok[k] || isnan(row->ratio[k]) || m->from > FROM_BASELINE)
			continue;
		int differ = bootstrap_differ(&b[g->first], &b[k]);
		bool bw = m->from == FROM_BW || (m->from == FROM_SHOWN && !isnan(t->r->all.bw_bytes));
		row->significant[k] = differ >= 0 ? (differ ? TRI_TRUE : TRI_FALSE) : repeats_differ(base->r, t->r, bw);
	}
	free(b);
	return 0;
}

/* One row, if any run has the figure. */
int compare_metric(struct comparison *c, const struct group *g, const struct metric *m, bool always,
		   const struct levels *l, const struct standing *s)
{
	enum test_kind kind = group_member(c, g, g->first)->r->kind;
	struct compare_row row = { .metric = m->name, .unit = m->unit, .dd = kind == TEST_DD && m->from == FROM_SHOWN };
	bool have = false;

	for (size_t k = 0; k < COMPARE_RUNS_MAX; k++)
		row.value[k] = row.spread[k] = row.ratio[k] = NAN;
	for (size_t k = 0; k < c->nr_runs; k++) {
		const struct import_test *t = group_member(c, g, k);
		row.value[k] = t ? figure(m, t, &l[k]) * m->scale : NAN;
		row.too_short[k] = t && t->r->too_short && isnan(row.value[k]);
		have = have || !isnan(row.value[k]);
	}
	if (!have && !always)
		return 0;
	snprintf(row.test, sizeof(row.test), "%s", group_member(c, g, g->first)->r->name);
	memcpy(row.not_comparable, s->why, sizeof(row.not_comparable));
	memcpy(row.differs, s->differs, sizeof(row.differs));
	for (size_t k = 0; k < c->nr_runs; k++)
		if (s->ok[k] && row.value[g->first] > 0)
			row.ratio[k] = row.value[k] / row.value[g->first];
	if (add_noise(c, g, m, l, s->ok, &row) < 0)
		return -1;
	struct compare_row *at = add_row(c);
	if (!at)
		return -1;
	*at = row;
	return 0;
}

static bool bonnie_block(const char *name)
{
	return strcmp(name, "write-block") == 0 || strcmp(name, "rewrite") == 0 || strcmp(name, "read-block") == 0;
}

/* The figures of each kind of test, in the order of the rows. */
size_t metrics_of(const struct import_test *t, struct metric out[METRICS_MAX])
{
	static const struct metric block[] = {
		{ "iops", "IO/s", 1, FROM_IOPS },	   { "bw_bytes", "B/s", 1, FROM_BW },
		{ "burst_iops", "IO/s", 1, FROM_BURST },   { "baseline_iops", "IO/s", 1, FROM_BASELINE },
		{ "burst_s", "s", 1, FROM_BURST_S },	   { "clat_p50", "ns", 1, FROM_CLAT_P50 },
		{ "clat_p99", "ns", 1, FROM_CLAT_P99 },	   { "lat_p50", "ns", 1, FROM_P50 },
		{ "lat_p99", "ns", 1, FROM_P99 },	   { "lat_max", "ns", 1, FROM_MAX },
	}, net[] = {
		{ "bits_per_second", "Gbit/s", 8e-9, FROM_BW },
		{ "burst_bits_per_second", "Gbit/s", 8e-9, FROM_BURST },
		{ "baseline_bits_per_second", "Gbit/s", 8e-9, FROM_BASELINE },
		{ "burst_s", "s", 1, FROM_BURST_S },
		{ "retransmits", "segments", 1, FROM_RETRANSMITS },
		{ "lost_pct", "%", 1, FROM_LOST },
		{ "jitter", "ns", 1e6, FROM_JITTER },
	}, kib[] = { { "bw_kib", "KiB/s", 1.0 / 1024, FROM_SHOWN }, { "cpu_pct", "%", 1, FROM_CPU }, { "lat_max", "ns", 1, FROM_MAX } },
	  seeks[] = { { "seeks", "seeks/s", 1, FROM_IOPS }, { "cpu_pct", "%", 1, FROM_CPU }, { "lat_max", "ns", 1, FROM_MAX } },
	  files[] = { { "files", "files/s", 1, FROM_IOPS }, { "cpu_pct", "%", 1, FROM_CPU }, { "lat_max", "ns", 1, FROM_MAX } },
	  dd[] = { { "bw_bytes", "B/s", 1, FROM_SHOWN }, { "durable_s", "s", 1, FROM_DURABLE } },
	  hdparm[] = { { "bw_mib", "MiB/s", 1.0 / 1048576, FROM_SHOWN } };
#define TAKE(a) (memcpy(out, a, sizeof(a)), sizeof(a) / sizeof(*(a)))
	switch (t->r->kind) {
	case TEST_NET:
		return TAKE(net);
	case TEST_CHAR:
		return TAKE(kib);
	case TEST_FILE:
		return TAKE(files);
	case TEST_DD:
		return strcmp(t->r->name, "T7") == 0 ? TAKE(hdparm) : TAKE(dd);
	default: /* bonnie++ gives other figures of its block tests than fio of its jobs */
		return strcmp(t->r->name, "seeks") == 0 ? TAKE(seeks) : bonnie_block(t->r->name) ? TAKE(kib) : TAKE(block);
	}
#undef TAKE
}
