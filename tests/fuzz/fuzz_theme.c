/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdint.h>

#include "tui/theme.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any bytes as a theme file: read, or refused with one line; then every style still has a look at every depth. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct theme t;
	struct palette p;
	struct err err = { 0 };

	if (theme_parse(&t, "fuzz", (const char *)data, size, &err) == 0)
		for (enum depth d = DEPTH_MONO; d <= DEPTH_RGB; d++)
			palette_make(&p, &t, d);
	else if (err.code == 0 || err.msg[0] == 0)
		__builtin_trap();
	return 0;
}
