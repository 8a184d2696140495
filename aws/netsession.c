/* SPDX-License-Identifier: MIT */
#include "aws/netsession.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "engine/clock.h"
#include "engine/iperf_json.h"
#include "engine/recorder.h"
#include "engine/run_header.h"
#include "engine/units.h"

#define NOTES_KEPT 8

struct netsession {
	struct netsession_plan plan;
	struct run_header header;
	struct runlog *log;
	struct netrun run;
	pthread_t thread;
	bool joined;
	atomic_bool stop, ended;
	/* of the test's thread until it has ended */
	struct recorder recorder;
	struct err	not_open; /* the recording's */
	bool recording; /* a recording is wanted, and was begun or failed */
	struct tick tick;
	uint64_t retransmits[WORKER_ROWS_MAX];
	double spent;   /* of the credit, bytes */
	struct ena ena; /* as last looked at */
	uint64_t ena_ns;
	bool told; /* which card it is */
	int rc;
	struct err err;
	/* under lock */
	pthread_mutex_t lock;
	enum run_end how;
	char how_text[64];
	char note[NOTES_KEPT][256];
	unsigned nr_notes;
};

static void news(struct netsession *s)
{
	if (s->plan.news_fd >= 0)
		eventfd_write(s->plan.news_fd, 1);
}

static void add_note(struct netsession *s, const char *text)
{
	pthread_mutex_lock(&s->lock);
	if (s->nr_notes == NOTES_KEPT) { /* nobody reads: the oldest goes */
		memmove(s->note[0], s->note[1], sizeof(s->note) - sizeof(s->note[0]));
		s->nr_notes--;
	}
	snprintf(s->note[s->nr_notes++], sizeof(s->note[0]), "%s", text);
	pthread_mutex_unlock(&s->lock);
	news(s);
}

/* --- the recording --- */

static void record(struct netsession *s, json_t *entry)
{
	struct err err;

	if (s->recorder.fd < 0)
		json_decref(entry);
	else if (recorder_write(&s->recorder, entry, &err) < 0)
		add_note(s, err.msg);
}

/* With the first byte that flows: a test that never came so far leaves no file behind. */
static void record_begin(struct netsession *s)
{
	struct err err;
	int rc = 0;

	if (s->recording || !s->plan.record)
		return;
	s->recording = true;
	if (*s->plan.record)
		rc = recorder_open_path(&s->recorder, s->plan.record, &err);
	else
		rc = recorder_open(&s->recorder, &s->header, &err);
	if (rc < 0) {
		s->recorder.fd = -1;
		s->not_open = err;
		add_note(s, err.msg);
		return;
	}
	record(s, run_header_to_json(&s->header));
}

static void event(struct netsession *s, uint64_t t_ns, enum event_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void event(struct netsession *s, uint64_t t_ns, enum event_kind kind, const char *fmt, ...)
{
	struct event e = { .t_ns = t_ns, .kind = kind };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e.text, sizeof(e.text), fmt, ap);
	va_end(ap);
	runlog_event(s->log, &e);
	record(s, event_to_json(&e));
	news(s);
}

/* --- what the test tells --- */

static void balance(struct netsession *s, const struct net_sample *x, struct sample *out)
{
	const struct net_expect *e = &s->run.expect;
	const struct net_setup *set = &s->plan.setup;
	double full = e->burst_bytes * set->credits, before = s->spent;

	out->model_iops = out->model_balance = NAN;
	if (isnan(full) || full <= 0)
		return;
	s->spent = fmax(s->spent + net_credit_spent(e, net_setup_direction(set), x) * set->time_scale, 0);
	out->model_balance = fmax(full - s->spent, 0);
	if (before < full && s->spent >= full)
		event(s, x->t_ns, EVENT_CREDITS_EMPTY, "as much moved as a full credit holds");
}

/* With the first tick: which card it is, and whether it would tell if the instance's allowance were exceeded.
 */
static void tell_card(struct netsession *s, uint64_t t_ns)
{
	if (s->told)
		return;
	s->told = true;
	if (s->run.ena_known)
		event(s, t_ns, EVENT_START, "%s: its allowance counters are read", s->run.card);
	else if (!s->plan.setup.simulated)
		event(s, t_ns, EVENT_START, "%s", s->run.ena_missing);
}

/* Once a second: did a limit of the instance hold packets back? */
static void allowances(struct netsession *s, uint64_t t_ns)
{
	struct ena now, moved;

	if (!s->run.ena_known || t_ns - s->ena_ns < NS_PER_SEC)
		return;
	if (!s->ena_ns)
		s->ena = s->run.ena_before;
	s->ena_ns = t_ns;
	if (!ena_read(s->run.card, &now))
		return;
	ena_delta(&s->ena, &now, &moved);
	s->ena = now;
	for (int c = ENA_BW_IN; c <= ENA_LINKLOCAL; c++)
		if (moved.value[c] != ENA_NONE && moved.value[c])
			event(s, t_ns, EVENT_THROTTLED, "%s +%llu", ena_counter_name((enum ena_counter)c),
			      (unsigned long long)moved.value[c]);
}

static void on_sample(void *ctx, const struct net_sample *x)
{
	struct netsession *s = ctx;
	struct tick *t = &s->tick;

	record_begin(s);
	tell_card(s, x->t_ns);
	allowances(s, x->t_ns);
	*t = (struct tick){ .s = { .t_ns = x->t_ns,
				   .dt_ns = x->dt_ns,
				   .phase = x->omitted ? PHASE_RAMP : PHASE_MEASURE,
				   .lat_p50 = x->rtt_us * 1000ULL,
				   .errors = x->retransmits == NET_NONE ? 0 : x->retransmits,
				   .cpu = NAN } };
	t->s.dir[DDIR_READ].bytes = x->received;
	t->s.dir[DDIR_WRITE].bytes = x->sent;
	for (int d = 0; d < DDIR_NR; d++)
		t->s.dev[d].ios = t->s.dev[d].bytes = DEV_NONE;
	balance(s, x, &t->s);
	t->nr_workers = x->nr_streams < WORKER_ROWS_MAX ? x->nr_streams : WORKER_ROWS_MAX;
	for (unsigned i = 0; i < t->nr_workers; i++) {
		if (x->stream[i].retransmits != NET_NONE)
			s->retransmits[i] += x->stream[i].retransmits;
		t->worker[i] =
			(struct worker_row){ .bytes = x->stream[i].bytes, .errors = s->retransmits[i] };
	}
	runlog_tick(s->log, t);
	record(s, tick_to_json(t));
	if (s->plan.progress)
		s->plan.progress(s->plan.ctx, &s->run, false);
	news(s);
}

static void on_note(void *ctx, const char *text)
{
	add_note(ctx, text);
}

/* What was found once all was seen; told at the end, since events stand in the order of their times. */
static void tell_phases(struct netsession *s, uint64_t t_ns)
{
	const struct net_shape *sh = &s->run.shape;
	double scale = s->header.time_scale;
	char rate[FMT_LEN];

	for (size_t i = 0; i < sh->nr_phases; i++) {
		const struct phase *p = &sh->phase[i];
		event(s, t_ns, EVENT_PHASE, "%s of %s from %.1f to %.1f s", phase_kind_name(p->kind),
		      net_fmt_bps(rate, p->bw * 8), p->start_s * scale, p->end_s * scale);
	}
	for (size_t i = 0; i < sh->nr_stalls; i++)
		event(s, t_ns, EVENT_ERROR, "nothing moved for %.1f s at %.1f s", sh->stall[i].length_s * scale,
		      sh->stall[i].start_s * scale);
}

static void tell_end(struct netsession *s)
{
	struct netrun *r = &s->run;
	uint64_t t = r->series.n ? r->series.row[r->series.n - 1].t_ns : 0;

	pthread_mutex_lock(&s->lock);
	enum run_end how = s->how != RUN_RUNNING ? s->how : s->rc < 0 ? RUN_ERROR : RUN_DONE;
	char text[sizeof(s->err.msg)];
	snprintf(text, sizeof(text), "%s", s->how != RUN_RUNNING ? s->how_text : s->rc < 0 ? s->err.msg : "");
	pthread_mutex_unlock(&s->lock);
	if (r->report.measured) {
		tell_phases(s, t);
		struct result *res = netrun_result(r);
		if (res) {
			char program[64];
			snprintf(program, sizeof(program), "ebscope %s", s->header.version);
			json_object_set_new(res->more, IPERF_KEPT,
					    iperf_report_keep(&r->report, &r->series, program,
							      r->failed ? r->error : NULL, IPERF_KEEP_MAX));
			json_t *entry = result_to_json(res);
			json_object_set_new(entry, "type", json_string("result"));
			record(s, entry);
			runlog_result(s->log, res);
		}
	}
	runlog_end(s->log, how, t, text);
	record(s, run_end_to_json(how, t, text));
	recorder_close(&s->recorder);
}

static void *session_main(void *arg)
{
	struct netsession *s = arg;
	const struct iperf_client_hooks hooks = { .ctx = s, .sample = on_sample, .note = on_note };

	s->rc = netrun_go(&s->run, &s->plan.setup, &hooks, &s->stop, &s->err);
	if (s->plan.progress)
		s->plan.progress(s->plan.ctx, &s->run, true);
	tell_end(s);
	atomic_store(&s->ended, true);
	news(s);
	return NULL;
}

/* --- interface --- */

static int header_of(struct netsession *s)
{
	const struct net_setup *set = &s->plan.setup;
	struct run_header *h = &s->header;
	const struct host *on = &set->on;
	const struct target_list none = { 0 };
	struct run_plan *plan = calloc(1, sizeof(*plan));
	char target[sizeof(set->peer) + 16];

	if (!plan)
		return -1;
	if (set->simulated)
		snprintf(target, sizeof(target), "%s", set->peer);
	else
		snprintf(target, sizeof(target), strchr(set->peer, ':') ? "[%s]:%u" : "%s:%u", set->peer,
			 set->port);
	plan->version = s->plan.version;
	plan->title = set->preset[0] ? set->preset : "net";
	plan->target = target;
	run_header_fill(h, plan, &none);
	free(plan);
	h->simulated = set->simulated;
	h->time_scale = set->simulated ? set->time_scale : 1;
	h->nr_planned = 1;
	h->planned[0] = (struct planned){ .kind = TEST_NET,
					  .repeats = 1,
					  .seconds = set->params.time_s ? (double)set->params.time_s : NAN };
	snprintf(h->planned[0].name, sizeof(h->planned[0].name), "%.31s", h->title);
	struct net_expect expect;
	net_expect_of(on, (unsigned)set->params.parallel, set->cluster, &expect);
	json_object_set_new(
		h->doc, "net",
		json_pack("{s:s, s:I, s:I, s:o}", "direction", net_direction_name(net_setup_direction(set)),
			  "streams", (json_int_t)set->params.parallel, "omit_s",
			  (json_int_t)set->params.omit_s, "expected", net_expect_to_json(&expect)));
	json_t *host = json_object_get(h->doc, "host");
	if (on->kind == HOST_INSTANCE && !set->simulated)
		json_object_set_new(host, "instance_type", json_text(on->name));
	if (on->kind == HOST_TASK && !set->simulated)
		json_object_set_new(host, "task", json_text(on->name));
	return 0;
}

int netsession_start(struct netsession **out, const struct netsession_plan *plan, struct err *err)
{
	struct netsession *s = calloc(1, sizeof(*s));
	sigset_t all, old;

	if (!s)
		return err_sys(err, "network test");
	s->plan = *plan;
	s->recorder.fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	if (header_of(s) == 0) {
		json_incref(s->header.doc); /* one for the log, one for the recording */
		s->log = runlog_new(&s->header);
	}
	if (!s->log) {
		json_decref(s->header.doc);
		json_decref(s->header.doc);
		free(s);
		return err_set(err, ENOMEM, "network test: no memory");
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int rc = pthread_create(&s->thread, NULL, session_main, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc) {
		s->joined = true;
		netsession_free(s);
		return err_set(err, rc, "network test: %s", strerror(rc));
	}
	*out = s;
	return 0;
}

void netsession_stop(struct netsession *s, enum run_end end, const char *text)
{
	pthread_mutex_lock(&s->lock);
	if (s->how == RUN_RUNNING) {
		s->how = end;
		snprintf(s->how_text, sizeof(s->how_text), "%s", text);
	}
	pthread_mutex_unlock(&s->lock);
	atomic_store(&s->stop, true);
}

bool netsession_ended(struct netsession *s)
{
	return atomic_load(&s->ended);
}

struct runlog *netsession_log(struct netsession *s)
{
	return s->log;
}

bool netsession_note(struct netsession *s, char *buf, size_t size)
{
	pthread_mutex_lock(&s->lock);
	bool any = s->nr_notes > 0;
	if (any) {
		snprintf(buf, size, "%s", s->note[0]);
		memmove(s->note[0], s->note[1], sizeof(s->note) - sizeof(s->note[0]));
		s->nr_notes--;
	}
	pthread_mutex_unlock(&s->lock);
	return any;
}

bool netsession_record_lost(const struct netsession *s, struct err *err)
{
	if (!s->plan.record || !*s->plan.record)
		return false;
	if (!s->not_open.code)
		return recorder_lost(&s->recorder, err);
	*err = s->not_open;
	return true;
}

int netsession_join(struct netsession *s, struct err *err)
{
	if (!s->joined)
		pthread_join(s->thread, NULL);
	s->joined = true;
	if (s->rc < 0)
		*err = s->err;
	return s->rc;
}

const struct netrun *netsession_run(const struct netsession *s)
{
	return &s->run;
}

void netsession_free(struct netsession *s)
{
	struct err ignored;

	if (!s)
		return;
	if (!s->joined) {
		netsession_stop(s, RUN_STOPPED, "closed");
		netsession_join(s, &ignored);
	}
	netrun_release(&s->run);
	runlog_free(s->log);
	json_decref(s->header.doc);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
