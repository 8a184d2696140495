/* SPDX-License-Identifier: MIT */
#ifndef AWS_CLOSEST_H
#define AWS_CLOSEST_H

#include <stddef.h>

/**
 * The names closest to a mistyped one, by how many letters differ. Add every candidate, then ask for the text.
 * A plain value; names are borrowed until then.
 */
#define CLOSEST_NR 3

struct closest {
	const char *want;
	char   name[CLOSEST_NR][32];
	size_t dist[CLOSEST_NR]; /**< rising */
	size_t n;
};

/**
 * Letters to change, add, drop or swap with their neighbour to make @p b of @p a, case aside; texts longer than 40 count
 * as far away.
 */
size_t closest_distance(const char *a, const char *b);
void closest_add(struct closest *c, const char *name);
/** "did you mean m5.large, m5a.large or m5d.large?"; "" where nothing is near. @return buf */
char *closest_text(const struct closest *c, char *buf, size_t size);

#endif
