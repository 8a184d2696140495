/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_H
#define TUI_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

/**
 * The command line: a table of commands, tables of options, and what was given. One row of an option feeds the
 * parser, `--help` and the README. A command is one file cmd_NAME.c that ends in its `const struct command`.
 */

#define EBSCOPE_VERSION "0.1.0"

/** Options come in groups; a command says which groups it takes, and has no option that means nothing to it. */
enum opt_group {
	OPT_GLOBAL   = 1 << 0,	/**< --help, --version: everywhere */
	OPT_WORKLOAD = 1 << 1,	/**< tests that do I/O: all rows of workload_fields, --workload --suite --repeat … */
	OPT_PATTERN  = 1 << 2,	/**< of those what an I/O is: --rw --bs --iodepth … --workload */
	OPT_RUNTIME  = 1 << 3,	/**< of those how long: --runtime */
	OPT_VOLUME   = 1 << 4,	/**< --volume --raid --instance --task --limits */
	OPT_DETECT   = 1 << 5,	/**< --volume-id: of a volume that AWS is asked about */
	OPT_SHAPE    = 1 << 6,	/**< --shape --time-scale --credits */
	OPT_CREDITS  = 1 << 7,	/**< of those --credits */
	OPT_WRITE    = 1 << 8,	/**< --overwrite --destroy-data */
	OPT_OUTPUT   = 1 << 9,	/**< --output */
	OPT_FORMAT   = 1 << 10, /**< --format of the report of a run of tests on storage */
	OPT_TABLE    = 1 << 11, /**< --format table or json */
	OPT_RECORD   = 1 << 12, /**< --record --no-record */
	OPT_SCREEN   = 1 << 13, /**< --screen --keys --dump --theme --color */
	OPT_BONNIE   = 1 << 14, /**< --bonnie-csv */
	OPT_LIMITS   = 1 << 15, /**< --limits */
	OPT_OWN	     = 1 << 16, /**< a command's own rows */
};

/** What an option's value may be. The message says what is allowed; the option's name is put in front. */
struct opt_value {
	int (*check)(const char *value, struct err *err); /**< NULL: a number, from min to max */
	enum opt_number { OPT_NUMBER_COUNT, OPT_NUMBER_SIZE, OPT_NUMBER_TIME } number;
	uint64_t min, max; /**< of a time in seconds; INT64_MAX: no end */
};
#define OPT_CHECK(f)	   (&(const struct opt_value){ .check = (f) })
#define OPT_COUNT(lo, hi)  (&(const struct opt_value){ .number = OPT_NUMBER_COUNT, .min = (lo), .max = (hi) })
#define OPT_SIZE(lo, hi)   (&(const struct opt_value){ .number = OPT_NUMBER_SIZE, .min = (lo), .max = (hi) })
#define OPT_TIME(lo, hi)   (&(const struct opt_value){ .number = OPT_NUMBER_TIME, .min = (lo), .max = (hi) })

/** One option. */
struct opt {
	const char    *name;	 /**< without the dashes */
	char	       letter;	 /**< or 0 */
	const char    *arg;	 /**< "FILE": takes a value; "[SHAPE]": may, after '='; NULL: a flag */
	unsigned       groups;	 /**< it is in, any of them */
	const char    *help;	 /**< one line; a number's {} is what is allowed, as the message has it */
	const struct opt_value *value; /**< NULL: any text */
};
/** For OPT_CHECK: 0 to 100, with or without a % sign. */
int opt_check_percent(const char *value, struct err *err);

struct cli;

struct command {
	const char	 *name;
	const char	 *args;	  /**< "[options] TARGET", for the usage line */
	const char	 *about;  /**< one line */
	const char	 *more;	  /**< paragraphs for `NAME --help`, or NULL */
	unsigned	  groups; /**< of options it takes */
	const struct opt *own;	  /**< its own rows, ends with name NULL; or NULL */
	unsigned	  min_args, max_args;
	/** @return the exit status (0, 1, 128 + n), or -1 with @p err: main prints it and exits with err_status() */
	int		(*run)(struct cli *cli, struct err *err);
};

/** All commands, in the order of --help; ends with NULL. The dashboard (no command) is the first. */
extern const struct command *const commands[];
/** All common options; ends with name NULL. Those of the workload come from workload_fields. */
extern const struct opt common_opts[];

#define CLI_GIVEN_MAX 256
/** What was typed. Borrows argv. */
struct cli {
	const struct command *cmd;
	struct {
		const struct opt *opt;
		const char	 *value; /**< "" for a flag; NULL for an optional value that was not given */
	} given[CLI_GIVEN_MAX];
	unsigned    nr_given;
	char	  **args; /**< what is no option, after the command's name */
	unsigned    nr_args;
	bool	    help, version;
	bool	   *begun;  /**< the caller's: whether --output has been written to, so that more is added to it */
	bool	    screen; /**< options about the screen came first: the command says what the dashboard opens with */
};

/** Parse everything. ERR_USAGE for what is not allowed: the closest name is in the message. */
int cli_parse(struct cli *cli, int argc, char **argv, struct err *err);
/** The value of the last time the option was given, "" for a flag; NULL when it was not. */
const char *cli_get(const struct cli *cli, const char *name);
/** The i-th time, from 0; NULL when it was given fewer times. */
const char *cli_nth(const struct cli *cli, const char *name, unsigned i);
static inline bool cli_has(const struct cli *cli, const char *name) { return cli_get(cli, name) != NULL; }
/** Like cli_get(), with a default. For "[X]" options use cli_given(). */
const char *cli_text(const struct cli *cli, const char *name, const char *missing);
/** Was it given at all (also without its optional value)? */
bool cli_given(const struct cli *cli, const char *name);

/** Can --output FILE be written? Asked before a run, not after; a block device is refused, and what the command line names elsewhere: target,
 * recording, limits, the file that is exported or compared. Touches nothing. */
int cli_check_output(const struct cli *cli, struct err *err);
/** Result text to --output FILE (in the place of what was there, then behind it) or stdout. A full disk or a closed
 * pipe is an error. */
int cli_write(const struct cli *cli, const char *text, struct err *err);
/** A line on stderr: "ebscope: …". */
void cli_message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
struct limits;
/** That the tables in use are more than a year old, NULL where they are not. @return buf */
const char *cli_limits_old(const struct limits *l, char *buf, size_t size);
/** Say so on stderr. */
void cli_limits_age(const struct limits *l);
/** Is stderr a terminal, so that a progress bar makes sense? */
bool cli_progress(void);

/** The name among @p names (NULL-terminated) that is closest to @p text, or NULL if none is close. */
const char *closest_name(const char *text, const char *const *names);

/** The command whose name is closest, or NULL. */
const char *closest_command(const char *text);

/** Texts of `--help` and `COMMAND --help`. Caller frees. */
char *cli_help(const struct command *cmd);

#endif
