/* SPDX-License-Identifier: MIT */
#include "aws/volume_life_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void life_init(struct life *l, struct cloud *cloud, const char *instance)
{
	struct err ignored; /* not on EC2: said where the instance is needed */
	bool self = !cloud_self(cloud, &ignored);

	*l = (struct life){ .cloud = cloud };
	if (instance && *instance)
		snprintf(l->instance, sizeof(l->instance), "%s", instance);
	else if (self)
		snprintf(l->instance, sizeof(l->instance), "%s", cloud->self.instance_id);
	l->here = self && !strcmp(l->instance, cloud->self.instance_id);
}

/* On Xen the guest knows no ids: /dev/sdf is xvdf there. */
static bool is_xen_name(const struct blockdev *d, const char *device)
{
	const char *name = !strncmp(device, "/dev/", 5) ? device + 5 : device;

	return !strncmp(d->name, "xvd", 3) && (!strncmp(name, "sd", 2) ? !strcmp(d->name + 3, name + 2) :
									   !strcmp(d->name, name));
}

const struct blockdev *life_find_here(const struct blockdevs *devs, const char *id, const char *device)
{
	for (size_t i = 0; i < devs->n; i++) {
		const struct blockdev *d = &devs->at[i];
		if (!*d->disk && (!strcmp(d->volume_id, id) || (device && *device && is_xen_name(d, device))))
			return d;
	}
	return NULL;
}

/* What keeps a device from being taken away, itself or anything on it. */
static bool in_use(const struct blockdevs *devs, const struct blockdev *d, char *why, size_t size)
{
	if (d->mounts.n)
		snprintf(why, size, "%s is mounted on %s", d->path, d->mounts.at[0]);
	else if (d->swap)
		snprintf(why, size, "%s is swap", d->path);
	else if (d->holders.n)
		snprintf(why, size, "%s is a member of %s", d->path, d->holders.at[0]);
	else if (d->loops.n)
		snprintf(why, size, "%s is below %s", d->path, d->loops.at[0]);
	else {
		for (size_t i = 0; i < d->partitions.n; i++) {
			const struct blockdev *p = blockdevs_find(devs, d->partitions.at[i]);
			if (p && p != d && in_use(devs, p, why, size))
				return true;
		}
		return false;
	}
	return true;
}

static int guard_root(struct life *l, const struct ec2_volume *v, const struct ec2_attachment *a, struct err *err)
{
	struct ec2_instance *inst = calloc(1, sizeof(*inst));
	struct err why;
	bool root;

	if (!inst)
		return err_set(err, ENOMEM, "no memory");
	if (!ec2_describe_instance(l->cloud->ec2, a->instance_id, inst, &why))
		root = !strcmp(a->device, inst->root_device);
	else /* not permitted to look: then by the names that root volumes have */
		root = !strcmp(a->device, "/dev/xvda") || !strcmp(a->device, "/dev/sda1") || !strcmp(a->device, "/dev/sda");
	free(inst);
	return root ? err_set(err, ERR_REFUSED, "%s is the root volume of %s (%s)", v->id, a->instance_id, a->device) : 0;
}

int life_guard(struct life *l, const struct ec2_volume *v, struct err *err)
{
	const char *device = NULL; /* as this machine has it attached, whichever instance is worked for */
	struct blockdevs devs;
	char why[160];
	int rc = 0;

	for (size_t i = 0; i < v->n_attachments && !rc; i++) {
		const struct ec2_attachment *a = &v->attachment[i];
		if (l->cloud->self_known && !strcmp(a->instance_id, l->cloud->self.instance_id))
			device = a->device;
		if (*a->instance_id)
			rc = guard_root(l, v, a, err);
	}
	if (rc)
		return -1;
	if (blockdevs_read(&devs, err))
		return err_wrap(err, "whether %s is in use here cannot be seen", v->id);
	const struct blockdev *d = life_find_here(&devs, v->id, device);
	if (d && in_use(&devs, d, why, sizeof(why)))
		rc = err_set(err, ERR_REFUSED, "%s is in use here: %s", v->id, why);
	blockdevs_release(&devs);
	return rc;
}

static int create_now(struct life *l, const struct ec2_create *c, const char *run, const char *spec,
		      struct life_volume *out, struct err *err)
{
	struct ec2_volumes vs;

	ec2_dry_run(l->cloud->ec2, l->dry_run);
	if (!l->dry_run && journal_create(run, c->token, ec2_region(l->cloud->ec2), c->az, spec, err))
		return -1;
	if (ec2_create_volume(l->cloud->ec2, c, &vs, err)) {
		struct err ignored;
		if (!l->dry_run && !ec2_maybe_done(l->cloud->ec2))
			journal_token("never", c->token, "", &ignored);
		return -1;
	}
	if (vs.n) {
		snprintf(out->id, sizeof(out->id), "%s", vs.v[0].id);
		struct err why;
		if (journal_token("created", c->token, out->id, &why))
			life_say(l, "%s", why.msg); /* the line before it is enough for cleanup */
	}
	ec2_volumes_release(&vs);
	return 0;
}

int life_create(struct life *l, const struct volume *v, const char *az, bool encrypted, const struct ec2_tag *tag,
		size_t n_tags, const char *run, unsigned n, struct life_volume *out, struct err *err)
{
	struct ec2_tag *tags = calloc(n_tags + 1, sizeof(*tags));
	char token[64], spec[64], run_value[48];
	bool provisioned = v->type->class == CLASS_PROVISIONED;

	*out = (struct life_volume){ 0 };
	if (!tags)
		return err_set(err, ENOMEM, "no memory");
	snprintf(token, sizeof(token), "%s.%u", run, n);
	snprintf(run_value, sizeof(run_value), "%s", run);
	tags[0] = (struct ec2_tag){ (char[]){ LIFE_TAG }, run_value };
	if (n_tags)
		memcpy(tags + 1, tag, n_tags * sizeof(*tags));
	const struct ec2_create c = {
		.az = az, .type = v->type->name, .token = token, .size_gib = v->size_gib, .encrypted = encrypted,
		.iops = provisioned ? v->iops : 0, .mibps = v->type->kind == VOLUME_GP3 ? v->mibps : 0,
		.tag = tags, .n_tags = n_tags + 1,
	};
	int rc = create_now(l, &c, run, volume_spec(v, spec, sizeof(spec)), out, err);
	free(tags);
	if (rc || l->dry_run)
		return rc;
	life_say(l, "%s: created", out->id);
	return life_wait_for(l, life_look_available, out, "available", err);
}

/* The first of /dev/sdf … /dev/sdp that the instance does not use. */
static int next_device(struct life *l, char *out, size_t size, struct err *err)
{
	struct ec2_instance *inst = calloc(1, sizeof(*inst));
	char free_letter = 0;

	if (!inst)
		return err_set(err, ENOMEM, "no memory");
	if (ec2_describe_instance(l->cloud->ec2, l->instance, inst, err)) {
		free(inst);
		return -1;
	}
	for (char c = 'f'; c <= 'p' && !free_letter; c++) {
		bool used = false;
		for (size_t i = 0; i < inst->n_devices; i++) {
			const char *d = inst->device[i].device;
			const char *name = !strncmp(d, "/dev/", 5) ? d + 5 : d;
			used |= (!strncmp(name, "sd", 2) && name[2] == c) || (!strncmp(name, "xvd", 3) && name[3] == c);
		}
		if (!used)
			free_letter = c;
	}
	free(inst);
	if (!free_letter)
		return err_set(err, ENOSPC, "%s uses all of /dev/sdf to /dev/sdp: name one by --device", l->instance);
	snprintf(out, size, "/dev/sd%c", free_letter);
	return 0;
}

/* After a call whose answer was lost: is it attached to that instance, or on its way there? @return 1, 0, or -1 */
static int is_attached_to(struct life *l, const char *id, const char *instance)
{
	struct ec2_volumes vs;
	struct err err;
	int yes = 0;

	life_say(l, "%s: no answer, looking whether it was done", id);
	if (ec2_describe_volume(l->cloud->ec2, id, &vs, &err))
		return -1;
	for (size_t i = 0; i < vs.v[0].n_attachments; i++)
		yes |= !strcmp(vs.v[0].attachment[i].instance_id, instance) &&
		       strncmp(vs.v[0].attachment[i].state, "detach", 6) != 0;
	ec2_volumes_release(&vs);
	return yes;
}

int life_attach(struct life *l, const char *device, struct life_volume *v, struct err *err)
{
	if (!*l->instance)
		return err_set(err, ERR_USAGE, "attach to which instance? this is none: name one by --instance-id");
	ec2_dry_run(l->cloud->ec2, l->dry_run);
	if (device && *device)
		snprintf(v->device, sizeof(v->device), "%s", device);
	else if (next_device(l, v->device, sizeof(v->device), err))
		return -1;
	if (!l->dry_run && journal_volume_event("attach", v->id, err))
		return -1;
	for (int tries = 0; ec2_attach_volume(l->cloud->ec2, v->id, l->instance, v->device, err); tries++) {
		int there = ec2_maybe_done(l->cloud->ec2) ? is_attached_to(l, v->id, l->instance) : -1;
		if (there > 0)
			break;
		if (there < 0 || tries)
			return -1;
	}
	return l->dry_run ? 0 : life_wait_for(l, life_look_attached, v, "attached", err);
}

/* Describe, and see that it may be taken away. */
static int describe_guarded(struct life *l, const char *id, struct ec2_volumes *vs, struct err *err)
{
	if (ec2_describe_volume(l->cloud->ec2, id, vs, err))
		return -1;
	if (!life_guard(l, &vs->v[0], err))
		return 0;
	ec2_volumes_release(vs);
	return -1;
}

int life_detach(struct life *l, const char *id, struct err *err)
{
	struct life_volume v = { 0 };
	char instance[EC2_ID] = "";
	struct ec2_volumes vs;

	snprintf(v.id, sizeof(v.id), "%s", id);
	if (describe_guarded(l, id, &vs, err))
		return -1;
	size_t n = vs.v[0].n_attachments;
	bool going = n && !strcmp(vs.v[0].attachment[0].state, "detaching");
	if (n)
		snprintf(instance, sizeof(instance), "%s", vs.v[0].attachment[0].instance_id);
	ec2_volumes_release(&vs);
	if (!n)
		return err_set(err, EINVAL, "%s is not attached", id);
	if (n > 1)
		return err_set(err, ERR_REFUSED, "%s is attached to %zu instances: detach it with AWS's own tools", id, n);
	ec2_dry_run(l->cloud->ec2, l->dry_run);
	if (!l->dry_run && journal_volume_event("detach", id, err))
		return -1;
	for (int tries = 0; !going && ec2_detach_volume(l->cloud->ec2, id, instance, err); tries++) {
		int there = ec2_maybe_done(l->cloud->ec2) ? is_attached_to(l, id, instance) : -1;
		if (!there)
			break;
		if (there < 0 || tries)
			return -1;
	}
	return l->dry_run ? 0 : life_wait_for(l, life_look_available, &v, "available", err);
}

int life_delete(struct life *l, const char *id, struct err *err)
{
	struct ec2_volumes vs;
	struct err why;
	bool attached;

	if (describe_guarded(l, id, &vs, err))
		return -1;
	attached = vs.v[0].n_attachments > 0;
	ec2_volumes_release(&vs);
	if (attached)
		return err_set(err, ERR_REFUSED, "%s is attached: detach it first", id);
	ec2_dry_run(l->cloud->ec2, l->dry_run);
	if (!l->dry_run && journal_volume_event("delete", id, err))
		return -1;
	for (int tries = 0; ec2_delete_volume(l->cloud->ec2, id, err); tries++) {
		if (!ec2_maybe_done(l->cloud->ec2))
			return -1;
		life_say(l, "%s: no answer, looking whether it was done", id);
		if (ec2_describe_volume(l->cloud->ec2, id, &vs, &why)) {
			if (why.code == ENOENT)
				break;
			return -1;
		}
		bool going = !strncmp(vs.v[0].state, "delet", 5);
		ec2_volumes_release(&vs);
		if (going)
			break;
		if (tries)
			return -1;
	}
	if (!l->dry_run && journal_volume_event("deleted", id, err))
		return err_wrap(err, "%s is deleted, but", id);
	return 0;
}

/* For a wait to come, which may be told of the modification before this one. */
static void remember(struct life *l, const char *id, const struct ec2_modification *m)
{
	struct err why;

	if (!l->dry_run && m->start >= 0 && journal_modified(id, m->start, &why))
		life_say(l, "%s", why.msg);
}

/* Only what changes is asked for: AWS refuses some figures even where they stay the same. */
int life_modify(struct life *l, const char *id, const struct volume *want, struct ec2_modification *out, struct err *err)
{
	bool provisioned = want->type->class == CLASS_PROVISIONED;
	struct ec2_modifications ms;
	struct ec2_volumes vs;

	if (ec2_describe_volume(l->cloud->ec2, id, &vs, err))
		return -1;
	const struct ec2_volume now = vs.v[0];
	bool retype = strcmp(now.type, want->type->name) != 0;
	uint64_t size = want->size_gib != now.size_gib ? want->size_gib : 0;
	uint64_t iops = provisioned && (retype || want->iops != now.iops) ? want->iops : 0;
	uint64_t mibps = want->type->kind == VOLUME_GP3 && (retype || want->mibps != now.mibps) ? want->mibps : 0;
	ec2_volumes_release(&vs);
	if (!retype && !size && !iops && !mibps)
		return err_set(err, EINVAL, "%s is that already", id);
	if (size && size < now.size_gib)
		return err_set(err, ERR_USAGE, "%s has %llu GiB: a volume can only grow", id, (unsigned long long)now.size_gib);
	ec2_dry_run(l->cloud->ec2, l->dry_run);
	if (!l->dry_run && journal_volume_event("modify", id, err))
		return -1;
	if (!ec2_modify_volume(l->cloud->ec2, id, retype ? want->type->name : NULL, size, iops, mibps, out, err)) {
		remember(l, id, out);
		return 0;
	}
	if (!ec2_maybe_done(l->cloud->ec2))
		return -1;
	life_say(l, "%s: no answer, looking whether it was done", id);
	struct err why;
	if (ec2_describe_modifications(l->cloud->ec2, id, &ms, &why))
		return -1;
	const struct ec2_modification *m = ec2_modifications_find(&ms, id);
	bool ours = m && strcmp(m->state, "failed") != 0 && !strcmp(m->to.type, want->type->name) &&
		    m->to.size_gib == want->size_gib && (!iops || m->to.iops == iops) && (!mibps || m->to.mibps == mibps);
	if (ours)
		*out = *m;
	ec2_modifications_release(&ms);
	if (ours)
		remember(l, id, out);
	return ours ? 0 : -1;
}
