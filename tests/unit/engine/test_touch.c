/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/touch.h"
#include "engine/units.h"

static struct run_header header = { .title = TOUCH_SUITE, .nr_planned = 1, .planned = { { .wl = { .size = 1000 * MIB } } } };
static struct touch_map map;

/* Ticks of 10 MiB each, the second half of them slow. */
static size_t series(struct sample *row, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		row[i] = (struct sample){ .t_ns = (i + 1) * 100000000, .dt_ns = 100000000, .phase = PHASE_MEASURE };
		row[i].dir[DDIR_READ].ios = 10;
		row[i].dir[DDIR_READ].bytes = 10 * MIB;
		row[i].lat_p50 = i < n / 2 ? 1000000 : 50000000;
		row[i].lat_max = row[i].lat_p50 * 2;
	}
	return n;
}

static void a_cell_has_the_latency_of_its_first_read(void **state)
{
	struct sample row[100];

	(void)state;
	assert_true(touch_map(&map, &header, (struct span){ row, series(row, 100) }, 10));
	assert_int_equal(map.done, 1000 * MIB);
	assert_true(fabs(map.cell[0] - 1e6) < 1);
	assert_true(fabs(map.cell[4] - 1e6) < 1);
	assert_true(fabs(map.cell[5] - 50e6) < 1);
	assert_int_equal(map.slow, 500 * MIB);
	assert_true(map.worst_ns == 100e6);
}

static void what_was_not_read_is_still_cold(void **state)
{
	struct sample row[25];
	char text[400];

	(void)state;
	assert_true(touch_map(&map, &header, (struct span){ row, series(row, 25) }, 4));
	assert_int_equal(map.done, 250 * MIB);
	assert_true(map.cell[0] > 0);
	assert_true(isnan(map.cell[1]) && isnan(map.cell[3]));
	assert_true(fabs(map.left_s - 7.5) < 0.01);
	assert_non_null(strstr(touch_text(&map, text, sizeof(text)), "750 MiB from 250 MiB on were not read: still cold"));
	json_t *o = touch_to_json(&map);
	assert_true(json_is_null(json_array_get(json_object_get(o, "cells"), 3)));
	json_decref(o);
}

static void several_volumes_are_cold_until_all_of_them_were_read(void **state)
{
	struct run_header two = header;
	struct sample row[100];

	(void)state;
	two.doc = json_pack("{s:[{},{}]}", "targets");
	assert_true(touch_map(&map, &two, (struct span){ row, series(row, 100) }, 10));
	assert_int_equal(map.size, 2000 * MIB);
	assert_int_equal(map.done, 1000 * MIB);
	assert_true(map.cell[4] > 0 && isnan(map.cell[5]));
	json_decref(two.doc);
}

static void no_sample_is_all_cold_and_other_suites_are_none(void **state)
{
	struct run_header other = header;
	char text[400];

	(void)state;
	assert_true(touch_map(&map, &header, (struct span){ NULL, 0 }, 100000));
	assert_int_equal(map.n, TOUCH_CELLS_MAX);
	assert_true(isnan(map.fast_ns) && isnan(map.left_s));
	touch_text(&map, text, sizeof(text));
	strcpy(other.title, "quick");
	assert_false(touch_map(&map, &other, (struct span){ NULL, 0 }, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cell_has_the_latency_of_its_first_read),
		cmocka_unit_test(what_was_not_read_is_still_cold),
		cmocka_unit_test(several_volumes_are_cold_until_all_of_them_were_read),
		cmocka_unit_test(no_sample_is_all_cold_and_other_suites_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
