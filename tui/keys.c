/* SPDX-License-Identifier: MIT */
/* The half of keymap.h that reads --keys. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/units.h"
#include "tui/canvas.h"
#include "tui/keymap.h"

/* tmux's names (tmux(1), "KEY BINDINGS"), and what is typed with a comma between keys. */
static const struct {
	const char *name;
	uint32_t    code;
} names[] = {
	{ "Enter", KEYCODE_ENTER }, { "Escape", KEYCODE_ESC },	 { "Esc", KEYCODE_ESC },      { "Space", ' ' },
	{ "Tab", KEYCODE_TAB },	    { "BTab", KEYCODE_BTAB },	 { "S-Tab", KEYCODE_BTAB },   { "BSpace", KEYCODE_BACKSPACE },
	{ "Up", KEYCODE_UP },	    { "Down", KEYCODE_DOWN },	 { "Left", KEYCODE_LEFT },    { "Right", KEYCODE_RIGHT },
	{ "Home", KEYCODE_HOME },   { "End", KEYCODE_END },	 { "PPage", KEYCODE_PGUP },   { "PageUp", KEYCODE_PGUP },
	{ "PgUp", KEYCODE_PGUP },   { "NPage", KEYCODE_PGDN },	 { "PageDown", KEYCODE_PGDN }, { "PgDn", KEYCODE_PGDN },
	{ "IC", KEYCODE_INS },	    { "Insert", KEYCODE_INS },	 { "DC", KEYCODE_DEL },	      { "Delete", KEYCODE_DEL },
	{ "comma", ',' },
};

struct steps {
	struct key_step *step;
	size_t		 nr, cap;
};

static int add(struct steps *s, struct key_step step, struct err *err)
{
	if (s->nr == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 16;
		struct key_step *grown = realloc(s->step, cap * sizeof(*grown));
		if (!grown)
			return err_set(err, ENOMEM, "out of memory");
		s->step = grown;
		s->cap = cap;
	}
	s->step[s->nr++] = step;
	return 0;
}

static int add_key(struct steps *s, uint32_t code, struct err *err)
{
	return add(s, (struct key_step){ .kind = STEP_KEY, .key = { .code = code } }, err);
}

/* The code of one name, or KEYCODE_NONE. */
static uint32_t key_code(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcasecmp(names[i].name, name) == 0)
			return names[i].code;
	if ((name[0] == 'F' || name[0] == 'f') && name[1] >= '1' && name[1] <= '9') {
		char *end;
		long n = strtol(name + 1, &end, 10);
		if (*end == 0 && n <= 12)
			return KEYCODE_F((uint32_t)n);
	}
	if ((strncmp(name, "C-", 2) == 0 || name[0] == '^') && *name) {
		const char *c = name + (name[0] == '^' ? 1 : 2);
		if (((*c >= 'a' && *c <= 'z') || (*c >= '@' && *c <= '_')) && c[1] == 0)
			return KEYCODE_CTRL((uint32_t)*c);
	}
	const char *p = name;
	uint32_t ch = utf8_next(&p);
	return ch && *p == 0 && key_prints((struct key){ .code = ch }) ? ch : KEYCODE_NONE;
}

static int add_step(struct steps *s, const char *item, struct err *err)
{
	if (strncmp(item, "wait:", 5) == 0) {
		struct key_step step = { .kind = STEP_WAIT };
		if (parse_time(item + 5, &step.wait_ns, err) < 0)
			return err_wrap(err, "wait");
		return add(s, step, err);
	}
	if (strncmp(item, "until:", 6) == 0) {
		if (strcmp(item + 6, "done") != 0)
			return err_set(err, ERR_USAGE, "'%.40s': only until:done is allowed", item);
		return add(s, (struct key_step){ .kind = STEP_UNTIL_DONE }, err);
	}
	if (strncmp(item, "text:", 5) == 0) {
		const char *p = item + 5;
		for (uint32_t ch; (ch = utf8_next(&p));)
			if (add_key(s, ch, err) < 0)
				return -1;
		return 0;
	}
	uint32_t code = key_code(item);
	if (code == KEYCODE_NONE)
		return err_set(err, ERR_USAGE,
			       "'%.40s' is no key (tmux's names like Enter, F2, C-c, Space, Up, or a character; "
			       "also wait:2s, until:done, text:TEXT, comma)",
			       item);
	return add_key(s, code, err);
}

int keys_parse(const char *text, struct key_step **steps, size_t *nr, struct err *err)
{
	struct steps s = { 0 };
	char *copy = strdup(text), *rest = copy;

	if (!copy)
		return err_set(err, ENOMEM, "out of memory");
	for (char *item; *text && (item = strsep(&rest, ","));) {
		if (*item == 0) {
			err_set(err, ERR_USAGE, "an empty key (two commas, or one at an end); the key itself is 'comma'");
			goto fail;
		}
		if (add_step(&s, item, err) < 0)
			goto fail;
	}
	free(copy);
	*steps = s.step;
	*nr = s.nr;
	return 0;
fail:
	free(copy);
	free(s.step);
	return err_wrap(err, "--keys");
}
