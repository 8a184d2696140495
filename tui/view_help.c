/* SPDX-License-Identifier: MIT */
/* Help: the table of keys by where they work, what signs and words on the screens mean, and where things are kept. */
#include <stdio.h>
#include <string.h>

#include "tui/panel.h"

struct entry {
	unsigned style;
	const char *sign, *text;
};

static const struct entry legend[] = {
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

static const struct entry doubts[] = {
	{ STYLE_WARN, "cached", "storage moved under 95 % of the bytes: memory was measured, and nothing is judged" },
	{ STYLE_WARN, "amplified", "the device moved more: journal, read-ahead, or somebody else" },
	{ STYLE_WARN, "CPU-bound", "the client was the limit, not the disk" },
	{ STYLE_WARN, "too short", "under half a second: a figure, and no verdict" },
	{ STYLE_WARN, "assumed", "nobody said how many credits there were: full" },
	{ STYLE_BADGE, " SIMULATED ", "no I/O at all: what the documents say, played" },
	{ STYLE_BADGE, " SHAPED ×60 ", "real I/O held to what is documented, credits so many times faster" },
	{ STYLE_SELECTED, " FROZEN ", "the picture stands (Space), the run goes on" },
};

static const struct entry places[] = {
	{ STYLE_TEXT, "recordings", "~/.local/state/ebscope/runs" },
	{ STYLE_TEXT, "theme", "~/.config/ebscope/config.json; more themes in themes/ there" },
	{ STYLE_TEXT, "suites", "~/.config/ebscope/suites, one's own" },
	{ STYLE_TEXT, "commands", "ebscope --help: run, check, watch, expect, net, volumes, compare …" },
};

/* Keys that mean the same stand together. A row belongs to the first group that has its screen. */
static const struct {
	const char *name;
	unsigned on;
} groups[] = {
	{ "Everywhere", ON_ANY }, { "Setup, Network", ON_SETUP }, { "Live", ON_LIVE }, { "Results", ON_RESULTS }, { "Volumes", ON_VOLUMES },
};
#define NR_GROUPS ((int)(sizeof(groups) / sizeof(*groups)))

static int group_of(const struct keymap_row *k)
{
	unsigned on = k->when & ON_ANY;

	for (int g = 0; g < NR_GROUPS; g++)
		if ((on & groups[g].on) == groups[g].on)
			return g;
	return NR_GROUPS - 1;
}

/* The list of keys, line by line. */
struct list {
	struct canvas *cv;
	struct rect in;
	int line; /* of the list as it is scrolled */
};

static void list_line(struct list *l, unsigned key, const char *name, unsigned style, const char *text)
{
	if (l->line >= 0 && l->line < l->in.h) {
		canvas_textn(l->cv, l->in.x + 1, l->in.y + l->line, text ? 12 : l->in.w - 2, key, name);
		int x = text_width(name) > 7 ? 14 : 9;
		if (text)
			canvas_textn(l->cv, l->in.x + x, l->in.y + l->line, l->in.w - x - 1, style, text);
	}
	l->line++;
}

static void list_group(const struct frame *f, struct list *l, int g)
{
	char name[8];

	list_line(l, STYLE_STRONG, groups[g].name, 0, NULL);
	for (const struct keymap_row *k = keymap; k->action; k++) {
		bool now = keymap_applies(k, f->keys | ON_ANY);
		if (group_of(k) == g)
			list_line(l, now ? STYLE_KEY : STYLE_FAINT, keymap_name(k, name), now ? STYLE_TEXT : STYLE_FAINT, k->help);
	}
	l->line++;
}

/* The group of the screen that was left for help, then the others; @p signs: then what has no panel of its own.
 * @return how many lines there are */
static int list_keys(const struct frame *f, struct canvas *cv, struct rect in, int scrolled, bool signs)
{
	struct list l = { cv, in, -scrolled };
	int first = NR_GROUPS - 1;

	while (first > 0 && !(groups[first].on & f->help_on))
		first--;
	list_group(f, &l, first);
	for (int g = 0; g < NR_GROUPS; g++)
		if (g != first)
			list_group(f, &l, g);
	if (signs)
		list_line(&l, STYLE_STRONG, "Signs", 0, NULL);
	for (size_t i = 0; signs && i < sizeof(legend) / sizeof(*legend); i++)
		list_line(&l, legend[i].style, legend[i].sign, STYLE_TEXT, legend[i].text);
	return l.line + scrolled - !signs;
}

/* Where there is room beside the keys, what stands there is not in their list. */
static bool has_sides(int w)
{
	return w >= 100;
}

int view_help_most(const struct frame *f, int w, int h)
{
	int most = list_keys(f, NULL, (struct rect){ 0 }, 0, !has_sides(w)) - (h - 4); /* header, frame, keys */

	return most > 0 ? most : 0;
}

static void draw_keys_help(const struct frame *f, struct canvas *cv, struct rect at)
{
	int most = view_help_most(f, cv->w, cv->h);
	struct rect in = panel(cv, at, STYLE_FRAME_LIST, "Keys", STYLE_LABEL, most ? "↑ ↓ scroll" : NULL);

	if (!rect_empty(in))
		list_keys(f, cv, in, f->help_scroll > most ? most : f->help_scroll, !has_sides(cv->w));
}

/* A panel of signs with their meaning, as high as it needs, at the top of what is left. */
static void draw_entries(struct canvas *cv, struct rect *left, const char *title, const struct entry *e, int n)
{
	struct rect text = { 0, 0, left->w - 16, 4 };
	int h = 2;

	for (int i = 0; i < n; i++)
		h += draw_wrapped(NULL, text, 0, e[i].text);
	if (h > left->h)
		h = left->h;
	struct rect in = panel(cv, (struct rect){ left->x, left->y, left->w, h }, STYLE_FRAME_SIDE, title, 0, NULL);
	left->y += h;
	left->h -= h;
	for (int i = 0; i < n && in.h > 0 && in.w > 15; i++) {
		canvas_textn(cv, in.x + 1, in.y, 12, e[i].style, e[i].sign);
		int used = draw_wrapped(cv, (struct rect){ in.x + 14, in.y, in.w - 15, in.h }, STYLE_TEXT, e[i].text);
		in.y += used;
		in.h -= used;
	}
}

#define ENTRIES(list) list, (int)(sizeof(list) / sizeof(*(list)))

void view_help(const struct frame *f, struct canvas *cv)
{
	struct layout l;

	layout_results(cv->w, cv->h, 1, &l);
	draw_header(f, cv, l.header);
	struct rect body = { 0, l.header.h, cv->w, cv->h - l.header.h - l.keys.h };
	bool wide = has_sides(cv->w);
	struct rect keys = { 0, body.y, wide ? cv->w * 52 / 100 : cv->w, body.h };
	if (keys.w < 3 || keys.h < 3)
		canvas_textn(cv, 0, cv->h - 1, cv->w, STYLE_TEXT, "q quits");
	else
		draw_keys_help(f, cv, keys);
	if (wide) {
		struct rect left = { keys.w, body.y, cv->w - keys.w, body.h };
		draw_entries(cv, &left, "Signs", ENTRIES(legend));
		draw_entries(cv, &left, "What to believe", ENTRIES(doubts));
		draw_entries(cv, &left, "Where things are", ENTRIES(places));
	}
	draw_keys(f, cv, l.keys);
}
