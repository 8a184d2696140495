/* SPDX-License-Identifier: MIT */
/* Live's panel in which a training story is told: what was said so far, the newest last and bright. */
#include "tui/panel.h"
#include "tui/story.h"
#include "tui/view_live.h"

void draw_story(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct story *story = story_of(f->run->header);
	const char *say[STORY_LINES];
	bool empty = false;

	for (size_t i = 0; i < f->run->nr_events; i++)
		empty = empty || f->run->events[i].kind == EVENT_CREDITS_EMPTY;
	struct rect in = panel(cv, at, STYLE_FRAME_FOCUS, story->title, 0, NULL);
	size_t n = story_says(story, f->live->now_s, empty, f->run->end != RUN_RUNNING, say, STORY_LINES), first = n;
	if (rect_empty(in) || n == 0)
		return;
	/* as many of the last as have room as a whole; the newest in any case */
	struct rect rest = { in.x + 3, in.y, in.w - 4, in.h };
	int room = in.h, lines;
	while (first > 0 && (lines = draw_wrapped(NULL, rest, 0, say[first - 1])) <= room) {
		room -= lines;
		first--;
	}
	first -= first == n;
	if (n == 1 || in.h < 4) { /* alone it needs no sign */
		rest.x -= 2;
		rest.w += 2;
	}
	for (size_t i = first; i < n; i++) {
		bool now = i == n - 1;
		if (now && rest.x > in.x + 1)
			canvas_text(cv, in.x + 1, rest.y, STYLE_KEY, "▸");
		lines = draw_wrapped(cv, rest, now ? STYLE_STRONG : STYLE_LABEL, say[i]);
		rest.y += lines;
		rest.h -= lines;
	}
}
