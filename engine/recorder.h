/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_RECORDER_H
#define ENGINE_RECORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "engine/err.h"
#include "engine/runlog.h"

/**
 * A run as JSON Lines: one entry of the runlog a line, each written whole with one write(2), so that whatever kills
 * the run loses at most the tick in hand. Reading gives the entries back in order; a file that was cut, at any byte,
 * gives all entries before the cut.
 */

struct recorder {
	int  fd;	 /**< -1: nothing is recorded */
	struct err lost; /**< code set: a write failed, said once, and nothing more is tried */
	char path[4096]; /**< "" for a descriptor that was handed over */
};

/**
 * The directory of recordings: $XDG_STATE_HOME/ebscope/runs, else ~/.local/state/ebscope/runs. Made where missing.
 * @return buf, or NULL with @p err where it can't be made or written: a warning, never the end of a run
 */
char *recorder_dir(char *buf, size_t size, struct err *err);

/** A new file of mode 0600 in recorder_dir(), named by the header's start time and title; never one that is there. */
int recorder_open(struct recorder *r, const struct run_header *h, struct err *err);
/**
 * A file by name (created, or truncated if it is there), or "-": standard output. ERR_REFUSED for a block device and
 * for a file that holds anything but a recording: a mistyped name must not cost anybody's data. Likewise for one that
 * another run is writing: it is locked (flock) until the recording ends.
 */
int recorder_open_path(struct recorder *r, const char *path, struct err *err);
/** True where the file is not whole, with why. */
bool recorder_lost(const struct recorder *r, struct err *err);
/** Write one entry; takes the reference of @p entry. @return -1 at the first failure only (err says), 0 after that */
int recorder_write(struct recorder *r, json_t *entry, struct err *err);
void recorder_close(struct recorder *r);

/** One document as this program writes all JSON: compact or indented, doubles with 15 digits. Caller frees. */
char *json_text_of(const json_t *doc, bool indent);

enum entry_type { ENTRY_HEADER, ENTRY_TICK, ENTRY_EVENT, ENTRY_OUTSIDE, ENTRY_RESULT, ENTRY_END, ENTRY_EOF };

/** One entry read. `t_ns` is when it happened, for a replay's clock (results and what others say: when the last entry before did). */
struct entry {
	enum entry_type	  type;
	uint64_t	  t_ns;
	struct run_header header; /**< its doc is the reader's caller's */
	struct tick	  tick;
	struct event	  event;
	struct outside	  outside;
	struct result	 *result; /**< the reader's caller's */
	enum run_end	  end;
	char		  text[256];
};

/** A recording being read. About 40 KiB with its entry: allocate it. */
struct recording {
	FILE	*file;
	char	*line;
	size_t	 line_cap;
	unsigned line_no;
	uint64_t t_ns;
	bool	 cut;	/**< the last line was not whole: the run was interrupted */
	char	 path[4096];
};

/** @return -1 for a file that can't be read or whose first line is no header of schema ebscope/1 (line is named). */
int recording_open(struct recording *r, const char *path, struct err *err);
/**
 * The next entry. ENTRY_EOF at the end of the file, or at a line that is not whole (r->cut). A line in the middle that
 * is no JSON is an error that names it; an entry of a type that we don't know (a newer version) is skipped.
 */
int recording_next(struct recording *r, struct entry *e, struct err *err);
void recording_close(struct recording *r);

/** Put an entry into a log; moves what the entry owns. A header is ignored: the log was made with it. */
void runlog_add_entry(struct runlog *log, struct entry *e);
/**
 * A whole recording as a log. An interrupted one ends with RUN_INTERRUPTED. @return NULL with @p err only when there is
 * no header; what is broken later sets @p partial and its message goes to the log's end text
 */
struct runlog *recording_load(const char *path, bool *partial, struct err *err);
/** The same, given up with ECANCELED soon after @p cancel becomes true. NULL: never. */
struct runlog *recording_load_until(const char *path, const atomic_bool *cancel, bool *partial, struct err *err);
/** The same of a text in memory, borrowed for the call: what came by a pipe. @p path stands in messages. */
struct runlog *recording_load_text(const char *path, const char *text, size_t len, bool *partial, struct err *err);

#endif
