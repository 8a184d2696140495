/* SPDX-License-Identifier: MIT */
#include "tui/cmd.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "aws/limits.h"
#include "tui/canvas.h"

static const char *output_file(const struct cli *cli)
{
	const char *path = cli_get(cli, "output");

	return path && strcmp(path, "-") != 0 ? path : NULL;
}

/* Is one of "a,b,c" the file that @p st is of? */
static bool names_file(const char *words, const struct stat *st)
{
	char word[PATH_MAX];
	struct stat other;

	if (stat(words, &other) == 0 && other.st_dev == st->st_dev && other.st_ino == st->st_ino)
		return true;
	for (const char *end; *words; words = *end ? end + 1 : end) {
		end = strchrnul(words, ',');
		snprintf(word, sizeof(word), "%.*s", (int)(end - words), words);
		if (stat(word, &other) == 0 && other.st_dev == st->st_dev && other.st_ino == st->st_ino)
			return true;
	}
	return false;
}

/* The result would take the place of what the command works on, or of what else it writes. */
static int check_output_twice(const struct cli *cli, const char *path, struct err *err)
{
	const char *also[] = { cli_text(cli, "record", ""), cli_text(cli, "limits", "") }, *twice = NULL;
	struct stat st;
	bool file = stat(path, &st) == 0;

	if (file && !S_ISREG(st.st_mode))
		return 0; /* a pipe or /dev/null takes both */
	for (unsigned i = 0; i < cli->nr_args && file && !twice; i++)
		twice = names_file(cli->args[i], &st) ? cli->args[i] : NULL;
	for (size_t i = 0; i < sizeof(also) / sizeof(*also) && !twice; i++)
		twice = strcmp(also[i], path) == 0 || (file && names_file(also[i], &st)) ? also[i] : NULL;
	return twice ? err_set(err, ERR_USAGE, "--output %.300s would take the place of %.300s; name another file", path, twice) : 0;
}

int cli_check_output(const struct cli *cli, struct err *err)
{
	const char *path = output_file(cli);
	char dir[PATH_MAX];
	struct stat st;

	if (!path)
		return 0;
	if (check_output_twice(cli, path, err) < 0)
		return -1;
	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return err_set(err, EISDIR, "--output %.300s: %s", path, strerror(EISDIR));
		if (S_ISBLK(st.st_mode))
			return err_set(err, ERR_REFUSED, "--output %.300s is a block device: a result would destroy what is on it", path);
		return access(path, W_OK) ? err_sys(err, "--output %.300s", path) : 0;
	}
	if (errno != ENOENT)
		return err_sys(err, "--output %.300s", path);
	snprintf(dir, sizeof(dir), "%s", path);
	char *slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = 0; /* "/x" lies in "/" */
	return access(slash ? dir : ".", W_OK | X_OK) ? err_sys(err, "--output %.300s", path) : 0;
}

int cli_write(const struct cli *cli, const char *text, struct err *err)
{
	const char *path = output_file(cli);
	bool more = cli->begun && *cli->begun;

	if (cli_check_output(cli, err) < 0)
		return -1;
	char *clean = malloc(strlen(text) + 1); /* names and words of a recording may hold anything */
	if (!clean)
		return err_set(err, ENOMEM, "no memory for the result");
	clean_text(clean, text, true);
	FILE *f = path ? fopen(path, more ? "ae" : "we") : stdout;
	if (!f) {
		free(clean);
		return err_sys(err, "--output %s", path);
	}
	if (cli->begun)
		*cli->begun = true;
	bool bad = fputs(clean, f) == EOF;
	bad = (f == stdout ? fflush(f) : fclose(f)) == EOF || bad;
	int code = errno;
	free(clean);
	errno = code;
	return bad ? err_sys(err, "write the result to %s", path ? path : "standard output") : 0;
}

void cli_message(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0) { /* the user's names may be in it */
		clean_text(text, text, false);
		fprintf(stderr, "ebscope: %s\n", text);
		free(text);
	}
	va_end(ap);
}

const char *cli_limits_old(const struct limits *l, char *buf, size_t size)
{
	if (!limits_stale(l, (int64_t)time(NULL)))
		return NULL;
	snprintf(buf, size, "the tables of AWS's limits are of %s, more than a year old (--limits FILE replaces figures)", l->as_of);
	return buf;
}

void cli_limits_age(const struct limits *l)
{
	char text[160];

	if (cli_limits_old(l, text, sizeof(text)))
		cli_message("%s", text);
}

bool cli_progress(void)
{
	return isatty(STDERR_FILENO);
}
