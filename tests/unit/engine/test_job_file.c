/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/filetest.h"
#include "engine/job.h"
#include "engine/layout.h"
#include "engine/sysroot.h"
#include "engine/target.h"
#include "engine/units.h"
#include "engine/worker.h"

/* Jobs on real files: in the working directory, with direct I/O where its filesystem has it, else as the case
 * says. */

#define SIZE (2 * MIB)

static struct target target;
static struct totals totals;

/* An empty file of SIZE bytes without a name. @return false where direct I/O was wanted and is not to be had
 */
static bool make_file(const char *dir, bool direct)
{
	char name[256];

	memset(&target, 0, sizeof(target));
	snprintf(name, sizeof(name), "%s/.ebscope-test.%d", dir, (int)getpid());
	target.fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | (direct ? O_DIRECT : 0), 0600);
	int code = errno;
	unlink(name);
	if (target.fd < 0 && direct && code == EINVAL)
		return false;
	assert_true(target.fd >= 0);
	assert_int_equal(ftruncate(target.fd, SIZE), 0);
	strcpy(target.path, "the file");
	target.kind = TARGET_FILE;
	target.size_bytes = SIZE;
	target.lba = direct ? 4096 : 1;
	target.direct = direct;
	target.writable = target.needs_layout = true;
	return true;
}

static bool direct_file(void)
{
	bool ok = make_file(".", true);

	if (!ok)
		skip();
	return ok;
}

static struct workload of(enum rw rw, uint64_t bs, uint64_t iodepth, uint64_t numjobs)
{
	struct workload wl;

	workload_init(&wl);
	wl.rw = rw, wl.bs = bs, wl.iodepth = iodepth, wl.numjobs = numjobs;
	return wl;
}

static int finish(struct job *job, struct err *err)
{
	for (unsigned i = 0; i < 20000 && !job_done(job); i++)
		usleep(1000);
	assert_true(job_done(job));
	job_totals(job, &totals);
	return job_join(job, err);
}

/* Run @p bytes of a workload on the file. */
static int ran(const struct workload *wl, uint64_t bytes, struct err *err)
{
	struct job_spec spec = {
		.wl = wl, .targets = &target, .nr_targets = 1, .bytes_max = bytes, .notify_fd = -1
	};
	struct job *job;

	if (job_start(&job, &spec, err) < 0)
		fail_msg("job_start: %s", err->msg);
	return finish(job, err);
}

/* How many of the 4 KiB blocks of the file are all zeros. */
static unsigned empty_blocks(void)
{
	static char zero[4096], block[4096] __attribute__((aligned(4096)));
	unsigned n = 0;

	for (off_t at = 0; at < (off_t)SIZE; at += 4096) {
		assert_int_equal(pread(target.fd, block, sizeof(block), at), sizeof(block));
		n += memcmp(block, zero, sizeof(block)) == 0;
	}
	return n;
}

static void a_sequential_pass_gets_to_a_tail_that_is_shorter_than_a_block(void **state)
{
	struct workload wl = of(RW_WRITE, 48 * 1024, 4, 1); /* of which the file is no multiple */
	struct err err;

	(void)state;
	assert_true(make_file(".", false));
	wl.direct = 0;
	assert_true(SIZE % wl.bs);
	assert_int_equal(ran(&wl, SIZE, &err), 0);
	assert_int_equal(totals.dir[DDIR_WRITE].bytes, SIZE);
	assert_int_equal(empty_blocks(), 0);
	close(target.fd);
}

static void writes_reach_every_block_of_a_file_by_libaio(void **state)
{
	struct workload wl = of(RW_RANDWRITE, 16384, 8, 1);
	struct err err = { 0 };

	(void)state;
	if (!direct_file())
		return;
	wl.ioengine = IOENGINE_LIBAIO;
	assert_int_equal(ran(&wl, SIZE, &err), 0);
	assert_int_equal(totals.dir[DDIR_WRITE].ios, SIZE / 16384);
	assert_int_equal(empty_blocks(), 0);
	close(target.fd);
}

static void sequential_workers_share_the_file_and_leave_no_gap(void **state)
{
	struct workload wl = of(RW_WRITE, 4096, 4, 3);
	struct err err = { 0 };

	(void)state;
	assert_true(make_file(".", false));
	wl.direct = 0;
	/* A third each in whole blocks, the last one with what is left over: a few blocks more cover it. */
	assert_int_equal(ran(&wl, SIZE + 6 * 4096, &err), 0);
	assert_int_equal(empty_blocks(), 0);
	close(target.fd);
}

static void reads_come_back_whole_by_every_engine(void **state)
{
	struct err err = { 0 };

	(void)state;
	for (int e = IOENGINE_LIBAIO; e <= IOENGINE_SYNC; e++) {
		struct workload wl = of(RW_RANDREAD, 4096, 16, 2);

		assert_true(make_file(".", false));
		wl.direct = 0;
		wl.ioengine = (enum ioengine)e;
		assert_int_equal(ran(&wl, SIZE, &err), 0);
		assert_int_equal(totals.dir[DDIR_READ].bytes, SIZE);
		close(target.fd);
	}
}

/* libaio does buffered I/O inside io_submit: one at a time, and it says so. */
static void buffered_libaio_is_one_deep_and_auto_picks_sync(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 16, 1);
	struct job_spec spec = {
		.wl = &wl, .targets = &target, .nr_targets = 1, .bytes_max = SIZE, .notify_fd = -1
	};
	struct err err = { 0 };
	struct job *job;

	(void)state;
	assert_true(make_file(".", false));
	wl.direct = 0;
	assert_int_equal(job_start(&job, &spec, &err), 0);
	assert_int_equal(job_ioengine(job), IOENGINE_SYNC);
	assert_int_equal(job_real_depth(job), 1);
	assert_int_equal(finish(job, &err), 0);
	wl.ioengine = IOENGINE_LIBAIO;
	assert_int_equal(job_start(&job, &spec, &err), 0);
	assert_int_equal(job_ioengine(job), IOENGINE_LIBAIO);
	assert_int_equal(job_real_depth(job), 1);
	assert_int_equal(finish(job, &err), 0);
	close(target.fd);
}

static void direct_io_on_a_disk_is_as_deep_as_asked_by_libaio(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 16, 1);
	struct job_spec spec = {
		.wl = &wl, .targets = &target, .nr_targets = 1, .bytes_max = SIZE, .notify_fd = -1
	};
	struct err err = { 0 };
	struct job *job;

	(void)state;
	if (!direct_file())
		return;
	assert_int_equal(job_start(&job, &spec, &err), 0);
	assert_int_equal(job_ioengine(job), IOENGINE_LIBAIO);
	assert_int_equal(job_real_depth(job), 16);
	assert_int_equal(finish(job, &err), 0);
	close(target.fd);
}

static void the_end_of_the_file_is_an_error_with_its_offset(void **state)
{
	struct workload wl = of(RW_READ, 65536, 1, 1);
	struct err err = { 0 };

	(void)state;
	assert_true(make_file(".", false));
	assert_int_equal(ftruncate(target.fd, MIB + 1000), 0);
	wl.direct = 0;
	assert_int_equal(ran(&wl, 0, &err), -1);
	assert_string_equal(err.msg,
			    "read of 64 KiB at offset 1048576 on the file: only 1000 bytes were read");
	assert_int_equal(totals.dir[DDIR_READ].bytes, MIB);
	close(target.fd);
}

static void a_descriptor_that_fails_is_an_error_in_words(void **state)
{
	struct workload wl = of(RW_WRITE, 4096, 1, 1);
	struct err err = { 0 };

	(void)state;
	assert_true(make_file(".", false));
	int file = target.fd;
	target.fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	wl.direct = 0;
	assert_int_equal(ran(&wl, 0, &err), -1);
	assert_int_equal(err.code, ENOSPC);
	assert_non_null(strstr(err.msg, "write of 4 KiB at offset 0 on the file: No space left on device"));
	assert_int_equal(totals.errors, 1);
	close(target.fd);
	close(file);
}

/* Blocks that cannot be told apart or squeezed would flatter a volume that does either. */
static void written_blocks_differ_and_do_not_compress(void **state)
{
	struct workload wl = of(RW_WRITE, 16384, 4, 1);
	static uint64_t a[512] __attribute__((aligned(4096))), b[512] __attribute__((aligned(4096)));
	unsigned bytes[256] = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_true(make_file(".", false));
	wl.direct = 0;
	assert_int_equal(ran(&wl, SIZE, &err), 0);
	for (off_t at = 0; at < (off_t)SIZE; at += 4096) {
		assert_int_equal(pread(target.fd, b, sizeof(b), at), sizeof(b));
		assert_memory_not_equal(a, b, sizeof(a));
		memcpy(a, b, sizeof(a));
		for (size_t i = 0; i < sizeof(b); i++)
			bytes[((unsigned char *)b)[i]]++;
	}
	for (unsigned i = 0; i < 256; i++)
		assert_true(bytes[i] > SIZE / 256 * 9 / 10 && bytes[i] < SIZE / 256 * 11 / 10);
	close(target.fd);
}

static void a_mix_does_not_write_back_what_it_has_read(void **state)
{
	struct workload wl = of(RW_RANDRW, 4096, 8, 1);
	struct err err = { 0 };

	(void)state;
	assert_true(make_file(".", false)); /* all holes: reads return zeros */
	wl.direct = 0;
	assert_int_equal(ran(&wl, SIZE, &err), 0);
	assert_int_equal(empty_blocks(), SIZE / 4096 - totals.dir[DDIR_WRITE].ios);
	close(target.fd);
}

static void lays_out(bool direct)
{
	struct workload wl = of(RW_RANDREAD, 4096, 1, 1);
	struct err err = { 0 };
	struct job *job;

	assert_true(layout_needed(&target, 1));
	if (layout_start(&job, &wl, &target, 1, -1, &err) < 0)
		fail_msg("layout_start: %s", err.msg);
	assert_int_equal(job_ioengine(job), direct ? IOENGINE_LIBAIO : IOENGINE_SYNC);
	assert_int_equal(finish(job, &err), 0);
	assert_int_equal(totals.dir[DDIR_WRITE].bytes, SIZE);
	assert_true(totals.durable_ns >= totals.accepted_ns && totals.accepted_ns > 0);
	assert_false(layout_needed(&target, 1));
	assert_int_equal(empty_blocks(), 0);
}

static void layout_fills_a_file_and_is_seen_as_writes(void **state)
{
	(void)state;
	assert_true(make_file(".", false));
	lays_out(false);
	close(target.fd);
}

static void layout_fills_a_file_by_direct_io(void **state)
{
	(void)state;
	if (!direct_file())
		return;
	lays_out(true);
	close(target.fd);
}

static void layout_of_a_file_smaller_than_its_block_fits(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 1, 1);
	struct err err = { 0 };
	struct job *job;

	(void)state;
	if (!direct_file())
		return;
	wl.size = 3 * 4096;
	assert_int_equal(layout_start(&job, &wl, &target, 1, -1, &err), 0);
	assert_int_equal(finish(job, &err), 0);
	assert_int_equal(totals.dir[DDIR_WRITE].bytes, 3 * 4096);
	assert_int_equal(empty_blocks(), SIZE / 4096 - 3);
	close(target.fd);
}

static void a_stopped_layout_is_still_needed(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 1, 1);
	struct err err = { 0 };
	struct job *job;

	(void)state;
	assert_true(make_file(".", false));
	target.size_bytes = 1ULL << 40; /* on a sparse file: stopped long before */
	assert_int_equal(layout_start(&job, &wl, &target, 1, -1, &err), 0);
	job_stop(job);
	assert_int_equal(finish(job, &err), 0);
	assert_true(layout_needed(&target, 1));
	close(target.fd);
}

static void the_page_cache_of_a_file_can_be_dropped(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_true(make_file(".", false));
	lays_out(false);
	assert_int_equal(layout_drop_cache(&target, &err), 0);
	assert_int_equal(empty_blocks(), 0);
	close(target.fd);
}

/* Two files of 64 KiB, written by so many workers, all of it once: @return blocks that are still empty */
static unsigned spread_over_two(uint64_t numjobs, uint64_t bytes)
{
	struct workload wl = of(RW_WRITE, 4096, 4, numjobs);
	static struct target two[2];
	unsigned empty = 0;
	struct err err = { 0 };
	struct job *job;

	wl.direct = 0;
	for (int i = 0; i < 2; i++) {
		assert_true(make_file(".", false));
		two[i] = target;
		two[i].size_bytes = 65536;
	}
	struct job_spec spec = {
		.wl = &wl, .targets = two, .nr_targets = 2, .bytes_max = bytes, .notify_fd = -1
	};
	assert_int_equal(job_start(&job, &spec, &err), 0);
	assert_int_equal(job_nr_workers(job), numjobs);
	assert_int_equal(finish(job, &err), 0);
	for (int i = 0; i < 2; i++) {
		target.fd = two[i].fd;
		empty += empty_blocks() - (unsigned)((SIZE - 65536) / 4096);
		close(two[i].fd);
	}
	return empty;
}

static void a_worker_with_several_targets_takes_them_in_turn(void **state)
{
	(void)state;
	assert_int_equal(spread_over_two(1, 2 * 65536), 0);
	assert_int_equal(spread_over_two(1, 65536), 16);
}

static void more_workers_than_targets_share_them(void **state)
{
	(void)state;
	assert_int_equal(spread_over_two(2, 2 * 65536), 0);
	assert_int_equal(spread_over_two(4, 2 * 65536), 0);
}

/* More in one go than all may have together: to fill up to the limit would take from whoever runs beside. */
static void more_ios_than_the_kernel_allows_name_the_setting(void **state)
{
	struct workload wl = of(RW_RANDREAD, 512, 1, 1);
	struct job_spec spec = { .wl = &wl, .targets = &target, .nr_targets = 1, .notify_fd = -1 };
	struct err err = { 0 };
	uint64_t max = 0;
	struct job *job;
	char said[80];

	(void)state;
	if (sysroot_u64("/proc/sys/fs/aio-max-nr", &max) < 0 || max >= 1 << 20)
		skip(); /* this machine allows them */
	assert_true(make_file(".", false));
	target.direct = true; /* nothing is submitted */
	target.lba = 512;
	wl.ioengine = IOENGINE_LIBAIO;
	wl.iodepth = max + 1;
	assert_int_equal(job_start(&job, &spec, &err), -1);
	assert_int_equal(err.code, EAGAIN);
	snprintf(said, sizeof(said), "io_setup for %" PRIu64 " I/Os: fs.aio-max-nr allows %" PRIu64 ", ", max + 1, max);
	assert_non_null(strstr(err.msg, said));
	assert_non_null(strstr(err.msg, " left: lower iodepth or numjobs"));
	close(target.fd);
}

static void a_flush_ends_when_it_is_told_to_and_else_covers_all(void **state)
{
	(void)state;
	atomic_bool stop = false;
	struct job_spec spec = { 0 };
	struct worker w = { .spec = &spec, .stop = &stop };
	char buf[4096] = "data";

	make_file(".", false);
	for (off_t at = 0; at < (off_t)SIZE; at += (off_t)sizeof(buf))
		assert_int_equal(pwrite(target.fd, buf, sizeof(buf), at), sizeof(buf));
	assert_int_equal(worker_flush(&w, target.fd, SIZE, false), 0);
	stop = true;
	assert_int_equal(worker_flush(&w, target.fd, SIZE, false), 1);
	stop = false;
	close(target.fd);
	assert_int_equal(worker_flush(&w, target.fd, SIZE, false), -1);
	assert_int_equal(errno, EBADF);
}

static void files_that_were_never_made_are_passed_over_uncounted(void **state)
{
	struct suite_opts o = { .writes = true, .directory = true };
	struct step step[6];
	struct err err;

	(void)state;
	assert_int_equal(filetest_parse(&o, "1", &err), 0);
	unsigned n = filetest_steps(&o, step, 6);
	assert_true(make_file(".", false));
	char dir[] = "filetest.XXXXXX";
	assert_non_null(mkdtemp(dir));
	int fd = open(dir, O_RDONLY | O_DIRECTORY);
	assert_int_equal(close(openat(fd, "stranger", O_CREAT | O_WRONLY, 0600)), 0);
	for (unsigned i = 0; i < n; i++) {
		if (strstr(step[i].name, "create") || !strstr(step[i].name, "rand"))
			continue;
		step[i].params.dir_fd = fd;
		struct job_spec spec = { .wl = &step[i].wl, .targets = &target, .nr_targets = 1, .notify_fd = -1,
					 .body = step[i].body, .body_arg = &step[i].params };
		struct job *job;
		assert_int_equal(job_start(&job, &spec, &err), 0);
		assert_int_equal(finish(job, &err), 0);
		assert_int_equal(totals.dir[DDIR_READ].ios + totals.dir[DDIR_WRITE].ios, 0);
	}
	assert_int_equal(unlinkat(fd, "stranger", 0), 0); /* and nobody else's are */
	close(fd);
	assert_int_equal(rmdir(dir), 0);
	close(target.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_reach_every_block_of_a_file_by_libaio),
		cmocka_unit_test(a_sequential_pass_gets_to_a_tail_that_is_shorter_than_a_block),
		cmocka_unit_test(sequential_workers_share_the_file_and_leave_no_gap),
		cmocka_unit_test(reads_come_back_whole_by_every_engine),
		cmocka_unit_test(buffered_libaio_is_one_deep_and_auto_picks_sync),
		cmocka_unit_test(direct_io_on_a_disk_is_as_deep_as_asked_by_libaio),
		cmocka_unit_test(the_end_of_the_file_is_an_error_with_its_offset),
		cmocka_unit_test(a_descriptor_that_fails_is_an_error_in_words),
		cmocka_unit_test(written_blocks_differ_and_do_not_compress),
		cmocka_unit_test(a_mix_does_not_write_back_what_it_has_read),
		cmocka_unit_test(layout_fills_a_file_and_is_seen_as_writes),
		cmocka_unit_test(layout_fills_a_file_by_direct_io),
		cmocka_unit_test(layout_of_a_file_smaller_than_its_block_fits),
		cmocka_unit_test(a_stopped_layout_is_still_needed),
		cmocka_unit_test(the_page_cache_of_a_file_can_be_dropped),
		cmocka_unit_test(a_worker_with_several_targets_takes_them_in_turn),
		cmocka_unit_test(more_workers_than_targets_share_them),
		cmocka_unit_test(more_ios_than_the_kernel_allows_name_the_setting),
		cmocka_unit_test(a_flush_ends_when_it_is_told_to_and_else_covers_all),
		cmocka_unit_test(files_that_were_never_made_are_passed_over_uncounted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
