/* SPDX-License-Identifier: MIT */
/* A user's suite, in JSON or as a job file of fio's: what is taken is a list of steps that may be run, what is refused is one line. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/suite_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const char *name, const uint8_t *data, size_t size)
{
	struct step *steps = calloc(PLANNED_MAX, sizeof(*steps));
	struct suite_file file;
	struct workload base;
	struct err err = { 0 };

	workload_init(&base);
	int n = steps ? suite_file_parse(name, (const char *)data, size, &base, &file, steps, PLANNED_MAX, &err) : 0;
	if (n < 0)
		assert(err.code == ERR_USAGE && err.msg[0] && !strchr(err.msg, '\n'));
	for (int i = 0; i < n; i++) {
		assert(*steps[i].name && steps[i].repeats >= 1 && steps[i].wl.bs);
		assert(workload_check(&steps[i].wl, 0, &err) == 0);
		for (int k = 0; k < i; k++)
			assert(strcmp(steps[i].name, steps[k].name) != 0);
	}
	free(steps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	parse("x.json", data, size);
	parse("x.fio", data, size);
	return 0;
}
