/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_FIO_WORDS_H
#define ENGINE_FIO_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/workload.h"

/**
 * Options of fio (3.33) that are not ours: what each is here, for a command line and a job file alike. What has fio's
 * name and meaning here is a row of workload_fields and not of this table; what is an option here with another meaning
 * (overwrite) is neither, or the command line would be told to leave out its own.
 */
struct fio_word {
	const char *words;    /**< names of one meaning, between commas */
	const char *ours;     /**< what is said instead */
	const char *idle;     /**< the value at which it does nothing; NULL: there is none */
	bool	    harmless; /**< whatever its value, the I/O of a test is the same without it */
	const char *key;      /**< another name of this row of workload_fields; or NULL */
	unsigned    from;     /**< of that row's value this less the word's; 0: its value is the word's */
};
/** Ends with a row whose words are NULL. */
extern const struct fio_word fio_words[];

/** The row of a name. NULL: there is none. */
const struct fio_word *fio_word_find(const char *name);

/** What fio does where nothing is said. */
void fio_defaults(struct workload *wl);
/**
 * The engine that @p name of fio's is here: SYNC for those that hold one I/O at a time ("": fio's default), else AUTO
 * where there is none.
 */
enum ioengine fio_engine(const char *name);

#endif
