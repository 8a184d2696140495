/* SPDX-License-Identifier: MIT */
#ifndef TUI_RESULTS_H
#define TUI_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/result.h"
#include "tui/keymap.h"

/** The Results screen's state: which test is looked at, and the earlier runs that there are to open or compare. */

/** An earlier run: a recording, or a reference that is built in. */
struct run_entry {
	char path[512];	   /**< of the recording; for a reference its name */
	char title[64];	   /**< suite or workload */
	char target[160];  /**< of a reference what it is about */
	char started[32];  /**< RFC 3339 UTC */
	enum verdict verdict;
	double iops, bw_bytes; /**< of its first test; NAN */
	bool net;	   /**< of the network: its figure is bits per second */
	char end[16];	   /**< "done", "interrupted", … */
};
#define RUN_ENTRIES_MAX 200

struct results {
	struct run_entry run[RUN_ENTRIES_MAX]; /**< newest first */
	size_t nr_runs;
	int  test;	   /**< selected, of the run in hand */
	int  chosen;	   /**< selected, of the earlier runs */
	bool in_runs;	   /**< the list of runs has the focus */
};

enum results_answer { RESULTS_PASS, RESULTS_DONE, RESULTS_OPEN /**< play run[chosen] */, RESULTS_BESIDE /**< compare with run[chosen] */ };
/** @param nr_tests results of the run in hand */
enum results_answer results_key(struct results *r, enum action act, size_t nr_tests);
/**
 * The recordings of a target, newest first, no references; of all targets where @p path is "".
 * @param net  those of the network, else all others
 * @return how many there are; the first @p max of them are in @p out
 */
size_t results_before(const struct results *r, const char *path, bool net, const struct run_entry **out, size_t max);
/** Copied. */
void results_set_runs(struct results *r, const struct run_entry *e, size_t n);

#endif
