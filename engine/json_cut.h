/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_JSON_CUT_H
#define ENGINE_JSON_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/json.h"

/**
 * Cut a large JSON text into its values without building a tree of it: a tree takes ten times the memory of the text,
 * and most of another tool's document (histograms of every bucket) is not wanted here. What is wanted is handed to
 * jansson, value by value. A text that ends too early gives everything before its end.
 *
 * Nothing here allocates but json_span_load(). Nesting costs no stack. Any thread.
 */

/** A value within a text; borrowed from it. p NULL: none. */
struct json_span {
	const char *p, *end;
	bool	    cut; /**< the text ends inside it */
};

/** The value that begins at the first non-blank of [p, end). p NULL where none begins there. */
struct json_span json_span_at(const char *p, const char *end);

/** Walks the members of an object or the elements of an array. */
struct json_iter {
	const char *p, *end;
	bool	    object;
	bool	    broken; /**< something that is no JSON stands at p, or the text ended (p == end) */
};

/** @return false when @p s is neither an object nor an array */
bool json_iter_init(struct json_iter *it, struct json_span s);
/**
 * The next member (its key with the quotes, as it stands in the text) or element (key->p NULL).
 * @return false behind the last, or with it->broken at what is no JSON. A value that is cut is still given.
 */
bool json_iter_next(struct json_iter *it, struct json_span *key, struct json_span *value);
/** The member of that name of an object, looked for from its beginning. p NULL: none. */
struct json_span json_span_get(struct json_span object, const char *name);

/** Is it the string @p text (of plain characters)? */
bool json_span_is(struct json_span s, const char *text);
/** As a tree; NULL when it is cut, no JSON, or longer than JSON_LOAD_MAX. New reference. */
json_t *json_span_load(struct json_span s);
#define JSON_LOAD_MAX (256u * 1024)
/** As a number (also one that is written as a string), else NAN. */
double json_span_num(struct json_span s);
/** As a whole number, every digit; @p missing for anything else. */
uint64_t json_span_u64(struct json_span s, uint64_t missing);
/** Copy a string into @p out (@p size bytes with its end); "" for anything else. @return out */
char *json_span_text(struct json_span s, char *out, size_t size);

#endif
