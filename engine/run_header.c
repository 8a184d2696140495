/* SPDX-License-Identifier: MIT */
#include "engine/run_header.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "engine/blockio.h"
#include "engine/cgroup.h"
#include "engine/clock.h"
#include "engine/units.h"

#define ROOM_MAX     (256 * MIB)
#define IODEPTH_ROOM 256
#define BS_ROOM      (1 * MIB)

/* Buffers of one I/O in flight, in bytes of bs: a mix has one to read into and one to write from. */
static uint64_t copies(const struct workload *wl)
{
	return (rw_reads(wl->rw) && rw_writes(wl->rw) ? 2 : 1) * (wl->numjobs ? wl->numjobs : 1);
}

static uint64_t quarter_of_memory(const struct cgroup_limits *lim)
{
	return cgroup_memory(lim) ? cgroup_memory(lim) / 4 : UINT64_MAX;
}

/* Bytes for the buffers of one I/O in flight, bs and depth together. */
static uint64_t room(const struct workload *wl)
{
	struct cgroup_limits lim;

	cgroup_limits(&lim);
	uint64_t most = quarter_of_memory(&lim);
	return (most < ROOM_MAX ? most : ROOM_MAX) / copies(wl);
}

uint64_t run_iodepth_max(const struct workload *wl)
{
	uint64_t depth = IODEPTH_ROOM, most = room(wl) / (wl->bs ? wl->bs : 1);

	while (depth > most && depth > wl->iodepth)
		depth /= 2;
	return depth > wl->iodepth ? depth : wl->iodepth;
}

uint64_t run_bs_max(const struct workload *wl)
{
	uint64_t bs = BS_ROOM, most = room(wl) / run_iodepth_max(wl);

	while (bs > most && bs > wl->bs)
		bs /= 2;
	return bs > wl->bs ? bs : wl->bs;
}

int run_check_memory(const struct workload *wl, struct err *err)
{
	struct cgroup_limits lim;
	char need[FMT_LEN], most[FMT_LEN], memory[64];

	cgroup_limits(&lim);
	uint64_t bytes = wl->bs * wl->iodepth * copies(wl), quarter = quarter_of_memory(&lim);
	if (bytes <= quarter)
		return 0;
	return err_set(err, ERR_USAGE, "bs × iodepth × numjobs is %s of buffers: at most %s, a quarter of the memory (%s)",
		       fmt_size(need, (double)bytes), fmt_size(most, (double)quarter),
		       cgroup_memory_text(&lim, memory, sizeof(memory)));
}

json_t *run_host_json(void)
{
	struct utsname u;
	struct cgroup_limits lim;
	json_t *o = json_object();

	cgroup_limits(&lim);
	bool known = uname(&u) == 0;
	json_object_set_new(o, "hostname", known ? json_text(u.nodename) : json_null());
	json_object_set_new(o, "kernel", known ? json_text(u.release) : json_null());
	json_object_set_new(o, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(o, "cpu_limit", json_num(lim.cpus));
	json_object_set_new(o, "memory_bytes", cgroup_memory(&lim) ? json_u64(cgroup_memory(&lim)) : json_null());
	json_object_set_new(o, "host_memory_bytes", lim.host_memory ? json_u64(lim.host_memory) : json_null());
	json_object_set_new(o, "instance_type", json_null());
	json_object_set_new(o, "task", json_null());
	return o;
}

static json_t *text_or_null(const char *s)
{
	return *s ? json_text(s) : json_null();
}

json_t *run_targets_json(const struct target_list *targets)
{
	json_t *list = json_array();

	for (size_t i = 0; i < targets->n; i++) {
		const struct target *t = &targets->at[i];
		json_t *o = json_object();

		json_object_set_new(o, "path", json_text(t->path));
		json_object_set_new(o, "kind", json_text(target_kind_name(t->kind)));
		json_object_set_new(o, "filesystem", text_or_null(t->filesystem));
		json_object_set_new(o, "device", text_or_null(t->device));
		json_object_set_new(o, "size_bytes", json_u64(t->size_bytes));
		json_object_set_new(o, "logical_block", json_integer(t->lba));
		json_object_set_new(o, "volume_id", t->nr_volumes == 1 ? json_text(t->volume[0]) : json_null());
		json_object_set_new(o, "raid", text_or_null(t->raid_level));
		json_array_append_new(list, o);
	}
	return list;
}

json_t *run_watched_json(const char *path, const struct diskset *disks)
{
	struct blockdevs devs;
	struct err none;
	json_t *list = json_array();

	if (blockdevs_read(&devs, &none))
		devs = (struct blockdevs){ 0 };
	const struct blockdev *named = blockdevs_find_path(&devs, path);
	if (!named)
		named = blockdevs_find(&devs, path);
	for (size_t i = 0; i < disks->n; i++) {
		const struct blockdev *d = blockdevs_find(&devs, disks->name[i]);
		json_t *o = json_object();

		json_object_set_new(o, "path", json_text(path));
		json_object_set_new(o, "kind", json_text(target_kind_name(named ? TARGET_BLOCK : TARGET_DIR)));
		json_object_set_new(o, "filesystem", json_null());
		json_object_set_new(o, "device", json_text(disks->name[i]));
		json_object_set_new(o, "size_bytes", d ? json_u64(d->size_bytes) : json_null());
		json_object_set_new(o, "logical_block", d ? json_integer(d->logical_block) : json_null());
		json_object_set_new(o, "volume_id", d ? text_or_null(d->volume_id) : json_null());
		json_object_set_new(o, "raid", d ? text_or_null(d->level) : json_null());
		json_array_append_new(list, o);
	}
	blockdevs_release(&devs);
	return list;
}

static void started_now(char *buf, size_t size)
{
	struct timespec ts;
	struct tm tm;
	char day[24];

	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf, size, "%s.%03uZ", day, (unsigned)(ts.tv_nsec / 1000000) % 1000u);
}

uint64_t run_pass_bytes(const struct workload *wl, const struct target_list *targets)
{
	uint64_t each = (targets->n + wl->numjobs - 1) / wl->numjobs; /* of a job's targets */

	return blockio_span(wl, &targets->at[0]) * wl->numjobs * each;
}

void run_header_fill(struct run_header *h, const struct run_plan *plan, const struct target_list *targets)
{
	snprintf(h->version, sizeof(h->version), "%s", plan->version);
	snprintf(h->title, sizeof(h->title), "%s", plan->title);
	snprintf(h->target, sizeof(h->target), "%s", plan->target);
	started_now(h->started, sizeof(h->started));
	h->shaped = plan->shape.nr_limits || plan->shape.nr_steps;
	h->simulated = plan->simulated || (targets->n && targets->at[0].kind == TARGET_SIM);
	h->time_scale = plan->shape.time_scale > 0 ? plan->shape.time_scale : 1;
	for (unsigned i = 0; i < plan->nr_steps && i < PLANNED_MAX; i++) {
		const struct step *s = &plan->step[i];
		struct planned *p = &h->planned[h->nr_planned++];

		*p = (struct planned){ .kind = s->kind, .wl = s->wl, .repeats = s->repeats, .seconds = NAN, .ios = NAN,
				      .stdio = s->kind == TEST_CHAR && s->params.stdio };
		memcpy(p->name, s->name, sizeof(p->name));
		if (s->wl.runtime_ns)
			p->seconds = clock_seconds(s->wl.ramp_ns + s->wl.runtime_ns) * s->repeats;
		else if (s->body && s->work_ios)
			p->ios = (double)s->work_ios;
		if (!s->wl.runtime_ns && !s->body && targets->n && s->wl.bs) { /* once over it */
			p->wl.size = blockio_span(&s->wl, &targets->at[0]);
			p->ios = (double)(run_pass_bytes(&s->wl, targets) / s->wl.bs);
		}
	}
	h->doc = json_object();
	json_object_set_new(h->doc, "host", run_host_json());
	json_object_set_new(h->doc, "targets", run_targets_json(targets));
	json_object_set_new(h->doc, "volumes", json_array());
}
