/* SPDX-License-Identifier: MIT */
/*
 * A machine whose files under EBSCOPE_SYSROOT say anything. The input is cut at lines of "--" into the files of the
 * table below, in order; what is missing is empty.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/blockdev.h"
#include "engine/cgroup.h"
#include "engine/diskstats.h"
#include "engine/fsinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const files[] = {
	"proc/self/mountinfo",
	"proc/swaps",
	"proc/mdstat",
	"proc/diskstats",
	"proc/self/cgroup",
	"proc/meminfo",
	"proc/self/io",
	"sys/class/block/nvme1n1/dev",
	"sys/class/block/nvme1n1/size",
	"sys/class/block/nvme1n1/device/serial",
	"sys/class/block/nvme1n1/stat",
	"sys/class/block/md0/md/level",
	"sys/class/block/dm-0/dm/name",
	"sys/class/block/loop0/loop/backing_file",
	"sys/fs/cgroup/memory.max",
	"sys/fs/cgroup/cpu.max",
	"sys/fs/cgroup/cpu.stat",
	"dev/nvme1n1",
};
#define FILES (sizeof(files) / sizeof(*files))

static char tree[64];

static void drop_tree(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf '%s'", tree);
	if (system(command) != 0)
		fprintf(stderr, "%s stays\n", tree);
}

static void put(const char *name, const uint8_t *data, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void make_tree(void)
{
	const char *fast = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	snprintf(tree, sizeof(tree), "%s/fuzz.XXXXXX", fast);
	if (!mkdtemp(tree))
		abort();
	atexit(drop_tree);
	for (size_t i = 0; i < FILES; i++) {
		char path[PATH_MAX];
		snprintf(path, sizeof(path), "%s/%s", tree, files[i]);
		for (char *p = path + strlen(tree) + 1; (p = strchr(p, '/')) != NULL; p++) {
			*p = '\0';
			mkdir(path, 0700);
			*p = '/';
		}
	}
	setenv("EBSCOPE_SYSROOT", tree, 1);
}

static void look(void)
{
	struct fsinfo *fs = malloc(sizeof(*fs));
	struct cgroup_throttle throttle;
	struct cgroup_limits limits;
	struct blockdevs devs;
	struct diskstats st;
	struct diskset set;
	struct err err;
	uint64_t bytes;

	if (fs && blockdevs_read(&devs, &err) == 0) {
		for (size_t i = 0; i < devs.n; i++) {
			const struct blockdev *leaf[8];
			char why[64];
			blockdev_probe(&devs.at[i], &err);
			blockdev_may_write(&devs, &devs.at[i], why, sizeof(why));
			blockdevs_leaves(&devs, &devs.at[i], leaf, 8);
			diskstats_read(devs.at[i].name, &st);
		}
		fsinfo_of_path(fs, &devs, "/tmp");
		diskset_of_fs(&set, &devs, fs);
		blockdevs_release(&devs);
	}
	free(fs);
	diskstats_read("sda", &st);
	cgroup_limits(&limits);
	cgroup_throttle(&throttle);
	self_read_bytes(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!*tree)
		make_tree();
	for (size_t i = 0; i < FILES; i++) {
		const uint8_t *end = size ? memmem(data, size, "\n--\n", 4) : NULL;
		size_t n = end ? (size_t)(end - data) : size;
		put(files[i], data, n);
		n = end ? n + 4 : n;
		data += n;
		size -= n;
	}
	look();
	return 0;
}
