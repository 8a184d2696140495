/* SPDX-License-Identifier: MIT */
#include "engine/pattern.h"

#include <assert.h>

void pattern_new_pass(struct pattern *p)
{
	p->counter = 0;
	for (int i = 0; i < 3; i++) {
		p->mul[i] = pattern_random(&p->rng) | 1;
		p->add[i] = pattern_random(&p->rng);
	}
}

void pattern_set_bs(struct pattern *p, uint64_t bs)
{
	unsigned bits = 2; /* of a fold by half of them something must be left */

	assert(bs > 0 && bs <= p->span);
	p->bs = bs;
	if (!p->random)
		return;
	p->blocks = p->span / bs;
	while ((p->blocks - 1) >> bits)
		bits++;
	p->mask = ((uint64_t)1 << bits) - 1;
	p->fold = bits / 2;
	pattern_new_pass(p);
}

void pattern_set_mix(struct pattern *p, uint64_t rwmixread)
{
	p->read_below = (rwmixread << 32) / 100;
}

void pattern_init(struct pattern *p, const struct workload *wl, uint64_t base, uint64_t span, uint64_t seed)
{
	*p = (struct pattern){
		.base = base,
		.span = span,
		.random = rw_is_rand(wl->rw),
		.mixed = rw_reads(wl->rw) && rw_writes(wl->rw),
		.only = rw_writes(wl->rw) ? DDIR_WRITE : DDIR_READ,
		.rng = seed,
	};
	pattern_set_mix(p, wl->rwmixread);
	pattern_set_bs(p, wl->bs);
	if (p->mixed)
		p->next[DDIR_WRITE] = span / 2 / wl->bs * wl->bs;
}
