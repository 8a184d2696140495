/* SPDX-License-Identifier: MIT */
#include "tui/board.h"
#include "tui/commands.h"

static int dashboard(struct cli *cli, struct err *err)
{
	return board_main(cli, BOARD_SETUP, NULL, err);
}

const struct command cmd_dashboard = {
	.name = "",
	.args = "[options] [TARGET]",
	.about = "the dashboard, its form filled in",
	.groups = OPT_WORKLOAD | OPT_VOLUME | OPT_DETECT | OPT_SHAPE | OPT_WRITE | OPT_RECORD | OPT_SCREEN,
	.max_args = 1,
	.run = dashboard,
};
