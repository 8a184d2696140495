/* SPDX-License-Identifier: MIT */
#include "tui/board.h"
#include "tui/commands.h"

static int replay(struct cli *cli, struct err *err)
{
	return board_main(cli, BOARD_REPLAY, cli->args[0], err);
}

static const struct opt own[] = {
	{ "speed", 0, "N|max", OPT_OWN, "recorded seconds a second (1); max: at once", NULL },
	{ NULL, 0, NULL, 0, NULL, NULL },
};

const struct command cmd_replay = {
	.name = "replay",
	.args = "[options] RECORDING",
	.about = "play a recording on the dashboard",
	.more = "The picture is the one that the run itself had; space freezes it, + and - change the time on the plot.",
	.groups = OPT_LIMITS | OPT_SCREEN,
	.own = own,
	.min_args = 1,
	.max_args = 1,
	.run = replay,
};
