/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/suite.h"
#include "engine/suite_file.h"
#include "engine/units.h"
#include "tui/commands.h"
#include "tui/headless.h"
#include "tui/report.h"
#include "tui/session.h"
#include "tui/setup.h"

static int list_workloads(const struct cli *cli, struct err *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	char bs[FMT_LEN];

	if (!f)
		return err_sys(err, "no memory");
	for (size_t i = 0; *workloads[i].name; i++)
		fprintf(f, "%-18s %-9s %5s  iodepth %-3llu  %s\n", workloads[i].name, rw_name(workloads[i].rw),
			fmt_bs(bs, workloads[i].bs), (unsigned long long)workloads[i].iodepth, workload_about[i]);
	fclose(f);
	int rc = cli_write(cli, text, err);
	free(text);
	return rc;
}

/* The user's, with what is wrong where one cannot be read. */
static void own_suites(FILE *f)
{
	char names[32][SUITE_FILE_NAME_LEN];
	struct step *steps = calloc(PLANNED_MAX, sizeof(*steps));
	size_t n = steps ? suite_file_list(names, 32) : 0;
	struct suite_file file;
	struct workload base;
	struct err err;

	workload_init(&base);
	for (size_t i = 0; i < n; i++) {
		int nr = suite_file_load(names[i], &base, &file, steps, PLANNED_MAX, &err);
		if (nr < 0)
			fprintf(f, "%-14s cannot be used: %s\n", names[i], err.msg);
		else
			fprintf(f, "%-14s %s (your own: %d tests)\n", names[i], *file.about ? file.about : "no about", nr);
	}
	free(steps);
}

static int list_suites(const struct cli *cli, struct err *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return err_sys(err, "no memory");
	for (const struct suite *s = suites; s->name; s++)
		fprintf(f, "%-14s %s\n", s->name, s->about);
	own_suites(f);
	fclose(f);
	int rc = cli_write(cli, text, err);
	free(text);
	return rc;
}

static int run(struct cli *cli, struct err *err)
{
	struct headless h = { .cli = cli, .default_test = "quick" };

	if (cli_has(cli, "list-workloads"))
		return list_workloads(cli, err);
	if (cli_has(cli, "list-suites"))
		return list_suites(cli, err);
	return headless_run(&h, err);
}

const struct command cmd_run = {
	.name = "run",
	.args = "[options] TARGET",
	.about = "run tests without the dashboard",
	.more = "TARGET is a directory (a scratch file is used and leaves nothing behind), an existing file, a block\n"
		"device, several of them with commas, or sim: (no I/O at all; sim:gp2:100 is a simulated volume).\n"
		"Files are only read unless --overwrite, devices unless --destroy-data=NAME.\n"
		"Without --rw, --workload or --suite: suite quick.",
	.groups = OPT_WORKLOAD | OPT_VOLUME | OPT_DETECT | OPT_SHAPE | OPT_WRITE | OPT_FORMAT | OPT_BONNIE | OPT_OUTPUT | OPT_RECORD,
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
