/* SPDX-License-Identifier: MIT */
#include "engine/jobfile.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/fio_words.h"
#include "engine/target.h"
#include "engine/units.h"

#define VALUE_MAX 1024

/* A section as far as it was read. */
struct section {
	struct workload wl;
	char	 name[32];	/* of `name`, else of the section */
	char	 filename[256]; /* as much as tells two apart */
	bool	 stonewall, time_based, uring;
	unsigned line;
};

struct jobfile {
	const char *path;
	unsigned line;
	enum { NOWHERE, GLOBAL, JOB } where;
	struct section global, job, last; /* last: of out[n - 1] */
	char idle[200], target[120];	  /* what was left out; the first filename or directory */
	struct suite_file *file;
	struct step *out;
	unsigned n, max;
};

/* The name without its folders, which would leave no room for what is said of it. */
static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The words of fio's that are read here and in no table. */
static bool flag_of(struct section *s, const char *key, bool **flag)
{
	*flag = word_in("stonewall,wait_for_previous", key, strlen(key)) ? &s->stonewall :
		strcmp(key, "time_based") == 0				      ? &s->time_based : NULL;
	return *flag;
}

static int unknown(const char *key, struct err *err)
{
	char keys[160];

	return err_set(err, ERR_USAGE, "there is no '%.40s'; a job has name stonewall time_based %s", key,
		       workload_keys(keys, sizeof(keys)));
}

/* As fio: ${NAME} is of the environment. */
static int expand(const char *text, char *out, size_t size, struct err *err)
{
	size_t n = 0;

	while (*text && n < size) {
		const char *end = strncmp(text, "${", 2) == 0 ? strchr(text, '}') : NULL;
		if (!end) {
			out[n++] = *text++;
			continue;
		}
		char name[64];
		snprintf(name, sizeof(name), "%.*s", (int)(end - text - 2), text + 2);
		const char *value = getenv(name);
		if (!value || !*value)
			return err_set(err, ERR_USAGE, "${%s} is not set: fio would take it as empty", name);
		n += (size_t)snprintf(out + n, size - n, "%s", value);
		text = end + 1;
	}
	if (n >= size)
		return err_set(err, ERR_USAGE, "a value is longer than %zu characters", size - 1);
	out[n] = 0;
	for (const char *p = out; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 127)
			return err_set(err, ERR_USAGE, "a value has a control character in it");
	}
	return 0;
}

static int take_name(struct section *s, const char *name, struct err *err)
{
	if (!*name)
		return err_set(err, ERR_USAGE, "a name is empty");
	for (const char *p = name; *p; p++) {
		if (!isascii(*p))
			return err_set(err, ERR_USAGE, "a name is ASCII to fio");
	}
	snprintf(s->name, sizeof(s->name), "%s", name);
	return 0;
}

static int take_flag(bool *flag, const char *value, struct err *err)
{
	if (value && strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
		return err_set(err, ERR_USAGE, "'%.40s' is not 0 or 1", value);
	*flag = !value || *value == '1';
	return 0;
}

static int take_engine(struct section *s, const char *name, struct err *err)
{
	enum ioengine e = fio_engine(name);

	s->uring = strcmp(name, "io_uring") == 0;
	if ((e == IOENGINE_AUTO && !s->uring) || strcmp(name, "mmap") == 0)
		return err_set(err, ERR_USAGE, "'%.40s' is not libaio, io_uring, sync, psync, vsync, pvsync or pvsync2",
			       name);
	s->wl.ioengine = s->uring ? IOENGINE_LIBAIO : e;
	return 0;
}

/* What both read, and each as something else. */
static int check_number(const struct workload_field *f, const char *value, struct err *err)
{
	if (!isdigit((unsigned char)*value))
		return 0;
	if ((f->type == FIELD_SIZE || f->type == FIELD_TIME) && strchr(value, '.'))
		return err_set(err, ERR_USAGE, "'%.40s': fio takes whole numbers", value);
	if (f->type == FIELD_SIZE && strpbrk(value, "iI"))
		return err_set(err, ERR_USAGE, "'%.40s' counts in thousands to fio; without the i, k is 1024", value);
	if (f->type == FIELD_SIZE && strchr(value, '%'))
		return err_set(err, ERR_USAGE, "'%.40s' of the target: in bytes, or 100%% for all of it", value);
	return 0;
}

static int take_field(struct section *s, const struct workload_field *f, unsigned from, const char *value, struct err *err)
{
	char less[32];
	uint64_t n;

	if (f->type == FIELD_ENGINE)
		return take_engine(s, value, err);
	if (f->at == offsetof(struct workload, size) && strcmp(value, "100%") == 0)
		value = "0";
	if (check_number(f, value, err) < 0)
		return -1;
	if (from) {
		if (parse_count(value, &n, err) < 0 || n > from)
			return err_set(err, ERR_USAGE, "'%.40s' is not a whole number from 0 to %u", value, from);
		snprintf(less, sizeof(less), "%u", from - (unsigned)n);
		value = less;
	}
	return workload_set(&s->wl, f->key, value, err);
}

/* "a, b" and so on, each once. */
static void add_word(char *list, size_t size, const char *word)
{
	size_t n = strlen(list), len = strlen(word);

	for (const char *at = strstr(list, word); at; at = strstr(at + 1, word)) {
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ','))
			return;
	}
	if (n + len + 3 < size)
		snprintf(list + n, size - n, "%s%s", n ? ", " : "", word);
}

static int take_word(struct jobfile *j, struct section *s, const char *key, const char *value, struct err *err)
{
	const struct fio_word *w = fio_word_find(key);
	const struct workload_field *f = workload_field_find(w && w->key ? w->key : key);

	if (!f && !w)
		return unknown(key, err);
	if (f && !value)
		return err_set(err, ERR_USAGE, "%s needs a value: %s=…", key, key);
	if (f) {
		if (take_field(s, f, w ? w->from : 0, value, err) < 0)
			return strncmp(err->msg, key, strlen(key)) == 0 ? -1 : err_wrap(err, "%s", key);
		return 0;
	}
	if (w->idle && value && strcmp(value, w->idle) == 0)
		return 0;
	if (!w->harmless)
		return err_set(err, ERR_USAGE, "%s is not done here: %s", key, w->ours);
	add_word(j->idle, sizeof(j->idle), key);
	return 0;
}

static int take_option(struct jobfile *j, char *text, struct err *err)
{
	struct section *s = j->where == GLOBAL ? &j->global : &j->job;
	char *value = strchr(text, '='), *key_end = value ? value : text + strlen(text), buf[VALUE_MAX];
	bool *flag;

	if (value) {
		*value++ = 0;
		value += strspn(value, " \t");
		if (expand(value, buf, sizeof(buf), err) < 0)
			return -1;
		value = buf;
	}
	while (key_end > text && isspace((unsigned char)key_end[-1]))
		*--key_end = 0;
	if (value && !*value)
		return err_set(err, ERR_USAGE, "%.40s is empty", text);
	if (flag_of(s, text, &flag))
		return take_flag(flag, value, err) < 0 ? err_wrap(err, "%s", text) : 0;
	if (value && strcmp(text, "name") == 0)
		return take_name(s, value, err);
	if (value && (strcmp(text, "filename") == 0 || strcmp(text, "directory") == 0)) {
		if (*text == 'f')
			snprintf(s->filename, sizeof(s->filename), "%.255s", value);
		if (!*j->target)
			snprintf(j->target, sizeof(j->target), "%s=%.100s", text, value);
		return 0;
	}
	return take_word(j, s, text, value, err);
}

static bool name_taken(const struct jobfile *j, const char *name)
{
	for (unsigned i = 0; i < j->n; i++) {
		if (strcmp(j->out[i].name, name) == 0)
			return true;
	}
	return false;
}

/* fio takes names of any length, and one twice. */
static void name_step(struct jobfile *j, struct step *s, const char *name)
{
	char tail[16];

	snprintf(s->name, sizeof(s->name), "%s", name);
	for (unsigned i = 2; name_taken(j, s->name); i++) {
		int len = snprintf(tail, sizeof(tail), "-%u", i);
		snprintf(s->name, sizeof(s->name), "%.*s%s", (int)sizeof(s->name) - 1 - len, name, tail);
	}
	memcpy(s->wl.name, s->name, sizeof(s->wl.name));
}

/* The option in which two jobs are not the same; NULL: numjobs at most. */
static const char *difference(const struct section *a, const struct section *b)
{
	char one[64], other[64];

	if (a->time_based != b->time_based)
		return "time_based";
	if (strcmp(a->filename, b->filename) != 0)
		return "filename";
	for (const struct workload_field *f = workload_fields; f->key; f++) {
		if (f->at != offsetof(struct workload, numjobs) &&
		    strcmp(workload_get(&a->wl, f->key, one, sizeof(one)),
			   workload_get(&b->wl, f->key, other, sizeof(other))) != 0)
			return f->key;
	}
	return NULL;
}

/* Both run at once in fio: where they differ in nothing, that is one test with the workers of both. */
static int join(struct jobfile *j, struct err *err)
{
	struct section *a = &j->last, *b = &j->job;
	struct step *s = &j->out[j->n - 1];
	const char *differs = difference(a, b);
	char total[32];

	if (differs)
		return err_set(err, ERR_USAGE, "fio runs [%s] and [%s] at once, and they differ (%s); tests here run one after "
			       "the other: add stonewall to [%s]", a->name, b->name, differs, b->name);
	snprintf(total, sizeof(total), "%llu", (unsigned long long)(s->wl.numjobs + b->wl.numjobs));
	if (workload_set(&s->wl, "numjobs", total, err) < 0)
		return -1;
	target_say(&j->file->notes, "%.60s: [%s] and [%s] are at once and the same: one test with numjobs=%s",
		   base_of(j->path), a->name, b->name, total);
	return workload_check(&s->wl, 0, err);
}

/* A section has ended: it is a step, or part of the one before. */
static int end_job(struct jobfile *j, struct err *err)
{
	struct section *b = &j->job;

	if (j->where != JOB)
		return 0;
	j->where = NOWHERE;
	j->line = b->line;
	if (rw_reads(b->wl.rw) && rw_writes(b->wl.rw) && b->wl.rate_iops)
		return err_set(err, ERR_USAGE, "[%s]: fio holds reads and writes to rate_iops each, here it is both together: "
			       "not with rw=%s", b->name, rw_name(b->wl.rw));
	if (workload_check(&b->wl, 0, err) < 0)
		return err_wrap(err, "[%s]", b->name);
	if (j->n && !b->stonewall)
		return join(j, err);
	if (j->n == j->max)
		return err_set(err, ERR_USAGE, "more than %u jobs", j->max);
	struct step *s = &j->out[j->n];
	*s = (struct step){ .kind = TEST_BLOCK, .wl = b->wl, .repeats = 1, .once = !(b->time_based && b->wl.runtime_ns) };
	name_step(j, s, b->name);
	if (b->uring)
		snprintf(s->warning, sizeof(s->warning), "the job's ioengine is io_uring: libaio did it here");
	j->last = *b;
	j->n++;
	return 0;
}

static int take_section(struct jobfile *j, char *text, struct err *err)
{
	size_t len = strlen(text);
	unsigned line = j->line;

	if (end_job(j, err) < 0)
		return -1;
	j->line = line;
	if (text[len - 1] != ']' || len < 3)
		return err_set(err, ERR_USAGE, "a section is [name], not '%.40s'", text);
	text[len - 1] = 0;
	j->where = strncmp(text + 1, "global", 6) == 0 ? GLOBAL : JOB; /* fio compares no more of it */
	if (j->where == GLOBAL)
		return 0;
	j->job = j->global;
	j->job.line = line;
	return *j->global.name ? 0 : take_name(&j->job, text + 1, err);
}

static int take_line(struct jobfile *j, char *text, size_t len, struct err *err)
{
	for (size_t i = 0; i < len; i++) {
		if (iscntrl((unsigned char)text[i]) && text[i] != '\t' && !(text[i] == '\r' && i + 1 == len))
			return err_set(err, ERR_USAGE, "a control character");
	}
	text[strcspn(text, ";#")] = 0; /* as in fio, wherever it stands */
	text += strspn(text, " \t");
	for (len = strlen(text); len && isspace((unsigned char)text[len - 1]);)
		text[--len] = 0;
	if (!len)
		return 0;
	if (*text == '[')
		return take_section(j, text, err);
	if (strncmp(text, "include", 7) == 0 && (text[7] == ' ' || text[7] == '\t'))
		return err_set(err, ERR_USAGE, "include: one file has all jobs here");
	if (j->where == NOWHERE)
		return err_set(err, ERR_USAGE, "'%.40s' stands in no [job]; a suite is a job file of fio's, or JSON: "
			       "{\"steps\": [{\"rw\": \"randread\", \"bs\": \"16k\"}]}", text);
	return take_option(j, text, err);
}

static int take_lines(struct jobfile *j, char *text, size_t len, struct err *err)
{
	for (char *end, *at = text; at < text + len; at = end + 1) {
		end = memchr(at, '\n', len - (size_t)(at - text));
		end = end ? end : text + len;
		*end = 0;
		j->line++;
		if (take_line(j, at, (size_t)(end - at), err) < 0)
			return -1;
	}
	if (end_job(j, err) < 0)
		return -1;
	j->line = 0;
	return j->n ? 0 : err_set(err, ERR_USAGE, "there is no job in it: [name] and options like rw=randread");
}

int jobfile_parse(const char *name, const char *text, size_t len, struct suite_file *file, struct step *out, unsigned max,
		  struct err *err)
{
	struct jobfile j = { .path = name, .file = file, .out = out, .max = max };
	char *copy = malloc(len + 1);
	int rc;

	*file = (struct suite_file){ .repeats = 1 };
	if (!copy)
		return err_set(err, ENOMEM, "no memory");
	memcpy(copy, text, len);
	fio_defaults(&j.global.wl);
	rc = take_lines(&j, copy, len, err);
	free(copy);
	if (rc < 0)
		return j.line ? err_wrap(err, "%s:%u", name, j.line) : err_wrap(err, "%s", name);
	if (*j.target)
		target_say(&file->notes, "%.60s: its %s is not looked at: the target is the command line's", base_of(name),
			   j.target);
	if (*j.idle)
		target_say(&file->notes, "%.60s: left out, as no I/O changes with it: %s", base_of(name), j.idle);
	return (int)j.n;
}
