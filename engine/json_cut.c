/* SPDX-License-Identifier: MIT */
#include "engine/json_cut.h"

#include <math.h>
#include <string.h>

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static const char *skip_blank(const char *p, const char *end)
{
	while (p < end && blank(*p))
		p++;
	return p;
}

/* Behind the string that opens at p; end (cut set) where it does not close. */
static const char *string_end(const char *p, const char *end, bool *cut)
{
	for (p++; p < end; p++) {
		if (*p == '\\')
			p++;
		else if (*p == '"')
			return p + 1;
	}
	*cut = true;
	return end;
}

/* Behind the object or array that opens at p. Brackets are counted, not matched: a tree is not made of it here. */
static const char *nest_end(const char *p, const char *end, bool *cut)
{
	size_t depth = 0;

	while (p < end) {
		switch (*p) {
		case '"':
			p = string_end(p, end, cut);
			continue;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			if (--depth == 0)
				return p + 1;
			break;
		default:
			break;
		}
		p++;
	}
	*cut = true;
	return end;
}

/* Behind a number or a word. */
static const char *word_end(const char *p, const char *end)
{
	while (p < end && !blank(*p) && *p != ',' && *p != '}' && *p != ']' && *p != ':' && *p != '"' && *p != '{' && *p != '[')
		p++;
	return p;
}

struct json_span json_span_at(const char *p, const char *end)
{
	struct json_span s = { 0 };

	p = skip_blank(p, end);
	if (p == end || *p == ',' || *p == '}' || *p == ']' || *p == ':')
		return s;
	s.p = p;
	if (*p == '"')
		s.end = string_end(p, end, &s.cut);
	else if (*p == '{' || *p == '[')
		s.end = nest_end(p, end, &s.cut);
	else
		s.end = word_end(p, end);
	return s;
}

bool json_iter_init(struct json_iter *it, struct json_span s)
{
	*it = (struct json_iter){ .p = s.p, .end = s.end };
	if (!s.p || s.p == s.end || (*s.p != '{' && *s.p != '['))
		return false;
	it->object = *s.p == '{';
	it->p++;
	return true;
}

static bool broken(struct json_iter *it)
{
	it->broken = true;
	return false;
}

bool json_iter_next(struct json_iter *it, struct json_span *key, struct json_span *value)
{
	char close = it->object ? '}' : ']';

	*key = (struct json_span){ 0 };
	it->p = skip_blank(it->p, it->end);
	if (it->p < it->end && *it->p == ',')
		it->p = skip_blank(it->p + 1, it->end);
	if (it->p == it->end)
		return broken(it);
	if (*it->p == close)
		return false;
	if (it->object) {
		if (*it->p != '"')
			return broken(it);
		*key = json_span_at(it->p, it->end);
		const char *colon = skip_blank(key->end, it->end);
		if (key->cut || colon == it->end || *colon != ':') {
			it->p = colon;
			return broken(it);
		}
		it->p = skip_blank(colon + 1, it->end);
	}
	*value = json_span_at(it->p, it->end);
	if (!value->p)
		return broken(it);
	it->p = value->end;
	return true;
}

struct json_span json_span_get(struct json_span object, const char *name)
{
	struct json_iter it;
	struct json_span key, value;

	if (json_iter_init(&it, object) && it.object)
		while (json_iter_next(&it, &key, &value))
			if (json_span_is(key, name))
				return value;
	return (struct json_span){ 0 };
}

bool json_span_is(struct json_span s, const char *text)
{
	size_t len = strlen(text);

	return s.p && (size_t)(s.end - s.p) == len + 2 && *s.p == '"' && memcmp(s.p + 1, text, len) == 0;
}

json_t *json_span_load(struct json_span s)
{
	if (!s.p || s.cut || (size_t)(s.end - s.p) > JSON_LOAD_MAX)
		return NULL;
	return json_loadb(s.p, (size_t)(s.end - s.p), JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

double json_span_num(struct json_span s)
{
	struct json_span inner = s;
	double v = NAN;

	if (s.p && !s.cut && *s.p == '"' && s.end - s.p > 2)
		inner = (struct json_span){ s.p + 1, s.end - 1, false };
	json_t *j = json_span_load(inner);
	if (json_is_number(j))
		v = json_number_value(j);
	json_decref(j);
	return v;
}

uint64_t json_span_u64(struct json_span s, uint64_t missing)
{
	json_t *j = json_span_load(s);
	uint64_t v = missing;

	if (json_is_integer(j) && json_integer_value(j) >= 0)
		v = (uint64_t)json_integer_value(j);
	else if (json_is_real(j) && json_real_value(j) >= 0 && json_real_value(j) < 1.8e19)
		v = (uint64_t)json_real_value(j);
	json_decref(j);
	return v;
}

char *json_span_text(struct json_span s, char *out, size_t size)
{
	json_t *j = json_span_load(s), *o = NULL;

	out[0] = '\0';
	if (json_is_string(j) && (o = json_object())) {
		json_object_set(o, "t", j);
		json_copy_text(o, "t", out, size);
	}
	json_decref(o);
	json_decref(j);
	return out;
}
