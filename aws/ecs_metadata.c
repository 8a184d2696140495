/* SPDX-License-Identifier: MIT */
#include "aws/ecs_metadata.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/imds.h"
#include "engine/json.h"

#define MAX_BODY ((size_t)1 << 20)
#define URI_ENV	 "ECS_CONTAINER_METADATA_URI_V4"

bool ecs_is_task(void)
{
	const char *uri = getenv(URI_ENV);

	return uri && *uri;
}

/* A limit that is there and means something: 0 stands for none. */
static double limit(const json_t *obj, const char *key, double max)
{
	double v = json_get_num(json_object_get(obj, "Limits"), key, NAN);

	return v > 0 && v <= max ? v : NAN;
}

static double mib(const json_t *obj, const char *key)
{
	double v = json_get_num(obj, key, NAN);

	return v >= 0 && v < 1e9 ? v : NAN;
}

/* The Region is the fourth part of the ARN, else the zone without its letter. */
static void find_region(struct ecs_task *t)
{
	const char *p = t->arn;

	for (int i = 0; i < 3 && p; i++)
		p = (p = strchr(p, ':')) ? p + 1 : NULL;
	size_t n = p ? strcspn(p, ":") : 0;
	if (n && n < sizeof(t->region)) {
		snprintf(t->region, sizeof(t->region), "%.*s", (int)n, p);
	} else {
		snprintf(t->region, sizeof(t->region), "%s", t->az);
		n = strlen(t->region);
		if (n && t->region[n - 1] >= 'a' && t->region[n - 1] <= 'z')
			t->region[n - 1] = 0;
	}
}

static const json_t *own_container(const json_t *list, const char *id)
{
	const json_t *c;
	size_t i;

	if (!*id)
		return json_array_size(list) == 1 ? json_array_get(list, 0) : NULL;
	json_array_foreach(list, i, c)
		if (!strcmp(json_get_text(c, "DockerId", ""), id))
			return c;
	return NULL;
}

int ecs_task_parse(const char *text, size_t len, const char *container_id, struct ecs_task *out, struct err *err)
{
	json_t *doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);

	*out = (struct ecs_task){ 0 };
	if (!json_is_object(doc)) {
		json_decref(doc);
		return err_set(err, EBADMSG, "task metadata: not a JSON object");
	}
	json_copy_text(doc, "LaunchType", out->launch_type, sizeof(out->launch_type));
	json_copy_text(doc, "AvailabilityZone", out->az, sizeof(out->az));
	json_copy_text(doc, "TaskARN", out->arn, sizeof(out->arn));
	json_copy_text(doc, "Family", out->family, sizeof(out->family));
	json_copy_text(doc, "Revision", out->revision, sizeof(out->revision));
	out->fargate = !strcmp(out->launch_type, "FARGATE");
	out->vcpu = limit(doc, "CPU", 1024);
	out->memory_mib = limit(doc, "Memory", 1e8);
	const json_t *eph = json_object_get(doc, "EphemeralStorageMetrics");
	out->ephemeral_mib = mib(eph, "Reserved");
	out->ephemeral_used_mib = mib(eph, "Utilized");
	const json_t *own = own_container(json_object_get(doc, "Containers"), container_id);
	out->cpu_units = limit(own, "CPU", 1 << 20);
	out->container_memory_mib = limit(own, "Memory", 1e8);
	json_copy_text(own, "Name", out->container, sizeof(out->container));
	find_region(out);
	json_decref(doc);
	return 0;
}

static int ask(struct http *http, const atomic_bool *cancel, const char *path, struct http_response *resp,
	       struct err *err)
{
	char url[512];

	snprintf(url, sizeof(url), "%s%s", getenv(URI_ENV), path);
	long ms = imds_timeout_s() * 1000;
	struct http_request req = { .method = "GET", .url = url, .connect_ms = ms, .total_ms = ms,
				    .max_body = MAX_BODY, .direct = true, .cancel = cancel };
	if (http_send(http, &req, resp, err))
		return err_wrap(err, "task metadata");
	if (resp->status == 200 && resp->body)
		return 0;
	long status = resp->status;
	http_release(resp);
	return err_set(err, EIO, "task metadata: status %ld", status);
}

int ecs_task_get(struct http *http, const atomic_bool *cancel, struct ecs_task *out, struct err *err)
{
	struct http_response resp = { 0 };
	char id[160] = "";

	if (!ecs_is_task())
		return err_set(err, ENOENT, "not in an ECS task");
	/* Without our own container's id its limits stay unknown, no more; but one that is silent is not asked twice. */
	if (ask(http, cancel, "", &resp, err)) {
		if (err->code != EIO)
			return -1;
	} else {
		json_t *self = json_loadb(resp.body, resp.len, 0, NULL);
		json_copy_text(self, "DockerId", id, sizeof(id));
		json_decref(self);
		http_release(&resp);
	}
	if (ask(http, cancel, "/task", &resp, err))
		return -1;
	int rc = ecs_task_parse(resp.body, resp.len, id, out, err);
	http_release(&resp);
	return rc;
}
