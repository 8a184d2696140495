/* SPDX-License-Identifier: MIT */
/* Other tools' result files: read, or refused in one line; what was read can be compared with itself and printed. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compare.h"
#include "tui/compare_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct import_run *run)
{
	for (size_t i = 0; i < run->nr_tests; i++) {
		const struct lat_stats *l = &run->test[i].r->lat;
		for (int k = 0; k < LAT_PCT_NR; k++)
			assert(isnan(l->pct[k]) || isnan(l->max) || l->min > l->max || l->pct[k] <= l->max);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import_run run[2];
	struct comparison c;
	struct err err = { 0 };

	if (import_text(&run[0], "fuzz", (const char *)data, size, &err) < 0) {
		assert(err.code && err.msg[0] && !strchr(err.msg, '\n'));
		return 0;
	}
	assert(run[0].nr_tests || run[0].failed);
	check(&run[0]);
	assert(import_text(&run[1], "fuzz", (const char *)data, size, &err) == 0 && run[1].nr_tests == run[0].nr_tests);
	if (compare_runs(&c, run, 2, &err) == 0) {
		json_decref(compare_to_json(&c));
		free(compare_to_table(&c));
		free(compare_to_csv(&c));
		compare_release(&c);
	}
	import_release(&run[0]);
	import_release(&run[1]);
	return 0;
}
