/* SPDX-License-Identifier: MIT */
#include "aws/imds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/clock.h"
#include "engine/json.h"

#define TOKEN_TTL_S "21600"
#define TOKEN_NS    (21600 * NS_PER_SEC)
#define TOKEN_EARLY (60 * NS_PER_SEC) /* renewed so long before its end */
#define MAX_BODY    ((size_t)64 << 10)
#define ENV	    "AWS_EC2_METADATA_"

long imds_timeout_s(void)
{
	const char *text = getenv("AWS_METADATA_SERVICE_TIMEOUT");
	long s = text ? strtol(text, NULL, 10) : 0;

	return s > 0 && s <= IMDS_TIMEOUT_MAX_S ? s : IMDS_TIMEOUT_S;
}

void imds_init(struct imds *im, struct http *http, const atomic_bool *cancel)
{
	const char *off = getenv(ENV "DISABLED"), *base = getenv(ENV "SERVICE_ENDPOINT");
	const char *mode = getenv(ENV "SERVICE_ENDPOINT_MODE");

	*im = (struct imds){ .http = http, .cancel = cancel, .disabled = off && !strcasecmp(off, "true"),
			     .timeout_s = imds_timeout_s() };
	if (!base || !*base)
		base = mode && !strcasecmp(mode, "ipv6") ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
	snprintf(im->base, sizeof(im->base), "%s", base);
	size_t n = strlen(im->base);
	while (n && im->base[n - 1] == '/')
		im->base[--n] = 0;
}

void imds_release(struct imds *im)
{
	explicit_bzero(im->token, sizeof(im->token));
	im->token_until_ns = 0;
}

static int no_answer(const struct imds *im, int code, struct err *err)
{
	return err_set(err, code, "instance metadata: no answer within %ld s: not on EC2, or in a container that is one "
		       "hop too far (set HttpPutResponseHopLimit to 2, or use host networking)", im->timeout_s);
}

static int ask(struct imds *im, const char *method, const char *path, const char *header, struct http_response *resp,
	       struct err *err)
{
	char url[512];
	const char *const headers[] = { header, NULL };

	snprintf(url, sizeof(url), "%s%s", im->base, path);
	struct http_request req = {
		.method = method, .url = url, .headers = headers, .connect_ms = im->timeout_s * 1000,
		.total_ms = im->timeout_s * 1000, .max_body = MAX_BODY, .direct = true, .cancel = im->cancel,
	};
	if (!http_send(im->http, &req, resp, err))
		return 0;
	if (err->code == ECANCELED)
		return -1;
	im->silent = true;
	im->late = err->code == ETIMEDOUT;
	if (im->late)
		return no_answer(im, ETIMEDOUT, err);
	if (*im->token) /* it is there, and its answer was no good */
		return err_wrap(err, "instance metadata");
	return err_set(err, ENODEV, "instance metadata: not on EC2 (or unreachable)");
}

/* What goes into a header must not carry a line end or more. */
static bool token_ok(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] <= ' ' || s[i] > '~')
			return false;
	return n > 0 && n < sizeof(((struct imds *)0)->token);
}

static int get_token(struct imds *im, struct err *err)
{
	struct http_response resp = { 0 };
	int rc = -1;

	if (ask(im, "PUT", "/latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds: " TOKEN_TTL_S, &resp, err))
		return -1;
	if (resp.status != 200) {
		im->silent = true;
		err_set(err, ENODEV, "instance metadata: %s (status %ld)",
			resp.status == 403 ? "turned off for this instance" : "gives no token", resp.status);
	} else if (!token_ok(resp.body ? resp.body : "", resp.len)) {
		im->silent = true;
		err_set(err, EBADMSG, "instance metadata: what it gave is no token");
	} else {
		memcpy(im->token, resp.body, resp.len + 1);
		im->token_until_ns = clock_ns() + TOKEN_NS - TOKEN_EARLY;
		rc = 0;
	}
	http_release(&resp);
	return rc;
}

static int get_once(struct imds *im, const char *path, struct http_response *resp, struct err *err)
{
	char header[sizeof(im->token) + 32];

	if (clock_ns() >= im->token_until_ns && get_token(im, err))
		return -1;
	snprintf(header, sizeof(header), "X-aws-ec2-metadata-token: %s", im->token);
	int rc = ask(im, "GET", path, header, resp, err);
	explicit_bzero(header, sizeof(header));
	return rc;
}

int imds_get(struct imds *im, const char *path, struct http_response *resp, struct err *err)
{
	*resp = (struct http_response){ 0 };
	if (im->disabled)
		return err_set(err, ENODEV, "instance metadata: disabled by AWS_EC2_METADATA_DISABLED");
	if (im->late)
		return no_answer(im, ENODEV, err);
	if (im->silent)
		return err_set(err, ENODEV, "instance metadata: not on EC2 (or unreachable)");
	if (get_once(im, path, resp, err))
		return -1;
	if (resp->status == 401) { /* the token is not good any more: one new one */
		http_release(resp);
		im->token_until_ns = 0;
		if (get_once(im, path, resp, err))
			return -1;
	}
	if (resp->status == 200 && resp->body)
		return 0;
	long status = resp->status;
	http_release(resp);
	if (status == 404)
		return err_set(err, ENOENT, "instance metadata: has no %s", path);
	return err_set(err, EIO, "instance metadata: status %ld", status);
}

/* A name of AWS's: letters, digits and - . / only, so that it can go anywhere. */
static int take(const json_t *doc, const char *key, char *out, size_t size, struct err *err)
{
	const char *s = json_get_text(doc, key, "");
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._");

	if (s[n] || n >= size)
		return err_set(err, EBADMSG, "instance identity document: odd %s", key);
	memcpy(out, s, n + 1);
	return 0;
}

int imds_identity_parse(const char *text, size_t len, struct imds_identity *out, struct err *err)
{
	json_t *doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	int rc = -1;

	*out = (struct imds_identity){ 0 };
	if (!json_is_object(doc))
		err_set(err, EBADMSG, "instance identity document: not a JSON object");
	else
		rc = take(doc, "instanceId", out->instance_id, sizeof(out->instance_id), err) ||
				     take(doc, "instanceType", out->instance_type, sizeof(out->instance_type), err) ||
				     take(doc, "region", out->region, sizeof(out->region), err) ||
				     take(doc, "availabilityZone", out->az, sizeof(out->az), err) ||
				     take(doc, "accountId", out->account, sizeof(out->account), err) ?
			     -1 :
			     0;
	json_decref(doc);
	if (!rc && !*out->instance_id)
		return err_set(err, EBADMSG, "instance identity document: has no instanceId");
	return rc;
}

int imds_identity(struct imds *im, struct imds_identity *out, struct err *err)
{
	struct http_response resp;

	if (imds_get(im, "/latest/dynamic/instance-identity/document", &resp, err))
		return -1;
	int rc = imds_identity_parse(resp.body, resp.len, out, err);
	http_release(&resp);
	return rc;
}
