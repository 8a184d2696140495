/* SPDX-License-Identifier: MIT */
#ifndef TUI_FOREIGN_H
#define TUI_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/cmd.h"

/**
 * Options that people know from fio, bonnie++ and iperf3 and that are not ours: who types one is told what it is here,
 * for all of them at once. What has fio's or iperf3's name and meaning here is a row of the options and not of this table.
 */

/**
 * Look through the words of a command line for options of other tools.
 *
 * @param first  the word that the parser stumbled over: an answer for the others without one for it would hide it
 * @return       false where @p first is no option of another tool that does what @p cmd does; else @p buf holds
 *               "-c HOST: HOST stands alone; -J: --format iperf3", each answer once
 */
bool foreign_answer(const struct command *cmd, const char *first, int argc, char **argv, char *buf, size_t size);

#endif
