/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "aws/reference.h"
#include "engine/compare.h"
#include "tests/unit/near.h"

static struct import_run run;
static struct err err;

static int release(void **state)
{
	(void)state;
	import_release(&run);
	return 0;
}

static void load(const char *name)
{
	if (reference_load(&run, name, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(run.kind, IMPORT_REFERENCE);
	assert_string_equal(run.name, name);
	assert_true(run.source[0] && run.date[0]);
}

static double value(const char *test, const char *metric)
{
	struct comparison c;
	double v = -1;

	assert_int_equal(compare_runs(&c, &run, 1, &err), 0);
	for (size_t i = 0; i < c.nr_rows; i++)
		if (strcmp(c.row[i].test, test) == 0 && strcmp(c.row[i].metric, metric) == 0)
			v = c.row[i].value[0];
	compare_release(&c);
	return v;
}

static void every_reference_of_the_list_loads(void **state)
{
	struct reference r;
	size_t n = 0;

	(void)state;
	for (; reference_get(n, &r); n++) {
		load(r.name);
		assert_true(run.nr_tests > 0);
		assert_true(reference_named(r.name));
		import_release(&run);
	}
	assert_int_equal(n, reference_count());
	static struct reference all[200];
	assert_int_equal(reference_list(all, 200), n);
	assert_true(reference_get(n - 1, &r));
	assert_memory_equal(&all[n - 1], &r, sizeof(r));
	assert_int_equal(reference_list(all, 2), 2);
	assert_int_equal(n, 3 + 2 + 6 + 30 + 15);
}

static void dds_figures_are_those_that_were_printed(void **state)
{
	(void)state;
	load("ref:dd/raid5");
	assert_near(value("T1", "bw_bytes"), 336e6, 0);
	assert_near(value("T5", "bw_bytes"), 9900, 0);
	assert_near(value("T7", "bw_mib"), 8306.52, 0);
	assert_int_equal(run.test[3].r->cached, TRI_TRUE);
	assert_int_equal(run.test[6].r->cached, TRI_TRUE);
	assert_string_equal(run.test[0].r->equivalent, "dd if=/dev/zero bs=1G count=1 oflag=dsync");
}

static void bonnies_lines_are_read_by_the_importer(void **state)
{
	(void)state;
	load("ref:bonnie/ebs-magnetic");
	assert_near(value("write-block", "bw_kib"), 20595, 0);
	assert_near(value("seeks", "seeks"), 399.5, 0);
	assert_int_equal(run.test[0].per_char, PER_CHAR_STDIO);
	import_release(&run);
	load("ref:bonnie/local");
	assert_near(value("read-char", "bw_kib"), 2322, 0);
	assert_int_equal(run.test[0].per_char, PER_CHAR_SYSCALL);
}

static void network_figures_are_in_gigabits_to_the_digit(void **state)
{
	(void)state;
	load("ref:fargate-net/eu-west-1/0.25:512");
	assert_near(value("receive", "burst_bits_per_second"), 4.214, 1e-12);
	assert_near(value("receive", "baseline_bits_per_second"), 0.063, 1e-12);
	assert_near(value("receive", "burst_s"), 410, 0);
	import_release(&run);
	load("ref:lambda-net/eu-north-1/10240");
	assert_near(value("send", "baseline_bits_per_second"), 0.58, 1e-12);
	assert_string_equal(run.date, "2024-07-22");
	import_release(&run);
	load("ref:fargate-ebs/io2");
	assert_near(value("randread-16k", "iops"), 40000, 0);
}

static void a_name_that_is_none_gets_the_closest(void **state)
{
	(void)state;
	assert_int_equal(reference_load(&run, "ref:dd/singel", &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "did you mean ref:dd/single?"));
	assert_false(reference_named("run.jsonl"));
}

#define T(f) cmocka_unit_test_teardown(f, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(every_reference_of_the_list_loads),
		T(dds_figures_are_those_that_were_printed),
		T(bonnies_lines_are_read_by_the_importer),
		T(network_figures_are_in_gigabits_to_the_digit),
		T(a_name_that_is_none_gets_the_closest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
