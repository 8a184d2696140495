/* SPDX-License-Identifier: MIT */
#ifndef AWS_NVME_H
#define AWS_NVME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/workload.h"

/**
 * What an EBS volume says of itself over NVMe: who it is (Identify Controller) and its own counters (log page 0xD0),
 * among them the time in which demand exceeded each of four limits: the proof of which limit was hit.
 *
 * Layout of both pages: amazonlinux/amazon-ec2-utils `ebsnvme` (2 Apr 2026), linux-nvme/nvme-cli `amzn-nvme.c`
 * (21 Aug 2026); little-endian whatever the machine. Bytes of a page are never trusted: what does not fit is an error.
 *
 * Decoding and subtracting are pure. Reading a device needs root (CAP_SYS_ADMIN) and is not for an I/O path; AWS
 * advises to poll no faster than once a second (EC2 guide, "Detailed performance statistics", 2025).
 */

#define NVME_PAGE     4096 /* bytes of either page that are read */
#define NVME_BINS_MAX 64   /* latency bins that a page has room for */

enum nvme_kind { NVME_OTHER, NVME_EBS, NVME_INSTANCE_STORE };

/** Who a controller says it is. Texts are trimmed; "" where there is none. */
struct nvme_id {
	enum nvme_kind kind;
	uint16_t       vendor; /**< PCI vendor, 0x1d0f for Amazon */
	char	       serial[21];
	char	       model[41];
	char	       firmware[9];
	char	       name[33];      /**< as asked for at attach, without "/dev/": "sdf", "xvdh"; "" unless EBS */
	char	       volume_id[24]; /**< "vol-0123…" with its dash; "" unless EBS */
};

/**
 * Which kind a model text (sysfs `model`, padded or not) and serial stand for, and the volume's id: enough without root.
 * @param volume_id 24 bytes, "" unless EBS; may be NULL
 */
enum nvme_kind nvme_kind_of(const char *model, const char *serial, char *volume_id);

/** @param len at least NVME_PAGE, or it is an error */
int nvme_id_decode(const uint8_t *page, size_t len, struct nvme_id *out, struct err *err);

/** What the device counts time over; the first four of the verdict's bounds, in their order. */
enum nvme_limit { NVME_VOLUME_IOPS, NVME_VOLUME_BW, NVME_HOST_IOPS, NVME_HOST_BW, NVME_LIMIT_NR };
/** "volume iops", "volume throughput", "host iops", "host throughput" */
const char *nvme_limit_name(enum nvme_limit limit);

/** The device's own latency histogram of one direction, bounds as the page says; ascending. */
struct nvme_hist {
	unsigned n; /**< bins in use, 0 to NVME_BINS_MAX */
	struct {
		uint64_t lower_us, upper_us;
		uint64_t count; /**< in a reading 32 bits that wrap; in a difference exact */
	} bin[NVME_BINS_MAX];
};

/** One reading of page 0xD0. Counters run from attach; only differences say anything. */
struct nvme_log {
	uint64_t       t_ns; /**< CLOCK_MONOTONIC when it was read; 0 from the decoder */
	enum nvme_kind kind; /**< by its magic; an instance store has only host limits */
	struct {
		uint64_t	 ios, bytes, time_us;
		struct nvme_hist lat;
	} dir[DDIR_NR];
	uint64_t exceeded_us[NVME_LIMIT_NR];
	uint64_t queue; /**< I/Os in the device now: a gauge */
};

int nvme_log_decode(const uint8_t *page, size_t len, struct nvme_log *out, struct err *err);

/** What happened between two readings. */
struct nvme_delta {
	double seconds; /**< true interval; 0 with reset */
	bool   reset;	/**< a counter ran backwards (stop and start, another volume): no figure here means anything */
	struct {
		uint64_t	 ios, bytes, time_us;
		struct nvme_hist lat; /**< n is 0 where the bounds changed */
	} dir[DDIR_NR];
	uint64_t exceeded_us[NVME_LIMIT_NR];
	double	 share[NVME_LIMIT_NR]; /**< of the time at that limit, 0 to 1; NAN with reset or where not counted */
	uint64_t queue;		       /**< at the end */
};

/** Bins wrap at 2^32 and are subtracted so; any other counter that falls is a reset. */
void nvme_log_sub(const struct nvme_log *now, const struct nvme_log *before, struct nvme_delta *out);

/** An open device. Zero state is closed. Not shared between threads. */
struct nvme_dev {
	char name[32]; /**< kernel name, "nvme1n1" */
	int  fd;       /**< -1 with a sysroot */
	bool open;
	bool no_page; /**< it said once that it has no such page: not asked again */
};

/** @param name kernel name of the whole disk. err->code tells EACCES, EPERM and ENOENT apart. */
int nvme_open(struct nvme_dev *dev, const char *name, struct err *err);
void nvme_close(struct nvme_dev *dev);
int nvme_identify(struct nvme_dev *dev, struct nvme_id *out, struct err *err);
/**
 * Read the counters, t_ns stamped. A device without the page fails with ENOTSUP, the first time with the status it
 * gave; it is not asked again, so the caller says the message once and may go on calling. EACCES without privilege.
 */
int nvme_read_log(struct nvme_dev *dev, struct nvme_log *out, struct err *err);

#endif
