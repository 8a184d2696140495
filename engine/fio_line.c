/* SPDX-License-Identifier: MIT */
#include "engine/fio_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/blockio.h"
#include "engine/fio_words.h"
#include "engine/units.h"

struct line {
	char  *at;
	size_t size, used;
};

static void __attribute__((format(printf, 2, 3))) add(struct line *l, const char *fmt, ...)
{
	va_list ap;

	if (l->used >= l->size)
		return;
	va_start(ap, fmt);
	l->used += (size_t)vsnprintf(l->at + l->used, l->size - l->used, fmt, ap);
	va_end(ap);
}

static size_t plain(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%");
}

/* Workers of a sequential test have a part of the region each. */
static bool in_parts(const struct workload *wl)
{
	return !rw_is_rand(wl->rw) && wl->numjobs > 1;
}

static bool has_line(const struct workload *wl, const struct target *t, bool ends)
{
	bool mixed = rw_reads(wl->rw) && rw_writes(wl->rw), parts = in_parts(wl);
	uint64_t whole = wl->bs * (parts ? wl->numjobs : 1);

	return (wl->ioengine == IOENGINE_LIBAIO || wl->ioengine == IOENGINE_SYNC) && t->kind != TARGET_SIM &&
	       wl->rw != RW_RW && !(mixed && wl->rate_iops) && (wl->direct || !rw_writes(wl->rw)) &&
	       (!(ends || parts) || blockio_span(wl, t) % whole == 0) && !t->path[plain(t->path)];
}

/* What would be there without being said, or says nothing about this test. */
static bool goes_without(const struct workload *wl, const char *key)
{
	struct workload usual;
	char a[64], b[64];

	fio_defaults(&usual);
	if (strcmp(key, "rw") == 0 || strcmp(key, "bs") == 0)
		return false;
	return strcmp(key, "size") == 0 || strcmp(key, "randseed") == 0 ||
	       (strcmp(key, "invalidate") == 0 && wl->direct) ||
	       (strcmp(key, "iodepth") == 0 && wl->ioengine == IOENGINE_SYNC) ||
	       (strcmp(key, "rwmixread") == 0 && wl->rw != RW_RANDRW) ||
	       (strcmp(key, "sync") == 0 && !rw_writes(wl->rw)) ||
	       strcmp(workload_get(wl, key, a, sizeof(a)), workload_get(&usual, key, b, sizeof(b))) == 0;
}

/* fio starts all workers at the same block unless it is told where each begins. */
static void add_region(struct line *l, const struct workload *wl, const struct target *t, bool ends)
{
	uint64_t span = blockio_span(wl, t), part = span / wl->numjobs;
	char text[FMT_LEN];

	if (in_parts(wl)) {
		fmt_bs(text, part);
		add(l, " --size=%s --offset_increment=%s", text, text);
		if (ends)
			add(l, " --io_size=%s", fmt_bs(text, span));
	} else if (t->kind == TARGET_DIR || span != t->whole_bytes) {
		add(l, " --size=%s", fmt_bs(text, span));
	}
}

void fio_line(const struct workload *wl, const struct target *t, bool once, char *out, size_t size)
{
	struct line l = { out, size, 0 };
	bool ends = once || !wl->runtime_ns;
	char text[64];

	out[0] = 0;
	if (!has_line(wl, t, ends))
		return;
	add(&l, "fio --name=x --filename=%s%s", t->path, t->kind == TARGET_DIR ? "/fio.x --unlink=1" : "");
	for (const struct workload_field *f = workload_fields; f->key; f++) {
		if (!goes_without(wl, f->key))
			add(&l, " --%s=%s", f->key, workload_get(wl, f->key, text, sizeof(text)));
	}
	add_region(&l, wl, t, ends);
	add(&l, "%s", ends ? "" : " --time_based");
	if (l.used >= size)
		out[0] = 0;
}
