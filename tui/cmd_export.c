/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "engine/recorder.h"
#include "tui/commands.h"
#include "tui/net_live.h"
#include "tui/report.h"

static int export(struct cli *cli, struct err *err)
{
	const struct report_format *format = report_of_cli(cli, err);
	struct runlog_snap *snap = malloc(sizeof(*snap));
	struct runlog *log = NULL;
	bool partial;
	int rc = -1;

	if (!format)
		goto out;
	if (!snap) {
		err_set(err, ENOMEM, "no memory");
		goto out;
	}
	log = recording_load(cli->args[0], &partial, err);
	if (!log)
		goto out;
	runlog_snap(log, snap);
	if (partial)
		cli_message("%s%s", *snap->end_text ? "" : cli->args[0],
			    *snap->end_text ? snap->end_text : ": interrupted: it has no end; what is there is used");
	char *text = report_suits(format, net_live_is(snap), err) < 0 ? NULL : format->make(snap, err);
	rc = text ? cli_write(cli, text, err) : -1;
	free(text);
	runlog_snap_release(snap);
out:
	free(snap);
	runlog_free(log);
	return rc;
}

static const struct opt own[] = {
	{ "format", 0, "F", OPT_OWN, "table, json, csv, series (a line a tick), fio, bonnie, iperf3, openmetrics, svg or card (table)", NULL },
	{ .name = NULL },
};

const struct command cmd_export = {
	.name = "export",
	.args = "RECORDING --format F",
	.about = "a recording in another format",
	.more = "series is for a spreadsheet or gnuplot: bytes and nanoseconds, credits in I/Os or bytes as the volume has them;\n"
		"repeat counts from 0, and a field is empty where there is no figure.",
	.groups = OPT_BONNIE | OPT_OUTPUT,
	.own = own,
	.min_args = 1,
	.max_args = 1,
	.run = export,
};
