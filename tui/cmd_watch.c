/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aws/nvme.h"
#include "engine/clock.h"
#include "engine/units.h"
#include "tui/board.h"
#include "tui/commands.h"
#include "tui/headless.h"
#include "tui/watch.h"

/* What `watch` keeps between seconds. */
struct watching {
	double warn_at;	    /* share of the limit; NAN: no alarm */
	double reached;	    /* the highest share seen */
	bool   alarm;
};

/* A card has columns of reads and of writes, and what is watched is both at once. */
static int check_format(const char *v, struct err *err)
{
	static const char *const names[] = { "table", "json", "csv", "series", "fio", "openmetrics", "svg" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(v, names[i]) == 0)
			return 0;
	return err_set(err, ERR_USAGE, "'%.40s' is not one of table, json, csv, series, fio, openmetrics, svg", v);
}

static const struct opt own[] = {
	{ "format", 0, "F", OPT_OWN, "in the place of the lines: table, json, csv, series (a line a tick), fio, openmetrics or svg", OPT_CHECK(check_format) },
	{ "warn-at", 0, "PERCENT", OPT_OWN, "end with status 1 when this share of a limit is reached, 0 to 100", OPT_CHECK(opt_check_percent) },
	{ "lines", 0, NULL, OPT_OWN, "a line a second also on a terminal, where the dashboard would open", NULL },
	{ NULL, 0, NULL, 0, NULL, NULL },
};

void watch_plan(struct run_plan *plan)
{
	struct step *step = &plan->step[0];

	plan->nr_steps = 1;
	plan->title = "watch";
	plan->shape = (struct shape){ 0 };
	*step = (struct step){ .name = "watch", .kind = TEST_WATCH, .repeats = 1, .wl = plan->step[0].wl };
	step->wl.rw = RW_RANDRW;
	step->wl.direct = 0;
	step->wl.iodepth = 1;
}

static int plan_watch(struct run_plan *plan, const struct setup *s, const struct cli *cli, struct err *err)
{
	(void)s;
	(void)cli;
	(void)err;
	watch_plan(plan);
	return 0;
}

int watch_setup(struct setup *s, const struct cli *cli, struct err *err)
{
	uint64_t ns = 0;

	if (cli_has(cli, "runtime") && parse_time(cli_get(cli, "runtime"), &ns, err) < 0)
		return -1;
	if (setup_is_sim(s))
		return err_set(err, ERR_USAGE, "sim: does nothing by itself, so there is nothing to watch; name a device or a directory");
	/* One pattern, whose time is ours: none means until it is told to stop. */
	s->suite[0] = 0;
	s->nr_workloads = 0;
	if (workload_set(&s->wl, "rw", "randrw", err) < 0)
		return -1;
	s->wl.runtime_ns = ns;
	s->wl_given = ~0u;
	return 0;
}

/* An alarm needs something to reach; what was not named may have been detected by now. */
static int adjust(struct setup *s, const struct cli *cli, struct err *err)
{
	struct expectation e;

	if (watch_setup(s, cli, err) < 0)
		return -1;
	if (!cli_has(cli, "warn-at"))
		return 0;
	if (setup_expect(s, &s->wl, &e, err) < 0)
		return -1;
	if (isfinite(e.baseline.iops))
		return 0;
	bool host = *s->instance || *s->task;
	return err_set(err, ERR_USAGE, "--warn-at needs a limit to watch for%s%s: name the volume (--volume SPEC)%s%s%s",
		       host ? ", and none is documented for " : ", and none was found",
		       *s->instance ? s->instance : s->task, host ? "" : " or the host", s->nr_notes ? "; " : "",
		       s->nr_notes ? s->note[0] : "");
}

static bool second(struct headless *h, const struct runlog_snap *run)
{
	struct watching *w = h->ctx;
	struct sample s;
	char r[FMT_LEN], wr[FMT_LEN], bw[FMT_LEN], lim[FMT_LEN];

	if (!span_last_second(run->span, &s))
		return false;
	double iops = sample_iops(&s), share = span_last_share(run->span);
	bool other = cli_has(h->cli, "format") || strcmp(cli_text(h->cli, "record", ""), "-") == 0;
	FILE *f = other ? stderr : stdout;

	fprintf(f, "%7.1f s  read %9s IOPS  write %9s IOPS  %12s", clock_seconds(s.t_ns),
		fmt_iops(r, (double)s.dir[DDIR_READ].ios / sample_seconds(&s)),
		fmt_iops(wr, (double)s.dir[DDIR_WRITE].ios / sample_seconds(&s)), fmt_bw(bw, sample_bw(&s)));
	if (!isnan(share))
		fprintf(f, "  %3.0f %% of %s", 100 * share, fmt_iops(lim, share > 0 ? iops / share : s.model_iops));
	if (!isnan(s.model_balance))
		fprintf(f, "  credits %s", fmt_short(lim, s.model_balance));
	for (int k = 0; k < NVME_LIMIT_NR; k++)
		if (s.limit_ns[k] != DEV_NONE && s.limit_ns[k] * 100 >= s.dt_ns)
			fprintf(f, "  at %s %.0f %%", nvme_limit_name((enum nvme_limit)k),
				fmin(100, 100.0 * (double)s.limit_ns[k] / (double)s.dt_ns));
	fputc('\n', f);
	fflush(f);
	if (share > w->reached)
		w->reached = share;
	w->alarm = w->alarm || share >= w->warn_at;
	return w->alarm;
}

static int status(const struct headless *h, const struct runlog_snap *run, struct err *err)
{
	const struct watching *w = h->ctx;

	if (w->alarm)
		cli_message("%.0f %% of the limit was reached (--warn-at %.0f%%)", 100 * w->reached, 100 * w->warn_at);
	else if (!cli_has(h->cli, "format") && run->nr_results)
		printf("%s\n", run->results[0]->reason);
	if (fflush(stdout) == EOF || ferror(stdout))
		return err_sys(err, "write the lines to standard output");
	return w->alarm ? 1 : 0;
}

static int watch(struct cli *cli, struct err *err)
{
	struct watching w = { .warn_at = NAN };
	struct headless h = { .cli = cli, .default_test = "watch", .adjust = adjust, .plan = plan_watch, .second = second,
			      .quiet_result = true, .status = status, .ctx = &w };

	bool lines = cli_given(cli, "lines") || cli_has(cli, "format") || cli_has(cli, "warn-at") || cli_has(cli, "output") ||
		     strcmp(cli_text(cli, "record", ""), "-") == 0 || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO);
	if (!lines || cli_given(cli, "dump"))
		return board_main(cli, BOARD_WATCH, NULL, err);
	if (cli_has(cli, "warn-at") && parse_percent(cli_get(cli, "warn-at"), &w.warn_at, err) < 0)
		return -1;
	return headless_run(&h, err);
}

const struct command cmd_watch = {
	.name = "watch",
	.args = "[options] DEVICE|DIR",
	.about = "no I/O of ours: what the device does now against its limits",
	.more = "Reads the kernel's counters of the device (or of the one below a directory), on the dashboard or (--lines, or\n"
		"without a terminal) as a line a second, until it is told to stop (Ctrl-C, --runtime, --warn-at).\n"
		"Opens nothing, writes nothing: safe beside production.",
	.groups = OPT_RUNTIME | OPT_VOLUME | OPT_DETECT | OPT_CREDITS | OPT_OUTPUT | OPT_RECORD | OPT_SCREEN,
	.own = own,
	.min_args = 1,
	.max_args = 1,
	.run = watch,
};
