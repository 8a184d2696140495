/* SPDX-License-Identifier: MIT */
#include "engine/sample.h"

const char *run_phase_name(enum run_phase p)
{
	static const char *const names[PHASE_NR] = { "layout", "ramp", "measure", "drain" };

	return names[p];
}

static uint64_t worse(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A sum in which one part is not known is not known. */
static uint64_t dev_sum(uint64_t a, uint64_t b)
{
	return a == DEV_NONE || b == DEV_NONE ? DEV_NONE : a + b;
}

void sample_merge(struct sample *to, const struct sample *next)
{
	double dt = (double)to->dt_ns + (double)next->dt_ns;

	if (dt > 0)
		to->cpu = (to->cpu * (double)to->dt_ns + next->cpu * (double)next->dt_ns) / dt;
	to->t_ns = next->t_ns;
	to->dt_ns += next->dt_ns;
	for (int d = 0; d < DDIR_NR; d++) {
		to->dir[d].ios += next->dir[d].ios;
		to->dir[d].bytes += next->dir[d].bytes;
		to->dev[d].ios = dev_sum(to->dev[d].ios, next->dev[d].ios);
		to->dev[d].bytes = dev_sum(to->dev[d].bytes, next->dev[d].bytes);
	}
	to->lat_p50 = worse(to->lat_p50, next->lat_p50);
	to->lat_p99 = worse(to->lat_p99, next->lat_p99);
	to->lat_max = worse(to->lat_max, next->lat_max);
	to->errors += next->errors;
	to->test = next->test;
	to->repeat = next->repeat;
	to->phase = next->phase;
	to->inflight = next->inflight;
	to->model_iops = next->model_iops;
	to->model_balance = next->model_balance;
	for (int i = 0; i < 2; i++)
		to->model_host[i] = next->model_host[i];
	to->dev_queue = next->dev_queue == DEV_NONE ? to->dev_queue : next->dev_queue;
	for (int i = 0; i < SAMPLE_LIMITS; i++) /* what was not read in one part was read in the next for both */
		to->limit_ns[i] = to->limit_ns[i] == DEV_NONE	? next->limit_ns[i] :
				  next->limit_ns[i] == DEV_NONE ? to->limit_ns[i] :
								  to->limit_ns[i] + next->limit_ns[i];
}
