/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "aws/nvme.h"
#include "aws/nvme_set.h"
#include "engine/clock.h"

static void put(uint8_t *page, size_t at, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		page[at + i] = (uint8_t)(v >> 8 * i);
}

/* A page in which every field has a value of its own; two bins each way. */
static void make_log(uint8_t *page)
{
	memset(page, 0, NVME_PAGE);
	put(page, 0, 0x3c23b510, 4);
	for (unsigned i = 0; i < 11; i++) /* reads, writes, bytes, times, four limits, queue */
		put(page, 8 + 8 * i, 1000 + i, 8);
	for (unsigned d = 0; d < 2; d++) {
		size_t at = 512 + 1544 * d;
		put(page, at, 2, 8);
		for (unsigned i = 0; i < 2; i++) {
			put(page, at + 8 + 24 * i, 256u << i, 8);
			put(page, at + 16 + 24 * i, 512u << i, 8);
			put(page, at + 24 + 24 * i, 70 + 10 * d + i, 4);
			put(page, at + 28 + 24 * i, 0xffffffff, 4); /* reserved: not part of the count */
		}
	}
}

static void make_id(uint8_t *page, const char *model, const char *serial, const char *name)
{
	memset(page, 0, NVME_PAGE);
	put(page, 0, 0x1d0f, 2);
	memset(page + 4, ' ', 68);
	memcpy(page + 4, serial, strlen(serial));
	memcpy(page + 24, model, strlen(model));
	memcpy(page + 64, "1.0", 3);
	memset(page + 3072, ' ', 32);
	memcpy(page + 3072, name, strlen(name));
}

static void every_field_of_a_log_page_is_decoded(void **state)
{
	uint8_t page[NVME_PAGE];
	struct nvme_log log;
	struct err err;

	(void)state;
	make_log(page);
	assert_int_equal(nvme_log_decode(page, sizeof(page), &log, &err), 0);
	assert_int_equal(log.kind, NVME_EBS);
	assert_int_equal(log.dir[DDIR_READ].ios, 1000);
	assert_int_equal(log.dir[DDIR_WRITE].ios, 1001);
	assert_int_equal(log.dir[DDIR_READ].bytes, 1002);
	assert_int_equal(log.dir[DDIR_WRITE].bytes, 1003);
	assert_int_equal(log.dir[DDIR_READ].time_us, 1004);
	assert_int_equal(log.dir[DDIR_WRITE].time_us, 1005);
	assert_int_equal(log.exceeded_us[NVME_VOLUME_IOPS], 1006);
	assert_int_equal(log.exceeded_us[NVME_VOLUME_BW], 1007);
	assert_int_equal(log.exceeded_us[NVME_HOST_IOPS], 1008);
	assert_int_equal(log.exceeded_us[NVME_HOST_BW], 1009);
	assert_int_equal(log.queue, 1010);
	for (unsigned d = 0; d < DDIR_NR; d++) {
		assert_int_equal(log.dir[d].lat.n, 2);
		assert_int_equal(log.dir[d].lat.bin[1].lower_us, 512);
		assert_int_equal(log.dir[d].lat.bin[1].upper_us, 1024);
		assert_int_equal(log.dir[d].lat.bin[1].count, 71 + 10 * d);
	}
}

static void all_64_bits_of_a_counter_are_kept(void **state)
{
	uint8_t page[NVME_PAGE];
	struct nvme_log log;
	struct err err;

	(void)state;
	make_log(page);
	put(page, 24, 0xfedcba9876543210, 8);
	assert_int_equal(nvme_log_decode(page, sizeof(page), &log, &err), 0);
	assert_true(log.dir[DDIR_READ].bytes == 0xfedcba9876543210);
}

static void a_hostile_page_is_refused(void **state)
{
	static const struct {
		size_t	    at;
		uint64_t    v;
		unsigned    bytes;
		const char *says;
	} bad[] = {
		{ 0, 0xdeadbeef, 4, "magic deadbeef" },
		{ 512, 1ULL << 63, 8, "9223372036854775808 read bins" },
		{ 512, 65, 8, "65 read bins" },
		{ 2056, UINT64_MAX, 8, "write bins" },
		{ 520 + 8, 256, 8, "read bin 0" },	 /* upper = lower */
		{ 520 + 24, 100, 8, "read bin 1" },	 /* goes back */
		{ 2064 + 24 + 8, 1, 8, "write bin 1" }, /* upper < lower */
	};
	uint8_t page[NVME_PAGE];
	struct nvme_log log;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		make_log(page);
		put(page, bad[i].at, bad[i].v, bad[i].bytes);
		assert_int_equal(nvme_log_decode(page, sizeof(page), &log, &err), -1);
		assert_non_null(strstr(err.msg, bad[i].says));
	}
	make_log(page);
	assert_int_equal(nvme_log_decode(page, NVME_PAGE - 1, &log, &err), -1);
}

static void a_difference_says_how_long_each_limit_held(void **state)
{
	struct nvme_log a = { .kind = NVME_EBS, .t_ns = 5 * NS_PER_SEC }, b = a;
	struct nvme_delta d;

	(void)state;
	b.t_ns += 2 * NS_PER_SEC;
	b.exceeded_us[NVME_VOLUME_IOPS] = 1500000;
	b.exceeded_us[NVME_HOST_BW] = 9000000; /* more than went by: clamped */
	b.dir[DDIR_READ].ios = 100;
	b.dir[DDIR_READ].time_us = 50000;
	nvme_log_sub(&b, &a, &d);
	assert_false(d.reset);
	assert_true(d.seconds == 2);
	assert_true(d.share[NVME_VOLUME_IOPS] == 0.75);
	assert_true(d.share[NVME_VOLUME_BW] == 0);
	assert_true(d.share[NVME_HOST_BW] == 1);
	assert_true(d.dir[DDIR_READ].ios == 100 && d.dir[DDIR_READ].time_us == 50000);
}

static void a_bin_that_wrapped_is_subtracted_modulo_2_to_32(void **state)
{
	struct nvme_log a = { .kind = NVME_EBS }, b;
	struct nvme_delta d;

	(void)state;
	a.dir[DDIR_READ].lat.n = 1;
	a.dir[DDIR_READ].lat.bin[0].upper_us = 64;
	a.dir[DDIR_READ].lat.bin[0].count = 0xfffffff0;
	b = a;
	b.t_ns = NS_PER_SEC;
	b.dir[DDIR_READ].lat.bin[0].count = 0x10;
	nvme_log_sub(&b, &a, &d);
	assert_false(d.reset);
	assert_int_equal(d.dir[DDIR_READ].lat.bin[0].count, 0x20);
}

static void a_counter_that_falls_is_a_reset_and_no_figure(void **state)
{
	struct nvme_log a = { .kind = NVME_EBS }, b;
	struct nvme_delta d;

	(void)state;
	a.dir[DDIR_WRITE].bytes = 4096;
	b = a;
	b.t_ns = NS_PER_SEC;
	b.dir[DDIR_WRITE].bytes = 0;
	nvme_log_sub(&b, &a, &d);
	assert_true(d.reset);
	assert_true(isnan(d.share[NVME_VOLUME_IOPS]));
	assert_int_equal(d.dir[DDIR_WRITE].bytes, 0);
}

static void a_histogram_whose_bounds_changed_is_not_subtracted(void **state)
{
	struct nvme_log a = { .kind = NVME_EBS }, b;
	struct nvme_delta d;

	(void)state;
	a.dir[DDIR_READ].lat.n = 1;
	a.dir[DDIR_READ].lat.bin[0].upper_us = 64;
	b = a;
	b.dir[DDIR_READ].lat.bin[0].upper_us = 128;
	nvme_log_sub(&b, &a, &d);
	assert_int_equal(d.dir[DDIR_READ].lat.n, 0);
}

static void an_instance_store_has_no_volume_limits(void **state)
{
	uint8_t page[NVME_PAGE];
	struct nvme_log a, b;
	struct nvme_delta d;
	struct err err;

	(void)state;
	make_log(page);
	put(page, 0, 0xec2c0d7e, 4);
	assert_int_equal(nvme_log_decode(page, sizeof(page), &a, &err), 0);
	assert_int_equal(a.kind, NVME_INSTANCE_STORE);
	b = a;
	b.t_ns = NS_PER_SEC;
	b.exceeded_us[NVME_VOLUME_IOPS] += 1000000;
	nvme_log_sub(&b, &a, &d);
	assert_true(isnan(d.share[NVME_VOLUME_IOPS]));
	assert_true(d.share[NVME_HOST_IOPS] == 0);
}

static void a_volume_is_named_with_its_dash_and_without_dev(void **state)
{
	static const struct {
		const char *model, *serial, *name;
		int	    kind;
		const char *volume, *want;
	} dev[] = {
		{ "Amazon Elastic Block Store", "vol0fab1d5e3f72a5e23", "xvdh", NVME_EBS, "vol-0fab1d5e3f72a5e23", "xvdh" },
		{ "Amazon Elastic Block Store", "vol1234abcd", "/dev/sdf", NVME_EBS, "vol-1234abcd", "sdf" },
		{ "Amazon EC2 NVMe Instance Storage", "AWS24BBF51AF55097008", "sdb", NVME_INSTANCE_STORE, "", "" },
		{ "Amazon Elastic Block Store", "volXYZ", "sdf", NVME_EBS, "", "sdf" },
		{ "QEMU NVMe Ctrl", "vol0fab1d5e3f72a5e23", "sdf", NVME_OTHER, "", "" },
	};
	uint8_t page[NVME_PAGE];
	struct nvme_id id;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(dev) / sizeof(*dev); i++) {
		make_id(page, dev[i].model, dev[i].serial, dev[i].name);
		assert_int_equal(nvme_id_decode(page, sizeof(page), &id, &err), 0);
		assert_int_equal(id.kind, dev[i].kind);
		assert_string_equal(id.volume_id, dev[i].volume);
		assert_string_equal(id.name, dev[i].want);
		assert_string_equal(id.model, dev[i].model);
		assert_string_equal(id.firmware, "1.0");
	}
}

static void a_name_may_end_with_nul_or_fill_its_field(void **state)
{
	uint8_t page[NVME_PAGE];
	struct nvme_id id;
	struct err err;

	(void)state;
	make_id(page, "Amazon Elastic Block Store", "vol1234abcd", "");
	memcpy(page + 3072, "sda1\0rest", 9);
	nvme_id_decode(page, sizeof(page), &id, &err);
	assert_string_equal(id.name, "sda1");
	memset(page + 3072, 'x', 32);
	nvme_id_decode(page, sizeof(page), &id, &err);
	assert_int_equal(strlen(id.name), 32);
	memcpy(page + 3072, "\x1b[2J", 4);
	nvme_id_decode(page, sizeof(page), &id, &err);
	assert_string_equal(id.name, "");
}

static void write_file(const char *dir, const char *name, const void *data, size_t len)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/dev/%s", dir, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	fclose(f);
}

static void make_sysroot(char *dir)
{
	char path[256];

	strcpy(dir, "/tmp/ebscope-nvme-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/dev", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	setenv("EBSCOPE_SYSROOT", dir, 1);
}

static void drop_sysroot(const char *dir)
{
	char path[256];

	unsetenv("EBSCOPE_SYSROOT");
	for (const char *const *n = (const char *const[]){ "nvme1n1.log-d0", "nvme1n1.identify", NULL }; *n; n++) {
		snprintf(path, sizeof(path), "%s/dev/%s", dir, *n);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/dev", dir);
	rmdir(path);
	rmdir(dir);
}

static void answers_come_from_files_under_a_sysroot(void **state)
{
	uint8_t page[NVME_PAGE];
	struct nvme_dev dev;
	struct nvme_log log;
	struct nvme_id id;
	struct err err;
	char dir[64];

	(void)state;
	make_sysroot(dir);
	make_log(page);
	write_file(dir, "nvme1n1.log-d0", page, sizeof(page));
	make_id(page, "Amazon Elastic Block Store", "vol1234abcd", "sdf");
	write_file(dir, "nvme1n1.identify", page, sizeof(page));
	assert_int_equal(nvme_open(&dev, "nvme1n1", &err), 0);
	assert_int_equal(nvme_identify(&dev, &id, &err), 0);
	assert_string_equal(id.volume_id, "vol-1234abcd");
	assert_int_equal(nvme_read_log(&dev, &log, &err), 0);
	assert_int_equal(log.queue, 1010);
	assert_true(log.t_ns != 0);
	make_log(page);
	put(page, 88, 3, 8);
	write_file(dir, "nvme1n1.log-d0", page, sizeof(page)); /* read again each time */
	assert_int_equal(nvme_read_log(&dev, &log, &err), 0);
	assert_int_equal(log.queue, 3);
	nvme_close(&dev);
	drop_sysroot(dir);
}

static void a_second_of_a_device_has_its_latencies_and_its_queue(void **state)
{
	static struct tick t;
	struct nvme_set set = { .n = 1, .m = calloc(1, sizeof(*set.m)) };
	uint8_t page[NVME_PAGE];
	struct err err;
	char dir[64];

	(void)state;
	make_sysroot(dir);
	make_log(page);
	write_file(dir, "nvme1n1.log-d0", page, sizeof(page));
	assert_int_equal(nvme_open(&set.m[0].dev, "nvme1n1", &err), 0);
	assert_true(nvme_set_base(&set));
	put(page, 88, 3, 8);	       /* queue */
	put(page, 512 + 24, 75, 4);    /* five more reads in the first bin */
	put(page, 2056 + 48, 83, 4);   /* two more writes in the second */
	write_file(dir, "nvme1n1.log-d0", page, sizeof(page));
	assert_false(nvme_set_tick(&set, set.read_ns + 1, &t));
	assert_true(t.s.dev_queue == DEV_NONE);
	assert_int_equal(t.device.n, 0);
	assert_true(nvme_set_tick(&set, set.read_ns + 1000000000, &t));
	assert_true(t.s.dev_queue == 3);
	assert_int_equal(t.device.n, 2);
	assert_true(t.device.bin[0].lower_us == 256 && t.device.bin[0].upper_us == 512);
	assert_true(t.device.bin[0].ios[DDIR_READ] == 5 && t.device.bin[0].ios[DDIR_WRITE] == 0);
	assert_true(t.device.bin[1].ios[DDIR_READ] == 0 && t.device.bin[1].ios[DDIR_WRITE] == 2);
	nvme_set_close(&set);
	drop_sysroot(dir);
}

static void what_is_not_seen_to_its_end_proves_nothing(void **state)
{
	static struct nvme_total total;
	struct nvme_set set = { .n = 1, .m = calloc(1, sizeof(*set.m)) };
	uint8_t page[NVME_PAGE];
	struct err err;
	char dir[64], path[128];

	(void)state;
	make_sysroot(dir);
	make_log(page);
	write_file(dir, "nvme1n1.log-d0", page, sizeof(page));
	assert_int_equal(nvme_open(&set.m[0].dev, "nvme1n1", &err), 0);
	assert_true(nvme_set_base(&set));
	nvme_set_total(&set, &total);
	assert_true(total.known);
	snprintf(path, sizeof(path), "%s/dev/nvme1n1.log-d0", dir);
	assert_int_equal(unlink(path), 0);
	nvme_set_total(&set, &total);
	assert_false(total.known);
	assert_string_equal(set.note, "/dev/nvme1n1 has no EBS statistics");
	nvme_set_close(&set);
	drop_sysroot(dir);
}

static void a_device_without_the_page_is_asked_once(void **state)
{
	struct nvme_dev dev;
	struct nvme_log log;
	struct err err;
	char dir[64];

	(void)state;
	make_sysroot(dir);
	write_file(dir, "nvme1n1.log-d0", "\x09\x21", 2); /* status 8457 */
	assert_int_equal(nvme_open(&dev, "nvme1n1", &err), 0);
	assert_int_equal(nvme_read_log(&dev, &log, &err), -1);
	assert_int_equal(err.code, ENOTSUP);
	assert_string_equal(err.msg, "/dev/nvme1n1 has no EBS statistics (NVMe status 0x2109)");
	uint8_t page[NVME_PAGE];
	make_log(page);
	write_file(dir, "nvme1n1.log-d0", page, sizeof(page));
	assert_int_equal(nvme_read_log(&dev, &log, &err), -1); /* not even looked at */
	assert_int_equal(err.code, ENOTSUP);
	nvme_close(&dev);
	drop_sysroot(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_a_log_page_is_decoded),
		cmocka_unit_test(all_64_bits_of_a_counter_are_kept),
		cmocka_unit_test(a_hostile_page_is_refused),
		cmocka_unit_test(a_difference_says_how_long_each_limit_held),
		cmocka_unit_test(a_bin_that_wrapped_is_subtracted_modulo_2_to_32),
		cmocka_unit_test(a_counter_that_falls_is_a_reset_and_no_figure),
		cmocka_unit_test(a_histogram_whose_bounds_changed_is_not_subtracted),
		cmocka_unit_test(an_instance_store_has_no_volume_limits),
		cmocka_unit_test(a_volume_is_named_with_its_dash_and_without_dev),
		cmocka_unit_test(a_name_may_end_with_nul_or_fill_its_field),
		cmocka_unit_test(answers_come_from_files_under_a_sysroot),
		cmocka_unit_test(a_second_of_a_device_has_its_latencies_and_its_queue),
		cmocka_unit_test(what_is_not_seen_to_its_end_proves_nothing),
		cmocka_unit_test(a_device_without_the_page_is_asked_once),
	};

	return cmocka_run_group_tests_name("nvme", tests, NULL, NULL);
}
