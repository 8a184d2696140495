/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "tui/beside.h"

static void what_both_runs_have_comes_first(void **state)
{
	(void)state;
	struct beside b = { 0 };
	struct err err = { 0 };
	const struct compare_row *row[200];
	bool alone = false;

	assert_int_equal(beside_load(&b, "ref:dd/single", "ref:bonnie/local", &err), 0);
	assert_true(b.any);
	assert_int_equal(b.c.nr_runs, 2);
	int n = beside_rows(&b, row, 200);
	assert_in_range(n, 1, 200);
	for (int i = 0; i < n; i++) {
		bool both = !isnan(row[i]->value[0]) && !isnan(row[i]->value[1]);
		assert_false(both && alone);
		alone = alone || !both;
	}
	beside_release(&b);
	assert_false(b.any);
}

static void alone_or_beside_itself_a_run_shows_its_figures(void **state)
{
	(void)state;
	struct beside b = { 0 };
	struct err err = { 0 };

	assert_int_equal(beside_load(&b, "", "ref:dd/raid0", &err), 0);
	assert_int_equal(b.c.nr_runs, 1);
	assert_int_equal(beside_load(&b, "ref:dd/raid0", "ref:dd/raid0", &err), 0);
	assert_int_equal(b.c.nr_runs, 1);
	beside_release(&b);
	beside_release(&b);
}

static void a_run_that_cannot_be_read_leaves_nothing_open(void **state)
{
	(void)state;
	struct beside b = { 0 };
	struct err err = { 0 };

	assert_int_equal(beside_load(&b, "ref:dd/single", "ref:nothing/such", &err), -1);
	assert_false(b.any);
	assert_non_null(strstr(err.msg, "nothing/such"));
	assert_int_equal(beside_rows(&b, NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_both_runs_have_comes_first),
		cmocka_unit_test(alone_or_beside_itself_a_run_shows_its_figures),
		cmocka_unit_test(a_run_that_cannot_be_read_leaves_nothing_open),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
