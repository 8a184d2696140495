/* SPDX-License-Identifier: MIT */
#include "tui/report_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/cgroup.h"
#include "engine/units.h"
#include "tui/live.h"

static void add(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void add(char *buf, size_t size, const char *fmt, ...)
{
	size_t n = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + n, size - n, fmt, ap);
	va_end(ap);
}

char *words_volume(const struct run_header *h, char *buf, size_t size)
{
	const json_t *list = json_object_get(h->doc, "volumes"), *v = json_array_get(list, 0);
	double iops = json_get_num(v, "iops", NAN), mibps = json_get_num(v, "throughput_mibps", NAN);
	char text[FMT_LEN];

	*buf = 0;
	if (!v)
		return buf;
	if (json_array_size(list) > 1)
		add(buf, size, "%zu × ", json_array_size(list));
	add(buf, size, "%s %s GiB", json_get_text(v, "type", "EBS"), fmt_iops(text, json_get_num(v, "size_gib", NAN)));
	if (!isnan(iops))
		add(buf, size, ", %s IOPS", fmt_iops(text, iops));
	if (!isnan(mibps))
		add(buf, size, ", %s MiB/s", fmt_iops(text, mibps));
	return buf;
}

char *words_host(const struct run_header *h, char *buf, size_t size)
{
	const json_t *host = json_object_get(h->doc, "host");
	const char *type = json_get_text(host, "instance_type", NULL), *task = json_get_text(host, "task", NULL);
	char mem[64];

	*buf = 0;
	if (!*words_memory(h, mem, sizeof(mem)))
		fmt_size(mem, json_get_num(host, "memory_bytes", NAN));
	if (type || task)
		snprintf(buf, size, "%s%s", type ? "" : "task ", type ? type : task);
	else if (json_get_u64(host, "cpus", 0))
		snprintf(buf, size, "%" PRIu64 " CPUs, %s", json_get_u64(host, "cpus", 0), mem);
	return buf;
}

char *words_memory(const struct run_header *h, char *buf, size_t size)
{
	const json_t *host = json_object_get(h->doc, "host");
	struct cgroup_limits lim = { .memory = json_get_u64(host, "memory_bytes", 0),
				     .host_memory = json_get_u64(host, "host_memory_bytes", 0) };

	*buf = 0;
	return lim.memory && lim.memory < lim.host_memory ? cgroup_memory_text(&lim, buf, size) : buf;
}

char *words_target(const struct run_header *h, char *buf, size_t size)
{
	const json_t *t = json_array_get(json_object_get(h->doc, "targets"), 0);
	const char *fs = json_get_text(t, "filesystem", NULL), *dev = json_get_text(t, "device", NULL);
	const char *id = json_get_text(t, "volume_id", NULL);

	snprintf(buf, size, "%s", h->target);
	if (fs)
		add(buf, size, ", %s", fs);
	if (dev && !strstr(h->target, dev))
		add(buf, size, "%s%s", fs ? " on " : ", ", dev);
	if (id)
		add(buf, size, ", %s", id);
	return buf;
}

char *words_date(const struct run_header *h, char *buf, size_t size)
{
	if (strlen(h->started) < 16)
		snprintf(buf, size, "%s", h->started);
	else
		snprintf(buf, size, "%.10s %.5s UTC", h->started, h->started + 11);
	return buf;
}

char *words_shape(const struct runlog_snap *run, char *buf, size_t size)
{
	const struct run_header *h = run->header;
	double lo, hi;

	live_scales(run, &lo, &hi);
	*buf = 0;
	if (h->simulated || h->shaped)
		add(buf, size, "%s%s%s", h->simulated ? "SIMULATED" : "", h->simulated && h->shaped ? " " : "", h->shaped ? "SHAPED" : "");
	if (*buf && (lo != 1 || hi != 1))
		add(buf, size, lo == hi ? " ×%g" : " ×%g to ×%g", lo, hi);
	return buf;
}

char *words_repeat(const struct result *r, char *buf, size_t size)
{
	char a[FMT_LEN], b[FMT_LEN], c[FMT_LEN];
	double mean, dev, lo, hi;

	buf[0] = 0;
	if (result_repeat_stats(r, &mean, &dev, &lo, &hi) && mean > 0)
		snprintf(buf, size, "%u times: mean %s IOPS ± %.1f %%, %s to %s", r->nr_repeats, fmt_iops(a, mean), 100 * dev / mean,
			 fmt_iops(b, lo), fmt_iops(c, hi));
	return buf;
}

char *words_durable(const struct result *r, char *buf, size_t size)
{
	buf[0] = 0;
	if (!isnan(r->durable_s))
		snprintf(buf, size, "accepted after %.3f s, on disk after %.3f s", r->runtime_s, r->durable_s);
	return buf;
}
