/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPORT_H
#define TUI_REPORT_H

#include "engine/err.h"
#include "engine/runlog.h"
#include "tui/cmd.h"

/** Which tests a format has places for. */
enum report_tests { REPORT_ANY, REPORT_STORAGE, REPORT_NET };

/** The result of a run as a document: one format a file, one table of formats. */
struct report_format {
	const char *name;
	const char *about;
	const char *suite; /**< the only one whose tests it has places for; NULL: any */
	enum report_tests tests;
	/** The whole document. Caller frees; NULL with @p err. */
	char	 *(*make)(const struct runlog_snap *run, struct err *err);
};

/** Ends with a row whose name is NULL; the first is the default. */
extern const struct report_format report_formats[];
/** @p name NULL: the default. ERR_USAGE with the formats there are. */
const struct report_format *report_find(const char *name, struct err *err);
/** Can it tell of tests of the network, or of storage? Asked before anything is measured. ERR_USAGE with those that can. */
int report_suits(const struct report_format *f, bool net, struct err *err);
/** As the command line says it: --format, with --bonnie-csv. */
const struct report_format *report_of_cli(const struct cli *cli, struct err *err);
/** The worst of the tests' verdicts: what the run as a whole says. */
enum verdict report_verdict(const struct runlog_snap *run);
/** The JSON result as an object, for formats made from it. New reference. */
json_t *report_json_doc(const struct runlog_snap *run);

char *report_table(const struct runlog_snap *run, struct err *err);
char *report_json(const struct runlog_snap *run, struct err *err);
char *report_csv(const struct runlog_snap *run, struct err *err);
/** CSV, a line a tick: what fio's bw, iops and lat logs hold, and beside it the device's part and what is documented. */
char *report_series(const struct runlog_snap *run, struct err *err);
char *report_fio(const struct runlog_snap *run, struct err *err);
/** Of a network test; intervals without their streams, which a log does not keep. */
char *report_iperf3(const struct runlog_snap *run, struct err *err);
/** A line of CSV as bonnie++ 2.00a prints it (format 1.98), 1.97 and 1.03 did. */
char *report_bonnie(const struct runlog_snap *run, struct err *err);
char *report_bonnie_197(const struct runlog_snap *run, struct err *err);
char *report_bonnie_103(const struct runlog_snap *run, struct err *err);
/** What the run was and found, for Prometheus and its kin. */
char *report_openmetrics(const struct runlog_snap *run, struct err *err);
/** The run's plot as one self-contained picture. */
char *report_svg(const struct runlog_snap *run, struct err *err);
/** 80 columns of text to paste. */
char *report_card(const struct runlog_snap *run, struct err *err);

#endif
