/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/clock.h"
#include "engine/shape.h"
#include "engine/units.h"
#include "tests/unit/near.h"

/* An origin far from 0, as a real clock has. */
#define T0 (777 * NS_PER_SEC)

/* A worker that always wants more: it asks for the next I/O the moment the last one was issued. */
static uint64_t issue_n(struct shaper *s, uint64_t now, uint64_t n, uint64_t len)
{
	for (uint64_t i = 0; i < n; i++)
		now = shaper_reserve(s, now, DDIR_READ, i * 7919 * MIB, len);
	return now;
}

static struct shape gp2_100(double scale)
{
	return (struct shape){
		.limit = { { .unit = SHAPE_OPS, .io_unit = 256 * KIB, .merge = true, .weight = { 1, 1 }, .base = 300,
			     .burst = 3000, .capacity = 5400000, .start = 5400000 },
			   { .unit = SHAPE_BYTES, .weight = { 1, 1 }, .base = 128.0 * (double)MIB } },
		.nr_limits = 2,
		.time_scale = scale,
	};
}

static struct shape plain(double iops)
{
	return (struct shape){
		.limit = { { .unit = SHAPE_OPS, .io_unit = 256 * KIB, .weight = { 1, 1 }, .base = iops } },
		.nr_limits = 1,
	};
}

static void any_rate_is_held_within_half_a_percent(void **state)
{
	static const double rates[] = { 1, 40, 100, 300, 999, 3000, 16000, 64000, 256000 };
	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		struct shape sh = plain(rates[i]);
		struct shaper *s = shaper_new(&sh);
		uint64_t n = (uint64_t)(rates[i] * 3) + 10;
		uint64_t first = issue_n(s, T0, 1, 16 * KIB);
		uint64_t end = issue_n(s, first, n, 16 * KIB);

		assert_int_equal(first, T0);
		assert_near((double)n / ((double)(end - first) / 1e9) / rates[i], 1, 0.001);
		shaper_free(s);
	}
}

static void no_second_exceeds_the_rate_by_one_percent_however_late_the_callers(void **state)
{
	enum { N = 40000 };
	uint64_t *at = calloc(N, sizeof(*at));
	struct shape sh = plain(3000);
	struct shaper *s = shaper_new(&sh);
	uint64_t now = T0;
	unsigned rnd = 1;
	(void)state;

	for (size_t i = 0; i < N; i++) {
		rnd = rnd * 1103515245u + 12345u;
		at[i] = shaper_reserve(s, now, DDIR_READ, 0, 4096);
		/* mostly a little late, at times by up to 60 ms */
		now = at[i] + (rnd >> 8) % 100000 + ((rnd >> 16) % 997 == 0 ? (rnd >> 4) % 60000000 : 0);
	}
	for (size_t i = 0, j = 0; j < N; j++) {
		while (at[j] - at[i] >= NS_PER_SEC)
			i++;
		assert_in_range(j - i + 1, 1, 3030);
	}
	shaper_free(s);
	free(at);
}

static void a_little_lateness_costs_no_rate(void **state)
{
	struct shape sh = plain(64000);
	struct shaper *s = shaper_new(&sh);
	uint64_t now = T0, t = 0;
	(void)state;

	for (int i = 0; i < 200000; i++) {
		t = shaper_reserve(s, now, DDIR_READ, 0, 4096);
		now = t + (i % 100 == 0 ? 1000000 : 0); /* a millisecond lost every hundredth time */
	}
	assert_near(200000 / ((double)(t - T0) / 1e9) / 64000, 1, 0.005);
	shaper_free(s);
}

static void a_gp2_bucket_of_100_gib_is_empty_after_2000_s_of_volume_time(void **state)
{
	static const double scales[] = { 1, 10, 60, 100, 200 };
	(void)state;
	for (size_t i = 0; i < sizeof(scales) / sizeof(*scales); i++) {
		struct shape sh = gp2_100(scales[i]);
		struct shaper *s = shaper_new(&sh);
		uint64_t now = T0, prev = T0, fell = 0;

		for (uint64_t n = 0; n < 6200000 && !fell; n++) {
			now = shaper_reserve(s, now, DDIR_READ, n * 7919 * MIB, 16 * KIB);
			if (now - prev > 3000000)
				fell = prev;
			prev = now;
		}
		assert_near((double)(fell - T0) / 1e9 * scales[i], 2000, 20);
		assert_true(shaper_state(s, now, 0).spent);
		assert_near(shaper_state(s, now, 0).balance, 0, 2 * scales[i]);
		uint64_t end = issue_n(s, now, 900, 16 * KIB);
		assert_near(900 / ((double)(end - now) / 1e9), 300, 0.3);
		shaper_free(s);
	}
}

static void half_the_surplus_lasts_twice_as_long(void **state)
{
	struct shape sh = gp2_100(60);
	struct shaper *s = shaper_new(&sh);
	uint64_t now = T0, n = 0;
	(void)state;

	for (; !shaper_state(s, now, 0).spent; n++)
		now = shaper_reserve(s, T0 + n * NS_PER_SEC / 1650, DDIR_READ, n * 7919 * MIB, 16 * KIB);
	assert_near((double)n / 1650 * 60, 5400000 / (1650.0 - 300), 40);
	shaper_free(s);
}

static void demand_below_the_baseline_never_empties_the_bucket(void **state)
{
	struct shape sh = gp2_100(200);
	struct shaper *s = shaper_new(&sh);
	uint64_t n = 0;
	(void)state;

	for (; n < 30000; n++)
		shaper_reserve(s, T0 + n * NS_PER_SEC / 290, DDIR_READ, n * 7919 * MIB, 16 * KIB);
	assert_near(shaper_state(s, T0 + n * NS_PER_SEC / 290, 0).balance, 5400000, 300);
	shaper_free(s);
}

static void an_idle_bucket_is_full_again_after_its_refill_time(void **state)
{
	struct shape sh = gp2_100(1);
	(void)state;
	sh.limit[0].start = 0;
	struct shaper *s = shaper_new(&sh);
	uint64_t now = issue_n(s, T0, 30, 16 * KIB);
	assert_near(shaper_state(s, now + 9000 * NS_PER_SEC, 0).balance, 2700000, 100);
	assert_near(shaper_state(s, now + 18001 * NS_PER_SEC, 0).balance, 5400000, 0.1);
	now = shaper_reserve(s, now + 60 * NS_PER_SEC, DDIR_READ, 0, 4096);
	assert_near(shaper_iops(s, now, DDIR_READ, 4096), 3000, 0.1);
	shaper_free(s);
}

static void late_callers_make_no_spikes_in_a_spent_baseline(void **state)
{
	enum { N = 6000 };
	static uint64_t at[N];
	struct shape sh = gp2_100(60);
	(void)state;
	sh.limit[0].start = 0;
	struct shaper *s = shaper_new(&sh);
	uint64_t now = T0;

	for (size_t i = 0; i < N; i++) {
		at[i] = shaper_reserve(s, now, DDIR_READ, i * 7919 * MIB, 4096);
		now = at[i] + (i % 900 == 899 ? 40000000 : 10000);
	}
	for (size_t i = 0, j = 0; j < N; j++) {
		while (at[j] - at[i] >= NS_PER_SEC)
			i++;
		assert_in_range(j - i + 1, 1, 303);
	}
	shaper_free(s);
}

static void the_smallest_of_several_limits_holds(void **state)
{
	struct shape sh = gp2_100(1);
	struct shaper *s = shaper_new(&sh);
	(void)state;
	/* 128 MiB/s at 256 KiB are 512 a second, well under 3,000 operations */
	uint64_t a = issue_n(s, T0, 1, 256 * KIB), b = issue_n(s, a, 1024, 256 * KIB);
	assert_near((double)(b - a) / 1e9, 2, 0.01);
	assert_near(shaper_iops(s, b, DDIR_READ, 256 * KIB), 512, 0.01);
	assert_near(shaper_iops(s, b, DDIR_READ, 1 * MIB), 128, 0.01);
	shaper_free(s);
}

static double spent_by(uint64_t (*io)[2], size_t n)
{
	struct shape sh = gp2_100(1);
	sh.limit[0].burst = 1e9; /* no time passes */
	sh.limit[0].base = 1e-6;
	sh.nr_limits = 1;
	struct shaper *s = shaper_new(&sh);
	for (size_t i = 0; i < n; i++)
		shaper_reserve(s, T0, DDIR_WRITE, io[i][0], io[i][1]);
	double spent = 5400000 - shaper_state(s, T0 + NS_PER_SEC, 0).balance;
	shaper_free(s);
	return spent;
}

static void sequential_32_kib_count_eight_as_one_and_a_mebibyte_as_four(void **state)
{
	uint64_t seq[80][2], rnd[80][2], big[1][2] = { { 0, MIB } };
	(void)state;
	for (uint64_t i = 0; i < 80; i++) {
		seq[i][0] = i * 32 * KIB;
		rnd[i][0] = (i * 37 % 80) * GIB;
		seq[i][1] = rnd[i][1] = 32 * KIB;
	}
	assert_near(spent_by(seq, 80), 10, 0.02);
	assert_near(spent_by(rnd, 80), 80, 0.02);
	assert_near(spent_by(big, 1), 4, 0.02);
}

static void random_io_on_a_small_target_is_not_taken_for_sequential(void **state)
{
	enum { N = 20000 };
	static uint64_t io[N][2];
	uint64_t rnd = 1;
	(void)state;
	for (size_t i = 0; i < N; i++) {
		rnd = rnd * 6364136223846793005ULL + 1442695040888963407ULL;
		io[i][0] = (rnd >> 33) % 512 * 16 * KIB;
		io[i][1] = 16 * KIB;
	}
	assert_near(spent_by(io, N), N, N * 0.002);
}

static void writes_can_cost_more_than_reads(void **state)
{
	struct shape sh = plain(1000);
	(void)state;
	sh.limit[0].weight[DDIR_WRITE] = 4; /* a small write on RAID 5 */
	struct shaper *s = shaper_new(&sh);
	assert_near(shaper_iops(s, T0, DDIR_READ, 4096), 1000, 0.01);
	assert_near(shaper_iops(s, T0, DDIR_WRITE, 4096), 250, 0.01);
	shaper_free(s);
}

static void the_time_scale_can_be_turned_and_the_credits_filled_while_it_runs(void **state)
{
	struct shape sh = gp2_100(1);
	struct shaper *s = shaper_new(&sh);
	(void)state;
	uint64_t now = issue_n(s, T0, 30001, 16 * KIB); /* 10 s */
	assert_near(shaper_state(s, now, 0).balance, 5400000 - 27000, 30);
	shaper_set_time_scale(s, now, 100);
	now = issue_n(s, now, 30000, 16 * KIB);
	assert_near(shaper_state(s, now, 0).balance, 5400000 - 27000 - 2700000, 1500);
	assert_near(shaper_time_scale(s), 100, 0);
	shaper_refill(s, now);
	assert_near(shaper_state(s, now, 0).balance, 5400000, 600);
	shaper_free(s);
}

static void a_schedule_steps_down_when_its_budget_is_spent_and_up_by_the_clock(void **state)
{
	struct shape sh = { 0 };
	struct err err;
	(void)state;
	assert_int_equal(shape_parse(&sh, "3000iops@20s,300iops@10s,600iops", &err), 0);
	struct shaper *s = shaper_new(&sh);
	uint64_t a = issue_n(s, T0, 60000, 4096);
	assert_near((double)(a - T0) / 1e9, 20, 0.05);
	uint64_t b = issue_n(s, a, 3000, 4096);
	assert_near((double)(b - a) / 1e9, 10, 0.05);
	uint64_t c = issue_n(s, b, 6000, 4096);
	assert_near((double)(c - b) / 1e9, 10, 0.05);
	shaper_refill(s, c);
	assert_near(shaper_state(s, c, 0).rate, 3000, 0);
	shaper_free(s);
}

static void half_the_demand_of_a_schedule_lasts_as_the_formula_says(void **state)
{
	struct shape sh = { 0 };
	struct err err;
	(void)state;
	assert_int_equal(shape_parse(&sh, "3000iops@20s,300iops", &err), 0);
	struct shaper *s = shaper_new(&sh);
	uint64_t n = 0;
	for (; shaper_state(s, T0, 0).rate > 2999; n++)
		shaper_reserve(s, T0 + n * NS_PER_SEC / 1500, DDIR_READ, 0, 4096);
	assert_near((double)n / 1500, 2700 * 20 / 1200.0, 0.2);
	shaper_free(s);
}

enum { THREADS = 4, EACH = 20000 };

static void *reserve_many(void *arg)
{
	struct shaper *s = arg;
	uint64_t now = T0, *last = malloc(sizeof(*last));

	for (uint64_t i = 0; i < EACH; i++) {
		now = shaper_reserve(s, now, DDIR_READ, i * 7919 * MIB, 4096);
		if (i == EACH / 2)
			shaper_set_time_scale(s, now, 2);
	}
	*last = now;
	return last;
}

static void many_workers_share_one_rate(void **state)
{
	struct shape sh = plain(10000);
	struct shaper *s = shaper_new(&sh);
	pthread_t thread[THREADS];
	uint64_t end = 0;
	(void)state;

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, reserve_many, s), 0);
	for (int i = 0; i < THREADS; i++) {
		void *last;

		pthread_join(thread[i], &last);
		end = *(uint64_t *)last > end ? *(uint64_t *)last : end;
		free(last);
	}
	assert_near((double)(end - T0) / 1e9, THREADS * EACH / 10000.0, 0.05);
	shaper_free(s);
}

static void schedules_are_read_and_written(void **state)
{
	struct shape sh = { 0 };
	struct err err;
	char buf[128];
	(void)state;
	assert_int_equal(shape_parse(&sh, "260MiBps@60s,128MiBps", &err), 0);
	assert_int_equal(sh.step_unit, SHAPE_BYTES);
	assert_near(sh.step[0].rate, 260 * 1048576.0, 0);
	assert_near(sh.step[0].seconds, 60, 0);
	assert_string_equal(shape_text(&sh, buf, sizeof(buf)), "260MiBps@60s,128MiBps");
	assert_int_equal(shape_parse(&sh, "3000@0.5m,300", &err), 0);
	assert_string_equal(shape_text(&sh, buf, sizeof(buf)), "3000iops@30s,300iops");
}

static void a_bad_schedule_or_scale_is_refused_with_what_is_allowed(void **state)
{
	static const char *const bad[] = { "", "fast", "3000iops@20s", "3000iops,300iops", "0iops", "3000iops@0s,1",
					   "3000iops@20s,128MiBps", "-5iops", "1@1,2@x,3", "5.iops", "1@1,", "nan" };
	struct shape sh = { .nr_steps = 0 };
	double scale = 7;
	struct err err;
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(shape_parse(&sh, bad[i], &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_int_equal(sh.nr_steps, 0);
	}
	assert_int_equal(shape_scale_parse("0", &scale, &err), -1);
	assert_non_null(strstr(err.msg, "nearest is 1"));
	assert_int_equal(shape_scale_parse("x", &scale, &err), -1);
	assert_near(scale, 7, 0);
	assert_int_equal(shape_scale_parse("60", &scale, &err), 0);
	assert_near(scale, 60, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_rate_is_held_within_half_a_percent),
		cmocka_unit_test(no_second_exceeds_the_rate_by_one_percent_however_late_the_callers),
		cmocka_unit_test(a_little_lateness_costs_no_rate),
		cmocka_unit_test(a_gp2_bucket_of_100_gib_is_empty_after_2000_s_of_volume_time),
		cmocka_unit_test(half_the_surplus_lasts_twice_as_long),
		cmocka_unit_test(demand_below_the_baseline_never_empties_the_bucket),
		cmocka_unit_test(an_idle_bucket_is_full_again_after_its_refill_time),
		cmocka_unit_test(late_callers_make_no_spikes_in_a_spent_baseline),
		cmocka_unit_test(the_smallest_of_several_limits_holds),
		cmocka_unit_test(sequential_32_kib_count_eight_as_one_and_a_mebibyte_as_four),
		cmocka_unit_test(random_io_on_a_small_target_is_not_taken_for_sequential),
		cmocka_unit_test(writes_can_cost_more_than_reads),
		cmocka_unit_test(the_time_scale_can_be_turned_and_the_credits_filled_while_it_runs),
		cmocka_unit_test(a_schedule_steps_down_when_its_budget_is_spent_and_up_by_the_clock),
		cmocka_unit_test(half_the_demand_of_a_schedule_lasts_as_the_formula_says),
		cmocka_unit_test(many_workers_share_one_rate),
		cmocka_unit_test(schedules_are_read_and_written),
		cmocka_unit_test(a_bad_schedule_or_scale_is_refused_with_what_is_allowed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
