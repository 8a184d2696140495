/* SPDX-License-Identifier: MIT */
/* Results: this run against expectation, test by test; the one that is chosen in full; earlier runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aws/netmodel.h"
#include "aws/reference.h"
#include "aws/task_note.h"
#include "engine/knee.h"
#include "engine/units.h"
#include "tui/panel.h"
#include "tui/report_words.h"
#include "tui/sweep.h"
#include "tui/view_network.h"

/* What was expected of a result: as it says itself, since its recording may be from another machine. No document speaks of
 * files and characters. */
static double expected_iops(const struct result *r)
{
	bool of_volume = r->kind != TEST_CHAR && r->kind != TEST_FILE;
	const json_t *e = r->more && of_volume ? json_object_get(r->more, "expected") : NULL;

	return e ? json_get_num(e, "iops_max", NAN) : NAN;
}

static const char *trust_text(const struct result *r, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s%s", r->cached == TRI_TRUE ? "cached " : "",
		 !isnan(r->amplified) ? "amplified " : "", r->cpu_bound ? "cpu-bound " : "",
		 r->too_short ? "too short " : "");
	return buf;
}

/* A list scrolls as far as it must to show what is chosen. */
static int first_shown(int chosen, int rows)
{
	return chosen >= rows ? chosen - rows + 1 : 0;
}

/* --- the tests --- */

/* What a bar without an expectation is as long as: dd and characters are told by their throughput. */
static double bar_figure(const struct result *r)
{
	return r->kind == TEST_DD || r->kind == TEST_CHAR ? r->all.bw_bytes : r->all.iops;
}

static void test_line(struct canvas *cv, struct rect in, int y, const struct result *r, bool on, double most,
		      enum ink ink)
{
	char iops[FMT_LEN], bw[FMT_LEN], p99[FMT_LEN], trust[64], percent[16] = "";
	bool memory = r->cached == TRI_TRUE; /* its figures are not the volume's: drawn back */
	unsigned badge, style = on ? STYLE_SELECTED : memory ? STYLE_FAINT : STYLE_TEXT, strong = on || memory ? style : STYLE_STRONG;
	double expect = expected_iops(r);
	int name = in.w >= 90 ? 20 : 14, x = in.x;

	if (on)
		canvas_fill(cv, (struct rect){ in.x, y, in.w, 1 }, ' ', style);
	canvas_textn(cv, x + 1, y, name, style, r->name);
	x += name + 2;
	bool none = r->too_short && isnan(r->all.iops); /* as bonnie++ writes it */
	canvas_right(cv, x + 8, y, 8, strong, none ? "+++++" : fmt_iops(iops, r->all.iops));
	canvas_right(cv, x + 16, y, 7, style, none ? "+++++" : fmt_mibps(bw, r->all.bw_bytes));
	canvas_right(cv, x + 26, y, 9, style, fmt_lat(p99, r->lat.pct[2]));
	x += 27;
	const char *verdict = verdict_text(r->verdict, &badge);
	int end = in.x + in.w - 1, bar = end - 12 - 6 - x - 1;
	if (bar >= 6 && !isnan(r->all.iops)) {
		double share = isnan(expect) ? bar_figure(r) / most : r->all.iops / expect / 1.1;
		draw_bar(cv, x, y, bar, share, ink,
			 memory ? STYLE_METER : style_grad(GRAD_RATE, 0.55));
		if (!isnan(expect)) {
			int mark = x + (int)(bar / 1.1);
			struct cell under = canvas_at(cv, mark, y);
			canvas_put(cv, mark, y,
				   under.ch == ' '   ? 0x250a
				   : under.ch == '.' ? '|'
						     : 0x2503,
				   STYLE_LIMIT);
			double of = 100 * r->all.iops / expect;
			snprintf(percent, sizeof(percent), of < 999.5 ? "%.0f %%" : ">999 %%", of);
		}
	}
	canvas_right(cv, end - 12, y, 6, on ? style : STYLE_LABEL, percent);
	if (*verdict && !memory)
		canvas_printf(cv, end - 11, y, badge, " %s ", verdict);
	else
		canvas_textn(cv, end - 11, y, 11, STYLE_WARN, memory ? "cached" : trust_text(r, trust, sizeof(trust)));
}

static void draw_tests(const struct frame *f, struct canvas *cv, struct rect at)
{
	size_t n = f->run ? f->run->nr_results : 0;
	bool focus = !f->results->in_runs;
	struct rect in = panel(cv, at, focus ? STYLE_FRAME_FOCUS : STYLE_FRAME_RATE, "This run", STYLE_LABEL,
			       f->run ? run_end_name(f->run->end) : NULL);
	double most[TEST_NR] = { 0 }; /* of tests of one kind; what memory gave is no measure for the others */

	if (rect_empty(in))
		return;
	if (n == 0) {
		draw_wrapped(cv, (struct rect){ in.x + 1, in.y, in.w - 2, in.h }, STYLE_LABEL,
			     f->run ? "No test has ended yet: Live (2) shows the one in hand."
				    : "Nothing was run yet.");
		return;
	}
	int name = in.w >= 90 ? 20 : 14;
	canvas_text(cv, in.x + 1, in.y, STYLE_LABEL, "test");
	canvas_right(cv, in.x + name + 10, in.y, 8, STYLE_LABEL, "IOPS");
	canvas_right(cv, in.x + name + 18, in.y, 7, STYLE_LABEL, "MiB/s");
	canvas_right(cv, in.x + name + 28, in.y, 9, STYLE_LABEL, "p99");
	bool expected = false;
	for (size_t i = 0; i < n; i++) {
		const struct result *r = f->run->results[i];
		if (r->cached != TRI_TRUE)
			most[r->kind] = fmax(most[r->kind], bar_figure(r));
		expected = expected || !isnan(expected_iops(r));
	}
	if (in.w - name > 50)
		canvas_right(cv, in.x + in.w - 13, in.y, 11, STYLE_LABEL, expected ? "of expected" : "of the most");
	int rows = in.h - 1, first = first_shown(f->results->test, rows);
	for (int row = 0; row < rows && (size_t)(first + row) < n; row++)
		test_line(cv, in, in.y + 1 + row, f->run->results[first + row],
			  focus && first + row == f->results->test, most[f->run->results[first + row]->kind], f->ink);
	if ((size_t)(first + rows) < n)
		canvas_text(cv, at.x + at.w - 3, at.y + at.h - 1, STYLE_KEY, "▾");
}

/* --- one test in full --- */

static void latency_row(struct canvas *cv, int x, int y, int w, const char *name, const struct lat_stats *s)
{
	char buf[FMT_LEN];

	canvas_text(cv, x, y, STYLE_LABEL, name);
	canvas_right(cv, x + 5 + w, y, w, STYLE_TEXT, fmt_lat(buf, s->mean));
	for (int i = 0; i < 5; i++)
		canvas_right(cv, x + 5 + w * (i + 2), y, w,
			     i == 0   ? STYLE_P50
			     : i == 2 ? STYLE_P99
			     : i == 3 ? STYLE_P999
				      : STYLE_TEXT,
			     fmt_lat(buf, s->pct[i]));
	canvas_right(cv, x + 5 + w * 7, y, w, STYLE_TEXT, fmt_lat(buf, s->max));
}

static int latency_table(struct canvas *cv, struct rect in, int y, const struct result *r)
{
	static const char *const heads[] = { "mean", "p50", "p90", "p99", "p99.9", "p99.99", "max" };

	int w = in.w >= 75 ? 10 : in.w >= 68 ? 9 : 8;
	if (in.w < 36)
		return y;
	for (int i = 0; i < 7; i++)
		canvas_right(cv, in.x + 5 + w * (i + 1), y, w, STYLE_LABEL, heads[i]);
	latency_row(cv, in.x, y + 1, w, "lat", &r->lat);
	latency_row(cv, in.x, y + 2, w, "clat", &r->clat);
	latency_row(cv, in.x, y + 3, w, "slat", &r->slat);
	return y + 4;
}

/* Its phases as they are in the result. */
static size_t result_bands(const struct result *r, double start_s, struct band *out, struct band_label *label)
{
	static const struct {
		const char *kind;
		unsigned style;
		enum shade shade;
	} looks[] = { { "ramp", STYLE_RAMP, SHADE_SETUP },
		      { "burst", STYLE_BURST, SHADE_BURST },
		      { "baseline", STYLE_BASELINE, SHADE_NONE },
		      { "steady", STYLE_STEADY, SHADE_NONE } };
	const json_t *phases = r->more ? json_object_get(r->more, "phases") : NULL, *p;
	size_t i, n = 0;
	char figure[FMT_LEN];

	json_array_foreach(phases, i, p)
	{
		const char *kind = json_get_text(p, "kind", "");
		for (size_t k = 0; k < sizeof(looks) / sizeof(*looks) && n < LIVE_BANDS; k++)
			if (strcmp(looks[k].kind, kind) == 0) {
				snprintf(label[n].text, sizeof(label[n].text), "%s %s", kind,
					 fmt_iops(figure, json_get_num(p, "iops", NAN)));
				out[n] = (struct band){ json_get_num(p, "start_s", 0) - start_s,
							json_get_num(p, "end_s", 0) - start_s, label[n].text,
							looks[k].style, looks[k].shade };
				n++;
			}
	}
	return n;
}

#define LEVEL_DOTS 1024

static void draw_result_plot(const struct frame *f, struct canvas *cv, struct rect at, const struct result *r)
{
	const struct bins *b = f->result_rate;
	struct band band[LIVE_BANDS];
	struct band_label label[LIVE_BANDS];
	struct limit_line limit[2] = { { expected_iops(r), "expected", false } };
	double level[LEVEL_DOTS];
	struct pace pace[LIVE_PACES];

	if (!b || b->n == 0 || at.h < 5)
		return;
	double top = live_top(b->value[BIN_IOPS], b->n);
	struct time_plot p = { .at = at,
			       .ink = f->ink,
			       .t0 = 0,
			       .t1 = b->n * b->step,
			       .pace = pace,
			       .fill = { b->value[BIN_IOPS], (size_t)b->n },
			       .below = GRAD_RATE,
			       .above = GRAD_RATE,
			       .limit = limit,
			       .nr_limits = limit[0].value > 0,
			       .band = band,
			       .nr_bands = result_bands(r, f->result_start_s, band, label) };
	p.nr_pace = live_paces(f->run, f->result_start_s, &p.scale, pace);
	if (f->result_ghost && b->n <= LEVEL_DOTS) {
		ghost_series(&p, &f->result_ghost->rate, BIN_IOPS, f->result_ghost->iops, level);
		ghost_limit(&p, f->result_ghost->iops, limit);
	}
	p.ymax = plot_ymax(top, limit, p.nr_limits);
	plot_time(cv, &p);
	if (f->result_ghost)
		ghost_legend(cv, &p, f->result_ghost);
}

int view_results_dots(int w, int h, int tests)
{
	struct layout l;

	layout_results(w, h, tests, &l);
	struct rect in = rect_inner(l.panel[PANEL_DETAIL]);
	int dots = 2 * plot_dots((struct rect){ 0, 0, in.w - 2, 10 }).w;
	return dots < 0 ? 0 : dots;
}

/* One test in full: what it was, how it is judged, its latencies, its rate over time. */
static void draw_test(const struct frame *f, struct canvas *cv, struct rect in, const struct result *r)
{
	char text[256];
	int y = in.y;

	int after = canvas_textn(cv, in.x, y, in.w, STYLE_STRONG, test_text(r->kind, &r->wl, text, sizeof(text)));
	unsigned turns = result_turns(r);
	if (turns) {
		snprintf(text, sizeof(text), " at first; turned %u time%s", turns, turns > 1 ? "s" : "");
		canvas_textn(cv, after, y, in.x + in.w - after, STYLE_MARK, text);
	}
	y++;
	if (*r->measures) {
		char as[300];
		snprintf(as, sizeof(as), "%s%s%s", r->measures, *r->equivalent ? "; as: " : "", r->equivalent);
		y += draw_wrapped(cv, (struct rect){ in.x, y, in.w, 3 }, STYLE_LABEL, as);
	}
	unsigned style;
	const char *verdict = verdict_text(r->verdict, &style);
	if (*verdict) {
		int x = canvas_printf(cv, in.x, y, style, " %s ", verdict) + 1;
		int used = draw_wrapped(cv, (struct rect){ x, y, in.x + in.w - x, 5 }, STYLE_TEXT, r->reason);
		y += used > 0 ? used : 1;
	}
	if (*words_durable(r, text, sizeof(text)))
		canvas_textn(cv, in.x, y++, in.w, STYLE_TEXT, text);
	if (*words_repeat(r, text, sizeof(text)))
		canvas_textn(cv, in.x, y++, in.w, STYLE_TEXT, text);
	y = latency_table(cv, in, y + 1, r) + 1;
	char ios[FMT_LEN], size[FMT_LEN], moved[FMT_LEN], cpu[24] = "";
	if (!isnan(r->cpu_pct))
		snprintf(cpu, sizeof(cpu), ", %.0f %% of a CPU", r->cpu_pct);
	int n = snprintf(text, sizeof(text), "%s I/Os, %s%s, %llu errors", fmt_iops(ios, (double)r->all.ios),
			 fmt_size(size, (double)r->all.bytes), cpu, (unsigned long long)r->errors);
	if (!isnan(r->device_bytes) && n > 0)
		snprintf(text + n, sizeof(text) - (size_t)n, ", the device moved %s", fmt_size(moved, r->device_bytes));
	canvas_textn(cv, in.x, y++, in.w, STYLE_LABEL, text);
	char task[600];
	if (r->more && *task_note_text(json_object_get(r->more, "task"), task, sizeof(task)))
		y += draw_wrapped(cv, (struct rect){ in.x, y, in.w, 3 }, STYLE_LABEL, task);
	for (unsigned i = 0; i < r->nr_warnings && y < in.y + in.h; i++)
		y += draw_wrapped(cv, (struct rect){ in.x, y, in.w, in.y + in.h - y }, STYLE_WARN,
				  r->warning[i]);
	draw_result_plot(f, cv, (struct rect){ in.x, y + 1, in.w, in.y + in.h - y - 1 }, r);
}

#define TEST_ROWS 10 /* that draw_test() fills without a plot */

/* A series of depths: its curve comes first, and the test that is chosen has what room is left. */
static void draw_depths(const struct frame *f, struct canvas *cv, struct rect in, const struct sweep *s, const struct result *r)
{
	char words[400];
	int y = in.y;

	if (s->has_knee)
		y += draw_wrapped(cv, (struct rect){ in.x, y, in.w, in.h >= 10 ? 3 : 1 }, STYLE_TEXT, knee_text(&s->knee, words, sizeof(words)));
	int room = in.y + in.h - y, curve = room >= 8 + TEST_ROWS ? (room - TEST_ROWS > 20 ? 20 : room - TEST_ROWS) : room;
	draw_sweep(f, cv, (struct rect){ in.x, y, in.w, curve }, s, f->results->test);
	y += curve + 1;
	if (in.y + in.h - y >= TEST_ROWS - 1)
		draw_test(f, cv, (struct rect){ in.x, y, in.w, in.y + in.h - y }, r);
}

static void draw_detail(const struct frame *f, struct canvas *cv, struct rect at)
{
	size_t n = f->run ? f->run->nr_results : 0;
	const struct result *r =
		n ? f->run->results[(size_t)f->results->test < n ? (size_t)f->results->test : n - 1] : NULL;
	struct sweep sweep;
	bool depths = n > 1 && sweep_of(&sweep, f->run);
	struct rect in = panel(cv, at, STYLE_FRAME_SIDE, depths ? "IOPS by depth" : r ? r->name : "Test", STYLE_LABEL,
			       depths ? "mean latency below" : NULL);

	if (rect_empty(in) || !r)
		return;
	in.x++;
	in.w -= 2;
	struct rect before = canvas_clip(cv, in);
	if (r->kind == TEST_NET)
		draw_net_result(f, cv, in, r);
	else if (depths)
		draw_depths(f, cv, in, &sweep, r);
	else
		draw_test(f, cv, in, r);
	canvas_unclip(cv, before);
}

/* --- earlier runs --- */

#define REFERENCE_W 34

static void run_line(const struct frame *f, struct canvas *cv, struct rect in, int y, int i)
{
	const struct run_entry *e = &f->results->run[i];
	bool on = f->results->in_runs && i == f->results->chosen;
	unsigned style = on ? STYLE_SELECTED : STYLE_TEXT, badge;
	const char *hour = strlen(e->started) > 11 ? e->started + 11 : "";
	int x = in.x + 1, end = in.x + in.w - 1, room = end - 14 - x;
	char iops[FMT_LEN], date[20] = "";

	if (on)
		canvas_fill(cv, (struct rect){ in.x, y, in.w, 1 }, ' ', style);
	bool year = room >= 32; /* where the title has room too */
	if (room >= 16)
		snprintf(date, sizeof(date), "%.*s %.5s", year ? 10 : 5, year || strlen(e->started) < 5 ? e->started : e->started + 5, hour);
	else if (room >= 5) /* the figure before the day */
		snprintf(date, sizeof(date), "%.5s", hour);
	if (reference_named(e->path)) { /* no date of a run of ours and no figure: room for its name */
		x = canvas_text(cv, x, y, on ? style : STYLE_LABEL, "ref") + 1;
		int name = canvas_textn(cv, x, y, end - x, style, e->title) + 2;
		x = in.w >= 100 && name < x + REFERENCE_W ? x + REFERENCE_W : name; /* a column where it leaves room */
		canvas_textn(cv, x, y, end - x, on ? style : STYLE_LABEL, e->target);
		return;
	}
	x = canvas_text(cv, x, y, on ? style : STYLE_LABEL, date) + 1;
	const char *verdict = verdict_text(e->verdict, &badge);
	if (*verdict) {
		char sign[8];
		const char *p = verdict;
		sign[utf8_put(sign, utf8_next(&p))] = 0;
		canvas_printf(cv, end - 3, y, badge, " %s ", sign);
	}
	canvas_right(cv, end - 4, y, 9, on ? style : STYLE_STRONG,
		     e->net ? net_fmt_bps(iops, 8 * e->bw_bytes) : fmt_iops(iops, e->iops));
	x = canvas_textn(cv, x, y, end - 14 - x, style, e->title) + 1;
	canvas_textn(cv, x, y, end - 14 - x, on ? style : STYLE_LABEL, e->target);
}

static void draw_runs(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct results *r = f->results;
	bool reference = r->nr_runs && reference_named(r->run[r->chosen].path);
	const char *hint = reference ? "Enter compares · g level" : at.w >= 58 ? "Enter plays · c compares · g ghost" : "Enter plays · c · g";
	struct rect in = panel(cv, at, r->in_runs ? STYLE_FRAME_FOCUS : STYLE_FRAME_LIST, "Earlier runs", STYLE_LABEL,
			       r->nr_runs ? hint : NULL);

	if (rect_empty(in))
		return;
	if (r->nr_runs == 0)
		canvas_textn(cv, in.x + 1, in.y, in.w - 2, STYLE_LABEL, "no recordings yet");
	int first = first_shown(r->chosen, in.h);
	for (int row = 0; row < in.h && (size_t)(first + row) < r->nr_runs; row++)
		run_line(f, cv, in, in.y + row, first + row);
}

#define DETAIL_MIN 14 /* rows in which a test in full says something */

/*
 * Where its panels are. Two runs side by side stand over the test in full where it has room too; without a run in hand
 * they stand below the list, which keeps a part.
 */
static void arrange(const struct frame *f, int w, int h, struct layout *l)
{
	int tests = f->run ? (int)f->run->nr_results : 0;
	struct rect *runs = &l->panel[PANEL_RUNS], *detail = &l->panel[PANEL_DETAIL];

	if (tests > 2 && h < 32 && knee_planned(f->run->header))
		tests = 2; /* the curve shows them all */
	layout_results(w, h, tests, l);
	if (!f->beside)
		return;
	int rows = beside_rows(f->beside);
	if (rect_empty(*detail)) {
		int list = runs->h - rows > runs->h / 3 ? runs->h - rows : runs->h / 3;
		l->panel[PANEL_BESIDE] = (struct rect){ runs->x, runs->y + list, runs->w, runs->h - list };
		runs->h = list;
		return;
	}
	l->panel[PANEL_BESIDE] = *detail;
	if (detail->h - rows >= DETAIL_MIN) {
		l->panel[PANEL_BESIDE].h = rows;
		detail->y += rows;
		detail->h -= rows;
	} else {
		*detail = (struct rect){ 0 };
	}
}

static int list_row(struct rect panel, int head, int chosen, size_t n, int x, int y)
{
	struct rect in = rect_inner(panel);
	int row = y - in.y - head;

	if (rect_empty(panel) || x < in.x || x >= in.x + in.w || row < 0 || row >= in.h - head)
		return -1;
	row += first_shown(chosen, in.h - head);
	return (size_t)row < n ? row : -1;
}

bool view_results_row(const struct frame *f, int w, int h, int x, int y, bool *in_runs, int *row)
{
	struct layout l;

	arrange(f, w, h, &l);
	*row = list_row(l.panel[PANEL_TESTS], 1, f->results->test, f->run ? f->run->nr_results : 0, x, y);
	*in_runs = *row < 0;
	if (*in_runs)
		*row = list_row(l.panel[PANEL_RUNS], 0, f->results->chosen, f->results->nr_runs, x, y);
	return *row >= 0;
}

void view_results(const struct frame *f, struct canvas *cv)
{
	struct layout l;

	arrange(f, cv->w, cv->h, &l);
	draw_header(f, cv, l.header);
	draw_summary(f, cv, l.summary);
	draw_tests(f, cv, l.panel[PANEL_TESTS]);
	if (f->beside)
		draw_beside(f, cv, l.panel[PANEL_BESIDE]);
	draw_detail(f, cv, l.panel[PANEL_DETAIL]);
	draw_runs(f, cv, l.panel[PANEL_RUNS]);
	draw_keys(f, cv, l.keys);
}
