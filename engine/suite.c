/* SPDX-License-Identifier: MIT */
#include "engine/suite.h"

#include <stdio.h>
#include <string.h>

#include "engine/bonnie.h"
#include "engine/clock.h"
#include "engine/dd.h"
#include "engine/touch.h"
#include "engine/units.h"

/* A look at both directions in a few seconds: what `run` does when nothing else is asked. */
static const struct suite_step quick[] = {
	{ "seq-read", RW_READ, 1 * MIB, 8, 2 * NS_PER_SEC },
	{ "seq-write", RW_WRITE, 1 * MIB, 8, 2 * NS_PER_SEC },
	{ "rand-read", RW_RANDREAD, 16 * KIB, 32, 2 * NS_PER_SEC },
	{ "rand-write", RW_RANDWRITE, 16 * KIB, 32, 2 * NS_PER_SEC },
	{ 0 },
};

/*
 * The tests of "Unlocking AWS Fargate feature for attaching Amazon EBS Volumes to ECS Tasks" (AWS Containers Blog, tests
 * of February 2023): 16 KiB random for SSD, 1 MiB sequential for HDD. Depths as AWS's own recipes for fio have them.
 */
static const struct suite_step fargate_ssd[] = {
	{ "rand-read-16k", RW_RANDREAD, 16 * KIB, 64, 20 * NS_PER_SEC },
	{ "rand-write-16k", RW_RANDWRITE, 16 * KIB, 64, 20 * NS_PER_SEC },
	{ 0 },
};
static const struct suite_step fargate_hdd[] = {
	{ "seq-read-1m", RW_READ, 1 * MIB, 8, 20 * NS_PER_SEC },
	{ "seq-write-1m", RW_WRITE, 1 * MIB, 8, 20 * NS_PER_SEC },
	{ 0 },
};

/* What people paste: queue depth Q, threads T. */
static const struct suite_step card[] = {
	{ "SEQ1M Q8T1 read", RW_READ, 1 * MIB, 8, 5 * NS_PER_SEC },
	{ "SEQ1M Q1T1 read", RW_READ, 1 * MIB, 1, 5 * NS_PER_SEC },
	{ "RND4K Q32T1 read", RW_RANDREAD, 4 * KIB, 32, 5 * NS_PER_SEC },
	{ "RND4K Q1T1 read", RW_RANDREAD, 4 * KIB, 1, 5 * NS_PER_SEC },
	{ "SEQ1M Q8T1 write", RW_WRITE, 1 * MIB, 8, 5 * NS_PER_SEC },
	{ "SEQ1M Q1T1 write", RW_WRITE, 1 * MIB, 1, 5 * NS_PER_SEC },
	{ "RND4K Q32T1 write", RW_RANDWRITE, 4 * KIB, 32, 5 * NS_PER_SEC },
	{ "RND4K Q1T1 write", RW_RANDWRITE, 4 * KIB, 1, 5 * NS_PER_SEC },
	{ 0 },
};

/* Where does more depth stop helping? */
static const struct suite_step sweep[] = {
	{ "depth-1", RW_RANDREAD, 16 * KIB, 1, 5 * NS_PER_SEC },     { "depth-2", RW_RANDREAD, 16 * KIB, 2, 5 * NS_PER_SEC },
	{ "depth-4", RW_RANDREAD, 16 * KIB, 4, 5 * NS_PER_SEC },     { "depth-8", RW_RANDREAD, 16 * KIB, 8, 5 * NS_PER_SEC },
	{ "depth-16", RW_RANDREAD, 16 * KIB, 16, 5 * NS_PER_SEC },   { "depth-32", RW_RANDREAD, 16 * KIB, 32, 5 * NS_PER_SEC },
	{ "depth-64", RW_RANDREAD, 16 * KIB, 64, 5 * NS_PER_SEC },   { "depth-128", RW_RANDREAD, 16 * KIB, 128, 5 * NS_PER_SEC },
	{ "depth-256", RW_RANDREAD, 16 * KIB, 256, 5 * NS_PER_SEC }, { 0 },
};

/* Once over the whole volume, as AWS's advice for volumes from snapshots has it (1 MiB, depth 32). */
static const struct suite_step first_touch[] = {
	{ TOUCH_SUITE, RW_READ, 1 * MIB, 32, 0 },
	{ 0 },
};

static unsigned make_dd(const struct suite_opts *o, struct step *out, unsigned max)
{
	return dd_steps(&o->base, false, o->dd_random, o->memory, out, max);
}

static unsigned make_dd_direct(const struct suite_opts *o, struct step *out, unsigned max)
{
	return dd_steps(&o->base, true, o->dd_random, o->memory, out, max);
}

const struct suite suites[] = {
	{ "quick", "sequential 1m and random 16k, reads and writes, 2 s each", 1, quick, NULL, NULL },
	{ "dd", "dd's seven tests of a new volume, with dd's own system calls, and what each really measures", 1, NULL, make_dd,
	  "dd-data" },
	{ "dd-direct", "the same sizes with O_DIRECT: the volume, not the page cache", 1, NULL, make_dd_direct, "dd-data" },
	{ "bonnie", "bonnie++'s tests: per-character, block, rewrite, seeks, files", 1, NULL, bonnie_steps,
	  "size direct per-char char-size files" },
	{ "fargate-ssd", "16 KiB random reads and writes, three times", 3, fargate_ssd, NULL, NULL },
	{ "fargate-hdd", "1 MiB sequential reads and writes, three times", 3, fargate_hdd, NULL, NULL },
	{ "card", "SEQ1M and RND4K at two depths, reads and writes, for a card to paste", 1, card, NULL, NULL },
	{ "sweep", "random 16k reads at iodepth 1 to 256: where more depth stops helping", 1, sweep, NULL, NULL },
	{ TOUCH_SUITE, "read a volume once, so that no block of it is cold: a map by the latency of the first read", 1, first_touch, NULL, NULL },
	{ 0 },
};

const struct suite *suite_find(const char *name)
{
	for (const struct suite *s = suites; s->name; s++) {
		if (strcmp(s->name, name) == 0)
			return s;
	}
	return NULL;
}

bool suite_takes(const struct suite *s, const char *option)
{
	return s && s->make ? word_in(s->options, option, strlen(option)) : workload_field_find(option) != NULL;
}

unsigned suite_steps(const struct suite *s, const struct suite_opts *opts, struct step *out, unsigned max)
{
	unsigned n = 0;

	if (s->make)
		return opts->writes ? s->make(opts, out, max) : 0;
	for (const struct suite_step *row = s->steps; row->name && n < max; row++) {
		if (!opts->writes && rw_writes(row->rw))
			continue;
		struct step *o = &out[n++];
		*o = (struct step){ .kind = TEST_BLOCK, .wl = opts->base, .repeats = s->repeats };
		o->wl.rw = row->rw;
		o->wl.bs = row->bs;
		o->wl.iodepth = row->iodepth;
		o->wl.runtime_ns = row->runtime_ns;
		snprintf(o->name, sizeof(o->name), "%s", row->name);
		memcpy(o->wl.name, o->name, sizeof(o->wl.name));
	}
	return n;
}
