/* SPDX-License-Identifier: MIT */
#include "aws/volume_life_parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aws/creds_source.h"

/* The half of volume_life.h that tidies up: what a journal says was left, and the errand's other lines. */

static int use_region(struct life *l, const char *region, struct err *err)
{
	if (!strcmp(l->cloud->cfg.region, region))
		return 0;
	*l->cloud->cfg.region = 0;
	return aws_config_set_region(&l->cloud->cfg, region, "journal", err);
}

void life_leftovers_release(struct life_leftovers *lo)
{
	free(lo->v);
	*lo = (struct life_leftovers){ 0 };
}

static bool is_known(const struct life_leftovers *lo, const char *id)
{
	for (size_t i = 0; i < lo->n; i++)
		if (!strcmp(lo->v[i].j.volume_id, id))
			return true;
	return false;
}

static bool is_going(const struct ec2_volume *v)
{
	return !strncmp(v->state, "delet", 5);
}

static void take(struct life_leftover *o, const struct ec2_volume *v)
{
	o->exists = !is_going(v);
	if (!o->exists)
		o->j.state = JOURNAL_GONE;
	snprintf(o->j.volume_id, sizeof(o->j.volume_id), "%s", v->id);
	snprintf(o->state, sizeof(o->state), "%s", v->state);
	if (v->n_attachments)
		snprintf(o->attached_to, sizeof(o->attached_to), "%s", v->attachment[0].instance_id);
}

/* One journalled volume: by its id, or, where we were killed before we learned it, by the tag of its run: one of those
 * that no other line of the journal, @p lo, has for its own. */
static int look_up(struct life *l, struct life_leftovers *lo, struct life_leftover *o, struct err *err)
{
	struct ec2_filter by_run = { .tag_key = LIFE_TAG, .tag_value = o->j.run };
	struct ec2_volumes vs;
	struct err ignored;

	if (use_region(l, o->j.region, err))
		return -1;
	if (*o->j.volume_id) {
		if (ec2_describe_volume(l->cloud->ec2, o->j.volume_id, &vs, err))
			return err->code == ENOENT ? 0 : -1;
		take(o, &vs.v[0]);
		ec2_volumes_release(&vs);
		if (o->j.state == JOURNAL_GONE && !l->dry_run)
			journal_volume_event("deleted", o->j.volume_id, &ignored);
		return 0;
	}
	if (ec2_describe_volumes(l->cloud->ec2, &by_run, &vs, err))
		return -1;
	for (size_t i = 0; i < vs.n && !o->exists; i++) {
		if (is_going(&vs.v[i]) || is_known(lo, vs.v[i].id))
			continue;
		take(o, &vs.v[i]);
		journal_token("created", o->j.token, vs.v[i].id, &ignored);
	}
	ec2_volumes_release(&vs);
	int64_t asked = creds_parse_time(o->j.time);
	o->unknown = !o->exists && asked >= 0 && asked > time(NULL) - LIFE_FRESH_S;
	if (o->unknown)
		life_say(l, "run %s: %s was asked for only minutes ago, and AWS may not show it yet: look again in %d min",
			 o->j.run, o->j.spec, LIFE_FRESH_S / 60);
	return 0;
}

static void drop_gone(struct life_leftovers *lo)
{
	size_t n = 0;

	for (size_t i = 0; i < lo->n; i++)
		if (lo->v[i].j.state != JOURNAL_GONE)
			lo->v[n++] = lo->v[i];
	lo->n = n;
}

int life_leftovers(struct life *l, struct life_leftovers *out, struct err *err)
{
	struct journal_list list;
	char region[sizeof(l->cloud->cfg.region)];
	int rc = 0;

	*out = (struct life_leftovers){ 0 };
	if (journal_read(&list, err))
		return -1;
	if (list.n && !(out->v = calloc(list.n, sizeof(*out->v))))
		rc = err_set(err, ENOMEM, "no memory");
	size_t alive = 0, unknown = 0;
	for (size_t i = 0; i < list.n && !rc; i++) {
		struct life_leftover *o = &out->v[out->n++];
		o->j = list.v[i];
		o->living = o->unknown = o->j.state != JOURNAL_GONE && journal_run_lives(o->j.run);
		alive += o->j.state != JOURNAL_GONE && !o->living;
		if (o->living)
			life_say(l, "run %s: %s is being created by a process that still runs: left alone", o->j.run, o->j.spec);
	}
	journal_release(&list);
	snprintf(region, sizeof(region), "%s", l->cloud->cfg.region);
	for (size_t i = 0; i < out->n && !rc; i++) {
		struct err why;
		if (out->v[i].j.state == JOURNAL_GONE || out->v[i].living || !look_up(l, out, &out->v[i], &why))
			continue;
		out->v[i].unknown = true;
		if (++unknown == alive || why.code == ECANCELED)
			rc = err_set(err, why.code, "%s", why.msg);
		else
			life_say(l, "%s: %s", out->v[i].j.region, why.msg);
	}
	struct err ignored;
	if (*region)
		use_region(l, region, &ignored);
	drop_gone(out);
	if (rc)
		life_leftovers_release(out);
	return rc;
}

int life_remove(struct life *l, const struct life_leftover *lo, bool named, struct err *err)
{
	char region[sizeof(l->cloud->cfg.region)];
	struct err ignored;
	bool here = l->cloud->self_known && !strcmp(lo->attached_to, l->cloud->self.instance_id);
	int rc;

	if (*lo->attached_to && !here && !named)
		return err_set(err, ERR_REFUSED, "%s is attached to %s, and what uses it there cannot be seen from here: "
			       "`ebscope volumes cleanup %s` detaches and deletes it all the same", lo->j.volume_id,
			       lo->attached_to, lo->j.volume_id);
	snprintf(region, sizeof(region), "%s", l->cloud->cfg.region);
	if (use_region(l, lo->j.region, err))
		return -1;
	rc = *lo->attached_to ? life_detach(l, lo->j.volume_id, err) : 0;
	if (!rc && !l->dry_run && !strcmp(lo->state, "creating"))
		rc = life_wait(l, lo->j.volume_id, "available", &(struct life_volume){ 0 }, err);
	if (!rc && !(l->dry_run && *lo->attached_to)) /* while it is attached AWS cannot say what it would say then */
		rc = life_delete(l, lo->j.volume_id, err);
	if (*region)
		use_region(l, region, &ignored);
	return rc;
}

static void list_paths(FILE *f, const char *const *paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(f, " %s", paths[i]);
	fputc('\n', f);
}

char *life_errand(const char *const *paths, size_t n, enum raid raid, bool down)
{
	static const char *const levels[] = { "0", "1", "5", "6", "10" };
	const char *dev = n > 1 ? "/dev/md0" : n ? paths[0] : "DEVICE";
	bool digit = isdigit((unsigned char)dev[strlen(dev) - 1]); /* nvme1n1p1, but xvdf1 */
	const char *part = n > 1 ? "" : digit || !n ? "p1" : "1"; /* a set is used whole */
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (!down && n > 1) {
		fprintf(f, "mdadm --create %s --level=%s --raid-devices=%zu", dev,
			levels[raid < RAID_NONE ? raid : RAID_0], n);
		list_paths(f, paths, n);
	} else if (!down) {
		fprintf(f, "parted -s %s mklabel gpt mkpart data 1MiB 100%%\n", dev);
	}
	if (!down) {
		fprintf(f, "mkfs.xfs %s%s\nmkdir -p /mnt/ebs\nmount %s%s /mnt/ebs\n", dev, part, dev, part);
	} else {
		fprintf(f, "umount /mnt/ebs\n");
		if (n > 1) {
			fprintf(f, "mdadm --stop %s\nmdadm --zero-superblock", dev);
			list_paths(f, paths, n);
		} else {
			fprintf(f, "wipefs -a %s%s %s\n", dev, part, dev);
		}
	}
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}
