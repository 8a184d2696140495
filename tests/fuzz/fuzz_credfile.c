/* SPDX-License-Identifier: MIT */
/* Config and credentials files, and the command line of a credential_process. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aws/creds_process.h"
#include "aws/ini.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ini ini;
	struct err err;
	char **words;

	if (!ini_parse(&ini, (const char *)data, size, &err)) {
		ini_get(&ini, "default", "region");
		ini_get(&ini, "services s", "ec2.endpoint_url");
		for (size_t i = 0; i < ini.n; i++)
			if (creds_split_command(ini.item[i].value, &words, &err) > 0)
				free(words);
		ini_release(&ini);
	}
	return 0;
}
