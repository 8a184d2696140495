/* SPDX-License-Identifier: MIT */
/* A user's config.json: what is taken names a theme or none, what is refused is one line. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "tui/prefs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prefs p;
	struct err err = { 0 };

	if (prefs_parse(&p, "config.json", (const char *)data, size, &err) < 0)
		assert(err.code == ERR_USAGE && err.msg[0] && !strchr(err.msg, '\n'));
	else
		assert(strlen(p.theme) < sizeof(p.theme));
	return 0;
}
