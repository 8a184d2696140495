/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/io.h"
#include "engine/job.h"
#include "engine/shape.h"
#include "engine/target.h"
#include "engine/units.h"

/* Jobs on a simulated device: no file, no privilege, and faults when they are wanted. */

static struct target *sim_target(void)
{
	static struct target t;

	memset(&t, 0, sizeof(t));
	strcpy(t.path, "sim:");
	t.kind = TARGET_SIM;
	t.fd = -1;
	t.size_bytes = TARGET_SIM_SIZE;
	t.lba = 512;
	return &t;
}

static struct workload of(enum rw rw, uint64_t bs, uint64_t iodepth, uint64_t numjobs)
{
	struct workload wl;

	workload_init(&wl);
	wl.rw = rw, wl.bs = bs, wl.iodepth = iodepth, wl.numjobs = numjobs;
	return wl;
}

static struct job_spec on_sim(const struct workload *wl)
{
	return (struct job_spec){ .wl = wl, .targets = sim_target(), .nr_targets = 1, .notify_fd = -1 };
}

static void pause_ms(unsigned ms)
{
	struct timespec ts = clock_timespec(ms * 1000000ULL);

	nanosleep(&ts, NULL);
}

static struct job *started(const struct job_spec *spec)
{
	struct err err = { 0 };
	struct job *job;

	if (job_start(&job, spec, &err) < 0)
		fail_msg("job_start: %s", err.msg);
	return job;
}

/* Let a job that ends by itself end, and read what it did. */
static int finish(struct job *job, struct totals *t, struct err *err)
{
	for (unsigned i = 0; i < 10000 && !job_done(job); i++)
		pause_ms(1);
	assert_true(job_done(job));
	job_totals(job, t);
	return job_join(job, err);
}

static struct totals totals;

/* Read the totals until as many I/Os are in flight; however slow the machine is, it comes to that. */
static void wait_inflight(const struct job *job, uint64_t n)
{
	for (unsigned i = 0; i < 10000; i++) {
		job_totals(job, &totals);
		if (totals.inflight == n)
			return;
		pause_ms(1);
	}
	fail_msg("%llu in flight, not %llu", (unsigned long long)totals.inflight, (unsigned long long)n);
}

static void wait_ios(const struct job *job, uint64_t n)
{
	for (unsigned i = 0; i < 10000; i++) {
		job_totals(job, &totals);
		if (totals.dir[DDIR_READ].ios >= n)
			return;
		pause_ms(1);
	}
	fail_msg("%llu I/Os, not %llu", (unsigned long long)totals.dir[DDIR_READ].ios, (unsigned long long)n);
}

static void a_held_job_begins_when_it_is_let_go(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 1, 3);
	struct job_spec spec = on_sim(&wl);
	struct err err;

	(void)state;
	spec.bytes_max = 1 << 20;
	spec.held = true;
	struct job *job = started(&spec);
	pause_ms(20);
	job_totals(job, &totals);
	uint64_t now = clock_ns();
	assert_int_equal(totals.dir[DDIR_READ].ios, 0);
	job_go(job);
	assert_true(job_began_ns(job) >= now);
	assert_int_equal(finish(job, &totals, &err), 0);
	assert_int_equal(totals.dir[DDIR_READ].bytes, 1 << 20);
}

static void a_job_does_exactly_the_bytes_it_is_allowed(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 32, 3);
	struct job_spec spec = on_sim(&wl);
	struct err err;

	(void)state;
	spec.bytes_max = 1000 * 4096 + 512;
	assert_int_equal(finish(started(&spec), &totals, &err), 0);
	assert_int_equal(totals.dir[DDIR_READ].bytes, spec.bytes_max);
	assert_int_equal(totals.dir[DDIR_READ].ios, 1001);
	assert_int_equal(totals.dir[DDIR_WRITE].ios, 0);
	assert_int_equal(totals.inflight, 0);
}

static void every_latency_is_counted_once_an_io(void **state)
{
	struct workload wl = of(RW_RANDRW, 4096, 16, 2);
	struct job_spec spec = on_sim(&wl);
	struct err err;

	(void)state;
	spec.bytes_max = 5000 * 4096;
	assert_int_equal(finish(started(&spec), &totals, &err), 0);
	for (int d = 0; d < DDIR_NR; d++) {
		assert_true(totals.dir[d].ios > 2000);
		assert_int_equal(totals.dir[d].lat.count, totals.dir[d].ios);
		assert_int_equal(totals.dir[d].slat.count, totals.dir[d].ios);
		assert_int_equal(totals.dir[d].clat.count, totals.dir[d].ios);
		assert_int_equal(totals.dir[d].bytes, totals.dir[d].ios * 4096);
		assert_int_equal(totals.dir[d].lat.sum, totals.dir[d].slat.sum + totals.dir[d].clat.sum);
	}
}

static void a_failing_io_stops_all_workers_and_says_what_and_where(void **state)
{
	struct workload wl = of(RW_WRITE, 16384, 4, 3);
	struct job_spec spec = on_sim(&wl);
	struct err err = { 0 };

	(void)state;
	spec.sim_fail_at = 100;
	spec.sim_errno = EIO;
	assert_int_equal(finish(started(&spec), &totals, &err), -1);
	assert_int_equal(err.code, EIO);
	assert_non_null(strstr(err.msg, "write of 16 KiB at offset "));
	assert_non_null(strstr(err.msg, "sim:: Input/output error"));
	assert_true(totals.errors >= 1 && totals.errors <= 3);
	assert_true(totals.dir[DDIR_WRITE].ios >= 99);
}

static void the_offset_of_the_failed_io_is_named(void **state)
{
	struct workload wl = of(RW_READ, 4096, 1, 1);
	struct job_spec spec = on_sim(&wl);
	struct err err = { 0 };

	(void)state;
	spec.sim_fail_at = 3;
	spec.sim_errno = ENODEV;
	assert_int_equal(finish(started(&spec), &totals, &err), -1);
	assert_string_equal(err.msg, "read of 4 KiB at offset 8192 on sim:: No such device");
	assert_int_equal(totals.dir[DDIR_READ].ios, 2);
	assert_int_equal(totals.errors, 1);
}

static void a_short_io_stops_the_job_and_is_not_counted(void **state)
{
	struct workload wl = of(RW_READ, 4096, 1, 1);
	struct job_spec spec = on_sim(&wl);
	struct err err = { 0 };

	(void)state;
	spec.sim_fail_at = 1;
	assert_int_equal(finish(started(&spec), &totals, &err), -1);
	assert_string_equal(err.msg, "read of 4 KiB at offset 0 on sim:: only 2048 bytes were read");
	assert_int_equal(totals.dir[DDIR_READ].ios, 0);
}

static void a_stopped_job_ends_soon(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 8, 2);
	struct job_spec spec = on_sim(&wl);
	struct job *job;
	struct err err;
	uint64_t t0;

	(void)state;
	wl.rate_iops = 1; /* it waits nearly all the time */
	job = started(&spec);
	pause_ms(20);
	assert_false(job_done(job));
	t0 = clock_ns();
	job_stop(job);
	assert_int_equal(job_join(job, &err), 0);
	assert_true(clock_ns() - t0 < 2 * NS_PER_SEC); /* it looks up every 100 ms */
}

static void a_deadline_ends_a_job(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 8, 2);
	struct job_spec spec = on_sim(&wl);
	struct err err;

	(void)state;
	spec.duration_ns = 30000000;
	struct job *job = started(&spec);
	uint64_t end = job_began_ns(job) + spec.duration_ns;
	assert_int_equal(finish(job, &totals, &err), 0);
	assert_true(clock_ns() >= end);
}

static void starting_many_workers_takes_nothing_of_their_time(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 8, 256);
	struct job_spec spec = on_sim(&wl);
	struct err err;

	(void)state;
	spec.duration_ns = 20000000; /* less than it takes to start them */
	assert_int_equal(finish(started(&spec), &totals, &err), 0);
	assert_true(totals.dir[DDIR_READ].ios > 0);
}

static void the_last_worker_to_end_writes_the_eventfd(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 8, 4);
	struct job_spec spec = on_sim(&wl);
	uint64_t n = 0;
	struct err err;

	(void)state;
	spec.bytes_max = 400 * 4096;
	spec.notify_fd = eventfd(0, EFD_CLOEXEC);
	struct job *job = started(&spec);
	assert_int_equal(read(spec.notify_fd, &n, sizeof(n)), sizeof(n));
	assert_int_equal(n, 1);
	assert_true(job_done(job));
	assert_int_equal(job_join(job, &err), 0);
	close(spec.notify_fd);
}

/* A service time is exact on the simulated device, however late its thread wakes. */
static void a_simulated_service_time_is_what_the_latency_shows(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 1, 1);
	struct job_spec spec = on_sim(&wl);
	struct err err;

	(void)state;
	spec.sim_lat_ns = 600000;
	spec.bytes_max = 100 * 4096;
	uint64_t t0 = clock_ns();
	assert_int_equal(finish(started(&spec), &totals, &err), 0);
	assert_true(clock_ns() - t0 >= 100 * 600000ULL - 1000000);
	assert_int_equal(totals.dir[DDIR_READ].lat.min, 600000);
	assert_int_equal(totals.dir[DDIR_READ].lat.sum, 100 * 600000ULL);
}

static void a_rate_cap_spaces_ios_evenly_and_lat_counts_from_the_turn(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 4, 1);
	struct job_spec spec = on_sim(&wl);
	struct err err;

	(void)state;
	wl.rate_iops = 1000;
	spec.sim_lat_ns = 50000;
	spec.bytes_max = 101 * 4096;
	uint64_t t0 = clock_ns();
	assert_int_equal(finish(started(&spec), &totals, &err), 0);
	assert_true(clock_ns() - t0 >= 100 * 1000000ULL); /* 100 turns of 1 ms after the first */
	assert_int_equal(totals.dir[DDIR_READ].ios, 101);
	assert_int_equal(totals.dir[DDIR_READ].lat.max, 50000);
}

/* 1,000 a second wanted of a device that does 500: what is late counts from when it should have started. */
static void a_device_slower_than_the_cap_shows_in_lat_and_not_in_clat(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 1, 1);
	struct job_spec spec = on_sim(&wl);
	struct err err;

	(void)state;
	wl.rate_iops = 1000;
	spec.sim_lat_ns = 2000000;
	spec.bytes_max = 50 * 4096;
	assert_int_equal(finish(started(&spec), &totals, &err), 0);
	assert_int_equal(totals.dir[DDIR_READ].clat.max, 2000000);
	assert_int_equal(totals.dir[DDIR_READ].lat.max, 2000000 + 49 * 1000000);
}

static void a_shape_holds_a_job_and_counts_as_latency(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 32, 1);
	struct job_spec spec = on_sim(&wl);
	struct shape shape = { .nr_limits = 1 };
	struct err err;

	(void)state;
	shape.limit[0] = (struct shape_limit){ .unit = SHAPE_OPS, .weight = { 1, 1 }, .base = 10000 };
	spec.shaper = shaper_new(&shape);
	spec.sim_lat_ns = 100000;
	spec.bytes_max = 2000 * 4096;
	uint64_t t0 = clock_ns();
	assert_int_equal(finish(started(&spec), &totals, &err), 0);
	assert_true(clock_ns() - t0 >= 170000000); /* 200 ms, less what a second may begin with */
	assert_true(hist_snap_percentile(&totals.dir[DDIR_READ].lat, 50) >
		    2.5e6); /* 32 deep at 10,000: 3.2 ms */
	assert_int_equal(totals.dir[DDIR_READ].clat.max, 100000);
	shaper_free(spec.shaper);
}

static void knobs_turn_without_a_restart_and_without_losing_an_io(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 2, 1);
	struct job_spec spec = on_sim(&wl);
	static struct totals before;
	struct err err;

	(void)state;
	spec.sim_lat_ns = 1000000;
	spec.iodepth_max = 64;
	spec.bs_max = 65536;
	struct job *job = started(&spec);
	wait_ios(job, 10);
	before = totals;
	atomic_store(&job_knobs(job)->iodepth, 64);
	atomic_store(&job_knobs(job)->bs, 65536);
	wait_inflight(job, 64);
	assert_int_equal(job_real_depth(job), 64);
	wait_ios(job, before.dir[DDIR_READ].ios + 1000);
	totals_sub(&totals, &before);
	assert_true(totals.dir[DDIR_READ].bytes > 900 * 65536);
	atomic_store(&job_knobs(job)->iodepth, 1);
	wait_inflight(job, 1);
	job_stop(job);
	assert_int_equal(job_join(job, &err), 0);
}

static void a_knob_beyond_its_room_is_held_there(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 2, 1);
	struct job_spec spec = on_sim(&wl);
	struct err err;

	(void)state;
	spec.sim_lat_ns = 1000000;
	spec.iodepth_max = 8;
	struct job *job = started(&spec);
	atomic_store(&job_knobs(job)->iodepth, 1000000);
	atomic_store(&job_knobs(job)->bs, 1 << 30);
	atomic_store(&job_knobs(job)->rwmixread, 1000);
	wait_inflight(job, 8);
	wait_ios(job, 20);
	job_stop(job);
	assert_int_equal(finish(job, &totals, &err), 0); /* counters agree to the last I/O once nobody writes them */
	assert_int_equal(totals.dir[DDIR_READ].bytes, totals.dir[DDIR_READ].ios * 4096);
}

static void a_job_starts_with_less_room_for_its_knobs_where_memory_has_none(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 2, 1);
	struct job_spec spec = on_sim(&wl);
	struct err err;

	(void)state;
	spec.bytes_max = 8 * 4096;
	spec.bs_max = 1ULL << 50; /* more than there are addresses */
	assert_int_equal(finish(started(&spec), &totals, &err), 0);
	assert_int_equal(totals.dir[DDIR_READ].ios, 8);
}

static void a_raised_cap_speeds_up_and_no_cap_frees(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 4, 1);
	struct job_spec spec = on_sim(&wl);
	struct err err;

	(void)state;
	wl.rate_iops = 10;
	uint64_t t0 = clock_ns();
	struct job *job = started(&spec);
	pause_ms(50);
	job_totals(job, &totals);
	assert_true(totals.dir[DDIR_READ].ios <= 1 + (clock_ns() - t0) * 10 / NS_PER_SEC);
	atomic_store(&job_knobs(job)->rate_iops, 0);
	wait_ios(job, 1000);
	job_stop(job);
	assert_int_equal(job_join(job, &err), 0);
}

static void the_mean_depth_is_what_was_in_flight(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 8, 1);
	struct job_spec spec = on_sim(&wl);
	struct err err;

	(void)state;
	spec.sim_lat_ns = 2000000;
	uint64_t t0 = clock_ns();
	struct job *job = started(&spec);
	while (ctr_get(&job_counters(job, 0)->depth_ns) < 8 * 50000000ULL)
		pause_ms(1);
	job_stop(job);
	while (!job_done(job))
		pause_ms(1);
	job_totals(job, &totals);
	assert_true(totals.depth_ns <= 8 * (clock_ns() - t0));
	assert_int_equal(job_join(job, &err), 0);
}

static void cpu_time_only_grows_while_it_runs_and_when_it_ends(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096, 32, 4);
	struct job_spec spec = on_sim(&wl);
	struct err err;

	(void)state;
	struct job *job = started(&spec);
	wait_ios(job, 10000);
	uint64_t before = job_cpu_ns(job);
	assert_true(before > 0);
	job_stop(job);
	for (bool done = false; !done;) {
		done = job_done(job);
		uint64_t now = job_cpu_ns(job);
		assert_true(now >= before);
		before = now;
	}
	assert_int_equal(job_join(job, &err), 0);
}

static int odd_body(struct worker *w, struct err *err)
{
	(void)w;
	return err_set(err, EPERM, "no luck");
}

static void a_job_may_have_a_body_of_another_kind(void **state)
{
	struct workload wl = of(RW_READ, 4096, 1, 2);
	struct job_spec spec = on_sim(&wl);
	struct err err = { 0 };

	(void)state;
	spec.body = odd_body;
	assert_int_equal(finish(started(&spec), &totals, &err), -1);
	assert_string_equal(err.msg, "no luck");
}

static void refuses(struct job_spec *spec, int code, const char *says)
{
	struct err err = { 0 };
	struct job *job;

	assert_int_equal(job_start(&job, spec, &err), -1);
	assert_null(job);
	assert_int_equal(err.code, code);
	if (!strstr(err.msg, says))
		fail_msg("'%s' does not say '%s'", err.msg, says);
}

static void an_engine_that_cannot_serve_the_target_is_refused(void **state)
{
	struct workload wl = of(RW_READ, 4096, 1, 1);
	struct job_spec spec = on_sim(&wl);

	(void)state;
	wl.ioengine = IOENGINE_LIBAIO;
	refuses(&spec, ERR_USAGE, "libaio does real I/O");
	wl.ioengine = IOENGINE_SIM;
	spec.targets->kind = TARGET_FILE;
	refuses(&spec, ERR_USAGE, "only on the target sim:");
}

static void a_block_larger_than_what_is_used_is_refused(void **state)
{
	struct workload wl = of(RW_READ, 65536, 1, 1);
	struct job_spec spec = on_sim(&wl);

	(void)state;
	spec.targets->size_bytes = 32768;
	refuses(&spec, ERR_USAGE, "bs: 64k is more than the 32k");
}

static void a_test_that_writes_is_refused_on_a_target_opened_for_reading(void **state)
{
	struct workload wl = of(RW_RANDRW, 4096, 1, 1);
	struct job_spec spec = on_sim(&wl);

	(void)state;
	spec.targets->kind = TARGET_FILE;
	refuses(&spec, ERR_REFUSED, "opened for reading");
}

/* The last guard: even if all above it failed. */
static void a_write_to_a_target_opened_for_reading_aborts(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (pid == 0) {
		struct io_config cfg = { .engine = IOENGINE_SYNC, .depth = 1 };
		struct target *t = sim_target();
		struct slot s = { .target = t, .ddir = DDIR_WRITE }, *one = &s;
		struct err err;
		struct io *io;

		t->kind = TARGET_FILE;
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr) || io_open(&io, &cfg, &err) < 0)
			_exit(2);
		io_send(io, &one, 1);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_held_job_begins_when_it_is_let_go),
		cmocka_unit_test(a_job_does_exactly_the_bytes_it_is_allowed),
		cmocka_unit_test(every_latency_is_counted_once_an_io),
		cmocka_unit_test(a_failing_io_stops_all_workers_and_says_what_and_where),
		cmocka_unit_test(the_offset_of_the_failed_io_is_named),
		cmocka_unit_test(a_short_io_stops_the_job_and_is_not_counted),
		cmocka_unit_test(a_stopped_job_ends_soon),
		cmocka_unit_test(a_deadline_ends_a_job),
		cmocka_unit_test(starting_many_workers_takes_nothing_of_their_time),
		cmocka_unit_test(the_last_worker_to_end_writes_the_eventfd),
		cmocka_unit_test(a_simulated_service_time_is_what_the_latency_shows),
		cmocka_unit_test(a_rate_cap_spaces_ios_evenly_and_lat_counts_from_the_turn),
		cmocka_unit_test(a_device_slower_than_the_cap_shows_in_lat_and_not_in_clat),
		cmocka_unit_test(a_shape_holds_a_job_and_counts_as_latency),
		cmocka_unit_test(knobs_turn_without_a_restart_and_without_losing_an_io),
		cmocka_unit_test(a_knob_beyond_its_room_is_held_there),
		cmocka_unit_test(a_job_starts_with_less_room_for_its_knobs_where_memory_has_none),
		cmocka_unit_test(a_raised_cap_speeds_up_and_no_cap_frees),
		cmocka_unit_test(the_mean_depth_is_what_was_in_flight),
		cmocka_unit_test(cpu_time_only_grows_while_it_runs_and_when_it_ends),
		cmocka_unit_test(a_job_may_have_a_body_of_another_kind),
		cmocka_unit_test(an_engine_that_cannot_serve_the_target_is_refused),
		cmocka_unit_test(a_block_larger_than_what_is_used_is_refused),
		cmocka_unit_test(a_test_that_writes_is_refused_on_a_target_opened_for_reading),
		cmocka_unit_test(a_write_to_a_target_opened_for_reading_aborts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
