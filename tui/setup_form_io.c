/* SPDX-License-Identifier: MIT */
/* The part of setup_form.h that takes from elsewhere, and gives. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/suite_file.h"
#include "tui/setup_form_parts.h"

int setup_form_set(struct setup_form *s, enum setup_field f, const char *text, struct err *err)
{
	s->form.owner = s;
	return form_set(&s->form, (int)f, text, err);
}

void setup_form_volumes(struct setup_form *s, const struct volumes *vs)
{
	s->has_volume = vs->n > 0;
	if (s->has_volume) {
		s->volume = vs->v[0];
		s->count = (unsigned)vs->n;
		s->raid = vs->raid == RAID_NONE ? RAID_0 : vs->raid;
		setup_form_value(s, SF_VOLUME, vs->v[0].type->name);
		setup_form_number(s, SF_COUNT, vs->n);
		setup_form_value(s, SF_RAID, raid_name(s->raid) + strlen("RAID "));
		setup_form_show_volume(s);
	}
	setup_form_refresh(s);
	setup_form_expect(s);
}

void setup_form_host(struct setup_form *s, const struct host *h)
{
	char text[FORM_VALUE_MAX];

	s->host = *h;
	setup_form_value(s, SF_HOST, host_typed(h, text, sizeof(text)));
	setup_form_expect(s);
}

/* What is not there stands in its field, with the reason under it. */
static void put_target(struct setup_form *s, const char *target)
{
	struct err err = { 0 };

	if (setup_form_set(s, SF_TARGET, target, &err) == 0)
		return;
	setup_form_value(s, SF_TARGET, target);
	snprintf(s->form.field[SF_TARGET].error, FORM_ERROR_MAX, "%.*s", FORM_ERROR_MAX - 1, err.msg);
}

static void put_several(struct setup_form *s, const struct setup *from)
{
	size_t n = 0;

	s->several[0] = 0;
	s->nr_workloads = from->nr_workloads > 1 ? from->nr_workloads : 0;
	memcpy(s->workload, from->workload, sizeof(s->workload));
	for (unsigned i = 0; i < s->nr_workloads; i++)
		n += (size_t)snprintf(s->several + n, sizeof(s->several) - n, "%s%s", i ? ", " : "", s->workload[i]);
	*s->suite_file = 0;
	if (suite_file_is_path(from->suite))
		snprintf(s->suite_file, sizeof(s->suite_file), "suite %s", from->suite);
	setup_form_list_tests(s);
}

int setup_form_put(struct setup_form *s, const struct setup *from, struct err *err)
{
	struct volumes vs;
	struct host host;
	char text[sizeof(s->several) + 8], scale[32];

	if (setup_volumes(from, &vs, &host, err) < 0)
		return -1;
	setup_form_volumes(s, &vs);
	setup_form_host(s, &host);
	if (*from->target)
		put_target(s, from->target);
	put_several(s, from);
	snprintf(text, sizeof(text), "%s%s", *from->suite ? "suite " : "",
		 *from->suite             ? from->suite
		 : from->nr_workloads > 1 ? s->several
		 : from->nr_workloads     ? from->workload[0]
					  : "iops");
	if (setup_form_set(s, SF_TEST, text, err) < 0)
		return -1;
	for (unsigned i = 0; workload_fields[i].key; i++)
		if (from->wl_given & (1u << i)) {
			workload_copy_field(&s->wl, &from->wl, &workload_fields[i]);
			s->own |= strcmp(workload_fields[i].key, "rw") == 0 && !*from->suite && !from->nr_workloads;
		}
	setup_form_show_workload(s);
	snprintf(scale, sizeof(scale), "%g",
		 isnan(from->time_scale) ? (setup_is_sim(from) ? 60 : 1) : from->time_scale);
	if (setup_form_set(s, SF_SCALE, scale, err) < 0 ||
	    setup_form_set(s, SF_SHAPE, from->shaped ? "yes" : "no", err) < 0)
		return -1;
	form_focus(&s->form, SF_START);
	s->story = NULL;
	for (const struct story *st = stories; st->name; st++) {
		if (strcmp(st->name, from->story) == 0)
			s->story = st;
	}
	return 0;
}

void setup_form_show_stories(struct setup_form *s)
{
	for (size_t i = 0; i < s->nr_targets; i++) {
		if (strncmp(s->target[i].path, STORY_PREFIX, strlen(STORY_PREFIX)) == 0) {
			s->selected = (int)i;
			s->in_list = true;
			return;
		}
	}
}

int setup_form_story(struct setup_form *s, const struct story *st, struct err *err)
{
	struct setup *setup = malloc(sizeof(*setup));
	int rc;

	if (!setup)
		return err_set(err, ENOMEM, "out of memory");
	setup_init(setup, s->limits);
	rc = story_setup(st, setup, err);
	if (rc == 0)
		rc = setup_form_put(s, setup, err);
	free(setup);
	return rc;
}

static bool is_named(const struct workload *wl, const struct workload *named)
{
	return named->rw == wl->rw && named->bs == wl->bs && named->iodepth == wl->iodepth && named->rwmixread == wl->rwmixread;
}

const struct workload *setup_form_named(const struct setup_form *s)
{
	const struct workload *named = workload_find(s->form.field[SF_TEST].value);

	if (s->own)
		return NULL;
	if (named && is_named(&s->wl, named))
		return named;
	for (named = workloads; *named->name; named++)
		if (is_named(&s->wl, named))
			return named;
	return NULL;
}

static bool is_usual(const struct workload *wl, const char *key)
{
	struct workload usual;
	char a[64], b[64];

	workload_init(&usual);
	return strcmp(workload_get(wl, key, a, sizeof(a)), workload_get(&usual, key, b, sizeof(b))) == 0;
}

void setup_form_get(const struct setup_form *s, struct setup *to)
{
	char spec[96];
	const char *host = s->form.field[SF_HOST].value;

	snprintf(to->target, sizeof(to->target), "%s", s->path);
	snprintf(to->story, sizeof(to->story), "%s",
		 s->story && strcmp(s->path, "sim:") == 0 ? s->story->name : "");
	/* what the command line gave on top of these tests stays on top of them */
	bool same = setup_form_many(s) && strcmp(to->suite, s->suite) == 0 && (*s->suite || to->nr_workloads > 1);
	snprintf(to->suite, sizeof(to->suite), "%s", s->suite);
	to->nr_workloads = s->in_turn ? s->nr_workloads : !*s->suite && setup_form_named(s);
	if (s->in_turn)
		memcpy(to->workload, s->workload, sizeof(to->workload));
	else if (to->nr_workloads)
		snprintf(to->workload[0], sizeof(to->workload[0]), "%.31s", setup_form_named(s)->name);
	for (unsigned i = 0; workload_fields[i].key; i++) {
		const char *key = workload_fields[i].key;
		bool pattern = strcmp(key, "rw") == 0 || strcmp(key, "bs") == 0 ||
			       strcmp(key, "iodepth") == 0 || strcmp(key, "rwmixread") == 0;
		bool of_form = strcmp(key, "numjobs") == 0 || strcmp(key, "rate_iops") == 0 ||
			       (strcmp(key, "runtime") == 0 && s->wl.runtime_ns);
		if ((*s->suite || to->nr_workloads) ? of_form : of_form || pattern) {
			workload_copy_field(&to->wl, &s->wl, &workload_fields[i]);
			if (!*s->suite || !is_usual(&s->wl, key)) /* a suite's tests have their own of what nobody chose */
				to->wl_given |= 1u << i;
		} else if (pattern && !same) {
			to->wl_given &= ~(1u << i);
		}
	}
	to->volume[0] = to->raid[0] = 0;
	if (s->has_volume) {
		snprintf(to->volume, sizeof(to->volume), "%u*%s", s->count,
			 volume_spec(&s->volume, spec, sizeof(spec)));
		snprintf(to->raid, sizeof(to->raid), "%.7s",
			 s->count > 1 ? s->form.field[SF_RAID].value : "");
	}
	snprintf(to->instance, sizeof(to->instance), "%s", s->host.kind == HOST_INSTANCE ? s->host.name : "");
	snprintf(to->task, sizeof(to->task), "%.31s", s->host.kind == HOST_TASK ? host : "");
	to->shaped = s->shape && s->has_volume;
	to->time_scale = s->form.field[SF_SCALE].off ? NAN : s->time_scale;
}

void setup_form_targets(struct setup_form *s, const struct setup_target *t, size_t n)
{
	char before[sizeof(t->path)] = "";

	if (s->selected >= 0 && (size_t)s->selected < s->nr_targets)
		snprintf(before, sizeof(before), "%s", s->target[s->selected].path);
	s->nr_targets = n < SETUP_TARGETS_MAX ? n : SETUP_TARGETS_MAX;
	memcpy(s->target, t, s->nr_targets * sizeof(*t));
	s->selected = 0;
	for (size_t i = 0; i < s->nr_targets; i++)
		if (strcmp(s->target[i].path, before) == 0)
			s->selected = (int)i;
}
