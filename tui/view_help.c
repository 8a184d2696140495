/* SPDX-License-Identifier: MIT */
/* Help: the table of keys, and what the signs in the pictures mean. */
#include <stdio.h>
#include <string.h>

#include "tui/panel.h"

static const struct {
	unsigned style;
	const char *sign, *text;
} legend[] = {
	{ STYLE_LIMIT, "⠒ ⠒ ⠒", "a documented limit; its name and figure stand at the right" },
	{ STYLE_LIMIT_HIT, "⠒⠒⠒ ◀", "the limit that is reached just now" },
	{ STYLE_MODEL, "⠤⠤⠤⠤⠤", "the rate that the documents allow at that moment, and from now on" },
	{ STYLE_GHOST, "⠤⠤⠤⠤⠤", "an earlier run (g)" },
	{ STYLE_BURST, " burst ", "a phase in which credits are spent" },
	{ STYLE_BASELINE, " base ", "what is left without credits" },
	{ STYLE_STEADY, " steady", "one level all along" },
	{ STYLE_MARK, "▼┊", "a mark (m), or a knob that was turned" },
	{ STYLE_PASS_BADGE, " ✓ pass ", "90 % of what is documented, or more" },
	{ STYLE_SHORT_BADGE, " ▼ short ", "less than that" },
	{ STYLE_ABOVE_BADGE, " ▲ above ", "over 110 % of it: a cache, or another volume than was named" },
	{ STYLE_UNKNOWN_BADGE, " ? unknown ", "nothing to judge by, or not to be trusted" },
};
#define NR_LEGEND ((int)(sizeof(legend) / sizeof(*legend)))

static void draw_keys_help(const struct frame *f, struct canvas *cv, struct rect in)
{
	char name[8];
	int row = -f->help_scroll, column = 0, columns = in.w >= 128 ? 2 : 1, width = in.w / columns;

	for (const struct keymap_row *k = keymap; k->action; k++) {
		if (row >= in.h && column + 1 < columns) {
			column++;
			row = 0;
		}
		if (row >= 0 && row < in.h) {
			int x = in.x + 1 + column * width;
			bool now = keymap_applies(k, f->keys | ON_ANY);
			canvas_textn(cv, x, in.y + row, 7, now ? STYLE_KEY : STYLE_FAINT,
				     keymap_name(k, name));
			canvas_textn(cv, x + 8, in.y + row, width - 10, now ? STYLE_TEXT : STYLE_FAINT,
				     k->help);
		}
		row++;
	}
}

void view_help(const struct frame *f, struct canvas *cv)
{
	struct layout l;

	layout_results(cv->w, cv->h, 1, &l);
	draw_header(f, cv, l.header);
	struct rect body = { 0, l.header.h, cv->w, cv->h - l.header.h - l.keys.h };
	bool wide = cv->w >= 100;
	struct rect keys = { 0, body.y, wide ? cv->w * 58 / 100 : cv->w, body.h };
	struct rect in =
		panel(cv, keys, STYLE_FRAME_LIST, "Keys", STYLE_LABEL, keys.h < 40 ? "↑ ↓ scroll" : NULL);
	if (rect_empty(in))
		canvas_textn(cv, 0, cv->h - 1, cv->w, STYLE_TEXT, "q quits");
	else
		draw_keys_help(f, cv, in);
	if (wide) {
		struct rect at = panel(cv, (struct rect){ keys.w, body.y, cv->w - keys.w, body.h },
				       STYLE_FRAME_SIDE, "Signs", 0, NULL);
		for (int i = 0; i < NR_LEGEND && i < at.h; i++) {
			canvas_text(cv, at.x + 1, at.y + i, legend[i].style, legend[i].sign);
			canvas_textn(cv, at.x + 13, at.y + i, at.w - 14, STYLE_TEXT, legend[i].text);
		}
	}
	draw_keys(f, cv, l.keys);
}
