/* SPDX-License-Identifier: MIT */
#ifndef TUI_PANEL_H
#define TUI_PANEL_H

#include "tui/frame.h"
#include "tui/keymap.h"
#include "tui/layout.h"

/** What the views share: frames with titles, header, key bar, verdicts. Draw into the rectangle they are given. */

/** A frame with a title in its upper edge, and @p right (may be NULL) at its right. @return what is inside */
struct rect panel(struct canvas *cv, struct rect at, unsigned frame, const char *title, unsigned right_style,
		  const char *right);

/** What a test is, in a line: a block test's workload, of others what they do. @return buf */
const char *test_text(enum test_kind kind, const struct workload *wl, char *buf, size_t size);
/** The first line: screens, what runs on what, and what must be known of it (SIMULATED, SHAPED, FROZEN). */
void draw_header(const struct frame *f, struct canvas *cv, struct rect at);
/** The screen whose tab is at column @p x of the first line of a screen @p w wide; -1: none. */
int header_tab(const struct frame *f, int w, int x);
/** What the key at column @p x of the last line of a screen @p w wide does; ACT_NONE: none is there. */
enum action key_bar_action(const struct frame *f, int w, int x);
/** The last line: keys that mean something now, or the message. */
void draw_keys(const struct frame *f, struct canvas *cv, struct rect at);
/** Progress of the run, what is left of it, and the verdict so far. */
void draw_progress(const struct frame *f, struct canvas *cv, struct rect at);
/** Its bar, @p w columns of a line, and the percentage; of what has no end (NAN) neither. @return the column for what follows */
int draw_share(struct canvas *cv, int x, int y, int w, double share);
/** The figures as text lines, for screens too small for a panel. */
void draw_summary(const struct frame *f, struct canvas *cv, struct rect at);

/** A sign and a word for a verdict: never colour alone. @param style set when not NULL */
const char *verdict_text(enum verdict v, unsigned *style);
/** Text broken at blanks into at most @p h lines of @p w columns. NULL for @p cv only counts. @return lines used */
int draw_wrapped(struct canvas *cv, struct rect at, unsigned style, const char *text);
/** "9.84", "46.9", "512" MiB/s in 5 columns at most; "-" for NAN. @return buf (FMT_LEN) */
char *fmt_mibps(char *buf, double bw_bytes);

/** Lines of a name in a column of its own and what is to say of it, one below the other in @p at. */
struct named_lines {
	struct canvas *cv;
	struct rect at;
	int y;	   /**< the next line, from 0 */
	int label; /**< columns of the names; 0: 8 */
};
/** The next of them; what has no room is left out. */
void named_line(struct named_lines *l, const char *name, unsigned style, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
