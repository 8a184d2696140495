/* SPDX-License-Identifier: MIT */
#include "tui/csv.h"

#include <math.h>
#include <string.h>

void csv_text(FILE *f, const char *text)
{
	const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";

	fputs(quote, f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputs(quote, f);
}

void csv_number(FILE *f, double v)
{
	if (isfinite(v))
		fprintf(f, "%.15g", v);
}
