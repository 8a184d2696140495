/* SPDX-License-Identifier: MIT */
#include "tui/baseline.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/recorder.h"
#include "engine/units.h"

#define DIR_MAX	   3900
#define FILE_MAX   ((size_t)4 << 20)
#define AS_EXPECTED 0.9 /* of the change that the documents lead one to expect, as in a verdict */

/* FNV-1a, 64 bits: a name for a path, no more. */
static uint64_t hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3;
	return h;
}

/* Beside the recordings. */
static int dir_of(char *dir, struct err *err)
{
	if (!recorder_dir(dir, DIR_MAX - 16, err))
		return -1;
	char *slash = strrchr(dir, '/');
	strcpy(slash ? slash : dir, "/baselines");
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return err_sys(err, "make %s", dir);
	return 0;
}

/* An id is letters, digits and a dash: nothing else becomes part of a file's name. */
static int path_of(const char *volume_id, const char *real, char *path, struct err *err)
{
	char dir[DIR_MAX];

	if (dir_of(dir, err) < 0)
		return -1;
	if (*volume_id && !volume_id[strspn(volume_id, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		snprintf(path, 4096, "%s/%s.json", dir, volume_id);
	else
		snprintf(path, 4096, "%s/%016llx.json", dir, (unsigned long long)hash(real));
	return 0;
}

static json_t *test_json(const struct result *r)
{
	const json_t *expected = json_object_get(r->more, "expected");

	return json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(r->name), "iops", json_num(r->all.iops), "bw_bytes",
			 json_num(r->all.bw_bytes), "expected_iops", json_num(json_get_num(expected, "iops_max", NAN)));
}

static int write_file(const char *path, const char *text, struct err *err)
{
	char tmp[4096 + 8];
	size_t len = strlen(text);

	snprintf(tmp, sizeof(tmp), "%s.new", path);
	int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_sys(err, "baseline %s", tmp);
	if (write(fd, text, len) != (ssize_t)len || fsync(fd) < 0 || rename(tmp, path) < 0) {
		err_sys(err, "baseline %s", path);
		close(fd);
		unlink(tmp);
		return -1;
	}
	close(fd);
	return 0;
}

int baseline_save(const struct runlog_snap *run, char *path, struct err *err)
{
	const json_t *target = json_array_get(json_object_get(run->header->doc, "targets"), 0);
	const json_t *volumes = json_object_get(run->header->doc, "volumes");
	json_t *tests = json_array();
	char real[PATH_MAX];

	const char *given = json_get_text(target, "path", run->header->target);
	if (!realpath(given, real))
		snprintf(real, sizeof(real), "%s", given);
	for (size_t i = 0; i < run->nr_results; i++)
		json_array_append_new(tests, test_json(run->results[i]));
	json_t *doc = json_pack("{s:s, s:o, s:o, s:o, s:o}", "schema", "ebscope/1", "started", json_text(run->header->started),
				"target", json_text(given), "volumes", volumes ? json_deep_copy(volumes) : json_null(), "tests", tests);
	char *text = doc ? json_text_of(doc, true) : NULL;
	json_decref(doc);
	int rc = !text ? err_set(err, ENOMEM, "no memory") : path_of(json_get_text(target, "volume_id", ""), real, path, err);
	if (rc == 0)
		rc = write_file(path, text, err);
	free(text);
	return rc;
}

json_t *baseline_load(const struct target *t, struct err *err)
{
	const char *id = t->nr_volumes == 1 ? t->volume[0] : "";
	char path[4096];
	json_error_t bad;

	if (path_of(id, *t->real ? t->real : t->path, path, err) < 0)
		return NULL;
	struct stat st;
	if (stat(path, &st) < 0) {
		err_set(err, ENOENT, "no baseline for %s: make one before the change, by check --before", *id ? id : t->path);
		return NULL;
	}
	json_t *doc = (size_t)st.st_size <= FILE_MAX ? json_load_file(path, 0, &bad) : NULL;
	if (json_is_array(json_object_get(doc, "tests")))
		return doc;
	json_decref(doc);
	err_set(err, EBADMSG, "baseline %s cannot be read; make a new one by check --before", path);
	return NULL;
}

json_t *baseline_change(const json_t *baseline, const struct result *r)
{
	const json_t *tests = json_object_get(baseline, "tests"), *t, *found = NULL;
	double now_expected = json_get_num(json_object_get(r->more, "expected"), "iops_max", NAN);
	size_t i;

	json_array_foreach(tests, i, t)
		if (!strcmp(json_get_text(t, "name", ""), r->name))
			found = t;
	if (!found)
		return NULL;
	double iops = json_get_num(found, "iops", NAN), expected = json_get_num(found, "expected_iops", NAN);
	double ratio = iops > 0 ? r->all.iops / iops : NAN, want = expected > 0 ? now_expected / expected : NAN;
	json_t *volumes = json_object_get(baseline, "volumes");
	json_t *before = json_pack("{s:o, s:o, s:o, s:o}", "iops", json_num(iops), "bw_bytes",
				   json_num(json_get_num(found, "bw_bytes", NAN)), "expected_iops", json_num(expected), "volumes",
				   volumes ? json_deep_copy(volumes) : json_null());
	return json_pack("{s:o, s:o, s:o, s:o}", "before", before, "ratio", json_num(ratio), "expected_ratio", json_num(want),
			 "as_expected", isnan(ratio) || isnan(want) ? json_null() : json_boolean(ratio >= AS_EXPECTED * want));
}

char *baseline_text(const char *test, const json_t *change, double now_iops, char *buf, size_t size)
{
	char a[FMT_LEN], b[FMT_LEN];
	double ratio = json_get_num(change, "ratio", NAN), want = json_get_num(change, "expected_ratio", NAN);
	double before = json_get_num(json_object_get(change, "before"), "iops", NAN);
	const json_t *as = json_object_get(change, "as_expected");
	int n = snprintf(buf, size, "%s: %s IOPS before, %s now", test, fmt_iops(a, before), fmt_iops(b, now_iops));

	if (!isnan(ratio) && n > 0 && (size_t)n < size)
		n += snprintf(buf + n, size - (size_t)n, ": x%.2f", ratio);
	if (!isnan(want) && n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, ", %s (x%.2f)", json_is_true(as) ? "as expected" : "less than expected", want);
	return buf;
}
