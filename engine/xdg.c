/* SPDX-License-Identifier: MIT */
#include "engine/xdg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *xdg_config_home(char *buf, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config == '/')
		snprintf(buf, size, "%s", config);
	else
		snprintf(buf, size, "%s/.config", home ? home : "");
	return buf;
}

char *xdg_state(char *buf, size_t size, const char *name, struct err *err)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n;

	if (state && *state == '/')
		n = snprintf(buf, size, "%s/ebscope/%s", state, name);
	else if (home && *home)
		n = snprintf(buf, size, "%s/.local/state/ebscope/%s", home, name);
	else
		return err_set(err, ENOENT, "no state directory: set HOME or XDG_STATE_HOME"), NULL;
	if (n < 0 || (size_t)n >= size)
		return err_set(err, ENAMETOOLONG, "the state directory's name is too long"), NULL;
	return buf;
}

char *xdg_tilde(char *path)
{
	const char *home = getenv("HOME");
	size_t n = home ? strlen(home) : 0;

	if (n > 1 && strncmp(path, home, n) == 0 && (path[n] == '/' || !path[n])) {
		*path = '~';
		memmove(path + 1, path + n, strlen(path + n) + 1);
	}
	return path;
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
