/* SPDX-License-Identifier: MIT */
#ifndef TUI_CANVAS_H
#define TUI_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/err.h"
#include "tui/style.h"

/**
 * The picture: a grid of cells, each a character and a style. Views write it; screen.c copies it to a terminal, dump.c
 * prints it. It knows no terminal, no locale and no colour. Whatever is drawn outside the canvas or its clip
 * rectangle is dropped, so a view need not care for the edges. One thread at a time.
 */

/** Columns and rows from the top left corner; empty when w or h is not positive. A plain value. */
struct rect {
	int x, y, w, h;
};

struct cell {
	uint32_t ch;	/**< a code point; 0: the right half of the wide character to its left */
	uint8_t	 style; /**< enum style or a step of a gradient */
	uint8_t	 shade; /**< enum shade */
};

struct canvas {
	int	     w, h;
	struct cell *cell;  /**< w * h, row by row */
	struct rect  clip;  /**< nothing is written outside */
	bool	     ascii; /**< no UTF-8: every character becomes a like one of ASCII as it is written */
};

/** A blank canvas. w and h from 1 to 10,000. Release with canvas_release(), which accepts the zero state. */
int canvas_init(struct canvas *cv, int w, int h, struct err *err);
void canvas_release(struct canvas *cv);
/** Another size, blank. On failure the canvas stays as it was. */
int canvas_resize(struct canvas *cv, int w, int h, struct err *err);
/** Blanks everywhere, STYLE_TEXT, no shade; the clip is the whole canvas again. */
void canvas_clear(struct canvas *cv);
/** Same size and the same cells. */
bool canvas_equal(const struct canvas *a, const struct canvas *b);

/** Narrow the clip to its intersection with @p at. @return the clip before, to put back with canvas_unclip() */
struct rect canvas_clip(struct canvas *cv, struct rect at);
void canvas_unclip(struct canvas *cv, struct rect before);

/** One character; a wide one needs both cells inside. Control characters become '?'. The shade stays. */
void canvas_put(struct canvas *cv, int x, int y, uint32_t ch, unsigned style);
/** The cell there; a blank outside. */
struct cell canvas_at(const struct canvas *cv, int x, int y);
void canvas_fill(struct canvas *cv, struct rect at, uint32_t ch, unsigned style);
/** Change only the shade. */
void canvas_shade(struct canvas *cv, struct rect at, enum shade shade);

/** Text from @p x on. Bytes that are not UTF-8 become '?'. @return the column after it, written or not */
int canvas_text(struct canvas *cv, int x, int y, unsigned style, const char *text);
/** At most @p w columns, cut with an ellipsis. @return as canvas_text() */
int canvas_textn(struct canvas *cv, int x, int y, int w, unsigned style, const char *text);
/** Ends before column @p end, at most @p w columns wide. @return the column where it starts */
int canvas_right(struct canvas *cv, int end, int y, int w, unsigned style, const char *text);
/** canvas_text() of a format; cut at 255 bytes. */
int canvas_printf(struct canvas *cv, int x, int y, unsigned style, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/** A frame with round corners along the edge of @p at. */
void canvas_frame(struct canvas *cv, struct rect at, unsigned style);

/** What is inside a frame: one column and one row less on each side. */
static inline struct rect rect_inner(struct rect r)
{
	return (struct rect){ r.x + 1, r.y + 1, r.w - 2, r.h - 2 };
}
static inline bool rect_empty(struct rect r) { return r.w <= 0 || r.h <= 0; }
static inline bool rect_has(struct rect r, int x, int y)
{
	return x >= r.x && y >= r.y && x < r.x + r.w && y < r.y + r.h;
}
struct rect rect_cross(struct rect a, struct rect b);

/*
 * Text as columns, by a table of our own: wcwidth() depends on the locale, and the picture must not.
 */
/** 0 for what combines with the character before, 2 for wide East Asian characters and emoji, else 1. */
int char_width(uint32_t ch);
/** Take one code point off @p text; what is not UTF-8 gives '?' a byte. 0 at the end, where *text stays. */
uint32_t utf8_next(const char **text);
/** Put @p ch into @p out (4 bytes of room). @return bytes written */
int utf8_put(char *out, uint32_t ch);
/** Columns that canvas_text() takes. */
int text_width(const char *text);
/** A like character of ASCII. */
uint32_t ascii_like(uint32_t ch);

/** The picture as text: UTF-8, a line a row, blanks at the end of a row left out. @return 0, or -1 with errno */
int canvas_dump(const struct canvas *cv, FILE *out);

#endif
