/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_XDG_H
#define ENGINE_XDG_H

#include <stddef.h>

#include "engine/err.h"

/** Where a user's files are, as the XDG base directory specification has it: a variable that is no absolute path counts as unset. */

/** $XDG_CONFIG_HOME, or ~/.config. @return buf */
char *xdg_config_home(char *buf, size_t size);
/** What we keep as @p name: $XDG_STATE_HOME/ebscope/NAME, or ~/.local/state/ebscope/NAME. @return buf; NULL without a home */
char *xdg_state(char *buf, size_t size, const char *name, struct err *err);
/** A path for the eye: ~ for the home that it begins with. */
char *xdg_tilde(char *path);
/** Make the directory and its parents, mode 0700. @p path is written to meanwhile. @return 0, or -1 with errno */
int xdg_make_dirs(char *path);

#endif
