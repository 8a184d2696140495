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

#include "aws/cloud.h"
#include "aws/ecs_metadata.h"
#include "tests/unit/aws/loopback.h"

#define DOCUMENT                                                                                      \
	"{\"instanceId\":\"i-0123456789abcdef0\",\"instanceType\":\"m5.large\",\"region\":\"us-east-1\"," \
	"\"availabilityZone\":\"us-east-1a\",\"accountId\":\"111122223333\",\"architecture\":\"x86_64\"}"

/* Version 2 alone: no token, no answer. A second token once the first has been refused (arg set). */
static bool imds2(struct loopback *lb, const char *request, char *reply, size_t size)
{
	if (!strncmp(request, "PUT /latest/api/token ", 22) &&
	    strcasestr(request, "\r\nX-aws-ec2-metadata-token-ttl-seconds: 21600\r\n"))
		loopback_reply(reply, size, 200, lb->n == 1 ? "TOKEN-1==" : "TOKEN-2==");
	else if (!strcasestr(request, lb->arg && lb->n > 2 ? "\r\nX-aws-ec2-metadata-token: TOKEN-2==\r\n" :
							       "\r\nX-aws-ec2-metadata-token: TOKEN-1==\r\n"))
		loopback_reply(reply, size, 401, "");
	else if (lb->arg && lb->n == 2)
		loopback_reply(reply, size, 401, "");
	else if (strstr(request, "GET /latest/dynamic/instance-identity/document "))
		loopback_reply(reply, size, 200, DOCUMENT);
	else
		loopback_reply(reply, size, 404, "<html>Not Found</html>");
	return true;
}

static bool answer_arg(struct loopback *lb, const char *request, char *reply, size_t size)
{
	(void)request;
	loopback_reply(reply, size, 200, lb->arg);
	return true;
}

static bool forbid(struct loopback *lb, const char *request, char *reply, size_t size)
{
	(void)lb, (void)request;
	loopback_reply(reply, size, 403, "");
	return true;
}

static void point_at(const char *var, int port, const char *path)
{
	char url[64];

	snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", port, path);
	setenv(var, url, 1);
}

static void a_token_comes_first_and_is_used_again(void **state)
{
	struct http *h = http_new();
	struct imds_identity id;
	struct http_response r;
	struct loopback lb;
	struct imds im;
	struct err err;

	(void)state;
	loopback_start(&lb, imds2);
	point_at("AWS_EC2_METADATA_SERVICE_ENDPOINT", lb.port, "/");
	imds_init(&im, h, NULL);
	assert_int_equal(imds_identity(&im, &id, &err), 0);
	assert_string_equal(id.instance_id, "i-0123456789abcdef0");
	assert_string_equal(id.instance_type, "m5.large");
	assert_string_equal(id.region, "us-east-1");
	assert_string_equal(id.az, "us-east-1a");
	assert_int_equal(imds_get(&im, "/latest/meta-data/nothing", &r, &err), -1);
	assert_int_equal(err.code, ENOENT);
	imds_release(&im);
	http_free(h);
	loopback_stop(&lb);
	assert_int_equal(lb.n, 3);
	assert_memory_equal(lb.request[0], "PUT ", 4);
	assert_memory_equal(lb.request[1], "GET ", 4);
	assert_memory_equal(lb.request[2], "GET ", 4);
	for (int i = 0; i < lb.n; i++)
		assert_null(strcasestr(lb.request[i], "X-Forwarded-For"));
	loopback_free(&lb);
}

static void a_token_that_was_refused_is_renewed_once(void **state)
{
	struct http *h = http_new();
	struct imds_identity id;
	struct loopback lb;
	struct imds im;
	struct err err;

	(void)state;
	loopback_start(&lb, imds2);
	lb.arg = &lb;
	point_at("AWS_EC2_METADATA_SERVICE_ENDPOINT", lb.port, "");
	imds_init(&im, h, NULL);
	assert_int_equal(imds_identity(&im, &id, &err), 0);
	imds_release(&im);
	http_free(h);
	loopback_stop(&lb);
	assert_int_equal(lb.n, 4);
	loopback_free(&lb);
}

static void who_does_not_answer_is_asked_once(void **state)
{
	struct http *h = http_new();
	struct imds_identity id;
	struct loopback lb;
	struct imds im;
	struct err err;

	(void)state;
	loopback_start(&lb, forbid);
	point_at("AWS_EC2_METADATA_SERVICE_ENDPOINT", lb.port, "");
	imds_init(&im, h, NULL);
	for (int i = 0; i < 5; i++)
		assert_int_equal(imds_identity(&im, &id, &err), -1);
	assert_int_equal(err.code, ENODEV);
	http_free(h);
	loopback_stop(&lb);
	assert_int_equal(lb.n, 1);
	loopback_free(&lb);
}

static void the_environment_says_how_long_a_request_may_take(void **state)
{
	static const struct { const char *text; long s; } want[] = {
		{ "30", 30 }, { "300", 300 }, { "301", 1 }, { "0", 1 }, { "-2", 1 }, { "soon", 1 }, { "", 1 },
	};
	struct imds im;

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		setenv("AWS_METADATA_SERVICE_TIMEOUT", want[i].text, 1);
		imds_init(&im, NULL, NULL);
		assert_int_equal(im.timeout_s, want[i].s);
	}
	unsetenv("AWS_METADATA_SERVICE_TIMEOUT");
}

/* Listens and never accepts: the kernel completes the connection, nobody answers. */
static void a_time_out_hints_at_the_hop_limit(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct http *h = http_new();
	struct imds_identity id;
	struct imds im;
	struct err err;

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&a, len), 0);
	assert_int_equal(listen(fd, 4), 0);
	getsockname(fd, (struct sockaddr *)&a, &len);
	point_at("AWS_EC2_METADATA_SERVICE_ENDPOINT", ntohs(a.sin_port), "");
	imds_init(&im, h, NULL);
	assert_int_equal(imds_identity(&im, &id, &err), -1);
	assert_int_equal(err.code, ETIMEDOUT);
	assert_non_null(strstr(err.msg, "HttpPutResponseHopLimit"));
	assert_int_equal(imds_identity(&im, &id, &err), -1);
	assert_int_equal(err.code, ENODEV);
	assert_non_null(strstr(err.msg, "HttpPutResponseHopLimit")); /* asked once, said each time */
	http_free(h);
	close(fd);
}

static void what_is_disabled_is_not_asked(void **state)
{
	struct http *h = http_new();
	struct imds_identity id;
	struct loopback lb;
	struct imds im;
	struct err err;

	(void)state;
	loopback_start(&lb, imds2);
	point_at("AWS_EC2_METADATA_SERVICE_ENDPOINT", lb.port, "");
	setenv("AWS_EC2_METADATA_DISABLED", "TRUE", 1);
	imds_init(&im, h, NULL);
	assert_int_equal(imds_identity(&im, &id, &err), -1);
	assert_int_equal(err.code, ENODEV);
	unsetenv("AWS_EC2_METADATA_DISABLED");
	http_free(h);
	loopback_stop(&lb);
	assert_int_equal(lb.n, 0);
	loopback_free(&lb);
}

static void what_is_no_token_never_reaches_a_header(void **state)
{
	static char *const bad[] = { "", "two words", "line\r\nX-Evil: 1", "<html>" };
	struct http *h = http_new();
	struct imds_identity id;
	struct loopback lb;
	struct imds im;
	struct err err;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		loopback_start(&lb, answer_arg);
		lb.arg = bad[i];
		point_at("AWS_EC2_METADATA_SERVICE_ENDPOINT", lb.port, "");
		imds_init(&im, h, NULL);
		assert_int_equal(imds_identity(&im, &id, &err), -1);
		loopback_stop(&lb);
		assert_int_equal(lb.n, 1);
		loopback_free(&lb);
	}
	http_free(h);
}

static void an_odd_identity_document_is_refused(void **state)
{
	static const char *const bad[] = { "", "[]", "{}", "{\"instanceId\":1}", "{\"instanceId\":\"i-1\",\"region\":\"a b\"}",
					   "{\"instanceId\":\"i-1\",\"instanceType\":\"\\u001b[2J\"}", "<html>" };
	struct imds_identity id;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(imds_identity_parse(bad[i], strlen(bad[i]), &id, &err), -1);
}

static void metadata_without_a_region_leaves_it_to_the_user(void **state)
{
	struct cloud c = { .http = http_new() };
	struct loopback lb;
	struct err err;

	(void)state;
	loopback_start(&lb, answer_arg);
	lb.arg = (char[]){ "{\"instanceId\":\"i-1\"}" }; /* good for a token too */
	point_at("AWS_EC2_METADATA_SERVICE_ENDPOINT", lb.port, "");
	imds_init(&c.imds, c.http, NULL);
	assert_int_equal(cloud_need_region(&c, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "set AWS_REGION, or region in ~/.aws/config (the metadata names none)"));
	http_free(c.http);
	loopback_stop(&lb);
	loopback_free(&lb);
}

#define TASK                                                                                                          \
	"{\"Cluster\":\"c\",\"TaskARN\":\"arn:aws:ecs:us-west-2:111122223333:task/c/1\",\"Family\":\"f\","             \
	"\"Revision\":\"7\",\"Limits\":{\"CPU\":0.25,\"Memory\":512},\"AvailabilityZone\":\"us-west-2b\","             \
	"\"LaunchType\":\"FARGATE\",\"EphemeralStorageMetrics\":{\"Utilized\":261,\"Reserved\":20496},"                \
	"\"Containers\":[{\"DockerId\":\"other\",\"Limits\":{\"CPU\":2}},"                                             \
	"{\"DockerId\":\"me\",\"Name\":\"app\",\"Limits\":{\"CPU\":256,\"Memory\":256}}]}"

static bool tmds(struct loopback *lb, const char *request, char *reply, size_t size)
{
	(void)lb;
	if (!strncmp(request, "GET /v4/x/task ", 15))
		loopback_reply(reply, size, 200, TASK);
	else if (!strncmp(request, "GET /v4/x ", 10))
		loopback_reply(reply, size, 200, "{\"DockerId\":\"me\"}");
	else
		loopback_reply(reply, size, 404, "");
	return true;
}

static void a_task_knows_its_size_and_its_own_container(void **state)
{
	struct http *h = http_new();
	struct ecs_task t;
	struct loopback lb;
	struct err err;

	(void)state;
	loopback_start(&lb, tmds);
	point_at("ECS_CONTAINER_METADATA_URI_V4", lb.port, "/v4/x");
	assert_true(ecs_is_task());
	assert_int_equal(ecs_task_get(h, NULL, &t, &err), 0);
	assert_true(t.fargate);
	assert_true(t.vcpu == 0.25);
	assert_true(t.memory_mib == 512);
	assert_true(t.cpu_units == 256);
	assert_true(t.container_memory_mib == 256);
	assert_true(t.ephemeral_mib == 20496);
	assert_true(t.ephemeral_used_mib == 261);
	assert_string_equal(t.region, "us-west-2");
	assert_string_equal(t.az, "us-west-2b");
	assert_string_equal(t.container, "app");
	http_free(h);
	loopback_stop(&lb);
	loopback_free(&lb);
	unsetenv("ECS_CONTAINER_METADATA_URI_V4");
	assert_false(ecs_is_task());
}

static void limits_that_are_not_set_do_not_exist(void **state)
{
	static const char text[] = "{\"LaunchType\":\"EC2\",\"AvailabilityZone\":\"eu-west-1c\",\"TaskARN\":\"odd\","
				   "\"Containers\":[{\"Limits\":{\"CPU\":0,\"Memory\":-1}}]}";
	struct ecs_task t;
	struct err err;

	(void)state;
	assert_int_equal(ecs_task_parse(text, strlen(text), "", &t, &err), 0);
	assert_false(t.fargate);
	assert_true(isnan(t.vcpu) && isnan(t.memory_mib) && isnan(t.cpu_units) && isnan(t.container_memory_mib) &&
		    isnan(t.ephemeral_mib));
	assert_string_equal(t.region, "eu-west-1");
	assert_int_equal(ecs_task_parse("[1]", 3, "", &t, &err), -1);
	assert_int_equal(ecs_task_parse("{\"LaunchType\"", 13, "", &t, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_token_comes_first_and_is_used_again),
		cmocka_unit_test(a_token_that_was_refused_is_renewed_once),
		cmocka_unit_test(who_does_not_answer_is_asked_once),
		cmocka_unit_test(the_environment_says_how_long_a_request_may_take),
		cmocka_unit_test(a_time_out_hints_at_the_hop_limit),
		cmocka_unit_test(what_is_disabled_is_not_asked),
		cmocka_unit_test(what_is_no_token_never_reaches_a_header),
		cmocka_unit_test(an_odd_identity_document_is_refused),
		cmocka_unit_test(metadata_without_a_region_leaves_it_to_the_user),
		cmocka_unit_test(a_task_knows_its_size_and_its_own_container),
		cmocka_unit_test(limits_that_are_not_set_do_not_exist),
	};

	unsetenv("AWS_EC2_METADATA_DISABLED"); /* as some machines have it */
	unsetenv("ECS_CONTAINER_METADATA_URI_V4");
	return cmocka_run_group_tests_name("metadata", tests, NULL, NULL);
}
