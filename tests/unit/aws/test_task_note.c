/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "aws/task_note.h"
#include "engine/units.h"

static json_t *note_of(const char *task, const char *volume)
{
	struct volumes vs = { 0 };
	struct host host;
	struct err err;

	assert_int_equal(host_task(&host, limits_builtin(), task, &err), 0);
	assert_int_equal(volumes_parse(&vs, limits_builtin(), volume, &err), 0);
	return task_note_json(&host, &vs);
}

static void a_large_task_has_a_documented_floor_and_an_observation(void **state)
{
	json_t *o = note_of("2:6", "gp3:2000:16000:1000");
	char text[600];

	(void)state;
	assert_true(json_get_num(json_object_get(o, "baseline"), "iops", 0) == 3000);
	assert_true(json_get_num(json_object_get(o, "baseline"), "bw_bytes", 0) == 75 * (double)MIB);
	task_note_text(o, text, sizeof(text));
	assert_non_null(strstr(text, "documented baseline 3,000 IOPS (16 KiB) and 75 MiB/s, a floor"));
	assert_non_null(strstr(text, "observed once, no promise"));
	assert_non_null(strstr(text, "February 2023"));
	json_decref(o);
}

static void a_small_task_has_no_documented_baseline(void **state)
{
	json_t *o = note_of("0.25:1", "gp3:2000:16000:1000");
	char text[600];

	(void)state;
	assert_true(json_is_null(json_object_get(o, "baseline")));
	assert_true(json_is_object(json_object_get(o, "observed")));
	assert_non_null(strstr(task_note_text(o, text, sizeof(text)), "no EBS baseline is documented"));
	json_decref(o);
}

static void what_was_not_observed_is_not_made_up(void **state)
{
	json_t *o = note_of("0.25:1", "st1:500");

	(void)state;
	assert_true(json_is_null(json_object_get(o, "observed")));
	json_decref(o);
}

static void an_instance_has_no_task(void **state)
{
	struct host host = { .kind = HOST_INSTANCE };
	char text[64];

	(void)state;
	assert_null(task_note_json(&host, &(struct volumes){ 0 }));
	assert_string_equal(task_note_text(NULL, text, sizeof(text)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_large_task_has_a_documented_floor_and_an_observation),
		cmocka_unit_test(a_small_task_has_no_documented_baseline),
		cmocka_unit_test(what_was_not_observed_is_not_made_up),
		cmocka_unit_test(an_instance_has_no_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
