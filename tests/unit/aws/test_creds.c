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

#include <sys/resource.h>
#include <time.h>

#include "aws/creds_process.h"
#include "aws/creds_source.h"
#include "tests/unit/aws/loopback.h"

#define SECRET "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

static char dir[64];

static const char *const variables[] = {
	"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN",
	"AWS_CREDENTIAL_EXPIRATION", "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
	"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN",
	"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_REGION", "AWS_DEFAULT_REGION",
	"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN", "AWS_ROLE_SESSION_NAME", "AWS_ENDPOINT_URL_STS",
};

static const char *file(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(file(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		unsetenv(variables[i]);
	strcpy(dir, "/tmp/ebscope-creds-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	setenv("AWS_CONFIG_FILE", file("config"), 1);
	setenv("AWS_SHARED_CREDENTIALS_FILE", file("credentials"), 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (const char *const *n = (const char *const[]){ "config", "credentials", "process", "token", "seen", NULL };
	     *n; n++)
		unlink(file(*n));
	return rmdir(dir);
}

/* Ask the chain once. @return the source, or CRED_NONE with err */
static enum cred_source ask(const char *profile, struct creds *out, struct err *err)
{
	struct aws_config cfg;
	struct http *h = http_new();

	if (aws_config_load(&cfg, profile, err)) {
		http_free(h);
		return CRED_NONE;
	}
	struct cred_chain *chain = cred_chain_new(&cfg, h, NULL, NULL);
	const struct creds *c = cred_chain_get(chain, err);
	*out = c ? *c : (struct creds){ 0 };
	cred_chain_free(chain);
	aws_config_release(&cfg);
	http_free(h);
	return out->source;
}

static void the_environment_comes_first_unless_a_profile_is_named(void **state)
{
	struct creds c;
	struct err err;

	(void)state;
	write_file("credentials", "[default]\naws_access_key_id = FILE\naws_secret_access_key = s\n");
	assert_int_equal(ask(NULL, &c, &err), CRED_FILE);
	setenv("AWS_ACCESS_KEY_ID", "ENV", 1);
	setenv("AWS_SECRET_ACCESS_KEY", SECRET, 1);
	setenv("AWS_SESSION_TOKEN", "T", 1);
	assert_int_equal(ask(NULL, &c, &err), CRED_ENV);
	assert_string_equal(c.key_id, "ENV");
	assert_string_equal(c.secret, SECRET);
	assert_string_equal(c.token, "T");
	assert_int_equal(ask("default", &c, &err), CRED_FILE);
	assert_string_equal(c.key_id, "FILE");
	assert_string_equal(c.token, "");
}

static void half_a_pair_is_an_error_and_quotes_nothing(void **state)
{
	struct creds c;
	struct err err;

	(void)state;
	setenv("AWS_SECRET_ACCESS_KEY", SECRET, 1);
	assert_int_equal(ask(NULL, &c, &err), CRED_NONE);
	assert_string_equal(err.msg, "environment: has only one of access key id and secret");
	setenv("AWS_ACCESS_KEY_ID", "line\nend", 1);
	assert_int_equal(ask(NULL, &c, &err), CRED_NONE);
	assert_null(strstr(err.msg, SECRET));
}

static void expired_credentials_say_so(void **state)
{
	struct creds c;
	struct err err;

	(void)state;
	setenv("AWS_ACCESS_KEY_ID", "ENV", 1);
	setenv("AWS_SECRET_ACCESS_KEY", "s", 1);
	setenv("AWS_CREDENTIAL_EXPIRATION", "2020-01-01T00:00:00Z", 1);
	assert_int_equal(ask(NULL, &c, &err), CRED_NONE);
	assert_int_equal(err.code, EKEYEXPIRED);
	assert_non_null(strstr(err.msg, "credentials from the environment expired on 2020-01-01 at 00:00 UTC"));
}

static void no_source_at_all_is_one_clear_line(void **state)
{
	struct creds c;
	struct err err;

	(void)state;
	assert_int_equal(ask(NULL, &c, &err), CRED_NONE);
	assert_int_equal(err.code, ENOKEY);
	assert_string_equal(err.msg, "no AWS credentials: none in the environment, in profile \"default\", from a "
				     "container or an instance role: `aws configure` sets them up, or give the instance a role");
}

static void a_credential_process_is_run_without_shell_and_without_secrets(void **state)
{
	struct creds c;
	struct err err;
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), "#!/bin/sh\nenv > %s\necho noise >&2\necho '{\"Version\":1,\"AccessKeyId\":\"'$1'\","
		 "\"SecretAccessKey\":\"s\",\"SessionToken\":\"t\",\"Expiration\":\"2099-01-01T00:00:00+00:00\"}'\n",
		 file("seen"));
	write_file("process", text);
	snprintf(text, sizeof(text), "[profile p]\ncredential_process = /bin/sh %s \"A;B\" '$HOME'\n", file("process"));
	write_file("config", text);
	setenv("AWS_SECRET_ACCESS_KEY", SECRET, 1);
	setenv("AWS_ACCESS_KEY_ID", "ENV", 1);
	assert_int_equal(ask("p", &c, &err), CRED_PROCESS);
	assert_string_equal(c.key_id, "A;B");
	assert_string_equal(c.token, "t");
	assert_true(c.expires > 4000000000);
	FILE *f = fopen(file("seen"), "r");
	assert_non_null(f);
	while (fgets(text, sizeof(text), f)) {
		assert_null(strstr(text, SECRET));
		assert_null(strstr(text, "AWS_SECRET_ACCESS_KEY"));
	}
	fclose(f);
}

static void a_failing_process_is_named_and_its_output_is_not_quoted(void **state)
{
	static const struct {
		const char *line, *says;
	} bad[] = {
		{ "/bin/sh -c 'echo " SECRET "; exit 3'", "/bin/sh failed (exit status 3)" },
		{ "/bin/echo " SECRET, "not a JSON object" },
		{ "/bin/echo '{\"Version\":2}'", "Version is not 1" },
		{ "/nonexistent/x", "/nonexistent/x: No such file" },
		{ "'unended", "quote without its end" },
	};
	struct creds c;
	struct err err;
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(text, sizeof(text), "[default]\ncredential_process = %s\n", bad[i].line);
		write_file("config", text);
		assert_int_equal(ask(NULL, &c, &err), CRED_NONE);
		assert_non_null(strstr(err.msg, bad[i].says));
		assert_null(strstr(err.msg, SECRET));
	}
}

static void *cancel_once_it_is_seen(void *cancel)
{
	while (access(file("seen"), F_OK))
		usleep(1000);
	atomic_store((atomic_bool *)cancel, true);
	return NULL;
}

static void a_process_that_stays_without_its_stdout_can_be_cancelled(void **state)
{
	atomic_bool cancel = false;
	pthread_t thread;
	char text[256], *out;
	struct err err;
	size_t len;

	(void)state;
	snprintf(text, sizeof(text), "/bin/sh -c 'exec >&-; : >%s; exec sleep 20'", file("seen"));
	assert_int_equal(pthread_create(&thread, NULL, cancel_once_it_is_seen, &cancel), 0);
	assert_int_equal(creds_process_run(text, &cancel, &out, &len, &err), -1);
	assert_int_equal(err.code, ECANCELED);
	assert_null(out);
	pthread_join(thread, NULL);
}

static void a_command_line_is_split_like_a_shell_and_not_expanded(void **state)
{
	struct err err;
	char **w;

	(void)state;
	assert_int_equal(creds_split_command("  a 'b c'\"d\\\"e\" f\\ g '$HOME' `x` \"\"", &w, &err), 6);
	assert_string_equal(w[0], "a");
	assert_string_equal(w[1], "b cd\"e");
	assert_string_equal(w[2], "f g");
	assert_string_equal(w[3], "$HOME");
	assert_string_equal(w[4], "`x`");
	assert_string_equal(w[5], "");
	assert_null(w[6]);
	free(w);
	assert_int_equal(creds_split_command("   ", &w, &err), -1);
}

static void a_profile_that_needs_a_person_says_what_to_do(void **state)
{
	struct creds c;
	struct err err;

	(void)state;
	write_file("config", "[profile m]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = default\nmfa_serial = a\n"
			     "[profile s]\nsso_account_id = 1\n[profile l]\nlogin_session = a\n");
	assert_int_equal(ask("m", &c, &err), CRED_NONE);
	assert_non_null(strstr(err.msg, "MFA code (mfa_serial): eval \"$(aws configure export-credentials --profile m "));
	assert_int_equal(ask("s", &c, &err), CRED_NONE);
	assert_non_null(strstr(err.msg, "(sso_account_id): aws sso login --profile s; eval "));
	assert_int_equal(ask("l", &c, &err), CRED_NONE);
	assert_non_null(strstr(err.msg, "(login_session): aws login --profile l; eval "));
}

/* Role credentials number n, good for an hour, or for lb->arg seconds. */
static bool sts(struct loopback *lb, const char *request, char *reply, size_t size)
{
	time_t t = time(NULL) + (lb->arg ? *(int *)lb->arg : 3600);
	const char *action = strstr(request, "AssumeRoleWithWebIdentity") ? "AssumeRoleWithWebIdentity" : "AssumeRole";
	char end[32], body[640];
	struct tm tm;

	strftime(end, sizeof(end), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &tm));
	snprintf(body, sizeof(body), "<%sResponse><%sResult><Credentials><AccessKeyId>R%d</AccessKeyId><SecretAccessKey>s/+"
		 "</SecretAccessKey><SessionToken>t+=</SessionToken><Expiration>%s</Expiration></Credentials></%sResult>"
		 "</%sResponse>", action, action, lb->n, end, action, action);
	loopback_reply(reply, size, 200, body);
	return true;
}

static void start_sts(struct loopback *lb)
{
	char url[64];

	loopback_start(lb, sts);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", lb->port);
	setenv("AWS_ENDPOINT_URL_STS", url, 1);
	setenv("AWS_REGION", "eu-west-1", 1);
}

static void a_role_is_assumed_by_the_keys_of_its_source(void **state)
{
	struct loopback lb;
	struct creds c;
	struct err err;

	(void)state;
	write_file("credentials", "[base]\naws_access_key_id = BASE\naws_secret_access_key = s\n");
	write_file("config", "[profile r]\nrole_arn = arn:aws:iam::111122223333:role/x y\nsource_profile = base\n"
			     "external_id = a+b/c\nrole_session_name = me@x\nduration_seconds = 900\n");
	start_sts(&lb);
	assert_int_equal(ask("r", &c, &err), CRED_ROLE);
	assert_string_equal(c.key_id, "R1");
	assert_string_equal(c.secret, "s/+");
	assert_string_equal(c.token, "t+=");
	assert_true(c.expires > time(NULL) + 3000);
	loopback_stop(&lb);
	assert_non_null(strstr(lb.request[0], "Credential=BASE/"));
	assert_non_null(strstr(lb.request[0], "/eu-west-1/sts/aws4_request"));
	assert_non_null(strstr(lb.request[0], "\r\n\r\nAction=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A"
					      "111122223333%3Arole%2Fx%20y&RoleSessionName=me%40x&ExternalId=a%2Bb%2Fc&"
					      "DurationSeconds=900"));
	loopback_free(&lb);
}

static void a_role_near_its_end_is_assumed_again_with_the_token_as_it_is_then(void **state)
{
	struct http *h = http_new();
	struct aws_config cfg;
	struct loopback lb;
	struct err err;
	int left = 30; /* too little to be used at all */

	(void)state;
	start_sts(&lb);
	setenv("AWS_WEB_IDENTITY_TOKEN_FILE", file("token"), 1);
	setenv("AWS_ROLE_ARN", "arn:aws:iam::111122223333:role/pod", 1);
	assert_int_equal(aws_config_load(&cfg, NULL, &err), 0);
	struct cred_chain *chain = cred_chain_new(&cfg, h, NULL, NULL);
	lb.arg = &left;
	write_file("token", "first\n");
	assert_null(cred_chain_get(chain, &err));
	assert_int_equal(err.code, EKEYEXPIRED);
	assert_non_null(strstr(err.msg, "credentials from the web identity end on 20"));
	write_file("token", "second");
	left = 3600;
	const struct creds *c = cred_chain_get(chain, &err);
	assert_non_null(c);
	assert_int_equal(c->source, CRED_WEB);
	assert_string_equal(c->key_id, "R2");
	assert_ptr_equal(cred_chain_get(chain, &err), c);
	cred_chain_free(chain);
	aws_config_release(&cfg);
	http_free(h);
	loopback_stop(&lb);
	assert_int_equal(lb.n, 2);
	assert_null(strstr(lb.request[0], "Authorization:"));
	assert_non_null(strstr(lb.request[0], "&WebIdentityToken=first"));
	assert_non_null(strstr(lb.request[1], "&WebIdentityToken=second"));
	loopback_free(&lb);
}

static bool container(struct loopback *lb, const char *request, char *reply, size_t size)
{
	char end[32], body[512];
	time_t t = time(NULL) + (lb->arg ? 600 : 3600);
	struct tm tm;

	if (!strstr(request, "\r\nAuthorization: file-token\r\n")) {
		loopback_reply(reply, size, 403, "");
		return true;
	}
	strftime(end, sizeof(end), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &tm));
	snprintf(body, sizeof(body), "{\"AccessKeyId\":\"C%d\",\"SecretAccessKey\":\"s\",\"Token\":\"t\","
		 "\"Expiration\":\"%s\"}", lb->n, end);
	loopback_reply(reply, size, 200, body);
	return true;
}

static void a_container_is_asked_with_the_token_of_its_file(void **state)
{
	struct loopback lb;
	struct creds c;
	struct err err;
	char url[64], text[10000];

	(void)state;
	loopback_start(&lb, container);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/creds", lb.port);
	setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url, 1);
	setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "variable-token", 1);
	assert_int_equal(ask(NULL, &c, &err), CRED_NONE);
	assert_non_null(strstr(err.msg, "status 403"));
	write_file("token", "file-token\n");
	setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", file("token"), 1);
	assert_int_equal(ask(NULL, &c, &err), CRED_CONTAINER);
	assert_string_equal(c.token, "t");
	write_file("token", "a\r\nX-Evil: 1\n");
	assert_int_equal(ask(NULL, &c, &err), CRED_NONE);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	write_file("token", text);
	assert_int_equal(ask(NULL, &c, &err), CRED_NONE);
	assert_non_null(strstr(err.msg, "longer than any token"));
	write_file("token", "\n");
	assert_int_equal(ask(NULL, &c, &err), CRED_NONE);
	assert_non_null(strstr(err.msg, ": empty"));
	loopback_stop(&lb);
	loopback_free(&lb);
}

static void credentials_near_their_end_are_renewed_but_not_for_each_request(void **state)
{
	struct aws_config cfg;
	struct http *h = http_new();
	struct loopback lb;
	struct err err;
	char url[64];

	(void)state;
	loopback_start(&lb, container);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/creds", lb.port);
	setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url, 1);
	setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "file-token", 1);
	assert_int_equal(aws_config_load(&cfg, NULL, &err), 0);
	struct cred_chain *chain = cred_chain_new(&cfg, h, NULL, NULL);
	lb.arg = &lb; /* ten minutes left: due for renewal, still good */
	for (int i = 0; i < 5; i++)
		assert_string_equal(cred_chain_get(chain, &err)->key_id, "C1");
	cred_chain_free(chain);
	aws_config_release(&cfg);
	http_free(h);
	loopback_stop(&lb);
	assert_int_equal(lb.n, 1);
	loopback_free(&lb);
}

static void plain_http_to_elsewhere_is_refused(void **state)
{
	static const char *const bad[] = { "http://192.0.2.1/x", "http://127.evil.example/x", "http://localhost.example/",
					   "http://127.0.0.1@192.0.2.1/", "ftp://127.0.0.1/", "http://169.254.170.20/" };
	struct creds c;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", bad[i], 1);
		assert_int_equal(ask(NULL, &c, &err), CRED_NONE);
		assert_non_null(strstr(err.msg, "neither https"));
	}
	setenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "@127.0.0.1:1/x", 1);
	assert_int_equal(ask(NULL, &c, &err), CRED_NONE);
	assert_non_null(strstr(err.msg, "RELATIVE_URI: is no path"));
}

static void no_core_is_left_while_secrets_are_held(void **state)
{
	struct rlimit before, during, one, after, some = { .rlim_cur = 4096, .rlim_max = RLIM_INFINITY };
	struct aws_config cfg;
	struct err err;

	(void)state;
	getrlimit(RLIMIT_CORE, &before);
	some.rlim_max = before.rlim_max;
	if (some.rlim_cur > some.rlim_max)
		some.rlim_cur = some.rlim_max;
	setrlimit(RLIMIT_CORE, &some);
	assert_int_equal(aws_config_load(&cfg, NULL, &err), 0);
	struct cred_chain *first = cred_chain_new(&cfg, NULL, NULL, NULL), *second = cred_chain_new(&cfg, NULL, NULL, NULL);
	getrlimit(RLIMIT_CORE, &during);
	cred_chain_free(first);
	getrlimit(RLIMIT_CORE, &one);
	cred_chain_free(second);
	getrlimit(RLIMIT_CORE, &after);
	setrlimit(RLIMIT_CORE, &before);
	aws_config_release(&cfg);
	assert_int_equal(during.rlim_cur, 0);
	assert_int_equal(one.rlim_cur, 0);
	assert_int_equal(after.rlim_cur, some.rlim_cur);
}

static void times_are_read_as_aws_writes_them(void **state)
{
	(void)state;
	assert_int_equal(creds_parse_time("2026-05-20T12:00:00Z"), 1779278400);
	assert_int_equal(creds_parse_time("2026-05-20T12:00:00.123Z"), 1779278400);
	assert_int_equal(creds_parse_time("2026-05-20T14:00:00+02:00"), 1779278400);
	assert_int_equal(creds_parse_time("2026-05-20T12:00:00-0000"), 1779278400);
	assert_int_equal(creds_parse_time("tomorrow"), -1);
	assert_int_equal(creds_parse_time("2026-05-20T12:00:00 junk"), -1);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(the_environment_comes_first_unless_a_profile_is_named),
		T(half_a_pair_is_an_error_and_quotes_nothing),
		T(expired_credentials_say_so),
		T(no_source_at_all_is_one_clear_line),
		T(a_credential_process_is_run_without_shell_and_without_secrets),
		T(a_failing_process_is_named_and_its_output_is_not_quoted),
		T(a_process_that_stays_without_its_stdout_can_be_cancelled),
		T(a_command_line_is_split_like_a_shell_and_not_expanded),
		T(a_profile_that_needs_a_person_says_what_to_do),
		T(a_role_is_assumed_by_the_keys_of_its_source),
		T(a_role_near_its_end_is_assumed_again_with_the_token_as_it_is_then),
		T(a_container_is_asked_with_the_token_of_its_file),
		T(credentials_near_their_end_are_renewed_but_not_for_each_request),
		T(plain_http_to_elsewhere_is_refused),
		T(no_core_is_left_while_secrets_are_held),
		T(times_are_read_as_aws_writes_them),
	};

	return cmocka_run_group_tests_name("creds", tests, NULL, NULL);
}
