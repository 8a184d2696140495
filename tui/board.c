/* SPDX-License-Identifier: MIT */
#include "tui/board.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/recorder.h"
#include "engine/units.h"
#include "tui/detect.h"
#include "tui/keymap.h"
#include "tui/stopsig.h"
#include "tui/watch.h"
#include "tui/net_cli.h"

/* --- a run --- */

static void end_run(struct board *b)
{
	if (!b->run)
		return;
	if (!b->joined) {
		run_stop(b->run, RUN_STOPPED, "");
		(void)run_join(b->run, &b->failed);
	}
	run_free(b->run);
	session_close(&b->session);
	b->run = NULL;
}

static void end_replay(struct board *b)
{
	player_close(b->player);
	b->player = NULL;
	b->played[0] = 0;
}

/* What came before goes; the app watches none of it any longer. */
static void make_room(struct board *b)
{
	end_run(b);
	end_replay(b);
	net_dash_release(&b->net);
	board_forget_judgement(b);
}

static int net_start(void *ctx, const struct net_form *form, struct err *err)
{
	struct board *b = ctx;

	app_watch(b->app, NULL, false, 1); /* what it showed is gone, whatever comes */
	make_room(b);
	return net_dash_start(&b->net, b->app, form, b->base.no_record ? NULL : b->base.record, b->news_fd, err);
}

static int plan_of(const struct setup *s, bool watch, struct run_plan *plan, struct err *err)
{
	if (setup_plan(s, "quick", 60, plan, err) < 0)
		return -1;
	if (watch)
		watch_plan(plan);
	return 0;
}

static int begin(struct board *b, const struct setup *setup, bool watch, struct err *err)
{
	struct run_plan *plan = calloc(1, sizeof(*plan));
	int rc = -1;

	if (!plan)
		return err_set(err, ENOMEM, "out of memory");
	/* what can be refused is refused before the run before is given up; it has ended, or the app would not ask */
	if (plan_of(setup, watch, plan, err) < 0)
		goto out;
	app_watch(b->app, NULL, false, 1);
	make_room(b);
	b->setup = *setup;
	b->shown = b->joined = b->paused = false;
	b->failed = (struct err){ 0 };
	if (plan_of(&b->setup, watch, plan, err) < 0 || session_init(&b->session, &b->setup, err) < 0)
		goto out;
	if (b->session.known && !setup_is_sim(&b->setup) && !plan->simulated)
		b->session.facts = cloud_feed_fetcher(b->feed);
	plan->hooks = &session_hooks;
	plan->hooks_ctx = &b->session;
	plan->news_fd = b->news_fd;
	plan->version = EBSCOPE_VERSION;
	rc = run_start(&b->run, plan, err);
	if (rc < 0)
		session_close(&b->session);
out:
	if (rc < 0)
		b->failed = *err;
	free(plan);
	return rc;
}

static int start(void *ctx, const struct setup_form *form, const char *typed, struct err *err)
{
	struct board *b = ctx;
	struct setup setup = b->base;
	struct stat st;

	setup_form_get(form, &setup);
	cloud_feed_complete(b->feed, &setup, NULL);
	if (*typed && stat(setup.target, &st) == 0 && S_ISREG(st.st_mode))
		setup.overwrite = true;
	else if (*typed)
		snprintf(setup.destroy, sizeof(setup.destroy), "%s", typed);
	return begin(b, &setup, false, err);
}

static void outline(void *ctx, const struct setup_form *form, struct outline *out)
{
	const struct board *b = ctx;
	struct setup setup = b->base;

	setup_form_get(form, &setup);
	outline_make(out, &setup);
}

static bool writes(const struct setup *s)
{
	struct step *step = calloc(PLANNED_MAX, sizeof(*step));
	struct err ignored;
	bool any = false;
	int n = step ? setup_steps(s, "quick", step, &ignored) : 0;

	for (int i = 0; i < n; i++)
		any = any || rw_writes(step[i].wl.rw);
	free(step);
	return any;
}

/* A device or a file that is there is written only by its name. */
static bool destroys(void *ctx, const struct setup_form *form, char *name, size_t name_size, char *text, size_t text_size)
{
	struct board *b = ctx;
	struct setup setup = b->base;
	struct stat st;

	setup_form_get(form, &setup);
	if (setup_is_sim(&setup) || stat(setup.target, &st) < 0 || S_ISDIR(st.st_mode))
		return false;
	bool block = S_ISBLK(st.st_mode);
	if (block ? *setup.destroy != 0 : setup.overwrite)
		return false; /* the command line has said so */
	if (!writes(&setup))
		return false;
	char *real = realpath(setup.target, NULL);
	const char *path = real ? real : setup.target, *slash = strrchr(path, '/');
	snprintf(name, name_size, "%s", slash ? slash + 1 : path);
	snprintf(text, text_size, block ? "Everything on this block device will be lost: the test writes to %s" :
					  "What is in this file will be lost: the test writes over %s", path);
	free(real);
	return true;
}

static void stop(void *ctx)
{
	struct board *b = ctx;

	net_dash_stop(&b->net, RUN_STOPPED, "");
	if (b->run && !b->joined)
		run_stop(b->run, RUN_STOPPED, "");
}

static void skip(void *ctx)
{
	struct board *b = ctx;

	if (b->run && !b->joined)
		run_skip(b->run);
}

static void go_on(void *ctx)
{
	struct board *b = ctx;

	b->paused = false;
	if (b->run && !b->joined)
		run_go_on(b->run);
}

static void mark(void *ctx)
{
	struct board *b = ctx;

	if (b->run && !b->joined)
		run_mark(b->run, "mark");
}

/* --- replays --- */

static int open_recording(void *ctx, const char *path, struct err *err)
{
	struct board *b = ctx;
	struct player *p;

	if (player_open(&p, path, b->speed, clock_ns(), err) < 0)
		return -1;
	board_forget_judgement(b);
	struct player *before = b->player;
	player_pump(p, clock_ns());
	app_watch(b->app, player_log(p), true, b->speed);
	b->player = p;
	snprintf(b->played, sizeof(b->played), "%s", path);
	player_close(before);
	return 0;
}

static int read_run(void *ctx, enum reading_what what, const char *path, const char *name, struct err *err)
{
	struct board *b = ctx;
	const char *hand = b->player ? b->played : b->run && b->joined && b->shown ? run_record_path(b->run) : "";

	b->reading = reading_start(what, hand ? hand : "", path, name, b->news_fd, err);
	return b->reading ? 0 : -1;
}

static void leave(void *ctx)
{
	struct board *b = ctx;

	reading_leave(b->reading);
	b->reading = NULL;
}

static void pump_reading(struct board *b)
{
	struct reading_result result;

	if (!b->reading || !reading_done(b->reading))
		return;
	reading_take(b->reading, &result);
	b->reading = NULL;
	app_read(b->app, &result);
}

/* --- the screens that look for something --- */

static void opened(void *ctx, enum screen_id screen)
{
	struct board *b = ctx;

	if (screen == SCREEN_SETUP)
		board_look_around(b);
	if (screen == SCREEN_RESULTS || screen == SCREEN_NETWORK)
		board_find_runs(b, RUN_ENTRIES_MAX);
	cloud_feed_opened(b->feed, screen);
}

static int do_volumes(void *ctx, const struct volume_request *req, struct err *err)
{
	return cloud_feed_do(((struct board *)ctx)->feed, req, err);
}

static void refresh_volumes(void *ctx)
{
	cloud_feed_refresh(((struct board *)ctx)->feed);
}

static const struct app_ops ops = { .start = start, .outline = outline, .net_start = net_start, .destroys = destroys, .stop = stop, .skip = skip, .go_on = go_on, .knob = board_knob, .mark = mark,
				    .open = open_recording, .read = read_run, .leave = leave, .judge = board_judge, .opened = opened,
				    .volumes = do_volumes, .volumes_refresh = refresh_volumes, .theme = board_keep_theme };

/* --- the loop's side --- */

/* A watch that waited for AWS's word begins, with it or without. */
static void begin_watch(struct board *b, uint64_t now_ns)
{
	struct err err;

	if (!b->watch_due || (now_ns < b->watch_due && !cloud_feed_settled(b->feed, b->watch.target)))
		return;
	b->watch_due = 0;
	cloud_feed_complete(b->feed, &b->watch, &b->limits_live);
	if (begin(b, &b->watch, true, &err) < 0)
		app_failed(b->app, err.msg);
}

static void pump(void *ctx, uint64_t now_ns)
{
	struct board *b = ctx;
	char note[256];

	cloud_feed_pump(b->feed, b->app);
	begin_watch(b, now_ns);
	if (b->player)
		player_pump(b->player, now_ns);
	net_dash_pump(&b->net);
	pump_reading(b);
	if (!b->run)
		return;
	if (!b->shown && run_log(b->run)) {
		app_watch(b->app, run_log(b->run), false, 1);
		b->shown = true;
	}
	while (run_note(b->run, note, sizeof(note)))
		app_say(b->app, false, "%s", note);
	if (!b->paused && !b->joined && run_paused(b->run)) {
		b->paused = true;
		app_paused(b->app);
	}
	if (!b->joined && run_ended(b->run)) {
		b->joined = true;
		if (run_join(b->run, &b->failed) < 0 && !b->shown)
			app_failed(b->app, b->failed.msg);
		else if (b->failed.code)
			app_say(b->app, true, "%s", b->failed.msg);
	}
}

static uint64_t due(void *ctx)
{
	struct board *b = ctx;

	return b->player ? player_due(b->player) : b->watch_due;
}

/* --- the command --- */

static int open_descriptors(struct board *b, struct err *err)
{
	/* blocked in every thread that starts from here on; read by this one through a descriptor */
	b->signal_fd = stopsig_open();
	b->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return b->signal_fd < 0 || b->news_fd < 0 ? err_sys(err, "signals") : 0;
}

static int color_of(const struct cli *cli, enum color_when *when, struct err *err)
{
	static const char *const names[] = { "auto", "always", "never" };
	const char *text = cli_text(cli, "color", "auto");

	for (int i = 0; i < 3; i++)
		if (strcmp(names[i], text) == 0) {
			*when = (enum color_when)i;
			return 0;
		}
	return err_set(err, ERR_USAGE, "--color: '%.40s' is not auto, always or never", text);
}

static int run_on_screen(struct board *b, struct cli *cli, const struct dashboard_io *io, enum color_when color, int *sig, struct err *err)
{
	const char *dump = cli_get(cli, "dump"), *size = cli_text(cli, "screen", "80x24");
	struct key_step *step = NULL;
	size_t nr = 0;
	int w, h, rc = -1;

	if (!cli_given(cli, "dump"))
		return dashboard_run(b->app, io, color, sig, err);
	if (dump && *dump && strcmp(dump, "ansi") != 0)
		return err_set(err, ERR_USAGE, "--dump: '%.40s' is not ansi", dump);
	if (screen_size_parse(size, &w, &h, err) < 0)
		return err_wrap(err, "--screen");
	if (keys_parse(cli_text(cli, "keys", ""), &step, &nr, err) == 0)
		rc = dashboard_dump(b->app, io, w, h, step, nr, color, dump && *dump, stdout, sig, err);
	free(step);
	return rc;
}

/* `net` with its options: the Network screen, its form filled in. */
static int prepare_network(struct board *b, struct cli *cli, struct err *err)
{
	struct net_setup setup;

	b->base.no_record = cli_has(cli, "no-record");
	snprintf(b->base.record, sizeof(b->base.record), "%s", cli_text(cli, "record", ""));
	b->app->screen = SCREEN_NETWORK;
	if (!cli->nr_args)
		return 0;
	if (net_setup_from_cli(&setup, cli, b->limits, err) < 0)
		return -1;
	if (setup.simulated && !cli_has(cli, "time-scale"))
		setup.time_scale = 60;
	net_form_take(&b->app->net, &setup);
	return 0;
}

/* The form as the command line has it, the theme, and what to look at first. */
static int prepare(struct board *b, struct cli *cli, enum board_start from, const char *recording, struct err *err)
{
	const char *speed = cli_get(cli, "speed");
	char old[160];

	b->limits = limits_or(&b->limits_file, cli_get(cli, "limits"), err);
	if (!b->limits)
		return -1;
	b->speed = 1;
	if (speed && strcmp(speed, "max") == 0)
		b->speed = INFINITY;
	else if (speed) {
		uint64_t n;
		if (parse_count(speed, &n, err) < 0 || (n == 0 && err_set(err, ERR_USAGE, "'0' is no speed") < 0))
			return err_wrap(err, "--speed (1, 10, … or max)");
		b->speed = (double)n;
	}
	b->app = app_new(&ops, b, b->limits);
	if (!b->app)
		return err_set(err, ENOMEM, "out of memory");
	if (board_pick_theme(b, cli, err) < 0)
		return -1;
	if (cli_limits_old(b->limits, old, sizeof(old)))
		app_say(b->app, true, "%s", old);
	b->app->setup.find = target_list_find;
	setup_init(&b->base, b->limits);
	if (from == BOARD_VOLUMES) {
		b->app->screen = SCREEN_VOLUMES;
		return 0;
	}
	if (from == BOARD_REPLAY)
		return open_recording(b, recording, err);
	if (from == BOARD_NETWORK) {
		board_find_runs(b, RUN_ENTRIES_MAX);
		return prepare_network(b, cli, err);
	}
	if (from == BOARD_TRAIN) {
		const struct story *st = recording ? story_find(recording, err) : &stories[0];
		if (!st || setup_form_story(&b->app->setup, st, err) < 0)
			return -1;
		board_look_around(b);
		if (recording)
			(void)app_key(b->app, (struct key){ .code = KEYCODE_ENTER }); /* on [ Start ] */
		else
			setup_form_show_stories(&b->app->setup);
		return 0;
	}
	if (setup_from_cli(&b->base, cli, err) < 0 || setup_form_put(&b->app->setup, &b->base, err) < 0)
		return -1;
	board_look_around(b);
	if (from == BOARD_WATCH) {
		b->watch = b->base;
		if (watch_setup(&b->watch, cli, err) < 0)
			return -1;
		/* a volume that AWS can tell of is not watched without its limits; the picture does not wait for it */
		b->watch_due = b->feed && !*b->watch.volume && detect_asks(b->watch.target) ? clock_ns() + detect_patience_ns() : 0;
		if (!b->watch_due && begin(b, &b->watch, true, err) < 0)
			return -1;
		b->app->screen = SCREEN_LIVE;
		b->app->starting = true;
	}
	return 0;
}

/* What does a command's work where there is no terminal, with the words that the user gave. */
static int refuse_without_terminal(const struct cli *cli, struct err *err)
{
	const char *command = cli->cmd->name, *given = cli->nr_args ? cli->args[0] : NULL;
	const char *instead = "run ", *placeholder = "TARGET";

	if (strcmp(command, "replay") == 0)
		instead = "export --format table ";
	else if (strcmp(command, "train") == 0) {
		if (given && !story_find(given, err))
			return -1;
		instead = "--screen 80x24 --keys until:done --dump train ";
		placeholder = stories[0].name;
	}
	return err_set(err, ERR_REFUSED, "the dashboard needs a terminal; without one use: ebscope %s%.150s", instead,
		       given ? given : placeholder);
}

int board_main(struct cli *cli, enum board_start from, const char *recording, struct err *err)
{
	struct board *b = calloc(1, sizeof(*b));
	enum color_when color = COLOR_AUTO;
	int sig = 0, rc = -1;

	if (!b)
		return err_set(err, ENOMEM, "out of memory");
	b->news_fd = b->signal_fd = -1;
	if (!cli_given(cli, "dump") && (cli_given(cli, "keys") || cli_given(cli, "screen"))) {
		err_set(err, ERR_USAGE, "--screen and --keys are for --dump");
		goto out;
	}
	if (!cli_given(cli, "dump") && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))) {
		refuse_without_terminal(cli, err);
		goto out;
	}
	if (color_of(cli, &color, err) < 0 || open_descriptors(b, err) < 0)
		goto out;
	struct err alone; /* without it the dashboard knows less, no more */
	if (from != BOARD_REPLAY)
		b->feed = cloud_feed_start(b->news_fd, &alone);
	if (prepare(b, cli, from, recording, err) < 0)
		goto out;
	cloud_feed_opened(b->feed, b->app->screen);
	struct dashboard_io io = { .news_fd = b->news_fd, .signal_fd = b->signal_fd, .ctx = b, .pump = pump, .due = due };
	rc = run_on_screen(b, cli, &io, color, &sig, err);
	if (rc == 0 && b->failed.code && !b->shown && cli_given(cli, "dump")) {
		*err = b->failed;
		rc = -1;
	}
out:
	if (b->run && sig)
		run_stop(b->run, RUN_SIGNAL, stopsig_name(sig));
	if (sig)
		net_dash_stop(&b->net, RUN_SIGNAL, stopsig_name(sig));
	if (b->app)
		app_watch(b->app, NULL, false, 1);
	make_room(b);
	leave(b);
	cloud_feed_stop(b->feed);
	board_save_theme(b);
	app_free(b->app);
	if (b->news_fd >= 0)
		close(b->news_fd);
	if (b->signal_fd >= 0)
		close(b->signal_fd);
	free(b);
	return sig ? 128 + sig : rc;
}

int board_command(struct cli *cli, struct err *err)
{
	if (strcmp(cli->cmd->name, "volumes") == 0)
		return board_main(cli, BOARD_VOLUMES, NULL, err);
	if (strcmp(cli->cmd->name, "replay") == 0)
		return board_main(cli, BOARD_REPLAY, cli->args[0], err);
	if (strcmp(cli->cmd->name, "net") == 0)
		return board_main(cli, BOARD_NETWORK, NULL, err);
	if (strcmp(cli->cmd->name, "watch") == 0)
		return board_main(cli, BOARD_WATCH, NULL, err);
	if (strcmp(cli->cmd->name, "train") == 0)
		return board_main(cli, BOARD_TRAIN, cli->nr_args ? cli->args[0] : NULL, err);
	if (!*cli->cmd->name || strcmp(cli->cmd->name, "run") == 0)
		return board_main(cli, BOARD_SETUP, NULL, err);
	return err_set(err, ERR_USAGE, "'%s' has no screen of its own: run, watch, train, net, volumes and replay have", cli->cmd->name);
}
