/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/near.h"
#include "tui/bins.h"

#define TICK 100000000ULL

/* 10 Hz rows: row i has i I/Os of 4 KiB, read. */
static size_t make_rows(struct sample *row, size_t n)
{
	memset(row, 0, n * sizeof(*row));
	for (size_t i = 0; i < n; i++) {
		row[i].t_ns = (i + 1) * TICK;
		row[i].dt_ns = TICK;
		row[i].dir[DDIR_READ].ios = i;
		row[i].dir[DDIR_READ].bytes = i * 4096;
		row[i].model_iops = (double)i;
		row[i].model_balance = NAN;
	}
	return n;
}

static void a_bin_is_the_mean_of_what_fell_into_it(void **state)
{
	(void)state;
	struct sample row[20];
	struct bins b = { 0 };

	assert_int_equal(bins_update(&b, (struct span){ row, make_rows(row, 20) }, 0, 0, 0, 1, 3), 0);
	assert_near(b.value[BIN_IOPS][0], 45, 1e-6);
	assert_near(b.value[BIN_IOPS][1], 145, 1e-6);
	assert_true(isnan(b.value[BIN_IOPS][2]));
	assert_near(b.value[BIN_BW][0], 45 * 4096, 1e-3);
	assert_near(b.value[BIN_MODEL][1], 19, 0);
	assert_true(isnan(b.value[BIN_P99][0]));
	bins_release(&b);
}

static void a_row_longer_than_a_bin_fills_each_that_it_reaches(void **state)
{
	(void)state;
	struct sample row[2];
	struct bins b = { 0 };

	make_rows(row, 2);
	assert_int_equal(bins_update(&b, (struct span){ row, 2 }, 0, 0, 0, 0.025, 8), 0);
	for (int i = 0; i < 4; i++)
		assert_near(b.value[BIN_IOPS][i], 0, 1e-9);
	for (int i = 4; i < 8; i++)
		assert_near(b.value[BIN_IOPS][i], 10, 1e-6);
	bins_release(&b);
}

static void rows_taken_one_by_one_give_what_all_at_once_gives(void **state)
{
	(void)state;
	struct sample row[200];
	struct bins grown = { 0 }, whole = { 0 };

	make_rows(row, 200);
	for (size_t n = 1; n <= 200; n++) {
		double now = (double)n / 10, t0 = now > 5 ? ceil(now / 0.25 - 1e-6) * 0.25 - 5 : 0;
		assert_int_equal(bins_update(&grown, (struct span){ row, n }, 0, 0, t0, 0.25, 20), 0);
		if (n % 13 == 0 || n == 200) {
			bins_release(&whole);
			assert_int_equal(bins_update(&whole, (struct span){ row, n }, 0, 0, t0, 0.25, 20), 0);
			assert_int_equal(grown.first, whole.first);
			for (int s = 0; s < BIN_NR; s++)
				assert_memory_equal(grown.value[s], whole.value[s], 20 * sizeof(double));
		}
	}
	bins_release(&grown);
	bins_release(&whole);
}

static void another_timeline_or_step_starts_anew(void **state)
{
	(void)state;
	struct sample a[10], c[10];
	struct bins b = { 0 };

	make_rows(a, 10);
	make_rows(c, 10);
	c[0].dir[DDIR_READ].ios = 1000;
	assert_int_equal(bins_update(&b, (struct span){ a, 10 }, 0, 0, 0, 1, 2), 0);
	assert_int_equal(bins_update(&b, (struct span){ c, 10 }, 0, 0, 0, 1, 2), 0);
	assert_near(b.value[BIN_IOPS][0], 1045, 1e-6);
	assert_int_equal(bins_update(&b, (struct span){ c, 10 }, 5, 0.5, 0, 1, 4), 0);
	assert_near(b.value[BIN_IOPS][0], 70, 1e-6);
	bins_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bin_is_the_mean_of_what_fell_into_it),
		cmocka_unit_test(a_row_longer_than_a_bin_fills_each_that_it_reaches),
		cmocka_unit_test(rows_taken_one_by_one_give_what_all_at_once_gives),
		cmocka_unit_test(another_timeline_or_step_starts_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
