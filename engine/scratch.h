/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_SCRATCH_H
#define ENGINE_SCRATCH_H

#include <limits.h>
#include <stddef.h>

#include "engine/err.h"

/**
 * A directory of our own inside the user's, where a test needs files with names: `.ebscope.HOST.PID/`, mode 0700.
 *
 * Held by flock for as long as it is used: a process that was killed lets go of the lock, so scratch_sweep() of the
 * next start on this host knows which are stale. Only names of exactly that form, of this host, owned by this user
 * and locked by nobody are ever removed; symlinks are never followed and other filesystems never entered.
 */
struct scratch_dir {
	int  fd;	     /**< the directory, for openat() and friends; 0 or -1 when there is none */
	int  parent_fd;	     /**< the user's directory */
	char name[320];	     /**< in the parent: ".ebscope.HOST.PID" */
	char path[PATH_MAX]; /**< of the directory, for messages */
};

/** Make it in @p parent (an existing directory). @return 0, or -1 with an errno value: EACCES, EROFS, ENOSPC, … */
int scratch_dir_open(struct scratch_dir *s, const char *parent, struct err *err);

/** Remove everything in it and itself. Accepts the zero state and a closed one. */
void scratch_dir_close(struct scratch_dir *s);

/**
 * Remove the stale ones in @p parent.
 *
 * @param removed  the last one's name, for a message; "" when there was none. @p size bytes
 * @return         how many were removed; a directory that cannot be read counts as none
 */
unsigned scratch_sweep(const char *parent, char *removed, size_t size);

#endif
