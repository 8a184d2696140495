/* SPDX-License-Identifier: MIT */
#include "aws/ec2_call.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "aws/xml.h"

#define VERSION "2016-11-15"
#define SKEW_S  240 /* AWS refuses from 5 min on; this leaves room for the way */

struct ec2 {
	const struct aws_config *cfg;
	struct cred_chain *chain;
	struct http *http;
	const atomic_bool *cancel;
	bool dry_run, maybe_done;
	char code[64];
};

/* What AWS calls a failure, what it is to us, and what to say about it where AWS's own words do not help. */
static const struct {
	const char *code;
	int err;
} codes[] = {
	{ "UnauthorizedOperation", EACCES },
	{ "AccessDenied", EACCES },
	{ "AccessDeniedException", EACCES },
	{ "OptInRequired", EACCES },
	{ "Blocked", EACCES },
	{ "AuthFailure", EACCES },
	{ "SignatureDoesNotMatch", EACCES },
	{ "InvalidClientTokenId", EACCES },
	{ "RequestExpired", EKEYEXPIRED },
	{ "ExpiredToken", EKEYEXPIRED },
	{ "ExpiredTokenException", EKEYEXPIRED },
	{ "InvalidVolume.NotFound", ENOENT },
	{ "InvalidInstanceID.NotFound", ENOENT },
	{ "InvalidInstanceType", ENOENT },
	{ "InvalidVolumeModification.NotFound", ENOENT },
	{ "InvalidVolumeID.Malformed", ERR_USAGE },
	{ "InvalidInstanceID.Malformed", ERR_USAGE },
	{ "InvalidParameterValue", ERR_USAGE },
	{ "InvalidParameterCombination", ERR_USAGE },
	{ "InvalidParameter", ERR_USAGE },
	{ "MissingParameter", ERR_USAGE },
	{ "UnknownParameter", ERR_USAGE },
	{ "UnknownVolumeType", ERR_USAGE },
	{ "InvalidZone.NotFound", ERR_USAGE },
};

/* Refused before anything was done, to be asked again later. */
static const char *const throttles[] = {
	"RequestLimitExceeded",
	"EC2ThrottledException",
	"Throttling",
	"ThrottlingException",
	"ThrottledException",
	"RequestThrottled",
	"RequestThrottledException",
	"TooManyRequestsException",
	"BandwidthLimitExceeded",
	"SlowDown",
	"PriorRequestNotComplete",
	"TransactionInProgressException",
	"ProvisionedThroughputExceededException",
	"LimitExceededException",
};

static bool is_throttle(const char *code)
{
	for (size_t i = 0; i < sizeof(throttles) / sizeof(*throttles); i++)
		if (!strcmp(code, throttles[i]))
			return true;
	return false;
}

struct ec2 *ec2_new(const struct aws_config *cfg, struct cred_chain *chain, struct http *http,
		    const atomic_bool *cancel)
{
	struct ec2 *ec2 = calloc(1, sizeof(*ec2));

	if (ec2)
		*ec2 = (struct ec2){ .cfg = cfg, .chain = chain, .http = http, .cancel = cancel };
	return ec2;
}

void ec2_free(struct ec2 *ec2)
{
	free(ec2);
}

void ec2_dry_run(struct ec2 *ec2, bool on)
{
	ec2->dry_run = on;
}

const char *ec2_code(const struct ec2 *ec2)
{
	return ec2->code;
}

bool ec2_maybe_done(const struct ec2 *ec2)
{
	return ec2->maybe_done;
}

void ec2_set_maybe_done(struct ec2 *ec2)
{
	ec2->maybe_done = true;
}

const char *ec2_region(const struct ec2 *ec2)
{
	return ec2->cfg->region;
}

static void raw(struct ec2_query *q, const char *text)
{
	size_t n = strlen(text);

	if (q->len + n + 1 > q->cap) {
		size_t cap = (q->len + n + 1) * 2;
		char *p = realloc(q->buf, cap);
		if (!p) {
			q->failed = true;
			return;
		}
		q->buf = p;
		q->cap = cap;
	}
	memcpy(q->buf + q->len, text, n + 1);
	q->len += n;
}

void ec2_query_add(struct ec2_query *q, const char *value, const char *key, ...)
{
	char name[128];
	va_list ap;

	if (!value)
		return;
	va_start(ap, key);
	vsnprintf(name, sizeof(name), key, ap);
	va_end(ap);
	char *enc = malloc(3 * strlen(value) + 1);
	if (!enc) {
		q->failed = true;
		return;
	}
	http_encode(value, enc);
	raw(q, q->len ? "&" : "");
	raw(q, name);
	raw(q, "=");
	raw(q, enc);
	free(enc);
}

void ec2_query_number(struct ec2_query *q, const char *key, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	ec2_query_add(q, v ? text : NULL, "%s", key);
}

struct ec2_query ec2_query_new(const char *action)
{
	struct ec2_query q = { 0 };

	ec2_query_add(&q, action, "Action");
	ec2_query_add(&q, VERSION, "Version");
	return q;
}

void ec2_query_tags(struct ec2_query *q, const char *prefix, const struct ec2_tag *tag, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ec2_query_add(q, tag[i].key, "%sTag.%zu.Key", prefix, i + 1);
		ec2_query_add(q, tag[i].value, "%sTag.%zu.Value", prefix, i + 1);
	}
}

/* Code and message of an answer that says what is wrong. Texts of AWS's for a terminal: control characters
 * go. */
static void read_failure(const struct http_response *r, char *code, size_t csize, char *msg, size_t msize)
{
	struct xml doc;
	struct err err;

	*code = *msg = 0;
	if (!r->body || xml_parse(r->body, r->len, &doc, &err))
		return;
	const char *c = xml_text(doc.root, "Errors/Error/Code"),
		   *m = xml_text(doc.root, "Errors/Error/Message");
	if (!c) { /* as other services and gateways put it */
		c = xml_text(doc.root, "Error/Code");
		m = xml_text(doc.root, "Error/Message");
	}
	snprintf(code, csize, "%s", c ? c : "");
	snprintf(msg, msize, "%s", m ? m : "");
	char *encoded = strstr(msg, " Encoded authorization failure message");
	if (encoded)
		*encoded = 0;
	for (char *p = code; *p; p++)
		if (*p <= ' ' || *p > '~')
			*p = '?';
	for (char *p = msg; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	xml_release(&doc);
}

static bool throttled(const struct http_response *r)
{
	char code[64], msg[8];

	if (r->status < 400)
		return false;
	read_failure(r, code, sizeof(code), msg, sizeof(msg));
	return is_throttle(code);
}

/* The clocks differ so much that AWS refuses what we sign. */
static bool clock_is_off(const struct http_response *r, char *buf, size_t size)
{
	long long skew = r->date ? (long long)time(NULL) - r->date : 0;

	if (skew > -SKEW_S && skew < SKEW_S)
		return false;
	snprintf(buf, size, "this machine's clock is %lld min %s AWS's", (skew < 0 ? -skew : skew) / 60,
		 skew < 0 ? "behind" : "ahead of");
	return true;
}

static bool is_html(const struct http_response *r)
{
	const char *p = r->body ? r->body + strspn(r->body, " \t\r\n") : "";

	return !strncasecmp(p, "<html", 5) || !strncasecmp(p, "<!doctype html", 14);
}

static int fail(struct ec2 *ec2, const char *action, const struct http_response *r, struct err *err)
{
	char msg[400], clock[80];
	int code = EIO;

	read_failure(r, ec2->code, sizeof(ec2->code), msg, sizeof(msg));
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (!strcmp(ec2->code, codes[i].code))
			code = codes[i].err;
	if (is_html(r))
		return err_set(
			err, EBADMSG,
			"%s: a web page came instead of an answer (status %ld): is there a proxy between?",
			action, r->status);
	if (!r->len)
		return err_set(err, EBADMSG, "%s: an empty answer (status %ld)", action, r->status);
	if (!*ec2->code)
		return err_set(err, EIO, "%s: status %ld without a reason that can be read", action,
			       r->status);
	if (is_throttle(ec2->code))
		return err_set(err, EBUSY, "%s: AWS throttles this account in %s (%s); try again later",
			       action, ec2->cfg->region, ec2->code);
	if (!strcmp(ec2->code, "UnauthorizedOperation") || !strncmp(ec2->code, "AccessDenied", 12))
		return err_set(err, EACCES, "%s: not allowed (%s): the policy lacks ec2:%s", action,
			       ec2->code, action);
	if ((code == EACCES || code == EKEYEXPIRED) && clock_is_off(r, clock, sizeof(clock)))
		return err_set(err, code, "%s: %s: %s", action, ec2->code, clock);
	if (code == EKEYEXPIRED)
		return err_set(err, code, "%s: the credentials have expired (%s)", action, ec2->code);
	if (code == EACCES || code == ENOENT)
		return err_set(err, code, "%s in %s: %s: %s", action, ec2->cfg->region, ec2->code, msg);
	return err_set(err, code, "%s: %s: %s", action, ec2->code, msg);
}

static int send_signed(struct ec2 *ec2, const struct ec2_query *q, bool repeatable,
		       struct http_response *resp, struct err *err)
{
	static const char *const headers[] = {
		"Content-Type: application/x-www-form-urlencoded; charset=utf-8", NULL
	};
	struct http_policy policy = { .repeatable = repeatable, .throttled = throttled };
	char url[512];

	if (aws_config_endpoint(ec2->cfg, AWS_EC2, url, sizeof(url), err))
		return -1;
	const struct creds *creds = cred_chain_get(ec2->chain, err);
	if (!creds)
		return -1;
	struct http_auth auth = { aws_service_signing(AWS_EC2), ec2->cfg->region, creds->key_id,
				  creds->secret, creds->token };
	struct http_request req = { .method = "POST",
				    .url = url,
				    .headers = headers,
				    .body = q->buf,
				    .body_len = q->len,
				    .auth = &auth,
				    .ca_bundle = ec2->cfg->ca_bundle,
				    .cancel = ec2->cancel };
	return http_send_retrying(ec2->http, &req, &policy, resp, err);
}

int ec2_call(struct ec2 *ec2, const char *action, struct ec2_query q, bool repeatable,
	     struct http_response *resp, struct err *err)
{
	int rc = -1;

	*resp = (struct http_response){ 0 };
	*ec2->code = 0;
	ec2->maybe_done = false;
	if (q.failed) {
		err_set(err, ENOMEM, "no memory");
	} else if (send_signed(ec2, &q, repeatable, resp, err)) {
		ec2->maybe_done = resp->maybe_done;
		err_wrap(err, "%s", action);
	} else if (resp->status == 200 && !is_html(resp) && resp->body) {
		rc = 0;
	} else {
		fail(ec2, action, resp, err);
		ec2->maybe_done = resp->status >= 500 && err->code != EBUSY;
		rc = ec2->dry_run && !strcmp(ec2->code, "DryRunOperation") ? 1 : -1;
	}
	free(q.buf);
	if (rc)
		http_release(resp);
	return rc;
}

int ec2_change(struct ec2 *ec2, const char *action, struct ec2_query q, bool repeatable,
	       struct http_response *resp, struct err *err)
{
	ec2_query_add(&q, ec2->dry_run ? "true" : NULL, "DryRun");
	return ec2_call(ec2, action, q, repeatable, resp, err);
}
