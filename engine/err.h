/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_ERR_H
#define ENGINE_ERR_H

#include <stdbool.h>

/**
 * One error type for the whole program.
 *
 * A call that can fail returns 0, or -1 with its caller's struct err filled (last parameter). Each level may put
 * its own context in front (err_wrap), so the user reads "start iops: open /dev/nvme1n1: Permission denied" and
 * code branches on `code`. Only main prints a message and picks the exit status.
 */

/** What was typed or read from a file of the user's is not allowed: exit status 2. */
#define ERR_USAGE 10001
/** Refused, because going on could destroy data or cost money: exit status 3. */
#define ERR_REFUSED 10002

/** Why a call failed. The caller's, usually on its stack; left alone by a call that succeeds. */
struct err {
	int  code;     /**< an errno value, ERR_USAGE or ERR_REFUSED; 0 when nothing failed */
	char msg[512]; /**< one line of UTF-8 for the user, outermost context first; other bytes and control characters became '?' */
};

/** Fill @p err with @p code and a message; arguments may point into err->msg. @return -1 always, so that callers can `return err_set(...)`. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** As err_set() with errno as the code, and ": " and its text behind the message. */
int err_sys(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Put a context and ": " in front of the message that is there; the code stays. @return -1 always. */
int err_wrap(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * Text for a terminal: UTF-8 without a character that it would obey; every other byte becomes '?'. @p lines: ends of
 * lines and tabs stay. @p out has room for @p text and may be it.
 */
void clean_text(char *out, const char *text, bool lines);

/** The exit status that @p err stands for: 2 for ERR_USAGE, 3 for everything else. */
int err_status(const struct err *err);

#endif
