/* SPDX-License-Identifier: MIT */
#include "engine/xdg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

char *xdg_config_home(char *buf, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config)
		snprintf(buf, size, "%s", config);
	else
		snprintf(buf, size, "%s/.config", home ? home : "");
	return buf;
}

int xdg_make_dirs(char *path)
{
	for (char *p = path + 1; ; p++) {
		if (*p != '/' && *p)
			continue;
		char c = *p;
		*p = 0;
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return -1;
		*p = c;
		if (!c)
			return 0;
	}
}
