/* SPDX-License-Identifier: MIT */
#include "tests/unit/tui/app_stage.h"
#include "tui/beside.h"

static struct app *results_of_one_test(struct world *w, struct result **r)
{
	struct app *a = new_run(w, new_log(1, false), 100);

	*r = end_with(w->log, "iops", TEST_BLOCK);
	(*r)->all.iops = 3000;
	(*r)->all.bw_bytes = 3000 * 16384;
	app_tick(a, 1);
	press(a, "3");
	return a;
}

/* The times under the plot are the last line of the panel that is the last at the left. */
static void assert_plot_ends_the_screen(struct app *a)
{
	const char *line = seen(a);

	for (int y = 0; y < a->h - 3; y++)
		line = strchr(line, '\n') + 1;
	assert_ptr_equal(strstr(line, "│      0 "), line);
}

static void on_a_large_screen_two_runs_of_one_test_leave_room_for_it_in_full(void **state)
{
	(void)state;
	struct world w;
	struct result *r;
	struct app *a = results_of_one_test(&w, &r);
	struct err err;

	for (int k = 0; k < 2; k++) {
		struct import_test *t = import_add(&a->beside.run[k], "iops", TEST_BLOCK);
		t->r->wl = *workload_find("iops");
		t->r->all.iops = 3000 + k;
	}
	assert_int_equal(compare_runs(&a->beside.c, a->beside.run, 2, &err), 0);
	a->beside.any = true;
	for (int size = 0; size < 2; size++) {
		app_resize(a, size ? 200 : 120, size ? 60 : 40);
		assert_true(shows(a, "Side by side"));
		assert_true(shows(a, "green better"));
		assert_true(shows(a, "p99.9 "));
		assert_plot_ends_the_screen(a);
	}
	app_resize(a, 80, 24);
	assert_true(shows(a, "Side by side"));
	assert_false(shows(a, "p99.9 "));
	end(&w);
}

static void of_one_run_alone_the_names_of_figures_are_whole(void **state)
{
	(void)state;
	struct world w;
	struct result *r;
	struct app *a = results_of_one_test(&w, &r);
	struct import_test *t = import_add(&a->beside.run[0], "iops", TEST_BLOCK);
	struct err err;

	t->r->wl = *workload_find("iops");
	t->r->all.iops = 2000;
	t->burst = 3000;
	t->baseline = 300;
	t->burst_s = 60;
	assert_int_equal(compare_runs(&a->beside.c, a->beside.run, 1, &err), 0);
	a->beside.any = true;
	app_resize(a, 80, 24);
	assert_true(shows(a, "baseline_iops"));
	app_resize(a, 120, 40);
	assert_true(shows(a, "baseline_iops"));
	end(&w);
}

static void a_test_in_full_fills_a_large_screen_with_its_plot(void **state)
{
	(void)state;
	struct world w;
	struct result *r;
	struct app *a = results_of_one_test(&w, &r);

	app_resize(a, 200, 60);
	assert_plot_ends_the_screen(a);
	end(&w);
}

static void many_times_what_was_expected_is_said_in_the_columns_that_there_are(void **state)
{
	(void)state;
	struct world w;
	struct result *r;
	struct app *a = results_of_one_test(&w, &r);

	r->more = json_pack("{s:{s:f}}", "expected", "iops_max", 0.5);
	app_resize(a, 120, 40);
	assert_true(shows(a, " >999 % "));
	json_decref(r->more);
	r->more = json_pack("{s:{s:f}}", "expected", "iops_max", 3000.0);
	assert_true(shows(a, " 100 % "));
	end(&w);
}

static void of_characters_and_files_nothing_is_expected(void **state)
{
	static const enum test_kind kinds[] = { TEST_CHAR, TEST_FILE };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct world w;
		struct result *r;
		struct app *a = results_of_one_test(&w, &r);

		r->kind = kinds[i];
		r->more = json_pack("{s:{s:f}}", "expected", "iops_max", 131e6);
		app_resize(a, 120, 40);
		assert_false(shows(a, "of expected"));
		assert_true(shows(a, "of the most"));
		end(&w);
	}
}

static void at_120_columns_the_list_of_runs_has_room_for_their_titles(void **state)
{
	(void)state;
	static struct run_entry e = { .path = "/a", .title = "randwrite-16k", .target = "sim:", .started = "2026-01-02T10:11:12Z", .iops = 2987,
				      .verdict = VERDICT_PASS };
	struct world w;
	struct result *r;
	struct app *a = results_of_one_test(&w, &r);

	results_set_runs(&a->results, &e, 1);
	app_resize(a, 120, 40);
	assert_true(shows(a, " 01-02 10:11 randwrite-16k "));
	app_resize(a, 200, 60);
	assert_true(shows(a, " 2026-01-02 10:11 randwrite-16k "));
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_a_large_screen_two_runs_of_one_test_leave_room_for_it_in_full),
		cmocka_unit_test(of_one_run_alone_the_names_of_figures_are_whole),
		cmocka_unit_test(a_test_in_full_fills_a_large_screen_with_its_plot),
		cmocka_unit_test(many_times_what_was_expected_is_said_in_the_columns_that_there_are),
		cmocka_unit_test(of_characters_and_files_nothing_is_expected),
		cmocka_unit_test(at_120_columns_the_list_of_runs_has_room_for_their_titles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
