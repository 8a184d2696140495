/* SPDX-License-Identifier: MIT */
#include "engine/strlist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool strlist_has(const struct strlist *list, const char *text)
{
	for (size_t i = 0; i < list->n; i++) {
		if (!strcmp(list->at[i], text))
			return true;
	}
	return false;
}

int strlist_add(struct strlist *list, const char *text)
{
	if (list->n >= STRLIST_MAX || strlist_has(list, text))
		return 0;
	if (!(list->n & (list->n - 1))) { /* full whenever it holds 0 or a power of two */
		char **at = realloc(list->at, (list->n ? list->n * 2 : 1) * sizeof(*at));
		if (!at)
			return -1;
		list->at = at;
	}
	char *copy = strdup(text);
	if (!copy)
		return -1;
	list->at[list->n++] = copy;
	return 0;
}

static int natural(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

void strlist_sort(struct strlist *list)
{
	if (list->n)
		qsort(list->at, list->n, sizeof(*list->at), natural);
}

char *strlist_join(const struct strlist *list, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < list->n; i++) {
		int n = snprintf(buf + used, size - used, "%s%s", i ? ", " : "", list->at[i]);
		if (n < 0 || (size_t)n >= size - used - 4) {
			snprintf(buf + used, size - used, "…");
			break;
		}
		used += (size_t)n;
	}
	return buf;
}

void strlist_release(struct strlist *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->at[i]);
	free(list->at);
	*list = (struct strlist){ 0 };
}
