/* SPDX-License-Identifier: MIT */
#include "aws/sts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "aws/query.h"
#include "aws/xml.h"

#define VERSION "2011-06-15"

int sts_parse(const char *text, size_t len, const char *action, struct creds *out, struct err *err)
{
	char result[64];
	struct xml doc;
	int rc = -1;

	if (xml_parse(text, len, &doc, err))
		return err_wrap(err, "%s", action);
	snprintf(result, sizeof(result), "%sResult/Credentials", action);
	const struct xml_node *c = xml_path(doc.root, result);
	const char *end = xml_text(c, "Expiration");
	out->expires = end ? creds_parse_time(end) : -1;
	if (!c)
		err_set(err, EBADMSG, "%s: the answer holds no credentials", action);
	else if (out->expires < 0)
		err_set(err, EBADMSG, "%s: Expiration is no time", action);
	else
		rc = creds_fill(out, xml_text(c, "AccessKeyId"), xml_text(c, "SecretAccessKey"),
				xml_text(c, "SessionToken"), action, err);
	xml_release(&doc);
	return rc;
}

static struct query role_query(const char *action, const struct sts_role *role)
{
	struct query q = query_new(action, VERSION);
	char name[40];

	snprintf(name, sizeof(name), "ebscope-%lld", (long long)time(NULL));
	query_add(&q, role->arn, "RoleArn");
	query_add(&q, role->session ? role->session : name, "RoleSessionName");
	query_add(&q, role->external_id, "ExternalId");
	query_number(&q, "DurationSeconds", role->duration_s);
	return q;
}

static int call(const struct cred_ask *a, const struct http_auth *auth, const char *action, struct query *q,
		struct creds *out, struct err *err)
{
	struct query_call c = { .cfg = a->cfg, .http = a->http, .cancel = a->cancel, .auth = auth, .service = AWS_STS,
				.repeatable = true };
	struct http_response resp;

	if (query_send(&c, action, q, &resp, err))
		return -1;
	int rc = sts_parse(resp.body, resp.len, action, out, err);
	http_release(&resp);
	return rc;
}

int sts_assume_role(const struct cred_ask *a, const struct creds *by, const struct sts_role *role, struct creds *out,
		    struct err *err)
{
	struct http_auth auth = { aws_service_signing(AWS_STS), a->cfg->region, by->key_id, by->secret, by->token };
	struct query q = role_query("AssumeRole", role);

	return call(a, &auth, "AssumeRole", &q, out, err);
}

int sts_assume_role_web(const struct cred_ask *a, const char *token, const struct sts_role *role, struct creds *out,
			struct err *err)
{
	struct query q = role_query("AssumeRoleWithWebIdentity", role);

	query_add(&q, token, "WebIdentityToken");
	return call(a, NULL, "AssumeRoleWithWebIdentity", &q, out, err);
}
