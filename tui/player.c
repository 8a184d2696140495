/* SPDX-License-Identifier: MIT */
#include "tui/player.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/recorder.h"

struct player {
	struct recording rec;
	struct entry next; /* read, and not yet in the log */
	bool done;
	double speed;
	uint64_t begun_ns;
	struct runlog *log;
};

/* The end of what can be read: as it was recorded, else cut. */
static void finish(struct player *p, const char *why)
{
	runlog_end(p->log, RUN_INTERRUPTED, p->rec.t_ns, why);
	p->done = true;
}

static void read_next(struct player *p)
{
	struct err err = { 0 };

	if (recording_next(&p->rec, &p->next, &err) < 0)
		finish(p, err.msg);
	else if (p->next.type == ENTRY_EOF)
		finish(p, "");
}

int player_open(struct player **out, const char *path, double speed, uint64_t now_ns, struct err *err)
{
	struct player *p = calloc(1, sizeof(*p));

	if (!p)
		return err_set(err, ENOMEM, "%s: out of memory", path);
	if (recording_open(&p->rec, path, err) < 0) {
		free(p);
		return -1;
	}
	if (recording_next(&p->rec, &p->next, err) < 0)
		goto fail;
	if (p->next.type != ENTRY_HEADER) {
		err_set(err, ERR_USAGE, "%s: it does not begin with a header", path);
		goto fail;
	}
	p->log = runlog_new(&p->next.header);
	if (!p->log) {
		json_decref(p->next.header.doc);
		err_set(err, ENOMEM, "%s: out of memory", path);
		goto fail;
	}
	p->speed = speed;
	p->begun_ns = now_ns;
	read_next(p);
	*out = p;
	return 0;
fail:
	recording_close(&p->rec);
	free(p);
	return -1;
}

void player_close(struct player *p)
{
	if (!p)
		return;
	if (!p->done && p->next.type == ENTRY_RESULT)
		result_free(p->next.result);
	recording_close(&p->rec);
	runlog_free(p->log);
	free(p);
}

struct runlog *player_log(struct player *p)
{
	return p->log;
}

uint64_t player_due(const struct player *p)
{
	if (p->done)
		return 0;
	return p->begun_ns + (isinf(p->speed) ? 0 : (uint64_t)((double)p->next.t_ns / p->speed));
}

bool player_pump(struct player *p, uint64_t now_ns)
{
	bool any = false;

	while (!p->done && player_due(p) <= now_ns) {
		bool end = p->next.type == ENTRY_END;
		runlog_add_entry(p->log, &p->next);
		any = true;
		if (end)
			p->done = true;
		else
			read_next(p);
	}
	return any;
}
