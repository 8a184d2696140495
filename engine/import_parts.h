/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_IMPORT_PARTS_H
#define ENGINE_IMPORT_PARTS_H

#include "engine/import.h"
#include "engine/json_cut.h"

/** The readers of one format each. Only import.c calls them. */

/** One JSON document that looks like fio's. @return false if there is no job in it */
bool import_fio(struct import_run *run, struct json_span doc);
/** One JSON document that looks like iperf3's. */
bool import_iperf3(struct import_run *run, struct json_span doc);
/** One of our own JSON results (schema ebscope/1). */
bool import_result(struct import_run *run, struct json_span doc);
/** One line of CSV. @return false when it is no bonnie++ line */
bool import_bonnie_line(struct import_run *run, const char *line, size_t len);
/** A recording, by its path, or, with @p text, what came of a pipe of that name. */
int import_recording(struct import_run *run, const char *path, const char *text, size_t len, const atomic_bool *cancel,
		     struct err *err);

/** A figure of a document. No rate, time or count is negative: what says so is no figure. */
static inline double import_num(struct json_span s)
{
	double v = json_span_num(s);

	return v >= 0 ? v : __builtin_nan("");
}

/** An instant as RFC 3339 in UTC; "" for 0. @return buf */
char *import_date(char *buf, size_t size, uint64_t unix_seconds);

#endif
