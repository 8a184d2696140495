/* SPDX-License-Identifier: MIT */
#include "tui/live.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"

void live_release(struct live *l)
{
	bins_release(&l->rate);
	bins_release(&l->bw);
	*l = (struct live){ 0 };
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static bool same_stretch(const struct sample *a, const struct sample *b)
{
	return a->test == b->test && a->repeat == b->repeat &&
	       (a->phase == PHASE_LAYOUT) == (b->phase == PHASE_LAYOUT);
}

/* Where the newest row's stretch begins. */
static size_t stretch_from(const struct live *l, struct span span)
{
	const struct sample *last = &span.row[span.n - 1];
	size_t i = span.n - 1;

	if (l->row == span.row && l->from < span.n && same_stretch(&span.row[l->from], last))
		return l->from;
	while (i > 0 && same_stretch(&span.row[i - 1], last))
		i--;
	return i;
}

double live_axis(double now_s)
{
	static const double steps[] = { 10,   20,   30,   60,    120,   300,   600,  1200,
					1800, 3600, 7200, 14400, 28800, 43200, 86400 };

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (now_s <= steps[i])
			return steps[i];
	return ceil(now_s / 86400) * 86400;
}

static unsigned repeats_of(const struct planned *p)
{
	return p->repeats ? p->repeats : 1;
}

/* One repetition, with its ramp. */
static double planned_seconds(const struct planned *p)
{
	return p->seconds / repeats_of(p);
}

/* A test that ends with its work: how far it is, by what it has done; what is left of it at that rate. */
static void plan_work(struct live *l, const struct run_header *h)
{
	const struct planned *p = &h->planned[l->test];
	unsigned repeats = repeats_of(p);
	double share = p->ios > 0 && !l->layout ? fmin(l->ios / p->ios, 1) : NAN, done = isnan(share) ? 0 : share;

	if (isnan(share) && h->nr_planned == 1 && !l->layout)
		return; /* nobody knows how much of it there is: a watch */
	l->run_share = (l->test + (l->repeat + done) / repeats) / h->nr_planned;
	if (share > 0.01 && l->measured_s > 0)
		l->test_left_s = l->measured_s * (1 / share - 1 + (repeats - 1 - l->repeat) / share);
}

/* The run as a whole: tests done, and the one in hand, against the plan. */
static void plan(struct live *l, const struct run_header *h)
{
	double done = 0, all = 0;

	l->total_s = l->run_share = l->run_left_s = l->test_left_s = NAN;
	if (l->test >= h->nr_planned)
		return;
	for (unsigned i = 0; i < h->nr_planned; i++) {
		double one = planned_seconds(&h->planned[i]);
		all += h->planned[i].seconds;
		if (i < l->test)
			done += h->planned[i].seconds;
		else if (i == l->test && !l->layout)
			done += one * l->repeat + fmin(l->now_s, one);
	}
	if (!l->layout && planned_seconds(&h->planned[l->test]) > 0)
		l->total_s = planned_seconds(&h->planned[l->test]);
	if (all > 0) {
		l->run_share = fmin(done / all, 1);
		l->run_left_s = fmax(all - done, 0);
	} else if (isnan(all)) {
		plan_work(l, h);
	}
}

/* Rows that were not counted yet: means, and how often each rate was seen. */
static void count_rows(struct live *l, struct span span)
{
	for (; l->next < span.n; l->next++) {
		const struct sample *s = &span.row[l->next];
		double rate = sample_iops(s);
		if (isnan(rate) || (s->phase != PHASE_MEASURE && s->phase != PHASE_LAYOUT))
			continue;
		l->measured_s += sample_seconds(s);
		l->ios += (double)sample_ios(s);
		l->bytes += (double)sample_bytes(s);
		l->seen[hist_index((uint64_t)llround(rate))]++;
		l->ticks++;
	}
	l->iops_mean = l->measured_s > 0 ? l->ios / l->measured_s : NAN;
	l->bw_mean = l->measured_s > 0 ? l->bytes / l->measured_s : NAN;
}

/* Rates over the last second. */
static void newest(struct live *l, struct span span)
{
	double secs = 0, ios = 0, bytes = 0;

	for (size_t i = span.n; i > l->from && secs < 0.999; i--) {
		const struct sample *s = &span.row[i - 1];
		secs += sample_seconds(s);
		ios += (double)sample_ios(s);
		bytes += (double)sample_bytes(s);
	}
	l->iops_now = secs > 0 ? ios / secs : NAN;
	l->bw_now = secs > 0 ? bytes / secs : NAN;
}

double live_balance(const struct sample *s, const struct expectation *e, size_t i)
{
	return i == 0 && e->volume_bucket ? s->model_balance
					  : s->model_host[e->bucket[i].limit == BOUND_HOST_BW];
}

/* The next turn of the time scale, from event @p i on, where @p scale is left at what it was set to. @return its index */
static size_t next_turn(const struct runlog_snap *run, size_t i, double *scale)
{
	for (double to; i < run->nr_events; i++)
		if (run->events[i].kind == EVENT_KNOB && sscanf(run->events[i].text, "time scale %lf", &to) == 1 && to > 0 && to < 1e6) {
			*scale = to;
			break;
		}
	return i;
}

static double first_scale(const struct runlog_snap *run)
{
	return run->header->time_scale > 0 ? run->header->time_scale : 1;
}

double live_scale(const struct runlog_snap *run)
{
	double scale = first_scale(run);

	for (size_t i = 0; (i = next_turn(run, i, &scale)) < run->nr_events; i++)
		;
	return scale;
}

void live_scales(const struct runlog_snap *run, double *lo, double *hi)
{
	double scale = first_scale(run);

	*lo = *hi = scale;
	for (size_t i = 0; (i = next_turn(run, i, &scale)) < run->nr_events; i++) {
		*lo = fmin(*lo, scale);
		*hi = fmax(*hi, scale);
	}
}

double live_volume_s(const struct runlog_snap *run, double from_s, double to_s)
{
	double scale = first_scale(run), next = scale, sum = 0;

	for (size_t i = 0; (i = next_turn(run, i, &next)) < run->nr_events; i++) {
		double t = fmin(fmax(seconds(run->events[i].t_ns), from_s), to_s);
		sum += (t - from_s) * scale;
		from_s = t;
		scale = next;
	}
	return sum + (to_s - from_s) * scale;
}

size_t live_paces(const struct runlog_snap *run, double start_s, double *scale, struct pace *out)
{
	double next = *scale = first_scale(run);
	size_t n = 0;

	for (size_t i = 0; (i = next_turn(run, i, &next)) < run->nr_events; i++) {
		double t = seconds(run->events[i].t_ns) - start_s;
		if (t <= 0)
			*scale = next;
		else if (n < LIVE_PACES)
			out[n++] = (struct pace){ t, next };
	}
	return n;
}

/* The first row behind the last turn of a knob: a refill is a jump and no rate, and another time scale another rate. */
static size_t since_knob(const struct live *l, const struct runlog_snap *run)
{
	size_t i = run->span.n, e = run->nr_events;

	while (e > 0 && run->events[e - 1].kind != EVENT_KNOB)
		e--;
	while (i > l->from && (e == 0 || run->span.row[i - 1].t_ns > run->events[e - 1].t_ns))
		i--;
	return i;
}

/* What a bucket did in the last five seconds, from row @p from on: units a volume second that it lost. */
static double spend_of(size_t from, struct span span, const struct expectation *e, size_t bucket,
		       double scale)
{
	const struct sample *last = &span.row[span.n - 1], *then = last;
	double back = 0;

	for (size_t i = span.n; i > from && back < 5; i--) {
		then = &span.row[i - 1];
		back = seconds(last->t_ns - then->t_ns);
	}
	return back > 0 ? (live_balance(then, e, bucket) - live_balance(last, e, bucket)) / (back * scale) : NAN;
}

/* The bucket to show: the one that will be empty first; where none falls, the volumes'. */
static size_t next_empty(size_t from, struct span span, const struct expectation *e, double scale)
{
	const struct sample *last = &span.row[span.n - 1];
	double first = INFINITY;
	size_t at = 0;

	for (size_t i = 0; i < e->nr_buckets; i++) {
		double balance = live_balance(last, e, i), spend = spend_of(from, span, e, i, scale);
		double tiny = e->bucket[i].capacity * 1e-6;
		if (balance > tiny && spend > tiny && balance / spend < first) {
			first = balance / spend;
			at = i;
		}
	}
	return at;
}

static void credits(struct live *l, const struct expectation *e, const struct runlog_snap *run)
{
	struct span span = run->span;
	double scale = live_scale(run);
	size_t from = since_knob(l, run);

	l->balance = l->spend = l->capacity = l->empty_s = l->full_s = NAN;
	if (!e || !e->nr_buckets || !span.n)
		return;
	l->bucket = next_empty(from, span, e, scale);
	l->balance = live_balance(&span.row[span.n - 1], e, l->bucket);
	if (isnan(l->balance))
		return;
	l->spend = spend_of(from, span, e, l->bucket, scale);
	l->capacity = e->bucket[l->bucket].capacity;
	double tiny = l->capacity * 1e-6;
	l->empty_s = l->balance <= tiny ? 0 : l->spend > tiny ? l->balance / l->spend : INFINITY;
	l->full_s = l->balance >= l->capacity - tiny ? 0
		    : l->spend < -tiny               ? (l->capacity - l->balance) / -l->spend
						     : INFINITY;
	if (isnan(l->empty_at_s) && l->empty_s == 0)
		for (size_t i = l->from; i < span.n && isnan(l->empty_at_s); i++)
			if (live_balance(&span.row[i], e, l->bucket) <= tiny)
				l->empty_at_s = seconds(span.row[i].t_ns) - l->start_s;
}

/* The highest value but for single peaks: they are cut off rather than that all the rest lies flat. */
double live_top(const double *y, int n)
{
	double first = 0, third = 0, second = 0;
	int seen = 0;

	for (int i = 0; i < n; i++) {
		if (isnan(y[i]))
			continue;
		seen++;
		if (y[i] > first) {
			third = second;
			second = first;
			first = y[i];
		} else if (y[i] > second) {
			third = second;
			second = y[i];
		} else if (y[i] > third) {
			third = y[i];
		}
	}
	return seen > 12 && first > 2.5 * third && third > 0 ? third : first;
}

/* Find the phases anew when a hundredth was added: what was found is drawn, and it costs nothing to speak of.
 */
static void find_phases(struct live *l, const struct runlog_snap *run)
{
	size_t n = run->span.n - l->from, nr_cuts = 0;
	double cut[RESULT_TURNS_MAX];

	if (l->layout || (n < l->phased + 1 + l->phased / 100 && run->end == RUN_RUNNING) || n == l->phased)
		return;
	struct phase_point *pt = malloc(n * sizeof(*pt));
	if (!pt)
		return;
	for (size_t i = 0; i < run->nr_events && nr_cuts < RESULT_TURNS_MAX; i++)
		if (run->events[i].kind == EVENT_KNOB && run->events[i].test == l->test)
			cut[nr_cuts++] = seconds(run->events[i].t_ns);
	n = phase_points(run->span.row + l->from, n, l->test, l->repeat, pt);
	int found = n ? phases_find(pt, n, cut, nr_cuts, l->phase, PHASES_MAX) : 0;
	l->nr_phases = found > 0 ? (size_t)found : 0;
	l->phased = run->span.n - l->from;
	free(pt);
}

/* The time on the plot: the whole stretch from its start, or a window that ends now. */
static void fill_bins(struct live *l, struct bins *b, struct span span, double span_s, int dots)
{
	/* a last tick that straddles the end is no reason for another axis */
	bool planned = l->total_s > 0 && l->now_s <= l->total_s * 1.02 + 0.5;
	double total = planned ? l->total_s : live_axis(l->now_s);
	double length = span_s > 0 ? span_s : total, step = length / (dots > 0 ? dots : 1);
	double from = span_s > 0 && l->now_s > span_s ? ceil(l->now_s / step - 1e-6) * step - span_s : 0;

	if (dots <= 0 || bins_update(b, span, l->from, l->start_s, from, step, dots) < 0)
		bins_release(b);
}

static void new_stretch(struct live *l, struct span span, size_t from)
{
	const struct sample *first = &span.row[from], *last = &span.row[span.n - 1];

	l->row = span.row;
	l->from = l->next = from;
	l->test = last->test;
	l->repeat = last->repeat;
	l->layout = last->phase == PHASE_LAYOUT;
	l->start_s = seconds(first->t_ns - (first->dt_ns < first->t_ns ? first->dt_ns : first->t_ns));
	l->measured_s = l->ios = l->bytes = 0;
	l->ticks = 0;
	l->nr_phases = l->phased = 0;
	l->empty_at_s = NAN;
	memset(l->seen, 0, sizeof(l->seen));
}

void live_update(struct live *l, const struct runlog_snap *run, const struct expectation *expect,
		 double span_s, int dots_rate, int dots_bw)
{
	struct span span = run->span;

	l->any = span.n > 0;
	if (!l->any)
		return;
	size_t from = stretch_from(l, span);
	if (l->row != span.row || l->from != from)
		new_stretch(l, span, from);
	l->now_s = seconds(span.row[span.n - 1].t_ns) - l->start_s;
	plan(l, run->header);
	count_rows(l, span);
	newest(l, span);
	credits(l, expect, run);
	fill_bins(l, &l->rate, span, span_s, dots_rate);
	fill_bins(l, &l->bw, span, span_s, dots_bw);
	l->iops_top = live_top(l->rate.value[BIN_IOPS], l->rate.n);
	l->bw_top = live_top(l->bw.value[BIN_BW], l->bw.n);
	find_phases(l, run);
}

const struct sample *live_device(const struct runlog_snap *run, double *seconds)
{
	const struct sample *newest = NULL;

	for (size_t i = run->span.n; i-- > 0;) {
		const struct sample *s = &run->span.row[i];
		bool read = false;
		for (int k = 0; k < SAMPLE_LIMITS; k++)
			read |= s->limit_ns[k] != DEV_NONE;
		if (newest && (read || newest->t_ns - s->t_ns > 2000000000)) {
			*seconds = (double)(newest->t_ns - s->t_ns) / 1e9;
			return newest;
		}
		if (read)
			newest = s;
		else if (!newest && run->span.row[run->span.n - 1].t_ns - s->t_ns > 3000000000)
			break; /* nothing new for so long: it is no figure of now */
	}
	*seconds = 1;
	return newest;
}

/* --- what is drawn over the series --- */

static bool near(double a, double b)
{
	return fabs(a - b) <= 0.01 * fmax(fabs(a), fabs(b));
}

static size_t add_limit(struct limit_line *out, size_t n, double value, const char *label, double now)
{
	if (!(value > 0) || isinf(value) || n >= LIVE_LIMITS)
		return n;
	for (size_t i = 0; i < n; i++)
		if (near(out[i].value, value))
			return n;
	out[n] = (struct limit_line){ value, label, now >= value * 0.95 && now <= value * 1.05 };
	return n + 1;
}

bool live_watches(const struct runlog_snap *run)
{
	return run->header->nr_planned > 0 && run->header->planned[0].kind == TEST_WATCH;
}

double limit_iops(const struct expectation *e, const struct named_limit *l)
{
	uint64_t unit = e->volumes.n ? (uint64_t)e->volumes.v[0].type->io_unit : 256 * KIB;

	return l->bytes ? l->value / (double)e->bs : l->value / shape_ops(unit, e->bs);
}

/* What the workload's own rate cap holds is nobody's burst or limit. */
static const char *rate_label(const struct rate *r, const char *documented)
{
	return r->bound == BOUND_NONE ? "cap" : documented;
}

size_t live_limits(const struct expectation *e, bool bytes, double now, struct limit_line *out)
{
	static const struct {
		const char *name, *label;
	} others[] = { { "host burst", "host max|max" }, { "host baseline", "host" }, { "volume burst", "volume max|vol max|vol" },
			{ "volume", "volume|vol" } };
	size_t n = 0;

	if (!e)
		return 0;
	double burst = bytes ? e->burst.bw : e->burst.iops, base = bytes ? e->baseline.bw : e->baseline.iops;
	bool bursts = burst > base * 1.01;
	if (bursts)
		n = add_limit(out, n, burst, rate_label(&e->burst, "burst"), now);
	n = add_limit(out, n, base, rate_label(&e->baseline, bursts ? "base" : "limit"), now);
	for (size_t i = 0; i < e->nr_limits; i++) {
		const struct named_limit *l = &e->limit[i];
		if (l->bytes != bytes)
			continue;
		for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
			if (strncmp(l->name, others[k].name, strlen(others[k].name)) == 0) {
				n = add_limit(out, n, bytes ? l->value : limit_iops(e, l), others[k].label, now);
				break;
			}
	}
	return n;
}

bool live_between(const struct rate *before, const struct rate *after, int percent, bool bytes, struct limit_line *limit,
		  size_t *nr_limits, struct between *out, char *label)
{
	double from = bytes ? before->bw : before->iops, to = bytes ? after->bw : after->iops;
	char a[FMT_LEN], b[FMT_LEN];
	size_t n = 0;

	if (!(from > 0 && to > 0) || isinf(from) || isinf(to) || near(from, to))
		return false;
	for (size_t i = 0; i < *nr_limits; i++)
		if (!near(limit[i].value, from) && !near(limit[i].value, to) && n < LIVE_LIMITS - 2)
			limit[n++] = limit[i];
	limit[n++] = (struct limit_line){ from, "old", false };
	limit[n++] = (struct limit_line){ to, "new", false };
	*nr_limits = n;
	if (bytes)
		snprintf(label, LIVE_BETWEEN, "optimizing %d %%: %.0f to %.0f MiB/s", percent, from / MIB, to / MIB);
	else
		snprintf(label, LIVE_BETWEEN, "optimizing %d %%: %s to %s IOPS", percent, fmt_iops(a, from), fmt_iops(b, to));
	*out = (struct between){ fmin(from, to), fmax(from, to), label };
	return true;
}

int live_progress(const struct runlog_snap *run, int begun)
{
	int percent = INT_MAX;

	if (begun < 0)
		return -1;
	for (size_t i = run->nr_outside; i-- > 0 && percent == INT_MAX;) {
		const struct outside *o = &run->outside[i];
		if (strcmp(o->name, "optimizing") == 0 && !isnan(o->value))
			percent = (int)o->value;
	}
	return percent == INT_MAX ? begun : percent;
}

static size_t add_band(struct band *out, struct band_label *label, size_t n, double t0, double t1,
		       unsigned style, enum shade shade, const char *text)
{
	snprintf(label[n].text, sizeof(label[n].text), "%.47s", text);
	out[n] = (struct band){ t0, t1, label[n].text, style, shade };
	return n + 1;
}

/* The ramp that was asked for: rows before the first that counts. */
static double ramp_end(const struct live *l, struct span span)
{
	for (size_t i = l->from; i < span.n; i++)
		if (span.row[i].phase != PHASE_RAMP)
			return i == l->from ? 0 : seconds(span.row[i - 1].t_ns) - l->start_s;
	return l->now_s;
}

size_t live_bands(const struct live *l, const struct runlog_snap *run, struct band *out, struct band_label *label)
{
	static const struct {
		unsigned style;
		enum shade shade;
	} looks[PH_NR] = { [PH_RAMP] = { STYLE_RAMP, SHADE_SETUP },
			   [PH_BURST] = { STYLE_BURST, SHADE_BURST },
			   [PH_BASELINE] = { STYLE_BASELINE, SHADE_NONE },
			   [PH_STEADY] = { STYLE_STEADY, SHADE_NONE } };
	size_t n = 0;
	char figure[FMT_LEN], text[96];

	if (!l->any)
		return 0;
	if (l->layout)
		return add_band(out, label, 0, 0, l->now_s, STYLE_RAMP, SHADE_SETUP, "laying out the file");
	double ramp = ramp_end(l, run->span);
	if (ramp > 0)
		n = add_band(out, label, n, 0, ramp, STYLE_RAMP, SHADE_SETUP, "ramp");
	for (size_t i = 0; i < l->nr_phases; i++) {
		const struct phase *p = &l->phase[i];
		bool last = i + 1 == l->nr_phases;
		double t0 = p->start_s - l->start_s, t1 = last ? l->now_s : p->end_s - l->start_s;
		/* credits are being spent at this very level: it will not last, whatever the series alone
		 * says so far */
		bool bursting = last && p->kind == PH_STEADY && isfinite(l->empty_s) && l->empty_s > 0 &&
				run->end == RUN_RUNNING;
		enum phase_kind kind = bursting ? PH_BURST : p->kind;
		if (bursting)
			snprintf(text, sizeof(text), "bursting %s", fmt_iops(figure, p->iops));
		else if (p->kind == PH_BURST)
			snprintf(text, sizeof(text), "burst %s",
				 fmt_duration(figure, live_volume_s(run, p->start_s, p->end_s)));
		else
			snprintf(text, sizeof(text), "%s %s", phase_kind_name(p->kind),
				 fmt_iops(figure, p->iops));
		n = add_band(out, label, n, t0 < ramp ? ramp : t0, t1, looks[kind].style, looks[kind].shade,
			     text);
	}
	return n;
}

size_t live_moments(const struct live *l, const struct runlog_snap *run, struct moment *out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < run->nr_events; i++) {
		const struct event *e = &run->events[i];
		double t = seconds(e->t_ns) - l->start_s;
		if ((e->kind != EVENT_KNOB && e->kind != EVENT_MARK) || t < 0 || t > l->now_s + 1)
			continue;
		if (n == max) {
			memmove(out, out + 1, (max - 1) * sizeof(*out));
			n--;
		}
		out[n++] = (struct moment){ t, e->text };
	}
	return n;
}
