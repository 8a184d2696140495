/* SPDX-License-Identifier: MIT */
#ifndef TUI_PREFS_H
#define TUI_PREFS_H

#include <stddef.h>

#include "engine/err.h"

/**
 * What stays from one dashboard to the next: $XDG_CONFIG_HOME/ebscope/config.json (~/.config where that is not set), an
 * object `{"theme": "projector"}`. Keys that are not known (a newer version's, a person's) are passed over and kept.
 */
struct prefs {
	char theme[512]; /**< a theme's name, or the path of a .theme file; "" none was chosen */
};

/** Longest file that is read, bytes. */
#define PREFS_MAX 65536

/** From text (need not end with NUL). @p name is what messages call it. *p is left alone on failure (ERR_USAGE). */
int prefs_parse(struct prefs *p, const char *name, const char *text, size_t len, struct err *err);
/** From the file. None is there: nothing was chosen, 0. */
int prefs_load(struct prefs *p, struct err *err);
/** Put the theme's name into the file, the rest of it as it is. A file that can't be read as prefs is left alone: -1. */
int prefs_save_theme(const char *theme, struct err *err);

#endif
