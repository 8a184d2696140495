/* SPDX-License-Identifier: MIT */
#include "engine/units.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A product of two 64-bit numbers: sizes and times are read exactly, not through a double. */
__extension__ typedef unsigned __int128 u128;

#define UNIT_MAX ((u128)INT64_MAX) /* what a file offset, jansson and CLOCK_MONOTONIC can hold */

struct suffix {
	const char *name;
	uint64_t factor;
};

/*
 * digits / divisor, divisor a power of ten: a decimal number without sign or exponent, point only, whatever the locale
 * (strtod would take the locale's comma, hexadecimal, "inf" and "nan").
 */
struct decimal {
	uint64_t digits, divisor;
};

static bool push_digit(struct decimal *d, char c)
{
	return !__builtin_mul_overflow(d->digits, 10, &d->digits) &&
	       !__builtin_add_overflow(d->digits, (uint64_t)(c - '0'), &d->digits);
}

/* Returns where the number ended, or NULL when there is none that 64 bits can hold. */
static const char *scan_decimal(const char *p, struct decimal *d)
{
	if (!isdigit((unsigned char)*p))
		return NULL;
	*d = (struct decimal){ 0, 1 };
	for (; isdigit((unsigned char)*p); p++) {
		if (!push_digit(d, *p))
			return NULL;
	}
	if (*p != '.')
		return p;
	if (!isdigit((unsigned char)*++p))
		return NULL;
	const char *end = p + strspn(p, "0123456789"), *last = end;
	while (last > p && last[-1] == '0')
		last--;
	for (; p < last; p++) {
		if (!push_digit(d, *p) || __builtin_mul_overflow(d->divisor, 10, &d->divisor))
			return NULL;
	}
	return end;
}

/* The factor of a suffix, 0 for one that is not in the table (which ends with a NULL name). */
static uint64_t find_factor(const struct suffix *suffixes, const char *name)
{
	for (const struct suffix *s = suffixes; s->name; s++) {
		if (strcasecmp(name, s->name) == 0)
			return s->factor;
	}
	return 0;
}

/* Number and suffix, the whole text. @return the factor, 0 (and err) when it is not @p allowed */
static uint64_t scan_scaled(const char *text, const struct suffix *suffixes, const char *allowed, struct decimal *d,
			    struct err *err)
{
	const char *end = scan_decimal(text, d);
	uint64_t factor = end ? find_factor(suffixes, end) : 0;

	if (factor)
		return factor;
	const char *digits_end = text + strspn(text, "0123456789.");
	if (!end && isdigit((unsigned char)*text) && digits_end - text > 18 && find_factor(suffixes, digits_end))
		err_set(err, ERR_USAGE, "'%.40s' has too many digits for %s", text, allowed);
	else
		err_set(err, ERR_USAGE, "'%.40s' is not %s", text, allowed);
	return 0;
}

int parse_count(const char *text, uint64_t *out, struct err *err)
{
	char *end;

	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);
	if (isdigit((unsigned char)*text) && !*end && errno == ERANGE)
		return err_set(err, ERR_USAGE, "'%.40s' is too large for a whole number (at most %llu)", text, ULLONG_MAX);
	if (!isdigit((unsigned char)*text) || *end || errno)
		return err_set(err, ERR_USAGE, "'%.40s' is not a whole number", text);
	*out = v;
	return 0;
}

int parse_size(const char *text, uint64_t *bytes, struct err *err)
{
	static const struct suffix sizes[] = {
		{ "", 1 },     { "b", 1 },    { "k", KIB },  { "kb", KIB },  { "ki", KIB }, { "kib", KIB },
		{ "m", MIB },  { "mb", MIB }, { "mi", MIB }, { "mib", MIB }, { "g", GIB },  { "gb", GIB },
		{ "gi", GIB }, { "gib", GIB }, { "t", TIB }, { "tb", TIB },  { "ti", TIB }, { "tib", TIB },
		{ NULL, 0 },
	};
	struct decimal d;
	uint64_t factor = scan_scaled(text, sizes, "a size (like 512, 16k, 1m, 2g or 1.5GiB)", &d, err);

	if (!factor)
		return -1;
	u128 scaled = (u128)d.digits * factor;
	if (scaled / d.divisor > UNIT_MAX)
		return err_set(err, ERR_USAGE, "'%.40s' is too large for a size (under 8388608t)", text);
	if (scaled % d.divisor)
		return err_set(err, ERR_USAGE, "'%.40s' is not a whole number of bytes", text);
	*bytes = (uint64_t)(scaled / d.divisor);
	return 0;
}

int parse_time(const char *text, uint64_t *ns, struct err *err)
{
	static const struct suffix times[] = {
		{ "", 1000000000 },    { "s", 1000000000 },	{ "us", 1000 },		  { "ms", 1000000 },
		{ "sec", 1000000000 }, { "msec", 1000000 },	{ "usec", 1000 },
		{ "m", 60000000000 }, { "h", 3600000000000 }, { "d", 86400000000000 }, { NULL, 0 },
	};
	struct decimal d;
	uint64_t factor = scan_scaled(text, times, "a time (like 30, 30s, 500ms, 5m or 1h)", &d, err);

	if (!factor)
		return -1;
	u128 rounded = ((u128)d.digits * factor + d.divisor / 2) / d.divisor;
	if (rounded > UNIT_MAX)
		return err_set(err, ERR_USAGE, "'%.40s' is too long a time (at most 106751d)", text);
	*ns = (uint64_t)rounded;
	return 0;
}

int parse_percent(const char *text, double *out, struct err *err)
{
	static const struct suffix shares[] = { { "", 1 }, { "%", 1 }, { NULL, 0 } };
	struct decimal d;

	if (!scan_scaled(text, shares, "a percentage (0 to 100, like 40%)", &d, err))
		return -1;
	double share = (double)d.digits / ((double)d.divisor * 100);
	if (share > 1)
		return err_set(err, ERR_USAGE, "'%.40s' is over 100 %% (allowed: 0 to 100)", text);
	*out = share;
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

	if (!isfinite(v))
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
	double mib = bw_bytes / (double)MIB;
	char figure[FMT_LEN];

	if (!(mib >= 999.5 && mib < 99999.5))
		return fmt_binary(buf, bw_bytes, "/s");
	snprintf(buf, FMT_LEN, "%.20s MiB/s", fmt_iops(figure, mib));
	return buf;
}

char *fmt_iops(char *buf, double iops)
{
	if (!isfinite(iops))
		return strcpy(buf, "-");
	if (iops >= 999999.5) {
		double v = iops / (iops >= 999.5e6 ? 1e9 : 1e6);
		snprintf(buf, FMT_LEN, "%.*f%c", decimals(v), v, iops >= 999.5e6 ? 'G' : 'M');
		return buf;
	}
	unsigned n = (unsigned)lround(fmax(iops, 0));
	if (n >= 1000)
		snprintf(buf, FMT_LEN, "%u,%03u", n / 1000, n % 1000);
	else if (iops > 0 && iops < 0.095) /* little is not nothing */
		snprintf(buf, FMT_LEN, "%.1g", iops);
	else
		snprintf(buf, FMT_LEN, "%.*f", iops < 9.95 && iops != floor(iops) ? 1 : 0, iops);
	return buf;
}

char *fmt_short(char *buf, double value)
{
	static const char *const letters[] = { "", "k", "M", "G", "T", "P", "E" };
	size_t i = 0;

	if (!isfinite(value))
		return strcpy(buf, "-");
	while (value >= 999.5 && i + 1 < sizeof(letters) / sizeof(*letters)) {
		value /= 1000;
		i++;
	}
	int d = value < 9.95 && (i || value != floor(value)) ? 1 : 0;
	snprintf(buf, FMT_LEN, "%.*f%s", d, value, letters[i]);
	return buf;
}

char *fmt_lat(char *buf, double ns)
{
	static const struct suffix scale[] = { { "ns", 1 }, { "µs", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	size_t i = 0;

	if (!isfinite(ns))
		return strcpy(buf, "-");
	while (i + 1 < sizeof(scale) / sizeof(*scale) && ns >= 999.5 * (double)scale[i].factor)
		i++;
	double v = ns / (double)scale[i].factor;
	snprintf(buf, FMT_LEN, "%.*f %s", i ? decimals(v) : 0, v, scale[i].name);
	return buf;
}

char *fmt_duration(char *buf, double seconds)
{
	if (isnan(seconds))
		return strcpy(buf, "-");
	if (seconds >= 1e12) /* 31,688 years, and infinity */
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

bool word_in(const char *words, const char *name, size_t len)
{
	for (const char *at = words; *at;) {
		size_t n = strcspn(at, ", ");
		if (n == len && strncmp(at, name, len) == 0)
			return true;
		at += n + (at[n] != 0);
	}
	return false;
}
