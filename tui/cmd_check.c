/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/units.h"
#include "tui/baseline.h"
#include "tui/commands.h"
#include "tui/headless.h"

/* Half of 30 s for each of two tests; a volume that has but one gets all of it. */
#define CHECK_NS (30 * NS_PER_SEC)
#define CHECK_IODEPTH 32.0

static bool given(const struct setup *s, const char *key)
{
	for (unsigned i = 0; workload_fields[i].key; i++) {
		if (strcmp(workload_fields[i].key, key) == 0)
			return s->wl_given & (1u << i);
	}
	return false;
}

static int set(struct setup *s, const char *key, uint64_t value, struct err *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	for (unsigned i = 0; workload_fields[i].key; i++) {
		if (strcmp(workload_fields[i].key, key) == 0)
			s->wl_given |= 1u << i;
	}
	return workload_set(&s->wl, key, text, err);
}

/* Deep enough for the rate that is expected, at a millisecond an I/O. */
static int check_depth(struct setup *s, struct err *err)
{
	struct expectation e;
	struct workload wl = *workload_find("iops");

	wl.iodepth = 1024; /* only the documents are asked here, not the queue */
	if (setup_expect(s, &wl, &e, err) < 0)
		return -1;
	double rate = fmax(e.baseline.iops, isnan(e.burst.iops) ? 0 : e.burst.iops);
	return set(s, "iodepth", (uint64_t)fmax(CHECK_IODEPTH, isfinite(rate) ? ceil(rate / 1000) : 0), err);
}

static bool is_hdd(const struct setup *s)
{
	struct volumes vs;
	struct host host;
	struct err ignored; /* it was checked before */

	return setup_volumes(s, &vs, &host, &ignored) == 0 && vs.n && vs.v[0].type->class == CLASS_HDD;
}

static int adjust(struct setup *s, const struct cli *cli, struct err *err)
{
	bool hdd = is_hdd(s);

	if (cli_has(cli, "before") && cli_has(cli, "after"))
		return err_set(err, ERR_USAGE, "--before and --after exclude each other: one is before the change, one after it");
	if ((cli_has(cli, "before") || cli_has(cli, "after")) && setup_is_sim(s))
		return err_set(err, ERR_USAGE, "--before and --after are of a real volume, not of sim:");
	s->compare = cli_has(cli, "after");
	if (!given(s, "iodepth") && check_depth(s, err) < 0)
		return -1;
	bool own = *s->suite || s->nr_workloads || given(s, "rw");
	if (!own) {
		if (!hdd)
			strcpy(s->workload[s->nr_workloads++], "iops");
		strcpy(s->workload[s->nr_workloads++], "throughput");
	}
	if (!given(s, "runtime") && !given(s, "size"))
		return set(s, "runtime", (own || hdd ? CHECK_NS : CHECK_NS / 2) / NS_PER_SEC, err);
	return 0;
}

/* The test that decides: the first of those with the run's verdict. */
static const struct result *deciding(const struct runlog_snap *run)
{
	enum verdict v = report_verdict(run);

	for (size_t i = 0; i < run->nr_results; i++) {
		if (run->results[i]->verdict == v)
			return run->results[i];
	}
	return NULL;
}

/* What --before stores and what --after finds, a line a test; beside a document on stderr. */
static int baselines(const struct cli *cli, const struct runlog_snap *run, struct err *err)
{
	char line[400], path[4096];

	for (size_t i = 0; i < run->nr_results; i++) {
		const json_t *change = json_object_get(run->results[i]->more, "change");
		if (change)
			cli_message("%s", baseline_text(run->results[i]->name, change, run->results[i]->all.iops, line, sizeof(line)));
		else if (cli_has(cli, "after"))
			cli_message("%s: the baseline has no such test", run->results[i]->name);
	}
	if (!cli_has(cli, "before"))
		return 0;
	if (baseline_save(run, path, err) < 0)
		return -1;
	cli_message("baseline stored in %s; after the change: ebscope check --after %s", path, run->header->target);
	return 0;
}

/* What was not measured is no 0. */
static const char *figure(char *buf, double v, int digits)
{
	snprintf(buf, FMT_LEN, isfinite(v) ? "%.*f" : "-", digits, v);
	return buf;
}

static int status(const struct headless *h, const struct runlog_snap *run, struct err *err)
{
	const struct cli *cli = h->cli;
	const struct result *r = deciding(run);
	enum verdict v = report_verdict(run);
	const char *name = verdict_name(v) ? verdict_name(v) : "unknown", *format = cli_get(cli, "format");
	char line[700], upper[16] = "", iops[FMT_LEN], mibps[FMT_LEN];

	for (size_t i = 0; name[i] && i < sizeof(upper) - 1; i++)
		upper[i] = (char)toupper((unsigned char)name[i]);
	const char *bound = r ? json_get_text(json_object_get(r->more, "expected"), "bound_by", "-") : "-";
	snprintf(line, sizeof(line), "ebscope check: %s iops=%s mibps=%s bound_by=%s - %s\n", upper,
		 figure(iops, r ? r->all.iops : NAN, 0), figure(mibps, r ? r->all.bw_bytes / (double)MIB : NAN, 2), bound,
		 r && *r->reason ? r->reason : "nothing was measured");
	if (baselines(cli, run, err) < 0)
		return -1;
	if (format && strcmp(format, "table") != 0) /* a document on stdout stays one */
		fputs(line, stderr);
	else if (cli_write(cli, line, err) < 0)
		return -1;
	return v == VERDICT_PASS ? 0 : v == VERDICT_SHORT || v == VERDICT_ABOVE ? 1 : 3;
}

static int check(struct cli *cli, struct err *err)
{
	struct headless h = { .cli = cli, .default_test = "quick", .adjust = adjust, .status = status };

	return headless_run(&h, err);
}

static const struct opt own[] = {
	{ "before", 0, NULL, OPT_OWN, "store the result as the baseline of this volume, before a change", NULL },
	{ "after", 0, NULL, OPT_OWN, "compare with that baseline, and with the change that is to be expected", NULL },
	{ .name = NULL },
};

const struct command cmd_check = {
	.name = "check",
	.args = "[options] TARGET",
	.about = "a short run with a verdict, for scripts",
	.more = "30 s: half of it randread 16k (not for st1 and sc1), half read 1m; --runtime is that of each test.\n"
		"Exit status 0 only on pass; 1 on short or above; 3 on unknown (cached, no volume known, optimizing).",
	.groups = OPT_WORKLOAD | OPT_VOLUME | OPT_DETECT | OPT_SHAPE | OPT_WRITE | OPT_FORMAT | OPT_BONNIE | OPT_OUTPUT | OPT_RECORD,
	.own = own,
	.min_args = 0,
	.max_args = 1,
	.run = check,
};
