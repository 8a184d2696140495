/* SPDX-License-Identifier: MIT */
#include "aws/creds_role.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "aws/sts.h"

#define TOKEN_MAX 20000 /* STS takes no longer one */

/** The profiles that led here, this one first. */
struct trail {
	const char	   *profile;
	const struct trail *before;
};

static const char *get(const struct cred_ask *a, const char *key)
{
	const char *v = aws_config_get(a->cfg, a->profile, key);

	return v && *v ? v : NULL;
}

static bool has_keys(const struct cred_ask *a)
{
	return get(a, "aws_access_key_id") || get(a, "aws_secret_access_key");
}

static bool has_role(const struct cred_ask *a)
{
	return get(a, "role_arn") && !get(a, "web_identity_token_file");
}

/* What needs a person: what to type. A credential_process has no terminal, so it can't ask for a code either. */
static int by_hand(const struct cred_ask *a, const char *does, const char *key, const char *first, struct err *err)
{
	err_set(err, ENOTSUP, "profile \"%s\" %s (%s): %seval \"$(aws configure export-credentials --profile %s --format env)\"",
		a->profile, does, key, first, a->profile);
	return *first ? err_set(err, ENOTSUP, "%s; or a profile with: credential_process = aws configure export-credentials "
				"--profile %s", err->msg, a->profile) :
			-1;
}

static int from_named(const struct cred_ask *a, const char *named, struct creds *out, struct err *err)
{
	static const struct {
		const char *name;
		enum found (*get)(const struct cred_ask *, struct creds *, struct err *);
	} source[] = {
		{ "Environment", creds_from_env },
		{ "Ec2InstanceMetadata", creds_from_imds },
		{ "EcsContainer", creds_from_container },
	};

	for (size_t i = 0; i < sizeof(source) / sizeof(*source); i++) {
		if (strcasecmp(named, source[i].name))
			continue;
		enum found f = source[i].get(a, out, err);
		return f == FOUND  ? 0 :
		       f == BROKEN ? -1 :
				     err_set(err, ENOKEY, "credential_source %s: there are none", source[i].name);
	}
	return err_set(err, ERR_USAGE, "credential_source \"%.60s\": Environment, Ec2InstanceMetadata or EcsContainer", named);
}

/* "a -> b -> a", the way it goes. */
static void write_trail(const struct trail *t, char *out, size_t size)
{
	if (t->before)
		write_trail(t->before, out, size);
	size_t n = strlen(out);
	snprintf(out + n, size - n, "%.40s -> ", t->profile);
}

static int assume(const struct cred_ask *a, const struct trail *trail, struct creds *out, struct err *err);

static int from_source(const struct cred_ask *a, const struct trail *trail, const char *source, struct creds *out,
		       struct err *err)
{
	struct cred_ask b = *a;

	b.profile = source;
	b.env = false;
	if (strlen(source) >= sizeof(a->cfg->profile) || !aws_config_has(a->cfg, source))
		return err_set(err, ERR_USAGE, "source_profile \"%.100s\" is in neither ~/.aws/config nor ~/.aws/credentials",
			       source);
	for (const struct trail *t = trail; t; t = t->before) {
		char way[300] = "";
		if (strcmp(t->profile, source) || (t == trail && !t->before && has_keys(&b)))
			continue; /* its own keys may be the source of its role */
		write_trail(trail, way, sizeof(way));
		return err_set(err, ERR_USAGE, "source_profile goes in a circle: %s%.40s", way, source);
	}
	if (has_role(&b) && !has_keys(&b))
		return assume(&b, &(struct trail){ source, trail }, out, err);
	enum found f = creds_from_profile(&b, out, err);
	return f == FOUND ? 0 : f == BROKEN ? -1 : err_set(err, ENOKEY, "source_profile \"%s\" has no credentials", source);
}

static int read_role(const struct cred_ask *a, struct sts_role *role, struct err *err)
{
	const char *duration = get(a, "duration_seconds");
	char *end = NULL;

	*role = (struct sts_role){ .arn = get(a, "role_arn"), .session = get(a, "role_session_name"),
				   .external_id = get(a, "external_id") };
	unsigned long s = duration ? strtoul(duration, &end, 10) : 0;
	if (duration && (*end || s < 900 || s > 43200))
		return err_set(err, ERR_USAGE, "duration_seconds \"%.20s\": 900 to 43200", duration);
	role->duration_s = (unsigned)s;
	return 0;
}

static int assume(const struct cred_ask *a, const struct trail *trail, struct creds *out, struct err *err)
{
	const char *source = get(a, "source_profile"), *named = get(a, "credential_source");
	struct sts_role role;
	struct creds by = { 0 };
	int rc;

	if (get(a, "mfa_serial"))
		return by_hand(a, "asks for an MFA code", "mfa_serial", "", err);
	if (!source == !named)
		return err_set(err, ERR_USAGE, "profile \"%s\": role_arn needs %s source_profile %s credential_source", a->profile,
			       source ? "only one of" : "either", source ? "and" : "or");
	rc = read_role(a, &role, err);
	if (!rc)
		rc = named ? from_named(a, named, &by, err) : from_source(a, trail, source, &by, err);
	if (!rc)
		rc = sts_assume_role(a, &by, &role, out, err);
	explicit_bzero(&by, sizeof(by));
	if (rc && err->code != ENOTSUP) /* that one names its own */
		err_wrap(err, "profile \"%s\"", a->profile);
	return rc;
}

enum found creds_from_role(const struct cred_ask *a, struct creds *out, struct err *err)
{
	if (!has_role(a))
		return NOT_HERE;
	int rc = assume(a, &(struct trail){ a->profile, NULL }, out, err);
	out->source = CRED_ROLE;
	return rc ? BROKEN : FOUND;
}

static enum found from_web(const struct cred_ask *a, struct creds *out, struct err *err)
{
	static const char *const key[] = { "web_identity_token_file", "role_arn", "role_session_name" };
	static const char *const variable[] = { "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN", "AWS_ROLE_SESSION_NAME" };
	char token[TOKEN_MAX + 3];
	const char *v[3];

	for (int i = 0; i < 3; i++) {
		const char *e = a->env ? getenv(variable[i]) : NULL;
		v[i] = e && *e ? e : get(a, key[i]);
	}
	if (!v[0])
		return NOT_HERE;
	out->source = CRED_WEB;
	if (!v[1]) {
		err_set(err, ERR_USAGE, "web identity: a token file and no role: set AWS_ROLE_ARN, or role_arn in profile \"%s\"",
			a->profile);
		return BROKEN;
	}
	int rc = creds_read_token("web identity token file", v[0], token, sizeof(token), err);
	if (!rc)
		rc = sts_assume_role_web(a, token, &(struct sts_role){ .arn = v[1], .session = v[2] }, out, err);
	explicit_bzero(token, sizeof(token));
	return rc ? BROKEN : FOUND;
}

/* botocore's order: sso before keys, login behind the credentials file. */
static enum found from_browser(const struct cred_ask *a, const char *const *keys, const char *command, struct err *err)
{
	char first[200];

	for (; *keys; keys++) {
		if (!get(a, *keys))
			continue;
		snprintf(first, sizeof(first), "aws %s --profile %s; ", command, a->profile);
		by_hand(a, "signs in by a browser", *keys, first, err);
		return BROKEN;
	}
	return NOT_HERE;
}

enum found creds_from_profile(const struct cred_ask *a, struct creds *out, struct err *err)
{
	static const char *const sso[] = { "sso_account_id", "sso_role_name", NULL }, *const login[] = { "login_session", NULL };
	enum found f = from_web(a, out, err);

	if (f == NOT_HERE)
		f = from_browser(a, sso, "sso login", err);
	if (f == NOT_HERE)
		f = creds_from_file(a, out, err);
	if (f == NOT_HERE)
		f = from_browser(a, login, "login", err);
	if (f == NOT_HERE)
		f = creds_from_process(a, out, err);
	return f == NOT_HERE ? creds_from_config(a, out, err) : f;
}
