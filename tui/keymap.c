/* SPDX-License-Identifier: MIT */
#include "tui/keymap.h"

#define SHAPED_RUN (WHEN_RUNNING | WHEN_SHAPED)
#define KNOBS_RUN  (WHEN_RUNNING | WHEN_KNOBS)

const struct keymap_row keymap[] = {
	{ ACT_HELP, { '?', KEYCODE_F(10) }, "?", "Help", "this help; again, or Esc, closes it", ON_ANY, 1 },
	{ ACT_QUIT, { 'q' }, "q", "Quit", "close what is open, else quit; asks in a live run", ON_ANY, 0 },
	{ ACT_CLOSE, { KEYCODE_ESC }, "Esc", "", "close what is open; never more than that", ON_ANY, 9 },
	{ ACT_SETUP, { '1', KEYCODE_F(1) }, "1 F1", "", "Setup: target, volume, host, test, expectation", ON_ANY, 9 },
	{ ACT_LIVE, { '2', KEYCODE_F(2) }, "2 F2", "", "Live: the run as it goes", ON_ANY, 9 },
	{ ACT_RESULTS, { '3', KEYCODE_F(3) }, "3 F3", "", "Results: verdicts, earlier runs and references", ON_ANY, 9 },
	{ ACT_VOLUMES, { '4', KEYCODE_F(4) }, "4 F4", "", "Volumes: list, create, attach, modify", ON_ANY, 9 },
	{ ACT_NETWORK, { '5', KEYCODE_F(5) }, "5 F5", "", "Network: throughput to a peer", ON_ANY, 9 },
	{ ACT_START, { 's' }, "s", "Start", "start the run (as Enter on [ Start ])", ON_SETUP | ON_RESULTS | ON_NETWORK, 2 },
	{ ACT_STOP, { 'x' }, "x", "Stop", "end the test and keep it; asks about the others", ON_ANY | WHEN_RUNNING, 2 },
	{ ACT_ENTER, { KEYCODE_ENTER, '\n' }, "Enter", "", "take the value; press the button; open the row", ON_ANY, 9 },
	{ ACT_NEXT, { KEYCODE_TAB }, "Tab", "Next", "the next field or pane", ON_SETUP | ON_RESULTS | ON_NETWORK, 6 },
	{ ACT_PREV, { KEYCODE_BTAB }, "S-Tab", "", "the one before", ON_ANY, 9 },
	{ ACT_UP, { KEYCODE_UP, 'k', KEYCODE_WHEEL_UP }, "↑ k", "", "up", ON_ANY, 9 },
	{ ACT_DOWN, { KEYCODE_DOWN, 'j', KEYCODE_WHEEL_DOWN }, "↓ j", "", "down", ON_ANY, 9 },
	{ ACT_LEFT, { KEYCODE_LEFT, 'h' }, "← h", "", "left, the choice before", ON_ANY, 9 },
	{ ACT_RIGHT, { KEYCODE_RIGHT, 'l' }, "→ l", "", "right, the next choice", ON_ANY, 9 },
	{ ACT_PGUP, { KEYCODE_PGUP }, "PgUp", "", "a page up", ON_ANY, 9 },
	{ ACT_PGDN, { KEYCODE_PGDN }, "PgDn", "", "a page down", ON_ANY, 9 },
	{ ACT_HOME, { KEYCODE_HOME }, "Home", "", "to the first", ON_ANY, 9 },
	{ ACT_END, { KEYCODE_END }, "End", "", "to the last", ON_ANY, 9 },
	{ ACT_FREEZE, { ' ' }, "Space", "Freeze", "freeze the picture; the run goes on", ON_LIVE | WHEN_SHOWN, 3 },
	{ ACT_DEPTH_DOWN, { '[' }, "[ ]", "Depth", "iodepth: half", ON_LIVE | KNOBS_RUN, 4 },
	{ ACT_DEPTH_UP, { ']' }, "]", "", "iodepth: double", ON_LIVE | KNOBS_RUN, 9 },
	{ ACT_BS_DOWN, { '{' }, "{ }", "Block", "block size: half", ON_LIVE | KNOBS_RUN, 4 },
	{ ACT_BS_UP, { '}' }, "}", "", "block size: double", ON_LIVE | KNOBS_RUN, 9 },
	{ ACT_MIX_DOWN, { ',' }, ", .", "Mix", "percentage of reads: 10 less", ON_LIVE | KNOBS_RUN, 7 },
	{ ACT_MIX_UP, { '.' }, ".", "", "percentage of reads: 10 more", ON_LIVE | KNOBS_RUN, 9 },
	{ ACT_RATE_DOWN, { '<' }, "< >", "Cap", "rate cap: lower (shaped: time scale down)", ON_LIVE | KNOBS_RUN, 7 },
	{ ACT_RATE_UP, { '>' }, ">", "", "rate cap: higher, none (shaped: time scale up)", ON_LIVE | KNOBS_RUN, 9 },
	{ ACT_CREDITS, { 'r' }, "r", "Refill", "credits full again", ON_LIVE | SHAPED_RUN, 6 },
	{ ACT_MARK, { 'm' }, "m", "Mark", "put a mark on the plot and into the recording", ON_LIVE | WHEN_RUNNING, 5 },
	{ ACT_GHOST, { 'g' }, "g", "Ghost", "ghost: an earlier run or a reference behind this", ON_PLOT, 7 },
	{ ACT_BESIDE, { 'c' }, "c", "Compare", "this run beside the earlier one that is chosen", ON_RESULTS, 3 },
	{ ACT_SPAN_MORE, { '-' }, "+ -", "Span", "a longer time on the plot", ON_LIVE | WHEN_SHOWN, 8 },
	{ ACT_SPAN_LESS, { '+', '=' }, "+", "", "a shorter time on the plot", ON_LIVE | WHEN_SHOWN, 9 },
	{ ACT_VOL_CREATE, { 'c' }, "c", "Create", "create volumes: a form, the cost, a word to type", ON_VOLUMES, 2 },
	{ ACT_VOL_ATTACH, { 'a' }, "a", "Attach", "attach the volume here and wait for its device", ON_VOLUMES, 3 },
	{ ACT_VOL_MODIFY, { 'e' }, "e", "Edit", "change the volume's type, size or performance", ON_VOLUMES, 4 },
	{ ACT_VOL_DETACH, { 'd' }, "d", "Detach", "detach the volume; not while it is in use here", ON_VOLUMES, 5 },
	{ ACT_VOL_DELETE, { 'D' }, "D", "Delete", "delete the volume with all that is on it", ON_VOLUMES, 6 },
	{ ACT_VOL_REFRESH, { 'u' }, "u", "Update", "ask AWS again", ON_VOLUMES, 7 },
	{ ACT_THEME, { 't' }, "t", "Theme", "the next theme; it is kept for the next time", ON_ANY, 8 },
	{ ACT_NONE, { 0 }, NULL, NULL, NULL, 0, 0 },
};

bool keymap_applies(const struct keymap_row *row, unsigned now)
{
	unsigned states = row->when & (SHAPED_RUN | KNOBS_RUN | WHEN_SHOWN);

	return (row->when & now & ON_ANY) && (now & states) == states;
}

enum action keymap_action(struct key k, unsigned now)
{
	for (const struct keymap_row *row = keymap; row->action; row++)
		for (int i = 0; i < 4 && row->keys[i]; i++)
			if (row->keys[i] == k.code && keymap_applies(row, now))
				return row->action;
	return ACT_NONE;
}

const char *keymap_name(const struct keymap_row *row, char *buf)
{
	/* a pair is written "[ ]": a character, a blank, a character */
	if (row->name[0] && row->name[1] == ' ' && row->name[2] && !row->name[3] && *row->bar) {
		buf[0] = (char)row->keys[0];
		buf[1] = 0;
		return buf;
	}
	return row->name;
}

/* The screens a key is of: "Live, Results". */
static void print_screens(FILE *out, unsigned when)
{
	static const struct {
		unsigned    on;
		const char *name;
	} screens[] = { { ON_SETUP, "Setup" }, { ON_LIVE, "Live" }, { ON_RESULTS, "Results" }, { ON_VOLUMES, "Volumes" }, { ON_NETWORK, "Network" } };
	const char *between = "";

	if ((when & ON_ANY) == ON_ANY) {
		fputs("all", out);
		return;
	}
	for (size_t i = 0; i < sizeof(screens) / sizeof(*screens); i++) {
		if (when & screens[i].on) {
			fprintf(out, "%s%s", between, screens[i].name);
			between = ", ";
		}
	}
}

void keymap_markdown(FILE *out)
{
	char buf[8];

	fputs("| key | does | on |\n| --- | --- | --- |\n", out);
	for (const struct keymap_row *row = keymap; row->action; row++) {
		fprintf(out, "| `%s` | %s | ", keymap_name(row, buf), row->help);
		print_screens(out, row->when);
		fputs(" |\n", out);
	}
}
