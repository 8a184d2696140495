/* SPDX-License-Identifier: MIT */
#include "tui/volume_change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"

bool volume_changes_one(const struct setup *begin)
{
	return !strpbrk(begin->volume, ",*");
}

/* The one of that volume that is not over. */
static struct volume_change *open_of(struct volume_change *c, size_t n, const char *id)
{
	while (n-- > 0)
		if (isinf(c[n].end_s) && (!*c[n].id || !strcmp(c[n].id, id)))
			return &c[n];
	return NULL;
}

size_t volume_changes(const struct runlog_snap *run, const struct setup *begin, double until_s,
		      struct volume_change out[VOLUME_CHANGES_MAX])
{
	bool one = volume_changes_one(begin), going = begin->optimizing >= 0 && *begin->volume_before;
	size_t n = 0;

	if (going && !one)
		return 0;
	if (going) {
		struct volume_change *c = &out[n++];
		*c = (struct volume_change){ .start_s = -INFINITY, .end_s = INFINITY, .percent = begin->optimizing };
		snprintf(c->before, sizeof(c->before), "%.63s", begin->volume_before);
		snprintf(c->after, sizeof(c->after), "%.63s", begin->volume);
	}
	for (size_t i = 0; i < run->nr_outside; i++) {
		const struct outside *o = &run->outside[i];
		const char *to = strstr(o->text, " to ");
		if (strcmp(o->name, "optimizing") != 0 || isnan(o->value) || o->t_s > until_s)
			continue;
		struct volume_change *c = open_of(out, n, o->id);
		if (c && o->value >= 100) {
			c->end_s = o->t_s;
			c->failed = !strcmp(o->text, "failed");
		} else if (c) {
			c->percent = (int)o->value;
		} else if (o->value < 100 && to && n < VOLUME_CHANGES_MAX) {
			c = &out[n++];
			*c = (struct volume_change){ .start_s = o->t_s, .end_s = INFINITY, .percent = (int)o->value };
			snprintf(c->id, sizeof(c->id), "%s", o->id);
			snprintf(c->before, sizeof(c->before), "%.*s", (int)(to - o->text), o->text);
			snprintf(c->after, sizeof(c->after), "%.63s", to + 4);
		}
	}
	return n;
}

const char *volume_change_spec(const struct volume_change *c, size_t n, double t_s, const struct setup *begin)
{
	while (n-- > 0)
		if (c[n].start_s <= t_s)
			return c[n].failed && c[n].end_s <= t_s ? c[n].before : c[n].after;
	return begin->volume;
}

const struct volume_change *volume_change_at(const struct volume_change *c, size_t n, double t_s)
{
	while (n-- > 0)
		if (c[n].start_s <= t_s && t_s < c[n].end_s)
			return &c[n];
	return NULL;
}

char *volume_change_text(const struct volume_change *c, size_t n, double start_s, double end_s,
			 const struct setup *begin, char *buf, size_t size)
{
	const struct volume_change *last = n ? &c[n - 1] : NULL;
	char from[FMT_LEN], to[FMT_LEN];

	*buf = 0;
	if (!last || last->start_s > end_s)
		return buf;
	fmt_duration(from, fmax(0, last->start_s - start_s));
	fmt_duration(to, last->end_s - start_s);
	if (!volume_changes_one(begin))
		snprintf(buf, size, "%s was changed during the run, %s to %s: limits are those of the start", last->id,
			 last->before, last->after);
	else if (last->end_s <= start_s && isfinite(last->start_s))
		snprintf(buf, size, "the volume was changed earlier in the run: limits are those of %s",
			 last->failed ? last->before : last->after);
	else if (last->end_s > start_s && last->end_s <= end_s)
		snprintf(buf, size, "the volume was changed during the test, %s to %s%s: what it did before and after is "
			 "judged by its limits then, what it did from %s to %s by none", last->before, last->after,
			 last->failed ? ", which failed" : "", from, to);
	else if (last->end_s > end_s && isfinite(last->start_s))
		snprintf(buf, size, "a change of the volume began during the run, %s to %s", last->before, last->after);
	return buf;
}
