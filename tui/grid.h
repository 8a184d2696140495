/* SPDX-License-Identifier: MIT */
#ifndef TUI_GRID_H
#define TUI_GRID_H

#include <stdbool.h>
#include <stddef.h>

/**
 * A table of texts in the making, for people to read: cells are kept row by row, then printed in columns as wide as
 * their widest. Zeroed but for `columns`, it is empty. Out of memory is told at the end, by grid_print().
 */
#define GRID_COLUMNS 12
struct grid {
	size_t columns; /**< 1 to GRID_COLUMNS */
	/* private */
	size_t n, cap;
	char **cell;
	bool   failed;
};

/** The next cell, as printf. */
void grid_put(struct grid *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** The table, a line a row; the last column is not padded. Ends the grid. New text, or NULL without memory. */
char *grid_print(struct grid *g);

#endif
