/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tui/csv.h"

static void a_text_is_in_quotes_only_where_it_needs_them(void **state)
{
	static const char *const rows[][2] = { { "plain text", "plain text" }, { "", "" },
					       { "a,b", "\"a,b\"" }, { "say \"a\"", "\"say \"\"a\"\"\"" },
					       { "two\nlines", "\"two\nlines\"" }, { "a\rb", "\"a\rb\"" } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char out[64] = "";
		FILE *f = fmemopen(out, sizeof(out), "w");
		csv_text(f, rows[i][0]);
		fclose(f);
		assert_string_equal(out, rows[i][1]);
	}
}

static void what_is_no_figure_is_nothing(void **state)
{
	char out[64] = "";
	FILE *f = fmemopen(out, sizeof(out), "w");

	(void)state;
	csv_number(f, NAN);
	csv_number(f, INFINITY);
	csv_number(f, 1234567.25);
	fclose(f);
	assert_string_equal(out, "1234567.25");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_in_quotes_only_where_it_needs_them),
		cmocka_unit_test(what_is_no_figure_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
