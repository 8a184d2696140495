/* SPDX-License-Identifier: MIT */
#ifndef AWS_VERDICT_TEXT_H
#define AWS_VERDICT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "aws/verdict.h"

/** From this share of what is expected on, a phase passes. */
#define PASS_SHARE 0.90

/** What verdict.c finds, and the texts for it: one row a reason. No other user. */

/* One phase beside the part of the curve that it stands for. */
struct match {
	const struct expectation *e;
	const struct curve_part	 *part;
	size_t	      k;       /* number of the part */
	struct phase  p;
	double	      start_s; /* of the segment, on the phases' clock */
	uint32_t      segment;
	double	      scale;   /* volume seconds per second in it */
	bool	      fell;    /* it is lower than the phase before it */
	double	      before;  /* that phase's rate */
	bool	      spent_told; /* opened at a later part although the credits were told */
};

/* What going through all phases has shown. */
struct findings {
	struct match last, low, high; /* the newest; the worst under, the worst over what is documented */
	double	     low_share, high_share;
	struct match burst;	      /* the last burst that ended as documented; e NULL: none */
	double	     burst_end_s;     /* when, on the phases' clock */
	bool	     lasting;	      /* high went on after its part of the curve was over */
	bool	     seen_spent, judged;
};

enum reason {
	/* unknown */
	R_FAILED, R_NOT_YET, R_TOO_SHORT, R_CACHED, R_OPTIMIZING, R_NO_VOLUME, R_NO_VOLUME_CHANGE, R_NO_VOLUME_NOT_REACHED, R_NO_LIMIT, R_NO_FIGURES, R_IDLE, R_OTHER_UNIT,
	/* pass */
	R_PASS, R_PASS_HOST, R_PASS_BURST_OVER, R_PASS_BURST_OVER_HOST, R_PASS_NOT_REACHED, R_PASS_NOT_REACHED_HOST,
	R_PASS_SPENT, R_PASS_CAP, R_PASS_FLOOR,
	/* above */
	R_ABOVE, R_ABOVE_UNHELD, R_ABOVE_LASTING,
	/* short */
	R_SHORT_CPU_THROTTLED, R_SHORT_CPU, R_SHORT_HOST_PROVEN, R_SHORT_VOLUME_PROVEN, R_SHORT_FIRST_TOUCH,
	R_SHORT_OTHERS, R_SHORT_SPENT, R_SHORT_ENDED_EARLY, R_SHORT_DEPTH, R_SHORT_FELL, R_SHORT,
	REASON_NR
};

/** What the templates may name; texts that do not apply are "". */
enum word {
	W_MEASURED, /**< the deciding phase's rate, "3,001 IOPS" or "250 MiB/s" */
	W_EXPECTED, /**< what was expected of it */
	W_SHARE,    /**< "97 %" */
	W_HELD,	    /**< the figures beside what is allowed: "5,401 IOPS is 90 % of the 6,000 IOPS that … allows" */
	W_LIMIT,    /**< "the volume's IOPS", "m5.large's EBS throughput" */
	W_NEXT,	    /**< what raises that limit */
	W_FIRST,    /**< rate of the burst that was seen or expected */
	W_LATER,    /**< rate that follows it */
	W_WHEN,	    /**< when it changed, or will */
	W_VOLUME,   /**< "gp2 100 GiB" */
	W_HOST,	    /**< "m5.large" */
	W_KIND,	    /**< "instance", "task size" */
	W_ALONE,    /**< what the volume could do by itself */
	W_DEPTH, W_NEEDED, W_LATENCY, W_PERCENT, W_OTHERS, W_LENGTH,
	W_PROOF,    /**< "; limited (proven): …" */
	W_MORE,	    /**< what is still to come */
	W_BALANCE,  /**< "assumed full", "thought to be at 40 %" */
	W_NR
};
#define WORD_LEN 160

struct words {
	char w[W_NR][WORD_LEN];
};

/** Set one word. */
void word_say(struct words *w, enum word k, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/** Everything that any template may want of the match that decides. @p bound: the limit that held, if known */
void words_of_match(struct words *w, const struct verdict_input *in, const struct match *m, enum bound bound);
/** What @p r says in its own way; after words_of_match(). */
void words_of_reason(struct words *w, const struct verdict_input *in, const struct findings *f, const struct match *m,
		     enum reason r, bool not_sustained);
/** The clause on the device's counters. @p counted for @p seconds: the limit that they name */
void words_of_proof(struct words *w, const struct verdict_input *in, enum proof proof, enum bound counted,
		    double seconds, const struct expectation *e);

static inline bool bound_is_host(enum bound b) { return b == BOUND_HOST_IOPS || b == BOUND_HOST_BW; }
/** Depth of the workload: as it was if that is known, else as it was named. */
double match_depth(const struct verdict_input *in, const struct match *m);

/** Nothing to judge by, or nothing that can be trusted; fills the words for it. @return REASON_NR if neither */
enum reason reason_untrusted(const struct verdict_input *in, struct words *w);

enum verdict reason_verdict(enum reason r);
/** Write the sentence of @p r. @return buf */
char *reason_text(enum reason r, const struct words *w, char *buf, size_t size);
/** W_NEXT: what raises the limit @p b that holds @p rate, by what the volume, its type and the host still leave. */
void words_of_next(struct words *w, const struct expectation *e, const struct rate *rate, enum bound b);

#endif
