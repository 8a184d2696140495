/* SPDX-License-Identifier: MIT */
#include "aws/verdict_text.h"

#include <assert.h>
#include <string.h>

static const char *const proof_texts[PROOF_NR] = {
	[PROOF_UNKNOWN] = "unknown: no counter",
	[PROOF_LIMITED] = "limited (proven)",
	[PROOF_NOT_LIMITED] = "not limited (proven)",
};

const char *proof_text(enum proof p)
{
	return proof_texts[p];
}

/* {word} stands for one of enum word, by this name. */
static const char *const word_names[W_NR] = {
	[W_MEASURED] = "measured", [W_EXPECTED] = "expected", [W_SHARE] = "share",     [W_LIMIT] = "limit",
	[W_NEXT] = "next",	   [W_FIRST] = "first",	      [W_LATER] = "later",     [W_WHEN] = "when",
	[W_VOLUME] = "volume",	   [W_HOST] = "host",	      [W_KIND] = "kind",       [W_ALONE] = "alone",
	[W_DEPTH] = "depth",	   [W_HELD] = "held",
	[W_NEEDED] = "needed",	   [W_LATENCY] = "latency",   [W_PERCENT] = "percent", [W_OTHERS] = "others",
	[W_LENGTH] = "length",	   [W_PROOF] = "proof",
	[W_MORE] = "more",	   [W_BALANCE] = "balance",
};

/* One row a reason: the limit, the figures, the next thing to try. */
static const struct {
	enum verdict verdict;
	const char  *text;
} reasons[REASON_NR] = {
	[R_FAILED] = { VERDICT_UNKNOWN, "I/O errors spoilt the test, so its figures are not judged; see the errors first" },
	[R_NOT_YET] = { VERDICT_UNKNOWN, "too little is measured yet to say anything" },
	[R_TOO_SHORT] = { VERDICT_UNKNOWN, "too short to judge: {length} measured, and under half a second nothing is; "
					   "use a larger size or a longer runtime" },
	[R_CACHED] = { VERDICT_UNKNOWN, "cached: {percent}, so {measured} is memory's figure and no verdict "
					"rests on it; use direct=1 or a size of twice the memory" },
	[R_OPTIMIZING] = { VERDICT_UNKNOWN, "the volume is still optimizing ({percent} done), so figures lie between its "
					    "old and its new performance; check again when it is completed" },
	[R_NO_VOLUME] = { VERDICT_UNKNOWN, "no volume is known, so {measured} is not judged; name it with --volume" },
	[R_NO_VOLUME_NOT_REACHED] = { VERDICT_UNKNOWN, "{measured} is a rate not proven sustained: burst credit was being spent, "
						       "and the shape falls to {later} after {when}; run longer, and "
						       "name the volume with --volume to have it judged" },
	[R_NO_VOLUME_CHANGE] = { VERDICT_UNKNOWN, "no volume is known, so {first} that fell to {later} after {when} is "
						  "not judged; name it with --volume" },
	[R_NO_LIMIT] = { VERDICT_UNKNOWN, "no limit is documented for this, so {measured} is not judged" },
	[R_NO_FIGURES] = { VERDICT_UNKNOWN, "nothing was measured, so there is nothing to judge" },

	[R_OTHER_UNIT] = { VERDICT_UNKNOWN, "files and characters a second are the host's work as much as the volume's, and "
					    "no document speaks of them" },
	[R_IDLE] = { VERDICT_UNKNOWN, "the device was idle, so there is nothing to judge" },

	[R_PASS] = { VERDICT_PASS, "{held}{proof}; {next}" },
	[R_PASS_HOST] = { VERDICT_PASS, "bound by the {kind}: {held}, and {volume} by itself could do {alone}{proof}; "
					"{next}" },
	[R_PASS_BURST_OVER] = { VERDICT_PASS, "a burst of {first} for {when}, then a baseline of {later}, as documented "
					      "for {volume}: {limit} holds it{proof}{more}; {next}" },
	[R_PASS_BURST_OVER_HOST] = { VERDICT_PASS, "bound by the {kind} (burst spent): {first} for {when}, then {later}, "
						   "as documented for {host}, while {volume} by itself could do "
						   "{alone}{proof}{more}; {next}" },
	[R_PASS_NOT_REACHED] = { VERDICT_PASS, "{held}, but the rate is not proven sustained: burst credit was being spent "
					       "and the baseline of {later} was not reached{proof}; run longer than {when}" },
	[R_PASS_NOT_REACHED_HOST] = { VERDICT_PASS, "bound by the {kind}: {held}; {volume} could do {alone}, so more volumes "
						    "will not help; rate not proven sustained: burst credit was being "
						    "spent, the baseline of {later} was not reached{proof}; run longer "
						    "than {when}" },
	[R_PASS_SPENT] = { VERDICT_PASS, "no burst seen: it opened at {measured}, {share} of the baseline of {expected} "
					 "({limit}), so the credits, {balance}, count as spent{proof}; let them refill "
					 "or see BurstBalance to judge the burst" },
	[R_PASS_CAP] = { VERDICT_PASS, "{measured} is {share} of the {expected} that the workload's own rate cap "
				       "allows; raise rate_iops to see a limit" },
	[R_PASS_FLOOR] = { VERDICT_PASS, "{measured} is over the {expected} that is documented for {host} as a baseline to "
					 "plan with, which is no cap: {volume} may do up to {alone}{proof}" },

	[R_ABOVE] = { VERDICT_ABOVE, "{measured} is {share} of the {expected} that is documented for {volume}: merged or "
				     "striped I/O, a cache, or another volume than was named{proof}; check what the "
				     "device is" },
	[R_ABOVE_UNHELD] = { VERDICT_ABOVE, "{measured} is {share} of the {expected} that is documented for {volume}: this is a "
					    "simulation, and nothing holds it to the volume; --shape does" },
	[R_ABOVE_LASTING] = { VERDICT_ABOVE, "{measured} lasted although {volume} should have fallen to {later} after {when}: "
					     "another volume than was named, or merged I/O{proof}; check what the "
					     "device is" },

	[R_SHORT_CPU_THROTTLED] = { VERDICT_SHORT, "{measured} is {share} of {expected}: the client CPU is the limit, not "
						   "the volume (throttled in {percent} of its periods); give the "
						   "container more CPU or use a larger bs" },
	[R_SHORT_CPU] = { VERDICT_SHORT, "{measured} is {share} of {expected}: the client CPU is the limit, not the volume; "
					 "use more numjobs, a larger bs or a larger host" },
	[R_SHORT_HOST_PROVEN] = { VERDICT_SHORT, "{measured} is {share} of {expected}: the {kind} binds, by {limit}{proof}; "
						 "{next}" },
	[R_SHORT_VOLUME_PROVEN] = { VERDICT_SHORT, "{measured} is {share} of {expected}, and {limit} holds it{proof}: it has "
						   "less than was named, or its credits are spent; see its settings and "
						   "BurstBalance" },
	[R_SHORT_FIRST_TOUCH] = { VERDICT_SHORT, "{measured} is {share} of {expected}: the volume is being initialized, and "
						 "blocks that are read first come from the snapshot; read it once, then "
						 "test again" },
	[R_SHORT_OTHERS] = { VERDICT_SHORT, "{measured} is {share} of {expected}, but others took {others} of the device "
					    "meanwhile; test again when it is quiet" },
	[R_SHORT_SPENT] = { VERDICT_SHORT, "the credits are spent: it opened at {measured}, the baseline, where {expected} was "
					   "due ({limit}){proof}; wait for the refill; {next}" },
	[R_SHORT_ENDED_EARLY] = { VERDICT_SHORT, "the burst of {first} ended after {when}, where {length} were due: the "
						 "credits were not what was told ({limit}){proof}; see BurstBalance" },
	[R_SHORT_DEPTH] = { VERDICT_SHORT, "{measured} is {share} of {expected}: iodepth {depth} is too shallow, at {latency} "
					   "an I/O that rate needs a depth of {needed}{proof}; raise iodepth or numjobs" },
	[R_SHORT_FELL] = { VERDICT_SHORT, "it fell from {first} to {later} after {when}, which is {share} of the {expected} "
					  "that {limit} allows{proof}: something not named here holds it, as an "
					  "instance whose burst is spent; name the host" },
	[R_SHORT] = { VERDICT_SHORT, "{measured} is {share} of the {expected} that {limit} allows, and nothing seen here "
				     "explains it{proof}; check the volume's settings, other load and the host" },
};

enum verdict reason_verdict(enum reason r)
{
	return reasons[r].verdict;
}

static const char *word_of(const struct words *w, const char *name, size_t len)
{
	for (int i = 0; i < W_NR; i++)
		if (strlen(word_names[i]) == len && strncmp(word_names[i], name, len) == 0)
			return w->w[i];
	assert(len == 0); /* a word that no template may use */
	return "";
}

char *reason_text(enum reason r, const struct words *w, char *buf, size_t size)
{
	size_t n = 0;

	for (const char *p = reasons[r].text; *p && n + 1 < size;) {
		if (*p != '{') {
			buf[n++] = *p++;
			continue;
		}
		const char *end = strchr(p, '}'), *text = word_of(w, p + 1, (size_t)(end - p - 1));
		size_t len = strlen(text);
		len = len < size - 1 - n ? len : size - 1 - n;
		memcpy(buf + n, text, len);
		n += len;
		p = end + 1;
	}
	buf[n] = '\0';
	return buf;
}
