/* SPDX-License-Identifier: MIT */
#include "aws/closest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 40

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t closest_distance(const char *a, const char *b)
{
	size_t rows[3][LONGEST + 1], na = strlen(a), nb = strlen(b);

	if (na > LONGEST || nb > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = least(above[j - 1] + !same(a[i - 1], b[j - 1]), least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				row[j] = least(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

void closest_add(struct closest *c, const char *name)
{
	size_t d = closest_distance(c->want, name), i = c->n;

	if (d > 2 && d * 2 > strlen(c->want))
		return;
	if (c->n < CLOSEST_NR)
		c->n++;
	else if (d >= c->dist[CLOSEST_NR - 1])
		return;
	else
		i = CLOSEST_NR - 1;
	for (; i > 0 && c->dist[i - 1] > d; i--) {
		c->dist[i] = c->dist[i - 1];
		memcpy(c->name[i], c->name[i - 1], sizeof(c->name[i]));
	}
	c->dist[i] = d;
	snprintf(c->name[i], sizeof(c->name[i]), "%s", name);
}

char *closest_text(const struct closest *c, char *buf, size_t size)
{
	switch (c->n) {
	case 0:
		*buf = 0;
		break;
	case 1:
		snprintf(buf, size, "did you mean %s?", c->name[0]);
		break;
	case 2:
		snprintf(buf, size, "did you mean %s or %s?", c->name[0], c->name[1]);
		break;
	default:
		snprintf(buf, size, "did you mean %s, %s or %s?", c->name[0], c->name[1], c->name[2]);
	}
	return buf;
}
