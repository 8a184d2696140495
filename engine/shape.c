/* SPDX-License-Identifier: MIT */
#include "engine/shape.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/units.h"

#define RATE_MIN 0.001
#define RATE_MAX 1e15

/* The names a rate may end in; a bare number is I/Os per second. */
static const struct rate_unit {
	const char *name;
	enum shape_unit unit;
	double factor;
} rate_units[] = {
	{ "iops", SHAPE_OPS, 1 },
	{ "", SHAPE_OPS, 1 },
	{ "MiBps", SHAPE_BYTES, (double)MIB },
	{ "KiBps", SHAPE_BYTES, (double)KIB },
	{ "GiBps", SHAPE_BYTES, (double)GIB },
	{ "MiB/s", SHAPE_BYTES, (double)MIB },
	{ "KiB/s", SHAPE_BYTES, (double)KIB },
	{ "GiB/s", SHAPE_BYTES, (double)GIB },
	{ "MBps", SHAPE_BYTES, 1e6 },
	{ "GBps", SHAPE_BYTES, 1e9 },
	{ "MB/s", SHAPE_BYTES, 1e6 },
	{ "GB/s", SHAPE_BYTES, 1e9 },
};

/* Digits with at most one point, whatever the locale. @return where it ended, NULL without a digit */
static const char *scan_number(const char *p, double *out)
{
	double v = 0, scale = 1;
	bool digits = false;

	for (; isdigit((unsigned char)*p); p++, digits = true)
		v = v * 10 + (*p - '0');
	if (digits && *p == '.' && isdigit((unsigned char)p[1])) {
		for (p++; isdigit((unsigned char)*p); p++)
			v += (*p - '0') * (scale /= 10);
	}
	*out = v;
	return digits ? p : NULL;
}

static int parse_rate(const char *text, double *rate, enum shape_unit *unit, struct err *err)
{
	double v;
	const char *end = scan_number(text, &v);

	for (size_t i = 0; end && i < sizeof(rate_units) / sizeof(*rate_units); i++) {
		if (strcasecmp(end, rate_units[i].name) != 0)
			continue;
		v *= rate_units[i].factor;
		if (v < RATE_MIN || v > RATE_MAX)
			return err_set(err, ERR_USAGE, "a rate of '%.40s': 0.001 to 10^15 a second are allowed", text);
		*rate = v;
		*unit = rate_units[i].unit;
		return 0;
	}
	return err_set(err, ERR_USAGE, "'%.40s' is not a rate (like 3000iops or 128MiBps)", text);
}

/* One "RATE@TIME", or "RATE" for the last. */
static int parse_step(char *text, bool last, struct shape_step *step, enum shape_unit *unit, struct err *err)
{
	char *at = strchr(text, '@');
	uint64_t ns;

	if (at)
		*at++ = 0;
	if (!at != last)
		return last ? err_set(err, ERR_USAGE, "the last rate ('%.40s') lasts for ever: no @TIME behind it", text)
			    : err_set(err, ERR_USAGE, "'%.40s' needs its length, as in %.40s@20s", text, text);
	if (parse_rate(text, &step->rate, unit, err) < 0)
		return -1;
	if (last) {
		step->seconds = INFINITY;
		return 0;
	}
	if (parse_time(at, &ns, err) < 0)
		return -1;
	if (!ns)
		return err_set(err, ERR_USAGE, "'%.40s@%.40s' lasts no time", text, at);
	step->seconds = (double)ns / 1e9;
	return 0;
}

int shape_parse(struct shape *shape, const char *text, struct err *err)
{
	struct shape_step step[SHAPE_STEPS_MAX];
	enum shape_unit unit = SHAPE_OPS, first = SHAPE_OPS;
	size_t n = 0;
	char *copy = strdup(text);
	int ret = -1;

	if (!copy)
		return err_sys(err, "shape");
	for (char *p = copy, *next; p; p = next, n++) {
		if ((next = strchr(p, ',')))
			*next++ = 0;
		if (n == SHAPE_STEPS_MAX) {
			err_set(err, ERR_USAGE, "at most %d steps are allowed", SHAPE_STEPS_MAX);
			goto out;
		}
		if (parse_step(p, !next, &step[n], &unit, err) < 0)
			goto out;
		if (n && unit != first) {
			err_set(err, ERR_USAGE, "'%.40s': all rates must be of one kind, iops or bytes per second", p);
			goto out;
		}
		first = unit;
	}
	memcpy(shape->step, step, n * sizeof(*step));
	shape->nr_steps = n;
	shape->step_unit = unit;
	ret = 0;
out:
	free(copy);
	return ret;
}

int shape_scale_parse(const char *text, double *scale, struct err *err)
{
	double v;
	const char *end = scan_number(text, &v);

	if (!end || *end)
		return err_set(err, ERR_USAGE, "'%.40s' is not a factor: 1 to %.0f is allowed", text, SHAPE_SCALE_MAX);
	if (v < 1 || v > SHAPE_SCALE_MAX)
		return err_set(err, ERR_USAGE, "%.40s: credits can run 1 to %.0f times as fast; the nearest is %.0f", text,
			       SHAPE_SCALE_MAX, v < 1 ? 1.0 : SHAPE_SCALE_MAX);
	*scale = v;
	return 0;
}

/* Digits that scan_number() and parse_time() read back: no exponent, no zeros at the end. @return characters needed */
static size_t put_number(char *buf, size_t size, double v, const char *unit)
{
	char digits[64];
	int n = snprintf(digits, sizeof(digits), "%.9f", v);

	while (n > 1 && digits[n - 1] == '0')
		n--;
	if (n > 1 && digits[n - 1] == '.')
		n--;
	return (size_t)snprintf(buf, size, "%.*s%s", n, digits, unit);
}

char *shape_text(const struct shape *shape, char *buf, size_t size)
{
	size_t n = 0;

	*buf = 0;
	for (size_t i = 0; i < shape->nr_steps && n < size; i++) {
		const struct shape_step *s = &shape->step[i];
		bool bytes = shape->step_unit == SHAPE_BYTES;
		double rate = bytes ? s->rate / (double)MIB : s->rate;

		if (i)
			n += (size_t)snprintf(buf + n, size - n, ",");
		if (n < size)
			n += put_number(buf + n, size - n, rate, bytes ? "MiBps" : "iops");
		if (isfinite(s->seconds) && n < size)
			n += (size_t)snprintf(buf + n, size - n, "@");
		if (isfinite(s->seconds) && n < size)
			n += put_number(buf + n, size - n, s->seconds, "s");
	}
	return buf;
}

double shape_ops(uint64_t io_unit, uint64_t len)
{
	return io_unit ? (double)(len / io_unit + (len % io_unit != 0)) : 1;
}
