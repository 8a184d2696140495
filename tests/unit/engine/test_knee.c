/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/knee.h"

#define MAX 9

/* A device of that latency that does no more than cap: depths 1, 2, 4, … */
static size_t sweep(struct result **r, double lat_ns, double cap)
{
	for (size_t i = 0; i < MAX; i++) {
		double depth = (double)(1u << i);
		r[i] = result_new();
		r[i]->kind = TEST_BLOCK;
		r[i]->wl.rw = RW_RANDREAD;
		r[i]->wl.bs = 16384;
		r[i]->wl.numjobs = 1;
		r[i]->wl.iodepth = 1u << i;
		r[i]->all.iops = fmin(depth * 1e9 / lat_ns, cap);
		r[i]->lat.mean = depth * 1e9 / r[i]->all.iops;
	}
	return MAX;
}

static void release(struct result **r)
{
	for (size_t i = 0; i < MAX; i++)
		result_free(r[i]);
}

static void the_knee_is_where_the_cap_is_reached(void **state)
{
	struct result *r[MAX];
	struct knee k;
	char text[400];

	(void)state;
	size_t n = sweep(r, 1e6, 3000);
	r[0]->more = json_pack("{s:{s:i,s:s}}", "expected", "iops_max", 3000, "bound_by", "volume iops");
	r[8]->more = json_incref(r[0]->more);
	assert_true(knee_find((const struct result *const *)r, n, &k));
	assert_int_equal(k.iodepth, 4);
	assert_int_equal(k.full_iodepth, 4);
	assert_int_equal(k.limit_iodepth, 4);
	assert_false(k.rising);
	knee_text(&k, text, sizeof(text));
	assert_non_null(strstr(text, "knee at iodepth 4: 3,000 IOPS at 1.33 ms; from there to 256 IOPS change by +0 %, latency is 64.0 times"));
	assert_non_null(strstr(text, "the documented 3,000 IOPS (volume iops) are reached at iodepth 4"));
	release(r);
}

static void a_device_that_never_bends_has_no_knee(void **state)
{
	struct result *r[MAX];
	struct knee k;
	char text[400];

	(void)state;
	size_t n = sweep(r, 1e6, INFINITY);
	assert_true(knee_find((const struct result *const *)r, n, &k));
	assert_true(k.rising);
	assert_non_null(strstr(knee_text(&k, text, sizeof(text)), "no knee up to iodepth 256"));
	json_t *o = knee_to_json(&k);
	assert_true(json_is_null(json_object_get(o, "knee_iodepth")));
	json_decref(o);
	release(r);
}

static void other_tests_are_no_sweep(void **state)
{
	struct result *r[MAX];
	struct knee k;

	(void)state;
	size_t n = sweep(r, 1e6, 3000);
	assert_false(knee_find((const struct result *const *)r, 2, &k));
	r[3]->wl.bs = 4096;
	assert_false(knee_find((const struct result *const *)r, n, &k));
	r[3]->wl.bs = 16384;
	r[3]->wl.iodepth = 1;
	assert_false(knee_find((const struct result *const *)r, n, &k));
	assert_false(knee_find(NULL, 0, &k));
	release(r);
}

static void a_depth_without_figures_is_passed_over(void **state)
{
	struct result *r[MAX];
	struct knee k;

	(void)state;
	size_t n = sweep(r, 1e6, 3000);
	r[2]->all.iops = NAN;
	assert_true(knee_find((const struct result *const *)r, n, &k));
	assert_int_equal(k.iodepth, 2); /* 2,000 IOPS at 1 ms: a little more power than 3,000 at 2.67 ms */
	release(r);
}

static void a_series_has_a_point_a_depth_and_none_where_a_test_failed(void **state)
{
	struct result *r[MAX];
	struct knee_point p[KNEE_POINTS_MAX];
	size_t n = sweep(r, 1e6, 3000);

	(void)state;
	r[2]->failed = true;
	assert_int_equal(knee_points((const struct result *const *)r, n, p), n);
	assert_int_equal(p[1].iodepth, 2);
	assert_true(fabs(p[1].iops - 2000) < 1e-6 && fabs(p[1].lat_ns - 1e6) < 1);
	assert_true(isnan(p[2].iops) && isnan(p[2].lat_ns));
	assert_int_equal(knee_points((const struct result *const *)r, 1, p), 1); /* while the others are yet to come */
	r[4]->wl.bs = 4096;
	assert_int_equal(knee_points((const struct result *const *)r, n, p), 0);
	release(r);
}

static void rising_depths_of_one_work_are_a_planned_series(void **state)
{
	struct run_header *h = calloc(1, sizeof(*h));

	(void)state;
	h->nr_planned = 3;
	for (unsigned i = 0; i < 3; i++)
		h->planned[i].wl = (struct workload){ .rw = RW_RANDREAD, .bs = 16384, .numjobs = 1, .iodepth = 1u << i };
	assert_true(knee_planned(h));
	h->nr_planned = 2;
	assert_false(knee_planned(h));
	h->nr_planned = 3;
	h->planned[2].wl.iodepth = 2;
	assert_false(knee_planned(h));
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_knee_is_where_the_cap_is_reached),
		cmocka_unit_test(a_device_that_never_bends_has_no_knee),
		cmocka_unit_test(a_series_has_a_point_a_depth_and_none_where_a_test_failed),
		cmocka_unit_test(rising_depths_of_one_work_are_a_planned_series),
		cmocka_unit_test(other_tests_are_no_sweep),
		cmocka_unit_test(a_depth_without_figures_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
