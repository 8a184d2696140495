/* SPDX-License-Identifier: MIT */
#ifndef AWS_NVME_SET_H
#define AWS_NVME_SET_H

#include <stddef.h>
#include <stdint.h>

#include "aws/nvme.h"
#include "engine/json.h"
#include "engine/runlog.h"

/**
 * The EBS volumes (or instance stores) below one or several targets, and their own counters over time: what a run, a
 * check and `watch` rest their proof on. Devices that cannot be read drop out; why the first did is kept as one note.
 * Of several volumes the one that was longest at a limit counts. One thread. About 5 KiB a device.
 */
#define NVME_SET_MAX 32

struct nvme_set {
	size_t n;
	struct nvme_member {
		struct nvme_dev dev;
		struct nvme_log base, last; /**< at nvme_set_base(), and newest */
	} *m;
	uint64_t read_ns;   /**< when it was read last; 0 never */
	char	 note[256]; /**< why there are none, or fewer; "" */
};

/**
 * Add the volumes below the block device @p name (kernel name; a partition, md and dm stand for what is below them).
 * Devices of other kinds are passed over.
 */
void nvme_set_add(struct nvme_set *set, const char *name);
void nvme_set_close(struct nvme_set *set);

/** Read all now, as the start of what nvme_set_total() covers. @return whether there is anything to read */
bool nvme_set_base(struct nvme_set *set);
/**
 * Read if a second has passed since the last time, and put what happened since then into @p t: time over each limit
 * (s.limit_ns, DEV_NONE for one that no device counts), latencies (device) and I/Os in the devices now (s.dev_queue).
 * @return true when it was read
 */
bool nvme_set_tick(struct nvme_set *set, uint64_t now_ns, struct tick *t);

/** What happened since the base, devices together: times of the worst, all else summed. */
struct nvme_total {
	bool   known;
	double seconds;
	double limit_s[NVME_LIMIT_NR]; /**< NAN where no device counts it */
	uint64_t ios[DDIR_NR], bytes[DDIR_NR];
	uint64_t queue;		       /**< in the devices now */
	struct nvme_hist lat[DDIR_NR]; /**< n is 0 where the bounds differ between devices */
};
/** Reads once more. Not known after a reset, without a device, or where one gives no answer: then the end is not seen. */
void nvme_set_total(struct nvme_set *set, struct nvme_total *out);
/** {"seconds","queue","limits":{"volume iops":{"seconds","percent"},…},"lat_us":[[lower,upper,reads,writes],…]}; null. New. */
json_t *nvme_total_to_json(const struct nvme_total *t);

#endif
