/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tui/canvas.h"
#include "tui/dump.h"

/* What is drawn by DRAW, as text; one static buffer a call site is enough. */
static char picture[4096];

static struct canvas blank(int w, int h)
{
	struct canvas cv;
	struct err err;

	assert_int_equal(canvas_init(&cv, w, h, &err), 0);
	return cv;
}

static const char *text_of(struct canvas *cv)
{
	FILE *f = fmemopen(picture, sizeof(picture), "w");

	assert_int_equal(canvas_dump(cv, f), 0);
	fclose(f);
	canvas_release(cv);
	return picture;
}

static void what_is_outside_is_dropped(void **state)
{
	(void)state;
	struct canvas cv = blank(4, 2);

	canvas_text(&cv, -2, 0, STYLE_TEXT, "abcdefgh");
	canvas_text(&cv, 2, 1, STYLE_TEXT, "xyz");
	canvas_text(&cv, 0, 2, STYLE_TEXT, "no");
	canvas_text(&cv, 0, -1, STYLE_TEXT, "no");
	canvas_frame(&cv, (struct rect){ -5, -5, 50, 50 }, STYLE_TEXT);
	assert_string_equal(text_of(&cv), "cdef\n  xy\n");
}

static void a_clip_holds_until_it_is_undone(void **state)
{
	(void)state;
	struct canvas cv = blank(5, 1);

	struct rect before = canvas_clip(&cv, (struct rect){ 1, 0, 2, 1 });
	canvas_text(&cv, 0, 0, STYLE_TEXT, "abcde");
	canvas_unclip(&cv, before);
	canvas_text(&cv, 4, 0, STYLE_TEXT, "!");
	assert_string_equal(text_of(&cv), " bc !\n");
}

static void text_that_is_too_long_ends_in_an_ellipsis(void **state)
{
	(void)state;
	struct canvas cv = blank(8, 3);

	canvas_textn(&cv, 0, 0, 5, STYLE_TEXT, "gp2 200 GiB");
	canvas_textn(&cv, 0, 1, 5, STYLE_TEXT, "gp2 2");
	assert_int_equal(canvas_right(&cv, 8, 2, 4, STYLE_TEXT, "123456"), 4);
	assert_string_equal(text_of(&cv), "gp2 …\ngp2 2\n    123…\n");
}

static void a_wide_character_takes_two_cells_or_none(void **state)
{
	(void)state;
	struct canvas cv = blank(5, 1);

	assert_int_equal(canvas_text(&cv, 0, 0, STYLE_TEXT, "日本x"), 5);
	canvas_put(&cv, 1, 0, '!', STYLE_TEXT); /* its right half: the left goes too */
	canvas_put(&cv, 4, 0, 0x65e5, STYLE_TEXT); /* no room */
	assert_string_equal(text_of(&cv), " !本x\n");
}

static void broken_utf8_and_control_characters_become_question_marks(void **state)
{
	(void)state;
	struct canvas cv = blank(12, 1);

	canvas_text(&cv, 0, 0, STYLE_TEXT, "a\xff\xc3(\x1b[\xc2\x9b\xed\xa0\x80");
	assert_string_equal(text_of(&cv), "a?" "?(?[????\n");
}

static void a_combining_mark_takes_no_column(void **state)
{
	(void)state;
	assert_int_equal(text_width("e\xcc\x81x"), 2);
	assert_int_equal(text_width("µs · ×60 ⣿ 日本"), 15);
}

static void without_utf8_every_cell_is_ascii(void **state)
{
	(void)state;
	struct canvas cv = blank(9, 3);

	cv.ascii = true;
	canvas_frame(&cv, (struct rect){ 0, 0, 9, 3 }, STYLE_TEXT);
	canvas_text(&cv, 1, 1, STYLE_TEXT, "5µs×2日…");
	for (int i = 0; i < 27; i++)
		assert_in_range(cv.cell[i].ch, 0x20, 0x7e);
	assert_string_equal(text_of(&cv), "+-------+\n|5usx2? ~\n+-------+\n");
}

static void utf8_goes_out_as_it_came_in(void **state)
{
	(void)state;
	static const uint32_t some[] = { 'a', 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff };

	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++) {
		char bytes[5] = { 0 };
		const char *p = bytes;
		int n = utf8_put(bytes, some[i]);
		assert_int_equal(strlen(bytes), n);
		assert_int_equal(utf8_next(&p), some[i]);
		assert_ptr_equal(p, bytes + n);
	}
}

static void a_size_out_of_range_is_an_error_and_leaves_the_canvas(void **state)
{
	(void)state;
	struct canvas cv = blank(3, 1);
	struct err err = { 0 };

	canvas_text(&cv, 0, 0, STYLE_TEXT, "abc");
	assert_int_equal(canvas_resize(&cv, 0, 5, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(text_of(&cv), "abc\n");
}

static void a_dump_with_colours_names_each_run_once(void **state)
{
	(void)state;
	struct canvas cv = blank(4, 1);
	struct theme t;
	struct palette p;

	theme_init(&t);
	palette_make(&p, &t, DEPTH_256);
	canvas_text(&cv, 0, 0, STYLE_ERROR, "ab");
	FILE *f = fmemopen(picture, sizeof(picture), "w");
	assert_int_equal(dump_ansi(&cv, &p, f), 0);
	fclose(f);
	canvas_release(&cv);
	assert_string_equal(picture, "\033[0;1;38;5;203;48;5;233mab\033[0;38;5;252;48;5;233m  \033[0m\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_outside_is_dropped),
		cmocka_unit_test(a_clip_holds_until_it_is_undone),
		cmocka_unit_test(text_that_is_too_long_ends_in_an_ellipsis),
		cmocka_unit_test(a_wide_character_takes_two_cells_or_none),
		cmocka_unit_test(broken_utf8_and_control_characters_become_question_marks),
		cmocka_unit_test(a_combining_mark_takes_no_column),
		cmocka_unit_test(without_utf8_every_cell_is_ascii),
		cmocka_unit_test(utf8_goes_out_as_it_came_in),
		cmocka_unit_test(a_size_out_of_range_is_an_error_and_leaves_the_canvas),
		cmocka_unit_test(a_dump_with_colours_names_each_run_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
