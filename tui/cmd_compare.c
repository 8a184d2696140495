/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/alternatives.h"
#include "aws/reference.h"
#include "engine/compare.h"
#include "engine/recorder.h"
#include "tui/commands.h"
#include "tui/compare_text.h"

/* Which of the formats that a comparison has. */
enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV };

static int format_of(const struct cli *cli, enum format *out, struct err *err)
{
	static const char *const names[] = { "table", "json", "csv" };
	const char *given = cli_text(cli, "format", "table");

	for (int i = 0; i < 3; i++)
		if (strcmp(given, names[i]) == 0) {
			*out = (enum format)i;
			return 0;
		}
	return err_set(err, ERR_USAGE, "--format %s: a comparison is a table, json or csv", given);
}

static char *json_lines(json_t *doc)
{
	char *json = json_text_of(doc, true), *text = NULL;

	json_decref(doc);
	if (json && asprintf(&text, "%s\n", json) < 0)
		text = NULL;
	free(json);
	return text;
}

static char *references_text(enum format format)
{
	size_t nr = reference_count(), size;
	struct reference *all = calloc(nr + 1, sizeof(*all));
	char *text = NULL;
	FILE *f = all && format != FORMAT_JSON ? open_memstream(&text, &size) : NULL;
	json_t *list = all && format == FORMAT_JSON ? json_array() : NULL;

	nr = all ? reference_list(all, nr) : 0;
	for (size_t i = 0; i < nr; i++) {
		const struct reference *r = &all[i];
		if (list)
			json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s}", "name", r->name, "about", r->about, "source",
							      r->source, "date", r->date));
		else if (f && format == FORMAT_CSV)
			fprintf(f, "%s,\"%s\",\"%s\",\"%s\"\n", r->name, r->about, r->source, r->date);
		else if (f)
			fprintf(f, "%-38s %s; %s\n", r->name, r->about, r->date);
	}
	free(all);
	if (list)
		return json_lines(json_pack("{s:s,s:o}", "schema", "ebscope/1", "references", list));
	return f && fclose(f) == 0 ? text : (free(text), NULL);
}

static char *comparison_text(const struct comparison *c, enum format format)
{
	switch (format) {
	case FORMAT_JSON:
		return json_lines(compare_to_json(c));
	case FORMAT_CSV:
		return compare_to_csv(c);
	default:
		return compare_to_table(c);
	}
}

static int print(const struct cli *cli, char *text, struct err *err)
{
	int rc = text ? cli_write(cli, text, err) : err_set(err, ENOMEM, "no memory");

	free(text);
	return rc;
}

static int load(struct import_run *run, const char *name, struct err *err)
{
	if (reference_named(name))
		return reference_load(run, name, err);
	if (strcmp(name, "-") == 0)
		return import_file(run, "/dev/stdin", err);
	return import_file(run, name, err);
}

/* The volumes of a run as the tables know them; false where it names none, or one that they don't allow. */
static bool volume_of(const struct import_run *run, const struct limits *l, struct volume *v)
{
	const struct import_volumes *vs = &run->volumes;
	const struct volume_type *t = vs->n ? volume_type_find(l, vs->type) : NULL;
	bool sold = t && t->class == CLASS_PROVISIONED;
	struct err err = { 0 };

	if (!t || !(vs->size_gib >= 1 && vs->size_gib <= t->size_max) || (sold && !(vs->iops >= 1 && vs->iops <= t->iops_max)))
		return false;
	*v = volume_make(t, (uint64_t)vs->size_gib, sold ? (uint64_t)vs->iops : 0,
			 sold && vs->mibps >= 1 && vs->mibps <= t->mibps_max ? (uint64_t)vs->mibps : 0);
	return volume_check(v, &err) == 0;
}

static size_t say_change(char *buf, size_t size, const char *what, double now, double was)
{
	double part = now / was - 1;

	if (!isfinite(part) || fabs(part) < 0.005)
		return 0;
	return (size_t)snprintf(buf, size, " %s %+.0f %%,", what, 100 * part);
}

/* What the change of volume alone is worth by the documents, and which settings undo a loss. */
static void note_volumes(struct import_run *run, size_t n, const struct limits *l)
{
	struct volume was, now, back;
	char change[96], text[80], spec[48];
	size_t base = 0;

	while (base < n && !volume_of(&run[base], l, &was))
		base++;
	for (size_t k = base + 1; k < n; k++) {
		if (run[k].volumes.n != run[base].volumes.n || !volume_of(&run[k], l, &now))
			continue;
		struct volume_perf p = volume_perf(&now, true), q = volume_perf(&was, true);
		size_t at = say_change(change, sizeof(change), "throughput", p.bw_burst, q.bw_burst);
		at += say_change(change + at, sizeof(change) - at, "IOPS", p.iops_base, q.iops_base);
		if (!at)
			continue;
		change[at - 1] = 0;
		*text = 0;
		if (alternative_restores(&now, &was, &back))
			snprintf(text, sizeof(text), "; %s has as much", volume_spec(&back, spec, sizeof(spec)));
		import_warn(&run[k], "its volume beside that of run %zu, as documented:%s%s", base + 1, change, text);
	}
}

static int compare(struct cli *cli, struct err *err)
{
	enum format format = FORMAT_TABLE;
	struct limits own_limits;
	size_t n = 0;
	int rc = -1;

	const struct limits *limits = limits_or(&own_limits, cli_get(cli, "limits"), err);
	if (!limits || format_of(cli, &format, err) < 0)
		return -1;
	if (cli_has(cli, "list-references"))
		return print(cli, references_text(format), err);
	if (!cli->nr_args)
		return err_set(err, ERR_USAGE, "compare: name one or more runs: recordings, results of other tools, or "
			       "reference runs (--list-references)");
	struct import_run *run = calloc(COMPARE_RUNS_MAX, sizeof(*run));
	struct comparison c;
	if (!run)
		return err_set(err, ENOMEM, "no memory");
	while (n < cli->nr_args && load(&run[n], cli->args[n], err) == 0)
		n++;
	note_volumes(run, n, limits);
	if (n == cli->nr_args && compare_runs(&c, run, n, err) == 0) {
		rc = print(cli, comparison_text(&c, format), err);
		compare_release(&c);
	}
	for (size_t i = 0; i < n; i++)
		import_release(&run[i]);
	free(run);
	return rc;
}

static const struct opt own[] = {
	{ "format", 0, "F", OPT_OWN, "table, json or csv (table)", NULL },
	{ "list-references", 0, NULL, OPT_OWN, "list the built-in reference runs", NULL },
	{ .name = NULL },
};

const struct command cmd_compare = {
	.name = "compare",
	.args = "[options] RUN…",
	.about = "runs side by side, from recordings, references and other tools",
	.more = "A RUN is a recording of ebscope's or its JSON result, a built-in reference run (ref:NAME), or what another\n"
		"tool wrote: fio --output-format=json, bonnie++'s CSV (1.03, 1.97, 1.98), iperf3 -J; - is standard input.\n"
		"The first run that has a test is what the others are compared with. A difference is called larger than the\n"
		"noise by a block bootstrap, where a run holds its series. What cannot be compared is said, not blurred.",
	.groups = OPT_OUTPUT | OPT_LIMITS,
	.own = own,
	.min_args = 0,
	.max_args = COMPARE_RUNS_MAX,
	.run = compare,
};
