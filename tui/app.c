/* SPDX-License-Identifier: MIT */
#include "tui/app.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"
#include "tui/view_live.h"
#include "tui/view_network.h"

/* Seconds on the plots; 0 is the whole stretch. */
static const double spans[] = { 5, 10, 30, 60, 300, 900, 3600, 0 };
#define NR_SPANS   ((int)(sizeof(spans) / sizeof(*spans)))
#define MESSAGE_NS (4 * NS_PER_SEC)

enum { ASK_QUIT = 1, ASK_DESTROY, ASK_VOLUMES };

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
	a->span = NR_SPANS - 1;
	theme_init(&a->theme);
	setup_form_init(&a->setup, limits);
	net_form_init(&a->net, limits);
	volumes_screen_init(&a->volumes, limits);
	return a;
}

static void drop_run(struct app *a)
{
	if (a->has_run)
		runlog_snap_release(&a->snap);
	a->has_run = false;
	live_release(&a->live);
	net_live_release(&a->net_live);
}

static void drop_ghost(struct app *a)
{
	if (!a->ghost)
		return;
	runlog_snap_release(&a->ghost_snap);
	runlog_free(a->ghost);
	a->ghost = NULL;
	bins_release(&a->ghost_rate);
	bins_release(&a->ghost_bw);
}

void app_free(struct app *a)
{
	if (!a)
		return;
	drop_run(a);
	drop_ghost(a);
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
		if (e->kind == EVENT_KNOB && e->test == a->live.test && sscanf(e->text, "%31s %63s", key, value) == 2)
			(void)workload_set(&a->wl, key, value, &ignored);
	}
}

/* The ghost at the same dots: its first stretch, from its own start. */
static void place_ghost(struct app *a)
{
	const struct bins *rate = &a->live.rate, *bw = &a->live.bw;
	struct span span = a->ghost_snap.span;
	size_t from = 0;

	if (!a->ghost || span.n == 0)
		return;
	while (from + 1 < span.n && span.row[from].phase == PHASE_LAYOUT)
		from++;
	double origin = (double)(span.row[from].t_ns - span.row[from].dt_ns) / 1e9;
	if (rate->n)
		(void)bins_update(&a->ghost_rate, span, from, origin, (double)rate->first * rate->step, rate->step, rate->n);
	if (bw->n)
		(void)bins_update(&a->ghost_bw, span, from, origin, (double)bw->first * bw->step, bw->step, bw->n);
}

/* The measured part of the test that is chosen in Results, on the dots of its plot. */
static void place_result(struct app *a)
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
		    (i == 0 || span.row[i - 1].test != span.row[i].test || span.row[i - 1].repeat != span.row[i].repeat ||
		     span.row[i - 1].phase == PHASE_LAYOUT))
			from = i;
	if (from >= span.n || span.row[from].test != (uint32_t)r->test)
		return;
	for (to = from; to < span.n && span.row[to].test == span.row[from].test && span.row[to].repeat == span.row[from].repeat; to++)
		;
	a->result_start_s = (double)(span.row[from].t_ns - span.row[from].dt_ns) / 1e9;
	double length = (double)span.row[to - 1].t_ns / 1e9 - a->result_start_s;
	int dots = view_results_dots(a->w, a->h, (int)a->snap.nr_results);
	if (dots > 0 && length > 0)
		(void)bins_update(&a->result_rate, (struct span){ span.row, to }, from, a->result_start_s, 0, length / dots, dots);
}

static void work_out(struct app *a)
{
	int rate, bw;

	view_live_dots(a->w, a->h, &rate, &bw);
	const struct expectation *expect = a->judgement.known ? &a->judgement.expect : NULL;
	live_update(&a->live, &a->snap, expect, spans[a->span], rate, bw);
	net_live_update(&a->net_live, &a->snap, view_network_dots(&a->net, a->w, a->h));
	if (a->net_live.net)
		return;
	knobs(a);
	if (a->ops->judge) {
		bool known = a->judgement.known;
		a->judgement = (struct app_judgement){ .verdict = VERDICT_NONE };
		a->ops->judge(a->ctx, &a->snap, &a->live, &a->wl, &a->judgement);
		if (a->judgement.known && !known)
			live_update(&a->live, &a->snap, &a->judgement.expect, spans[a->span], rate, bw);
	}
	place_ghost(a);
	if (a->screen == SCREEN_RESULTS)
		place_result(a);
}

/* Take what the log holds now. @return true when that is news */
static bool refresh(struct app *a)
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
	work_out(a);
	return true;
}

void app_watch(struct app *a, struct runlog *log, bool replay, double speed)
{
	drop_run(a);
	a->log = log;
	a->replay = replay;
	a->speed = speed;
	a->frozen = a->starting = false;
	a->judgement = (struct app_judgement){ .verdict = VERDICT_NONE };
	if (log) {
		refresh(a);
		a->screen = a->net_live.net ? SCREEN_NETWORK : SCREEN_LIVE;
		a->results.test = 0;
	}
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
		work_out(a);
}

void app_news(struct app *a)
{
	a->news = true;
}

bool app_tick(struct app *a, uint64_t now_ns)
{
	bool news = a->news;

	a->news = false;
	a->now_ns = now_ns;
	if (a->message_until && now_ns >= a->message_until) {
		a->message[0] = 0;
		a->message_until = 0;
		news = true;
	}
	return refresh(a) || news;
}

uint64_t app_wakeup(const struct app *a)
{
	return a->message_until;
}

/* --- what is drawn --- */

static unsigned keys_now(const struct app *a)
{
	const struct run_header *h = a->has_run ? a->snap.header : NULL;

	return views[a->screen].on | (app_running(a) ? WHEN_RUNNING : 0) | (h && (h->shaped || h->simulated) ? WHEN_SHAPED : 0);
}

void app_frame(const struct app *a, struct frame *f)
{
	*f = (struct frame){
		.screen = a->screen, .ink = a->ink, .theme = a->theme.name, .keys = keys_now(a), .live = &a->live,
		.setup = &a->setup, .net = &a->net, .net_live = &a->net_live, .results = &a->results, .volumes = &a->volumes,
		.dialog = a->asking ? &a->dialog : NULL,
		.help_scroll = a->help_scroll, .message = a->message, .message_bad = a->message_bad,
		.frozen = a->frozen, .starting = a->starting, .verdict = a->judgement.verdict, .assumed = a->judgement.assumed, .speed = a->speed,
	};
	if (!a->has_run)
		return;
	f->run = &a->snap;
	f->result_rate = &a->result_rate;
	f->result_start_s = a->result_start_s;
	f->wl = a->live.any && a->live.test < a->snap.header->nr_planned ? &a->wl :
		a->snap.header->nr_planned ? &a->snap.header->planned[0].wl : NULL;
	f->expect = a->judgement.known ? &a->judgement.expect : NULL;
	f->replay = a->replay && a->snap.end == RUN_RUNNING;
	if (a->ghost) {
		f->ghost_rate = &a->ghost_rate;
		f->ghost_bw = &a->ghost_bw;
		f->ghost_name = a->ghost_name;
	}
}

void app_draw(struct app *a, struct canvas *cv)
{
	struct frame f;

	app_frame(a, &f);
	cv->ascii = a->ascii;
	frame_draw(&f, cv);
}

/* --- keys --- */

static void go(struct app *a, enum screen_id screen)
{
	if (!views[screen].draw) {
		app_say(a, false, "%s is not in this build", views[screen].name);
		return;
	}
	a->screen = screen;
	if (screen == SCREEN_RESULTS)
		place_result(a);
	if (a->ops->opened)
		a->ops->opened(a->ctx, screen);
}

static void do_start(struct app *a, const char *typed)
{
	struct err err = { 0 };

	if (!a->ops->start) {
		app_say(a, true, "nothing can be started here");
		return;
	}
	/* the run before stays in reach until another has begun; whoever gives it up earlier calls app_watch() */
	struct runlog *before = a->log;
	bool replay = a->replay;
	app_watch(a, NULL, false, 1);
	a->starting = true;
	if (a->ops->start(a->ctx, &a->setup, typed, &err) < 0) {
		if (a->starting && before)
			app_watch(a, before, replay, a->speed);
		app_failed(a, err.msg);
		return;
	}
	a->starting = !a->log;
	a->screen = SCREEN_LIVE;
}

static void start(struct app *a)
{
	int bad = form_bad(&a->setup.form);
	char name[128], text[300];

	if (app_running(a)) {
		app_say(a, true, "a run is live: stop it first (x)");
	} else if (bad >= 0) {
		form_focus(&a->setup.form, bad);
		app_say(a, true, "%s: %s", a->setup.form.row[bad].label, a->setup.form.field[bad].error);
	} else if (!*a->setup.path) {
		a->setup.in_list = false;
		form_focus(&a->setup.form, SF_TARGET);
		app_say(a, true, "name a target first: a directory, a file, a block device, or sim:");
	} else if (a->ops->destroys && a->ops->destroys(a->ctx, &a->setup, name, sizeof(name), text, sizeof(text))) {
		dialog_type(&a->dialog, ASK_DESTROY, "This destroys data", text, name);
		a->asking = true;
	} else {
		do_start(a, "");
	}
}

/* The run before makes room, also for a network test. */
static void net_start(struct app *a)
{
	int bad = form_bad(&a->net.form);
	struct err err = { 0 };

	if (app_running(a)) {
		app_say(a, true, "a run is live: stop it first (x)");
	} else if (bad >= 0) {
		form_focus(&a->net.form, bad);
		app_say(a, true, "%s: %s", a->net.form.row[bad].label, a->net.form.field[bad].error);
	} else if (!a->net.has_peer) {
		form_focus(&a->net.form, NF_PEER);
		app_say(a, true, "name a peer first: an iperf3 server, or sim:net:0.25:512MiB");
	} else if (!a->ops->net_start) {
		app_say(a, true, "nothing can be started here");
	} else {
		struct runlog *before = a->log;
		app_watch(a, NULL, false, 1);
		a->starting = true;
		if (a->ops->net_start(a->ctx, &a->net, &err) < 0) {
			app_watch(a, before, false, 1);
			a->screen = SCREEN_NETWORK;
			app_failed(a, err.msg);
		}
	}
}

static void quit(struct app *a)
{
	if (!app_running(a)) {
		a->quit = true;
		return;
	}
	dialog_ask(&a->dialog, ASK_QUIT, "A run is live", "Stop it and quit? What was measured is kept in its recording.");
	a->asking = true;
}

static void do_volumes(struct app *a)
{
	struct err err = { 0 };

	if (!a->ops->volumes)
		app_say(a, true, "volumes can't be changed here");
	else if (a->ops->volumes(a->ctx, &a->volume_request, &err) < 0)
		app_say(a, true, "%s", err.msg);
}

static void dialog_done(struct app *a, struct key k)
{
	switch (dialog_key(&a->dialog, k)) {
	case DIALOG_NO:
		a->asking = false;
		break;
	case DIALOG_OK:
		a->asking = false;
		if (a->dialog.purpose == ASK_QUIT) {
			if (a->ops->stop)
				a->ops->stop(a->ctx);
			a->quit = true;
		} else if (a->dialog.purpose == ASK_VOLUMES) {
			do_volumes(a);
		} else {
			do_start(a, a->dialog.typed);
		}
		break;
	default:
		break;
	}
}

static void toggle_ghost(struct app *a)
{
	const struct run_entry *e = &a->results.run[a->results.chosen];
	struct err err = { 0 };

	if (a->ghost) {
		drop_ghost(a);
		app_say(a, false, "no ghost");
		return;
	}
	if (!a->ops->ghost || a->results.nr_runs == 0) {
		app_say(a, false, "no earlier run to show: choose one in Results (3)");
		return;
	}
	if (a->ops->ghost(a->ctx, e->path, &a->ghost, &err) < 0) {
		a->ghost = NULL;
		app_say(a, true, "%s", err.msg);
		return;
	}
	runlog_snap(a->ghost, &a->ghost_snap);
	snprintf(a->ghost_name, sizeof(a->ghost_name), "%s", e->title);
	place_ghost(a);
	app_say(a, false, "ghost: %s of %.16s", e->title, e->started);
}

static void open_run(struct app *a)
{
	struct err err = { 0 };

	if (app_running(a))
		app_say(a, true, "a run is live: stop it first (x)");
	else if (!a->ops->open)
		app_say(a, true, "recordings can't be played here");
	else if (a->ops->open(a->ctx, a->results.run[a->results.chosen].path, &err) < 0)
		app_say(a, true, "%s", err.msg);
}

static void turn_knob(struct app *a, enum action act)
{
	struct err err = { 0 };
	char said[120] = "";

	if (!a->ops->knob)
		app_say(a, false, "nothing to turn here");
	else if (a->ops->knob(a->ctx, act, said, sizeof(said), &err) < 0)
		app_say(a, true, "%s", err.msg);
	else if (*said)
		app_say(a, false, "%s", said);
}

static void next_theme(struct app *a)
{
	struct err err = { 0 };

	if (theme_open(&a->theme, theme_next(a->theme.name), &err) < 0)
		app_say(a, true, "%s", err.msg);
	a->theme_changed = true;
}

static void set_span(struct app *a, int by)
{
	int to = a->span + by;

	a->span = to < 0 ? 0 : to >= NR_SPANS ? NR_SPANS - 1 : to;
	if (a->has_run)
		work_out(a);
}

/* What means the same on every screen. @return false: nothing */
static bool common(struct app *a, enum action act)
{
	switch (act) {
	case ACT_SETUP: case ACT_LIVE: case ACT_RESULTS: case ACT_VOLUMES: case ACT_NETWORK:
		go(a, (enum screen_id)(act - ACT_SETUP));
		return true;
	case ACT_HELP:
		a->before_help = a->screen;
		a->help_scroll = 0;
		a->screen = SCREEN_HELP;
		return true;
	case ACT_QUIT:
		quit(a);
		return true;
	case ACT_START:
		if (a->screen == SCREEN_NETWORK)
			net_start(a);
		else
			start(a);
		return true;
	case ACT_STOP:
		if (a->ops->stop)
			a->ops->stop(a->ctx);
		app_say(a, false, "stopping");
		return true;
	case ACT_FREEZE:
		a->frozen = !a->frozen && a->has_run;
		if (!a->frozen && a->has_run) {
			a->snap.serial--; /* whatever came meanwhile is news */
			refresh(a);
		}
		return true;
	case ACT_MARK:
		if (a->ops->mark)
			a->ops->mark(a->ctx);
		return true;
	case ACT_DEPTH_DOWN: case ACT_DEPTH_UP: case ACT_BS_DOWN: case ACT_BS_UP: case ACT_MIX_DOWN: case ACT_MIX_UP:
	case ACT_RATE_DOWN: case ACT_RATE_UP: case ACT_CREDITS:
		turn_knob(a, act);
		return true;
	case ACT_GHOST:
		toggle_ghost(a);
		return true;
	case ACT_THEME:
		next_theme(a);
		return true;
	case ACT_SPAN_LESS: case ACT_SPAN_MORE:
		set_span(a, act == ACT_SPAN_LESS ? -1 : 1);
		return true;
	default:
		return false;
	}
}

static bool help_key(struct app *a, enum action act)
{
	switch (act) {
	case ACT_HELP: case ACT_QUIT: case ACT_CLOSE:
		a->screen = a->before_help;
		return true;
	case ACT_UP: case ACT_DOWN: case ACT_PGUP: case ACT_PGDN: {
		int to = a->help_scroll + (act == ACT_UP ? -1 : act == ACT_DOWN ? 1 : act == ACT_PGUP ? -10 : 10);
		a->help_scroll = to < 0 ? 0 : to > ACT_NR ? ACT_NR : to;
		return true;
	}
	default:
		return common(a, act);
	}
}

/* Volumes: what it asks for is asked about here, with the dialog that fits. @return false: not its key */
static bool volumes_key(struct app *a, struct key k, enum action act)
{
	struct volumes_ask ask;

	switch (volumes_screen_key(&a->volumes, k, act, &ask)) {
	case VOLUMES_PASS:
		return false;
	case VOLUMES_REFRESH:
		if (a->ops->volumes_refresh)
			a->ops->volumes_refresh(a->ctx);
		app_say(a, false, "asking AWS");
		return true;
	case VOLUMES_SAY:
		app_say(a, true, "%s", ask.text);
		return true;
	case VOLUMES_ASK:
		a->volume_request = ask.req;
		if (*ask.want)
			dialog_type(&a->dialog, ASK_VOLUMES, ask.title, ask.text, ask.want);
		else
			dialog_ask(&a->dialog, ASK_VOLUMES, ask.title, ask.text);
		a->asking = true;
		return true;
	case VOLUMES_TEST: {
		struct err err = { 0 };
		if (form_set(&a->setup.form, SF_TARGET, ask.text, &err) < 0)
			app_say(a, true, "%s", err.msg);
		go(a, SCREEN_SETUP);
		return true;
	}
	default:
		return true;
	}
}

static bool screen_key_of(struct app *a, struct key k, enum action act)
{
	if (a->screen == SCREEN_SETUP) {
		enum setup_answer answer = k.code == KEYCODE_MOUSE ? setup_form_click(&a->setup, a->w, a->h, k.x, k.y) :
								     setup_form_key(&a->setup, k, act);
		if (answer == SETUP_START)
			start(a);
		if (answer != SETUP_PASS)
			return true;
	}
	if (a->screen == SCREEN_NETWORK) {
		enum net_answer answer = net_form_key(&a->net, k, act);
		if (answer == NET_START)
			net_start(a);
		if (answer != NET_PASS)
			return true;
	}
	if (a->screen == SCREEN_VOLUMES && volumes_key(a, k, act))
		return true;
	if (a->screen == SCREEN_RESULTS) {
		switch (results_key(&a->results, act, a->has_run ? a->snap.nr_results : 0)) {
		case RESULTS_OPEN:
			open_run(a);
			return true;
		case RESULTS_DONE:
			place_result(a);
			return true;
		default:
			break;
		}
	}
	return common(a, act);
}

bool app_key(struct app *a, struct key k)
{
	bool said = a->message[0] != 0;

	if (k.code == KEYCODE_HANGUP || k.code == KEYCODE_CTRL('c')) {
		if (app_running(a) && a->ops->stop)
			a->ops->stop(a->ctx);
		a->quit = true;
		return false;
	}
	a->message[0] = 0;
	a->message_until = 0;
	if (a->asking) {
		dialog_done(a, k);
		return true;
	}
	enum action act = keymap_action(k, keys_now(a));
	if (a->screen == SCREEN_HELP)
		return help_key(a, act) || said;
	return screen_key_of(a, k, act) || said;
}
