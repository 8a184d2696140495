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

static bool shown(const struct beside *b, const struct compare_row *r, bool of_both)
{
	bool both = b->c.nr_runs < 2 || (!isnan(r->value[0]) && !isnan(r->value[1]));

	return matters(r->metric) && both == of_both;
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
		const struct compare_row *last = NULL; /* shown of this test */
		for (size_t i = 0; i < b->c.nr_rows; i++) {
			const struct compare_row *r = &b->c.row[i];
			bool ends = i + 1 == b->c.nr_rows || strcmp(r[1].test, r->test) != 0;
			if (shown(b, r, pass == 0)) {
				n = put(out, n, max, r, false);
				last = r;
			}
			if (ends && last && last->differs[0])
				n = put(out, n, max, last, true);
			last = ends ? NULL : last;
		}
	}
	return n;
}
