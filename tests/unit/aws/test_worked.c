/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aws/model.h"
#include "engine/units.h"
#include "tests/unit/near.h"

/* Figures of AWS's tables and formulas, worked out once by hand; `expect` must give each of them. */

static const struct {
	uint64_t size;
	double base, burst, cap_mibps, base_256k_mibps, burst_s, refill_s;
} gp2[] = {
	{ 1, 100, 3000, 128, 25.0, 1862.069, 54000.0 },
	{ 8, 100, 3000, 128, 25.0, 1862.069, 54000.0 },
	{ 33, 100, 3000, 128, 25.0, 1862.069, 54000.0 },
	{ 100, 300, 3000, 128, 75.0, 2000.0, 18000.0 },
	{ 170, 510, 3000, 128, 127.5, 2168.675, 10588.235 },
	{ 200, 600, 3000, 250, 150.0, 2250.0, 9000.0 },
	{ 334, 1002, 3000, 250, 250, 2702.703, 5389.222 },
	{ 750, 2250, 3000, 250, 250, 7200.0, 2400.0 },
	{ 1000, 3000, 3000, 250, 250, NAN, NAN },
	{ 5334, 16000, 16000, 250, 250, NAN, NAN },
	{ 16384, 16000, 16000, 250, 250, NAN, NAN },
};

static const struct {
	const char *type;
	uint64_t size;
	double base, burst, bucket_mib, scan_s, refill_s, burst_s; /* MiB/s */
} hdd[] = {
	{ "st1", 125, 4.8828, 30.5176, 128000, 4194.3, 26214.4, 4993.2 },
	{ "st1", 128, 5.0, 31.25, 131072, 4194.3, 26214.4, 4993.2 },
	{ "st1", 500, 19.5312, 122.0703, 512000, 4194.3, 26214.4, 4993.2 },
	{ "st1", 512, 20.0, 125.0, 524288, 4194.3, 26214.4, 4993.2 },
	{ "st1", 1024, 40.0, 250.0, 1048576, 4194.3, 26214.4, 4993.2 },
	{ "st1", 2048, 80.0, 500.0, 2097152, 4194.3, 26214.4, 4993.2 },
	{ "st1", 3200, 125.0, 500, 3276800, 6553.6, 26214.4, 8738.1 },
	{ "st1", 5120, 200.0, 500, 5242880, 10485.8, 26214.4, 17476.3 },
	{ "st1", 12800, 500.0, 500, 13107200, 26214.4, 26214.4, NAN },
	{ "st1", 16384, 500, 500, 16777216, 33554.4, 33554.4, NAN },
	{ "sc1", 125, 1.4648, 9.7656, 128000, 13107.2, 87381.3, 15420.2 },
	{ "sc1", 128, 1.5, 10.0, 131072, 13107.2, 87381.3, 15420.2 },
	{ "sc1", 500, 5.8594, 39.0625, 512000, 13107.2, 87381.3, 15420.2 },
	{ "sc1", 512, 6.0, 40.0, 524288, 13107.2, 87381.3, 15420.2 },
	{ "sc1", 1024, 12.0, 80.0, 1048576, 13107.2, 87381.3, 15420.2 },
	{ "sc1", 2048, 24.0, 160.0, 2097152, 13107.2, 87381.3, 15420.2 },
	{ "sc1", 3200, 37.5, 250.0, 3276800, 13107.2, 87381.3, 15420.2 },
	{ "sc1", 5120, 60.0, 250, 5242880, 20971.5, 87381.3, 27594.1 },
	{ "sc1", 12800, 150.0, 250, 13107200, 52428.8, 87381.3, 131072.0 },
	{ "sc1", 16384, 192.0, 250, 16777216, 67108.9, 87381.3, 289262.3 },
};

static const struct {
	const char *type;
	uint64_t size;
	double max_iops, max_mibps;
} maxima[] = {
	{ "gp3", 1, 3000, 750.0 },
	{ "gp3", 5, 3000, 750.0 },
	{ "gp3", 6, 3000, 750.0 },
	{ "gp3", 16, 8000, 2000 },
	{ "gp3", 32, 16000, 2000 },
	{ "gp3", 100, 50000, 2000 },
	{ "gp3", 160, 80000, 2000 },
	{ "gp3", 1024, 80000, 2000 },
	{ "io1", 4, 200, NAN },
	{ "io1", 100, 5000, NAN },
	{ "io1", 1280, 64000, NAN },
	{ "io2", 4, 4000, NAN },
	{ "io2", 100, 100000, NAN },
	{ "io2", 256, 256000, NAN },
};

static const struct {
	const char *type;
	uint64_t iops;
	double max_mibps;
} throughputs[] = {
	{ "gp3", 3000, 750.0 },
	{ "gp3", 4000, 1000.0 },
	{ "gp3", 8000, 2000 },
	{ "gp3", 16000, 2000 },
	{ "io1", 100, 25.0 },
	{ "io1", 1000, 250.0 },
	{ "io1", 2000, 500 },
	{ "io1", 32000, 500 },
	{ "io1", 48000, 750.0 },
	{ "io1", 64000, 1000 },
	{ "io2", 100, 25.6 },
	{ "io2", 1000, 256.0 },
	{ "io2", 15625, 4000 },
	{ "io2", 16000, 4000 },
	{ "io2", 64000, 4000 },
	{ "io2", 256000, 4000 },
};

static const struct {
	const char *type;
	uint64_t size, iops, mibps;
	double usd;
} costs[] = {
	{ "gp2", 100, 0, 0, 10.0 },
	{ "gp3", 100, 3000, 125, 8.0 },
	{ "gp3", 100, 6000, 500, 38.0 },
	{ "io1", 100, 5000, 0, 337.5 },
	{ "io2", 100, 50000, 0, 2911.5 },
	{ "io2", 256, 100000, 0, 4714.6 },
	{ "st1", 500, 0, 0, 22.5 },
	{ "sc1", 500, 0, 0, 7.5 },
};

/* Hours for a full scan as documented for 1 to 16 TiB. */
static const double scan_hours[2][16] = {
	{ 1.17, 1.17, 1.75, 2.33, 2.91, 3.5, 4.08, 4.66, 5.24, 5.83, 6.41, 6.99, 7.57, 8.16, 8.74, 9.32 },
	{ 3.64, 3.64, 3.64, 4.66, 5.83, 6.99, 8.16, 9.32, 10.49, 11.65, 12.82, 13.98, 15.15, 16.31, 17.48, 18.64 },
};

#define NR(a) (sizeof(a) / sizeof(*(a)))

static struct volumes volumes_of(const char *spec)
{
	struct volumes vs = { 0 };
	struct err err;

	if (volumes_parse(&vs, limits_builtin(), spec, &err) < 0)
		fail_msg("%s: %s", spec, err.msg);
	return vs;
}

/* What `expect SPEC` prints, with a block size where it is not 0. */
static json_t *expect(const char *spec, uint64_t bs)
{
	struct volumes vs = volumes_of(spec);
	struct workload wl;
	struct expectation e;

	workload_init(&wl);
	model_default_workload(&vs, &wl);
	wl.bs = bs ? bs : wl.bs;
	struct model_input in = model_input(&vs, NULL, &wl);
	model_expect(&in, &e);
	return expectation_to_json(&e);
}

static double num(const json_t *o, const char *a, const char *b)
{
	const json_t *v = b ? json_object_get(json_object_get(o, a), b) : json_object_get(o, a);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static double legal_max(const json_t *o, const char *key)
{
	return json_number_value(json_array_get(json_object_get(json_object_get(o, "legal"), key), 1));
}

static void assert_same(double got, double want, double eps)
{
	if (isnan(want))
		assert_true(isnan(got));
	else
		assert_near(got, want, eps);
}

static void every_worked_gp2_volume_comes_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(gp2); i++) {
		char spec[32];

		snprintf(spec, sizeof(spec), "gp2:%llu", (unsigned long long)gp2[i].size);
		json_t *o = expect(spec, 16 * KIB), *big = expect(spec, 256 * KIB);
		bool bursts = !isnan(gp2[i].burst_s);

		assert_near(num(o, "baseline", "iops"), gp2[i].base, 0);
		assert_near(num(json_array_get(json_object_get(o, "volumes"), 0), "throughput_mibps", NULL), gp2[i].cap_mibps, 0);
		assert_near(num(big, "baseline", "mibps"), gp2[i].base_256k_mibps, 1e-9);
		assert_int_equal(json_is_null(json_object_get(o, "burst")), !bursts);
		assert_same(num(o, "burst", "iops"), bursts ? gp2[i].burst : NAN, 0);
		assert_same(num(o, "burst", "seconds"), gp2[i].burst_s, 0.0005);
		assert_same(num(o, "credits", "refill_seconds"), gp2[i].refill_s, 0.0005);
		json_decref(o);
		json_decref(big);
	}
}

static void every_worked_st1_and_sc1_volume_comes_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(hdd); i++) {
		char spec[32];

		snprintf(spec, sizeof(spec), "%s:%llu", hdd[i].type, (unsigned long long)hdd[i].size);
		json_t *o = expect(spec, 0);

		assert_near(num(o, "baseline", "mibps"), hdd[i].base, 0.000051);
		if (!isnan(hdd[i].burst_s))
			assert_near(num(o, "burst", "mibps"), hdd[i].burst, 0.000051);
		else
			assert_true(json_is_null(json_object_get(o, "burst")));
		assert_near(num(o, "credits", "capacity"), hdd[i].bucket_mib, 0);
		assert_near(num(o, "credits", "scan_seconds"), hdd[i].scan_s, 0.051);
		assert_near(num(o, "credits", "refill_seconds"), hdd[i].refill_s, 0.051);
		assert_same(num(o, "burst", "seconds"), hdd[i].burst_s, 0.051);
		json_decref(o);
	}
}

static void every_documented_scan_time_comes_out(void **state)
{
	(void)state;
	for (int t = 0; t < 2; t++) {
		for (uint64_t tib = 1; tib <= 16; tib++) {
			struct volume v = volume_make(&limits_builtin()->type[t ? VOLUME_SC1 : VOLUME_ST1], tib * 1024, 0, 0);

			assert_near(volume_scan_seconds(&v) / 3600, scan_hours[t][tib - 1], 0.00999);
		}
	}
}

static void every_worked_maximum_is_the_end_of_what_is_legal(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(maxima); i++) {
		char spec[48];

		snprintf(spec, sizeof(spec), "%s:%llu:%.0f", maxima[i].type, (unsigned long long)maxima[i].size,
			 maxima[i].max_iops);
		json_t *o = expect(spec, 0);

		assert_near(legal_max(o, "iops"), maxima[i].max_iops, 0);
		if (!isnan(maxima[i].max_mibps))
			assert_near(legal_max(o, "throughput_mibps"), maxima[i].max_mibps, 0);
		json_decref(o);
	}
}

static void every_worked_throughput_comes_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(throughputs); i++) {
		bool gp3 = strcmp(throughputs[i].type, "gp3") == 0;
		char spec[48];

		snprintf(spec, sizeof(spec), "%s:4000:%llu", throughputs[i].type, (unsigned long long)throughputs[i].iops);
		json_t *o = expect(spec, 256 * KIB);
		double got = gp3 ? legal_max(o, "throughput_mibps")
				 : num(json_array_get(json_object_get(o, "volumes"), 0), "throughput_mibps", NULL);

		assert_near(got, throughputs[i].max_mibps, 1e-9);
		json_decref(o);
	}
}

static void every_worked_price_comes_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(costs); i++) {
		const struct volume_type *t = volume_type_find(limits_builtin(), costs[i].type);
		struct volume v = volume_make(t, costs[i].size, costs[i].iops, costs[i].mibps);

		assert_near(volume_cost(&v), costs[i].usd, 1e-9);
	}
}

static void the_json_of_gp2_100_has_exactly_these_figures(void **state)
{
	static const char *const want =
		"{\"volumes\":[{\"type\":\"gp2\",\"size_gib\":100,\"iops\":300,\"throughput_mibps\":128}],\"host\":null,"
		"\"workload\":{\"rw\":\"randread\",\"bs\":16384},"
		"\"baseline\":{\"iops\":300,\"mibps\":4.6875,\"bound_by\":\"volume iops\"},"
		"\"burst\":{\"iops\":3000,\"mibps\":46.875,\"bound_by\":\"volume iops\",\"seconds\":2000},"
		"\"credits\":{\"unit\":\"io\",\"capacity\":5400000,\"earn_per_s\":300,\"refill_seconds\":18000},"
		"\"host_credits\":[],\"curve\":[{\"start_s\":0,\"end_s\":2000,\"iops\":3000,\"mibps\":46.875,"
		"\"bound_by\":\"volume iops\"},{\"start_s\":2000,\"end_s\":null,\"iops\":300,\"mibps\":4.6875,"
		"\"bound_by\":\"volume iops\"}],";
	json_t *o = expect("gp2:100", 16 * KIB);
	char *text = json_dumps(o, JSON_COMPACT);
	(void)state;

	assert_int_equal(strncmp(text, want, strlen(want)), 0);
	assert_non_null(strstr(text, "\"limits\":[{\"name\":\"volume baseline iops\",\"value\":300"));
	assert_non_null(strstr(text, "\"legal\":{\"size_gib\":[1,16384],\"iops\":null,\"throughput_mibps\":null},"
				     "\"cost_usd_month\":10.0,"));
	assert_non_null(strstr(text, "\"as_of\":\"2026-08\""));
	free(text);
	json_decref(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_worked_gp2_volume_comes_out),
		cmocka_unit_test(every_worked_st1_and_sc1_volume_comes_out),
		cmocka_unit_test(every_documented_scan_time_comes_out),
		cmocka_unit_test(every_worked_maximum_is_the_end_of_what_is_legal),
		cmocka_unit_test(every_worked_throughput_comes_out),
		cmocka_unit_test(every_worked_price_comes_out),
		cmocka_unit_test(the_json_of_gp2_100_has_exactly_these_figures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
