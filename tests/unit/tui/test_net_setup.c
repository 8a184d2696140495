/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "tui/net_cli.h"
#include "tui/net_form.h"

static uint64_t rate(const char *text)
{
	uint64_t bps = 0, burst = 0;
	struct err err;

	if (net_parse_rate(text, &bps, &burst, &err) < 0)
		fail_msg("%s", err.msg);
	return bps;
}

static void rates_are_powers_of_a_thousand(void **state)
{
	uint64_t bps, burst;
	struct err err;

	(void)state;
	assert_true(rate("500M") == 500000000);
	assert_true(rate("2.5g") == 2500000000);
	assert_true(rate("64k") == 64000);
	assert_true(rate("1000000") == 1000000);
	assert_true(rate("0") == 0); /* no cap */
	assert_int_equal(net_parse_rate("10M/4", &bps, &burst, &err), 0);
	assert_int_equal(burst, 4);
}

static void what_is_no_rate_is_refused(void **state)
{
	static const char *const bad[] = { "",        "M",   "0.1", "-1M", "1x",  "1M/0",
					   "1M/1001", "1M/", "1mm", "1e9", "nan", "1 M" };
	uint64_t bps, burst;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (net_parse_rate(bad[i], &bps, &burst, &err) == 0)
			fail_msg("'%s' was taken for a rate", bad[i]);
		assert_int_equal(err.code, ERR_USAGE);
	}
}

static void a_target_is_a_host_with_a_port_or_without(void **state)
{
	static const struct {
		const char *text, *host;
		uint16_t port;
	} good[] = { { "a.example", "a.example", 5201 }, { "a.example:80", "a.example", 80 },
		     { "10.0.0.1:1", "10.0.0.1", 1 },    { "::1", "::1", 5201 },
		     { "[::1]", "[::1]", 5201 },         { "[fe80::1]:65535", "[fe80::1]", 65535 } };
	static const char *const bad[] = { "", ":80", "a:0", "a:65536", "a:b", "a:" };
	struct net_setup s;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		net_setup_init(&s);
		if (net_setup_target(&s, good[i].text, limits_builtin(), &err) < 0)
			fail_msg("%s", err.msg);
		assert_string_equal(s.peer, good[i].host);
		assert_int_equal(s.port, good[i].port);
		assert_false(s.simulated);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		net_setup_init(&s);
		assert_int_equal(net_setup_target(&s, bad[i], limits_builtin(), &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
	}
}

static void a_simulated_network_is_named_by_its_host(void **state)
{
	struct net_setup s;
	struct err err;

	(void)state;
	net_setup_init(&s);
	assert_int_equal(net_setup_target(&s, "sim:net:0.25:512MiB", limits_builtin(), &err), 0);
	assert_true(s.simulated);
	assert_int_equal(s.on.kind, HOST_TASK);
	net_setup_init(&s);
	assert_int_equal(net_setup_target(&s, "sim:net:m5.large", limits_builtin(), &err), 0);
	assert_int_equal(s.on.kind, HOST_INSTANCE);
	net_setup_init(&s);
	assert_int_equal(net_setup_target(&s, "sim:net:lambda:1024", limits_builtin(), &err), 0);
	assert_int_equal(s.on.kind, HOST_LAMBDA);
	static const char *const bare[] = { "sim:net:", "sim:net", "sim:" };
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(net_setup_target(&s, bare[i], limits_builtin(), &err), -1);
		assert_non_null(strstr(err.msg, "lambda:1024"));
	}
	assert_int_equal(net_setup_target(&s, "sim:net:3:1", limits_builtin(), &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
}

static void presets_are_as_published(void **state)
{
	struct net_setup s;
	struct err err;

	(void)state;
	net_setup_init(&s);
	assert_int_equal(net_setup_preset(&s, "fargate", &err), 0);
	assert_int_equal(s.params.parallel, 10);
	assert_int_equal(s.params.time_s, 900);
	assert_int_equal(net_setup_direction(&s), NET_RECEIVE);
	net_setup_init(&s);
	assert_int_equal(net_setup_preset(&s, "lambda", &err), 0);
	assert_int_equal(s.params.parallel, 1);
	assert_int_equal(s.params.time_s, 3600);
	assert_int_equal(net_setup_direction(&s), NET_SEND);
	assert_int_equal(net_setup_preset(&s, "ec2", &err), -1);
	assert_string_equal(err.msg, "'ec2' is not a preset: fargate, lambda");
}

static void a_host_that_was_found_is_filled_in_where_none_is_named(void **state)
{
	struct net_form f;
	struct host task, other;
	struct err err;

	(void)state;
	assert_int_equal(host_task(&task, limits_builtin(), "0.25:512MiB", &err), 0);
	assert_int_equal(host_instance(&other, limits_builtin(), "m5.large", &err), 0);
	net_form_init(&f, limits_builtin());
	net_form_host(&f, &task);
	assert_string_equal(f.form.field[NF_HOST].value, "0.25:512MiB");
	assert_true(f.expect.base_bps == 0.063e9);
	net_form_host(&f, &other); /* it is named by now */
	assert_string_equal(f.form.field[NF_HOST].value, "0.25:512MiB");
}

static void a_host_that_was_found_counts_again_behind_a_simulated_network(void **state)
{
	struct net_form f;
	struct host found;
	struct err err;

	(void)state;
	assert_int_equal(host_instance(&found, limits_builtin(), "m5.large", &err), 0);
	net_form_init(&f, limits_builtin());
	assert_int_equal(net_form_set(&f, NF_PEER, "sim:net:0.25:512MiB", &err), 0);
	net_form_host(&f, &found);
	assert_string_equal(f.setup.on.name, "0.25:512MiB");
	assert_int_equal(net_form_set(&f, NF_PEER, "10.0.0.1", &err), 0);
	assert_string_equal(f.setup.on.name, "m5.large");
	assert_string_equal(f.form.field[NF_HOST].value, "m5.large");
}

static void a_host_stands_in_the_form_as_one_would_type_it(void **state)
{
	static const char *const text[] = { "m5.large", "2:4", "0.25:512MiB", "lambda:1769" };
	struct net_setup setup;
	struct net_form f;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		net_setup_init(&setup);
		snprintf(setup.peer, sizeof(setup.peer), "10.0.0.1");
		assert_int_equal(net_host_parse(&setup.on, text[i], limits_builtin(), &err), 0);
		net_form_init(&f, limits_builtin());
		net_form_take(&f, &setup);
		assert_string_equal(f.form.field[NF_HOST].value, text[i]);
	}
}

static void rates_are_written_in_three_digits(void **state)
{
	char buf[FMT_LEN];

	(void)state;
	assert_string_equal(net_fmt_bps(buf, 4.214e9), "4.21 Gbps");
	assert_string_equal(net_fmt_bps(buf, 63e6), "63 Mbps");
	assert_string_equal(net_fmt_bps(buf, 999.9e6), "1 Gbps");
	assert_string_equal(net_fmt_bps(buf, 0), "0 Mbps");
	assert_string_equal(net_fmt_bps(buf, NAN), "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_powers_of_a_thousand),
		cmocka_unit_test(what_is_no_rate_is_refused),
		cmocka_unit_test(a_target_is_a_host_with_a_port_or_without),
		cmocka_unit_test(a_simulated_network_is_named_by_its_host),
		cmocka_unit_test(presets_are_as_published),
		cmocka_unit_test(a_host_that_was_found_is_filled_in_where_none_is_named),
		cmocka_unit_test(a_host_that_was_found_counts_again_behind_a_simulated_network),
		cmocka_unit_test(a_host_stands_in_the_form_as_one_would_type_it),
		cmocka_unit_test(rates_are_written_in_three_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
