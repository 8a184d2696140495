/* SPDX-License-Identifier: MIT */
#include "tui/form.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tui/panel.h"

#define LABEL_WIDTH 8

static void offer(struct form *f, int i, const char *text)
{
	struct err err = { 0 };

	if (f->take(f->owner, i, text, &err) == 0)
		f->field[i].error[0] = 0;
	else
		snprintf(f->field[i].error, sizeof(f->field[i].error), "%.*s", FORM_ERROR_MAX - 1, err.msg);
	/* the owner may have written it anew, and shorter */
	int len = (int)strlen(f->field[i].value);
	if (i == f->focus && f->cursor > len)
		f->cursor = len;
}

int form_set(struct form *f, int i, const char *text, struct err *err)
{
	if (f->take(f->owner, i, text, err) < 0)
		return -1;
	snprintf(f->field[i].value, FORM_VALUE_MAX, "%s", text);
	f->field[i].error[0] = 0;
	if (f->focus == i) /* it is what Esc comes back to */
		form_focus(f, i);
	return 0;
}

void form_focus(struct form *f, int i)
{
	f->focus = i;
	f->editing = false;
	if (i >= 0) {
		memcpy(f->before, f->field[i].value, sizeof(f->before));
		memcpy(f->before_error, f->field[i].error, sizeof(f->before_error));
		f->cursor = (int)strlen(f->field[i].value);
	}
}

bool form_types(const struct form *f)
{
	return f->focus >= 0 && f->row[f->focus].kind == FORM_TEXT;
}

int form_bad(const struct form *f)
{
	for (int i = 0; i < f->nr; i++)
		if (f->field[i].error[0] && !f->field[i].off)
			return i;
	return -1;
}

/* The next field that is on, in the order of the table; -1 past either end. */
static int next_field(const struct form *f, int from, int by)
{
	for (int i = from + by; i >= 0 && i < f->nr; i += by)
		if (!f->field[i].off)
			return i;
	return -1;
}

static enum form_answer move(struct form *f, int by)
{
	int to = next_field(f, f->focus, by);

	if (to < 0)
		return FORM_LEFT;
	form_focus(f, to);
	return FORM_DONE;
}

/* Up and down: the nearest line, in the same column where it has one. */
static enum form_answer move_line(struct form *f, int by)
{
	const struct form_row *from = &f->row[f->focus];
	int best = -1;

	for (int i = 0; i < f->nr; i++) {
		const struct form_row *r = &f->row[i];
		int away = (r->line - from->line) * by;
		if (f->field[i].off || away <= 0)
			continue;
		int best_away = best < 0 ? 1 << 20 : (f->row[best].line - from->line) * by;
		if (away < best_away || (away == best_away && r->column == from->column))
			best = i;
	}
	if (best < 0)
		return FORM_LEFT;
	form_focus(f, best);
	return FORM_DONE;
}

/* -1: a value of the owner's that is none of the choices; turned from there, the first or last is next. */
static int choice_of(const struct form *f, int i)
{
	for (int c = 0; f->row[i].choices[c]; c++)
		if (strcmp(f->row[i].choices[c], f->field[i].value) == 0)
			return c;
	return -1;
}

static void choose(struct form *f, int i, int choice)
{
	snprintf(f->field[i].value, FORM_VALUE_MAX, "%s", f->row[i].choices[choice]);
	offer(f, i, f->field[i].value);
}

static enum form_answer choice_key(struct form *f, struct key k, enum action act)
{
	const char *const *choices = f->row[f->focus].choices;
	int now = choice_of(f, f->focus), nr = 0;

	while (choices[nr])
		nr++;
	if (k.code == KEYCODE_LEFT || act == ACT_LEFT)
		choose(f, f->focus, now > 0 ? now - 1 : nr - 1);
	else if (k.code == KEYCODE_RIGHT || act == ACT_RIGHT || k.code == ' ')
		choose(f, f->focus, (now + 1) % nr);
	else if (k.code > ' ' && k.code < 0x7f && isalpha((int)k.code)) {
		for (int step = 1; step <= nr; step++)
			if (tolower((unsigned char)choices[(now + step) % nr][0]) == tolower((int)k.code)) {
				choose(f, f->focus, (now + step) % nr);
				return FORM_DONE;
			}
		return FORM_PASS;
	} else
		return FORM_PASS;
	return FORM_DONE;
}

/* The byte before or behind the character at the cursor. */
static int step_back(const char *text, int at)
{
	while (at > 0 && ((unsigned char)text[--at] & 0xc0) == 0x80)
		;
	return at;
}

static int step_on(const char *text, int at)
{
	if (text[at])
		at++;
	while (((unsigned char)text[at] & 0xc0) == 0x80)
		at++;
	return at;
}

static void cut(char *text, int from, int to)
{
	memmove(text + from, text + to, strlen(text + to) + 1);
}

static void type(struct form *f, uint32_t code)
{
	struct form_field *field = &f->field[f->focus];
	char bytes[4];
	int n = utf8_put(bytes, code);

	if (!f->editing) {
		field->value[0] = 0;
		f->cursor = 0;
	}
	f->editing = true;
	size_t len = strlen(field->value);
	if (len + (size_t)n >= FORM_VALUE_MAX)
		return;
	memmove(field->value + f->cursor + n, field->value + f->cursor, len - (size_t)f->cursor + 1);
	memcpy(field->value + f->cursor, bytes, (size_t)n);
	f->cursor += n;
	offer(f, f->focus, field->value);
}

static enum form_answer text_key(struct form *f, struct key k)
{
	char *text = f->field[f->focus].value;

	if (key_prints(k)) {
		type(f, k.code);
		return FORM_DONE;
	}
	switch (k.code) {
	case KEYCODE_LEFT:
		f->cursor = step_back(text, f->cursor);
		break;
	case KEYCODE_RIGHT:
		f->cursor = step_on(text, f->cursor);
		break;
	case KEYCODE_HOME:
		f->cursor = 0;
		break;
	case KEYCODE_END:
		f->cursor = (int)strlen(text);
		break;
	case KEYCODE_BACKSPACE:
	case KEYCODE_DEL: {
		int from = k.code == KEYCODE_DEL ? f->cursor : step_back(text, f->cursor);
		int to = k.code == KEYCODE_DEL ? step_on(text, f->cursor) : f->cursor;
		cut(text, from, to);
		f->cursor = from;
		offer(f, f->focus, text);
		break;
	}
	case KEYCODE_CTRL('u'):
		text[0] = 0;
		f->cursor = 0;
		offer(f, f->focus, text);
		break;
	default:
		return FORM_PASS;
	}
	f->editing = true;
	return FORM_DONE;
}

/* What was there when the field got the focus. */
static enum form_answer restore(struct form *f)
{
	struct form_field *field = &f->field[f->focus];
	bool same = strcmp(field->value, f->before) == 0;

	if (same && !f->editing)
		return FORM_PASS;
	memcpy(field->value, f->before, sizeof(f->before));
	offer(f, f->focus, field->value);
	form_focus(f, f->focus);
	return FORM_DONE;
}

enum form_answer form_key(struct form *f, struct key k, enum action act)
{
	if (f->focus < 0)
		return FORM_PASS;
	enum form_kind kind = f->row[f->focus].kind;
	if (k.code == KEYCODE_TAB)
		return move(f, 1);
	if (k.code == KEYCODE_BTAB)
		return move(f, -1);
	if (k.code == KEYCODE_UP)
		return move_line(f, -1);
	if (k.code == KEYCODE_DOWN)
		return move_line(f, 1);
	if (k.code == KEYCODE_ESC)
		return kind == FORM_BUTTON ? FORM_PASS : restore(f);
	if (k.code == KEYCODE_ENTER) {
		if (kind == FORM_BUTTON)
			return FORM_PRESSED;
		return f->field[f->focus].error[0] ? FORM_DONE : move(f, 1);
	}
	return kind == FORM_TEXT ? text_key(f, k) : kind == FORM_CHOICE ? choice_key(f, k, act) : FORM_PASS;
}

int form_lines(const struct form *f)
{
	int lines = 0;

	for (int i = 0; i < f->nr; i++)
		lines = f->row[i].line + 1 > lines ? f->row[i].line + 1 : lines;
	return lines + 2; /* two for help or error */
}

/* Where a field stands: label and value together. */
static struct rect place(const struct form *f, struct rect at, int i)
{
	const struct form_row *r = &f->row[i];
	int half = at.w / 2;

	if (r->kind == FORM_BUTTON) {
		int w = text_width(r->label) + 6;
		return (struct rect){ at.x + (at.w - w) / 2, at.y + r->line, w, 1 };
	}
	if (r->wide)
		return (struct rect){ at.x, at.y + r->line, at.w, 1 };
	return (struct rect){ at.x + r->column * half, at.y + r->line, half - 1, 1 };
}

/* Lines that can't be shown: where there is less room than lines, those with the focus and over it stay. */
static int hidden_above(const struct form *f, struct rect at)
{
	int room = at.h - 1, line = f->focus >= 0 ? f->row[f->focus].line : 0;

	return at.h >= form_lines(f) - 1 || room < 1 || line < room ? 0 : line - room + 1;
}

int form_hit(const struct form *f, struct rect at, int x, int y)
{
	int hidden = hidden_above(f, at), room = at.h >= form_lines(f) - 1 ? at.h : at.h - 1;

	if (y < at.y || y >= at.y + room)
		return -1;
	at.y -= hidden;
	for (int i = 0; i < f->nr; i++)
		if (!f->field[i].off && rect_has(place(f, at, i), x, y))
			return i;
	return -1;
}

static void draw_text_value(const struct form *f, struct canvas *cv, int i, struct rect v, unsigned style)
{
	const char *text = f->field[i].value;
	bool focus = f->focus == i;

	canvas_fill(cv, v, ' ', style);
	if (!*text && f->field[i].empty)
		canvas_textn(cv, v.x + 2 * focus, v.y, v.w - 2 * focus, focus ? style : STYLE_FAINT, f->field[i].empty);
	if (!focus) {
		canvas_textn(cv, v.x, v.y, v.w, style, text);
		return;
	}
	/* what is left of the cursor stays in view */
	char head[FORM_VALUE_MAX];
	snprintf(head, sizeof(head), "%.*s", f->cursor, text);
	int skip = text_width(head) - (v.w - 1);
	const char *p = text;
	for (; skip > 0 && *p; skip -= char_width(utf8_next(&p)))
		;
	struct rect before = canvas_clip(cv, v);
	canvas_text(cv, v.x, v.y, style, p);
	int x = v.x + text_width(head) - (text_width(text) - text_width(p));
	struct cell under = *text ? canvas_at(cv, x, v.y) : (struct cell){ 0 };
	canvas_put(cv, x, v.y, under.ch && under.ch != ' ' ? under.ch : (uint32_t)'_',
		   f->editing ? STYLE_BADGE : style);
	canvas_unclip(cv, before);
}

static void draw_field(const struct form *f, struct canvas *cv, struct rect at, int i)
{
	const struct form_row *r = &f->row[i];
	struct rect p = place(f, at, i);
	bool focus = f->focus == i, bad = f->field[i].error[0] != 0;

	if (r->kind == FORM_BUTTON) {
		canvas_printf(cv, p.x, p.y, focus ? STYLE_BUTTON : STYLE_BUTTON_IDLE, " [ %s ] ", r->label);
		return;
	}
	unsigned style = f->field[i].off ? STYLE_FAINT
			 : focus         ? (bad ? STYLE_FIELD_BAD : STYLE_FIELD_FOCUS)
			 : bad           ? STYLE_FIELD_BAD
					 : STYLE_FIELD;
	canvas_textn(cv, p.x, p.y, LABEL_WIDTH,
		     focus             ? STYLE_STRONG
		     : f->field[i].off ? STYLE_FAINT
				       : STYLE_LABEL,
		     r->label);
	struct rect v = { p.x + LABEL_WIDTH + 1, p.y, p.w - LABEL_WIDTH - 1, 1 };
	if (v.w <= 0)
		return;
	if (f->field[i].off)
		canvas_textn(cv, v.x, v.y, v.w, style, "–");
	else if (r->kind == FORM_CHOICE) {
		if (focus)
			canvas_fill(cv, v, ' ', style);
		int w = text_width(f->field[i].value);
		canvas_textn(cv, v.x, v.y, v.w - 1, style, f->field[i].value);
		if (focus)
			canvas_right(cv, v.x + v.w, v.y, 3, style, w + 4 <= v.w ? "◂ ▸" : "▸");
		else
			canvas_right(cv, v.x + v.w, v.y, 1, STYLE_FAINT, "▾");
	} else {
		draw_text_value(f, cv, i, v, style);
	}
}

void form_draw(const struct form *f, struct canvas *cv, struct rect at)
{
	struct rect before = canvas_clip(cv, at);
	int note = f->focus >= 0 && f->field[f->focus].error[0] ? f->focus : form_bad(f);

	struct rect foot = { at.x, at.y + form_lines(f) - 2, at.w, 2 };
	if (foot.y + foot.h > at.y + at.h) /* the last line is the help's; the fields scroll above it */
		foot = (struct rect){ at.x, at.y + at.h - 1, at.w, 1 };
	struct rect fields = { at.x, at.y, at.w, foot.y - at.y }, all = { at.x, at.y - hidden_above(f, at), at.w, at.h };
	struct rect whole = canvas_clip(cv, fields);
	for (int i = 0; i < f->nr; i++)
		draw_field(f, cv, all, i);
	canvas_unclip(cv, whole);
	if (note >= 0)
		draw_wrapped(cv, foot, STYLE_ERROR, f->field[note].error);
	else if (f->focus >= 0 && f->row[f->focus].help)
		draw_wrapped(cv, foot, STYLE_LABEL, f->row[f->focus].help);
	canvas_unclip(cv, before);
}
