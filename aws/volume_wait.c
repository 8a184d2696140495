/* SPDX-License-Identifier: MIT */
#include "aws/volume_life_parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/clock.h"

#define POLL_MS	     500
#define POLL_MAX_MS  15000
#define TIMEOUT_MS   600000
#define ODD_MAX	     5 /* looks in a row that nobody answered, where AWS never did before */
#define NOT_FOUND_NS (30 * NS_PER_SEC) /* so long a new volume may be unknown to some of AWS's servers */

const char *const life_states[] = { "available", "attached", "deleted", "optimizing", "completed", NULL };

void life_say(struct life *l, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	if (!l->say)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	l->say(l->arg, line);
}

/*
 * Trouble on the way or at AWS says nothing about the volume: it is lived through until the wait's own end. Only where
 * AWS was never heard of may it be the configuration that is wrong.
 */
static bool is_passing(int code, bool answered, unsigned odd)
{
	switch (code) {
	case EREMOTEIO:
	case EBUSY:
		return true;
	case EBADMSG:
	case EMSGSIZE:
	case ETIMEDOUT:
	case ECONNREFUSED:
	case ECONNRESET:
		return answered || odd <= ODD_MAX;
	default:
		return code == EHOSTUNREACH && answered;
	}
}

int life_wait_for(struct life *l, life_look ready, struct life_volume *v, const char *what, struct err *err)
{
	long ms = l->poll_ms ? l->poll_ms : POLL_MS;
	uint64_t start = clock_ns();
	uint64_t limit = (uint64_t)(l->timeout_ms ? l->timeout_ms : TIMEOUT_MS) * 1000000;
	char seen[80] = "", last[sizeof(err->msg)] = "";
	bool answered = false;
	unsigned odd = 0;

	for (;;) {
		int rc = ready(l, v, seen, sizeof(seen), err);
		bool unknown = rc < 0 && err->code == ENOENT;
		odd = rc < 0 ? odd + 1 : 0;
		answered |= rc >= 0 || unknown || err->code == EREMOTEIO || err->code == EBUSY;
		if (rc > 0)
			return 0;
		if (unknown ? clock_ns() - start >= NOT_FOUND_NS : rc < 0 && !is_passing(err->code, answered, odd))
			return -1;
		const char *now = unknown ? "not found" : rc < 0 ? err->msg : seen;
		if (!unknown && strcmp(now, last))
			life_say(l, rc < 0 ? "%s: %s; still waiting" : "%s: %s", v->id, now);
		snprintf(last, sizeof(last), "%s", now);
		uint64_t waited = clock_ns() - start;
		if (waited > limit)
			return err_set(err, ETIMEDOUT, "%s is not %s after %.0f s (%s)", v->id, what, clock_seconds(limit),
				       last);
		long left = (long)((limit - waited) / 1000000) + 1;
		if (http_wait(ms < left ? ms : left, l->cloud->cancel))
			return err_set(err, ECANCELED, "cancelled while %s was not yet %s", v->id, what);
		ms = ms * 3 / 2 < POLL_MAX_MS ? ms * 3 / 2 : POLL_MAX_MS;
	}
}

int life_look_available(struct life *l, struct life_volume *v, char *seen, size_t size, struct err *err)
{
	struct ec2_volumes vs;

	if (ec2_describe_volume(l->cloud->ec2, v->id, &vs, err))
		return -1;
	snprintf(seen, size, "%s", vs.v[0].state);
	ec2_volumes_release(&vs);
	if (!strcmp(seen, "error"))
		return err_set(err, EIO, "%s: AWS could not create it (state error)", v->id);
	return !strcmp(seen, "available");
}

/* Is it to be believed that there is none? */
static bool settled(struct life_volume *v)
{
	if (!v->none_ns)
		v->none_ns = clock_ns();
	return v->moved || clock_ns() - v->none_ns >= LIFE_SETTLE_S * NS_PER_SEC;
}

static int look_deleted(struct life *l, struct life_volume *v, char *seen, size_t size, struct err *err)
{
	struct ec2_volumes vs;

	if (ec2_describe_volume(l->cloud->ec2, v->id, &vs, err)) {
		if (err->code != ENOENT)
			return -1;
		snprintf(seen, size, "AWS knows of no such volume (%d s may be too early to tell)", LIFE_SETTLE_S);
		return settled(v);
	}
	snprintf(seen, size, "%s", vs.v[0].state);
	ec2_volumes_release(&vs);
	v->moved |= !strncmp(seen, "delet", 5);
	v->none_ns = 0;
	return !strcmp(seen, "deleted");
}

int life_look_attached(struct life *l, struct life_volume *v, char *seen, size_t size, struct err *err)
{
	struct ec2_volumes vs;
	struct blockdevs devs;
	bool ours = false;

	if (ec2_describe_volume(l->cloud->ec2, v->id, &vs, err))
		return -1;
	snprintf(seen, size, "%s", vs.v[0].state);
	for (size_t i = 0; i < vs.v[0].n_attachments; i++) {
		const struct ec2_attachment *a = &vs.v[0].attachment[i];
		if (*l->instance && strcmp(a->instance_id, l->instance))
			continue;
		ours = !strcmp(a->state, "attached");
		snprintf(seen, size, "%s as %s", a->state, a->device);
		snprintf(v->device, sizeof(v->device), "%s", a->device);
	}
	ec2_volumes_release(&vs);
	if (!ours || !l->here)
		return ours;
	if (blockdevs_read(&devs, err))
		return err_set(err, EIO, "%s is attached as %s, but what is here cannot be seen", v->id, v->device);
	const struct blockdev *d = life_find_here(&devs, v->id, v->device);
	if (d)
		snprintf(v->path, sizeof(v->path), "%s", d->path);
	else
		snprintf(seen, size, "attached as %s, no device here yet", v->device);
	blockdevs_release(&devs);
	return d != NULL;
}

static int look_modified(struct life *l, struct life_volume *v, bool done, char *seen, size_t size, struct err *err)
{
	bool ours = v->modified >= time(NULL) - LIFE_FRESH_S;
	struct ec2_modifications ms;

	if (ec2_describe_modifications(l->cloud->ec2, v->id, &ms, err))
		return -1;
	const struct ec2_modification *m = ec2_modifications_find(&ms, v->id);
	int rc = 0;
	if (m && m->start < v->modified)
		m = NULL; /* the one before */
	bool failed = m && !strcmp(m->state, "failed"), over = !m || failed || !strcmp(m->state, "completed");
	if (!over)
		v->moved = true;
	if (over && !(ours ? m != NULL : settled(v)))
		rc = 0; /* never modified, so long ago that AWS forgot it, or an earlier one than is meant */
	else if (failed)
		rc = err_set(err, EIO, "%s: the modification failed: %s", v->id, m->message);
	else
		rc = over || (!done && !strcmp(m->state, "optimizing"));
	if (m)
		snprintf(seen, size, "%s %llu %%", m->state, (unsigned long long)m->progress);
	else
		snprintf(seen, size, "%s", !ours ? "AWS knows of no modification" : "AWS does not tell of the modification yet");
	ec2_modifications_release(&ms);
	return rc;
}

static int look_optimizing(struct life *l, struct life_volume *v, char *seen, size_t size, struct err *err)
{
	return look_modified(l, v, false, seen, size, err);
}

static int look_completed(struct life *l, struct life_volume *v, char *seen, size_t size, struct err *err)
{
	return look_modified(l, v, true, seen, size, err);
}

int life_wait(struct life *l, const char *id, const char *state, struct life_volume *out, struct err *err)
{
	static const life_look looks[] = { life_look_available, life_look_attached, look_deleted, look_optimizing, look_completed };

	*out = (struct life_volume){ .modified = journal_last_modified(id),
				     .moved = !strcmp(state, "deleted") && journal_deleted(id) };
	snprintf(out->id, sizeof(out->id), "%s", id);
	for (size_t i = 0; life_states[i]; i++)
		if (!strcmp(state, life_states[i]))
			return life_wait_for(l, looks[i], out, state, err);
	return err_set(err, ERR_USAGE, "state \"%s\": one of available, attached, deleted, optimizing, completed", state);
}
