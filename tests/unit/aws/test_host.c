/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aws/closest.h"
#include "aws/host.h"
#include "engine/units.h"
#include "tests/unit/near.h"

#define L limits_builtin()

static void an_instance_has_the_figures_of_its_row(void **state)
{
	static const struct {
		const char *name;
		double base_mbps, max_mbps, base_iops, max_iops, net_base, net_peak;
	} rows[] = {
		{ "t3.micro", 87, 2085, 500, 11800, 0.064, 5 },
		{ "t3.medium", 347, 2085, 2000, 11800, 0.256, 5 },
		{ "m4.large", 450, 450, 3600, 3600, 0.45, 1.2 },
		{ "m5.large", 650, 4750, 3600, 18750, 0.75, 10 },
		{ "m7i.large", 650, 10000, 3600, 40000, 0.781, 12.5 },
		{ "c6in.large", 1562, 25000, 6250, 100000, 3.125, 25 },
		{ "m5.24xlarge", 19000, 19000, 80000, 80000, 25, 25 },
		{ "r8gb.48xlarge", 300000, 300000, 1440000, 1440000, 400, 400 },
	};
	struct err err;
	struct host h;
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(host_instance(&h, L, rows[i].name, &err), 0);
		assert_string_equal(h.name, rows[i].name);
		assert_near(h.bw_base, rows[i].base_mbps * 1e6 / 8, 0);
		assert_near(h.bw_max, rows[i].max_mbps * 1e6 / 8, 0);
		assert_near(h.iops_base, rows[i].base_iops, 0);
		assert_near(h.iops_max, rows[i].max_iops, 0);
		assert_near(h.net_base, rows[i].net_base * 1e9, 1);
		assert_near(h.net_peak, rows[i].net_peak * 1e9, 1);
	}
	assert_int_equal(h.ebs_cards, 2);
	assert_int_equal(host_instance(&h, L, "M5.LARGE", &err), 0);
	assert_string_equal(h.net_label, "Up to 10 Gigabit");
	assert_int_equal(h.mem_mib, 8192);
	assert_int_equal(host_instance(&h, L, "m4.large", &err), 0);
	assert_int_equal(h.hyper, HYPER_XEN);
}

static void a_mistyped_instance_is_refused_with_the_closest_names(void **state)
{
	struct err err;
	struct host h;
	(void)state;

	assert_int_equal(host_instance(&h, L, "m5.larg", &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "did you mean m5.large"));
	assert_int_equal(host_instance(&h, L, "", &err), -1);
	assert_int_equal(host_instance(&h, L, "m5", &err), -1);
	assert_int_equal(host_instance(&h, L, "zzzzzzzzzzzzzz", &err), -1);
	assert_non_null(strstr(err.msg, "like m5.large"));
}

static void the_catalogue_can_be_walked(void **state)
{
	size_t n = 0, ebs = 0, bursts = 0;
	struct host h;
	(void)state;

	for (const char *row = instance_next(NULL); row; row = instance_next(row), n++) {
		instance_row(row, &h);
		assert_non_null(strchr(h.name, '.'));
		ebs += h.iops_base > 0;
		bursts += host_bursts(&h);
	}
	assert_int_equal(n, 1400);
	assert_int_equal(ebs, 1376);
	assert_int_equal(bursts, 532);
}

static void every_legal_task_is_taken_and_no_other(void **state)
{
	static const struct {
		double units;
		size_t legal;
		uint64_t min, max;
	} rows[] = {
		{ 256, 3, 512, 2048 },	   { 512, 4, 1024, 4096 },    { 1024, 7, 2048, 8192 },	   { 2048, 13, 4096, 16384 },
		{ 4096, 23, 8192, 30720 }, { 8192, 12, 16384, 61440 }, { 16384, 12, 32768, 122880 },
	};
	struct err err;
	struct host h;
	(void)state;
	for (size_t i = 0; i < 7; i++) {
		size_t n = 0;

		for (uint64_t mib = 256; mib <= 131072; mib += 256)
			n += host_task_size(&h, L, rows[i].units, mib, &err) == 0;
		assert_int_equal(n, rows[i].legal);
		assert_int_equal(host_task_size(&h, L, rows[i].units, rows[i].min, &err), 0);
		assert_int_equal(host_task_size(&h, L, rows[i].units, rows[i].max, &err), 0);
	}
}

static void a_task_is_read_in_the_ways_people_write_it(void **state)
{
	static const struct { const char *text; double vcpu; uint64_t mib; } rows[] = {
		{ "0.25:1", 0.25, 1024 }, { "2:6GB", 2, 6144 }, { "0.25:512MiB", 0.25, 512 }, { "0.5:2GiB", 0.5, 2048 },
		{ "0.25:512MB", 0.25, 512 }, { "0.25:0.5", 0.25, 512 }, { "16:32", 16, 32768 },
	};
	struct err err;
	struct host h;
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (host_task(&h, L, rows[i].text, &err) < 0)
			fail_msg("%s: %s", rows[i].text, err.msg);
		assert_near(h.vcpu, rows[i].vcpu, 0);
		assert_int_equal(h.mem_mib, rows[i].mib);
	}
}

static void the_name_of_a_task_means_the_same_task_when_it_is_typed(void **state)
{
	static const char *const texts[] = { "0.25:0.5", "0.25:1024MiB", "4:8GB", "16:32" };
	struct err err;
	struct host h, again;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(host_task(&h, L, texts[i], &err), 0);
		if (host_task(&again, L, h.name, &err) < 0)
			fail_msg("%s: %s", h.name, err.msg);
		assert_int_equal(again.mem_mib, h.mem_mib);
		assert_string_equal(again.name, h.name);
	}
}

static void an_impossible_task_is_refused_with_the_nearest(void **state)
{
	static const char *const rows[][2] = {
		{ "1:1", "1 vCPU has 2 GiB to 8 GiB in steps of 1 GiB; the nearest is 1:2" },
		{ "0.25:4", "0.25 vCPU has 512 MiB, 1 GiB or 2 GiB; the nearest is 0.25:2" },
		{ "8:18", "in steps of 4 GiB; the nearest is 8:16" },
		{ "3:8", "a task has 0.25, 0.5, 1, 2, 4, 8 or 16" },
		{ "32:64", "the nearest is 16:64" },
		{ "2", "not VCPU:MEMORY" }, { ":2", "not VCPU:MEMORY" }, { "2:", "not VCPU:MEMORY" },
		{ "x:2", "not VCPU:MEMORY" }, { "2:x", "not VCPU:MEMORY" }, { "1.:2", "not VCPU:MEMORY" },
	};
	struct err err;
	struct host h;
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(host_task(&h, L, rows[i][0], &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		if (!strstr(err.msg, rows[i][1]))
			fail_msg("%s: %s", rows[i][0], err.msg);
	}
}

static void ebs_is_documented_for_tasks_from_2_vcpu_up(void **state)
{
	static const struct { const char *task; double iops, mibps; } rows[] = {
		{ "1:8", NAN, NAN }, { "2:4", 3000, 75 }, { "4:8", 5000, 120 }, { "8:16", 10000, 250 }, { "16:32", 15000, 500 },
	};
	struct err err;
	struct host h;
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(host_task(&h, L, rows[i].task, &err), 0);
		assert_true(h.floor && !host_bursts(&h));
		if (isnan(rows[i].iops)) {
			assert_true(isnan(h.iops_base) && isnan(h.bw_base));
			continue;
		}
		assert_near(h.iops_base, rows[i].iops, 0);
		assert_near(h.bw_base, rows[i].mibps * (double)MIB, 0);
	}
	assert_non_null(strstr(task_observed(8192, VOLUME_IO2), "40,000"));
	assert_null(task_observed(2048, VOLUME_STANDARD));
}

static void network_of_tasks_and_functions_is_marked_as_measured(void **state)
{
	struct err err;
	struct host h;
	(void)state;

	assert_int_equal(host_task(&h, L, "0.25:512MiB", &err), 0);
	assert_true(h.net_measured);
	assert_near(h.net_base, 0.063e9, 1);
	assert_near(h.net_burst_s, 410, 0);
	assert_int_equal(host_task(&h, L, "2:12", &err), 0);
	assert_near(h.net_base, 0.744e9, 1);
	assert_int_equal(host_task(&h, L, "4:12", &err), 0); /* as 4:8 was measured */
	assert_near(h.net_peak, 9.829e9, 1);
	assert_near(h.net_burst_s, 640, 0);
	assert_int_equal(host_task(&h, L, "16:32", &err), 0);
	assert_true(isnan(h.net_base));
	assert_int_equal(host_lambda(&h, "1024", &err), 0);
	assert_near(h.net_base, 0.6e9, 1);
	assert_int_equal(host_lambda(&h, "64", &err), -1);
	assert_non_null(strstr(err.msg, "the nearest is 128"));
	assert_int_equal(host_lambda(&h, "many", &err), -1);
}

static void distance_counts_letters(void **state)
{
	(void)state;
	assert_int_equal(closest_distance("m5.larg", "m5.large"), 1);
	assert_int_equal(closest_distance("GP3", "gp3"), 0);
	assert_int_equal(closest_distance("", "gp3"), 3);
	assert_int_equal(closest_distance("kitten", "sitting"), 3);
	assert_int_equal(closest_distance("rnu", "run"), 1); /* two in the wrong order are one slip */
	assert_int_equal(closest_distance("ab", "ba"), 1);
	assert_int_equal(closest_distance("standrad", "standard"), 1);
	assert_int_equal(closest_distance("abcd", "dcba"), 3); /* b and c swapped, the others changed */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_instance_has_the_figures_of_its_row),
		cmocka_unit_test(a_mistyped_instance_is_refused_with_the_closest_names),
		cmocka_unit_test(the_catalogue_can_be_walked),
		cmocka_unit_test(every_legal_task_is_taken_and_no_other),
		cmocka_unit_test(a_task_is_read_in_the_ways_people_write_it),
		cmocka_unit_test(the_name_of_a_task_means_the_same_task_when_it_is_typed),
		cmocka_unit_test(an_impossible_task_is_refused_with_the_nearest),
		cmocka_unit_test(ebs_is_documented_for_tasks_from_2_vcpu_up),
		cmocka_unit_test(network_of_tasks_and_functions_is_marked_as_measured),
		cmocka_unit_test(distance_counts_letters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
