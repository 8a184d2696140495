/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTSIDE_FEED_H
#define TUI_OUTSIDE_FEED_H

#include "aws/facts.h"
#include "engine/run.h"

/**
 * What AWS says of a run's volumes and host while it goes, into the run's log and recording: CloudWatch's burst balances
 * (BurstBalance of each volume, EBSIOBalance% and EBSByteBalance% of the instance) as they become known, each at its own
 * time, and how far a modification is ("optimizing" in percent, its text "SPEC to SPEC"; 100 once it is "completed" or
 * "failed"). It begins at the look before the one that found it; one of which only other figures were seen is both at once.
 * A balance that does not exist is said once, with the reason: it is no 0.
 *
 * On the conductor's thread, from a hook; the facts come from a fetcher of the caller's, so nobody waits. Zero state:
 * nothing is known.
 */
#define OUTSIDE_SERIES (FACTS_IDS + 2)

struct outside_feed {
	struct facts_fetcher *fetcher; /**< borrowed; NULL: nobody is asked */
	char	 id[FACTS_IDS][EC2_ID]; /**< the volumes below the target */
	size_t	 n_ids;
	unsigned serial; /**< of the facts taken last */
	double	 began;	 /**< when the run began, s since 1970; 0 not known yet */
	struct {
		int64_t last; /**< of the newest point that was taken; 0 none */
		bool	none; /**< it was said that there is none */
	} seen[OUTSIDE_SERIES];
	int	 percent[FACTS_IDS]; /**< of a modification, as said last, and 1; 0: none is under way */
	char	 spec[FACTS_IDS][28]; /**< what each was when it was looked at last; "" not known */
	char	 to[FACTS_IDS][28];   /**< what its modification makes it: no news then */
	const struct facts_volumes *volumes; /**< of the last look, to tell one look from the next */
	double	 looked_s, before_s; /**< when that was, and the one before; NAN */
};

/** Which volumes are below @p target: those count. Nothing for simulated targets. */
void outside_feed_open(struct outside_feed *f, struct facts_fetcher *fetcher, const char *target);
/** What is new, if anything, at @p t_ns of the run. @return something of a modification is */
bool outside_feed_tick(struct outside_feed *f, struct run *run, uint64_t t_ns);

/** The same from facts in hand, for tests: fills at most @p max of @p out. @return how many */
size_t outside_feed_take(struct outside_feed *f, const struct facts *facts, double now_s, struct outside *out, size_t max);

#endif
