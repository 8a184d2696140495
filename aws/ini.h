/* SPDX-License-Identifier: MIT */
#ifndef AWS_INI_H
#define AWS_INI_H

#include <stddef.h>

#include "engine/err.h"

/**
 * The INI dialect of ~/.aws/config and ~/.aws/credentials: `[section]`, `key = value`, lines that begin with # or ; are
 * comments. Indented `key = value` lines under a key without value belong to it: `ec2 =` then `  endpoint_url = u` is
 * found as "ec2.endpoint_url". The later of two equal keys wins. A line that is none of these is skipped, as AWS's own
 * tools mostly do, so that a strange line elsewhere in the file does not hide a good profile.
 */
struct ini {
	char *text; /**< the whole file, cut up in place; wiped at release, for it may hold secrets */
	size_t len;
	struct ini_item {
		const char *section, *parent, *key, *value; /**< into text; parent "" unless nested */
	} *item;
	size_t n, cap;
};

#define INI_MAX ((size_t)1 << 20) /* bytes of a file that are accepted */

/** Take a copy of @p text and parse it. @return 0, or -1: too long, or no memory */
int ini_parse(struct ini *ini, const char *text, size_t len, struct err *err);
/** Read a file. One that does not exist is an empty one. */
int ini_load(struct ini *ini, const char *path, struct err *err);
void ini_release(struct ini *ini);

/**
 * The value of @p key ("region", "ec2.endpoint_url") in @p section, or NULL. Sections compare with blanks collapsed
 * and quotes gone: `[profile "a b"]` is "profile a b". Valid until release.
 */
const char *ini_get(const struct ini *ini, const char *section, const char *key);
/** Whether there is such a section with anything in it. */
int ini_has(const struct ini *ini, const char *section);

#endif
