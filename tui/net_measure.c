/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "aws/netsession.h"
#include "engine/clock.h"
#include "engine/iperf_json.h"
#include "engine/recorder.h"
#include "engine/units.h"
#include "tui/detect.h"
#include "tui/net_cli.h"
#include "tui/net_lines.h"
#include "tui/report.h"
#include "tui/stopsig.h"

#define PROGRESS_NS (NS_PER_SEC / 4)

/* What is told while the test runs: lines of intervals on stdout, or one line on a terminal that is drawn
 * anew. */
struct progress {
	bool on;
	struct net_lines *lines; /* NULL none */
	uint64_t drawn_ns;
	int width;
};

static void clear(struct progress *p)
{
	if (p->width)
		fprintf(stderr, "\r%*s\r", p->width, "");
	p->width = 0;
}

static void notes(struct netsession *s, struct progress *p)
{
	char text[256];

	while (netsession_note(s, text, sizeof(text))) {
		clear(p);
		cli_message("%s", text);
	}
}

static void print_lines(struct progress *p)
{
	char *text = p->lines ? net_lines_take(p->lines) : NULL;

	if (text)
		fputs(text, stdout);
	if (text)
		fflush(stdout);
	free(text);
}

static void draw(struct netsession *s, struct progress *p)
{
	uint64_t now = clock_ns();
	char in[FMT_LEN], out[FMT_LEN], rtt[FMT_LEN], line[160];

	if (!p->on || now - p->drawn_ns < PROGRESS_NS)
		return;
	struct runlog_snap *snap = malloc(sizeof(*snap));
	if (!snap)
		return;
	p->drawn_ns = now;
	runlog_snap(netsession_log(s), snap);
	const struct sample *x = &snap->last.s;
	if (x->dt_ns) {
		double dt = sample_seconds(x), rx = 8 * (double)x->dir[DDIR_READ].bytes / dt,
		       tx = 8 * (double)x->dir[DDIR_WRITE].bytes / dt;
		int n = snprintf(line, sizeof(line),
				 "%5.1f s%s  sent %s  received %s  again %llu  rtt %s",
				 clock_seconds(x->t_ns), x->phase == PHASE_RAMP ? " (omitted)" : "",
				 net_fmt_bps(out, tx), net_fmt_bps(in, rx), (unsigned long long)x->errors,
				 fmt_lat(rtt, x->lat_p50 ? (double)x->lat_p50 : NAN));
		fprintf(stderr, "\r%-*s", p->width > n ? p->width : n, line);
		p->width = n;
	}
	runlog_snap_release(snap);
	free(snap);
}

/* Until the test has ended. @return the signal that ended it, 0 none */
static int watch(struct netsession *s, struct net_lines *lines, int news_fd, int signal_fd)
{
	struct progress p = { .on = cli_progress() && !lines, .lines = lines };
	struct pollfd fds[2] = { { .fd = news_fd, .events = POLLIN }, { .fd = signal_fd, .events = POLLIN } };
	int sig = 0;

	while (!netsession_ended(s)) {
		struct signalfd_siginfo info;
		eventfd_t n;
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			eventfd_read(news_fd, &n);
		if (fds[1].revents && read(signal_fd, &info, sizeof(info)) == sizeof(info) && !sig) {
			sig = (int)info.ssi_signo;
			netsession_stop(s, RUN_SIGNAL, stopsig_name(sig));
		}
		notes(s, &p);
		print_lines(&p);
		draw(s, &p);
	}
	clear(&p);
	notes(s, &p);
	print_lines(&p);
	return sig;
}

static char *iperf3_text(const struct netrun *r)
{
	json_t *kept = iperf_report_keep(&r->report, &r->series, "ebscope " EBSCOPE_VERSION,
					 r->failed ? r->error : NULL, SIZE_MAX);
	json_t *doc = iperf_kept_to_json(kept);
	char *text = json_text_of(doc, true), *line = text ? realloc(text, strlen(text) + 2) : NULL;

	json_decref(doc);
	json_decref(kept);
	return line ? strcat(line, "\n") : text;
}

static int print(const struct cli *cli, const struct report_format *format, struct netsession *s,
		 struct err *err)
{
	char *text;
	struct runlog_snap *snap = malloc(sizeof(*snap));

	if (!snap)
		return err_set(err, ENOMEM, "no memory");
	runlog_snap(netsession_log(s), snap);
	if (strcmp(format->name, "iperf3") == 0)
		text = iperf3_text(netsession_run(s));
	else
		text = format->make(snap, err);
	int rc = text ? cli_write(cli, text, err) : -1;
	free(text);
	runlog_snap_release(snap);
	free(snap);
	return rc;
}

/* What the user sees at the end, and the exit status. */
static int outcome(struct cli *cli, const struct report_format *format, struct netsession *s, int sig,
		   struct err *err)
{
	struct err failed;
	int rc = netsession_join(s, &failed);
	const struct netrun *r = netsession_run(s);
	bool streamed = strcmp(cli_text(cli, "record", ""), "-") == 0;

	/* Without a figure there is no result: main prints the failure. An iperf3 document always has its
	 * place for it. */
	bool print_it = (r->report.measured || strcmp(format->name, "iperf3") == 0) && !streamed;
	if (print_it && print(cli, format, s, err) < 0)
		return -1;
	if (sig) {
		if (rc < 0 && !print_it)
			cli_message("%s", failed.msg);
		return 128 + sig;
	}
	if (rc < 0 && print_it) {
		cli_message("%s", failed.msg);
		return err_status(&failed);
	}
	if (rc < 0) {
		*err = failed;
		return -1;
	}
	if (netsession_record_lost(s, err)) {
		cli_message("%s", err->msg);
		return err_status(err);
	}
	return r->judgement.verdict == VERDICT_SHORT;
}

static void add_lines(void *ctx, const struct netrun *run, bool ended)
{
	net_lines_add(ctx, run, ended);
}

/* Lines of intervals go where the table will go, and only with it. */
static bool told_live(const struct cli *cli, const struct report_format *format,
		      const struct netsession_plan *plan)
{
	return plan->setup.interval_ns && strcmp(format->name, "table") == 0 && !cli_has(cli, "output") &&
	       strcmp(cli_text(cli, "record", ""), "-") != 0;
}

static int measure(struct cli *cli, const struct report_format *format, struct netsession_plan *plan,
		   struct err *err)
{
	struct netsession *s = NULL;
	struct net_lines lines, *told = told_live(cli, format, plan) ? &lines : NULL;
	int status = -1;

	net_lines_init(&lines);
	if (told)
		plan->progress = add_lines, plan->ctx = told;

	int signal_fd = stopsig_open();
	plan->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (signal_fd < 0 || plan->news_fd < 0)
		err_sys(err, "signals");
	else if (netsession_start(&s, plan, err) == 0)
		status = outcome(cli, format, s, watch(s, told, plan->news_fd, signal_fd), err);
	netsession_free(s);
	net_lines_release(&lines);
	if (signal_fd >= 0)
		close(signal_fd);
	if (plan->news_fd >= 0)
		close(plan->news_fd);
	return status;
}

/*
 * Where nobody said where we run and this looks like AWS: the instance or task, as it says of itself. @p own is room
 * for tables with its own figures, which the host then borrows.
 */
static void find_host(struct net_setup *net, const struct limits *limits, struct limits *own)
{
	struct setup *s = malloc(sizeof(*s));
	struct volumes *none = malloc(sizeof(*none));
	struct err ignored;
	char text[64];

	if (s && none) {
		setup_init(s, limits);
		if (detect(s, NULL, own, &ignored) == 0 && setup_volumes(s, none, &net->on, &ignored) == 0 &&
		    net->on.kind != HOST_NONE)
			cli_message("this is %s", host_text(&net->on, text, sizeof(text)));
	}
	free(s);
	free(none);
}

int net_measure(struct cli *cli, struct err *err)
{
	const struct report_format *format = report_find(cli_get(cli, "format"), err);
	struct netsession_plan plan = { .version = EBSCOPE_VERSION };
	struct limits *limits = malloc(sizeof(*limits)), *own = malloc(sizeof(*own));
	int status = -1;

	if (!format || report_suits(format, true, err) < 0)
		goto out;
	if (!limits || !own) {
		err_set(err, ENOMEM, "no memory");
		goto out;
	}
	const struct limits *used = limits_or(limits, cli_get(cli, "limits"), err);
	if (!used)
		goto out;
	if (cli_has(cli, "one-off") || cli_has(cli, "queue")) {
		err_set(err, ERR_USAGE, "-1 and --queue are for --server");
		goto out;
	}
	if (net_setup_from_cli(&plan.setup, cli, used, err) < 0)
		goto out;
	if (plan.setup.on.kind == HOST_NONE)
		find_host(&plan.setup, used, own);
	plan.record = cli_has(cli, "no-record") ? NULL : cli_text(cli, "record", "");
	status = measure(cli, format, &plan, err);
	if (status < 0 && err->code == ECONNREFUSED) {
		struct err was = *err;
		err_set(err, was.code, "%s: no server listens there (iperf3 -s or ebscope net --server is one)", was.msg);
	}
out:
	free(limits);
	free(own);
	return status;
}
