/* SPDX-License-Identifier: MIT */
#include "engine/suite.h"

#include <stdio.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/units.h"

/* A look at both directions in a few seconds: what `run` does when nothing else is asked. */
static const struct suite_step quick[] = {
	{ "seq-read", RW_READ, 1 * MIB, 8, 2 * NS_PER_SEC },
	{ "seq-write", RW_WRITE, 1 * MIB, 8, 2 * NS_PER_SEC },
	{ "rand-read", RW_RANDREAD, 16 * KIB, 32, 2 * NS_PER_SEC },
	{ "rand-write", RW_RANDWRITE, 16 * KIB, 32, 2 * NS_PER_SEC },
	{ 0 },
};

const struct suite suites[] = {
	{ "quick", "sequential 1m and random 16k, reads and writes, 2 s each", quick },
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

unsigned suite_steps(const struct suite *s, const struct workload *base, bool writes, struct step *out, unsigned max)
{
	unsigned n = 0;

	for (const struct suite_step *row = s->steps; row->name && n < max; row++) {
		if (!writes && rw_writes(row->rw))
			continue;
		struct step *o = &out[n++];
		*o = (struct step){ .kind = TEST_BLOCK, .wl = *base, .repeats = 1 };
		o->wl.rw = row->rw;
		o->wl.bs = row->bs;
		o->wl.iodepth = row->iodepth;
		o->wl.runtime_ns = row->runtime_ns;
		snprintf(o->name, sizeof(o->name), "%s", row->name);
		memcpy(o->wl.name, o->name, sizeof(o->wl.name));
	}
	return n;
}
