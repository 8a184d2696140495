/* SPDX-License-Identifier: MIT */
#ifndef TUI_DIALOG_H
#define TUI_DIALOG_H

#include <stdbool.h>

#include "tui/canvas.h"
#include "tui/keymap.h"

/**
 * A question over the screen. What only stops something is answered with `y`; what destroys data or costs money only by
 * typing a name in full and Enter: no single key, no Enter alone and no mouse does it. Esc and `n` close it.
 */
enum dialog_kind { DIALOG_YES, DIALOG_TYPE };
#define DIALOG_NAME 272 /**< bytes of a name that is typed: as long as a file's may be, and some more */

struct dialog {
	enum dialog_kind kind;
	int	purpose;	/**< the asker's own */
	char	title[48];
	char	text[400];
	char	want[DIALOG_NAME];  /**< DIALOG_TYPE: what is to be typed */
	char	typed[DIALOG_NAME];
	bool	wrong;		/**< Enter was pressed on something else */
	bool	later;		/**< Esc is no answer: the asker may ask again (DIALOG_LATER) */
};

enum dialog_answer { DIALOG_OPEN, DIALOG_NO, DIALOG_OK, DIALOG_LATER };

/** Ask a question that `y` answers. */
void dialog_ask(struct dialog *d, int purpose, const char *title, const char *text);
/** Ask a question whose `n` does something too: Esc leaves it open. */
void dialog_choose(struct dialog *d, int purpose, const char *title, const char *text);
/** Ask to type @p want. */
void dialog_type(struct dialog *d, int purpose, const char *title, const char *text, const char *want);
enum dialog_answer dialog_key(struct dialog *d, struct key k);
void dialog_draw(const struct dialog *d, struct canvas *cv);

#endif
