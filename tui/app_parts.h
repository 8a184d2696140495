/* SPDX-License-Identifier: MIT */
#ifndef TUI_APP_PARTS_H
#define TUI_APP_PARTS_H

#include "tui/app.h"

/** What the two files of app share; nobody else needs it. */

/** Choices of the time on the plots: app.span is one of them, the last the whole stretch. */
#define APP_SPANS 8
/** Seconds of each; 0 for the whole. */
extern const double app_spans[APP_SPANS];

/** ON_* and WHEN_* that hold now. */
unsigned app_keys_now(const struct app *a);
/** Take what the log holds now. @return true when that is news */
bool app_refresh(struct app *a);
/** Work out anew what is shown of the run: its size, its span or its log changed. */
void app_work_out(struct app *a);
/** The ghost, and the test that is chosen in Results, on the dots of their plots. */
void app_place_ghost(struct app *a);
void app_place_result(struct app *a);
/** The screen of the tab that was clicked on, or -1; what the key of the last line does that was. */
int app_click_tab(const struct app *a, struct key k);
enum action app_click_key(const struct app *a, struct key k);
/** Of Results: choose the row. */
void app_click_row(struct app *a, struct key k);
/** Of Network: a field gets the focus; the button that has it is pressed. */
enum net_answer app_click_net(struct app *a, struct key k);
/** Give up what is being read. @return false: nothing was */
bool app_leave(struct app *a);

#endif
