/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "engine/json.h"
#include "tui/prefs.h"

static char home[64], file[128];

static int enter(void **state)
{
	(void)state;
	strcpy(home, "/tmp/ebscope-prefs-XXXXXX");
	assert_non_null(mkdtemp(home));
	snprintf(file, sizeof(file), "%s/ebscope/config.json", home);
	return setenv("XDG_CONFIG_HOME", home, 1);
}

static int leave(void **state)
{
	char dir[128];

	(void)state;
	unlink(file);
	snprintf(dir, sizeof(dir), "%s/ebscope", home);
	rmdir(dir);
	return rmdir(home);
}

static void write_file(const char *text)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void a_theme_that_is_kept_comes_back(void **state)
{
	(void)state;
	struct prefs p;
	struct err err = { 0 };

	assert_int_equal(prefs_load(&p, &err), 0);
	assert_string_equal(p.theme, "");
	assert_int_equal(prefs_save_theme("projector", &err), 0);
	assert_int_equal(prefs_load(&p, &err), 0);
	assert_string_equal(p.theme, "projector");
}

static void what_else_stands_in_the_file_stays_there(void **state)
{
	(void)state;
	struct prefs p;
	struct err err = { 0 };

	assert_int_equal(prefs_save_theme("default", &err), 0);
	write_file("{\"theme\": \"default\", \"of tomorrow\": [1, 2]}");
	assert_int_equal(prefs_save_theme("colorblind", &err), 0);
	assert_int_equal(prefs_load(&p, &err), 0);
	assert_string_equal(p.theme, "colorblind");
	json_t *doc = json_load_file(file, 0, NULL);
	assert_int_equal(json_array_size(json_object_get(doc, "of tomorrow")), 2);
	json_decref(doc);
}

static void a_broken_file_is_named_and_left_alone(void **state)
{
	(void)state;
	struct prefs p;
	struct err err = { 0 };
	char text[64] = "";

	assert_int_equal(prefs_save_theme("default", &err), 0);
	write_file("{\n\"theme\": ");
	assert_int_equal(prefs_load(&p, &err), -1);
	assert_non_null(strstr(err.msg, "config.json: line "));
	assert_int_equal(prefs_save_theme("projector", &err), -1);
	FILE *f = fopen(file, "r");
	assert_int_equal(fread(text, 1, sizeof(text), f), 11);
	fclose(f);
	assert_string_equal(text, "{\n\"theme\": ");
}

static void what_is_no_theme_is_refused_with_what_is(void **state)
{
	(void)state;
	static const char *const bad[] = { "{\"theme\": 7}", "{\"theme\": \"\"}", "[]", "\"default\"", "" };
	struct prefs p = { "before" };
	struct err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		err = (struct err){ 0 };
		assert_int_equal(prefs_parse(&p, "c", bad[i], strlen(bad[i]), &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_true(strncmp(err.msg, "c: ", 3) == 0);
		assert_string_equal(p.theme, "before");
	}
	assert_int_equal(prefs_parse(&p, "c", "{\"later\": {}}", 13, &err), 0);
	assert_string_equal(p.theme, "");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		T(a_theme_that_is_kept_comes_back),
		T(what_else_stands_in_the_file_stays_there),
		T(a_broken_file_is_named_and_left_alone),
		T(what_is_no_theme_is_refused_with_what_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
