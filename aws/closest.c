/* SPDX-License-Identifier: MIT */
#include "aws/closest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 40

size_t closest_distance(const char *a, const char *b)
{
	size_t row[LONGEST + 1], na = strlen(a), nb = strlen(b);

	if (na > LONGEST || nb > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t above = row[j];
			size_t cost = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));

			if (above + 1 < cost)
				cost = above + 1;
			if (row[j - 1] + 1 < cost)
				cost = row[j - 1] + 1;
			row[j] = cost;
			diagonal = above;
		}
	}
	return row[nb];
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
