/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/iperf_proto.h"

static struct iperf_params params(const char *text)
{
	struct iperf_params p;
	struct err err = { 0 };

	if (iperf_params_parse(&p, text, strlen(text), &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

static const char *refused_params(const char *text, struct err *err)
{
	struct iperf_params p;

	*err = (struct err){ 0 };
	assert_int_equal(iperf_params_parse(&p, text, strlen(text), err), -1);
	assert_int_equal(err->code, EPROTO);
	return err->msg;
}

static char *text_of(json_t *doc)
{
	char *text = json_dumps(doc, JSON_COMPACT);

	json_decref(doc);
	return text;
}

static void the_parameters_have_the_keys_and_the_order_of_iperf3(void **state)
{
	struct iperf_params p;

	(void)state;
	iperf_params_init(&p);
	p.time_s = 1, p.parallel = 3, p.reverse = true;
	strcpy(p.version, "3.12");
	char *text = text_of(iperf_params_to_json(&p));
	assert_string_equal(
		text, "{\"tcp\":true,\"omit\":0,\"time\":1,\"num\":0,\"blockcount\":0,\"parallel\":3,"
		      "\"reverse\":true,\"len\":131072,\"pacing_timer\":1000,\"client_version\":\"3.12\"}");
	assert_int_equal(strlen(text), 138); /* as on the wire */
	free(text);
}

static void what_is_written_is_read_back(void **state)
{
	struct iperf_params p;

	(void)state;
	iperf_params_init(&p);
	p.omit_s = 2, p.mss = 1400, p.window = 262144, p.bandwidth = 5000000000, p.burst = 10, p.tos = 8;
	p.bidir = p.nodelay = p.skip_rx_copy = true;
	strcpy(p.congestion, "cubic");
	char *text = text_of(iperf_params_to_json(&p));
	struct iperf_params q = params(text);
	free(text);
	assert_memory_equal(&p, &q, offsetof(struct iperf_params, congestion));
	assert_string_equal(q.congestion, "cubic");
}

static void a_udp_test_says_so_and_takes_its_length_from_the_path(void **state)
{
	struct iperf_params p;
	struct err err;

	(void)state;
	iperf_params_init(&p);
	p.udp = p.wide_numbers = true;
	p.len = 0;
	assert_int_equal(iperf_params_check(&p, &err), 0);
	p.len = iperf_params_udp_len(1448);
	assert_int_equal(p.len, 1448);
	assert_int_equal(iperf_params_udp_len(0), 1460);
	assert_int_equal(iperf_params_udp_len(65535), 65507);
	char *text = text_of(iperf_params_to_json(&p));
	assert_null(strstr(text, "tcp"));
	assert_non_null(strstr(text, "\"udp_counters_64bit\":1"));
	struct iperf_params q = params(text);
	free(text);
	assert_true(q.udp && q.wide_numbers);
	assert_int_equal(q.len, 1448);
}

static void a_client_with_only_the_needed_keys_is_understood(void **state)
{
	struct iperf_params p =
		params("{\"tcp\":true,\"omit\":0,\"time\":10,\"parallel\":1,\"len\":131072,\"x\":[1]}");

	(void)state;
	assert_int_equal(p.time_s, 10);
	assert_int_equal(p.parallel, 1);
	assert_false(p.reverse);
}

static void parameters_out_of_range_are_refused_by_name(void **state)
{
	struct err err;

	(void)state;
	assert_non_null(strstr(refused_params("{\"tcp\":true,\"parallel\":129}", &err), "parallel"));
	assert_non_null(strstr(refused_params("{\"tcp\":true,\"parallel\":0}", &err), "parallel"));
	assert_non_null(strstr(refused_params("{\"tcp\":true,\"len\":1048577}", &err), "len"));
	assert_non_null(strstr(refused_params("{\"tcp\":true,\"time\":-1}", &err), "time"));
	assert_non_null(strstr(refused_params("{\"tcp\":true,\"time\":1e30}", &err), "time"));
	assert_non_null(strstr(refused_params("{\"tcp\":true,\"omit\":\"5\"}", &err), "omit"));
	assert_non_null(strstr(refused_params("{\"sctp\":true,\"time\":1}", &err), "TCP"));
	assert_non_null(strstr(refused_params("{\"udp\":true,\"tcp\":true,\"len\":1460}", &err), "TCP"));
	assert_non_null(strstr(refused_params("{\"udp\":true,\"len\":15}", &err), "datagram"));
	assert_non_null(strstr(refused_params("{\"udp\":true,\"len\":65508}", &err), "datagram"));
	assert_non_null(strstr(refused_params("{\"udp\":true,\"len\":0}", &err), "len"));
	assert_non_null(strstr(refused_params("{\"tcp\":1,\"time\":1}", &err), "TCP"));
	refused_params("{\"tcp\":true,\"reverse\":true,\"bidirectional\":true}", &err);
	refused_params("[]", &err);
	refused_params("", &err);
	refused_params("{\"tcp\":true", &err);
}

static void options_out_of_range_name_the_letter_and_what_is_allowed(void **state)
{
	struct iperf_params p;
	struct err err = { 0 };

	(void)state;
	iperf_params_init(&p);
	p.parallel = 129;
	assert_int_equal(iperf_params_check(&p, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.msg, "-P 129: allowed is 1 to 128");
	p.parallel = 1, p.reverse = p.bidir = true;
	assert_int_equal(iperf_params_check(&p, &err), -1);
	assert_string_equal(err.msg, "-R and --bidir exclude each other");
}

static void streams_are_numbered_without_two(void **state)
{
	(void)state;
	assert_int_equal(iperf_stream_id(0), 1);
	assert_int_equal(iperf_stream_id(1), 3);
	assert_int_equal(iperf_stream_id(2), 4);
	assert_int_equal(iperf_stream_id(127), 129);
}

static void in_both_directions_the_client_sends_on_the_first_half(void **state)
{
	struct iperf_params p;

	(void)state;
	iperf_params_init(&p);
	p.parallel = 2, p.bidir = true;
	assert_int_equal(iperf_params_streams(&p), 4);
	assert_true(iperf_params_client_sends(&p, 1));
	assert_false(iperf_params_client_sends(&p, 2));
	p.bidir = false, p.reverse = true;
	assert_int_equal(iperf_params_streams(&p), 2);
	assert_false(iperf_params_client_sends(&p, 0));
}

static void a_cookie_is_36_characters_of_the_alphabet_and_a_nul(void **state)
{
	char a[IPERF_COOKIE], b[IPERF_COOKIE];

	(void)state;
	iperf_cookie_make(a);
	iperf_cookie_make(b);
	assert_int_equal(strlen(a), 36);
	assert_int_equal(strspn(a, "abcdefghijklmnopqrstuvwxyz234567"), 36);
	assert_string_not_equal(a, b);
	assert_true(iperf_cookie_valid(a));
	assert_true(iperf_cookie_ours(a));
}

static void a_request_or_zeros_are_no_cookie(void **state)
{
	const char zeros[IPERF_COOKIE] = { 0 };

	(void)state;
	assert_false(iperf_cookie_valid("GET / HTTP/1.1\r\nHost: localhost:5201\r\n\r\n"));
	assert_false(iperf_cookie_valid(zeros));
	assert_true(iperf_cookie_valid("yibm4ypzp5vxe3bnthb3se75zxfkfvsfdpqs"));
	assert_false(iperf_cookie_ours("yibm4ypzp5vxe3bnthb3se75zxfkfvsfdpqs"));
}

#define STREAM(id, more)                                                                                     \
	"{\"id\":" #id ",\"bytes\":1234567890123,\"jitter\":0,\"errors\":0,\"packets\":0," more "}"
#define RESULTS(retr, streams)                                                                               \
	"{\"cpu_util_total\":51.5,\"cpu_util_user\":1.5,\"cpu_util_system\":50,\"sender_has_"                \
	"retransmits\":" retr ",\"streams\":[" streams "]}"

static void an_unknown_counter_comes_as_minus_one_or_as_two_to_the_64_less_one(void **state)
{
	static const char *const text[] = {
		RESULTS("18446744073709551615", STREAM(1, "\"retransmits\":18446744073709551615")),
		RESULTS("-1", STREAM(1, "\"retransmits\":-1")),
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct iperf_results r;
		struct err err;
		assert_int_equal(iperf_results_parse(&r, text[i], strlen(text[i]), &err), 0);
		assert_int_equal(r.has_retransmits, -1);
		assert_int_equal(r.n, 1);
		assert_true(r.stream[0].bytes == 1234567890123);
		assert_true(r.stream[0].retransmits == IPERF_UNKNOWN);
		assert_true(r.stream[0].omitted_packets == IPERF_UNKNOWN); /* as before 3.14 */
		iperf_results_release(&r);
	}
}

static void results_without_a_required_figure_are_refused_by_name(void **state)
{
	struct iperf_results r;
	struct err err = { 0 };
	const char *text = RESULTS("1", STREAM(1, "\"x\":1"));

	(void)state;
	assert_int_equal(iperf_results_parse(&r, text, strlen(text), &err), -1);
	assert_int_equal(err.code, EPROTO);
	assert_non_null(strstr(err.msg, "retransmits"));
	assert_null(r.stream);
	text = "{\"cpu_util_total\":1,\"streams\":[]}";
	assert_int_equal(iperf_results_parse(&r, text, strlen(text), &err), -1);
	assert_non_null(strstr(err.msg, "cpu_util_user"));
	text = RESULTS("1", STREAM(-5, "\"retransmits\":0"));
	assert_int_equal(iperf_results_parse(&r, text, strlen(text), &err), -1);
}

static void results_are_read_back_to_the_byte(void **state)
{
	struct iperf_stream_result list[2] = {
		{ .id = 1, .bytes = 9007199254740991, .retransmits = 7, .end_s = 10 },
		{ .id = 3, .bytes = 5, .retransmits = IPERF_UNKNOWN, .jitter_s = 0.000125, .packets = 5000000000,
		  .lost = 12, .omitted_packets = 40, .omitted_lost = 2, .end_s = 10 },
	};
	struct iperf_results r = { 50, 10, 40, 1, "bbr", "", 2, list }, back;
	struct err err;

	(void)state;
	char *text = text_of(iperf_results_to_json(&r));
	assert_non_null(strstr(text, "\"bytes\":9007199254740991"));
	assert_non_null(strstr(text, "\"retransmits\":-1"));
	assert_int_equal(iperf_results_parse(&back, text, strlen(text), &err), 0);
	free(text);
	assert_true(back.stream[0].bytes == 9007199254740991);
	assert_true(back.stream[0].retransmits == 7);
	assert_ptr_equal(iperf_results_find(&back, 3), &back.stream[1]);
	assert_null(iperf_results_find(&back, 2));
	const struct iperf_stream_result *s = &back.stream[1];
	assert_true(s->packets == 5000000000 && s->jitter_s == 0.000125);
	assert_true(s->lost == 12 && s->omitted_packets == 40 && s->omitted_lost == 2);
	assert_string_equal(back.congestion, "bbr");
	iperf_results_release(&back);
}

static void a_frame_is_its_length_and_its_bytes(void **state)
{
	json_t *doc = json_pack("{s:i}", "a", 1);
	size_t n;
	char *frame = iperf_frame(doc, &n);

	(void)state;
	json_decref(doc);
	assert_int_equal(n, 11);
	assert_memory_equal(frame, "\0\0\0\7{\"a\":1}", 11);
	assert_int_equal(iperf_frame_length((unsigned char *)frame), 7);
	free(frame);
}

static void a_state_without_a_name_says_its_number(void **state)
{
	char buf[24];

	(void)state;
	assert_string_equal(iperf_state_name(13, buf), "EXCHANGE_RESULTS");
	assert_string_equal(iperf_state_name(77, buf), "state 77");
	assert_non_null(iperf_error_text(142));
	assert_null(iperf_error_text(9999));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_parameters_have_the_keys_and_the_order_of_iperf3),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(a_udp_test_says_so_and_takes_its_length_from_the_path),
		cmocka_unit_test(a_client_with_only_the_needed_keys_is_understood),
		cmocka_unit_test(parameters_out_of_range_are_refused_by_name),
		cmocka_unit_test(options_out_of_range_name_the_letter_and_what_is_allowed),
		cmocka_unit_test(streams_are_numbered_without_two),
		cmocka_unit_test(in_both_directions_the_client_sends_on_the_first_half),
		cmocka_unit_test(a_cookie_is_36_characters_of_the_alphabet_and_a_nul),
		cmocka_unit_test(a_request_or_zeros_are_no_cookie),
		cmocka_unit_test(an_unknown_counter_comes_as_minus_one_or_as_two_to_the_64_less_one),
		cmocka_unit_test(results_without_a_required_figure_are_refused_by_name),
		cmocka_unit_test(results_are_read_back_to_the_byte),
		cmocka_unit_test(a_frame_is_its_length_and_its_bytes),
		cmocka_unit_test(a_state_without_a_name_says_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
