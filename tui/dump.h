/* SPDX-License-Identifier: MIT */
#ifndef TUI_DUMP_H
#define TUI_DUMP_H

#include <stdio.h>

#include "tui/canvas.h"
#include "tui/theme.h"

/**
 * Print a picture with its colours as escape sequences (ECMA-48 SGR), a line a row, every row as wide as the canvas:
 * what a terminal would show. Without colours (DEPTH_MONO) only attributes are written. @return 0, or -1 with errno
 */
int dump_ansi(const struct canvas *cv, const struct palette *p, FILE *out);

#endif
