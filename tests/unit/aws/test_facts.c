/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aws/facts.h"
#include "tests/unit/aws/loopback.h"

#define VOLUME                                                                                                   \
	"<item><volumeId>vol-01234567</volumeId><size>100</size><status>in-use</status><attachmentSet><item>"     \
	"<instanceId>i-0123456789abcdef0</instanceId><device>/dev/sdf</device><status>attached</status></item>"   \
	"</attachmentSet><volumeType>gp2</volumeType><iops>300</iops></item>"

static const struct {
	const char *in, *answer;
} answers[] = {
	{ "PUT /latest/api/token", "TOKEN" },
	{ "GET /latest/dynamic/instance-identity/document",
	  "{\"instanceId\":\"i-0123456789abcdef0\",\"instanceType\":\"m5.large\",\"region\":\"eu-west-1\","
	  "\"availabilityZone\":\"eu-west-1a\"}" },
	{ "Action=DescribeInstanceTypes",
	  "<DescribeInstanceTypesResponse><instanceTypeSet><item><instanceType>m5.large</instanceType><ebsInfo>"
	  "<ebsOptimizedInfo><baselineBandwidthInMbps>800</baselineBandwidthInMbps><maximumIops>20000</maximumIops>"
	  "</ebsOptimizedInfo></ebsInfo></item></instanceTypeSet></DescribeInstanceTypesResponse>" },
	{ "Action=DescribeVolumesModifications",
	  "<DescribeVolumesModificationsResponse><volumeModificationSet><item><volumeId>vol-01234567</volumeId>"
	  "<modificationState>optimizing</modificationState><progress>37</progress></item></volumeModificationSet>"
	  "</DescribeVolumesModificationsResponse>" },
	{ "Action=DescribeVolumes", "<DescribeVolumesResponse><volumeSet>" VOLUME "</volumeSet></DescribeVolumesResponse>" },
	{ "GetMetricData", "{\"MetricDataResults\":[{\"Id\":\"m2\",\"Timestamps\":[1785542400],\"Values\":[42]}]}" },
};

static bool everything(struct loopback *lb, const char *request, char *reply, size_t size)
{
	(void)lb;
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		if (strstr(request, answers[i].in)) {
			loopback_reply(reply, size, 200, answers[i].answer);
			return true;
		}
	loopback_reply(reply, size, 404, "");
	return true;
}

static void set_environment(const struct loopback *lb, bool credentials)
{
	char url[64];

	snprintf(url, sizeof(url), "http://127.0.0.1:%d", lb->port);
	setenv("AWS_ENDPOINT_URL", url, 1);
	setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", url, 1);
	setenv("AWS_CONFIG_FILE", "/nonexistent", 1);
	setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent", 1);
	for (const char *const *v = (const char *const[]){ "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_REGION",
			"AWS_DEFAULT_REGION", "AWS_EC2_METADATA_DISABLED", "ECS_CONTAINER_METADATA_URI_V4",
			"AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
			"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI", NULL }; *v; v++)
		unsetenv(*v);
	if (credentials) {
		setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE", 1);
		setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
	}
}

/* Read news until one of them will do. */
static struct facts *wait_for(struct facts_fetcher *f, bool (*will_do)(const struct facts *))
{
	for (;;) {
		struct pollfd p = { .fd = facts_fd(f), .events = POLLIN };
		assert_int_equal(poll(&p, 1, 20000), 1);
		struct facts *facts = facts_get(f);
		if (facts && will_do(facts))
			return facts;
		facts_unref(facts);
	}
}

static bool has_series(const struct facts *f)
{
	return f->series != NULL;
}

static bool asked_for_creds(const struct facts *f)
{
	return f->creds || *f->creds_note;
}

static void everything_is_found_out_in_the_background(void **state)
{
	struct facts_wants wants = { .cloudwatch = true };
	struct loopback lb;
	struct err err;
	char text[128];

	(void)state;
	loopback_start(&lb, everything);
	set_environment(&lb, true);
	struct facts_fetcher *f = facts_start(&wants, -1, &err);
	assert_non_null(f);
	struct facts *facts = wait_for(f, has_series);
	assert_int_equal(facts->place, PLACE_EC2);
	assert_string_equal(facts_place_text(facts, text, sizeof(text)), "on EC2: m5.large in eu-west-1a");
	assert_string_equal(facts->region, "eu-west-1");
	assert_int_equal(facts->creds, CRED_ENV);
	assert_true(facts->has_type);
	assert_int_equal(facts->volumes->volumes.n, 1);
	assert_int_equal(facts->volumes->modifications.m[0].progress, 37);
	const struct cw_series *s = facts_series_find(facts, CW_BURST_BALANCE, "vol-01234567");
	assert_non_null(s);
	assert_true(s->n == 1 && s->point[0].percent == 42);
	s = facts_series_find(facts, CW_EBS_IO_BALANCE, "i-0123456789abcdef0");
	assert_non_null(s);
	assert_int_equal(s->n, 0);
	facts_stop(f); /* what was taken stays good */
	assert_string_equal(facts->volumes->volumes.v[0].id, "vol-01234567");
	facts_unref(facts);
	loopback_stop(&lb);
	loopback_free(&lb);
}

static void without_credentials_nobody_but_the_metadata_is_asked(void **state)
{
	struct facts_wants wants = { .cloudwatch = true };
	struct loopback lb;
	struct err err;

	(void)state;
	loopback_start(&lb, everything);
	set_environment(&lb, false);
	struct facts_fetcher *f = facts_start(&wants, -1, &err);
	assert_non_null(f);
	struct facts *facts = wait_for(f, asked_for_creds);
	assert_int_equal(facts->creds, CRED_NONE);
	assert_null(facts->volumes);
	facts_unref(facts);
	facts_stop(f);
	loopback_stop(&lb);
	for (int i = 0; i < lb.n; i++)
		assert_null(strstr(lb.request[i], "POST"));
	loopback_free(&lb);
}

static void off_ec2_it_says_so(void **state)
{
	struct facts_wants wants = { 0 };
	struct loopback lb;
	struct err err;
	char text[128];

	(void)state;
	loopback_start(&lb, everything);
	set_environment(&lb, false);
	setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
	struct facts_fetcher *f = facts_start(&wants, -1, &err);
	assert_non_null(f);
	struct facts *facts = wait_for(f, asked_for_creds);
	assert_int_equal(facts->place, PLACE_NONE);
	assert_string_equal(facts_place_text(facts, text, sizeof(text)), "not on EC2 (or unreachable)");
	facts_unref(facts);
	facts_stop(f);
	loopback_stop(&lb);
	assert_int_equal(lb.n, 0);
	loopback_free(&lb);
	assert_string_equal(facts_place_text(NULL, text, sizeof(text)), "asking where this is");
}

static void live_figures_beat_the_catalogue(void **state)
{
	struct facts facts = { .place = PLACE_EC2 };
	struct host catalogue, live;
	struct err err;

	(void)state;
	strcpy(facts.self.instance_type, "m5.large");
	assert_int_equal(facts_host(&facts, limits_builtin(), &catalogue, &err), 0);
	assert_true(catalogue.iops_base == 3600);
	facts.has_type = true;
	facts.type = (struct ec2_instance_type){ .ebs_base_iops = 3700, .ebs_max_iops = NAN, .ebs_base_mbps = 800,
						 .ebs_max_mbps = NAN };
	assert_int_equal(facts_host(&facts, limits_builtin(), &live, &err), 0);
	assert_true(live.iops_base == 3700);
	assert_true(live.bw_base == 100e6);
	assert_true(live.iops_max == catalogue.iops_max);
	assert_true(live.bw_max == catalogue.bw_max);
}

static void a_task_is_a_host_by_its_size(void **state)
{
	struct facts facts = { .place = PLACE_FARGATE, .task = { .vcpu = 2, .memory_mib = 4096 } };
	struct host host;
	struct err err;

	(void)state;
	assert_int_equal(facts_host(&facts, limits_builtin(), &host, &err), 0);
	assert_int_equal(host.kind, HOST_TASK);
	facts.task.vcpu = NAN;
	assert_int_equal(facts_host(&facts, limits_builtin(), &host, &err), 0);
	assert_int_equal(host.kind, HOST_NONE);
	assert_int_equal(facts_host(NULL, limits_builtin(), &host, &err), 0);
	assert_int_equal(host.kind, HOST_NONE);
}

static void no_balance_has_a_reason_and_is_no_zero(void **state)
{
	struct ec2_volume v = { .iops = 3300, .n_attachments = 1 };

	(void)state;
	strcpy(v.type, "gp2");
	assert_string_equal(facts_no_balance(&v), "does not burst (baseline above 3,000)");
	v.iops = 300;
	assert_null(facts_no_balance(&v));
	v.n_attachments = 0;
	assert_string_equal(facts_no_balance(&v), "is not attached: no metric");
	strcpy(v.type, "gp3");
	assert_string_equal(facts_no_balance(&v), "does not burst");
	strcpy(v.type, "st1");
	v.n_attachments = 1;
	assert_null(facts_no_balance(&v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_found_out_in_the_background),
		cmocka_unit_test(without_credentials_nobody_but_the_metadata_is_asked),
		cmocka_unit_test(off_ec2_it_says_so),
		cmocka_unit_test(live_figures_beat_the_catalogue),
		cmocka_unit_test(a_task_is_a_host_by_its_size),
		cmocka_unit_test(no_balance_has_a_reason_and_is_no_zero),
	};

	return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
