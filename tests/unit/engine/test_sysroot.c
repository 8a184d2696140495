/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>

#include "engine/sysroot.h"
#include "tests/unit/engine/tmp_tree.h"

static char dir[PATH_MAX];

static int enter(void **state)
{
	(void)state;
	tmp_tree(dir);
	setenv("EBSCOPE_SYSROOT", dir, 1);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	tmp_tree_remove(dir);
	unsetenv("EBSCOPE_SYSROOT");
	return 0;
}

static void a_line_is_the_first_without_its_blanks_and_control_characters(void **state)
{
	char line[32];

	(void)state;
	tree_text(dir, "sys/a", "  Amazon \x1b[1m Store   \nsecond\n");
	assert_int_equal(sysroot_line("/sys/a", line, sizeof(line)), 0);
	assert_string_equal(line, "Amazon ?[1m Store");
	tree_put(dir, "sys/nul", "ab\0cd", 5);
	assert_int_equal(sysroot_line("/sys/nul", line, sizeof(line)), 0);
	assert_string_equal(line, "ab");
	assert_int_equal(sysroot_line("/sys/none", line, sizeof(line)), -1);
	assert_string_equal(line, "");
}

static void a_number_is_digits_that_fit(void **state)
{
	static const char *const bad[] = { "", "x", "-1", "1x", "0x10", "18446744073709551616", "99999999999999999999999999999999999999", "1 2" };
	uint64_t v = 7;

	(void)state;
	tree_text(dir, "sys/n", "18446744073709551615\n");
	assert_int_equal(sysroot_u64("/sys/n", &v), 0);
	assert_true(v == UINT64_MAX);
	v = 7;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		tree_text(dir, "sys/n", bad[i]);
		assert_int_equal(sysroot_u64("/sys/n", &v), -1);
	}
	assert_int_equal(v, 7);
}

static void only_proc_sys_and_dev_are_ours(void **state)
{
	static const char *const bad[] = { "/etc/passwd", "/process", "/", "", "sys/a", "/syss" };
	char buf[64], real[PATH_MAX];

	(void)state;
	tree_text(dir, "etc/passwd", "x");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(sysroot_read(bad[i], buf, sizeof(buf)), -1);
		assert_int_equal(sysroot_path(bad[i], real), -1);
		assert_false(sysroot_exists(bad[i]));
	}
}

static void a_link_that_leaves_the_tree_is_refused(void **state)
{
	char path[PATH_MAX + 16], buf[64], real[PATH_MAX];

	(void)state;
	tree_text(dir, "sys/here", "x");
	snprintf(path, sizeof(path), "%s/sys/out", dir);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	snprintf(path, sizeof(path), "%s/sys/up", dir);
	assert_int_equal(symlink("../..", path), 0);
	snprintf(path, sizeof(path), "%s/sys/in", dir);
	assert_int_equal(symlink("here", path), 0);
	assert_int_equal(sysroot_read("/sys/out", buf, sizeof(buf)), -1);
	assert_int_equal(sysroot_path("/sys/up", real), -1);
	assert_int_equal(sysroot_path("/sys/../../../etc/passwd", real), -1);
	assert_int_equal(sysroot_read("/sys/in", buf, sizeof(buf)), 1);
}

static void a_pipe_or_device_in_the_tree_is_not_opened(void **state)
{
	char path[PATH_MAX + 16], buf[64];

	(void)state;
	tree_text(dir, "dev/x", "x");
	snprintf(path, sizeof(path), "%s/dev/pipe", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(sysroot_read("/dev/pipe", buf, sizeof(buf)), -1);
	assert_int_equal(sysroot_open_device("/dev/pipe", O_RDONLY), -1);
	assert_int_equal(errno, ENOTBLK);
	assert_int_equal(sysroot_open_device("/dev", O_RDONLY), -1);
	assert_int_equal(sysroot_open_device("/dev/none", O_RDWR | O_CREAT), -1);
	assert_int_equal(tree_count(dir), 1);
}

static void a_stand_in_is_held_by_one(void **state)
{
	(void)state;
	tree_text(dir, "dev/nvme1n1", "x");
	int a = sysroot_open_device("/dev/nvme1n1", O_RDWR | O_EXCL);
	assert_true(a >= 0);
	assert_int_equal(sysroot_open_device("/dev/nvme1n1", O_RDWR | O_EXCL), -1);
	assert_int_equal(errno, EBUSY);
	close(a);
	a = sysroot_open_device("/dev/nvme1n1", O_RDWR | O_EXCL);
	assert_true(a >= 0);
	close(a);
}

static void what_is_read_is_bounded(void **state)
{
	char buf[8];
	size_t len;

	(void)state;
	tree_hole(dir, "proc/endless", 1 << 30);
	char *text = sysroot_read_all("/proc/endless", &len);
	assert_non_null(text);
	assert_true(len <= SYSROOT_MAX);
	free(text);
	tree_text(dir, "proc/long", "0123456789");
	assert_int_equal(sysroot_read("/proc/long", buf, sizeof(buf)), 7);
	assert_string_equal(buf, "0123456");
}

static void this_machine_is_read_when_nothing_is_set(void **state)
{
	char line[64];
	uint64_t v;

	(void)state;
	unsetenv("EBSCOPE_SYSROOT");
	assert_int_equal(sysroot_line("/proc/self/stat", line, sizeof(line)), 0);
	assert_int_equal(sysroot_u64("/proc/self/oom_score_adj_is_no_such_file", &v), -1);
	assert_int_equal(sysroot_open_device("/dev/null", O_RDONLY), -1);
	setenv("EBSCOPE_SYSROOT", "", 1);
	assert_true(sysroot_exists("/proc/self/stat"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_line_is_the_first_without_its_blanks_and_control_characters),
		T(a_number_is_digits_that_fit),
		T(only_proc_sys_and_dev_are_ours),
		T(a_link_that_leaves_the_tree_is_refused),
		T(a_pipe_or_device_in_the_tree_is_not_opened),
		T(a_stand_in_is_held_by_one),
		T(what_is_read_is_bounded),
		T(this_machine_is_read_when_nothing_is_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
