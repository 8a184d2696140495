/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_TOUCH_H
#define ENGINE_TOUCH_H

#include <stddef.h>
#include <stdint.h>

#include "engine/json.h"
#include "engine/runlog.h"

/**
 * What reading a volume once, from its start to its end, has found: a volume that comes from a snapshot fetches each
 * block on its first read, and until then is many times slower than its figures. A map of cells by the latency of the
 * first read, worked out from the run's series alone (the reads go in order), so a replay shows the same.
 */
#define TOUCH_CELLS_MAX 4096

struct touch_map {
	uint64_t size, done; /**< bytes to read, and read so far; of several targets, which are read in turn, of all */
	double	 seconds;    /**< that it took so far */
	double	 left_s;     /**< at the rate of the last ten seconds; NAN not known */
	double	 fast_ns;    /**< latency of the fastest tenth of what was read; NAN nothing yet */
	uint64_t slow;	     /**< bytes of cells that took over four times as long as that */
	double	 worst_ns;   /**< the longest single read */
	unsigned n;
	double	 cell[TOUCH_CELLS_MAX]; /**< median latency of the first reads, ns; NAN: not read yet */
};

/** The suite's name. */
#define TOUCH_SUITE "first-touch"

/** Is this run one? Then of its only test. @param n cells, 1 to TOUCH_CELLS_MAX. About 32 KiB. */
bool touch_map(struct touch_map *m, const struct run_header *h, struct span span, unsigned n);
/** "41.0 GiB of 100 GiB read for the first time in 5 m; …". @return buf */
char *touch_text(const struct touch_map *m, char *buf, size_t size);
/** {"size_bytes","read_bytes","cold_bytes","slow_bytes","seconds","cells":[ns or null, …]}. New reference. */
json_t *touch_to_json(const struct touch_map *m);

#endif
