/* SPDX-License-Identifier: MIT */
#include "tui/frame.h"

const struct view views[SCREEN_NR] = {
	[SCREEN_SETUP] = { "Setup", view_setup, ON_SETUP },
	[SCREEN_LIVE] = { "Live", view_live, ON_LIVE },
	[SCREEN_RESULTS] = { "Results", view_results, ON_RESULTS },
	[SCREEN_VOLUMES] = { "Volumes", view_volumes, ON_VOLUMES },
	[SCREEN_NETWORK] = { "Network", view_network, ON_NETWORK },
	[SCREEN_HELP] = { "Help", view_help, ON_HELP },
};

void frame_draw(const struct frame *f, struct canvas *cv)
{
	canvas_clear(cv);
	if (views[f->screen].draw)
		views[f->screen].draw(f, cv);
	if (f->dialog)
		dialog_draw(f->dialog, cv);
}
