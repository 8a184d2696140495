/* SPDX-License-Identifier: MIT */
#ifndef TUI_NET_DASH_H
#define TUI_NET_DASH_H

#include "aws/netsession.h"
#include "tui/app.h"

/** The dashboard's network test: begun by the Network screen, watched by the app, ended here. Main thread
 * only. */
struct net_dash {
	struct netsession *session; /**< NULL: none */
	struct app *app;
	bool said; /**< its end was told */
};

/** Begin what the form says, and let the app watch it. @param record as in netsession_plan, borrowed
 * @param news_fd written when there is news */
int net_dash_start(struct net_dash *d, struct app *app, const struct net_form *form, const char *record,
		   int news_fd, struct err *err);
/** After news: what it says goes to the app's message line. */
void net_dash_pump(struct net_dash *d);
/** End the test in hand; what was measured stays. */
void net_dash_stop(struct net_dash *d, enum run_end end, const char *text);
/** End and free it. The app must not watch its log any longer. */
void net_dash_release(struct net_dash *d);

#endif
