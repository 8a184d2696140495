/* SPDX-License-Identifier: MIT */
#include "tui/dialog.h"

#include <stdio.h>
#include <string.h>

#include "tui/panel.h"

static void set(struct dialog *d, enum dialog_kind kind, int purpose, const char *title, const char *text)
{
	*d = (struct dialog){ .kind = kind, .purpose = purpose };
	snprintf(d->title, sizeof(d->title), "%s", title);
	snprintf(d->text, sizeof(d->text), "%s", text);
}

void dialog_ask(struct dialog *d, int purpose, const char *title, const char *text)
{
	set(d, DIALOG_YES, purpose, title, text);
}

void dialog_choose(struct dialog *d, int purpose, const char *title, const char *text)
{
	set(d, DIALOG_YES, purpose, title, text);
	d->later = true;
}

void dialog_type(struct dialog *d, int purpose, const char *title, const char *text, const char *want)
{
	set(d, DIALOG_TYPE, purpose, title, text);
	snprintf(d->want, sizeof(d->want), "%s", want);
}

static void type(struct dialog *d, struct key k)
{
	size_t len = strlen(d->typed);

	d->wrong = false;
	if (k.code == KEYCODE_BACKSPACE) {
		while (len > 0 && ((unsigned char)d->typed[--len] & 0xc0) == 0x80)
			;
		d->typed[len] = 0;
	} else if (k.code == KEYCODE_CTRL('u')) {
		d->typed[0] = 0;
	} else if (key_prints(k) && len + 5 < sizeof(d->typed)) {
		int n = utf8_put(d->typed + len, k.code);
		d->typed[len + (size_t)n] = 0;
	}
}

enum dialog_answer dialog_key(struct dialog *d, struct key k)
{
	if (k.code == KEYCODE_ESC)
		return d->later ? DIALOG_LATER : DIALOG_NO;
	if (d->kind == DIALOG_YES)
		return k.code == 'y' || k.code == 'Y'   ? DIALOG_OK
		       : k.code == 'n' || k.code == 'N' ? DIALOG_NO
							: DIALOG_OPEN;
	if (k.code == KEYCODE_ENTER) {
		if (*d->want && strcmp(d->typed, d->want) == 0)
			return DIALOG_OK;
		d->wrong = true;
		return DIALOG_OPEN;
	}
	type(d, k);
	return DIALOG_OPEN;
}

/* What was typed, its end where it is longer than the field. */
static void draw_typed(const struct dialog *d, struct canvas *cv, struct rect field)
{
	const char *from = d->typed;

	while (*from && text_width(from) >= field.w)
		utf8_next(&from);
	canvas_fill(cv, field, ' ', STYLE_FIELD_FOCUS);
	int x = canvas_text(cv, field.x, field.y, STYLE_FIELD_FOCUS, from);
	canvas_put(cv, x, field.y, '_', STYLE_FIELD_FOCUS);
}

void dialog_draw(const struct dialog *d, struct canvas *cv)
{
	int w = cv->w < 64 ? cv->w : 60, want = text_width(d->want), label = text_width("type : ") + want;
	bool apart = label + want + 1 > w - 4; /* the field has a row of its own */
	int foot = d->kind == DIALOG_TYPE ? 3 + apart : 1, h = foot + 6;
	char text[sizeof(d->want) + 8];

	h = h > cv->h ? cv->h : h;
	struct rect at = { (cv->w - w) / 2, (cv->h - h) / 2, w, h };
	canvas_shade(cv, at, SHADE_NONE);
	canvas_fill(cv, at, ' ', STYLE_TEXT);
	struct rect in = panel(cv, at, STYLE_FRAME_FOCUS, d->title, STYLE_LABEL, NULL);
	if (rect_empty(in)) { /* no room for a frame: the bare question */
		canvas_textn(cv, at.x, at.y, at.w, STYLE_WARN, d->kind == DIALOG_TYPE ? d->want : "y/n?");
		return;
	}
	in.x++;
	in.w -= 2;
	struct rect before = canvas_clip(cv, in);
	draw_wrapped(cv, (struct rect){ in.x, in.y, in.w, in.h - foot }, STYLE_TEXT, d->text);
	int y = in.h > foot ? in.y + in.h - foot : in.y;
	if (d->kind == DIALOG_YES) {
		int x = canvas_text(cv, in.x, y, STYLE_KEY, "y") + 1;
		x = canvas_text(cv, x, y, STYLE_LABEL, "yes") + 3;
		x = canvas_text(cv, x, y, STYLE_KEY, d->later ? "n" : "n Esc") + 1;
		x = canvas_text(cv, x, y, STYLE_LABEL, "no") + 3;
		if (d->later) {
			x = canvas_text(cv, x, y, STYLE_KEY, "Esc") + 1;
			canvas_text(cv, x, y, STYLE_LABEL, "later");
		}
		canvas_unclip(cv, before);
		return;
	}
	snprintf(text, sizeof(text), "type %s:", d->want);
	canvas_textn(cv, in.x, y, in.w, STYLE_LABEL, text);
	y += apart;
	int x = apart ? in.x : in.x + label;
	draw_typed(d, cv, (struct rect){ x, y, in.x + in.w - x, 1 });
	if (d->wrong)
		canvas_textn(cv, in.x, y + 1, in.w, STYLE_ERROR, "that is not the name: nothing was done");
	x = canvas_text(cv, in.x, y + 2, STYLE_KEY, "Enter") + 1;
	x = canvas_text(cv, x, y + 2, STYLE_LABEL, "go on") + 3;
	x = canvas_text(cv, x, y + 2, STYLE_KEY, "Esc") + 1;
	canvas_text(cv, x, y + 2, STYLE_LABEL, "cancel");
	canvas_unclip(cv, before);
}
