/* SPDX-License-Identifier: MIT */
#include "tui/beside.h"

#include <math.h>
#include <string.h>

#include "aws/reference.h"

static int load(struct import_run *run, const char *name, struct err *err)
{
	return reference_named(name) ? reference_load(run, name, err) : import_file(run, name, err);
}

int beside_load(struct beside *b, const char *hand, const char *path, struct err *err)
{
	const char *name[2] = { *hand ? hand : path, path };
	size_t want = *hand && strcmp(hand, path) != 0 ? 2 : 1, n = 0;

	beside_release(b);
	while (n < want && load(&b->run[n], name[n], err) == 0)
		n++;
	if (n == want && compare_runs(&b->c, b->run, n, err) == 0) {
		b->any = true;
		return 0;
	}
	while (n-- > 0)
		import_release(&b->run[n]);
	*b = (struct beside){ 0 };
	return -1;
}

void beside_release(struct beside *b)
{
	for (size_t i = 0; b->any && i < b->c.nr_runs; i++)
		import_release(&b->run[i]);
	if (b->any)
		compare_release(&b->c);
	*b = (struct beside){ 0 };
}

/* lat is clat and slat together, and the worst of all is one I/O's luck: compare on the command line has them. */
static bool matters(const char *metric)
{
	return strncmp(metric, "clat_", 5) != 0 && strncmp(metric, "slat_", 5) != 0 && strcmp(metric, "lat_max") != 0;
}

int beside_rows(const struct beside *b, const struct compare_row **row, int max)
{
	int n = 0;

	for (int pass = 0; pass < 2 && b->any; pass++) {
		for (size_t i = 0; i < b->c.nr_rows; i++) {
			const struct compare_row *r = &b->c.row[i];
			bool both = b->c.nr_runs < 2 || (!isnan(r->value[0]) && !isnan(r->value[1]));
			if (!matters(r->metric) || both != (pass == 0))
				continue;
			if (row && n < max)
				row[n] = r;
			n++;
		}
	}
	return n;
}
