/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_FILETEST_H
#define ENGINE_FILETEST_H

#include "engine/suite.h"

/**
 * Many small files, as bonnie++'s -n: create, stat (and read, where they are not empty) and delete them, in order (of
 * their numbers when they are made, then of the directory, as it lists them) and at random. N times 1,024 files of MIN to
 * MAX bytes in DIRS directories, in a directory of our own. Each file is one I/O; its latency is that of the whole step
 * for that file. A file that is not there, since the step that makes them was ended half-way, is passed over uncounted.
 */
unsigned filetest_steps(const struct suite_opts *o, struct step *out, unsigned max);

/** Read `N[:MAX[:MIN[:DIRS]]]` into the files, file_max, file_min and file_dirs of @p o. */
int filetest_parse(struct suite_opts *o, const char *text, struct err *err);

#endif
