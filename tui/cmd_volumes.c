/* SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <string.h>

#include "engine/units.h"
#include "tui/commands.h"
#include "tui/stopsig.h"
#include "tui/volumes_actions.h"

/* The signal that ended it; the cloud's cancel flag is what the handler sets. */
static atomic_bool cancelled;
static atomic_int  by_signal;

static void on_signal(int sig)
{
	atomic_store(&by_signal, sig);
	atomic_store(&cancelled, true);
}

static void progress(void *arg, const char *line)
{
	(void)arg;
	cli_message("%s", line);
}

static int volumes(struct cli *cli, struct err *err)
{
	const struct volumes_action *a = volumes_action_find(cli->args[0], err);
	const char *format = cli_text(cli, "format", "table");
	struct volumes_job job = { .cli = cli, .json = !strcmp(format, "json"), .dry_run = cli_has(cli, "dry-run") };
	struct limits own_limits;
	int rc = -1;

	if (!a || !(job.limits = limits_or(&own_limits, cli_get(cli, "limits"), err)))
		return -1;
	if (!job.json && strcmp(format, "table") != 0)
		return err_set(err, ERR_USAGE, "volumes: --format %s: table or json", format);
	if (volumes_action_check(a, &job, err))
		return -1;
	stopsig_catch(on_signal);
	if (cloud_open(&job.cloud, cli_get(cli, "profile"), cli_get(cli, "region"), &cancelled, err))
		return -1;
	job.done = json_array();
	if (!cloud_need_region(&job.cloud, err)) {
		if (a->needs_instance)
			life_init(&job.life, &job.cloud, cli_get(cli, "instance-id"));
		job.life.cloud = &job.cloud;
		job.life.dry_run = job.dry_run;
		job.life.say = progress;
		rc = a->run(&job, err);
	}
	json_decref(job.done);
	cloud_close(&job.cloud);
	if (rc < 0 && atomic_load(&by_signal)) {
		cli_message("%s", err->msg);
		return 128 + atomic_load(&by_signal);
	}
	return rc;
}

static const struct opt own[] = {
	{ "az", 0, "ZONE", OPT_OWN, "create: the availability zone; default: this instance's", NULL },
	{ "tag", 0, "KEY=VALUE", OPT_OWN, "create: a tag (repeatable); list: only those that have it", NULL },
	{ "encrypted", 0, NULL, OPT_OWN, "create: encrypted with the account's default key", NULL },
	{ "attach", 0, NULL, OPT_OWN, "create: and attach, and wait for the device here", NULL },
	{ "raid", 0, "LEVEL", OPT_OWN, "create N*…: level in the lines left to you: 0 (default), 1, 5, 6 or 10", NULL },
	{ "device", 0, "NAME", OPT_OWN, "attach: as EC2 names it; default: the next free /dev/sd[f-p]", NULL },
	{ "instance-id", 0, "ID", OPT_OWN, "attach: to this instance; list: only what is attached to it", NULL },
	{ "timeout", 0, "TIME", OPT_OWN, "wait: how long, {} (10m)", OPT_TIME(1, 604800) },
	{ "profile", 0, "NAME", OPT_OWN, "of ~/.aws/config and ~/.aws/credentials", NULL },
	{ "region", 0, "NAME", OPT_OWN, "the Region; default: as the AWS CLI finds it", NULL },
	{ "dry-run", 0, NULL, OPT_OWN, "ask AWS whether it would be allowed, change nothing", NULL },
	{ "yes", 0, NULL, OPT_OWN, "do not ask: the consent of a script", NULL },
	{ "forget", 0, NULL, OPT_OWN, "cleanup: drop from the journal what is not in this account", NULL },
	{ .name = NULL },
};

const struct command cmd_volumes = {
	.name = "volumes",
	.args = "ACTION …",
	.about = "EBS volumes: list, create, attach, modify, detach, delete, wait, cleanup",
	.more = "  list                    all volumes of the Region\n"
		"  create SPEC             TYPE[:SIZE[:IOPS[:THROUGHPUT]]], N*TYPE… for several; costs money until deleted\n"
		"  attach VOLUME           to this instance, and wait for the device\n"
		"  modify VOLUME SPEC      change size, type or performance\n"
		"  detach VOLUME           not while it is in use here, and never the root volume\n"
		"  delete VOLUME           with all that is on it\n"
		"  wait VOLUME STATE       available, attached, deleted, optimizing, completed\n"
		"  cleanup [VOLUME…]       what ebscope created and a killed run left behind\n"
		"What costs or destroys is confirmed by typing; --yes is a script's consent. Everything created carries the\n"
		"tag ebscope:run and is in volumes.jsonl in the state directory before AWS is asked.",
	.groups = OPT_TABLE | OPT_OUTPUT | OPT_LIMITS,
	.own = own,
	.min_args = 1,
	.max_args = 64,
	.run = volumes,
};
