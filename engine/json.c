/* SPDX-License-Identifier: MIT */
#include "engine/json.h"

#include <math.h>
#include <string.h>

#include "engine/err.h"

json_t *json_num(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *json_u64(uint64_t v)
{
	return v <= INT64_MAX ? json_integer((json_int_t)v) : json_null();
}

json_t *json_text(const char *s)
{
	json_t *t = s ? json_string(s) : NULL;

	return t ? t : json_null();
}

double json_get_num(const json_t *obj, const char *key, double missing)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_number(v) ? json_number_value(v) : missing;
}

uint64_t json_get_u64(const json_t *obj, const char *key, uint64_t missing)
{
	const json_t *v = json_object_get(obj, key);

	if (json_is_integer(v) && json_integer_value(v) >= 0)
		return (uint64_t)json_integer_value(v);
	double d = json_is_real(v) ? json_real_value(v) : -1;
	if (d >= 0 && d < 0x1p63 && d == floor(d))
		return (uint64_t)d;
	return missing;
}

const char *json_get_text(const json_t *obj, const char *key, const char *missing)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_string(v) ? json_string_value(v) : missing;
}

bool json_get_bool(const json_t *obj, const char *key, bool missing)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_boolean(v) ? json_is_true(v) : missing;
}

void json_copy_text(const json_t *obj, const char *key, char *out, size_t size)
{
	const char *s = json_get_text(obj, key, "");
	size_t n = strlen(s);

	if (!size)
		return;
	if (n >= size) {
		for (n = size - 1; n && ((unsigned char)s[n] & 0xc0) == 0x80; n--)
			;
	}
	memcpy(out, s, n);
	out[n] = 0;
	clean_text(out, out, false);
}
