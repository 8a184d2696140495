/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/near.h"
#include "tests/unit/tui/app_stage.h"
#include "tui/outline.h"

static struct outline out;

static struct setup setup_of(const char *target)
{
	struct setup s;

	setup_init(&s, limits_builtin());
	snprintf(s.target, sizeof(s.target), "%s", target);
	return s;
}

/* The command that does what @p s says. */
static const char *command_of(const struct setup *s)
{
	outline_make(&out, s);
	return out.command;
}

static void a_suite_is_its_tests_and_their_time(void **state)
{
	(void)state;
	struct setup s = setup_of("sim:");

	strcpy(s.suite, "quick");
	s.repeat = 3;
	outline_make(&out, &s);
	assert_int_equal(out.nr, 4);
	assert_string_equal(out.test[0].name, "seq-read");
	assert_near(out.seconds, 4 * 3 * 2, 1e-9);
	assert_string_equal(out.command, "ebscope run --suite quick --repeat 3 sim:");
}

static void the_command_does_the_same_and_is_in_quotes_where_a_shell_needs_them(void **state)
{
	(void)state;
	struct setup s = setup_of("/mnt/it's here");
	struct err err = { 0 };

	strcpy(s.volume, "1*gp2:100");
	strcpy(s.instance, "m5.large");
	s.shaped = true;
	s.time_scale = 60;
	workload_set(&s.wl, "rw", "randrw", &err);
	workload_set(&s.wl, "bs", "8k", &err);
	s.wl_given = ~0u;
	assert_string_equal(command_of(&s), "ebscope run --rw randrw --bs 8k --volume gp2:100 --instance m5.large --shape --time-scale 60 "
					 "'/mnt/it'\\''s here'");
}

static void the_command_names_a_simulated_volume_once(void **state)
{
	(void)state;
	struct setup s = setup_of("sim:gp2:100");

	strcpy(s.volume, "1*gp2:100");
	assert_string_equal(command_of(&s), "ebscope run sim:gp2:100");
	strcpy(s.volume, "2*gp3:500");
	strcpy(s.raid, "0");
	assert_string_equal(command_of(&s), "ebscope run --raid 0 'sim:2*gp3:500'");
	strcpy(s.target, "sim:");
	assert_string_equal(command_of(&s), "ebscope run --volume '2*gp3:500' --raid 0 sim:");
}

static void the_command_has_the_same_limits_and_recording(void **state)
{
	(void)state;
	struct setup s = setup_of("sim:");

	s.limits_file = "my limits.json";
	strcpy(s.record, "r.jsonl");
	assert_string_equal(command_of(&s), "ebscope run --limits 'my limits.json' --record r.jsonl sim:");
	memset(s.record, 'r', sizeof(s.record) - 1);
	assert_string_equal(command_of(&s), "(its command line is too long to show)");
	s.limits_file = "";
	s.no_record = true;
	*s.record = 0;
	assert_string_equal(command_of(&s), "ebscope run --no-record sim:");
}

static void the_command_tells_a_suite_what_it_was_told(void **state)
{
	(void)state;
	struct setup s = setup_of("/");

	strcpy(s.suite, "bonnie");
	s.opts.stdio = true;
	s.opts.char_bytes = 4096;
	s.opts.files = 0;
	assert_string_equal(command_of(&s), "ebscope run --suite bonnie --per-char stdio --char-size 4096 --files 0 /");
	s.opts = (struct suite_opts){ .files = 1, .file_max = 16, .file_min = 8, .file_dirs = 2 };
	assert_string_equal(command_of(&s), "ebscope run --suite bonnie --files 1:16:8:2 /");
	workload_init(&s.wl);
	assert_int_equal(workload_set(&s.wl, "numjobs", "4", &(struct err){ 0 }), 0);
	s.wl_given = ~0u; /* as a form has it: that suite has jobs of its own */
	s.opts.dd_random = true;
	strcpy(s.suite, "dd");
	assert_string_equal(command_of(&s), "ebscope run --suite dd --dd-data random /");
}

static void what_can_not_be_done_says_why(void **state)
{
	(void)state;
	struct setup s = setup_of("/");

	strcpy(s.suite, "first-touch");
	outline_make(&out, &s);
	assert_int_equal(out.nr, 0);
	assert_non_null(strstr(out.error, "nothing is cold in the scratch file of a directory"));
}

static void w_outline(void *ctx, const struct setup_form *form, struct outline *o)
{
	struct setup s;

	(void)ctx;
	setup_init(&s, limits_builtin());
	setup_form_get(form, &s);
	outline_make(o, &s);
}

static void setup_shows_tests_limits_other_volumes_and_earlier_runs(void **state)
{
	(void)state;
	static const struct app_ops with_outline = { .outline = w_outline };
	static struct run_entry e[2] = { { .path = "/a", .title = "of here", .target = "sim:", .started = "2026-01-01T10:11:12Z", .iops = 2998, .bw_bytes = 2 },
					 { .path = "/b", .title = "elsewhere", .target = "/data", .started = "2026-01-02T00:00:00Z", .iops = NAN, .bw_bytes = NAN } };
	struct world w;
	struct app *a = new_app(&w);
	struct err err = { 0 };

	a->ops = &with_outline;
	app_resize(a, 200, 60);
	results_set_runs(&a->results, e, 2);
	app_tick(a, 1);
	assert_true(shows(a, "What volumes give"));
	assert_true(shows(a, "elsewhere"));
	app_resize(a, 80, 24); /* one column of rates: what it is of is said, since other sizes begin with the burst */
	assert_true(shows(a, "lasting IOPS"));
	assert_true(shows(a, "gp2:100                300"));
	app_resize(a, 200, 60);
	setup_form_set(&a->setup, SF_TARGET, "sim:", &err);
	setup_form_set(&a->setup, SF_VOLUME, "gp2", &err);
	setup_form_set(&a->setup, SF_SIZE, "100", &err);
	press(a, "Tab");
	app_tick(a, 2);
	assert_true(shows(a, "small random reads"));
	assert_true(shows(a, "ebscope run --workload iops"));
	assert_true(shows(a, "▸ gp2:100 "));
	assert_true(shows(a, "  io2:100:3000 "));
	assert_true(shows(a, "volume baseline iops"));
	assert_true(shows(a, "2026-01-01 10:11  of here"));
	assert_false(shows(a, "elsewhere"));
	setup_form_set(&a->setup, SF_RW, "randwrite", &err);
	setup_form_set(&a->setup, SF_TARGET, "/tmp", &err);
	press(a, "Tab");
	app_tick(a, 3);
	assert_true(shows(a, "a file wants --overwrite too"));
	setup_form_set(&a->setup, SF_RW, "randread", &err);
	setup_form_set(&a->setup, SF_TARGET, "sim:", &err);
	press(a, "F2"); /* and on Live, as long as nothing has run */
	app_tick(a, 3);
	assert_true(shows(a, "Nothing runs yet"));
	assert_false(shows(a, "Freeze"));
	assert_true(shows(a, "ebscope run --workload iops"));
	assert_true(shows(a, "of here"));
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_suite_is_its_tests_and_their_time),
		cmocka_unit_test(the_command_does_the_same_and_is_in_quotes_where_a_shell_needs_them),
		cmocka_unit_test(the_command_names_a_simulated_volume_once),
		cmocka_unit_test(the_command_has_the_same_limits_and_recording),
		cmocka_unit_test(the_command_tells_a_suite_what_it_was_told),
		cmocka_unit_test(what_can_not_be_done_says_why),
		cmocka_unit_test(setup_shows_tests_limits_other_volumes_and_earlier_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
