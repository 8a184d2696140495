/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_DD_H
#define ENGINE_DD_H

#include "engine/run.h"

/**
 * The seven dd tests that how-tos give for a new volume (the blog post "EBS Provisioning vs Performance", about 2021),
 * done with dd's own system calls: each block is read(2) from /dev/zero inside the timed loop and write(2)n to a new
 * file that is opened with dd's flags. What each really measures is said with it.
 *
 * A row's time ends when dd's would: after the last write, or after fdatasync where conv=fdatasync is given. When the
 * data was on disk comes after that (step.settle).
 */
struct dd_row {
	const char *name;	/**< "T1" */
	uint64_t    bs, count;	/**< bytes; I/Os. T7: bs is what is reread, count 0 */
	bool	    dsync;	/**< oflag=dsync: each write returns when it is on disk */
	bool	    fdatasync;	/**< conv=fdatasync: one flush at the end, inside the time */
	const char *measures;	/**< what the figure really is, one line */
};
/** T1 to T7; ends with a row whose name is NULL. */
extern const struct dd_row dd_rows[];

/**
 * The rows as steps of a run.
 * @param direct  the honest sibling: the same sizes with O_DIRECT
 * @param random  incompressible data in the place of zeros, which some devices flatter
 * @param memory  bytes this process may use (a container's limit); 0 not known. A row whose buffer would not fit in
 *                a quarter of it is done in pieces, and says so
 * @return        how many
 */
unsigned dd_steps(const struct workload *base, bool direct, bool random, uint64_t memory, struct step *out, unsigned max);

#endif
