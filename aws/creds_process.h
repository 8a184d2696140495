/* SPDX-License-Identifier: MIT */
#ifndef AWS_CREDS_PROCESS_H
#define AWS_CREDS_PROCESS_H

#include <stdatomic.h>
#include <stddef.h>

#include "engine/err.h"

/**
 * Run a credential_process without a shell and take what it writes to stdout, at most 64 KiB within 30 s. Its
 * environment is ours without AWS secrets, its stderr goes nowhere, its signals are as at login. @param out new memory
 * of *cap bytes that holds secrets: wipe, then free.
 */
int creds_process_run(const char *command, const atomic_bool *cancel, char **out, size_t *len, struct err *err);

/** Split a command line as a shell would into words, without expanding anything. @return words or -1; free *words */
int creds_split_command(const char *line, char ***words, struct err *err);

#endif
