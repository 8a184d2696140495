/* SPDX-License-Identifier: MIT */
/* What a click means, by where it was. */
#include "tui/app_parts.h"
#include "tui/panel.h"
#include "tui/view_network.h"

int app_click_tab(const struct app *a, struct key k)
{
	struct frame f;

	app_frame(a, &f);
	return header_tab(&f, a->w, k.x);
}

enum action app_click_key(const struct app *a, struct key k)
{
	struct frame f;

	app_frame(a, &f);
	return key_bar_action(&f, a->w, k.x);
}

void app_click_row(struct app *a, struct key k)
{
	struct frame f;
	bool in_runs;
	int row;

	app_frame(a, &f);
	if (!view_results_row(&f, a->w, a->h, k.x, k.y, &in_runs, &row))
		return;
	a->results.in_runs = in_runs;
	*(in_runs ? &a->results.chosen : &a->results.test) = row;
	app_place_result(a);
	app_place_ghost(a);
}

enum net_answer app_click_net(struct app *a, struct key k)
{
	struct frame f;

	app_frame(a, &f);
	int field = view_network_field(&f, a->w, a->h, k.x, k.y);
	if (field == NF_START && a->net.form.focus == NF_START)
		return NET_START;
	if (field >= 0)
		form_focus(&a->net.form, field);
	return NET_DONE;
}
