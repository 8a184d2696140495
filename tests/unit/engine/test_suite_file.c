/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/clock.h"
#include "engine/suite_file.h"
#include "engine/units.h"

static struct step steps[PLANNED_MAX];

static int parse(const char *text, struct suite_file *file, struct err *err)
{
	struct workload base;

	workload_init(&base);
	return suite_file_parse("my.json", text, strlen(text), &base, file, steps, PLANNED_MAX, err);
}

static void a_suite_is_a_table_of_steps_with_the_command_lines_words(void **state)
{
	struct suite_file file;
	struct err err;

	(void)state;
	assert_int_equal(parse("{\"about\":\"ours\",\"repeat\":3,\"steps\":[{\"name\":\"log\",\"rw\":\"write\",\"bs\":\"16k\",\"sync\":\"dsync\","
			       "\"runtime\":\"30s\"},{\"rw\":\"randread\",\"bs\":4096,\"iodepth\":8}]}", &file, &err), 2);
	assert_string_equal(file.about, "ours");
	assert_string_equal(steps[0].name, "log");
	assert_int_equal(steps[0].wl.bs, 16 * KIB);
	assert_int_equal(steps[0].wl.sync, WSYNC_DSYNC);
	assert_int_equal(steps[0].wl.runtime_ns, 30 * NS_PER_SEC);
	assert_int_equal(steps[0].repeats, 3);
	assert_string_equal(steps[1].name, "randread-4k-q8");
	assert_int_equal(steps[1].wl.runtime_ns, 10 * NS_PER_SEC);
}

static void what_is_wrong_is_one_line_that_says_where(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "my.json:1:" },
		{ "{\n\"steps\": [\n", "my.json:" },
		{ "[]", "a suite is an object" },
		{ "{}", "steps must be a list of 1 to 64" },
		{ "{\"steps\":[]}", "steps must be a list of 1 to 64" },
		{ "{\"steps\":[1]}", "step 1: must be an object" },
		{ "{\"steps\":[{}]}", "step 1: needs rw" },
		{ "{\"steps\":[{\"rw\":\"read\",\"bz\":1}]}", "step 1: there is no 'bz'; a step has name rw bs iodepth" },
		{ "{\"steps\":[{\"rw\":\"read\",\"bs\":\"16q\"}]}", "step 1: " },
		{ "{\"steps\":[{\"rw\":\"read\",\"bs\":true}]}", "bs must be a text or a number" },
		{ "{\"steps\":[{\"rw\":\"read\"},{\"rw\":\"read\"}]}", "steps 1 and 2 are both named" },
		{ "{\"steps\":[{\"rw\":\"read\",\"name\":\"a\\u0007\"}]}", "control character" },
		{ "{\"steps\":[{\"rw\":\"read\"}],\"steps\":[]}", "my.json:1:" },
		{ "{\"steps\":[{\"rw\":\"read\"}],\"repeat\":0}", "repeat must be from 1 to 100" },
		{ "{\"steps\":[{\"rw\":\"read\"}],\"more\":0}", "there is no 'more'" },
	};
	struct suite_file file;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct err err = { 0 };
		assert_int_equal(parse(rows[i].text, &file, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		if (!strstr(err.msg, rows[i].says))
			fail_msg("%s: '%s'", rows[i].text, err.msg);
		assert_null(strchr(err.msg, '\n'));
	}
}

static void a_suite_is_found_by_its_name_in_the_config_directory_alone(void **state)
{
	char dir[] = "/tmp/suites.XXXXXX", path[256], names[4][SUITE_FILE_NAME_LEN];
	struct suite_file file;
	struct workload base;
	struct err err;

	(void)state;
	workload_init(&base);
	assert_non_null(mkdtemp(dir));
	setenv("XDG_CONFIG_HOME", dir, 1);
	assert_int_equal(suite_file_list(names, 4), 0);
	snprintf(path, sizeof(path), "%s/ebscope", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/ebscope/suites", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/ebscope/suites/ours.json", dir);
	FILE *f = fopen(path, "w");
	fputs("{\"steps\":[{\"rw\":\"read\"}]}", f);
	fclose(f);
	assert_int_equal(suite_file_list(names, 4), 1);
	assert_string_equal(names[0], "ours");
	assert_true(suite_file_exists("ours"));
	assert_int_equal(suite_file_load("ours", &base, &file, steps, PLANNED_MAX, &err), 1);
	assert_false(suite_file_exists("../suites/ours"));
	assert_int_equal(suite_file_load("../suites/ours", &base, &file, steps, PLANNED_MAX, &err), -1);
	assert_int_equal(suite_file_load("theirs", &base, &file, steps, PLANNED_MAX, &err), -1);
	unlink(path);
	snprintf(path, sizeof(path), "%s/ebscope/suites", dir);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/ebscope", dir);
	rmdir(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_suite_is_a_table_of_steps_with_the_command_lines_words),
		cmocka_unit_test(what_is_wrong_is_one_line_that_says_where),
		cmocka_unit_test(a_suite_is_found_by_its_name_in_the_config_directory_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
