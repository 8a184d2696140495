/* SPDX-License-Identifier: MIT */
#include "engine/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * What was formatted (vsnprintf cuts at any byte, and names of files may hold any byte) becomes a message: one line,
 * no control character that a terminal would obey, no half character of UTF-8 at the end.
 */
static void take(struct err *err, const char *text)
{
	size_t n = strlen(text), head = n;

	while (head && n - head < 3 && ((unsigned char)text[head - 1] & 0xc0) == 0x80)
		head--;
	if (head) {
		unsigned char lead = (unsigned char)text[head - 1];
		size_t len = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
		if (len > 1 && n - (head - 1) < len)
			n = head - 1;
	}
	for (size_t i = 0; i < n; i++)
		err->msg[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i];
	err->msg[n] = 0;
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
