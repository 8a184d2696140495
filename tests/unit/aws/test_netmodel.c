/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aws/netmodel.h"
#include "aws/netobs.h"
#include "aws/netsim.h"
#include "engine/clock.h"
#include "tests/unit/near.h"

static struct host task(const char *text)
{
	struct host h;
	struct err err;

	if (host_task(&h, limits_builtin(), text, &err) < 0)
		fail_msg("%s", err.msg);
	return h;
}

static struct host instance(const char *name)
{
	struct host h;
	struct err err;

	if (host_instance(&h, limits_builtin(), name, &err) < 0)
		fail_msg("%s", err.msg);
	return h;
}

static struct net_expect expect(struct host h, unsigned streams)
{
	struct net_expect e;

	net_expect_of(&h, streams, false, &e);
	return e;
}

/* A series of @p n levels: seconds and bits per second in turn. */
static struct net_shape levels(int n, const double *v)
{
	struct net_series s;
	struct net_shape sh;
	uint64_t t = 0;

	net_series_init(&s, NS_PER_SEC);
	for (int k = 0; k < n; k++)
		for (int i = 0; i < (int)(v[2 * k] * 10); i++) {
			struct net_sample x = { .t_ns = t += NS_PER_SEC / 10,
						.dt_ns = NS_PER_SEC / 10,
						.sent = (uint64_t)(v[2 * k + 1] / 80) };
			assert_int_equal(net_series_add(&s, &x), 0);
		}
	assert_int_equal(net_shape_of(&s, NET_SEND, &sh), 0);
	net_series_release(&s);
	return sh;
}

static struct net_judgement judge(const struct net_expect *e, const struct net_shape *s,
				  const struct ena *ena)
{
	struct net_measured m = { .dir = NET_SEND,
				  .shape = s,
				  .seconds = 60, .time_scale = 1,
				  .goodput_bps = NAN,
				  .retransmits = UINT64_MAX,
				  .cpu_share = NAN,
				  .ena = ena };
	struct net_judgement j;

	net_judge(e, &m, &j);
	return j;
}

/* A UDP test: so much arrived, under a cap, with a share lost. */
static struct net_judgement judge_udp(const struct net_expect *e, const struct net_shape *s, double arrived, double cap,
				      double lost)
{
	struct net_measured m = { .dir = NET_SEND, .shape = s, .seconds = 30, .time_scale = 1, .goodput_bps = arrived,
				  .retransmits = UINT64_MAX, .rate_cap_bps = cap, .cpu_share = NAN, .udp = true,
				  .lost_share = lost };
	struct net_judgement j;

	net_judge(e, &m, &j);
	return j;
}

static void of_datagrams_what_arrived_is_judged_and_not_what_was_sent(void **state)
{
	const double sent[] = { 15, 9e9, 15, 4e9 };
	struct net_shape s = levels(2, sent);
	struct net_expect e = expect(instance("m5.large"), 10);

	(void)state;
	assert_true(s.burst_bps > 0);
	struct net_judgement j = judge_udp(&e, &s, 3e9, 0, 0.4);
	assert_int_equal(j.verdict, VERDICT_SHORT);
	assert_string_equal(net_bound_name(j.bound), "lost datagrams");
	assert_non_null(strstr(j.reason, "3 Gbps"));
	assert_non_null(strstr(j.reason, "40.0 % of the datagrams were lost"));
	assert_null(strstr(j.reason, "segments"));
	j = judge_udp(&e, &s, 0.97e9, 1e9, 0.03);
	assert_int_equal(j.bound, NETB_RATE);
	assert_non_null(strstr(j.reason, "3.0 % of the datagrams were lost"));
	j = judge_udp(&e, &s, 1e9, 1e9, 0);
	assert_null(strstr(j.reason, "lost"));
}

static void a_small_task_is_expected_as_it_was_observed(void **state)
{
	struct net_expect e = expect(task("0.25:512MiB"), 10);

	(void)state;
	assert_near(e.base_bps, 0.063e9, 1e3);
	assert_near(e.peak_bps, 4.214e9, 0.02e9);
	assert_near(e.burst_s, 410, 0);
	assert_true(e.observed);
	assert_string_equal(e.label, "observed 2024-06, eu-west-1, not a promise");
	assert_true(isnan(e.flow_bps));
	assert_near(e.burst_bytes, 213e9, 3e9);
	e = expect(task("4:8"), 10);
	assert_near(e.base_bps, 1.241e9, 1e3);
	assert_near(e.burst_s, 640, 0);
}

static void one_flow_of_a_large_instance_is_capped_and_the_cap_is_named(void **state)
{
	const double v[] = { 30, 4.97e9 };
	struct net_shape s = levels(1, v);
	struct net_expect e = expect(instance("m5n.8xlarge"), 1);

	(void)state;
	assert_near(e.peak_bps, 25e9, 0);
	assert_near(net_expect_peak(&e), 5e9, 0);
	assert_int_equal(e.streams_needed, 5);
	struct net_judgement j = judge(&e, &s, NULL);
	assert_int_equal(j.verdict, VERDICT_PASS);
	assert_int_equal(j.bound, NETB_FLOW);
	assert_non_null(strstr(j.reason, "Single-flow cap: one connection carries about 5 Gbps; -P 5"));
	struct host h = instance("m5n.8xlarge");
	net_expect_of(&h, 1, true, &e);
	assert_near(net_expect_peak(&e), 10e9, 0);
}

static void a_short_test_says_that_the_baseline_was_not_reached(void **state)
{
	const double v[] = { 60, 9.7e9 };
	struct net_shape s = levels(1, v);
	struct net_expect e = expect(task("4:8"), 10);
	struct net_judgement j = judge(&e, &s, NULL);

	(void)state;
	assert_int_equal(j.verdict, VERDICT_PASS);
	assert_non_null(strstr(j.reason, "Baseline not reached in 1 m"));
	assert_non_null(strstr(j.reason, "then 1.24 Gbps"));
}

static void burst_and_baseline_are_both_held_against_what_is_known(void **state)
{
	const double good[] = { 640, 9.8e9, 200, 1.24e9 }, bad[] = { 640, 9.8e9, 200, 0.9e9 };
	struct net_expect e = expect(task("4:8"), 10);
	struct net_shape s = levels(2, good);

	(void)state;
	struct net_judgement j = judge(&e, &s, NULL);
	assert_int_equal(j.verdict, VERDICT_PASS);
	assert_non_null(strstr(j.reason, "Burst of 9.8 Gbps for 10 m 40 s, then a baseline of 1.24 Gbps"));
	s = levels(2, bad);
	j = judge(&e, &s, NULL);
	assert_int_equal(j.verdict, VERDICT_SHORT);
}

static void a_series_that_opens_at_the_baseline_had_no_credits(void **state)
{
	const double v[] = { 60, 1.2e9 };
	struct net_shape s = levels(1, v);
	struct net_expect e = expect(task("4:8"), 10);
	struct net_judgement j = judge(&e, &s, NULL);

	(void)state;
	assert_int_equal(j.verdict, VERDICT_PASS);
	assert_non_null(strstr(j.reason, "no credits were left"));
}

static void a_counter_of_the_card_proves_the_limit(void **state)
{
	const double v[] = { 60, 3e9 };
	struct net_shape s = levels(1, v);
	struct net_expect e = expect(task("4:8"), 10);
	struct ena zero, one;

	(void)state;
	ena_parse(&zero,
		  "bw_in_allowance_exceeded: 5\nbw_out_allowance_exceeded: 0\npps_allowance_exceeded: 0\n");
	struct net_judgement j = judge(&e, &s, &zero); /* inbound does not matter to a sender */
	assert_int_equal(j.verdict, VERDICT_SHORT);
	assert_false(j.proven);
	assert_non_null(strstr(j.reason, "No allowance counter of the card moved"));
	ena_parse(&one, "bw_out_allowance_exceeded: 77\n");
	j = judge(&e, &s, &one);
	assert_true(j.proven);
	assert_int_equal(j.bound, NETB_INSTANCE);
	assert_non_null(strstr(j.reason, "bw_out_allowance_exceeded moved by 77"));
	ena_parse(&one, "bw_out_allowance_exceeded: 0\npps_allowance_exceeded: 9\n");
	j = judge(&e, &s, &one);
	assert_int_equal(j.bound, NETB_PPS);
}

static void cpu_loss_and_a_cap_of_our_own_are_named(void **state)
{
	const double v[] = { 60, 3e9 };
	struct net_shape s = levels(1, v);
	struct net_expect e = expect(task("4:8"), 10);
	struct net_measured m = { .dir = NET_SEND,
				  .shape = &s,
				  .seconds = 60, .time_scale = 1,
				  .goodput_bps = NAN,
				  .retransmits = UINT64_MAX,
				  .cpu_share = 0.97 };
	struct net_judgement j;

	(void)state;
	net_judge(&e, &m, &j);
	assert_int_equal(j.bound, NETB_CPU);
	assert_int_equal(j.verdict, VERDICT_SHORT);
	m.cpu_share = 0.3, m.sent = 1448 * 1000, m.mss = 1448, m.retransmits = 30;
	net_judge(&e, &m, &j);
	assert_int_equal(j.bound, NETB_LOSS);
	assert_non_null(strstr(j.reason, "3.0 % of the segments"));
	m.rate_cap_bps = 3.1e9;
	net_judge(&e, &m, &j);
	assert_int_equal(j.bound, NETB_RATE);
	assert_int_equal(j.verdict, VERDICT_UNKNOWN); /* the network was not asked for more */
}

static void without_a_host_there_is_nothing_to_hold_it_against(void **state)
{
	const double v[] = { 10, 1e9 };
	struct net_shape s = levels(1, v);
	struct net_expect e;

	(void)state;
	net_expect_of(NULL, 1, false, &e);
	struct net_judgement j = judge(&e, &s, NULL);
	assert_int_equal(j.verdict, VERDICT_UNKNOWN);
	json_t *o = net_expect_to_json(&e);
	assert_true(json_is_null(o));
	json_decref(o);
}

static void more_than_the_peak_is_above(void **state)
{
	const double v[] = { 10, 20e9 };
	struct net_shape s = levels(1, v);
	struct net_expect e = expect(task("4:8"), 10);
	struct net_judgement j = judge(&e, &s, NULL);

	(void)state;
	assert_int_equal(j.verdict, VERDICT_ABOVE);
}

static void the_published_tables_are_whole(void **state)
{
	size_t tasks = 0, functions = 0;

	(void)state;
	while (net_observed_tasks[tasks].region)
		tasks++;
	while (net_observed_lambda[functions].region)
		functions++;
	assert_int_equal(tasks, 30);
	assert_int_equal(functions, 15);
	for (size_t i = 1; i < tasks; i++) {
		const struct net_observation *o = &net_observed_tasks[i];
		assert_true(o[-1].mem_mib < o->mem_mib || o[-1].cpu_units < o->cpu_units || strcmp(o[-1].region, o->region));
	}
	assert_near(net_observed_function("eu-north-1", 10240)->base_gbps, 0.58, 0);
	assert_null(net_observed_function("eu-west-1", 10240));
}

static void a_simulated_task_bursts_and_falls_at_its_time_scale(void **state)
{
	struct net_expect e = expect(task("0.25:512MiB"), 10);
	struct netsim n;
	struct err err;

	(void)state;
	assert_int_equal(netsim_of(&e, 60, 1, &n, &err), 0);
	assert_near(netsim_burst_end(&n), 410 / 60.0, 1e-9);
	assert_near(netsim_bits(&n, 0, 1), n.peak_bps, 1);
	assert_near(netsim_bits(&n, 100, 101), n.base_bps, 1);
	double half = netsim_burst_end(&n);
	assert_near(netsim_bits(&n, half - 0.5, half + 0.5), (n.peak_bps + n.base_bps) / 2, 1);
	net_expect_of(NULL, 1, false, &e);
	assert_int_equal(netsim_of(&e, 1, 1, &n, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
}

static void keep_sample(void *ctx, const struct net_sample *x)
{
	assert_int_equal(net_series_add(ctx, x), 0);
}

static void a_simulated_test_finds_its_own_burst(void **state)
{
	struct net_expect e = expect(task("0.25:512MiB"), 10);
	struct iperf_client_opts o = { .tick_ns = NS_PER_SEC / 100 };
	struct net_series series;
	struct iperf_client_hooks hooks = { .ctx = &series, .sample = keep_sample };
	struct iperf_report rep;
	struct net_shape sh;
	struct netsim n;
	struct err err;

	(void)state;
	net_series_init(&series, NS_PER_SEC);
	iperf_params_init(&o.params);
	o.params.time_s = 3, o.params.reverse = true, o.params.parallel = 10;
	assert_int_equal(netsim_of(&e, 410 / 1.5, 1, &n, &err), 0); /* one and a half seconds of burst */
	assert_int_equal(netsim_run(&n, &o, &hooks, NULL, &rep, &err), 0);
	assert_true(rep.complete);
	assert_true(rep.received == rep.peer_sent);
	assert_int_equal(net_shape_of(&series, NET_RECEIVE, &sh), 0);
	assert_near(sh.burst_end_s, 1.5, 0.3); /* its ticks come late on a busy machine */
	assert_near(sh.baseline_bps, 0.063e9, 0.005e9);
	iperf_report_release(&rep);
	net_series_release(&series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_datagrams_what_arrived_is_judged_and_not_what_was_sent),
		cmocka_unit_test(a_small_task_is_expected_as_it_was_observed),
		cmocka_unit_test(one_flow_of_a_large_instance_is_capped_and_the_cap_is_named),
		cmocka_unit_test(a_short_test_says_that_the_baseline_was_not_reached),
		cmocka_unit_test(burst_and_baseline_are_both_held_against_what_is_known),
		cmocka_unit_test(a_series_that_opens_at_the_baseline_had_no_credits),
		cmocka_unit_test(a_counter_of_the_card_proves_the_limit),
		cmocka_unit_test(cpu_loss_and_a_cap_of_our_own_are_named),
		cmocka_unit_test(without_a_host_there_is_nothing_to_hold_it_against),
		cmocka_unit_test(more_than_the_peak_is_above),
		cmocka_unit_test(the_published_tables_are_whole),
		cmocka_unit_test(a_simulated_task_bursts_and_falls_at_its_time_scale),
		cmocka_unit_test(a_simulated_test_finds_its_own_burst),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
