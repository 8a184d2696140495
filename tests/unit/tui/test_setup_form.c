/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/clock.h"
#include "tests/unit/near.h"
#include "tui/setup_form.h"

static struct setup_form *form(void)
{
	struct setup_form *s = malloc(sizeof(*s));

	assert_non_null(s);
	setup_form_init(s, limits_builtin());
	return s;
}

static void set(struct setup_form *s, enum setup_field f, const char *text)
{
	struct err err = { 0 };

	if (setup_form_set(s, f, text, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
}

static const char *refused(struct setup_form *s, enum setup_field f, const char *text)
{
	static struct err err;

	err = (struct err){ 0 };
	assert_int_equal(setup_form_set(s, f, text, &err), -1);
	return err.msg;
}

static void the_first_focus_is_start_and_nothing_is_expected_of_nothing(void **state)
{
	(void)state;
	struct setup_form *s = form();

	assert_int_equal(s->form.focus, SF_START);
	assert_false(s->expect_known);
	assert_false(setup_form_types(s));
	assert_true(s->form.field[SF_SIZE].off && s->form.field[SF_RAID].off && s->form.field[SF_MIX].off);
	free(s);
}

static void what_to_expect_follows_every_field(void **state)
{
	(void)state;
	struct setup_form *s = form();

	set(s, SF_VOLUME, "gp2");
	set(s, SF_SIZE, "100");
	assert_near(s->expect.baseline.iops, 300, 1e-6);
	assert_near(s->expect.burst.iops, 3000, 1e-6);
	set(s, SF_SIZE, "1TiB");
	assert_near(s->expect.baseline.iops, 3072, 1e-6);
	assert_string_equal(s->form.field[SF_IOPS].value, "3072");
	assert_true(s->form.field[SF_IOPS].off);
	set(s, SF_COUNT, "4");
	assert_near(s->expect.baseline.iops, 4 * 3072, 1e-6);
	set(s, SF_VOLUME, "none");
	assert_false(s->expect_known);
	free(s);
}

static void aws_rules_refuse_and_name_what_is_allowed(void **state)
{
	(void)state;
	struct setup_form *s = form();

	set(s, SF_VOLUME, "gp3");
	assert_non_null(strstr(refused(s, SF_IOPS, "1000000"), "80,000"));
	assert_non_null(refused(s, SF_SIZE, "0"));
	assert_non_null(refused(s, SF_COUNT, "33"));
	assert_non_null(refused(s, SF_HOST, "m5.larg"));
	assert_non_null(refused(s, SF_BS, "77"));
	assert_non_null(refused(s, SF_SCALE, "0"));
	assert_non_null(refused(s, SF_TARGET, ""));
	assert_int_equal(s->volume.iops, 3000);
	free(s);
}

static void a_field_is_judged_anew_when_another_makes_it_legal(void **state)
{
	(void)state;
	struct setup_form *s = form();

	set(s, SF_VOLUME, "gp3");
	set(s, SF_SIZE, "10");
	form_focus(&s->form, SF_IOPS);
	for (const char *p = "9000"; *p; p++)
		setup_form_key(s, (struct key){ .code = (uint32_t)*p }, ACT_NONE);
	assert_true(s->form.field[SF_IOPS].error[0]);
	set(s, SF_SIZE, "100");
	assert_false(s->form.field[SF_IOPS].error[0]);
	assert_int_equal(s->volume.iops, 9000);
	free(s);
}

static void a_suite_takes_the_pattern_over(void **state)
{
	(void)state;
	struct setup_form *s = form();
	struct setup to;

	set(s, SF_TARGET, "/data");
	set(s, SF_TEST, "suite quick");
	assert_true(s->form.field[SF_BS].off && s->form.field[SF_RW].off);
	setup_init(&to, limits_builtin());
	setup_form_get(s, &to);
	assert_string_equal(to.suite, "quick");
	assert_int_equal(to.nr_workloads, 0);
	set(s, SF_TEST, "latency");
	assert_false(s->form.field[SF_BS].off);
	assert_int_equal(s->wl.runtime_ns, 30 * NS_PER_SEC);
	free(s);
}

static void a_named_workload_keeps_its_name_until_it_is_changed(void **state)
{
	(void)state;
	struct setup_form *s = form();
	struct setup to;
	struct step step[PLANNED_MAX];
	struct err err = { 0 };

	set(s, SF_TARGET, "/data");
	set(s, SF_TEST, "mixed");
	set(s, SF_RUNTIME, "7");
	setup_init(&to, limits_builtin());
	setup_form_get(s, &to);
	assert_int_equal(setup_steps(&to, "quick", step, &err), 1);
	assert_string_equal(step[0].name, "mixed");
	assert_int_equal(step[0].wl.runtime_ns, 7 * NS_PER_SEC);
	set(s, SF_BS, "8k");
	setup_form_get(s, &to);
	assert_int_equal(setup_steps(&to, "quick", step, &err), 1);
	assert_string_equal(step[0].name, "randrw-8k");
	assert_string_equal(s->form.field[SF_TEST].value, "own");
	assert_int_equal(step[0].wl.rwmixread, 70);
	assert_int_equal(step[0].wl.iodepth, 32);
	set(s, SF_BS, "16k");
	assert_string_equal(s->form.field[SF_TEST].value, "mixed");
	free(s);
}

static void what_the_command_line_chose_is_in_the_form_and_comes_back(void **state)
{
	(void)state;
	struct setup_form *s = form();
	struct setup from, to;
	struct err err = { 0 };

	setup_init(&from, limits_builtin());
	strcpy(from.target, "sim:");
	strcpy(from.volume, "2*gp2:200");
	strcpy(from.raid, "1");
	strcpy(from.task, "2:6GB");
	from.shaped = true;
	from.time_scale = 60;
	from.credits = 0.5;
	assert_int_equal(setup_form_put(s, &from, &err), 0);
	assert_string_equal(s->form.field[SF_VOLUME].value, "gp2");
	assert_string_equal(s->form.field[SF_RAID].value, "1");
	assert_int_equal(s->form.focus, SF_START);
	to = from;
	setup_form_get(s, &to);
	assert_string_equal(to.target, "sim:");
	assert_string_equal(to.raid, "1");
	assert_true(to.shaped);
	assert_near(to.time_scale, 60, 0);
	assert_near(to.credits, 0.5, 0);
	struct volumes a, b;
	struct host ha, hb;
	assert_int_equal(setup_volumes(&from, &a, &ha, &err), 0);
	assert_int_equal(setup_volumes(&to, &b, &hb, &err), 0);
	assert_int_equal(a.n, b.n);
	assert_int_equal(a.v[1].size_gib, b.v[1].size_gib);
	assert_string_equal(ha.name, hb.name);
	from.time_scale = 2.5; /* what the command line takes the form takes */
	assert_int_equal(setup_form_put(s, &from, &err), 0);
	setup_form_get(s, &to);
	assert_near(to.time_scale, 2.5, 0);
	from.time_scale = SHAPE_SCALE_MAX;
	assert_int_equal(setup_form_put(s, &from, &err), 0);
	setup_form_get(s, &to);
	assert_near(to.time_scale, SHAPE_SCALE_MAX, 0);
	free(s);
}

static void the_list_of_targets_fills_the_field(void **state)
{
	(void)state;
	struct setup_form *s = form();
	static const struct setup_target t[] = { { .path = "/a", .usable = true }, { .path = "/b", .usable = true } };
	static const struct setup_target more[] = { { .path = "/0", .usable = true }, { .path = "/a", .usable = true }, { .path = "/b", .usable = true } };

	setup_form_targets(s, t, 2);
	setup_form_key(s, (struct key){ .code = KEYCODE_TAB }, ACT_NEXT);
	assert_true(s->in_list);
	setup_form_key(s, (struct key){ .code = KEYCODE_DOWN }, ACT_DOWN);
	setup_form_targets(s, more, 3);
	assert_int_equal(s->selected, 2);
	setup_form_key(s, (struct key){ .code = KEYCODE_ENTER }, ACT_ENTER);
	assert_string_equal(s->path, "/b");
	assert_int_equal(s->form.focus, SF_START);
	free(s);
}

static void of_a_suite_each_test_has_its_own_time_and_no_cap_is_no_figure(void **state)
{
	(void)state;
	struct setup_form *s = form();
	struct setup to;
	struct step step[PLANNED_MAX];
	struct err err = { 0 };

	assert_string_equal(s->form.field[SF_RATE].value, "");
	set(s, SF_TEST, "suite quick");
	assert_string_equal(s->form.field[SF_RUNTIME].value, "");
	set(s, SF_RATE, "100");
	set(s, SF_RATE, "");
	assert_int_equal(s->wl.rate_iops, 0);
	set(s, SF_TARGET, "sim:");
	set(s, SF_RUNTIME, "3");
	set(s, SF_RUNTIME, "");
	setup_init(&to, limits_builtin());
	setup_form_get(s, &to);
	assert_int_equal(setup_steps(&to, "quick", step, &err), 4);
	assert_int_equal(step[0].wl.runtime_ns, 2 * NS_PER_SEC);
	set(s, SF_TEST, "iops");
	assert_non_null(refused(s, SF_RUNTIME, ""));
	free(s);
}

static void several_workloads_are_done_one_after_the_other(void **state)
{
	(void)state;
	struct setup_form *s = form();
	struct setup from, to;
	struct step step[PLANNED_MAX];
	struct err err = { 0 };

	setup_init(&from, limits_builtin());
	strcpy(from.target, "sim:");
	strcpy(from.workload[0], "iops");
	strcpy(from.workload[1], "latency");
	from.nr_workloads = 2;
	assert_int_equal(workload_set(&from.wl, "bs", "8k", &err), 0);
	for (unsigned i = 0; workload_fields[i].key; i++)
		from.wl_given |= strcmp(workload_fields[i].key, "bs") == 0 ? 1u << i : 0;
	assert_int_equal(setup_form_put(s, &from, &err), 0);
	assert_string_equal(s->form.field[SF_TEST].value, "iops, latency");
	assert_true(s->form.field[SF_BS].off);
	set(s, SF_RUNTIME, "7");
	to = from;
	setup_form_get(s, &to);
	assert_int_equal(setup_steps(&to, "quick", step, &err), 2);
	assert_string_equal(step[1].name, "latency");
	assert_int_equal(step[1].wl.bs, 8192);
	assert_int_equal(step[1].wl.runtime_ns, 7 * NS_PER_SEC);
	set(s, SF_TEST, "throughput");
	setup_form_get(s, &to);
	assert_int_equal(setup_steps(&to, "quick", step, &err), 1);
	assert_int_equal(step[0].wl.bs, 1 << 20);
	set(s, SF_TEST, "iops, latency");
	setup_form_get(s, &to);
	assert_int_equal(to.nr_workloads, 2);
	free(s);
}

static int find(const char *target, struct err *err)
{
	return strcmp(target, "/there") == 0 ? 0 : err_set(err, ENOENT, "%s: No such file or directory", target);
}

static void a_target_that_is_not_there_is_refused_as_it_is_typed(void **state)
{
	(void)state;
	struct setup_form *s = form();
	struct setup from;
	struct err err = { 0 };

	s->find = find;
	form_focus(&s->form, SF_TARGET);
	for (const char *p = "/there"; *p; p++) {
		setup_form_key(s, (struct key){ .code = (uint32_t)*p }, ACT_NONE);
		assert_true(!s->form.field[SF_TARGET].error[0] == !p[1]);
	}
	assert_string_equal(s->path, "/there");
	setup_form_key(s, (struct key){ .code = 's' }, ACT_NONE);
	assert_non_null(strstr(s->form.field[SF_TARGET].error, "/theres: No such"));
	assert_int_equal(form_bad(&s->form), SF_TARGET);
	setup_init(&from, limits_builtin());
	strcpy(from.target, "/gone");
	assert_int_equal(setup_form_put(s, &from, &err), 0);
	assert_string_equal(s->form.field[SF_TARGET].value, "/gone");
	assert_int_equal(form_bad(&s->form), SF_TARGET);
	s->find = NULL;
	memset(from.target, 'x', 300); /* cut short it would be another */
	from.target[300] = 0;
	assert_int_equal(setup_form_put(s, &from, &err), 0);
	assert_int_equal(form_bad(&s->form), SF_TARGET);
	assert_string_equal(s->path, "/there");
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_focus_is_start_and_nothing_is_expected_of_nothing),
		cmocka_unit_test(what_to_expect_follows_every_field),
		cmocka_unit_test(aws_rules_refuse_and_name_what_is_allowed),
		cmocka_unit_test(a_field_is_judged_anew_when_another_makes_it_legal),
		cmocka_unit_test(a_suite_takes_the_pattern_over),
		cmocka_unit_test(a_named_workload_keeps_its_name_until_it_is_changed),
		cmocka_unit_test(what_the_command_line_chose_is_in_the_form_and_comes_back),
		cmocka_unit_test(the_list_of_targets_fills_the_field),
		cmocka_unit_test(of_a_suite_each_test_has_its_own_time_and_no_cap_is_no_figure),
		cmocka_unit_test(several_workloads_are_done_one_after_the_other),
		cmocka_unit_test(a_target_that_is_not_there_is_refused_as_it_is_typed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
