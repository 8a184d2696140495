/* SPDX-License-Identifier: MIT */
/* The part of setup_form.h that takes keys and clicks. */
#include <math.h>
#include <string.h>

#include "tui/layout.h"
#include "tui/setup_form.h"

bool setup_form_types(const struct setup_form *s)
{
	return !s->in_list && form_types(&s->form);
}

static void to_list(struct setup_form *s)
{
	form_focus(&s->form, -1);
	s->in_list = true;
}

static void to_form(struct setup_form *s, enum setup_field f)
{
	s->in_list = false;
	form_focus(&s->form, (int)f);
}

static void pick(struct setup_form *s)
{
	struct err err = { 0 };

	if ((size_t)s->selected >= s->nr_targets)
		return;
	const char *path = s->target[s->selected].path;
	if (strncmp(path, STORY_PREFIX, strlen(STORY_PREFIX)) == 0) {
		const struct story *st = story_find(path + strlen(STORY_PREFIX), &err);
		if (st && setup_form_story(s, st, &err) == 0)
			to_form(s, SF_START);
		return;
	}
	s->story = NULL;
	if (setup_form_set(s, SF_TARGET, path, &err) == 0)
		to_form(s, SF_START);
}

static enum setup_answer list_key(struct setup_form *s, struct key k, enum action act)
{
	int n = (int)s->nr_targets;

	switch (act) {
	case ACT_UP:
		s->selected = s->selected > 0 ? s->selected - 1 : 0;
		return SETUP_DONE;
	case ACT_DOWN:
		s->selected = s->selected + 1 < n ? s->selected + 1 : n > 0 ? n - 1 : 0;
		return SETUP_DONE;
	case ACT_HOME:
	case ACT_PGUP:
		s->selected = 0;
		return SETUP_DONE;
	case ACT_END:
	case ACT_PGDN:
		s->selected = n > 0 ? n - 1 : 0;
		return SETUP_DONE;
	case ACT_ENTER:
		pick(s);
		return SETUP_DONE;
	case ACT_NEXT:
	case ACT_RIGHT:
		to_form(s, SF_TARGET);
		return SETUP_DONE;
	case ACT_PREV:
	case ACT_LEFT:
		to_form(s, SF_START);
		return SETUP_DONE;
	default:
		(void)k;
		return SETUP_PASS;
	}
}

enum setup_answer setup_form_key(struct setup_form *s, struct key k, enum action act)
{
	s->form.owner = s;
	if (s->in_list)
		return list_key(s, k, act);
	int before = s->form.focus;
	switch (form_key(&s->form, k, act)) {
	case FORM_DONE:
		return SETUP_DONE;
	case FORM_PRESSED:
		return SETUP_START;
	case FORM_LEFT:
		if (s->nr_targets > 0 && k.code != KEYCODE_UP && k.code != KEYCODE_DOWN)
			to_list(s);
		else
			to_form(s, before == SF_TARGET ? SF_START : SF_TARGET);
		return SETUP_DONE;
	default:
		break;
	}
	if (k.code == KEYCODE_ESC && before != SF_START) {
		to_form(s, SF_START);
		return SETUP_DONE;
	}
	return SETUP_PASS;
}

void setup_form_layout(const struct setup_form *s, int w, int h, struct layout *l)
{
	const struct expectation *e = &s->expect;
	struct setup_rows rows = { .fields = form_lines(&s->form), .targets = (int)s->nr_targets, .tests = s->nr_tests,
				   .limits = s->expect_known ? (int)s->expect.nr_limits : 0, .beside = (int)s->nr_alternatives,
				   .curve = s->expect_known && isfinite(e->baseline.iops), .before = s->nr_before };

	rows.cycle = rows.curve && setup_form_cycle(s);
	for (size_t i = 0; i < s->nr_alternatives; i++)
		rows.bursts += alternative_falls(&s->alternative[i]);
	layout_setup(w, h, &rows, l);
}

enum setup_answer setup_form_click(struct setup_form *s, int w, int h, int x, int y)
{
	struct layout l;

	setup_form_layout(s, w, h, &l);
	struct rect form = rect_inner(l.panel[PANEL_FORM]), list = rect_inner(l.panel[PANEL_TARGETS]);
	form.x++;
	form.w -= 2;
	int field = form_hit(&s->form, form, x, y);
	if (field == SF_START && s->form.focus == SF_START && !s->in_list)
		return SETUP_START;
	if (field >= 0) {
		to_form(s, (enum setup_field)field);
		return SETUP_DONE;
	}
	if (rect_has(list, x, y) && (size_t)(y - list.y) < s->nr_targets) {
		int first = s->selected >= list.h ? s->selected - list.h + 1 : 0;
		s->selected = first + y - list.y;
		to_list(s);
		pick(s);
		return SETUP_DONE;
	}
	return SETUP_PASS;
}
