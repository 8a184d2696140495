/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_CGROUP_H
#define ENGINE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * What a container, a task or a service unit may use: cgroup v2 and v1, this process's group and all above it that
 * can be seen (the tightest limit counts). Read through sysroot.h. Any thread.
 */
struct cgroup_limits {
	uint64_t host_memory;	/**< MemTotal in bytes; 0 unknown */
	uint64_t memory;	/**< limit in bytes; 0: none below the host's memory */
	double	 cpus;		/**< CPU limit in cores (0.25 …); NAN: none */
	int	 version;	/**< 1 or 2: where the limits were read; 0: no cgroup seen */
};
void cgroup_limits(struct cgroup_limits *lim);

/** What a run has to live with: the limit, else the host's memory; 0 unknown. */
uint64_t cgroup_memory(const struct cgroup_limits *lim);

/** "256 MiB (cgroup) of 24 GiB" where there is a limit, else "24 GiB"; "" unknown. @return buf */
char *cgroup_memory_text(const struct cgroup_limits *lim, char *buf, size_t size);

/** How often the CPU limit held this group back since it began. Cumulative: subtract two readings. */
struct cgroup_throttle {
	uint64_t periods;   /**< scheduler periods in which it ran */
	uint64_t throttled; /**< … in which it was stopped for the rest of the period */
	uint64_t stopped_ns; /**< how long in all, summed over CPUs */
};
/** @return 0, or -1 where no CPU limit is set or nothing can be read */
int cgroup_throttle(struct cgroup_throttle *th);

#endif
