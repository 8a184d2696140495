/* SPDX-License-Identifier: MIT */
#include "engine/cgroup.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/mounts.h"
#include "engine/sysroot.h"
#include "engine/units.h"

/* One hierarchy as this process sees it: where its own group is, and where what can be seen ends. */
struct group {
	bool found;
	char top[PATH_MAX];  /* mount point of the hierarchy */
	char path[PATH_MAX]; /* of our group: top, or below it */
};

/* v2, or the v1 hierarchy with the controller. */
struct hierarchy {
	const char *controller;  /* "memory", "cpu"; NULL for v2 */
	char ours[PATH_MAX / 2]; /* our group's path in /proc/self/cgroup */
	char root[PATH_MAX / 2]; /* what of the hierarchy is mounted there */
	struct group *group;
};

/* Is @p word one of the words in a comma-separated @p list of n bytes? */
static bool has_word(const char *list, size_t n, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = list; p < list + n;) {
		const char *end = memchr(p, ',', (size_t)(list + n - p));
		size_t k = end ? (size_t)(end - p) : (size_t)(list + n - p);
		if (k == len && !memcmp(p, word, len))
			return true;
		p += k + 1;
	}
	return false;
}

/* Our group in one hierarchy: "0::/user.slice" (v2) or "4:memory:/docker/f00" (v1). */
static bool find_ours(struct hierarchy *h)
{
	size_t len;
	char *text = sysroot_read_all("/proc/self/cgroup", &len), *save = NULL;
	bool found = false;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line && !found;
	     line = strtok_r(NULL, "\n", &save)) {
		char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		size_t n = (size_t)(path - list) - 1;
		found = h->controller ? has_word(list + 1, n, h->controller)
				      : n == 0 && !strncmp(line, "0:", 2);
		if (found)
			snprintf(h->ours, sizeof(h->ours), "%s", path + 1);
	}
	free(text);
	return found;
}

static int find_top(const struct mount *mount, void *arg)
{
	struct hierarchy *h = arg;

	if (strcmp(mount->type, h->controller ? "cgroup" : "cgroup2"))
		return 0;
	/* A v1 mount has its controllers among its options. */
	if (h->controller && !has_word(mount->options, strlen(mount->options), h->controller))
		return 0;
	if (strncmp(mount->point, "/sys/", 5) || strlen(mount->point) >= sizeof(h->group->top))
		return 0;
	snprintf(h->group->top, sizeof(h->group->top), "%s", mount->point);
	snprintf(h->root, sizeof(h->root), "%s", mount->root);
	return 1;
}

/*
 * Our group below the mount. In a container without a cgroup namespace the path is the host's and the mount
 * shows only a part of the hierarchy, so that the mount's root comes off the front; where it does not fit (or
 * leads above,
 * "/.."), the top of the mount is all that can be seen of us.
 */
static void locate(struct hierarchy *h)
{
	struct group *g = h->group;
	size_t n = strlen(h->root);
	const char *below = h->ours;

	if (n > 1)
		below = !strncmp(h->ours, h->root, n) && (h->ours[n] == '/' || !h->ours[n]) ? h->ours + n
											    : "";
	if (strstr(below, "/..") || !strcmp(below, "/"))
		below = "";
	if ((size_t)snprintf(g->path, sizeof(g->path), "%s%s", g->top, below) >= sizeof(g->path) ||
	    !sysroot_exists(g->path))
		snprintf(g->path, sizeof(g->path), "%s", g->top);
}

static struct group find_group(const struct mounts *m, const char *controller)
{
	struct group g = { 0 };
	struct hierarchy h = { .controller = controller, .group = &g };

	g.found = find_ours(&h) && mounts_each(m, find_top, &h) == 1;
	if (g.found)
		locate(&h);
	return g;
}

static const char *in_group(char *buf, const char *path, const char *file)
{
	if ((size_t)snprintf(buf, PATH_MAX, "%s/%s", path, file) >= PATH_MAX)
		buf[0] = '\0';
	return buf;
}

/* To the group above. @return false when path was the top already */
static bool go_up(const struct group *g, char *path)
{
	char *slash = strlen(path) > strlen(g->top) ? strrchr(path, '/') : NULL;

	if (slash)
		*slash = '\0';
	return slash != NULL;
}

/* The tightest memory limit from our group upwards; "max" and v1's huge figures are no limits. */
static uint64_t memory_limit(const struct group *g, const char *file, uint64_t host)
{
	char path[PATH_MAX], buf[PATH_MAX];
	uint64_t limit = 0, v;

	snprintf(path, sizeof(path), "%s", g->path);
	do {
		if (sysroot_u64(in_group(buf, path, file), &v) == 0 && v < (host ? host : UINT64_MAX >> 2) &&
		    (!limit || v < limit))
			limit = v;
	} while (go_up(g, path));
	return limit;
}

/* Cores that one group may use: v2 "25000 100000", v1 a file each; NAN without a limit. */
static double group_cpus(const char *path, bool v2)
{
	char buf[PATH_MAX], line[64];
	uint64_t quota, period = 0;

	if (v2) {
		unsigned long q, p;
		if (sysroot_line(in_group(buf, path, "cpu.max"), line, sizeof(line)) < 0 ||
		    sscanf(line, "%lu %lu", &q, &p) != 2)
			return NAN;
		quota = q;
		period = p;
	} else if (sysroot_u64(in_group(buf, path, "cpu.cfs_quota_us"), &quota) <
			   0 || /* -1 is no limit, and no number here */
		   sysroot_u64(in_group(buf, path, "cpu.cfs_period_us"), &period) < 0) {
		return NAN;
	}
	return quota && period ? (double)quota / (double)period : NAN;
}

/* The tightest CPU limit and the group that sets it; @p where gets its path, PATH_MAX bytes. */
static double cpu_limit(const struct group *g, bool v2, char *where)
{
	char path[PATH_MAX];
	double limit = NAN;

	snprintf(path, sizeof(path), "%s", g->path);
	snprintf(where, PATH_MAX, "%s", g->path);
	do {
		double cpus = group_cpus(path, v2);
		if (!isnan(cpus) && (isnan(limit) || cpus < limit)) {
			limit = cpus;
			snprintf(where, PATH_MAX, "%s", path);
		}
	} while (go_up(g, path));
	return limit;
}

static uint64_t host_memory(void)
{
	char text[1024];
	const char *at;
	unsigned long kib;

	if (sysroot_read("/proc/meminfo", text, sizeof(text)) < 0 || !(at = strstr(text, "MemTotal:")) ||
	    sscanf(at + 9, "%lu", &kib) != 1)
		return 0;
	return kib < UINT64_MAX / 1024 ? (uint64_t)kib * 1024 : 0;
}

/* The CPU limit in whichever version has the controller. @return its version, 0 when there is none */
static int find_cpu(const struct mounts *m, double *cpus, char *where)
{
	struct group v1 = find_group(m, "cpu"), v2 = find_group(m, NULL);

	*cpus = v1.found ? cpu_limit(&v1, false, where) : NAN;
	if (!isnan(*cpus))
		return 1;
	*cpus = v2.found ? cpu_limit(&v2, true, where) : NAN;
	return isnan(*cpus) ? 0 : 2;
}

void cgroup_limits(struct cgroup_limits *lim)
{
	char where[PATH_MAX];
	struct mounts m;
	struct err ignored;

	*lim = (struct cgroup_limits){ .host_memory = host_memory(), .cpus = NAN };
	if (mounts_read(&m, &ignored) < 0)
		return;
	struct group v1 = find_group(&m, "memory"), v2 = find_group(&m, NULL);
	lim->version = v1.found ? 1 : v2.found ? 2 : 0;
	if (v1.found)
		lim->memory = memory_limit(&v1, "memory.limit_in_bytes", lim->host_memory);
	if (!lim->memory && v2.found)
		lim->memory = memory_limit(&v2, "memory.max", lim->host_memory);
	find_cpu(&m, &lim->cpus, where);
	mounts_release(&m);
}

uint64_t cgroup_memory(const struct cgroup_limits *lim)
{
	return lim->memory ? lim->memory : lim->host_memory;
}

char *cgroup_memory_text(const struct cgroup_limits *lim, char *buf, size_t size)
{
	char host[FMT_LEN], own[FMT_LEN];

	*buf = 0;
	fmt_size(host, (double)lim->host_memory);
	fmt_size(own, (double)lim->memory);
	if (lim->memory && lim->host_memory)
		snprintf(buf, size, "%s (cgroup) of %s", own, host);
	else if (cgroup_memory(lim))
		snprintf(buf, size, "%s%s", lim->memory ? own : host, lim->memory ? " (cgroup)" : "");
	return buf;
}

/* The number behind "KEY " at the start of a line. */
static bool stat_value(const char *text, const char *key, uint64_t *out)
{
	size_t n = strlen(key);

	for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		if (!strncmp(at, key, n) && at[n] == ' ' && at[n + 1] >= '0' && at[n + 1] <= '9') {
			*out = strtoull(at + n + 1, NULL, 10);
			return true;
		}
	}
	return false;
}

int cgroup_throttle(struct cgroup_throttle *th)
{
	char where[PATH_MAX], buf[PATH_MAX], text[2048];
	struct mounts m;
	struct err ignored;
	uint64_t v;
	double cpus;

	if (mounts_read(&m, &ignored) < 0)
		return -1;
	int version = find_cpu(&m, &cpus, where);
	mounts_release(&m);
	if (!version || sysroot_read(in_group(buf, where, "cpu.stat"), text, sizeof(text)) < 0)
		return -1;
	struct cgroup_throttle now = { 0 };
	if (!stat_value(text, "nr_periods", &now.periods) ||
	    !stat_value(text, "nr_throttled", &now.throttled))
		return -1;
	if (stat_value(text, "throttled_usec", &v))
		now.stopped_ns = v * 1000;
	else if (stat_value(text, "throttled_time", &v))
		now.stopped_ns = v;
	*th = now;
	return 0;
}
