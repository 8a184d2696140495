/* SPDX-License-Identifier: MIT */
#ifndef TUI_VOLUME_CHANGE_H
#define TUI_VOLUME_CHANGE_H

#include "engine/runlog.h"
#include "tui/setup.h"

/**
 * The modifications that the volumes of a run went through, out of its log: what the header knew of one, then what AWS
 * said meanwhile (the entries "optimizing"). Between the last look that found none and the first that finds it over
 * nobody knows what the volume gives.
 */
struct volume_change {
	double start_s, end_s; /**< since the run began; -INFINITY: it was under way then; INFINITY: it is not over */
	int    percent;	       /**< as said last while it went on */
	bool   failed;
	char   id[24];	       /**< of the volume; "" where only the header tells of it */
	char   before[64], after[64]; /**< SPECs */
};
#define VOLUME_CHANGES_MAX 16

/**
 * Those that began up to @p until_s, in order, as they were known then. None of several volumes of which some were being
 * modified at the start: the header tells of them as one.
 *
 * @param begin  of analysis_setup(): volume, volume_before and optimizing as they were when the run began
 */
size_t volume_changes(const struct runlog_snap *run, const struct setup *begin, double until_s,
		      struct volume_change out[VOLUME_CHANGES_MAX]);

/** The target is one volume, so what changed is that. */
bool volume_changes_one(const struct setup *begin);

/** The SPEC of one volume at @p t_s; while a change is under way what it is to become. Borrowed. */
const char *volume_change_spec(const struct volume_change *c, size_t n, double t_s, const struct setup *begin);
/** The change that is under way at @p t_s, or NULL. */
const struct volume_change *volume_change_at(const struct volume_change *c, size_t n, double t_s);

/** What a test from @p start_s to @p end_s must say of the newest of them, a sentence; "" nothing. @return buf */
char *volume_change_text(const struct volume_change *c, size_t n, double start_s, double end_s,
			 const struct setup *begin, char *buf, size_t size);

#endif
