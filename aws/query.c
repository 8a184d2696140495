/* SPDX-License-Identifier: MIT */
#include "aws/query.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "aws/xml.h"

#define SKEW_S 240 /* AWS refuses from 5 min on; this leaves room for the way */

#define CHECK_KEYS "check the access key and its secret: `aws sts get-caller-identity` must work with them"
#define MORE_QUOTA "delete what is not needed, or ask for more under Service Quotas, Amazon EBS"
#define NEW_LOGIN  "log in again, or renew what the environment or the profile holds"

/* What AWS calls a failure, what it is to us, and what to do next where AWS's own words do not say it. */
static const struct {
	const char *code;
	int err;
	const char *next;
} codes[] = {
	{ "UnauthorizedOperation", EACCES, NULL },
	{ "AccessDenied", EACCES, NULL },
	{ "AccessDeniedException", EACCES, NULL },
	{ "OptInRequired", EACCES, "enable the Region for the account, or name another" },
	{ "Blocked", EACCES, NULL },
	{ "AuthFailure", EACCES, CHECK_KEYS },
	{ "SignatureDoesNotMatch", EACCES, CHECK_KEYS },
	{ "InvalidClientTokenId", EACCES, CHECK_KEYS },
	{ "RequestExpired", EKEYEXPIRED, NULL },
	{ "ExpiredToken", EKEYEXPIRED, NEW_LOGIN },
	{ "ExpiredTokenException", EKEYEXPIRED, NEW_LOGIN },
	{ "InvalidVolume.NotFound", ENOENT, NULL },
	{ "InvalidInstanceID.NotFound", ENOENT, NULL },
	{ "InvalidInstanceType", ENOENT, NULL },
	{ "InvalidVolumeModification.NotFound", ENOENT, NULL },
	{ "InvalidVolumeID.Malformed", ERR_USAGE, NULL },
	{ "InvalidInstanceID.Malformed", ERR_USAGE, NULL },
	{ "InvalidParameterValue", ERR_USAGE, NULL },
	{ "InvalidParameterCombination", ERR_USAGE, NULL },
	{ "InvalidParameter", ERR_USAGE, NULL },
	{ "MissingParameter", ERR_USAGE, NULL },
	{ "UnknownParameter", ERR_USAGE, NULL },
	{ "UnknownVolumeType", ERR_USAGE, NULL },
	{ "InvalidZone.NotFound", ERR_USAGE, "name a zone of the Region, such as the instance's own" },
	{ "InvalidVolume.ZoneMismatch", EINVAL, "a volume is attached only in its own zone: create one there, by --az" },
	{ "VolumeLimitExceeded", EDQUOT, MORE_QUOTA },
	{ "MaxIOPSLimitExceeded", EDQUOT, MORE_QUOTA },
	{ "ResourceLimitExceeded", EDQUOT, MORE_QUOTA },
	{ "AttachmentLimitExceeded", EDQUOT, "detach another volume from the instance, or take a larger type" },
	{ "InsufficientVolumeCapacity", EAGAIN, "try another zone or type, or later" },
	{ "VolumeInUse", EINVAL, "detach it first" },
	{ "IncorrectState", EINVAL, "`ebscope volumes list` shows its state, `volumes wait VOLUME available` waits for that" },
	{ "VolumeModificationRateExceeded", EAGAIN, "a volume takes only so many changes a day: again when it says, or a new volume" },
	{ "PendingVerification", EAGAIN, "AWS still looks at the account: again in some hours" },
	{ "Blocked", EACCES, "AWS has blocked the account: its support says why" },
	{ "IncorrectModificationState", EINVAL, "`ebscope volumes wait VOLUME completed` waits for the one before" },
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

/* What it grows out of is wiped: no realloc. */
static void raw(struct query *q, const char *text)
{
	size_t n = strlen(text);

	if (q->len + n + 1 > q->cap) {
		size_t cap = (q->len + n + 1) * 2;
		char *p = malloc(cap);
		if (!p) {
			q->failed = true;
			return;
		}
		if (q->buf) {
			memcpy(p, q->buf, q->len);
			explicit_bzero(q->buf, q->len);
			free(q->buf);
		}
		q->buf = p;
		q->cap = cap;
	}
	memcpy(q->buf + q->len, text, n + 1);
	q->len += n;
}

void query_add(struct query *q, const char *value, const char *key, ...)
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
	explicit_bzero(enc, strlen(enc));
	free(enc);
}

void query_number(struct query *q, const char *key, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	query_add(q, v ? text : NULL, "%s", key);
}

struct query query_new(const char *action, const char *version)
{
	struct query q = { 0 };

	query_add(&q, action, "Action");
	query_add(&q, version, "Version");
	return q;
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
	return is_throttle(code) || !strcmp(code, "IDPCommunicationError"); /* STS did not reach the identity provider */
}

static const char *now_text(char *buf, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	strftime(buf, size, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &tm));
	return buf;
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

static int fail(struct query_call *c, const char *action, const struct http_response *r, struct err *err)
{
	const char *region = c->cfg->region;
	char msg[400], clock[80];
	int code = r->status >= 500 ? EREMOTEIO : EIO;
	const char *next = NULL;

	read_failure(r, c->code, sizeof(c->code), msg, sizeof(msg));
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (!strcmp(c->code, codes[i].code)) {
			code = codes[i].err;
			next = codes[i].next;
		}
	if (is_html(r))
		return err_set(err, EBADMSG, "%s: a web page came instead of an answer (status %ld): is there a proxy between?",
			       action, r->status);
	if (!r->len)
		return err_set(err, EBADMSG, "%s: an empty answer (status %ld)", action, r->status);
	if (!*c->code)
		return err_set(err, code, "%s: status %ld without a reason that can be read", action, r->status);
	if (is_throttle(c->code))
		return err_set(err, EBUSY, "%s: AWS throttles this account in %s (%s); try again later", action, region,
			       c->code);
	if (c->service == AWS_EC2 && (!strcmp(c->code, "UnauthorizedOperation") || !strncmp(c->code, "AccessDenied", 12)))
		return err_set(err, EACCES, "%s: not allowed (%s): the policy lacks ec2:%s%s", action, c->code, action,
			       !strcmp(action, "CreateVolume") ? ", or ec2:CreateTags for the tag that finds it again" : "");
	if ((code == EACCES || code == EKEYEXPIRED) && clock_is_off(r, clock, sizeof(clock)))
		return err_set(err, code, "%s: %s: %s", action, c->code, clock);
	if (!strcmp(c->code, "RequestExpired")) /* EC2's word for an old token and for a wrong clock */
		return err_set(err, code, "%s: RequestExpired: the credentials have expired, or this machine's clock is wrong "
			       "(it says %s)", action, now_text(clock, sizeof(clock)));
	if (code == EKEYEXPIRED && c->auth)
		return err_set(err, code, "%s: the credentials have expired (%s): " NEW_LOGIN, action, c->code);
	if (code == ENOENT && *c->cfg->region_from)
		return err_set(err, code, "%s in %s: %s: %s (that Region is from %s: is it the right one?)", action, region,
			       c->code, msg, c->cfg->region_from);
	size_t n = strlen(msg);
	if (n && msg[n - 1] == '.' && next) /* a sentence that goes on */
		msg[n - 1] = 0;
	return err_set(err, code, "%s in %s: %s: %s%s%s", action, region, c->code, msg, next ? ": " : "", next ? next : "");
}

static int send_body(const struct query_call *c, const struct query *q, struct http_response *resp, struct err *err)
{
	static const char *const headers[] = { "Content-Type: application/x-www-form-urlencoded; charset=utf-8", NULL };
	struct http_policy policy = { .repeatable = c->repeatable, .throttled = throttled };
	char url[512];

	if (aws_config_endpoint(c->cfg, c->service, url, sizeof(url), err))
		return -1;
	struct http_request req = { .method = "POST",
				    .url = url,
				    .headers = headers,
				    .body = q->buf,
				    .body_len = q->len,
				    .auth = c->auth,
				    .ca_bundle = c->cfg->ca_bundle,
				    .cancel = c->cancel };
	return http_send_retrying(c->http, &req, &policy, resp, err);
}

int query_send(struct query_call *c, const char *action, struct query *q, struct http_response *resp, struct err *err)
{
	int rc = -1;

	*resp = (struct http_response){ 0 };
	*c->code = 0;
	c->maybe_done = false;
	if (q->failed) {
		err_set(err, ENOMEM, "no memory");
	} else if (send_body(c, q, resp, err)) {
		c->maybe_done = resp->maybe_done;
		if (err->code == EHOSTUNREACH && *c->cfg->region_from)
			err_set(err, err->code, "%s; is %s a Region (from %s), and is there a network?", err->msg,
				c->cfg->region, c->cfg->region_from);
		err_wrap(err, "%s", action);
	} else if (resp->status == 200 && !is_html(resp) && resp->body) {
		rc = 0;
	} else {
		fail(c, action, resp, err);
		/* 200 and no answer of AWS's says nothing of what was done */
		c->maybe_done = (resp->status == 200 || resp->status >= 500) && err->code != EBUSY;
	}
	if (q->buf)
		explicit_bzero(q->buf, q->len);
	free(q->buf);
	*q = (struct query){ 0 };
	if (rc)
		http_release(resp);
	return rc;
}
