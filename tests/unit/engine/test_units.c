/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <string.h>

#include "engine/units.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

typedef int parser(const char *text, uint64_t *out, struct err *err);

struct reads {
	const char *text;
	uint64_t value;
};

static void all_read(parser *parse, const struct reads *cases, size_t n)
{
	struct err err = { 0 };

	for (size_t i = 0; i < n; i++) {
		uint64_t value = 0;
		if (parse(cases[i].text, &value, &err) < 0)
			fail_msg("%s: %s", cases[i].text, err.msg);
		if (value != cases[i].value)
			fail_msg("%s: %llu", cases[i].text, (unsigned long long)value);
	}
	assert_int_equal(err.code, 0);
}

static void none_reads(parser *parse, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct err err = { 0 };
		uint64_t value = 4711;
		if (parse(texts[i], &value, &err) == 0)
			fail_msg("'%s' was read as %llu", texts[i], (unsigned long long)value);
		assert_int_equal(err.code, ERR_USAGE);
		assert_int_equal(value, 4711);
		assert_true(err.msg[0] == '\'');
	}
}

static void a_size_takes_fios_suffixes_as_powers_of_1024_in_either_case(void **state)
{
	static const struct reads sizes[] = {
		{ "0", 0 },		  { "512", 512 },	   { "512b", 512 },	  { "16k", 16 * KIB },
		{ "16K", 16 * KIB },	  { "16kb", 16 * KIB },	   { "16Ki", 16 * KIB },  { "16KiB", 16 * KIB },
		{ "1m", MIB },		  { "1M", MIB },	   { "1MB", MIB },	  { "1MiB", MIB },
		{ "2g", 2 * GIB },	  { "2GiB", 2 * GIB },	   { "3t", 3 * TIB },	  { "3TiB", 3 * TIB },
		{ "1.5GiB", 3 * GIB / 2 }, { "0.5k", 512 },	   { "0.375k", 384 },	  { "1.50m", 3 * MIB / 2 },
		{ "0.0009765625k", 1 },	  { "007", 7 },		   { "4.000000000000000000000000k", 4 * KIB },
	};

	(void)state;
	all_read(parse_size, sizes, COUNT(sizes));
}

static void a_size_is_exact_where_a_double_is_not(void **state)
{
	static const struct reads sizes[] = {
		{ "9007199254740993", 9007199254740993 },
		{ "9223372036854775807", INT64_MAX },
		{ "8388607.9990234375t", 9223372035781033984 },
	};

	(void)state;
	all_read(parse_size, sizes, COUNT(sizes));
}

static void what_is_no_size_is_refused_and_leaves_the_value_alone(void **state)
{
	static const char *const texts[] = {
		"", " ", "k", ".", ".5k", "5.", "5.k", "-1", "+1", " 1", "1 ", "1 k", "1kk", "1x", "1ib", "1e3", "0x10",
		"nan", "inf", "1,5k", "1..5k", "1.5.5k", "0.3k", "1.5", "1\n", "\xc2\xbd", "16k\xff",
		"9223372036854775808", "8388608t", "18446744073709551616", "99999999999999999999999999999",
		"1.00000000000000000000000001k",
	};

	(void)state;
	none_reads(parse_size, texts, COUNT(texts));
}

static void a_time_without_a_unit_is_seconds(void **state)
{
	static const struct reads times[] = {
		{ "30", 30000000000 },	   { "30s", 30000000000 }, { "0", 0 },		      { "0.5", 500000000 },
		{ "500ms", 500000000 },	   { "250us", 250000 },	   { "1.5m", 90000000000 },   { "1h", 3600000000000 },
		{ "2D", 172800000000000 }, { "0.1us", 100 },	   { "0.0004us", 0 },	      { "0.0005us", 1 },
		{ "1.000000001", 1000000001 }, { "60sec", 60000000000 }, { "5msec", 5000000 }, { "106751d", 9223286400000000000 },
	};

	(void)state;
	all_read(parse_time, times, COUNT(times));
}

static void what_is_no_time_is_refused(void **state)
{
	static const char *const texts[] = { "", "s", "-1s", "1 s", "1min", "1secs", "1:30", "1e3", "106752d",
					     "9999999999999999999999h", "nan", "inf", "1.5.5s" };

	(void)state;
	none_reads(parse_time, texts, COUNT(texts));
}

static void a_count_is_digits_only(void **state)
{
	static const struct reads counts[] = { { "0", 0 }, { "32", 32 }, { "18446744073709551615", UINT64_MAX } };
	static const char *const texts[] = { "", "-1", "+1", " 1", "1 ", "1.0", "1k", "0x1", "1e1",
					     "18446744073709551616" };

	(void)state;
	all_read(parse_count, counts, COUNT(counts));
	none_reads(parse_count, texts, COUNT(texts));
}

static void a_percentage_is_a_share_of_one(void **state)
{
	static const struct {
		const char *text;
		double share;
	} shares[] = { { "0", 0 }, { "40", 0.4 }, { "40%", 0.4 }, { "100", 1 }, { "100.0%", 1 }, { "0.1", 0.001 },
		       { "70", 0.7 }, { "29", 0.29 }, { "57.3%", 0.573 } };
	static const char *const texts[] = { "", "%", "-1", "100.1", "101%", "40 %", "40%%", "1k", "nan", "inf" };
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(shares); i++) {
		double share = -1;
		assert_int_equal(parse_percent(shares[i].text, &share, &err), 0);
		assert_true(share == shares[i].share);
	}
	for (size_t i = 0; i < COUNT(texts); i++) {
		double share = -1;
		assert_int_equal(parse_percent(texts[i], &share, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_true(share == -1);
	}
}

static void a_refusal_says_what_was_given_and_what_is_allowed(void **state)
{
	struct err err = { 0 };
	uint64_t v;
	double d;

	(void)state;
	parse_size("16kk", &v, &err);
	assert_string_equal(err.msg, "'16kk' is not a size (like 512, 16k, 1m, 2g or 1.5GiB)");
	parse_size("0.3k", &v, &err);
	assert_string_equal(err.msg, "'0.3k' is not a whole number of bytes");
	parse_size("8388608t", &v, &err);
	assert_string_equal(err.msg, "'8388608t' is too large for a size (under 8388608t)");
	parse_size("99999999999999999999", &v, &err);
	assert_string_equal(err.msg, "'99999999999999999999' has too many digits for a size (like 512, 16k, 1m, 2g or 1.5GiB)");
	parse_time("soon", &v, &err);
	assert_string_equal(err.msg, "'soon' is not a time (like 30, 30s, 500ms, 5m or 1h)");
	parse_percent("101", &d, &err);
	assert_string_equal(err.msg, "'101' is over 100 % (allowed: 0 to 100)");
	parse_count("-3", &v, &err);
	assert_string_equal(err.msg, "'-3' is not a whole number");
}

static void a_number_is_read_with_a_point_in_every_locale(void **state)
{
	struct err err = { 0 };
	uint64_t v = 0;

	(void)state;
	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
		setlocale(LC_NUMERIC, "");
	assert_int_equal(parse_size("1.5k", &v, &err), 0);
	assert_int_equal(v, 1536);
	assert_int_equal(parse_size("1,5k", &v, &err), -1);
	setlocale(LC_NUMERIC, "C");
}

typedef char *formatter(char *buf, double v);

static void all_show(formatter *fmt, const void *table, size_t n)
{
	const struct shows {
		double v;
		const char *text;
	} *cases = table;
	char buf[FMT_LEN];

	for (size_t i = 0; i < n; i++)
		assert_string_equal(fmt(buf, cases[i].v), cases[i].text);
}
#define SHOWS(fmt, ...)                                                                                                \
	do {                                                                                                           \
		static const struct {                                                                                  \
			double v;                                                                                      \
			const char *text;                                                                              \
		} cases_[] = { __VA_ARGS__ };                                                                          \
		all_show(fmt, cases_, COUNT(cases_));                                                                  \
	} while (0)

static void sizes_and_bandwidths_show_three_digits_in_powers_of_1024(void **state)
{
	(void)state;
	SHOWS(fmt_size, { 0, "0 B" }, { 512, "512 B" }, { 1023, "1023 B" }, { 1024, "1 KiB" }, { 16384, "16 KiB" },
	      { 1536, "1.50 KiB" }, { 1288490189, "1.20 GiB" }, { 9.99 * 1048576, "9.99 MiB" },
	      { 9.999 * 1048576, "10.0 MiB" }, { 99.96 * 1048576, "100 MiB" }, { 1023.6 * 1048576, "1.00 GiB" },
	      { 0x1p60, "1024 PiB" });
	SHOWS(fmt_bw, { 49152000, "46.9 MiB/s" }, { 0, "0 B/s" });
}

static void bandwidths_are_in_mib_as_aws_documents_them(void **state)
{
	(void)state;
	SHOWS(fmt_bw, { 999.4 * 1048576, "999 MiB/s" }, { 1000.0 * 1048576, "1,000 MiB/s" }, { 2093796556, "1,997 MiB/s" },
	      { 4000.0 * 1048576, "4,000 MiB/s" }, { 99999.4 * 1048576, "99,999 MiB/s" }, { 0x1p37, "128 GiB/s" },
	      { NAN, "-" });
}

static void rates_show_thousands_and_are_short_from_a_million_up(void **state)
{
	(void)state;
	SHOWS(fmt_iops, { 0, "0" }, { 0.047, "0.05" }, { 0.4, "0.4" }, { 7, "7" }, { 9.96, "10" }, { 999.6, "1,000" },
	      { 3000, "3,000" }, { 64000.4, "64,000" }, { 999999, "999,999" }, { 999999.6, "1.00M" }, { 2500000, "2.50M" },
	      { 12.34e6, "12.3M" }, { 1.5e9, "1.50G" });
	SHOWS(fmt_short, { 0, "0" }, { 0.4, "0.4" }, { 980, "980" }, { 999.6, "1.0k" }, { 3000, "3.0k" },
	      { 16000, "16k" }, { 999600, "1.0M" }, { 2.5e6, "2.5M" }, { 3e18, "3.0E" });
}

static void latencies_change_unit_so_that_three_digits_do(void **state)
{
	(void)state;
	SHOWS(fmt_lat, { 0, "0 ns" }, { 999, "999 ns" }, { 999.6, "1.00 \u00b5s" }, { 480000, "480 \u00b5s" },
	      { 1250000, "1.25 ms" }, { 3.1e9, "3.10 s" }, { 3600e9, "3600 s" });
}

static void a_duration_reads_as_people_say_it(void **state)
{
	(void)state;
	SHOWS(fmt_duration, { 0, "0 s" }, { 0.5, "0.5 s" }, { 9, "9 s" }, { 9.97, "10 s" }, { 42, "42 s" },
	      { 59.6, "1 m 00 s" }, { 2250, "37 m 30 s" }, { 3599.7, "1 h 00 m" }, { 9000, "2 h 30 m" },
	      { 273600, "3 d 4 h" }, { INFINITY, "for ever" }, { 1e30, "for ever" });
}

static void a_value_that_does_not_exist_is_a_dash(void **state)
{
	static formatter *const all[] = { fmt_size, fmt_bw, fmt_iops, fmt_short, fmt_lat, fmt_duration };
	char buf[FMT_LEN];

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++)
		assert_string_equal(all[i](buf, NAN), "-");
}

static void nothing_that_a_double_can_hold_writes_behind_the_buffer(void **state)
{
	static formatter *const all[] = { fmt_size, fmt_bw, fmt_iops, fmt_short, fmt_lat, fmt_duration };
	static const double v[] = { 1e18, 1e300, 1.7e308, INFINITY, -INFINITY, -1, -1e300, 5e-324, 0x1p63, 1e11, 9.9e11 };
	char buf[FMT_LEN + 1];

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		for (size_t k = 0; k < COUNT(v); k++) {
			buf[FMT_LEN] = '#';
			assert_true(strlen(all[i](buf, v[k])) < FMT_LEN);
			assert_int_equal(buf[FMT_LEN], '#');
		}
	}
}

static void a_block_size_reads_back_as_it_was(void **state)
{
	static const struct {
		uint64_t v;
		const char *text;
	} sizes[] = { { 0, "0" }, { 512, "512" }, { 4 * KIB, "4k" }, { 1536, "1536" }, { MIB, "1m" },
		      { 3 * MIB / 2, "1536k" }, { 5 * GIB, "5g" }, { 2 * TIB, "2t" }, { INT64_MAX, "9223372036854775807" } };
	struct err err = { 0 };
	char buf[FMT_LEN];

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		uint64_t back;
		assert_string_equal(fmt_bs(buf, sizes[i].v), sizes[i].text);
		assert_int_equal(parse_size(buf, &back, &err), 0);
		assert_true(back == sizes[i].v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_size_takes_fios_suffixes_as_powers_of_1024_in_either_case),
		cmocka_unit_test(a_size_is_exact_where_a_double_is_not),
		cmocka_unit_test(what_is_no_size_is_refused_and_leaves_the_value_alone),
		cmocka_unit_test(a_time_without_a_unit_is_seconds),
		cmocka_unit_test(what_is_no_time_is_refused),
		cmocka_unit_test(a_count_is_digits_only),
		cmocka_unit_test(a_percentage_is_a_share_of_one),
		cmocka_unit_test(a_refusal_says_what_was_given_and_what_is_allowed),
		cmocka_unit_test(a_number_is_read_with_a_point_in_every_locale),
		cmocka_unit_test(sizes_and_bandwidths_show_three_digits_in_powers_of_1024),
		cmocka_unit_test(bandwidths_are_in_mib_as_aws_documents_them),
		cmocka_unit_test(rates_show_thousands_and_are_short_from_a_million_up),
		cmocka_unit_test(latencies_change_unit_so_that_three_digits_do),
		cmocka_unit_test(a_duration_reads_as_people_say_it),
		cmocka_unit_test(a_value_that_does_not_exist_is_a_dash),
		cmocka_unit_test(nothing_that_a_double_can_hold_writes_behind_the_buffer),
		cmocka_unit_test(a_block_size_reads_back_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
