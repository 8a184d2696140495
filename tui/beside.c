/* SPDX-License-Identifier: MIT */
#include "tui/beside.h"

#include <math.h>
#include <string.h>

#include "aws/reference.h"

static int load(struct import_run *run, const char *name, const atomic_bool *cancel, struct err *err)
{
	return reference_named(name) ? reference_load(run, name, err) : import_file_until(run, name, cancel, err);
}

int beside_load(struct beside *b, const char *hand, const char *path, const atomic_bool *cancel, struct err *err)
{
	const char *name[2] = { *hand ? hand : path, path };
	size_t want = *hand && strcmp(hand, path) != 0 ? 2 : 1, n = 0;

	beside_release(b);
	while (n < want && load(&b->run[n], name[n], cancel, err) == 0)
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

/* Behind the last figure of the test whose first is @p from; @p both: has any of them two values? */
static size_t test_end(const struct beside *b, size_t from, bool *both)
{
	size_t i = from;

	*both = b->c.nr_runs < 2;
	for (; i < b->c.nr_rows && strcmp(b->c.row[i].test, b->c.row[from].test) == 0; i++)
		*both = *both || (!isnan(b->c.row[i].value[0]) && !isnan(b->c.row[i].value[1]));
	return i;
}

static int put(struct beside_line *out, int n, int max, const struct compare_row *row, bool remark)
{
	if (out && n < max)
		out[n] = (struct beside_line){ row, remark };
	return n + 1;
}

int beside_lines(const struct beside *b, struct beside_line *out, int max)
{
	int n = 0;

	for (int pass = 0; pass < 2 && b->any; pass++) {
		bool both;
		for (size_t from = 0, to; from < b->c.nr_rows; from = to) {
			const struct compare_row *r = &b->c.row[from];

			to = test_end(b, from, &both);
			for (size_t i = from; i < to && both == (pass == 0); i++)
				n = matters(b->c.row[i].metric) ? put(out, n, max, &b->c.row[i], false) : n;
			if (both == (pass == 0) && r->differs[0])
				n = put(out, n, max, r, true);
		}
	}
	return n;
}
