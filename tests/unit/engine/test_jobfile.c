/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/clock.h"
#include "engine/jobfile.h"
#include "engine/units.h"

static struct step steps[PLANNED_MAX];
static struct suite_file file;

static int parse(const char *text, struct err *err)
{
	return jobfile_parse("my.fio", text, strlen(text), &file, steps, PLANNED_MAX, err);
}

/* One job with these lines. */
static const struct step *job(const char *lines)
{
	char text[1024];
	struct err err;

	snprintf(text, sizeof(text), "[job]\n%s", lines);
	if (parse(text, &err) != 1)
		fail_msg("'%s': %s", lines, err.msg);
	return &steps[0];
}

static void a_section_is_a_step_over_what_the_global_ones_above_it_say(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(parse("; ours\n# too\n\n[global]\nioengine=libaio\ndirect=1 ; not buffered\nbs=4k#!\nsize=1g\n\n"
			       "[rand read]\r\n\trw=randread\r\niodepth=32\n[globals]\nstonewall\nbs=1m\n[seq]\nrw=write\nnumjobs=2\n"
			       "[after]\nreadwrite=readwrite\nsize=2g", &err), 3);
	assert_string_equal(steps[0].name, "rand read");
	assert_int_equal(steps[0].wl.rw, RW_RANDREAD);
	assert_int_equal(steps[0].wl.bs, 4 * KIB);
	assert_int_equal(steps[0].wl.iodepth, 32);
	assert_int_equal(steps[0].wl.direct, 1);
	assert_int_equal(steps[0].wl.ioengine, IOENGINE_LIBAIO);
	assert_int_equal(steps[1].wl.bs, MIB);
	assert_int_equal(steps[1].wl.numjobs, 2);
	assert_int_equal(steps[1].wl.iodepth, 1);
	assert_int_equal(steps[2].wl.rw, RW_RW);
	assert_int_equal(steps[2].wl.size, 2 * GIB);
	assert_string_equal(steps[2].wl.name, "after");
	assert_int_equal(file.notes.n, 0);
}

static void what_is_not_said_is_as_fio_has_it(void **state)
{
	(void)state;
	const struct step *s = job("");
	assert_int_equal(s->wl.rw, RW_READ);
	assert_int_equal(s->wl.bs, 4 * KIB);
	assert_int_equal(s->wl.direct, 0);
	assert_int_equal(s->wl.ioengine, IOENGINE_SYNC);
	assert_int_equal(s->wl.runtime_ns, 0);
	assert_int_equal(s->repeats, 1);
	assert_true(s->once);
	assert_true(job("runtime=9\nsize=1m\n")->once);
	assert_true(job("time_based\nsize=1m\n")->once); /* of no time */
	assert_false(job("time_based=1\nruntime=9\n")->once);
	assert_true(job("time_based=0\nruntime=9\n")->once);
}

static void fios_other_names_and_spellings_are_understood(void **state)
{
	(void)state;
	assert_int_equal(job("blocksize=8kb\n")->wl.bs, 8 * KIB);
	assert_int_equal(job("timeout=3sec\n")->wl.runtime_ns, 3 * NS_PER_SEC);
	assert_int_equal(job("ramp_time=500msec\n")->wl.ramp_ns, NS_PER_SEC / 2);
	assert_int_equal(job("buffered=0\n")->wl.direct, 1);
	assert_int_equal(job("buffered=1\n")->wl.direct, 0);
	assert_int_equal(job("rwmixwrite=30\n")->wl.rwmixread, 70);
	assert_int_equal(job("sync=1\n")->wl.sync, WSYNC_SYNC);
	assert_int_equal(job("sync=dsync\n")->wl.sync, WSYNC_DSYNC);
	assert_int_equal(job("size=100%\n")->wl.size, 0);
	assert_int_equal(job("ioengine=pvsync2\n")->wl.ioengine, IOENGINE_SYNC);
	assert_string_equal(job("name=other\n")->name, "other");
	assert_string_equal(job("ioengine=io_uring\n")->warning, "the job's ioengine is io_uring: libaio did it here");
	assert_int_equal(steps[0].wl.ioengine, IOENGINE_LIBAIO);
	assert_string_equal(job("ioengine=io_uring\nioengine=libaio\n")->warning, "");
}

static void jobs_at_once_are_one_where_they_are_the_same_and_refused_where_not(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(parse("[a]\nsize=1m\n[b]\nsize=1m\nnumjobs=3\n[c]\nsize=1m\n[d]\nstonewall\n", &err), 2);
	assert_int_equal(steps[0].wl.numjobs, 5);
	assert_string_equal(steps[1].name, "d");
	assert_int_equal(file.notes.n, 2);
	assert_string_equal(file.notes.text[0], "my.fio: [a] and [b] are at once and the same: one test with numjobs=4");
	assert_int_equal(parse("[a]\n[b]\nstonewall\n\n[c]\nbs=8k\n", &err), -1);
	assert_string_equal(err.msg, "my.fio:5: fio runs [b] and [c] at once, and they differ (bs); tests here run one after the other: "
				     "add stonewall to [c]");
	assert_int_equal(parse("[a]\nfilename=/dev/a\n[b]\nfilename=/dev/b\n", &err), -1);
	assert_non_null(strstr(err.msg, "differ (filename)"));
	assert_int_equal(parse("[global]\nstonewall\n[a]\n[b]\nstonewall=0\n", &err), 1);
	assert_int_equal(parse("[a]\nnumjobs=200\n[b]\nnumjobs=100\n", &err), -1);
}

static void a_name_that_is_there_or_too_long_gets_a_number(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(parse("[global]\nstonewall\n[x]\n[x]\n[a-name-of-more-than-thirty-one-characters]\n"
			       "[a-name-of-more-than-thirty-one-characters-too]\n", &err), 4);
	assert_string_equal(steps[1].name, "x-2");
	assert_string_equal(steps[2].name, "a-name-of-more-than-thirty-one-");
	assert_string_equal(steps[3].name, "a-name-of-more-than-thirty-on-2");
}

static void what_names_a_target_or_changes_nothing_is_said_once(void **state)
{
	(void)state;
	job("filename=/dev/sdz\nfilename=/dev/sdy\ngroup_reporting\nthread\nthread=1\nnorandommap\nfsync=0\nloops=1\nwrite_bw_log=x\n"
	    "kb_base=1024\n");
	assert_int_equal(file.notes.n, 2);
	assert_string_equal(file.notes.text[0], "my.fio: its filename=/dev/sdz is not looked at: the target is the command line's");
	assert_string_equal(file.notes.text[1],
			    "my.fio: left out, as no I/O changes with it: group_reporting, thread, norandommap, write_bw_log");
}

static void the_environment_is_in_values(void **state)
{
	(void)state;
	setenv("JOBFILE_SIZE", "64", 1);
	setenv("JOBFILE_UNIT", "m", 1);
	unsetenv("JOBFILE_NONE");
	assert_int_equal(job("size=${JOBFILE_SIZE}${JOBFILE_UNIT}\n")->wl.size, 64 * MIB);
}

static void what_is_wrong_is_one_line_with_file_and_line(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "my.fio: there is no job" },
		{ "[global]\nrw=randread\n", "my.fio: there is no job in it" },
		{ "hello\n", "my.fio:1: 'hello' stands in no [job]" },
		{ "[a", "my.fio:1: a section is [name]" },
		{ "[]\n", "my.fio:1: a section is [name]" },
		{ "[a] b\n", "my.fio:1: a section is [name]" },
		{ "[a]\n\nbz=1\n", "my.fio:3: there is no 'bz'; a job has name stonewall time_based rw bs iodepth" },
		{ "[a]\nrw=trim\n", "my.fio:2: rw: 'trim' is not read" },
		{ "[a]\nrw=read:8\n", "rw: 'read:8' is not read" },
		{ "[a]\nbs=4k,8k\n", "bs: '4k,8k' is not a size" },
		{ "[a]\nbs=4ki\n", "bs: '4ki' counts in thousands to fio" },
		{ "[a]\nsize=50%\n", "size: '50%' of the target" },
		{ "[a]\nsize=1.5m\n", "size: '1.5m': fio takes whole numbers" },
		{ "[a]\nruntime=1.5\n", "runtime: '1.5': fio takes whole numbers" },
		{ "[a]\niodepth=0\n", "my.fio:2: iodepth: '0' is not allowed: 1 to 4096" },
		{ "[a]\nbs\n", "bs needs a value" },
		{ "[a]\nbs=\n", "bs is empty" },
		{ "[a]\nbuffered=2\n", "buffered: '2' is not a whole number from 0 to 1" },
		{ "[a]\nstonewall=maybe\n", "stonewall: 'maybe' is not 0 or 1" },
		{ "[a]\nioengine=rbd\n", "ioengine: 'rbd' is not libaio, io_uring" },
		{ "[a]\nioengine=mmap\n", "ioengine: 'mmap' is not libaio" },
		{ "[a]\nbssplit=4k/50:8k/50\n", "bssplit is not done here: one size, --bs" },
		{ "[a]\nfsync=1\n", "fsync is not done here: --sync=dsync" },
		{ "[a]\nverify=crc32c\n", "verify is not done here" },
		{ "[a]\nloops=3\n", "loops is not done here: --repeat" },
		{ "[a]\ninclude more.fio\n", "include: one file" },
		{ "[a]\nrw=randrw\nrate_iops=100\n", "my.fio:1: [a]: fio holds reads and writes to rate_iops each" },
		{ "[a]\nsize=512\n", "my.fio:1: [a]: size: 512 is less than one I/O" },
		{ "[a]\nsize=${JOBFILE_NONE}1m\n", "my.fio:2: ${JOBFILE_NONE} is not set" },
		{ "[a]\nsize=${JOBFILE_NONE\n", "size: '${JOBFILE_NONE' is not a size" },
		{ "[a]\nrw=\033[1m\n", "my.fio:2: a control character" },
		{ "[\303\266]\n", "a name is ASCII" },
	};

	(void)state;
	unsetenv("JOBFILE_NONE");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct err err = { 0 };
		assert_int_equal(parse(rows[i].text, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		if (!strstr(err.msg, rows[i].says))
			fail_msg("%s: '%s'", rows[i].text, err.msg);
	}
}

static void a_hostile_file_is_refused_in_one_line(void **state)
{
	size_t len = SUITE_FILE_BYTES_MAX;
	char *big = malloc(len + 1);
	struct err err;

	(void)state;
	assert_non_null(big);
	for (int c = 0; c < 256; c++) { /* one byte over and over, in a value too */
		memset(big, c, len);
		big[len] = 0;
		assert_true(jobfile_parse("f", big, len, &file, steps, PLANNED_MAX, &err) == -1 || file.notes.n == 0);
		memcpy(big, "[a]\nbs=", 7);
		(void)jobfile_parse("f", big, len, &file, steps, PLANNED_MAX, &err);
	}
	for (size_t i = 0; i + 4 <= len; i += 4)
		memcpy(big + i, "[a]\n", 4);
	assert_int_equal(jobfile_parse("f", big, len, &file, steps, PLANNED_MAX, &err), -1); /* more workers than there may be */
	memcpy(big, "[global]\nstonewall\n", 19);
	assert_int_equal(jobfile_parse("f", big, len / 4 * 4, &file, steps, PLANNED_MAX, &err), -1);
	free(big);
	static const char cut[] = "[global]\nbs=4k ; x\n[a]\nsize=${HOME}\n[b]\nstonewall\nrw=randrw\nname=c\nfilename=x\nthread\n";
	for (size_t i = 0; i <= strlen(cut); i++) {
		int n = jobfile_parse("f", cut, i, &file, steps, PLANNED_MAX, &err);
		if (n < 0)
			assert_int_equal(err.code, ERR_USAGE);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test(name)
	const struct CMUnitTest tests[] = {
		T(a_section_is_a_step_over_what_the_global_ones_above_it_say),
		T(what_is_not_said_is_as_fio_has_it),
		T(fios_other_names_and_spellings_are_understood),
		T(jobs_at_once_are_one_where_they_are_the_same_and_refused_where_not),
		T(a_name_that_is_there_or_too_long_gets_a_number),
		T(what_names_a_target_or_changes_nothing_is_said_once),
		T(the_environment_is_in_values),
		T(what_is_wrong_is_one_line_with_file_and_line),
		T(a_hostile_file_is_refused_in_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
