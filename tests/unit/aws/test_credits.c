/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aws/credits.h"
#include "engine/units.h"
#include "tests/unit/near.h"

static struct volumes vs;
static struct workload wl;

static struct expectation expect(const char *spec, enum raid raid, const char *instance)
{
	struct host h = { .kind = HOST_NONE };
	struct expectation e;
	struct err err;

	vs = (struct volumes){ .raid = raid };
	assert_int_equal(volumes_parse(&vs, limits_builtin(), spec, &err), 0);
	if (instance)
		assert_int_equal(host_instance(&h, limits_builtin(), instance, &err), 0);
	workload_init(&wl);
	wl.rw = RW_RANDREAD;
	wl.bs = 16 * KIB;
	struct model_input in = model_input(&vs, &h, &wl);
	model_expect(&in, &e);
	return e;
}

static struct credits_io reads(double iops, double bs, double dt)
{
	return (struct credits_io){ .ios = { iops * dt }, .bytes = { iops * bs * dt } };
}

static void run(struct credits *c, double seconds, double iops, double bs)
{
	struct credits_io io = reads(iops, bs, 0.1);

	for (double t = 0; t < seconds - 0.05; t += 0.1)
		credits_tick(c, 0.1, &io, true);
}

static void a_gp2_of_100_gib_is_empty_after_2000_s_and_full_after_18000(void **state)
{
	struct expectation e = expect("gp2:100", RAID_0, NULL);
	struct credits c;
	(void)state;

	credits_init(&c, &e, NAN, 1);
	assert_near(c.bucket[0].b.balance, 5400000, 0);
	assert_true(c.assumed);
	run(&c, 1000, 3000, 16384);
	assert_near(c.bucket[0].b.balance, 2700000, 1);
	assert_near(credits_percent(&c, 0), 50, 0.01);
	run(&c, 1001, 3000, 16384);
	assert_near(c.bucket[0].b.balance, 0, 0);
	run(&c, 10, 0, 0);
	run(&c, 17991, 0, 0);
	assert_near(credits_percent(&c, 0), 100, 0);
}

static void a_time_scale_moves_the_balance_that_much_faster(void **state)
{
	struct expectation e = expect("gp2:100", RAID_0, NULL);
	struct credits c;
	(void)state;

	credits_init(&c, &e, 0.5, 60);
	assert_false(c.assumed);
	run(&c, 10, 3000, 16384);
	assert_near(c.bucket[0].b.balance, 2700000 - 2700 * 600, 5);
}

static void io_is_counted_as_aws_counts_it(void **state)
{
	struct volume_perf ssd = { .io_unit = 256 * KIB }, hdd = { .io_unit = MIB, .bw_hdd_unit = (double)MIB };
	double k = (double)KIB, m = (double)MIB;
	(void)state;

	assert_near(credits_count(&ssd, 1, m, false), 4, 0);
	assert_near(credits_count(&ssd, 8, 8 * 32 * k, true), 1, 0);
	assert_near(credits_count(&ssd, 8, 8 * 32 * k, false), 8, 0);
	assert_near(credits_count(&ssd, 1, 300 * k, false), 2, 0);
	assert_near(credits_count(&hdd, 1, m, false), m, 0);
	assert_near(credits_count(&hdd, 8, 8 * 128 * k, true), m, 0);
	assert_near(credits_count(&hdd, 8, 8 * 128 * k, false), 8 * m, 0);
	assert_near(credits_count(&ssd, 0, 0, false), 0, 0);
}

static void a_stripe_is_one_bucket_of_all_and_the_host_has_two(void **state)
{
	struct expectation e = expect("10*gp2:20", RAID_0, "m5.large");
	struct credits c;
	(void)state;

	credits_init(&c, &e, NAN, 1);
	assert_int_equal(c.nr, 3);
	assert_near(c.bucket[0].b.capacity, 54000000, 0);
	run(&c, 1800, 18750, 16384);
	assert_near(credits_percent(&c, 1), 0, 0.01);
	assert_near(c.bucket[0].b.balance, 54000000 - 1800 * 17750.0, 10);
	struct model_input in = model_input(&vs, &e.host, &wl);
	credits_apply(&c, &in);
	assert_near(in.host_credits[0], 0, 0);
	assert_near(model_rate(&in).iops, 3600, 0);
}

static void a_mirror_spends_twice_for_a_write(void **state)
{
	struct expectation e = expect("2*gp2:100", RAID_1, NULL);
	struct credits_io io = { .ios = { [DDIR_WRITE] = 1000 }, .bytes = { [DDIR_WRITE] = 16384000 } };
	struct credits c;
	(void)state;

	credits_init(&c, &e, NAN, 1);
	credits_tick(&c, 1, &io, false);
	assert_near(c.bucket[0].b.balance, 10800000 + 600 - 2000, 1);
	io.members = true;
	credits_tick(&c, 1, &io, false);
	assert_near(c.bucket[0].spent, 3000, 0);
}

static void what_was_seen_spent_began_at_nothing(void **state)
{
	struct expectation e = expect("gp2:100", RAID_0, NULL);
	struct credits c;
	(void)state;

	credits_init(&c, &e, NAN, 1);
	credits_seen_spent(&c);
	assert_near(c.bucket[0].b.balance, 0, 0);
	assert_near(c.start, 0, 0);
	assert_true(c.seen_spent);
}

static void a_spent_balance_allows_the_baseline_whatever_the_jitter(void **state)
{
	struct expectation e = expect("gp2:100", RAID_0, NULL);
	struct model_input in;
	struct credits c;
	(void)state;

	credits_init(&c, &e, 0, 60);
	run(&c, 0.5, 290, 16384);
	in = model_input(&vs, NULL, &wl);
	credits_apply(&c, &in);
	assert_near(model_rate(&in).iops, 300, 0);
}

static void volumes_without_a_bucket_have_no_balance(void **state)
{
	struct expectation e = expect("gp3:100", RAID_0, NULL);
	struct credits c;
	(void)state;

	credits_init(&c, &e, NAN, 1);
	run(&c, 1, 3000, 16384);
	assert_true(isnan(credits_percent(&c, 0)) && isnan(c.start));
	json_t *o = credits_to_json(&c);
	assert_true(json_is_null(o));
	json_decref(o);
}

static void the_json_says_where_it_began_and_ended(void **state)
{
	struct expectation e = expect("st1:1024", RAID_0, NULL);
	struct credits c;
	(void)state;

	credits_init(&c, &e, NAN, 1);
	struct credits_io io = { .ios = { 250 }, .bytes = { 250 * (double)MIB }, .sequential = true };
	credits_tick(&c, 1, &io, true);
	json_t *o = credits_to_json(&c);
	assert_string_equal(json_get_text(o, "unit", ""), "mib");
	assert_string_equal(json_get_text(o, "source", ""), "device");
	assert_near(json_get_num(o, "start", 0), 1048576, 0);
	assert_near(json_get_num(o, "end", 0), 1048576 - 210, 1e-6);
	assert_true(json_get_bool(o, "assumed", false));
	json_decref(o);
}

static void a_change_of_the_volume_keeps_what_the_buckets_had(void **state)
{
	struct expectation small = expect("gp2:100", RAID_0, "m5.large"), large = expect("gp2:500", RAID_0, "m5.large"),
			   none = expect("gp3:100", RAID_0, "m5.large");
	struct credits c;
	(void)state;

	credits_init(&c, &small, 0.5, 1);
	run(&c, 10, 3000, 16384);
	double left = c.bucket[0].b.balance, hosts = c.bucket[1].b.balance;
	credits_change(&c, &large);
	assert_near(c.bucket[0].b.balance, left, 0);
	assert_near(c.bucket[0].b.earn, 1500, 0);
	assert_near(c.bucket[1].b.balance, hosts, 0);
	assert_near(c.start, 2700000, 0);
	assert_false(c.assumed);
	credits_change(&c, &none);
	assert_false(c.volume_bucket);
	assert_near(c.bucket[0].b.balance, hosts, 0);
	credits_change(&c, &small); /* of a volume that comes to a bucket nobody knows the balance */
	assert_near(credits_percent(&c, 0), 100, 0);
	assert_true(c.assumed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gp2_of_100_gib_is_empty_after_2000_s_and_full_after_18000),
		cmocka_unit_test(a_time_scale_moves_the_balance_that_much_faster),
		cmocka_unit_test(io_is_counted_as_aws_counts_it),
		cmocka_unit_test(a_stripe_is_one_bucket_of_all_and_the_host_has_two),
		cmocka_unit_test(a_mirror_spends_twice_for_a_write),
		cmocka_unit_test(what_was_seen_spent_began_at_nothing),
		cmocka_unit_test(a_spent_balance_allows_the_baseline_whatever_the_jitter),
		cmocka_unit_test(a_change_of_the_volume_keeps_what_the_buckets_had),
		cmocka_unit_test(volumes_without_a_bucket_have_no_balance),
		cmocka_unit_test(the_json_says_where_it_began_and_ended),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
