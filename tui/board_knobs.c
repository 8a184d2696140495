/* SPDX-License-Identifier: MIT */
/* The part of board.h that turns the knobs of a live run. */
#include "tui/board.h"

#include <errno.h>
#include <math.h>

static const double caps[] = { 10, 20, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 8000, 10000, 16000, 32000, 64000, 128000, 256000 };
#define NR_CAPS (sizeof(caps) / sizeof(*caps))

/* The next lower or higher cap of a job; from none the first that is felt, over the last none again. */
static double next_cap(const struct board *b, double now, bool up)
{
	double jobs = b->app->wl.numjobs ? (double)b->app->wl.numjobs : 1;
	double from = now > 0 ? now : up ? INFINITY : b->app->live.iops_now / jobs;

	for (size_t i = 0; i < NR_CAPS; i++) {
		if (up && now > 0 && caps[i] > from * 1.001)
			return caps[i];
		if (!up && caps[NR_CAPS - 1 - i] < from * 0.999)
			return caps[NR_CAPS - 1 - i];
	}
	return up ? 0 : caps[0];
}

int board_knob(void *ctx, enum action act, char *said, size_t size, struct err *err)
{
	struct board *b = ctx;
	bool shaped = b->setup.shaped || *b->setup.shape || setup_is_sim(&b->setup);
	bool up = act == ACT_DEPTH_UP || act == ACT_BS_UP || act == ACT_MIX_UP || act == ACT_RATE_UP;
	enum knob k = act == ACT_DEPTH_DOWN || act == ACT_DEPTH_UP ? KNOB_IODEPTH : act == ACT_BS_DOWN || act == ACT_BS_UP ? KNOB_BS :
		      act == ACT_MIX_DOWN || act == ACT_MIX_UP ? KNOB_RWMIXREAD : act == ACT_CREDITS ? KNOB_REFILL :
		      shaped ? KNOB_TIME_SCALE : KNOB_RATE_IOPS;

	if (!b->run || b->joined)
		return err_set(err, EINVAL, "no run is live");
	if (k == KNOB_REFILL) {
		run_knob(b->run, k, 1);
		snprintf(said, size, "credits full again");
		return 0;
	}
	double now = run_knob_get(b->run, k), to = up ? now * 2 : now / 2;
	if (isnan(now) || (k != KNOB_TIME_SCALE && !run_has_knobs(b->run)))
		return err_set(err, EAGAIN, "there is nothing to turn now: the test has not begun, or does its work one way only");
	if (k == KNOB_RWMIXREAD) {
		if (b->app->wl.rw != RW_RW && b->app->wl.rw != RW_RANDRW)
			return err_set(err, EINVAL, "only rw and randrw have a mix");
		to = fmin(fmax(now + (up ? 10 : -10), 0), 100);
	} else if (k == KNOB_RATE_IOPS) {
		to = next_cap(b, now, up);
	}
	run_knob(b->run, k, to);
	return 0;
}
