/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/recorder.h"
#include "engine/run.h"

static struct run_plan *plan_of(const char *target, enum rw rw, double seconds)
{
	struct run_plan *p = calloc(1, sizeof(*p));

	p->target = target;
	p->title = "test";
	p->version = "0";
	p->news_fd = -1;
	p->nr_steps = 1;
	p->step[0] = (struct step){ .name = "one", .kind = TEST_BLOCK, .repeats = 1 };
	workload_init(&p->step[0].wl);
	p->step[0].wl.rw = rw;
	p->step[0].wl.iodepth = 4;
	p->step[0].wl.runtime_ns = (uint64_t)(seconds * 1e9);
	p->step[0].wl.size = 8 << 20;
	if (strcmp(target, "sim:") == 0) {
		p->step[0].wl.ioengine = IOENGINE_SIM;
		p->shape.latency_ns = 1000000;
	}
	return p;
}

static struct run *started(const struct run_plan *p)
{
	struct run *run;
	struct err err;

	if (run_start(&run, p, &err) < 0)
		fail_msg("%s", err.msg);
	return run;
}

static struct runlog_snap *finish(struct run *run)
{
	struct runlog_snap *s = calloc(1, sizeof(*s));
	struct err err;

	if (run_join(run, &err) < 0)
		fail_msg("%s", err.msg);
	runlog_snap(run_log(run), s);
	return s;
}

/* Until a measured tick behind @p t_ns has I/Os: before that a test that is ended has measured nothing. */
static void until_it_measures_after(struct run *run, uint64_t t_ns)
{
	struct runlog_snap *s = calloc(1, sizeof(*s));

	for (bool seen = false; !seen; usleep(5000)) {
		if (!run_log(run))
			continue;
		runlog_snap(run_log(run), s);
		for (size_t i = 0; i < s->span.n; i++)
			seen = seen || (s->span.row[i].phase == PHASE_MEASURE && s->span.row[i].t_ns > t_ns &&
					sample_ios(&s->span.row[i]) > 0);
		runlog_snap_release(s);
	}
	free(s);
}

static void until_it_measures(struct run *run) { until_it_measures_after(run, 0); }

/* @return when it was */
static uint64_t until_there_is(struct run *run, enum event_kind kind)
{
	struct runlog_snap *s = calloc(1, sizeof(*s));
	uint64_t t_ns = 0;

	for (bool seen = false; !seen; usleep(5000)) {
		runlog_snap(run_log(run), s);
		for (size_t i = 0; i < s->nr_events && !seen; i++)
			if ((seen = s->events[i].kind == kind))
				t_ns = s->events[i].t_ns;
		runlog_snap_release(s);
	}
	free(s);
	return t_ns;
}

static void end(struct run *run, struct run_plan *p, struct runlog_snap *s)
{
	runlog_snap_release(s);
	free(s);
	run_free(run);
	free(p);
}

static void the_samples_of_a_test_add_up_to_its_result(void **state)
{
	struct run_plan *p = plan_of("sim:", RW_RANDRW, 0.35);
	uint64_t ios = 0, ns = 0;

	(void)state;
	struct run *run = started(p);
	struct runlog_snap *s = finish(run);
	assert_int_equal(s->nr_results, 1);
	for (size_t i = 0; i < s->span.n; i++) {
		assert_true(s->span.row[i].dt_ns > 0);
		if (s->span.row[i].phase == PHASE_MEASURE) {
			ios += sample_ios(&s->span.row[i]);
			ns += s->span.row[i].dt_ns;
		}
	}
	/* Totals and ticks are read one after the other: they may differ by what completed in between. */
	assert_true(fabs((double)ios - (double)s->results[0]->all.ios) <= 0.05 * (double)ios + 8);
	assert_true(fabs((double)ns / 1e9 - s->results[0]->runtime_s) < 0.1);
	assert_true(s->results[0]->cached == TRI_NULL);
	assert_true(s->results[0]->lat.pct[0] >= 1e6 * 0.99);
	assert_int_equal(s->end, RUN_DONE);
	end(run, p, s);
}

/* Without latency a simulated target is done with all of it before the conductor has looked up. */
static void a_pass_over_a_target_is_measured_from_its_first_byte(void **state)
{
	struct run_plan *p = plan_of("sim:", RW_READ, 0);
	uint64_t sampled = 0;

	(void)state;
	p->shape.latency_ns = 0;
	p->req.size = p->step[0].wl.size;
	p->step[0].wl.bs = 1 << 20;
	struct run *run = started(p);
	struct runlog_snap *s = finish(run);
	for (size_t i = 0; i < s->span.n; i++)
		sampled += s->span.row[i].dir[DDIR_READ].bytes;
	assert_int_equal(s->nr_results, 1);
	assert_int_equal(s->results[0]->all.bytes, p->req.size);
	assert_int_equal(sampled, p->req.size);
	assert_true(s->results[0]->runtime_s > 0);
	end(run, p, s);
}

static void a_ramp_is_not_measured(void **state)
{
	struct run_plan *p = plan_of("sim:", RW_RANDREAD, 0.2);
	bool ramp = false;

	(void)state;
	p->step[0].wl.ramp_ns = 200000000;
	struct run *run = started(p);
	struct runlog_snap *s = finish(run);
	for (size_t i = 0; i < s->span.n; i++)
		ramp = ramp || s->span.row[i].phase == PHASE_RAMP;
	assert_true(ramp);
	assert_true(s->results[0]->start_s >= 0.2);
	end(run, p, s);
}

static void a_run_that_is_stopped_keeps_what_it_measured(void **state)
{
	struct run_plan *p = plan_of("sim:", RW_RANDREAD, 3600);

	(void)state;
	struct run *run = started(p);
	until_it_measures(run);
	run_stop(run, RUN_SIGNAL, "SIGTERM");
	struct runlog_snap *s = finish(run);
	assert_int_equal(s->end, RUN_SIGNAL);
	assert_int_equal(s->nr_results, 1);
	assert_true(s->results[0]->all.ios > 0);
	end(run, p, s);
}

static void a_turn_of_a_knob_cuts_the_series_and_is_an_event(void **state)
{
	struct run_plan *p = plan_of("sim:", RW_RANDREAD, 3600);
	bool seen = false;

	(void)state;
	struct run *run = started(p);
	until_it_measures(run);
	run_knob(run, KNOB_IODEPTH, 8);
	run_knob(run, KNOB_IODEPTH, 8);
	until_it_measures_after(run, until_there_is(run, EVENT_KNOB));
	run_stop(run, RUN_STOPPED, "");
	struct runlog_snap *s = finish(run);
	assert_int_equal(s->results[0]->nr_segments, 2);
	assert_int_equal(s->results[0]->segment[0].iodepth, 4);
	assert_int_equal(s->results[0]->segment[1].iodepth, 8);
	assert_true(s->results[0]->segment[0].end_s == s->results[0]->segment[1].start_s);
	for (size_t i = 0; i < s->nr_events; i++)
		seen = seen || (s->events[i].kind == EVENT_KNOB && strcmp(s->events[i].text, "iodepth 8") == 0);
	assert_true(seen);
	end(run, p, s);
}

static void a_test_takes_so_many_turns_and_what_it_says_of_its_knobs_stays_true(void **state)
{
	struct run_plan *p = plan_of("sim:", RW_RANDREAD, 3600);
	bool said = false;

	(void)state;
	struct run *run = started(p);
	until_it_measures(run);
	for (int i = 0; i < RESULT_TURNS_MAX; i++) {
		run_knob(run, KNOB_IODEPTH, i % 2 ? 4 : 3);
		while (run_knob_get(run, KNOB_IODEPTH) != (i % 2 ? 4 : 3))
			usleep(1000);
	}
	run_knob(run, KNOB_IODEPTH, 2);
	until_there_is(run, EVENT_MARK);
	assert_true(run_knob_get(run, KNOB_IODEPTH) == 3);
	run_stop(run, RUN_STOPPED, "");
	struct runlog_snap *s = finish(run);
	const struct result *r = s->results[0];
	assert_int_equal(result_turns(r), RESULT_TURNS_MAX);
	assert_int_equal(r->segment[r->nr_segments - 1].iodepth, 3);
	for (unsigned i = 0; i < r->nr_warnings; i++)
		said = said || strstr(r->warning[i], "knobs were turned 63 times");
	assert_true(said);
	end(run, p, s);
}

static void a_block_size_between_two_blocks_becomes_the_smaller_one(void **state)
{
	struct run_plan *p = plan_of("sim:", RW_RANDREAD, 3600);

	(void)state;
	struct run *run = started(p);
	until_it_measures(run);
	run_knob(run, KNOB_BS, 1300);
	until_there_is(run, EVENT_KNOB);
	run_stop(run, RUN_STOPPED, "");
	struct runlog_snap *s = finish(run);
	assert_int_equal(s->results[0]->nr_segments, 2);
	assert_int_equal(s->results[0]->segment[1].bs, 1024);
	assert_int_equal(result_turns(s->results[0]), 1);
	end(run, p, s);
}

static void repetitions_are_figures_of_their_own_and_together(void **state)
{
	struct run_plan *p = plan_of("sim:", RW_RANDREAD, 0.15);
	double mean, sd, lo, hi;

	(void)state;
	p->step[0].repeats = 3;
	struct run *run = started(p);
	struct runlog_snap *s = finish(run);
	assert_int_equal(s->nr_results, 1);
	assert_true(result_repeat_stats(s->results[0], &mean, &sd, &lo, &hi));
	assert_true(lo <= mean && mean <= hi && sd >= 0);
	double all = s->results[0]->all.iops; /* not quite their mean: they are not equally long */
	assert_true(lo * 0.999 <= all && all <= hi * 1.001);
	assert_int_equal(s->results[0]->nr_segments, 3);
	assert_int_equal(result_turns(s->results[0]), 0);
	for (unsigned i = 1; i < 3; i++) /* what lies between two repetitions is of neither */
		assert_true(s->results[0]->segment[i - 1].end_s < s->results[0]->segment[i].start_s);
	end(run, p, s);
}

static void a_skipped_step_pauses_the_run_until_it_may_go_on(void **state)
{
	struct run_plan *p = plan_of("sim:", RW_RANDREAD, 3600);

	(void)state;
	p->nr_steps = 2;
	p->step[1] = p->step[0];
	strcpy(p->step[1].name, "two");
	p->step[1].wl.runtime_ns = 100000000;
	struct run *run = started(p);
	until_it_measures(run);
	run_skip(run);
	while (!run_paused(run))
		usleep(1000);
	run_skip(run); /* a key that was pressed twice */
	run_go_on(run);
	struct runlog_snap *s = finish(run);
	assert_int_equal(s->nr_results, 2);
	assert_string_equal(s->results[1]->name, "two");
	end(run, p, s);
}

static void a_step_that_failed_ends_the_run_although_it_was_to_be_skipped(void **state)
{
	struct run_plan *p = plan_of("sim:", RW_RANDREAD, 3600);
	struct err err;

	(void)state;
	p->nr_steps = 2;
	p->step[1] = p->step[0];
	p->step[0].kind = TEST_FILE; /* which needs a directory */
	struct run *run = started(p);
	run_skip(run);
	assert_int_equal(run_join(run, &err), -1);
	assert_int_equal(run_how(run), RUN_ERROR);
	run_free(run);
	free(p);
}

static void a_target_that_is_not_there_is_an_error_and_no_log(void **state)
{
	struct run_plan *p = plan_of("/nowhere/at/all", RW_READ, 1);
	struct err err;

	(void)state;
	struct run *run = started(p);
	assert_int_equal(run_join(run, &err), -1);
	assert_null(run_log(run));
	assert_non_null(strstr(err.msg, "/nowhere/at/all"));
	run_free(run);
	free(p);
}

static unsigned entries_in(const char *dir)
{
	unsigned n = 0;
	DIR *d = opendir(dir);

	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static void a_directory_is_laid_out_measured_and_left_as_it_was(void **state)
{
	char dir[] = "/tmp/ebscope-run-XXXXXX", record[64];
	struct run *run;
	struct err err;
	bool partial, layout = false;

	(void)state;
	assert_non_null(mkdtemp(dir));
	struct run_plan *p = plan_of(dir, RW_RANDREAD, 0.2);
	snprintf(record, sizeof(record), "%s.jsonl", dir);
	p->record = record;
	if (run_start(&run, p, &err) < 0 || run_join(run, &err) < 0)
		fail_msg("%s", err.msg);
	struct runlog_snap *s = finish(run);
	for (size_t i = 0; i < s->span.n; i++)
		layout = layout || s->span.row[i].phase == PHASE_LAYOUT;
	assert_true(layout);
	assert_true(s->results[0]->layout_s > 0);
	assert_int_equal(entries_in(dir), 0);
	struct runlog *again = recording_load(record, &partial, &err);
	assert_non_null(again);
	assert_false(partial);
	struct runlog_snap *r = calloc(1, sizeof(*r));
	runlog_snap(again, r);
	assert_int_equal(r->span.n, s->span.n);
	assert_memory_equal(r->display, s->display, sizeof(r->display));
	runlog_snap_release(r);
	free(r);
	runlog_free(again);
	end(run, p, s);
	unlink(record);
	rmdir(dir);
}

/* Each as large as what plan_of() uses. */
static void make_file(const char *path)
{
	static char block[1 << 20];
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	memset(block, 'x', sizeof(block));
	for (int i = 0; i < 8; i++)
		assert_int_equal(fwrite(block, sizeof(block), 1, f), 1);
	assert_int_equal(fclose(f), 0);
}

static void a_depth_that_is_not_to_be_had_is_not_said_to_be(void **state)
{
	char dir[] = "/tmp/ebscope-run-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(dir));
	struct run_plan *p = plan_of(dir, RW_RANDREAD, 0.5);
	p->step[0].wl.direct = 0; /* one I/O at a time, whatever iodepth says */
	struct run *run = started(p);
	until_it_measures(run);
	run_knob(run, KNOB_IODEPTH, 8);
	struct runlog_snap *s = finish(run);
	assert_int_equal(s->results[0]->nr_segments, 1);
	end(run, p, s);
	rmdir(dir);
}

static void a_pass_over_several_targets_goes_through_all_of_them(void **state)
{
	char dir[] = "/tmp/ebscope-run-XXXXXX", a[64], b[64], both[160];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(a, sizeof(a), "%s/a", dir);
	snprintf(b, sizeof(b), "%s/b", dir);
	snprintf(both, sizeof(both), "%s,%s", a, b);
	make_file(a);
	make_file(b);
	struct run_plan *p = plan_of(both, RW_READ, 0);
	p->step[0].wl.bs = 1 << 20;
	struct run *run = started(p);
	struct runlog_snap *s = finish(run);
	assert_int_equal(s->results[0]->all.bytes, 16 << 20);
	assert_true(s->header->planned[0].ios == 16);
	end(run, p, s);
	unlink(a);
	unlink(b);
	rmdir(dir);
}

static void what_a_later_test_uses_is_laid_out_with_the_first(void **state)
{
	char dir[] = "/tmp/ebscope-run-XXXXXX";
	uint64_t laid_out = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	struct run_plan *p = plan_of(dir, RW_RANDREAD, 0);
	p->nr_steps = 2;
	p->step[1] = p->step[0];
	p->step[0].wl.size = 1 << 20;
	struct run *run = started(p);
	struct runlog_snap *s = finish(run);
	for (size_t i = 0; i < s->span.n; i++)
		laid_out += s->span.row[i].phase == PHASE_LAYOUT ? s->span.row[i].dir[DDIR_WRITE].bytes : 0;
	assert_int_equal(laid_out, 8 << 20);
	assert_int_equal(s->results[0]->all.bytes, 1 << 20);
	assert_int_equal(s->results[1]->all.bytes, 8 << 20);
	end(run, p, s);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_samples_of_a_test_add_up_to_its_result),
		cmocka_unit_test(a_pass_over_a_target_is_measured_from_its_first_byte),
		cmocka_unit_test(a_ramp_is_not_measured),
		cmocka_unit_test(a_run_that_is_stopped_keeps_what_it_measured),
		cmocka_unit_test(a_turn_of_a_knob_cuts_the_series_and_is_an_event),
		cmocka_unit_test(a_test_takes_so_many_turns_and_what_it_says_of_its_knobs_stays_true),
		cmocka_unit_test(a_block_size_between_two_blocks_becomes_the_smaller_one),
		cmocka_unit_test(repetitions_are_figures_of_their_own_and_together),
		cmocka_unit_test(a_skipped_step_pauses_the_run_until_it_may_go_on),
		cmocka_unit_test(a_step_that_failed_ends_the_run_although_it_was_to_be_skipped),
		cmocka_unit_test(a_target_that_is_not_there_is_an_error_and_no_log),
		cmocka_unit_test(a_directory_is_laid_out_measured_and_left_as_it_was),
		cmocka_unit_test(a_depth_that_is_not_to_be_had_is_not_said_to_be),
		cmocka_unit_test(a_pass_over_several_targets_goes_through_all_of_them),
		cmocka_unit_test(what_a_later_test_uses_is_laid_out_with_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
