/* SPDX-License-Identifier: MIT */
#ifndef TUI_CSV_H
#define TUI_CSV_H

#include <stdio.h>

/** One field of CSV as RFC 4180 has it; commas and ends of lines are the caller's. */

/** A text, in quotes where it needs them. */
void csv_text(FILE *f, const char *text);
/** A figure; nothing where there is none. */
void csv_number(FILE *f, double v);

#endif
