/* SPDX-License-Identifier: MIT */
#include "tests/unit/tui/app_stage.h"

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
	end(&w);
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
	end(&w);
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
	end(&w);
}

static void a_network_test_that_cannot_begin_leaves_the_run_before_as_it_was(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, false), 20);
	struct err err = { 0 };

	end_with(w.log, "iops", TEST_BLOCK);
	app_watch(a, w.log, true, 10); /* played, ten times as fast */
	net_form_set(&a->net, NF_PEER, "sim:net:2:4", &err);
	press(a, "5,F5");
	form_focus(&a->net.form, NF_START);
	press(a, "Enter");
	assert_true(shows(a, "no thread"));
	assert_ptr_equal(a->log, w.log);
	assert_true(a->replay);
	assert_near(a->speed, 10, 0);
	w.gives_up = true;
	press(a, "Enter");
	assert_true(shows(a, "no thread"));
	assert_null(a->log); /* it is gone: nothing of it is looked at again */
	press(a, "F2");
	seen(a);
	end(&w);
}

static void quitting_a_live_run_asks_and_y_stops_it(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, false), 20);

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
	end(&w);
}

static void of_several_tests_x_ends_one_and_asks_whether_the_rest_goes_on(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(3, false), 20);

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
	end(&w);
}

static void a_shorter_time_on_the_plot_is_shorter_than_the_test(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, false), 20);

	press(a, "+");
	assert_true(shows(a, "the last 30 s"));
	press(a, "-");
	assert_true(shows(a, "the whole test"));
	press(a, "-");
	assert_true(shows(a, "the whole test"));
	press(a, "+,+,+,+,+,+");
	assert_true(shows(a, "the last 5 s"));
	end(&w);
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
	end(&w);
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
	end(&w);
}

static void help_begins_with_the_screen_it_was_asked_on_and_ends_with_the_signs(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, false), 20);

	press(a, "?");
	assert_true(shows(a, "│ Live"));
	assert_true(shows(a, "iodepth: half"));
	assert_false(shows(a, "Signs"));
	for (int i = 0; i < 20; i++)
		press(a, "NPage");
	assert_true(shows(a, "nothing to judge by"));
	press(a, "?,4,?");
	assert_true(shows(a, "create volumes: a form"));
	app_resize(a, 200, 60);
	assert_true(shows(a, "What to believe"));
	assert_true(shows(a, "ask AWS again"));
	end(&w);
}

static void knobs_and_marks_go_out_while_it_runs_and_not_after(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, false), 5);

	press(a, "],{,.,m");
	assert_int_equal(w.knobs, 3);
	assert_int_equal(w.last, ACT_MIX_UP);
	assert_int_equal(w.marks, 1);
	runlog_end(w.log, RUN_DONE, 1, "");
	app_tick(a, 1);
	press(a, "],m,x");
	assert_int_equal(w.knobs, 3);
	assert_int_equal(w.marks, 1);
	assert_int_equal(w.stops, 0);
	end(&w);
}

static void a_cap_that_was_taken_away_holds_nothing_back(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, false), 5);

	event(w.log, EVENT_KNOB, 5, "rate_iops 100");
	app_tick(a, 1);
	assert_int_equal(a->wl.rate_iops, 100);
	event(w.log, EVENT_KNOB, 6, "rate_iops none");
	app_tick(a, 2);
	assert_int_equal(a->wl.rate_iops, 0);
	end(&w);
}

static void a_watch_shows_how_long_it_has_gone_on_and_no_knobs(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, true), 20);

	app_resize(a, 200, 60);
	assert_true(shows(a, "2 s so far; x ends it"));
	assert_true(shows(a, "read     3,000 IOPS    46.9 MiB/s  16 KiB each"));
	assert_false(shows(a, "Latency"));
	assert_false(shows(a, "0 %  2"));
	assert_false(shows(a, "Depth"));
	assert_false(shows(a, "Block"));
	assert_true(shows(a, "Mark"));
	press(a, "],{");
	assert_int_equal(w.knobs, 0);
	end(&w);
}

static void a_frozen_picture_stays_and_the_run_goes_on(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, false), 30);

	press(a, "Space");
	char *before = strdup(seen(a));
	add_ticks(w.log, 30, 100);
	assert_false(app_tick(a, 5));
	assert_string_equal(seen(a), before);
	assert_non_null(strstr(before, "FROZEN"));
	press(a, "Space");
	assert_true(shows(a, "300 now"));
	free(before);
	end(&w);
}

static void without_news_there_is_nothing_to_draw(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);

	assert_false(app_tick(a, 1));
	assert_int_equal(app_wakeup(a), 0);
	w.log = new_log(1, false);
	add_ticks(w.log, 0, 3);
	app_watch(a, w.log, false, 1);
	assert_false(app_tick(a, 2));
	add_ticks(w.log, 3, 4);
	assert_true(app_tick(a, 3));
	assert_false(app_tick(a, 4));
	end(&w);
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
	end(&w);
}

static void a_log_read_in_one_go_looks_like_one_watched_as_it_grew(void **state)
{
	(void)state;
	struct world w, w2;
	static const int sizes[][2] = { { 80, 24 }, { 120, 40 }, { 200, 60 } };

	for (size_t i = 0; i < 3; i++) {
		struct runlog *log = new_log(1, false);
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
	struct app *a = new_run(&w, new_log(1, false), 60);

	event(w.log, EVENT_KNOB, 20, "iodepth 64");
	app_tick(a, 8);
	assert_true(shows(a, "3,000 now"));
	assert_true(shows(a, "◀burst 3,000"));
	assert_true(shows(a, "base 300"));
	assert_true(shows(a, "empty in "));
	assert_true(shows(a, "✓ pass"));
	assert_true(shows(a, "54 s left"));
	assert_true(shows(a, "randread 16k · iodepth 64"));
	add_ticks(w.log, 60, 100);
	app_tick(a, 9);
	assert_true(shows(a, "◀base 300"));
	assert_true(shows(a, "spent in "));
	end(&w);
}

static void every_screen_survives_every_size_and_key(void **state)
{
	(void)state;
	static const char *const screens[] = { "1", "2", "3", "?" };
	struct world w;
	struct runlog *log = new_log(1, false);
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

static void paste(struct app *a, const char *text)
{
	for (; *text; text++)
		app_key(a, (struct key){ .code = *text == '\n' ? KEYCODE_ENTER : (uint32_t)(unsigned char)*text, .pasted = true });
}

static void pasted_text_goes_into_a_field_and_is_no_command(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, false), 20);

	paste(a, "xqm]1\n");
	assert_int_equal(a->screen, SCREEN_LIVE);
	assert_int_equal(w.stops + w.marks + w.knobs, 0);
	assert_false(a->asking);
	runlog_end(w.log, RUN_DONE, 1, "");
	app_tick(a, 1);
	press(a, "1");
	form_focus(&a->setup.form, SF_TARGET);
	paste(a, "/data\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
	assert_string_equal(a->setup.path, "/data");
	assert_int_equal(a->setup.form.focus, SF_TARGET);
	assert_int_equal(w.starts, 0);
	char *big = calloc(1, 5000);
	memset(big, '/', 4999);
	paste(a, big);
	assert_int_equal(strlen(a->setup.form.field[SF_TARGET].value), FORM_VALUE_MAX - 1);
	(void)seen(a);
	free(big);
	w.dangerous = true;
	press(a, "C-u,text:/d,Enter");
	form_focus(&a->setup.form, SF_START);
	press(a, "Enter");
	paste(a, "nvme1n1\n");
	assert_int_equal(w.starts, 0);
	press(a, "Enter");
	assert_int_equal(w.starts, 1);
	end(&w);
}

/* Whatever is typed at whatever size, with a run that ends and begins anew: nothing that asks first happens by itself. */
static void random_keys_do_no_harm(void **state)
{
	(void)state;
	static const uint32_t keys[] = { 27, '\r', '\t', 127, KEYCODE_UP, KEYCODE_DOWN, KEYCODE_LEFT, KEYCODE_RIGHT, KEYCODE_HOME, KEYCODE_END, KEYCODE_PGUP,
					 KEYCODE_PGDN, KEYCODE_BTAB, KEYCODE_DEL, KEYCODE_MOUSE, KEYCODE_WHEEL_UP, KEYCODE_CTRL('u'), KEYCODE_CTRL('a'), 0x65e5,
					 0x301, KEYCODE_F(1), KEYCODE_F(2), KEYCODE_F(3), KEYCODE_F(4), KEYCODE_F(5), '?' };
	static struct run_entry e[2] = { { .path = "/a", .title = "one", .started = "2026-01-01T00:00:00Z", .iops = 1, .bw_bytes = 2 },
					 { .path = "/b", .title = "two", .started = "2026-01-02T00:00:00Z", .iops = NAN, .bw_bytes = NAN } };
	static const struct setup_target t[] = { { .path = "/a", .usable = true }, { .path = "train:gp2-burst", .usable = true }, { .path = "/b" } };
	struct world w;
	struct app *a = new_run(&w, new_log(3, false), 20);
	uint32_t seed = 1;

	results_set_runs(&a->results, e, 2);
	setup_form_targets(&a->setup, t, 3);
	w.dangerous = true;
	for (unsigned i = 0; i < 6000; i++) {
		seed = seed * 1664525 + 1013904223;
		uint32_t r = seed >> 8, n = sizeof(keys) / sizeof(*keys);
		struct key k = { .code = r % 3 ? keys[r / 3 % n] : 0x20 + r / 3 % 0x5f, .x = (int)(r % 200), .y = (int)(r / 7 % 60) };
		app_key(a, k);
		a->quit = false; /* q, and y */
		app_tick(a, i);
		if (r % 50 == 0)
			app_resize(a, 1 + (int)(r / 50 % 200), 1 + (int)(r / 11 % 60));
		if (r % 29 == 0)
			(void)seen(a);
		if (r % 997 == 0)
			app_watch(a, r / 997 % 2 ? w.log : NULL, false, 1);
	}
	assert_int_equal(w.starts, 0); /* the device's name was not typed */
	end(&w);
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
	end(&w);
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
	end(&w);
}

static void a_suites_steps_and_their_state_stand_on_live_at_80_columns(void **state)
{
	(void)state;
	struct world w;
	struct runlog *log = new_log(12, false);
	struct app *a = new_run(&w, log, 50);

	assert_true(shows(a, "▶ iops  · iops  · iops"));
	struct result *r = result_new();
	strcpy(r->name, "iops");
	r->verdict = VERDICT_SHORT;
	runlog_result(log, r);
	static struct tick t;
	t.s = (struct sample){ .t_ns = 6 * NS_PER_SEC, .dt_ns = 100000000, .test = 1, .phase = PHASE_MEASURE };
	runlog_tick(log, &t);
	app_tick(a, 1);
	assert_true(shows(a, "▼ iops  ▶ iops  · iops"));
	t.s = (struct sample){ .t_ns = 7 * NS_PER_SEC, .dt_ns = 100000000, .test = 11, .phase = PHASE_MEASURE };
	runlog_tick(log, &t);
	app_tick(a, 1);
	assert_true(shows(a, "▶ iops")); /* those before it make room */
	assert_true(shows(a, "12/12 iops"));
	end(&w);
}

static void what_was_over_too_soon_is_pluses_in_the_list_of_tests(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, false), 0);

	end_with(w.log, "create-seq", TEST_FILE)->too_short = true;
	app_tick(a, 1);
	press(a, "3");
	assert_true(shows(a, "create-seq        +++++   +++++"));
	end(&w);
}

static void what_memory_gave_is_drawn_back_and_called_cached(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, false), 0);
	struct canvas cv;
	struct err err;

	struct result *r = end_with(w.log, "T4", TEST_DD);
	r->cached = TRI_TRUE;
	r->verdict = VERDICT_UNKNOWN;
	r->all.iops = 85364;
	r->all.bw_bytes = 85364 * 8192.0;
	app_tick(a, 1);
	press(a, "3,Tab");
	assert_true(shows(a, "85,364     667"));
	const char *line = strstr(picture, "85,364");
	assert_non_null(strstr(line, "cached"));
	assert_true(strstr(line, "cached") < strchr(line, '\n'));
	assert_int_equal(canvas_init(&cv, a->w, a->h, &err), 0);
	app_draw(a, &cv);
	assert_int_equal(canvas_at(&cv, 2, 3).style, STYLE_FAINT);
	canvas_release(&cv);
	end(&w);
}

static void a_test_in_full_tells_its_repetitions_and_when_it_was_on_disk(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, false), 0);

	struct result *r = end_with(w.log, "T3", TEST_DD);
	r->runtime_s = 0.25;
	r->durable_s = 0.5;
	r->device_bytes = 268435456;
	for (int i = 0; i < 3; i++)
		r->repeat[r->nr_repeats++] = (struct repeat){ 290 + 10 * i, 3e8 };
	app_resize(a, 120, 40);
	app_tick(a, 1);
	press(a, "3");
	assert_true(shows(a, "accepted after 0.250 s, on disk after 0.500 s"));
	assert_true(shows(a, "3 times: mean 300 IOPS ± 3.3 %, 290 to 310"));
	assert_true(shows(a, "the device moved 256 MiB"));
	end(&w);
}

static void what_is_read_can_be_left_and_is_shown_when_it_comes(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, false), 50);
	static struct run_entry e = { .path = "ref:dd/single", .title = "dd/single", .started = "reference" };
	struct reading_result r = { .what = READING_GHOST };

	results_set_runs(&a->results, &e, 1);
	press(a, "2,g");
	assert_string_equal(w.reads, "ref:dd/single");
	assert_int_equal(w.reads_what, READING_GHOST);
	assert_true(shows(a, "reading dd/single … Esc leaves"));
	press(a, "3"); /* the screen is nobody's prisoner meanwhile */
	assert_true(shows(a, "Earlier runs"));
	assert_false(app_idle(a));
	press(a, "Escape");
	assert_int_equal(w.leaves, 1);
	assert_true(app_idle(a));
	press(a, "2,g");
	r.ghost.name[0] = 'x'; /* made of no file: a name and a level */
	app_read(a, &r);
	assert_true(app_idle(a));
	assert_true(shows(a, "ghost: x"));
	assert_true(shows(a, "x: no test iops"));
	press(a, "g");
	assert_true(shows(a, "no ghost"));
	end(&w);
}

static void a_run_that_cannot_be_read_says_why(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);
	static struct run_entry e = { .path = "/gone.jsonl", .title = "gone", .started = "2026-01-01T00:00:00Z" };
	static struct reading_result r = { .what = READING_BESIDE, .failed = true, .err = { .msg = "/gone.jsonl: No such file" } };

	results_set_runs(&a->results, &e, 1);
	press(a, "3,c");
	assert_int_equal(w.reads_what, READING_BESIDE);
	app_read(a, &r);
	assert_true(shows(a, "/gone.jsonl: No such file"));
	assert_true(app_idle(a));
	app_free(a);
}

/* Click on the line of the screen that has the text. */
static void click(struct app *a, const char *text)
{
	const char *at = strstr(seen(a), text);
	int y = 0;

	assert_non_null(at);
	for (const char *c = picture; c < at; c++)
		y += *c == '\n';
	app_key(a, (struct key){ .code = KEYCODE_MOUSE, .x = 5, .y = y });
}

static void a_click_on_a_row_of_results_chooses_it(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(2, false), 50);
	static struct run_entry e[20];

	for (int i = 0; i < 20; i++) {
		snprintf(e[i].path, sizeof(e[i].path), "ref:number-%d", i);
		snprintf(e[i].title, sizeof(e[i].title), "number-%d.", i);
	}
	results_set_runs(&a->results, e, 20);
	for (int i = 0; i < 2; i++) {
		struct result *r = result_new();
		snprintf(r->name, sizeof(r->name), "test-%d.", i);
		r->wl = *workload_find("iops");
		runlog_result(w.log, r);
	}
	app_tick(a, 1);
	press(a, "3");
	click(a, "number-2.");
	assert_true(a->results.in_runs);
	assert_int_equal(a->results.chosen, 2);
	click(a, "test-1.");
	assert_false(a->results.in_runs);
	assert_int_equal(a->results.test, 1);
	press(a, "Tab,End"); /* scrolled */
	click(a, "number-18.");
	assert_int_equal(a->results.chosen, 18);
	app_key(a, (struct key){ .code = KEYCODE_MOUSE, .x = 5, .y = a->h - 1 });
	assert_int_equal(a->results.chosen, 18);
	end(&w);
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
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enter_starts_at_once_when_a_target_is_named),
		cmocka_unit_test(what_destroys_asks_for_the_name_and_a_single_key_does_nothing),
		cmocka_unit_test(a_refused_start_says_why_and_stays),
		cmocka_unit_test(a_network_test_that_cannot_begin_leaves_the_run_before_as_it_was),
		cmocka_unit_test(quitting_a_live_run_asks_and_y_stops_it),
		cmocka_unit_test(of_several_tests_x_ends_one_and_asks_whether_the_rest_goes_on),
		cmocka_unit_test(a_shorter_time_on_the_plot_is_shorter_than_the_test),
		cmocka_unit_test(a_form_with_too_little_room_shows_the_field_that_has_the_focus),
		cmocka_unit_test(escape_only_ever_closes),
		cmocka_unit_test(help_begins_with_the_screen_it_was_asked_on_and_ends_with_the_signs),
		cmocka_unit_test(knobs_and_marks_go_out_while_it_runs_and_not_after),
		cmocka_unit_test(a_cap_that_was_taken_away_holds_nothing_back),
		cmocka_unit_test(a_watch_shows_how_long_it_has_gone_on_and_no_knobs),
		cmocka_unit_test(a_frozen_picture_stays_and_the_run_goes_on),
		cmocka_unit_test(without_news_there_is_nothing_to_draw),
		cmocka_unit_test(a_message_goes_after_some_seconds),
		cmocka_unit_test(a_log_read_in_one_go_looks_like_one_watched_as_it_grew),
		cmocka_unit_test(live_shows_rate_limits_credits_and_verdict),
		cmocka_unit_test(every_screen_survives_every_size_and_key),
		cmocka_unit_test(pasted_text_goes_into_a_field_and_is_no_command),
		cmocka_unit_test(random_keys_do_no_harm),
		cmocka_unit_test(the_form_refuses_what_aws_refuses_as_it_is_typed),
		cmocka_unit_test(results_play_and_switch_lists),
		cmocka_unit_test(a_suites_steps_and_their_state_stand_on_live_at_80_columns),
		cmocka_unit_test(what_was_over_too_soon_is_pluses_in_the_list_of_tests),
		cmocka_unit_test(what_memory_gave_is_drawn_back_and_called_cached),
		cmocka_unit_test(a_test_in_full_tells_its_repetitions_and_when_it_was_on_disk),
		cmocka_unit_test(what_is_read_can_be_left_and_is_shown_when_it_comes),
		cmocka_unit_test(a_run_that_cannot_be_read_says_why),
		cmocka_unit_test(a_click_on_a_row_of_results_chooses_it),
		cmocka_unit_test(a_click_on_a_tab_goes_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
