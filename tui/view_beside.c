/* SPDX-License-Identifier: MIT */
/* Results: two runs side by side, a row a figure: its name, both values, and how they stand to each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aws/reference.h"
#include "engine/units.h"
#include "tui/compare_text.h"
#include "tui/panel.h"

#define ROWS_MAX 512

/* "12-01 13:37:37 randread-16k" of a recording of our naming, "ref:dd/single", or the file's name. */
static void run_name(const struct import_run *r, char *buf, size_t size)
{
	const char *slash = reference_named(r->name) ? NULL : strrchr(r->name, '/'), *file = slash ? slash + 1 : r->name;
	const char *title = r->kind == IMPORT_RECORDING && strlen(r->date) > 18 ? strstr(file, "Z-") : NULL;

	if (title)
		snprintf(buf, size, "%.5s %.8s %s", r->date + 5, r->date + 11, title + 2);
	else
		snprintf(buf, size, "%s", file);
	char *dot = strstr(buf, ".jsonl");
	if (dot)
		*dot = 0;
}

/* In the colour of a gain or a loss, or of neither. */
static unsigned gain_style(const struct compare_row *row)
{
	int better = compare_better(row);

	if (row->significant[1] == TRI_FALSE || better == 0 || row->ratio[1] == 1)
		return STYLE_LABEL;
	return (row->ratio[1] > 1) == (better > 0) ? STYLE_PASS : STYLE_SHORT;
}

/* From the middle, which is equal, to the left or right: half and twice are the ends. */
static void draw_ratio(struct canvas *cv, int x, int y, int w, const struct compare_row *row, enum ink ink)
{
	double ratio = row->ratio[1], place = ratio > 0 ? fmin(fmax(log2(ratio), -1), 1) : NAN;
	unsigned style = gain_style(row);
	int half = w / 2;

	if (half < 3 || isnan(place))
		return;
	if (place >= 0) {
		draw_bar(cv, x + half + 1, y, half, place, ink, style);
	} else {
		int cells = (int)lround(-place * half);
		for (int i = 0; i < cells; i++)
			canvas_put(cv, x + half - 1 - i, y, ink == INK_ASCII ? '#' : 0x2588, style);
	}
	canvas_put(cv, x + half, y, ink == INK_ASCII ? '|' : 0x2502, STYLE_LIMIT);
}

static void row_line(const struct frame *f, struct canvas *cv, struct rect in, int y, const struct compare_row *row, bool first)
{
	char a[FMT_LEN], b[FMT_LEN], ratio[32] = "";
	bool two = f->beside->c.nr_runs > 1;
	int name = in.w >= 90 ? 20 : 13, metric = !two || in.w >= 90 ? 24 : in.w >= 72 ? 14 : 11, x = in.x;

	if (first)
		canvas_textn(cv, x, y, name, STYLE_STRONG, row->test);
	x += name + 1;
	canvas_textn(cv, x, y, metric, STYLE_LABEL, strcmp(row->metric, "bw_bytes") == 0 ? "throughput" : row->metric);
	x += metric;
	canvas_right(cv, x + 12, y, 12, STYLE_TEXT, compare_value(a, row, 0));
	if (!two)
		return;
	canvas_right(cv, x + 25, y, 12, STYLE_TEXT, compare_value(b, row, 1));
	x += 26;
	if (isnan(row->ratio[1]) || isnan(row->value[0])) {
		canvas_textn(cv, x, y, in.x + in.w - x, STYLE_WARN, row->not_comparable);
		return;
	}
	double times = row->ratio[1];
	if (times < 0.01)
		strcpy(a, "<0.01");
	else if (times < 100)
		snprintf(a, sizeof(a), "%.2f", times);
	else
		fmt_iops(a, times);
	snprintf(ratio, sizeof(ratio), "%.20s×%s", a,
		 row->significant[1] == TRI_TRUE ? " *" : row->significant[1] == TRI_FALSE ? " =" : "");
	canvas_textn(cv, x, y, 9, STYLE_STRONG, ratio);
	x += 10;
	draw_ratio(cv, x, y, in.x + in.w - x, row, f->ink);
}

/* The names of the runs, and of two what their signs mean. */
static int head_rows(const struct beside *b)
{
	return b->c.nr_runs > 1 ? 2 : 1;
}

int beside_rows(const struct beside *b)
{
	int n = beside_lines(b, NULL, 0);

	return 2 + head_rows(b) + (n < ROWS_MAX ? n : ROWS_MAX);
}

void draw_beside(const struct frame *f, struct canvas *cv, struct rect at)
{
	static const char *const legend = "× other to this · green better · * beyond the noise, = within";
	struct beside_line line[ROWS_MAX];
	const struct beside *b = f->beside;
	struct rect in = panel(cv, at, STYLE_FRAME_FOCUS, b->c.nr_runs > 1 ? "Side by side" : "Its figures", STYLE_LABEL,
			       at.w >= 44 ? "PgDn PgUp · Esc closes" : NULL);
	int n = beside_lines(b, line, ROWS_MAX), y;
	char name[2][128], text[320];

	if (rect_empty(in))
		return;
	in.x++;
	in.w -= 2;
	n = n < ROWS_MAX ? n : ROWS_MAX;
	for (size_t i = 0; i < b->c.nr_runs; i++)
		run_name(&b->run[i], name[i], sizeof(name[i]));
	if (b->c.nr_runs > 1)
		snprintf(text, sizeof(text), "%s | %s", name[0], name[1]);
	else
		snprintf(text, sizeof(text), "%s", name[0]);
	canvas_textn(cv, in.x, in.y, in.w, STYLE_STRONG, text);
	y = in.y + 1;
	if (b->c.nr_runs > 1 && (in.h >= 8 || in.h >= n + 2))
		canvas_textn(cv, in.x, y++, in.w, STYLE_LABEL, legend);
	int rows = in.y + in.h - y, from = b->scroll > n - rows ? n - rows : b->scroll;
	from = from < 0 ? 0 : from;
	for (int i = 0; i < rows && from + i < n; i++) {
		const struct beside_line *l = &line[from + i];
		bool first = i == 0 || strcmp(l->row->test, l[-1].row->test) != 0;
		if (l->remark) /* of two runs it can only be the second */
			canvas_textn(cv, in.x + 2, y + i, in.w - 2, STYLE_WARN, l->row->differs + strcspn(l->row->differs, ":") + 2);
		else
			row_line(f, cv, in, y + i, l->row, first);
	}
}
