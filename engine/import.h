/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_IMPORT_H
#define ENGINE_IMPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/phases.h"
#include "engine/result.h"

/**
 * Runs that are to be compared, whoever measured them, in one form: our recordings and JSON results, and what other
 * tools write:
 *
 *   fio      --output-format=json or json+, 2.x to 3.4x: several documents in one file, text before the first brace
 *            (kept as warnings), client/server (client_stats), options in "global options" (the job's own win).
 *            Options that are not there are fio's defaults and marked as assumed.
 *   bonnie++ CSV of 1.03 (27 fields), 1.97 (48), 1.98 (50)
 *   iperf3   -J, also several documents in one file; one with an "error" is a failed run, never 0 bit/s
 *
 * A file that is cut gives what stands before the cut and is marked partial; one that holds nothing of the above is an
 * error of one line: file, line, and what was expected. Figures of a tool are kept as it gives them: latencies become
 * ns, throughputs bytes per second; what a tool does not give, or gives as less than nothing, is NAN.
 */

enum import_kind { IMPORT_RECORDING, IMPORT_RESULT, IMPORT_FIO, IMPORT_BONNIE, IMPORT_IPERF3, IMPORT_REFERENCE, IMPORT_NR };
const char *import_kind_name(enum import_kind k); /**< "recording", "result", "fio", "bonnie++", "iperf3", "reference" */

/** Who writes a byte at a time how: bonnie++ 1.03 by stdio, 1.9x and later one system call a byte. */
enum per_char { PER_CHAR_NONE, PER_CHAR_STDIO, PER_CHAR_SYSCALL };
const char *per_char_name(enum per_char p); /**< NULL, "stdio", "syscall" */

/** One test of a run. */
struct import_test {
	struct result	  *r;	  /**< its figures; net tests: bytes per second in all.bw_bytes; owned */
	struct phase_point *point; /**< the series it was measured as, where the file has it; NULL without; owned */
	size_t		   nr_points;
	double		   time_scale; /**< how fast the volume's time ran in the series; NAN: that was turned meanwhile */
	double		   cut_s[RESULT_SEGMENTS_MAX]; /**< knob turns in the series */
	size_t		   nr_cuts;
	bool		   bs_mixed; /**< several block sizes: comparable with nothing */
	enum per_char	   per_char; /**< of write-char and read-char */
	double		   retransmits; /**< net; NAN */
	double		   lost_pct, jitter_ms; /**< of datagrams; NAN */
	double		   burst, baseline, burst_s; /**< levels as published, where there is no series: I/Os per
						      *   second, net bytes per second; seconds. NAN not known */
	double		   shown;    /**< main figure exactly as printed, in `unit`; NAN: no other than r's */
	const char	  *unit;     /**< "MiB/s", "KiB/s", "B/s", "Gbit/s", …; NULL: by the kind of test. Static */
};

#define IMPORT_WARNING_LEN 640

/** The volumes that a run names, where they are bought alike; n 0: none, unlike ones, or not known. */
struct import_volumes {
	unsigned n;
	char	 type[16];
	double	 size_gib, iops, mibps; /**< of each; NAN not known */
};

struct import_run {
	char name[256];	  /**< file as named, or "ref:…" */
	char on[320];	  /**< "/data, gp3 500 GiB, 3,000 IOPS, 125 MiB/s, m5.large"; "" not known */
	struct import_volumes volumes;
	char source[256]; /**< "fio-3.33", "bonnie++ 1.97", "iperf 3.12", the document a reference is from */
	char date[40];	  /**< as RFC 3339, or as published; "" not known */
	enum import_kind kind;
	bool partial;	  /**< something could not be read */
	bool failed;	  /**< the run says of itself that it failed */
	struct import_test *test;
	size_t nr_tests, cap_tests;
	char (*warning)[IMPORT_WARNING_LEN];
	size_t nr_warnings;
};

/** Most tests that are taken from one file; the rest is said to be left out. */
#define IMPORT_TESTS_MAX 10000
#define IMPORT_WARNINGS_MAX 40
/** Larger files are refused. */
#define IMPORT_BYTES_MAX (1024ULL * 1024 * 1024)

/** Read a file of any of the kinds. @return -1 with nothing in @p run; the message names file and line. */
int import_file(struct import_run *run, const char *path, struct err *err);
/** The same; reading a recording is given up with ECANCELED soon after @p cancel becomes true. NULL: never. */
int import_file_until(struct import_run *run, const char *path, const atomic_bool *cancel, struct err *err);
/** The same of a text in memory (no recordings); @p name stands in messages. The text is not kept. */
int import_text(struct import_run *run, const char *name, const char *text, size_t len, struct err *err);
void import_release(struct import_run *run);

/* For those who make runs: the readers of one format each, and the reference runs. */

/** An empty test is added; NULL when there are too many (partial is set) or without memory. */
struct import_test *import_add(struct import_run *run, const char *name, enum test_kind kind);
/** A text that must be told with the figures; doubles and the 41st are dropped. */
void import_warn(struct import_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
