/* SPDX-License-Identifier: MIT */
/* The part of app.h that takes keys. */
#include <stdio.h>
#include <string.h>

#include "aws/reference.h"
#include "engine/units.h"
#include "tui/app_parts.h"
#include "tui/panel.h"

enum { ASK_QUIT = 1, ASK_DESTROY, ASK_VOLUMES, ASK_REST };

static void go(struct app *a, enum screen_id screen)
{
	if (!views[screen].draw) {
		app_say(a, false, "%s is not in this build", views[screen].name);
		return;
	}
	a->screen = screen;
	if (screen == SCREEN_RESULTS) {
		app_place_result(a);
		app_place_ghost(a);
	}
	if (a->ops->opened)
		a->ops->opened(a->ctx, screen);
}

/* The run on the screen: it stays in reach until another has begun. */
struct shown {
	struct runlog *log;
	bool	       replay;
	double	       speed;
};

static struct shown give_way(struct app *a)
{
	struct shown before = { a->log, a->replay, a->speed };

	app_watch(a, NULL, false, 1);
	a->starting = true;
	return before;
}

/* Another could not begin. Whoever has given this one up meanwhile has called app_watch(): then nothing is left of it. */
static void come_back(struct app *a, struct shown before)
{
	if (a->starting && before.log)
		app_watch(a, before.log, before.replay, before.speed);
}

static void do_start(struct app *a, const char *typed)
{
	struct err err = { 0 };

	if (!a->ops->start) {
		app_say(a, true, "nothing can be started here");
		return;
	}
	struct shown before = give_way(a);
	if (a->ops->start(a->ctx, &a->setup, typed, &err) < 0) {
		come_back(a, before);
		app_failed(a, err.msg);
		return;
	}
	a->starting = !a->log;
	a->screen = SCREEN_LIVE;
}

static void start(struct app *a)
{
	int bad = form_bad(&a->setup.form);
	char name[DIALOG_NAME], text[400];

	if (app_running(a)) {
		app_say(a, true, "a run is live: stop it first (x)");
	} else if (bad >= 0) {
		form_focus(&a->setup.form, bad);
		app_say(a, true, "%s: %s", a->setup.form.row[bad].label, a->setup.form.field[bad].error);
	} else if (!*a->setup.path) {
		a->setup.in_list = false;
		form_focus(&a->setup.form, SF_TARGET);
		app_say(a, true, "name a target first: a directory, a file, a block device, or sim:");
	} else if (a->ops->destroys &&
		   a->ops->destroys(a->ctx, &a->setup, name, sizeof(name), text, sizeof(text))) {
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
		struct shown before = give_way(a);
		if (a->ops->net_start(a->ctx, &a->net, &err) < 0) {
			come_back(a, before);
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
	dialog_ask(&a->dialog, ASK_QUIT, "A run is live",
		   "Stop it and quit? What was measured is kept in its recording.");
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

/* --- ending a test --- */

/* Tests that come after the one in hand. */
static unsigned tests_left(const struct app *a)
{
	const struct run_header *h = a->has_run ? a->snap.header : NULL;

	return h && a->live.any && a->live.test + 1 < h->nr_planned ? h->nr_planned - a->live.test - 1 : 0;
}

static void ask_rest(struct app *a)
{
	unsigned left = tests_left(a);
	char text[300];

	snprintf(text, sizeof(text), "%.31s was ended by hand; what was measured is kept. Go on with the %u test%s that %s left?",
		 left ? a->snap.header->planned[a->live.test].name : "The test", left, left == 1 ? "" : "s",
		 left == 1 ? "is" : "are");
	dialog_choose(&a->dialog, ASK_REST, "The run is paused", text);
	a->asking = true;
}

void app_paused(struct app *a)
{
	a->paused = true;
	a->news = true;
	a->message[0] = 0;
	if (!a->asking)
		ask_rest(a);
}

/* Of several tests the one in hand ends, and the rest is asked about; a single one, and what only begins, ends. */
static void stop(struct app *a)
{
	if (a->paused) {
		ask_rest(a);
	} else if (a->ops->skip && !a->starting && tests_left(a)) {
		a->ops->skip(a->ctx);
		app_say(a, false, "ending this test");
	} else {
		if (a->ops->stop)
			a->ops->stop(a->ctx);
		app_say(a, false, "stopping");
	}
}

/* What the answer no does: nothing, where it is only no. */
static void dialog_refused(struct app *a)
{
	if (a->dialog.purpose != ASK_REST)
		return;
	a->paused = false;
	if (a->ops->stop)
		a->ops->stop(a->ctx);
}

static void dialog_done(struct app *a, struct key k)
{
	switch (dialog_key(&a->dialog, k)) {
	case DIALOG_LATER:
		a->asking = false;
		break;
	case DIALOG_NO:
		a->asking = false;
		dialog_refused(a);
		break;
	case DIALOG_OK:
		a->asking = false;
		if (a->dialog.purpose == ASK_QUIT) {
			if (a->ops->stop)
				a->ops->stop(a->ctx);
			a->quit = true;
		} else if (a->dialog.purpose == ASK_VOLUMES) {
			do_volumes(a);
		} else if (a->dialog.purpose == ASK_REST) {
			a->paused = false;
			if (a->ops->go_on)
				a->ops->go_on(a->ctx);
		} else {
			do_start(a, a->dialog.typed);
		}
		break;
	default:
		break;
	}
}

/* Read the earlier run that is chosen: it comes by app_read(). */
static void read_chosen(struct app *a, enum reading_what what)
{
	const struct run_entry *e = &a->results.run[a->results.chosen];
	bool reference = reference_named(e->path);
	struct err err = { 0 };
	char name[64];

	(void)app_leave(a);
	snprintf(name, sizeof(name), reference ? "%.40s" : "%.40s of %.16s", e->title, e->started);
	snprintf(a->reading, sizeof(a->reading), "reading %s … Esc leaves", name);
	if (a->ops->read(a->ctx, what, e->path, name, &err) < 0) {
		a->reading[0] = 0;
		app_say(a, true, "%s", err.msg);
	}
}

static void toggle_ghost(struct app *a)
{
	if (*a->ghost.name) {
		ghost_release(&a->ghost);
		app_say(a, false, "no ghost");
	} else if (!a->ops->read || a->results.nr_runs == 0) {
		app_say(a, false, "no earlier run to show: choose one in Results (3)");
	} else {
		read_chosen(a, READING_GHOST);
	}
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

static void compare(struct app *a)
{
	if (app_running(a))
		app_say(a, true, "a run is live: its figures can be compared when it has ended");
	else if (!a->ops->read)
		app_say(a, true, "nothing can be compared here");
	else
		read_chosen(a, READING_BESIDE);
}

/* What is open side by side is scrolled and closed. @return false: not its key */
static bool beside_key(struct app *a, enum action act)
{
	if (!a->beside.any)
		return false;
	if (act == ACT_CLOSE || act == ACT_QUIT) {
		beside_release(&a->beside);
		return true;
	}
	if (act != ACT_PGUP && act != ACT_PGDN)
		return false;
	int to = a->beside.scroll + (act == ACT_PGUP ? -5 : 5), most = beside_lines(&a->beside, NULL, 0) - 1;
	a->beside.scroll = to < 0 ? 0 : to > most ? most : to;
	return true;
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
	char name[sizeof(a->theme.name)];

	theme_next(a->theme.name, name, sizeof(name));
	if (theme_open(&a->theme, name, &err) < 0) { /* on to the one after it all the same */
		snprintf(a->theme.name, sizeof(a->theme.name), "%s", name);
		app_say(a, true, "%s", err.msg);
	} else {
		if (a->ops->theme)
			a->ops->theme(a->ctx, name);
		app_say(a, false, "theme %s%s", name, a->depth == DEPTH_MONO ? "; without colours all look the same" : "");
	}
	a->theme_changed = true;
}

static void set_span(struct app *a, int by)
{
	double whole = a->live.total_s > 0 ? a->live.total_s : live_axis(a->live.now_s);
	int to = a->span + by;
	char time[FMT_LEN];

	if (!a->has_run)
		return;
	/* a stretch as long as all of it is all of it */
	while (by < 0 && to > 0 && app_spans[to] >= whole)
		to--;
	if (to >= APP_SPANS || (by > 0 && app_spans[to] >= whole))
		to = APP_SPANS - 1;
	a->span = to < 0 ? 0 : to;
	app_work_out(a);
	if (a->span == APP_SPANS - 1)
		app_say(a, false, "the whole test");
	else
		app_say(a, false, "the last %s", fmt_duration(time, app_spans[a->span] * live_scale(&a->snap)));
}

/* What means the same on every screen. @return false: nothing */
static bool common(struct app *a, enum action act)
{
	switch (act) {
	case ACT_SETUP:
	case ACT_LIVE:
	case ACT_RESULTS:
	case ACT_VOLUMES:
	case ACT_NETWORK:
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
		stop(a);
		return true;
	case ACT_FREEZE:
		a->frozen = !a->frozen && a->has_run;
		if (!a->frozen && a->has_run) {
			a->snap.serial--; /* whatever came meanwhile is news */
			app_refresh(a);
		}
		return true;
	case ACT_MARK:
		if (a->ops->mark)
			a->ops->mark(a->ctx);
		return true;
	case ACT_DEPTH_DOWN:
	case ACT_DEPTH_UP:
	case ACT_BS_DOWN:
	case ACT_BS_UP:
	case ACT_MIX_DOWN:
	case ACT_MIX_UP:
	case ACT_RATE_DOWN:
	case ACT_RATE_UP:
	case ACT_CREDITS:
		turn_knob(a, act);
		return true;
	case ACT_GHOST:
		toggle_ghost(a);
		return true;
	case ACT_THEME:
		next_theme(a);
		return true;
	case ACT_SPAN_LESS:
	case ACT_SPAN_MORE:
		set_span(a, act == ACT_SPAN_LESS ? -1 : 1);
		return true;
	default:
		return false;
	}
}

static bool help_key(struct app *a, enum action act)
{
	switch (act) {
	case ACT_HELP:
	case ACT_QUIT:
	case ACT_CLOSE:
		a->screen = a->before_help;
		return true;
	case ACT_UP:
	case ACT_DOWN:
	case ACT_PGUP:
	case ACT_PGDN: {
		int to = a->help_scroll + (act == ACT_UP     ? -1
					   : act == ACT_DOWN ? 1
					   : act == ACT_PGUP ? -10
							     : 10);
		struct frame f;
		app_frame(a, &f);
		int most = view_help_most(&f, a->w, a->h);
		a->help_scroll = to < 0 ? 0 : to > most ? most : to;
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
		enum setup_answer answer = k.code == KEYCODE_MOUSE
						   ? setup_form_click(&a->setup, a->w, a->h, k.x, k.y)
						   : setup_form_key(&a->setup, k, act);
		if (answer == SETUP_START)
			start(a);
		if (answer != SETUP_PASS)
			return true;
	}
	if (a->screen == SCREEN_NETWORK) {
		enum net_answer answer = k.code == KEYCODE_MOUSE ? app_click_net(a, k) : net_form_key(&a->net, k, act);
		if (answer == NET_START)
			net_start(a);
		if (answer != NET_PASS)
			return true;
	}
	if (a->screen == SCREEN_VOLUMES && volumes_key(a, k, act))
		return true;
	if (a->screen == SCREEN_RESULTS && k.code == KEYCODE_MOUSE) {
		app_click_row(a, k);
		return true;
	}
	if (a->screen == SCREEN_RESULTS && beside_key(a, act))
		return true;
	if (a->screen == SCREEN_RESULTS) {
		switch (results_key(&a->results, act, a->has_run ? a->snap.nr_results : 0)) {
		case RESULTS_OPEN:
			open_run(a);
			return true;
		case RESULTS_BESIDE:
			compare(a);
			return true;
		case RESULTS_DONE:
			app_place_result(a);
			app_place_ghost(a);
			return true;
		default:
			break;
		}
	}
	return common(a, act);
}

/* Every printable key goes into a text just now. */
static bool types(const struct app *a)
{
	if (a->asking)
		return a->dialog.kind == DIALOG_TYPE;
	return a->screen == SCREEN_SETUP     ? setup_form_types(&a->setup)
	       : a->screen == SCREEN_NETWORK ? form_types(&a->net.form)
	       : a->screen == SCREEN_VOLUMES ? a->volumes.form_open && form_types(&a->volumes.form)
					     : false;
}

bool app_key(struct app *a, struct key k)
{
	bool said = a->message[0] != 0;

	a->outlined = false;
	if (k.code == KEYCODE_CTRL('c')) {
		if (app_running(a) && a->ops->stop)
			a->ops->stop(a->ctx);
		a->quit = true;
		return false;
	}
	if (k.pasted && !types(a)) {
		app_say(a, false, "pasted text goes into a field: choose one (Tab)");
		return true;
	}
	if (k.pasted && !key_prints(k))
		return false;
	a->message[0] = 0;
	a->message_until = 0;
	if (a->asking) {
		dialog_done(a, k);
		return true;
	}
	if (k.code == KEYCODE_MOUSE && k.y == 0) {
		int tab = app_click_tab(a, k);
		if (tab >= 0)
			go(a, (enum screen_id)tab);
		return true;
	}
	enum action act = keymap_action(k, app_keys_now(a));
	if (k.code == KEYCODE_MOUSE && k.y == a->h - 1 && !said) {
		act = app_click_key(a, k);
		k.code = KEYCODE_NONE; /* it is not typed */
	}
	if (act == ACT_CLOSE && !said && app_leave(a)) { /* a message over it is closed first */
		app_say(a, false, "left");
		return true;
	}
	if (a->screen == SCREEN_HELP)
		return help_key(a, act) || said;
	return screen_key_of(a, k, act) || said;
}
