/* SPDX-License-Identifier: MIT */
#include "tui/commands.h"

const struct command *const commands[] = {
	&cmd_dashboard,
	&cmd_run,
	&cmd_check,
	&cmd_watch,
	&cmd_train,
	&cmd_expect,
	&cmd_devices,
	&cmd_replay,
	&cmd_compare,
	&cmd_export,
	&cmd_net,
	&cmd_volumes,
	NULL,
};
