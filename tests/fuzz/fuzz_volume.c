/* SPDX-License-Identifier: MIT */
/*
 * What names a volume and a host, as typed or from a file. The first byte says which: 'v' a volume SPEC, 't' a task, 'i'
 * an instance, 'l' a Lambda size, '{' a file of limits. What is taken is legal and reads back; what is refused is a usage
 * error that leaves all as it was; and of anything taken the model gives a curve that falls.
 */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aws/model.h"
#include "engine/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_curve(const struct volumes *vs, const struct host *h)
{
	static struct expectation e;
	struct workload wl;

	workload_init(&wl);
	model_default_workload(vs, &wl);
	struct model_input in = model_input(vs, h, &wl);
	model_expect(&in, &e);
	assert(e.nr_curve >= 1 && e.nr_curve <= CURVE_MAX && isinf(e.curve[e.nr_curve - 1].end_s));
	for (size_t i = 1; i < e.nr_curve; i++)
		assert(e.curve[i].rate.iops <= e.curve[i - 1].rate.iops && e.curve[i].start_s == e.curve[i - 1].end_s);
	assert(e.curve[e.nr_curve - 1].rate.iops >= e.baseline.iops * (1 - 1e-9));
	json_decref(expectation_to_json(&e));
	free(expectation_to_text(&e));
}

static void try_volumes(const struct limits *l, const char *text, struct err *err)
{
	struct volumes vs = { 0 }, again = { 0 };
	struct host none = { .kind = HOST_NONE };
	char spec[64];

	if (volumes_parse(&vs, l, text, err) < 0) {
		assert(vs.n == 0);
		return;
	}
	for (size_t i = 0; i < vs.n; i++) {
		assert(volume_check(&vs.v[i], err) == 0);
		assert(volumes_parse(&again, l, volume_spec(&vs.v[i], spec, sizeof(spec)), err) == 0);
	}
	assert(again.n == vs.n);
	check_curve(&vs, &none);
	err->code = 0;
}

static void try_limits(const char *text, size_t n, struct err *err)
{
	static const char *const specs[] = { "gp2:100", "gp3", "io2:100:1000", "st1:500", "standard:10", "2*gp3:1000:3000" };
	static struct limits l;
	struct err refused;
	struct host h;

	if (limits_parse(&l, text, n, "fuzz", err) < 0)
		return;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct volumes vs = { 0 };

		if (volumes_parse(&vs, &l, specs[i], &refused) == 0 && host_instance(&h, &l, "m5.large", &refused) == 0)
			check_curve(&vs, &h);
	}
	host_task(&h, &l, "2:4", &refused);
	limits_stale(&l, 1785542400);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct limits *l = limits_builtin();
	struct host h = { .kind = HOST_NONE };
	struct err err = { 0 };
	char text[4096];
	int ret = 0;

	if (size < 1 || size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	switch (text[0]) {
	case 'v':
		try_volumes(l, text + 1, &err);
		break;
	case 't':
		ret = host_task(&h, l, text + 1, &err);
		break;
	case 'i':
		ret = host_instance(&h, l, text + 1, &err);
		break;
	case 'l':
		ret = host_lambda(&h, text + 1, &err);
		break;
	default:
		try_limits(text, size, &err);
	}
	assert(ret == 0 || h.kind == HOST_NONE);
	assert(err.code == 0 || (err.code == ERR_USAGE && err.msg[0]));
	return 0;
}
