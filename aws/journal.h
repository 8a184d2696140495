/* SPDX-License-Identifier: MIT */
#ifndef AWS_JOURNAL_H
#define AWS_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aws/ec2.h"
#include "engine/err.h"

/**
 * What this machine ever asked AWS to create: $XDG_STATE_HOME/ebscope/volumes.jsonl (else ~/.local/state/…), one JSON
 * object a line, on disk before the call that it announces. Whatever kills us, it can be found and removed afterwards.
 *
 * Events: create (about to; run, token, region, az, spec), created (token, volume_id), attach, modify, detach, delete
 * (about to; volume_id), modified (volume_id, start: AWS took it then), deleted (volume_id), never (token: AWS has no such
 * volume). Lines that cannot be read, as a crash may leave one, are skipped. Several processes may write: each line is one write under a lock.
 */

enum journal_state { JOURNAL_ASKED, JOURNAL_CREATED, JOURNAL_GONE };

/** One volume, all its lines together. */
struct journal_volume {
	char		   run[48], token[72], region[40], az[40], spec[80], volume_id[EC2_ID], time[32];
	enum journal_state state;
};

struct journal_list {
	struct journal_volume *v;
	size_t		       n;
};

/** All volumes, oldest first; a journal that is not there is empty. */
int journal_read(struct journal_list *out, struct err *err);
void journal_release(struct journal_list *list);

/** A new run's name: time and random, "20261201T120000Z-1f2e3d4c". @param run 48 bytes */
void journal_new_run(char *run);
/** From now on it lives, until journal_end_run() or the end of this process, whatever ends it. @return for that; -1 with err */
int journal_hold_run(const char *run, struct err *err);
void journal_end_run(int held);
/** Does another process hold it? */
bool journal_run_lives(const char *run);

/** About to create. Fails where it cannot be put on disk: then nothing may be created. */
int journal_create(const char *run, const char *token, const char *region, const char *az, const char *spec,
		   struct err *err);
/** @p event "created" or "never" of a token. */
int journal_token(const char *event, const char *token, const char *volume_id, struct err *err);
/** @p event "attach", "modify", "detach", "delete", "deleted" of a volume. */
int journal_volume_event(const char *event, const char *volume_id, struct err *err);
/** AWS began to modify that volume, at @p start of its own clock in seconds since 1970. */
int journal_modified(const char *volume_id, int64_t start, struct err *err);
/** When it last did, as far as it was asked from here; -1 never or not known. */
int64_t journal_last_modified(const char *volume_id);
/** Was it deleted from here? */
bool journal_deleted(const char *volume_id);

/** For tests and fuzzing: lines from memory. */
int journal_parse(const char *text, size_t len, struct journal_list *out, struct err *err);

#endif
