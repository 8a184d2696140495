/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/nvme.h"
#include "tui/commands.h"
#include "tui/devices_report.h"

/* The name given at attach is in the volume itself, for root to read; without, a link in /dev may have told
 * it. */
static void ask_name(struct blockdev *dev)
{
	struct nvme_dev nvme = { 0 };
	struct nvme_id id;
	struct err ignored;

	if (dev->kind != BLOCKDEV_EBS || *dev->disk || nvme_open(&nvme, dev->name, &ignored) < 0)
		return;
	if (nvme_identify(&nvme, &id, &ignored) == 0 && id.kind == NVME_EBS && *id.name)
		snprintf(dev->ebs_name, sizeof(dev->ebs_name), "%s", id.name);
	nvme_close(&nvme);
}

static int read_machine(struct blockdevs *devs, struct err *err)
{
	struct err ignored;

	if (blockdevs_read(devs, err) < 0)
		return -1;
	for (size_t i = 0; i < devs->n; i++) {
		if (!devices_shows(&devs->at[i]))
			continue;
		blockdev_probe(&devs->at[i], &ignored); /* what can't be read says so in its line */
		ask_name(&devs->at[i]);
	}
	return 0;
}

static char *as_json(const struct blockdevs *devs)
{
	json_t *doc = devices_json(devs);
	char *text = doc ? json_dumps(doc, JSON_INDENT(2)) : NULL, *line = NULL;

	json_decref(doc);
	if (text && asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	free(text);
	return line;
}

static int devices(struct cli *cli, struct err *err)
{
	const char *format = cli_text(cli, "format", "table");
	bool json = !strcmp(format, "json");
	struct blockdevs devs;

	if (!json && strcmp(format, "table") != 0)
		return err_set(err, ERR_USAGE, "--format: '%.40s' is not one of table, json", format);
	if (read_machine(&devs, err) < 0)
		return -1;
	char *text = json ? as_json(&devs) : devices_table(&devs);
	int rc = text ? cli_write(cli, text, err) : err_set(err, ENOMEM, "no memory");
	free(text);
	blockdevs_release(&devs);
	return rc;
}

const struct command cmd_devices = {
	.name = "devices",
	.args = "[options]",
	.about = "block devices, mounts, which are EBS, RAID members",
	.more = "Without root what is on a device cannot be read, and the name given at attach only where "
		"/dev has a link\n"
		"of that name. A device that may be written is so only by its own name, with "
		"--destroy-data.",
	.groups = OPT_TABLE | OPT_OUTPUT,
	.run = devices,
};
