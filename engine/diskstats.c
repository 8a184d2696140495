/* SPDX-License-Identifier: MIT */
#include "engine/diskstats.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "engine/fsinfo.h"
#include "engine/sysroot.h"

#define SECTOR    512
#define NS_PER_MS 1000000ULL

/* Fields of a stat line, Documentation/admin-guide/iostats.rst; the same behind the name in /proc/diskstats.
 */
enum { F_IOS, F_MERGED, F_SECTORS, F_MS, F_WRITE, F_INFLIGHT = 8, F_BUSY_MS, F_MIN };

/* Numbers from @p text until it ends or is none. @return how many */
static size_t numbers(const char *text, uint64_t *out, size_t max)
{
	size_t n = 0;

	while (n < max) {
		char *end;
		text += strspn(text, " \t");
		if (*text < '0' || *text > '9')
			break;
		out[n++] = strtoull(text, &end, 10);
		text = end;
	}
	return n;
}

static int parse(const char *text, struct diskstats *st)
{
	uint64_t f[F_MIN];

	if (numbers(text, f, F_MIN) < F_MIN)
		return -1;
	for (int d = 0; d < DDIR_NR; d++) {
		const uint64_t *g = f + d * F_WRITE;
		st->dir[d].ios = g[F_IOS];
		st->dir[d].merged = g[F_MERGED];
		st->dir[d].bytes = g[F_SECTORS] * SECTOR;
		st->dir[d].time_ns = g[F_MS] * NS_PER_MS;
	}
	st->inflight = f[F_INFLIGHT];
	st->busy_ns = f[F_BUSY_MS] * NS_PER_MS;
	return 0;
}

/* The line of /proc/diskstats whose third word is @p name. */
static int read_table(const char *name, struct diskstats *st)
{
	size_t len;
	char *text = sysroot_read_all("/proc/diskstats", &len), *save = NULL;
	int ret = -1;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line && ret < 0;
	     line = strtok_r(NULL, "\n", &save)) {
		uint64_t dev[2];
		char word[BLOCKDEV_NAME];
		int at = 0;
		if (numbers(line, dev, 2) == 2 && sscanf(line, "%*s %*s %63s%n", word, &at) == 1 &&
		    !strcmp(word, name))
			ret = parse(line + at, st);
	}
	free(text);
	return ret;
}

int diskstats_read(const char *name, struct diskstats *st)
{
	char path[BLOCKDEV_NAME + 32], text[512];

	snprintf(path, sizeof(path), "/sys/class/block/%s/stat", name);
	if (sysroot_read(path, text, sizeof(text)) > 0 && parse(text, st) == 0)
		return 0;
	return read_table(name, st);
}

int diskstats_sum(const struct diskset *set, struct diskstats *st)
{
	struct diskstats sum = { 0 }, one;

	for (size_t i = 0; i < set->n; i++) {
		if (diskstats_read(set->name[i], &one) < 0)
			return -1;
		for (int d = 0; d < DDIR_NR; d++) {
			sum.dir[d].ios += one.dir[d].ios;
			sum.dir[d].merged += one.dir[d].merged;
			sum.dir[d].bytes += one.dir[d].bytes;
			sum.dir[d].time_ns += one.dir[d].time_ns;
		}
		sum.inflight += one.inflight;
		sum.busy_ns += one.busy_ns;
	}
	if (set->n)
		*st = sum;
	return set->n ? 0 : -1;
}

int diskstats_sub(struct diskstats *to, const struct diskstats *before)
{
	struct diskstats d = *to;
	bool back = false;

	for (int i = 0; i < DDIR_NR; i++) {
		back |= d.dir[i].ios < before->dir[i].ios || d.dir[i].bytes < before->dir[i].bytes;
		d.dir[i].ios -= before->dir[i].ios;
		d.dir[i].merged -= before->dir[i].merged;
		d.dir[i].bytes -= before->dir[i].bytes;
		/* The kernel's milliseconds are 32 bits wide on some versions and wrap after 49 days of
		 * waiting. */
		bool wrapped = d.dir[i].time_ns < before->dir[i].time_ns;
		d.dir[i].time_ns = wrapped ? 0 : d.dir[i].time_ns - before->dir[i].time_ns;
	}
	d.busy_ns = d.busy_ns < before->busy_ns ? 0 : d.busy_ns - before->busy_ns;
	*to = back ? (struct diskstats){ 0 } : d;
	return back ? -1 : 0;
}

static void add(struct diskset *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++) {
		if (!strcmp(set->name[i], name))
			return;
	}
	if (set->n < DISKSET_MAX)
		snprintf(set->name[set->n++], BLOCKDEV_NAME, "%s", name);
}

void diskset_of_device(struct diskset *set, const struct blockdevs *devs, const struct blockdev *dev)
{
	const struct blockdev *disk = *dev->disk ? blockdevs_find(devs, dev->disk) : NULL;

	*set = (struct diskset){ 0 };
	add(set, disk ? disk->name : dev->name);
}

void diskset_of_fs(struct diskset *set, const struct blockdevs *devs, const struct fsinfo *fs)
{
	*set = (struct diskset){ 0 };
	for (size_t i = 0; i < fs->nr_devices; i++) {
		const struct blockdev *dev = blockdevs_find(devs, fs->device[i]);
		const struct blockdev *disk = dev && *dev->disk ? blockdevs_find(devs, dev->disk) : NULL;
		if (dev)
			add(set, disk ? disk->name : dev->name);
	}
}

int self_read_bytes(uint64_t *bytes)
{
	char text[1024];
	const char *at;

	if (sysroot_read("/proc/self/io", text, sizeof(text)) < 0)
		return -1;
	for (at = text; at && strncmp(at, "read_bytes: ", 12);
	     at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		;
	return at && numbers(at + 12, bytes, 1) == 1 ? 0 : -1;
}
