/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>

#include "engine/counters.h"
#include "engine/worker.h"

#define SIZES	  6  /* a knob's turns: as many sizes as that, one after the other */
#define PER_SIZE  (1 << 20)
#define BATCH	  32

static const uint64_t size_of[SIZES] = { 4096, 16384, 4096, 512, 1 << 20, 8192 };

static void *work(void *arg)
{
	struct worker *w = arg;
	uint64_t now = 0;

	for (int i = 0; i < SIZES; i++) {
		for (uint64_t n = 0; n < PER_SIZE; n += BATCH, now += 1000)
			worker_count(w, DDIR_READ, BATCH, size_of[i], now, now, now, now + 2000 + n % 4096);
	}
	return NULL;
}

/* The bytes of the first @p ios I/Os. */
static uint64_t bytes_of(uint64_t ios)
{
	uint64_t sum = 0;

	for (int i = 0; i < SIZES && ios; i++) {
		uint64_t n = ios < PER_SIZE ? ios : PER_SIZE;

		sum += n * size_of[i];
		ios -= n;
	}
	return sum;
}

static void a_reading_of_a_worker_that_counts_on_has_the_bytes_of_the_very_ios_that_it_has(void **state)
{
	struct counters *c = aligned_alloc(64, (sizeof(*c) + 63) & ~(size_t)63);
	struct worker w = { .counters = c };
	struct totals *t = malloc(sizeof(*t));
	pthread_t thread;

	(void)state;
	counters_init(c);
	assert_int_equal(pthread_create(&thread, NULL, work, &w), 0);
	do {
		totals_init(t);
		totals_add(t, c);
		assert_int_equal(t->dir[DDIR_READ].ios, t->dir[DDIR_READ].lat.count);
		assert_int_equal(t->dir[DDIR_READ].bytes, bytes_of(t->dir[DDIR_READ].ios));
		assert_int_equal(t->dir[DDIR_WRITE].ios + t->dir[DDIR_WRITE].bytes, 0);
	} while (t->dir[DDIR_READ].ios < SIZES * (uint64_t)PER_SIZE);
	pthread_join(thread, NULL);
	free(t);
	free(c);
}

static void sizes_that_change_with_each_io_and_ios_of_no_bytes_add_up(void **state)
{
	struct counters *c = aligned_alloc(64, (sizeof(*c) + 63) & ~(size_t)63);
	struct worker w = { .counters = c };
	struct counted now;
	uint64_t sum = 0;

	(void)state;
	counters_init(c);
	counters_read(c, DDIR_WRITE, &now);
	assert_int_equal(now.ios + now.bytes + now.lat.count, 0);
	for (uint64_t i = 0; i < 1000; i++) {
		sum += i * i % 7 * 1000;
		worker_count_lat(&w, DDIR_WRITE, 1, i * i % 7 * 1000, 50);
	}
	counters_read(c, DDIR_WRITE, &now);
	assert_int_equal(now.ios, 1000);
	assert_int_equal(now.bytes, sum);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reading_of_a_worker_that_counts_on_has_the_bytes_of_the_very_ios_that_it_has),
		cmocka_unit_test(sizes_that_change_with_each_io_and_ios_of_no_bytes_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
