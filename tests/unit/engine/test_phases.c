/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/phases.h"
#include "tests/unit/near.h"

#define MAX_POINTS 40000

static struct phase_point pt[MAX_POINTS];
static struct phase ph[PHASES_MAX];

/* A generator of its own, so that the series are the same everywhere. */
static uint64_t seed;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	double u = uniform();

	return sqrt(-2 * log(u)) * cos(6.283185307179586 * uniform());
}

/* Kinds of noise, as factors on the rate of tick i. */
enum shape { GAUSS, HEAVY, SAW, SAW_SLOW, SINE, LUMPS, DIP, GC, SHAPES };
static const char *const shape_name[SHAPES] = { "gauss", "heavy", "saw-tooth", "slow saw-tooth", "sine", "lumps", "dip", "gc" };

static double factor(enum shape kind, int i, int n)
{
	double a, b, c;

	switch (kind) {
	case GAUSS:
		return 1 + 0.1 * normal();
	case HEAVY: /* Student's t with three degrees of freedom */
		a = normal(), b = normal(), c = normal();
		return fmax(0, 1 + 0.06 * normal() / sqrt((a * a + b * b + c * c) / 3));
	case SAW:
		return 0.7 + 0.6 * fmod(i / 20.0, 1);
	case SAW_SLOW:
		return 0.8 + 0.4 * fmod(i / 100.0, 1);
	case SINE:
		return 1 + 0.2 * sin(i * 0.09);
	case LUMPS:
		return i % 2 ? 2 : 0;
	case DIP:
		return (i >= n / 2 && i < n / 2 + 5 ? 0.2 : 1) * (1 + 0.03 * normal());
	case GC:
		return i % 40 < 6 ? 0.5 : 1 + 0.03 * normal();
	case SHAPES:
		break;
	}
	return 1;
}

/* n ticks of 0.1 s at level a, from tick `at` on at b. */
static void make(enum shape kind, unsigned nr, int n, int at, double a, double b)
{
	seed = 88172645463325252ULL + nr * 0x9E3779B97F4A7C15ULL;
	for (int i = 0; i < 20; i++)
		uniform();
	for (int i = 0; i < n; i++) {
		double ios = (i < at ? a : b) * 0.1 * factor(kind, i + (int)nr * 13, n);
		if (kind == DIP)
			ios = (i < at ? a : b) * 0.1 * factor(kind, i, n);
		pt[i] = (struct phase_point){ .t_s = (i + 1) * 0.1, .dt_s = 0.1, .ios = floor(ios + uniform()) };
		pt[i].bytes = pt[i].ios * 16384;
	}
}

static int find(int n) { return phases_find(pt, (size_t)n, NULL, 0, ph, PHASES_MAX); }

/* A recorded series: lines of "microseconds,I/Os". */
static int load(const char *name)
{
	char path[128], line[256];
	double t = 0, us, ios;
	int n = 0;

	snprintf(path, sizeof(path), "tests/data/phases/%s.csv", name);
	FILE *f = fopen(path, "r");
	if (!f)
		fail_msg("%s is missing", path);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lf,%lf", &us, &ios) == 2) {
			t += us / 1e6;
			pt[n++] = (struct phase_point){ t, us / 1e6, ios, ios * 4096 };
		}
	fclose(f);
	return find(n);
}

static void is_phase(int k, enum phase_kind kind, double start_s, double end_s, double iops)
{
	assert_string_equal(phase_kind_name(ph[k].kind), phase_kind_name(kind));
	assert_near(ph[k].start_s, start_s, 0.5);
	assert_near(ph[k].end_s, end_s, 0.5);
	assert_near(ph[k].iops, iops, 0.02 * iops);
}

static void a_throttle_that_drops_is_a_burst_and_a_baseline(void **state)
{
	(void)state;
	assert_int_equal(load("burst-mid"), 2);
	is_phase(0, PH_BURST, 0, 20, 3000);
	is_phase(1, PH_BASELINE, 20, 40, 300);
	assert_int_equal(load("depth-1"), 2);
	is_phase(0, PH_BURST, 0, 20, 3000);
	is_phase(1, PH_BASELINE, 20, 40, 300);
	assert_int_equal(load("throughput"), 2);
	is_phase(0, PH_BURST, 0, 15, 100);
	is_phase(1, PH_BASELINE, 15, 30, 40);
}

static void a_recorded_burst_of_3_or_97_percent_is_found(void **state)
{
	(void)state;
	assert_int_equal(load("burst-3-percent"), 2);
	assert_int_equal(ph[0].kind, PH_BURST);
	assert_near(ph[0].end_s, 1.2, 0.5);
	is_phase(1, PH_BASELINE, 1.2, 40, 300);
	assert_int_equal(load("burst-97-percent"), 2);
	is_phase(0, PH_BURST, 0, 38.8, 3000);
	is_phase(1, PH_BASELINE, 38.8, 40, 300);
}

static void a_recorded_step_of_1_2_to_1_is_found(void **state)
{
	(void)state;
	assert_int_equal(load("step-600-500"), 2);
	is_phase(0, PH_BURST, 0, 20, 600);
	is_phase(1, PH_BASELINE, 20, 40, 500);
}

static void three_recorded_levels_are_two_bursts_and_a_baseline(void **state)
{
	(void)state;
	assert_int_equal(load("three-levels"), 3);
	is_phase(0, PH_BURST, 0, 15, 3000);
	is_phase(1, PH_BURST, 15, 35, 900);
	is_phase(2, PH_BASELINE, 35, 50, 300);
}

static void a_rate_that_rises_was_no_burst(void **state)
{
	(void)state;
	assert_int_equal(load("rise-300-1000"), 2);
	is_phase(0, PH_STEADY, 0, 12, 300);
	is_phase(1, PH_STEADY, 12, 40, 1000);
}

static void a_recorded_flat_throttle_is_one_steady_phase(void **state)
{
	(void)state;
	assert_int_equal(load("flat-500"), 1);
	is_phase(0, PH_STEADY, 0, 30, 500);
	assert_int_equal(load("no-throttle"), 1);
	assert_int_equal(ph[0].kind, PH_STEADY);
}

static void ten_ios_a_second_that_come_in_lumps_still_show_their_step(void **state)
{
	(void)state;
	assert_int_equal(load("slow-lumps"), 2);
	assert_int_equal(ph[0].kind, PH_BURST);
	assert_near(ph[0].end_s, 30, 2);
	assert_near(ph[0].iops, 10, 0.5);
}

/* Over seeds that no constant was chosen on. */
static void no_kind_of_noise_alone_makes_a_change(void **state)
{
	static const int len[] = { 50, 100, 300, 400, 1200 };

	(void)state;
	for (int kind = 0; kind < SHAPES; kind++)
		for (size_t l = kind == SAW_SLOW ? 2 : kind == GC; l < 5; l++) { /* one period in all is no saw-tooth */
			int wrong = 0;
			for (unsigned nr = 1000; nr < 1040; nr++) {
				make((enum shape)kind, nr, len[l], len[l], 3000, 3000);
				wrong += find(len[l]) != 1 || ph[0].kind != PH_STEADY;
			}
			if (wrong > 1)
				fail_msg("%s, %d ticks: %d of 40 series show a change", shape_name[kind], len[l], wrong);
		}
}

/* @return of 40 series how many are not told rightly: two phases, the change within 0.5 s, rates within 2 % */
static int told_wrongly(enum shape kind, int n, int at, double a, double b)
{
	int wrong = 0;

	for (unsigned nr = 2000; nr < 2040; nr++) {
		make(kind, nr, n, at, a, b);
		int got = find(n);
		double sum[2] = { 0, 0 };
		for (int i = 0; i < n; i++)
			sum[i >= at] += pt[i].ios;
		double ra = sum[0] / at / 0.1, rb = sum[1] / (n - at) / 0.1;
		wrong += got != 2 || ph[0].kind != PH_BURST || ph[1].kind != PH_BASELINE ||
			 fabs(ph[1].start_s - at * 0.1) > 0.5 || fabs(ph[0].iops / ra - 1) > 0.02 ||
			 fabs(ph[1].iops / rb - 1) > 0.02;
	}
	return wrong;
}

static void a_step_under_ten_percent_noise_is_found_wherever_it_is(void **state)
{
	static const struct {
		double share, ratio;
		int    allowed; /* of 40 */
	} row[] = {
		{ 0.03, 10, 1 }, { 0.1, 10, 0 }, { 0.5, 10, 0 }, { 0.97, 10, 1 }, { 0.03, 1.5, 4 }, { 0.1, 1.5, 1 },
		{ 0.5, 1.5, 0 }, { 0.97, 1.5, 2 }, { 0.1, 1.2, 3 }, { 0.5, 1.2, 3 }, { 0.9, 1.2, 3 },
		{ 0.03, 1.2, 14 }, { 0.97, 1.2, 14 }, /* 1.2 s of it: two standard errors of chance */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		int wrong = told_wrongly(GAUSS, 400, (int)(row[i].share * 400), 3000, 3000 / row[i].ratio);
		if (wrong > row[i].allowed)
			fail_msg("%g : 1 at %g %%: %d of 40 wrong", row[i].ratio, 100 * row[i].share, wrong);
	}
}

static void in_five_seconds_a_burst_of_two_is_found(void **state)
{
	(void)state;
	for (double ratio = 1.5; ratio < 20; ratio *= 2) {
		assert_true(told_wrongly(GAUSS, 50, 20, 3000, 3000 / ratio) <= 2);
		assert_true(told_wrongly(GAUSS, 40, 20, 3000, 3000 / ratio) <= 2);
	}
}

static void a_step_shows_through_heavy_tails_lumps_and_a_saw_tooth(void **state)
{
	(void)state;
	assert_true(told_wrongly(HEAVY, 400, 200, 3000, 300) <= 1);
	assert_true(told_wrongly(HEAVY, 400, 200, 3000, 2500) <= 5);
	assert_true(told_wrongly(LUMPS, 400, 200, 3000, 300) <= 1);
	assert_true(told_wrongly(LUMPS, 400, 200, 3000, 2500) <= 2);
	assert_true(told_wrongly(SAW, 400, 200, 3000, 300) <= 1);
	assert_true(told_wrongly(SAW_SLOW, 1200, 600, 3000, 1500) <= 8);
}

static void a_dip_of_a_few_samples_beside_a_step_is_no_phase(void **state)
{
	(void)state;
	make(GAUSS, 7, 400, 200, 3000, 300);
	for (int i = 193; i < 198; i++)
		pt[i].ios = 0;
	assert_int_equal(find(400), 2);
	assert_near(ph[1].start_s, 20, 0.8);
}

static void a_change_at_a_knob_turn_is_never_a_burst(void **state)
{
	double cut = 20;

	(void)state;
	make(GAUSS, 3, 400, 200, 3000, 300);
	assert_int_equal(phases_find(pt, 400, &cut, 1, ph, PHASES_MAX), 2);
	is_phase(0, PH_STEADY, 0, 20, 3000);
	is_phase(1, PH_STEADY, 20, 40, 300);
	assert_int_equal(ph[0].segment, 0);
	assert_int_equal(ph[1].segment, 1);
	/* the rate follows a second after the knob: still no phase of its own */
	make(GAUSS, 4, 400, 210, 3000, 300);
	assert_int_equal(phases_find(pt, 400, &cut, 1, ph, PHASES_MAX), 2);
	assert_int_equal(ph[0].kind, PH_STEADY);
	assert_int_equal(ph[1].kind, PH_STEADY);
	assert_near(ph[1].start_s, 21, 0.5);
}

static void a_burst_that_ends_between_knob_turns_is_still_found(void **state)
{
	double cut[] = { 5, 35 };

	(void)state;
	make(GAUSS, 5, 400, 200, 3000, 300);
	assert_int_equal(phases_find(pt, 400, cut, 2, ph, PHASES_MAX), 4);
	assert_int_equal(ph[0].kind, PH_STEADY);
	is_phase(1, PH_BURST, 5, 20, 3000);
	is_phase(2, PH_BASELINE, 20, 35, 300);
	assert_int_equal(ph[3].kind, PH_STEADY);
}

static void a_cut_inside_a_sample_leaves_that_sample_out(void **state)
{
	double cut = 10.05;

	(void)state;
	make(LUMPS, 0, 200, 200, 1000, 1000);
	assert_int_equal(phases_find(pt, 200, &cut, 1, ph, PHASES_MAX), 2);
	assert_near(ph[0].end_s, 10.0, 1e-6);
	assert_near(ph[1].start_s, 10.1, 1e-6);
}

static void a_slow_start_is_a_ramp(void **state)
{
	(void)state;
	make(GAUSS, 6, 300, 20, 500, 3000);
	assert_int_equal(find(300), 2);
	assert_int_equal(ph[0].kind, PH_RAMP);
	is_phase(1, PH_STEADY, 2, 30, 3000);
}

static void a_level_that_comes_back_was_no_burst(void **state)
{
	(void)state;
	make(GAUSS, 8, 600, 600, 3000, 3000);
	for (int i = 200; i < 350; i++)
		pt[i].ios = floor(pt[i].ios / 3);
	assert_int_equal(find(600), 3);
	for (int k = 0; k < 3; k++)
		assert_int_equal(ph[k].kind, PH_STEADY);
}

static void a_pause_neither_ends_a_burst_nor_is_a_baseline(void **state)
{
	(void)state;
	make(GAUSS, 14, 600, 200, 3000, 300);
	for (int i = 400; i < 600; i++)
		pt[i].ios = 0;
	assert_int_equal(find(600), 3);
	is_phase(0, PH_BURST, 0, 20, 3000);
	is_phase(1, PH_BASELINE, 20, 40, 300);
	assert_int_equal(ph[2].kind, PH_STEADY);
	make(GAUSS, 15, 400, 400, 3000, 300);
	for (int i = 200; i < 400; i++)
		pt[i].ios = 0;
	assert_int_equal(find(400), 2);
	assert_int_equal(ph[0].kind, PH_STEADY);
}

static void a_change_within_a_long_sample_is_placed_inside_it(void **state)
{
	(void)state;
	for (int i = 0; i < 60; i++)
		pt[i] = (struct phase_point){ .t_s = i + 1, .dt_s = 1, .ios = i < 30 ? 3000 : 300, .bytes = 0 };
	pt[30].ios = 0.4 * 3000 + 0.6 * 300;
	assert_int_equal(find(60), 2);
	assert_near(ph[1].start_s, 30.4, 0.01);
	assert_near(ph[0].iops, 3000, 1e-6);
	assert_near(ph[1].iops, 300, 1e-6);
}

static void bytes_alone_are_segmented_too(void **state)
{
	(void)state;
	make(GAUSS, 9, 400, 100, 3000, 300);
	for (int i = 0; i < 400; i++)
		pt[i].ios = NAN;
	assert_int_equal(find(400), 2);
	assert_true(isnan(ph[0].iops));
	assert_near(ph[0].bw, 3000.0 * 16384, 0.02 * 3000 * 16384);
	assert_near(phase_ratio(&ph[0], &ph[1]), 0.1, 0.01);
	assert_near(phase_rate(&ph[1]), ph[1].bw, 0);
}

static void a_series_without_figures_has_none(void **state)
{
	(void)state;
	assert_int_equal(find(0), 0);
	pt[0] = (struct phase_point){ .t_s = 0.1, .dt_s = 0.1, .ios = 7, .bytes = 7 };
	assert_int_equal(find(1), 1);
	assert_near(ph[0].iops, 70, 1e-9);
	assert_true(isnan(ph[0].spread));
	for (int i = 0; i < 50; i++)
		pt[i] = (struct phase_point){ .t_s = 0.1 * i, .dt_s = 0.1, .ios = 0, .bytes = 0 };
	assert_int_equal(find(50), 1);
	assert_near(ph[0].iops, 0, 0);
	for (int i = 0; i < 50; i++)
		pt[i].dt_s = 0;
	assert_int_equal(find(50), 1);
	assert_true(isnan(ph[0].iops));
}

static void the_answer_is_the_same_each_time(void **state)
{
	static struct phase again[PHASES_MAX];

	(void)state;
	make(HEAVY, 11, 1200, 500, 3000, 1000);
	int n = find(1200);
	memset(again, 0, sizeof(again));
	assert_int_equal(phases_find(pt, 1200, NULL, 0, again, PHASES_MAX), n);
	for (int k = 0; k < n; k++) {
		assert_near(again[k].start_s, ph[k].start_s, 0);
		assert_near(again[k].iops, ph[k].iops, 0);
	}
}

static void an_hour_of_ticks_is_no_matter(void **state)
{
	(void)state;
	make(GAUSS, 12, MAX_POINTS, 20000, 3000, 300);
	assert_int_equal(find(MAX_POINTS), 2);
	is_phase(0, PH_BURST, 0, 2000, 3000);
	is_phase(1, PH_BASELINE, 2000, 4000, 300);
}

static void no_more_phases_are_written_than_there_is_room_for(void **state)
{
	double cut[] = { 5, 10, 15 };

	(void)state;
	make(GAUSS, 13, 400, 200, 3000, 300);
	assert_int_equal(phases_find(pt, 400, cut, 3, ph, 2), 2);
	assert_int_equal(phases_find(pt, 400, NULL, 0, ph, 1), 1);
	assert_int_equal(phases_find(pt, 400, NULL, 0, ph, 0), 0);
}

static void only_the_measured_ticks_of_one_repetition_count(void **state)
{
	struct sample row[4] = {
		{ .t_ns = 100000000, .dt_ns = 100000000, .phase = PHASE_RAMP, .dir[DDIR_READ] = { 5, 50 } },
		{ .t_ns = 200000000, .dt_ns = 100000000, .phase = PHASE_MEASURE, .dir = { { 1, 10 }, { 2, 20 } } },
		{ .t_ns = 300000000, .dt_ns = 100000000, .phase = PHASE_MEASURE, .repeat = 1 },
		{ .t_ns = 400000000, .dt_ns = 0, .phase = PHASE_MEASURE },
	};
	struct phase_point p[4];

	(void)state;
	assert_int_equal(phase_points(row, 4, 0, 0, p), 1);
	assert_near(p[0].t_s, 0.2, 1e-12);
	assert_near(p[0].ios, 3, 0);
	assert_near(p[0].bytes, 30, 0);
}

static void time_in_which_the_program_stood_still_is_no_level(void **state)
{
	struct sample row[200];
	struct phase_point p[200];
	struct phase level[4];
	uint64_t t = 0;

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		uint64_t dt = i == 80 ? 5100000000 : 100000000;
		t += dt;
		row[i] = (struct sample){ .t_ns = t, .dt_ns = dt, .phase = PHASE_MEASURE, .dir[DDIR_READ] = { 300, 4915200 } };
	}
	size_t n = phase_points(row, 200, 0, 0, p);
	assert_int_equal(n, 199);
	assert_int_equal(phases_find(p, n, NULL, 0, level, 4), 1);
	assert_int_equal(level[0].kind, PH_STEADY);
	assert_near(level[0].iops, 3000, 1);
	assert_near(level[0].end_s, 25, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_throttle_that_drops_is_a_burst_and_a_baseline),
		cmocka_unit_test(a_recorded_burst_of_3_or_97_percent_is_found),
		cmocka_unit_test(a_recorded_step_of_1_2_to_1_is_found),
		cmocka_unit_test(three_recorded_levels_are_two_bursts_and_a_baseline),
		cmocka_unit_test(a_rate_that_rises_was_no_burst),
		cmocka_unit_test(a_recorded_flat_throttle_is_one_steady_phase),
		cmocka_unit_test(ten_ios_a_second_that_come_in_lumps_still_show_their_step),
		cmocka_unit_test(no_kind_of_noise_alone_makes_a_change),
		cmocka_unit_test(a_step_under_ten_percent_noise_is_found_wherever_it_is),
		cmocka_unit_test(in_five_seconds_a_burst_of_two_is_found),
		cmocka_unit_test(a_step_shows_through_heavy_tails_lumps_and_a_saw_tooth),
		cmocka_unit_test(a_dip_of_a_few_samples_beside_a_step_is_no_phase),
		cmocka_unit_test(a_change_at_a_knob_turn_is_never_a_burst),
		cmocka_unit_test(a_burst_that_ends_between_knob_turns_is_still_found),
		cmocka_unit_test(a_cut_inside_a_sample_leaves_that_sample_out),
		cmocka_unit_test(a_slow_start_is_a_ramp),
		cmocka_unit_test(a_level_that_comes_back_was_no_burst),
		cmocka_unit_test(a_pause_neither_ends_a_burst_nor_is_a_baseline),
		cmocka_unit_test(a_change_within_a_long_sample_is_placed_inside_it),
		cmocka_unit_test(bytes_alone_are_segmented_too),
		cmocka_unit_test(a_series_without_figures_has_none),
		cmocka_unit_test(the_answer_is_the_same_each_time),
		cmocka_unit_test(an_hour_of_ticks_is_no_matter),
		cmocka_unit_test(no_more_phases_are_written_than_there_is_room_for),
		cmocka_unit_test(only_the_measured_ticks_of_one_repetition_count),
		cmocka_unit_test(time_in_which_the_program_stood_still_is_no_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
