/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "engine/err.h"

static void a_failure_is_minus_one_with_its_code_and_text(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(err_set(&err, EBUSY, "start %s", "iops"), -1);
	assert_int_equal(err.code, EBUSY);
	assert_string_equal(err.msg, "start iops");
}

static void a_system_failure_carries_errno_and_its_text(void **state)
{
	struct err err = { 0 };

	(void)state;
	errno = EACCES;
	assert_int_equal(err_sys(&err, "open %s", "/dev/sdz"), -1);
	assert_int_equal(err.code, EACCES);
	assert_string_equal(err.msg, "open /dev/sdz: Permission denied");
}

static void the_outermost_context_stands_first_and_the_code_stays(void **state)
{
	struct err err = { 0 };

	(void)state;
	err_set(&err, ENOSPC, "write");
	err_wrap(&err, "layout of %s", "/data");
	assert_int_equal(err_wrap(&err, "start %s", "iops"), -1);
	assert_int_equal(err.code, ENOSPC);
	assert_string_equal(err.msg, "start iops: layout of /data: write");
}

static void a_context_may_quote_the_message_it_goes_in_front_of(void **state)
{
	struct err err = { 0 };

	(void)state;
	err_set(&err, EIO, "bad");
	err_wrap(&err, "<%s>", err.msg);
	assert_string_equal(err.msg, "<bad>: bad");
	errno = EIO;
	err_sys(&err, "again %s", err.msg);
	assert_string_equal(err.msg, "again <bad>: bad: Input/output error");
}

static void what_is_too_long_is_cut_and_still_ends(void **state)
{
	struct err err = { 0 };
	char text[2 * sizeof(err.msg)];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	err_set(&err, EIO, "%s", text);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	err_wrap(&err, "outer");
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_memory_equal(err.msg, "outer: xxx", 10);
	errno = EIO;
	err_sys(&err, "%s", text);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
}

static void a_character_that_is_cut_becomes_a_question_mark(void **state)
{
	struct err err = { 0 };
	char text[sizeof(err.msg) + 8];

	(void)state;
	for (size_t room = 0; room <= 3; room++) {
		size_t at = sizeof(err.msg) - 1 - room;
		memset(text, 'x', sizeof(text) - 1);
		strcpy(text + at, "\u2014"); /* three bytes of UTF-8 */
		err_set(&err, EIO, "%s", text);
		assert_string_equal(err.msg + at, room == 3 ? "\u2014" : &"??"[2 - room]);
	}
}

static void a_message_is_one_line_of_utf8_whatever_a_file_is_called(void **state)
{
	static const struct {
		const char *name, *shown;
	} cases[] = {
		{ "1k\n2\tk\x1b[31m\x7f", "1k?2?k?[31m?" },
		{ "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\u00e9 \u20ac \U0001f600" },
		{ "caf\xe9", "caf?" },			 /* Latin 1 */
		{ "\xc0\xaf \xe0\x80\xaf", "?? ???" },	 /* overlong */
		{ "\xed\xa0\x80", "???" },		 /* surrogate */
		{ "\xf4\x90\x80\x80 \xff", "???? ?" }, /* beyond Unicode */
		{ "\xc2\x9b 31m", "?? 31m" },		 /* CSI of 8 bits */
		{ "\xe2\x82", "??" },
	};
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		err_set(&err, ERR_USAGE, "%s", cases[i].name);
		assert_string_equal(err.msg, cases[i].shown);
	}
}

static void usage_exits_with_2_and_everything_else_with_3(void **state)
{
	struct err err = { 0 };

	(void)state;
	err_set(&err, ERR_USAGE, "no");
	assert_int_equal(err_status(&err), 2);
	err_set(&err, ERR_REFUSED, "no");
	assert_int_equal(err_status(&err), 3);
	err_set(&err, EIO, "no");
	assert_int_equal(err_status(&err), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failure_is_minus_one_with_its_code_and_text),
		cmocka_unit_test(a_system_failure_carries_errno_and_its_text),
		cmocka_unit_test(the_outermost_context_stands_first_and_the_code_stays),
		cmocka_unit_test(a_context_may_quote_the_message_it_goes_in_front_of),
		cmocka_unit_test(what_is_too_long_is_cut_and_still_ends),
		cmocka_unit_test(a_character_that_is_cut_becomes_a_question_mark),
		cmocka_unit_test(a_message_is_one_line_of_utf8_whatever_a_file_is_called),
		cmocka_unit_test(usage_exits_with_2_and_everything_else_with_3),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
