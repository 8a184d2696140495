/* SPDX-License-Identifier: MIT */
#ifndef TUI_COMPARE_TEXT_H
#define TUI_COMPARE_TEXT_H

#include <stddef.h>

#include "engine/compare.h"

/** A comparison as a person, or a spreadsheet, reads it. */

/**
 * The table: what each run is, then a row a figure: the first run's value, then the others' with their ratio to it.
 * Behind a ratio "*" says that the difference is larger than the noise, "=" that it is not; nothing: not known.
 * Caller frees; NULL without memory.
 */
char *compare_to_table(const struct comparison *c);
/** One line a figure and run: test,metric,unit,run,value,ratio,spread,significant,not_comparable,differs. Caller frees. */
char *compare_to_csv(const struct comparison *c);
/**
 * One run's value with its unit, as short as it can be: "3,000", "46.9 MiB/s", "1.25 ms", "-"; "+++++" for what was over
 * too soon, and of dd "272 MB/s". @return buf, FMT_LEN long
 */
char *compare_value(char *buf, const struct compare_row *row, size_t run);

#endif
