/* SPDX-License-Identifier: MIT */
#ifndef AWS_MODEL_H
#define AWS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aws/host.h"
#include "aws/volume.h"
#include "engine/json.h"
#include "engine/shape.h"
#include "engine/workload.h"

/**
 * What the documents allow a workload on volumes on a host: now, and over time as credits are spent.
 *
 * Everything is a limit with a cost: an I/O of the workload costs each limit some units, and the rate is that of the
 * limit that allows least. A limit with a bucket allows its burst while the balance lasts. The curve follows from
 * that alone, as a simulation of events: run at the rate of now until the next bucket is empty; repeat.
 *
 * How an I/O is counted (EC2 User Guide, "I/O characteristics", 2023-05):
 *  - SSD: one operation per 256 KiB or part of it; st1, sc1: every I/O costs at least 1 MiB of throughput;
 *  - physically sequential I/O smaller than that may be merged up to it. Whether it is depends on the queue, so a
 *    small sequential workload has an interval: iops_min (nothing merged) to iops_max (all merged). `iops` is iops_max.
 *  - the host's operations count up to 256 KiB each likewise.
 *
 * Several volumes: each has its own bucket; they share one host. What a member sees of one I/O on N members:
 *     RAID 0   1/N
 *     RAID 1   read 1/N, write 1 (every mirror)
 *     RAID 10  read 1/N, write 2/N (near 2)
 *     RAID 5   read 1/N, small write 4/N (read and write of data and parity), full stripes 1/(N-1)
 *     RAID 6   read 1/N, small write 6/N, full stripes 1/(N-2)
 * Sequential writes are taken as full stripes for iops_max and as small ones for iops_min. A stripe of unlike members
 * goes at the pace of the slowest; volumes that are not joined (RAID_NONE) add up to one, buckets included.
 *
 * All functions here are pure: no clock, no file, no memory; any thread.
 */

/** The limit that holds a rate, in the order a verdict explains them. The first four an EBS device counts itself. */
enum bound {
	BOUND_NONE, /**< nothing that is documented: the workload's own rate cap, or no volume and host known */
	BOUND_VOLUME_IOPS, BOUND_VOLUME_BW, BOUND_HOST_IOPS, BOUND_HOST_BW, BOUND_IODEPTH, BOUND_CPU, BOUND_NR
};
/** "volume iops", "volume throughput", "host iops", "host throughput", "iodepth", "cpu"; NULL for BOUND_NONE. */
const char *bound_name(enum bound b);

/** A rate and the limit that sets it. Rates are the workload's: reads and writes together. INFINITY: no limit known. */
struct rate {
	double	   iops; /**< I/Os per second as the workload issues them */
	double	   bw;	 /**< bytes per second, iops * bs */
	enum bound bound;
	double	   iops_min; /**< the least the documents promise here: nothing merged; == iops without an interval */
	double	   iops_max; /**< the most they allow here: all merged, a task's floor left out, the top of a range */
};

/** A part of the curve. */
struct curve_part {
	double	    start_s, end_s; /**< since full (or given) credits; end_s INFINITY: for ever */
	struct rate rate;
};

/** A bucket of credits. */
struct bucket {
	enum bound limit;  /**< whose it is: BOUND_VOLUME_IOPS (gp2), BOUND_VOLUME_BW (st1, sc1), BOUND_HOST_… */
	bool	   bytes;  /**< unit: bytes, else I/Os */
	double	   capacity, balance, earn; /**< of all members together; earn is per second */
	double	   burst;  /**< units a second while the balance lasts */
	double	   refill_s; /**< from empty to full without use */
};

#define BUCKETS_MAX 3	/**< the volumes' one, and the host's two */
#define CURVE_MAX   (VOLUMES_MAX + 4)
#define LIMITS_MAX  8
#define NOTES_MAX   8

/** A limit by itself, in its own unit. */
struct named_limit {
	const char *name;  /**< "volume baseline iops", "host burst throughput", … */
	bool	    bytes; /**< value is bytes per second, else counted operations per second */
	double	    value;
};

/** What to expect. A plain value, about 3 KiB. */
struct expectation {
	struct volumes	volumes;
	struct host	host;	  /**< kind HOST_NONE: not known */
	enum rw		rw;
	uint64_t	bs, iodepth, numjobs, rwmixread;
	struct rate	baseline; /**< what is left when every bucket is empty */
	struct rate	burst;	  /**< with full buckets; iops NAN if neither volume nor host bursts */
	double		burst_s;  /**< until the rate first falls; INFINITY: this workload never empties a bucket; NAN */
	struct bucket	bucket[BUCKETS_MAX];
	size_t		nr_buckets; /**< the volumes' first, where they have one */
	bool		volume_bucket; /**< bucket[0] is the volumes' */
	double		scan_s;	  /**< st1, sc1: reading all of it as documented, without refill; else NAN */
	struct curve_part curve[CURVE_MAX];
	size_t		nr_curve;
	struct named_limit limit[LIMITS_MAX];
	size_t		nr_limits;
	double		cost_usd; /**< a month, all volumes, us-east-1 */
	uint64_t	depth_needed; /**< I/Os in flight for the burst (else baseline) at the latency given, or assumed */
	uint64_t	depth_latency_ns;
	bool		depth_assumed; /**< no latency was given: the type's assumed one */
	char		as_of[16];
	char		origin[128]; /**< "" or the file whose figures replace some */
	char		notes[NOTES_MAX][200]; /**< what must be said beside the figures, whole sentences */
	size_t		nr_notes;
};

/** What the model is asked about. Make one with model_input(), then set what else is known. */
struct model_input {
	const struct volumes  *volumes;	 /**< n 0 or NULL: only the host's limits */
	const struct host     *host;	 /**< NULL or HOST_NONE: only the volumes' limits */
	const struct workload *wl;	 /**< rw, bs > 0, iodepth, numjobs, rwmixread, rate_iops are read */
	double		       credits;	 /**< share of the volumes' buckets at the start, 0 to 1; NAN: full */
	double		       host_credits[2]; /**< likewise of the host's two: operations, bytes */
	uint64_t	       clat_ns;	 /**< mean completion latency once known; 0: never bound by iodepth */
	const struct limits   *limits;	 /**< for as_of; NULL: built in */
};

static inline struct model_input model_input(const struct volumes *volumes, const struct host *host,
					     const struct workload *wl)
{
	double nan = __builtin_nan("");

	return (struct model_input){ .volumes = volumes, .host = host, .wl = wl, .credits = nan,
				     .host_credits = { nan, nan } };
}

/** Everything at once: what `expect` prints. About 2 us. */
void model_expect(const struct model_input *in, struct expectation *out);
/** Only the rate with the credits as they stand: 0 of a bucket is its baseline, anything else its burst. < 1 us. */
struct rate model_rate(const struct model_input *in);
/** The part of the curve at @p t_s seconds. */
const struct curve_part *expectation_at(const struct expectation *e, double t_s);
/**
 * Where the IOPS of volumes that are sold by IOPS bind although more throughput is paid for: the smallest power of two from
 * which on a block size reaches it, and the throughput. @return 0: it is reached, or no block size reaches it
 */
uint64_t expectation_full_bs(const struct expectation *e, double *bw);
/** The size up to which sequential I/O as small as this may be merged, bytes; 0: it is not, or nobody counts it. */
uint64_t expectation_merges(const struct expectation *e);
#define TASK_REFUSES_LEN 128
/** Why ECS would not attach such volumes to a task, a sentence; "": it would. @return buf */
char *task_refuses(const struct volumes *vs, char *buf, size_t size);

/**
 * The same limits for engine's shaper: real I/O held to them. Credits at the start as in @p in; time scale 1 until
 * the caller sets it; latency_ns the assumed one of a simulated volume of that type.
 */
void model_shape(const struct model_input *in, struct shape *out);
/** The workload that is assumed where none is named: randread 16k for SSD, read 1m for st1, sc1 and standard. */
void model_default_workload(const struct volumes *vs, struct workload *wl);

/** As `expect --format json` prints it. New reference. */
json_t *expectation_to_json(const struct expectation *e);
/**
 * As tests[].expected of a result: iops_min, iops_max, bw_bytes, bound_by of @p now (NULL: where the curve begins), then
 * baseline, burst and curve as above. New reference.
 */
json_t *expectation_to_result_json(const struct expectation *e, const struct rate *now);
/** As people read it: the table of `expect`. Lines end in \n. Caller frees; NULL without memory. */
char *expectation_to_text(const struct expectation *e);
/**
 * A row per task size, for `--task all`: @p in as model_expect() takes it, but for its host. JSON:
 * {"volumes","workload","tasks":[{"vcpu","memory_mib":[least,most],"documented","baseline","burst","curve","observed"}],
 * "as_of"}. New reference; the text the caller frees, NULL without memory.
 */
json_t *expect_tasks_json(const struct model_input *in);
char *expect_tasks_text(const struct model_input *in);

#endif
