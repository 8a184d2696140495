/* SPDX-License-Identifier: MIT */
#include "tui/volumes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "tui/volumes_report.h"

static const char *const types[] = { "gp3", "gp2", "io2", "io1", "st1", "sc1", "standard", NULL };

static const char *const raid_levels[] = { "0", "1", "5", "6", "10", NULL };

static const struct form_row rows[VOF_NR] = {
	[VOF_TYPE] = { "type", FORM_CHOICE, 0, 0, false, "turn with the arrows", types },
	[VOF_SIZE] = { "size GiB", FORM_TEXT, 0, 1, false, "of each volume; it can grow later, never shrink", NULL },
	[VOF_IOPS] = { "IOPS", FORM_TEXT, 1, 0, false, "as bought (gp3, io1, io2)", NULL },
	[VOF_MIBPS] = { "MiB/s", FORM_TEXT, 1, 1, false, "throughput as bought (gp3)", NULL },
	[VOF_COUNT] = { "count", FORM_TEXT, 2, 0, false, "several of a kind, for a RAID set", NULL },
	[VOF_RAID] = { "RAID", FORM_CHOICE, 2, 1, false, "0 joins any number of volumes, 1 and 10 want 2 or more, 5 wants 3, 6 wants 4",
		       raid_levels },
	[VOF_ZONE] = { "zone", FORM_TEXT, 3, 0, false, "empty: this instance's", NULL },
	[VOF_GO] = { "Go on", FORM_BUTTON, 3, 1, false, "Enter shows what it costs, and asks", NULL },
};

static const struct {
	int		  field;
	enum volume_field vf;
} volume_fields[] = { { VOF_SIZE, VF_SIZE }, { VOF_IOPS, VF_IOPS }, { VOF_MIBPS, VF_MIBPS } };

static void show(struct volumes_screen *s, int field, uint64_t v)
{
	snprintf(s->form.field[field].value, FORM_VALUE_MAX, "%" PRIu64, v);
	s->form.field[field].error[0] = 0;
}

/* Fields that follow from others, or mean nothing beside them; and whether each is legal now. */
static void refresh(struct volumes_screen *s, int taken)
{
	for (size_t i = 0; i < sizeof(volume_fields) / sizeof(*volume_fields); i++) {
		struct form_field *f = &s->form.field[volume_fields[i].field];
		struct err err = { 0 };
		f->off = !volume_legal(&s->draft, volume_fields[i].vf).settable && volume_fields[i].vf != VF_SIZE;
		if (volume_fields[i].field != taken)
			show(s, volume_fields[i].field,
			     volume_fields[i].vf == VF_SIZE ? s->draft.size_gib :
			     volume_fields[i].vf == VF_IOPS ? s->draft.iops :
							      s->draft.mibps);
		if (!f->off && volume_field_check(&s->draft, volume_fields[i].vf, &err) < 0)
			snprintf(f->error, sizeof(f->error), "%.*s", FORM_ERROR_MAX - 1, err.msg);
	}
	s->form.field[VOF_COUNT].off = s->form.field[VOF_ZONE].off = s->modify;
}

/* One volume is no set; and each level has a number below which there is none. */
static int check_raid(struct volumes_screen *s, struct err *err)
{
	const struct volumes set = { .n = s->count, .v = { s->draft }, .raid = s->raid };

	s->form.field[VOF_RAID].off = s->modify || s->count < 2;
	return s->form.field[VOF_RAID].off ? 0 : volumes_check(&set, err);
}

static void refresh_raid(struct volumes_screen *s)
{
	struct err err = { 0 };
	int rc = check_raid(s, &err);

	snprintf(s->form.field[VOF_RAID].error, FORM_ERROR_MAX, "%.*s", FORM_ERROR_MAX - 1, rc ? err.msg : "");
}

static int take_volume(struct volumes_screen *s, enum volume_field vf, const char *text, struct err *err)
{
	struct volume v = s->draft;

	if (volume_field_parse(&v, vf, text, err) < 0 || volume_field_check(&v, vf, err) < 0)
		return -1;
	bool iops = volume_legal(&v, VF_IOPS).settable, mibps = volume_legal(&v, VF_MIBPS).settable;
	s->draft = volume_make(v.type, v.size_gib, iops ? v.iops : 0, mibps ? v.mibps : 0);
	return 0;
}

static int take(void *owner, int field, const char *text, struct err *err)
{
	struct volumes_screen *s = owner;
	const struct volume_type *type;
	int rc = 0;

	switch (field) {
	case VOF_TYPE:
		if (volume_type_parse(s->limits, text, &type, err) < 0)
			return -1;
		s->draft = volume_make(type, s->modify ? s->draft.size_gib : 0, 0, 0);
		s->draft = volume_nearest(&s->draft);
		break;
	case VOF_COUNT:
		rc = parse_count(text, &s->count, err);
		if (!rc && (s->count < 1 || s->count > VOLUMES_MAX))
			rc = err_set(err, ERR_USAGE, "1 to %d volumes", VOLUMES_MAX);
		if (!rc)
			refresh_raid(s);
		return rc;
	case VOF_RAID:
		return raid_parse(text, &s->raid, err) < 0 ? -1 : check_raid(s, err);
	case VOF_ZONE:
		if (strlen(text) >= sizeof(s->zone))
			return err_set(err, ERR_USAGE, "no zone's name is so long");
		snprintf(s->zone, sizeof(s->zone), "%s", text);
		return 0;
	case VOF_GO:
		return 0;
	default:
		rc = take_volume(s, volume_fields[field - VOF_SIZE].vf, text, err);
	}
	if (!rc)
		refresh(s, field);
	return rc;
}

void volumes_screen_init(struct volumes_screen *s, const struct limits *limits)
{
	*s = (struct volumes_screen){ .limits = limits, .count = 1 };
	s->form = (struct form){ .row = rows, .nr = VOF_NR, .focus = -1, .take = take, .owner = s };
}

void volumes_screen_release(struct volumes_screen *s)
{
	facts_unref(s->facts);
	s->facts = NULL;
}

static size_t nr_volumes(const struct volumes_screen *s)
{
	return s->facts && s->facts->volumes ? s->facts->volumes->volumes.n : 0;
}

const struct ec2_volume *volumes_screen_at(const struct volumes_screen *s)
{
	return s->selected >= 0 && (size_t)s->selected < nr_volumes(s) ?
		       &s->facts->volumes->volumes.v[s->selected] :
		       NULL;
}

/* The selection stays on its volume, wherever that is in the new list. */
void volumes_screen_facts(struct volumes_screen *s, struct facts *facts)
{
	const struct ec2_volume *at = volumes_screen_at(s);
	char id[EC2_ID] = "";

	if (at)
		snprintf(id, sizeof(id), "%s", at->id);
	facts_unref(s->facts);
	s->facts = facts;
	for (size_t i = 0; i < nr_volumes(s); i++)
		if (!strcmp(s->facts->volumes->volumes.v[i].id, id))
			s->selected = (int)i;
	if (s->selected >= (int)nr_volumes(s))
		s->selected = nr_volumes(s) ? (int)nr_volumes(s) - 1 : 0;
}

void volumes_screen_job(struct volumes_screen *s, const struct volume_job_view *view)
{
	bool ended = s->job.running && !view->running;

	s->job = *view;
	s->has_job = true;
	if (view->action == VOLUME_CREATE && view->n) {
		s->n_made = view->n;
		memcpy(s->made, view->volume, sizeof(s->made));
		s->made_raid = s->raid;
		s->made_detached = false;
	}
	if (!ended || view->failed || !s->n_made || !view->n || strcmp(view->volume[0].id, s->made[0].id) != 0)
		return;
	if (view->action == VOLUME_DELETE)
		s->n_made = 0;
	s->made_detached = view->action == VOLUME_DETACH;
	if (view->action == VOLUME_ATTACH)
		memcpy(s->made, view->volume, sizeof(s->made));
}

/* --- what may be asked for --- */

static enum volumes_answer say(struct volumes_ask *ask, const char *text)
{
	snprintf(ask->text, sizeof(ask->text), "%s", text);
	return VOLUMES_SAY;
}

static void open_form(struct volumes_screen *s, const struct ec2_volume *v)
{
	struct volume now;

	s->modify = v != NULL;
	if (v && !facts_volume(v, s->limits, &now)) {
		s->draft = now;
		snprintf(s->modify_id, sizeof(s->modify_id), "%s", v->id);
	} else {
		s->draft = volume_make(volume_type_find(s->limits, "gp3"), 0, 0, 0);
		s->draft = volume_nearest(&s->draft);
	}
	s->count = 1;
	s->raid = RAID_0;
	show(s, VOF_COUNT, 1);
	show(s, VOF_RAID, 0);
	snprintf(s->form.field[VOF_TYPE].value, FORM_VALUE_MAX, "%s", s->draft.type->name);
	snprintf(s->form.field[VOF_ZONE].value, FORM_VALUE_MAX, "%s", s->zone);
	refresh(s, -1);
	refresh_raid(s);
	s->form_open = true;
	form_focus(&s->form, VOF_TYPE);
}

static enum volumes_answer ask_create(struct volumes_screen *s, struct volumes_ask *ask)
{
	struct volumes *vs = &ask->req.want;
	char text[160];

	*vs = (struct volumes){ .raid = s->count > 1 ? s->raid : RAID_NONE };
	for (uint64_t i = 0; i < s->count; i++)
		vs->v[vs->n++] = s->draft;
	ask->req.action = VOLUME_CREATE;
	ask->req.attach = s->facts && *s->facts->self.instance_id && !*s->zone;
	snprintf(ask->req.az, sizeof(ask->req.az), "%s", s->zone);
	double month = volumes_cost(vs);
	snprintf(ask->title, sizeof(ask->title), "This costs money");
	snprintf(ask->text, sizeof(ask->text), "Create %s in %s%s. $%.2f a month, $%.4f an hour, until deleted (us-east-1 prices).",
		 volumes_text(vs, text, sizeof(text)), *s->zone ? s->zone : "this instance's zone",
		 ask->req.attach ? " and attach" : "", month, life_hourly(month));
	snprintf(ask->want, sizeof(ask->want), "create");
	return VOLUMES_ASK;
}

static enum volumes_answer ask_modify(struct volumes_screen *s, struct volumes_ask *ask)
{
	const struct volumes one = { .n = 1, .v = { s->draft }, .raid = RAID_NONE };
	const struct ec2_volume *v =
		s->facts && s->facts->volumes ? ec2_volumes_find(&s->facts->volumes->volumes, s->modify_id) : NULL;
	char from[120] = "?", to[160], before[FMT_LEN];
	double month = volume_cost(&s->draft);

	if (v)
		volumes_describe(v, from, sizeof(from));
	ask->req = (struct volume_request){ .action = VOLUME_MODIFY, .want = one, .n = 1 };
	snprintf(ask->req.id[0], EC2_ID, "%s", s->modify_id);
	snprintf(ask->title, sizeof(ask->title), "This costs money");
	snprintf(ask->text, sizeof(ask->text), "Change %s from %s to %s: $%.2f a month instead of %s, $%.4f an hour (us-east-1 prices).",
		 s->modify_id, from, volumes_text(&one, to, sizeof(to)), month, volumes_dollars(before, v ? volumes_month(v, s->limits) : NAN), life_hourly(month));
	snprintf(ask->want, sizeof(ask->want), "%s", s->modify_id);
	return VOLUMES_ASK;
}

static bool is_made(const struct volumes_screen *s, const char *id)
{
	for (size_t i = 0; i < s->n_made; i++)
		if (!strcmp(s->made[i].id, id))
			return true;
	return false;
}

/* The selected volume; where it is one of a set that was made here, all of that. */
static void take_ids(const struct volumes_screen *s, const struct ec2_volume *v, struct volume_request *req)
{
	req->n = 0;
	if (!is_made(s, v->id)) {
		snprintf(req->id[req->n++], EC2_ID, "%s", v->id);
		return;
	}
	for (size_t i = 0; i < s->n_made; i++)
		snprintf(req->id[req->n++], EC2_ID, "%s", s->made[i].id);
}

static enum volumes_answer ask_about(struct volumes_screen *s, enum volume_action action, struct volumes_ask *ask)
{
	const struct ec2_volume *v = volumes_screen_at(s);
	char what[160], plan[120];

	if (!v)
		return say(ask, "no volume is selected");
	if (action == VOLUME_ATTACH && v->n_attachments)
		return say(ask, "it is attached already");
	if (action == VOLUME_DETACH && !v->n_attachments)
		return say(ask, "it is not attached");
	if (action == VOLUME_DELETE && v->n_attachments)
		return say(ask, "it is attached: detach it first (d)");
	ask->req = (struct volume_request){ .action = action };
	take_ids(s, v, &ask->req);
	if (ask->req.n > 1)
		snprintf(what, sizeof(what), "%zu volumes of this errand", ask->req.n);
	else
		snprintf(what, sizeof(what), "%s, %s", v->id, volumes_describe(v, plan, sizeof(plan)));
	if (action == VOLUME_DELETE) {
		snprintf(ask->title, sizeof(ask->title), "This destroys data");
		snprintf(ask->text, sizeof(ask->text), "Delete %s, with all that is on it.", what);
		snprintf(ask->want, sizeof(ask->want), "%s", v->id);
	} else {
		snprintf(ask->title, sizeof(ask->title), action == VOLUME_ATTACH ? "Attach" : "Detach");
		snprintf(ask->text, sizeof(ask->text), "%s %s%s?", action == VOLUME_ATTACH ? "Attach" : "Detach", what,
			 action == VOLUME_ATTACH ? " to this instance" : ". Not while it is in use here");
		ask->want[0] = 0;
	}
	return VOLUMES_ASK;
}

/* --- keys --- */

static enum volumes_answer form_keys(struct volumes_screen *s, struct key k, enum action act, struct volumes_ask *ask)
{
	int bad;

	switch (form_key(&s->form, k, act)) {
	case FORM_PRESSED:
		if ((bad = form_bad(&s->form)) >= 0) {
			form_focus(&s->form, bad);
			return say(ask, s->form.field[bad].error);
		}
		s->form_open = false;
		return s->modify ? ask_modify(s, ask) : ask_create(s, ask);
	case FORM_LEFT:
		form_focus(&s->form, act == ACT_PREV || act == ACT_UP ? VOF_GO : VOF_TYPE);
		return VOLUMES_DONE;
	case FORM_PASS:
		if (act != ACT_CLOSE && act != ACT_QUIT)
			return VOLUMES_PASS;
		s->form_open = false;
		return VOLUMES_DONE;
	default:
		return VOLUMES_DONE;
	}
}

static enum volumes_answer move(struct volumes_screen *s, int to)
{
	int last = (int)nr_volumes(s) - 1;

	s->selected = to > last ? last : to;
	s->selected = s->selected < 0 ? 0 : s->selected;
	return VOLUMES_DONE;
}

static enum volumes_answer go_test(const struct volumes_screen *s, struct volumes_ask *ask)
{
	const struct ec2_volume *v = volumes_screen_at(s);
	size_t n = 0;

	if (!v)
		return VOLUMES_DONE;
	for (size_t i = 0; i < s->n_made && n < sizeof(ask->text) && is_made(s, v->id); i++) /* what is cut the form refuses */
		n += (size_t)snprintf(ask->text + n, sizeof(ask->text) - n, "%s%s", n ? "," : "", s->made[i].path);
	return n ? VOLUMES_TEST : say(ask, "where its device is here, Setup (1) lists it");
}

enum volumes_answer volumes_screen_key(struct volumes_screen *s, struct key k, enum action act, struct volumes_ask *ask)
{
	bool writes = act >= ACT_VOL_CREATE && act <= ACT_VOL_DELETE;

	*ask = (struct volumes_ask){ 0 };
	if (s->form_open)
		return form_keys(s, k, act, ask);
	if (writes && s->job.running)
		return say(ask, "an errand is under way: one at a time");
	if (writes && s->facts && !s->facts->creds)
		return say(ask, *s->facts->creds_note ? s->facts->creds_note : "no credentials yet");
	switch (act) {
	case ACT_UP:
		return move(s, s->selected - 1);
	case ACT_DOWN:
		return move(s, s->selected + 1);
	case ACT_PGUP:
		return move(s, s->selected - 10);
	case ACT_PGDN:
		return move(s, s->selected + 10);
	case ACT_HOME:
		return move(s, 0);
	case ACT_END:
		return move(s, (int)nr_volumes(s));
	case ACT_ENTER:
		return go_test(s, ask);
	case ACT_VOL_CREATE:
		open_form(s, NULL);
		return VOLUMES_DONE;
	case ACT_VOL_MODIFY:
		if (!volumes_screen_at(s))
			return say(ask, "no volume is selected");
		open_form(s, volumes_screen_at(s));
		return VOLUMES_DONE;
	case ACT_VOL_ATTACH:
		return ask_about(s, VOLUME_ATTACH, ask);
	case ACT_VOL_DETACH:
		return ask_about(s, VOLUME_DETACH, ask);
	case ACT_VOL_DELETE:
		return ask_about(s, VOLUME_DELETE, ask);
	case ACT_VOL_REFRESH:
		return VOLUMES_REFRESH;
	default:
		return VOLUMES_PASS;
	}
}
