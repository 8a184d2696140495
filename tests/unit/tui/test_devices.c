/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/json.h"
#include "tui/devices_report.h"

static struct blockdevs devs;

static void machine(const char *name)
{
	struct err err = { 0 };
	char dir[128];

	snprintf(dir, sizeof(dir), "tests/data/sysroot-%s", name);
	setenv("EBSCOPE_SYSROOT", dir, 1);
	assert_int_equal(blockdevs_read(&devs, &err), 0);
	for (size_t i = 0; i < devs.n; i++)
		blockdev_probe(&devs.at[i], &err);
}

static int leave(void **state)
{
	(void)state;
	blockdevs_release(&devs);
	unsetenv("EBSCOPE_SYSROOT");
	return 0;
}

static json_t *find(const json_t *doc, const char *path)
{
	json_t *d;
	size_t i;

	json_array_foreach(json_object_get(doc, "devices"), i, d) {
		if (!strcmp(json_get_text(d, "path", ""), path))
			return d;
	}
	fail_msg("%s is not in the list", path);
	return NULL;
}

/* The line of a table that begins with a word. */
static void has_line(const char *table, const char *path, const char *const *words)
{
	char start[64], line[512];

	snprintf(start, sizeof(start), "\n%s ", path);
	const char *at = strstr(table, start);
	if (!at)
		fail_msg("no line for %s in %s", path, table);
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
	for (; *words; words++) {
		if (!strstr(line, *words))
			fail_msg("\"%s\" lacks \"%s\"", line, *words);
	}
}

static void a_line_tells_volume_name_kind_use_and_whether_it_may_be_written(void **state)
{
	(void)state;
	machine("ebs");
	char *table = devices_table(&devs);
	has_line(table, "/dev/nvme2n1", (const char *const[]){ "500 GiB", "ebs", "sdf", "vol-1234abcd", "by its name", "blank", NULL });
	has_line(table, "/dev/nvme3n1", (const char *const[]){ "instance-store", "Amazon EC2 NVMe Instance Storage", NULL });
	has_line(table, "/dev/nvme0n1", (const char *const[]){ " no ", "partitions nvme0n1p1", NULL });
	has_line(table, "/dev/nvme9n1", (const char *const[]){ " no ", "cannot be read", NULL });
	free(table);
	blockdevs_release(&devs);
	machine("raid");
	table = devices_table(&devs);
	has_line(table, "/dev/md5", (const char *const[]){ "raid5 of nvme7n1, nvme8n1, nvme9n1, chunk 64 KiB", NULL });
	assert_null(strstr(table, "/dev/md127")); /* inactive: no size, nothing to test */
	free(table);
}

static void the_document_has_every_promised_key_and_null_for_what_is_not(void **state)
{
	static const char *const keys[] = { "path", "majmin", "size_bytes", "logical_block", "model", "kind", "volume_id", "ebs_name",
					    "mounts", "signature", "members", "level", "chunk_bytes", "writable", "why_not" };

	(void)state;
	machine("ebs");
	json_t *doc = devices_json(&devs), *d = find(doc, "/dev/nvme2n1");
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		assert_non_null(json_object_get(d, keys[i]));
	assert_string_equal(json_get_text(d, "majmin", ""), "259:3");
	assert_string_equal(json_get_text(d, "volume_id", ""), "vol-1234abcd");
	assert_true(json_is_null(json_object_get(d, "signature")));
	assert_true(json_is_null(json_object_get(d, "chunk_bytes")));
	assert_true(json_get_bool(d, "writable", false));
	assert_true(json_is_null(json_object_get(d, "why_not")));
	d = find(doc, "/dev/nvme4n1");
	assert_false(json_get_bool(d, "writable", true));
	assert_non_null(strstr(json_get_text(d, "why_not", ""), "/mnt/part one"));
	json_decref(doc);
}

#define T(f) cmocka_unit_test_teardown(f, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_line_tells_volume_name_kind_use_and_whether_it_may_be_written),
		T(the_document_has_every_promised_key_and_null_for_what_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
