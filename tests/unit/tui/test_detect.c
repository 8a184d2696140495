/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/engine/tmp_tree.h"
#include "tui/detect.h"

static char dir[PATH_MAX];

static void __attribute__((format(printf, 2, 3))) attribute(const char *value, const char *fmt, ...)
{
	char name[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	tree_text(dir, name, value);
}

static void device(const char *name)
{
	static int minor;
	char number[24];

	snprintf(number, sizeof(number), "259:%d", ++minor);
	attribute("", "dev/%s", name);
	attribute(number, "sys/class/block/%s/dev", name);
	attribute("209715200", "sys/class/block/%s/size", name);
	attribute("0", "sys/class/block/%s/ro", name);
}

/* On one or two others. */
static void stacked(const char *name, const char *attr, const char *value, const char *a, const char *b)
{
	device(name);
	attribute(value, "sys/class/block/%s/%s", name, attr);
	attribute("", "sys/class/block/%s/slaves/%s/here", name, a);
	if (b)
		attribute("", "sys/class/block/%s/slaves/%s/here", name, b);
}

/* Four EBS volumes of 100 GiB; md0 of the first two, of a level, with dm-0 on it; md1 of md0 and md2; dm-1 of two. */
static void make_machine(const char *level)
{
	tmp_tree(dir);
	attribute("", "proc/self/mountinfo");
	attribute("Filename\n", "proc/swaps");
	for (int i = 1; i <= 4; i++) {
		char name[16], serial[16];

		snprintf(name, sizeof(name), "nvme%dn1", i);
		snprintf(serial, sizeof(serial), "vol0000000%d", i);
		device(name);
		attribute(serial, "sys/class/block/%s/device/serial", name);
		attribute("Amazon Elastic Block Store", "sys/class/block/%s/device/model", name);
	}
	stacked("md0", "md/level", level, "nvme1n1", "nvme2n1");
	stacked("md2", "md/level", "raid1", "nvme3n1", "nvme4n1");
	stacked("md1", "md/level", "raid0", "md0", "md2");
	stacked("dm-0", "dm/name", "data", "md0", NULL);
	stacked("dm-1", "dm/name", "both", "nvme1n1", "nvme2n1");
	setenv("EBSCOPE_SYSROOT", dir, 1);
}

static void remove_machine(void)
{
	unsetenv("EBSCOPE_SYSROOT");
	tmp_tree_remove(dir);
}

/* Joined as @p raid, or not expected (NULL), with what is said about it ("" nothing). */
static void two_volumes(const struct setup *s, const char *raid, const char *note)
{
	assert_string_equal(s->volume, raid ? "gp2:100,gp2:100" : "");
	assert_string_equal(s->raid, raid ? raid : "");
	assert_int_equal(s->nr_notes, *note ? 1 : 0);
	if (!strstr(s->note[0], note))
		fail_msg("\"%s\" lacks \"%s\"", s->note[0], note);
}

/* A target on a machine whose sets are of @p level, and what is made of it. */
static void what_joins_the_volumes_is_what_is_expected(void **state)
{
	static const struct {
		const char *level, *target, *raid, *note;
	} cases[] = {
		{ "raid0", "/dev/md0", "0", "" },
		{ "raid1", "/dev/md0", "1", "" },
		{ "raid1", "/dev/dm-0", "1", "" },
		{ "linear", "/dev/md0", NULL, "/dev/md0 is linear, 2 disks one behind the other" },
		{ "linear", "/dev/dm-0", NULL, "/dev/md0 is linear" },
		{ "raid4", "/dev/md0", NULL, "/dev/md0 joins 2 disks as raid4" },
		{ "raid0", "/dev/dm-1", NULL, "/dev/dm-1 joins 2 disks in a way that does not show" },
		{ "raid0", "/dev/md1", NULL, "/dev/md1 is a set of sets over 4 disks" },
		{ "linear", "/dev/nvme1n1,/dev/nvme2n1", "", "" },
	};
	struct ec2_volume v[4];
	struct facts_volumes all = { .volumes = { v, 4 } };
	struct facts f = { .place = PLACE_NONE, .volumes = &all };

	(void)state;
	for (int i = 0; i < 4; i++) {
		v[i] = (struct ec2_volume){ .type = "gp2", .size_gib = 100, .iops = 300, .mibps = EC2_NONE };
		snprintf(v[i].id, sizeof(v[i].id), "vol-0000000%d", i + 1);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct setup s = { .limits = limits_builtin() };
		struct volumes vs;
		snprintf(s.target, sizeof(s.target), "%s", cases[i].target);
		make_machine(cases[i].level);
		detect_from_facts(&s, &f, NULL);
		assert_int_equal(detect_volumes(s.target, &f, s.limits, &vs), cases[i].raid ? 2 : 0);
		remove_machine();
		two_volumes(&s, cases[i].raid, cases[i].note);
	}
}

static void a_level_that_was_named_goes_before_what_is_not_modelled(void **state)
{
	struct ec2_volume v[2] = { { .id = "vol-00000001", .type = "gp2", .size_gib = 100 },
				   { .id = "vol-00000002", .type = "gp2", .size_gib = 100 } };
	struct facts_volumes all = { .volumes = { v, 2 } };
	struct facts f = { .place = PLACE_NONE, .volumes = &all };
	struct setup s = { .limits = limits_builtin(), .target = "/dev/md0", .raid = "0" };

	(void)state;
	make_machine("linear");
	detect_from_facts(&s, &f, NULL);
	remove_machine();
	assert_string_equal(s.volume, "gp2:100,gp2:100");
	assert_int_equal(s.nr_notes, 0);
}

static void what_a_btrfs_does_with_its_devices_is_what_is_expected(void **state)
{
	static const struct {
		const char *profile, *also, *raid, *note;
	} cases[] = {
		{ "raid0", NULL, "0", "" },
		{ "raid1", NULL, "1", "" },
		{ "single", NULL, NULL, "keeps its data as single on 2 devices" },
		{ "raid1c3", NULL, NULL, "keeps its data as raid1c3" },
		{ "raid0", "single", NULL, " on 2 devices" },
		{ NULL, NULL, NULL, "is on 2 devices, and how it joins them does not show" },
	};
	struct ec2_volume v[2] = { { .id = "vol-00000001", .type = "gp2", .size_gib = 100 },
				   { .id = "vol-00000002", .type = "gp2", .size_gib = 100 } };
	struct facts_volumes all = { .volumes = { v, 2 } };
	struct facts f = { .place = PLACE_NONE, .volumes = &all };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct setup s = { .limits = limits_builtin() };
		char mount[PATH_MAX + 100];

		make_machine("raid0");
		snprintf(s.target, sizeof(s.target), "%.4000s/data", dir);
		snprintf(mount, sizeof(mount), "22 1 0:40 / %.4000s/data rw - btrfs /dev/nvme1n1 rw\n", dir);
		tree_text(dir, "proc/self/mountinfo", mount);
		attribute("", "data/file");
		attribute("259:1", "sys/fs/btrfs/1234/devices/nvme1n1/dev");
		attribute("259:2", "sys/fs/btrfs/1234/devices/nvme2n1/dev");
		attribute("0", "sys/fs/btrfs/1234/allocation/data/total_bytes");
		attribute("0", "sys/fs/btrfs/1234/allocation/data/dup/total_bytes"); /* that was, and holds nothing */
		if (cases[i].profile)
			attribute("1073741824", "sys/fs/btrfs/1234/allocation/data/%s/total_bytes", cases[i].profile);
		if (cases[i].also)
			attribute("1073741824", "sys/fs/btrfs/1234/allocation/data/%s/total_bytes", cases[i].also);
		detect_from_facts(&s, &f, NULL);
		remove_machine();
		two_volumes(&s, cases[i].raid, cases[i].note);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_joins_the_volumes_is_what_is_expected),
		cmocka_unit_test(a_level_that_was_named_goes_before_what_is_not_modelled),
		cmocka_unit_test(what_a_btrfs_does_with_its_devices_is_what_is_expected),
	};

	return cmocka_run_group_tests_name("detect", tests, NULL, NULL);
}
