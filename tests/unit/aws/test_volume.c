/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "aws/volume.h"
#include "engine/units.h"
#include "tests/unit/near.h"

#define L limits_builtin()

static struct volumes parse(const char *spec)
{
	struct volumes vs = { 0 };
	struct err err;

	if (volumes_parse(&vs, L, spec, &err) < 0)
		fail_msg("%s: %s", spec, err.msg);
	return vs;
}

static void assert_volume(const char *spec, const char *type, uint64_t size, uint64_t iops, uint64_t mibps)
{
	struct volumes vs = parse(spec);

	assert_int_equal(vs.n, 1);
	assert_string_equal(vs.v[0].type->name, type);
	assert_int_equal(vs.v[0].size_gib, size);
	assert_int_equal(vs.v[0].iops, iops);
	assert_int_equal(vs.v[0].mibps, mibps);
}

static void a_spec_is_read_with_units_and_without(void **state)
{
	(void)state;
	assert_volume("gp3:500GiB:6000:250MiBps", "gp3", 500, 6000, 250);
	assert_volume("gp3:500:6000:250", "gp3", 500, 6000, 250);
	assert_volume("GP3:0.5TiB:6000iops:250MiB/s", "gp3", 512, 6000, 250);
	assert_volume("io2:2TiB:64000", "io2", 2048, 64000, 4000);
	assert_volume("gp2:100", "gp2", 100, 300, 128);
	assert_volume("st1:13000", "st1", 13000, 0, 500);
}

static void what_a_spec_leaves_out_is_the_default(void **state)
{
	(void)state;
	assert_volume("gp3:100", "gp3", 100, 3000, 125);
	assert_volume("gp3", "gp3", 100, 3000, 125);
	assert_volume("gp3:::250", "gp3", 100, 3000, 250);
	assert_volume("gp3:100::250", "gp3", 100, 3000, 250);
	assert_volume("io1:100:5000", "io1", 100, 5000, 500);
	assert_volume("standard:50", "standard", 50, 100, 90);
}

static void a_figure_that_follows_anyway_may_be_repeated(void **state)
{
	(void)state;
	assert_volume("gp2:100:300:128", "gp2", 100, 300, 128);
	assert_volume("io2:100:1000:256", "io2", 100, 1000, 256);
}

static void a_star_makes_several_and_a_comma_joins(void **state)
{
	struct volumes vs = parse("10*gp2:20");
	char text[128];
	(void)state;

	assert_int_equal(vs.n, 10);
	assert_string_equal(volumes_text(&vs, text, sizeof(text)), "10 x gp2 20 GiB, RAID 0");
	vs = parse("gp2:100,2*gp3:500:6000:250");
	assert_int_equal(vs.n, 3);
	assert_string_equal(volumes_text(&vs, text, sizeof(text)),
			    "gp2 100 GiB + 2 x gp3 500 GiB, 6,000 IOPS, 250 MiB/s, RAID 0");
}

/* Refused, and the message has what it must say: AWS's rule and the nearest legal value. */
static void what_aws_refuses_is_refused_with_the_rule_and_the_nearest_value(void **state)
{
	static const struct {
		const char *spec, *rule, *nearest;
	} bad[] = {
		{ "gp2:100:5000", "3 per GiB", "nearest at 100 GiB is 300" },
		{ "gp2:100:5000", "follow from the size", "5,000 need 1,667 GiB" },
		{ "gp3:1:16000", "at most 3,000 at 1 GiB (500 per GiB)", "raise the size to 32 GiB; the nearest is 3,000" },
		{ "gp3:100:3000:1000", "at most 750 MiB/s at 3,000 IOPS; raise IOPS to 4,000", "nearest is 750" },
		{ "gp3:100:3000:2500", "at most 2,000 MiB/s", "nearest is 750" },
		{ "gp3:100:3000:100", "at least 125 MiB/s", "nearest is 125" },
		{ "gp3:100:100", "at least 3,000", "nearest is 3,000" },
		{ "gp3:1000:90000", "at most 80,000", "nearest is 80,000" },
		{ "gp3:70000", "1 to 65,536 GiB", "nearest is 65,536 GiB" },
		{ "io2:4:50", "at least 100", "nearest is 100" },
		{ "io2:100", "io2 needs its IOPS: 100 to 100,000 at 100 GiB", "io2:100:3000" },
		{ "io1:4", "io1 needs its IOPS: 100 to 200 at 4 GiB", "io1:4:200" },
		{ "io1:100:6000", "at most 5,000 at 100 GiB (50 per GiB)", "120 GiB; the nearest is 5,000" },
		{ "io2:100:3000:500", "can't be set", "768 MiB/s" },
		{ "st1:10", "125 to 16,384 GiB", "nearest is 125 GiB" },
		{ "st1:500:100", "no IOPS to set", "leave them out" },
		{ "gp9:1", "'gp9' is not a volume type", "did you mean gp2 or gp3?" },
		{ "standrad:10", "not a volume type", "did you mean standard?" },
		{ "gp2:0", "gp2 of 0 GiB: a volume has 1 to 16,384 GiB", "nearest is 1 GiB" },
		{ "gp3:100:0", "gp3 needs its IOPS: 3,000 to 50,000 at 100 GiB", "gp3:100:3000" },
		{ "gp3:100:3000:0", "gp3 0 MiB/s: at least 125 MiB/s", "nearest is 125" },
		{ "gp2:100:0", "gp2 IOPS follow from the size", "nearest at 100 GiB is 300; 100 need 34 GiB" },
		{ "io2:4:4001", "at most 4,000 at 4 GiB (1,000 per GiB)", "nearest is 4,000" },
		{ "gp2:x", "not whole GiB", "100, 500GiB or 2TiB" },
		{ "gp2:500MiB", "not whole GiB", "" },
		{ "gp3:100:3000:250:1", "TYPE:SIZE:IOPS:THROUGHPUT", "" },
		{ "gp3:100:-1", "IOPS", "" },
		{ "gp3:100:99999999999999999999", "whole number", "" },
		{ "0*gp2:20", "1 to 32", "" },
		{ "40*gp2:20", "1 to 32", "" },
		{ "20*gp2:20,20*gp2:20", "at most 32", "" },
		{ "", "not a volume type", "" },
		{ "gp2:20,", "not a volume type", "" },
		{ "gp2:100:", "a colon with nothing behind it", "TYPE:SIZE:IOPS:THROUGHPUT, like gp2:100" },
		{ "gp3:", "a colon with nothing behind it", "like gp3:100" },
		{ "gp3:100:6000:", "a colon with nothing behind it", "" },
		{ "gp3::", "a colon with nothing behind it", "" },
		{ "gp2:20:,gp2:20", "a colon with nothing behind it", "" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct volumes vs = { 0 };
		struct err err;

		if (volumes_parse(&vs, L, bad[i].spec, &err) == 0)
			fail_msg("%s was taken", bad[i].spec);
		assert_int_equal(err.code, ERR_USAGE);
		assert_int_equal(vs.n, 0);
		if (!strstr(err.msg, bad[i].rule) || !strstr(err.msg, bad[i].nearest))
			fail_msg("%s: \"%s\" lacks \"%s\" or \"%s\"", bad[i].spec, err.msg, bad[i].rule, bad[i].nearest);
	}
}

static void the_nearest_volume_is_legal(void **state)
{
	static const struct { enum volume_kind k; uint64_t size, iops, mibps; } odd[] = {
		{ VOLUME_GP3, 1, 16000, 3000 }, { VOLUME_GP2, 99999, 7, 7 }, { VOLUME_IO2, 1, 0, 9 },
		{ VOLUME_ST1, 10, 5, 5 },	{ VOLUME_STANDARD, 9000, 1, 1 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		struct volume v = { &L->type[odd[i].k], odd[i].size, odd[i].iops, odd[i].mibps };
		struct volume n = volume_nearest(&v);
		struct err err;

		assert_int_equal(volume_check(&n, &err), 0);
	}
}

static void a_form_knows_what_each_field_may_be(void **state)
{
	struct volume v = volume_make(&L->type[VOLUME_GP3], 16, 0, 0);
	struct err err;
	(void)state;

	assert_int_equal(volume_legal(&v, VF_IOPS).max, 8000);
	assert_int_equal(volume_legal(&v, VF_MIBPS).max, 750);
	assert_int_equal(volume_field_parse(&v, VF_IOPS, "9000", &err), 0);
	assert_int_equal(volume_field_check(&v, VF_SIZE, &err), 0);
	assert_int_equal(volume_field_check(&v, VF_IOPS, &err), -1);
	assert_int_equal(volume_field_parse(&v, VF_IOPS, "8000", &err), 0);
	assert_int_equal(volume_legal(&v, VF_MIBPS).max, 2000);
	v = volume_make(&L->type[VOLUME_GP2], 33, 0, 0);
	assert_false(volume_legal(&v, VF_IOPS).settable);
	assert_int_equal(volume_legal(&v, VF_IOPS).max, 100);
}

static void a_volume_reads_back_from_its_own_spec(void **state)
{
	static const char *const specs[] = { "gp2:100", "gp3:500:6000:250", "io2:100:50000", "st1:500", "standard:10" };
	char spec[64];
	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct volumes vs = parse(specs[i]);

		assert_string_equal(volume_spec(&vs.v[0], spec, sizeof(spec)), specs[i]);
	}
}

static void a_raid_level_needs_its_members(void **state)
{
	struct volumes vs = parse("2*gp3:100");
	struct err err;
	(void)state;

	assert_int_equal(raid_parse("5", &vs.raid, &err), 0);
	assert_int_equal(volumes_check(&vs, &err), -1);
	assert_non_null(strstr(err.msg, "RAID 5 needs 3 volumes"));
	assert_int_equal(raid_parse("10", &vs.raid, &err), 0);
	assert_int_equal(volumes_check(&vs, &err), 0);
	assert_int_equal(raid_parse("3", &vs.raid, &err), -1);
	assert_non_null(strstr(err.msg, "0, 1, 5, 6, 10"));
	assert_int_equal(raid_find("raid0"), RAID_0);
	assert_int_equal(raid_find("raid10"), RAID_10);
	assert_int_equal(raid_find("raid4"), RAID_NONE);
	assert_int_equal(raid_find("linear"), RAID_NONE);
	assert_int_equal(raid_find(""), RAID_NONE);
}

static void simulated_latency_is_by_type(void **state)
{
	struct volumes vs = parse("io2:100:1000,gp3,st1");
	(void)state;

	assert_int_equal(volume_sim_latency(&vs.v[0]), 400000);
	assert_int_equal(volume_sim_latency(&vs.v[1]), 1000000);
	assert_int_equal(volume_sim_latency(&vs.v[2]), 10000000);
}

static void provisioned_iops_on_an_old_instance_end_at_32000(void **state)
{
	struct volumes vs = parse("io2:1000:64000");
	(void)state;

	assert_near(volume_perf(&vs.v[0], true).bw_base, 4000.0 * (double)MIB, 0);
	assert_near(volume_perf(&vs.v[0], false).iops_base, 32000, 0);
	assert_near(volume_perf(&vs.v[0], false).bw_base, 500.0 * (double)MIB, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spec_is_read_with_units_and_without),
		cmocka_unit_test(what_a_spec_leaves_out_is_the_default),
		cmocka_unit_test(a_figure_that_follows_anyway_may_be_repeated),
		cmocka_unit_test(a_star_makes_several_and_a_comma_joins),
		cmocka_unit_test(what_aws_refuses_is_refused_with_the_rule_and_the_nearest_value),
		cmocka_unit_test(the_nearest_volume_is_legal),
		cmocka_unit_test(a_form_knows_what_each_field_may_be),
		cmocka_unit_test(a_volume_reads_back_from_its_own_spec),
		cmocka_unit_test(a_raid_level_needs_its_members),
		cmocka_unit_test(simulated_latency_is_by_type),
		cmocka_unit_test(provisioned_iops_on_an_old_instance_end_at_32000),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
