/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "tui/board.h"
#include "tui/commands.h"

/* A word without a path that is not there was meant as a command more often than as a target. */
static int check_word(const char *word, struct err *err)
{
	const char *near = closest_command(word);

	if (strpbrk(word, "/:,") || access(word, F_OK) == 0)
		return 0;
	return err_set(err, ERR_USAGE, "'%.60s' is neither a command nor a target that is there%s%s%s (see ebscope --help)", word,
		       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int dashboard(struct cli *cli, struct err *err)
{
	if (cli->nr_args && check_word(cli->args[0], err) < 0)
		return -1;
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
