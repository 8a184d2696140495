/* SPDX-License-Identifier: MIT */
#include "tui/net_dash.h"

#include <stdio.h>

#include "tui/cmd.h"

int net_dash_start(struct net_dash *d, struct app *app, const struct net_form *form, const char *record,
		   int news_fd, struct err *err)
{
	struct netsession_plan plan = {
		.setup = form->setup, .record = record, .version = EBSCOPE_VERSION, .news_fd = news_fd
	};

	net_dash_release(d);
	if (!plan.setup.simulated) {
		plan.setup.time_scale = 1;
		plan.setup.credits = 1;
	}
	snprintf(plan.setup.params.version, sizeof(plan.setup.params.version), "ebscope " EBSCOPE_VERSION);
	if (netsession_start(&d->session, &plan, err) < 0)
		return -1;
	d->app = app;
	d->said = false;
	app_watch(app, netsession_log(d->session), false, 1);
	return 0;
}

void net_dash_pump(struct net_dash *d)
{
	struct err err;
	char text[256];

	if (!d->session)
		return;
	while (netsession_note(d->session, text, sizeof(text)))
		app_say(d->app, false, "%s", text);
	if (d->said || !netsession_ended(d->session))
		return;
	d->said = true;
	if (netsession_join(d->session, &err) < 0)
		app_say(d->app, true, "%s", err.msg);
}

void net_dash_stop(struct net_dash *d, enum run_end end, const char *text)
{
	if (d->session && !netsession_ended(d->session))
		netsession_stop(d->session, end, text);
}

void net_dash_release(struct net_dash *d)
{
	netsession_free(d->session);
	*d = (struct net_dash){ 0 };
}
