/* SPDX-License-Identifier: MIT */
#include "engine/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/units.h"

#define DAYS (86400 * NS_PER_SEC)
/* More than any test needs, and little enough that a slip of the keyboard does not take all memory. */
#define BUFFERS_MAX (4 * GIB)

const struct workload_field workload_fields[] = {
#define F(key, type, field, min, max, help)                                                                  \
	{                                                                                                    \
		key, type, offsetof(struct workload, field), min, max, help                                  \
	}
	F("rw", FIELD_RW, rw, 0, RW_NR - 1, "access pattern"),
	F("bs", FIELD_SIZE, bs, 512, 64 * MIB, "bytes per I/O"),
	F("iodepth", FIELD_COUNT, iodepth, 1, 4096, "I/Os in flight per job"),
	F("numjobs", FIELD_COUNT, numjobs, 1, 256, "workers that do the same at once, sequentially each in a part of --size"),
	F("size", FIELD_SIZE, size, 0, 1024 * TIB,
	  "bytes used of each target: all of a device or file, at most 1g of a directory"),
	F("runtime", FIELD_TIME, runtime_ns, 0, 366 * DAYS, "time measured: 10s (dashboard: 30s); with --size alone until each job moved that much"),
	F("ramp_time", FIELD_TIME, ramp_ns, 0, 366 * DAYS, "time before it that is not measured"),
	F("rwmixread", FIELD_COUNT, rwmixread, 0, 100, "percent of the I/Os that read, for rw and randrw"),
	F("rate_iops", FIELD_COUNT, rate_iops, 0, 100000000, "I/Os per second each job may start; 0: no cap"),
	F("direct", FIELD_COUNT, direct, 0, 1, "1: O_DIRECT, 0: through the page cache"),
	F("ioengine", FIELD_ENGINE, ioengine, 0, IOENGINE_NR - 1, "how I/O is issued"),
	F("sync", FIELD_SYNC, sync, 0, WSYNC_NR - 1, "writes return when they are on disk"),
	F("invalidate", FIELD_COUNT, invalidate, 0, 1, "1: drop the page cache before a buffered read"),
	F("randseed", FIELD_COUNT, seed, 0, UINT64_MAX, "seed of the offsets; 0: the same ones each run"),
#undef F
	{ .key = NULL },
};

static const char *const rw_names[RW_NR] = { "read", "write", "rw", "randread", "randwrite", "randrw" };
static const char *const wsync_names[WSYNC_NR] = { "none", "dsync", "sync" };
static const char *const ioengine_names[IOENGINE_NR] = { "auto", "libaio", "sync", "sim" };

/* The defaults are fio's (its HOWTO, version 3.33), but for direct. */
#define W(n, pattern, size, depth, mix)                                                                      \
	{                                                                                                    \
		.name = n, .rw = pattern, .bs = size, .iodepth = depth, .numjobs = 1, .rwmixread = mix,      \
		.direct = 1, .invalidate = 1                                                                 \
	}
const struct workload workloads[] = {
	W("iops", RW_RANDREAD, 16 * KIB, 32, 50),
	W("throughput", RW_READ, MIB, 16, 50),
	W("latency", RW_RANDREAD, 4 * KIB, 1, 50),
	W("mixed", RW_RANDRW, 16 * KIB, 32, 70),
	W("write-iops", RW_RANDWRITE, 16 * KIB, 32, 50),
	W("write-throughput", RW_WRITE, MIB, 16, 50),
	W("write-latency", RW_RANDWRITE, 4 * KIB, 1, 50),
	W("database", RW_RANDRW, 8 * KIB, 64, 70),
	W("log", RW_WRITE, 4 * KIB, 1, 50),
	{ .name = "" },
};

const char *const workload_about[] = {
	"small random reads, deep enough to reach an IOPS ceiling",
	"large sequential reads, to reach a throughput ceiling",
	"one small random read at a time: how long does it take?",
	"random reads and writes, 70 to 30",
	"small random writes, deep enough to reach an IOPS ceiling",
	"large sequential writes, to reach a throughput ceiling",
	"one small random write at a time: how long does it take?",
	"8 KiB pages, read and written at random 70 to 30, as a busy database does",
	"one small sequential write at a time, as a database's log does",
};
_Static_assert(sizeof(workload_about) / sizeof(*workload_about) + 1 == sizeof(workloads) / sizeof(*workloads),
	       "a line for each workload");

void workload_init(struct workload *wl)
{
	*wl = (struct workload)W("", RW_READ, 4 * KIB, 1, 50);
}

const struct workload *workload_find(const char *name)
{
	for (const struct workload *wl = workloads; *wl->name; wl++) {
		if (strcmp(wl->name, name) == 0)
			return wl;
	}
	return NULL;
}

const char *rw_name(enum rw rw)
{
	return rw_names[rw];
}

const char *wsync_name(enum wsync s)
{
	return wsync_names[s];
}

const char *ioengine_name(enum ioengine e)
{
	return ioengine_names[e];
}

const struct workload_field *workload_field_find(const char *key)
{
	for (const struct workload_field *f = workload_fields; f->key; f++) {
		if (strcmp(f->key, key) == 0)
			return f;
	}
	return NULL;
}

char *workload_keys(char *buf, size_t size)
{
	buf[0] = 0;
	for (const struct workload_field *f = workload_fields; f->key; f++) {
		size_t n = strlen(buf);
		snprintf(buf + n, size - n, "%s%s", n ? " " : "", f->key);
	}
	return buf;
}

/* The names of an enum as "a, b or c". */
static void list_names(char *buf, size_t size, const char *const *names, uint64_t nr)
{
	buf[0] = 0;
	for (uint64_t i = 0; i < nr; i++) {
		size_t n = strlen(buf);
		snprintf(buf + n, size - n, "%s%s", !i ? "" : i == nr - 1 ? " or " : ", ", names[i]);
	}
}

static int parse_name(const char *text, const char *const *names, int nr, uint64_t *out, struct err *err)
{
	char list[128];

	for (int i = 0; i < nr; i++) {
		if (strcmp(text, names[i]) == 0) {
			*out = (uint64_t)i;
			return 0;
		}
	}
	list_names(list, sizeof(list), names, (uint64_t)nr);
	return err_set(err, ERR_USAGE, "'%.40s' is not %s", text, list);
}

static int parse_field(const struct workload_field *f, const char *text, uint64_t *v, struct err *err)
{
	switch (f->type) {
	case FIELD_SIZE:
		return parse_size(text, v, err);
	case FIELD_TIME:
		return parse_time(text, v, err);
	case FIELD_RW:
		if (strcmp(text, "readwrite") == 0) /* fio's other name for it */
			text = rw_names[RW_RW];
		return parse_name(text, rw_names, RW_NR, v, err);
	case FIELD_ENGINE:
		return parse_name(text, ioengine_names, IOENGINE_NR, v, err);
	case FIELD_SYNC:
		if (strcmp(text, "0") == 0 || strcmp(text, "1") == 0) /* as fio before 3.28 had it */
			text = wsync_names[*text == '1' ? WSYNC_SYNC : WSYNC_NONE];
		return parse_name(text, wsync_names, WSYNC_NR, v, err);
	default:
		return parse_count(text, v, err);
	}
}

/* A time that parse_time() reads back: whole seconds where they do. */
static void fmt_time(char *buf, size_t size, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} u[] = { { NS_PER_SEC, "s" }, { 1000000, "ms" }, { 1000, "us" } };

	for (size_t i = 0; i < sizeof(u) / sizeof(*u); i++) {
		if (ns % u[i].ns == 0) {
			snprintf(buf, size, "%" PRIu64 "%s", ns / u[i].ns, u[i].name);
			return;
		}
	}
	snprintf(buf, size, "%" PRIu64 ".%03uus", ns / 1000, (unsigned)(ns % 1000));
}

static char *fmt_field(const struct workload_field *f, uint64_t v, char *buf, size_t size)
{
	char tmp[FMT_LEN];

	switch (f->type) {
	case FIELD_SIZE:
		snprintf(buf, size, "%s", fmt_bs(tmp, v));
		break;
	case FIELD_TIME:
		fmt_time(buf, size, v);
		break;
	case FIELD_RW:
		snprintf(buf, size, "%s", rw_names[v]);
		break;
	case FIELD_ENGINE:
		snprintf(buf, size, "%s", ioengine_names[v]);
		break;
	case FIELD_SYNC:
		snprintf(buf, size, "%s", wsync_names[v]);
		break;
	default:
		snprintf(buf, size, "%" PRIu64, v);
	}
	return buf;
}

/* Names are enums, everything else is 64 bits wide. */
static bool field_is_enum(const struct workload_field *f)
{
	return f->type == FIELD_RW || f->type == FIELD_ENGINE || f->type == FIELD_SYNC;
}

static void field_put(struct workload *wl, const struct workload_field *f, uint64_t v)
{
	char *at = (char *)wl + f->at;
	int small = (int)v;

	if (field_is_enum(f))
		memcpy(at, &small, sizeof(small));
	else
		memcpy(at, &v, sizeof(v));
}

static uint64_t field_take(const struct workload *wl, const struct workload_field *f)
{
	const char *at = (const char *)wl + f->at;
	uint64_t v;
	int small;

	if (field_is_enum(f)) {
		memcpy(&small, at, sizeof(small));
		return (uint64_t)small;
	}
	memcpy(&v, at, sizeof(v));
	return v;
}
_Static_assert(sizeof(enum rw) == sizeof(int) && sizeof(enum ioengine) == sizeof(int) &&
		       sizeof(enum wsync) == sizeof(int),
	       "enums are as wide as int");

void workload_copy_field(struct workload *to, const struct workload *from, const struct workload_field *f)
{
	field_put(to, f, field_take(from, f));
}

int workload_set(struct workload *wl, const char *key, const char *value, struct err *err)
{
	const struct workload_field *f = workload_field_find(key);
	char low[32], high[32];
	uint64_t v = 0;

	if (!f)
		return err_set(err, ERR_USAGE, "'%.40s' is not a parameter of a workload", key);
	bool parsed = parse_field(f, value, &v, err) == 0;
	if (!parsed && f->type != FIELD_COUNT)
		return err_wrap(err, "%s", key);
	if (!parsed)
		return err_set(err, ERR_USAGE, "%s: '%.40s' is not a whole number from %s to %s", key, value,
			       fmt_field(f, f->min, low, sizeof(low)), fmt_field(f, f->max, high, sizeof(high)));
	if (v < f->min || v > f->max)
		return err_set(err, ERR_USAGE, "%s: '%.40s' is not allowed: %s to %s", key, value,
			       fmt_field(f, f->min, low, sizeof(low)),
			       fmt_field(f, f->max, high, sizeof(high)));
	field_put(wl, f, v);
	return 0;
}

static const char *const *field_names(const struct workload_field *f)
{
	switch (f->type) {
	case FIELD_RW:
		return rw_names;
	case FIELD_ENGINE:
		return ioengine_names;
	case FIELD_SYNC:
		return wsync_names;
	default:
		return NULL;
	}
}

char *workload_allowed(const struct workload_field *f, char *buf, size_t size)
{
	const char *const *names = field_names(f);
	struct workload wl;
	char low[32], high[32], usual[32];

	workload_init(&wl);
	if (names)
		list_names(buf, size, names, f->max + 1);
	else if (f->min) /* what starts at 0 is said in the help */
		snprintf(buf, size, "%s to %s", fmt_field(f, f->min, low, sizeof(low)), fmt_field(f, f->max, high, sizeof(high)));
	else
		buf[0] = 0;
	size_t n = strlen(buf);
	if (f->at != offsetof(struct workload, size) && f->at != offsetof(struct workload, runtime_ns))
		snprintf(buf + n, size - n, "%s(%s)", n ? " " : "", workload_get(&wl, f->key, usual, sizeof(usual)));
	return buf;
}

char *workload_get(const struct workload *wl, const char *key, char *buf, size_t size)
{
	const struct workload_field *f = workload_field_find(key);

	if (!f) {
		buf[0] = 0;
		return buf;
	}
	return fmt_field(f, field_take(wl, f), buf, size);
}

int workload_check(const struct workload *wl, uint64_t lba, struct err *err)
{
	char a[FMT_LEN], b[FMT_LEN];

	if (wl->direct && lba && wl->bs % lba)
		return err_set(err, ERR_USAGE,
			       "bs: %s is not a multiple of the target's %s blocks, which direct=1 needs",
			       fmt_bs(a, wl->bs), fmt_bs(b, lba));
	if (wl->size && wl->size < wl->bs)
		return err_set(err, ERR_USAGE, "size: %s is less than one I/O of bs=%s", fmt_bs(a, wl->size),
			       fmt_bs(b, wl->bs));
	if (wl->bs * wl->iodepth * wl->numjobs > BUFFERS_MAX)
		return err_set(err, ERR_USAGE, "bs × iodepth × numjobs is %s of buffers: at most %s",
			       fmt_size(a, (double)(wl->bs * wl->iodepth * wl->numjobs)),
			       fmt_size(b, (double)BUFFERS_MAX));
	return 0;
}

char *workload_text(const struct workload *wl, char *buf, size_t size)
{
	char bs[FMT_LEN], rate[FMT_LEN];
	int n = snprintf(buf, size, "%s %s", rw_name(wl->rw), fmt_bs(bs, wl->bs));

#define MORE(...)                                                                                            \
	do {                                                                                                 \
		if (n >= 0 && (size_t)n < size)                                                              \
			n += snprintf(buf + n, size - (size_t)n, " · " __VA_ARGS__);                         \
	} while (0)
	if (rw_reads(wl->rw) && rw_writes(wl->rw))
		MORE("%" PRIu64 " %% read", wl->rwmixread);
	MORE("iodepth %" PRIu64, wl->iodepth);
	if (wl->numjobs > 1)
		MORE("%" PRIu64 " jobs", wl->numjobs);
	if (wl->rate_iops)
		MORE("at most %s IOPS%s", fmt_iops(rate, (double)wl->rate_iops),
		     wl->numjobs > 1 ? " each" : "");
	if (!wl->direct)
		MORE("buffered");
#undef MORE
	return buf;
}
