/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "aws/ena.h"

static const char card[] = "driver: ena\n"
			   "     tx_timeout: 0\n"
			   "     bw_in_allowance_exceeded: 12\n"
			   "     bw_out_allowance_exceeded: 18446744073709551614\n"
			   "     pps_allowance_exceeded: 0\n"
			   "     conntrack_allowance_available: 136812\n"
			   "     ena_srd_mode: 1\n"
			   "     queue_0_tx_cnt: 5\n";

static void counters_are_found_by_name(void **state)
{
	struct ena e;

	(void)state;
	ena_parse(&e, card);
	assert_string_equal(e.driver, "ena");
	assert_int_equal(e.value[ENA_BW_IN], 12);
	assert_true(e.value[ENA_BW_OUT] == UINT64_MAX - 1);
	assert_int_equal(e.value[ENA_PPS], 0);
	assert_true(e.value[ENA_CONNTRACK] == ENA_NONE);
	assert_int_equal(e.value[ENA_CONNTRACK_AVAILABLE], 136812);
	assert_true(ena_has_allowance(&e));
}

static void a_name_of_32_bytes_without_an_end_is_read_no_further(void **state)
{
	char name[64];
	const uint64_t value[2] = { 1, 2 };
	struct ena e;

	(void)state;
	ena_parse(&e, "");
	memset(name, 'x', sizeof(name));
	memcpy(name + 32, "pps_allowance_exceeded", 23);
	ena_take(&e, name, value, 2);
	assert_int_equal(e.value[ENA_PPS], 2);
	assert_true(e.value[ENA_BW_IN] == ENA_NONE);
}

static void a_delta_is_of_counters_and_a_gauge_stays(void **state)
{
	struct ena from, to, d;

	(void)state;
	ena_parse(&from, card);
	ena_parse(&to, "driver: ena\nbw_in_allowance_exceeded: 20\npps_allowance_exceeded: 7\n"
		       "conntrack_allowance_exceeded: 3\nconntrack_allowance_available: 100\n");
	ena_delta(&from, &to, &d);
	assert_int_equal(d.value[ENA_BW_IN], 8);
	assert_int_equal(d.value[ENA_PPS], 7);
	assert_true(d.value[ENA_CONNTRACK] == ENA_NONE); /* it was not there before */
	assert_true(d.value[ENA_BW_OUT] == ENA_NONE);    /* nor is it now */
	assert_int_equal(d.value[ENA_CONNTRACK_AVAILABLE], 100);
}

static void a_driver_that_was_reset_counts_from_zero(void **state)
{
	struct ena from, to, d;

	(void)state;
	ena_parse(&from, "bw_in_allowance_exceeded: 100\n");
	ena_parse(&to, "bw_in_allowance_exceeded: 4\n");
	ena_delta(&from, &to, &d);
	assert_int_equal(d.value[ENA_BW_IN], 4);
}

static void why_there_is_no_counter_is_said(void **state)
{
	struct ena e;
	char buf[128];

	(void)state;
	ena_parse(&e, "driver: virtio_net\nrx_packets: 5\n");
	assert_false(ena_has_allowance(&e));
	assert_string_equal(ena_missing_text(&e, "eth0", buf, sizeof(buf)),
			    "no counter: driver virtio_net of eth0 is not ena");
	ena_parse(&e, "driver: ena\n");
	assert_string_equal(ena_missing_text(&e, "ens5", buf, sizeof(buf)),
			    "no counter: the ena driver of ens5 is older than 2.2.10");
	assert_false(ena_read("", &e));
	assert_string_equal(ena_missing_text(&e, "", buf, sizeof(buf)),
			    "no counter: the interface is not known");
}

static void the_loopback_has_no_allowance(void **state)
{
	struct ena e;

	(void)state;
	assert_false(ena_read("lo", &e));
	assert_false(ena_read("no-such-card", &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_found_by_name),
		cmocka_unit_test(a_name_of_32_bytes_without_an_end_is_read_no_further),
		cmocka_unit_test(a_delta_is_of_counters_and_a_gauge_stays),
		cmocka_unit_test(a_driver_that_was_reset_counts_from_zero),
		cmocka_unit_test(why_there_is_no_counter_is_said),
		cmocka_unit_test(the_loopback_has_no_allowance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
