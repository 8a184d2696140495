/* SPDX-License-Identifier: MIT */
/* How many forecasts, whole expectations and reservations a second of CPU gives: a line each. */
#include <stdio.h>

#include "aws/model.h"
#include "engine/clock.h"
#include "engine/units.h"

#define ROUNDS 1000000

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

static double a_second(uint64_t since_ns)
{
	return ROUNDS / clock_seconds(cpu_ns() - since_ns);
}

int main(void)
{
	static struct expectation e;
	struct volumes vs = { 0 };
	struct shape shape = { 0 };
	struct workload wl;
	struct host host;
	struct err err;
	double sum = 0;

	workload_init(&wl);
	wl.rw = RW_RANDREAD;
	if (volumes_parse(&vs, limits_builtin(), "gp2:100", &err) < 0 ||
	    host_instance(&host, limits_builtin(), "m5.large", &err) < 0)
		return 1;
	struct model_input in = model_input(&vs, &host, &wl);

	uint64_t t = cpu_ns();
	for (int i = 0; i < ROUNDS; i++) {
		wl.bs = (uint64_t)(1 + i % 64) * 4 * KIB;
		sum += model_rate(&in).iops;
	}
	printf("rates %.0f\n", a_second(t));
	t = cpu_ns();
	for (int i = 0; i < ROUNDS; i++) {
		wl.bs = (uint64_t)(1 + i % 64) * 4 * KIB;
		model_expect(&in, &e);
		sum += e.burst_s;
	}
	printf("expectations %.0f\n", a_second(t));
	wl.bs = 16 * KIB;
	model_shape(&in, &shape);
	struct shaper *s = shaper_new(&shape);
	uint64_t now = clock_ns();
	t = cpu_ns();
	for (int i = 0; i < ROUNDS; i++)
		now = shaper_reserve(s, now, DDIR_READ, (uint64_t)i * 7919 * MIB, wl.bs);
	printf("reservations %.0f\n", a_second(t));
	shaper_free(s);
	return sum > 0 ? 0 : 1;
}
