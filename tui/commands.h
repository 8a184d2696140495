/* SPDX-License-Identifier: MIT */
#ifndef TUI_COMMANDS_H
#define TUI_COMMANDS_H

#include "tui/cmd.h"

/** Each command's row lives in its own file; commands.c puts them in order. */
extern const struct command cmd_dashboard, cmd_replay, cmd_run, cmd_check, cmd_watch, cmd_train, cmd_expect, cmd_devices,
	cmd_net, cmd_compare, cmd_export, cmd_volumes;

#endif
