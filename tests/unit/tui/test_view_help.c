/* SPDX-License-Identifier: MIT */
#include "tests/unit/tui/app_stage.h"

static struct app *help_at(struct world *w, int cols, int rows)
{
	struct app *a = new_app(w);

	app_resize(a, cols, rows);
	press(a, "?");
	return a;
}

static void beside_the_keys_nothing_is_cut(void **state)
{
	(void)state;
	for (int cols = 100; cols <= 200; cols += 12)
		for (int rows = 10; rows <= 60; rows += 6) {
			struct world w;
			struct app *a = help_at(&w, cols, rows);

			if (cols >= 120 && shows(a, "…"))
				fail_msg("%dx%d: %s", cols, rows, seen(a));
			for (int i = 0; i < 20; i++)
				press(a, "NPage");
			/* it stands beside the keys or below them */
			assert_true(shows(a, "recordings"));
			assert_true(shows(a, "ebscope --help"));
			end(&w);
		}
}

static void at_120x40_all_that_is_no_key_stands_beside_the_keys(void **state)
{
	(void)state;
	struct world w;
	struct app *a = help_at(&w, 120, 40);

	assert_true(shows(a, "─ Signs ─"));
	assert_true(shows(a, "─ What to believe ─"));
	assert_true(shows(a, "─ Where things are ─"));
	end(&w);
}

static void on_a_small_screen_all_of_it_is_below_the_keys(void **state)
{
	(void)state;
	struct world w;
	struct app *a = help_at(&w, 80, 24);

	for (int i = 0; i < 20; i++)
		press(a, "NPage");
	assert_true(shows(a, "What to believe"));
	assert_true(shows(a, "the client was the limit"));
	assert_true(shows(a, "Where things are"));
	end(&w);
}

static void the_places_are_those_in_use(void **state)
{
	(void)state;
	struct world w;

	setenv("HOME", "/home/me", 1);
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	assert_true(shows(help_at(&w, 120, 40), " ~/.local/state/ebscope/runs "));
	assert_true(shows(w.app, " ~/.config/ebscope: "));
	end(&w);
	setenv("XDG_STATE_HOME", "/a-directory-that-is-longer-than-its-column/and-goes-on", 1);
	setenv("XDG_CONFIG_HOME", "/conf", 1);
	assert_true(shows(help_at(&w, 120, 40), " /conf/ebscope: "));
	assert_true(shows(w.app, " /a-directory-that-is-longer-than-its-colu"));
	assert_true(shows(w.app, " mn/and-goes-on/ebscope/runs "));
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside_the_keys_nothing_is_cut),
		cmocka_unit_test(at_120x40_all_that_is_no_key_stands_beside_the_keys),
		cmocka_unit_test(on_a_small_screen_all_of_it_is_below_the_keys),
		cmocka_unit_test(the_places_are_those_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
