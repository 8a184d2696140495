/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tui/sweep.h"

#define DEPTHS 9

/* Planned are depths 1 to 256; the first @p done of them have ended, on a device of 1 ms that does 3,000 I/Os a second. */
struct made {
	struct run_header header;
	struct result *r[DEPTHS];
	struct runlog_snap snap;
	struct expectation expect;
};

static struct made *make(size_t done)
{
	struct made *m = calloc(1, sizeof(*m));
	struct volumes vs = { .n = 0 };
	struct err err;

	m->snap.header = &m->header;
	m->snap.results = (const struct result *const *)m->r;
	m->snap.nr_results = done;
	m->header.nr_planned = DEPTHS;
	for (size_t i = 0; i < DEPTHS; i++) {
		m->header.planned[i].wl = *workload_find("iops");
		m->header.planned[i].wl.iodepth = 1u << i;
		m->r[i] = result_new();
		m->r[i]->wl = m->header.planned[i].wl;
		m->r[i]->all.iops = fmin(1000.0 * (1u << i), 3000);
		m->r[i]->lat.mean = (1u << i) * 1e9 / m->r[i]->all.iops;
	}
	assert_int_equal(volumes_parse(&vs, limits_builtin(), "gp3:100", &err), 0);
	struct model_input in = model_input(&vs, NULL, &m->header.planned[0].wl);
	model_expect(&in, &m->expect);
	return m;
}

static void end(struct made *m)
{
	for (size_t i = 0; i < DEPTHS; i++)
		result_free(m->r[i]);
	free(m);
}

static char picture[16384];

static const char *drawn(struct made *m, int w, int h, enum ink ink)
{
	struct frame f = { .run = &m->snap, .expect = &m->expect, .ink = ink };
	struct canvas cv;
	struct sweep s;
	struct err err;

	assert_true(sweep_of(&s, &m->snap));
	assert_int_equal(canvas_init(&cv, w, h, &err), 0);
	cv.ascii = ink == INK_ASCII;
	draw_sweep(&f, &cv, (struct rect){ 0, 0, w, h }, &s, 2);
	FILE *out = fmemopen(picture, sizeof(picture), "w");
	assert_int_equal(canvas_dump(&cv, out), 0);
	fclose(out);
	canvas_release(&cv);
	return picture;
}

static void each_depth_has_its_place_and_its_latency_and_the_knee_is_marked(void **state)
{
	struct made *m = make(DEPTHS);
	const char *text = drawn(m, 76, 10, INK_BRAILLE);

	(void)state;
	assert_non_null(strstr(text, "knee 4"));
	assert_non_null(strstr(text, "volume 3"));
	assert_non_null(strstr(text, "qd      1     2     4      8    16    32     64    128   256"));
	assert_non_null(strstr(text, "ms    1.00  1.00  1.33   2.67"));
	text = drawn(m, 76, 10, INK_ASCII);
	for (; *text; text++)
		assert_true((unsigned char)*text < 128);
	end(m);
}

static void points_of_one_height_lie_in_one_row(void **state)
{
	struct made *m = make(DEPTHS);

	(void)state;
	for (size_t i = 3; i < DEPTHS; i++)
		m->r[i]->all.iops = 2999; /* a hair below the 3,000 of depth 4 is no row below it */
	for (int h = 7; h < 20; h++) {
		const char *at = strstr(drawn(m, 76, h, INK_BRAILLE), "●"), *end_of_row = strchr(at, '\n');
		int n = 0;
		for (; at && at < end_of_row; at = strstr(at + 1, "●"))
			n++;
		assert_int_equal(n, 7); /* depths 4 to 256 */
	}
	end(m);
}

static void the_axis_is_that_of_all_depths_while_points_arrive(void **state)
{
	struct made *m = make(2);
	struct sweep s;

	(void)state;
	assert_true(sweep_of(&s, &m->snap));
	assert_int_equal(s.n, 2);
	assert_true(fabs(s.from) < 1e-9 && fabs(s.to - 8) < 1e-9);
	assert_false(s.has_knee);
	assert_null(strstr(drawn(m, 76, 10, INK_BRAILLE), "knee"));
	m->snap.nr_results = 0;
	drawn(m, 76, 10, INK_BRAILLE);
	end(m);
}

static void between_two_points_lies_the_line_that_joins_them(void **state)
{
	struct made *m = make(DEPTHS);
	struct sweep s;

	(void)state;
	assert_true(sweep_of(&s, &m->snap));
	assert_true(fabs(sweep_at(&s, 0.5) - 1500) < 1e-6);
	assert_true(isnan(sweep_at(&s, -0.1)) && isnan(sweep_at(&s, 8.1)));
	end(m);
}

static void every_size_is_survived(void **state)
{
	struct made *m = make(DEPTHS);

	(void)state;
	for (int w = 1; w < 100; w += 7)
		for (int h = 1; h < 30; h += 3)
			for (int ink = INK_BRAILLE; ink <= INK_ASCII; ink++)
				drawn(m, w, h, (enum ink)ink);
	end(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_depth_has_its_place_and_its_latency_and_the_knee_is_marked),
		cmocka_unit_test(points_of_one_height_lie_in_one_row),
		cmocka_unit_test(the_axis_is_that_of_all_depths_while_points_arrive),
		cmocka_unit_test(between_two_points_lies_the_line_that_joins_them),
		cmocka_unit_test(every_size_is_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
