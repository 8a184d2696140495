/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/units.h"
#include "tui/dialog.h"
#include "tui/form.h"

static const char *const kinds[] = { "none", "gp2", "gp3", "st1", NULL };
static const struct form_row rows[] = {
	{ "name", FORM_TEXT, 0, 0, true, "any text", NULL },
	{ "count", FORM_TEXT, 1, 0, false, "1 to 9", NULL },
	{ "kind", FORM_CHOICE, 1, 1, false, "turn it", kinds },
	{ "Start", FORM_BUTTON, 2, 0, false, "press", NULL },
};
enum { NAME, COUNT, KIND, START };

static int take(void *owner, int field, const char *text, struct err *err)
{
	uint64_t *taken = owner, n;

	if (field == COUNT) {
		if (parse_count(text, &n, err) < 0)
			return -1;
		if (n < 1 || n > 9)
			return err_set(err, ERR_USAGE, "1 to 9");
		*taken = n;
	}
	return 0;
}

static uint64_t taken;

static struct form form(int focus)
{
	struct form f = { .row = rows, .nr = 4, .take = take, .owner = &taken };

	strcpy(f.field[NAME].value, "old");
	strcpy(f.field[COUNT].value, "5");
	strcpy(f.field[KIND].value, "none");
	taken = 5;
	form_focus(&f, focus);
	return f;
}

static enum form_answer press(struct form *f, const char *keys)
{
	struct key_step *s;
	size_t n;
	struct err err = { 0 };
	enum form_answer last = FORM_PASS;

	assert_int_equal(keys_parse(keys, &s, &n, &err), 0);
	for (size_t i = 0; i < n; i++)
		last = form_key(f, s[i].key, keymap_action(s[i].key, ON_SETUP));
	free(s);
	return last;
}

static void the_first_key_replaces_and_every_printable_key_types(void **state)
{
	(void)state;
	struct form f = form(NAME);

	press(&f, "q,1,?,Space,comma,µ");
	assert_string_equal(f.field[NAME].value, "q1? ,µ");
	press(&f, "BSpace,BSpace,Left,x");
	assert_string_equal(f.field[NAME].value, "q1?x ");
}

static void backspace_first_edits_what_is_there(void **state)
{
	(void)state;
	struct form f = form(NAME);

	press(&f, "BSpace,d,e,r");
	assert_string_equal(f.field[NAME].value, "older");
}

static void a_value_is_refused_as_it_is_typed_and_the_last_good_one_kept(void **state)
{
	(void)state;
	struct form f = form(COUNT);

	press(&f, "7");
	assert_int_equal(taken, 7);
	press(&f, "7");
	assert_string_equal(f.field[COUNT].value, "77");
	assert_string_equal(f.field[COUNT].error, "1 to 9");
	assert_int_equal(taken, 7);
	assert_int_equal(form_bad(&f), COUNT);
	press(&f, "Enter");
	assert_int_equal(f.focus, COUNT);
	press(&f, "BSpace,Enter");
	assert_int_equal(f.focus, KIND);
	assert_int_equal(form_bad(&f), -1);
}

static void escape_restores_what_was_there(void **state)
{
	(void)state;
	struct form f = form(COUNT);

	press(&f, "x,y");
	assert_int_equal(press(&f, "Escape"), FORM_DONE);
	assert_string_equal(f.field[COUNT].value, "5");
	assert_string_equal(f.field[COUNT].error, "");
	assert_int_equal(press(&f, "Escape"), FORM_PASS);
}

static void tab_and_arrows_move_past_fields_that_are_off(void **state)
{
	(void)state;
	struct form f = form(NAME);

	f.field[COUNT].off = true;
	press(&f, "Tab");
	assert_int_equal(f.focus, KIND);
	press(&f, "Down");
	assert_int_equal(f.focus, START);
	assert_int_equal(press(&f, "Tab"), FORM_LEFT);
	press(&f, "Up,Up");
	assert_int_equal(f.focus, NAME);
}

static void a_choice_turns_both_ways_and_by_letter(void **state)
{
	(void)state;
	struct form f = form(KIND);

	press(&f, "Right");
	assert_string_equal(f.field[KIND].value, "gp2");
	press(&f, "Left,Left");
	assert_string_equal(f.field[KIND].value, "st1");
	press(&f, "g");
	assert_string_equal(f.field[KIND].value, "gp2");
	press(&f, "g");
	assert_string_equal(f.field[KIND].value, "gp3");
	assert_int_equal(press(&f, "1"), FORM_PASS);
}

static void only_enter_presses_the_button(void **state)
{
	(void)state;
	struct form f = form(START);

	assert_int_equal(press(&f, "y"), FORM_PASS);
	assert_int_equal(press(&f, "Space"), FORM_PASS);
	assert_int_equal(press(&f, "Enter"), FORM_PRESSED);
}

static void a_form_is_drawn_with_its_error(void **state)
{
	(void)state;
	struct form f = form(COUNT);
	struct canvas cv;
	struct err err = { 0 };
	char text[512];

	press(&f, "1,2");
	assert_int_equal(canvas_init(&cv, 40, 5, &err), 0);
	form_draw(&f, &cv, (struct rect){ 0, 0, 40, 5 });
	assert_int_equal(form_hit(&f, (struct rect){ 0, 0, 40, 5 }, 21, 1), KIND);
	assert_int_equal(form_hit(&f, (struct rect){ 0, 0, 40, 5 }, 21, 4), -1);
	FILE *out = fmemopen(text, sizeof(text), "w");
	canvas_dump(&cv, out);
	fclose(out);
	canvas_release(&cv);
	assert_string_equal(text, "name     old\ncount    12_        kind     none     ▾\n               [ Start ]\n1 to 9\n\n");
}

static void a_name_must_be_typed_in_full(void **state)
{
	(void)state;
	struct dialog d;
	static const uint32_t no[] = { KEYCODE_ENTER, 'y', KEYCODE_ENTER, KEYCODE_MOUSE, KEYCODE_BACKSPACE, 'n' };

	dialog_type(&d, 1, "This destroys data", "All of it.", "nvme1n1");
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		assert_int_equal(dialog_key(&d, (struct key){ .code = no[i] }), DIALOG_OPEN);
	assert_string_equal(d.typed, "n");
	for (const char *p = "vme1n1"; *p; p++)
		assert_int_equal(dialog_key(&d, (struct key){ .code = (uint32_t)*p }), DIALOG_OPEN);
	assert_int_equal(dialog_key(&d, (struct key){ .code = KEYCODE_ENTER }), DIALOG_OK);
	assert_int_equal(dialog_key(&d, (struct key){ .code = KEYCODE_ESC }), DIALOG_NO);
}

static void a_question_takes_y_alone(void **state)
{
	(void)state;
	struct dialog d;

	dialog_ask(&d, 1, "Quit", "Really?");
	assert_int_equal(dialog_key(&d, (struct key){ .code = KEYCODE_ENTER }), DIALOG_OPEN);
	assert_int_equal(dialog_key(&d, (struct key){ .code = 'q' }), DIALOG_OPEN);
	assert_int_equal(dialog_key(&d, (struct key){ .code = 'n' }), DIALOG_NO);
	assert_int_equal(dialog_key(&d, (struct key){ .code = 'y' }), DIALOG_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_key_replaces_and_every_printable_key_types),
		cmocka_unit_test(backspace_first_edits_what_is_there),
		cmocka_unit_test(a_value_is_refused_as_it_is_typed_and_the_last_good_one_kept),
		cmocka_unit_test(escape_restores_what_was_there),
		cmocka_unit_test(tab_and_arrows_move_past_fields_that_are_off),
		cmocka_unit_test(a_choice_turns_both_ways_and_by_letter),
		cmocka_unit_test(only_enter_presses_the_button),
		cmocka_unit_test(a_form_is_drawn_with_its_error),
		cmocka_unit_test(a_name_must_be_typed_in_full),
		cmocka_unit_test(a_question_takes_y_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
