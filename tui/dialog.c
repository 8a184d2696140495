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

void dialog_draw(const struct dialog *d, struct canvas *cv)
{
	int w = cv->w < 64 ? cv->w : 60, h = d->kind == DIALOG_TYPE ? 9 : 7;

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
	int foot = d->kind == DIALOG_TYPE ? 3 : 1;
	draw_wrapped(cv, (struct rect){ in.x, in.y, in.w, in.h - foot > 0 ? in.h - foot : 1 }, STYLE_TEXT,
		     d->text);
	int y = in.y + in.h - foot;
	if (d->kind == DIALOG_YES) {
		int x = canvas_text(cv, in.x, y, STYLE_KEY, "y") + 1;
		x = canvas_text(cv, x, y, STYLE_LABEL, "yes") + 3;
		x = canvas_text(cv, x, y, STYLE_KEY, d->later ? "n" : "n Esc") + 1;
		x = canvas_text(cv, x, y, STYLE_LABEL, "no") + 3;
		if (d->later) {
			x = canvas_text(cv, x, y, STYLE_KEY, "Esc") + 1;
			canvas_text(cv, x, y, STYLE_LABEL, "later");
		}
		return;
	}
	int x = canvas_printf(cv, in.x, y, STYLE_LABEL, "type %s: ", d->want);
	struct rect field = { x, y, in.x + in.w - x, 1 };
	canvas_fill(cv, field, ' ', STYLE_FIELD_FOCUS);
	x = canvas_textn(cv, x, y, field.w - 1, STYLE_FIELD_FOCUS, d->typed);
	canvas_put(cv, x, y, '_', STYLE_FIELD_FOCUS);
	if (d->wrong)
		canvas_textn(cv, in.x, y + 1, in.w, STYLE_ERROR, "that is not the name: nothing was done");
	x = canvas_text(cv, in.x, y + 2, STYLE_KEY, "Enter") + 1;
	x = canvas_text(cv, x, y + 2, STYLE_LABEL, "go on") + 3;
	x = canvas_text(cv, x, y + 2, STYLE_KEY, "Esc") + 1;
	canvas_text(cv, x, y + 2, STYLE_LABEL, "cancel");
}
