/* SPDX-License-Identifier: MIT */
#include "engine/suite_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/jobfile.h"
#include "engine/json.h"
#include "engine/units.h"
#include "engine/xdg.h"

#define RUNTIME_DEFAULT (10 * NS_PER_SEC)

static char *directory(char *buf, size_t size)
{
	char home[2900];

	snprintf(buf, size, "%s/ebscope/suites", xdg_config_home(home, sizeof(home)));
	return buf;
}

/* A name is a name, never a way to another directory. */
static bool is_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");

	return n > 0 && n < SUITE_FILE_NAME_LEN && !name[n] && name[0] != '.';
}

/* Of a suite in JSON, and of a job file of fio's. */
static const char *const endings[] = { ".json", ".fio", NULL };

static bool ends_in(const char *name, const char *ending)
{
	size_t n = strlen(name), len = strlen(ending);

	return n > len && strcmp(name + n - len, ending) == 0;
}

/* The ending of endings[] that a name has; NULL: none. */
static const char *ending_of(const char *name)
{
	const char *const *e = endings;

	while (*e && !ends_in(name, *e))
		e++;
	return *e;
}

bool suite_file_is_path(const char *name)
{
	return strchr(name, '/') || ending_of(name);
}

/* Where there are both, it is the first. */
static bool path_of(const char *name, char *buf, size_t size)
{
	char dir[3000];
	bool fits = is_name(name);

	if (suite_file_is_path(name))
		return (size_t)snprintf(buf, size, "%s", name) < size;
	directory(dir, sizeof(dir));
	for (const char *const *e = endings; fits && *e; e++) {
		fits = (size_t)snprintf(buf, size, "%s/%s%s", dir, name, *e) < size;
		if (fits && (access(buf, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)))
			return true;
	}
	return fits;
}

/* A text that is drawn on a screen and stands in a list: no control characters, not too long. */
static int take_text(const json_t *v, const char *what, char *out, size_t size, struct err *err)
{
	const char *s = json_string_value(v);

	if (!s || !*s || strlen(s) >= size)
		return err_set(err, ERR_USAGE, "%s must be a text of 1 to %zu characters", what, size - 1);
	for (const char *p = s; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 127)
			return err_set(err, ERR_USAGE, "%s has a control character in it", what);
	}
	strcpy(out, s);
	return 0;
}

static int take_field(struct workload *wl, const char *key, const json_t *v, struct err *err)
{
	char number[32];

	if (json_is_integer(v)) {
		snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		return workload_set(wl, key, number, err);
	}
	if (json_is_real(v)) {
		snprintf(number, sizeof(number), "%.9g", json_real_value(v));
		return workload_set(wl, key, number, err);
	}
	if (json_is_string(v))
		return workload_set(wl, key, json_string_value(v), err);
	return err_set(err, ERR_USAGE, "%.40s must be a text or a number", key);
}

static int unknown_key(const char *key, struct err *err)
{
	char keys[160];

	return err_set(err, ERR_USAGE, "there is no '%.40s'; a step has name %s", key, workload_keys(keys, sizeof(keys)));
}

static int take_step(const json_t *o, const struct workload *base, struct step *s, struct err *err)
{
	const char *key;
	json_t *v;
	char bs[FMT_LEN];

	if (!json_is_object(o))
		return err_set(err, ERR_USAGE, "must be an object like {\"rw\":\"randread\",\"bs\":\"16k\"}");
	*s = (struct step){ .kind = TEST_BLOCK, .wl = *base, .repeats = 1 };
	if (!json_object_get(o, "rw"))
		return err_set(err, ERR_USAGE, "needs rw");
	json_object_foreach((json_t *)(uintptr_t)o, key, v) {
		int rc = strcmp(key, "name") == 0 ? take_text(v, "name", s->name, sizeof(s->name), err) :
			 workload_field_find(key) ? take_field(&s->wl, key, v, err) :
						    unknown_key(key, err);
		if (rc < 0)
			return -1;
	}
	if (!*s->name)
		snprintf(s->name, sizeof(s->name), "%s-%.8s-q%" PRIu64, rw_name(s->wl.rw), fmt_bs(bs, s->wl.bs), s->wl.iodepth % 100000);
	memcpy(s->wl.name, s->name, sizeof(s->wl.name));
	if (!s->wl.runtime_ns && !json_object_get(o, "size"))
		s->wl.runtime_ns = RUNTIME_DEFAULT;
	return workload_check(&s->wl, 0, err);
}

static int take_steps(const json_t *list, const struct workload *base, const struct suite_file *file, struct step *out,
		      unsigned max, struct err *err)
{
	size_t n = json_array_size(list);

	if (!json_is_array(list) || n < 1 || n > max)
		return err_set(err, ERR_USAGE, "steps must be a list of 1 to %u", max);
	for (size_t i = 0; i < n; i++) {
		if (take_step(json_array_get(list, i), base, &out[i], err) < 0)
			return err_wrap(err, "step %zu", i + 1);
		out[i].repeats = file->repeats;
		for (size_t k = 0; k < i; k++) {
			if (strcmp(out[k].name, out[i].name) == 0)
				return err_set(err, ERR_USAGE, "steps %zu and %zu are both named '%s'", k + 1, i + 1, out[i].name);
		}
	}
	return (int)n;
}

static int take_all(const json_t *o, const struct workload *base, struct suite_file *file, struct step *out, unsigned max,
		    struct err *err)
{
	const char *key;
	json_t *v;

	if (!json_is_object(o))
		return err_set(err, ERR_USAGE, "a suite is an object with steps");
	json_object_foreach((json_t *)(uintptr_t)o, key, v) {
		if (strcmp(key, "about") == 0) {
			if (take_text(v, "about", file->about, sizeof(file->about), err) < 0)
				return -1;
		} else if (strcmp(key, "repeat") == 0) {
			json_int_t n = json_integer_value(v);
			if (!json_is_integer(v) || n < 1 || n > RESULT_REPEATS_MAX)
				return err_set(err, ERR_USAGE, "repeat must be from 1 to %d", RESULT_REPEATS_MAX);
			file->repeats = (unsigned)n;
		} else if (strcmp(key, "steps") != 0) {
			return err_set(err, ERR_USAGE, "there is no '%.40s'; a suite has about, repeat and steps", key);
		}
	}
	return take_steps(json_object_get(o, "steps"), base, file, out, max, err);
}

static bool is_json(const char *name, const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && strchr(" \t\r\n", text[i]) && text[i])
		i++;
	return ends_in(name, ".json") || (i < len && text[i] == '{');
}

int suite_file_parse(const char *name, const char *text, size_t len, const struct workload *base, struct suite_file *file,
		     struct step *out, unsigned max, struct err *err)
{
	if (!is_json(name, text, len))
		return jobfile_parse(name, text, len, file, out, max, err);
	json_error_t at;
	json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &at);

	*file = (struct suite_file){ .repeats = 1 };
	if (!o)
		return err_set(err, ERR_USAGE, "%s:%d: %s; a suite is JSON: {\"steps\": [{\"rw\": \"randread\", \"bs\": \"16k\"}]}",
			       name, at.line, at.text);
	int n = take_all(o, base, file, out, max, err);
	json_decref(o);
	return n < 0 ? err_wrap(err, "%s", name) : n;
}

static int read_file(const char *path, char *buf, size_t size, size_t *len, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	*len = 0;
	if (fd < 0)
		return err_sys(err, "%s", path);
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, ERR_USAGE, "%s is no file", path);
	}
	for (ssize_t n = 1; n > 0 && *len < size; *len += (size_t)(n > 0 ? n : 0)) {
		n = read(fd, buf + *len, size - *len);
		if (n < 0) {
			err_sys(err, "%s", path);
			close(fd);
			return -1;
		}
	}
	close(fd);
	return *len < size ? 0 : err_set(err, ERR_USAGE, "%s is larger than %d KiB", path, SUITE_FILE_BYTES_MAX / 1024);
}

int suite_file_load(const char *name, const struct workload *base, struct suite_file *file, struct step *out, unsigned max,
		    struct err *err)
{
	char path[4096], *buf;
	size_t len;

	if (!path_of(name, path, sizeof(path)))
		return err_set(err, ENOENT, "there is no suite '%.40s'", name);
	buf = malloc(SUITE_FILE_BYTES_MAX + 1);
	if (!buf)
		return err_set(err, ENOMEM, "no memory");
	int n = read_file(path, buf, SUITE_FILE_BYTES_MAX + 1, &len, err);
	if (n == 0)
		n = suite_file_parse(path, buf, len, base, file, out, max, err);
	free(buf);
	return n;
}

/* Whatever keeps it from being read is told by whoever reads it; only a name finds nothing where there is no directory. */
bool suite_file_exists(const char *name)
{
	char path[4096];

	if (!path_of(name, path, sizeof(path)))
		return false;
	return access(path, F_OK) == 0 || (errno != ENOENT && (errno != ENOTDIR || suite_file_is_path(name)));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

size_t suite_file_list(char (*names)[SUITE_FILE_NAME_LEN], size_t max)
{
	char dir[3000];
	DIR *d = opendir(directory(dir, sizeof(dir)));
	const struct dirent *e;
	size_t n = 0;

	if (!d)
		return 0;
	while (n < max && (e = readdir(d))) {
		const char *ending = ending_of(e->d_name);
		size_t len = strlen(e->d_name) - (ending ? strlen(ending) : 0);
		char name[SUITE_FILE_NAME_LEN] = "";

		if (!ending || len >= sizeof(name))
			continue;
		memcpy(name, e->d_name, len);
		bool twice = false;
		for (size_t i = 0; i < n; i++)
			twice = twice || strcmp(names[i], name) == 0;
		if (is_name(name) && !suite_find(name) && !twice)
			memcpy(names[n++], name, sizeof(name));
	}
	closedir(d);
	qsort(names, n, sizeof(*names), by_name);
	return n;
}
