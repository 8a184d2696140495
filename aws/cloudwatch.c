/* SPDX-License-Identifier: MIT */
#include "aws/cloudwatch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/json.h"

#define TARGET	   "X-Amz-Target: GraniteServiceVersion20100801.GetMetricData"
#define CONTENT	   "Content-Type: application/x-amz-json-1.0"
#define MAX_SERIES 100
#define PERIOD_S   60

static const struct {
	const char *name, *space, *dimension;
} metrics[CW_METRIC_NR] = {
	[CW_BURST_BALANCE] = { "BurstBalance", "AWS/EBS", "VolumeId" },
	[CW_EBS_IO_BALANCE] = { "EBSIOBalance%", "AWS/EC2", "InstanceId" },
	[CW_EBS_BYTE_BALANCE] = { "EBSByteBalance%", "AWS/EC2", "InstanceId" },
};

const char *cw_metric_name(enum cw_metric m)
{
	return metrics[m].name;
}

static json_t *make_body(const struct cw_series *s, size_t n, int64_t from, int64_t to)
{
	json_t *queries = json_array();

	for (size_t i = 0; i < n; i++) {
		char id[24];
		snprintf(id, sizeof(id), "m%zu", i);
		json_array_append_new(
			queries, json_pack("{s:s, s:{s:{s:s, s:s, s:[{s:s, s:s}]}, s:i, s:s}, s:b}", "Id", id,
					   "MetricStat", "Metric", "Namespace", metrics[s[i].metric].space, "MetricName",
					   metrics[s[i].metric].name, "Dimensions", "Name",
					   metrics[s[i].metric].dimension, "Value", s[i].id, "Period", PERIOD_S, "Stat",
					   "Average", "ReturnData", 1));
	}
	return json_pack("{s:I, s:I, s:s, s:o}", "StartTime", (json_int_t)from, "EndTime", (json_int_t)to, "ScanBy",
			 "TimestampAscending", "MetricDataQueries", queries);
}

static void read_points(const json_t *result, struct cw_series *s)
{
	const json_t *times = json_object_get(result, "Timestamps"), *values = json_object_get(result, "Values");
	size_t total = json_array_size(times);
	double last = -1;

	if (json_array_size(values) < total)
		total = json_array_size(values);
	s->n = 0;
	for (size_t i = total > CW_POINTS ? total - CW_POINTS : 0; i < total; i++) {
		double t = json_number_value(json_array_get(times, i));
		const json_t *v = json_array_get(values, i);
		double percent = json_is_number(v) ? json_number_value(v) : NAN;
		if (!(t > last) || t > 1e11 || !(percent >= 0 && percent <= 100))
			continue;
		last = t;
		s->point[s->n].t = (int64_t)t;
		s->point[s->n++].percent = percent;
	}
}

int cw_parse(const char *text, size_t len, struct cw_series *s, size_t n, struct err *err)
{
	json_t *doc = json_loadb(text, len, 0, NULL);
	const json_t *results = json_object_get(doc, "MetricDataResults"), *r;
	size_t i;

	if (!json_is_array(results)) {
		json_decref(doc);
		return err_set(err, EBADMSG, "GetMetricData: the answer holds no results");
	}
	for (size_t k = 0; k < n; k++)
		s[k].n = 0;
	json_array_foreach(results, i, r) {
		const char *id = json_get_text(r, "Id", "");
		char *end;
		if (*id != 'm' || id[1] < '0' || id[1] > '9')
			continue;
		unsigned long k = strtoul(id + 1, &end, 10);
		if (!*end && k < n)
			read_points(r, &s[k]);
	}
	json_decref(doc);
	return 0;
}

/* {"__type":"com.amazonaws…#AccessDenied","message":"…"} */
static int fail(const struct http_response *resp, struct err *err)
{
	json_t *doc = resp->body ? json_loadb(resp->body, resp->len, 0, NULL) : NULL;
	const char *type = json_get_text(doc, "__type", "");
	const char *hash = strrchr(type, '#');
	char name[80];

	snprintf(name, sizeof(name), "%s", hash ? hash + 1 : type);
	for (char *p = name; *p; p++)
		if (*p <= ' ' || *p > '~')
			*p = '?';
	json_decref(doc);
	if (!strncmp(name, "AccessDenied", 12))
		return err_set(err, EACCES, "GetMetricData: not allowed: the policy lacks cloudwatch:GetMetricData");
	return err_set(err, EIO, "GetMetricData: status %ld %s", resp->status, name);
}

static bool throttled(const struct http_response *r)
{
	return r->status == 400 && r->body && strstr(r->body, "Throttling");
}

static int send_body(struct cloud *c, const char *body, struct http_response *resp, struct err *err)
{
	static const char *const headers[] = { CONTENT, TARGET, NULL };
	struct http_policy policy = { .repeatable = true, .throttled = throttled };
	char url[512];

	if (aws_config_endpoint(&c->cfg, AWS_CLOUDWATCH, url, sizeof(url), err))
		return -1;
	const struct creds *creds = cred_chain_get(c->chain, err);
	if (!creds)
		return -1;
	struct http_auth auth = { aws_service_signing(AWS_CLOUDWATCH), c->cfg.region, creds->key_id, creds->secret,
				  creds->token };
	struct http_request req = { .method = "POST", .url = url, .headers = headers, .body = body,
				    .body_len = strlen(body), .auth = &auth, .ca_bundle = c->cfg.ca_bundle,
				    .cancel = c->cancel };
	return http_send_retrying(c->http, &req, &policy, resp, err);
}

int cw_get(struct cloud *c, struct cw_series *s, size_t n, int64_t from, int64_t to, struct err *err)
{
	struct http_response resp = { 0 };

	if (n > MAX_SERIES)
		return err_set(err, ERR_USAGE, "GetMetricData: more than %d series", MAX_SERIES);
	json_t *doc = make_body(s, n, from, to);
	char *body = doc ? json_dumps(doc, JSON_COMPACT) : NULL;
	json_decref(doc);
	if (!body)
		return err_set(err, ENOMEM, "no memory");
	int rc = send_body(c, body, &resp, err);
	free(body);
	if (rc)
		return err_wrap(err, "GetMetricData");
	rc = resp.status == 200 && resp.body ? cw_parse(resp.body, resp.len, s, n, err) : fail(&resp, err);
	http_release(&resp);
	return rc;
}
