/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_TUI_APP_STAGE_H
#define TESTS_UNIT_TUI_APP_STAGE_H

/** What tests of the app play on: an app, a world that notes what it was asked for, runs, and what is on the screen. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/clock.h"
#include "tests/unit/near.h"
#include "tui/app.h"
#include "tui/view_live.h"

/* What the app asked the world to do. */
struct world {
	struct app *app;
	struct runlog *log; /* of the run on Live; NULL none */
	int	    starts, stops, skips, goes, marks, knobs, opens;
	char	    typed[64];
	enum action last;
	bool	    refuse, dangerous, gives_up; /* gives_up: the run before is gone when it refuses */
	enum reading_what reads_what;
	char	    reads[64];
	int	    leaves;
};

static inline int w_read(void *ctx, enum reading_what what, const char *path, const char *name, struct err *err)
{
	struct world *w = ctx;

	(void)name;
	(void)err;
	w->reads_what = what;
	snprintf(w->reads, sizeof(w->reads), "%s", path);
	return 0;
}

static inline void w_leave(void *ctx)
{
	((struct world *)ctx)->leaves++;
}

static inline int w_start(void *ctx, const struct setup_form *s, const char *typed, struct err *err)
{
	struct world *w = ctx;

	(void)s;
	if (w->refuse)
		return err_set(err, ERR_REFUSED, "no such thing");
	w->starts++;
	snprintf(w->typed, sizeof(w->typed), "%s", typed);
	return 0;
}

static inline int w_net_start(void *ctx, const struct net_form *s, struct err *err)
{
	struct world *w = ctx;

	(void)s;
	if (w->gives_up) {
		app_watch(w->app, NULL, false, 1);
		runlog_free(w->log);
		w->log = NULL;
	}
	return err_set(err, ENOMEM, "no thread");
}

static inline bool w_destroys(void *ctx, const struct setup_form *s, char *name, size_t n, char *text, size_t m)
{
	struct world *w = ctx;

	(void)s;
	snprintf(name, n, "nvme1n1");
	snprintf(text, m, "Everything on it will be lost.");
	return w->dangerous;
}

static inline void w_stop(void *ctx)
{
	((struct world *)ctx)->stops++;
}

static inline void w_skip(void *ctx)
{
	((struct world *)ctx)->skips++;
}

static inline void w_go_on(void *ctx)
{
	((struct world *)ctx)->goes++;
}

static inline int w_knob(void *ctx, enum action act, char *said, size_t size, struct err *err)
{
	struct world *w = ctx;

	(void)err;
	w->knobs++;
	w->last = act;
	snprintf(said, size, "turned");
	return 0;
}

static inline void w_mark(void *ctx)
{
	((struct world *)ctx)->marks++;
}

static inline int w_open(void *ctx, const char *path, struct err *err)
{
	(void)path;
	(void)err;
	((struct world *)ctx)->opens++;
	return 0;
}

/* A gp2 volume of 100 GiB: burst 3,000, baseline 300. */
static inline void w_judge(void *ctx, const struct runlog_snap *run, const struct live *live, const struct workload *wl,
		    struct app_judgement *out)
{
	struct volumes vs = { .n = 0 };
	struct err err;

	(void)ctx;
	(void)run;
	(void)live;
	assert_int_equal(volumes_parse(&vs, limits_builtin(), "gp2:100", &err), 0);
	struct model_input in = model_input(&vs, NULL, wl);
	model_expect(&in, &out->expect);
	out->known = true;
	out->verdict = VERDICT_PASS;
}

static const struct app_ops ops = { .start = w_start, .net_start = w_net_start, .destroys = w_destroys, .stop = w_stop, .skip = w_skip, .go_on = w_go_on, .knob = w_knob, .mark = w_mark,
				    .open = w_open, .read = w_read, .leave = w_leave, .judge = w_judge };

static inline struct app *new_app(struct world *w)
{
	*w = (struct world){ 0 };
	w->app = app_new(&ops, w, limits_builtin());
	assert_non_null(w->app);
	return w->app;
}

static inline void end(struct world *w)
{
	app_free(w->app);
	if (w->log)
		runlog_free(w->log);
}

static inline void press(struct app *a, const char *keys)
{
	struct key_step *s;
	size_t n;
	struct err err = { 0 };

	assert_int_equal(keys_parse(keys, &s, &n, &err), 0);
	for (size_t i = 0; i < n; i++)
		app_key(a, s[i].key);
	free(s);
}

static char picture[65536];

static inline const char *seen(struct app *a)
{
	struct canvas cv;
	struct err err;

	assert_int_equal(canvas_init(&cv, a->w, a->h, &err), 0);
	app_draw(a, &cv);
	FILE *f = fmemopen(picture, sizeof(picture), "w");
	canvas_dump(&cv, f);
	fclose(f);
	canvas_release(&cv);
	return picture;
}

static inline bool shows(struct app *a, const char *text)
{
	return strstr(seen(a), text) != NULL;
}

/* Ten seconds of a run of a minute: 3,000 IOPS of 16 KiB at 10 Hz, then 300. */
static inline void add_ticks(struct runlog *log, unsigned from, unsigned to)
{
	static struct tick t;

	for (unsigned i = from; i < to; i++) {
		memset(&t, 0, sizeof(t));
		t.s.t_ns = (i + 1) * 100000000ULL;
		t.s.dt_ns = 100000000ULL;
		t.s.phase = PHASE_MEASURE;
		t.s.dir[DDIR_READ].ios = i < 70 ? 300 : 30;
		t.s.dir[DDIR_READ].bytes = t.s.dir[DDIR_READ].ios * 16384;
		t.s.lat_p50 = 1000000;
		t.s.lat_p99 = t.s.lat_max = 2000000;
		t.s.inflight = 32;
		t.s.model_iops = i < 70 ? 3000 : 300;
		t.s.model_balance = i < 70 ? 5400000.0 - 60000 * i : 0;
		t.p50 = 1000000;
		t.p99 = t.p999 = 2000000;
		t.display[hist_index(1000000) >> DISPLAY_SHIFT] = 300;
		t.nr_workers = 1;
		t.worker[0] = (struct worker_row){ t.s.dir[DDIR_READ].ios, t.s.dir[DDIR_READ].bytes, 32, 0 };
		runlog_tick(log, &t);
	}
}

/* Of tests of a minute each, or (watch) of one without end. */
static inline struct runlog *new_log(unsigned tests, bool watch)
{
	struct run_header h = { .version = "1", .started = "2026-12-01T00:00:00Z", .target = "/data", .title = "iops", .time_scale = 1, .nr_planned = tests };

	for (unsigned i = 0; i < tests; i++) {
		h.planned[i] = (struct planned){ .name = "iops", .wl = *workload_find("iops"), .repeats = 1, .seconds = watch ? NAN : 60 };
		h.planned[i].kind = watch ? TEST_WATCH : TEST_BLOCK;
		h.planned[i].wl.runtime_ns = watch ? 0 : 60 * NS_PER_SEC;
	}
	return runlog_new(&h);
}

/* An app that shows this run, with so many ticks; end() frees both. */
static inline struct app *new_run(struct world *w, struct runlog *log, unsigned ticks)
{
	struct app *a = new_app(w);

	w->log = log;
	add_ticks(w->log, 0, ticks);
	app_watch(a, w->log, false, 1);
	return a;
}

static inline void event(struct runlog *log, enum event_kind kind, unsigned ds, const char *text)
{
	struct event e = { .t_ns = ds * 100000000ULL, .kind = kind };

	snprintf(e.text, sizeof(e.text), "%s", text);
	runlog_event(log, &e);
}

/* A run that has ended with one result: of the test's kind and name. @return the result, the log's */
static inline struct result *end_with(struct runlog *log, const char *name, enum test_kind kind)
{
	struct result *r = result_new();

	snprintf(r->name, sizeof(r->name), "%s", name);
	r->kind = kind;
	r->wl = *workload_find("iops");
	runlog_result(log, r);
	runlog_end(log, RUN_DONE, 10 * NS_PER_SEC, "");
	return r;
}

#endif
