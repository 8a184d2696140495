/* SPDX-License-Identifier: MIT */
#include "tests/unit/tui/app_stage.h"
#include "tui/dialog.h"
#include "tui/results.h"

/* No letter, digit or sign of a text stands in the last line of a frame. */
static void assert_frames_whole(struct app *a, int w, int h)
{
	struct canvas cv;
	struct err err;

	app_resize(a, w, h);
	assert_int_equal(canvas_init(&cv, w, h, &err), 0);
	app_draw(a, &cv);
	for (int y = 0; y < h; y++) {
		bool in = false;
		for (int x = 0; x < w; x++) {
			uint32_t ch = cv.cell[y * w + x].ch;
			in = ch == 0x2570 || (in && ch != 0x256f); /* ╰ to ╯ */
			if (in && ch > ' ' && ch < 0x2500)
				fail_msg("screen %d at %dx%d: '%c' in the last line of a frame", a->screen, w, h, (int)ch);
		}
	}
	canvas_release(&cv);
}

static void no_text_runs_out_of_its_frame_at_any_size(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);

	for (int run = 0; run < 2; run++) {
		if (run) {
			w.log = new_log(1, false);
			add_ticks(w.log, 0, 100);
			app_watch(a, w.log, false, 1);
		}
		for (a->screen = 0; a->screen < SCREEN_NR; a->screen++)
			for (int width = 4; width < 100; width += 4)
				for (int height = 3; height < 30; height++)
					assert_frames_whole(a, width, height);
	}
	end(&w);
}

static void a_narrow_list_of_runs_has_each_figure_apart(void **state)
{
	(void)state;
	static struct run_entry e = { .path = "/a", .title = "quick", .target = "sim:", .started = "2026-01-01T10:11:12Z", .iops = 2987,
				      .verdict = VERDICT_PASS };
	struct world w;
	struct app *a = new_app(&w);

	results_set_runs(&a->results, &e, 1);
	a->screen = SCREEN_RESULTS;
	app_resize(a, 20, 6);
	assert_true(shows(a, "     2,987 "));
	app_resize(a, 30, 6);
	assert_true(shows(a, " 10:11 "));
	assert_true(shows(a, " 2,987 "));
	app_resize(a, 40, 6);
	assert_true(shows(a, "01-01 10:11 "));
	end(&w);
}

static void a_network_with_no_room_for_its_form_is_not_an_empty_screen(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);

	a->screen = SCREEN_NETWORK;
	app_resize(a, 20, 5);
	assert_true(shows(a, "no peer yet"));
	end(&w);
}

static void a_long_name_can_be_typed_in_full_and_is_seen_to_be_typed(void **state)
{
	(void)state;
	struct dialog d;
	struct canvas cv;
	struct err err;
	char name[256] = "", text[8192] = "";

	for (int i = 0; i < 42; i++)
		strcat(name, "\u76ee\u9332"); /* two columns each */
	strcat(name, "end");
	dialog_type(&d, 1, "This destroys data", "All of it.", name);
	for (const char *p = name; *p;)
		dialog_key(&d, (struct key){ .code = utf8_next(&p) });
	assert_int_equal(canvas_init(&cv, 80, 12, &err), 0);
	dialog_draw(&d, &cv);
	FILE *f = fmemopen(text, sizeof(text), "w");
	assert_int_equal(canvas_dump(&cv, f), 0);
	fclose(f);
	canvas_release(&cv);
	assert_non_null(strstr(text, "\u9332end_ \u2502"));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, "\u2502"))
			assert_int_equal(text_width(line), 70); /* up to its other side */
	assert_int_equal(dialog_key(&d, (struct key){ .code = KEYCODE_ENTER }), DIALOG_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_text_runs_out_of_its_frame_at_any_size),
		cmocka_unit_test(a_narrow_list_of_runs_has_each_figure_apart),
		cmocka_unit_test(a_long_name_can_be_typed_in_full_and_is_seen_to_be_typed),
		cmocka_unit_test(a_network_with_no_room_for_its_form_is_not_an_empty_screen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
