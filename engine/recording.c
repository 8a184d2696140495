/* SPDX-License-Identifier: MIT */
#include "engine/recorder.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A line longer than this is no entry of ours (a tick of 256 workers is 20 KiB, a result 40 KiB). */
#define LINE_MAX_BYTES (4u << 20)

/*
 * One line without its end. 1 read, 0 end of file (or a last line without its end: r->cut). As getline(), but a line
 * longer than any entry of ours is refused before memory is spent on it.
 */
static int read_line(struct recording *r, size_t *len, struct err *err)
{
	size_t n = 0;
	int c;

	while ((c = getc_unlocked(r->file)) != EOF && (c != '\n' || !n)) {
		if (c == '\n')
			continue; /* an empty line */
		if (n + 1 >= r->line_cap) {
			size_t cap = r->line_cap ? r->line_cap * 2 : 8192;
			char *line = cap <= LINE_MAX_BYTES ? realloc(r->line, cap) : NULL;
			if (!line)
				return err_set(err, EFBIG, "%s: line %u is longer than any entry of a recording",
					       r->path, r->line_no + 1);
			r->line = line;
			r->line_cap = cap;
		}
		r->line[n++] = (char)c;
	}
	if (c == EOF) {
		r->cut = n > 0;
		return 0;
	}
	r->line[n] = 0;
	r->line_no++;
	*len = n;
	return 1;
}

static json_t *parse_line(struct recording *r, size_t len, struct err *err)
{
	json_error_t je;
	json_t *o = json_loadb(r->line, len, 0, &je);

	if (!o || !json_is_object(o)) {
		json_decref(o);
		err_set(err, EINVAL, "%s: line %u: %s; expected an entry of an ebscope recording", r->path,
			r->line_no, o ? "not an object" : je.text);
		return NULL;
	}
	return o;
}

int recording_open(struct recording *r, const char *path, struct err *err)
{
	struct stat st;

	*r = (struct recording){ 0 };
	snprintf(r->path, sizeof(r->path), "%s", path);
	r->file = fopen(path, "re");
	if (!r->file)
		return err_sys(err, "open %s", path);
	if (fstat(fileno(r->file), &st) == 0 && S_ISDIR(st.st_mode)) {
		recording_close(r);
		return err_set(err, EISDIR, "%s is a directory; a recording is a .jsonl file", path);
	}
	return 0;
}

static enum run_end end_from(const char *name)
{
	for (int i = RUN_DONE; i < RUN_INTERRUPTED; i++) {
		if (strcmp(name, run_end_name((enum run_end)i)) == 0)
			return (enum run_end)i;
	}
	return RUN_INTERRUPTED;
}

/* 1: an entry we know; 0: of a type we don't know; -1: of a known type, but not as it should be. */
static int entry_from(struct entry *e, json_t *o, uint64_t *t_ns)
{
	const char *type = json_get_text(o, "type", "");

	if (strcmp(type, "header") == 0) {
		e->type = ENTRY_HEADER;
		return run_header_from_json(&e->header, o) < 0 ? -1 : 1;
	}
	if (strcmp(type, "sample") == 0) {
		e->type = ENTRY_TICK;
		if (tick_from_json(&e->tick, o) < 0)
			return -1;
		*t_ns = e->tick.s.t_ns;
	} else if (strcmp(type, "event") == 0) {
		e->type = ENTRY_EVENT;
		if (event_from_json(&e->event, o) < 0)
			return -1;
		*t_ns = e->event.t_ns;
	} else if (strcmp(type, "outside") == 0) {
		e->type = ENTRY_OUTSIDE;
		if (outside_from_json(&e->outside, o) < 0)
			return -1;
	} else if (strcmp(type, "result") == 0) {
		e->type = ENTRY_RESULT;
		e->result = result_from_json(o);
		if (!e->result)
			return -1;
	} else if (strcmp(type, "end") == 0) {
		double s = json_get_num(o, "t", -1);
		e->type = ENTRY_END;
		e->end = end_from(json_get_text(o, "reason", ""));
		json_copy_text(o, "text", e->text, sizeof(e->text));
		if (s >= 0 && s < 9e9)
			*t_ns = (uint64_t)llround(s * 1e9);
	} else {
		return 0;
	}
	e->t_ns = *t_ns;
	return 1;
}

int recording_next(struct recording *r, struct entry *e, struct err *err)
{
	for (;;) {
		size_t len = 0;
		int got = read_line(r, &len, err);
		bool first = r->line_no <= 1;

		if (got < 0)
			return -1;
		if (got == 0) {
			e->type = ENTRY_EOF;
			e->t_ns = r->t_ns;
			if (r->line_no == 0)
				return err_set(err, EINVAL, "%s: empty or cut in its first line; expected the header of an "
					       "ebscope recording", r->path);
			return 0;
		}
		json_t *o = parse_line(r, len, err);
		if (!o)
			return -1;
		e->t_ns = r->t_ns;
		int known = entry_from(e, o, &r->t_ns);
		if (first && (known != 1 || e->type != ENTRY_HEADER)) {
			const char *schema = json_get_text(o, "schema", NULL);
			if (known == 1 && e->type == ENTRY_RESULT)
				result_free(e->result);
			err_set(err, EINVAL, "%s: line 1: %s%.40s; expected a header with \"schema\":\"ebscope/1\"", r->path,
				schema ? "its schema is " : "no header", schema ? schema : "");
			json_decref(o);
			return -1;
		}
		json_decref(o);
		if (known < 0)
			return err_set(err, EINVAL, "%s: line %u: an entry with members that are missing or wrong", r->path,
				       r->line_no);
		if (known && !(e->type == ENTRY_HEADER && !first))
			return 0;
		if (known) /* a second header: files that were joined; its doc is not needed */
			json_decref(e->header.doc);
	}
}

void recording_close(struct recording *r)
{
	if (r->file)
		fclose(r->file);
	free(r->line);
	*r = (struct recording){ 0 };
}

void runlog_add_entry(struct runlog *log, struct entry *e)
{
	switch (e->type) {
	case ENTRY_TICK:
		runlog_tick(log, &e->tick);
		break;
	case ENTRY_EVENT:
		runlog_event(log, &e->event);
		break;
	case ENTRY_OUTSIDE:
		runlog_outside(log, &e->outside);
		break;
	case ENTRY_RESULT:
		runlog_result(log, e->result);
		e->result = NULL;
		break;
	case ENTRY_END:
		runlog_end(log, e->end, e->t_ns, e->text);
		break;
	case ENTRY_HEADER:
	case ENTRY_EOF:
		break;
	}
}

struct runlog *recording_load(const char *path, bool *partial, struct err *err)
{
	return recording_load_until(path, NULL, partial, err);
}

static bool given_up(const atomic_bool *cancel)
{
	return cancel && atomic_load_explicit(cancel, memory_order_relaxed);
}

/* From @p file, which is closed, or where it is NULL from the path. */
static struct runlog *load(const char *path, FILE *file, const atomic_bool *cancel, bool *partial, struct err *err)
{
	struct recording *rec = calloc(1, sizeof(*rec));
	struct entry *e = calloc(1, sizeof(*e));
	struct runlog *log = NULL;
	bool ended = false;

	*partial = false;
	if (!rec || !e) {
		err_set(err, ENOMEM, "%s: no memory", path);
		goto out;
	}
	if (file) {
		snprintf(rec->path, sizeof(rec->path), "%s", path);
		rec->file = file;
	} else if (recording_open(rec, path, err) < 0) {
		goto out;
	}
	if (recording_next(rec, e, err) < 0) {
		recording_close(rec);
		goto out;
	}
	log = runlog_new(&e->header);
	if (!log) {
		err_set(err, ENOMEM, "%s: no memory", path);
		json_decref(e->header.doc);
		recording_close(rec);
		goto out;
	}
	struct err later = { 0 };
	int rc = 0;
	while (!given_up(cancel) && (rc = recording_next(rec, e, &later)) == 0 && e->type != ENTRY_EOF) {
		ended = ended || e->type == ENTRY_END;
		runlog_add_entry(log, e);
	}
	*partial = rc < 0 || rec->cut || !ended;
	if (!ended || rc < 0)
		runlog_end(log, RUN_INTERRUPTED, rec->t_ns, later.msg);
	recording_close(rec);
	if (given_up(cancel)) {
		runlog_free(log);
		log = NULL;
		err_set(err, ECANCELED, "%s: given up", path);
	}
out:
	free(rec);
	free(e);
	return log;
}

struct runlog *recording_load_until(const char *path, const atomic_bool *cancel, bool *partial, struct err *err)
{
	return load(path, NULL, cancel, partial, err);
}

struct runlog *recording_load_text(const char *path, const char *text, size_t len, bool *partial, struct err *err)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, len, "r"); /* only read */

	if (!f) {
		err_sys(err, "%s", path);
		return NULL;
	}
	return load(path, f, NULL, partial, err);
}
