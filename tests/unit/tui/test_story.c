/* SPDX-License-Identifier: MIT */
#include "tests/unit/tui/app_stage.h"
#include "tui/story.h"

static void the_last_line_said_is_the_one_whose_time_has_come(void **state)
{
	(void)state;
	const char *say[STORY_LINES];

	for (const struct story *st = stories; st->name; st++) {
		assert_int_equal(story_says(st, 0, false, false, say, STORY_LINES), 1);
		size_t n = story_says(st, 1e9, true, true, say, STORY_LINES);
		for (const struct story_line *l = st->lines; l->text; l++)
			n--;
		assert_int_equal(n, 0); /* STORY_LINES is enough for each */
	}
}

static struct app *new_story(struct world *w, unsigned ticks)
{
	struct run_header h = { .version = "1", .started = "2026-12-01T00:00:00Z", .target = "sim:", .title = "own", .time_scale = 100, .nr_planned = 1 };

	h.planned[0] = (struct planned){ .name = "randread-16k", .wl = *workload_find("iops"), .repeats = 1, .seconds = 60 };
	h.doc = json_pack("{s:{s:s}}", "setup", "story", "gp2-burst");
	return new_run(w, runlog_new(&h), ticks);
}

static void with_room_what_was_said_before_stays(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_story(&w, 90);

	app_resize(a, 200, 60);
	assert_true(shows(a, "  A gp2 volume of 100 GiB earns"));
	assert_true(shows(a, "▸ At 3,000 IOPS it spends"));
	app_resize(a, 80, 24);
	assert_false(shows(a, "A gp2 volume of 100 GiB earns"));
	assert_true(shows(a, "│ At 3,000 IOPS it spends"));
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_line_said_is_the_one_whose_time_has_come),
		cmocka_unit_test(with_room_what_was_said_before_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
