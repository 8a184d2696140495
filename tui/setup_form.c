/* SPDX-License-Identifier: MIT */
#include "tui/setup_form.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/clock.h"
#include "engine/shape.h"
#include "engine/suite.h"
#include "engine/suite_file.h"
#include "engine/units.h"
#include "tui/setup_form_parts.h"

/* Of a test that names none: long enough to see a level, short enough to try again. */
#define RUNTIME_DEFAULT (30 * NS_PER_SEC)

static const char *const volume_choices[] = { "none", "gp2", "gp3", "io1", "io2", "st1", "sc1", "standard", NULL };
static const char *const raid_choices[] = { "0", "1", "5", "6", "10", NULL };
static const char *const rw_choices[] = { "read", "write", "rw", "randread", "randwrite", "randrw", NULL };
static const char *const yes_no[] = { "no", "yes", NULL };
static const char *const no_choices[] = { NULL };

static const struct form_row row_table[SF_NR] = {
	[SF_TARGET] = { "target", FORM_TEXT, 0, 0, true, "a directory, a file, a block device, several with commas, or sim:", NULL },
	[SF_VOLUME] = { "volume", FORM_CHOICE, 1, 0, false, "what the target is on: turn with the arrows", volume_choices },
	[SF_COUNT] = { "count", FORM_TEXT, 1, 1, false, "how many volumes of that kind, 1 to 32", NULL },
	[SF_SIZE] = { "size GiB", FORM_TEXT, 2, 0, false, "of each volume; GiB, or with TiB", NULL },
	[SF_IOPS] = { "IOPS", FORM_TEXT, 2, 1, false, "as bought (gp3, io1, io2)", NULL },
	[SF_MIBPS] = { "MiB/s", FORM_TEXT, 3, 0, false, "throughput as bought (gp3)", NULL },
	[SF_RAID] = { "RAID", FORM_CHOICE, 3, 1, false, "how the volumes are joined", raid_choices },
	[SF_HOST] = { "host", FORM_TEXT, 4, 0, true, "an instance type (m5.large) or a task size (0.25:1); empty: not known", NULL },
	[SF_TEST] = { "test", FORM_CHOICE, 5, 0, false, "a named workload, or a suite of tests; the fields then change it", no_choices },
	[SF_RW] = { "rw", FORM_CHOICE, 5, 1, false, "access pattern", rw_choices },
	[SF_BS] = { "bs", FORM_TEXT, 6, 0, false, "bytes per I/O: 4k, 16k, 1m", NULL },
	[SF_IODEPTH] = { "iodepth", FORM_TEXT, 6, 1, false, "I/Os in flight per job", NULL },
	[SF_NUMJOBS] = { "jobs", FORM_TEXT, 7, 0, false, "workers that do the same at once", NULL },
	[SF_RUNTIME] = { "runtime", FORM_TEXT, 7, 1, false, "wall time measured: 30s, 5m; empty in a suite: as each test says", NULL },
	[SF_MIX] = { "reads %", FORM_TEXT, 8, 0, false, "percent of the I/Os that read", NULL },
	[SF_RATE] = { "rate cap", FORM_TEXT, 8, 1, false, "I/Os per second each job may start; empty: no cap", NULL },
	[SF_SHAPE] = { "shape", FORM_CHOICE, 9, 0, false, "hold the real I/O to the volume's documented behaviour", yes_no },
	[SF_SCALE] = { "time ×", FORM_TEXT, 9, 1, false, "drain and refill credits so many times faster", NULL },
	[SF_START] = { "Start", FORM_BUTTON, 10, 0, false, "Enter starts; Tab goes to the fields", NULL },
};

/* --- what fields say --- */

void setup_form_value(struct setup_form *s, enum setup_field f, const char *text)
{
	snprintf(s->form.field[f].value, FORM_VALUE_MAX, "%s", text);
	s->form.field[f].error[0] = 0;
}

void setup_form_number(struct setup_form *s, enum setup_field f, uint64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	setup_form_value(s, f, text);
}

static const struct {
	enum setup_field  field;
	enum volume_field vf;
} volume_fields[] = { { SF_SIZE, VF_SIZE }, { SF_IOPS, VF_IOPS }, { SF_MIBPS, VF_MIBPS } };
#define NR_VOLUME_FIELDS (sizeof(volume_fields) / sizeof(*volume_fields))

bool setup_form_many(const struct setup_form *s)
{
	return *s->suite || s->in_turn;
}

/* Fields that follow from others, or mean nothing beside them. */
void setup_form_refresh(struct setup_form *s)
{
	struct form_field *f = s->form.field;

	for (size_t i = 0; i < NR_VOLUME_FIELDS; i++) {
		enum setup_field field = volume_fields[i].field;
		f[field].off = !s->has_volume || (!volume_legal(&s->volume, volume_fields[i].vf).settable && field != SF_SIZE);
		if (f[field].off)
			f[field].error[0] = 0;
	}
	f[SF_COUNT].off = !s->has_volume;
	f[SF_RAID].off = !s->has_volume || s->count < 2;
	bool suite = setup_form_many(s);
	if (!suite) /* what was turned into something else is called so no longer */
		setup_form_value(s, SF_TEST, setup_form_named(s) ? setup_form_named(s)->name : "own");
	f[SF_RUNTIME].empty = *s->suite ? "each test's own" : NULL;
	f[SF_RW].off = f[SF_BS].off = f[SF_IODEPTH].off = suite;
	f[SF_MIX].off = suite || (s->wl.rw != RW_RW && s->wl.rw != RW_RANDRW);
	f[SF_SHAPE].off = !s->has_volume;
	f[SF_SCALE].off = !(s->has_volume && s->shape) && !(strncmp(s->path, "sim:", 4) == 0 && s->path[4]);
}

/* What is legal in one field depends on the others: all are offered again, but for the one just taken. */
static void check_volume(struct setup_form *s, int taken)
{
	for (size_t i = 0; s->has_volume && i < NR_VOLUME_FIELDS; i++) {
		struct form_field *f = &s->form.field[volume_fields[i].field];
		struct err err = { 0 };
		struct volume v = s->volume;
		if (f->off || (int)volume_fields[i].field == taken)
			continue;
		f->error[0] = 0;
		if (volume_field_parse(&v, volume_fields[i].vf, f->value, &err) < 0 || volume_field_check(&v, volume_fields[i].vf, &err) < 0)
			snprintf(f->error, sizeof(f->error), "%.*s", FORM_ERROR_MAX - 1, err.msg);
		else
			s->volume = v;
	}
}

void setup_form_get_volumes(const struct setup_form *s, struct volumes *out)
{
	*out = (struct volumes){ .n = 0, .raid = s->raid };
	for (unsigned i = 0; s->has_volume && i < s->count; i++)
		out->v[out->n++] = s->volume;
}

void setup_form_expect(struct setup_form *s)
{
	struct volumes vs;
	struct err err = { 0 };

	setup_form_get_volumes(s, &vs);
	s->expect_error[0] = 0;
	s->expect_known = s->has_volume || s->host.kind != HOST_NONE;
	if (s->has_volume && (volume_check(&s->volume, &err) < 0 || volumes_check(&vs, &err) < 0)) {
		s->expect_known = false;
		snprintf(s->expect_error, sizeof(s->expect_error), "%.199s", err.msg);
	}
	struct model_input in = model_input(&vs, &s->host, &s->wl);
	in.limits = s->limits;
	s->nr_alternatives = *s->expect_error ? 0 : alternatives(&in, s->limits, s->alternative);
	if (s->expect_known)
		model_expect(&in, &s->expect);
}

void setup_form_show_volume(struct setup_form *s)
{
	setup_form_number(s, SF_SIZE, s->volume.size_gib);
	setup_form_number(s, SF_IOPS, s->volume.iops);
	setup_form_number(s, SF_MIBPS, s->volume.mibps);
}

void setup_form_show_workload(struct setup_form *s)
{
	static const struct {
		enum setup_field field;
		const char *key;
	} of[] = { { SF_RW, "rw" }, { SF_BS, "bs" }, { SF_IODEPTH, "iodepth" }, { SF_NUMJOBS, "numjobs" },
		   { SF_RUNTIME, "runtime" }, { SF_MIX, "rwmixread" }, { SF_RATE, "rate_iops" } };
	char text[32];

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		setup_form_value(s, of[i].field, workload_get(&s->wl, of[i].key, text, sizeof(text)));
	/* where 0 is no figure */
	if (!s->wl.rate_iops)
		setup_form_value(s, SF_RATE, "");
	if (!s->wl.runtime_ns)
		setup_form_value(s, SF_RUNTIME, "");
}

/* --- taking fields --- */

static int take_type(struct setup_form *s, const char *text, struct err *err)
{
	const struct volume_type *type;

	if (strcmp(text, "none") == 0) {
		s->has_volume = false;
		return 0;
	}
	if (volume_type_parse(s->limits, text, &type, err) < 0)
		return -1;
	s->volume = volume_make(type, 0, 0, 0);
	s->volume = volume_nearest(&s->volume);
	s->has_volume = true;
	setup_form_show_volume(s);
	return 0;
}

static int take_volume_field(struct setup_form *s, enum volume_field vf, const char *text, struct err *err)
{
	struct volume v = s->volume;

	if (!s->has_volume)
		return 0;
	if (volume_field_parse(&v, vf, text, err) < 0 || volume_field_check(&v, vf, err) < 0)
		return -1;
	if (vf == VF_SIZE) { /* what follows from the size follows */
		bool iops = volume_legal(&v, VF_IOPS).settable, mibps = volume_legal(&v, VF_MIBPS).settable;
		v = volume_make(v.type, v.size_gib, iops ? v.iops : 0, mibps ? v.mibps : 0);
		if (!iops)
			setup_form_number(s, SF_IOPS, v.iops);
		if (!mibps)
			setup_form_number(s, SF_MIBPS, v.mibps);
	} else if (vf == VF_IOPS && !volume_legal(&v, VF_MIBPS).settable) {
		v = volume_make(v.type, v.size_gib, v.iops, 0);
		setup_form_number(s, SF_MIBPS, v.mibps);
	}
	s->volume = v;
	return 0;
}

static int take_count(struct setup_form *s, const char *text, struct err *err)
{
	uint64_t n;

	if (parse_count(text, &n, err) < 0)
		return -1;
	if (n < 1 || n > VOLUMES_MAX)
		return err_set(err, ERR_USAGE, "1 to %d volumes", VOLUMES_MAX);
	s->count = (unsigned)n;
	return 0;
}

static int take_host(struct setup_form *s, const char *text, struct err *err)
{
	struct host h = { .kind = HOST_NONE };

	if (*text && strcasecmp(text, "none") != 0) {
		int rc = strchr(text, ':') ? host_task(&h, s->limits, text, err) : host_instance(&h, s->limits, text, err);
		if (rc < 0)
			return -1;
	}
	s->host = h;
	return 0;
}

static int take_test(struct setup_form *s, const char *text, struct err *err)
{
	bool several = *s->several && strcmp(text, s->several) == 0;
	const struct workload *named = several ? workload_find(s->workload[0]) : workload_find(text);

	if (strncmp(text, "suite ", 6) == 0 && (suite_find(text + 6) || suite_file_exists(text + 6))) {
		snprintf(s->suite, sizeof(s->suite), "%s", text + 6);
		s->in_turn = false;
		s->wl.runtime_ns = 0; /* each test has its own time */
		setup_form_show_workload(s);
		return 0;
	}
	s->own = strcmp(text, "own") == 0;
	if (!named && !s->own)
		return err_set(err, ERR_USAGE, "there is no workload '%.40s'", text);
	struct workload before = s->wl;
	if (*s->suite)
		before.runtime_ns = RUNTIME_DEFAULT;
	s->suite[0] = 0;
	s->in_turn = several;
	s->wl = named ? *named : before;
	for (const struct workload_field *f = workload_fields; f->key; f++) /* what no named workload is about */
		if (strcmp(f->key, "rw") != 0 && strcmp(f->key, "bs") != 0 && strcmp(f->key, "iodepth") != 0 && strcmp(f->key, "rwmixread") != 0)
			workload_copy_field(&s->wl, &before, f);
	setup_form_show_workload(s);
	return 0;
}

static int take_runtime(struct setup_form *s, const char *text, struct err *err)
{
	if (!*text && *s->suite) { /* each test has its own */
		s->wl.runtime_ns = 0;
		return 0;
	}
	return workload_set(&s->wl, "runtime", text, err);
}

static int take_target(struct setup_form *s, const char *text, struct err *err)
{
	if (!*text)
		return err_set(err, ERR_USAGE, "name a target: a directory, a file, a block device, or sim:");
	if (strlen(text) >= sizeof(s->path)) /* cut short it would name something else */
		return err_set(err, ERR_USAGE, "%zu characters at most; `ebscope run` takes a longer one", sizeof(s->path) - 1);
	if (s->find && s->find(text, err) < 0)
		return -1;
	snprintf(s->path, sizeof(s->path), "%s", text);
	if (strcmp(text, "sim:") == 0) { /* a simulated volume is what it is for, and at a pace to watch */
		s->shape = true;
		s->time_scale = 60;
		setup_form_value(s, SF_SHAPE, "yes");
		setup_form_value(s, SF_SCALE, "60");
	}
	return 0;
}

static int take_field(struct setup_form *s, enum setup_field f, const char *text, struct err *err)
{
	switch (f) {
	case SF_TARGET: return take_target(s, text, err);
	case SF_VOLUME: return take_type(s, text, err);
	case SF_COUNT:	return take_count(s, text, err);
	case SF_SIZE:	return take_volume_field(s, VF_SIZE, text, err);
	case SF_IOPS:	return take_volume_field(s, VF_IOPS, text, err);
	case SF_MIBPS:	return take_volume_field(s, VF_MIBPS, text, err);
	case SF_RAID:	return raid_parse(text, &s->raid, err);
	case SF_HOST:	return take_host(s, text, err);
	case SF_TEST:	return take_test(s, text, err);
	case SF_RW:	return workload_set(&s->wl, "rw", text, err);
	case SF_BS:	return workload_set(&s->wl, "bs", text, err);
	case SF_IODEPTH: return workload_set(&s->wl, "iodepth", text, err);
	case SF_NUMJOBS: return workload_set(&s->wl, "numjobs", text, err);
	case SF_RUNTIME: return take_runtime(s, text, err);
	case SF_MIX:	return workload_set(&s->wl, "rwmixread", text, err);
	case SF_RATE:	return workload_set(&s->wl, "rate_iops", *text && strcmp(text, "none") != 0 ? text : "0", err);
	case SF_SHAPE:	s->shape = strcmp(text, "yes") == 0; return 0;
	case SF_SCALE:	return shape_scale_parse(text, &s->time_scale, err);
	default:	return 0;
	}
}

static int take(void *owner, int field, const char *text, struct err *err)
{
	struct setup_form *s = owner;

	if (take_field(s, (enum setup_field)field, text, err) < 0)
		return -1;
	setup_form_refresh(s);
	if (field == SF_VOLUME || field == SF_SIZE || field == SF_IOPS || field == SF_MIBPS)
		check_volume(s, field);
	setup_form_expect(s);
	return 0;
}

bool setup_form_cycle(const struct setup_form *s)
{
	const struct expectation *e = &s->expect;

	return s->expect_known && e->volume_bucket && e->burst_s > 0 && isfinite(e->burst_s) && e->nr_curve > 1 &&
	       e->curve[1].rate.bound == e->bucket[0].limit;
}

void setup_form_list_tests(struct setup_form *s)
{
	size_t n = 0, max = sizeof(s->tests) / sizeof(*s->tests) - 3, names = sizeof(s->suite_names) / sizeof(*s->suite_names);

	for (const struct workload *wl = workloads; *wl->name && n < max; wl++)
		s->tests[n++] = wl->name;
	for (size_t i = 0; suites[i].name && i < names && n < max; i++) {
		snprintf(s->suite_names[i], sizeof(s->suite_names[i]), "suite %s", suites[i].name);
		s->tests[n++] = s->suite_names[i];
	}
	char own[8][SUITE_FILE_NAME_LEN];
	size_t nr_own = suite_file_list(own, 8), built_in = 0;
	while (suites[built_in].name)
		built_in++;
	for (size_t i = 0; i < nr_own && built_in + i < names && n < max; i++) {
		snprintf(s->suite_names[built_in + i], sizeof(s->suite_names[0]), "suite %.27s", own[i]);
		s->tests[n++] = s->suite_names[built_in + i];
	}
	if (*s->suite_file)
		s->tests[n++] = s->suite_file;
	if (*s->several)
		s->tests[n++] = s->several;
	s->tests[n] = NULL;
	s->rows[SF_TEST].choices = s->tests;
}

void setup_form_init(struct setup_form *s, const struct limits *limits)
{
	*s = (struct setup_form){ .limits = limits, .count = 1, .raid = RAID_0, .time_scale = 1 };
	memcpy(s->rows, row_table, sizeof(s->rows));
	setup_form_list_tests(s);
	s->form.row = s->rows;
	s->form.nr = SF_NR;
	s->form.take = take;
	s->form.owner = s;
	s->form.field[SF_HOST].empty = "not known";
	s->form.field[SF_RATE].empty = "none";
	s->wl = *workload_find("iops");
	s->wl.runtime_ns = RUNTIME_DEFAULT;
	setup_form_value(s, SF_VOLUME, "none");
	setup_form_value(s, SF_COUNT, "1");
	setup_form_value(s, SF_RAID, "0");
	setup_form_value(s, SF_TEST, "iops");
	setup_form_value(s, SF_SHAPE, "no");
	setup_form_value(s, SF_SCALE, "1");
	setup_form_show_workload(s);
	setup_form_refresh(s);
	setup_form_expect(s);
	form_focus(&s->form, SF_START);
}
