/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTLINE_H
#define TUI_OUTLINE_H

#include "engine/runlog.h"
#include "tui/setup.h"

/** What Start would do with a setup: its tests in order, and the command line that does the same. */
struct outline {
	struct planned test[PLANNED_MAX];
	unsigned nr;
	double	 seconds;	/**< all of them, where each has its time; NAN */
	char	 command[700];
	char	 error[200];	/**< why there is nothing to be done; "" */
};

/** Looks at the target and at the files of one's own suites; opens neither for I/O. */
void outline_make(struct outline *o, const struct setup *s);

#endif
