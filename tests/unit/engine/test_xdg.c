/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "engine/xdg.h"

static void a_variable_that_is_no_absolute_path_counts_as_unset(void **state)
{
	static const char *const bad[] = { "", "conf", "./conf", "~/conf" };
	struct err err;
	char path[256];

	(void)state;
	setenv("HOME", "/home/me", 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		setenv("XDG_CONFIG_HOME", bad[i], 1);
		setenv("XDG_STATE_HOME", bad[i], 1);
		assert_string_equal(xdg_config_home(path, sizeof(path)), "/home/me/.config");
		assert_string_equal(xdg_state(path, sizeof(path), "runs", &err), "/home/me/.local/state/ebscope/runs");
	}
	setenv("XDG_CONFIG_HOME", "/conf", 1);
	setenv("XDG_STATE_HOME", "/state", 1);
	assert_string_equal(xdg_config_home(path, sizeof(path)), "/conf");
	assert_string_equal(xdg_state(path, sizeof(path), "runs", &err), "/state/ebscope/runs");
}

static void for_the_eye_the_home_is_a_tilde(void **state)
{
	static const struct { const char *path, *shown; } rows[] = {
		{ "/home/me/.config", "~/.config" }, { "/home/me", "~" }, { "/home/meg/x", "/home/meg/x" }, { "/x/home/me", "/x/home/me" },
	};

	(void)state;
	setenv("HOME", "/home/me", 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char path[64];
		strcpy(path, rows[i].path);
		assert_string_equal(xdg_tilde(path), rows[i].shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_variable_that_is_no_absolute_path_counts_as_unset),
		cmocka_unit_test(for_the_eye_the_home_is_a_tilde),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
