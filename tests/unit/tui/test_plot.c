/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/hist.h"
#include "engine/units.h"
#include "tests/unit/near.h"
#include "tui/plot.h"

static char picture[8192];


static struct canvas blank(int w, int h)
{
	struct canvas cv;
	struct err err;

	assert_int_equal(canvas_init(&cv, w, h, &err), 0);
	return cv;
}

static const char *text_of(struct canvas *cv)
{
	FILE *f = fmemopen(picture, sizeof(picture), "w");

	assert_int_equal(canvas_dump(cv, f), 0);
	fclose(f);
	canvas_release(cv);
	return picture;
}

/* A plot of w x h cells without axes, so narrow that only dots are left. */
static struct time_plot bare(int w, int h, const double *y, size_t n)
{
	return (struct time_plot){ .at = { 0, 0, w, h }, .t1 = 1, .ymax = 100, .fill = { y, n }, .below = GRAD_RATE, .above = GRAD_RATE };
}

static const char *drawn(const struct time_plot *p)
{
	struct canvas cv = blank(p->at.w, p->at.h);

	plot_time(&cv, p);
	return text_of(&cv);
}

static void an_axis_follows_a_time_scale_that_was_turned(void **state)
{
	(void)state;
	static const struct pace turned = { 10, 10 };
	struct time_plot p = { .at = { 0, 0, 80, 8 }, .t1 = 20, .ymax = 100, .scale = 1, .pace = &turned, .nr_pace = 1 };
	const char *line = drawn(&p);

	for (const char *end; (end = strchr(line, '\n')) && end[1];)
		line = end + 1;
	assert_int_equal(strstr(line, "20s") - line, 37); /* ten seconds as they are are half of it, then ten times as fast */
	assert_int_equal(strstr(line, "1m40s") - line, 60);
}

static void an_area_has_eight_dots_a_cell(void **state)
{
	(void)state;
	static const double y[] = { 12.5, 25, 50, 75, 100, 100 };
	struct time_plot p = bare(3, 2, y, 6);

	assert_string_equal(drawn(&p), " ⢠⣿\n⣠⣿⣿\n");
}

static void what_is_only_read_has_no_dot_of_what_is_written(void **state)
{
	(void)state;
	double y[2], half[2];
	struct canvas cv;
	struct err err;

	for (int v = 1; v <= 100; v++) {
		struct time_plot p = bare(1, 3, y, 2);
		y[0] = y[1] = v;
		half[0] = half[1] = v / 2.0;
		p.ymax = 100;
		p.below = GRAD_READ;
		p.above = GRAD_WRITE;
		p.split = p.fill;
		canvas_init(&cv, 1, 3, &err);
		plot_time(&cv, &p);
		for (int row = 0; row < 3; row++)
			assert_true(canvas_at(&cv, 0, row).style < style_grad(GRAD_WRITE, 0));
		if (v > 75) { /* and half of it read: both colours */
			p.split = (struct series){ half, 2 };
			plot_time(&cv, &p);
			assert_true(canvas_at(&cv, 0, 0).style >= style_grad(GRAD_WRITE, 0));
			assert_true(canvas_at(&cv, 0, 2).style < style_grad(GRAD_WRITE, 0));
		}
		canvas_release(&cv);
	}
}

static void a_missing_sample_is_a_gap_and_not_a_zero(void **state)
{
	(void)state;
	static const double y[] = { 50, 50, NAN, NAN, 0, 50 };
	struct time_plot p = bare(3, 1, y, 6);

	assert_string_equal(drawn(&p), "⣤ ⣠\n");
}

static void values_over_the_edge_are_held_to_it(void **state)
{
	(void)state;
	static const double y[] = { 1e300, INFINITY, -5, 100 };
	struct time_plot p = bare(2, 1, y, 4);

	assert_string_equal(drawn(&p), "⣿⣸\n");
}

static void a_limit_is_broken_until_it_is_reached(void **state)
{
	(void)state;
	struct limit_line l = { .value = 50, .label = "base" };
	struct time_plot p = bare(4, 1, NULL, 0);

	p.limit = &l;
	p.nr_limits = 1;
	assert_string_equal(drawn(&p), "⠤ ⠤\n");
	l.hit = true;
	assert_string_equal(drawn(&p), "⠤⠤⠤⠤\n");
}

static void the_allowed_rate_is_a_step_and_shows_inside_the_area(void **state)
{
	(void)state;
	static const double model[] = { 100, 100, 100, 25, 25, 25 }, fill[] = { NAN, NAN, NAN, NAN, 100, 100 };
	struct time_plot p = bare(3, 2, fill, 6);

	p.model = (struct series){ model, 6 };
	assert_string_equal(drawn(&p), "⠉⢱⣿\n ⠸⣛\n");
}

static void without_braille_it_is_eighths_and_without_utf8_ascii(void **state)
{
	(void)state;
	static const double y[] = { 25, 25, 50, 50, 100, 100, NAN, NAN };
	struct time_plot p = bare(4, 2, y, 8);

	p.ink = INK_BLOCKS;
	assert_string_equal(drawn(&p), "  █\n▄██\n");
	p.ink = INK_ASCII;
	assert_string_equal(drawn(&p), "  #\n:##\n");
}

static void labels_of_limits_stand_at_their_lines_and_never_on_each_other(void **state)
{
	(void)state;
	static const struct limit_line l[] = { { 3000, "burst", false }, { 2990, "host", false }, { 600, "base", true }, { 9000, "far", false } };
	struct time_plot p = { .at = { 0, 0, 50, 10 }, .t1 = 3600, .ymax = 3600, .limit = l, .nr_limits = 4 };
	struct canvas cv = blank(50, 10);
	static const char *const want[] = { "↑far 9,000", "burst 3,000", "host 2,990", "◀base 600" };
	int rows = 0;

	plot_time(&cv, &p);
	char *line = strtok((char *)text_of(&cv), "\n");
	for (; line; line = strtok(NULL, "\n"))
		for (int i = rows; i < 4; i++)
			if (strstr(line, want[i])) {
				assert_int_equal(i, rows);
				rows++;
				break;
			}
	assert_int_equal(rows, 4);
}

static void what_is_above_the_plot_gives_way_to_the_labels_of_what_is_in_it(void **state)
{
	(void)state;
	static const struct limit_line l[] = { { 900, "far", false }, { 94, "new", false }, { 78, "host", false }, { 66, "burst", true }, { 47, "old", false } };
	struct time_plot p = { .at = { 0, 0, 60, 6 }, .t1 = 60, .ymax = 100, .limit = l, .nr_limits = 5 };
	const char *text = drawn(&p);

	for (int i = 1; i < 5; i++)
		assert_non_null(strstr(text, l[i].label));
	assert_null(strstr(text, "far"));
	p.at.h = 8;
	assert_non_null(strstr(drawn(&p), "↑far 900"));
}

static void a_limit_keeps_its_word_as_long_as_any_word_fits(void **state)
{
	(void)state;
	static const struct limit_line l[] = { { 3128, "volume max|vol max|vol", false }, { 100, "volume|vol", false } };

	for (int w = 44; w <= 120; w++) {
		struct time_plot p = { .at = { 0, 0, w, 10 }, .t1 = 60, .ymax = 110, .limit = l, .nr_limits = 2 };
		struct canvas cv = blank(w, 10);
		plot_time(&cv, &p);
		const char *text = text_of(&cv);
		assert_non_null(strstr(text, "vol"));
		assert_non_null(strstr(text, w < 60 ? "↑vol 3,128" : w < 90 ? "↑vol max 3.1k" : w < 120 ? "↑vol max 3,128" : "↑volume max 3.1k"));
		assert_non_null(strstr(text, "volume 100"));
	}
}

static void a_whole_plot_has_axes_bands_and_marks(void **state)
{
	(void)state;
	static const struct band b[] = { { 0, 30, "burst 30 s", STYLE_BURST, SHADE_BURST }, { 30, 60, "base", STYLE_BASELINE, 0 } };
	static const struct moment m[] = { { 15, "x" } };
	static double y[64];
	struct time_plot p = { .at = { 0, 0, 37, 7 }, .t1 = 60, .ymax = 4000, .fill = { y, 64 }, .below = GRAD_RATE, .band = b, .nr_bands = 2, .moment = m, .nr_moments = 1 };
	struct canvas cv = blank(37, 7);

	for (int i = 0; i < 64; i++)
		y[i] = i < 32 ? 3000 : (double)NAN;
	plot_time(&cv, &p);
	assert_int_equal(canvas_at(&cv, 6, 0).shade, SHADE_BURST);
	assert_int_equal(canvas_at(&cv, 30, 0).shade, SHADE_NONE);
	assert_string_equal(text_of(&cv), "4.0k         ▼x\n"
					  "     ⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶\n"
					  "2.0k ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿\n"
					  "     ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿\n"
					  "   0 ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿\n"
					  "        burst 30 s         base\n"
					  "     0        20s        40s       1m\n");
}

static void an_axis_is_divided_evenly_up_to_its_edge_into_round_steps(void **state)
{
	static const struct { double ymax; int h; const char *ticks; } rows[] = {
		{ 4000, 13, "4.0k 2.0k 0 " },	   { 100, 13, "100 50 0 " },  { 30, 13, "30 20 10 0 " },
		{ 8, 13, "8 4 0 " },		   { 25, 8, "25 0 " },	      { 60, 28, "60 50 40 30 20 10 0 " },
		{ 80, 28, "80 60 40 20 0 " }, { 1500, 13, "1.5k 1.0k 500 0 " }, { 1500, 28, "1.5k 1.0k 500 0 " },
		{ 0.15, 13, "0.15 0.10 0.05 0 " }, { 0.3, 8, "0.30 0.15 0 " }, { 5, 13, "5 2.5 0 " }, { 12, 13, "12 8 4 0 " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct time_plot p = { .at = { 0, 0, 16, rows[i].h }, .t1 = 1, .ymax = rows[i].ymax };
		struct canvas cv = blank(16, rows[i].h);
		char ticks[64] = "";
		size_t n = 0;

		plot_time(&cv, &p);
		for (int y = 0; y < rows[i].h - 2; y++) {
			size_t before = n;
			for (int x = 0; x < PLOT_LEFT - 1; x++)
				if (canvas_at(&cv, x, y).ch != ' ')
					ticks[n++] = (char)canvas_at(&cv, x, y).ch;
			if (n > before)
				ticks[n++] = ' ';
		}
		assert_string_equal(ticks, rows[i].ticks);
		canvas_release(&cv);
	}
}

static void any_rectangle_is_safe_and_nothing_is_drawn_outside(void **state)
{
	(void)state;
	static double y[200];
	static const struct limit_line l[] = { { 50, "a", true }, { 80, "b", false } };
	static const struct band b[] = { { -10, 700, "burst", STYLE_BURST, SHADE_BURST } };
	static const struct moment m[] = { { 0.5, "knob" }, { 99, "gone" } };
	static uint64_t lat[HIST_NR];
	static uint32_t seen[HIST_NR];

	for (int i = 0; i < 200; i++)
		y[i] = i % 7 ? i : (double)NAN;
	lat[0] = 3;
	lat[HIST_NR - 2] = 1;
	seen[hist_index(60)] = 9;
	for (int w = -1; w < 100; w += w < 20 ? 1 : 7)
		for (int h = -1; h < 20; h++) {
			struct canvas cv = blank(104, 24);
			struct rect at = { 2, 2, w, h };
			struct time_plot p = { .at = at, .t1 = 1, .ymax = 100, .fill = { y, 200 }, .model = { y, 200 }, .ghost = { y, 200 },
					       .limit = l, .nr_limits = 2, .band = b, .nr_bands = 1, .moment = m, .nr_moments = 2,
					       .ink = (enum ink)((w + h + 2) % 3) };
			static const struct device_lat dl = { 2, { { 0, 1, { 1, 0 } }, { 5, UINT64_MAX, { 0, 9 } } } };
			static const struct plot_dot dots[] = { { -1, 5 }, { 0.5, 1e300 } };
			static const struct between between = { 20, 60, "between: two" };
			struct lat_plot lp = { .at = at, .count = lat, .nr = HIST_NR - 1, .low = hist_low, .p50 = 1, .p99 = 1e20, .p999 = NAN, .device = &dl,
					       .ink = p.ink };
			p.dot = dots;
			p.nr_dots = 2;
			p.between = &between;
			struct seen_plot sp = { .at = at, .count = seen, .nr = HIST_NR, .ymax = 100, .limit = l, .nr_limits = 2 };
			plot_time(&cv, &p);
			plot_latency(&cv, &lp);
			plot_seen(&cv, &sp);
			for (int yy = 0; yy < cv.h; yy++)
				for (int xx = 0; xx < cv.w; xx++)
					if (!rect_has(at, xx, yy))
						assert_int_equal(canvas_at(&cv, xx, yy).ch, ' ');
			canvas_release(&cv);
		}
}

static void the_upper_edge_is_round_and_counts_near_limits_only(void **state)
{
	(void)state;
	static const struct limit_line l[] = { { 3000, "burst", false }, { 3600, "host", false }, { 18750, "far", false } };

	assert_true(plot_ymax(0, NULL, 0) > 0);
	assert_true(plot_ymax(NAN, NULL, 0) > 0);
	assert_near(plot_ymax(0, l, 3), 4000, 1e-6);
	assert_near(plot_ymax(2990, l, 3), 4000, 1e-6);
	assert_near(plot_ymax(100, l, 3), 120, 1e-6);
	assert_near(plot_ymax(17000, l, 3), 20000, 1e-6);
	assert_near(nice_above(1001), 1200, 1e-6);
	assert_near(nice_above(1e-9), 1e-9, 1e-15);
}

static void a_latency_histogram_marks_percentiles_and_shows_single_values(void **state)
{
	(void)state;
	static uint64_t count[HIST_NR];
	struct canvas cv = blank(30, 4);

	memset(count, 0, sizeof(count));
	count[hist_index(1000000)] = 1000;
	count[hist_index(30000000)] = 1;
	struct lat_plot p = { .at = { 0, 0, 30, 4 }, .count = count, .nr = HIST_NR - 1, .low = hist_low, .p50 = 1e6, .p99 = 3e6, .p999 = 29.9e6 };
	plot_latency(&cv, &p);
	assert_string_equal(text_of(&cv), "       ▼      ▼              ▼\n       █      ┊              ┊\n       █      ┊              ▁\n      1 ms           10 ms\n");
}

static void of_latencies_that_have_no_room_beside_each_other_every_second_or_third_is_named(void **state)
{
	static const struct { int w; const char *axis; } rows[] = {
		{ 42, "1 µs  10 µs   100 µs   1 ms     10 ms\n" },
		{ 24, "1 µs   100 µs    10 ms\n" },
		{ 14, "1 µs  1 ms\n" },
	};
	static uint64_t count[HIST_NR];

	(void)state;
	count[hist_index(1100)] = count[hist_index(90000000)] = 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct canvas cv = blank(rows[i].w, 4);
		struct lat_plot p = { .at = { 0, 0, rows[i].w, 4 }, .count = count, .nr = HIST_NR - 1, .low = hist_low };
		char text[256], *axis = text;

		plot_latency(&cv, &p);
		snprintf(text, sizeof(text), "%s", text_of(&cv));
		for (int y = 0; y < 3; y++)
			axis = strchr(axis, '\n') + 1;
		assert_string_equal(axis, rows[i].axis);
	}
}

static void the_devices_latencies_are_an_outline_on_the_same_axis(void **state)
{
	(void)state;
	static uint64_t count[HIST_NR];
	static const struct device_lat d = { 2, { { 100, 200, { 5, 5 } }, { 200, 1000, { 0, 0 } } } };
	struct canvas cv = blank(30, 5);

	memset(count, 0, sizeof(count));
	count[hist_index(10000000)] = 1000;
	struct lat_plot p = { .at = { 0, 0, 30, 5 }, .count = count, .nr = HIST_NR - 1, .low = hist_low, .device = &d };
	plot_latency(&cv, &p);
	unsigned outline = 0, columns = 0;
	for (int x = 0; x < 30; x++)
		for (int y = 0; y < 4; y++) {
			bool said = canvas_at(&cv, x, y).style == STYLE_SAID;
			outline += said;
			columns += canvas_at(&cv, x, y).ch == 0x2588;
			if (said)
				assert_true(x < 9); /* 200 µs of 100 µs to 10 ms and a little */
		}
	assert_true(outline >= 4);
	assert_true(columns >= 2);
	assert_non_null(strstr(text_of(&cv), "100 µs"));
	memset(count, 0, sizeof(count)); /* before the first of ours is back the device has an axis of its own */
	cv = blank(30, 5);
	plot_latency(&cv, &p);
	assert_non_null(strstr(text_of(&cv), "µs"));
}

static void what_others_say_is_a_dot_at_its_own_time(void **state)
{
	(void)state;
	static const struct plot_dot dot[] = { { -60, 100 }, { -30, 50 }, { 0, NAN }, { 99, 50 } };
	struct time_plot p = { .at = { 0, 0, 12, 2 }, .t0 = -60, .t1 = 60, .ymax = 100, .dot = dot, .nr_dots = 4 };

	assert_string_equal(drawn(&p), "●\n   ●\n");
	char buf[FMT_LEN];
	assert_string_equal(fmt_axis_time(buf, -300), "-5m");
}

static void what_lies_between_two_limits_is_shaded_and_said(void **state)
{
	(void)state;
	static const struct band b[] = { { 0, 30, "burst", STYLE_BURST, SHADE_BURST } };
	static const struct between w = { 3000, 6000, "optimizing 37 %: 3,000 to 6,000 IOPS" };
	struct time_plot p = { .at = { 0, 0, 43, 10 }, .t1 = 60, .ymax = 8000, .between = &w, .band = b, .nr_bands = 1 };
	struct canvas cv = blank(43, 10);

	plot_time(&cv, &p);
	for (int y = 0; y < 8; y++) /* a row is 1,000 */
		assert_int_equal(canvas_at(&cv, 7, y).shade, y >= 2 && y <= 5 ? SHADE_BETWEEN : SHADE_BURST);
	assert_int_equal(canvas_at(&cv, 40, 0).shade, SHADE_NONE);
	assert_non_null(strstr(text_of(&cv), "optimizing 37 %: 3,000 to 6,000 IOPS"));
	p.at.w = 30;
	const char *text = drawn(&p);
	assert_non_null(strstr(text, "optimizing 37 %"));
	assert_null(strstr(text, "3,000"));
}

static void rates_seen_are_bars_with_their_share(void **state)
{
	(void)state;
	static uint32_t count[HIST_NR];
	static const struct limit_line l[] = { { 3000, "burst", false }, { 600, "base", true } };
	struct canvas cv = blank(30, 3);

	memset(count, 0, sizeof(count));
	count[hist_index(3000)] = 75;
	count[hist_index(600)] = 25;
	struct seen_plot p = { .at = { 0, 0, 30, 3 }, .count = count, .nr = HIST_NR, .ymax = 3600, .limit = l, .nr_limits = 2 };
	plot_seen(&cv, &p);
	assert_string_equal(text_of(&cv), " 2,992▸██████████████████ 75 %\n 1,800·\n   604▸██████             25 %\n");
}

static void a_bar_is_filled_in_eighths_and_never_empty_for_something(void **state)
{
	(void)state;
	struct canvas cv = blank(4, 5);

	draw_bar(&cv, 0, 0, 4, 0.53, INK_BRAILLE, STYLE_PASS);
	draw_bar(&cv, 0, 1, 4, 0.0001, INK_BRAILLE, STYLE_PASS);
	draw_bar(&cv, 0, 2, 4, NAN, INK_BRAILLE, STYLE_PASS);
	draw_bar(&cv, 0, 3, 4, 7, INK_BRAILLE, STYLE_PASS);
	draw_bar(&cv, 0, 4, 4, 0.5, INK_ASCII, STYLE_PASS);
	assert_string_equal(text_of(&cv), "██▏\n▏\n\n████\n##..\n");
}

static void tall_digits_are_as_wide_as_they_say(void **state)
{
	(void)state;
	struct canvas cv = blank(20, 3);

	assert_int_equal(digits_width("1,024"), 17);
	draw_digits(&cv, 0, 0, STYLE_STRONG, "1,024");
	assert_string_equal(text_of(&cv), "▀█    █▀█ ▀▀█ █ █\n █    █ █ █▀▀ ▀▀█\n▀▀▀ ▗ ▀▀▀ ▀▀▀   ▀\n");
}

static void times_on_an_axis_are_short(void **state)
{
	(void)state;
	char buf[FMT_LEN];

	assert_string_equal(fmt_axis_time(buf, 0), "0");
	assert_string_equal(fmt_axis_time(buf, 0.5), "0.5s");
	assert_string_equal(fmt_axis_time(buf, 90), "1m30s");
	assert_string_equal(fmt_axis_time(buf, 3600), "1h");
	assert_string_equal(fmt_axis_time(buf, 5400), "1h30m");
	assert_string_equal(fmt_axis_time(buf, 90000), "1d01h");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_axis_follows_a_time_scale_that_was_turned),
		cmocka_unit_test(an_area_has_eight_dots_a_cell),
		cmocka_unit_test(what_is_only_read_has_no_dot_of_what_is_written),
		cmocka_unit_test(a_missing_sample_is_a_gap_and_not_a_zero),
		cmocka_unit_test(values_over_the_edge_are_held_to_it),
		cmocka_unit_test(a_limit_is_broken_until_it_is_reached),
		cmocka_unit_test(the_allowed_rate_is_a_step_and_shows_inside_the_area),
		cmocka_unit_test(without_braille_it_is_eighths_and_without_utf8_ascii),
		cmocka_unit_test(labels_of_limits_stand_at_their_lines_and_never_on_each_other),
		cmocka_unit_test(what_is_above_the_plot_gives_way_to_the_labels_of_what_is_in_it),
		cmocka_unit_test(a_limit_keeps_its_word_as_long_as_any_word_fits),
		cmocka_unit_test(a_whole_plot_has_axes_bands_and_marks),
		cmocka_unit_test(any_rectangle_is_safe_and_nothing_is_drawn_outside),
		cmocka_unit_test(the_upper_edge_is_round_and_counts_near_limits_only),
		cmocka_unit_test(a_latency_histogram_marks_percentiles_and_shows_single_values),
		cmocka_unit_test(of_latencies_that_have_no_room_beside_each_other_every_second_or_third_is_named),
		cmocka_unit_test(an_axis_is_divided_evenly_up_to_its_edge_into_round_steps),
		cmocka_unit_test(the_devices_latencies_are_an_outline_on_the_same_axis),
		cmocka_unit_test(what_others_say_is_a_dot_at_its_own_time),
		cmocka_unit_test(what_lies_between_two_limits_is_shaded_and_said),
		cmocka_unit_test(rates_seen_are_bars_with_their_share),
		cmocka_unit_test(a_bar_is_filled_in_eighths_and_never_empty_for_something),
		cmocka_unit_test(tall_digits_are_as_wide_as_they_say),
		cmocka_unit_test(times_on_an_axis_are_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
