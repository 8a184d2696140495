/* SPDX-License-Identifier: MIT */
#include "tui/cmd.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/closest.h"
#include "engine/clock.h"
#include "engine/shape.h"
#include "engine/units.h"
#include "engine/workload.h"
#include "tui/canvas.h"
#include "tui/foreign.h"

#define OPTS_MAX 96

static void number_text(const struct opt_value *v, uint64_t n, char *buf)
{
	if (v->number == OPT_NUMBER_SIZE)
		fmt_bs(buf, n);
	else
		snprintf(buf, FMT_LEN, "%" PRIu64, n);
}

/* "1 to 128", "1 to 600 s", "1 or more" */
static char *allowed(const struct opt_value *v, char *buf, size_t size)
{
	char low[FMT_LEN], high[FMT_LEN];

	number_text(v, v->min, low);
	number_text(v, v->max, high);
	if (v->max == INT64_MAX)
		snprintf(buf, size, "%s or more", low);
	else
		snprintf(buf, size, "%s to %s%s", low, high, v->number == OPT_NUMBER_TIME ? " s" : "");
	return buf;
}

static int check_number(const struct opt_value *v, const char *text, struct err *err)
{
	static int (*const parse[])(const char *, uint64_t *, struct err *) = { parse_count, parse_size, parse_time };
	static const char *const what[] = { "whole number", "size", "time" };
	char range[2 * FMT_LEN + 8];
	uint64_t n, unit = v->number == OPT_NUMBER_TIME ? NS_PER_SEC : 1;
	struct err ignored;

	if (parse[v->number](text, &n, &ignored) == 0 && n >= v->min * unit && n <= v->max * unit)
		return 0;
	return err_set(err, ERR_USAGE, "'%.40s' is not a %s %s %s", text, what[v->number], v->max == INT64_MAX ? "of" : "from",
		       allowed(v, range, sizeof(range)));
}

int opt_check_percent(const char *v, struct err *err)
{
	double share;

	return parse_percent(v, &share, err);
}

static int check_words(const char *v, const char *a, const char *b, struct err *err)
{
	if (strcmp(v, a) == 0 || strcmp(v, b) == 0)
		return 0;
	return err_set(err, ERR_USAGE, "'%.40s' is not %s or %s", v, a, b);
}

static int check_dd_data(const char *v, struct err *err)
{
	return check_words(v, "zero", "random", err);
}

static int check_per_char(const char *v, struct err *err)
{
	return check_words(v, "stdio", "syscall", err);
}

static int check_color(const char *v, struct err *err)
{
	if (strcmp(v, "always") == 0)
		return 0;
	return check_words(v, "auto", "never", err) < 0 ? err_set(err, ERR_USAGE, "'%.40s' is not auto, always or never", v) : 0;
}

static int check_scale(const char *v, struct err *err)
{
	double scale;

	return shape_scale_parse(v, &scale, err);
}

const struct opt common_opts[] = {
	{ "help", 'h', NULL, OPT_GLOBAL, "what there is, and how it is used", NULL },
	{ "version", 'V', NULL, OPT_GLOBAL, "the version", NULL },
	{ "workload", 0, "NAME", OPT_WORKLOAD | OPT_PATTERN, "a named workload, repeatable (--list-workloads)", NULL },
	{ "suite", 0, "NAME|FILE", OPT_WORKLOAD, "a list of tests (--list-suites), or a file of your own: ./db.json, ./jobs.fio (fio's)", NULL },
	{ "repeat", 0, "N", OPT_WORKLOAD, "do each test N times, {} (1, or the suite's own)", OPT_COUNT(1, 100) },
	{ "dd-data", 0, "zero|random", OPT_WORKLOAD, "suite dd: what is written (zero)", OPT_CHECK(check_dd_data) },
	{ "per-char", 0, "stdio|syscall", OPT_WORKLOAD, "suite bonnie: per-character as 1.03 or as 1.9x and later did it (syscall)", OPT_CHECK(check_per_char) },
	{ "char-size", 0, "SIZE", OPT_WORKLOAD, "suite bonnie: bytes of the per-character tests, {} (3m; stdio: all of --size)", OPT_SIZE(1, INT64_MAX) },
	{ "files", 0, "N[:MAX[:MIN[:DIRS]]]", OPT_WORKLOAD, "suite bonnie: N times 1,024 files, N 0 to 1024, as its -n (16)", NULL },
	{ "list-workloads", 0, NULL, OPT_WORKLOAD | OPT_PATTERN, "print the named workloads", NULL },
	{ "list-suites", 0, NULL, OPT_WORKLOAD, "print the suites", NULL },
	{ "volume", 0, "SPEC", OPT_VOLUME, "the volume, [N*]TYPE[:SIZE[:IOPS[:THROUGHPUT]]]: gp3:500:6000:250, 10*gp2:20", NULL },
	{ "raid", 0, "LEVEL", OPT_VOLUME, "how several volumes are joined: 0, 1, 5, 6 or 10 (0)", NULL },
	{ "instance", 0, "TYPE", OPT_VOLUME, "the instance type the volume is attached to: m5.large (what is detected)", NULL },
	{ "task", 0, "VCPU:MEM", OPT_VOLUME, "the Fargate task size: 0.25:1, 2:6GB, 0.25:512MiB", NULL },
	{ "volume-id", 0, "ID", OPT_DETECT, "the EBS volume (or a device) that AWS is asked about; default: what is below the target", NULL },
	{ "limits", 0, "FILE", OPT_VOLUME | OPT_LIMITS, "figures that replace the built-in ones", NULL },
	{ "shape", 0, "[RATE@TIME,…]", OPT_SHAPE, "hold the I/O to what is documented, or to a schedule: 260MiBps@60s,128MiBps", NULL },
	{ "time-scale", 0, "N", OPT_SHAPE, "drain and refill credits N times faster, 1 to 10000 (1; on the dashboard's sim: 60)", OPT_CHECK(check_scale) },
	{ "credits", 0, "PERCENT", OPT_SHAPE | OPT_CREDITS, "the credit balance at the start, 0 to 100 (100)", OPT_CHECK(opt_check_percent) },
	{ "overwrite", 0, NULL, OPT_WRITE, "an existing file may be written", NULL },
	{ "destroy-data", 0, "NAME,…", OPT_WRITE, "this block device may be overwritten: its kernel name or volume id", NULL },
	{ "format", 0, "F", OPT_FORMAT, "table, json, csv, series (a line a tick), fio, bonnie, openmetrics, svg or card (table)", NULL },
	{ "format", 0, "F", OPT_TABLE, "table or json (table)", NULL },
	{ "bonnie-csv", 0, "VERSION", OPT_BONNIE, "--format bonnie as 1.98, 1.97 or 1.03 has it (1.98)", NULL },
	{ "output", 'o', "FILE", OPT_OUTPUT, "print the result into a file; - is stdout (-)", NULL },
	{ "record", 0, "FILE", OPT_RECORD, "where the recording goes; - is stdout (a new file in ~/.local/state/ebscope/runs)", NULL },
	{ "no-record", 0, NULL, OPT_RECORD, "make no recording", NULL },
	{ "screen", 0, "WxH", OPT_SCREEN, "draw the dashboard in memory, at this size (--dump)", NULL },
	{ "keys", 0, "KEYS", OPT_SCREEN, "type these keys, tmux's names: Tab,Enter,wait:2s,until:done,text:gp3,comma", NULL },
	{ "dump", 0, "[ansi]", OPT_SCREEN, "print the screen after the last key", NULL },
	{ "theme", 0, "NAME|FILE", OPT_SCREEN, "default, colorblind, projector, one's own or a .theme file of btop's (as last chosen)", NULL },
	{ "color", 0, "WHEN", OPT_SCREEN, "auto, always or never (auto); NO_COLOR is obeyed", OPT_CHECK(check_color) },
	{ NULL, 0, NULL, 0, NULL, NULL },
};

static unsigned groups_of_field(const char *key)
{
	static const char *const pattern[] = { "rw", "bs", "iodepth", "numjobs", "rwmixread", "rate_iops", NULL };

	for (unsigned i = 0; pattern[i]; i++)
		if (strcmp(key, pattern[i]) == 0)
			return OPT_WORKLOAD | OPT_PATTERN;
	return strcmp(key, "runtime") == 0 ? OPT_WORKLOAD | OPT_RUNTIME : OPT_WORKLOAD;
}

/* The rows of the workload's fields, as options. */
static unsigned workload_opts(struct opt *out, unsigned groups)
{
	static const char *const args[] = { "N", "SIZE", "TIME", "PATTERN", "ENGINE", "MODE" };
	unsigned n = 0;

	for (const struct workload_field *f = workload_fields; f->key; f++)
		if (groups_of_field(f->key) & groups)
			out[n++] = (struct opt){ f->key, 0, args[f->type], groups_of_field(f->key), f->help, NULL };
	return n;
}

/* All options of a command in one list, in the order of its help. Static: rows are pointed to for the whole run. */
static const struct opt *opts_of(const struct command *cmd, unsigned extra, unsigned *nr)
{
	static struct opt list[OPTS_MAX];
	unsigned n = workload_opts(list, cmd->groups);

	for (const struct opt *o = common_opts; o->name; o++) {
		if ((cmd->groups | extra | OPT_GLOBAL) & o->groups)
			list[n++] = *o;
	}
	for (const struct opt *o = cmd->own; o && o->name; o++)
		list[n++] = *o;
	*nr = n;
	return list;
}

const char *closest_name(const char *text, const char *const *names)
{
	const char *best = NULL;
	size_t least = strlen(text) / 2 + 1;

	for (size_t i = 0; names[i] && strlen(text) > 1; i++) {
		if (strncmp(text, names[i], strlen(text)) == 0)
			return names[i];
	}
	for (; *names; names++) {
		size_t d = closest_distance(text, *names);
		if (d < least) {
			least = d;
			best = *names;
		}
	}
	return best;
}

static int unknown_option(const struct command *cmd, const char *given, int argc, char **argv, const struct opt *opts,
			  unsigned n, struct err *err)
{
	const char *names[OPTS_MAX + 1], *near = NULL, *colon = *cmd->name ? ": " : "";
	char name[64], answer[384];
	bool dashes = strncmp(given, "--", 2) == 0;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(given, "="), given);
	for (unsigned i = 0; i < n; i++) {
		names[i] = opts[i].name;
		if (strcmp(names[i], name + (dashes ? 2 : 1)) == 0) /* fio takes -rw for --rw */
			near = names[i];
	}
	names[n] = NULL;
	if (!near && foreign_answer(cmd, given, argc, argv, answer, sizeof(answer)))
		return err_set(err, ERR_USAGE, "%s%sother words here: %s (see ebscope %s%s--help)", cmd->name, colon, answer,
			       cmd->name, *cmd->name ? " " : "");
	if (dashes && !near)
		near = closest_name(name + 2, names);
	if (near && dashes && strcmp(near, name + 2) == 0)
		return err_set(err, ERR_USAGE, "%s%s%s takes no value", cmd->name, colon, name);
	return err_set(err, ERR_USAGE, "%s%s%s is not an option%s%s%s (see ebscope %s%s--help)", cmd->name, colon, name,
		       near ? "; did you mean --" : "", near ? near : "", near ? "?" : "", cmd->name, *cmd->name ? " " : "");
}

static int take(struct cli *cli, const struct opt *o, const char *value, struct err *err)
{
	const struct opt_value *v = value ? o->value : NULL;

	if (v && (v->check ? v->check(value, err) : check_number(v, value, err)) < 0)
		return err_wrap(err, "--%s", o->name);
	for (const struct workload_field *f = workload_fields; value && f->key; f++) {
		struct workload wl;
		workload_init(&wl);
		if (strcmp(f->key, o->name) == 0 && workload_set(&wl, f->key, value, err) < 0)
			return -1;
	}
	if (o->arg && *o->arg != '[' && !*value)
		return err_set(err, ERR_USAGE, "--%s is empty", o->name);
	if (cli->nr_given == CLI_GIVEN_MAX)
		return err_set(err, ERR_USAGE, "too many options");
	cli->given[cli->nr_given].opt = o;
	cli->given[cli->nr_given++].value = o->arg ? value : "";
	cli->help = cli->help || strcmp(o->name, "help") == 0;
	cli->version = cli->version || strcmp(o->name, "version") == 0;
	return 0;
}

static int parse_opts(struct cli *cli, int argc, char **argv, struct err *err)
{
	unsigned n;
	const struct opt *opts = opts_of(cli->cmd, cli->screen ? OPT_SCREEN : 0, &n);
	struct option longs[OPTS_MAX + 1] = { 0 };
	char shorts[2 * OPTS_MAX + 3] = ":";
	int c;

	for (unsigned i = 0; i < n; i++) {
		const char *arg = opts[i].arg;
		longs[i] = (struct option){ opts[i].name, !arg ? no_argument : *arg == '[' ? optional_argument : required_argument,
					    NULL, (int)(256 + i) };
		if (opts[i].letter) {
			size_t len = strlen(shorts);
			shorts[len] = opts[i].letter;
			shorts[len + 1] = arg ? ':' : 0;
		}
	}
	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct opt *o = c >= 256 ? &opts[c - 256] : NULL;
		bool apart = optarg && optarg == argv[optind - 1]; /* "--bs 4k", not "--bs=4k" */
		const char *word = argv[optind - (apart ? 2 : 1)];
		bool letters = c == '?' && optopt > 0 && optopt < 256; /* getopt is past their word only behind the last of them */

		if (letters && !(word[0] == '-' && word[1] != '-' && word[strlen(word) - 1] == optopt))
			word = argv[optind];

		for (unsigned i = 0; !o && i < n; i++) {
			if (opts[i].letter && opts[i].letter == c)
				o = &opts[i];
		}
		if (c == ':')
			return err_set(err, ERR_USAGE, "%s needs a value", word);
		/* getopt takes unambiguous beginnings for the whole name; names here are whole or wrong. */
		if (c == '?' || !o || (c >= 256 && strcspn(word, "=") != strlen(o->name) + 2))
			return unknown_option(cli->cmd, word, argc, argv, opts, n, err);
		if (take(cli, o, optarg, err) < 0)
			return -1;
	}
	cli->args = argv + optind;
	cli->nr_args = (unsigned)(argc - optind);
	return 0;
}

/* Where the command's name would be: behind the program's, or behind options that are about the screen. */
static int command_at(int argc, char **argv)
{
	int i = 1;

	while (i < argc && strncmp(argv[i], "--", 2) == 0) {
		const struct opt *o = common_opts;
		size_t len = strcspn(argv[i] + 2, "=");
		while (o->name && !(o->groups == OPT_SCREEN && strlen(o->name) == len && strncmp(o->name, argv[i] + 2, len) == 0))
			o++;
		if (!o->name)
			break;
		bool apart = o->arg && *o->arg != '[' && argv[i][len + 2] != '=';
		i += apart ? 2 : 1;
	}
	return i;
}

const char *closest_command(const char *text)
{
	const char *names[32] = { NULL };
	unsigned n = 0;

	for (size_t i = 1; commands[i] && n < 31; i++)
		names[n++] = commands[i]->name;
	return closest_name(text, names);
}

/* "help" and "help run", as other programs with commands have it. */
static int help_of(struct cli *cli, const char *name, struct err *err)
{
	for (size_t i = 0; commands[i]; i++) {
		if (strcmp(name, commands[i]->name) == 0) {
			cli->cmd = commands[i];
			cli->help = true;
			return 0;
		}
	}
	const char *near = closest_command(name);
	return err_set(err, ERR_USAGE, "help: there is no command '%.40s'%s%s%s (see ebscope --help)", name,
		       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

int cli_parse(struct cli *cli, int argc, char **argv, struct err *err)
{
	int at = command_at(argc, argv);

	*cli = (struct cli){ .cmd = commands[0], .screen = at > 1 };
	for (size_t i = 1; at < argc && commands[i]; i++) {
		if (strcmp(argv[at], commands[i]->name) == 0)
			cli->cmd = commands[i];
	}
	if (at < argc && strcmp(argv[at], "help") == 0 && argc - at <= 2)
		return help_of(cli, at + 1 < argc ? argv[at + 1] : "", err);
	if (cli->cmd != commands[0]) {
		memmove(argv + 1, argv, (size_t)at * sizeof(*argv));
		argc--;
		argv++;
	}
	if (parse_opts(cli, argc, argv, err) < 0)
		return -1;
	if (cli->help || cli->version)
		return 0;
	for (unsigned i = 0; i < cli->nr_args; i++) {
		if (!*cli->args[i])
			return err_set(err, ERR_USAGE, "an argument is empty");
	}
	if (cli_has(cli, "list-workloads") || cli_has(cli, "list-suites"))
		return 0;
	if (cli->nr_args < cli->cmd->min_args || cli->nr_args > cli->cmd->max_args)
		return err_set(err, ERR_USAGE, "usage: ebscope %s%s%s", cli->cmd->name, *cli->cmd->name ? " " : "", cli->cmd->args);
	return 0;
}

const char *cli_nth(const struct cli *cli, const char *name, unsigned i)
{
	for (unsigned k = 0; k < cli->nr_given; k++) {
		if (strcmp(cli->given[k].opt->name, name) == 0 && i-- == 0)
			return cli->given[k].value;
	}
	return NULL;
}

const char *cli_get(const struct cli *cli, const char *name)
{
	const char *v = NULL;

	for (unsigned k = 0; k < cli->nr_given; k++) {
		if (strcmp(cli->given[k].opt->name, name) == 0)
			v = cli->given[k].value;
	}
	return v;
}

const char *cli_text(const struct cli *cli, const char *name, const char *missing)
{
	const char *v = cli_get(cli, name);

	return v ? v : missing;
}

bool cli_given(const struct cli *cli, const char *name)
{
	for (unsigned k = 0; k < cli->nr_given; k++) {
		if (strcmp(cli->given[k].opt->name, name) == 0)
			return true;
	}
	return false;
}

/* Two columns: what is longer than the left one has a line of its own. */
static void help_row(FILE *f, const char *left, int width, const char *right)
{
	int w = text_width(left);

	if (w > width)
		fprintf(f, "  %s\n  %*s %s\n", left, width, "", right);
	else
		fprintf(f, "  %s%*s %s\n", left, width - w, "", right);
}

/* Numbers say what is allowed, the workload's parameters each in its own words. */
static void help_opt(FILE *f, const char *left, const struct opt *o)
{
	const struct workload_field *field = workload_fields;
	const char *hole = strstr(o->help, "{}");
	char range[128], right[256];

	while (field->key && strcmp(field->key, o->name) != 0)
		field++;
	if (field->key && workload_allowed(field, range, sizeof(range))[0])
		snprintf(right, sizeof(right), "%s%s %s", o->help, *range == '(' ? "" : ":", range);
	else if (hole)
		snprintf(right, sizeof(right), "%.*s%s%s", (int)(hole - o->help), o->help, allowed(o->value, range, sizeof(range)), hole + 2);
	else
		snprintf(right, sizeof(right), "%s", o->help);
	help_row(f, left, 30, right);
}

static void help_opts(FILE *f, const struct command *cmd)
{
	unsigned n;
	const struct opt *opts = opts_of(cmd, 0, &n);
	bool fields = false;

	fprintf(f, "\nOptions:\n");
	for (unsigned i = 0; i < n; i++) {
		char left[64];
		const char *arg = opts[i].arg;

		snprintf(left, sizeof(left), "%c%c%c --%s%s%s", opts[i].letter ? '-' : ' ', opts[i].letter ? opts[i].letter : ' ',
			 opts[i].letter ? ',' : ' ', opts[i].name, !arg ? "" : *arg == '[' ? "[=" : "=", !arg ? "" : *arg == '[' ? arg + 1 : arg);
		help_opt(f, left, &opts[i]);
		fields = fields || opts[i].groups & OPT_PATTERN;
	}
	if (fields && cmd->groups & OPT_WORKLOAD)
		fprintf(f, "\nIn brackets: the default, of the workload's parameters that %s\n"
			   "SIZE: 16k, 1m, 2g, powers of 1024. TIME: 30, 90s, 5m, 250ms.\n",
			cmd == commands[0] ? "of `run`: the form starts from workload iops." :
					     "of a test given by --rw or --bs;\nworkloads and suites have their own.");
}

char *cli_help(const struct command *cmd)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	if (cmd == commands[0]) {
		fprintf(f, "ebscope: an oscilloscope for EBS volumes\n\nUsage:\n");
		for (size_t i = 0; commands[i]; i++) {
			char left[128];
			snprintf(left, sizeof(left), "ebscope %-8s %s", commands[i]->name, commands[i]->args);
			help_row(f, left, 43, commands[i]->about);
		}
		fprintf(f, "  ebscope COMMAND --help, or ebscope help COMMAND\n");
	} else {
		fprintf(f, "Usage: ebscope %s %s\n\n%s\n", cmd->name, cmd->args, cmd->about);
	}
	if (cmd->more)
		fprintf(f, "\n%s\n", cmd->more);
	help_opts(f, cmd);
	fprintf(f, "\nExit status: 0 done (and as expected, where something was expected), 1 fell short, 2 wrong usage,\n"
		   "3 could not run or refused for safety, 128 + n ended by signal n.\n");
	fclose(f);
	return text;
}
