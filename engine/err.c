/* SPDX-License-Identifier: MIT */
#include "engine/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Length of the character of UTF-8 at @p s (which ends with a NUL); 0 when there is none, or a control character. */
static size_t utf8_len(const unsigned char *s)
{
	size_t len = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;

	if (*s < ' ' || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0))
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	/* overlong, surrogate, beyond Unicode */
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xf0 && s[1] < 0x90) ||
	    (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/*
 * What was formatted becomes a message: one line of UTF-8 without a character that a terminal would obey. A file's
 * name may hold any byte, and vsnprintf cuts anywhere.
 */
static void take(struct err *err, const char *text)
{
	clean_text(err->msg, text, false);
}

void clean_text(char *out, const char *text, bool lines)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t len = lines && (*s == '\n' || *s == '\t') ? 1 : utf8_len(s);
		if (!len) {
			*out++ = '?';
			s++;
		}
		for (; len; len--)
			*out++ = (char)*s++;
	}
	*out = 0;
}

/* The arguments may point into err->msg, so the text is made beside it. */
static void set(struct err *err, const char *fmt, va_list ap, const char *tail)
{
	char text[sizeof(err->msg)];
	int n = vsnprintf(text, sizeof(text), fmt, ap);

	if (n < 0)
		n = snprintf(text, sizeof(text), "%s", fmt);
	if (tail && (size_t)n < sizeof(text))
		snprintf(text + n, sizeof(text) - (size_t)n, ": %s", tail);
	take(err, text);
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	err->code = code;
	va_start(ap, fmt);
	set(err, fmt, ap, NULL);
	va_end(ap);
	return -1;
}

int err_sys(struct err *err, const char *fmt, ...)
{
	va_list ap;

	err->code = errno;
	va_start(ap, fmt);
	set(err, fmt, ap, strerror(err->code));
	va_end(ap);
	return -1;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	char inner[sizeof(err->msg)];
	va_list ap;

	memcpy(inner, err->msg, sizeof(inner));
	va_start(ap, fmt);
	set(err, fmt, ap, inner);
	va_end(ap);
	return -1;
}

int err_status(const struct err *err)
{
	return err->code == ERR_USAGE ? 2 : 3;
}
