/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tui/layout.h"

/* All rectangles of a layout that are there. */
static int all_of(const struct layout *l, struct rect *out)
{
	const struct rect bars[] = { l->header, l->progress, l->keys, l->summary };
	int n = 0;

	for (int i = 0; i < 4; i++)
		if (!rect_empty(bars[i]))
			out[n++] = bars[i];
	for (int i = 0; i < PANEL_NR; i++)
		if (!rect_empty(l->panel[i]))
			out[n++] = l->panel[i];
	return n;
}

static void check(int w, int h, const struct layout *l, const char *name)
{
	struct rect r[PANEL_NR + 4];
	int n = all_of(l, r);

	if (n == 0)
		fail_msg("%s %dx%d: nothing is shown", name, w, h);
	for (int i = 0; i < n; i++) {
		struct rect in = rect_cross(r[i], (struct rect){ 0, 0, w, h });
		if (in.w != r[i].w || in.h != r[i].h)
			fail_msg("%s %dx%d: %d,%d %dx%d is outside", name, w, h, r[i].x, r[i].y, r[i].w, r[i].h);
		for (int k = i + 1; k < n; k++)
			if (!rect_empty(rect_cross(r[i], r[k])))
				fail_msg("%s %dx%d: two overlap at %d,%d", name, w, h, r[k].x, r[k].y);
	}
}

static void at_every_size_rectangles_are_inside_and_apart(void **state)
{
	(void)state;
	for (int w = 1; w <= 240; w++)
		for (int h = 1; h <= 70; h++) {
			struct layout l;
			layout_live(w, h, &l);
			check(w, h, &l, "live");
			layout_limits(&l, 7 + w % 6);
			layout_workers(&l, w % 7);
			check(w, h, &l, "live with few workers");
			layout_watch(&l, (w + h) % 2);
			check(w, h, &l, "watch");
			struct setup_rows rows = { 13, (w * h) % 40, w % 20, h % 9, (w + 3 * h) % 14, (w + h) % 2,
						   w % 3 > 0, h % 5, w % 17 };
			layout_setup(w, h, &rows, &l);
			check(w, h, &l, "setup");
			layout_results(w, h, (w + h) % 12, &l);
			check(w, h, &l, "results");
		}
}

static void eighty_columns_have_every_panel_of_the_run(void **state)
{
	(void)state;
	static const enum panel want[] = { PANEL_RATE, PANEL_CREDITS, PANEL_BW, PANEL_LATENCY, PANEL_SEEN, PANEL_WORKERS, PANEL_EVENTS };
	struct layout l;

	layout_live(80, 24, &l);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
		assert_false(rect_empty(l.panel[want[i]]));
	assert_true(l.panel[PANEL_RATE].w >= 50);
}

static void a_large_screen_is_used_to_its_edges(void **state)
{
	(void)state;
	struct rect r[PANEL_NR + 4];
	struct layout l;
	int cells = 0;

	layout_live(200, 60, &l);
	for (int n = all_of(&l, r), i = 0; i < n; i++)
		cells += r[i].w * r[i].h;
	assert_int_equal(cells, 200 * 60);
	layout_workers(&l, 1);
	cells = 0;
	for (int n = all_of(&l, r), i = 0; i < n; i++)
		cells += r[i].w * r[i].h;
	assert_int_equal(cells, 200 * 60);
	assert_int_equal(l.panel[PANEL_WORKERS].h, 3); /* as many rows as they fill */
	layout_limits(&l, 7); /* and what credits would fill goes to those below */
	cells = 0;
	for (int n = all_of(&l, r), i = 0; i < n; i++)
		cells += r[i].w * r[i].h;
	assert_int_equal(cells, 200 * 60);
	assert_int_equal(l.panel[PANEL_CREDITS].h, 7);
	layout_live(200, 60, &l);
	layout_watch(&l, false); /* what latency gives up is taken */
	cells = 0;
	for (int n = all_of(&l, r), i = 0; i < n; i++)
		cells += r[i].w * r[i].h;
	assert_int_equal(cells, 200 * 60);
	assert_true(rect_empty(l.panel[PANEL_LATENCY]) && rect_empty(l.panel[PANEL_LATTIME]));
}

static void small_screens_drop_panels_and_keep_the_rate(void **state)
{
	(void)state;
	static const int sizes[][2] = { { 73, 41 }, { 60, 20 }, { 40, 10 }, { 20, 6 } };
	struct layout l;

	for (size_t i = 0; i < 4; i++) {
		layout_live(sizes[i][0], sizes[i][1], &l);
		assert_false(rect_empty(l.panel[PANEL_RATE]) && rect_empty(l.summary));
	}
	layout_live(20, 5, &l);
	assert_false(rect_empty(l.summary));
	layout_live(1, 1, &l);
	assert_int_equal(l.summary.w * l.summary.h, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_every_size_rectangles_are_inside_and_apart),
		cmocka_unit_test(eighty_columns_have_every_panel_of_the_run),
		cmocka_unit_test(a_large_screen_is_used_to_its_edges),
		cmocka_unit_test(small_screens_drop_panels_and_keep_the_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
