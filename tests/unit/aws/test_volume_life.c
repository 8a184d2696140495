/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aws/volume_life.h"

static struct blockdev dev[] = {
	{ .name = "nvme0n1", .path = "/dev/nvme0n1", .volume_id = "vol-00000001" },
	{ .name = "nvme0n1p1", .path = "/dev/nvme0n1p1", .volume_id = "vol-00000001", .disk = "nvme0n1" },
	{ .name = "xvdf", .path = "/dev/xvdf" },
	{ .name = "xvdf1", .path = "/dev/xvdf1", .disk = "xvdf" },
	{ .name = "sdf", .path = "/dev/sdf" },
};
static const struct blockdevs devs = { .at = dev, .n = sizeof(dev) / sizeof(*dev) };

static void a_volume_is_found_here_by_its_id_and_whole(void **state)
{
	(void)state;
	assert_string_equal(life_find_here(&devs, "vol-00000001", NULL)->name, "nvme0n1");
	assert_null(life_find_here(&devs, "vol-00000002", NULL));
}

static void on_xen_the_letter_of_its_device_tells(void **state)
{
	(void)state;
	assert_string_equal(life_find_here(&devs, "vol-00000002", "/dev/sdf")->name, "xvdf");
	assert_string_equal(life_find_here(&devs, "vol-00000002", "sdf")->name, "xvdf");
	assert_string_equal(life_find_here(&devs, "vol-00000002", "/dev/xvdf")->name, "xvdf");
	assert_null(life_find_here(&devs, "vol-00000002", "/dev/sdg"));
	assert_null(life_find_here(&devs, "vol-00000002", ""));
}

static void the_rest_of_the_errand_is_shown_both_ways(void **state)
{
	static const char *const one[] = { "/dev/nvme1n1" }, *const two[] = { "/dev/nvme1n1", "/dev/nvme2n1" };
	char *text;

	(void)state;
	text = life_errand(one, 1, RAID_0, false);
	assert_string_equal(text, "parted -s /dev/nvme1n1 mklabel gpt mkpart data 1MiB 100%\nmkfs.xfs /dev/nvme1n1p1\n"
				  "mkdir -p /mnt/ebs\nmount /dev/nvme1n1p1 /mnt/ebs\n");
	free(text);
	text = life_errand(one, 1, RAID_0, true);
	assert_string_equal(text, "umount /mnt/ebs\nwipefs -a /dev/nvme1n1p1 /dev/nvme1n1\n");
	free(text);
	text = life_errand(two, 2, RAID_10, false);
	assert_non_null(strstr(text, "mdadm --create /dev/md0 --level=10 --raid-devices=2 /dev/nvme1n1 /dev/nvme2n1\n"));
	assert_non_null(strstr(text, "mkfs.xfs /dev/md0\n"));
	free(text);
	text = life_errand(two, 2, RAID_0, true);
	assert_string_equal(text, "umount /mnt/ebs\nmdadm --stop /dev/md0\nmdadm --zero-superblock /dev/nvme1n1 /dev/nvme2n1\n");
	free(text);
}

static void an_unknown_state_is_named_with_those_there_are(void **state)
{
	struct life l = { 0 };
	struct life_volume v;
	struct err err;

	(void)state;
	assert_int_equal(life_wait(&l, "vol-00000001", "sleeping", &v, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "optimizing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_volume_is_found_here_by_its_id_and_whole),
		cmocka_unit_test(on_xen_the_letter_of_its_device_tells),
		cmocka_unit_test(the_rest_of_the_errand_is_shown_both_ways),
		cmocka_unit_test(an_unknown_state_is_named_with_those_there_are),
	};

	return cmocka_run_group_tests_name("volume_life", tests, NULL, NULL);
}
