/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "tui/board.h"
#include "tui/commands.h"
#include "tui/story.h"

static int list(const struct cli *cli, struct err *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return err_sys(err, "no memory");
	for (const struct story *st = stories; st->name; st++)
		fprintf(f, "%-14s %-34s %s%s%s, %s at x%g\n", st->name, st->title, st->volume, *st->instance || *st->task ? " on " : "",
			*st->instance ? st->instance : st->task, st->runtime, st->time_scale);
	fclose(f);
	int rc = cli_write(cli, text, err);
	free(text);
	return rc;
}

static int train(struct cli *cli, struct err *err)
{
	if (cli_given(cli, "list-stories"))
		return list(cli, err);
	return board_main(cli, BOARD_TRAIN, cli->nr_args ? cli->args[0] : NULL, err);
}

static const struct opt own[] = {
	{ "list-stories", 0, NULL, OPT_OWN, "print the stories", NULL },
	{ NULL, 0, NULL, 0, NULL, NULL },
};

const struct command cmd_train = {
	.name = "train",
	.args = "[options] [STORY]",
	.about = "a training story on the dashboard",
	.more = "A simulated volume behaves as documented, at a time scale that tells its story in under a minute; what happens\n"
		"is explained beside the plot. Nothing is read or written, no account is needed.",
	.groups = OPT_SCREEN,
	.own = own,
	.max_args = 1,
	.run = train,
};
