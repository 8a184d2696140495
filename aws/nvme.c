/* SPDX-License-Identifier: MIT */
#include "aws/nvme.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define VENDOR_AMAZON	  0x1d0f
#define MAGIC_EBS	  0x3c23b510u
#define MAGIC_STORE	  0xec2c0d7eu
#define MODEL_EBS	  "Amazon Elastic Block Store"
#define MODEL_STORE	  "Amazon EC2 NVMe Instance Storage"
#define ID_NAME_AT	  3072 /* vendor area of Identify, 32 bytes: the name asked for at attach */

/* Offsets in page 0xD0 */
enum {
	AT_MAGIC = 0,
	AT_IOS = 8, /* read, then write; so the next two */
	AT_BYTES = 24,
	AT_TIME = 40,
	AT_EXCEEDED = 56, /* four, in the order of enum nvme_limit */
	AT_QUEUE = 88,
	AT_HIST = 512, /* u64 number of bins, then room for 64; read, then write */
	BIN_SIZE = 24, /* u64 lower, u64 upper, u32 count, u32 reserved */
	HIST_SIZE = 8 + NVME_BINS_MAX * BIN_SIZE,
};

static uint64_t le(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = bytes; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

const char *nvme_limit_name(enum nvme_limit limit)
{
	static const char *const name[] = { "volume iops", "volume throughput", "host iops", "host throughput" };

	return name[limit];
}

/* A padded field: up to the first NUL, blanks at both ends cut, odd bytes as '?'. out holds n + 1 bytes. */
static void copy_field(char *out, const uint8_t *p, size_t n)
{
	size_t len = 0;

	while (n && *p == ' ')
		p++, n--;
	for (; len < n && p[len]; len++)
		out[len] = p[len] > 0x1f && p[len] < 0x7f ? (char)p[len] : '?';
	while (len && out[len - 1] == ' ')
		len--;
	out[len] = 0;
}

static bool has_model(const char *text, const char *model)
{
	size_t n = strlen(model);

	while (*text == ' ')
		text++;
	return !strncmp(text, model, n) && text[n + strspn(text + n, " \n")] == 0;
}

enum nvme_kind nvme_kind_of(const char *model, const char *serial, char *volume_id)
{
	if (volume_id)
		*volume_id = 0;
	if (has_model(model, MODEL_STORE))
		return NVME_INSTANCE_STORE;
	if (!has_model(model, MODEL_EBS))
		return NVME_OTHER;
	while (*serial == ' ')
		serial++;
	if (volume_id && !strncmp(serial, "vol", 3)) {
		const char *hex = serial + 3 + (serial[3] == '-');
		size_t n = strspn(hex, "0123456789abcdef");
		if (n >= 8 && n <= 17 && (!hex[n] || isspace((unsigned char)hex[n])))
			snprintf(volume_id, 24, "vol-%.*s", (int)n, hex);
	}
	return NVME_EBS;
}

/* The vendor area holds the name with or without /dev/, ended by blanks or NUL. */
static void decode_name(const uint8_t *p, char *out)
{
	char text[33];
	size_t n = 0;

	memcpy(text, p, 32);
	text[32] = 0;
	const char *name = !strncmp(text, "/dev/", 5) ? text + 5 : text;
	while (isalnum((unsigned char)name[n]))
		n++;
	memcpy(out, name, n);
	out[n] = 0;
}

int nvme_id_decode(const uint8_t *page, size_t len, struct nvme_id *out, struct err *err)
{
	if (len < NVME_PAGE)
		return err_set(err, EBADMSG, "identify answer of %zu bytes, %d expected", len, NVME_PAGE);
	*out = (struct nvme_id){ .vendor = (uint16_t)le(page, 2) };
	copy_field(out->serial, page + 4, 20);
	copy_field(out->model, page + 24, 40);
	copy_field(out->firmware, page + 64, 8);
	if (out->vendor != VENDOR_AMAZON)
		return 0;
	out->kind = nvme_kind_of(out->model, out->serial, out->volume_id);
	if (out->kind == NVME_EBS)
		decode_name(page + ID_NAME_AT, out->name);
	return 0;
}

static int decode_hist(const uint8_t *p, struct nvme_hist *h, const char *what, struct err *err)
{
	uint64_t n = le(p, 8), last = 0;

	if (n > NVME_BINS_MAX)
		return err_set(err, EBADMSG, "log page: %llu %s bins, at most %d fit", (unsigned long long)n, what,
			       NVME_BINS_MAX);
	h->n = (unsigned)n;
	for (unsigned i = 0; i < h->n; i++) {
		const uint8_t *bin = p + 8 + (size_t)BIN_SIZE * i;
		h->bin[i].lower_us = le(bin, 8);
		h->bin[i].upper_us = le(bin + 8, 8);
		h->bin[i].count = le(bin + 16, 4);
		if (h->bin[i].upper_us <= h->bin[i].lower_us || h->bin[i].lower_us < last)
			return err_set(err, EBADMSG, "log page: bounds of %s bin %u do not ascend", what, i);
		last = h->bin[i].upper_us;
	}
	return 0;
}

int nvme_log_decode(const uint8_t *page, size_t len, struct nvme_log *out, struct err *err)
{
	if (len < NVME_PAGE)
		return err_set(err, EBADMSG, "log page of %zu bytes, %d expected", len, NVME_PAGE);
	uint32_t magic = (uint32_t)le(page + AT_MAGIC, 4);
	if (magic != MAGIC_EBS && magic != MAGIC_STORE)
		return err_set(err, EBADMSG, "log page: magic %08x is neither that of EBS nor of an instance store",
			       magic);
	*out = (struct nvme_log){ .kind = magic == MAGIC_EBS ? NVME_EBS : NVME_INSTANCE_STORE };
	for (unsigned d = 0; d < DDIR_NR; d++) {
		out->dir[d].ios = le(page + AT_IOS + 8 * d, 8);
		out->dir[d].bytes = le(page + AT_BYTES + 8 * d, 8);
		out->dir[d].time_us = le(page + AT_TIME + 8 * d, 8);
		if (decode_hist(page + AT_HIST + (size_t)HIST_SIZE * d, &out->dir[d].lat, d ? "write" : "read", err))
			return -1;
	}
	for (unsigned i = 0; i < NVME_LIMIT_NR; i++)
		out->exceeded_us[i] = le(page + AT_EXCEEDED + 8 * i, 8);
	out->queue = le(page + AT_QUEUE, 8);
	return 0;
}

static bool fell(const struct nvme_log *now, const struct nvme_log *before)
{
	for (unsigned d = 0; d < DDIR_NR; d++)
		if (now->dir[d].ios < before->dir[d].ios || now->dir[d].bytes < before->dir[d].bytes ||
		    now->dir[d].time_us < before->dir[d].time_us)
			return true;
	for (unsigned i = 0; i < NVME_LIMIT_NR; i++)
		if (now->exceeded_us[i] < before->exceeded_us[i])
			return true;
	return now->kind != before->kind || now->t_ns < before->t_ns;
}

static void hist_sub(const struct nvme_hist *now, const struct nvme_hist *before, struct nvme_hist *out)
{
	out->n = 0;
	if (now->n != before->n)
		return;
	for (unsigned i = 0; i < now->n; i++) {
		if (now->bin[i].lower_us != before->bin[i].lower_us || now->bin[i].upper_us != before->bin[i].upper_us)
			return;
		out->bin[i] = now->bin[i];
		out->bin[i].count = (uint32_t)(now->bin[i].count - before->bin[i].count);
	}
	out->n = now->n;
}

void nvme_log_sub(const struct nvme_log *now, const struct nvme_log *before, struct nvme_delta *out)
{
	*out = (struct nvme_delta){ .queue = now->queue, .reset = fell(now, before) };
	for (unsigned i = 0; i < NVME_LIMIT_NR; i++)
		out->share[i] = NAN;
	if (out->reset)
		return;
	out->seconds = (double)(now->t_ns - before->t_ns) / 1e9;
	for (unsigned d = 0; d < DDIR_NR; d++) {
		out->dir[d].ios = now->dir[d].ios - before->dir[d].ios;
		out->dir[d].bytes = now->dir[d].bytes - before->dir[d].bytes;
		out->dir[d].time_us = now->dir[d].time_us - before->dir[d].time_us;
		hist_sub(&now->dir[d].lat, &before->dir[d].lat, &out->dir[d].lat);
	}
	for (unsigned i = 0; i < NVME_LIMIT_NR; i++) {
		out->exceeded_us[i] = now->exceeded_us[i] - before->exceeded_us[i];
		/* An instance store has no volume behind it; AWS's own tools don't print these two for it either. */
		if (out->seconds > 0 && (now->kind == NVME_EBS || i >= NVME_HOST_IOPS))
			out->share[i] = fmin((double)out->exceeded_us[i] / 1e6 / out->seconds, 1);
	}
}
