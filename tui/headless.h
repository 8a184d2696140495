/* SPDX-License-Identifier: MIT */
#ifndef TUI_HEADLESS_H
#define TUI_HEADLESS_H

#include "tui/cmd.h"
#include "tui/report.h"
#include "tui/session.h"

/** A run without the dashboard: progress on stderr, the result on stdout, signals end it cleanly. */
struct headless {
	struct cli *cli;
	const char *default_test;	     /**< suite for a command line that names no test */
	/** Change the setup after the command line was read (check, …); NULL: nothing. */
	int (*adjust)(struct setup *s, const struct cli *cli, struct err *err);
	/** The plan, after it was made from the setup; NULL: as it is. */
	int (*plan)(struct run_plan *plan, const struct setup *s, const struct cli *cli, struct err *err);
	/** Each second of the run, in the place of the progress bar. @return true: end the run. */
	bool (*second)(struct headless *h, const struct runlog_snap *run);
	bool quiet_result;		     /**< print no result where neither --format nor --output is given */
	void *ctx;			     /**< the command's own */
	/** Exit status from the finished run; NULL: 1 on `short`, else 0. May print (check's last line). */
	int (*status)(const struct headless *h, const struct runlog_snap *run, struct err *err);
};

/** @return exit status, or -1 with @p err */
int headless_run(struct headless *h, struct err *err);

#endif
