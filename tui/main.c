/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aws/creds.h"
#include "engine/json.h"
#include "tui/board.h"
#include "tui/cmd.h"
#include "tui/commands.h"

/* Also where the words were not understood, or not all of them were read. */
static bool wants_json(int argc, char **argv)
{
	bool json = false;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], "--format", 8) != 0 || (argv[i][8] && argv[i][8] != '='))
			continue;
		const char *value = argv[i][8] ? argv[i] + 9 : i + 1 < argc ? argv[i + 1] : "";
		json = strcmp(value, "json") == 0;
	}
	return json;
}

/*
 * The only place that prints a failure and picks an exit status. A script that asked for a document gets one: on stdout
 * where --output cannot be written, or was not read.
 */
static int fail(const struct cli *cli, bool json, const struct err *err)
{
	cli_message("%s", err->msg);
	if (json) {
		struct err ignored;
		json_t *doc = json_pack("{s:s,s:{s:i,s:o}}", "schema", "ebscope/1", "error", "code", err_status(err),
					"message", json_text(err->msg));
		char *text = doc ? json_dumps(doc, JSON_INDENT(2)) : NULL;

		char *line = NULL;
		if (text && asprintf(&line, "%s\n", text) >= 0)
			(void)(cli_write(cli, line, &ignored) < 0 && fputs(line, stdout));
		free(line);
		free(text);
		json_decref(doc);
	}
	return err_status(err);
}

static int print_and_free(struct cli *cli, char *text, struct err *err)
{
	int rc = text ? cli_write(cli, text, err) : err_set(err, ERR_USAGE, "no memory");

	free(text);
	return rc;
}

/*
 * A descriptor that we were given closed would be the next file's that is opened: the result would go into the target.
 * What takes its place here can neither be read nor written, so that what is lost is told as lost.
 */
static void fill_closed_descriptors(void)
{
	int fd;

	while ((fd = open("/", O_PATH)) >= 0 && fd <= STDERR_FILENO)
		;
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct cli cli;
	struct err err = { 0 };
	bool begun = false;
	int status;
	bool json = wants_json(argc, argv); /* before the words are put in order */

	fill_closed_descriptors();
	if (creds_in_env())
		creds_no_core();
	setlocale(LC_CTYPE, ""); /* only that: numbers have a point whatever the locale */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* as a full disk: told where it is written, and the run goes on */
	if (cli_parse(&cli, argc, argv, &err) < 0)
		return fail(&cli, json, &err);
	cli.begun = &begun;
	if (cli.help)
		status = print_and_free(&cli, cli_help(cli.cmd), &err);
	else if (cli.version)
		status = cli_write(&cli, "ebscope " EBSCOPE_VERSION "\n", &err);
	else if (cli_check_output(&cli, &err) < 0)
		status = -1;
	else if (cli_has(&cli, "list-workloads") || cli_has(&cli, "list-suites"))
		status = cmd_run.run(&cli, &err); /* whichever command it was asked of: a list, and nothing runs */
	else if (cli.screen)
		status = board_command(&cli, &err);
	else
		status = cli.cmd->run(&cli, &err);
	return status < 0 ? fail(&cli, json, &err) : status;
}
