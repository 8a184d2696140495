/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_UNITS_H
#define ENGINE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

/**
 * Sizes, times, counts and rates: from text and to text. Inside the program everything is bytes, nanoseconds,
 * I/Os per second and bytes per second; only this module knows suffixes. Numbers have a point whatever the locale.
 *
 * The parsers take the whole string, refuse signs, blanks, NaN, overflow and trailing text, and leave *out alone on
 * failure. Their message says what is allowed and never names the option: the caller wraps it.
 */

#define KIB 1024ULL
#define MIB (1024ULL * KIB)
#define GIB (1024ULL * MIB)
#define TIB (1024ULL * GIB)

/** A plain count: digits only ("32"). */
int parse_count(const char *text, uint64_t *out, struct err *err);
/** Bytes: `512`, `16k`, `1m`, `2g`, `1t` (powers of 1024, either case), with an optional `b`, `i` or `iB`; decimals allowed if whole bytes result. */
int parse_size(const char *text, uint64_t *bytes, struct err *err);
/** A time in ns: `30` and `30s` are seconds; `us ms s m h d`, and `usec msec sec`; decimals allowed ("0.5", "1.5m"). */
int parse_time(const char *text, uint64_t *ns, struct err *err);
/** A share: `40`, `40%`; 0 to 100, decimals allowed. @param out 0.0 to 1.0 */
int parse_percent(const char *text, double *out, struct err *err);

/** Room that any fmt_* below needs. */
#define FMT_LEN 32

/*
 * Each writes into buf (FMT_LEN bytes) and returns it. A value that does not exist (NAN) is "-".
 */
/** Bytes, power of two, short: "16 KiB", "1.2 GiB", "512 B". */
char *fmt_size(char *buf, double bytes);
/** Bytes per second, in MiB/s as AWS has them up to 99,999: "46.9 MiB/s", "4,000 MiB/s", "112 GiB/s". */
char *fmt_bw(char *buf, double bw_bytes);
/** A rate or count with thousands separators: "3,000"; from 1,000,000 up short: "2.50M". */
char *fmt_iops(char *buf, double iops);
/** A rate in at most 5 columns, for axes: "980", "3.0k", "16k", "2.5M". */
char *fmt_short(char *buf, double value);
/** A latency, three digits: "480 µs", "1.25 ms", "3.10 s". */
char *fmt_lat(char *buf, double ns);
/** A length of time for people: "0.5 s", "42 s", "37 m 30 s", "2 h 30 m", "3 d 4 h". */
char *fmt_duration(char *buf, double seconds);
/** As fio would be told: "16k", "1m", "512". Exact, reads back through parse_size(). */
char *fmt_bs(char *buf, uint64_t bytes);

/** Is @p len characters of @p name one of the @p words "a,b,c" or "a b c"? */
bool word_in(const char *words, const char *name, size_t len);

#endif
