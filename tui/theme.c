/* SPDX-License-Identifier: MIT */
#include "tui/theme.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/xdg.h"

static const struct {
	const char *name;
	int32_t def;
	enum theme_key fallback;
} keys[THEME_NR] = {
#define X(key, name, def, fallback, tty) [THEME_##key] = { #name, def, THEME_##fallback },
	THEME_TABLE(X)
#undef X
};

extern const char themes_default_theme[], themes_default_theme_end[];
extern const char themes_colorblind_theme[], themes_colorblind_theme_end[];
extern const char themes_projector_theme[], themes_projector_theme_end[];

static const struct {
	const char *text, *end;
} compiled_in[] = {
	{ themes_default_theme, themes_default_theme_end },
	{ themes_colorblind_theme, themes_colorblind_theme_end },
	{ themes_projector_theme, themes_projector_theme_end },
};
const char *const theme_names[] = { "default", "colorblind", "projector", NULL };

void theme_init(struct theme *t)
{
	*t = (struct theme){ .name = "default" };
	for (int k = 0; k < THEME_NR; k++)
		t->color[k] = keys[k].def;
}

/* One line of a theme file, as pieces of the text. */
struct line {
	const char *at, *end;
};

static void skip_blanks(struct line *l)
{
	while (l->at < l->end && isspace((unsigned char)*l->at))
		l->at++;
	while (l->end > l->at && isspace((unsigned char)l->end[-1]))
		l->end--;
}

static bool take(struct line *l, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(l->end - l->at) < n || memcmp(l->at, word, n) != 0)
		return false;
	l->at += n;
	return true;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c)    ? c - '0'
	       : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
					    : -1;
}

/* The digits behind '#': two for a grey, six for a colour. -1 when they are something else. */
static int32_t hex_color(struct line v)
{
	int32_t rgb = 0;
	ptrdiff_t n = v.end - v.at;

	if (n != 2 && n != 6)
		return -1;
	for (; v.at < v.end; v.at++) {
		int d = hex_digit(*v.at);
		if (d < 0)
			return -1;
		rgb = rgb << 4 | d;
	}
	return n == 2 ? rgb << 16 | rgb << 8 | rgb : rgb;
}

/* "R G B", each 0 to 255. -1 when it is something else. */
static int32_t decimal_color(struct line v)
{
	int32_t rgb = 0;

	for (int i = 0; i < 3; i++) {
		int part = 0, digits = 0;
		skip_blanks(&v);
		for (; v.at < v.end && isdigit((unsigned char)*v.at) && digits < 4; v.at++, digits++)
			part = part * 10 + (*v.at - '0');
		if (digits == 0 || part > 255)
			return -1;
		rgb = rgb << 8 | part;
	}
	skip_blanks(&v);
	return v.at == v.end ? rgb : -1;
}

static int find_key(struct line name)
{
	for (int k = 0; k < THEME_NR; k++)
		if (strlen(keys[k].name) == (size_t)(name.end - name.at) &&
		    memcmp(keys[k].name, name.at, strlen(keys[k].name)) == 0)
			return k;
	return -1;
}

/* The text between quotes, or up to the end of the line without them. false: the closing quote is missing. */
static bool unquote(struct line *v)
{
	if (v->at < v->end && (*v->at == '"' || *v->at == '\'')) {
		const char *close = memchr(v->at + 1, *v->at, (size_t)(v->end - v->at - 1));
		if (!close)
			return false;
		v->at++;
		v->end = close;
	}
	skip_blanks(v);
	return true;
}

/* A piece of a file for a message: printable, and short. */
static const char *show(char *buf, size_t size, struct line v)
{
	size_t n = 0;

	for (; v.at < v.end && n + 1 < size; v.at++)
		buf[n++] = isprint((unsigned char)*v.at) ? *v.at : '?';
	buf[n] = 0;
	return buf;
}

/* Set one colour from one line. @p given: which keys a file has set. */
static int parse_line(struct theme *t, bool *given, struct line l, struct err *err)
{
	char text[32];
	struct line whole = l;

	skip_blanks(&l);
	if (l.at == l.end || *l.at == '#')
		return 0;
	struct line name;
	if (!take(&l, "theme[") || !(name.at = l.at, name.end = memchr(l.at, ']', (size_t)(l.end - l.at))))
		return err_set(err, ERR_USAGE, "'%s' is not theme[KEY]=\"COLOUR\"",
			       show(text, sizeof(text), whole));
	l.at = name.end + 1;
	skip_blanks(&l);
	if (!take(&l, "="))
		return err_set(err, ERR_USAGE, "'%s' is not theme[KEY]=\"COLOUR\"",
			       show(text, sizeof(text), whole));
	skip_blanks(&l);
	if (!unquote(&l))
		return err_set(err, ERR_USAGE, "the closing quote is missing");
	int key = find_key(name);
	if (key < 0)
		return 0;
	int32_t rgb = RGB_NONE;
	if (l.at < l.end) {
		struct line v = l;
		rgb = take(&v, "#") ? hex_color(v) : decimal_color(v);
		if (rgb < 0)
			return err_set(err, ERR_USAGE,
				       "theme[%s]: '%s' is not a colour (#RRGGBB, #BW or 'R G B')",
				       keys[key].name, show(text, sizeof(text), l));
	}
	bool may_be_none =
		key == THEME_MAIN_BG || strstr(keys[key].name, "_mid") || strstr(keys[key].name, "_end");
	if (rgb >= 0 || may_be_none) {
		t->color[key] = rgb;
		given[key] = true;
	}
	return 0;
}

int theme_parse(struct theme *t, const char *name, const char *text, size_t len, struct err *err)
{
	struct theme new;
	bool given[THEME_NR] = { false };
	int number = 0;

	theme_init(&new);
	snprintf(new.name, sizeof(new.name), "%s", name);
	if (len > THEME_FILE_MAX)
		return err_set(err, ERR_USAGE, "%s: too long for a theme (at most %d bytes)", name,
			       THEME_FILE_MAX);
	for (const char *p = text, *end = text + len; p < end; number++) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		struct line l = { p, eol ? eol : end };
		if (parse_line(&new, given, l, err) < 0)
			return err_wrap(err, "%s: line %d", name, number + 1);
		p = l.end + 1;
	}
	for (int k = 0; k < THEME_NR; k++)
		if (!given[k] && given[keys[k].fallback])
			new.color[k] = new.color[keys[k].fallback];
	*t = new;
	return 0;
}

/* The file's name without directory and .theme. */
static void base_name(char *out, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(out, size, "%s", slash ? slash + 1 : path);
	char *dot = strstr(out, ".theme");
	if (dot && dot > out && dot[6] == 0)
		*dot = 0;
}

static int read_theme(struct theme *t, const char *path, int fd, struct err *err)
{
	char *text = malloc(THEME_FILE_MAX + 1);
	size_t len = 0;
	int rc = -1;

	if (!text) {
		err_set(err, ENOMEM, "%s: out of memory", path);
		goto out;
	}
	for (ssize_t n; len <= THEME_FILE_MAX && (n = read(fd, text + len, THEME_FILE_MAX + 1 - len)) != 0;) {
		if (n < 0) {
			err_sys(err, "%s", path);
			goto out;
		}
		len += (size_t)n;
	}
	rc = theme_parse(t, path, text, len, err);
	if (rc == 0)
		base_name(t->name, sizeof(t->name), path);
out:
	free(text);
	close(fd);
	return rc;
}

/* Where a bare name is looked for; without a root, under the user's configuration directory. */
static const struct {
	const char *root, *program;
} places[] = {
	{ NULL, "ebscope" },
	{ NULL, "btop" },
	{ "/usr/local/share", "ebscope" },
	{ "/usr/local/share", "btop" },
	{ "/usr/share", "btop" },
};

static int open_place(char *path, size_t size, size_t place, const char *name)
{
	char user[512];

	snprintf(path, size, "%s/%s/themes/%s.theme",
		 places[place].root ? places[place].root : xdg_config_home(user, sizeof(user)), places[place].program, name);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int theme_open(struct theme *t, const char *name, struct err *err)
{
	char path[1024];

	for (int i = 0; theme_names[i]; i++)
		if (strcmp(theme_names[i], name) == 0)
			return theme_parse(t, name, compiled_in[i].text,
					   (size_t)(compiled_in[i].end - compiled_in[i].text), err);
	if (strchr(name, '/') || strstr(name, ".theme")) {
		int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		return fd < 0 ? err_sys(err, "theme %s", name) : read_theme(t, name, fd, err);
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		int fd = open_place(path, sizeof(path), i, name);
		if (fd >= 0)
			return read_theme(t, path, fd, err);
	}
	return err_set(
		err, ERR_USAGE,
		"there is no theme '%.40s' (default, colorblind, projector, or the path of a .theme file)",
		name);
}

static int is_theme(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && dot > d->d_name && strcmp(dot, ".theme") == 0 && strlen(d->d_name) < sizeof(((struct theme *)0)->name);
}

static bool is_built_in(const char *name)
{
	for (int i = 0; theme_names[i]; i++)
		if (strcmp(theme_names[i], name) == 0)
			return true;
	return false;
}

/* The user's own, by name; @return their number, names[i]->d_name cut to the name. Free each, and the list. */
static int own_themes(struct dirent ***names)
{
	char home[512], dir[600];

	snprintf(dir, sizeof(dir), "%s/ebscope/themes", xdg_config_home(home, sizeof(home)));
	int n = scandir(dir, names, is_theme, alphasort);
	for (int i = 0; i < n; i++)
		*strrchr((*names)[i]->d_name, '.') = 0;
	return n < 0 ? 0 : n;
}

char *theme_next(const char *name, char *buf, size_t size)
{
	struct dirent **own = NULL;
	int n = own_themes(&own);
	bool found = false;

	/* the first stands for what is not in the list, and comes after the last */
	snprintf(buf, size, "%s", theme_names[0]);
	for (int i = 0; theme_names[i]; i++) {
		if (found) {
			snprintf(buf, size, "%s", theme_names[i]);
			goto out;
		}
		found = strcmp(theme_names[i], name) == 0;
	}
	for (int i = 0; i < n; i++) {
		if (is_built_in(own[i]->d_name))
			continue; /* one that is compiled in goes before it */
		if (found) {
			snprintf(buf, size, "%s", own[i]->d_name);
			goto out;
		}
		found = strcmp(own[i]->d_name, name) == 0;
	}
out:
	for (int i = 0; i < n; i++)
		free(own[i]);
	free(own);
	return buf;
}
