/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "aws/http.h"
#include "tests/unit/aws/loopback.h"

static char url[64];

static void start(struct loopback *lb, bool (*answer)(struct loopback *, const char *, char *, size_t))
{
	loopback_start(lb, answer);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/secret-path", lb->port);
}

static bool hello(struct loopback *lb, const char *request, char *reply, size_t size)
{
	(void)lb, (void)request;
	loopback_reply(reply, size, 200, "hello");
	return true;
}

/* 503 until the third request. */
static bool third_time_lucky(struct loopback *lb, const char *request, char *reply, size_t size)
{
	(void)request;
	loopback_reply(reply, size, lb->n < 3 ? 503 : 200, lb->n < 3 ? "busy" : "done");
	return true;
}

static bool hang_up(struct loopback *lb, const char *request, char *reply, size_t size)
{
	(void)lb, (void)request, (void)reply, (void)size;
	return false;
}

static bool redirect(struct loopback *lb, const char *request, char *reply, size_t size)
{
	(void)request;
	snprintf(reply, size, "HTTP/1.1 302 X\r\nLocation: http://127.0.0.1:%d/x\r\nContent-Length: 0\r\n"
		 "Connection: close\r\n\r\n", lb->port);
	return true;
}

static void an_answer_is_taken_with_the_servers_clock(void **state)
{
	struct http *h = http_new();
	struct http_response r;
	struct loopback lb;
	struct err err;

	(void)state;
	start(&lb, hello);
	struct http_request req = { .method = "GET", .url = url };
	assert_int_equal(http_send(h, &req, &r, &err), 0);
	assert_int_equal(r.status, 200);
	assert_string_equal(r.body, "hello");
	assert_int_equal(r.len, 5);
	assert_int_equal(r.date, 1779278400);
	assert_int_equal(r.retry_ms, -1);
	http_release(&r);
	http_free(h);
	loopback_stop(&lb);
	loopback_free(&lb);
}

static void a_signed_request_has_token_and_scope_and_no_secret(void **state)
{
	struct http *h = http_new();
	struct http_response r;
	struct loopback lb;
	struct err err;

	(void)state;
	start(&lb, hello);
	struct http_auth auth = { "ec2", "eu-west-1", "AKIDEXAMPLE", "wJalrXUtnFEMI", "tok+/==" };
	const char *const headers[] = { "Content-Type: application/x-www-form-urlencoded; charset=utf-8", NULL };
	struct http_request req = { .method = "POST", .url = url, .headers = headers, .body = "A=b", .body_len = 3,
				    .auth = &auth };
	assert_int_equal(http_send(h, &req, &r, &err), 0);
	http_release(&r);
	http_free(h);
	loopback_stop(&lb);
	assert_non_null(strstr(lb.request[0], "Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"));
	assert_non_null(strstr(lb.request[0], "/eu-west-1/ec2/aws4_request"));
	assert_non_null(strstr(lb.request[0], "X-Amz-Security-Token: tok+/==\r\n"));
	assert_null(strstr(lb.request[0], "wJalrXUtnFEMI"));
	assert_non_null(strstr(lb.request[0], "\r\n\r\nA=b"));
	loopback_free(&lb);
}

static void an_answer_that_is_too_long_is_cut_off(void **state)
{
	struct http *h = http_new();
	struct http_response r;
	struct loopback lb;
	struct err err;

	(void)state;
	start(&lb, hello);
	struct http_request req = { .method = "GET", .url = url, .max_body = 4 };
	assert_int_equal(http_send(h, &req, &r, &err), -1);
	assert_int_equal(err.code, EMSGSIZE);
	assert_null(r.body);
	http_free(h);
	loopback_stop(&lb);
	loopback_free(&lb);
}

static void a_message_names_the_host_and_not_the_path(void **state)
{
	struct http *h = http_new();
	struct http_response r;
	struct loopback lb;
	struct err err;

	(void)state;
	start(&lb, hang_up);
	struct http_request req = { .method = "GET", .url = url };
	assert_int_equal(http_send(h, &req, &r, &err), -1);
	assert_null(strstr(err.msg, "secret-path"));
	assert_non_null(strstr(err.msg, "127.0.0.1:"));
	assert_true(r.maybe_done);
	loopback_stop(&lb);
	assert_int_equal(http_send(h, &req, &r, &err), -1);
	assert_int_equal(err.code, ECONNREFUSED);
	assert_false(r.maybe_done);
	http_free(h);
	loopback_free(&lb);
}

static void a_time_out_says_how_long_was_waited(void **state)
{
	struct http *h = http_new();
	struct http_response r;
	struct loopback lb;
	struct err err;

	(void)state;
	start(&lb, hang_up);
	snprintf(url, sizeof(url), "https://127.0.0.1:%d/", lb.port); /* no handshake comes: there is no connection yet */
	struct http_request req = { .method = "GET", .url = url, .connect_ms = 100, .total_ms = 60000 };
	assert_int_equal(http_send(h, &req, &r, &err), -1);
	assert_int_equal(err.code, ETIMEDOUT);
	assert_non_null(strstr(err.msg, "no answer within 0.1 s"));
	assert_false(r.maybe_done);
	http_free(h);
	loopback_stop(&lb);
	loopback_free(&lb);
}

static void a_busy_server_is_asked_again(void **state)
{
	struct http *h = http_new();
	struct http_response r;
	struct loopback lb;
	struct err err;

	(void)state;
	start(&lb, third_time_lucky);
	struct http_request req = { .method = "GET", .url = url };
	struct http_policy policy = { .attempts = 3, .base_ms = 1, .repeatable = true };
	assert_int_equal(http_send_retrying(h, &req, &policy, &r, &err), 0);
	assert_string_equal(r.body, "done");
	http_release(&r);
	http_free(h);
	loopback_stop(&lb);
	assert_int_equal(lb.n, 3);
	loopback_free(&lb);
}

static void what_must_not_happen_twice_is_not_sent_twice(void **state)
{
	struct http *h = http_new();
	struct http_response r;
	struct loopback lb;
	struct err err;

	(void)state;
	struct http_policy policy = { .attempts = 3, .base_ms = 1 };
	struct http_request req = { .method = "POST", .url = url };
	start(&lb, third_time_lucky); /* a 503 may come after the deed */
	assert_int_equal(http_send_retrying(h, &req, &policy, &r, &err), 0);
	assert_int_equal(r.status, 503);
	http_release(&r);
	loopback_stop(&lb);
	assert_int_equal(lb.n, 1);
	loopback_free(&lb);
	start(&lb, hang_up);
	assert_int_equal(http_send_retrying(h, &req, &policy, &r, &err), -1);
	loopback_stop(&lb);
	assert_int_equal(lb.n, 1);
	loopback_free(&lb);
	http_free(h);
}

static void a_redirect_is_not_followed(void **state)
{
	struct http *h = http_new();
	struct http_response r;
	struct loopback lb;
	struct err err;

	(void)state;
	start(&lb, redirect);
	struct http_request req = { .method = "GET", .url = url };
	assert_int_equal(http_send(h, &req, &r, &err), 0);
	assert_int_equal(r.status, 302);
	http_release(&r);
	http_free(h);
	loopback_stop(&lb);
	assert_int_equal(lb.n, 1);
	loopback_free(&lb);
}

static void a_cancelled_request_ends(void **state)
{
	struct http *h = http_new();
	struct http_response r;
	atomic_bool cancel = true;
	struct loopback lb;
	struct err err;

	(void)state;
	start(&lb, hello);
	struct http_request req = { .method = "GET", .url = url, .cancel = &cancel };
	assert_int_equal(http_send(h, &req, &r, &err), -1);
	assert_int_equal(err.code, ECANCELED);
	assert_int_equal(http_wait(60000, &cancel), -1);
	http_free(h);
	loopback_stop(&lb);
	loopback_free(&lb);
}

static void only_unreserved_characters_stay_as_they_are(void **state)
{
	char out[100];

	(void)state;
	assert_int_equal(http_encode("a b/x:y*\xc3\xa4+~._-=&%Z9", out), 40);
	assert_string_equal(out, "a%20b%2Fx%3Ay%2A%C3%A4%2B~._-%3D%26%25Z9");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_is_taken_with_the_servers_clock),
		cmocka_unit_test(a_signed_request_has_token_and_scope_and_no_secret),
		cmocka_unit_test(an_answer_that_is_too_long_is_cut_off),
		cmocka_unit_test(a_message_names_the_host_and_not_the_path),
		cmocka_unit_test(a_time_out_says_how_long_was_waited),
		cmocka_unit_test(a_busy_server_is_asked_again),
		cmocka_unit_test(what_must_not_happen_twice_is_not_sent_twice),
		cmocka_unit_test(a_redirect_is_not_followed),
		cmocka_unit_test(a_cancelled_request_ends),
		cmocka_unit_test(only_unreserved_characters_stay_as_they_are),
	};

	return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}
