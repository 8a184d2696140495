/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "aws/verdict.h"
#include "engine/units.h"
#include "tests/unit/near.h"

/* One test: a volume on a host, a workload, what was measured. */
static struct expectation ex[2];
static const struct expectation *exp_of[2] = { &ex[0], &ex[1] };
static struct measured m;
static struct phase ph[4];
static struct limit_seconds counters;
static struct verdict_input in;
static struct judgement j;

static void setup(int k, const char *spec, const char *instance, const char *task, enum rw rw, uint64_t bs,
		  uint64_t iodepth)
{
	struct volumes vs = { .raid = RAID_0 };
	struct host host = { .kind = HOST_NONE };
	struct workload wl;
	struct err err = { 0 };

	if (spec && volumes_parse(&vs, limits_builtin(), spec, &err) < 0)
		fail_msg("%s", err.msg);
	if (instance && host_instance(&host, limits_builtin(), instance, &err) < 0)
		fail_msg("%s", err.msg);
	if (task && host_task(&host, limits_builtin(), task, &err) < 0)
		fail_msg("%s", err.msg);
	workload_init(&wl);
	wl.rw = rw;
	wl.bs = bs;
	wl.iodepth = iodepth;
	wl.numjobs = 1;
	struct model_input mi = { .volumes = &vs, .host = &host, .wl = &wl, .credits = NAN, .host_credits = { NAN, NAN } };
	model_expect(&mi, &ex[k]);
	measured_init(&m);
	counters = (struct limit_seconds){ 0 };
	in = (struct verdict_input){ .measured = &m, .expect = exp_of, .nr_segments = (size_t)k + 1, .phase = ph };
}

/* A phase from where the one before ended; iops at the workload's block size. */
static void phase(enum phase_kind kind, double seconds, double iops)
{
	size_t n = in.nr_phases++;
	double start = n ? ph[n - 1].end_s : 0;

	ph[n] = (struct phase){ .kind = kind, .start_s = start, .end_s = start + seconds, .iops = iops,
				.bw = iops * (double)ex[0].bs, .spread = 0.01 };
	m.seconds = start + seconds;
	m.iops = n ? m.iops : iops;
	m.bw = m.iops * (double)ex[0].bs;
}

static void has(const char *part)
{
	if (!strstr(j.reason, part))
		fail_msg("no \"%s\" in: %s", part, j.reason);
}

static void judge(enum verdict v, enum bound bound)
{
	verdict_judge(&in, &j);
	if (j.verdict != v || j.bound != bound)
		fail_msg("%s, bound %d: %s", verdict_name(j.verdict), (int)j.bound, j.reason);
	if (strchr(j.reason, '{') || strchr(j.reason, '\n') || !j.reason[0] || strlen(j.reason) > 390)
		fail_msg("no sentence: %s", j.reason);
}

#define SSD(spec, depth) setup(0, spec, NULL, NULL, RW_RANDREAD, 16 * KIB, depth)

static void ninety_percent_passes_and_less_is_short(void **state)
{
	(void)state;
	SSD("gp3:500:6000:500", 64);
	phase(PH_STEADY, 30, 5401);
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
	has("5,401 IOPS is 90 % of the 6,000 IOPS that the volume's IOPS allows");
	has("more provisioned IOPS raise it, and a bs of 128k has its 500 MiB/s");
	assert_near(j.share, 0.9, 0.001);
	in.nr_phases = 0;
	phase(PH_STEADY, 30, 5350);
	judge(VERDICT_SHORT, BOUND_NONE);
	has("nothing seen here explains it");
}

static void a_burst_and_its_baseline_pass_together(void **state)
{
	(void)state;
	SSD("gp2:100", 32);
	m.time_scale = 100;
	phase(PH_BURST, 20, 3001);
	phase(PH_BASELINE, 20, 300);
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
	has("a burst of 3,001 IOPS for 33 m 20 s, then a baseline of 300 IOPS, as documented");
	has("unknown: no counter");
	assert_near(j.burst_end_s, 20, 1e-9);
	assert_false(j.not_sustained);
}

static void a_burst_that_ended_early_says_how_long_full_credits_last(void **state)
{
	(void)state;
	SSD("gp2:100", 32);
	m.time_scale = 100;
	phase(PH_BURST, 10, 3000);
	phase(PH_BASELINE, 20, 300);
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
	has("for 16 m 40 s (33 m 20 s from full credits)");
	m.credits_told = true;
	judge(VERDICT_SHORT, BOUND_VOLUME_IOPS);
	has("ended after 16 m 40 s");
	has("where 33 m 20 s were due");
}

static void a_run_that_ends_inside_the_burst_is_not_proven_sustained(void **state)
{
	(void)state;
	SSD("gp2:100", 32);
	phase(PH_STEADY, 30, 3000);
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
	has("not proven sustained: burst credit was being spent and the baseline of 300 IOPS was not reached");
	has("run longer than 33 m 20 s");
	assert_true(j.not_sustained);
	m.time_scale = 100; /* told in the volume's time, as all texts; a runtime counts the clock's */
	ph[0].end_s = m.seconds = 10;
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
	has("run longer than 33 m 20 s (20 s of the clock)");
}

static void a_series_that_opens_at_the_baseline_counts_as_spent(void **state)
{
	(void)state;
	SSD("gp2:100", 32);
	phase(PH_STEADY, 30, 301);
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
	has("no burst seen");
	has("assumed full, count as spent");
	assert_true(j.seen_spent);
	assert_near(j.expected_iops, 300, 0);
	m.credits_told = true;
	judge(VERDICT_SHORT, BOUND_VOLUME_IOPS);
	has("the credits are spent");
}

static void credits_that_earlier_tests_spent_are_not_called_assumed(void **state)
{
	(void)state;
	SSD("gp2:100", 32);
	m.time_scale = 100;
	struct workload wl;
	workload_init(&wl);
	wl.rw = RW_RANDREAD;
	wl.bs = 16 * KIB;
	struct model_input mi = { .volumes = &ex[0].volumes, .wl = &wl, .host_credits = { NAN, NAN }, .credits = 0.0001 };
	struct expectation later;
	model_expect(&mi, &later);
	ex[0] = later;
	phase(PH_STEADY, 30, 300);
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
	has("300 IOPS is 100 % of the 300 IOPS");
	assert_false(j.seen_spent);
	mi.volumes = &later.volumes;
	mi.credits = 0.4;
	model_expect(&mi, &ex[0]);
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
	has("thought to be at 40 %, count as spent");
}

static void too_little_of_a_running_test_is_not_judged(void **state)
{
	(void)state;
	SSD("gp3:500", 32);
	phase(PH_STEADY, 0.3, 3000);
	in.running = true;
	judge(VERDICT_UNKNOWN, BOUND_NONE);
	has("too little is measured yet");
}

static void a_queue_too_shallow_is_named_with_the_depth_it_needs(void **state)
{
	(void)state;
	SSD("gp3:500:16000:1000", 1);
	phase(PH_STEADY, 5, 1000);
	judge(VERDICT_SHORT, BOUND_IODEPTH);
	has("iodepth 1 is too shallow");
	has("needs a depth of 16");
	in.nr_phases = 0;
	phase(PH_STEADY, 5, 994); /* as it is measured: a little of the program is in each latency */
	judge(VERDICT_SHORT, BOUND_IODEPTH);
	has("needs a depth of 16");
	in.nr_phases = 0;
	phase(PH_STEADY, 5, 1 / 0.0006);
	judge(VERDICT_SHORT, BOUND_IODEPTH);
	has("at 600 µs");
	has("needs a depth of 10");
}

static void a_long_latency_is_no_shallow_queue(void **state)
{
	(void)state;
	SSD("gp3:500:16000:1000", 32);
	phase(PH_STEADY, 30, 3000);
	judge(VERDICT_SHORT, BOUND_NONE);
}

static void the_clients_cpu_is_not_the_volume(void **state)
{
	(void)state;
	SSD("gp3:500:16000:1000", 64);
	phase(PH_STEADY, 30, 9000);
	m.cpu_bound = true;
	judge(VERDICT_SHORT, BOUND_CPU);
	has("client CPU is the limit, not the volume");
	m.cpu_throttled = 0.62;
	judge(VERDICT_SHORT, BOUND_CPU);
	has("throttled in 62 % of its periods");
}

static void a_cached_figure_is_not_judged(void **state)
{
	(void)state;
	SSD("gp3:500", 32);
	phase(PH_STEADY, 30, 90000);
	m.cached = TRI_TRUE;
	m.moved_share = 0.02;
	judge(VERDICT_UNKNOWN, BOUND_NONE);
	has("cached: storage moved 2 % of the bytes");
	assert_true(isnan(j.expected_iops));
}

static void nothing_is_judged_that_cannot_be(void **state)
{
	(void)state;
	SSD("gp3:500", 32);
	phase(PH_STEADY, 0.3, 3000);
	m.too_short = true;
	judge(VERDICT_UNKNOWN, BOUND_NONE);
	has("too short to judge");
	m.too_short = false;
	m.seconds = 30;
	ph[0].end_s = 30;
	m.optimizing = 37;
	judge(VERDICT_UNKNOWN, BOUND_NONE);
	has("optimizing (37 % done)");
	m.optimizing = -1;
	m.failed = true;
	judge(VERDICT_UNKNOWN, BOUND_NONE);
	m.failed = false;
	in.nr_phases = 0;
	m.iops = NAN;
	judge(VERDICT_UNKNOWN, BOUND_NONE);
	has("nothing was measured");
}

static void without_a_volume_figures_are_told_and_not_judged(void **state)
{
	(void)state;
	SSD("gp3:500", 32);
	in.expect = NULL;
	phase(PH_STEADY, 30, 3000);
	judge(VERDICT_UNKNOWN, BOUND_NONE);
	has("no volume is known, so 3,000 IOPS (46.9 MiB/s) is not judged; name it with --volume");
	in.nr_phases = 0;
	phase(PH_BURST, 60, 260 * 64);
	phase(PH_BASELINE, 240, 128 * 64);
	judge(VERDICT_UNKNOWN, BOUND_NONE);
	has("(260 MiB/s) that fell to 8,192 IOPS (128 MiB/s) after 1 m");
}

static void a_run_that_ends_before_its_schedule_falls_is_not_proven_sustained(void **state)
{
	struct shape shape = { .nr_steps = 0 };
	struct err err;

	(void)state;
	SSD("gp3:500", 32);
	in.expect = NULL;
	phase(PH_STEADY, 30, 260 * 64);
	assert_int_equal(shape_parse(&shape, "260MiBps@60s,128MiBps", &err), 0);
	measured_schedule(&m, &shape);
	judge(VERDICT_UNKNOWN, BOUND_NONE);
	has("not proven sustained: burst credit was being spent, and the shape falls to 128 MiB/s after 1 m");
}

static void over_the_documented_ceiling_is_above(void **state)
{
	(void)state;
	SSD("gp2:30", 32);
	m.time_scale = 100;
	phase(PH_BURST, 19, 3000);
	phase(PH_BASELINE, 20, 380);
	judge(VERDICT_ABOVE, BOUND_NONE);
	has("380 IOPS is 380 % of the 100 IOPS that is documented");
	has("merged or striped I/O");
}

static void a_simulation_that_nothing_holds_to_the_volume_says_so(void **state)
{
	(void)state;
	SSD("gp3:100", 32);
	m.unheld = true;
	phase(PH_STEADY, 20, 9000000);
	judge(VERDICT_ABOVE, BOUND_NONE);
	has("nothing holds it to the volume; --shape does");
}

static void a_burst_that_never_ends_is_above(void **state)
{
	(void)state;
	SSD("gp2:100", 32);
	phase(PH_STEADY, 3600, 3000);
	judge(VERDICT_ABOVE, BOUND_NONE);
	has("should have fallen to 300 IOPS after 33 m 20 s");
}

static void a_tasks_figure_is_a_floor_and_never_makes_above(void **state)
{
	(void)state;
	setup(0, "gp3:500:16000:1000", NULL, "2:4", RW_RANDREAD, 16 * KIB, 64);
	phase(PH_STEADY, 30, 2800);
	judge(VERDICT_PASS, BOUND_HOST_IOPS);
	in.nr_phases = 0;
	phase(PH_STEADY, 30, 15900);
	judge(VERDICT_PASS, BOUND_HOST_IOPS);
	has("baseline to plan with, which is no cap");
	in.nr_phases = 0;
	phase(PH_STEADY, 30, 18000);
	judge(VERDICT_ABOVE, BOUND_NONE);
}

static void an_instance_that_holds_is_named_and_the_volumes_are_innocent(void **state)
{
	(void)state;
	setup(0, "10*gp2:20", "m5.large", NULL, RW_RANDREAD, 16 * KIB, 256);
	m.time_scale = 100;
	phase(PH_BURST, 18, 18700);
	phase(PH_BURST, 84.81, 3600);
	judge(VERDICT_PASS, BOUND_HOST_IOPS);
	has("bound by the instance (burst spent): 18,700 IOPS for 30 m");
	has("the next fall, to 1,000 IOPS, was not reached");
	phase(PH_BASELINE, 50, 1000);
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
}

static void an_instance_cap_passes_and_says_that_faster_volumes_will_not_help(void **state)
{
	(void)state;
	setup(0, "io2:2TiB:64000", "m5.4xlarge", NULL, RW_RANDREAD, 16 * KIB, 256);
	phase(PH_STEADY, 30, 18700);
	judge(VERDICT_PASS, BOUND_HOST_IOPS);
	has("bound by the instance");
	has("by itself could do 64,000 IOPS");
	has("will not help");
}

static void a_counter_proves_and_its_absence_proves_nothing(void **state)
{
	(void)state;
	SSD("gp3:500:3000:125", 32);
	phase(PH_STEADY, 30, 2900);
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
	has("unknown: no counter");
	assert_null(strstr(j.reason, "not limited (proven)"));
	assert_int_equal(j.proof, PROOF_UNKNOWN);
	counters = (struct limit_seconds){ .known = true };
	in.counters = &counters;
	judge(VERDICT_PASS, BOUND_NONE);
	has("not limited (proven)");
	counters.s[0] = 28;
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
	has("; limited (proven): over the volume's IOPS for 28 s of 30 s");
	counters.s[0] = 0;
	counters.s[3] = 20;
	in.nr_phases = 0;
	phase(PH_STEADY, 30, 1500);
	judge(VERDICT_SHORT, BOUND_HOST_BW);
	has("the instance binds");
	assert_string_equal(proof_text(PROOF_UNKNOWN), "unknown: no counter");
}

static void what_others_took_explains_a_shortage(void **state)
{
	(void)state;
	SSD("gp3:500", 32);
	phase(PH_STEADY, 30, 2000);
	m.others_iops = 980;
	judge(VERDICT_SHORT, BOUND_NONE);
	has("others took 980 IOPS of the device");
}

static void a_volume_from_a_snapshot_is_not_called_slow(void **state)
{
	(void)state;
	SSD("gp3:500", 32);
	phase(PH_STEADY, 30, 400);
	m.initializing = true;
	judge(VERDICT_SHORT, BOUND_NONE);
	has("being initialized");
}

static void a_rate_that_falls_where_none_is_due_is_short(void **state)
{
	(void)state;
	SSD("gp3:500", 32);
	phase(PH_BURST, 30, 3000);
	phase(PH_BASELINE, 30, 1000);
	judge(VERDICT_SHORT, BOUND_NONE);
	has("it fell from 3,000 IOPS to 1,000 IOPS after 30 s");
}

static void between_knob_turns_each_stretch_has_its_own_expectation(void **state)
{
	(void)state;
	setup(1, "gp3:500:3000:125", NULL, NULL, RW_RANDREAD, 256 * KIB, 32);
	SSD("gp3:500:3000:125", 32);
	in.nr_segments = 2;
	phase(PH_STEADY, 10, 3000);
	phase(PH_STEADY, 10, 500);
	ph[1].segment = 1;
	judge(VERDICT_PASS, BOUND_VOLUME_BW);
	has("from 10 s to 20 s: 125 MiB/s is 100 % of the 125 MiB/s");
	ph[1].iops = 250;
	judge(VERDICT_SHORT, BOUND_NONE);
	has("from 10 s to 20 s: 62.5 MiB/s");
}

static void a_burst_is_as_long_as_the_volumes_time_ran_in_its_own_stretch(void **state)
{
	static const double scale[] = { 10, 100 };

	(void)state;
	setup(1, "gp2:100", NULL, NULL, RW_RANDREAD, 16 * KIB, 32);
	SSD("gp2:100", 32);
	in.nr_segments = 2;
	in.time_scale = scale;
	m.time_scale = 10; /* as the run began */
	phase(PH_STEADY, 10, 3001);
	phase(PH_BURST, 20, 3001);
	phase(PH_BASELINE, 20, 300);
	ph[1].segment = ph[2].segment = 1;
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
	has("from 10 s to 50 s of the clock: ");
	has("a burst of 3,001 IOPS for 33 m 20 s, then a baseline of 300 IOPS, as documented");
}

static void a_pause_in_a_watched_load_is_not_the_volumes(void **state)
{
	(void)state;
	SSD("gp3:500", 32);
	phase(PH_STEADY, 20, 2990);
	phase(PH_STEADY, 20, 0);
	judge(VERDICT_SHORT, BOUND_NONE);
	m.watched = true;
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
	in.nr_phases = 0;
	phase(PH_STEADY, 20, 0);
	judge(VERDICT_UNKNOWN, BOUND_NONE);
	has("idle");
}

static void a_ramp_is_not_judged(void **state)
{
	(void)state;
	SSD("gp3:500", 32);
	phase(PH_RAMP, 2, 100);
	phase(PH_STEADY, 28, 3000);
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
}

static void without_phases_the_mean_is_judged(void **state)
{
	(void)state;
	SSD("gp3:500", 32);
	m.iops = 2990;
	m.bw = 2990 * 16384;
	m.seconds = 5;
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
}

static void small_sequential_io_is_judged_by_the_least_and_the_most(void **state)
{
	(void)state;
	setup(0, "gp3:500:3000:125", NULL, NULL, RW_READ, 16 * KIB, 32);
	phase(PH_STEADY, 10, 2750);
	judge(VERDICT_PASS, ex[0].curve[0].rate.bound);
	in.nr_phases = 0;
	phase(PH_STEADY, 10, 8000);
	judge(VERDICT_PASS, ex[0].curve[0].rate.bound);
	in.nr_phases = 0;
	phase(PH_STEADY, 10, 9000);
	judge(VERDICT_ABOVE, BOUND_NONE);
}

static void between_nothing_and_all_merged_both_ends_are_told_and_no_limit_is_exceeded(void **state)
{
	(void)state;
	setup(0, "gp3:500:3000:125", NULL, NULL, RW_WRITE, 32 * KIB, 8);
	phase(PH_STEADY, 10, 3776);
	judge(VERDICT_PASS, BOUND_VOLUME_BW);
	has("118 MiB/s is 94 % of the 125 MiB/s that the volume's throughput allows");
	in.nr_phases = 0;
	phase(PH_STEADY, 10, 3200);
	judge(VERDICT_PASS, BOUND_VOLUME_BW);
	has("100 MiB/s lies between the 93.8 MiB/s (nothing merged) and the 125 MiB/s (all merged) that the volume's "
	    "throughput allows");
	has("with a bs of 256k nothing is left to merge");
	in.nr_phases = 0;
	phase(PH_STEADY, 10, 1500);
	judge(VERDICT_SHORT, BOUND_NONE);
	has("is 50 % of the 93.8 MiB/s (nothing merged) that");
	in.nr_phases = 0;
	ex[0].iodepth = 1;
	phase(PH_STEADY, 10, 1000);
	judge(VERDICT_SHORT, BOUND_IODEPTH);
	has("31.2 MiB/s is 33 % of 93.8 MiB/s (nothing merged): iodepth 1 is too shallow, at 1.00 ms an I/O that rate needs "
	    "a depth of 3");
	setup(0, "st1:1024", NULL, NULL, RW_READ, 128 * KIB, 8);
	phase(PH_STEADY, 10, 792);
	judge(VERDICT_PASS, BOUND_VOLUME_BW);
	has("99 MiB/s lies between the 31.2 MiB/s (nothing merged) and the 250 MiB/s (all merged) that the volume's "
	    "throughput allows, but the rate is not proven sustained");
	setup(0, "standard:100", NULL, NULL, RW_RANDREAD, 4 * KIB, 8);
	phase(PH_STEADY, 10, 99);
	judge(VERDICT_PASS, BOUND_VOLUME_IOPS);
	has("99 IOPS lies between the 40 IOPS and the 200 IOPS that the volume's IOPS allows");
}

static void what_is_proposed_next_would_raise_the_limit(void **state)
{
	static const struct {
		const char *spec, *instance, *task;
		enum rw	    rw;
		uint64_t    bs;
		const char *next;
	} rows[] = {
		{ "gp3:2000:16000:1000", NULL, NULL, RW_RANDREAD, 16 * KIB, "; more provisioned IOPS raise it, and a bs of 64k has" },
		{ "gp3:2000:16000:1000", NULL, NULL, RW_RANDREAD, 64 * KIB,
		  "; only more provisioned IOPS and more throughput together raise it" },
		{ "gp3:2000:16000:1000", NULL, NULL, RW_READ, MIB, "; more provisioned throughput raises it" },
		{ "gp3:2000:4000:1000", NULL, NULL, RW_READ, MIB,
		  "; only more provisioned IOPS and more throughput together raise it" },
		{ "gp3:20:10000:125", NULL, NULL, RW_RANDREAD, 4 * KIB, "; more provisioned IOPS raise it, and take a larger volume" },
		{ "gp3:200:80000:125", NULL, NULL, RW_RANDREAD, 512, "; gp3 has no more: io2, or several volumes joined, raise it" },
		{ "gp3:200:80000:2000", NULL, NULL, RW_READ, MIB, "; gp3 has no more: io2, or several volumes joined, raise it" },
		{ "io2:300:256000", NULL, NULL, RW_RANDREAD, 4 * KIB, "; io2 has no more: several volumes joined raise it" },
		{ "io2:300:16000", NULL, NULL, RW_RANDREAD, 256 * KIB, "; io2 has no more: several volumes joined raise it" },
		{ "io2:300:8000", NULL, NULL, RW_RANDREAD, 16 * KIB, "; more provisioned IOPS raise it, and a bs of 256k has" },
		{ "io1:2000:32000", NULL, NULL, RW_READ, MIB, "; more than 32,000 provisioned IOPS raise it" },
		{ "io1:2000:48000", NULL, NULL, RW_RANDREAD, 16 * KIB, "; more provisioned IOPS raise it" },
		{ "io1:2000:64000", "m4.16xlarge", NULL, RW_RANDREAD, 4 * KIB, "; an instance that is Nitro raises it" },
		{ "gp2:100", NULL, NULL, RW_RANDREAD, 16 * KIB, "; a larger volume, or gp3 with more IOPS, raises it" },
		{ "gp2:6000", NULL, NULL, RW_RANDREAD, 4 * KIB, "; gp3 with more IOPS raises it" },
		{ "gp2:6000", NULL, NULL, RW_RANDREAD, 16 * KIB, "; only gp3 with more IOPS and more throughput raises it" },
		{ "st1:1024", NULL, NULL, RW_RANDREAD, 4 * KIB, "; larger I/Os, up to 1m, raise it" },
		{ "st1:1024", NULL, NULL, RW_READ, MIB, "; a larger volume raises it, up to the type's cap" },
		{ "sc1:16384", NULL, NULL, RW_READ, MIB, "; sc1 has no more: gp3, or several volumes joined, raise it" },
		{ "gp3:500:16000", NULL, "2:4", RW_RANDREAD, 16 * KIB,
		  "; a larger task raises it, more or faster volumes will not help" },
		{ "gp3:500:16000:500", NULL, "16:32", RW_RANDREAD, 16 * KIB,
		  "; no task is larger, and more or faster volumes will not help" },
		{ "4*gp3:2000:16000:1000", NULL, NULL, RW_RANDREAD, 64 * KIB,
		  "; only more provisioned IOPS and more throughput together raise it" },
		{ "gp3:500:16000", "m4.large", NULL, RW_RANDREAD, 4 * KIB,
		  "; a larger instance raises it, more or faster volumes will not help" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		setup(0, rows[i].spec, rows[i].instance, rows[i].task, rows[i].rw, rows[i].bs, 256);
		in.nr_phases = 0;
		if (ex[0].nr_curve > 1) {
			m.time_scale = 1000;
			phase(PH_BURST, ex[0].curve[0].end_s / 1000, ex[0].curve[0].rate.iops);
		}
		phase(PH_STEADY, 10, ex[0].baseline.iops);
		verdict_judge(&in, &j);
		assert_int_equal(j.verdict, VERDICT_PASS);
		has(rows[i].next);
	}
}

static void while_the_instance_bursts_more_volumes_are_said_not_to_help(void **state)
{
	(void)state;
	setup(0, "5*gp2:20", "m5.large", NULL, RW_READ, 128 * KIB, 256);
	phase(PH_STEADY, 30, 4500);
	judge(VERDICT_PASS, BOUND_HOST_BW);
	has("bound by the instance: 562 MiB/s is 99 % of the 566 MiB/s that m5.large's EBS throughput allows");
	has("could do 640 MiB/s, so more volumes will not help");
	has("rate not proven sustained: burst credit was being spent");
	m.time_scale = 1.001;
	judge(VERDICT_PASS, BOUND_HOST_BW);
	has("run longer than 30 m 00 s (29 m 59 s of the clock)");
	m.time_scale = 1.0001;
	judge(VERDICT_PASS, BOUND_HOST_BW);
	assert_null(strstr(j.reason, "of the clock"));
}

static void a_hard_disk_volume_is_told_in_mib(void **state)
{
	(void)state;
	setup(0, "st1:1024", NULL, NULL, RW_READ, MIB, 8);
	m.time_scale = 200;
	phase(PH_BURST, 25, 250);
	phase(PH_BASELINE, 20, 40);
	judge(VERDICT_PASS, BOUND_VOLUME_BW);
	has("a burst of 250 MiB/s");
	has("a baseline of 40 MiB/s");
}

static void a_run_takes_the_worst_verdict_of_its_tests(void **state)
{
	(void)state;
	assert_int_equal(verdict_worst(VERDICT_PASS, VERDICT_SHORT), VERDICT_SHORT);
	assert_int_equal(verdict_worst(VERDICT_ABOVE, VERDICT_UNKNOWN), VERDICT_ABOVE);
	assert_int_equal(verdict_worst(VERDICT_NONE, VERDICT_PASS), VERDICT_PASS);
}

static void a_result_fills_what_it_knows(void **state)
{
	struct result *r = result_new();

	(void)state;
	assert_non_null(r);
	r->start_s = 3;
	r->runtime_s = 10;
	r->all.iops = 100;
	r->all.bytes = 1000;
	r->moved_share = 0.02;
	r->cached = TRI_TRUE;
	measured_init(&m);
	measured_of_result(&m, r);
	assert_near(m.start_s, 3, 0);
	assert_near(m.moved_share, 0.02, 1e-12);
	assert_int_equal(m.cached, TRI_TRUE);
	assert_false(m.other_unit);
	r->kind = TEST_FILE;
	measured_of_result(&m, r);
	assert_true(m.other_unit);
	result_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ninety_percent_passes_and_less_is_short),
		cmocka_unit_test(a_burst_and_its_baseline_pass_together),
		cmocka_unit_test(a_burst_that_ended_early_says_how_long_full_credits_last),
		cmocka_unit_test(a_run_that_ends_inside_the_burst_is_not_proven_sustained),
		cmocka_unit_test(a_series_that_opens_at_the_baseline_counts_as_spent),
		cmocka_unit_test(credits_that_earlier_tests_spent_are_not_called_assumed),
		cmocka_unit_test(too_little_of_a_running_test_is_not_judged),
		cmocka_unit_test(a_queue_too_shallow_is_named_with_the_depth_it_needs),
		cmocka_unit_test(a_long_latency_is_no_shallow_queue),
		cmocka_unit_test(the_clients_cpu_is_not_the_volume),
		cmocka_unit_test(a_cached_figure_is_not_judged),
		cmocka_unit_test(nothing_is_judged_that_cannot_be),
		cmocka_unit_test(without_a_volume_figures_are_told_and_not_judged),
		cmocka_unit_test(a_run_that_ends_before_its_schedule_falls_is_not_proven_sustained),
		cmocka_unit_test(over_the_documented_ceiling_is_above),
		cmocka_unit_test(a_simulation_that_nothing_holds_to_the_volume_says_so),
		cmocka_unit_test(a_burst_that_never_ends_is_above),
		cmocka_unit_test(a_tasks_figure_is_a_floor_and_never_makes_above),
		cmocka_unit_test(an_instance_that_holds_is_named_and_the_volumes_are_innocent),
		cmocka_unit_test(an_instance_cap_passes_and_says_that_faster_volumes_will_not_help),
		cmocka_unit_test(a_counter_proves_and_its_absence_proves_nothing),
		cmocka_unit_test(what_others_took_explains_a_shortage),
		cmocka_unit_test(a_volume_from_a_snapshot_is_not_called_slow),
		cmocka_unit_test(a_rate_that_falls_where_none_is_due_is_short),
		cmocka_unit_test(between_knob_turns_each_stretch_has_its_own_expectation),
		cmocka_unit_test(a_burst_is_as_long_as_the_volumes_time_ran_in_its_own_stretch),
		cmocka_unit_test(a_pause_in_a_watched_load_is_not_the_volumes),
		cmocka_unit_test(a_ramp_is_not_judged),
		cmocka_unit_test(without_phases_the_mean_is_judged),
		cmocka_unit_test(small_sequential_io_is_judged_by_the_least_and_the_most),
		cmocka_unit_test(between_nothing_and_all_merged_both_ends_are_told_and_no_limit_is_exceeded),
		cmocka_unit_test(what_is_proposed_next_would_raise_the_limit),
		cmocka_unit_test(while_the_instance_bursts_more_volumes_are_said_not_to_help),
		cmocka_unit_test(a_hard_disk_volume_is_told_in_mib),
		cmocka_unit_test(a_run_takes_the_worst_verdict_of_its_tests),
		cmocka_unit_test(a_result_fills_what_it_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
