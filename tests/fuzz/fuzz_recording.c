/* SPDX-License-Identifier: MIT */
/* A recording with anything in it: what can be read of it becomes a log, and every report of that log can be made. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/recorder.h"
#include "tui/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct runlog_snap *snap = calloc(1, sizeof(*snap));
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct err err = { 0 };
	char path[64];
	bool partial;

	if (!snap || fd < 0 || write(fd, data, size) != (ssize_t)size)
		goto out;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct runlog *log = recording_load(path, &partial, &err);
	if (!log)
		goto out;
	runlog_snap(log, snap);
	for (const struct report_format *f = report_formats; f->name; f++)
		free(f->make(snap, &err));
	runlog_snap_release(snap);
	runlog_free(log);
out:
	if (fd >= 0)
		close(fd);
	free(snap);
	return 0;
}
