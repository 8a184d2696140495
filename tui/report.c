/* SPDX-License-Identifier: MIT */
#include "tui/report.h"

#include <stdio.h>
#include <string.h>

const struct report_format report_formats[] = {
	{ "table", "for people", NULL, REPORT_ANY, report_table },
	{ "json", "schema ebscope/1", NULL, REPORT_ANY, report_json },
	{ "csv", "a line a test", NULL, REPORT_ANY, report_csv },
	{ "series", "CSV, a line a tick", NULL, REPORT_ANY, report_series },
	{ "fio", "a document that a parser of fio's JSON reads", NULL, REPORT_STORAGE, report_fio },
	{ "bonnie", "suite bonnie as bonnie++ prints it", "bonnie", REPORT_STORAGE, report_bonnie },
	{ "openmetrics", "gauges and counters, those of the EBS CSI driver by its names", NULL, REPORT_STORAGE, report_openmetrics },
	{ "svg", "the run's plot as one picture", NULL, REPORT_STORAGE, report_svg },
	{ "card", "80 columns of text to paste", NULL, REPORT_STORAGE, report_card },
	{ "iperf3", "as iperf3 -J prints a network test", NULL, REPORT_NET, report_iperf3 },
	{ .name = NULL },
};

/* Older forms of bonnie's. */
static const struct report_format bonnie_csv[] = {
	{ "1.98", "50 fields", "bonnie", REPORT_STORAGE, report_bonnie },
	{ "1.97", "48 fields", "bonnie", REPORT_STORAGE, report_bonnie_197 },
	{ "1.03", "27 fields, per-character by stdio", "bonnie", REPORT_STORAGE, report_bonnie_103 },
};

const struct report_format *report_find(const char *name, struct err *err)
{
	char list[128] = "";

	if (!name)
		return &report_formats[0];
	for (const struct report_format *f = report_formats; f->name; f++) {
		if (strcmp(f->name, name) == 0)
			return f;
		size_t n = strlen(list);
		snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "", f->name);
	}
	err_set(err, ERR_USAGE, "--format: '%.40s' is not one of %s", name, list);
	return NULL;
}

int report_suits(const struct report_format *f, bool net, struct err *err)
{
	enum report_tests other = net ? REPORT_STORAGE : REPORT_NET;
	char list[128] = "";

	if (f->tests != other)
		return 0;
	for (const struct report_format *o = report_formats; o->name; o++) {
		size_t n = strlen(list);
		if (o->tests != other)
			snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "", o->name);
	}
	return err_set(err, ERR_USAGE, "--format %s is for %s tests; a %s test has %s", f->name, net ? "storage" : "network",
		       net ? "network" : "storage", list);
}

const struct report_format *report_of_cli(const struct cli *cli, struct err *err)
{
	const struct report_format *f = report_find(cli_get(cli, "format"), err);
	const char *version = cli_get(cli, "bonnie-csv");

	if (!f || !version)
		return f;
	if (strcmp(f->name, "bonnie") != 0) {
		err_set(err, ERR_USAGE, "--bonnie-csv needs --format bonnie");
		return NULL;
	}
	for (size_t i = 0; i < sizeof(bonnie_csv) / sizeof(*bonnie_csv); i++)
		if (strcmp(bonnie_csv[i].name, version) == 0)
			return &bonnie_csv[i];
	err_set(err, ERR_USAGE, "--bonnie-csv: '%.20s' is not 1.98, 1.97 or 1.03", version);
	return NULL;
}

enum verdict report_verdict(const struct runlog_snap *run)
{
	enum verdict worst = VERDICT_NONE;

	for (size_t i = 0; i < run->nr_results; i++) {
		if (run->results[i]->verdict > worst)
			worst = run->results[i]->verdict;
	}
	return worst;
}
