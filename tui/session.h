/* SPDX-License-Identifier: MIT */
#ifndef TUI_SESSION_H
#define TUI_SESSION_H

#include "aws/credits.h"
#include "aws/model.h"
#include "aws/nvme_set.h"
#include "engine/run.h"
#include "tui/outside_feed.h"
#include "tui/setup.h"

/**
 * What AWS documents, joined to a run: for each test the expectation, tick by tick the allowed rate and the credits,
 * and at its end phases and verdict. It hangs on the run's hooks, so the engine knows none of it; and what it finds
 * goes through the log, so a replay shows the same.
 */
struct session {
	struct setup	   setup;	/**< copied */
	struct volumes	   volumes;
	struct host	   host;
	struct expectation expect;	/**< of the test in hand */
	struct credits	   credits;	/**< live */
	bool		   known;	/**< a volume or a host is named: there is something to expect */
	bool		   credits_ready;
	bool		   drawn[BUCKETS_MAX]; /**< a hundredth and more of that bucket was spent since it was full */
	bool		   sequential;
	bool		   watch;	/**< no I/O of ours: the workload is what the device does */
	double		   time_scale;
	struct workload	   wl;		/**< of the test in hand, with the knobs as they are */
	json_t		  *baseline;	/**< to compare with; NULL none */
	struct nvme_set	   nvme;	/**< the devices' own counters, where they can be read */
	char		   no_counters[256]; /**< why not, as it was at the start: any thread, once there is a log */
	struct facts_fetcher *facts;	/**< of what AWS says while it runs; borrowed, set after session_init(); NULL nobody is asked */
	struct outside_feed outside;
	size_t		   changes_begun, changes_over; /**< modifications of the volume that an event told of */
	int		   at_limit;	/**< the limit that the device was at in the last second; -1 none */
};

extern const struct run_hooks session_hooks;

/** @p limits of the setup must outlive the session. */
int session_init(struct session *s, const struct setup *setup, struct err *err);
/** When the run is over: gives back what it opened. Accepts the zero state. */
void session_close(struct session *s);

#endif
