/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aws/model.h"
#include "engine/units.h"
#include "tests/unit/near.h"

#define L limits_builtin()
#define MIBD ((double)MIB)

/* A question in one line; what is left out: no volume, no host, randread 16k, iodepth 32. */
struct ask {
	const char *spec, *instance, *task;
	enum raid raid;
	enum rw rw;
	bool seq; /* read */
	uint64_t bs, iodepth, clat_ns, rate_iops, rwmixread;
};

static struct model_input input(const struct ask *q, struct volumes *vs, struct host *h, struct workload *wl)
{
	struct err err = { 0 };

	*vs = (struct volumes){ .raid = q->raid };
	*h = (struct host){ .kind = HOST_NONE };
	if ((q->spec && volumes_parse(vs, L, q->spec, &err) < 0) ||
	    (q->instance && host_instance(h, L, q->instance, &err) < 0) || (q->task && host_task(h, L, q->task, &err) < 0))
		fail_msg("%s", err.msg);
	workload_init(wl);
	wl->rw = q->seq ? RW_READ : q->rw ? q->rw : RW_RANDREAD;
	wl->bs = q->bs ? q->bs : 16 * KIB;
	wl->iodepth = q->iodepth ? q->iodepth : 32;
	wl->rate_iops = q->rate_iops;
	wl->rwmixread = q->rwmixread ? q->rwmixread : 50;
	struct model_input in = model_input(vs, h, wl);
	in.clat_ns = q->clat_ns;
	return in;
}

static struct expectation expect(struct ask q)
{
	struct expectation e;
	struct volumes vs;
	struct host h;
	struct workload wl;
	struct model_input in = input(&q, &vs, &h, &wl);

	model_expect(&in, &e);
	return e;
}

#define EXPECT(...) expect((struct ask){ __VA_ARGS__ })

static void assert_part(const struct expectation *e, size_t i, double end_s, double iops, enum bound bound)
{
	assert_in_range(i, 0, e->nr_curve - 1);
	if (isinf(end_s))
		assert_true(isinf(e->curve[i].end_s));
	else
		assert_near(e->curve[i].end_s, end_s, 0.5);
	assert_near(e->curve[i].rate.iops, iops, iops * 1e-9);
	assert_int_equal(e->curve[i].rate.bound, bound);
}

static void ten_gp2_under_an_m5_large_fall_twice(void **state)
{
	struct expectation e = EXPECT(.spec = "10*gp2:20", .instance = "m5.large");
	(void)state;

	assert_int_equal(e.nr_curve, 3);
	assert_part(&e, 0, 1800, 18750, BOUND_HOST_IOPS);
	assert_part(&e, 1, 10281, 3600, BOUND_HOST_IOPS);
	assert_part(&e, 2, INFINITY, 1000, BOUND_VOLUME_IOPS);
	assert_near(e.burst_s, 1800, 0.01);
	assert_near(e.baseline.iops, 1000, 0);
	assert_int_equal(e.nr_buckets, 3);
	assert_near(e.bucket[1].capacity, 27270000, 0);
	assert_near(e.bucket[2].capacity, 922500e6, 1);
	e = EXPECT(.spec = "5*gp2:20", .instance = "m5.large");
	assert_near(e.burst.iops, 15000, 0);
	assert_near(e.baseline.iops, 500, 0);
}

static void a_gp2_bucket_lasts_longer_when_the_rate_is_capped(void **state)
{
	struct expectation e = EXPECT(.spec = "gp2:100", .rate_iops = 1650);
	(void)state;

	assert_part(&e, 0, 4000, 1650, BOUND_NONE);
	assert_part(&e, 1, INFINITY, 300, BOUND_VOLUME_IOPS);
	e = EXPECT(.spec = "gp2:100", .rate_iops = 200);
	assert_int_equal(e.nr_curve, 1);
	assert_part(&e, 0, INFINITY, 200, BOUND_NONE);
}

static void the_ceiling_of_a_gp3_depends_on_the_block_size(void **state)
{
	static const char *const spec = "gp3:2000:16000:1000";
	struct expectation e = EXPECT(.spec = spec);
	(void)state;

	assert_near(e.baseline.bw, 250 * MIBD, 1);
	assert_int_equal(e.baseline.bound, BOUND_VOLUME_IOPS);
	e = EXPECT(.spec = spec, .bs = 64 * KIB);
	assert_near(e.baseline.bw, 1000 * MIBD, 1);
	e = EXPECT(.spec = spec, .bs = MIB, .seq = true);
	assert_near(e.baseline.bw, 1000 * MIBD, 1);
	assert_int_equal(e.baseline.bound, BOUND_VOLUME_BW);
	assert_true(isnan(e.burst.iops));
	/* a mebibyte is four operations: 16,000 would allow 4,000 of them */
	e = EXPECT(.spec = "io2:2000:3000", .bs = MIB);
	assert_near(e.baseline.iops, 750, 0);
}

static double limit_of(const struct expectation *e, const char *name)
{
	for (size_t i = 0; i < e->nr_limits; i++)
		if (!strcmp(e->limit[i].name, name))
			return e->limit[i].value;
	return NAN;
}

static void io2s_throughput_is_what_is_documented_wherever_it_stands(void **state)
{
	static const struct {
		const char *spec;
		double mibps, expected;
		bool doubt;
	} rows[] = { { "io2:100:1000", 256, 250, true }, { "io2:100:15625", 4000, 3906.25, true },
		     { "io2:100:16000", 4000, 4000, false }, { "io1:100:1000", 250, 250, false } };
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct expectation e = EXPECT(.spec = rows[i].spec, .bs = 256 * KIB);
		assert_int_equal(e.volumes.v[0].mibps, rows[i].mibps);
		assert_near(limit_of(&e, "volume baseline throughput"), rows[i].mibps * MIBD, 1);
		assert_near(e.baseline.bw, rows[i].expected * MIBD, 1);
		assert_int_equal(e.nr_notes, rows[i].doubt);
		assert_true(!rows[i].doubt || strstr(e.notes[0], "in doubt"));
	}
	struct expectation small = EXPECT(.spec = "io2:100:1000", .bs = 16 * KIB); /* far from it */
	assert_true(!small.nr_notes || !strstr(small.notes[0], "in doubt"));
	struct expectation sized = EXPECT(.spec = "gp2:100", .bs = 256 * KIB);
	assert_near(limit_of(&sized, "volume baseline throughput"), 75 * MIBD, 1);
}

static void the_instances_burst_ends_after_half_an_hour_and_the_volume_is_innocent(void **state)
{
	struct expectation e = EXPECT(.spec = "gp3:1000:16000:1000", .instance = "m5.large", .bs = MIB, .seq = true);
	(void)state;

	assert_int_equal(e.nr_curve, 2);
	assert_near(e.curve[0].rate.bw, 593.75e6, 1);
	assert_near(e.curve[0].end_s, 1800, 0.01);
	assert_near(e.curve[1].rate.bw, 81.25e6, 1);
	assert_int_equal(e.curve[0].rate.bound, BOUND_HOST_BW);
	assert_int_equal(e.curve[1].rate.bound, BOUND_HOST_BW);
}

static void small_sequential_io_has_an_interval(void **state)
{
	struct expectation e = EXPECT(.spec = "gp3:100", .seq = true);
	(void)state;

	assert_near(e.baseline.iops_min, 3000, 0);
	assert_near(e.baseline.iops_max, 8000, 0);
	assert_int_equal(e.baseline.bound, BOUND_VOLUME_BW);
	e = EXPECT(.spec = "st1:1024", .seq = true, .bs = 128 * KIB);
	assert_near(e.burst.bw, 250 * MIBD, 1);
	assert_near(e.burst.iops_min, 250, 1e-9);
	assert_near(e.baseline.iops_min, 40, 1e-9);
	e = EXPECT(.spec = "gp2:100", .seq = true);
	/* unmerged the bucket would be empty after 2,000 s, long before the merged one */
	assert_near(e.curve[0].rate.iops_min, 300, 0);
	e = EXPECT(.spec = "gp3:100", .seq = true, .bs = 256 * KIB);
	assert_near(e.baseline.iops_min, e.baseline.iops_max, 0);
}

static void small_random_io_on_a_hdd_costs_whole_mebibytes(void **state)
{
	struct expectation e = EXPECT(.spec = "st1:1024", .bs = 4 * KIB);
	(void)state;

	assert_near(e.burst.iops, 250, 1e-9);
	assert_near(e.baseline.iops, 40, 1e-9);
	assert_int_equal(e.burst.bound, BOUND_VOLUME_IOPS);
	assert_near(e.burst_s, 4993.2, 0.1);
}

static void a_shallow_queue_binds_once_latency_is_known(void **state)
{
	struct expectation e = EXPECT(.spec = "gp3:500:16000:1000", .iodepth = 1, .clat_ns = 600000);
	(void)state;

	assert_near(e.baseline.iops, 1666.67, 0.01);
	assert_int_equal(e.baseline.bound, BOUND_IODEPTH);
	assert_int_equal(e.depth_needed, 10);
	assert_false(e.depth_assumed);
	e = EXPECT(.spec = "gp3:500:16000:1000", .iodepth = 16, .clat_ns = 600000);
	assert_int_equal(e.baseline.bound, BOUND_VOLUME_IOPS);
	e = EXPECT(.spec = "gp3:500:16000:1000", .iodepth = 1);
	assert_near(e.baseline.iops, 16000, 0);
	assert_int_equal(e.depth_needed, 16);
	assert_true(e.depth_assumed);
}

static void raid_levels_share_and_multiply_io(void **state)
{
	static const struct {
		enum raid raid;
		enum rw rw;
		double iops;
	} rows[] = {
		{ RAID_0, RW_RANDREAD, 12000 },	 { RAID_0, RW_RANDWRITE, 12000 }, { RAID_1, RW_RANDREAD, 12000 },
		{ RAID_1, RW_RANDWRITE, 3000 },	 { RAID_10, RW_RANDREAD, 12000 }, { RAID_10, RW_RANDWRITE, 6000 },
		{ RAID_5, RW_RANDREAD, 12000 },	 { RAID_5, RW_RANDWRITE, 3000 },  { RAID_6, RW_RANDWRITE, 2000 },
		{ RAID_NONE, RW_RANDREAD, 12000 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct expectation e = EXPECT(.spec = "4*gp3:100", .raid = rows[i].raid, .rw = rows[i].rw);

		assert_near(e.baseline.iops, rows[i].iops, 1e-6);
	}
	/* full stripes on RAID 5 of four: three quarters of the throughput of all */
	struct expectation e = EXPECT(.spec = "4*gp3:100", .raid = RAID_5, .rw = RW_WRITE, .bs = MIB);
	assert_near(e.baseline.bw, 375 * MIBD, 1);
	assert_near(e.baseline.iops_min, 125, 1e-6);
	/* half reads, half writes on RAID 1 of two: 3000 / (0.5 / 2 + 0.5) */
	e = EXPECT(.spec = "2*gp3:100", .raid = RAID_1, .rw = RW_RANDRW);
	assert_near(e.baseline.iops, 4000, 1e-6);
}

static void a_mirror_writes_everything_over_the_host_twice(void **state)
{
	struct expectation e = EXPECT(.spec = "2*io2:1000:50000", .raid = RAID_1, .rw = RW_RANDWRITE, .instance = "m5.24xlarge");
	(void)state;

	assert_near(e.baseline.iops, 40000, 1e-6);
	assert_int_equal(e.baseline.bound, BOUND_HOST_IOPS);
}

static void a_stripe_of_unlike_members_goes_at_the_pace_of_the_slowest(void **state)
{
	struct expectation e = EXPECT(.spec = "gp2:100,gp2:200");
	(void)state;

	assert_part(&e, 0, 2000, 6000, BOUND_VOLUME_IOPS);
	assert_part(&e, 1, INFINITY, 600, BOUND_VOLUME_IOPS);
	assert_non_null(strstr(e.notes[0], "slowest"));
	e = EXPECT(.spec = "gp2:100,gp2:200", .raid = RAID_NONE);
	assert_near(e.baseline.iops, 900, 0);
}

static void a_tasks_baseline_is_a_floor_and_no_ceiling(void **state)
{
	struct expectation e = EXPECT(.spec = "gp3:500:6000:500", .task = "2:4");
	(void)state;

	assert_near(e.baseline.iops, 3000, 0);
	assert_int_equal(e.baseline.bound, BOUND_HOST_IOPS);
	assert_near(e.baseline.iops_min, 3000, 0);
	e = EXPECT(.spec = "gp3:500:6000:500", .task = "1:2");
	assert_near(e.baseline.iops, 6000, 0);
	assert_non_null(strstr(e.notes[0], "No EBS figure is documented for tasks below 2 vCPU"));
	assert_non_null(strstr(e.notes[1], "Seen by the AWS containers blog"));
}

static void block_express_at_64000_iops_has_4000_mibps(void **state)
{
	struct expectation e = EXPECT(.spec = "io2:64:64000", .bs = MIB);
	(void)state;

	assert_near(e.baseline.bw, 4000 * MIBD, 1);
}

static void the_block_size_that_has_the_throughput_is_named_where_iops_bind(void **state)
{
	(void)state;
	static const struct {
		struct ask q;
		uint64_t	bs;
		double		mibps;
	} row[] = {
		{ { .spec = "gp3:2000:16000:1000" }, 64 * KIB, 1000 },
		{ { .spec = "gp3:500", .bs = 4 * KIB }, 64 * KIB, 125 },
		{ { .spec = "io1:1000:1000" }, 256 * KIB, 250 },
		{ { .spec = "4*gp3:100" }, 64 * KIB, 500 },
		{ { .spec = "gp3:500", .bs = 64 * KIB }, 0, 0 },	  /* it has it */
		{ { .spec = "gp3:500", .seq = true }, 0, 0 },		  /* merged it has */
		{ { .spec = "gp2:100" }, 0, 0 },			  /* not bought by IOPS */
		{ { .spec = "gp3:2000:16000:1000", .instance = "m5.large" }, 0, 0 }, /* the host's to say */
		{ { .spec = "4*gp3:100", .raid = RAID_10, .rw = RW_RANDWRITE }, 64 * KIB, 250 }, /* two copies */
		{ { .spec = "3*gp3:100", .raid = RAID_5, .rw = RW_RANDWRITE }, 64 * KIB, 93.75 }, /* four I/Os each */
	};
	double bw;

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct expectation e = expect(row[i].q);
		assert_int_equal(expectation_full_bs(&e, &bw), row[i].bs);
		if (row[i].bs)
			assert_near(bw, row[i].mibps * MIBD, 1);
	}
	struct expectation e = EXPECT(.spec = "gp3:2000:16000:1000");
	assert_string_equal(e.notes[0], "With I/Os of 16k the volume's IOPS end at 250 MiB/s; the 1,000 MiB/s that it has need I/Os of 64k.");
}

static void a_magnetic_volume_has_a_range(void **state)
{
	struct expectation e = EXPECT(.spec = "standard:50");
	(void)state;

	assert_near(e.baseline.iops, 100, 0);
	assert_near(e.baseline.iops_min, 40, 0);
	assert_near(e.baseline.iops_max, 200, 0);
}

static void one_volume_has_one_card_of_a_host_with_two(void **state)
{
	struct expectation e = EXPECT(.spec = "io2:1000:256000", .bs = MIB, .instance = "r8gb.48xlarge");
	(void)state;

	assert_near(e.baseline.bw, 4000 * MIBD, 1);
	assert_near(EXPECT(.spec = "io2:1000:256000", .instance = "m5.large").baseline.iops, 3600, 0);
}

static void without_volume_and_host_no_limit_is_known(void **state)
{
	struct expectation e = EXPECT(.spec = NULL);
	(void)state;

	assert_true(isinf(e.baseline.iops));
	assert_int_equal(e.baseline.bound, BOUND_NONE);
	json_t *o = expectation_to_json(&e);
	assert_true(json_is_null(json_object_get(json_object_get(o, "baseline"), "iops")));
	json_decref(o);
	e = EXPECT(.spec = NULL, .instance = "m5.large");
	assert_near(e.burst.iops, 18750, 0);
}

static void the_rate_of_now_follows_the_credits(void **state)
{
	struct ask q = { .spec = "gp2:100", .rw = RW_RANDREAD, .bs = 16 * KIB };
	struct volumes vs;
	struct host h;
	struct workload wl;
	struct model_input in = input(&q, &vs, &h, &wl);
	(void)state;

	assert_near(model_rate(&in).iops, 3000, 0);
	in.credits = 0.001;
	assert_near(model_rate(&in).iops, 3000, 0);
	in.credits = 0;
	assert_near(model_rate(&in).iops, 300, 0);
	in.credits = 0.4;
	struct expectation e;
	model_expect(&in, &e);
	assert_near(e.burst_s, 800, 1e-6);
	assert_near(e.bucket[0].balance, 2160000, 1e-6);
}

static void a_shape_has_the_same_limits(void **state)
{
	struct ask q = { .spec = "10*gp2:20", .instance = "m5.large", .rw = RW_RANDREAD, .bs = 16 * KIB, .rate_iops = 7 };
	struct volumes vs;
	struct host h;
	struct workload wl;
	struct model_input in = input(&q, &vs, &h, &wl);
	struct shape sh = { 0 };
	(void)state;

	model_shape(&in, &sh);
	assert_int_equal(sh.nr_limits, 4);
	assert_int_equal(sh.latency_ns, 1000000);
	struct shaper *s = shaper_new(&sh);
	assert_near(shaper_iops(s, 0, DDIR_READ, 16 * KIB), 18750, 1e-6);
	/* held to it at a time scale of 1,800: the host's second of burst, then its baseline */
	shaper_set_time_scale(s, 0, 1800);
	uint64_t now = 0, n = 0;
	for (; now < 2000000000; n++)
		now = shaper_reserve(s, now, DDIR_READ, n * 7919 * MIB, 16 * KIB);
	assert_near((double)n, 18750 + 3600, 300);
	shaper_free(s);
}

static void a_curve_can_be_asked_at_any_time(void **state)
{
	struct expectation e = EXPECT(.spec = "gp2:100");
	(void)state;

	assert_near(expectation_at(&e, 0)->rate.iops, 3000, 0);
	assert_near(expectation_at(&e, 1999)->rate.iops, 3000, 0);
	assert_near(expectation_at(&e, 2000)->rate.iops, 300, 0);
	assert_near(expectation_at(&e, 1e9)->rate.iops, 300, 0);
}

static void the_table_says_what_the_bucket_holds_and_of_when_it_is(void **state)
{
	struct expectation e = EXPECT(.spec = "gp2:100");
	(void)state;

	char *table = expectation_to_text(&e);
	assert_non_null(strstr(table, "5,400,000 I/Os, earns 300 a second, full again in 5 h 00 m"));
	assert_non_null(strstr(table, "as of      2026-08"));
	free(table);
}

static void all_tasks_are_a_row_each(void **state)
{
	struct ask q = { .spec = "gp3:500:6000:500" };
	struct volumes vs;
	struct host h;
	struct workload wl;
	struct model_input in = input(&q, &vs, &h, &wl);
	static const double iops[] = { 6000, 6000, 6000, 3000, 5000, 6000, 6000 };
	(void)state;

	json_t *doc = expect_tasks_json(&in), *tasks = json_object_get(doc, "tasks");
	assert_int_equal(json_array_size(tasks), TASK_SIZES);
	for (size_t i = 0; i < TASK_SIZES; i++) {
		const json_t *row = json_array_get(tasks, i);

		assert_near(json_get_num(json_object_get(row, "baseline"), "iops", 0), iops[i], 0);
		assert_int_equal(json_get_bool(row, "documented", false), i >= 3);
	}
	assert_non_null(json_object_get(doc, "volumes"));
	json_decref(doc);
	char *text = expect_tasks_text(&in);
	assert_non_null(strstr(text, "    2  4-16 GiB           3,000  46.9 MiB/s  host iops\n"));
	assert_non_null(strstr(text, "no EBS figure documented"));
	free(text);
	wl.rate_iops = 100; /* what holds it then has no name */
	text = expect_tasks_text(&in);
	assert_non_null(strstr(text, "    2  4-16 GiB             100  1.56 MiB/s  -\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_gp2_under_an_m5_large_fall_twice),
		cmocka_unit_test(a_gp2_bucket_lasts_longer_when_the_rate_is_capped),
		cmocka_unit_test(the_ceiling_of_a_gp3_depends_on_the_block_size),
		cmocka_unit_test(io2s_throughput_is_what_is_documented_wherever_it_stands),
		cmocka_unit_test(the_instances_burst_ends_after_half_an_hour_and_the_volume_is_innocent),
		cmocka_unit_test(small_sequential_io_has_an_interval),
		cmocka_unit_test(small_random_io_on_a_hdd_costs_whole_mebibytes),
		cmocka_unit_test(a_shallow_queue_binds_once_latency_is_known),
		cmocka_unit_test(raid_levels_share_and_multiply_io),
		cmocka_unit_test(a_mirror_writes_everything_over_the_host_twice),
		cmocka_unit_test(a_stripe_of_unlike_members_goes_at_the_pace_of_the_slowest),
		cmocka_unit_test(a_tasks_baseline_is_a_floor_and_no_ceiling),
		cmocka_unit_test(block_express_at_64000_iops_has_4000_mibps),
		cmocka_unit_test(the_block_size_that_has_the_throughput_is_named_where_iops_bind),
		cmocka_unit_test(a_magnetic_volume_has_a_range),
		cmocka_unit_test(one_volume_has_one_card_of_a_host_with_two),
		cmocka_unit_test(without_volume_and_host_no_limit_is_known),
		cmocka_unit_test(the_rate_of_now_follows_the_credits),
		cmocka_unit_test(a_shape_has_the_same_limits),
		cmocka_unit_test(a_curve_can_be_asked_at_any_time),
		cmocka_unit_test(the_table_says_what_the_bucket_holds_and_of_when_it_is),
		cmocka_unit_test(all_tasks_are_a_row_each),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
