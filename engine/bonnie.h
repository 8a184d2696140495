/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_BONNIE_H
#define ENGINE_BONNIE_H

#include "engine/suite.h"

/**
 * bonnie++'s tests with bonnie++'s meanings (checked against Debian's 2.00a with strace): per-character write, block
 * write, rewrite, per-character read, block read, random seeks; then files: create, stat, delete, in order and at
 * random. 8 KiB chunks; each writing phase ends with fsync inside its time.
 *
 * Per-character has two meanings: stdio's putc and getc (bonnie++ 1.03, over the whole file) and one system call a byte
 * (1.9x and later, over 3 MiB). They do not compare. Both read the clock once in 8,192 characters, as bonnie++ does: a
 * latency is that of so many.
 */
#define BONNIE_CHUNK	  (8 * 1024ULL)
#define BONNIE_SEEKS	  8192
#define BONNIE_SEEKERS	  5
#define BONNIE_CHAR_BYTES (3 * 1024 * 1024ULL)
/** One seek in so many is dirtied and written back. */
#define BONNIE_REWRITES 10

/** The suite's steps; those of files only where the target is a directory and o->files is not 0. */
unsigned bonnie_steps(const struct suite_opts *o, struct step *out, unsigned max);

#endif
