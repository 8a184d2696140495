/* SPDX-License-Identifier: MIT */
#include "aws/ini.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *trim(char *s)
{
	s += strspn(s, " \t\r\f\v");
	size_t n = strlen(s);
	while (n && strchr(" \t\r\f\v", s[n - 1]))
		n--;
	s[n] = 0;
	return s;
}

/* In place: quotes go, runs of blanks become one. */
static char *tidy_section(char *s)
{
	char *out = s = trim(s), *p = s;

	for (; *p; p++) {
		if (*p == '"' || *p == '\'')
			continue;
		if ((*p == ' ' || *p == '\t') && (out == s || out[-1] == ' '))
			continue;
		*out++ = *p == '\t' ? ' ' : *p;
	}
	*out = 0;
	return s;
}

static int add(struct ini *ini, const struct ini_item *item)
{
	if (ini->n == ini->cap) {
		size_t cap = ini->cap ? ini->cap * 2 : 32;
		struct ini_item *p = realloc(ini->item, cap * sizeof(*p));
		if (!p)
			return -1;
		ini->item = p;
		ini->cap = cap;
	}
	ini->item[ini->n++] = *item;
	return 0;
}

/* One line: where we are (section, the key that nested lines belong to) goes from line to line. */
static int parse_line(struct ini *ini, char *line, const char **section, const char **parent)
{
	bool indented = *line == ' ' || *line == '\t';
	char *text = trim(line);

	if (!*text || *text == '#' || *text == ';')
		return 0;
	if (*text == '[' && !indented) {
		char *end = strchr(text, ']');
		*parent = "";
		*section = "";
		if (end) {
			*end = 0;
			*section = tidy_section(text + 1);
		}
		return 0;
	}
	char *eq = strchr(text, '=');
	if (!eq || eq == text || !**section)
		return 0;
	*eq = 0;
	struct ini_item item = { *section, "", trim(text), trim(eq + 1) };
	if (indented && **parent)
		item.parent = *parent;
	else if (indented && ini->n)
		return 0; /* goes on a value of several lines: none that we read has */
	else
		*parent = *item.value ? "" : item.key;
	return add(ini, &item);
}

int ini_parse(struct ini *ini, const char *text, size_t len, struct err *err)
{
	const char *section = "", *parent = "";

	*ini = (struct ini){ 0 };
	if (len > INI_MAX)
		return err_set(err, EFBIG, "longer than %zu KiB", INI_MAX >> 10);
	if (!(ini->text = malloc(len + 1)))
		return err_set(err, ENOMEM, "no memory");
	memcpy(ini->text, text, len);
	ini->text[len] = 0;
	ini->len = len;
	for (size_t at = 0; at < len;) {
		char *line = ini->text + at;
		size_t n = strcspn(line, "\n"); /* a NUL ends a line too */
		at += n + 1;
		line[n] = 0;
		if (parse_line(ini, line, &section, &parent)) {
			ini_release(ini);
			return err_set(err, ENOMEM, "no memory");
		}
	}
	return 0;
}

int ini_load(struct ini *ini, const char *path, struct err *err)
{
	*ini = (struct ini){ 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : err_sys(err, "%s", path);
	size_t len = 0;
	ssize_t n = 0;
	char *buf = malloc(INI_MAX + 1);
	while (buf && len <= INI_MAX && (n = read(fd, buf + len, INI_MAX + 1 - len)) > 0)
		len += (size_t)n;
	int rc = 0;
	if (!buf)
		rc = err_set(err, ENOMEM, "%s: no memory", path);
	else if (n < 0)
		rc = err_sys(err, "%s", path);
	else if (ini_parse(ini, buf, len, err))
		rc = err_wrap(err, "%s", path);
	close(fd);
	if (buf)
		explicit_bzero(buf, len);
	free(buf);
	return rc;
}

void ini_release(struct ini *ini)
{
	if (ini->text)
		explicit_bzero(ini->text, ini->len);
	free(ini->text);
	free(ini->item);
	*ini = (struct ini){ 0 };
}

const char *ini_get(const struct ini *ini, const char *section, const char *key)
{
	const char *dot = strchr(key, '.');

	for (size_t i = ini->n; i-- > 0;) {
		const struct ini_item *it = &ini->item[i];
		if (strcmp(it->section, section))
			continue;
		if (dot ? (!strncmp(it->parent, key, (size_t)(dot - key)) && !it->parent[dot - key] &&
			   !strcmp(it->key, dot + 1)) :
			  (!*it->parent && !strcmp(it->key, key)))
			return it->value;
	}
	return NULL;
}

int ini_has(const struct ini *ini, const char *section)
{
	for (size_t i = 0; i < ini->n; i++)
		if (!strcmp(ini->item[i].section, section))
			return 1;
	return 0;
}
