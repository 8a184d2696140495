/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "engine/clock.h"
#include "tests/unit/near.h"
#include "tui/analysis.h"

/* A run of two tests on a volume, 16 KiB random reads; @p before: it was being modified when the run began, from that. */
static struct runlog *new_log(const char *volume, const char *before)
{
	struct run_header h = { .target = "/data", .title = "two", .time_scale = 1, .nr_planned = 2 };

	for (int i = 0; i < 2; i++)
		h.planned[i] = (struct planned){ .name = "iops", .wl = *workload_find("iops"), .repeats = 1, .seconds = 30 };
	json_t *setup = json_pack("{s:s,s:n}", "volume", volume, "credits");
	if (before) {
		json_object_set_new(setup, "volume_before", json_string(before));
		json_object_set_new(setup, "optimizing", json_integer(50));
	}
	h.doc = json_pack("{s:o}", "setup", setup);
	return runlog_new(&h);
}

/* Until @p to_s of the run at @p iops, from where the log ends. */
static void run_on(struct runlog *log, uint32_t test, double to_s, unsigned iops)
{
	static struct runlog_snap snap;
	struct tick t;

	runlog_snap(log, &snap);
	size_t from = snap.span.n;
	runlog_snap_release(&snap);
	for (size_t i = from; (double)i / 10 < to_s - 0.01; i++) {
		memset(&t, 0, sizeof(t));
		t.s = (struct sample){ .t_ns = (i + 1) * NS_PER_SEC / 10, .dt_ns = NS_PER_SEC / 10, .test = test,
				       .phase = PHASE_MEASURE, .model_iops = NAN, .model_balance = NAN, .model_host = { NAN, NAN } };
		t.s.dir[DDIR_READ].ios = iops / 10;
		t.s.dir[DDIR_READ].bytes = t.s.dir[DDIR_READ].ios * 16384;
		for (int d = 0; d < DDIR_NR; d++)
			t.s.dev[d].ios = t.s.dev[d].bytes = DEV_NONE;
		for (int k = 0; k < 4; k++)
			t.s.limit_ns[k] = DEV_NONE;
		runlog_tick(log, &t);
	}
}

static void said(struct runlog *log, double t_s, double percent, const char *text)
{
	struct outside o = { .name = "optimizing", .id = "vol-00000001", .t_s = t_s, .value = percent };

	strcpy(o.text, text);
	runlog_outside(log, &o);
}

static struct analysis a;

static void judge(struct runlog *log, uint32_t test)
{
	static struct runlog_snap snap;
	struct err err;

	runlog_snap(log, &snap);
	assert_int_equal(analysis_of(&a, &snap, limits_builtin(), test, NULL, &err), 0);
	runlog_snap_release(&snap);
}

static void done(struct runlog *log)
{
	analysis_release(&a);
	runlog_free(log);
}

#define UP "gp3:100:3000:125 to gp3:100:6000:250"

static void before_and_after_a_change_are_judged_by_limits_of_their_own(void **state)
{
	(void)state;
	struct runlog *log = new_log("gp3:100:3000:125", NULL);

	run_on(log, 0, 10, 3000);
	run_on(log, 0, 14, 4000);
	said(log, 10, 0, UP);
	said(log, 14, 100, "completed");
	run_on(log, 0, 30, 6000);
	judge(log, 0);
	assert_int_equal(a.judgement.verdict, VERDICT_PASS);
	assert_near(a.judgement.expected_iops, 6000, 1e-6);
	assert_near(analysis_expect(&a)->baseline.iops, 6000, 1e-6);
	assert_int_equal(a.optimizing, -1);
	assert_non_null(strstr(a.changed, "changed during the test, " UP));
	assert_non_null(strstr(a.changed, "10 s to 14 s"));
	done(log);
}

static void what_the_new_limits_promise_and_is_not_there_is_short(void **state)
{
	(void)state;
	struct runlog *log = new_log("gp3:100:3000:125", NULL);

	said(log, 10, 0, UP);
	said(log, 14, 100, "completed");
	run_on(log, 0, 30, 3000);
	judge(log, 0);
	assert_int_equal(a.judgement.verdict, VERDICT_SHORT);
	assert_near(a.judgement.expected_iops, 6000, 1e-6);
	assert_near(a.judgement.measured_iops, 3000, 1);
	done(log);
}

static void what_the_old_limits_promised_counts_until_the_change(void **state)
{
	(void)state;
	struct runlog *log = new_log("gp3:100:6000:250", NULL);

	run_on(log, 0, 10, 3000); /* should have been 6,000 */
	said(log, 10, 0, "gp3:100:6000:250 to gp3:100:3000:125");
	said(log, 14, 100, "completed");
	run_on(log, 0, 30, 3000);
	judge(log, 0);
	assert_int_equal(a.judgement.verdict, VERDICT_SHORT);
	assert_near(a.judgement.expected_iops, 6000, 1e-6);
	done(log);
}

static void while_a_change_goes_on_what_lies_between_is_not_known(void **state)
{
	(void)state;
	struct runlog *log = new_log("gp3:100:3000:125", NULL);

	run_on(log, 0, 10, 3000);
	said(log, 10, 0, UP);
	said(log, 12, 41, UP);
	run_on(log, 0, 20, 4000);
	judge(log, 0);
	assert_int_equal(a.judgement.verdict, VERDICT_UNKNOWN);
	assert_int_equal(a.optimizing, 41);
	assert_near(a.before.iops, 3000, 1e-6);
	assert_near(a.after.iops, 6000, 1e-6);
	assert_non_null(strstr(a.changed, "began during the run, " UP));
	done(log);
}

static void a_change_that_leaves_nothing_to_judge_is_the_reason(void **state)
{
	(void)state;
	struct runlog *log = new_log("gp3:100:3000:125", NULL);

	said(log, 0, 0, UP);
	said(log, 9.8, 100, "completed");
	run_on(log, 0, 10, 3000);
	judge(log, 0);
	assert_int_equal(a.judgement.verdict, VERDICT_UNKNOWN);
	assert_non_null(strstr(a.judgement.reason, "optimizing"));
	done(log);
}

static void what_was_under_way_at_the_start_is_judged_from_its_end_on(void **state)
{
	(void)state;
	struct runlog *log = new_log("gp3:100:6000:250", "gp3:100:3000:125");

	said(log, 0.1, 50, UP);
	run_on(log, 0, 10, 4500);
	said(log, 10, 100, "completed");
	run_on(log, 0, 30, 6000);
	judge(log, 0);
	assert_int_equal(a.judgement.verdict, VERDICT_PASS);
	assert_near(a.judgement.measured_iops, 6000, 1);
	assert_non_null(strstr(a.changed, UP));
	done(log);
}

static void a_change_that_failed_leaves_the_limits_as_they_were(void **state)
{
	(void)state;
	struct runlog *log = new_log("gp3:100:3000:125", NULL);

	said(log, 10, 0, UP);
	said(log, 14, 100, "failed");
	run_on(log, 0, 30, 3000);
	judge(log, 0);
	assert_int_equal(a.judgement.verdict, VERDICT_PASS);
	assert_near(analysis_expect(&a)->baseline.iops, 3000, 1e-6);
	assert_non_null(strstr(a.changed, "which failed"));
	done(log);
}

static void a_test_after_a_change_has_the_new_limits_and_says_so(void **state)
{
	(void)state;
	struct runlog *log = new_log("gp3:100:3000:125", NULL);

	run_on(log, 0, 10, 3000);
	said(log, 4, 0, UP);
	said(log, 6, 100, "completed");
	run_on(log, 1, 20, 6000);
	judge(log, 1);
	assert_int_equal(a.judgement.verdict, VERDICT_PASS);
	assert_near(a.judgement.expected_iops, 6000, 1e-6);
	assert_int_equal(a.nr_segments, 1);
	assert_non_null(strstr(a.changed, "limits are those of gp3:100:6000:250"));
	done(log);
}

static void of_many_volumes_one_that_changes_is_named_and_the_limits_stay(void **state)
{
	(void)state;
	struct runlog *log = new_log("2*gp3:100:3000:125", NULL);

	run_on(log, 0, 30, 6000);
	said(log, 10, 0, UP);
	said(log, 14, 100, "completed");
	judge(log, 0);
	assert_int_equal(a.judgement.verdict, VERDICT_PASS);
	assert_near(a.judgement.expected_iops, 6000, 1e-6);
	assert_non_null(strstr(a.changed, "vol-00000001 was changed during the run"));
	done(log);
}

static void without_a_change_nothing_is_said_of_one(void **state)
{
	(void)state;
	struct runlog *log = new_log("gp3:100:3000:125", NULL);

	run_on(log, 0, 30, 3000);
	judge(log, 0);
	assert_int_equal(a.judgement.verdict, VERDICT_PASS);
	assert_string_equal(a.changed, "");
	done(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_and_after_a_change_are_judged_by_limits_of_their_own),
		cmocka_unit_test(what_the_new_limits_promise_and_is_not_there_is_short),
		cmocka_unit_test(what_the_old_limits_promised_counts_until_the_change),
		cmocka_unit_test(while_a_change_goes_on_what_lies_between_is_not_known),
		cmocka_unit_test(a_change_that_leaves_nothing_to_judge_is_the_reason),
		cmocka_unit_test(what_was_under_way_at_the_start_is_judged_from_its_end_on),
		cmocka_unit_test(a_change_that_failed_leaves_the_limits_as_they_were),
		cmocka_unit_test(a_test_after_a_change_has_the_new_limits_and_says_so),
		cmocka_unit_test(of_many_volumes_one_that_changes_is_named_and_the_limits_stay),
		cmocka_unit_test(without_a_change_nothing_is_said_of_one),
	};

	return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
