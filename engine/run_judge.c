/* SPDX-License-Identifier: MIT */
#include "engine/run_judge.h"

#include <math.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "engine/fsinfo.h"
#include "engine/units.h"

/* @return false when there is no room for all of them */
static bool diskset_add(struct diskset *to, const struct diskset *from)
{
	for (size_t i = 0; i < from->n; i++) {
		size_t k = 0;
		while (k < to->n && strcmp(to->name[k], from->name[i]) != 0)
			k++;
		if (k == DISKSET_MAX)
			return false;
		if (k == to->n)
			memcpy(to->name[to->n++], from->name[i], sizeof(to->name[0]));
	}
	return true;
}

void run_disks_of(struct diskset *set, const struct target_list *targets)
{
	bool all = true;

	*set = (struct diskset){ 0 };
	for (size_t i = 0; i < targets->n; i++)
		all = diskset_add(set, &targets->at[i].disks) && all;
	if (!all)
		set->n = 0;
}

int run_watch_disks(struct diskset *set, const char *path, struct err *err)
{
	struct blockdevs devs;
	struct fsinfo fs;
	int rc = 0;

	*set = (struct diskset){ 0 };
	if (blockdevs_read(&devs, err) < 0)
		return err_wrap(err, "watch %s", path);
	const struct blockdev *dev = blockdevs_find_path(&devs, path);
	if (!dev)
		dev = blockdevs_find(&devs, path);
	if (dev)
		diskset_of_device(set, &devs, dev);
	else if (access(path, F_OK) < 0)
		rc = err_sys(err, "watch %s", path);
	if (!dev && rc == 0) {
		fsinfo_of_path(&fs, &devs, path);
		diskset_of_fs(set, &devs, &fs);
	}
	if (rc == 0 && !set->n)
		rc = err_set(err, ENODEV, "watch %s: no block device can be seen below it; name the device", path);
	blockdevs_release(&devs);
	return rc;
}

void run_usage_read(struct run_usage *u, const struct diskset *disks, const struct job *job)
{
	*u = (struct run_usage){ .cpu_ns = job ? job_cpu_ns(job) : 0 };
	u->has_disk = diskstats_sum(disks, &u->disk) == 0;
	u->has_self = self_read_bytes(&u->self_read) == 0;
	u->has_throttle = cgroup_throttle(&u->throttle) == 0;
}

void run_usage_sub(struct run_usage *to, const struct run_usage *before)
{
	to->has_disk = to->has_disk && before->has_disk && diskstats_sub(&to->disk, &before->disk) == 0;
	to->has_self = to->has_self && before->has_self && to->self_read >= before->self_read;
	to->has_throttle = to->has_throttle && before->has_throttle;
	to->self_read -= before->self_read;
	to->throttle.periods -= before->throttle.periods;
	to->throttle.throttled -= before->throttle.throttled;
	to->throttle.stopped_ns -= before->throttle.stopped_ns;
	to->cpu_ns -= before->cpu_ns;
}

void run_judge_durable(struct result *r, const struct totals *end, uint64_t start_ns)
{
	if (end->durable_ns > start_ns)
		r->durable_s = (isnan(r->durable_s) ? 0 : r->durable_s) + (double)(end->durable_ns - start_ns) / 1e9;
}

static void totals_merge(struct totals *to, const struct totals *from)
{
	to->t_ns += from->t_ns;
	for (int d = 0; d < DDIR_NR; d++) {
		to->dir[d].ios += from->dir[d].ios;
		to->dir[d].bytes += from->dir[d].bytes;
		hist_snap_add(&to->dir[d].slat, &from->dir[d].slat);
		hist_snap_add(&to->dir[d].clat, &from->dir[d].clat);
		hist_snap_add(&to->dir[d].lat, &from->dir[d].lat);
	}
	to->errors += from->errors;
	to->depth_ns += from->depth_ns;
}

static void add(double *sum, double v)
{
	*sum = isnan(*sum) ? v : *sum + v;
}

void run_judge_add(struct result *r, struct totals *sum, const struct totals *rep, const struct run_usage *u)
{
	double s = (double)rep->t_ns / 1e9;

	totals_merge(sum, rep);
	if (s > 0 && r->nr_repeats < RESULT_REPEATS_MAX)
		r->repeat[r->nr_repeats++] = (struct repeat){
			(double)(rep->dir[DDIR_READ].ios + rep->dir[DDIR_WRITE].ios) / s,
			(double)(rep->dir[DDIR_READ].bytes + rep->dir[DDIR_WRITE].bytes) / s,
		};
	if (u->has_disk) {
		for (int d = 0; d < DDIR_NR; d++) {
			add(&r->dev_dir[d], (double)u->disk.dir[d].bytes);
			add(&r->device_bytes, (double)u->disk.dir[d].bytes);
		}
		strcpy(r->device_source, "diskstats");
	}
	if (u->has_self)
		add(&r->self_read, (double)u->self_read);
	if (u->has_throttle && u->throttle.periods)
		r->cpu_throttled = fmax(isnan(r->cpu_throttled) ? 0 : r->cpu_throttled,
					(double)u->throttle.throttled / (double)u->throttle.periods);
	add(&r->cpu_sys_s, (double)u->cpu_ns / 1e9); /* all of it, until run_judge_cpu() splits it */
	add(&r->cpu_usr_s, 0);
}

void run_judge_cpu(struct result *r, const struct totals *all)
{
	double usr = (double)all->cpu_usr_ns, sys = (double)all->cpu_sys_ns;
	double cpu = r->cpu_usr_s + r->cpu_sys_s;

	if (usr + sys > 0) {
		r->cpu_usr_s = cpu * (usr / (usr + sys));
		r->cpu_sys_s = cpu * (sys / (usr + sys));
	}
}

/*
 * Did storage see the bytes? A direction without bytes says nothing. For reads the process's own account counts too:
 * the device's may hold what others read meanwhile. Sources that don't exist don't count; without any: not known.
 */
static enum tri judge_cached(struct result *r, const struct totals *sum)
{
	static const char *const did[DDIR_NR] = { "read", "wrote" };
	enum tri cached = TRI_NULL;
	char a[FMT_LEN], b[FMT_LEN];

	for (int d = 0; d < DDIR_NR; d++) {
		double own = (double)sum->dir[d].bytes;
		double moved = r->dev_dir[d];

		if (d == DDIR_READ && !isnan(r->self_read))
			moved = isnan(moved) ? r->self_read : fmin(moved, r->self_read);
		if (own <= 0 || isnan(moved))
			continue;
		if (moved < CACHED_BELOW * own) {
			r->moved_share = moved / own;
			result_warn(r, "cached: the workers %s %s, storage moved %s of it", did[d], fmt_size(a, own), fmt_size(b, moved));
			return TRI_TRUE;
		}
		cached = TRI_FALSE;
	}
	return cached;
}

static void judge_device(struct result *r, const struct totals *sum, const struct target_list *targets)
{
	double own = (double)(sum->dir[DDIR_READ].bytes + sum->dir[DDIR_WRITE].bytes);
	bool tmpfs = false, sim = false;

	for (size_t i = 0; i < targets->n; i++) {
		tmpfs = tmpfs || targets->at[i].tmpfs;
		sim = sim || targets->at[i].kind == TARGET_SIM;
	}
	if (sim)
		return;
	if (isnan(r->device_bytes) && !isnan(r->self_read) && sum->dir[DDIR_WRITE].bytes == 0) {
		r->device_bytes = r->self_read;
		strcpy(r->device_source, "self-io");
	}
	r->cached = tmpfs ? TRI_TRUE : judge_cached(r, sum); /* of tmpfs the target's own warning says it */
	if (r->cached != TRI_TRUE && !isnan(r->device_bytes) && own > 0 && r->device_bytes > AMPLIFIED_ABOVE * own) {
		r->amplified = r->device_bytes / own;
		result_warn(r, "amplified: the device moved %.2f times the workers' bytes (journal, read-ahead or other users)",
			    r->amplified);
	}
}

void run_judge(struct result *r, const struct totals *sum, const struct target_list *targets)
{
	double cpu = r->cpu_usr_s + r->cpu_sys_s, s = r->runtime_s;

	r->too_short = s < TOO_SHORT_S;
	if (r->too_short)
		result_warn(r, "too short: %.0f ms measured, %.1f s are needed for a verdict", s * 1e3, TOO_SHORT_S);
	judge_device(r, sum, targets);
	if (s > 0)
		r->cpu_pct = 100 * cpu / s;
	if (r->wl.numjobs && cpu >= CPU_BOUND_FROM * s * (double)r->wl.numjobs) {
		r->cpu_bound = true;
		result_warn(r, "CPU-bound: the workers were on a CPU for %.0f %% of the time", r->cpu_pct / (double)r->wl.numjobs);
	}
	if (r->cpu_throttled >= THROTTLED_FROM) {
		r->cpu_bound = true;
		result_warn(r, "client CPU throttled by its cgroup in %.0f %% of periods", 100 * r->cpu_throttled);
	}
	const struct target *t = &targets->at[0]; /* one that refused O_DIRECT, or is memory, has said so itself */
	if (!r->wl.direct && r->kind == TEST_BLOCK && !*r->equivalent && t->kind != TARGET_SIM && !t->want_direct && !t->tmpfs)
		result_warn(r, rw_writes(r->wl.rw) ? "buffered I/O: the page cache takes part; writes are flushed every 8 MiB, so their rate is the disk's" :
						       "buffered I/O: the page cache takes part");
	for (size_t i = 0; i < targets->n; i++) {
		char text[256];

		for (unsigned k = 0; k < targets->at[i].warnings.n; k++)
			result_warn(r, "%s", targets->at[i].warnings.text[k]);
		if (*target_cache_holds(&targets->at[i], text, sizeof(text)))
			result_warn(r, "%s", text);
	}
}
