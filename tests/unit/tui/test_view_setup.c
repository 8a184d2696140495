/* SPDX-License-Identifier: MIT */
#include "tests/unit/tui/app_stage.h"

#define DAY "2026-01-02T03:04:05Z"

/* An app on a screen of 200x60. */
static struct app *large(struct world *w)
{
	struct app *a = new_app(w);

	app_resize(a, 200, 60);
	app_tick(a, 1);
	return a;
}

static void give(struct app *a, enum setup_field field, const char *text)
{
	struct err err = { 0 };

	if (setup_form_set(&a->setup, field, text, &err) < 0)
		fail_msg("%s", err.msg);
	app_tick(a, 1);
}

static void a_large_screen_shows_what_bursts_until_a_volume_is_named(void **state)
{
	struct world w;
	struct app *a = large(&w);

	(void)state;
	assert_true(shows(a, "What bursts, and for how long"));
	assert_true(shows(a, "3,000 IOPS for 33 m 20 s"));
	give(a, SF_VOLUME, "gp3");
	assert_false(shows(a, "What bursts, and for how long"));
	end(&w);
}

static void a_bucket_that_the_test_empties_is_drawn_until_it_is_full_again(void **state)
{
	struct world w;
	struct app *a = large(&w);

	(void)state;
	give(a, SF_VOLUME, "gp2");
	give(a, SF_SIZE, "200");
	assert_true(shows(a, "5.4M I/Os"));
	assert_true(shows(a, "at rest full again in 2 h 30 m"));
	give(a, SF_SIZE, "2000"); /* earns more than a burst: none is spent */
	assert_false(shows(a, "at rest full again"));
	give(a, SF_VOLUME, "gp3");
	assert_false(shows(a, "Credits"));
	end(&w);
}

static void what_lies_between_burst_and_baseline_is_expected_too(void **state)
{
	struct world w;
	struct app *a = large(&w);

	(void)state;
	give(a, SF_VOLUME, "gp2");
	give(a, SF_SIZE, "20");
	give(a, SF_COUNT, "10");
	give(a, SF_HOST, "m5.large");
	assert_true(shows(a, "18,750 IOPS"));
	assert_true(shows(a, "3,600 IOPS  56.2 MiB/s"));
	assert_true(shows(a, "2 h 21 m"));
	assert_true(shows(a, "1,000 IOPS  15.6 MiB/s"));
	give(a, SF_VOLUME, "gp3");
	give(a, SF_SIZE, "500");
	give(a, SF_COUNT, "1");
	give(a, SF_IOPS, "6000");
	give(a, SF_HOST, "2:4");
	assert_true(shows(a, "3,000 to 6,000 IOPS, the task's is a floor"));
	end(&w);
}

static void where_a_target_was_not_measured_others_are_listed_and_no_network(void **state)
{
	static const struct run_entry runs[] = {
		{ .path = "a.jsonl", .title = "quick", .target = "/elsewhere", .started = DAY, .iops = 3000, .bw_bytes = 49152000 },
		{ .path = "b.jsonl", .title = "net", .target = "10.9.8.7", .started = DAY, .iops = NAN, .bw_bytes = 1e8, .net = true },
		{ .path = "c.jsonl", .title = "sweep", .target = "sim:", .started = DAY, .iops = 2000, .bw_bytes = 49152000 },
		{ .path = "ref:dd/single", .title = "dd/single", .started = "reference", .iops = NAN, .bw_bytes = NAN },
	};
	const struct run_entry *found[4];
	struct world w;
	struct app *a = large(&w);

	(void)state;
	results_set_runs(&a->results, runs, 4);
	give(a, SF_TARGET, "sim:");
	assert_true(shows(a, "sweep"));
	assert_false(shows(a, "/elsewhere"));
	assert_int_equal(results_before(&a->results, "sim:", false, found, 4), 1);
	assert_string_equal(found[0]->title, "sweep");
	assert_int_equal(results_before(&a->results, "", false, NULL, 0), 2);
	results_set_runs(&a->results, runs, 2);
	assert_true(shows(a, "nothing of this target yet; of others:"));
	assert_true(shows(a, "/elsewhere"));
	assert_false(shows(a, "10.9.8.7"));
	end(&w);
}

static void references_have_their_names_and_what_they_are_about_in_columns(void **state)
{
	static const struct run_entry runs[] = {
		{ .path = "ref:dd/single", .title = "dd/single", .started = "reference", .target = "one volume",
		  .iops = NAN, .bw_bytes = NAN },
		{ .path = "ref:x", .title = "fargate-net/eu-north-1/0.25:1024", .started = "reference", .iops = NAN, .bw_bytes = NAN,
		  .target = "a task; and all of it is said here, which is longer than sixty-four characters" },
	};
	struct world w;
	struct app *a = large(&w);

	(void)state;
	a->screen = SCREEN_RESULTS;
	results_set_runs(&a->results, runs, 2);
	const char *text = seen(a), *one = strstr(text, "one volume"), *task = strstr(text, "a task;");
	assert_non_null(one);
	assert_non_null(task);
	assert_non_null(strstr(text, "than sixty-four characters"));
	const char *line_one = one, *line_task = task;
	while (line_one[-1] != '\n')
		line_one--;
	while (line_task[-1] != '\n')
		line_task--;
	assert_int_equal(one - line_one, task - line_task);
	end(&w);
}

static void without_volumes_their_screen_shows_what_could_be_created(void **state)
{
	struct world w;
	struct app *a = new_app(&w);

	(void)state;
	app_resize(a, 120, 40);
	app_tick(a, 1);
	a->screen = SCREEN_VOLUMES;
	assert_true(shows(a, "io2:500:64000"));
	assert_true(shows(a, "What bursts, and for how long"));
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_large_screen_shows_what_bursts_until_a_volume_is_named),
		cmocka_unit_test(a_bucket_that_the_test_empties_is_drawn_until_it_is_full_again),
		cmocka_unit_test(what_lies_between_burst_and_baseline_is_expected_too),
		cmocka_unit_test(where_a_target_was_not_measured_others_are_listed_and_no_network),
		cmocka_unit_test(references_have_their_names_and_what_they_are_about_in_columns),
		cmocka_unit_test(without_volumes_their_screen_shows_what_could_be_created),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
