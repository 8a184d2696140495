/* SPDX-License-Identifier: MIT */
/* The part of board.h that looks around: what can be tested here, what was recorded before, which theme was kept. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "aws/reference.h"
#include "engine/blockdev.h"
#include "engine/mounts.h"
#include "engine/recorder.h"
#include "tui/board.h"
#include "tui/devices_report.h"
#include "tui/prefs.h"

/* Recordings that are looked at for Setup, which has to be there at once. */
#define RECENT_RUNS 40

struct found {
	struct setup_target at[SETUP_TARGETS_MAX];
	size_t n;
	const struct blockdevs *devs;
};

static struct setup_target *add(struct found *f, const char *path)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->at[i].path, path) == 0)
			return NULL;
	if (f->n == SETUP_TARGETS_MAX || strlen(path) >= sizeof(f->at[0].path))
		return NULL;
	struct setup_target *t = &f->at[f->n++];
	*t = (struct setup_target){ .usable = true };
	snprintf(t->path, sizeof(t->path), "%s", path);
	return t;
}

/* A filesystem on a disk, where it is mounted as a whole. */
static int add_mount(const struct mount *m, void *arg)
{
	struct found *f = arg;
	const struct blockdev *dev = blockdevs_find_number(f->devs, m->major, m->minor);

	if (!dev || strcmp(m->root, "/") != 0 || strncmp(m->point, "/boot", 5) == 0 ||
	    strcmp(m->type, "swap") == 0)
		return 0;
	struct setup_target *t = add(f, m->point);
	if (t) {
		snprintf(t->what, sizeof(t->what), "%.20s on %.64s", m->type, dev->name);
		snprintf(t->note, sizeof(t->note), "%s", dev->volume_id);
		t->size_bytes = dev->size_bytes;
	}
	return 0;
}

static void add_device(struct found *f, const struct blockdev *dev)
{
	char list[80];
	struct setup_target *t = add(f, dev->path);

	if (!t)
		return;
	t->size_bytes = dev->size_bytes;
	if (dev->members.n)
		snprintf(t->what, sizeof(t->what), "%.31s of %zu", *dev->level ? dev->level : "set",
			 dev->members.n);
	else
		snprintf(t->what, sizeof(t->what), "%s%s%.60s", blockdev_kind_name(dev->kind),
			 *dev->volume_id ? " " : "", dev->volume_id);
	if (dev->mounts.n)
		snprintf(t->note, sizeof(t->note), "mounted: %s",
			 strlist_join(&dev->mounts, list, sizeof(list)));
	else if (dev->holders.n)
		snprintf(t->note, sizeof(t->note), "part of %s",
			 strlist_join(&dev->holders, list, sizeof(list)));
	else if (dev->partitions.n)
		snprintf(t->note, sizeof(t->note), "partitions");
	else if (dev->swap)
		snprintf(t->note, sizeof(t->note), "swap");
}

static void find_targets(struct board *b)
{
	struct found *f = calloc(1, sizeof(*f));
	struct blockdevs devs = { 0 };
	struct mounts mounts = { 0 };
	struct setup_target *t;
	struct err ignored;

	if (!f)
		return;
	f->devs = &devs;
	if (blockdevs_read(&devs, &ignored) == 0) {
		if (mounts_read(&mounts, &ignored) == 0)
			(void)mounts_each(&mounts, add_mount, f);
		for (size_t i = 0; i < devs.n; i++)
			if (devices_shows(&devs.at[i]))
				add_device(f, &devs.at[i]);
	}
	if ((t = add(f, "sim:")))
		snprintf(t->what, sizeof(t->what), "no I/O: a simulated volume");
	for (const struct story *st = stories; st->name; st++) {
		char path[64];
		snprintf(path, sizeof(path), STORY_PREFIX "%s", st->name);
		if ((t = add(f, path)))
			snprintf(t->what, sizeof(t->what), "%.80s", st->title);
	}
	setup_form_targets(&b->app->setup, f->at, f->n);
	mounts_release(&mounts);
	blockdevs_release(&devs);
	free(f);
}

/* --- recordings --- */

#define TAIL 65536

static enum verdict verdict_of(const char *name)
{
	for (int v = VERDICT_PASS; v < VERDICT_NR; v++)
		if (name && verdict_name((enum verdict)v) && strcmp(verdict_name((enum verdict)v), name) == 0)
			return (enum verdict)v;
	return VERDICT_NONE;
}

/* Results and end stand at the end of the file: that alone is read of what may be hours of samples. */
static void read_tail(struct run_entry *e)
{
	FILE *f = fopen(e->path, "re");
	char *text = malloc(TAIL + 1);

	if (f && text) {
		fseek(f, 0, SEEK_END);
		long size = ftell(f);
		fseek(f, size > TAIL ? size - TAIL : 0, SEEK_SET);
		text[fread(text, 1, TAIL, f)] = 0;
		for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
			json_t *o = strstr(line, "\"result\"") || strstr(line, "\"end\"")
					    ? json_loads(line, 0, NULL)
					    : NULL;
			const char *type = json_get_text(o, "type", "");
			if (strcmp(type, "result") == 0) {
				e->verdict = verdict_worst(e->verdict,
							   verdict_of(json_get_text(o, "verdict", NULL)));
				e->net = strcmp(json_get_text(o, "kind", ""), "net") == 0;
				if (isnan(e->iops)) {
					e->iops = json_get_num(o, "iops", NAN);
					e->bw_bytes = json_get_num(o, "bw_bytes", NAN);
				}
			} else if (strcmp(type, "end") == 0) {
				json_copy_text(o, "reason", e->end, sizeof(e->end));
			}
			json_decref(o);
		}
	}
	free(text);
	if (f)
		fclose(f);
}

static bool read_entry(struct run_entry *e, const char *path, struct recording *rec, struct entry *first)
{
	struct err ignored;
	struct stat st;

	*e = (struct run_entry){
		.verdict = VERDICT_NONE, .iops = NAN, .bw_bytes = NAN, .end = "interrupted"
	};
	if (strlen(path) >= sizeof(e->path) || stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    recording_open(rec, path, &ignored) < 0) /* a pipe would wait for a writer */
		return false;
	bool ok = recording_next(rec, first, &ignored) == 0 && first->type == ENTRY_HEADER;
	recording_close(rec);
	if (!ok)
		return false;
	snprintf(e->path, sizeof(e->path), "%s", path);
	snprintf(e->title, sizeof(e->title), "%.63s", first->header.title);
	snprintf(e->target, sizeof(e->target), "%.159s", first->header.target);
	snprintf(e->started, sizeof(e->started), "%s", first->header.started);
	json_decref(first->header.doc);
	read_tail(e);
	return true;
}

static int is_recording(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && strcmp(dot, ".jsonl") == 0;
}

/* What others measured stands behind one's own runs. */
static size_t add_references(struct run_entry *e, size_t n)
{
	struct reference *all = calloc(RUN_ENTRIES_MAX, sizeof(*all));
	size_t nr = all ? reference_list(all, RUN_ENTRIES_MAX - n) : 0;

	for (size_t i = 0; i < nr; i++, n++) {
		const struct reference *r = &all[i];
		e[n] = (struct run_entry){ .verdict = VERDICT_NONE, .iops = NAN, .bw_bytes = NAN, .started = "reference" };
		snprintf(e[n].path, sizeof(e[n].path), "%s", r->name);
		snprintf(e[n].title, sizeof(e[n].title), "%.60s", r->name + (strncmp(r->name, "ref:", 4) == 0 ? 4 : 0));
		snprintf(e[n].target, sizeof(e[n].target), "%.159s", r->about);
	}
	free(all);
	return n;
}

void board_find_runs(struct board *b, size_t max)
{
	struct run_entry *e = calloc(RUN_ENTRIES_MAX, sizeof(*e));
	struct recording *rec = calloc(1, sizeof(*rec));
	struct entry *first = calloc(1, sizeof(*first));
	struct dirent **names = NULL;
	char dir[4096], path[4096 + 256];
	struct err ignored;
	size_t found = 0;
	int n = e && rec && first && recorder_dir(dir, sizeof(dir), &ignored)
			? scandir(dir, &names, is_recording, alphasort)
			: 0;

	/* their names begin with the time: the newest come last */
	for (int i = n - 1; i >= 0; i--) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		if (found < max && read_entry(&e[found], path, rec, first))
			found++;
	}
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	if (e) {
		if (max == RUN_ENTRIES_MAX)
			found = add_references(e, found);
		results_set_runs(&b->app->results, e, found);
	}
	free(e);
	free(rec);
	free(first);
}

void board_look_around(struct board *b)
{
	find_targets(b);
	board_find_runs(b, b->app->results.nr_runs > RECENT_RUNS ? RUN_ENTRIES_MAX : RECENT_RUNS);
}

/* --- the theme --- */

int board_pick_theme(struct board *b, struct cli *cli, struct err *err)
{
	const char *named = cli_get(cli, "theme");
	struct prefs prefs;

	b->dump = cli_given(cli, "dump");
	if (named)
		return theme_open(&b->app->theme, named, err) < 0 ? err_wrap(err, "--theme") : 0;
	if (prefs_load(&prefs, err) < 0 || (*prefs.theme && theme_open(&b->app->theme, prefs.theme, err) < 0))
		app_say(b->app, true, "%s", err->msg);
	return 0;
}

void board_keep_theme(void *ctx, const char *name)
{
	struct board *b = ctx;

	snprintf(b->theme, sizeof(b->theme), "%s", name);
}

void board_save_theme(const struct board *b)
{
	struct err err;

	if (*b->theme && !b->dump && prefs_save_theme(b->theme, &err) < 0)
		cli_message("theme %s is not kept: %s", b->theme, err.msg);
}
