/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aws/model.h"
#include "engine/units.h"
#include "tui/commands.h"

/* What was asked: the model's input, with what it points to. */
struct question {
	struct limits limits;
	struct volumes volumes;
	struct host host;
	struct workload wl;
	bool all_tasks;
};

static int load_limits(struct question *q, const struct cli *cli, struct err *err)
{
	const char *path = cli_get(cli, "limits");

	q->limits = *limits_builtin();
	if (path && limits_load(&q->limits, path, err) < 0)
		return -1;
	cli_limits_age(&q->limits);
	return 0;
}

/* A SPEC that names no size gets the one of its type: said, since IOPS, credits and cost follow from it. @return the volume behind */
static size_t say_size(const char *spec, const struct volumes *vs, size_t at)
{
	for (const char *end; *spec && at < vs->n; spec = *end ? end + 1 : end) {
		end = strchrnul(spec, ',');
		size_t len = (size_t)(end - spec), times = memchr(spec, '*', len) ? strtoul(spec, NULL, 10) : 1;
		const char *colon = memchr(spec, ':', len);

		if (!colon || colon[1] == ':')
			cli_message("%.*s: no size is named, taken as %" PRIu64 " GiB", (int)len, spec, vs->v[at].size_gib);
		at += times;
	}
	return at;
}

static void say_sizes(const struct cli *cli, const struct volumes *vs)
{
	const char *spec;
	size_t at = 0;

	for (unsigned i = 0; (spec = cli_nth(cli, "volume", i)); i++)
		at = say_size(spec, vs, at);
	for (unsigned i = 0; i < cli->nr_args; i++)
		at = say_size(cli->args[i], vs, at);
}

static int read_volumes(struct question *q, const struct cli *cli, struct err *err)
{
	const char *spec, *raid = cli_get(cli, "raid");

	for (unsigned i = 0; (spec = cli_nth(cli, "volume", i)); i++) {
		if (volumes_parse(&q->volumes, &q->limits, spec, err) < 0)
			return err_wrap(err, "--volume");
	}
	for (unsigned i = 0; i < cli->nr_args; i++) {
		if (volumes_parse(&q->volumes, &q->limits, cli->args[i], err) < 0)
			return -1;
	}
	if (raid && raid_parse(raid, &q->volumes.raid, err) < 0)
		return err_wrap(err, "--raid");
	return volumes_check(&q->volumes, err);
}

static int read_host(struct question *q, const struct cli *cli, struct err *err)
{
	const char *instance = cli_get(cli, "instance"), *task = cli_get(cli, "task");

	if (instance && task)
		return err_set(err, ERR_USAGE, "--instance and --task: a volume has one host, name one of them");
	q->all_tasks = task && strcmp(task, "all") == 0;
	if (instance && host_instance(&q->host, &q->limits, instance, err) < 0)
		return err_wrap(err, "--instance");
	if (task && !q->all_tasks && host_task(&q->host, &q->limits, task, err) < 0)
		return err_wrap(err, "--task");
	if (!q->volumes.n && q->host.kind == HOST_NONE)
		return err_set(err, ERR_USAGE, "expect what? Name a volume (gp3:500:6000:250, 10*gp2:20), or --instance or --task");
	return 0;
}

/* A named workload, else the volume's default; over either what was given by itself. */
static int read_workload(struct question *q, const struct cli *cli, struct err *err)
{
	const char *name = cli_get(cli, "workload");

	workload_init(&q->wl);
	q->wl.iodepth = 32;
	model_default_workload(&q->volumes, &q->wl);
	if (name) {
		const struct workload *named = workload_find(name);

		if (!named)
			return err_set(err, ERR_USAGE, "--workload: there is no '%.40s' (see --list-workloads)", name);
		q->wl = *named;
	}
	for (const struct workload_field *f = workload_fields; f->key; f++) {
		const char *v = cli_get(cli, f->key);

		if (v && workload_set(&q->wl, f->key, v, err) < 0)
			return -1;
	}
	return 0;
}

static char *answer(const struct question *q, const struct model_input *in, bool json)
{
	struct expectation e;

	if (!json && q->all_tasks)
		return expect_tasks_text(in);
	model_expect(in, &e);
	if (!json)
		return expectation_to_text(&e);
	json_t *doc = q->all_tasks ? expect_tasks_json(in) : expectation_to_json(&e);
	json_object_set_new(doc, "as_of_stale", json_boolean(limits_stale(&q->limits, (int64_t)time(NULL))));
	char *text = doc ? json_dumps(doc, JSON_INDENT(2)) : NULL;

	json_decref(doc);
	return text;
}

static int expect(struct cli *cli, struct err *err)
{
	const char *format = cli_text(cli, "format", "table"), *credits = cli_get(cli, "credits");
	bool json = strcmp(format, "json") == 0;
	struct question q = { .host = { .kind = HOST_NONE } };

	if (!json && strcmp(format, "table") != 0)
		return err_set(err, ERR_USAGE, "--format %.40s: expect prints table or json", format);
	if (load_limits(&q, cli, err) < 0 || read_volumes(&q, cli, err) < 0 || read_host(&q, cli, err) < 0 ||
	    read_workload(&q, cli, err) < 0)
		return -1;
	struct model_input in = model_input(&q.volumes, &q.host, &q.wl);
	in.limits = &q.limits;
	if (credits && parse_percent(credits, &in.credits, err) < 0)
		return err_wrap(err, "--credits");
	in.host_credits[0] = in.host_credits[1] = in.credits;
	char *text = answer(&q, &in, json);
	if (!text)
		return err_set(err, ENOMEM, "no memory for the answer");
	say_sizes(cli, &q.volumes);
	int ret = cli_write(cli, text, err);

	free(text);
	return ret;
}

const struct command cmd_expect = {
	.name = "expect",
	.args = "[options] VOLUME",
	.about = "what AWS documents for a volume; touches nothing",
	.more = "VOLUME is [N*]TYPE[:SIZE[:IOPS[:THROUGHPUT]]]: gp2:100, gp3:500:6000:250, io2:2TiB:64000, '10*gp2:20'; several are\n"
		"joined by --raid (default 0). Without --rw and --bs: randread 16k, for st1, sc1 and standard read 1m.\n"
		"--task all prints a row per Fargate task size. It knows only what it is told: nothing is detected.\n"
		"--limits FILE replaces figures: {\"as_of\":\"2027-03\",\"volumes\":{\"gp3\":{\"iops_max\":100000}},\"instances\":\n"
		"{\"m5.large\":{\"ebs_max_iops\":20000}},\"tasks\":{\"2048\":{\"ebs_iops\":4000}}}; a key it does not know is refused.",
	.groups = OPT_PATTERN | OPT_VOLUME | OPT_CREDITS | OPT_TABLE | OPT_OUTPUT,
	.min_args = 0,
	.max_args = VOLUMES_MAX,
	.run = expect,
};
