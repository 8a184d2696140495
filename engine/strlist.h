/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_STRLIST_H
#define ENGINE_STRLIST_H

#include <stdbool.h>
#include <stddef.h>

/** A list of texts that owns them. The zero state is empty; grows to at most STRLIST_MAX, more is left out. */
#define STRLIST_MAX 1024
struct strlist {
	char **at;
	size_t n;
};

/** Add a copy of @p text unless it is there. @return 0, or -1 without memory */
int strlist_add(struct strlist *list, const char *text);
bool strlist_has(const struct strlist *list, const char *text);
/** In natural order: "nvme2n1" before "nvme10n1". */
void strlist_sort(struct strlist *list);
/** "a, b, c" into @p buf, ended by "…" where it is cut. @return buf */
char *strlist_join(const struct strlist *list, char *buf, size_t size);
void strlist_release(struct strlist *list);

#endif
