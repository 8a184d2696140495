/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/clock.h"
#include "tests/unit/near.h"
#include "tui/app.h"
#include "tui/view_live.h"

/* What the app asked the world to do. */
struct world {
	struct app *app;
	int	    starts, stops, skips, goes, marks, knobs, opens;
	char	    typed[64];
	enum action last;
	bool	    refuse, dangerous;
};

static int w_start(void *ctx, const struct setup_form *s, const char *typed, struct err *err)
{
	struct world *w = ctx;

	(void)s;
	if (w->refuse)
		return err_set(err, ERR_REFUSED, "no such thing");
	w->starts++;
	snprintf(w->typed, sizeof(w->typed), "%s", typed);
	return 0;
}

static bool w_destroys(void *ctx, const struct setup_form *s, char *name, size_t n, char *text, size_t m)
{
	struct world *w = ctx;

	(void)s;
	snprintf(name, n, "nvme1n1");
	snprintf(text, m, "Everything on it will be lost.");
	return w->dangerous;
}

static void w_stop(void *ctx)
{
	((struct world *)ctx)->stops++;
}

static void w_skip(void *ctx)
{
	((struct world *)ctx)->skips++;
}

static void w_go_on(void *ctx)
{
	((struct world *)ctx)->goes++;
}

static int w_knob(void *ctx, enum action act, char *said, size_t size, struct err *err)
{
	struct world *w = ctx;

	(void)err;
	w->knobs++;
	w->last = act;
	snprintf(said, size, "turned");
	return 0;
}

static void w_mark(void *ctx)
{
	((struct world *)ctx)->marks++;
}

static int w_open(void *ctx, const char *path, struct err *err)
{
	(void)path;
	(void)err;
	((struct world *)ctx)->opens++;
	return 0;
}

/* A gp2 volume of 100 GiB: burst 3,000, baseline 300. */
static void w_judge(void *ctx, const struct runlog_snap *run, const struct live *live, const struct workload *wl,
		    struct app_judgement *out)
{
	struct volumes vs = { .n = 0 };
	struct err err;

	(void)ctx;
	(void)run;
	(void)live;
	assert_int_equal(volumes_parse(&vs, limits_builtin(), "gp2:100", &err), 0);
	struct model_input in = model_input(&vs, NULL, wl);
	model_expect(&in, &out->expect);
	out->known = true;
	out->verdict = VERDICT_PASS;
}

static const struct app_ops ops = { .start = w_start, .destroys = w_destroys, .stop = w_stop, .skip = w_skip, .go_on = w_go_on, .knob = w_knob, .mark = w_mark,
				    .open = w_open, .judge = w_judge };

static struct app *new_app(struct world *w)
{
	*w = (struct world){ 0 };
	w->app = app_new(&ops, w, limits_builtin());
	assert_non_null(w->app);
	return w->app;
}

static void press(struct app *a, const char *keys)
{
	struct key_step *s;
	size_t n;
	struct err err = { 0 };

	assert_int_equal(keys_parse(keys, &s, &n, &err), 0);
	for (size_t i = 0; i < n; i++)
		app_key(a, s[i].key);
	free(s);
}

static char picture[65536];

static const char *seen(struct app *a)
{
	struct canvas cv;
	struct err err;

	assert_int_equal(canvas_init(&cv, a->w, a->h, &err), 0);
	app_draw(a, &cv);
	FILE *f = fmemopen(picture, sizeof(picture), "w");
	canvas_dump(&cv, f);
	fclose(f);
	canvas_release(&cv);
	return picture;
}

static bool shows(struct app *a, const char *text)
{
	return strstr(seen(a), text) != NULL;
}

/* Ten seconds of a run of a minute: 3,000 IOPS of 16 KiB at 10 Hz, then 300. */
static void add_ticks(struct runlog *log, unsigned from, unsigned to)
{
	static struct tick t;

	for (unsigned i = from; i < to; i++) {
		memset(&t, 0, sizeof(t));
		t.s.t_ns = (i + 1) * 100000000ULL;
		t.s.dt_ns = 100000000ULL;
		t.s.phase = PHASE_MEASURE;
		t.s.dir[DDIR_READ].ios = i < 70 ? 300 : 30;
		t.s.dir[DDIR_READ].bytes = t.s.dir[DDIR_READ].ios * 16384;
		t.s.lat_p50 = 1000000;
		t.s.lat_p99 = t.s.lat_max = 2000000;
		t.s.inflight = 32;
		t.s.model_iops = i < 70 ? 3000 : 300;
		t.s.model_balance = i < 70 ? 5400000.0 - 60000 * i : 0;
		t.p50 = 1000000;
		t.p99 = t.p999 = 2000000;
		t.display[hist_index(1000000) >> DISPLAY_SHIFT] = 300;
		t.nr_workers = 1;
		t.worker[0] = (struct worker_row){ t.s.dir[DDIR_READ].ios, t.s.dir[DDIR_READ].bytes, 32, 0 };
		runlog_tick(log, &t);
	}
}

static struct runlog *new_log(void)
{
	struct run_header h = { .version = "1", .started = "2026-12-01T00:00:00Z", .target = "/data", .title = "iops", .time_scale = 1, .nr_planned = 1 };

	h.planned[0] = (struct planned){ .name = "iops", .wl = *workload_find("iops"), .repeats = 1, .seconds = 60 };
	h.planned[0].wl.runtime_ns = 60 * NS_PER_SEC;
	return runlog_new(&h);
}

static void event(struct runlog *log, enum event_kind kind, unsigned ds, const char *text)
{
	struct event e = { .t_ns = ds * 100000000ULL, .kind = kind };

	snprintf(e.text, sizeof(e.text), "%s", text);
	runlog_event(log, &e);
}

static void enter_starts_at_once_when_a_target_is_named(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	struct err err = { 0 };

	press(a, "Enter");
	assert_int_equal(w.starts, 0);
	assert_true(shows(a, "name a target first"));
	assert_int_equal(setup_form_set(&a->setup, SF_TARGET, "/data", &err), 0);
	press(a, "Escape,Escape,Enter");
	assert_int_equal(w.starts, 1);
	assert_int_equal(a->screen, SCREEN_LIVE);
	assert_true(shows(a, "Starting"));
	assert_false(app_done(a));
	app_failed(a, "open /data: Permission denied");
	assert_int_equal(a->screen, SCREEN_SETUP);
	assert_true(shows(a, "open /data: Permission denied"));
	assert_true(app_done(a));
	app_free(a);
}

static void what_destroys_asks_for_the_name_and_a_single_key_does_nothing(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	struct err err = { 0 };

	w.dangerous = true;
	setup_form_set(&a->setup, SF_TARGET, "/dev/nvme1n1", &err);
	press(a, "Enter,Enter,y,s");
	assert_int_equal(w.starts, 0);
	assert_true(shows(a, "type nvme1n1:"));
	press(a, "Escape");
	assert_false(shows(a, "type nvme1n1:"));
	press(a, "s,text:nvme1n1,Enter");
	assert_int_equal(w.starts, 1);
	assert_string_equal(w.typed, "nvme1n1");
	app_free(a);
}

static void a_refused_start_says_why_and_stays(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	struct err err = { 0 };

	w.refuse = true;
	setup_form_set(&a->setup, SF_TARGET, "/nowhere", &err);
	press(a, "Enter");
	assert_int_equal(a->screen, SCREEN_SETUP);
	assert_true(shows(a, "no such thing"));
	assert_true(app_done(a));
	app_free(a);
}

static void quitting_a_live_run_asks_and_y_stops_it(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	struct runlog *log = new_log();

	add_ticks(log, 0, 20);
	app_watch(a, log, false, 1);
	assert_true(app_running(a));
	press(a, "q");
	assert_false(a->quit);
	assert_true(shows(a, "A run is live"));
	press(a, "Escape,q,n,q,Enter");
	assert_false(a->quit);
	assert_int_equal(w.stops, 0);
	press(a, "y");
	assert_true(a->quit);
	assert_int_equal(w.stops, 1);
	app_free(a);
	runlog_free(log);
}

static void of_several_tests_x_ends_one_and_asks_whether_the_rest_goes_on(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	struct run_header h = { .version = "1", .started = "2026-12-01T00:00:00Z", .target = "/data", .title = "quick", .time_scale = 1, .nr_planned = 3 };

	for (int i = 0; i < 3; i++)
		h.planned[i] = (struct planned){ .name = "iops", .wl = *workload_find("iops"), .repeats = 1, .seconds = 60 };
	struct runlog *log = runlog_new(&h);
	add_ticks(log, 0, 20);
	app_watch(a, log, false, 1);
	press(a, "x");
	assert_int_equal(w.skips, 1);
	assert_int_equal(w.stops, 0);
	assert_false(a->asking);
	app_paused(a);
	assert_true(shows(a, "The run is paused"));
	press(a, "Escape");
	assert_false(a->asking);
	assert_int_equal(w.goes + w.stops, 0);
	assert_true(shows(a, "paused"));
	press(a, "x,y");
	assert_int_equal(w.goes, 1);
	assert_int_equal(w.skips, 1);
	assert_false(shows(a, "paused"));
	app_paused(a);
	press(a, "n");
	assert_int_equal(w.stops, 1);
	app_free(a);
	runlog_free(log);
}

static void a_shorter_time_on_the_plot_is_shorter_than_the_test(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	struct runlog *log = new_log();

	add_ticks(log, 0, 20);
	app_watch(a, log, false, 1);
	press(a, "+");
	assert_true(shows(a, "the last 30 s"));
	press(a, "-");
	assert_true(shows(a, "the whole test"));
	press(a, "-");
	assert_true(shows(a, "the whole test"));
	press(a, "+,+,+,+,+,+");
	assert_true(shows(a, "the last 5 s"));
	app_free(a);
	runlog_free(log);
}

static void a_form_with_too_little_room_shows_the_field_that_has_the_focus(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);

	app_resize(a, 40, 12);
	assert_true(shows(a, "[ Start ]"));
	assert_true(shows(a, "Enter starts; Tab goes to the fields"));
	assert_false(shows(a, "target"));
	press(a, "Tab,Tab");
	assert_true(shows(a, "target"));
	app_free(a);
}

static void escape_only_ever_closes(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);

	press(a, "?");
	assert_int_equal(a->screen, SCREEN_HELP);
	press(a, "Escape,Escape,Escape");
	assert_int_equal(a->screen, SCREEN_SETUP);
	assert_false(a->quit);
	press(a, "q");
	assert_true(a->quit);
	app_free(a);
}

static void knobs_and_marks_go_out_while_it_runs_and_not_after(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	struct runlog *log = new_log();

	add_ticks(log, 0, 5);
	app_watch(a, log, false, 1);
	press(a, "],{,.,m");
	assert_int_equal(w.knobs, 3);
	assert_int_equal(w.last, ACT_MIX_UP);
	assert_int_equal(w.marks, 1);
	runlog_end(log, RUN_DONE, 1, "");
	app_tick(a, 1);
	press(a, "],m,x");
	assert_int_equal(w.knobs, 3);
	assert_int_equal(w.marks, 1);
	assert_int_equal(w.stops, 0);
	app_free(a);
	runlog_free(log);
}

static void a_frozen_picture_stays_and_the_run_goes_on(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	struct runlog *log = new_log();

	add_ticks(log, 0, 30);
	app_watch(a, log, false, 1);
	press(a, "Space");
	char *before = strdup(seen(a));
	add_ticks(log, 30, 100);
	assert_false(app_tick(a, 5));
	assert_string_equal(seen(a), before);
	assert_non_null(strstr(before, "FROZEN"));
	press(a, "Space");
	assert_true(shows(a, "300 now"));
	free(before);
	app_free(a);
	runlog_free(log);
}

static void without_news_there_is_nothing_to_draw(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	struct runlog *log = new_log();

	assert_false(app_tick(a, 1));
	assert_int_equal(app_wakeup(a), 0);
	add_ticks(log, 0, 3);
	app_watch(a, log, false, 1);
	assert_false(app_tick(a, 2));
	add_ticks(log, 3, 4);
	assert_true(app_tick(a, 3));
	assert_false(app_tick(a, 4));
	app_free(a);
	runlog_free(log);
}

static void a_message_goes_after_some_seconds(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);

	app_tick(a, NS_PER_SEC);
	app_say(a, false, "hello");
	assert_true(shows(a, "hello"));
	assert_true(app_wakeup(a) > NS_PER_SEC);
	assert_true(app_tick(a, app_wakeup(a)));
	assert_false(shows(a, "hello"));
	assert_int_equal(app_wakeup(a), 0);
	app_free(a);
}

static void a_log_read_in_one_go_looks_like_one_watched_as_it_grew(void **state)
{
	(void)state;
	struct world w, w2;
	static const int sizes[][2] = { { 80, 24 }, { 120, 40 }, { 200, 60 } };

	for (size_t i = 0; i < 3; i++) {
		struct runlog *log = new_log();
		struct app *live = new_app(&w), *replay = new_app(&w2);
		app_resize(live, sizes[i][0], sizes[i][1]);
		app_resize(replay, sizes[i][0], sizes[i][1]);
		app_watch(live, log, false, 1);
		for (unsigned t = 0; t < 100; t += 3) {
			add_ticks(log, t, t + 3);
			if (t == 30)
				event(log, EVENT_KNOB, 33, "iodepth 64");
			app_tick(live, t);
		}
		runlog_end(log, RUN_DONE, 10 * NS_PER_SEC, "");
		app_tick(live, 200);
		app_watch(replay, log, true, 10);
		struct canvas a, b;
		struct err err;
		canvas_init(&a, live->w, live->h, &err);
		canvas_init(&b, live->w, live->h, &err);
		app_draw(live, &a);
		app_draw(replay, &b);
		assert_true(canvas_equal(&a, &b));
		canvas_release(&a);
		canvas_release(&b);
		app_free(live);
		app_free(replay);
		runlog_free(log);
	}
}

static void live_shows_rate_limits_credits_and_verdict(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	struct runlog *log = new_log();

	event(log, EVENT_KNOB, 20, "iodepth 64");
	add_ticks(log, 0, 60);
	app_watch(a, log, false, 1);
	assert_true(shows(a, "3,000 now"));
	assert_true(shows(a, "◀burst 3,000"));
	assert_true(shows(a, "base 300"));
	assert_true(shows(a, "empty in "));
	assert_true(shows(a, "✓ pass"));
	assert_true(shows(a, "54 s left"));
	assert_true(shows(a, "randread 16k · iodepth 64"));
	add_ticks(log, 60, 100);
	app_tick(a, 9);
	assert_true(shows(a, "◀base 300"));
	assert_true(shows(a, "spent in "));
	app_free(a);
	runlog_free(log);
}

static void every_screen_survives_every_size_and_key(void **state)
{
	(void)state;
	static const char *const screens[] = { "1", "2", "3", "?" };
	struct world w;
	struct runlog *log = new_log();
	struct err err;

	add_ticks(log, 0, 100);
	event(log, EVENT_MARK, 50, "mark");
	for (int cols = 1; cols <= 240; cols += cols < 24 ? 1 : 17)
		for (int rows = 1; rows <= 70; rows += rows < 12 ? 1 : 9)
			for (int s = 0; s < 4; s++) {
				struct app *a = new_app(&w);
				struct canvas cv;
				app_watch(a, log, false, 1);
				app_resize(a, cols, rows);
				press(a, screens[s]);
				press(a, "Tab,Down,Right,+,-,g,t");
				assert_int_equal(canvas_init(&cv, cols, rows, &err), 0);
				app_draw(a, &cv);
				press(a, "F2,q,y");
				assert_true(a->quit);
				app_draw(a, &cv);
				canvas_release(&cv);
				app_free(a);
			}
	runlog_free(log);
}

static void the_form_refuses_what_aws_refuses_as_it_is_typed(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	struct err err = { 0 };

	app_resize(a, 120, 40);
	setup_form_set(&a->setup, SF_TARGET, "/data", &err);
	setup_form_set(&a->setup, SF_VOLUME, "gp2", &err);
	form_focus(&a->setup.form, SF_SIZE);
	press(a, "text:100");
	assert_int_equal(a->setup.volume.size_gib, 100);
	assert_true(shows(a, "3,000 IOPS"));
	press(a, "text:000");
	assert_true(a->setup.form.field[SF_SIZE].error[0]);
	assert_int_equal(a->setup.volume.size_gib, 10000); /* 100000 is refused; 10000 was the last that is legal */
	press(a, "F1,Tab,Tab,s");
	assert_int_equal(w.starts, 0);
	app_free(a);
}

static void results_play_and_switch_lists(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	static struct run_entry e[2] = { { .path = "/a", .title = "one", .started = "2026-01-01T00:00:00Z", .iops = 1, .bw_bytes = 2 },
					 { .path = "/b", .title = "two", .started = "2026-01-02T00:00:00Z", .iops = NAN, .bw_bytes = NAN } };

	results_set_runs(&a->results, e, 2);
	press(a, "3,Enter");
	assert_int_equal(w.opens, 0);
	press(a, "Tab,Down,Enter");
	assert_int_equal(w.opens, 1);
	assert_int_equal(a->results.chosen, 1);
	app_free(a);
}

/* A run that has ended with one result: of the test's kind and name. @return the result, the log's */
static struct result *end_with(struct runlog *log, const char *name, enum test_kind kind)
{
	struct result *r = result_new();

	snprintf(r->name, sizeof(r->name), "%s", name);
	r->kind = kind;
	r->wl = *workload_find("iops");
	runlog_result(log, r);
	runlog_end(log, RUN_DONE, 10 * NS_PER_SEC, "");
	return r;
}

static void what_was_over_too_soon_is_pluses_in_the_list_of_tests(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	struct runlog *log = new_log();

	end_with(log, "create-seq", TEST_FILE)->too_short = true;
	app_watch(a, log, false, 1);
	press(a, "3");
	assert_true(shows(a, "create-seq        +++++   +++++"));
	app_free(a);
	runlog_free(log);
}

static void a_click_on_a_tab_goes_there(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	char *line = strdup(seen(a));

	line[strcspn(line, "\n")] = 0;
	char *tab = strstr(line, "Results");
	assert_non_null(tab);
	app_key(a, (struct key){ .code = KEYCODE_MOUSE, .x = (int)(tab - line), .y = 0 });
	assert_int_equal(a->screen, SCREEN_RESULTS);
	app_key(a, (struct key){ .code = KEYCODE_MOUSE, .x = 79, .y = 0 });
	assert_int_equal(a->screen, SCREEN_RESULTS);
	free(line);
	app_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enter_starts_at_once_when_a_target_is_named),
		cmocka_unit_test(what_destroys_asks_for_the_name_and_a_single_key_does_nothing),
		cmocka_unit_test(a_refused_start_says_why_and_stays),
		cmocka_unit_test(quitting_a_live_run_asks_and_y_stops_it),
		cmocka_unit_test(of_several_tests_x_ends_one_and_asks_whether_the_rest_goes_on),
		cmocka_unit_test(a_shorter_time_on_the_plot_is_shorter_than_the_test),
		cmocka_unit_test(a_form_with_too_little_room_shows_the_field_that_has_the_focus),
		cmocka_unit_test(escape_only_ever_closes),
		cmocka_unit_test(knobs_and_marks_go_out_while_it_runs_and_not_after),
		cmocka_unit_test(a_frozen_picture_stays_and_the_run_goes_on),
		cmocka_unit_test(without_news_there_is_nothing_to_draw),
		cmocka_unit_test(a_message_goes_after_some_seconds),
		cmocka_unit_test(a_log_read_in_one_go_looks_like_one_watched_as_it_grew),
		cmocka_unit_test(live_shows_rate_limits_credits_and_verdict),
		cmocka_unit_test(every_screen_survives_every_size_and_key),
		cmocka_unit_test(the_form_refuses_what_aws_refuses_as_it_is_typed),
		cmocka_unit_test(results_play_and_switch_lists),
		cmocka_unit_test(what_was_over_too_soon_is_pluses_in_the_list_of_tests),
		cmocka_unit_test(a_click_on_a_tab_goes_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
