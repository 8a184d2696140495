/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_PATTERN_H
#define ENGINE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/workload.h"

/**
 * Where the next I/O goes and in which direction. One worker's, on one target; no division after set-up.
 *
 * Sequential: one block after the other through the region, then from its start again; reads and writes of a mix have
 * a position each, half a region apart, as two streams have.
 *
 * Random: as fio's default (its random map), a block is not touched again before all others of the region were: a
 * fresh permutation a pass. Nothing is remembered for it: a counter of k bits, 2^k the next power of two, goes through
 * a keyed bijection (multiply by an odd number, add, fold the upper half into the lower, three times), and results
 * beyond the region are skipped, fewer than one in two. Two workers on one region have keys of their own.
 */
struct pattern {
	uint64_t base, span;	/**< the region: bytes from base, span of them */
	uint64_t bs;		/**< bytes an I/O */
	bool	 random;
	bool	 mixed;		/**< reads and writes */
	enum ddir only;		/**< the direction, when not mixed */
	uint64_t rng;		/**< state of the generator of directions and keys */
	uint64_t read_below;	/**< mixed: of 2^32, a draw under it is a read */
	uint64_t next[DDIR_NR]; /**< sequential: next offset from base */
	uint64_t blocks;	/**< random: blocks of the region */
	uint64_t counter, mask; /**< random: of this pass */
	unsigned fold;
	uint64_t mul[3], add[3];
};

/**
 * @param base, span  the region, bytes; span at least bs
 * @param seed        of the directions and permutations: the same seed gives the same I/Os
 */
void pattern_init(struct pattern *p, const struct workload *wl, uint64_t base, uint64_t span, uint64_t seed);
/** Change the block size, > 0, at most span: sequential goes on where it was, random begins a new pass. */
void pattern_set_bs(struct pattern *p, uint64_t bs);
/** Percent of I/Os that read; without effect where the pattern only reads or only writes. */
void pattern_set_mix(struct pattern *p, uint64_t rwmixread);

/** A fresh permutation of the blocks. */
void pattern_new_pass(struct pattern *p);

/** 64 random bits (splitmix64). */
static inline uint64_t pattern_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/** The next direction. */
static inline enum ddir pattern_ddir(struct pattern *p)
{
	if (!p->mixed)
		return p->only;
	return pattern_random(&p->rng) >> 32 < p->read_below ? DDIR_READ : DDIR_WRITE;
}

static inline uint64_t pattern_permute(const struct pattern *p, uint64_t x)
{
	for (int i = 0; i < 3; i++) {
		x = (x * p->mul[i] + p->add[i]) & p->mask;
		x ^= x >> p->fold;
	}
	return x;
}

/** What a sequential pattern has left behind the last whole block, if it stands there: less than bs bytes; else 0. */
static inline uint64_t pattern_tail(const struct pattern *p, enum ddir ddir)
{
	return p->random || p->next[ddir] + p->bs <= p->span ? 0 : p->span - p->next[ddir];
}

/** The next offset on the target, bytes; the I/O of bs bytes there lies within the region. */
static inline uint64_t pattern_offset(struct pattern *p, enum ddir ddir)
{
	uint64_t at;

	if (!p->random) {
		at = p->next[ddir];
		if (at + p->bs > p->span)
			at = 0;
		p->next[ddir] = at + p->bs;
		return p->base + at;
	}
	do {
		if (p->counter > p->mask)
			pattern_new_pass(p);
		at = pattern_permute(p, p->counter++);
	} while (at >= p->blocks);
	return p->base + at * p->bs;
}

#endif
