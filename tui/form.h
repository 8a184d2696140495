/* SPDX-License-Identifier: MIT */
#ifndef TUI_FORM_H
#define TUI_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/err.h"
#include "tui/canvas.h"
#include "tui/keymap.h"

/**
 * A form: fields that refuse as one types. Each keystroke offers the text to the owner, who takes it or says why not;
 * what was refused stays on the screen with its reason, and the owner keeps the last value it took.
 *
 * In a text field every printable key types: the first replaces the value, unless an arrow or Backspace came before.
 * Enter takes the value and moves on, Esc restores what was there before, Tab and the arrows up and down move, with
 * the value as it stands. In a choice, left and right turn it, and so does a letter that one begins with.
 */

enum form_kind { FORM_TEXT, FORM_CHOICE, FORM_BUTTON };

#define FORM_VALUE_MAX 256
#define FORM_ERROR_MAX 200

/** What a field is; a table of its owner. */
struct form_row {
	const char *label;
	enum form_kind kind;
	int	    line, column; /**< place: lines from 0; column 0 or 1; column 1 without a 0 beside it is centred */
	bool	    wide;	  /**< takes both columns */
	const char *help;	  /**< one line, shown while it has the focus */
	const char *const *choices; /**< FORM_CHOICE: ends with NULL */
};

struct form_field {
	char value[FORM_VALUE_MAX];
	char error[FORM_ERROR_MAX]; /**< why the text was refused; "" when it was taken */
	const char *empty;	    /**< what an empty text means, shown in its place; NULL: nothing */
	bool off;		    /**< means nothing just now: shown faint, skipped */
};

#define FORM_FIELDS_MAX 32

struct form {
	const struct form_row *row; /**< nr of them, borrowed for ever */
	int	nr;
	struct form_field field[FORM_FIELDS_MAX];
	int	focus;	  /**< -1: the focus is elsewhere */
	bool	editing;  /**< keys go into the text at the cursor */
	int	cursor;	  /**< byte in the value */
	char	before[FORM_VALUE_MAX]; /**< what Esc restores */
	char	before_error[FORM_ERROR_MAX];
	/** Offer a field's text. 0: taken. -1: refused, err says why. */
	int   (*take)(void *owner, int field, const char *text, struct err *err);
	void   *owner;
};

enum form_answer {
	FORM_PASS,    /**< not a key of the form's */
	FORM_DONE,    /**< handled */
	FORM_PRESSED, /**< the button with the focus was pressed */
	FORM_LEFT,    /**< the focus moved past the last field (Tab) or before the first */
};
/** @param act what the keymap says of the key, for what does not type */
enum form_answer form_key(struct form *f, struct key k, enum action act);

/** Set a value as if it had been typed and taken. @return 0, or -1: refused */
int form_set(struct form *f, int field, const char *text, struct err *err);
/** Give a field the focus; -1: none. */
void form_focus(struct form *f, int field);
/** Every key types: no key may be taken for a command. */
bool form_types(const struct form *f);
/** The first field with an error, or -1. */
int form_bad(const struct form *f);
/** Lines that form_draw() needs. */
int form_lines(const struct form *f);
void form_draw(const struct form *f, struct canvas *cv, struct rect at);
/** The field at that cell of a form drawn at @p at, or -1. */
int form_hit(const struct form *f, struct rect at, int x, int y);

#endif
