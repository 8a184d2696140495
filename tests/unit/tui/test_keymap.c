/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tui/canvas.h"
#include "tui/keymap.h"

static enum action does(uint32_t code, unsigned now)
{
	return keymap_action((struct key){ .code = code }, now);
}

static void every_action_has_one_row_with_keys_and_help(void **state)
{
	(void)state;
	int rows[ACT_NR] = { 0 };

	for (const struct keymap_row *r = keymap; r->action; r++) {
		rows[r->action]++;
		assert_true(r->keys[0] && *r->name && *r->help);
		assert_true(r->when & ON_ANY);
	}
	for (int a = ACT_NONE + 1; a < ACT_NR; a++)
		assert_int_equal(rows[a], 1);
}

static void no_key_means_two_things_at_once(void **state)
{
	(void)state;
	for (const struct keymap_row *a = keymap; a->action; a++)
		for (const struct keymap_row *b = a + 1; b->action; b++)
			for (int i = 0; i < 4 && a->keys[i]; i++)
				for (int j = 0; j < 4 && b->keys[j]; j++)
					if (a->when & b->when & ON_ANY)
						assert_int_not_equal(a->keys[i], b->keys[j]);
}

static void number_keys_and_function_keys_go_to_the_same_screens(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(does('1' + i, ON_SETUP), ACT_SETUP + i);
		assert_int_equal(does(KEYCODE_F(i + 1), ON_HELP), ACT_SETUP + i);
	}
}

static void knobs_turn_only_while_a_run_is_live(void **state)
{
	(void)state;
	assert_int_equal(does('[', ON_LIVE), ACT_NONE);
	assert_int_equal(does('[', ON_LIVE | WHEN_RUNNING | WHEN_KNOBS), ACT_DEPTH_DOWN);
	assert_int_equal(does('[', ON_LIVE | WHEN_RUNNING), ACT_NONE);
	assert_int_equal(does('[', ON_SETUP | WHEN_RUNNING | WHEN_KNOBS), ACT_NONE);
	assert_int_equal(does('r', ON_LIVE | WHEN_RUNNING), ACT_NONE);
	assert_int_equal(does('r', ON_LIVE | WHEN_RUNNING | WHEN_SHAPED), ACT_CREDITS);
	assert_int_equal(does('x', ON_RESULTS | WHEN_RUNNING), ACT_STOP);
}

static void keys_are_read_by_tmuxs_names(void **state)
{
	(void)state;
	static const uint32_t want[] = { KEYCODE_ENTER, KEYCODE_F(2), KEYCODE_CTRL('c'), ' ', KEYCODE_BTAB, KEYCODE_PGUP, 'q', ',', '?', 0xb5, KEYCODE_F(12) };
	struct key_step *s;
	size_t n;
	struct err err = { 0 };

	assert_int_equal(keys_parse("Enter,F2,C-c,Space,BTab,PPage,q,comma,?,µ,F12", &s, &n, &err), 0);
	assert_int_equal(n, sizeof(want) / sizeof(*want));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(s[i].key.code, want[i]);
	free(s);
}

static void waiting_and_text_are_steps_too(void **state)
{
	(void)state;
	struct key_step *s;
	size_t n;
	struct err err = { 0 };

	assert_int_equal(keys_parse("wait:2s,text:gp3,until:done", &s, &n, &err), 0);
	assert_int_equal(n, 5);
	assert_int_equal(s[0].kind, STEP_WAIT);
	assert_int_equal(s[0].wait_ns, 2000000000);
	assert_int_equal(s[1].key.code, 'g');
	assert_int_equal(s[3].key.code, '3');
	assert_int_equal(s[4].kind, STEP_UNTIL_DONE);
	free(s);
	assert_int_equal(keys_parse("", &s, &n, &err), 0);
	assert_int_equal(n, 0);
	free(s);
}

static void what_is_no_key_is_named(void **state)
{
	(void)state;
	static const char *const bad[] = { "Entr", "q,,q", "F13", "wait:soon", "until:never", "C-", ",", "q," };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct key_step *s = NULL;
		size_t n = 0;
		struct err err = { 0 };
		assert_int_equal(keys_parse(bad[i], &s, &n, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_null(s);
		assert_non_null(strstr(err.msg, "--keys: "));
	}
}

static void the_readme_table_has_a_line_an_action(void **state)
{
	(void)state;
	char text[8192] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");
	int lines = 0;

	keymap_markdown(f);
	fclose(f);
	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, 2 + ACT_NR - 1);
	assert_non_null(strstr(text, "| `]` | iodepth: double | Live |"));
	assert_non_null(strstr(text, "| `1 F1` | Setup"));
}

static void every_help_has_room_on_the_help_screen_at_120_columns(void **state)
{
	(void)state;
	for (const struct keymap_row *row = keymap; row->action; row++)
		if (text_width(row->help) > 50)
			fail_msg("%s: %s", row->name, row->help);
}

static void the_readme_has_that_table(void **state)
{
	(void)state;
	static char table[8192], readme[131072];
	FILE *f = fmemopen(table, sizeof(table), "w"), *r = fopen("README.md", "r");

	keymap_markdown(f);
	fclose(f);
	if (!r)
		skip(); /* not run from the top of the tree */
	readme[fread(readme, 1, sizeof(readme) - 1, r)] = 0;
	fclose(r);
	assert_non_null(strstr(readme, table));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_action_has_one_row_with_keys_and_help),
		cmocka_unit_test(no_key_means_two_things_at_once),
		cmocka_unit_test(number_keys_and_function_keys_go_to_the_same_screens),
		cmocka_unit_test(knobs_turn_only_while_a_run_is_live),
		cmocka_unit_test(keys_are_read_by_tmuxs_names),
		cmocka_unit_test(waiting_and_text_are_steps_too),
		cmocka_unit_test(what_is_no_key_is_named),
		cmocka_unit_test(the_readme_table_has_a_line_an_action),
		cmocka_unit_test(every_help_has_room_on_the_help_screen_at_120_columns),
		cmocka_unit_test(the_readme_has_that_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
