/* SPDX-License-Identifier: MIT */
#ifndef TUI_DEVICES_REPORT_H
#define TUI_DEVICES_REPORT_H

#include <jansson.h>

#include "engine/blockdev.h"

/** What `ebscope devices` prints of a machine that was read and probed. New texts and references, the caller's. */
char   *devices_table(const struct blockdevs *devs);
json_t *devices_json(const struct blockdevs *devs);

/** Is it worth a line: has it a medium, and is it no RAM disk? */
bool devices_shows(const struct blockdev *dev);

#endif
