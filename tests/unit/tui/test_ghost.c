/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cmocka.h>

#include "engine/units.h"
#include "tests/unit/near.h"
#include "tui/ghost.h"
#include "tui/reading.h"

static struct run_header header;
static struct ghost ghost;
static struct ghost_at at;
static struct err err;
static char picture[4096];

static void plan(const char *name, enum test_kind kind, uint64_t bs, bool stdio)
{
	header = (struct run_header){ .nr_planned = 1 };
	snprintf(header.planned[0].name, sizeof(header.planned[0].name), "%s", name);
	header.planned[0].kind = kind;
	header.planned[0].stdio = stdio;
	header.planned[0].wl = (struct workload){ .rw = RW_WRITE, .bs = bs, .iodepth = 1, .numjobs = 1 };
}

/* What of a reference stands behind the planned test. */
static void behind(const char *reference)
{
	assert_int_equal(ghost_load(&ghost, reference, reference + 4, NULL, &err), 0);
	at = (struct ghost_at){ .iops = 0 };
	ghost_place(&ghost, &at, &header, 0, NULL, NULL);
	ghost_release(&ghost);
}

static void a_reference_without_a_series_is_the_level_of_its_figure(void **state)
{
	(void)state;
	plan("write-block", TEST_BLOCK, 8192, false);
	behind("ref:bonnie/ebs-magnetic");
	assert_near(at.bw_bytes, 20595 * 1024.0, 0);
	assert_near(at.iops, 20595 * 1024.0 / 8192, 1e-9); /* of chunks of the same size */
	assert_string_equal(at.says, "bonnie/ebs-magnetic 20,595 KiB/s");
	plan("T1", TEST_DD, 1 << 30, false);
	behind("ref:dd/single");
	assert_near(at.bw_bytes, 272e6, 0);
	assert_true(isnan(at.iops));
}

static void what_must_not_be_compared_has_no_level_but_says_why(void **state)
{
	(void)state;
	plan("write-char", TEST_CHAR, 1, false);
	behind("ref:bonnie/ebs-magnetic");
	assert_true(isnan(at.bw_bytes) && isnan(at.iops));
	assert_string_equal(at.says, "bonnie/ebs-magnetic: per-char by syscall beside stdio");
	plan("write-char", TEST_CHAR, 1, true);
	behind("ref:bonnie/ebs-magnetic");
	assert_near(at.bw_bytes, 17273 * 1024.0, 0);
	plan("create-seq", TEST_FILE, 1, true); /* theirs was +++++ */
	behind("ref:bonnie/ebs-magnetic");
	assert_non_null(strstr(at.says, "too short"));
	plan("other", TEST_BLOCK, 4096, false);
	behind("ref:dd/single");
	assert_string_equal(at.says, "dd/single: no test other");
	assert_int_equal(ghost_load(&ghost, "ref:dd/single", "x", NULL, &err), 0);
	ghost_place(&ghost, &at, &header, UINT32_MAX, NULL, NULL); /* as while a file is laid out */
	assert_string_equal(at.says, "");
	ghost_release(&ghost);
	assert_true(isnan(at.bw_bytes));
}

static void a_network_tests_recording_is_no_ghost_of_io(void **state)
{
	char path[] = "/tmp/ebscope-test-ghost-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_true(dprintf(fd, "{\"type\":\"header\",\"schema\":\"ebscope/1\",\"title\":\"net\",\"target\":\"a\",\"started\":\"x\","
				"\"planned\":[{\"name\":\"net\",\"kind\":\"net\",\"repeats\":1}]}\n") > 0);
	close(fd);
	assert_int_equal(ghost_load(&ghost, path, "net", NULL, &err), -1);
	assert_non_null(strstr(err.msg, "a network test"));
	assert_null(ghost.log);
	unlink(path);
}

static void the_level_is_a_line_behind_the_area_with_its_figure_at_the_right(void **state)
{
	(void)state;
	static double y[200], room[200];
	struct limit_line limit[1];
	struct canvas cv;
	char text[8192];

	for (int i = 0; i < 200; i++)
		y[i] = i < 100 ? 4000 : NAN;
	struct time_plot p = { .at = { 0, 0, 100, 12 }, .t1 = 10, .ymax = 5000, .fill = { y, 2 * 80 }, .limit = limit };
	struct ghost_at g = { .iops = 2574, .says = "theirs 20,595 KiB/s" };
	ghost_series(&p, &g.rate, BIN_IOPS, g.iops, room);
	ghost_limit(&p, g.iops, limit);
	assert_int_equal(canvas_init(&cv, 100, 12, &err), 0);
	plot_time(&cv, &p);
	ghost_legend(&cv, &p, &g);
	FILE *f = fmemopen(text, sizeof(text), "w");
	canvas_dump(&cv, f);
	fclose(f);
	assert_non_null(strstr(text, "ref 2,574"));
	assert_non_null(strstr(text, "theirs 20,595 KiB/s"));
	int row = 12 - 3 - (int)(2574.0 / 5000 * 10); /* two rows are for the axis */
	assert_int_equal(canvas_at(&cv, 70, row).style, STYLE_GHOST);
	canvas_release(&cv);
}

static int news;

/* Until it is done, which writes news. */
static void wait_for(const struct reading *r)
{
	uint64_t n;

	while (!reading_done(r))
		assert_int_equal(read(news, &n, sizeof(n)), sizeof(n));
}

static void a_run_is_read_on_a_thread_of_its_own(void **state)
{
	(void)state;
	struct reading_result out;
	struct reading *r = reading_start(READING_GHOST, "", "ref:dd/raid0", "dd/raid0", news, &err);

	assert_non_null(r);
	wait_for(r);
	reading_take(r, &out);
	assert_false(out.failed);
	assert_string_equal(out.ghost.name, "dd/raid0");
	assert_int_equal(out.ghost.run.nr_tests, 7);
	ghost_release(&out.ghost);

	r = reading_start(READING_BESIDE, "ref:dd/single", "ref:dd/raid0", "", news, &err);
	assert_non_null(r);
	wait_for(r);
	reading_take(r, &out);
	assert_int_equal(out.beside.c.nr_runs, 2);
	beside_release(&out.beside);

	r = reading_start(READING_BESIDE, "", "/no/such/recording", "", news, &err);
	wait_for(r);
	reading_take(r, &out);
	assert_true(out.failed);
	assert_non_null(strstr(out.err.msg, "/no/such/recording"));
}

static void what_is_left_frees_itself_done_or_not(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		struct reading *r = reading_start(i % 2 ? READING_GHOST : READING_BESIDE, "ref:dd/single", "ref:dd/raid0", "", news, &err);
		assert_non_null(r);
		if (i % 4 == 0)
			wait_for(r);
		reading_leave(r);
	}
	reading_leave(NULL);
}

static void the_legend_keeps_off_marks_lines_and_dots(void **state)
{
	static const struct moment m[] = { { 1, "bs 32k" } };
	static const struct limit_line line = { 100, NULL, false };
	static double y[80];
	static struct ghost_at g = { .says = "an earlier run" };
	struct time_plot p = { .at = { 0, 0, 43, 9 }, .t1 = 40, .ymax = 100, .moment = m, .nr_moments = 1, .fill = { y, 80 } };
	struct canvas cv;

	(void)state;
	for (int i = 0; i < 80; i++)
		y[i] = 50;
	for (int k = 0; k < 3; k++) { /* a mark; a limit at the edge; an area up to it */
		p.nr_limits = k == 1;
		p.limit = &line;
		y[40] = k == 2 ? 100 : 50;
		assert_int_equal(canvas_init(&cv, 43, 9, &err), 0);
		plot_time(&cv, &p);
		ghost_legend(&cv, &p, &g);
		FILE *f = fmemopen(picture, sizeof(picture), "w");
		canvas_dump(&cv, f);
		fclose(f);
		assert_int_equal(canvas_at(&cv, PLOT_LEFT + 20, 0).ch >= 0x2800, k > 0);
		canvas_release(&cv);
		assert_non_null(strstr(picture, "bs 32k"));
		const char *legend = strstr(picture, "┄ an earlier run");
		assert_non_null(legend);
		assert_int_equal(memchr(picture, '\n', (size_t)(legend - picture)) != NULL, k == 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reference_without_a_series_is_the_level_of_its_figure),
		cmocka_unit_test(what_must_not_be_compared_has_no_level_but_says_why),
		cmocka_unit_test(a_network_tests_recording_is_no_ghost_of_io),
		cmocka_unit_test(the_level_is_a_line_behind_the_area_with_its_figure_at_the_right),
		cmocka_unit_test(the_legend_keeps_off_marks_lines_and_dots),
		cmocka_unit_test(a_run_is_read_on_a_thread_of_its_own),
		cmocka_unit_test(what_is_left_frees_itself_done_or_not),
	};
	news = eventfd(0, EFD_CLOEXEC);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
