/* SPDX-License-Identifier: MIT */
#include "tui/setup.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/cgroup.h"
#include "engine/clock.h"
#include "engine/filetest.h"
#include "engine/suite_file.h"
#include "engine/touch.h"
#include "engine/units.h"

/* Measured time of a pattern that names neither a time nor a size. */
#define RUNTIME_DEFAULT (10 * NS_PER_SEC)

void setup_init(struct setup *s, const struct limits *limits)
{
	*s = (struct setup){ .time_scale = NAN, .credits = NAN, .optimizing = -1, .limits = limits, .limits_file = "", .opts = { .files = SETUP_FILES } };
	workload_init(&s->wl);
}

bool setup_is_sim(const struct setup *s)
{
	return strncmp(s->target, "sim:", 4) == 0;
}

static int copy(char *out, size_t size, const char *what, const char *text, struct err *err)
{
	if (strlen(text) >= size)
		return err_set(err, ERR_USAGE, "%s is too long (%zu characters at most)", what, size - 1);
	strcpy(out, text);
	return 0;
}

static int texts_from_cli(struct setup *s, const struct cli *cli, struct err *err)
{
	const struct {
		const char *name;
		char	   *out;
		size_t	    size;
	} rows[] = {
		{ "suite", s->suite, sizeof(s->suite) },	  { "volume", s->volume, sizeof(s->volume) },
		{ "raid", s->raid, sizeof(s->raid) },		  { "instance", s->instance, sizeof(s->instance) },
		{ "task", s->task, sizeof(s->task) },		  { "destroy-data", s->destroy, sizeof(s->destroy) },
		{ "record", s->record, sizeof(s->record) },	  { "shape", s->shape, sizeof(s->shape) },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *v = cli_get(cli, rows[i].name);
		char name[32];

		snprintf(name, sizeof(name), "--%s", rows[i].name);
		if (v && copy(rows[i].out, rows[i].size, name, v, err) < 0)
			return -1;
		if (v && !*v)
			return err_set(err, ERR_USAGE, "%s is empty", name);
	}
	return 0;
}

static int tests_from_cli(struct setup *s, const struct cli *cli, struct err *err)
{
	const char *v;

	for (unsigned i = 0; (v = cli_nth(cli, "workload", i)); i++) {
		const char *names[64] = { 0 };
		for (size_t k = 0; *workloads[k].name && k < 63; k++)
			names[k] = workloads[k].name;
		const char *near = closest_name(v, names);
		if (!workload_find(v))
			return err_set(err, ERR_USAGE, "--workload: there is no '%.40s'%s%s%s (see --list-workloads)", v,
				       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
		if (i == 8)
			return err_set(err, ERR_USAGE, "--workload: at most 8 at once");
		strcpy(s->workload[s->nr_workloads++], v);
	}
	for (unsigned i = 0; workload_fields[i].key; i++) {
		v = cli_get(cli, workload_fields[i].key);
		if (!v)
			continue;
		if (workload_set(&s->wl, workload_fields[i].key, v, err) < 0)
			return -1;
		s->wl_given |= 1u << i;
	}
	if (*s->suite && s->nr_workloads)
		return err_set(err, ERR_USAGE, "--suite and --workload exclude each other");
	if (*s->suite && !suite_find(s->suite) && !suite_file_exists(s->suite)) {
		char own[32][SUITE_FILE_NAME_LEN];
		const char *names[64] = { 0 };
		size_t k = 0, n = suite_file_list(own, 32);
		for (; suites[k].name && k < 31; k++)
			names[k] = suites[k].name;
		for (size_t i = 0; i < n; i++)
			names[k++] = own[i];
		const char *near = closest_name(s->suite, names);
		return err_set(err, ERR_USAGE, "--suite: there is no '%s'%s%s%s (see --list-suites; a file of your own is named by "
			       "its path: ./db.json)", s->suite, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	}
	return 0;
}

/* Whose own option is it? NULL: nobody's */
static const struct suite *classic_of(const char *option)
{
	for (const struct suite *s = suites; s->name; s++) {
		if (!suite_takes(NULL, option) && suite_takes(s, option))
			return s;
	}
	return NULL;
}

/* What no test of the run looks at is not passed over in silence. On the dashboard the suite may be still to be chosen. */
static int check_suite_options(const struct setup *s, const struct cli *cli, struct err *err)
{
	const struct suite *row = suite_find(s->suite);

	for (unsigned i = 0; i < cli->nr_given && (*s->suite || (*cli->cmd->name && !cli->screen)); i++) {
		const char *name = cli->given[i].opt->name;
		const struct suite *of = classic_of(name);

		if (suite_takes(row, name) || (!of && !suite_takes(NULL, name)))
			continue;
		if (of)
			return err_set(err, ERR_USAGE, "--%s is for suite %s%s%s", name, of->name, *s->suite ? ", not for " : "", s->suite);
		return err_set(err, ERR_USAGE, "--%s: suite %s has its own; it takes repeat %s", name, row->name, row->options);
	}
	return 0;
}

static int suite_opts_from_cli(struct suite_opts *o, const struct cli *cli, struct err *err)
{
	struct stat st;

	o->dd_random = strcmp(cli_text(cli, "dd-data", "zero"), "random") == 0;
	/* A line of 1.03 has no place for another meaning. */
	bool line_103 = strcmp(cli_text(cli, "bonnie-csv", ""), "1.03") == 0;
	o->stdio = strcmp(cli_text(cli, "per-char", line_103 ? "stdio" : "syscall"), "stdio") == 0;
	if (line_103 && !o->stdio)
		return err_set(err, ERR_USAGE, "--bonnie-csv=1.03 means per-character by stdio: not with --per-char=syscall");
	if (cli_has(cli, "char-size") && parse_size(cli_get(cli, "char-size"), &o->char_bytes, err) < 0)
		return err_wrap(err, "--char-size");
	if (cli_has(cli, "files") && filetest_parse(o, cli_get(cli, "files"), err) < 0)
		return err_wrap(err, "--files");
	if (cli_has(cli, "files") && o->files && cli->nr_args && stat(cli->args[0], &st) == 0 && !S_ISDIR(st.st_mode))
		return err_set(err, ERR_USAGE, "--files: %.300s is no directory to make files in", cli->args[0]);
	return 0;
}

int setup_from_cli(struct setup *s, const struct cli *cli, struct err *err)
{
	struct volumes vs;
	struct host host;
	uint64_t n = 0;

	if (cli->nr_args && copy(s->target, sizeof(s->target), "the target", cli->args[0], err) < 0)
		return -1;
	if (texts_from_cli(s, cli, err) < 0 || tests_from_cli(s, cli, err) < 0 || check_suite_options(s, cli, err) < 0)
		return -1;
	if (*s->volume && setup_is_sim(s) && s->target[4])
		return err_set(err, ERR_USAGE, "--volume and %s name two volumes: give one of them", s->target);
	if (cli_has(cli, "repeat") && parse_count(cli_get(cli, "repeat"), &n, err) < 0)
		return -1;
	s->repeat = (unsigned)n;
	s->shaped = cli_given(cli, "shape");
	if (cli_has(cli, "time-scale") && shape_scale_parse(cli_get(cli, "time-scale"), &s->time_scale, err) < 0)
		return err_wrap(err, "--time-scale");
	if (cli_has(cli, "credits") && parse_percent(cli_get(cli, "credits"), &s->credits, err) < 0)
		return err_wrap(err, "--credits");
	if (suite_opts_from_cli(&s->opts, cli, err) < 0)
		return -1;
	s->overwrite = cli_given(cli, "overwrite");
	s->no_record = cli_given(cli, "no-record");
	s->limits_file = cli_text(cli, "limits", "");
	return setup_volumes(s, &vs, &host, err);
}

int setup_volumes(const struct setup *s, struct volumes *volumes, struct host *host, struct err *err)
{
	const char *spec = *s->volume ? s->volume : setup_is_sim(s) ? s->target + 4 : "";

	*volumes = (struct volumes){ 0 };
	*host = (struct host){ 0 };
	if (*spec && volumes_parse(volumes, s->limits, spec, err) < 0)
		return err_wrap(err, "%s", *s->volume ? "--volume" : s->target);
	if (*s->raid && raid_parse(s->raid, &volumes->raid, err) < 0)
		return err_wrap(err, "--raid");
	if (volumes->n && volumes_check(volumes, err) < 0)
		return err_wrap(err, "--raid");
	if (*s->instance && *s->task)
		return err_set(err, ERR_USAGE, "--instance and --task exclude each other: a task has no instance type");
	if (*s->instance && host_instance(host, s->limits, s->instance, err) < 0)
		return err_wrap(err, "--instance");
	if (*s->task && host_task(host, s->limits, s->task, err) < 0)
		return err_wrap(err, "--task");
	return 0;
}

/* What was given on top of what a named test says. */
static void override(const struct setup *s, struct workload *wl)
{
	for (unsigned i = 0; workload_fields[i].key; i++) {
		if (s->wl_given & (1u << i))
			workload_copy_field(wl, &s->wl, &workload_fields[i]);
	}
}

static bool given(const struct setup *s, const char *key)
{
	for (unsigned i = 0; workload_fields[i].key; i++) {
		if (strcmp(workload_fields[i].key, key) == 0)
			return s->wl_given & (1u << i);
	}
	return false;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* May a suite's writing steps be done on this target? (The guard itself is in target_open.) */
static bool writes_allowed(const struct setup *s)
{
	return setup_is_sim(s) || s->overwrite || *s->destroy || is_directory(s->target);
}

static void default_time(const struct setup *s, struct workload *wl)
{
	/* As in fio, a size alone means once over it; a time means over and over. */
	if (!wl->runtime_ns && !given(s, "size") && !given(s, "runtime"))
		wl->runtime_ns = RUNTIME_DEFAULT;
}

static unsigned pattern_steps(const struct setup *s, struct step *out)
{
	char bs[FMT_LEN];

	if (!s->nr_workloads) {
		struct step *o = &out[0];
		*o = (struct step){ .kind = TEST_BLOCK, .wl = s->wl, .repeats = s->repeat ? s->repeat : 1 };
		snprintf(o->name, sizeof(o->name), "%s-%.12s", rw_name(s->wl.rw), fmt_bs(bs, s->wl.bs));
		memcpy(o->wl.name, o->name, sizeof(o->wl.name));
		default_time(s, &o->wl);
		return 1;
	}
	for (unsigned i = 0; i < s->nr_workloads; i++) {
		struct step *o = &out[i];
		*o = (struct step){ .kind = TEST_BLOCK, .wl = *workload_find(s->workload[i]), .repeats = s->repeat ? s->repeat : 1 };
		override(s, &o->wl);
		memcpy(o->name, o->wl.name, sizeof(o->name));
		default_time(s, &o->wl);
	}
	return s->nr_workloads;
}

/* A suite of the user's own: as its file says, what was typed above it. */
static int own_steps(const struct setup *s, const char *name, struct step *out, struct target_lines *notes, struct err *err)
{
	struct suite_file file;
	int n = suite_file_load(name, &s->wl, &file, out, PLANNED_MAX, err), kept = 0;


	for (int i = 0; i < n; i++) {
		if (!writes_allowed(s) && rw_writes(out[i].wl.rw))
			continue;
		out[kept] = out[i];
		override(s, &out[kept].wl);
		out[kept].once &= !given(s, "runtime");
		if (s->repeat)
			out[kept].repeats = s->repeat;
		kept++;
	}
	if (n > 0 && notes) {
		*notes = file.notes;
		if (kept < n)
			target_say(notes, "%.60s: %d of %d tests write, and this target may only be read: they are left out", name, n - kept, n);
	}
	if (n < 0)
		err->code = ERR_USAGE;
	if (n > 0 && !kept)
		return err_set(err, ERR_USAGE, "suite %s only writes, and this target may only be read", name);
	return n < 0 ? -1 : kept;
}

static int steps_of(const struct setup *s, const char *default_test, struct step *out, struct target_lines *notes, struct err *err)
{
	const char *suite = *s->suite ? s->suite : s->nr_workloads || given(s, "rw") ? NULL : default_test;

	if (!suite)
		return (int)pattern_steps(s, out);
	const struct suite *row = suite_find(suite);
	if (!row)
		return own_steps(s, suite, out, notes, err);
	if (strcmp(suite, TOUCH_SUITE) == 0 && is_directory(s->target))
		return err_set(err, ERR_USAGE, "suite %s reads a volume or a file that is there: nothing is cold in the scratch file of a directory",
			       suite);
	if (strcmp(suite, TOUCH_SUITE) == 0 && s->wl.numjobs > 1)
		return err_set(err, ERR_USAGE, "suite %s reads all of it once, in order: with numjobs 1, not %llu", suite,
			       (unsigned long long)s->wl.numjobs);
	struct suite_opts opts = s->opts;
	struct cgroup_limits lim;

	cgroup_limits(&lim);
	opts.base = s->wl;
	opts.writes = writes_allowed(s);
	opts.directory = is_directory(s->target);
	opts.memory = cgroup_memory(&lim);
	opts.bytes = given(s, "size") ? s->wl.size : 0;
	if (row->make && !given(s, "direct"))
		opts.base.direct = 0; /* the classics go through the page cache unless they are told not to */
	unsigned n = suite_steps(row, &opts, out, PLANNED_MAX);
	for (unsigned i = 0; i < n; i++) {
		if (!row->make)
			override(s, &out[i].wl);
		if (s->repeat)
			out[i].repeats = s->repeat;
	}
	return n ? (int)n : err_set(err, ERR_USAGE, "suite %s only writes, and this target may only be read", suite);
}

int setup_steps(const struct setup *s, const char *default_test, struct step *out, struct err *err)
{
	return steps_of(s, default_test, out, NULL, err);
}

static struct model_input input_of(const struct setup *s, const struct volumes *vs, const struct host *h,
				   const struct workload *wl)
{
	return (struct model_input){ .volumes = vs, .host = h, .wl = wl, .credits = s->credits,
				     .host_credits = { s->credits, s->credits }, .limits = s->limits };
}

int setup_expect(const struct setup *s, const struct workload *wl, struct expectation *out, struct err *err)
{
	struct volumes vs;
	struct host host;

	if (setup_volumes(s, &vs, &host, err) < 0)
		return -1;
	struct model_input in = input_of(s, &vs, &host, wl);
	model_expect(&in, out);
	return 0;
}

static int plan_shape(const struct setup *s, const struct workload *wl, double scale_default, struct shape *shape,
		      struct err *err)
{
	bool sim_spec = setup_is_sim(s) && s->target[4];
	struct volumes vs;
	struct host host;

	*shape = (struct shape){ 0 };
	if (!s->shaped && !sim_spec) {
		if (!isnan(s->time_scale))
			return err_set(err, ERR_USAGE, "--time-scale needs --shape: only shaped credits can run faster");
		return 0;
	}
	if (setup_volumes(s, &vs, &host, err) < 0)
		return -1;
	if (!*s->shape && !vs.n)
		return err_set(err, ERR_USAGE, "--shape needs a volume (--volume SPEC), or a schedule (--shape=3000iops@20s,300iops)");
	struct model_input in = input_of(s, &vs, &host, wl);
	if (*s->shape) {
		if (shape_parse(shape, s->shape, err) < 0)
			return err_wrap(err, "--shape");
		if (vs.n)
			shape->latency_ns = volume_sim_latency(&vs.v[0]);
	} else {
		model_shape(&in, shape);
	}
	shape->time_scale = !isnan(s->time_scale) ? s->time_scale : setup_is_sim(s) ? scale_default : 1;
	return 0;
}

/* Tests that make system calls of their own: nothing holds those to a rate, and a simulated volume has no file for them. */
static int check_bodies(const struct setup *s, const struct run_plan *plan, struct err *err)
{
	const char *name = NULL;

	for (unsigned i = 0; i < plan->nr_steps && !name; i++)
		name = plan->step[i].body ? plan->step[i].name : NULL;
	if (name && plan->simulated)
		return err_set(err, ERR_USAGE, "%s makes system calls on a real file: name a directory, a file or a device, not sim:", name);
	if (name && (s->shaped || *s->shape))
		return err_set(err, ERR_USAGE, "--shape holds block tests to a rate; %s makes system calls of its own, which it can't hold", name);
	return 0;
}

/* What the run is called: its suite (of a file the name alone, where no suite of ours has that), else its test. */
static const char *title_of(const struct setup *s, const struct run_plan *plan, const char *default_test)
{
	const char *slash = strrchr(s->suite, '/');

	if (*s->suite)
		return slash && !suite_find(slash + 1) ? slash + 1 : s->suite;
	return s->nr_workloads || given(s, "rw") ? plan->step[0].name : default_test;
}

int setup_plan(const struct setup *s, const char *default_test, double scale_default, struct run_plan *plan, struct err *err)
{
	int n = steps_of(s, default_test, plan->step, &plan->notes, err);

	if (n < 0)
		return -1;
	plan->nr_steps = (unsigned)n;
	plan->target = s->target;
	plan->title = title_of(s, plan, default_test);
	plan->req = (struct target_request){ .overwrite = s->overwrite,
					     .destroy = *s->destroy ? s->destroy : NULL,
					     .size = given(s, "size") ? s->wl.size : 0 };
	plan->record = s->no_record ? NULL : s->record;
	plan->simulated = setup_is_sim(s);
	for (unsigned i = 0; i < plan->nr_steps; i++) {
		struct workload *wl = &plan->step[i].wl;
		if (plan->simulated)
			wl->ioengine = IOENGINE_SIM;
	}
	if (check_bodies(s, plan, err) < 0)
		return -1;
	return plan_shape(s, &plan->step[0].wl, scale_default, &plan->shape, err);
}
