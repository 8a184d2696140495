/* SPDX-License-Identifier: MIT */
#include "aws/ec2.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/creds_source.h"
#include "aws/xml.h"

/* The half of ec2.h that reads answers. Texts of AWS end up on a terminal: control characters become '?'. */

#define MAX_ITEMS 100000

static void copy(char *out, size_t size, const char *text)
{
	size_t n = 0;

	for (; text && text[n] && n + 1 < size; n++)
		out[n] = (unsigned char)text[n] < ' ' || text[n] == 0x7f ? '?' : text[n];
	out[n] = 0;
}

static char *dup_clean(const char *text)
{
	char *s = strdup(text ? text : "");

	for (char *p = s; p && *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return s;
}

#define COPY(field, node, path) copy(field, sizeof(field), xml_text(node, path))

static uint64_t number(const struct xml_node *n, const char *path)
{
	const char *s = xml_text(n, path);
	char *end;

	if (!s || *s < '0' || *s > '9')
		return EC2_NONE;
	errno = 0;
	unsigned long long v = strtoull(s, &end, 10);
	/* progress may come as "37.0" */
	return errno || (*end && *end != '.') ? EC2_NONE : v;
}

static double figure(const struct xml_node *n, const char *path)
{
	uint64_t v = number(n, path);

	return v == EC2_NONE ? NAN : (double)v;
}

static bool yes(const struct xml_node *n, const char *path)
{
	const char *s = xml_text(n, path);

	return s && !strcmp(s, "true");
}

static size_t count_items(const struct xml_node *set)
{
	size_t n = 0;

	for (const struct xml_node *i = set ? set->child : NULL; i; i = i->next)
		n += !strcmp(i->name, "item");
	return n < MAX_ITEMS ? n : MAX_ITEMS;
}

/* The next "item" at or behind i. */
static const struct xml_node *item(const struct xml_node *i)
{
	while (i && strcmp(i->name, "item"))
		i = i->next;
	return i;
}

static const struct xml_node *first(const struct xml_node *set)
{
	return item(set ? set->child : NULL);
}

static void volume_release(struct ec2_volume *v)
{
	for (size_t i = 0; i < v->n_tags; i++) {
		free(v->tag[i].key);
		free(v->tag[i].value);
	}
	free(v->tag);
	free(v->attachment);
}

void ec2_volumes_release(struct ec2_volumes *vs)
{
	for (size_t i = 0; i < vs->n; i++)
		volume_release(&vs->v[i]);
	free(vs->v);
	*vs = (struct ec2_volumes){ 0 };
}

void ec2_modifications_release(struct ec2_modifications *ms)
{
	free(ms->m);
	*ms = (struct ec2_modifications){ 0 };
}

const struct ec2_volume *ec2_volumes_find(const struct ec2_volumes *vs, const char *id)
{
	for (size_t i = 0; i < vs->n; i++)
		if (!strcmp(vs->v[i].id, id))
			return &vs->v[i];
	return NULL;
}

const struct ec2_modification *ec2_modifications_find(const struct ec2_modifications *ms, const char *id)
{
	for (size_t i = 0; i < ms->n; i++)
		if (!strcmp(ms->m[i].id, id))
			return &ms->m[i];
	return NULL;
}

const char *ec2_tag(const struct ec2_volume *v, const char *key)
{
	for (size_t i = 0; i < v->n_tags; i++)
		if (!strcmp(v->tag[i].key, key))
			return v->tag[i].value;
	return NULL;
}

static int parse_tags(const struct xml_node *set, struct ec2_volume *v)
{
	size_t n = count_items(set);

	if (!n)
		return 0;
	if (!(v->tag = calloc(n, sizeof(*v->tag))))
		return -1;
	for (const struct xml_node *i = first(set); i && v->n_tags < n; i = item(i->next)) {
		struct ec2_tag *t = &v->tag[v->n_tags++];
		t->key = dup_clean(xml_text(i, "key"));
		t->value = dup_clean(xml_text(i, "value"));
		if (!t->key || !t->value)
			return -1;
	}
	return 0;
}

static void parse_attachment(const struct xml_node *i, struct ec2_attachment *a)
{
	COPY(a->instance_id, i, "instanceId");
	COPY(a->device, i, "device");
	COPY(a->state, i, "status");
	a->delete_on_termination = yes(i, "deleteOnTermination");
}

static int parse_attachments(const struct xml_node *set, struct ec2_volume *v)
{
	size_t n = count_items(set);

	if (!n)
		return 0;
	if (!(v->attachment = calloc(n, sizeof(*v->attachment))))
		return -1;
	for (const struct xml_node *i = first(set); i && v->n_attachments < n; i = item(i->next))
		parse_attachment(i, &v->attachment[v->n_attachments++]);
	return 0;
}

static int parse_volume(const struct xml_node *i, struct ec2_volume *v, struct err *err)
{
	*v = (struct ec2_volume){ .size_gib = number(i, "size"), .iops = number(i, "iops"),
				  .mibps = number(i, "throughput"), .encrypted = yes(i, "encrypted"),
				  .multi_attach = yes(i, "multiAttachEnabled") };
	COPY(v->id, i, "volumeId");
	COPY(v->az, i, "availabilityZone");
	COPY(v->type, i, "volumeType");
	COPY(v->state, i, "status");
	COPY(v->created, i, "createTime");
	if (!ec2_is_volume_id(v->id))
		return err_set(err, EBADMSG, "a volume without an id");
	if (parse_tags(xml_child(i, "tagSet"), v) || parse_attachments(xml_child(i, "attachmentSet"), v)) {
		volume_release(v);
		return err_set(err, ENOMEM, "no memory");
	}
	return 0;
}

static bool is_id(const char *text, const char *kind)
{
	size_t at = strlen(kind), n = strncmp(text, kind, at) ? 0 : strspn(text + at, "0123456789abcdef");

	return (n == 8 || n == 17) && !text[at + n];
}

bool ec2_is_volume_id(const char *text)
{
	return is_id(text, "vol-");
}

bool ec2_is_instance_id(const char *text)
{
	return is_id(text, "i-");
}

/* The root element tells whether this is the answer that was asked for. */
static int open_answer(const char *text, size_t len, const char *action, struct xml *doc, struct err *err)
{
	char want[64];

	if (xml_parse(text, len, doc, err))
		return -1;
	snprintf(want, sizeof(want), "%sResponse", action);
	if (!strcmp(doc->root->name, want))
		return 0;
	err_set(err, EBADMSG, "answer is a <%.40s>, not a <%s>", doc->root->name, want);
	xml_release(doc);
	return -1;
}

/* Where the next page is; "" behind the last. */
static int read_next(const struct xml *doc, char *next_token, size_t size, struct err *err)
{
	const char *next = xml_text(doc->root, "nextToken");

	if (next && strlen(next) >= size)
		return err_set(err, EBADMSG, "nextToken longer than %zu bytes", size - 1);
	snprintf(next_token, size, "%s", next ? next : "");
	return 0;
}

int ec2_parse_volumes(const char *text, size_t len, struct ec2_volumes *out, char *next_token, size_t size,
		      struct err *err)
{
	struct xml doc;
	int rc = 0;

	*next_token = 0;
	if (xml_parse(text, len, &doc, err))
		return -1;
	bool created = !strcmp(doc.root->name, "CreateVolumeResponse");
	if (!created && strcmp(doc.root->name, "DescribeVolumesResponse")) {
		err_set(err, EBADMSG, "answer is a <%.40s>", doc.root->name);
		xml_release(&doc);
		return -1;
	}
	const struct xml_node *set = xml_child(doc.root, "volumeSet");
	size_t n = created ? 1 : count_items(set);
	struct ec2_volume *v = realloc(out->v, (out->n + n + 1) * sizeof(*v));
	if (!v)
		rc = err_set(err, ENOMEM, "no memory");
	else
		out->v = v;
	if (!rc && created) {
		rc = parse_volume(doc.root, &out->v[out->n], err);
		out->n += !rc;
	}
	const struct xml_node *i = created || rc ? NULL : first(set);
	for (size_t k = 0; i && k < n && !rc; k++, i = item(i->next)) {
		rc = parse_volume(i, &out->v[out->n], err);
		out->n += !rc;
	}
	if (!rc)
		rc = read_next(&doc, next_token, size, err);
	xml_release(&doc);
	return rc;
}

static void parse_figures(const struct xml_node *n, const char *which, struct ec2_figures *f)
{
	char key[32];

	snprintf(key, sizeof(key), "%sVolumeType", which);
	COPY(f->type, n, key);
	snprintf(key, sizeof(key), "%sSize", which);
	f->size_gib = number(n, key);
	snprintf(key, sizeof(key), "%sIops", which);
	f->iops = number(n, key);
	snprintf(key, sizeof(key), "%sThroughput", which);
	f->mibps = number(n, key);
}

static void parse_modification(const struct xml_node *i, struct ec2_modification *m)
{
	*m = (struct ec2_modification){ .progress = number(i, "progress") };
	COPY(m->id, i, "volumeId");
	COPY(m->state, i, "modificationState");
	COPY(m->message, i, "statusMessage");
	const char *start = xml_text(i, "startTime");
	m->start = start ? creds_parse_time(start) : -1;
	parse_figures(i, "original", &m->from);
	parse_figures(i, "target", &m->to);
	if (m->progress > 100)
		m->progress = m->progress == EC2_NONE ? 0 : 100;
}

int ec2_parse_modifications(const char *text, size_t len, struct ec2_modifications *out, char *next_token, size_t size,
			    struct err *err)
{
	struct xml doc;

	*next_token = 0;
	if (xml_parse(text, len, &doc, err))
		return -1;
	const struct xml_node *one = xml_child(doc.root, "volumeModification");
	const struct xml_node *set = xml_child(doc.root, "volumeModificationSet");
	size_t n = one ? 1 : count_items(set);
	struct ec2_modification *m;
	int rc = 0;
	if (strcmp(doc.root->name, one ? "ModifyVolumeResponse" : "DescribeVolumesModificationsResponse"))
		rc = err_set(err, EBADMSG, "answer is a <%.40s>", doc.root->name);
	else if (!(m = realloc(out->m, (out->n + n + 1) * sizeof(*m))))
		rc = err_set(err, ENOMEM, "no memory");
	else
		out->m = m;
	const struct xml_node *i = rc ? NULL : one ? one : first(set);
	for (size_t k = 0; i && k < n; k++, i = item(i->next))
		parse_modification(i, &out->m[out->n++]);
	if (!rc)
		rc = read_next(&doc, next_token, size, err);
	xml_release(&doc);
	return rc;
}

int ec2_parse_instance(const char *text, size_t len, struct ec2_instance *out, struct err *err)
{
	struct xml doc;

	*out = (struct ec2_instance){ 0 };
	if (open_answer(text, len, "DescribeInstances", &doc, err))
		return -1;
	const struct xml_node *i = first(xml_child(first(xml_child(doc.root, "reservationSet")), "instancesSet"));
	if (!i) {
		xml_release(&doc);
		return err_set(err, ENOENT, "no such instance");
	}
	COPY(out->id, i, "instanceId");
	COPY(out->type, i, "instanceType");
	COPY(out->state, i, "instanceState/name");
	COPY(out->az, i, "placement/availabilityZone");
	COPY(out->root_device, i, "rootDeviceName");
	const struct xml_node *d = first(xml_child(i, "blockDeviceMapping"));
	for (; d && out->n_devices < EC2_DEVICES; d = item(d->next), out->n_devices++) {
		COPY(out->device[out->n_devices].device, d, "deviceName");
		COPY(out->device[out->n_devices].volume_id, d, "ebs/volumeId");
	}
	xml_release(&doc);
	return 0;
}

int ec2_parse_instance_type(const char *text, size_t len, struct ec2_instance_type *out, struct err *err)
{
	struct xml doc;

	*out = (struct ec2_instance_type){ 0 };
	if (open_answer(text, len, "DescribeInstanceTypes", &doc, err))
		return -1;
	const struct xml_node *i = first(xml_child(doc.root, "instanceTypeSet"));
	if (!i) {
		xml_release(&doc);
		return err_set(err, ENOENT, "no such instance type");
	}
	const struct xml_node *ebs = xml_path(i, "ebsInfo/ebsOptimizedInfo");
	out->ebs_base_mbps = figure(ebs, "baselineBandwidthInMbps");
	out->ebs_max_mbps = figure(ebs, "maximumBandwidthInMbps");
	out->ebs_base_iops = figure(ebs, "baselineIops");
	out->ebs_max_iops = figure(ebs, "maximumIops");
	xml_release(&doc);
	return 0;
}
