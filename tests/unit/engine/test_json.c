/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "engine/json.h"

static json_t *parse(const char *text)
{
	json_t *obj = json_loads(text, 0, NULL);

	assert_non_null(obj);
	return obj;
}

/* Takes the reference; the text is static until the next call. */
static const char *dump(json_t *value)
{
	static char text[256];
	size_t n = json_dumpb(value, text, sizeof(text) - 1, JSON_ENCODE_ANY | JSON_COMPACT);

	assert_true(n < sizeof(text));
	text[n] = 0;
	json_decref(value);
	return text;
}

static void a_figure_that_does_not_exist_is_null_and_never_zero(void **state)
{
	(void)state;
	assert_string_equal(dump(json_num(NAN)), "null");
	assert_string_equal(dump(json_num(INFINITY)), "null");
	assert_string_equal(dump(json_num(0)), "0.0");
	assert_string_equal(dump(json_num(46.875)), "46.875");
}

static void a_counter_keeps_every_digit_beyond_what_a_double_can_hold(void **state)
{
	(void)state;
	assert_string_equal(dump(json_u64(9007199254740993)), "9007199254740993");
	assert_string_equal(dump(json_u64(INT64_MAX)), "9223372036854775807");
	assert_string_equal(dump(json_u64((uint64_t)INT64_MAX + 1)), "null");

	json_t *obj = parse("{\"bytes\":9007199254740993}");
	assert_true(json_get_u64(obj, "bytes", 0) == 9007199254740993);
	json_decref(obj);
}

static void text_that_is_not_utf8_is_null(void **state)
{
	(void)state;
	assert_string_equal(dump(json_text("caf\u00e9 \"x\"")), "\"caf\u00e9 \\\"x\\\"\"");
	assert_string_equal(dump(json_text("caf\xe9")), "null");
	assert_string_equal(dump(json_text(NULL)), "null");
}

static void what_is_absent_null_or_of_another_type_is_missing(void **state)
{
	json_t *obj = parse("{\"null\":null,\"text\":\"12\",\"num\":1.5,\"neg\":-1,\"list\":[1],\"yes\":true}");
	static const char *const no_number[] = { "absent", "null", "text", "list", "yes" };

	(void)state;
	for (size_t i = 0; i < sizeof(no_number) / sizeof(*no_number); i++) {
		assert_true(isnan(json_get_num(obj, no_number[i], NAN)));
		assert_int_equal(json_get_u64(obj, no_number[i], 7), 7);
	}
	assert_int_equal(json_get_u64(obj, "neg", 7), 7);
	assert_null(json_get_text(obj, "num", NULL));
	assert_string_equal(json_get_text(obj, "text", NULL), "12");
	assert_true(json_get_bool(obj, "yes", false));
	assert_true(json_get_bool(obj, "num", true));
	assert_false(json_get_bool(obj, "absent", false));
	json_decref(obj);
	assert_int_equal(json_get_u64(NULL, "num", 7), 7);
}

static void only_a_whole_number_is_a_count(void **state)
{
	json_t *obj = parse("{\"a\":4096.0,\"b\":4096.5,\"c\":1e19,\"d\":9223372036854775807}");

	(void)state;
	assert_int_equal(json_get_u64(obj, "a", 7), 4096);
	assert_int_equal(json_get_u64(obj, "b", 7), 7);
	assert_int_equal(json_get_u64(obj, "c", 7), 7);
	assert_true(json_get_u64(obj, "d", 7) == INT64_MAX);
	assert_true(json_get_num(obj, "b", NAN) == 4096.5);
	json_decref(obj);
}

static void a_copied_text_is_cut_between_characters(void **state)
{
	json_t *obj = parse("{\"t\":\"a\u20acb\",\"n\":1}"); /* a, three bytes, b */
	static const char *const want[] = { "", "", "a", "a", "a", "a\u20ac", "a\u20acb", "a\u20acb" };
	char out[8];

	(void)state;
	for (size_t size = 1; size < sizeof(want) / sizeof(*want); size++) {
		memset(out, '#', sizeof(out));
		json_copy_text(obj, "t", out, size);
		assert_string_equal(out, want[size]);
	}
	json_copy_text(obj, "n", out, sizeof(out));
	assert_string_equal(out, "");
	out[0] = '#';
	json_copy_text(obj, "t", out, 0);
	assert_int_equal(out[0], '#');
	json_decref(obj);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_figure_that_does_not_exist_is_null_and_never_zero),
		cmocka_unit_test(a_counter_keeps_every_digit_beyond_what_a_double_can_hold),
		cmocka_unit_test(text_that_is_not_utf8_is_null),
		cmocka_unit_test(what_is_absent_null_or_of_another_type_is_missing),
		cmocka_unit_test(only_a_whole_number_is_a_count),
		cmocka_unit_test(a_copied_text_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
