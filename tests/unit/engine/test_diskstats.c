/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/diskstats.h"
#include "engine/run_judge.h"

static struct blockdevs devs;

static void machine(const char *name)
{
	struct err err = { 0 };
	char dir[128];

	snprintf(dir, sizeof(dir), "tests/data/sysroot-%s", name);
	setenv("EBSCOPE_SYSROOT", dir, 1);
	assert_int_equal(blockdevs_read(&devs, &err), 0);
}

static int leave(void **state)
{
	(void)state;
	blockdevs_release(&devs);
	unsetenv("EBSCOPE_SYSROOT");
	return 0;
}

static void a_device_tells_what_it_moved_in_bytes_and_nanoseconds(void **state)
{
	struct diskstats st;

	(void)state;
	machine("ebs");
	assert_int_equal(diskstats_read("nvme1n1", &st), 0);
	assert_int_equal(st.dir[DDIR_READ].ios, 120034);
	assert_int_equal(st.dir[DDIR_READ].merged, 512);
	assert_int_equal(st.dir[DDIR_READ].bytes, 9602720ULL * 512);
	assert_int_equal(st.dir[DDIR_READ].time_ns, 84012000000);
	assert_int_equal(st.dir[DDIR_WRITE].ios, 60017);
	assert_int_equal(st.dir[DDIR_WRITE].bytes, 4801360ULL * 512);
	assert_int_equal(st.inflight, 3);
	assert_int_equal(st.busy_ns, 150000000000);
}

static void without_sysfs_the_table_in_proc_tells(void **state)
{
	struct diskstats st;

	(void)state;
	machine("ebs");
	assert_int_equal(diskstats_read("nvme99n1", &st), 0);
	assert_int_equal(st.dir[DDIR_READ].ios, 7);
	assert_int_equal(st.dir[DDIR_WRITE].bytes, 16 * 512);
	assert_int_equal(diskstats_read("nvme98n1", &st), -1);
	assert_int_equal(diskstats_read("nvme9", &st), -1);
}

static void a_difference_is_what_moved_between_and_a_decrease_is_none(void **state)
{
	struct diskstats before = { .dir = { { .ios = 10, .bytes = 1000, .time_ns = 5 }, { .ios = 1, .bytes = 1 } }, .busy_ns = 7 };
	struct diskstats now = { .dir = { { .ios = 15, .bytes = 3000, .time_ns = 3 }, { .ios = 1, .bytes = 1 } }, .busy_ns = 9, .inflight = 2 };

	(void)state;
	assert_int_equal(diskstats_sub(&now, &before), 0);
	assert_int_equal(now.dir[DDIR_READ].ios, 5);
	assert_int_equal(now.dir[DDIR_READ].bytes, 2000);
	assert_int_equal(now.dir[DDIR_READ].time_ns, 0); /* the kernel's milliseconds wrapped */
	assert_int_equal(now.busy_ns, 2);
	assert_int_equal(now.inflight, 2);
	assert_int_equal(diskstats_sub(&now, &before), -1);
	assert_int_equal(now.dir[DDIR_READ].bytes, 0);
}

static void several_devices_are_summed_and_one_that_is_gone_spoils_it(void **state)
{
	struct diskset set = { .n = 2, .name = { "nvme1n1", "nvme99n1" } };
	struct diskstats st;

	(void)state;
	machine("ebs");
	assert_int_equal(diskstats_sum(&set, &st), 0);
	assert_int_equal(st.dir[DDIR_READ].ios, 120034 + 7);
	strcpy(set.name[1], "gone");
	assert_int_equal(diskstats_sum(&set, &st), -1);
	set.n = 0;
	assert_int_equal(diskstats_sum(&set, &st), -1);
}

/* What counts for a path: the devices of its filesystem, "" for none. */
static void lives_on(const char *path, const char *type, const char *disk)
{
	struct fsinfo *fs = malloc(sizeof(*fs));
	struct diskset set;

	fsinfo_of_path(fs, &devs, path);
	diskset_of_fs(&set, &devs, fs);
	if (strcmp(fs->type, type) || strcmp(set.n ? set.name[0] : "", disk))
		fail_msg("%s: %s on %s", path, fs->type, set.n ? set.name[0] : "nothing");
	free(fs);
}

static void a_path_counts_on_the_whole_disk_or_set_below_its_filesystem(void **state)
{
	(void)state;
	machine("ebs");
	lives_on("/usr", "xfs", "nvme0n1");
	lives_on("/data/x", "ext4", "nvme1n1");
	lives_on("/database", "xfs", "nvme0n1");
	lives_on("/mnt/part one/x", "ext4", "nvme4n1");
	lives_on("/lvm", "xfs", "dm-0");
	blockdevs_release(&devs);
	machine("raid");
	lives_on("/data", "ext4", "md0");
}

static void a_containers_overlay_lives_on_nothing_that_can_be_seen(void **state)
{
	(void)state;
	machine("container");
	lives_on("/tmp", "overlay", "");
	lives_on("/data", "ext4", "nvme1n1");
}

static void a_process_knows_what_it_made_storage_read(void **state)
{
	uint64_t bytes = 1;

	(void)state;
	machine("ebs");
	assert_int_equal(self_read_bytes(&bytes), 0);
	assert_int_equal(bytes, 40960);
	blockdevs_release(&devs);
	machine("hostile");
	assert_int_equal(self_read_bytes(&bytes), -1);
}

static void a_stat_that_breaks_off_is_none(void **state)
{
	struct diskstats st;

	(void)state;
	machine("hostile");
	assert_int_equal(diskstats_read("nvme0n1", &st), -1);
	assert_int_equal(diskstats_read("../../../etc", &st), -1);
	diskstats_read("nvme1n1", &st);
}

static void more_devices_than_can_be_summed_are_none(void **state)
{
	struct target *at = calloc(DISKSET_MAX + 1, sizeof(*at));
	struct target_list list = { at, DISKSET_MAX };
	struct diskset set;

	(void)state;
	for (unsigned i = 0; i <= DISKSET_MAX; i++) {
		at[i].disks.n = 1;
		snprintf(at[i].disks.name[0], BLOCKDEV_NAME, "nvme%un1", i);
	}
	run_disks_of(&set, &list);
	assert_int_equal(set.n, DISKSET_MAX);
	list.n++;
	run_disks_of(&set, &list);
	assert_int_equal(set.n, 0);
	free(at);
}

#define T(f) cmocka_unit_test_teardown(f, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_device_tells_what_it_moved_in_bytes_and_nanoseconds),
		T(without_sysfs_the_table_in_proc_tells),
		T(a_difference_is_what_moved_between_and_a_decrease_is_none),
		T(several_devices_are_summed_and_one_that_is_gone_spoils_it),
		T(a_path_counts_on_the_whole_disk_or_set_below_its_filesystem),
		T(a_containers_overlay_lives_on_nothing_that_can_be_seen),
		T(a_process_knows_what_it_made_storage_read),
		T(a_stat_that_breaks_off_is_none),
		T(more_devices_than_can_be_summed_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
