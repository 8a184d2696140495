/* SPDX-License-Identifier: MIT */
#include "tui/app_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/xdg.h"
#include "tui/view_live.h"
#include "tui/view_network.h"

/* Seconds on the plots; 0 is the whole stretch. */
const double app_spans[APP_SPANS] = { 5, 10, 30, 60, 300, 900, 3600, 0 };
#define MESSAGE_NS (4 * NS_PER_SEC)

static void say_where(struct app *a)
{
	char config[400];
	struct err err;

	if (xdg_state(a->recordings, sizeof(a->recordings), "runs", &err))
		xdg_tilde(a->recordings);
	else
		snprintf(a->recordings, sizeof(a->recordings), "%s", err.msg);
	snprintf(a->own_files, sizeof(a->own_files), "%s/ebscope: config.json, themes/, suites/",
		 xdg_tilde(xdg_config_home(config, sizeof(config))));
}

struct app *app_new(const struct app_ops *ops, void *ctx, const struct limits *limits)
{
	static const struct app_ops none;
	struct app *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->ops = ops ? ops : &none;
	a->ctx = ctx;
	a->w = 80;
	a->h = 24;
	a->speed = 1;
	a->span = APP_SPANS - 1;
	a->depth = DEPTH_256;
	theme_init(&a->theme);
	setup_form_init(&a->setup, limits);
	net_form_init(&a->net, limits);
	volumes_screen_init(&a->volumes, limits);
	say_where(a);
	return a;
}

static void drop_run(struct app *a)
{
	if (a->has_run)
		runlog_snap_release(&a->snap);
	a->has_run = false;
	live_release(&a->live);
	net_live_release(&a->net_live);
	bins_release(&a->result_rate);
}

void app_free(struct app *a)
{
	if (!a)
		return;
	drop_run(a);
	ghost_release(&a->ghost);
	beside_release(&a->beside);
	volumes_screen_release(&a->volumes);
	free(a);
}

void app_say(struct app *a, bool bad, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(a->message, sizeof(a->message), fmt, ap);
	va_end(ap);
	a->message_bad = bad;
	a->message_until = bad || a->now_ns == 0 ? 0 : a->now_ns + MESSAGE_NS;
}

/* --- the run on the screen --- */

/* The test's workload with every knob event on top: "iodepth 64", as workload_set() reads it. */
static void knobs(struct app *a)
{
	const struct run_header *h = a->snap.header;

	if (a->live.test >= h->nr_planned)
		return;
	a->wl = h->planned[a->live.test].wl;
	for (size_t i = 0; i < a->snap.nr_events; i++) {
		const struct event *e = &a->snap.events[i];
		char key[32], value[64];
		struct err ignored;
		if (e->kind == EVENT_KNOB && e->test == a->live.test &&
		    sscanf(e->text, "%31s %63s", key, value) == 2)
			(void)workload_set(&a->wl, key, strcmp(value, "none") == 0 ? "0" : value, &ignored);
	}
}

void app_place_ghost(struct app *a)
{
	if (!*a->ghost.name || !a->has_run)
		return;
	uint32_t test = a->live.any && !a->live.layout ? a->live.test : UINT32_MAX; /* a layout has none */
	ghost_place(&a->ghost, &a->ghost.live, a->snap.header, test, &a->live.rate, &a->live.bw);
	ghost_place(&a->ghost, &a->ghost.result, a->snap.header, (uint32_t)a->results.test, &a->result_rate, NULL);
}

/* The measured part of the test that is chosen in Results, on the dots of its plot. */
void app_place_result(struct app *a)
{
	struct span span = a->snap.span;
	const struct results *r = &a->results;
	size_t from = 0, to;

	bins_release(&a->result_rate);
	if (!a->has_run || (size_t)r->test >= a->snap.nr_results)
		return;
	/* rows of one repetition stand together; the last one counts */
	for (size_t i = 0; i < span.n; i++)
		if (span.row[i].test == (uint32_t)r->test && span.row[i].phase != PHASE_LAYOUT &&
		    (i == 0 || span.row[i - 1].test != span.row[i].test ||
		     span.row[i - 1].repeat != span.row[i].repeat || span.row[i - 1].phase == PHASE_LAYOUT))
			from = i;
	if (from >= span.n || span.row[from].test != (uint32_t)r->test)
		return;
	for (to = from; to < span.n && span.row[to].test == span.row[from].test &&
			span.row[to].repeat == span.row[from].repeat;
	     to++)
		;
	a->result_start_s = (double)(span.row[from].t_ns - span.row[from].dt_ns) / 1e9;
	double length = (double)span.row[to - 1].t_ns / 1e9 - a->result_start_s;
	int dots = view_results_dots(a->w, a->h, (int)a->snap.nr_results);
	if (dots > 0 && length > 0)
		(void)bins_update(&a->result_rate, (struct span){ span.row, to }, from, a->result_start_s, 0,
				  length / dots, dots);
}

void app_work_out(struct app *a)
{
	int rate, bw;

	view_live_dots(a->w, a->h, &rate, &bw);
	const struct expectation *expect = a->judgement.known ? &a->judgement.expect : NULL;
	live_update(&a->live, &a->snap, expect, app_spans[a->span], rate, bw);
	net_live_update(&a->net_live, &a->snap, view_network_dots(&a->net, a->w, a->h));
	if (a->net_live.net)
		return;
	knobs(a);
	if (a->ops->judge) {
		bool known = a->judgement.known;
		a->judgement = (struct app_judgement){ .verdict = VERDICT_NONE };
		a->ops->judge(a->ctx, &a->snap, &a->live, &a->wl, &a->judgement);
		if (a->judgement.known && !known)
			live_update(&a->live, &a->snap, &a->judgement.expect, app_spans[a->span], rate, bw);
	}
	if (a->screen == SCREEN_RESULTS)
		app_place_result(a);
	app_place_ghost(a);
}

/* Take what the log holds now. @return true when that is news */
bool app_refresh(struct app *a)
{
	if (!a->log || (a->has_run && runlog_serial(a->log) == a->snap.serial))
		return false;
	struct runlog_snap snap;
	runlog_snap(a->log, &snap);
	if (a->frozen && a->has_run) { /* only how it stands is taken: the picture stays */
		a->snap.end = snap.end;
		runlog_snap_release(&snap);
		return false;
	}
	if (a->has_run)
		runlog_snap_release(&a->snap);
	a->snap = snap;
	a->has_run = true;
	app_work_out(a);
	return true;
}

void app_watch(struct app *a, struct runlog *log, bool replay, double speed)
{
	drop_run(a);
	beside_release(&a->beside);
	(void)app_leave(a); /* what is read is read for the run that was in hand */
	a->log = log;
	a->replay = replay;
	a->speed = speed;
	a->frozen = a->starting = a->paused = false;
	a->judgement = (struct app_judgement){ .verdict = VERDICT_NONE };
	if (log) {
		app_refresh(a);
		a->screen = a->net_live.net ? SCREEN_NETWORK : SCREEN_LIVE;
		a->results.test = 0;
	}
}

bool app_idle(const struct app *a)
{
	return !*a->reading && !a->starting;
}

bool app_leave(struct app *a)
{
	if (!*a->reading)
		return false;
	a->reading[0] = 0;
	if (a->ops->leave)
		a->ops->leave(a->ctx);
	return true;
}

static void take_ghost(struct app *a, struct ghost *g)
{
	ghost_release(&a->ghost);
	a->ghost = *g;
	app_place_ghost(a);
	app_say(a, false, "ghost: %s%s", a->ghost.name, a->ghost.log ? "" : ", a level where it has a figure of the test");
}

static void take_beside(struct app *a, struct beside *b)
{
	beside_release(&a->beside);
	a->beside = *b;
	if (b->c.nr_runs < 2)
		app_say(a, false, a->has_run ? "this is the run in hand: choose another one or a reference (Tab), then c"
					     : "no run is in hand to compare with: its figures alone; Enter plays it");
}

void app_read(struct app *a, struct reading_result *r)
{
	a->reading[0] = 0;
	a->news = true;
	if (r->failed)
		app_say(a, true, "%s", r->err.msg);
	else if (r->what == READING_GHOST)
		take_ghost(a, &r->ghost);
	else
		take_beside(a, &r->beside);
}

void app_failed(struct app *a, const char *why)
{
	a->starting = false;
	if (a->screen != SCREEN_NETWORK)
		a->screen = SCREEN_SETUP;
	app_say(a, true, "%s", why);
}

bool app_running(const struct app *a)
{
	return a->starting || (a->has_run && !a->replay && a->snap.end == RUN_RUNNING);
}

bool app_done(const struct app *a)
{
	return !a->starting && (!a->log || (a->has_run && a->snap.end != RUN_RUNNING));
}

void app_resize(struct app *a, int w, int h)
{
	a->w = w;
	a->h = h;
	if (a->has_run)
		app_work_out(a);
}

void app_news(struct app *a)
{
	a->news = true;
	a->outlined = false;
}

bool app_tick(struct app *a, uint64_t now_ns)
{
	bool news = a->news;

	if ((a->screen == SCREEN_SETUP || !a->has_run) && !a->outlined && a->ops->outline) {
		a->ops->outline(a->ctx, &a->setup, &a->outline);
		a->setup.nr_tests = (int)a->outline.nr;
		a->setup.nr_before = (int)results_before(&a->results, a->setup.path, false, NULL, 0);
		a->outlined = true;
	}
	a->news = false;
	a->now_ns = now_ns;
	if (a->message_until && now_ns >= a->message_until) {
		a->message[0] = 0;
		a->message_until = 0;
		news = true;
	}
	return app_refresh(a) || news;
}

uint64_t app_wakeup(const struct app *a)
{
	return a->message_until;
}

/* --- what is drawn --- */

unsigned app_keys_now(const struct app *a)
{
	const struct run_header *h = a->has_run ? a->snap.header : NULL;
	bool knobs = h && a->live.test < h->nr_planned && h->planned[a->live.test].kind == TEST_BLOCK;

	return views[a->screen].on | (app_running(a) ? WHEN_RUNNING : 0) | (knobs ? WHEN_KNOBS : 0) | (h ? WHEN_SHOWN : 0) |
	       (h && (h->shaped || h->simulated) ? WHEN_SHAPED : 0);
}

void app_frame(const struct app *a, struct frame *f)
{
	*f = (struct frame){
		.screen = a->screen,
		.ink = a->ink,
		.theme = a->theme.name,
		.keys = app_keys_now(a),
		.live = &a->live,
		.setup = &a->setup,
		.outline = &a->outline,
		.net = &a->net,
		.net_live = &a->net_live,
		.results = &a->results,
		.beside = a->beside.any ? &a->beside : NULL,
		.volumes = &a->volumes,
		.dialog = a->asking ? &a->dialog : NULL,
		.help_scroll = a->help_scroll,
		.help_on = views[a->before_help].on,
		.recordings = a->recordings,
		.own_files = a->own_files,
		.message = *a->message ? a->message : a->reading,
		.message_bad = a->message_bad,
		.frozen = a->frozen,
		.starting = a->starting,
		.paused = a->paused,
		.verdict = a->judgement.verdict,
		.assumed = a->judgement.assumed,
		.optimizing = a->judgement.before.iops > 0 ? a->judgement.optimizing : -1,
		.before = a->judgement.before,
		.after = a->judgement.after,
		.speed = a->speed,
	};
	if (!a->has_run)
		return;
	f->run = &a->snap;
	f->result_rate = &a->result_rate;
	f->result_start_s = a->result_start_s;
	f->wl = a->live.any && a->live.test < a->snap.header->nr_planned ? &a->wl
		: a->snap.header->nr_planned                             ? &a->snap.header->planned[0].wl
									 : NULL;
	f->expect = a->judgement.known ? &a->judgement.expect : NULL;
	f->replay = a->replay && a->snap.end == RUN_RUNNING;
	if (*a->ghost.name) {
		f->ghost = &a->ghost.live;
		f->result_ghost = &a->ghost.result;
	}
}

void app_draw(struct app *a, struct canvas *cv)
{
	struct frame f;

	app_frame(a, &f);
	cv->ascii = a->ascii;
	frame_draw(&f, cv);
}
