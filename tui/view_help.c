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
	{ STYLE_LIMIT, "⠒ ⠒ ⠒", "a documented limit, named at the right" },
	{ STYLE_LIMIT_HIT, "⠒⠒⠒ ◀", "the limit that is reached just now" },
	{ STYLE_MODEL, "⠤⠤⠤⠤⠤", "what the documents allow at that moment" },
	{ STYLE_GHOST, "⠤⠤⠤⠤⠤", "an earlier run (g)" },
	{ STYLE_BURST, " burst ", "a phase in which credits are spent" },
	{ STYLE_BASELINE, " base ", "what is left without credits" },
	{ STYLE_STEADY, " steady ", "one level all along" },
	{ STYLE_MARK, "▼┊", "a mark (m), or a knob that was turned" },
	{ STYLE_PASS_BADGE, " ✓ pass ", "90 % of what is documented, or more" },
	{ STYLE_SHORT_BADGE, " ▼ short ", "less than that" },
	{ STYLE_ABOVE_BADGE, " ▲ above ", "over 110 %: a cache, or another volume" },
	{ STYLE_UNKNOWN_BADGE, " ? unknown ", "nothing to judge by, or not to be trusted" },
};

static const struct entry doubts[] = {
	{ STYLE_WARN, "cached", "under 95 % came from storage: not judged" },
	{ STYLE_WARN, "amplified", "the device moved more: journal, others" },
	{ STYLE_WARN, "CPU-bound", "the client was the limit, not the disk" },
	{ STYLE_WARN, "too short", "under half a second: not judged" },
	{ STYLE_WARN, "assumed", "credits at the start not known: full" },
	{ STYLE_BADGE, " SIMULATED ", "no I/O: what is documented, played" },
	{ STYLE_BADGE, " SHAPED ×60 ", "real I/O held to what is documented, credits so many times faster" },
	{ STYLE_SELECTED, " FROZEN ", "the picture stands, the run goes on" },
};

/* What follows the keys: beside them where it has room as a whole, else below them. */
struct section {
	const char *name;
	const struct entry *entry;
	int n;
};
#define SECTIONS 3

struct sections {
	struct entry place[3];
	struct section section[SECTIONS];
};

static void sections_of(const struct frame *f, struct sections *s)
{
	*s = (struct sections){
		.place = { { STYLE_TEXT, "recordings", f->recordings },
			   { STYLE_TEXT, "one's own", f->own_files },
			   { STYLE_TEXT, "commands", "ebscope --help" } },
		.section = { { "Signs", legend, sizeof(legend) / sizeof(*legend) },
			     { "What to believe", doubts, sizeof(doubts) / sizeof(*doubts) },
			     { "Where things are", s->place, 3 } },
	};
}

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
	struct canvas *cv; /* NULL: only counted */
	struct rect in;
	int line; /* of the list as it is scrolled */
};

static void list_line(struct list *l, unsigned key, const char *name, unsigned style, const char *text)
{
	if (l->cv) {
		canvas_textn(l->cv, l->in.x + 1, l->in.y + l->line, text ? 12 : l->in.w - 2, key, name);
		if (text)
			canvas_textn(l->cv, l->in.x + 9, l->in.y + l->line, l->in.w - 10, style, text);
	}
	l->line++;
}

#define SIGN_W 14 /* columns of a sign, with the frame's blank and the gap */

/* Its signs with their meaning from line l->line on. */
static void list_entries(struct list *l, const struct section *s)
{
	for (int i = 0; i < s->n; i++) {
		const struct entry *e = &s->entry[i];
		if (l->cv)
			canvas_textn(l->cv, l->in.x + 1, l->in.y + l->line, SIGN_W - 2, e->style, e->sign);
		l->line += draw_wrapped(l->cv, (struct rect){ l->in.x + SIGN_W, l->in.y + l->line, l->in.w - SIGN_W - 1, 4 }, STYLE_TEXT,
					e->text);
	}
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

/* How many of the sections have room beside the keys, and what room the keys have. */
static int beside(const struct sections *s, int w, int h, struct rect *keys, struct rect *side)
{
	struct layout l;
	int n = 0, used = 0;

	layout_results(w, h, 1, &l);
	*keys = (struct rect){ 0, l.header.h, w, h - l.header.h - l.keys.h };
	*side = (struct rect){ 0 };
	if (w < 100)
		return 0;
	keys->w = w * 52 / 100;
	*side = (struct rect){ keys->w, keys->y, w - keys->w, keys->h };
	for (; n < SECTIONS; n++) {
		struct list part = { NULL, rect_inner(*side), 0 };
		list_entries(&part, &s->section[n]);
		used += part.line + 2;
		if (used > side->h)
			break;
	}
	return n;
}

/* The group of the screen that was left for help, then the others, then the sections from @p first on.
 * @return how many lines there are */
static int list_keys(const struct frame *f, struct canvas *cv, struct rect in, int scrolled, const struct sections *s, int first)
{
	struct list l = { cv, in, -scrolled };
	int group = NR_GROUPS - 1;

	while (group > 0 && !(groups[group].on & f->help_on))
		group--;
	list_group(f, &l, group);
	for (int g = 0; g < NR_GROUPS; g++)
		if (g != group)
			list_group(f, &l, g);
	for (int i = first; i < SECTIONS; i++, l.line++) {
		list_line(&l, STYLE_STRONG, s->section[i].name, 0, NULL);
		list_entries(&l, &s->section[i]);
	}
	return l.line + scrolled - 1;
}

int view_help_most(const struct frame *f, int w, int h)
{
	struct sections s;
	struct rect keys, side;

	sections_of(f, &s);
	int n = beside(&s, w, h, &keys, &side), most = list_keys(f, NULL, rect_inner(keys), 0, &s, n) - (keys.h - 2);

	return most > 0 ? most : 0;
}

void view_help(const struct frame *f, struct canvas *cv)
{
	struct sections s;
	struct layout l;
	struct rect keys, side;
	int most = view_help_most(f, cv->w, cv->h);

	layout_results(cv->w, cv->h, 1, &l);
	draw_header(f, cv, l.header);
	sections_of(f, &s);
	int n = beside(&s, cv->w, cv->h, &keys, &side);
	if (keys.w < 3 || keys.h < 3) {
		canvas_textn(cv, 0, cv->h - 1, cv->w, STYLE_TEXT, "q quits");
	} else {
		struct rect in = panel(cv, keys, STYLE_FRAME_LIST, "Keys", STYLE_LABEL, most ? "↑ ↓ scroll" : NULL), before = canvas_clip(cv, in);
		list_keys(f, cv, in, f->help_scroll > most ? most : f->help_scroll, &s, n);
		canvas_unclip(cv, before);
	}
	for (int i = 0; i < n; i++) {
		struct list part = { NULL, rect_inner(side), 0 };
		list_entries(&part, &s.section[i]);
		struct rect at = { side.x, side.y, side.w, part.line + 2 };
		part = (struct list){ cv, panel(cv, at, STYLE_FRAME_SIDE, s.section[i].name, 0, NULL), 0 };
		list_entries(&part, &s.section[i]);
		side.y += at.h;
	}
	draw_keys(f, cv, l.keys);
}
