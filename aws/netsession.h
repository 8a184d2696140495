/* SPDX-License-Identifier: MIT */
#ifndef AWS_NETSESSION_H
#define AWS_NETSESSION_H

#include "aws/netrun.h"
#include "engine/runlog.h"

/**
 * A network test on a thread of its own, told through a runlog as a run of storage tests is: who started it
 * reads the log, says stop, and never waits for the network. The same log makes the recording.
 *
 * In its ticks: r is received and w is sent bytes; the omitted seconds are `ramp`; a worker row is a stream,
 * its errors the segments that it sent again so far; lat_p50 is the mean round trip; errors the segments sent
 * again in the tick; model_balance the credit left, bytes, as far as the host's is known.
 */
struct netsession;

struct netsession_plan {
	struct net_setup setup;
	const char *record;  /**< NULL: no recording; "": a new file in recorder_dir(); else a path or "-" */
	const char *version; /**< of this program */
	int news_fd;         /**< an eventfd that is written when there is news, or -1 */
	/** Called on the test's thread after each sample, and once when the test has ended; quick, please. */
	void (*progress)(void *ctx, const struct netrun *run, bool ended);
	void *ctx;
};

/** The plan is copied but for `record`, which must live until the end. */
int netsession_start(struct netsession **s, const struct netsession_plan *plan, struct err *err);
/** End the test in the protocol; RUN_STOPPED or RUN_SIGNAL. Any thread; the first call counts. */
void netsession_stop(struct netsession *s, enum run_end end, const char *text);
bool netsession_ended(struct netsession *s);
/** Lives until netsession_free(). Any thread. */
struct runlog *netsession_log(struct netsession *s);
/** What it says of itself meanwhile, oldest first; drains. Any thread. @return false: nothing */
bool netsession_note(struct netsession *s, char *buf, size_t size);
/** After netsession_join(): true where a recording that was asked for by name is not there whole, with why. */
bool netsession_record_lost(const struct netsession *s, struct err *err);

/** Wait for the end. @return as netrun_go() */
int netsession_join(struct netsession *s, struct err *err);
/** All that came of it. After netsession_join(); lives until netsession_free(). */
const struct netrun *netsession_run(const struct netsession *s);
void netsession_free(struct netsession *s);

#endif
