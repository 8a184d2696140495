/* SPDX-License-Identifier: MIT */
#include "tui/outline.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"

/* --- the command line --- */

struct words {
	char *at;
	size_t size, n;
};

static void __attribute__((format(printf, 2, 3))) word(struct words *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (w->n < w->size) {
		int n = vsnprintf(w->at + w->n, w->size - w->n, fmt, ap);
		w->n += n > 0 ? (size_t)n : 0;
	}
	va_end(ap);
}

/* As a shell takes it: in quotes where it is more than a plain word. */
static void value(struct words *w, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=@%+";

	if (*text && strspn(text, plain) == strlen(text)) {
		word(w, " %s", text);
		return;
	}
	word(w, " '");
	for (; *text; text++)
		word(w, *text == '\'' ? "'\\''" : "%c", *text);
	word(w, "'");
}

static void option(struct words *w, const char *name, const char *text)
{
	if (!*text)
		return;
	word(w, " --%s", name);
	value(w, text);
}

/* Only where several: "1*gp2:100" is gp2:100. */
static const char *spec(const char *volume)
{
	return strncmp(volume, "1*", 2) == 0 ? volume + 2 : volume;
}

/* What a suite is told beside its name. */
static void suite_words(struct words *w, const struct setup *s)
{
	const struct suite_opts *o = &s->opts;
	const struct suite *row = suite_find(s->suite);

	if (s->repeat)
		word(w, " --repeat %u", s->repeat);
	if (o->dd_random && suite_takes(row, "dd-data"))
		word(w, " --dd-data random");
	if (!suite_takes(row, "files"))
		return;
	if (o->stdio)
		word(w, " --per-char stdio");
	if (o->char_bytes)
		word(w, " --char-size %" PRIu64, o->char_bytes);
	if (o->file_max || o->file_min || o->file_dirs)
		word(w, " --files %" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64, o->files, o->file_max, o->file_min, o->file_dirs);
	else if (o->files != SETUP_FILES)
		word(w, " --files %" PRIu64, o->files);
}

static void command(struct words *w, const struct setup *s)
{
	bool of_sim = setup_is_sim(s) && s->target[4] && *s->volume; /* "sim:gp2:100" is its volume's name */
	struct workload usual;
	char text[sizeof(s->volume) + 4], was[64];

	workload_init(&usual);
	word(w, "ebscope run");
	option(w, "suite", s->suite);
	for (unsigned i = 0; i < s->nr_workloads; i++)
		option(w, "workload", s->workload[i]);
	suite_words(w, s);
	for (unsigned i = 0; workload_fields[i].key; i++) {
		const char *key = workload_fields[i].key;
		if (!(s->wl_given & (1u << i)) || !suite_takes(suite_find(s->suite), key))
			continue;
		workload_get(&s->wl, key, text, sizeof(text));
		if (strcmp(text, workload_get(&usual, key, was, sizeof(was))) != 0 || strcmp(key, "rw") == 0)
			option(w, key, text);
	}
	option(w, "volume", of_sim ? "" : spec(s->volume));
	option(w, "raid", s->raid);
	option(w, "instance", s->instance);
	option(w, "task", s->task);
	option(w, "limits", s->limits_file);
	if (s->shaped || *s->shape)
		word(w, *s->shape ? " --shape=%s" : " --shape", s->shape);
	if (!isnan(s->time_scale))
		word(w, " --time-scale %g", s->time_scale);
	if (!isnan(s->credits))
		word(w, " --credits %g%%", s->credits * 100);
	if (s->overwrite)
		word(w, " --overwrite");
	option(w, "destroy-data", s->destroy);
	option(w, "record", s->record);
	if (s->no_record)
		word(w, " --no-record");
	snprintf(text, sizeof(text), "sim:%s", spec(s->volume));
	if (*s->target)
		value(w, of_sim ? text : s->target);
	else
		word(w, " TARGET");
}

void outline_make(struct outline *o, const struct setup *s)
{
	struct step *step = calloc(PLANNED_MAX, sizeof(*step));
	struct words w = { .at = o->command, .size = sizeof(o->command) };
	struct err err = { 0 };
	int n = step ? setup_steps(s, "quick", step, &err) : err_set(&err, ENOMEM, "out of memory");

	*o = (struct outline){ 0 };
	if (n < 0)
		snprintf(o->error, sizeof(o->error), "%.199s", err.msg);
	for (int i = 0; i < n; i++) {
		const struct step *p = &step[i];
		struct planned *t = &o->test[o->nr++];
		*t = (struct planned){ .kind = p->kind, .wl = p->wl, .repeats = p->repeats, .seconds = NAN, .ios = NAN };
		memcpy(t->name, p->name, sizeof(t->name));
		if (p->wl.runtime_ns)
			t->seconds = clock_seconds(p->wl.ramp_ns + p->wl.runtime_ns) * p->repeats;
		o->seconds += t->seconds;
	}
	free(step);
	command(&w, s);
	if (w.n >= w.size) /* half of it would do something else */
		strcpy(o->command, "(its command line is too long to show)");
}
