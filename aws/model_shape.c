/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <math.h>

#include "aws/model_limits.h"

void model_shape(const struct model_input *in, struct shape *out)
{
	struct model_input plain = *in;
	struct workload wl = *in->wl;
	struct cost_limits ls;

	wl.rate_iops = 0; /* the workers hold their own cap */
	plain.wl = &wl;
	plain.clat_ns = 0;
	cost_limits_make(&plain, &ls);
	out->nr_limits = 0;
	for (size_t i = 0; i < ls.n; i++) {
		const struct cost_limit *l = &ls.l[i];
		struct shape_limit *s = &out->limit[out->nr_limits++];

		assert(out->nr_limits <= SHAPE_LIMITS_MAX);
		*s = (struct shape_limit){
			.unit = l->bytes ? SHAPE_BYTES : SHAPE_OPS,
			.io_unit = l->io_unit,
			.merge = !l->bytes && l->io_unit,
			.weight = { l->weight[DDIR_READ], l->weight[DDIR_WRITE] },
			.base = l->base,
			.burst = cost_limit_bursts(l) ? l->burst : 0,
			.capacity = l->capacity,
			.start = l->balance,
			.tag = (int)l->bound,
		};
	}
	out->latency_ns = 0;
	for (size_t i = 0; in->volumes && i < in->volumes->n; i++) {
		uint64_t ns = volume_sim_latency(&in->volumes->v[i]);

		if (ns > out->latency_ns)
			out->latency_ns = ns;
	}
}
