/* SPDX-License-Identifier: MIT */
#ifndef TUI_PLAYER_H
#define TUI_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/runlog.h"

/**
 * A recording, played into a log at its own pace or any other: entries come when the clock has reached them. What was
 * cut plays up to the cut and ends as interrupted. Main thread only.
 */
struct player;

/** @p speed recorded seconds a second, > 0; INFINITY: all at once. @p now_ns on clock_ns() is when it begins. */
int player_open(struct player **p, const char *path, double speed, uint64_t now_ns, struct err *err);
/** NULL is fine. The log goes too. */
void player_close(struct player *p);
/** Its log; lives until player_close(). */
struct runlog *player_log(struct player *p);
/** Put into the log what is due. @return true when something was */
bool player_pump(struct player *p, uint64_t now_ns);
/** When the next entry is due; 0 at the end. */
uint64_t player_due(const struct player *p);

#endif
