/* SPDX-License-Identifier: MIT */
#include "aws/ec2_call.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAX_PAGES 2000
#define PAGE_SIZE "500"

/* A change whose answer says nothing but that it was done. */
static int change_plain(struct ec2 *ec2, const char *action, struct query q, struct err *err)
{
	struct http_response resp;
	int rc = ec2_change(ec2, action, q, false, &resp, err);

	http_release(&resp);
	return rc < 0 ? -1 : 0;
}

/* FNV-1a, 64 bits: two tokens of one list that meet in it are not to be expected. */
static uint64_t hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3;
	return h;
}

static bool is_among(const uint64_t *list, unsigned n, uint64_t h)
{
	while (n--)
		if (list[n] == h)
			return true;
	return false;
}

/* What comes in pages: the question for one, and the reader, which adds to @p out. */
struct pages {
	const char *action;
	struct query (*ask)(const void *what, const char *next);
	int (*read)(const char *text, size_t len, void *out, char *next, size_t size, struct err *err);
};

static int all_pages(struct ec2 *ec2, const struct pages *p, const void *what, void *out, struct err *err)
{
	uint64_t seen[MAX_PAGES]; /* the pages asked for, by their tokens */
	char next[2048] = "";
	struct http_response resp;

	for (unsigned page = 0; page < MAX_PAGES; page++) {
		seen[page] = hash(next);
		if (ec2_call(ec2, p->action, p->ask(what, next), true, &resp, err))
			return -1;
		int rc = p->read(resp.body, resp.len, out, next, sizeof(next), err);
		http_release(&resp);
		if (rc)
			return err_wrap(err, "%s", p->action);
		if (!*next)
			return 0;
		if (is_among(seen, page + 1, hash(next)))
			return err_set(err, EBADMSG, "%s: the same page comes again and again", p->action);
	}
	return err_set(err, EBADMSG, "%s: more than %d pages", p->action, MAX_PAGES);
}

static struct query volumes_query(const void *what, const char *next)
{
	const struct ec2_filter *f = what;
	struct query q = ec2_query_new("DescribeVolumes");

	for (size_t i = 0; i < f->n_ids; i++)
		query_add(&q, f->ids[i], "VolumeId.%zu", i + 1);
	if (f->instance_id) {
		query_add(&q, "attachment.instance-id", "Filter.1.Name");
		query_add(&q, f->instance_id, "Filter.1.Value.1");
	} else if (f->tag_key && f->tag_value) {
		char name[160];
		snprintf(name, sizeof(name), "tag:%s", f->tag_key);
		query_add(&q, name, "Filter.1.Name");
		query_add(&q, f->tag_value, "Filter.1.Value.1");
	} else if (f->tag_key) {
		query_add(&q, "tag-key", "Filter.1.Name");
		query_add(&q, f->tag_key, "Filter.1.Value.1");
	}
	if (!f->n_ids)
		query_add(&q, PAGE_SIZE, "MaxResults");
	query_add(&q, *next ? next : NULL, "NextToken");
	return q;
}

static int read_volumes(const char *text, size_t len, void *out, char *next, size_t size, struct err *err)
{
	return ec2_parse_volumes(text, len, out, next, size, err);
}

int ec2_describe_volumes(struct ec2 *ec2, const struct ec2_filter *filter, struct ec2_volumes *out,
			 struct err *err)
{
	static const struct pages volumes = { "DescribeVolumes", volumes_query, read_volumes };

	*out = (struct ec2_volumes){ 0 };
	if (!all_pages(ec2, &volumes, filter, out, err))
		return 0;
	ec2_volumes_release(out);
	return -1;
}

int ec2_describe_volume(struct ec2 *ec2, const char *id, struct ec2_volumes *out, struct err *err)
{
	struct ec2_filter f = { .ids = &id, .n_ids = 1 };

	if (ec2_describe_volumes(ec2, &f, out, err))
		return -1;
	if (out->n == 1 && !strcmp(out->v[0].id, id))
		return 0;
	ec2_volumes_release(out);
	return err_set(err, ENOENT, "DescribeVolumes in %s: no %s", ec2_region(ec2), id);
}

static struct query modifications_query(const void *id, const char *next)
{
	static const char *const states[] = { "modifying", "optimizing", "failed" };
	struct query q = ec2_query_new("DescribeVolumesModifications");

	query_add(&q, id, "VolumeId.1");
	query_add(&q, id ? NULL : "modification-state", "Filter.1.Name");
	for (size_t i = 0; i < 3; i++)
		query_add(&q, id ? NULL : states[i], "Filter.1.Value.%zu", i + 1);
	query_add(&q, id ? NULL : PAGE_SIZE, "MaxResults");
	query_add(&q, *next ? next : NULL, "NextToken");
	return q;
}

static int read_modifications(const char *text, size_t len, void *out, char *next, size_t size, struct err *err)
{
	return ec2_parse_modifications(text, len, out, next, size, err);
}

int ec2_describe_modifications(struct ec2 *ec2, const char *id, struct ec2_modifications *out,
			       struct err *err)
{
	static const struct pages modifications = { "DescribeVolumesModifications", modifications_query, read_modifications };

	*out = (struct ec2_modifications){ 0 };
	if (!all_pages(ec2, &modifications, id, out, err))
		return 0;
	ec2_modifications_release(out);
	return strcmp(ec2_code(ec2), "InvalidVolumeModification.NotFound") ? -1 : 0;
}

int ec2_describe_instance(struct ec2 *ec2, const char *id, struct ec2_instance *out, struct err *err)
{
	struct query q = ec2_query_new("DescribeInstances");
	struct http_response resp;

	query_add(&q, id, "InstanceId.1");
	if (ec2_call(ec2, "DescribeInstances", q, true, &resp, err))
		return -1;
	int rc = ec2_parse_instance(resp.body, resp.len, out, err);
	http_release(&resp);
	return rc ? err_wrap(err, "DescribeInstances") : 0;
}

int ec2_describe_instance_type(struct ec2 *ec2, const char *type, struct ec2_instance_type *out,
			       struct err *err)
{
	struct query q = ec2_query_new("DescribeInstanceTypes");
	struct http_response resp;

	query_add(&q, type, "InstanceType.1");
	if (ec2_call(ec2, "DescribeInstanceTypes", q, true, &resp, err))
		return -1;
	int rc = ec2_parse_instance_type(resp.body, resp.len, out, err);
	http_release(&resp);
	return rc ? err_wrap(err, "DescribeInstanceTypes") : 0;
}

int ec2_create_volume(struct ec2 *ec2, const struct ec2_create *c, struct ec2_volumes *out, struct err *err)
{
	struct query q = ec2_query_new("CreateVolume");
	struct http_response resp;
	char next[16];

	*out = (struct ec2_volumes){ 0 };
	query_add(&q, c->az, "AvailabilityZone");
	query_number(&q, "Size", c->size_gib);
	query_add(&q, c->type, "VolumeType");
	query_number(&q, "Iops", c->iops);
	query_number(&q, "Throughput", c->mibps);
	query_add(&q, c->encrypted ? "true" : NULL, "Encrypted");
	query_add(&q, c->token, "ClientToken");
	query_add(&q, c->n_tags ? "volume" : NULL, "TagSpecification.1.ResourceType");
	for (size_t i = 0; i < c->n_tags; i++) {
		query_add(&q, c->tag[i].key, "TagSpecification.1.Tag.%zu.Key", i + 1);
		query_add(&q, c->tag[i].value, "TagSpecification.1.Tag.%zu.Value", i + 1);
	}
	int rc = ec2_change(ec2, "CreateVolume", q, c->token != NULL, &resp,
			    err); /* the token makes it one volume */
	if (rc)
		return rc < 0 ? -1 : 0;
	rc = ec2_parse_volumes(resp.body, resp.len, out, next, sizeof(next), err);
	http_release(&resp);
	if (!rc && out->n == 1)
		return 0;
	ec2_set_maybe_done(ec2);
	ec2_volumes_release(out);
	return rc ? err_wrap(err, "CreateVolume")
		  : err_set(err, EBADMSG, "CreateVolume: the answer holds no volume");
}

int ec2_attach_volume(struct ec2 *ec2, const char *volume, const char *instance, const char *device, struct err *err)
{
	struct query q = ec2_query_new("AttachVolume");

	query_add(&q, device, "Device");
	query_add(&q, instance, "InstanceId");
	query_add(&q, volume, "VolumeId");
	return change_plain(ec2, "AttachVolume", q, err);
}

int ec2_detach_volume(struct ec2 *ec2, const char *volume, const char *instance, struct err *err)
{
	struct query q = ec2_query_new("DetachVolume");

	query_add(&q, instance, "InstanceId");
	query_add(&q, volume, "VolumeId");
	return change_plain(ec2, "DetachVolume", q, err);
}

int ec2_delete_volume(struct ec2 *ec2, const char *volume, struct err *err)
{
	struct query q = ec2_query_new("DeleteVolume");

	query_add(&q, volume, "VolumeId");
	return change_plain(ec2, "DeleteVolume", q, err);
}

int ec2_modify_volume(struct ec2 *ec2, const char *volume, const char *type, uint64_t size_gib, uint64_t iops,
		      uint64_t mibps, struct ec2_modification *out, struct err *err)
{
	struct query q = ec2_query_new("ModifyVolume");
	struct ec2_modifications ms = { 0 };
	struct http_response resp;
	char next[16];

	*out = (struct ec2_modification){ 0 };
	query_add(&q, volume, "VolumeId");
	query_add(&q, type, "VolumeType");
	query_number(&q, "Size", size_gib);
	query_number(&q, "Iops", iops);
	query_number(&q, "Throughput", mibps);
	int rc = ec2_change(ec2, "ModifyVolume", q, false, &resp, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	rc = ec2_parse_modifications(resp.body, resp.len, &ms, next, sizeof(next), err);
	if (rc)
		ec2_set_maybe_done(ec2);
	else if (ms.n)
		*out = ms.m[0];
	ec2_modifications_release(&ms);
	http_release(&resp);
	return rc ? err_wrap(err, "ModifyVolume") : 0;
}
