/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/units.h"
#include "engine/workload.h"

static void the_defaults_are_fios_with_direct_io(void **state)
{
	struct workload wl;

	(void)state;
	workload_init(&wl);
	assert_int_equal(wl.rw, RW_READ);
	assert_int_equal(wl.bs, 4096);
	assert_int_equal(wl.iodepth, 1);
	assert_int_equal(wl.numjobs, 1);
	assert_int_equal(wl.rwmixread, 50);
	assert_int_equal(wl.direct, 1);
	assert_int_equal(wl.invalidate, 1);
	assert_int_equal(wl.ioengine, IOENGINE_AUTO);
}

static void what_is_allowed_is_said_with_the_default(void **state)
{
	static const struct {
		const char *key, *text;
	} want[] = {
		{ "rw", "read, write, rw, randread, randwrite or randrw (read)" },
		{ "bs", "512 to 64m (4k)" },
		{ "iodepth", "1 to 4096 (1)" },
		{ "size", "" },	   /* depends on the target: the help says how */
		{ "runtime", "" }, /* depends on size */
		{ "ramp_time", "(0s)" },
		{ "sync", "none, dsync or sync (none)" },
	};
	char buf[128];

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		const struct workload_field *f = workload_fields;
		while (strcmp(f->key, want[i].key) != 0)
			f++;
		assert_string_equal(workload_allowed(f, buf, sizeof(buf)), want[i].text);
	}
}

static void every_field_reads_back_what_it_printed(void **state)
{
	static const char *const values[][2] = {
		{ "rw", "randrw" },
		{ "bs", "16k" },
		{ "iodepth", "7" },
		{ "numjobs", "3" },
		{ "size", "1g" },
		{ "runtime", "90s" },
		{ "ramp_time", "250ms" },
		{ "rwmixread", "70" },
		{ "rate_iops", "3000" },
		{ "direct", "0" },
		{ "ioengine", "sync" },
		{ "invalidate", "0" },
		{ "randseed", "18446744073709551615" },
	};
	struct workload a, b;
	struct err err;
	char buf[32];

	(void)state;
	workload_init(&a);
	workload_init(&b);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		assert_int_equal(workload_set(&a, values[i][0], values[i][1], &err), 0);
		assert_string_equal(workload_get(&a, values[i][0], buf, sizeof(buf)), values[i][1]);
		assert_int_equal(workload_set(&b, values[i][0], buf, &err), 0);
	}
	assert_memory_equal(&a, &b, sizeof(a));
}

static void a_row_of_the_table_is_a_field_that_can_be_set_to_its_default(void **state)
{
	struct workload wl, was;
	struct err err;
	char buf[32];

	(void)state;
	workload_init(&wl);
	was = wl;
	for (const struct workload_field *f = workload_fields; f->key; f++) {
		workload_get(&wl, f->key, buf, sizeof(buf));
		assert_int_equal(workload_set(&wl, f->key, buf, &err), 0);
	}
	assert_memory_equal(&wl, &was, sizeof(wl));
}

static void times_and_sizes_take_fios_suffixes(void **state)
{
	struct workload wl;
	struct err err;

	(void)state;
	workload_init(&wl);
	assert_int_equal(workload_set(&wl, "bs", "1MiB", &err), 0);
	assert_int_equal(wl.bs, MIB);
	assert_int_equal(workload_set(&wl, "runtime", "5m", &err), 0);
	assert_int_equal(wl.runtime_ns, 300 * NS_PER_SEC);
	assert_int_equal(workload_set(&wl, "rw", "readwrite", &err), 0);
	assert_int_equal(wl.rw, RW_RW);
}

/* key=value is refused with a usage error that holds each of two texts, and changes nothing. */
static void refuses(const char *key, const char *value, const char *says, const char *also)
{
	struct workload wl, was;
	struct err err = { 0 };

	workload_init(&wl);
	was = wl;
	assert_int_equal(workload_set(&wl, key, value, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	if (!strstr(err.msg, says) || !strstr(err.msg, also))
		fail_msg("'%s' does not say '%s' and '%s'", err.msg, says, also);
	assert_memory_equal(&wl, &was, sizeof(wl));
}

static void a_bad_value_is_refused_with_its_key_and_what_is_allowed(void **state)
{
	(void)state;
	refuses("bs", "100", "bs", "512 to 64m");
	refuses("bs", "16q", "bs", "a size");
	refuses("bs", "-4k", "bs", "a size");
	refuses("iodepth", "0", "iodepth", "1 to 4096");
	refuses("iodepth", "1e3", "iodepth", "whole number");
	refuses("iodepth", "", "iodepth", "whole number");
	refuses("rwmixread", "101", "rwmixread", "0 to 100");
	refuses("direct", "2", "direct", "0 to 1");
	refuses("runtime", "-1", "runtime", "a time");
	refuses("rw", "trim", "rw", "randread, randwrite or randrw");
	refuses("ioengine", "io_uring", "ioengine", "libaio");
	refuses("iodpeth", "1", "iodpeth", "parameter");
}

static void direct_io_needs_whole_blocks(void **state)
{
	struct workload wl;
	struct err err = { 0 };

	(void)state;
	workload_init(&wl);
	wl.bs = 512;
	assert_int_equal(workload_check(&wl, 512, &err), 0);
	assert_int_equal(workload_check(&wl, 4096, &err), -1);
	assert_non_null(strstr(err.msg, "4k"));
	wl.direct = 0;
	assert_int_equal(workload_check(&wl, 4096, &err), 0);
}

static void a_size_under_one_io_and_buffers_beyond_reason_are_refused(void **state)
{
	struct workload wl;
	struct err err = { 0 };

	(void)state;
	workload_init(&wl);
	wl.size = 1024;
	assert_int_equal(workload_check(&wl, 512, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	wl.size = 0, wl.bs = MIB, wl.iodepth = 4096, wl.numjobs = 2;
	assert_int_equal(workload_check(&wl, 512, &err), -1);
	assert_non_null(strstr(err.msg, "GiB"));
}

static void every_named_workload_is_found_is_legal_and_says_what_it_is_for(void **state)
{
	struct err err;

	(void)state;
	for (size_t i = 0; *workloads[i].name; i++) {
		assert_ptr_equal(workload_find(workloads[i].name), &workloads[i]);
		assert_int_equal(workload_check(&workloads[i], 4096, &err), 0);
		assert_true(strlen(workload_about[i]) > 10);
	}
	assert_null(workload_find("nonsense"));
	assert_int_equal(workload_find("mixed")->rwmixread, 70);
	assert_int_equal(workload_find("iops")->bs, 16 * KIB);
	assert_int_equal(workload_find("latency")->iodepth, 1);
	assert_int_equal(workload_find("throughput")->rw, RW_READ);
}

static void a_title_names_what_differs_from_the_usual(void **state)
{
	struct workload wl;
	char buf[128];

	(void)state;
	workload_init(&wl);
	wl.rw = RW_RANDREAD, wl.bs = 16 * KIB, wl.iodepth = 32, wl.numjobs = 2;
	assert_string_equal(workload_text(&wl, buf, sizeof(buf)), "randread 16k · iodepth 32 · 2 jobs");
	wl.rw = RW_RANDRW, wl.rwmixread = 70, wl.numjobs = 1, wl.rate_iops = 3000, wl.direct = 0;
	assert_string_equal(workload_text(&wl, buf, sizeof(buf)),
			    "randrw 16k · 70 % read · iodepth 32 · at most 3,000 IOPS · buffered");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_defaults_are_fios_with_direct_io),
		cmocka_unit_test(what_is_allowed_is_said_with_the_default),
		cmocka_unit_test(every_field_reads_back_what_it_printed),
		cmocka_unit_test(a_row_of_the_table_is_a_field_that_can_be_set_to_its_default),
		cmocka_unit_test(times_and_sizes_take_fios_suffixes),
		cmocka_unit_test(a_bad_value_is_refused_with_its_key_and_what_is_allowed),
		cmocka_unit_test(direct_io_needs_whole_blocks),
		cmocka_unit_test(a_size_under_one_io_and_buffers_beyond_reason_are_refused),
		cmocka_unit_test(every_named_workload_is_found_is_legal_and_says_what_it_is_for),
		cmocka_unit_test(a_title_names_what_differs_from_the_usual),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
