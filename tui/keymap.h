/* SPDX-License-Identifier: MIT */
#ifndef TUI_KEYMAP_H
#define TUI_KEYMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/err.h"

/**
 * Keys: what a terminal sends, what it is called, and what it does. One table (keymap) feeds the handler, the key
 * bar, the help screen and the README: a key that is not in it does nothing, and none works without its help.
 */

/** Keys that are no character; above every code point. */
enum {
	KEYCODE_NONE = 0x110000, KEYCODE_UP, KEYCODE_DOWN, KEYCODE_LEFT, KEYCODE_RIGHT, KEYCODE_HOME, KEYCODE_END,
	KEYCODE_PGUP, KEYCODE_PGDN, KEYCODE_INS, KEYCODE_DEL, KEYCODE_BTAB, KEYCODE_MOUSE, KEYCODE_WHEEL_UP,
	KEYCODE_WHEEL_DOWN, KEYCODE_RESIZE, KEYCODE_HANGUP, KEYCODE_F0 /**< F1 is KEYCODE_F0 + 1, up to 12 */
};
#define KEYCODE_F(n)	  (KEYCODE_F0 + (n))
#define KEYCODE_TAB	  '\t'
#define KEYCODE_ENTER	  '\r'
#define KEYCODE_ESC	  27
#define KEYCODE_BACKSPACE 127
#define KEYCODE_CTRL(c)	  ((c) & 0x1f)

/** One key press, or mouse click with its cell. A plain value. */
struct key {
	uint32_t code; /**< a code point, a control character, or KEYCODE_* */
	int	 x, y; /**< of the mouse */
	bool	 pasted; /**< it was not typed: text for a field, and never a command */
};

/** A character that a field takes. */
static inline bool key_prints(struct key k)
{
	return k.code >= 0x20 && k.code != 0x7f && k.code < KEYCODE_NONE && !(k.code >= 0x80 && k.code < 0xa0);
}

/** What keys do. The number keys' screens are in the order of SCREEN_*: ACT_SETUP + screen. */
enum action {
	ACT_NONE, ACT_SETUP, ACT_LIVE, ACT_RESULTS, ACT_VOLUMES, ACT_NETWORK, ACT_HELP, ACT_QUIT, ACT_CLOSE, ACT_NEXT,
	ACT_PREV, ACT_UP, ACT_DOWN, ACT_LEFT, ACT_RIGHT, ACT_PGUP, ACT_PGDN, ACT_HOME, ACT_END, ACT_ENTER, ACT_START,
	ACT_STOP, ACT_FREEZE, ACT_MARK, ACT_DEPTH_DOWN, ACT_DEPTH_UP, ACT_BS_DOWN, ACT_BS_UP, ACT_MIX_DOWN, ACT_MIX_UP,
	ACT_RATE_DOWN, ACT_RATE_UP, ACT_CREDITS, ACT_GHOST, ACT_THEME, ACT_SPAN_LESS, ACT_SPAN_MORE, ACT_BESIDE,
	ACT_VOL_CREATE, ACT_VOL_ATTACH, ACT_VOL_MODIFY, ACT_VOL_DETACH, ACT_VOL_DELETE, ACT_VOL_REFRESH, ACT_NR
};

/** Where a key means something: a bit a screen, and states in which it is worth a place in the key bar. */
enum {
	ON_SETUP = 1, ON_LIVE = 2, ON_RESULTS = 4, ON_VOLUMES = 8, ON_NETWORK = 16, ON_HELP = 32,
	ON_ANY = 63, ON_PLOT = ON_LIVE | ON_RESULTS,
	WHEN_RUNNING = 64, /**< only while a run is live */
	WHEN_SHAPED = 128, /**< only while it is shaped */
	WHEN_SHOWN = 512,  /**< only while a run is shown, live or not */
	WHEN_KNOBS = 256,  /**< only while its test has knobs: a watch, a network or a file test has none */
};

/** One row an action; its keys are up to four codes. */
struct keymap_row {
	enum action action;
	uint32_t    keys[4];
	const char *name; /**< of the keys, as key bar and help write them: "[ ]" stands for the pair of rows */
	const char *bar;  /**< one word for the key bar, "" for none */
	const char *help; /**< one line */
	unsigned    when; /**< ON_* and WHEN_* */
	int	    rank; /**< key bar: the lowest stay when there is little room */
};
/** Ends with ACT_NONE. */
extern const struct keymap_row keymap[];

/** What @p k does on the screens and in the states of @p now (ON_* of the screen shown, WHEN_* that hold). */
enum action keymap_action(struct key k, unsigned now);
/** The row applies: its screen is shown and every state it asks for holds. */
bool keymap_applies(const struct keymap_row *row, unsigned now);
/** What a list of all keys calls a row's keys: its own, where the key bar names a pair. @param buf 8 bytes @return the name */
const char *keymap_name(const struct keymap_row *row, char *buf);
/** The key bindings as a Markdown table, for the README. */
void keymap_markdown(FILE *out);

/** One step of --keys. */
struct key_step {
	enum { STEP_KEY, STEP_WAIT, STEP_UNTIL_DONE } kind;
	struct key key;
	uint64_t   wait_ns; /**< STEP_WAIT */
};

/**
 * Steps from --keys: tmux's key names, comma-separated (`Enter`, `F2`, `C-c`, `Space`, `BTab`, `PPage`, `q`), and also
 * `wait:2s`, `until:done`, `text:gp3` (its characters as keys), `comma`.
 *
 * @param steps  set to a new array, the caller's to free(); @param nr set to its length
 * @return 0, or -1: ERR_USAGE names the key that is not known and what is allowed
 */
int keys_parse(const char *text, struct key_step **steps, size_t *nr, struct err *err);

#endif
