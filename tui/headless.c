/* SPDX-License-Identifier: MIT */
#include "tui/headless.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/units.h"
#include "tui/detect.h"
#include "tui/stopsig.h"

/* Redraws of the progress bar, ns. */
#define PROGRESS_NS (NS_PER_SEC / 4)

struct progress {
	const struct setup *setup; /* its notes are said once the targets are open: a refusal is one line */
	const char *counters;	   /* why the device's own counters are not read, where no result would say so; or NULL */
	bool	 on, said;
	uint64_t drawn_ns;
	int	 width; /* of what stands there now */
};

static void clear(struct progress *p)
{
	if (p->width)
		fprintf(stderr, "\r%*s\r", p->width, "");
	p->width = 0;
}

static void show_notes(struct run *run, struct progress *p)
{
	char text[256];

	for (unsigned i = 0; !p->said && run_log(run) && i < p->setup->nr_notes; i++) {
		clear(p);
		cli_message("%s", p->setup->note[i]);
	}
	if (!p->said && run_log(run) && p->counters && *p->counters)
		cli_message("%s", p->counters);
	p->said = run_log(run) != NULL;
	while (run_note(run, text, sizeof(text))) {
		clear(p);
		cli_message("%s", text);
	}
}

static double planned_seconds(const struct run_header *h, unsigned before)
{
	double sum = 0;

	for (unsigned i = 0; i < h->nr_planned && i < before; i++)
		sum += isnan(h->planned[i].seconds) ? 0 : h->planned[i].seconds;
	return sum;
}

/* Rows of the repetition in hand, but for layout and ramp. */
static double test_sum(const struct runlog_snap *s, const struct sample *t, bool ios)
{
	double sum = 0;

	for (size_t i = s->span.n; i-- > 0 && s->span.row[i].test == t->test && s->span.row[i].repeat == t->repeat;) {
		if (s->span.row[i].phase == PHASE_MEASURE)
			sum += ios ? (double)sample_ios(&s->span.row[i]) : sample_seconds(&s->span.row[i]);
	}
	return sum;
}

static double test_seconds(const struct runlog_snap *s, const struct sample *t)
{
	return test_sum(s, t, false);
}

/* How far a test is that ends with its work; NAN not known. */
static double work_share(const struct runlog_snap *s, const struct sample *t)
{
	const struct planned *p = &s->header->planned[t->test];

	return p->ios > 0 ? fmin(1, test_sum(s, t, true) / p->ios) : NAN;
}

static void draw(struct run *run, struct progress *p)
{
	struct runlog *log = run_log(run);
	struct runlog_snap *s;
	char iops[FMT_LEN], bw[FMT_LEN], lat[FMT_LEN], line[160];
	uint64_t now = clock_ns();

	if (!p->on || !log || now - p->drawn_ns < PROGRESS_NS || !(s = malloc(sizeof(*s))))
		return;
	p->drawn_ns = now;
	runlog_snap(log, s);
	const struct sample *t = &s->last.s;
	if (t->dt_ns && t->test < s->header->nr_planned) {
		const struct planned *pl = &s->header->planned[t->test];
		double all = planned_seconds(s->header, s->header->nr_planned);
		double done = planned_seconds(s->header, t->test);
		for (size_t i = s->span.n; i-- > 0 && s->span.row[i].test == t->test;) {
			if (s->span.row[i].phase == PHASE_MEASURE || s->span.row[i].phase == PHASE_RAMP)
				done += sample_seconds(&s->span.row[i]);
		}
		double share = all > 0 ? fmin(1, done / all) : 0, work = work_share(s, t);
		char left[64] = "", text[FMT_LEN];
		if (all <= 0 && !isnan(work)) { /* tests that end with their work */
			share = (t->test + work) / s->header->nr_planned;
			if (work > 0.01)
				snprintf(left, sizeof(left), ", %s left", fmt_duration(text, ceil(test_seconds(s, t) * (1 / work - 1))));
		}
		char bar[21];
		for (int i = 0; i < 20; i++)
			bar[i] = i < (int)(share * 20 + 0.5) ? '#' : '.';
		bar[20] = 0;
		int n = snprintf(line, sizeof(line), "[%s] %3.0f %% %s%s: %s IOPS, %s, p99 %s%s", bar, 100 * share, pl->name,
				 t->phase == PHASE_LAYOUT ? " (laying out)" : t->phase == PHASE_RAMP ? " (ramp)" : "",
				 fmt_iops(iops, sample_iops(t)), fmt_bw(bw, sample_bw(t)),
				 fmt_lat(lat, s->last.p99 ? (double)s->last.p99 : NAN), left);
		fprintf(stderr, "\r%-*s", p->width > n ? p->width : n, line);
		p->width = n;
	}
	runlog_snap_release(s);
	free(s);
}

/* The command's own line a second. */
static void second(struct headless *h, struct run *run, uint64_t *next_ns)
{
	struct runlog *log = run_log(run);
	struct runlog_snap *s;

	if (!h->second || !log || clock_ns() < *next_ns || !(s = malloc(sizeof(*s))))
		return;
	*next_ns = clock_ns() + NS_PER_SEC - NS_PER_SEC / 20; /* ticks come ten a second, about */
	runlog_snap(log, s);
	if (h->second(h, s))
		run_stop(run, RUN_STOPPED, "");
	runlog_snap_release(s);
	free(s);
}

/* Until the run has ended. @return the signal that ended it, 0 none. */
static int watch(struct headless *h, struct run *run, const struct session *session, int news_fd, int signal_fd)
{
	struct progress p = { .setup = &session->setup, .on = cli_progress() && !h->second,
			      .counters = h->quiet_result ? session->no_counters : NULL };
	uint64_t next_ns = clock_ns() + NS_PER_SEC;
	struct pollfd fds[2] = { { .fd = news_fd, .events = POLLIN }, { .fd = signal_fd, .events = POLLIN } };
	int sig = 0;

	while (!run_ended(run)) {
		struct signalfd_siginfo info;
		uint64_t n;

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents && read(news_fd, &n, sizeof(n)) < 0 && errno != EAGAIN)
			break;
		if (fds[1].revents && read(signal_fd, &info, sizeof(info)) == sizeof(info) && !sig) {
			sig = (int)info.ssi_signo;
			run_stop(run, RUN_SIGNAL, stopsig_name(sig));
		}
		show_notes(run, &p);
		draw(run, &p);
		second(h, run, &next_ns);
	}
	clear(&p);
	show_notes(run, &p);
	return sig;
}

static int print_result(const struct cli *cli, const struct report_format *format, const struct runlog_snap *snap, struct err *err)
{
	char *text = format->make(snap, err);
	int rc = text ? cli_write(cli, text, err) : -1;

	free(text);
	return rc;
}

static int result_of(const struct headless *h, struct run *run, const struct report_format *format, int sig, struct err *err)
{
	struct err failed = { 0 }, late;
	int rc = run_join(run, &failed), status = 0;
	struct runlog *log = run_log(run);
	struct runlog_snap *snap = malloc(sizeof(*snap));

	if (!log || !snap) {
		free(snap);
		if (!rc && sig)
			return 128 + sig;
		*err = failed;
		return rc ? rc : err_set(err, ENOMEM, "no memory");
	}
	runlog_snap(log, snap);
	if (rc < 0 && !snap->nr_results) { /* nothing to print: main prints the failure in the format asked for */
		*err = failed;
		status = -1;
	} else {
		/* Where the recording goes to stdout it is the result. */
		bool streamed = strcmp(cli_text(h->cli, "record", ""), "-") == 0;
		bool quiet = h->quiet_result && !cli_has(h->cli, "format") && !cli_has(h->cli, "output");
		if (!streamed && !quiet)
			status = print_result(h->cli, format, snap, &late);
		if (status < 0) {
			*err = late;
		} else if (rc < 0) {
			cli_message("%s", failed.msg);
			status = err_status(&failed);
		} else if (h->status) {
			status = h->status(h, snap, err);
		} else {
			status = report_verdict(snap) == VERDICT_SHORT;
		}
	}
	runlog_snap_release(snap);
	free(snap);
	if (status >= 0 && run_record_lost(run, &late)) {
		cli_message("%s", late.msg);
		status = err_status(&late);
	}
	return sig ? 128 + sig : status;
}

/* Said before anything is measured, not when the result is to be printed. */
static int suits(const struct report_format *format, const struct run_plan *plan, struct err *err)
{
	if (report_suits(format, false, err) < 0)
		return -1;
	if (!format->suite || strcmp(format->suite, plan->title) == 0)
		return 0;
	return err_set(err, ERR_USAGE, "--format %s is for the tests of --suite %s; this is %s", format->suite, format->suite, plan->title);
}

#define LONG_S 120 /* CloudWatch's figures come minutes late: shorter runs are over before there is one of them */

/* What AWS says meanwhile of a volume that it has told us of, in a run that takes its time; CloudWatch only for a replay. */
static struct facts_fetcher *ask_meanwhile(const struct setup *s, const struct run_plan *plan)
{
	struct facts_wants wants = { .cloudwatch = plan->record != NULL };
	double seconds = 0;
	struct err none; /* the run goes on without */

	for (unsigned i = 0; i < plan->nr_steps; i++) {
		double one = clock_seconds(plan->step[i].wl.runtime_ns) * plan->step[i].repeats;
		seconds += one > 0 ? one : LONG_S; /* it ends with its work, or when it is told to */
	}
	if (strcmp(s->volume_source, "api") != 0 || seconds < LONG_S || plan->shape.nr_limits || plan->shape.nr_steps)
		return NULL;
	wants.n_ids = detect_ids(s->target, wants.id, FACTS_IDS);
	return wants.n_ids ? facts_start(&wants, -1, &none) : NULL;
}

int headless_run(struct headless *h, struct err *err)
{
	const struct report_format *format = report_of_cli(h->cli, err);
	struct setup *setup = malloc(sizeof(*setup));
	struct session *session = calloc(1, sizeof(*session));
	struct run_plan *plan = calloc(1, sizeof(*plan));
	struct limits *limits = malloc(sizeof(*limits)), *live = malloc(sizeof(*live));
	struct run *run = NULL;
	int status = -1, news_fd = -1, signal_fd = -1;

	if (!format)
		goto out;
	if (!setup || !session || !plan || !limits || !live) {
		err_set(err, ENOMEM, "no memory");
		goto out;
	}
	const struct limits *used = limits_or(limits, cli_get(h->cli, "limits"), err);
	if (!used)
		goto out;
	setup_init(setup, used);
	if (setup_from_cli(setup, h->cli, err) < 0 || detect(setup, cli_get(h->cli, "volume-id"), live, err) < 0)
		goto out;
	if (!*setup->target) {
		err_set(err, ERR_USAGE, "%s: name a TARGET, or the volume (--volume-id ID)", h->cli->cmd->name);
		goto out;
	}
	if ((h->adjust && h->adjust(setup, h->cli, err) < 0) ||
	    setup_plan(setup, h->default_test, 1, plan, err) < 0 || suits(format, plan, err) < 0 || (h->plan && h->plan(plan, setup, h->cli, err) < 0) ||
	    session_init(session, setup, err) < 0)
		goto out;
	/* Blocked in every thread that starts from here on; read by this one through a descriptor. */
	signal_fd = stopsig_open();
	news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (signal_fd < 0 || news_fd < 0) {
		err_sys(err, "signals");
		goto out;
	}
	plan->hooks = &session_hooks;
	plan->hooks_ctx = session;
	plan->news_fd = news_fd;
	plan->version = EBSCOPE_VERSION;
	session->facts = ask_meanwhile(setup, plan);
	if (run_start(&run, plan, err) < 0)
		goto out;
	if (session->known)
		cli_limits_age(setup->limits);
	int sig = watch(h, run, session, news_fd, signal_fd);
	status = result_of(h, run, format, sig, err);
out:
	run_free(run);
	if (session) {
		facts_stop(session->facts);
		session_close(session);
	}
	if (news_fd >= 0)
		close(news_fd);
	if (signal_fd >= 0)
		close(signal_fd);
	free(setup);
	free(session);
	free(plan);
	free(limits);
	free(live);
	return status;
}
