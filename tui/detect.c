/* SPDX-License-Identifier: MIT */
#include "tui/detect.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "aws/imds.h"
#include "aws/volume_life.h"
#include "engine/clock.h"
#include "engine/fsinfo.h"
#include "engine/sysroot.h"

#define MAX_DEPTH 16 /* of devices on devices: sysfs may lie */

/** What is below the target. */
struct below {
	char   id[FACTS_IDS][EC2_ID];
	size_t n;
	char   xen[FACTS_IDS][BLOCKDEV_NAME]; /* disks of which only the letter is known */
	size_t n_xen;
	char   raid[8]; /* "0", "10", … of the set that joins them; "" none */
	char   odd[160]; /* why what joins them is not modelled; "" it is */
};

static void __attribute__((format(printf, 2, 3))) note(struct setup *s, const char *fmt, ...)
{
	va_list ap;

	if (s->nr_notes == SETUP_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(s->note[s->nr_notes++], sizeof(s->note[0]), fmt, ap);
	va_end(ap);
}

static void add_id(struct below *b, const char *id)
{
	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->id[i], id))
			return;
	if (b->n < FACTS_IDS && ec2_is_volume_id(id))
		snprintf(b->id[b->n++], EC2_ID, "%s", id);
}

/* What joins several disks: the device itself, its disk, or the first below it that stands on more than one. */
static const struct blockdev *joint(const struct blockdevs *devs, const struct blockdev *d)
{
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		const char *below = *d->disk ? d->disk : d->members.n == 1 ? d->members.at[0] : "";
		const struct blockdev *next = blockdevs_find(devs, below);
		if (!next)
			break;
		d = next;
	}
	return d;
}

static void learn_level(struct below *b, const struct blockdev *set, size_t leaves)
{
	enum raid raid = raid_find(set->level);

	if (leaves != set->members.n)
		snprintf(b->odd, sizeof(b->odd), "%.40s is a set of sets over %zu disks", set->path, leaves);
	else if (!strcmp(set->level, "linear"))
		snprintf(b->odd, sizeof(b->odd), "%.40s is linear, %zu disks one behind the other: where the data lies decides "
			 "how many work at a time", set->path, leaves);
	else if (raid == RAID_NONE)
		snprintf(b->odd, sizeof(b->odd), "%.40s joins %zu disks %s%s", set->path, leaves,
			 *set->level ? "as " : "in a way that does not show", set->level);
	else
		snprintf(b->raid, sizeof(b->raid), "%s", raid_name(raid) + strlen("RAID "));
}

static void add_device(struct below *b, const struct blockdevs *devs, const struct blockdev *d)
{
	const struct blockdev *leaf[FACTS_IDS];
	size_t n = blockdevs_leaves(devs, d, leaf, FACTS_IDS);

	if (n > 1)
		learn_level(b, joint(devs, d), n);
	for (size_t i = 0; i < n; i++) {
		if (*leaf[i]->volume_id)
			add_id(b, leaf[i]->volume_id);
		else if (!strncmp(leaf[i]->name, "xvd", 3) && b->n_xen < FACTS_IDS)
			snprintf(b->xen[b->n_xen++], BLOCKDEV_NAME, "%s", leaf[i]->name);
	}
}

/* A btrfs joins its devices itself. Of its mirrors on more than two devices each block is on two, wherever. */
static void learn_profile(struct below *b, const struct fsinfo *fs)
{
	enum raid raid = raid_find(fs->profile);

	if (!*fs->profile)
		snprintf(b->odd, sizeof(b->odd), "the btrfs at %.40s is on %zu devices, and how it joins them does not show", fs->point,
			 fs->nr_devices);
	else if (raid == RAID_NONE || (raid == RAID_1 && fs->nr_devices > 2) || *b->raid || *b->odd)
		snprintf(b->odd, sizeof(b->odd), "the btrfs at %.40s keeps its data as %s on %zu devices", fs->point, fs->profile,
			 fs->nr_devices);
	else
		snprintf(b->raid, sizeof(b->raid), "%s", raid_name(raid) + strlen("RAID "));
}

static void look_below(struct below *b, const struct blockdevs *devs, const char *target)
{
	char first[4096];
	struct fsinfo fs;

	for (const char *p = target; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ',')) {
		snprintf(first, sizeof(first), "%.*s", (int)strcspn(p, ","), p);
		const struct blockdev *d = blockdevs_find_path(devs, first);
		if (d) {
			add_device(b, devs, d);
			continue;
		}
		if (access(first, F_OK))
			continue; /* the run itself says it */
		fsinfo_of_path(&fs, devs, first);
		for (size_t i = 0; i < fs.nr_devices; i++)
			if ((d = blockdevs_find(devs, fs.device[i])))
				add_device(b, devs, d);
		if (fs.nr_devices > 1)
			learn_profile(b, &fs);
	}
}

/* --volume-id: ids, or devices that stand for theirs. Without a target the first volume's device here is one. */
static int take_named(struct setup *s, struct below *b, const struct blockdevs *devs, const char *list, struct err *err)
{
	char one[256];

	for (const char *p = list; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ',')) {
		snprintf(one, sizeof(one), "%.*s", (int)strcspn(p, ","), p);
		const struct blockdev *d = blockdevs_find_path(devs, one);
		if (d)
			add_device(b, devs, d);
		else if (ec2_is_volume_id(one))
			add_id(b, one);
		else
			return err_set(err, ERR_USAGE, "--volume-id \"%.60s\": neither a volume's id, such as "
				       "vol-0123456789abcdef0, nor a device here", one);
		if (d && !b->n)
			return err_set(err, ERR_USAGE, "--volume-id %s: that is no EBS volume", one);
	}
	if (*s->target || !b->n)
		return 0;
	const struct blockdev *d = life_find_here(devs, b->id[0], NULL);
	if (!d)
		return err_set(err, ENODEV, "%s is not attached here: name a target, or attach it", b->id[0]);
	snprintf(s->target, sizeof(s->target), "%s", d->path);
	return 0;
}

/* Signs of EC2 that cost nothing to look at. */
static bool looks_like_aws(void)
{
	char line[64];

	if (ecs_is_task() || getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT"))
		return true;
	if (!sysroot_line("/sys/class/dmi/id/sys_vendor", line, sizeof(line)) && !strcmp(line, "Amazon EC2"))
		return true;
	return !sysroot_line("/sys/hypervisor/uuid", line, sizeof(line)) && !strncasecmp(line, "ec2", 3);
}

static bool enough(const struct facts *f, const struct below *b)
{
	if (!f || f->place == PLACE_ASKING)
		return false;
	if (*f->creds_note || (f->creds && !*f->region))
		return true;
	return f->volumes || *f->volumes_note || (f->creds && !b->n && !*f->self.instance_id);
}

uint64_t detect_patience_ns(void) { return 6 * (uint64_t)imds_timeout_s() * NS_PER_SEC; }

static struct facts *ask(const struct below *b)
{
	struct facts_wants wants = { 0 };
	struct facts *f = NULL;
	struct err err;
	uint64_t end = clock_ns() + detect_patience_ns();

	memcpy(wants.id, b->id, sizeof(wants.id));
	wants.n_ids = b->n;
	struct facts_fetcher *fetcher = facts_start(&wants, -1, &err);
	for (uint64_t now; fetcher && !enough(f, b) && (now = clock_ns()) < end;) {
		struct pollfd p = { .fd = facts_fd(fetcher), .events = POLLIN };
		poll(&p, 1, (int)((end - now) / 1000000) + 1);
		facts_unref(f);
		f = facts_get(fetcher);
	}
	facts_stop(fetcher);
	return f;
}

/* AWS's own figures of this instance type beat the catalogue's: an override in tables of our own. */
static void take_host(struct setup *s, const struct facts *f, struct limits *own)
{
	const struct ec2_instance_type *t = &f->type;

	if (*s->instance || *s->task)
		return;
	if (f->place == PLACE_FARGATE && !isnan(f->task.vcpu) && !isnan(f->task.memory_mib)) {
		snprintf(s->task, sizeof(s->task), "%g:%.0fMiB", f->task.vcpu, f->task.memory_mib);
		return;
	}
	struct host host;
	struct err err;
	if (!*f->self.instance_type || host_instance(&host, s->limits, f->self.instance_type, &err))
		return;
	snprintf(s->instance, sizeof(s->instance), "%.31s", f->self.instance_type);
	if (!f->has_type || s->limits->nr_instances >= OVERRIDES_MAX)
		return;
	*own = *s->limits;
	struct instance_override *o = &own->instance[own->nr_instances++];
	*o = (struct instance_override){ .base_mbps = t->ebs_base_mbps, .max_mbps = t->ebs_max_mbps,
					 .base_iops = t->ebs_base_iops, .max_iops = t->ebs_max_iops };
	snprintf(o->name, sizeof(o->name), "%.31s", f->self.instance_type);
	s->limits = own;
}

/* A volume as a SPEC; @p m: as it was before that modification. */
static bool spec_of(const struct ec2_volume *v, const struct ec2_modification *m, const struct limits *l, char *out,
		    size_t size)
{
	struct ec2_volume past = *v;
	struct volume vol;

	if (m) {
		snprintf(past.type, sizeof(past.type), "%s", m->from.type);
		past.size_gib = m->from.size_gib;
		past.iops = m->from.iops;
		past.mibps = m->from.mibps;
	}
	if (facts_volume(&past, l, &vol))
		return false;
	volume_spec(&vol, out, size);
	return true;
}

static const struct ec2_modification *under_way(const struct facts *f, const char *id)
{
	const struct ec2_modification *m = ec2_modifications_find(&f->volumes->modifications, id);

	return m && (!strcmp(m->state, "modifying") || !strcmp(m->state, "optimizing")) ? m : NULL;
}

static void append(char *list, size_t size, const char *spec)
{
	size_t n = strlen(list);

	snprintf(list + n, size - n, "%s%s", n ? "," : "", spec);
}

static bool same_volumes(const struct setup *s, const char *real)
{
	struct volumes a = { 0 }, b = { 0 };
	struct err err;
	char ta[200], tb[200];

	if (volumes_parse(&a, s->limits, s->volume, &err) || volumes_parse(&b, s->limits, real, &err))
		return true; /* what was named is refused elsewhere, with its reason */
	a.raid = b.raid = RAID_NONE;
	return !strcmp(volumes_text(&a, ta, sizeof(ta)), volumes_text(&b, tb, sizeof(tb)));
}

static void take_volumes(struct setup *s, const struct facts *f, const struct below *b)
{
	char real[sizeof(s->volume)] = "", before[sizeof(s->volume)] = "", spec[64];
	int percent = -1;

	if (*b->odd && !*s->raid) {
		note(s, "%s; that is not modelled, nothing is expected of it", b->odd);
		return;
	}
	for (size_t i = 0; i < f->volumes->volumes.n; i++) {
		const struct ec2_volume *v = &f->volumes->volumes.v[i];
		const struct ec2_modification *m = under_way(f, v->id);
		if (!spec_of(v, NULL, s->limits, spec, sizeof(spec)))
			return;
		append(real, sizeof(real), spec);
		if (spec_of(v, m, s->limits, spec, sizeof(spec)))
			append(before, sizeof(before), spec);
		if (m && (percent < 0 || (int)m->progress < percent))
			percent = (int)m->progress;
		if (m)
			note(s, "%s is %s, %llu %% done: figures lie between %s and what it becomes", v->id, m->state,
			     (unsigned long long)m->progress, spec);
	}
	if (!*real)
		return;
	if (*s->volume && !same_volumes(s, real))
		note(s, "actual volume: %.120s, not the %.60s that was named", real, s->volume);
	snprintf(s->volume, sizeof(s->volume), "%s", real);
	snprintf(s->volume_source, sizeof(s->volume_source), "api");
	snprintf(s->volume_before, sizeof(s->volume_before), "%s", percent < 0 ? "" : before);
	s->optimizing = percent;
	if (!*s->raid && *b->raid && f->volumes->volumes.n > 1)
		snprintf(s->raid, sizeof(s->raid), "%s", b->raid);
}

/* On Xen the guest knows no ids: the volumes of this instance whose letters are below the target. */
static struct facts_volumes only_below(const struct facts *f, const struct below *b)
{
	struct facts_volumes few = { .modifications = f->volumes->modifications };
	const struct ec2_volumes *all = &f->volumes->volumes;

	few.volumes.v = calloc(all->n + 1, sizeof(*all->v));
	for (size_t i = 0; few.volumes.v && i < all->n; i++)
		for (size_t k = 0; k < b->n_xen; k++) {
			struct blockdev d = { 0 };
			struct blockdevs one = { .at = &d, .n = 1 };
			snprintf(d.name, sizeof(d.name), "%s", b->xen[k]);
			if (all->v[i].n_attachments && life_find_here(&one, "-", all->v[i].attachment[0].device))
				few.volumes.v[few.volumes.n++] = all->v[i];
		}
	return few;
}

static void take(struct setup *s, const struct facts *f, const struct below *b, struct limits *own)
{
	snprintf(s->instance_id, sizeof(s->instance_id), "%s", f->self.instance_id);
	if (own)
		take_host(s, f, own);
	if (b->n && !f->volumes)
		note(s, "what the volume really is was not learned: %.140s",
		     *f->volumes_note ? f->volumes_note : *f->creds_note ? f->creds_note : "no answer in time");
	if (b->n && f->volumes)
		take_volumes(s, f, b);
	if (b->n || !b->n_xen || !f->volumes)
		return;
	struct facts_volumes few = only_below(f, b);
	struct facts view = *f;
	view.volumes = &few;
	if (few.volumes.n)
		take_volumes(s, &view, b);
	free(few.volumes.v);
}

/* Of all volumes that are known only those below. @return false: one of them is not known */
static bool narrow(const struct facts *f, const struct below *b, struct facts_volumes *out)
{
	*out = (struct facts_volumes){ .modifications = f->volumes->modifications };
	out->volumes.v = calloc(b->n + 1, sizeof(*out->volumes.v));
	for (size_t i = 0; out->volumes.v && i < b->n; i++) {
		const struct ec2_volume *v = ec2_volumes_find(&f->volumes->volumes, b->id[i]);
		if (v)
			out->volumes.v[out->volumes.n++] = *v;
	}
	return b->n && out->volumes.n == b->n;
}

static bool look(const char *target, struct below *b)
{
	struct blockdevs devs;
	struct err none;

	*b = (struct below){ 0 };
	if (blockdevs_read(&devs, &none))
		return false;
	look_below(b, &devs, target);
	blockdevs_release(&devs);
	return true;
}

void detect_from_facts(struct setup *s, const struct facts *f, struct limits *own)
{
	struct facts_volumes few = { 0 };
	struct below b;

	if (!f || setup_is_sim(s) || !look(s->target, &b))
		return;
	struct facts view = *f;
	view.volumes = f->volumes && b.n && narrow(f, &b, &few) ? &few : b.n ? NULL : f->volumes;
	if (!view.volumes)
		b.n = 0; /* not among those that are known: nothing to say */
	take(s, &view, &b, own);
	free(few.volumes.v);
}

bool detect_asks(const char *target)
{
	struct below b;

	return strncmp(target, "sim:", 4) != 0 && ((look(target, &b) && b.n) || looks_like_aws());
}

bool detect_settled(const char *target, const struct facts *f)
{
	struct below b;

	return !look(target, &b) || enough(f, &b);
}

size_t detect_ids(const char *target, char id[][EC2_ID], size_t max)
{
	struct below b;

	if (!strncmp(target, "sim:", 4) || !look(target, &b))
		return 0;
	for (size_t i = 0; i < b.n && i < max; i++)
		memcpy(id[i], b.id[i], EC2_ID);
	return b.n < max ? b.n : max;
}

size_t detect_volumes(const char *target, const struct facts *f, const struct limits *l, struct volumes *out)
{
	struct facts_volumes few = { 0 };
	struct below b;

	*out = (struct volumes){ .raid = RAID_NONE };
	if (!f || !f->volumes || !strncmp(target, "sim:", 4) || !look(target, &b) || !b.n || b.n > VOLUMES_MAX)
		return 0;
	bool all = narrow(f, &b, &few);
	for (size_t i = 0; all && i < few.volumes.n; i++)
		all = !facts_volume(&few.volumes.v[i], l, &out->v[out->n]) && ++out->n;
	free(few.volumes.v);
	struct err none;
	if (*b.odd)
		return 0;
	if (out->n > 1 && (!*b.raid || raid_parse(b.raid, &out->raid, &none)))
		out->raid = RAID_0;
	return all ? out->n : 0;
}

int detect(struct setup *s, const char *volume_id, struct limits *own, struct err *err)
{
	struct below below = { 0 };
	struct blockdevs devs;
	struct err none;
	int rc = 0;

	if (setup_is_sim(s))
		return volume_id ? err_set(err, ERR_USAGE, "--volume-id: a simulated target is no volume of AWS's") : 0;
	if (blockdevs_read(&devs, &none))
		devs = (struct blockdevs){ 0 };
	if (volume_id)
		rc = take_named(s, &below, &devs, volume_id, err);
	else
		look_below(&below, &devs, s->target);
	blockdevs_release(&devs);
	if (rc || (!below.n && !looks_like_aws()))
		return rc;
	struct facts *f = ask(&below);
	if (f)
		take(s, f, &below, own);
	facts_unref(f);
	return 0;
}
