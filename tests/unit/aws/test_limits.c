/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aws/host.h"
#include "aws/model.h"
#include "aws/volume.h"
#include "tests/unit/near.h"

static int load(struct limits *l, const char *json, struct err *err)
{
	return limits_parse(l, json, strlen(json), "my.json", err);
}

static void a_file_replaces_what_it_names_and_nothing_else(void **state)
{
	struct limits l;
	struct err err;
	struct volumes vs = { 0 };
	struct host h;
	(void)state;

	assert_int_equal(load(&l,
			      "{\"as_of\":\"2027-03\",\"volumes\":{\"gp3\":{\"iops_max\":100000},\"io2\":{\"usd_iops\":[0.1]}},"
			      "\"instances\":{\"M5.Large\":{\"ebs_max_iops\":20000}},\"tasks\":{\"1024\":{\"ebs_iops\":1500}}}",
			      &err), 0);
	assert_string_equal(l.as_of, "2027-03");
	assert_near(l.type[VOLUME_GP3].iops_max, 100000, 0);
	assert_near(l.type[VOLUME_GP3].mibps_max, 2000, 0);
	assert_near(l.type[VOLUME_IO2].usd_iops[1], 0, 0);
	assert_int_equal(volumes_parse(&vs, &l, "gp3:1000:90000", &err), 0);
	assert_int_equal(host_instance(&h, &l, "m5.large", &err), 0);
	assert_near(h.iops_max, 20000, 0);
	assert_near(h.iops_base, 3600, 0);
	assert_int_equal(host_task(&h, &l, "1:2", &err), 0);
	assert_near(h.iops_base, 1500, 0);
	assert_near(limits_builtin()->type[VOLUME_GP3].iops_max, 80000, 0);

	struct workload wl;
	struct expectation e;
	workload_init(&wl);
	struct model_input in = model_input(&vs, NULL, &wl);
	in.limits = &l;
	model_expect(&in, &e);
	assert_string_equal(e.as_of, "2027-03");
	assert_string_equal(e.origin, "my.json");
}

static void what_is_not_known_or_no_figure_is_refused_and_named(void **state)
{
	static const char *const rows[][2] = {
		{ "{\"volumes\":{\"gp3\":{\"iops_maxx\":1}}}", "volumes.gp3: unknown key 'iops_maxx'" },
		{ "{\"volumes\":{\"gp4\":{}}}", "unknown key 'gp4'" },
		{ "{\"volume\":{}}", "unknown key 'volume'" },
		{ "{\"tasks\":{\"1000\":{}}}", "unknown key '1000'" },
		{ "{\"tasks\":{\"1024\":{\"x\":1}}}", "tasks.1024: unknown key 'x'" },
		{ "{\"tasks\":{\"256\":{\"mem_min\":0}}}", "tasks.256: mem_min to mem_max" },
		{ "{\"tasks\":{\"1024\":{\"mem_min\":9000}}}", "tasks.1024: mem_min to mem_max" },
		{ "{\"tasks\":{\"1024\":{\"mem_step\":0.001}}}", "tasks.1024: mem_min to mem_max" },
		{ "{\"instances\":{\"m5.large\":{\"x\":1}}}", "instances.m5.large: unknown key 'x'" },
		{ "{\"instances\":{\"m5.larg\":{}}}", "instances: 'm5.larg' is not an instance type that is known here: did you mean" },
		{ "{\"volumes\":{\"gp3\":{\"iops_max\":\"many\"}}}", "iops_max must be a figure" },
		{ "{\"volumes\":{\"gp3\":{\"iops_max\":-1}}}", "iops_max must be a figure" },
		{ "{\"volumes\":{\"gp3\":{\"iops_max\":1}}}", "a minimum is over its maximum" },
		{ "{\"volumes\":{\"gp3\":7}}", "must be an object" },
		{ "{\"volumes\":7}", "volumes must be an object" },
		{ "{\"volumes\":{\"io2\":{\"usd_iops\":[1,2,3,4]}}}", "a list of up to 3" },
		{ "{\"as_of\":\"soon\"}", "as_of must be a year and a month" },
		{ "{\"as_of\":\"2026-13\"}", "as_of must be a year and a month" },
		{ "[]", "must be a JSON object" },
		{ "{", "my.json: line 1" },
		{ "{\"volumes\":{},\"volumes\":{}}", "my.json: line 1" },
	};
	struct err err;
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct limits l = { .as_of = "untouched" };

		assert_int_equal(load(&l, rows[i][0], &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_string_equal(l.as_of, "untouched");
		if (!strstr(err.msg, rows[i][1]) || strncmp(err.msg, "my.json: ", 9) != 0)
			fail_msg("%s: %s", rows[i][0], err.msg);
	}
	struct limits l;
	assert_int_equal(limits_load(&l, "/no/such/file", &err), -1);
	assert_non_null(strstr(err.msg, "/no/such/file: No such file"));
}

static void a_table_is_old_after_a_year(void **state)
{
	struct limits l = *limits_builtin();
	(void)state;

	assert_false(limits_stale(&l, 1785542400)); /* 2026-08-01 */
	assert_false(limits_stale(&l, 1819670400)); /* 2027-08-31 */
	assert_true(limits_stale(&l, 1819756800));  /* 2027-09-01 */
	l.as_of[0] = 0;
	assert_true(limits_stale(&l, 1785542400));
}

static void every_type_names_its_document_and_date(void **state)
{
	(void)state;
	for (int i = 0; i < VOLUME_NR; i++) {
		const struct volume_type *t = &limits_builtin()->type[i];

		assert_int_equal(t->kind, i);
		assert_non_null(strstr(t->source, "20"));
		assert_true(t->latency_ms > 0 && t->usd_gib > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_replaces_what_it_names_and_nothing_else),
		cmocka_unit_test(what_is_not_known_or_no_figure_is_refused_and_named),
		cmocka_unit_test(a_table_is_old_after_a_year),
		cmocka_unit_test(every_type_names_its_document_and_date),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
