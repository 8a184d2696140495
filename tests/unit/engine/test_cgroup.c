/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/cgroup.h"
#include "engine/units.h"
#include "tests/unit/engine/tmp_tree.h"

static struct cgroup_limits machine(const char *dir)
{
	struct cgroup_limits lim;

	setenv("EBSCOPE_SYSROOT", dir, 1);
	cgroup_limits(&lim);
	return lim;
}

static int leave(void **state)
{
	(void)state;
	unsetenv("EBSCOPE_SYSROOT");
	return 0;
}

static void a_tasks_limits_are_read_from_cgroup_v2(void **state)
{
	struct cgroup_limits lim = machine("tests/data/sysroot-container");

	(void)state;
	assert_int_equal(lim.version, 2);
	assert_int_equal(lim.memory, 256 * MIB);
	assert_int_equal(lim.host_memory, 24 * GIB);
	assert_int_equal(cgroup_memory(&lim), 256 * MIB);
	assert_float_equal(lim.cpus, 0.25, 1e-9);
}

static void the_tightest_limit_above_us_counts_in_cgroup_v1(void **state)
{
	struct cgroup_limits lim = machine("tests/data/sysroot-cgroup1");
	struct cgroup_throttle th;

	(void)state;
	assert_int_equal(lim.version, 1);
	assert_int_equal(lim.memory, 512 * MIB);
	assert_float_equal(lim.cpus, 0.5, 1e-9);
	assert_int_equal(cgroup_throttle(&th), 0);
	assert_int_equal(th.throttled, 4);
	assert_int_equal(th.stopped_ns, 123456789);
}

static void throttled_periods_are_counted_in_v2(void **state)
{
	struct cgroup_throttle th;

	(void)state;
	machine("tests/data/sysroot-container");
	assert_int_equal(cgroup_throttle(&th), 0);
	assert_int_equal(th.periods, 400);
	assert_int_equal(th.throttled, 120);
	assert_int_equal(th.stopped_ns, 9000000000);
}

static void without_a_limit_there_is_none(void **state)
{
	struct cgroup_limits lim = machine("tests/data/sysroot-ebs");
	struct cgroup_throttle th;

	(void)state;
	assert_int_equal(lim.memory, 0);
	assert_true(isnan(lim.cpus));
	assert_int_equal(cgroup_memory(&lim), 16384000 * KIB);
	assert_int_equal(cgroup_throttle(&th), -1);
}

/* A service unit of systemd: limits at several levels of v2, "max" where there is none. */
static void the_tightest_of_several_levels_counts(void **state)
{
	char dir[PATH_MAX];

	(void)state;
	tmp_tree(dir);
	tree_text(dir, "proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
	tree_text(dir, "proc/self/cgroup", "0::/a.slice/b.slice/c.service\n");
	tree_text(dir, "proc/meminfo", "MemTotal:        8388608 kB\n");
	tree_text(dir, "sys/fs/cgroup/a.slice/memory.max", "1073741824\n");
	tree_text(dir, "sys/fs/cgroup/a.slice/b.slice/memory.max", "max\n");
	tree_text(dir, "sys/fs/cgroup/a.slice/b.slice/c.service/memory.max", "2147483648\n");
	tree_text(dir, "sys/fs/cgroup/a.slice/cpu.max", "max 100000\n");
	tree_text(dir, "sys/fs/cgroup/a.slice/b.slice/cpu.max", "150000 100000\n");
	tree_text(dir, "sys/fs/cgroup/a.slice/b.slice/c.service/cpu.max", "800000 100000\n");
	tree_text(dir, "sys/fs/cgroup/a.slice/b.slice/cpu.stat", "nr_periods 5\nnr_throttled 2\nthrottled_usec 7\n");
	struct cgroup_limits lim = machine(dir);
	struct cgroup_throttle th;
	assert_int_equal(lim.memory, GIB);
	assert_float_equal(lim.cpus, 1.5, 1e-9);
	assert_int_equal(cgroup_throttle(&th), 0);
	assert_int_equal(th.stopped_ns, 7000);
	tmp_tree_remove(dir);
}

static void a_hostile_tree_gives_no_limits(void **state)
{
	struct cgroup_limits lim = machine("tests/data/sysroot-hostile");

	(void)state;
	assert_int_equal(lim.memory, 0);
	assert_int_equal(lim.host_memory, 0);
	assert_true(isnan(lim.cpus));
	machine("/no/such/tree");
}

#define T(f) cmocka_unit_test_teardown(f, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_tasks_limits_are_read_from_cgroup_v2),
		T(the_tightest_limit_above_us_counts_in_cgroup_v1),
		T(throttled_periods_are_counted_in_v2),
		T(without_a_limit_there_is_none),
		T(the_tightest_of_several_levels_counts),
		T(a_hostile_tree_gives_no_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
