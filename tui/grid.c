/* SPDX-License-Identifier: MIT */
#include "tui/grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void grid_put(struct grid *g, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	if (g->n == g->cap) {
		size_t cap = g->cap ? g->cap * 2 : 64;
		char **p = realloc(g->cell, cap * sizeof(*p));
		if (!p) {
			g->failed = true;
			return;
		}
		g->cell = p;
		g->cap = cap;
	}
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text)
		g->cell[g->n++] = text;
	else
		g->failed = true;
}

/* Columns on a terminal, near enough: continuation bytes take none. */
static int width(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

char *grid_print(struct grid *g)
{
	int wide[GRID_COLUMNS] = { 0 };
	char *text = NULL;
	size_t size;
	FILE *f = g->failed ? NULL : open_memstream(&text, &size);

	for (size_t i = 0; i < g->n; i++)
		if (width(g->cell[i]) > wide[i % g->columns])
			wide[i % g->columns] = width(g->cell[i]);
	for (size_t i = 0; i < g->n; i++) {
		bool last = i % g->columns == g->columns - 1;
		if (f)
			fprintf(f, "%s%*s", g->cell[i],
				last ? 0 : wide[i % g->columns] - width(g->cell[i]) + 2, "");
		if (f && last)
			fputc('\n', f);
		free(g->cell[i]);
	}
	free(g->cell);
	*g = (struct grid){ .columns = g->columns };
	if (f)
		fclose(f);
	return text;
}
