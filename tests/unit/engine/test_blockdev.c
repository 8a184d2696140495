/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/blockdev.h"

static struct blockdevs devs;

/* The machine that is files in tests/data/sysroot-NAME. */
static void machine(const char *name)
{
	struct err err = { 0 };
	char dir[128];

	snprintf(dir, sizeof(dir), "tests/data/sysroot-%s", name);
	setenv("EBSCOPE_SYSROOT", dir, 1);
	if (blockdevs_read(&devs, &err) < 0)
		fail_msg("%s: %s", dir, err.msg);
}

static int leave(void **state)
{
	(void)state;
	blockdevs_release(&devs);
	unsetenv("EBSCOPE_SYSROOT");
	return 0;
}

static struct blockdev *device(const char *name)
{
	struct blockdev *dev = blockdevs_find(&devs, name);

	if (!dev)
		fail_msg("%s is not there", name);
	return dev;
}

static void an_ebs_volume_is_known_by_its_padded_model_and_its_id_gets_its_dash(void **state)
{
	(void)state;
	machine("ebs");
	struct blockdev *dev = device("nvme1n1");
	assert_int_equal(dev->kind, BLOCKDEV_EBS);
	assert_string_equal(dev->volume_id, "vol-0123456789abcdef0");
	assert_string_equal(dev->model, "Amazon Elastic Block Store");
	assert_int_equal(dev->size_bytes, 100ULL << 30);
	assert_string_equal(device("nvme2n1")->volume_id, "vol-1234abcd");
	assert_int_equal(device("nvme8n1")->logical_block, 4096);
}

static void instance_store_is_no_ebs_volume(void **state)
{
	(void)state;
	machine("ebs");
	assert_int_equal(device("nvme3n1")->kind, BLOCKDEV_INSTANCE_STORE);
	assert_string_equal(device("nvme3n1")->volume_id, "");
}

static void the_name_given_at_attach_comes_from_the_link_in_dev(void **state)
{
	(void)state;
	machine("ebs");
	assert_string_equal(device("nvme2n1")->ebs_name, "sdf");
	assert_string_equal(device("nvme1n1")->ebs_name, "xvdh");
	assert_string_equal(device("nvme0n1")->ebs_name, "");
}

static void a_partition_has_its_disks_volume_but_is_not_named_by_it(void **state)
{
	(void)state;
	machine("ebs");
	struct blockdev *part = device("nvme0n1p1");
	assert_string_equal(part->disk, "nvme0n1");
	assert_string_equal(part->volume_id, "vol-0fab1d5e3f72a5e23");
	assert_false(blockdev_is_named(part, part->volume_id));
	assert_true(blockdev_is_named(part, "nvme0n1p1"));
	assert_string_equal(device("nvme4n1")->partitions.at[0], "nvme4n1p1");
}

static void a_device_is_named_by_its_kernel_name_or_its_volume_id_and_nothing_else(void **state)
{
	static const char *const wrong[] = { "", "nvme2n", "nvme2n1p1", "/dev/nvme2n1", "sdf", "vol-1234abc", "vol1234abcd", "nvme1n1", "y" };

	(void)state;
	machine("ebs");
	struct blockdev *dev = device("nvme2n1");
	assert_true(blockdev_is_named(dev, "nvme2n1"));
	assert_true(blockdev_is_named(dev, "vol-1234abcd"));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(blockdev_is_named(dev, wrong[i]));
	/* No serial, no volume: the empty id names nothing. */
	assert_false(blockdev_is_named(device("nvme3n1"), ""));
}

/* A device, and a word that its refusal must have; NULL: it may be written. */
struct verdict {
	const char *name, *word;
};

static void judge(const struct verdict *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct blockdev *dev = device(v[i].name);
		struct err err;
		char why[256];
		blockdev_probe(dev, &err);
		bool may = blockdev_may_write(&devs, dev, why, sizeof(why));
		if (may != !v[i].word || (v[i].word && !strstr(why, v[i].word)))
			fail_msg("%s: %s, \"%s\"", v[i].name, may ? "may be written" : "refused", why);
	}
}

static void only_a_device_that_nobody_uses_may_be_written(void **state)
{
	static const struct verdict v[] = {
		{ "nvme0n1", "has a partition nvme0n1p1 that is mounted on /" },
		{ "nvme0n1p1", "mounted on /" },
		{ "nvme1n1", "mounted on /data" },
		{ "nvme2n1", NULL },
		{ "nvme3n1", NULL },
		{ "nvme4n1", "has a partition nvme4n1p1 that is mounted on /mnt/part one" },
		{ "nvme5n1", "swap" },
		{ "nvme6n1", "an LVM physical volume below dm-0 (vg0-data), mounted on /lvm" },
		{ "nvme7n1", "below the loop device loop0" },
		{ "nvme8n1", NULL },
		{ "nvme9n1", "cannot be read" },
		{ "dm-0", "mounted on /lvm" },
		{ "loop0", "lies on the device nvme7n1" },
	};

	(void)state;
	machine("ebs");
	judge(v, sizeof(v) / sizeof(*v));
}

static void a_member_of_a_set_is_refused_with_the_sets_name(void **state)
{
	static const struct verdict v[] = {
		{ "nvme1n1", "a member of md0, mounted on /data" },
		{ "nvme5n1", "a member of md1" },
		{ "nvme9n1", "a member of md5" },
		{ "nvme13n1", "a member of md10" },
		{ "nvme14n1", "below dm-0 (vg0-stripe), mounted on /lvm" },
		{ "nvme16n1", "a member of md127" }, /* inactive, and only mdstat knows */
		{ "md0", "mounted on /data" },
		{ "md1", NULL },
	};

	(void)state;
	machine("raid");
	judge(v, sizeof(v) / sizeof(*v));
}

static void a_set_has_its_members_level_and_chunk(void **state)
{
	static const struct {
		const char *name, *level;
		uint64_t    chunk;
		size_t	    members;
	} set[] = {
		{ "md0", "raid0", 524288, 4 }, { "md1", "raid1", 0, 2 }, { "md5", "raid5", 65536, 3 },
		{ "md10", "raid10", 524288, 4 }, { "dm-0", "raid0", 65536, 2 },
	};
	const struct blockdev *leaf[8];

	(void)state;
	machine("raid");
	for (size_t i = 0; i < sizeof(set) / sizeof(*set); i++) {
		struct blockdev *dev = device(set[i].name);
		assert_string_equal(dev->level, set[i].level);
		assert_int_equal(dev->chunk_bytes, set[i].chunk);
		assert_int_equal(dev->members.n, set[i].members);
		assert_int_equal(blockdevs_leaves(&devs, dev, leaf, 8), set[i].members);
	}
	assert_int_equal(blockdevs_leaves(&devs, device("md10"), leaf, 8), 4);
	assert_string_equal(leaf[0]->volume_id, "vol-0000000000000000a");
	assert_string_equal(device("md10")->members.at[0], "nvme10n1");
}

static void an_alias_finds_the_device_it_leads_to(void **state)
{
	(void)state;
	machine("ebs");
	assert_ptr_equal(blockdevs_find_path(&devs, "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0aaaaaaaaaaaaaaaa"), device("nvme4n1"));
	assert_ptr_equal(blockdevs_find_path(&devs, "/dev/mapper/vg0-data"), device("dm-0"));
	assert_ptr_equal(blockdevs_find_path(&devs, "/dev/sdf"), device("nvme2n1"));
	assert_ptr_equal(blockdevs_find_path(&devs, "/dev/nvme9n1"), device("nvme9n1"));
	assert_null(blockdevs_find_path(&devs, "/dev/nvme99n1"));
	assert_null(blockdevs_find_path(&devs, "/dev"));
	assert_null(blockdevs_find_path(&devs, "/etc/passwd"));
}

static void a_hostile_tree_is_read_without_harm(void **state)
{
	(void)state;
	machine("hostile");
	/* Links to a device and to a file outside are not followed: what can't be read is not written. */
	static const struct verdict v[] = { { "nvme5n1", "cannot be read" }, { "nvme6n1", "cannot be read" } };
	judge(v, 2);
	for (size_t i = 0; i < devs.n; i++) {
		const struct blockdev *leaf[8];
		char why[256];
		blockdev_may_write(&devs, &devs.at[i], why, sizeof(why));
		blockdevs_leaves(&devs, &devs.at[i], leaf, 8);
		assert_true(devs.at[i].logical_block >= 512);
	}
	assert_int_equal(device("nvme0n1")->size_bytes, 0);
	assert_string_equal(device("nvme1n1")->volume_id, "");
}

static void where_nothing_tells_what_is_mounted_nothing_may_be_written(void **state)
{
	char why[256];

	(void)state;
	machine("ebs");
	struct blockdev *dev = device("nvme2n1");
	blockdev_probe(dev, &(struct err){ 0 });
	assert_true(blockdev_may_write(&devs, dev, why, sizeof(why)));
	devs.blind = true;
	assert_false(blockdev_may_write(&devs, dev, why, sizeof(why)));
	assert_non_null(strstr(why, "mountinfo"));
}

static void a_sysroot_that_is_not_there_is_an_error_and_never_this_machine(void **state)
{
	struct err err = { 0 };

	(void)state;
	setenv("EBSCOPE_SYSROOT", "/no/such/tree", 1);
	assert_int_equal(blockdevs_read(&devs, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "EBSCOPE_SYSROOT=/no/such/tree"));
	setenv("EBSCOPE_SYSROOT", "/dev/null", 1);
	assert_int_equal(blockdevs_read(&devs, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
}

#define T(f) cmocka_unit_test_teardown(f, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(an_ebs_volume_is_known_by_its_padded_model_and_its_id_gets_its_dash),
		T(instance_store_is_no_ebs_volume),
		T(the_name_given_at_attach_comes_from_the_link_in_dev),
		T(a_partition_has_its_disks_volume_but_is_not_named_by_it),
		T(a_device_is_named_by_its_kernel_name_or_its_volume_id_and_nothing_else),
		T(only_a_device_that_nobody_uses_may_be_written),
		T(a_member_of_a_set_is_refused_with_the_sets_name),
		T(a_set_has_its_members_level_and_chunk),
		T(an_alias_finds_the_device_it_leads_to),
		T(a_hostile_tree_is_read_without_harm),
		T(where_nothing_tells_what_is_mounted_nothing_may_be_written),
		T(a_sysroot_that_is_not_there_is_an_error_and_never_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
