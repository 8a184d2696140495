/* SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "tui/commands.h"

static int dashboard(struct cli *cli, struct err *err)
{
	(void)cli;
	return err_set(err, ERR_REFUSED, "the dashboard needs a terminal; without one use: ebscope run TARGET");
}

const struct command cmd_dashboard = {
	.name = "",
	.args = "[options] [TARGET]",
	.about = "the dashboard, its form filled in",
	.groups = OPT_WORKLOAD | OPT_VOLUME | OPT_SHAPE | OPT_WRITE | OPT_RECORD | OPT_SCREEN,
	.max_args = 1,
	.run = dashboard,
};
