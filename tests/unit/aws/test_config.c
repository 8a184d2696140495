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

#include "aws/config.h"
#include "aws/ini.h"

static void a_value_is_found_in_its_section(void **state)
{
	static const char text[] = "# comment\n[default]\nregion = eu-west-1\n; another\n\n[profile  \"a b\"]\r\n"
				   "region=us-east-1 \r\nregion = us-east-2\n";
	struct ini ini;
	struct err err;

	(void)state;
	assert_int_equal(ini_parse(&ini, text, sizeof(text) - 1, &err), 0);
	assert_string_equal(ini_get(&ini, "default", "region"), "eu-west-1");
	assert_string_equal(ini_get(&ini, "profile a b", "region"), "us-east-2");
	assert_null(ini_get(&ini, "default", "output"));
	assert_null(ini_get(&ini, "nobody", "region"));
	ini_release(&ini);
}

static void nested_lines_belong_to_the_key_above(void **state)
{
	static const char text[] = "[services local]\nec2 =\n  endpoint_url = http://127.0.0.1:1\ncloudwatch =\n"
				   "\tendpoint_url = http://127.0.0.1:2\nother = 1\n  endpoint_url = lost\n";
	struct ini ini;
	struct err err;

	(void)state;
	assert_int_equal(ini_parse(&ini, text, sizeof(text) - 1, &err), 0);
	assert_string_equal(ini_get(&ini, "services local", "ec2.endpoint_url"), "http://127.0.0.1:1");
	assert_string_equal(ini_get(&ini, "services local", "cloudwatch.endpoint_url"), "http://127.0.0.1:2");
	assert_null(ini_get(&ini, "services local", "endpoint_url"));
	ini_release(&ini);
}

static void strange_lines_hide_no_good_ones(void **state)
{
	static const char text[] = "lost = 1\n[broken\nlost = 2\n=\n= x\n[default]\nnonsense\n\0\x80\xff = 3\nregion = r\n[]\nz=1";
	struct ini ini;
	struct err err;

	(void)state;
	assert_int_equal(ini_parse(&ini, text, sizeof(text) - 1, &err), 0);
	assert_string_equal(ini_get(&ini, "default", "region"), "r");
	assert_null(ini_get(&ini, "", "lost"));
	ini_release(&ini);
}

static void a_file_that_is_too_long_is_refused(void **state)
{
	char *big = calloc(1, INI_MAX + 1);
	struct ini ini;
	struct err err;

	(void)state;
	assert_int_equal(ini_parse(&ini, big, INI_MAX + 1, &err), -1);
	free(big);
}

static char dir[64];

static void write_file(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	char path[128];

	(void)state;
	strcpy(dir, "/tmp/ebscope-ini-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	for (const char *const *v = (const char *const[]){ "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_REGION",
			"AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_EC2", "AWS_CA_BUNDLE",
			"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "AWS_USE_FIPS_ENDPOINT",
			"AWS_USE_DUALSTACK_ENDPOINT", NULL }; *v; v++)
		unsetenv(*v);
	snprintf(path, sizeof(path), "%s/config", dir);
	setenv("AWS_CONFIG_FILE", path, 1);
	snprintf(path, sizeof(path), "%s/credentials", dir);
	setenv("AWS_SHARED_CREDENTIALS_FILE", path, 1);
	return 0;
}

static int teardown(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/config", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/credentials", dir);
	unlink(path);
	return rmdir(dir);
}

static void the_region_comes_from_the_environment_before_the_profile(void **state)
{
	struct aws_config c;
	struct err err;

	(void)state;
	write_file("config", "[default]\nregion = eu-west-3\n[profile p]\nregion = us-west-2\n");
	assert_int_equal(aws_config_load(&c, NULL, &err), 0);
	assert_string_equal(c.region, "eu-west-3");
	aws_config_release(&c);
	assert_int_equal(aws_config_load(&c, "p", &err), 0);
	assert_string_equal(c.region, "us-west-2");
	assert_true(c.profile_named);
	aws_config_release(&c);
	setenv("AWS_DEFAULT_REGION", "ap-south-1", 1);
	assert_int_equal(aws_config_load(&c, NULL, &err), 0);
	assert_string_equal(c.region, "ap-south-1");
	aws_config_release(&c);
	setenv("AWS_REGION", "ca-west-1", 1);
	assert_int_equal(aws_config_load(&c, NULL, &err), 0);
	assert_string_equal(c.region, "ca-west-1");
	assert_string_equal(c.region_from, "AWS_REGION");
	aws_config_release(&c);
}

static void what_is_no_region_is_refused(void **state)
{
	struct aws_config c;
	struct err err;

	(void)state;
	setenv("AWS_REGION", "evil.example/x", 1);
	assert_int_equal(aws_config_load(&c, NULL, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
}

static void a_profile_that_is_nowhere_is_an_error(void **state)
{
	struct aws_config c;
	struct err err;

	(void)state;
	setenv("AWS_PROFILE", "gone", 1);
	assert_int_equal(aws_config_load(&c, NULL, &err), -1);
	assert_non_null(strstr(err.msg, "\"gone\""));
}

static void endpoints_are_overridden_from_near_to_far(void **state)
{
	static const struct {
		const char *var, *value, *ec2, *cloudwatch;
	} step[] = {
		{ "AWS_REGION", "eu-west-1", "http://127.0.0.1:3/", "http://127.0.0.1:4/" },
		{ "AWS_ENDPOINT_URL", "http://127.0.0.1:5/x", "http://127.0.0.1:5/x/", "http://127.0.0.1:5/x/" },
		{ "AWS_ENDPOINT_URL_EC2", "http://127.0.0.1:6", "http://127.0.0.1:6/", "http://127.0.0.1:5/x/" },
		{ "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true", "https://ec2.eu-west-1.amazonaws.com/",
		  "https://monitoring.eu-west-1.amazonaws.com/" },
		{ "AWS_USE_FIPS_ENDPOINT", "true", "https://ec2-fips.eu-west-1.amazonaws.com/",
		  "https://monitoring-fips.eu-west-1.amazonaws.com/" },
		{ "AWS_REGION", "cn-north-1", "https://ec2-fips.cn-north-1.amazonaws.com.cn/",
		  "https://monitoring-fips.cn-north-1.amazonaws.com.cn/" },
	};
	struct aws_config c;
	struct err err;
	char url[256];

	(void)state;
	write_file("config", "[default]\nservices = s\nendpoint_url = http://127.0.0.1:4\n"
			     "[services s]\nec2 =\n  endpoint_url = http://127.0.0.1:3\n");
	for (size_t i = 0; i < sizeof(step) / sizeof(*step); i++) {
		setenv(step[i].var, step[i].value, 1);
		assert_int_equal(aws_config_load(&c, NULL, &err), 0);
		assert_int_equal(aws_config_endpoint(&c, AWS_EC2, url, sizeof(url), &err), 0);
		assert_string_equal(url, step[i].ec2);
		assert_int_equal(aws_config_endpoint(&c, AWS_CLOUDWATCH, url, sizeof(url), &err), 0);
		assert_string_equal(url, step[i].cloudwatch);
		aws_config_release(&c);
	}
}

static void without_a_region_there_is_no_endpoint(void **state)
{
	struct aws_config c;
	struct err err;
	char url[256];

	(void)state;
	assert_int_equal(aws_config_load(&c, NULL, &err), 0);
	assert_int_equal(aws_config_endpoint(&c, AWS_EC2, url, sizeof(url), &err), -1);
	assert_non_null(strstr(err.msg, "AWS_REGION"));
	assert_int_equal(aws_config_set_region(&c, "sa-east-1", "instance metadata", &err), 0);
	assert_int_equal(aws_config_endpoint(&c, AWS_EC2, url, sizeof(url), &err), 0);
	aws_config_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_is_found_in_its_section),
		cmocka_unit_test(nested_lines_belong_to_the_key_above),
		cmocka_unit_test(strange_lines_hide_no_good_ones),
		cmocka_unit_test(a_file_that_is_too_long_is_refused),
		cmocka_unit_test_setup_teardown(the_region_comes_from_the_environment_before_the_profile, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_region_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(a_profile_that_is_nowhere_is_an_error, setup, teardown),
		cmocka_unit_test_setup_teardown(endpoints_are_overridden_from_near_to_far, setup, teardown),
		cmocka_unit_test_setup_teardown(without_a_region_there_is_no_endpoint, setup, teardown),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
