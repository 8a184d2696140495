/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_BLOCKDEV_H
#define ENGINE_BLOCKDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/strlist.h"

/**
 * The block devices of this machine as sysfs, mountinfo, swaps and mdstat describe them (all through sysroot.h), and
 * whether one may be overwritten. A snapshot: read it, look at it, release it. Nothing here opens a device for writing.
 *
 * An EBS volume is known without privileges by its model ("Amazon Elastic Block Store", padded) or its serial
 * ("vol" and 8 or 17 hex digits, no dash); instance store by "Amazon EC2 NVMe Instance Storage"
 * (amazon-ec2-utils ebsnvme, 2 Apr 2026; EC2 User Guide nvme-ebs-volumes, May 2023).
 */

/** Room for a kernel name or a volume id. */
#define BLOCKDEV_NAME 64

enum blockdev_kind {
	BLOCKDEV_OTHER,
	BLOCKDEV_EBS,
	BLOCKDEV_INSTANCE_STORE,
	BLOCKDEV_MD,
	BLOCKDEV_DM,
	BLOCKDEV_LOOP,
	BLOCKDEV_NR
};
/** As in the JSON: "other", "ebs", "instance-store", "md", "dm", "loop". */
const char *blockdev_kind_name(enum blockdev_kind kind);

/** One block device. Texts are "" and numbers 0 where sysfs has nothing. Owned by its blockdevs. */
struct blockdev {
	char		   name[BLOCKDEV_NAME];	   /**< of the kernel: "nvme1n1", "md0", "dm-0" */
	char		   path[BLOCKDEV_NAME + 8]; /**< "/dev/nvme1n1" */
	char		   node[256];		   /**< where to open it instead, as a user named it; "" path */
	unsigned	   major, minor;
	uint64_t	   size_bytes;
	uint32_t	   logical_block;	   /**< bytes; 512 where unknown */
	bool		   read_only;
	char		   model[64], serial[64];  /**< trimmed */
	enum blockdev_kind kind;		   /**< a partition has its disk's, as it has its model, serial and volume */
	char		   volume_id[BLOCKDEV_NAME]; /**< "vol-0123…" */
	char		   ebs_name[40];	   /**< the name given at attach ("sdf"), where a /dev link or the device tells */
	char		   disk[BLOCKDEV_NAME];	   /**< of a partition: the whole disk's name */
	char		   dm_name[128];	   /**< of a dm device: its name under /dev/mapper */
	bool		   lvm;			   /**< a dm device that LVM made */
	char		   level[32];		   /**< of md, and of a striped dm: "raid0", "raid1", "raid5", "raid10", "linear" */
	uint64_t	   chunk_bytes;		   /**< of such a set */
	char		   backing[1024];	   /**< of a loop device: its file or device, by the name it had then */
	uint64_t	   backing_dev, backing_ino; /**< … and what it is by any name; 0 where the device does not tell */
	bool		   swap;		   /**< in use as swap */
	struct strlist	   mounts;		   /**< mount points */
	struct strlist	   partitions;		   /**< kernel names */
	struct strlist	   holders;		   /**< md and dm devices built on it */
	struct strlist	   members;		   /**< devices it is built on: md members, what is below a dm device */
	struct strlist	   loops;		   /**< loop devices that sit on it */
	bool		   probed;		   /**< blockdev_probe() could read it; else the next two say nothing */
	char		   signature[64];	   /**< libblkid's word for what is on it: "ext4", "LVM2_member", "gpt"; "" blank */
	bool		   table;		   /**< that is a partition table */
};

struct blockdevs {
	struct blockdev *at;	/**< sorted by name, numbers as numbers */
	size_t		 n;
	bool		 blind; /**< nothing tells what is mounted: no device may be written */
};

/**
 * Read the machine. Unreadable or hostile entries are left out; without sysfs there are none.
 * @return 0, or -1: no memory, or ERR_USAGE for an EBSCOPE_SYSROOT that is no directory
 */
int blockdevs_read(struct blockdevs *devs, struct err *err);
void blockdevs_release(struct blockdevs *devs);

/** By kernel name, or NULL. */
struct blockdev *blockdevs_find(const struct blockdevs *devs, const char *name);
/** By number, or NULL. */
struct blockdev *blockdevs_find_number(const struct blockdevs *devs, unsigned major, unsigned minor);
/** By a path under /dev: node, alias under /dev/disk, /dev/mapper name. NULL if it is no block device. */
struct blockdev *blockdevs_find_path(const struct blockdevs *devs, const char *path);
/** The disks at the bottom of @p dev: itself, its disk, or those of all its members, at most @p max. @return how many */
size_t blockdevs_leaves(const struct blockdevs *devs, const struct blockdev *dev, const struct blockdev **leaf,
			size_t max);

/**
 * Look for a signature: a filesystem, RAID, LVM, swap, LUKS … or partition table, with libblkid, whose "ambivalent"
 * and "error" count as one. Opens the device read-only. @return 0, or -1 when it can't be opened (EACCES, ENXIO, …)
 */
int blockdev_probe(struct blockdev *dev, struct err *err);
/**
 * The same through a descriptor that is open and has no I/O in flight (O_DIRECT is taken off it meanwhile). Cannot
 * fail: what can't be read counts as "unreadable".
 */
void blockdev_probe_fd(struct blockdev *dev, int fd);

/**
 * May @p dev be overwritten? Not when it, a partition of it or its disk is mounted, swap, a member of md, dm or LVM, or
 * below a loop device; nor with a signature or partition table, read-only, never probed, or where nothing
 * tells what is mounted. @p why says the first reason found and what to do, one line (256 bytes are enough).
 */
bool blockdev_may_write(const struct blockdevs *devs, const struct blockdev *dev, char *why, size_t size);

/** Is @p name what a user must type to agree to the loss of @p dev: its kernel name, or the id of a whole volume? */
bool blockdev_is_named(const struct blockdev *dev, const char *name);

#endif
