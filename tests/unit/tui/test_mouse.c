/* SPDX-License-Identifier: MIT */
#include "tests/unit/tui/app_stage.h"

/* Click on a text's first column, or some to the right of it; what was said meanwhile has gone. */
static void click_on(struct app *a, const char *text, int right)
{
	a->message[0] = 0;
	const char *at = strstr(seen(a), text), *line = picture;
	int x = 0, y = 0;

	assert_non_null(at);
	for (const char *c = picture; c < at; c++)
		if (*c == '\n') {
			line = c + 1;
			y++;
		}
	while (line < at) {
		utf8_next(&line);
		x++;
	}
	app_key(a, (struct key){ .code = KEYCODE_MOUSE, .x = x + right, .y = y });
}

static void a_click_on_a_key_of_the_last_line_is_that_key(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_run(&w, new_log(1, false), 20);

	click_on(a, "[ ] Depth", 0);
	assert_int_equal(w.last, ACT_DEPTH_DOWN);
	click_on(a, "[ ] Depth", 2);
	assert_int_equal(w.last, ACT_DEPTH_UP);
	click_on(a, "m Mark", 3);
	assert_int_equal(w.marks, 1);
	app_resize(a, 200, 60);
	int whole = a->span;
	click_on(a, "+ - Span", 0);
	assert_true(a->span < whole);
	click_on(a, "+ - Span", 2);
	assert_int_equal(a->span, whole);
	click_on(a, "? Help", 5);
	assert_int_equal(a->screen, SCREEN_HELP);
	click_on(a, "? Help", 6); /* the gap */
	assert_int_equal(a->screen, SCREEN_HELP);
	end(&w);
}

static void what_is_clicked_on_is_not_typed_into_a_field(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);

	a->screen = SCREEN_NETWORK;
	form_focus(&a->net.form, NF_PEER);
	press(a, "text:host");
	click_on(a, "t Theme", 0);
	assert_string_equal(a->net.form.field[NF_PEER].value, "host");
	click_on(a, "q Quit", 0);
	assert_string_equal(a->net.form.field[NF_PEER].value, "host");
	assert_true(a->quit);
	end(&w);
}

static void a_click_on_a_field_of_the_network_test_goes_there_and_on_its_button_starts(void **state)
{
	(void)state;
	struct world w;
	struct app *a = new_app(&w);

	a->screen = SCREEN_NETWORK;
	form_focus(&a->net.form, NF_PEER);
	press(a, "text:sim:net:2:4");
	click_on(a, "streams ", 9);
	assert_int_equal(a->net.form.focus, NF_STREAMS);
	click_on(a, "What to expect", 0);
	assert_int_equal(a->net.form.focus, NF_STREAMS);
	click_on(a, "[ Start ]", 3);
	assert_int_equal(a->net.form.focus, NF_START);
	click_on(a, "[ Start ]", 3);
	assert_true(*a->message || a->starting); /* started, or said why not */
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_click_on_a_key_of_the_last_line_is_that_key),
		cmocka_unit_test(what_is_clicked_on_is_not_typed_into_a_field),
		cmocka_unit_test(a_click_on_a_field_of_the_network_test_goes_there_and_on_its_button_starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
