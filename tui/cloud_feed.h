/* SPDX-License-Identifier: MIT */
#ifndef TUI_CLOUD_FEED_H
#define TUI_CLOUD_FEED_H

#include "aws/facts.h"
#include "aws/volume_job.h"
#include "tui/app.h"

/**
 * What keeps the dashboard informed of AWS: the fetcher of facts and the errand of the Volumes screen, each on its own
 * thread, handed to the app between frames. The first frame waits for neither.
 *
 *   feed = cloud_feed_start(news_fd, &err);     at the start; news_fd is the loop's
 *   cloud_feed_pump(feed, app);                 in struct dashboard_io's pump
 *   cloud_feed_do, cloud_feed_refresh           for struct app_ops' volumes and volumes_refresh
 *   cloud_feed_opened(feed, screen);            in its opened: all volumes are asked for once somebody looks
 *   cloud_feed_stop(feed);
 */
struct cloud_feed;

/** NULL with err: no memory, no thread. Then the dashboard goes on without. */
struct cloud_feed *cloud_feed_start(int news_fd, struct err *err);
/** Cancels what is under way (what was created is in the journal), some 50 ms. Accepts NULL, as all below do. */
void cloud_feed_stop(struct cloud_feed *feed);
/** Hand over what is new. Fills in the Setup form's host and volume where nobody has named one. */
void cloud_feed_pump(struct cloud_feed *feed, struct app *a);
/**
 * What AWS says of the volume below the target of a run that is about to start: it counts, and what it is called.
 * @param own  as detect_from_facts() has it: room for the host's own figures; NULL: the host is left alone
 */
void cloud_feed_complete(struct cloud_feed *feed, struct setup *s, struct limits *own);
/** Has AWS said what it can say of the volume below @p target, be it that it cannot be asked? */
bool cloud_feed_settled(struct cloud_feed *feed, const char *target);
/** For a run that is about to start: from now on CloudWatch is asked too (it charges for it). @return NULL without a feed */
struct facts_fetcher *cloud_feed_fetcher(struct cloud_feed *feed);
int cloud_feed_do(struct cloud_feed *feed, const struct volume_request *req, struct err *err);
void cloud_feed_refresh(struct cloud_feed *feed);
void cloud_feed_opened(struct cloud_feed *feed, enum screen_id screen);

#endif
