/* SPDX-License-Identifier: MIT */
#ifndef TUI_SETUP_FORM_H
#define TUI_SETUP_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aws/alternatives.h"
#include "aws/model.h"
#include "engine/workload.h"
#include "tui/form.h"
#include "tui/setup.h"
#include "tui/story.h"

/**
 * What is to be run: target, volume, host and test, as a form that refuses what AWS and the engine refuse, and what
 * to expect of it, worked out anew with each keystroke. No I/O: what was found on the machine is handed in.
 */

/** Something on this machine that can be tested. */
struct setup_target {
	char	 path[256];
	char	 what[96];	/**< "ext4 on nvme1n1", "EBS gp3, 500 GiB", "RAID 0 of 4" */
	char	 note[96];	/**< "in use: mounted at /", "vol-0123…"; "" */
	uint64_t size_bytes;	/**< 0 not known */
	bool	 usable;	/**< something can be run on it as it is */
};
#define SETUP_TARGETS_MAX 64

/** Fields of the form, in the order of Tab. */
enum setup_field {
	SF_TARGET, SF_VOLUME, SF_COUNT, SF_SIZE, SF_IOPS, SF_MIBPS, SF_RAID, SF_HOST, SF_TEST, SF_RW, SF_BS, SF_IODEPTH,
	SF_NUMJOBS, SF_RUNTIME, SF_MIX, SF_RATE, SF_SHAPE, SF_SCALE, SF_START, SF_NR
};

/** It points into itself: never copied. */
struct setup_form {
	struct form form;
	struct setup_target target[SETUP_TARGETS_MAX];
	size_t	nr_targets;
	int	selected;	 /**< in the list of targets */
	bool	in_list;	 /**< the list has the focus, not the form */

	struct form_row rows[SF_NR];
	const char *tests[64];	 /**< choices of SF_TEST: named workloads, then "suite NAME", then `suite_file`, `several` */
	char	suite_names[24][40];

	/* what the form says; each the last value that was taken */
	const struct limits *limits;
	int   (*find)(const char *target, struct err *err); /**< is there such a target? -1: why not. NULL: not asked */
	char	path[FORM_VALUE_MAX];
	bool	has_volume;
	struct volume volume;
	unsigned count;
	enum raid raid;
	struct host host;	 /**< HOST_NONE: none */
	char	suite[240];	 /**< "": the workload below */
	char	suite_file[FORM_VALUE_MAX]; /**< "suite FILE" of the command line; "" it named none */
	char	workload[8][32]; /**< the command line named several: each is a test, one after the other … */
	unsigned nr_workloads;
	char	several[8 * 32]; /**< … which the field calls "iops, latency"; "" it did not */
	bool	in_turn;	 /**< they are the test */
	bool	own;		 /**< the pattern was given as such: no named workload, though it may equal one */
	struct workload wl;	 /**< with a suite: what is expected beside it */
	bool	shape;
	double	time_scale;
	const struct story *story; /**< picked from the list of targets; NULL: none */

	int	nr_tests;	 /**< that it comes to; whoever makes an outline of it sets it */
	int	nr_before;	 /**< recordings that there are of the target; likewise */

	struct expectation expect; /**< of all that */
	bool	expect_known;	 /**< there is a volume or a host, and they are legal */
	struct alternative alternative[ALTERNATIVES_MAX]; /**< what else could be bought for it, cheapest first */
	size_t	nr_alternatives;
	char	expect_error[200]; /**< why not; "" when nothing was named */
};

/** The test is a list of tests, each with its own pattern: a suite, or several workloads. */
bool setup_form_many(const struct setup_form *s);

/** The test empties the volume's bucket, and nothing else ends its burst. */
bool setup_form_cycle(const struct setup_form *s);

/** Nothing named: the workload `iops`, no volume, no host. @p limits is borrowed for ever. */
void setup_form_init(struct setup_form *s, const struct limits *limits);
/** Set a field from text, as the command line does. @return 0, or -1 with what is allowed */
int setup_form_set(struct setup_form *s, enum setup_field f, const char *text, struct err *err);
/** Take volumes or a host that something else worked out (a command line, a detection). */
void setup_form_volumes(struct setup_form *s, const struct volumes *vs);
void setup_form_host(struct setup_form *s, const struct host *h);
/** What was found on this machine. Copied; the selection stays on the same path. */
void setup_form_targets(struct setup_form *s, const struct setup_target *t, size_t n);
/** The volumes as the form says; n 0: none. */
void setup_form_get_volumes(const struct setup_form *s, struct volumes *out);

/** Fill the form from what the command line chose. @p err names what is not allowed; the form stays usable. */
int setup_form_put(struct setup_form *s, const struct setup *from, struct err *err);
/** Put the focus on the first training story in the list of targets. */
void setup_form_show_stories(struct setup_form *s);
/** Fill the form with a training story. */
int setup_form_story(struct setup_form *s, const struct story *st, struct err *err);
/**
 * Write what the form says into @p to: target, test, volume, host, shape. The rest (consent, recording, credits, …)
 * stays as the caller had it. A named workload that was changed becomes a plain pattern.
 */
void setup_form_get(const struct setup_form *s, struct setup *to);

enum setup_answer { SETUP_PASS, SETUP_DONE, SETUP_START };
enum setup_answer setup_form_key(struct setup_form *s, struct key k, enum action act);
struct layout;
/** Where its parts stand on a screen of @p w x @p h. */
void setup_form_layout(const struct setup_form *s, int w, int h, struct layout *l);
/** A click at that cell of a screen of @p w x @p h. */
enum setup_answer setup_form_click(struct setup_form *s, int w, int h, int x, int y);
/** Every key types just now. */
bool setup_form_types(const struct setup_form *s);

#endif
