/* SPDX-License-Identifier: MIT */
/* Volumes: what AWS has, the one that is chosen in full, and the errand from creation to deletion. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/nvme.h"
#include "engine/units.h"
#include "tui/panel.h"
#include "tui/view_setup.h"
#include "tui/volumes_report.h"

#define LIST_MIN 5
#define ERRAND_ROWS 14 /* steps, and the lines there and back of a set of four at 80 columns */
#define SIDE_MIN 44 /* columns that the errand needs beside the details */

static const struct ec2_modification *change_of(const struct facts *f, const struct ec2_volume *v)
{
	const struct ec2_modification *m = ec2_modifications_find(&f->volumes->modifications, v->id);

	return m && strcmp(m->state, "completed") != 0 ? m : NULL;
}

static const char *count_text(uint64_t v, char *buf)
{
	snprintf(buf, FMT_LEN, "%llu", (unsigned long long)v);
	return v == EC2_NONE ? "-" : buf;
}

/* --- the list --- */

static unsigned state_style(const struct ec2_volume *v)
{
	return !strcmp(v->state, "error") ? STYLE_ERROR : !strcmp(v->state, "available") ? STYLE_LABEL : STYLE_TEXT;
}

static void list_line(const struct facts *f, struct canvas *cv, struct rect in, int y, const struct ec2_volume *v, bool on)
{
	const struct ec2_modification *m = change_of(f, v);
	unsigned style = on ? STYLE_SELECTED : STYLE_TEXT;
	const char *name = ec2_tag(v, "Name");
	char buf[FMT_LEN], change[40] = "";
	int x = in.x;

	if (on)
		canvas_fill(cv, (struct rect){ in.x, y, in.w, 1 }, ' ', style);
	canvas_textn(cv, x + 1, y, 21, on ? style : STYLE_STRONG, v->id);
	canvas_textn(cv, x + 23, y, 8, style, v->type);
	canvas_right(cv, x + 37, y, 6, style, count_text(v->size_gib, buf));
	canvas_right(cv, x + 45, y, 7, style, count_text(v->iops, buf));
	canvas_right(cv, x + 51, y, 5, style, count_text(v->mibps, buf));
	canvas_textn(cv, x + 53, y, 10, on ? style : state_style(v), v->state);
	if (m)
		snprintf(change, sizeof(change), "%.10s %llu %%", m->state, (unsigned long long)m->progress);
	x = canvas_textn(cv, x + 64, y, in.x + in.w - x - 65, on ? style : STYLE_WARN, change);
	if (*change)
		x++;
	if (v->n_attachments && x + 4 < in.x + in.w)
		x = 1 + canvas_textn(cv, x, y, in.x + in.w - x - 1, style, v->attachment[0].device);
	if (name && x + 4 < in.x + in.w)
		canvas_textn(cv, x, y, in.x + in.w - x - 1, on ? style : STYLE_LABEL, name);
}

/* Why there is no list, in the words of whoever could not get it. */
static const char *why_empty(const struct facts *f)
{
	if (!f || f->place == PLACE_ASKING)
		return "asking where this is";
	if (!f->creds)
		return *f->creds_note ? f->creds_note : "looking for credentials";
	if (!*f->region)
		return "no Region: set AWS_REGION, or region in ~/.aws/config";
	if (*f->volumes_note)
		return f->volumes_note;
	return f->volumes ? "no volumes here: c creates one" : "asking AWS";
}

static void draw_list(const struct volumes_screen *s, struct canvas *cv, struct rect at)
{
	const struct facts *f = s->facts;
	size_t n = f && f->volumes ? f->volumes->volumes.n : 0;
	char right[80] = "";

	if (f && *f->region)
		snprintf(right, sizeof(right), "%s  %zu", f->region, n);
	struct rect in = panel(cv, at, s->form_open ? STYLE_FRAME_LIST : STYLE_FRAME_FOCUS, "Volumes", STYLE_LABEL, right);
	if (rect_empty(in))
		return;
	if (!n) {
		draw_wrapped(cv, (struct rect){ in.x + 1, in.y, in.w - 2, in.h }, STYLE_LABEL, why_empty(f));
		return;
	}
	canvas_textn(cv, in.x + 1, in.y, in.w - 2, STYLE_LABEL,
		     in.w >= 86 ? "volume                type       GiB    IOPS MiB/s  state      change, device, name"
				: "volume                type       GiB    IOPS MiB/s  state      name");
	int rows = in.h - 1, first = s->selected >= rows ? s->selected - rows + 1 : 0;
	for (int row = 0; row < rows && first + row < (int)n; row++)
		list_line(f, cv, in, in.y + 1 + row, &f->volumes->volumes.v[first + row], first + row == s->selected);
	if (first + rows < (int)n)
		canvas_text(cv, at.x + at.w - 3, at.y + at.h - 1, STYLE_KEY, "▾");
}

/* --- the chosen one --- */

static void change_lines(struct named_lines *l, const struct ec2_modification *m)
{
	char from[FMT_LEN], to[FMT_LEN];

	named_line(l, "change", STYLE_WARN, "%s %llu %%, between old and new", m->state, (unsigned long long)m->progress);
	named_line(l, "", STYLE_TEXT, "%s %s IOPS to %s %s IOPS", m->from.type, count_text(m->from.iops, from), m->to.type,
	     count_text(m->to.iops, to));
	if (*m->message)
		named_line(l, "", STYLE_WARN, "%s", m->message);
}

static void credit_line(struct named_lines *l, const struct facts *f, const struct ec2_volume *v)
{
	const char *none = facts_no_balance(v);
	const struct cw_series *s = facts_series_find(f, CW_BURST_BALANCE, v->id);

	if (none)
		named_line(l, "credits", STYLE_LABEL, "%s", none);
	else if (s && s->n)
		named_line(l, "credits", STYLE_STRONG, "%.0f %% of the burst balance left (CloudWatch)", s->point[s->n - 1].percent);
	else if (s)
		named_line(l, "credits", STYLE_LABEL, "not reported (yet)");
}

/* The instance's own buckets; what CloudWatch does not report is left out, it is no 0. */
static void host_credit_line(struct named_lines *l, const struct facts *f)
{
	const struct cw_series *io = facts_series_find(f, CW_EBS_IO_BALANCE, f ? f->self.instance_id : "");
	const struct cw_series *bytes = facts_series_find(f, CW_EBS_BYTE_BALANCE, f ? f->self.instance_id : "");
	char text[80] = "";
	size_t n = 0;

	if (io && io->n)
		n = (size_t)snprintf(text, sizeof(text), "IOPS %.0f %%", io->point[io->n - 1].percent);
	if (bytes && bytes->n)
		snprintf(text + n, sizeof(text) - n, "%sthroughput %.0f %%", n ? ", " : "", bytes->point[bytes->n - 1].percent);
	if (*text)
		named_line(l, "its credits", STYLE_TEXT, "%s left (CloudWatch)", text);
}

static void draw_chosen(const struct volumes_screen *s, struct canvas *cv, struct rect at)
{
	const struct ec2_volume *v = volumes_screen_at(s);
	struct rect in = panel(cv, at, STYLE_FRAME_SIDE, v ? v->id : "Volume", STYLE_LABEL, NULL);
	struct named_lines l = { .cv = cv, .at = { in.x + 1, in.y, in.w - 2, in.h }, .label = 11 };
	char text[160], where[160];

	if (rect_empty(in))
		return;
	named_line(&l, "here", STYLE_TEXT, "%s", facts_place_text(s->facts, where, sizeof(where)));
	host_credit_line(&l, s->facts);
	if (!v)
		return;
	named_line(&l, "is", STYLE_STRONG, "%s%s", volumes_describe(v, text, sizeof(text)), v->encrypted ? ", encrypted" : "");
	double month = volumes_month(v, s->limits);
	named_line(&l, "costs", STYLE_TEXT, isnan(month) ? "not known" : "$%.2f a month, $%.4f an hour", month, life_hourly(month));
	named_line(&l, "state", state_style(v), "%s in %s", v->state, v->az);
	for (size_t i = 0; i < v->n_attachments; i++)
		named_line(&l, "attached", STYLE_TEXT, "%s to %s as %s", v->attachment[i].state,
		     *v->attachment[i].instance_id ? v->attachment[i].instance_id : "a task", v->attachment[i].device);
	const struct ec2_modification *m = change_of(s->facts, v);
	if (m)
		change_lines(&l, m);
	credit_line(&l, s->facts, v);
	for (size_t i = 0; i < v->n_tags; i++)
		named_line(&l, i ? "" : "tags", STYLE_LABEL, "%s = %s", v->tag[i].key, v->tag[i].value);
}

static void draw_form(const struct volumes_screen *s, struct canvas *cv, struct rect at)
{
	struct rect in = panel(cv, at, STYLE_FRAME_FOCUS, s->modify ? "Change" : "Create", STYLE_LABEL, s->modify ? s->modify_id : NULL);
	int lines = form_lines(&s->form);
	const struct volumes one = { .n = 1, .v = { s->draft }, .raid = RAID_NONE };
	char text[160], cost[220];

	in.x++;
	in.w -= 2;
	if (rect_empty(in))
		return;
	form_draw(&s->form, cv, in);
	if (lines >= in.h || form_bad(&s->form) >= 0)
		return;
	snprintf(cost, sizeof(cost), "$%.2f a month each: %s", volume_cost(&s->draft), volumes_text(&one, text, sizeof(text)));
	canvas_textn(cv, in.x, in.y + in.h - 1, in.w, STYLE_LABEL, cost);
}

/* --- the errand --- */

/* One step of the way; @p text "c create", of which the key is left out where there is little room. */
static int step(struct canvas *cv, struct rect in, int x, bool done, bool next, const char *text)
{
	if (in.w < 48)
		text = strchr(text, ' ') + 1;
	x = canvas_text(cv, x, in.y, done ? STYLE_PASS : next ? STYLE_STRONG : STYLE_FAINT, done ? "✓" : next ? "▸" : "·");
	return 1 + canvas_text(cv, x, in.y, done ? STYLE_LABEL : next ? STYLE_STRONG : STYLE_FAINT, text);
}

/* create, attach, test, detach, delete: where the volumes made here are on that way. */
static void draw_steps(const struct volumes_screen *s, struct canvas *cv, struct rect in)
{
	bool attached = *s->made[0].path || *s->made[0].device, gone = s->made_detached;
	int x = in.x;

	x = step(cv, in, x, s->n_made > 0, !s->n_made, "c create");
	x = step(cv, in, x, s->n_made && (attached || gone), s->n_made && !attached && !gone, "a attach");
	x = step(cv, in, x, s->n_made && gone, s->n_made && attached && !gone, "⏎ test");
	x = step(cv, in, x, s->n_made && gone, false, "d detach");
	step(cv, in, x, false, s->n_made && gone, "D delete");
}

static int draw_next(const struct volumes_screen *s, struct canvas *cv, struct rect in)
{
	const char *paths[VOLUMES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < s->n_made; i++)
		if (*s->made[i].path)
			paths[n++] = s->made[i].path;
	if (!n)
		return 0;
	int y = 0;
	for (int back = 0; back < 2; back++) {
		char *text = life_errand(paths, n, s->made_raid, back);
		if (y < in.h)
			canvas_textn(cv, in.x, in.y + y++, in.w, STYLE_LABEL,
				     back ? "and back, before it is detached:" : "left to you, nothing of it is run here:");
		for (char *p = text, *nl; p && *p && y < in.h; p = nl ? nl + 1 : p + strlen(p)) {
			if ((nl = strchr(p, '\n')))
				*nl = 0;
			y += draw_wrapped(cv, (struct rect){ in.x, in.y + y, in.w, in.h - y }, STYLE_TEXT, p);
		}
		free(text);
	}
	return y;
}

static void draw_errand(const struct volumes_screen *s, struct canvas *cv, struct rect at)
{
	const struct volume_job_view *j = &s->job;
	struct rect in = panel(cv, at, STYLE_FRAME_LIST, "Errand", j->failed ? STYLE_ERROR : STYLE_LABEL,
			       !s->has_job ? NULL : j->running ? volume_action_name(j->action) : j->failed ? "failed" : "done");

	in.x++;
	in.w -= 2;
	if (rect_empty(in))
		return;
	draw_steps(s, cv, in);
	in.y++;
	in.h--;
	if (s->has_job && j->failed && in.h > 0) {
		int used = draw_wrapped(cv, in, STYLE_ERROR, j->error);
		in.y += used;
		in.h -= used;
	}
	if (!j->running && !j->failed) {
		int used = draw_next(s, cv, in);
		in.y += used;
		in.h -= used;
	}
	int rows = in.h < (int)j->n_lines ? in.h : (int)j->n_lines;
	for (int i = 0; i < rows; i++)
		canvas_textn(cv, in.x, in.y + i, in.w, STYLE_LABEL, j->line[(int)j->n_lines - rows + i]);
}

void view_volumes(const struct frame *f, struct canvas *cv)
{
	const struct volumes_screen *s = f->volumes;
	struct rect body = { 0, 1, cv->w, cv->h - 2 };
	int low = body.h < 2 * LIST_MIN ? 0 : body.h * 2 / 5;

	int n = s->facts && s->facts->volumes ? (int)s->facts->volumes->volumes.n : 0, lines = n ? n + 3 : LIST_MIN;
	if (low > ERRAND_ROWS && !s->has_job)
		low = ERRAND_ROWS;
	if (!n && !s->form_open && !s->has_job && !s->n_made && low) /* nothing is chosen and nothing was done */
		low = LIST_MIN;
	if (s->form_open && low < form_lines(&s->form) + 3)
		low = form_lines(&s->form) + 3;
	if (s->n_made && !s->job.running && !s->form_open && low && low < ERRAND_ROWS) /* its lines are what one came for */
		low = body.h - LIST_MIN < ERRAND_ROWS ? body.h - LIST_MIN : ERRAND_ROWS;
	if (low > body.h - LIST_MIN && !s->form_open)
		low = 0;
	if (low > body.h)
		low = body.h;
	draw_header(f, cv, (struct rect){ 0, 0, cv->w, 1 });
	struct rect under = { 0, body.y + body.h - low, cv->w, low };
	int left = cv->w >= 2 * SIDE_MIN ? cv->w / 2 : s->form_open || !s->has_job ? cv->w : 0;
	struct rect list = { 0, body.y, cv->w, body.h - low };
	if (list.h >= lines + 8) { /* in the room that the list leaves: what one could create */
		struct rect could = { 0, list.y + lines, cv->w, list.h - lines };
		int table = (int)f->setup->nr_alternatives + 3, rest = could.h - table;
		if (rest >= 10 && table > 3) {
			draw_bursts(f, cv, (struct rect){ 0, could.y + table, cv->w, rest });
			could.h = table;
		}
		draw_beside_volumes(f, cv, could);
		list.h = lines;
	}
	if (list.h > 2)
		draw_list(s, cv, list);
	if (s->form_open)
		draw_form(s, cv, (struct rect){ under.x, under.y, left, under.h });
	else
		draw_chosen(s, cv, (struct rect){ under.x, under.y, left, under.h });
	draw_errand(s, cv, (struct rect){ left, under.y, cv->w - left, under.h });
	draw_keys(f, cv, (struct rect){ 0, cv->h - 1, cv->w, 1 });
}
