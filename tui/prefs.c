/* SPDX-License-Identifier: MIT */
#include "tui/prefs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/json.h"
#include "engine/xdg.h"

static char *directory(char *buf, size_t size)
{
	char home[PATH_MAX - 32];

	snprintf(buf, size, "%s/ebscope", xdg_config_home(home, sizeof(home)));
	return buf;
}

static char *path_of(char *buf, size_t size)
{
	char dir[PATH_MAX - 16];

	snprintf(buf, size, "%s/config.json", directory(dir, sizeof(dir)));
	return buf;
}

/* The object that the text is, and in it what is ours. NULL: refused. New reference. */
static json_t *parse(struct prefs *p, const char *name, const char *text, size_t len, struct err *err)
{
	json_error_t at;

	if (len > PREFS_MAX) {
		err_set(err, ERR_USAGE, "%s: too long for a configuration (at most %d bytes)", name, PREFS_MAX);
		return NULL;
	}
	json_t *doc = json_loadb(text, len, 0, &at);
	json_t *theme = json_object_get(doc, "theme");
	if (!doc)
		err_set(err, ERR_USAGE, "%s: line %d is no JSON", name, at.line);
	else if (!json_is_object(doc))
		err_set(err, ERR_USAGE, "%s: not an object, as {\"theme\": \"default\"} is one", name);
	else if (theme && (!json_is_string(theme) || !*json_string_value(theme) ||
			   json_string_length(theme) >= sizeof(p->theme)))
		err_set(err, ERR_USAGE, "%s: \"theme\" is the name of a theme, or the path of a .theme file", name);
	else {
		snprintf(p->theme, sizeof(p->theme), "%s", theme ? json_string_value(theme) : "");
		return doc;
	}
	json_decref(doc);
	return NULL;
}

int prefs_parse(struct prefs *p, const char *name, const char *text, size_t len, struct err *err)
{
	json_t *doc = parse(p, name, text, len, err);

	json_decref(doc);
	return doc ? 0 : -1;
}

/* The file's object; an empty one where there is no file. NULL: it can't be read. New reference. */
static json_t *load(struct prefs *p, const char *path, struct err *err)
{
	char *text = malloc(PREFS_MAX + 1);
	json_t *doc = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for a writer */
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	*p = (struct prefs){ 0 };
	if (!f && (errno == ENOENT || errno == ENOTDIR)) {
		doc = json_object();
	} else if (!f || !text) {
		err_sys(err, "%s", path);
	} else {
		size_t len = fread(text, 1, PREFS_MAX + 1, f);
		if (ferror(f))
			err_sys(err, "%s", path);
		else
			doc = parse(p, path, text, len, err);
	}
	if (f)
		fclose(f);
	free(text);
	return doc;
}

int prefs_load(struct prefs *p, struct err *err)
{
	char path[PATH_MAX];
	json_t *doc = load(p, path_of(path, sizeof(path)), err);

	json_decref(doc);
	return doc ? 0 : -1;
}

/* Beside the file first, so that it is whole at every moment. */
static int save(const json_t *doc, struct err *err)
{
	char dir[PATH_MAX], path[PATH_MAX], beside[PATH_MAX + 8];

	if (xdg_make_dirs(directory(dir, sizeof(dir))) < 0)
		return err_sys(err, "%s", dir);
	snprintf(beside, sizeof(beside), "%s.XXXXXX", path_of(path, sizeof(path)));
	int fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, "%s", path);
	int rc = json_dumpfd(doc, fd, JSON_INDENT(2)) == 0 && write(fd, "\n", 1) == 1 ? 0 : err_sys(err, "%s", path);
	if (close(fd) < 0 && rc == 0)
		rc = err_sys(err, "%s", path);
	if (rc == 0 && rename(beside, path) < 0)
		rc = err_sys(err, "%s", path);
	if (rc < 0)
		unlink(beside);
	return rc;
}

int prefs_save_theme(const char *theme, struct err *err)
{
	char path[PATH_MAX];
	struct prefs p;
	json_t *doc = load(&p, path_of(path, sizeof(path)), err);

	if (!doc)
		return -1;
	json_object_set_new(doc, "theme", json_text(theme));
	int rc = save(doc, err);
	json_decref(doc);
	return rc;
}
