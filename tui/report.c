/* SPDX-License-Identifier: MIT */
#include "tui/report.h"

#include <stdio.h>
#include <string.h>

const struct report_format report_formats[] = {
	{ "table", "for people", report_table },
	{ "json", "schema ebscope/1", report_json },
	{ "csv", "a line a test", report_csv },
	{ "fio", "a document that a parser of fio's JSON reads", report_fio },
	{ "iperf3", "as iperf3 -J prints a network test", report_iperf3 },
	{ NULL, NULL, NULL },
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

enum verdict report_verdict(const struct runlog_snap *run)
{
	enum verdict worst = VERDICT_NONE;

	for (size_t i = 0; i < run->nr_results; i++) {
		if (run->results[i]->verdict > worst)
			worst = run->results[i]->verdict;
	}
	return worst;
}
