/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/detect.h"

static char dir[64];

/* Four EBS volumes of 100 GiB; md0 of the first two, of a level, with dm-0 on it; md1 of md0 and md2; dm-1 of two. */
static void make_machine(const char *level)
{
	char text[2000];

	strcpy(dir, "/tmp/ebscope-detect-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(text, sizeof(text),
		 "set -e; cd %s; mkdir -p proc/self dev sys/class/block; : >proc/self/mountinfo; echo Filename >proc/swaps; "
		 "cd sys/class/block; n=0; device() { : >../../../dev/$1; mkdir -p $1/queue; echo 259:$((n += 1)) >$1/dev; "
		 "echo 209715200 >$1/size; echo 0 >$1/ro; }; "
		 "set_of() { device $1; mkdir $1/md $1/slaves; echo $2 >$1/md/level; mkdir $1/slaves/$3 $1/slaves/$4; }; "
		 "for i in 1 2 3 4; do device nvme${i}n1; mkdir nvme${i}n1/device; echo vol0000000$i >nvme${i}n1/device/serial; "
		 "echo Amazon Elastic Block Store >nvme${i}n1/device/model; done; "
		 "set_of md0 %s nvme1n1 nvme2n1; set_of md2 raid1 nvme3n1 nvme4n1; set_of md1 raid0 md0 md2; "
		 "device dm-0; mkdir -p dm-0/dm dm-0/slaves/md0; echo data >dm-0/dm/name; "
		 "device dm-1; mkdir -p dm-1/dm dm-1/slaves/nvme1n1 dm-1/slaves/nvme2n1; echo both >dm-1/dm/name", dir, level);
	assert_int_equal(system(text), 0);
	setenv("EBSCOPE_SYSROOT", dir, 1);
}

static void remove_machine(void)
{
	char text[100];

	unsetenv("EBSCOPE_SYSROOT");
	snprintf(text, sizeof(text), "rm -r %s", dir);
	assert_int_equal(system(text), 0);
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
		assert_string_equal(s.volume, cases[i].raid ? "gp2:100,gp2:100" : "");
		assert_string_equal(s.raid, cases[i].raid ? cases[i].raid : "");
		assert_int_equal(s.nr_notes, *cases[i].note ? 1 : 0);
		if (!strstr(s.note[0], cases[i].note))
			fail_msg("\"%s\" lacks \"%s\"", s.note[0], cases[i].note);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_joins_the_volumes_is_what_is_expected),
		cmocka_unit_test(a_level_that_was_named_goes_before_what_is_not_modelled),
	};

	return cmocka_run_group_tests_name("detect", tests, NULL, NULL);
}
