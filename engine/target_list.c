/* SPDX-License-Identifier: MIT */
/* One target, or several at once: all are checked before any is opened. */
#include "engine/target_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next part of "a,b,c" without its "\," into @p out. @return where the one after begins, NULL at the end
 */
static const char *next_path(const char *p, char *out, size_t size)
{
	size_t n = 0;

	for (; *p && *p != ','; p++) {
		if (p[0] == '\\' && p[1] == ',')
			p++;
		if (n + 1 < size)
			out[n] = *p;
		n++;
	}
	out[n < size ? n : size - 1] = '\0';
	return *p ? p + 1 : NULL;
}

/* What scratch files of earlier targets take on the filesystem of @p path. */
static uint64_t claimed_on(const struct target_list *list, const char *path)
{
	struct stat st;
	uint64_t sum = 0;

	if (stat(path, &st) < 0)
		return 0;
	for (size_t i = 0; i < list->n; i++) {
		if (list->at[i].kind == TARGET_DIR && list->at[i].id_dev == st.st_dev)
			sum += list->at[i].size_bytes;
	}
	return sum;
}

/* The same thing twice, under whatever names, would count its bytes twice. */
static int check_twice(const struct target_list *list, const struct target *t, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct target *other = &list->at[i];
		if (other->kind == TARGET_SIM || t->kind == TARGET_SIM)
			return err_set(err, ERR_USAGE,
				       "sim: stands alone; it cannot be one of several targets");
		bool same = other->kind == t->kind && t->kind != TARGET_DIR &&
			    (t->kind == TARGET_BLOCK ? !strcmp(other->device, t->device) :
						       other->id_dev == t->id_dev && other->id_ino == t->id_ino);
		if (same)
			return err_set(err, ERR_USAGE, "%s and %s are the same %s; name it once", other->path,
				       t->path, t->kind == TARGET_FILE ? "file" : "device");
	}
	return 0;
}

/* A name that agrees to the loss of something else than the targets is a mistake, and nothing is written. */
static int check_destroy_names(const struct target_list *list, const struct target_request *req,
			       struct err *err)
{
	char name[BLOCKDEV_NAME];

	for (const char *p = req->write ? req->destroy : NULL; p && *p;) {
		bool known = false;
		p = next_path(p, name, sizeof(name));
		for (size_t i = 0; i < list->n && !known; i++) {
			const struct target *t = &list->at[i];
			known = t->kind == TARGET_BLOCK &&
				(!strcmp(t->device, name) ||
				 (t->nr_volumes == 1 && !strcmp(t->volume[0], name)));
		}
		if (!known)
			return err_set(
				err, ERR_REFUSED,
				"--destroy-data names %s, which is none of the targets: nothing is written",
				name);
	}
	return 0;
}

static int check_all(struct target_list *list, const char *paths, const struct target_request *req,
		     struct blockdevs *devs, struct err *err)
{
	char path[PATH_MAX + 1];

	for (const char *p = paths; p;) {
		p = next_path(p, path, sizeof(path));
		if (list->n == TARGETS_MAX)
			return err_set(err, ERR_USAGE, "at most %d targets", TARGETS_MAX);
		struct target *at = realloc(list->at, (list->n + 1) * sizeof(*at));
		if (!at)
			return err_set(err, ENOMEM, "targets: out of memory");
		list->at = at;
		if (target_check(&at[list->n], path, req, devs, claimed_on(list, path), err) < 0 ||
		    check_twice(list, &at[list->n], err) < 0)
			return -1;
		list->n++;
	}
	return check_destroy_names(list, req, err);
}

int target_list_find(const char *paths, struct err *err)
{
	struct target *t = malloc(sizeof(*t));
	struct blockdevs devs = { 0 };
	char path[PATH_MAX + 1];
	int rc = t ? 0 : err_set(err, ENOMEM, "targets: out of memory");

	for (const char *p = paths; p && rc == 0;) {
		p = next_path(p, path, sizeof(path));
		rc = target_find(t, path, &devs, err);
	}
	blockdevs_release(&devs);
	free(t);
	return rc;
}

/* All of one size: offsets are drawn without looking where they go. */
static void even_out(struct target_list *list)
{
	uint64_t size = list->at[0].size_bytes;
	uint32_t lba = 1;

	for (size_t i = 0; i < list->n; i++) {
		size = list->at[i].size_bytes < size ? list->at[i].size_bytes : size;
		lba = list->at[i].lba > lba ? list->at[i].lba : lba;
	}
	for (size_t i = 0; i < list->n; i++)
		list->at[i].size_bytes = size - size % lba;
}

int target_list_open(struct target_list *list, const char *paths, const struct target_request *req,
		     struct err *err)
{
	struct blockdevs devs = { 0 };
	int ret;

	*list = (struct target_list){ 0 };
	ret = check_all(list, paths, req, &devs, err);
	for (size_t i = 0; i < list->n && ret == 0; i++)
		ret = target_commit(&list->at[i], err);
	blockdevs_release(&devs);
	if (ret < 0)
		target_list_close(list);
	else
		even_out(list);
	return ret;
}

int target_list_recheck(struct target_list *list, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		if (target_recheck(&list->at[i], err) < 0)
			return -1;
	}
	return 0;
}

void target_list_close(struct target_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		target_close(&list->at[i]);
	free(list->at);
	*list = (struct target_list){ 0 };
}

int target_open(struct target *t, const char *path, const struct target_request *req, struct err *err)
{
	struct target_list one = { .at = t };
	struct blockdevs devs = { 0 };
	int ret = target_check(t, path, req, &devs, 0, err);

	if (ret == 0) {
		one.n = 1;
		ret = check_destroy_names(&one, req, err);
	}
	if (ret == 0)
		ret = target_commit(t, err);
	blockdevs_release(&devs);
	if (ret < 0)
		target_close(t);
	return ret;
}
