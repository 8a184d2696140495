/* SPDX-License-Identifier: MIT */
#include "engine/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct suffix {
	const char *name;
	double factor;
};

/*
 * A decimal number without sign or exponent, point only, whatever the locale (strtod would take the locale's
 * comma, hexadecimal, "inf" and "nan"). Returns where it ended, or NULL when there is no digit.
 */
static const char *scan_decimal(const char *p, double *out)
{
	const char *start = p;
	double v = 0, scale = 1;
	int digits = 0;

	for (; isdigit((unsigned char)*p); p++, digits++)
		v = v * 10 + (*p - '0');
	if (*p == '.' && p > start) {
		for (p++; isdigit((unsigned char)*p); p++, digits++)
			v += (*p - '0') * (scale /= 10);
	}
	*out = v;
	return digits ? p : NULL;
}

static int parse_scaled(const char *text, const struct suffix *suffixes, const char *allowed, double *out,
			struct err *err)
{
	double v;
	const char *end = scan_decimal(text, &v);

	if (!end || end[-1] == '.')
		return err_set(err, ERR_USAGE, "'%.40s' is not %s", text, allowed);
	for (const struct suffix *s = suffixes; s->name; s++) {
		if (strcasecmp(end, s->name) == 0) {
			*out = v * s->factor;
			return 0;
		}
	}
	return err_set(err, ERR_USAGE, "'%.40s' is not %s", text, allowed);
}

int parse_count(const char *text, uint64_t *out, struct err *err)
{
	char *end;

	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno)
		return err_set(err, ERR_USAGE, "'%.40s' is not a whole number", text);
	*out = v;
	return 0;
}

int parse_size(const char *text, uint64_t *bytes, struct err *err)
{
	static const struct suffix sizes[] = {
		{ "", 1 },	       { "b", 1 },	      { "k", (double)KIB },   { "kb", (double)KIB },
		{ "ki", (double)KIB }, { "kib", (double)KIB }, { "m", (double)MIB },  { "mb", (double)MIB },
		{ "mi", (double)MIB }, { "mib", (double)MIB }, { "g", (double)GIB },  { "gb", (double)GIB },
		{ "gi", (double)GIB }, { "gib", (double)GIB }, { "t", (double)TIB },  { "tb", (double)TIB },
		{ "ti", (double)TIB }, { "tib", (double)TIB }, { NULL, 0 },
	};
	double v;

	if (parse_scaled(text, sizes, "a size (like 512, 16k, 1m, 2g or 1.5GiB)", &v, err) < 0)
		return -1;
	if (v >= 9.2e18)
		return err_set(err, ERR_USAGE, "'%.40s' is too large for a size", text);
	if (v != floor(v))
		return err_set(err, ERR_USAGE, "'%.40s' is not a whole number of bytes", text);
	*bytes = (uint64_t)v;
	return 0;
}

int parse_time(const char *text, uint64_t *ns, struct err *err)
{
	static const struct suffix times[] = {
		{ "", 1e9 },   { "s", 1e9 },   { "us", 1e3 },	  { "ms", 1e6 },
		{ "m", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 }, { NULL, 0 },
	};
	double v;

	if (parse_scaled(text, times, "a time (like 30, 30s, 500ms, 5m or 1h)", &v, err) < 0)
		return -1;
	if (v >= 9.2e18)
		return err_set(err, ERR_USAGE, "'%.40s' is too long a time", text);
	*ns = (uint64_t)llround(v);
	return 0;
}

int parse_percent(const char *text, double *out, struct err *err)
{
	static const struct suffix shares[] = { { "", 0.01 }, { "%", 0.01 }, { NULL, 0 } };
	double v;

	if (parse_scaled(text, shares, "a percentage (0 to 100, like 40%)", &v, err) < 0)
		return -1;
	if (v > 1)
		return err_set(err, ERR_USAGE, "'%.40s' is over 100 %%", text);
	*out = v;
	return 0;
}

/* Three significant digits where that is enough to read: 9.84, 46.9, 512. */
static int decimals(double v)
{
	return v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
}

static char *fmt_binary(char *buf, double v, const char *tail)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	size_t i = 0;

	if (isnan(v))
		return strcpy(buf, "-");
	while (v >= 1023.5 && i + 1 < sizeof(names) / sizeof(*names)) {
		v /= 1024;
		i++;
	}
	snprintf(buf, FMT_LEN, "%.*f %s%s", v == floor(v) || i == 0 ? 0 : decimals(v), v, names[i], tail);
	return buf;
}

char *fmt_size(char *buf, double bytes)
{
	return fmt_binary(buf, bytes, "");
}

char *fmt_bw(char *buf, double bw_bytes)
{
	return fmt_binary(buf, bw_bytes, "/s");
}

char *fmt_iops(char *buf, double iops)
{
	if (isnan(iops))
		return strcpy(buf, "-");
	if (iops >= 999999.5) {
		double v = iops / (iops >= 999.5e6 ? 1e9 : 1e6);
		snprintf(buf, FMT_LEN, "%.*f%c", decimals(v), v, iops >= 999.5e6 ? 'G' : 'M');
		return buf;
	}
	unsigned n = (unsigned)lround(fmax(iops, 0));
	if (n >= 1000)
		snprintf(buf, FMT_LEN, "%u,%03u", n / 1000, n % 1000);
	else
		snprintf(buf, FMT_LEN, "%.*f", iops < 9.95 && iops != floor(iops) ? 1 : 0, iops);
	return buf;
}

char *fmt_short(char *buf, double value)
{
	static const char letters[] = { 0, 'k', 'M', 'G', 'T' };
	size_t i = 0;

	if (isnan(value))
		return strcpy(buf, "-");
	while (value >= 999.5 && i + 1 < sizeof(letters)) {
		value /= 1000;
		i++;
	}
	int d = value < 9.95 && (i || value != floor(value)) ? 1 : 0;
	int n = snprintf(buf, FMT_LEN, "%.*f", d, value);
	buf[n] = letters[i];
	buf[n + 1] = 0;
	return buf;
}

char *fmt_lat(char *buf, double ns)
{
	static const struct suffix scale[] = { { "ns", 1 }, { "µs", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	size_t i = 0;

	if (isnan(ns))
		return strcpy(buf, "-");
	while (i + 1 < sizeof(scale) / sizeof(*scale) && ns >= 999.5 * scale[i].factor)
		i++;
	double v = ns / scale[i].factor;
	snprintf(buf, FMT_LEN, "%.*f %s", i ? decimals(v) : 0, v, scale[i].name);
	return buf;
}

char *fmt_duration(char *buf, double seconds)
{
	if (isnan(seconds))
		return strcpy(buf, "-");
	if (isinf(seconds))
		return strcpy(buf, "for ever");
	if (seconds < 9.95) {
		snprintf(buf, FMT_LEN, "%.*f s", seconds == floor(seconds) ? 0 : 1, seconds);
		return buf;
	}
	uint64_t s = (uint64_t)llround(seconds);
	if (s < 60)
		snprintf(buf, FMT_LEN, "%" PRIu64 " s", s);
	else if (s < 3600)
		snprintf(buf, FMT_LEN, "%" PRIu64 " m %02" PRIu64 " s", s / 60, s % 60);
	else if (s < 86400)
		snprintf(buf, FMT_LEN, "%" PRIu64 " h %02" PRIu64 " m", s / 3600, s % 3600 / 60);
	else
		snprintf(buf, FMT_LEN, "%" PRIu64 " d %" PRIu64 " h", s / 86400, s % 86400 / 3600);
	return buf;
}

char *fmt_bs(char *buf, uint64_t bytes)
{
	static const struct {
		char letter;
		uint64_t unit;
	} u[] = { { 't', TIB }, { 'g', GIB }, { 'm', MIB }, { 'k', KIB } };

	for (size_t i = 0; i < sizeof(u) / sizeof(*u); i++) {
		if (bytes >= u[i].unit && bytes % u[i].unit == 0) {
			snprintf(buf, FMT_LEN, "%" PRIu64 "%c", bytes / u[i].unit, u[i].letter);
			return buf;
		}
	}
	snprintf(buf, FMT_LEN, "%" PRIu64, bytes);
	return buf;
}
