/* SPDX-License-Identifier: MIT */
#include "tui/volumes_actions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/json.h"
#include "engine/units.h"
#include "tui/volumes_report.h"

#define TAGS_MAX 40
#define PRICES	 "us-east-1 prices"

/* To the terminal's user, or with --yes to nobody. @param word what must be typed */
static int confirm(struct volumes_job *job, const char *what, const char *word, struct err *err)
{
	char line[128];

	if (job->dry_run)
		return 0;
	cli_message("%s", what);
	if (cli_has(job->cli, "yes"))
		return 0;
	if (!isatty(STDIN_FILENO))
		return err_set(err, ERR_REFUSED, "not done: no terminal to confirm on; --yes is the consent of a script");
	fprintf(stderr, "Type %s to go on: ", word);
	if (!fgets(line, sizeof(line), stdin))
		*line = 0;
	line[strcspn(line, "\r\n")] = 0;
	return strcmp(line, word) ? err_set(err, ERR_REFUSED, "not done: \"%s\" was not typed", word) : 0;
}

static int write_text(struct volumes_job *job, char *text, struct err *err)
{
	int rc = text ? cli_write(job->cli, text, err) : err_set(err, ENOMEM, "no memory");

	free(text);
	return rc ? -1 : 0;
}

static int write_json(struct volumes_job *job, json_t *doc, struct err *err)
{
	char *text = doc ? json_dumps(doc, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
	char *line = NULL;

	json_decref(doc);
	if (text && asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	free(text);
	return write_text(job, line, err);
}

/* One volume that an action has dealt with. */
static int took(struct volumes_job *job, const struct life_volume *v, const char *what, struct err *err)
{
	char *line = NULL;

	json_array_append_new(job->done, json_pack("{s:o, s:s, s:o, s:o}", "volume_id", json_text(*v->id ? v->id : NULL),
						   "state", what, "device", json_text(*v->device ? v->device : NULL), "path",
						   json_text(*v->path ? v->path : NULL)));
	if (job->json)
		return 0;
	if (asprintf(&line, "%s  %s%s%s%s%s\n", *v->id ? v->id : "-", what, *v->device ? "  " : "", v->device,
		     *v->path ? "  " : "", v->path) < 0)
		line = NULL;
	return write_text(job, line, err);
}

static json_t *lines_json(const char *text)
{
	json_t *lines = json_array();

	for (const char *p = text; p && *p; p += strcspn(p, "\n") + 1)
		json_array_append_new(lines, json_stringn(p, strcspn(p, "\n")));
	return lines;
}

/* The end of a change's answer; @p next and @p back: lines that are left to the user, or NULL. */
static int finish(struct volumes_job *job, const char *action, const char *next, const char *back, struct err *err)
{
	if (!job->json)
		return next && (cli_write(job->cli, next, err) || cli_write(job->cli, "#\n", err) || cli_write(job->cli, back, err)) ?
			       -1 :
			       0;
	return write_json(job, json_pack("{s:s, s:s, s:b, s:o, s:O, s:o, s:o}", "schema", "ebscope/1", "action", action, "dry_run",
					 job->dry_run, "region", json_text(job->cloud.cfg.region), "volumes", job->done,
					 "next", lines_json(next), "back", lines_json(back)),
			  err);
}

/* --tag K=V, any number of times. Pointers into new memory at *text. */
static int read_tags(const struct volumes_job *job, struct ec2_tag *tag, size_t *n, char **text, struct err *err)
{
	const char *value;
	size_t size = 1;

	*n = 0;
	for (unsigned i = 0; (value = cli_nth(job->cli, "tag", i)); i++)
		size += strlen(value) + 1;
	if (!(*text = malloc(size)))
		return err_set(err, ENOMEM, "no memory");
	char *p = *text;
	for (unsigned i = 0; (value = cli_nth(job->cli, "tag", i)); i++) {
		const char *eq = strchr(value, '=');
		if (!eq || eq == value || eq - value > 128 || strlen(eq + 1) > 256 || !strncmp(value, "aws:", 4) ||
		    !strncmp(value, LIFE_TAG "=", strlen(LIFE_TAG) + 1))
			return err_set(err, ERR_USAGE, "--tag %.60s: KEY=VALUE, a key of 1 to 128 characters that is not aws:… "
				       "nor %s, a value of up to 256", value, LIFE_TAG);
		if (*n == TAGS_MAX)
			return err_set(err, ERR_USAGE, "--tag: at most %d", TAGS_MAX);
		tag[*n].key = strcpy(p, value);
		tag[*n].key[eq - value] = 0;
		tag[(*n)++].value = p + (eq - value) + 1;
		p += strlen(value) + 1;
	}
	return 0;
}

static int act_list(struct volumes_job *job, struct err *err)
{
	const char *tag = cli_get(job->cli, "tag"), *instance = cli_get(job->cli, "instance-id");
	struct ec2_modifications ms = { 0 };
	struct ec2_volumes vs;
	struct blockdevs devs = { 0 };
	struct err why;
	char key[160];

	struct ec2_filter f = { .instance_id = instance };
	if (tag && !instance) {
		snprintf(key, sizeof(key), "%.*s", (int)strcspn(tag, "="), tag);
		f.tag_key = key;
		f.tag_value = strchr(tag, '=') ? strchr(tag, '=') + 1 : NULL;
	}
	if (ec2_describe_volumes(job->cloud.ec2, &f, &vs, err))
		return -1;
	if (ec2_describe_modifications(job->cloud.ec2, NULL, &ms, &why))
		cli_message("changes in progress are not known: %s", why.msg);
	if (blockdevs_read(&devs, &why))
		cli_message("devices here are not known: %s", why.msg);
	const struct volumes_list l = { .region = job->cloud.cfg.region, .volumes = &vs, .modifications = &ms,
					.devs = &devs, .instance = job->cloud.self.instance_id, .limits = job->limits };
	int rc = job->json ? write_json(job, volumes_list_json(&l), err) : write_text(job, volumes_list_table(&l), err);
	blockdevs_release(&devs);
	ec2_modifications_release(&ms);
	ec2_volumes_release(&vs);
	return rc;
}

static int find_az(struct volumes_job *job, const char **az, struct err *err)
{
	struct err why;

	*az = cli_get(job->cli, "az");
	if (*az)
		return 0;
	if (cloud_self(&job->cloud, &why) || !*job->cloud.self.az)
		return err_set(err, ERR_USAGE, "volumes create: --az ZONE is needed where this is no EC2 instance");
	*az = job->cloud.self.az;
	return 0;
}

static int confirm_create(struct volumes_job *job, const struct volumes *vs, const char *az, struct err *err)
{
	char text[128], what[400];
	double month = volumes_cost(vs);

	snprintf(what, sizeof(what), "create %s in %s: $%.2f a month, $%.4f an hour until deleted (%s)%s",
		 volumes_text(vs, text, sizeof(text)), az, month, life_hourly(month), PRICES,
		 cli_has(job->cli, "attach") ? ", and attach" : "");
	return confirm(job, what, "yes", err);
}

/* Create and, where asked, attach all of them; what has been done is told even if a later one fails. */
static int create_each(struct volumes_job *job, const struct volumes *vs, const char *az, const struct ec2_tag *tag, size_t n_tags,
		       const char *run, struct life_volume *out, struct err *err)
{
	bool attach = cli_has(job->cli, "attach"), encrypted = cli_has(job->cli, "encrypted");

	for (size_t i = 0; i < vs->n; i++) {
		if (life_create(&job->life, &vs->v[i], az, encrypted, tag, n_tags, run, (unsigned)i + 1, &out[i], err) ||
		    (attach && !job->dry_run && life_attach(&job->life, cli_get(job->cli, "device"), &out[i], err))) {
			if (*out[i].id)
				took(job, &out[i], "left", &(struct err){ 0 });
			if (!*out[i].id && !i && !ec2_maybe_done(job->cloud.ec2))
				return -1;
			return err_wrap(err, "%s%srun %s, `ebscope volumes cleanup` removes what it made", out[i].id,
					*out[i].id ? ": " : "", run);
		}
		if (took(job, &out[i], job->dry_run ? "would be created" : attach ? "attached" : "available", err))
			return -1;
	}
	return 0;
}

static int create_all(struct volumes_job *job, const struct volumes *vs, const char *az, const struct ec2_tag *tag, size_t n_tags,
		      struct life_volume *out, struct err *err)
{
	char run[48];
	int held = -1, rc = -1;

	journal_new_run(run);
	if (job->dry_run || (held = journal_hold_run(run, err)) >= 0)
		rc = create_each(job, vs, az, tag, n_tags, run, out, err);
	journal_end_run(held);
	return rc;
}

static int act_create(struct volumes_job *job, struct err *err)
{
	struct ec2_tag tag[TAGS_MAX];
	struct life_volume out[VOLUMES_MAX];
	const char *paths[VOLUMES_MAX], *az;
	const struct volumes *vs = &job->spec;
	char *tags = NULL;
	size_t n_tags;
	int rc = -1;

	if (find_az(job, &az, err) || read_tags(job, tag, &n_tags, &tags, err) || confirm_create(job, vs, az, err) ||
	    create_all(job, vs, az, tag, n_tags, out, err))
		goto out;
	size_t seen = 0;
	for (size_t i = 0; i < vs->n; i++)
		if (*out[i].path)
			paths[seen++] = out[i].path;
	char *next = seen == vs->n ? life_errand(paths, seen, vs->raid, false) : NULL;
	char *back = seen == vs->n ? life_errand(paths, seen, vs->raid, true) : NULL;
	if (next)
		cli_message("what is left to you; then, before detaching, the lines behind #:");
	rc = finish(job, "create", next, back, err);
	free(next);
	free(back);
out:
	free(tags);
	return rc;
}

static int act_attach(struct volumes_job *job, struct err *err)
{
	struct life_volume v = { 0 };
	const char *id = job->cli->args[1];
	char what[160];

	snprintf(v.id, sizeof(v.id), "%s", id);
	snprintf(what, sizeof(what), "attach %s to %s", id, *job->life.instance ? job->life.instance : "?");
	if (confirm(job, what, "yes", err) || life_attach(&job->life, cli_get(job->cli, "device"), &v, err) ||
	    took(job, &v, job->dry_run ? "would be attached" : "attached", err))
		return -1;
	return finish(job, "attach", NULL, NULL, err);
}

static int act_detach(struct volumes_job *job, struct err *err)
{
	struct life_volume v = { 0 };
	const char *id = job->cli->args[1];
	char what[80];

	snprintf(v.id, sizeof(v.id), "%s", id);
	snprintf(what, sizeof(what), "detach %s", id);
	if (confirm(job, what, id, err) || life_detach(&job->life, id, err) ||
	    took(job, &v, job->dry_run ? "would be detached" : "available", err))
		return -1;
	return finish(job, "detach", NULL, NULL, err);
}

static int act_delete(struct volumes_job *job, struct err *err)
{
	struct life_volume v = { 0 };
	struct ec2_volumes vs;
	const char *id = job->cli->args[1];
	char text[120], what[200];

	if (ec2_describe_volume(job->cloud.ec2, id, &vs, err))
		return -1;
	snprintf(v.id, sizeof(v.id), "%s", id);
	snprintf(what, sizeof(what), "delete %s, %s, with all that is on it", id,
		 volumes_describe(&vs.v[0], text, sizeof(text)));
	int rc = life_guard(&job->life, &vs.v[0], err);
	ec2_volumes_release(&vs);
	if (rc || confirm(job, what, id, err) || life_delete(&job->life, id, err) ||
	    took(job, &v, job->dry_run ? "would be deleted" : "deleted", err))
		return -1;
	return finish(job, "delete", NULL, NULL, err);
}

static int confirm_modify(struct volumes_job *job, const struct ec2_volume *now, const struct volume *want, struct err *err)
{
	double after = volume_cost(want);
	const struct volumes one = { .n = 1, .v = { *want }, .raid = RAID_NONE };
	char from[120], to[120], before[FMT_LEN], what[400];

	snprintf(what, sizeof(what), "change %s from %s to %s: $%.2f a month instead of %s, $%.4f an hour (%s)", now->id,
		 volumes_describe(now, from, sizeof(from)), volumes_text(&one, to, sizeof(to)), after,
		 volumes_dollars(before, volumes_month(now, job->limits)), life_hourly(after), PRICES);
	return confirm(job, what, "yes", err);
}

static int act_modify(struct volumes_job *job, struct err *err)
{
	struct ec2_modification m;
	struct life_volume v = { 0 };
	struct ec2_volumes vs;
	const char *id = job->cli->args[1];
	char state[40];

	if (ec2_describe_volume(job->cloud.ec2, id, &vs, err))
		return -1;
	int rc = confirm_modify(job, &vs.v[0], &job->spec.v[0], err);
	ec2_volumes_release(&vs);
	if (rc || life_modify(&job->life, id, &job->spec.v[0], &m, err))
		return -1;
	snprintf(v.id, sizeof(v.id), "%s", id);
	snprintf(state, sizeof(state), "%s", job->dry_run ? "would be modified" : *m.state ? m.state : "modifying");
	return took(job, &v, state, err) ? -1 : finish(job, "modify", NULL, NULL, err);
}

static int act_wait(struct volumes_job *job, struct err *err)
{
	const char *id = job->cli->args[1], *timeout = cli_get(job->cli, "timeout");
	struct life_volume v;
	uint64_t ns;

	if (timeout && !parse_time(timeout, &ns, err))
		job->life.timeout_ms = (long)(ns / 1000000);
	if (life_wait(&job->life, id, job->cli->args[2], &v, err) || took(job, &v, job->cli->args[2], err))
		return -1;
	return finish(job, "wait", NULL, NULL, err);
}

/* Named ones only, where any is named. */
static bool is_meant(const struct cli *cli, const struct life_leftover *o)
{
	for (unsigned i = 1; i < cli->nr_args; i++)
		if (!strcmp(cli->args[i], o->j.volume_id))
			return true;
	return cli->nr_args < 2;
}

static int remove_leftovers(struct volumes_job *job, const struct life_leftovers *lo, struct err *err)
{
	int failed = 0;

	for (size_t i = 0; i < lo->n; i++) {
		const struct life_leftover *o = &lo->v[i];
		struct life_volume v = { 0 };
		struct err why;
		if (!is_meant(job->cli, o))
			continue;
		if (!o->exists) {
			if (cli_has(job->cli, "forget") && !o->unknown && !job->dry_run &&
			    journal_token("never", o->j.token, o->j.volume_id, err))
				return -1;
			continue;
		}
		snprintf(v.id, sizeof(v.id), "%s", o->j.volume_id);
		if (life_remove(&job->life, o, job->cli->nr_args > 1, &why)) {
			cli_message("%s", why.msg);
			failed++;
		} else if (took(job, &v, job->dry_run ? "would be deleted" : "deleted", err)) {
			return -1;
		}
		if (atomic_load(job->cloud.cancel))
			return err_set(err, ECANCELED, "cancelled");
	}
	return failed;
}

static int act_cleanup(struct volumes_job *job, struct err *err)
{
	struct life_leftovers lo;
	size_t n = 0;
	int rc;
	char what[120];

	if (life_leftovers(&job->life, &lo, err))
		return -1;
	for (size_t i = 0; i < lo.n; i++)
		n += lo.v[i].exists && is_meant(job->cli, &lo.v[i]);
	rc = lo.n && !job->json ? write_text(job, volumes_leftovers_table(&lo), err) : 0;
	json_t *list = volumes_leftovers_json(&lo);
	snprintf(what, sizeof(what), n ? "delete %zu volume%s that ebscope created and left" : "nothing is left to delete", n,
		 n == 1 ? "" : "s");
	if (!rc && n && !job->dry_run && !cli_has(job->cli, "yes") && !isatty(STDIN_FILENO)) {
		cli_message("%zu left: --yes deletes them", n);
		rc = 3;
	} else if (!rc && n) {
		rc = confirm(job, what, "delete", err);
	} else if (!rc) {
		cli_message("%s", what);
	}
	if (!rc)
		rc = remove_leftovers(job, &lo, err);
	if (rc >= 0 && job->json) {
		int w = write_json(job, json_pack("{s:s, s:s, s:b, s:O, s:O}", "schema", "ebscope/1", "action", "cleanup",
						  "dry_run", job->dry_run, "leftovers", list, "volumes", job->done),
				   err);
		rc = w ? w : rc;
	}
	json_decref(list);
	life_leftovers_release(&lo);
	return rc > 0 ? 3 : rc;
}

const struct volumes_action volumes_actions[] = {
	{ "list", act_list, false, "", "[--tag KEY=VALUE] [--instance-id ID]" },
	{ "create", act_create, true, "s", "SPEC, such as gp3:100 or 4*gp3:100:6000:250" },
	{ "attach", act_attach, true, "v", "VOLUME" },
	{ "modify", act_modify, false, "vs", "VOLUME SPEC, such as gp3:200:6000" },
	{ "detach", act_detach, true, "v", "VOLUME" },
	{ "delete", act_delete, true, "v", "VOLUME" },
	{ "wait", act_wait, true, "vt", "VOLUME STATE: available, attached, deleted, optimizing or completed" },
	{ "cleanup", act_cleanup, true, "*", "[VOLUME…]" },
	{ .name = NULL },
};
#define NR_ACTIONS (sizeof(volumes_actions) / sizeof(*volumes_actions) - 1)

const struct volumes_action *volumes_action_find(const char *name, struct err *err)
{
	const char *names[NR_ACTIONS + 1] = { NULL };

	for (size_t i = 0; i < NR_ACTIONS; i++) {
		names[i] = volumes_actions[i].name;
		if (!strcmp(name, volumes_actions[i].name))
			return &volumes_actions[i];
	}
	const char *close = closest_name(name, names);
	err_set(err, ERR_USAGE, "volumes %s: no such action%s%s; one of list, create, attach, modify, detach, delete, wait, "
		"cleanup", name, close ? ", did you mean " : "", close ? close : "");
	return NULL;
}

static int check_one(char kind, const struct volumes_action *a, struct volumes_job *job, const char *text, struct err *err)
{
	switch (kind) {
	case 's':
		if (volumes_parse(&job->spec, job->limits, text, err))
			return -1;
		return a->run != act_modify || job->spec.n == 1 ?
			       0 :
			       err_set(err, ERR_USAGE, "volumes modify: one volume, not %zu", job->spec.n);
	case 't':
		for (size_t i = 0; life_states[i]; i++)
			if (!strcmp(text, life_states[i]))
				return 0;
		return err_set(err, ERR_USAGE, "volumes %s %s", a->name, a->usage);
	default:
		return ec2_is_volume_id(text) ? 0 :
						err_set(err, ERR_USAGE, "volumes %s: \"%.60s\" is no volume's id, such as "
							"vol-0123456789abcdef0", a->name, text);
	}
}

/* How several are to be joined: nothing is done about it here but to say the lines. */
static int check_raid(struct volumes_job *job, struct err *err)
{
	const char *level = cli_get(job->cli, "raid");

	if (level && job->spec.n < 2)
		return err_set(err, ERR_USAGE, "--raid joins several volumes: create N*TYPE…");
	if (job->spec.n < 2)
		return 0;
	if (raid_parse(level ? level : "0", &job->spec.raid, err) < 0)
		return err_wrap(err, "--raid");
	return volumes_check(&job->spec, err);
}

int volumes_action_check(const struct volumes_action *a, struct volumes_job *job, struct err *err)
{
	const struct cli *cli = job->cli;
	struct ec2_tag tag[TAGS_MAX];
	char *text = NULL;
	size_t n;
	bool any = *a->takes == '*';

	job->spec = (struct volumes){ .raid = RAID_NONE };
	if (!any && cli->nr_args != strlen(a->takes) + 1)
		return err_set(err, ERR_USAGE, "usage: ebscope volumes %s %s", a->name, a->usage);
	const char *instance = cli_get(cli, "instance-id");
	if (instance && !ec2_is_instance_id(instance))
		return err_set(err, ERR_USAGE, "--instance-id \"%.60s\" is no instance's id, such as i-0123456789abcdef0", instance);
	for (unsigned i = 1; i < cli->nr_args; i++)
		if (check_one(any ? 'v' : a->takes[i - 1], a, job, cli->args[i], err))
			return -1;
	int rc = a->run == act_create ? read_tags(job, tag, &n, &text, err) || check_raid(job, err) : 0;
	free(text);
	return rc;
}
