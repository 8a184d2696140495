/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_JSON_H
#define ENGINE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"

/**
 * What every JSON writer and reader here needs beside jansson itself. jansson, since it keeps integers of 64 bits
 * exact both ways (a reader that only knows doubles rounds byte counters beyond 2^53).
 */

/** A figure, or null when it does not exist (NAN) or is infinite. New reference. */
json_t *json_num(double v);
/** A counter, every digit; from 2^63 up null (no JSON integer of ours can hold it). New reference. */
json_t *json_u64(uint64_t v);
/** A text, or null for NULL or text that is not UTF-8. New reference. */
json_t *json_text(const char *s);

/** obj[key] as a number, or @p missing where it is absent, null or no number. */
double json_get_num(const json_t *obj, const char *key, double missing);
/** obj[key] as a whole number that is not negative, or @p missing. */
uint64_t json_get_u64(const json_t *obj, const char *key, uint64_t missing);
/** obj[key] as text, or @p missing. Borrowed from obj. */
const char *json_get_text(const json_t *obj, const char *key, const char *missing);
/** obj[key] as a boolean, or @p missing. */
bool json_get_bool(const json_t *obj, const char *key, bool missing);

/**
 * Copy the text obj[key] into @p out (@p size bytes with the end): one line, as clean_text() makes it, cut between
 * characters; absent gives "".
 */
void json_copy_text(const json_t *obj, const char *key, char *out, size_t size);

#endif
