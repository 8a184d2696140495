/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_RESULT_H
#define ENGINE_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/counters.h"
#include "engine/json.h"
#include "engine/sample.h"
#include "engine/workload.h"

/** What sort of work a test is: what its figures may be compared with. */
enum test_kind { TEST_BLOCK, TEST_CHAR, TEST_FILE, TEST_DD, TEST_NET, TEST_WATCH, TEST_NR };
const char *test_kind_name(enum test_kind k); /**< "block", "char", "file", "dd", "net", "watch" */

/** The answer, per test and per run; in the order that a run takes the worst of. */
enum verdict { VERDICT_NONE, VERDICT_PASS, VERDICT_UNKNOWN, VERDICT_ABOVE, VERDICT_SHORT, VERDICT_NR };
const char *verdict_name(enum verdict v); /**< NULL for NONE, else "pass", "unknown", "above", "short" */

/** A yes or no that may not be known. */
enum tri { TRI_NULL, TRI_FALSE, TRI_TRUE };

/** Latency figures, ns; all NAN when n is 0. Percentiles: 50, 90, 99, 99.9, 99.99, nearest rank. */
#define LAT_PCT_NR 5
extern const double	 lat_pct[LAT_PCT_NR];
extern const char *const lat_pct_name[LAT_PCT_NR]; /**< as fio writes them: "50.000000" */
struct lat_stats {
	uint64_t n;
	double	 min, mean, max, stddev, pct[LAT_PCT_NR];
};
void lat_stats_of(struct lat_stats *out, const struct hist_snap *h);

struct dir_result {
	uint64_t	 ios, bytes;
	double		 iops, bw_bytes;
	struct lat_stats slat, clat, lat;
};

/** A stretch of a repetition's measured part between two turns of a knob. Seconds since the run began. */
struct segment {
	double	 start_s, end_s;
	uint64_t bs, iodepth, rwmixread, rate_iops;
};

/** One repetition's figures. */
struct repeat {
	double iops, bw_bytes;
};

#define RESULT_REPEATS_MAX  100
#define RESULT_TURNS_MAX    63 /**< of knobs, in the measured parts of a test; no further turn is taken */
#define RESULT_SEGMENTS_MAX (RESULT_REPEATS_MAX + RESULT_TURNS_MAX)
#define RESULT_WARNINGS_MAX 12
#define RESULT_WARNING_LEN  200
#define RESULTS_WARNINGS_MAX 64

/**
 * One of `tests[]` of the JSON result: what was measured of one test, all its repetitions together. Figures that do
 * not exist are NAN. `more` carries what other layers add to the JSON object (expected, credits, phases, …): engine
 * passes it on without looking. Owned by whoever made it: result_free().
 */
struct result {
	char		  name[32];
	char		  equivalent[160]; /**< the dd, hdparm, bonnie++ or fio line that does the same; "" none */
	char		  measures[96];	   /**< what the figure really is, where a test is not what it seems; or "" */
	enum test_kind	  kind;
	struct workload	  wl;
	double		  start_s, end_s;  /**< the measured part, since the run began */
	double		  runtime_s;
	uint64_t	  errors;
	struct lat_stats  lat, slat, clat; /**< both directions together */
	struct dir_result all, dir[DDIR_NR]; /**< of `all` only the counts and rates are used */
	double		  cpu_usr_s, cpu_sys_s, cpu_pct; /**< pct: of one core */
	double		  layout_s, durable_s, queue_mean;
	double		  device_bytes;	  /**< what storage moved in this test, whole; NAN not known */
	double		  dev_dir[DDIR_NR]; /**< the same by direction */
	double		  self_read;	  /**< bytes that this process fetched from storage; NAN not known */
	double		  cpu_throttled;  /**< share of the cgroup's periods in which it was stopped; NAN no limit */
	char		  device_source[16]; /**< "diskstats", "self-io", "nvme", "" */
	enum tri	  cached;
	double		  moved_share;	  /**< where cached: of the bytes of the direction that was, the share that storage moved; else NAN */
	double		  amplified;	  /**< factor over 1.05, else NAN */
	bool		  cpu_bound, too_short, failed;
	unsigned	  nr_segments, nr_repeats, nr_warnings;
	struct segment	  segment[RESULT_SEGMENTS_MAX];
	struct repeat	  repeat[RESULT_REPEATS_MAX];
	char		  warning[RESULT_WARNINGS_MAX][RESULT_WARNING_LEN];
	enum verdict	  verdict;
	char		  reason[400];
	json_t		 *more;		  /**< an object, or NULL */
};

/** An empty one: every figure absent. NULL without memory. */
struct result *result_new(void);
void result_free(struct result *r);
/** Figures of a finished measurement: @p t is what happened in it (t_ns its length). */
void result_measure(struct result *r, const struct totals *t);
/** Too short to be a figure at all: rates and latencies become absent, counts stay. */
void result_no_figures(struct result *r);
/** Add a warning, one line of UTF-8; what is beyond RESULT_WARNINGS_MAX is dropped, doubles too. */
void result_warn(struct result *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/**
 * The warnings of @p n results, each text once however many of them carry it: calls @p say with the names of those tests, or
 * "all tests". At most RESULTS_WARNINGS_MAX texts, the first.
 */
void results_warnings(const struct result *const *results, size_t n,
		      void (*say)(void *ctx, const char *tests, const char *text), void *ctx);
/** How often a knob was turned while it was measured: a new repetition is a stretch of its own, and no turn. */
unsigned result_turns(const struct result *r);
/** Mean, deviation (n-1), smallest and largest of the repetitions' main figure. false with fewer than two. */
bool result_repeat_stats(const struct result *r, double *mean, double *stddev, double *min, double *max);
/** The object of `tests[]`. New reference. */
json_t *result_to_json(const struct result *r);
/** Back from it; unknown members go to `more`. NULL when it is no such object. */
struct result *result_from_json(const json_t *obj);

#endif
