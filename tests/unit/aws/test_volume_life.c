/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aws/volume_life.h"
#include "tests/unit/engine/tmp_tree.h"

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

/* A machine whose /dev/xvdf is mounted. */
static void make_xen_machine(char *dir)
{
	tmp_tree(dir);
	tree_text(dir, "dev/xvdf", "");
	tree_text(dir, "sys/class/block/xvdf/dev", "202:80\n");
	tree_text(dir, "sys/class/block/xvdf/size", "2048\n");
	tree_text(dir, "sys/class/block/xvdf/ro", "0\n");
	tree_text(dir, "sys/class/block/xvdf/queue/logical_block_size", "512\n");
	tree_text(dir, "proc/self/mountinfo", "1 0 202:80 / /data rw - ext4 /dev/xvdf rw\n");
	tree_text(dir, "proc/swaps", "Filename\n");
	setenv("EBSCOPE_SYSROOT", dir, 1);
}

static void on_xen_what_is_attached_here_is_guarded_whichever_instance_is_worked_for(void **state)
{
	static const char *const unset[] = { "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_DEFAULT_PROFILE",
					     "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
					     "AWS_WEB_IDENTITY_TOKEN_FILE" };
	struct ec2_attachment a = { .instance_id = "i-1", .device = "/dev/sdf", .state = "attached" };
	struct ec2_volume v = { .id = "vol-00000002", .attachment = &a, .n_attachments = 1 };
	struct cloud c;
	struct err err;
	char dir[PATH_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(unset) / sizeof(*unset); i++)
		unsetenv(unset[i]);
	setenv("AWS_CONFIG_FILE", "/nonexistent", 1);
	setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent", 1);
	setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
	make_xen_machine(dir);
	assert_int_equal(cloud_open(&c, NULL, "eu-west-1", NULL, &err), 0);
	c.self_known = true;
	strcpy(c.self.instance_id, "i-1");
	struct life other = { .cloud = &c, .instance = "i-2" }, here = { .cloud = &c, .instance = "i-1", .here = true };
	assert_int_equal(life_guard(&other, &v, &err), -1);
	assert_int_equal(err.code, ERR_REFUSED);
	assert_non_null(strstr(err.msg, "vol-00000002 is in use here: /dev/xvdf is mounted on /data"));
	assert_int_equal(life_guard(&here, &v, &err), -1);
	strcpy(a.instance_id, "i-2"); /* its /dev/sdf is not ours */
	assert_int_equal(life_guard(&here, &v, &err), 0);
	cloud_close(&c);
	unsetenv("EBSCOPE_SYSROOT");
	tmp_tree_remove(dir);
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
	text = life_errand((const char *const[]){ "/dev/xvdf" }, 1, RAID_0, false);
	assert_non_null(strstr(text, "mkfs.xfs /dev/xvdf1\n"));
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
		cmocka_unit_test(on_xen_what_is_attached_here_is_guarded_whichever_instance_is_worked_for),
		cmocka_unit_test(the_rest_of_the_errand_is_shown_both_ways),
		cmocka_unit_test(an_unknown_state_is_named_with_those_there_are),
	};

	return cmocka_run_group_tests_name("volume_life", tests, NULL, NULL);
}
