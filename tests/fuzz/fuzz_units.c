/* SPDX-License-Identifier: MIT */
/* What people type as sizes, times, counts and percentages: read or refused, and what was read prints and reads back. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "engine/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[256], buf[FMT_LEN];
	struct err err = { 0 };
	uint64_t v, back;
	double share;

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	if (parse_size(text, &v, &err) == 0) {
		assert(v <= INT64_MAX);
		assert(parse_size(fmt_bs(buf, v), &back, &err) == 0 && back == v);
		fmt_size(buf, (double)v);
		fmt_bw(buf, (double)v);
		fmt_short(buf, (double)v);
		fmt_iops(buf, (double)v);
	} else {
		assert(err.code == ERR_USAGE && err.msg[0]);
	}
	if (parse_time(text, &v, &err) == 0) {
		assert(v <= INT64_MAX);
		fmt_lat(buf, (double)v);
		fmt_duration(buf, (double)v / 1e9);
	}
	if (parse_percent(text, &share, &err) == 0)
		assert(share >= 0 && share <= 1);
	if (parse_count(text, &v, &err) == 0)
		assert(strspn(text, "0123456789") == strlen(text));
	return 0;
}
