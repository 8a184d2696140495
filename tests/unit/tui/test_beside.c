/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/units.h"
#include "tui/beside.h"
#include "tui/compare_text.h"

static void what_both_runs_have_comes_first(void **state)
{
	(void)state;
	struct beside b = { 0 };
	struct err err = { 0 };
	struct beside_line line[200];
	bool alone = false;

	assert_int_equal(beside_load(&b, "ref:dd/single", "ref:bonnie/local", NULL, &err), 0);
	assert_true(b.any);
	assert_int_equal(b.c.nr_runs, 2);
	int n = beside_lines(&b, line, 200);
	assert_in_range(n, 1, 200);
	for (int i = 0; i < n; i++) {
		bool both = !isnan(line[i].row->value[0]) && !isnan(line[i].row->value[1]);
		assert_false(both && alone);
		alone = alone || !both;
	}
	beside_release(&b);
	assert_false(b.any);
}

static void a_test_of_which_one_run_has_more_figures_stands_in_one_place(void **state)
{
	static const char *const names[] = { "one", "two", "one's own" };
	struct beside b = { .any = true };
	struct err err = { 0 };
	struct beside_line line[50];
	int begins = 0;

	(void)state;
	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < 3 - k; i++) {
			struct import_test *t = import_add(&b.run[k], names[2 - k - i], TEST_BLOCK);

			t->r->wl = *workload_find("iops");
			memcpy(t->r->wl.name, t->r->name, sizeof(t->r->name));
			t->r->all.iops = 3000;
			t->r->lat.pct[2] = k ? NAN : 1e6;
		}
	}
	assert_int_equal(compare_runs(&b.c, b.run, 2, &err), 0);
	int n = beside_lines(&b, line, 50);
	assert_in_range(n, 6, 50);
	for (int i = 0; i < n; i++)
		begins += i == 0 || strcmp(line[i].row->test, line[i - 1].row->test) != 0;
	assert_int_equal(begins, 3);
	assert_string_equal(line[n - 1].row->test, "one's own");
	beside_release(&b);
}

static void more_is_better_of_rates_and_worse_of_latencies(void **state)
{
	static const struct { const char *metric, *unit; int better; } rows[] = {
		{ "iops", "IO/s", 1 }, { "bw_kib", "KiB/s", 1 }, { "burst_s", "s", 1 }, { "lat_p99", "ns", -1 },
		{ "durable_s", "s", -1 }, { "retransmits", "segments", -1 }, { "cpu_pct", "%", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct compare_row row = { .metric = rows[i].metric, .unit = rows[i].unit };

		assert_int_equal(compare_better(&row), rows[i].better);
	}
}

static void alone_or_beside_itself_a_run_shows_its_figures(void **state)
{
	(void)state;
	struct beside b = { 0 };
	struct err err = { 0 };

	assert_int_equal(beside_load(&b, "", "ref:dd/raid0", NULL, &err), 0);
	assert_int_equal(b.c.nr_runs, 1);
	assert_int_equal(beside_load(&b, "ref:dd/raid0", "ref:dd/raid0", NULL, &err), 0);
	assert_int_equal(b.c.nr_runs, 1);
	beside_release(&b);
	beside_release(&b);
}

static void a_run_that_cannot_be_read_leaves_nothing_open(void **state)
{
	(void)state;
	struct beside b = { 0 };
	struct err err = { 0 };

	assert_int_equal(beside_load(&b, "ref:dd/single", "ref:nothing/such", NULL, &err), -1);
	assert_false(b.any);
	assert_non_null(strstr(err.msg, "nothing/such"));
	assert_int_equal(beside_lines(&b, NULL, 0), 0);
}

static void below_a_test_stands_what_differs_in_its_work(void **state)
{
	(void)state;
	struct beside b = { .any = true };
	struct err err = { 0 };
	struct beside_line line[50];
	static const uint64_t depth[] = { 32, 8 };

	for (int k = 0; k < 2; k++) {
		struct import_test *t = import_add(&b.run[k], "iops", TEST_BLOCK);
		t->r->wl = *workload_find("iops");
		t->r->wl.iodepth = depth[k];
		t->r->all.iops = 3000;
		t->r->all.bw_bytes = 3000 * 16384;
	}
	assert_int_equal(compare_runs(&b.c, b.run, 2, &err), 0);
	int n = beside_lines(&b, line, 50);
	assert_int_equal(n, 3);
	assert_true(line[2].remark && !line[1].remark);
	assert_string_equal(line[2].row->differs, "run 2: iodepth 8 beside 32");
	beside_release(&b);
}

static void rates_are_in_the_unit_of_who_prints_them_and_what_was_too_short_is_pluses(void **state)
{
	(void)state;
	struct compare_row row = { .unit = "B/s", .dd = true, .value = { 272e6, 393e3, 1.3e9, NAN }, .too_short = { [3] = true } };
	char buf[FMT_LEN];

	assert_string_equal(compare_value(buf, &row, 0), "272 MB/s");
	assert_string_equal(compare_value(buf, &row, 1), "393 kB/s");
	assert_string_equal(compare_value(buf, &row, 2), "1.3 GB/s");
	assert_string_equal(compare_value(buf, &row, 3), "+++++");
	row.dd = false;
	assert_string_equal(compare_value(buf, &row, 0), "259 MiB/s");
	row = (struct compare_row){ .unit = "KiB/s", .value = { 17273, 2e6 } }; /* bonnie++'s */
	assert_string_equal(compare_value(buf, &row, 0), "17,273 KiB/s");
	assert_string_equal(compare_value(buf, &row, 1), "1,953 MiB/s");
	row = (struct compare_row){ .unit = "MiB/s", .dd = true, .value = { 8954.02 } }; /* hdparm's megabytes are of 2^20 */
	assert_string_equal(compare_value(buf, &row, 0), "8,954 MiB/s");
}

static void tests_of_one_name_are_told_apart_in_the_table(void **state)
{
	(void)state;
	struct import_run run = { .name = "x" };
	struct comparison c;
	struct err err;

	for (int k = 0; k < 2; k++) { /* two documents in one file */
		struct import_test *t = import_add(&run, "job", TEST_BLOCK);
		t->r->all.iops = 3000;
		t->r->all.bw_bytes = 3000 * 4096;
	}
	assert_int_equal(compare_runs(&c, &run, 1, &err), 0);
	char *text = compare_to_table(&c), *first = strstr(text, "\njob ");
	assert_non_null(first);
	assert_non_null(strstr(first + 1, "\njob "));
	free(text);
	compare_release(&c);
	import_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_both_runs_have_comes_first),
		cmocka_unit_test(a_test_of_which_one_run_has_more_figures_stands_in_one_place),
		cmocka_unit_test(more_is_better_of_rates_and_worse_of_latencies),
		cmocka_unit_test(alone_or_beside_itself_a_run_shows_its_figures),
		cmocka_unit_test(below_a_test_stands_what_differs_in_its_work),
		cmocka_unit_test(rates_are_in_the_unit_of_who_prints_them_and_what_was_too_short_is_pluses),
		cmocka_unit_test(tests_of_one_name_are_told_apart_in_the_table),
		cmocka_unit_test(a_run_that_cannot_be_read_leaves_nothing_open),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
