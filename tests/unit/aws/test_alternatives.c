/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "aws/alternatives.h"
#include "tests/unit/near.h"

static struct alternative list[ALTERNATIVES_MAX];

static size_t beside(const char *spec, const char *instance)
{
	struct volumes vs = { .n = 0 };
	struct host host = { .kind = HOST_NONE };
	struct err err;

	if (spec)
		assert_int_equal(volumes_parse(&vs, limits_builtin(), spec, &err), 0);
	if (instance)
		assert_int_equal(host_instance(&host, limits_builtin(), instance, &err), 0);
	struct model_input in = model_input(&vs, &host, workload_find("iops"));
	return alternatives(&in, limits_builtin(), list);
}

static const struct alternative *find(size_t n, const char *spec)
{
	char text[96];

	for (size_t i = 0; i < n; i++)
		if (strcmp(volume_spec(&list[i].v, text, sizeof(text)), spec) == 0)
			return &list[i];
	fail_msg("%s is not among them", spec);
	return NULL;
}

static void a_gp2_stands_beside_the_gp3_and_the_gp2_that_hold_its_burst(void **state)
{
	(void)state;
	size_t n = beside("gp2:100", NULL);
	const struct alternative *a = find(n, "gp2:100");

	assert_true(a->chosen);
	assert_near(a->burst.iops, 3000, 1e-6);
	assert_near(a->burst_s, 2000, 1e-6);
	assert_near(a->baseline.iops, 300, 1e-6);
	a = find(n, "gp3:100:3000:125");
	assert_false(a->chosen);
	assert_true(isnan(a->burst.iops));
	assert_near(a->baseline.iops, 3000, 1e-6);
	assert_near(a->cost_usd, 8, 1e-6);
	assert_near(find(n, "gp2:1000")->baseline.iops, 3000, 1e-6);
	assert_true(find(n, "io2:100:3000")->cost_usd > 100);
}

static void they_are_legal_differ_and_come_cheapest_first(void **state)
{
	(void)state;
	static const char *const specs[] = { NULL, "gp2:100", "gp2:16384", "gp3:1", "gp3:500:80000:2000", "io2:500:64000", "io2:4:100", "st1:125", "sc1:16384",
					     "standard:1", "10*gp2:20" };
	struct err err;

	for (size_t k = 0; k < sizeof(specs) / sizeof(*specs); k++) {
		size_t n = beside(specs[k], k % 2 ? "m5.large" : NULL), chosen = 0;
		assert_true(n >= 4);
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(volume_check(&list[i].v, &err), 0);
			assert_true(i == 0 || list[i].cost_usd >= list[i - 1].cost_usd);
			chosen += list[i].chosen;
			for (size_t j = 0; j < i; j++)
				assert_memory_not_equal(&list[i].v, &list[j].v, sizeof(list[i].v));
		}
		assert_int_equal(chosen, specs[k] != NULL);
	}
}

static void a_set_is_set_against_sets_and_the_host_holds_all_of_them(void **state)
{
	(void)state;
	size_t n = beside("10*gp2:20", "m5.large");

	assert_near(find(n, "gp2:20")->cost_usd, 20, 1e-6);
	for (size_t i = 0; i < n; i++)
		assert_true(list[i].baseline.iops <= 3600 + 1e-6);
}

static void what_a_change_of_type_lost_is_given_back_by_settings_that_are_legal(void **state)
{
	(void)state;
	static const struct {
		const char *now, *was, *back; /* back NULL: nothing to give back, or no settings that do */
	} row[] = {
		{ "gp3:500", "gp2:500", "gp3:500:3000:250" },
		{ "gp3:6000", "gp2:6000", "gp3:6000:16000:250" },
		{ "gp3:100", "gp2:100", "gp3:100:3000:128" },
		{ "gp3:1000", "io2:1000:4000", "gp3:1000:4096:1024" },
		{ "io1:1000:1000", "gp3:1000:3000:500", "io1:1000:3000" },
		{ "gp3:13000", "st1:13000", "gp3:13000:3000:500" },
		{ "gp2:500", "gp3:500", NULL },	       /* not for sale */
		{ "gp3:500:3000:250", "gp2:500", NULL }, /* nothing is lost */
		{ "gp3:20", "io2:100:50000", NULL },   /* beyond the type at that size */
	};
	char spec[48];

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct volumes now = { 0 }, was = { 0 };
		struct volume back;
		struct err err;
		assert_int_equal(volumes_parse(&now, limits_builtin(), row[i].now, &err), 0);
		assert_int_equal(volumes_parse(&was, limits_builtin(), row[i].was, &err), 0);
		bool can = alternative_restores(&now.v[0], &was.v[0], &back);
		assert_string_equal(can ? volume_spec(&back, spec, sizeof(spec)) : "", row[i].back ? row[i].back : "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gp2_stands_beside_the_gp3_and_the_gp2_that_hold_its_burst),
		cmocka_unit_test(they_are_legal_differ_and_come_cheapest_first),
		cmocka_unit_test(a_set_is_set_against_sets_and_the_host_holds_all_of_them),
		cmocka_unit_test(what_a_change_of_type_lost_is_given_back_by_settings_that_are_legal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
