/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_XDG_H
#define ENGINE_XDG_H

#include <stddef.h>

/** Where a user's files are, as the XDG base directory specification has it. */

/** $XDG_CONFIG_HOME, or ~/.config. @return buf */
char *xdg_config_home(char *buf, size_t size);
/** Make the directory and its parents, mode 0700. @p path is written to meanwhile. @return 0, or -1 with errno */
int xdg_make_dirs(char *path);

#endif
