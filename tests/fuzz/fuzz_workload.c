/* SPDX-License-Identifier: MIT */
/*
 * Options as they are typed: lines of `KEY=VALUE`. The keys of a workload, `shape` for a schedule and `time_scale`; what
 * is taken prints as text that reads back to the same, what is refused is a usage error that leaves all as it was.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/shape.h"
#include "engine/workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_shape(const char *value)
{
	struct shape shape = { 0 }, again = { 0 };
	struct err err = { 0 };
	char text[1024], back[1024];

	if (shape_parse(&shape, value, &err) < 0) {
		assert(err.code == ERR_USAGE && err.msg[0]);
		return;
	}
	assert(shape.nr_steps >= 1 && shape.nr_steps <= SHAPE_STEPS_MAX);
	shape_text(&shape, text, sizeof(text));
	if (shape_parse(&again, text, &err) == 0) {
		shape_text(&again, back, sizeof(back));
		assert(strcmp(text, back) == 0);
	} else {
		fprintf(stderr, "'%s' prints as '%s': %s\n", value, text, err.msg);
		abort(); /* a schedule that does not read back */
	}
}

static void try_field(struct workload *wl, const char *key, const char *value)
{
	struct workload before = *wl, again = *wl;
	struct err err = { 0 };
	char text[256];

	if (workload_set(wl, key, value, &err) < 0) {
		assert(err.code == ERR_USAGE && err.msg[0]);
		assert(memcmp(&before, wl, sizeof(before)) == 0);
		return;
	}
	workload_get(wl, key, text, sizeof(text));
	if (workload_set(&again, key, text, &err) < 0) {
		fprintf(stderr, "%s='%s' prints as '%s': %s\n", key, value, text, err.msg);
		abort(); /* a value that does not read back */
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[1024], *rest = text, shown[256];
	struct workload wl;
	struct err err = { 0 };
	double scale;

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	workload_init(&wl);
	for (char *line; (line = strsep(&rest, "\n"));) {
		char *value = strchr(line, '=');
		if (!value)
			continue;
		*value++ = 0;
		if (strcmp(line, "shape") == 0)
			try_shape(value);
		else if (strcmp(line, "time_scale") == 0)
			assert(shape_scale_parse(value, &scale, &err) < 0 || (scale >= 1 && scale <= SHAPE_SCALE_MAX));
		else
			try_field(&wl, line, value);
	}
	workload_check(&wl, 512, &err);
	workload_check(&wl, 4096, &err);
	workload_text(&wl, shown, sizeof(shown));
	return 0;
}
