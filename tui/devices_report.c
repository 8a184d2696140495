/* SPDX-License-Identifier: MIT */
#include "tui/devices_report.h"

#include <stdio.h>
#include <string.h>

#include "engine/json.h"
#include "engine/units.h"
#include "tui/grid.h"

bool devices_shows(const struct blockdev *dev)
{
	return dev->size_bytes && strncmp(dev->name, "ram", 3) != 0;
}

/* What it is: the volume, the model, the mapping's name or the file below. */
static const char *identity(const struct blockdev *dev)
{
	const char *const text[] = { dev->volume_id, dev->dm_name, dev->backing, dev->model };

	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++) {
		if (*text[i])
			return text[i];
	}
	return "-";
}

/* "raid0 of nvme1n1, nvme2n1, chunk 512 KiB": how a set is made. */
static void put_set(FILE *f, const struct blockdev *dev)
{
	char members[256], chunk[FMT_LEN];

	if (!dev->members.n)
		return;
	fprintf(f, "%s%s %s", dev->level, *dev->level ? " of" : "on",
		strlist_join(&dev->members, members, sizeof(members)));
	if (dev->chunk_bytes)
		fprintf(f, ", chunk %s", fmt_size(chunk, (double)dev->chunk_bytes));
	fputs("; ", f);
}

/* What it is used for, in as many words as there are facts. */
static void put_use(struct grid *g, const struct blockdev *dev)
{
	char list[512], text[1024] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	if (!f) {
		grid_put(g, "-");
		return;
	}
	put_set(f, dev);
	if (*dev->signature)
		fprintf(f, "%s%s; ", dev->signature, dev->table ? " partition table" : "");
	if (dev->partitions.n)
		fprintf(f, "partitions %s; ", strlist_join(&dev->partitions, list, sizeof(list)));
	if (dev->mounts.n)
		fprintf(f, "mounted on %s; ", strlist_join(&dev->mounts, list, sizeof(list)));
	if (dev->swap)
		fputs("swap; ", f);
	if (dev->holders.n)
		fprintf(f, "part of %s; ", strlist_join(&dev->holders, list, sizeof(list)));
	if (dev->loops.n)
		fprintf(f, "below %s; ", strlist_join(&dev->loops, list, sizeof(list)));
	fclose(f);
	size_t n = strnlen(text, sizeof(text) - 1);
	text[n >= 2 ? n - 2 : 0] = '\0';
	grid_put(g, "%s", *text ? text : dev->probed ? "blank" : "cannot be read");
}

char *devices_table(const struct blockdevs *devs)
{
	static const char *const head[] = { "DEVICE",         "SIZE", "BLOCK",          "KIND",
					    "NAME AT ATTACH", "WHAT", "MAY BE WRITTEN", "USE" };
	struct grid g = { .columns = sizeof(head) / sizeof(*head) };
	char size[FMT_LEN], why[256];

	for (size_t i = 0; i < g.columns; i++)
		grid_put(&g, "%s", head[i]);
	for (size_t i = 0; i < devs->n; i++) {
		const struct blockdev *dev = &devs->at[i];
		if (!devices_shows(dev))
			continue;
		grid_put(&g, "%s", dev->path);
		grid_put(&g, "%s", fmt_size(size, (double)dev->size_bytes));
		grid_put(&g, "%u", dev->logical_block);
		grid_put(&g, "%s", blockdev_kind_name(dev->kind));
		grid_put(&g, "%s", *dev->ebs_name ? dev->ebs_name : "-");
		grid_put(&g, "%s", identity(dev));
		grid_put(&g, "%s", blockdev_may_write(devs, dev, why, sizeof(why)) ? "by its name" : "no");
		put_use(&g, dev);
	}
	return grid_print(&g);
}

static json_t *text_or_null(const char *s)
{
	return json_text(*s ? s : NULL);
}

static json_t *texts(const struct strlist *list)
{
	json_t *a = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_array_append_new(a, json_text(list->at[i]));
	return a;
}

static json_t *device_json(const struct blockdevs *devs, const struct blockdev *dev)
{
	json_t *o = json_object();
	char why[256], majmin[32];
	bool may = blockdev_may_write(devs, dev, why, sizeof(why));

	snprintf(majmin, sizeof(majmin), "%u:%u", dev->major, dev->minor);
	json_object_set_new(o, "path", json_text(dev->path));
	json_object_set_new(o, "majmin", json_text(majmin));
	json_object_set_new(o, "size_bytes", json_u64(dev->size_bytes));
	json_object_set_new(o, "logical_block", json_integer(dev->logical_block));
	json_object_set_new(o, "model", text_or_null(dev->model));
	json_object_set_new(o, "kind", json_text(blockdev_kind_name(dev->kind)));
	json_object_set_new(o, "volume_id", text_or_null(dev->volume_id));
	json_object_set_new(o, "ebs_name", text_or_null(dev->ebs_name));
	json_object_set_new(o, "disk", text_or_null(dev->disk));
	json_object_set_new(o, "mounts", texts(&dev->mounts));
	json_object_set_new(o, "swap", json_boolean(dev->swap));
	json_object_set_new(o, "signature", text_or_null(dev->signature));
	json_object_set_new(o, "members", texts(&dev->members));
	json_object_set_new(o, "holders", texts(&dev->holders));
	json_object_set_new(o, "level", text_or_null(dev->level));
	json_object_set_new(o, "chunk_bytes", dev->chunk_bytes ? json_u64(dev->chunk_bytes) : json_null());
	json_object_set_new(o, "writable", json_boolean(may));
	json_object_set_new(o, "why_not", may ? json_null() : json_text(why));
	return o;
}

json_t *devices_json(const struct blockdevs *devs)
{
	json_t *list = json_array();

	for (size_t i = 0; i < devs->n; i++) {
		if (devices_shows(&devs->at[i]))
			json_array_append_new(list, device_json(devs, &devs->at[i]));
	}
	return json_pack("{s:o}", "devices", list);
}
