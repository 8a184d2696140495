/* SPDX-License-Identifier: MIT */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/canvas.h"
#include "tui/keymap.h"
#include "tui/theme.h"

/**
 * The terminal: size, keys, and a canvas on it. The one place that knows ncurses. Main thread only, one at a time.
 *
 * The terminal is put back by screen_close(), and by a crash too (SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL write the
 * way back before they end the program). The terminal's palette is never changed.
 */
struct screen;

/** Colours: as the terminal has them unless NO_COLOR is set and not empty; always; never. */
enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
/** Are there to be any? */
bool color_wanted(enum color_when when);
/** COLORTERM speaks of 24 bits. */
bool color_true(void);

/**
 * Take the terminal on stdin and stdout.
 *
 * A TERM that the machine has no description of falls back to a known one; then @p notice (@p size bytes) gets one
 * line that says so, else "". COLORTERM=truecolor (or 24bit) looks for a description with RGB, also under TERM-direct.
 *
 * @return 0, or -1: no terminal, or no description at all, with the remedy in the message
 */
int screen_open(struct screen **s, enum color_when color, char *notice, size_t size, struct err *err);
/** Put the terminal back. NULL is fine. */
void screen_close(struct screen *s);

/** What it can show. */
enum depth screen_depth(const struct screen *s);
/** The locale has no UTF-8: draw on an ascii canvas. */
bool screen_is_ascii(const struct screen *s);
/** Size now, at least 1x1. */
void screen_size(struct screen *s, int *w, int *h);

/** Descriptors to poll for reading: keys, and one that wakes up when the size changes. */
int screen_key_fd(const struct screen *s);
int screen_size_fd(const struct screen *s);

/** Colours of the next screen_draw(); everything is painted anew. */
void screen_palette(struct screen *s, const struct palette *p);
/** Show @p cv; only what changed since the last time is written. */
void screen_draw(struct screen *s, const struct canvas *cv);
/** Paint everything anew next time (Ctrl-L, after another program wrote to the terminal). */
void screen_redraw(struct screen *s);

/**
 * The next key that was typed, a click, KEYCODE_RESIZE or KEYCODE_HANGUP (the terminal is gone: stop).
 * Never waits. @return false when there is none
 */
bool screen_key(struct screen *s, struct key *k);

/** A colour as a description with RGB takes it: 0 to 7 are the palette's there, so the darkest become the next. RGB_NONE stays. */
int32_t screen_direct_color(int32_t rgb);
/** For tests: the description that would be tried first for @p term with truecolor wanted. @return buf */
const char *screen_direct_name(const char *term, char *buf, size_t size);

#endif
