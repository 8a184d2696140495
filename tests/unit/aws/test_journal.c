/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>

#include "aws/journal.h"

static char dir[64];
static unsigned synced_dirs, synced_files;

/* In the place of libc's: what is on disk when the machine stops just then. */
int fsync(int fd)
{
	struct stat st;

	if (!fstat(fd, &st))
		*(S_ISDIR(st.st_mode) ? &synced_dirs : &synced_files) += 1;
	return fdatasync(fd);
}

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/ebscope-journal-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	return setenv("XDG_STATE_HOME", dir, 1);
}

static int teardown(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/ebscope/volumes.jsonl", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/ebscope", dir);
	rmdir(path);
	return rmdir(dir);
}

static void a_volume_goes_from_asked_to_created_to_gone(void **state)
{
	struct journal_list l;
	struct err err;

	(void)state;
	assert_int_equal(journal_read(&l, &err), 0);
	assert_int_equal(l.n, 0);
	assert_int_equal(journal_create("run", "run.1", "eu-west-1", "eu-west-1a", "gp3:10", &err), 0);
	assert_int_equal(journal_read(&l, &err), 0);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.v[0].state, JOURNAL_ASKED);
	assert_string_equal(l.v[0].spec, "gp3:10");
	assert_string_equal(l.v[0].volume_id, "");
	journal_release(&l);
	assert_int_equal(journal_token("created", "run.1", "vol-01234567", &err), 0);
	assert_int_equal(journal_volume_event("attach", "vol-01234567", &err), 0);
	assert_int_equal(journal_read(&l, &err), 0);
	assert_int_equal(l.v[0].state, JOURNAL_CREATED);
	assert_string_equal(l.v[0].volume_id, "vol-01234567");
	journal_release(&l);
	assert_int_equal(journal_volume_event("deleted", "vol-01234567", &err), 0);
	assert_int_equal(journal_read(&l, &err), 0);
	assert_int_equal(l.v[0].state, JOURNAL_GONE);
	journal_release(&l);
}

static void the_last_modification_of_a_volume_is_remembered_whoever_created_it(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(journal_last_modified("vol-01234567"), -1);
	assert_int_equal(journal_modified("vol-01234567", 1780000000, &err), 0);
	assert_int_equal(journal_modified("vol-01234567", 1780000600, &err), 0);
	assert_int_equal(journal_modified("vol-89abcdef", 1790000000, &err), 0);
	assert_int_equal(journal_last_modified("vol-01234567"), 1780000600);
}

static void a_new_journals_name_is_on_disk_before_its_first_line(void **state)
{
	struct err err;

	(void)state;
	synced_dirs = synced_files = 0;
	assert_int_equal(journal_create("run", "run.1", "r", "a", "gp3:10", &err), 0);
	assert_true(synced_dirs >= 2); /* ours, and that in which it was made */
	assert_int_equal(synced_files, 1);
	synced_dirs = 0;
	assert_int_equal(journal_create("run", "run.2", "r", "a", "gp3:10", &err), 0);
	assert_int_equal(synced_dirs, 0);
}

static void nobody_else_may_read_it(void **state)
{
	char path[128];
	struct stat st;
	struct err err;

	(void)state;
	assert_int_equal(journal_create("run", "run.1", "r", "a", "gp3:10", &err), 0);
	snprintf(path, sizeof(path), "%s/ebscope/volumes.jsonl", dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_line_that_was_cut_costs_itself_alone(void **state)
{
	struct journal_list l;
	struct err err;
	char path[128];

	(void)state;
	assert_int_equal(journal_create("run", "run.1", "r", "a", "gp3:10", &err), 0);
	snprintf(path, sizeof(path), "%s/ebscope/volumes.jsonl", dir);
	FILE *f = fopen(path, "a");
	assert_non_null(f);
	fputs("{\"event\":\"crea", f);
	fclose(f);
	assert_int_equal(journal_create("run", "run.2", "r", "a", "gp3:20", &err), 0);
	assert_int_equal(journal_read(&l, &err), 0);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.v[1].token, "run.2");
	journal_release(&l);
}

static void hostile_lines_are_skipped(void **state)
{
	static const char text[] = "null\n[]\n{\"event\":\"created\",\"token\":\"x\",\"volume_id\":\"vol-01234567\"}\n\n"
				   "{\"event\":\"create\",\"run\":\"r\"}\n"
				   "{\"event\":\"create\",\"run\":\"r\",\"token\":\"t\",\"region\":\"g\"}\n"
				   "{\"event\":\"created\",\"token\":\"t\",\"volume_id\":\"vol-; rm -rf\"}\n"
				   "{\"event\":\"deleted\",\"volume_id\":\"\"}\n";
	struct journal_list l;
	struct err err;

	(void)state;
	assert_int_equal(journal_parse(text, sizeof(text) - 1, &l, &err), 0);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.v[0].state, JOURNAL_ASKED);
	assert_string_equal(l.v[0].volume_id, "");
	journal_release(&l);
}

static void where_nothing_can_be_written_it_fails(void **state)
{
	struct err err;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/ebscope", dir);
	FILE *f = fopen(path, "w"); /* a file in the place of the directory */
	assert_non_null(f);
	fclose(f);
	assert_int_equal(journal_create("run", "run.1", "r", "a", "gp3:10", &err), -1);
	unlink(path);
}

static void runs_have_names_of_their_own(void **state)
{
	char a[48], b[48];

	(void)state;
	journal_new_run(a);
	journal_new_run(b);
	assert_int_equal(strlen(a), 25);
	assert_string_not_equal(a, b);
}

static void a_run_lives_until_its_process_or_its_errand_ends(void **state)
{
	char path[128];
	struct err err;

	(void)state;
	assert_false(journal_run_lives("run"));
	int held = journal_hold_run("run", &err);
	assert_true(held >= 0);
	assert_true(journal_run_lives("run"));
	assert_false(journal_run_lives("another"));
	journal_end_run(held);
	assert_false(journal_run_lives("run"));
	pid_t child = fork();
	if (!child)
		_exit(journal_hold_run("run", &err) < 0); /* and dies with it held */
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_false(journal_run_lives("run"));
	snprintf(path, sizeof(path), "%s/ebscope/volumes.lock", dir);
	unlink(path);
}

static void what_was_deleted_from_here_is_known(void **state)
{
	struct err err;

	(void)state;
	assert_false(journal_deleted("vol-01234567"));
	assert_int_equal(journal_volume_event("delete", "vol-01234567", &err), 0);
	assert_false(journal_deleted("vol-01234567"));
	assert_int_equal(journal_volume_event("deleted", "vol-01234567", &err), 0);
	assert_true(journal_deleted("vol-01234567"));
	assert_false(journal_deleted("vol-76543210"));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_run_lives_until_its_process_or_its_errand_ends), T(what_was_deleted_from_here_is_known),
		T(a_volume_goes_from_asked_to_created_to_gone), T(nobody_else_may_read_it),
		T(a_line_that_was_cut_costs_itself_alone),	T(hostile_lines_are_skipped),
		T(a_new_journals_name_is_on_disk_before_its_first_line),
		T(the_last_modification_of_a_volume_is_remembered_whoever_created_it),
		T(where_nothing_can_be_written_it_fails),	T(runs_have_names_of_their_own),
	};

	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
