/* SPDX-License-Identifier: MIT */
#include "aws/nvme.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/sysroot.h"

/* The half of nvme.h that talks to a device: its admin ioctl, or under a sysroot files that hold its answers. */

#define OP_GET_LOG  0x02
#define OP_IDENTIFY 0x06
#define CNS_CTRL    1
#define LOG_EBS	    0xd0
#define TIMEOUT_MS  1000 /* a device that hangs must not hang the screen */

/* NVMe status without its flags (more, do not retry): NVMe base specification 1.4, figure 124 */
#define STATUS_MASK	 0x7ff
#define INVALID_OPCODE	 0x001
#define INVALID_FIELD	 0x002
#define INVALID_LOG_PAGE 0x109

int nvme_open(struct nvme_dev *dev, const char *name, struct err *err)
{
	char path[64];

	*dev = (struct nvme_dev){ .fd = -1 };
	size_t n = strlen(name);
	if (!n || n >= sizeof(dev->name) || strchr(name, '/') || *name == '.')
		return err_set(err, ENOENT, "\"%.40s\" is no device's name", name);
	snprintf(dev->name, sizeof(dev->name), "%s", name);
	if (!sysroot_is_set()) {
		snprintf(path, sizeof(path), "/dev/%s", name);
		dev->fd = sysroot_open_device(path, O_RDONLY | O_CLOEXEC);
		if (dev->fd < 0)
			return err_sys(err, "%s", path);
	}
	dev->open = true;
	return 0;
}

void nvme_close(struct nvme_dev *dev)
{
	if (dev->open && dev->fd >= 0)
		close(dev->fd);
	*dev = (struct nvme_dev){ .fd = -1 };
}

/* The answer from a file; one of two bytes holds the status word that a device would return. */
static int answer_from_file(const struct nvme_dev *dev, const char *suffix, uint8_t *page, struct err *err)
{
	char path[80], buf[NVME_PAGE + 1];

	snprintf(path, sizeof(path), "/dev/%s.%s", dev->name, suffix);
	long n = sysroot_read(path, buf, sizeof(buf));
	if (n < 0)
		return err_sys(err, "%s", path);
	if (n == 2)
		return (uint8_t)buf[0] | (uint8_t)buf[1] << 8;
	if (n < NVME_PAGE)
		return err_set(err, EBADMSG, "%s: %ld bytes, %d expected", path, n, NVME_PAGE);
	memcpy(page, buf, NVME_PAGE);
	return 0;
}

/* @return 0, an NVMe status word, or -1 with err */
static int command(const struct nvme_dev *dev, const char *suffix, struct nvme_admin_cmd *cmd, uint8_t *page,
		   struct err *err)
{
	if (!dev->open)
		return err_set(err, EBADF, "device not open");
	if (dev->fd < 0)
		return answer_from_file(dev, suffix, page, err);
	cmd->addr = (uint64_t)(uintptr_t)page;
	cmd->data_len = NVME_PAGE;
	cmd->timeout_ms = TIMEOUT_MS;
	int rc = ioctl(dev->fd, NVME_IOCTL_ADMIN_CMD, cmd);
	return rc < 0 ? err_sys(err, "/dev/%s: NVMe command", dev->name) : rc;
}

int nvme_identify(struct nvme_dev *dev, struct nvme_id *out, struct err *err)
{
	uint8_t page[NVME_PAGE] __attribute__((aligned(8))) = { 0 };
	struct nvme_admin_cmd cmd = { .opcode = OP_IDENTIFY, .cdw10 = CNS_CTRL };
	int rc = command(dev, "identify", &cmd, page, err);

	if (rc > 0)
		return err_set(err, EIO, "/dev/%s: identify: NVMe status 0x%x", dev->name, (unsigned)rc);
	return rc ? -1 : nvme_id_decode(page, sizeof(page), out, err);
}

static bool means_no_page(int status)
{
	int s = status & STATUS_MASK;

	return s == INVALID_LOG_PAGE || s == INVALID_FIELD || s == INVALID_OPCODE;
}

int nvme_read_log(struct nvme_dev *dev, struct nvme_log *out, struct err *err)
{
	uint8_t page[NVME_PAGE] __attribute__((aligned(8))) = { 0 };
	struct nvme_admin_cmd cmd = {
		.opcode = OP_GET_LOG,
		.nsid = 1,
		.cdw10 = LOG_EBS | (uint32_t)(NVME_PAGE / 4 - 1) << 16, /* number of dwords, counted from 0 */
	};

	if (dev->no_page)
		return err_set(err, ENOTSUP, "/dev/%s has no EBS statistics", dev->name);
	int rc = command(dev, "log-d0", &cmd, page, err);
	if (rc < 0 && (err->code == ENOTTY || err->code == ENOENT || err->code == EINVAL)) {
		dev->no_page = true; /* not an NVMe device at all, or none of whose answers we have */
		return err_set(err, ENOTSUP, "/dev/%s has no EBS statistics", dev->name);
	}
	if (rc < 0)
		return -1;
	if (rc > 0) {
		dev->no_page = means_no_page(rc);
		return err_set(err, dev->no_page ? ENOTSUP : EIO, "/dev/%s has no EBS statistics (NVMe status 0x%x)",
			       dev->name, (unsigned)rc);
	}
	if (nvme_log_decode(page, sizeof(page), out, err))
		return err_wrap(err, "/dev/%s", dev->name);
	out->t_ns = clock_ns();
	return 0;
}
