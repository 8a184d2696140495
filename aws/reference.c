/* SPDX-License-Identifier: MIT */
#include "aws/reference.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aws/closest.h"
#include "engine/import_parts.h"
#include "engine/units.h"

extern const char aws_references_json[], aws_references_json_end[];

/* The array of all references; the tree is the caller's in *doc. */
static const json_t *table(json_t **doc)
{
	*doc = json_loadb(aws_references_json, (size_t)(aws_references_json_end - aws_references_json), 0, NULL);
	return json_object_get(*doc, "references");
}

size_t reference_count(void)
{
	json_t *doc;
	size_t n = json_array_size(table(&doc));

	json_decref(doc);
	return n;
}

static void take(struct reference *out, const json_t *o)
{
	*out = (struct reference){ .name = "" };
	json_copy_text(o, "name", out->name, sizeof(out->name));
	json_copy_text(o, "about", out->about, sizeof(out->about));
	json_copy_text(o, "source", out->source, sizeof(out->source));
	json_copy_text(o, "date", out->date, sizeof(out->date));
}

bool reference_get(size_t i, struct reference *out)
{
	json_t *doc;
	const json_t *o = json_array_get(table(&doc), i);

	take(out, o);
	json_decref(doc);
	return o != NULL;
}

size_t reference_list(struct reference *out, size_t max)
{
	json_t *doc;
	const json_t *all = table(&doc);
	size_t n = json_array_size(all);

	n = n < max ? n : max;
	for (size_t i = 0; i < n; i++)
		take(&out[i], json_array_get(all, i));
	json_decref(doc);
	return n;
}

bool reference_named(const char *name)
{
	return strncmp(name, "ref:", 4) == 0;
}

static void add_dd(struct import_run *run, const json_t *list)
{
	size_t i;
	json_t *e;

	json_array_foreach(list, i, e) {
		struct import_test *t = import_add(run, json_get_text(e, "test", ""), TEST_DD);
		if (!t)
			return;
		double mib = json_get_num(e, "mib_per_s", NAN);
		json_copy_text(e, "line", t->r->equivalent, sizeof(t->r->equivalent));
		t->r->all.bw_bytes = isnan(mib) ? json_get_num(e, "bytes_per_s", NAN) : mib * (double)MIB;
		t->r->cached = json_get_bool(e, "cached", false) ? TRI_TRUE : TRI_NULL;
		t->r->wl.direct = 0;
	}
}

static void add_block(struct import_run *run, const json_t *list)
{
	size_t i;
	json_t *e;
	struct err err;

	json_array_foreach(list, i, e) {
		struct import_test *t = import_add(run, json_get_text(e, "test", ""), TEST_BLOCK);
		if (!t)
			return;
		(void)workload_set(&t->r->wl, "rw", json_get_text(e, "rw", "randread"), &err);
		t->r->wl.bs = json_get_u64(e, "bs", 4096);
		t->r->all.iops = json_get_num(e, "iops", NAN);
		t->r->all.bw_bytes = json_get_num(e, "mib_per_s", NAN) * (double)MIB;
	}
}

/* The direction is that of who ran the client: on EC2 against a server in a task, or in the function itself. */
static void add_net(struct import_run *run, const char *name, const json_t *o)
{
	const char *direction = strncmp(name, "ref:fargate-net", 15) == 0 ? "receive" : "send";
	struct import_test *t = json_is_object(o) ? import_add(run, direction, TEST_NET) : NULL;

	if (!t)
		return;
	t->r->wl.numjobs = json_get_u64(o, "streams", 1);
	t->burst = json_get_num(o, "burst_gbps", NAN) * 1e9 / 8;
	t->baseline = json_get_num(o, "baseline_gbps", NAN) * 1e9 / 8;
	t->burst_s = json_get_num(o, "burst_s", NAN);
}

static void fill(struct import_run *run, const json_t *o)
{
	const char *line = json_get_text(o, "bonnie", NULL);
	size_t i;
	json_t *note;

	add_dd(run, json_object_get(o, "dd"));
	add_block(run, json_object_get(o, "block"));
	add_net(run, json_get_text(o, "name", ""), json_object_get(o, "net"));
	if (line)
		import_bonnie_line(run, line, strlen(line));
	run->kind = IMPORT_REFERENCE;
	json_copy_text(o, "name", run->name, sizeof(run->name));
	json_copy_text(o, "source", run->source, sizeof(run->source));
	json_copy_text(o, "date", run->date, sizeof(run->date));
	import_warn(run, "%s", json_get_text(o, "about", ""));
	json_array_foreach(json_object_get(o, "notes"), i, note)
		import_warn(run, "%s", json_string_value(note));
}

/* The name that is closest to what was typed, if one is near. */
static int unknown(const json_t *all, const char *name, struct err *err)
{
	const char *near = NULL;
	size_t i, least = strlen(name) / 3 + 1;
	json_t *o;

	json_array_foreach(all, i, o) {
		size_t d = closest_distance(name, json_get_text(o, "name", ""));
		if (d < least) {
			least = d;
			near = json_get_text(o, "name", "");
		}
	}
	return err_set(err, ERR_USAGE, "%s: no such reference run; %s%s%sebscope compare --list-references shows all", name,
		       near ? "did you mean " : "", near ? near : "", near ? "? " : "");
}

int reference_load(struct import_run *run, const char *name, struct err *err)
{
	json_t *doc, *o;
	const json_t *all = table(&doc);
	size_t i;
	int rc = -1;

	*run = (struct import_run){ .nr_tests = 0 };
	json_array_foreach(all, i, o)
		if (strcmp(json_get_text(o, "name", ""), name) == 0) {
			fill(run, o);
			rc = 0;
			break;
		}
	if (rc < 0)
		unknown(all, name, err);
	json_decref(doc);
	return rc;
}
