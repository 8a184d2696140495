/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "engine/pattern.h"
#include "engine/units.h"

static struct workload of(enum rw rw, uint64_t bs)
{
	struct workload wl;

	workload_init(&wl);
	wl.rw = rw;
	wl.bs = bs;
	return wl;
}

static void sequential_goes_on_block_by_block_and_starts_again_at_the_end(void **state)
{
	struct workload wl = of(RW_READ, 4096);
	struct pattern p;

	(void)state;
	pattern_init(&p, &wl, 65536, 3 * 4096 + 512, 1);
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(pattern_ddir(&p), DDIR_READ);
		assert_int_equal(pattern_offset(&p, DDIR_READ), 65536 + i % 3 * 4096);
	}
}

/* Every block of a region once in each of two passes, whatever the number of blocks. */
static void covers(uint64_t blocks)
{
	struct workload wl = of(RW_RANDREAD, 512);
	unsigned char *seen = calloc(blocks, 1);
	struct pattern p;

	pattern_init(&p, &wl, 4096, blocks * 512 + 100, 7);
	for (unsigned pass = 1; pass <= 2; pass++) {
		for (uint64_t i = 0; i < blocks; i++) {
			uint64_t at = pattern_offset(&p, DDIR_READ) - 4096;

			assert_int_equal(at % 512, 0);
			assert_true(at / 512 < blocks);
			assert_int_equal(++seen[at / 512], pass);
		}
	}
	free(seen);
}

static void random_touches_every_block_once_before_any_twice(void **state)
{
	static const uint64_t sizes[] = { 1, 2, 3, 4, 5, 63, 64, 65, 1000, 4096, 10007 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		covers(sizes[i]);
}

static void random_blocks_do_not_follow_each_other(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096);
	uint64_t last = 0, neighbours = 0, n = 50000;
	struct pattern p;

	(void)state;
	pattern_init(&p, &wl, 0, GIB, 1);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = pattern_offset(&p, DDIR_READ) / 4096;

		neighbours += at - last + 8 < 16;
		last = at;
	}
	/* 16 of 262,144 places are near: 3 of 50,000 by chance. */
	assert_true(neighbours < 15);
}

static void random_is_spread_evenly_from_the_first_blocks_on(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096);
	unsigned in[16] = { 0 };
	struct pattern p;

	(void)state;
	pattern_init(&p, &wl, 0, GIB, 3);
	for (unsigned i = 0; i < 16000; i++)
		in[pattern_offset(&p, DDIR_READ) / (GIB / 16)]++;
	for (unsigned i = 0; i < 16; i++)
		assert_true(in[i] > 800 && in[i] < 1200);
}

static void the_same_seed_gives_the_same_offsets_and_another_gives_others(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096);
	struct pattern a, b, c;
	unsigned same = 0;

	(void)state;
	pattern_init(&a, &wl, 0, GIB, 5);
	pattern_init(&b, &wl, 0, GIB, 5);
	pattern_init(&c, &wl, 0, GIB, 6);
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t at = pattern_offset(&a, DDIR_READ);

		assert_int_equal(at, pattern_offset(&b, DDIR_READ));
		same += at == pattern_offset(&c, DDIR_READ);
	}
	assert_true(same < 5);
}

static double share_of_reads(struct pattern *p)
{
	unsigned reads = 0;

	for (unsigned i = 0; i < 100000; i++)
		reads += pattern_ddir(p) == DDIR_READ;
	return reads / 100000.0;
}

static void a_mix_has_the_share_of_reads_that_was_asked_for(void **state)
{
	struct workload wl = of(RW_RANDRW, 4096);
	struct pattern p;

	(void)state;
	wl.rwmixread = 70;
	pattern_init(&p, &wl, 0, GIB, 1);
	double share = share_of_reads(&p);
	assert_true(share > 0.69 && share < 0.71);
	pattern_set_mix(&p, 10);
	share = share_of_reads(&p);
	assert_true(share > 0.09 && share < 0.11);
	pattern_set_mix(&p, 100);
	assert_true(share_of_reads(&p) == 1);
	pattern_set_mix(&p, 0);
	assert_true(share_of_reads(&p) == 0);
}

static void a_test_that_only_reads_never_writes_whatever_the_mix(void **state)
{
	struct workload wl = of(RW_RANDREAD, 4096);
	struct pattern p;

	(void)state;
	pattern_init(&p, &wl, 0, GIB, 1);
	pattern_set_mix(&p, 0);
	assert_true(share_of_reads(&p) == 1);
}

static void reads_and_writes_of_a_sequential_mix_are_streams_of_their_own(void **state)
{
	struct workload wl = of(RW_RW, 4096);
	struct pattern p;

	(void)state;
	pattern_init(&p, &wl, 0, 8 * 4096, 1);
	assert_int_equal(pattern_offset(&p, DDIR_READ), 0);
	assert_int_equal(pattern_offset(&p, DDIR_WRITE), 4 * 4096);
	assert_int_equal(pattern_offset(&p, DDIR_READ), 4096);
	assert_int_equal(pattern_offset(&p, DDIR_WRITE), 5 * 4096);
}

static void a_new_block_size_stays_within_the_region(void **state)
{
	static const uint64_t sizes[] = { 512, 65536, 4096, 98304 };
	struct workload wl = of(RW_RANDREAD, 4096);
	struct pattern p;

	(void)state;
	for (int random = 0; random < 2; random++) {
		wl.rw = random ? RW_RANDREAD : RW_READ;
		pattern_init(&p, &wl, 512, 98304, 1);
		for (unsigned i = 0; i < 400; i++) {
			if (i % 7 == 0)
				pattern_set_bs(&p, sizes[i / 7 % 4]);
			uint64_t at = pattern_offset(&p, DDIR_READ);

			assert_true(at >= 512 && at + p.bs <= 512 + 98304);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequential_goes_on_block_by_block_and_starts_again_at_the_end),
		cmocka_unit_test(random_touches_every_block_once_before_any_twice),
		cmocka_unit_test(random_blocks_do_not_follow_each_other),
		cmocka_unit_test(random_is_spread_evenly_from_the_first_blocks_on),
		cmocka_unit_test(the_same_seed_gives_the_same_offsets_and_another_gives_others),
		cmocka_unit_test(a_mix_has_the_share_of_reads_that_was_asked_for),
		cmocka_unit_test(a_test_that_only_reads_never_writes_whatever_the_mix),
		cmocka_unit_test(reads_and_writes_of_a_sequential_mix_are_streams_of_their_own),
		cmocka_unit_test(a_new_block_size_stays_within_the_region),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
