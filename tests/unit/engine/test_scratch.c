/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "engine/scratch.h"
#include "tests/unit/engine/tmp_tree.h"

static char dir[PATH_MAX], swept[320];

static int enter(void **state)
{
	(void)state;
	tmp_tree(dir);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	tmp_tree_remove(dir);
	return 0;
}

static void it_is_private_and_gone_at_the_end_with_all_that_is_in_it(void **state)
{
	struct scratch_dir s;
	struct err err = { 0 };
	struct stat st;

	(void)state;
	assert_int_equal(scratch_dir_open(&s, dir, &err), 0);
	assert_int_equal(fstat(s.fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(tree_count(dir), 1);
	tree_text(s.path, "a/b/c", "x");
	tree_text(s.path, "d", "x");
	scratch_dir_close(&s);
	assert_int_equal(tree_count(dir), 0);
	scratch_dir_close(&s);
}

static void two_in_one_place_do_not_meet(void **state)
{
	struct scratch_dir a, b;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(scratch_dir_open(&a, dir, &err), 0);
	assert_int_equal(scratch_dir_open(&b, dir, &err), 0);
	assert_int_equal(tree_count(dir), 2);
	scratch_dir_close(&a);
	scratch_dir_close(&b);
	assert_int_equal(tree_count(dir), 0);
}

static void one_that_is_in_use_is_not_swept(void **state)
{
	struct scratch_dir s;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(scratch_dir_open(&s, dir, &err), 0);
	assert_int_equal(scratch_sweep(dir, swept, sizeof(swept)), 0);
	assert_string_equal(swept, "");
	scratch_dir_close(&s);
}

/* A process makes one, tells its name and is killed. */
static void make_and_die(void)
{
	int pipefd[2];
	char go;

	assert_int_equal(pipe(pipefd), 0);
	pid_t pid = fork();
	if (!pid) {
		struct scratch_dir s;
		struct err err;
		if (scratch_dir_open(&s, dir, &err) == 0) {
			tree_text(s.path, "sub/left", "behind");
			if (write(pipefd[1], "x", 1) == 1)
				pause();
		}
		_exit(1);
	}
	assert_int_equal(read(pipefd[0], &go, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(pipefd[0]);
	close(pipefd[1]);
}

static void what_a_killed_process_left_is_swept(void **state)
{
	(void)state;
	make_and_die();
	assert_int_equal(tree_count(dir), 1);
	assert_int_equal(scratch_sweep(dir, swept, sizeof(swept)), 1);
	assert_int_equal(strncmp(swept, ".ebscope.", 9), 0);
	assert_int_equal(tree_count(dir), 0);
}

static void names_that_are_not_ours_are_never_touched(void **state)
{
	char host[128] = "", name[200];

	(void)state;
	gethostname(host, sizeof(host) - 1);
	tree_text(dir, ".ebscope.another-host.123/x", "x");
	snprintf(name, sizeof(name), ".ebscope.%s.12x/x", host);
	tree_text(dir, name, "x");
	snprintf(name, sizeof(name), ".ebscope.%s./x", host);
	tree_text(dir, name, "x");
	snprintf(name, sizeof(name), "ebscope.%s.123/x", host);
	tree_text(dir, name, "x");
	snprintf(name, sizeof(name), ".ebscope.%s.124", host);
	tree_text(dir, name, "a file, no directory");
	tree_text(dir, "precious/x", "x");
	char from[PATH_MAX + 256];
	snprintf(from, sizeof(from), "%s/.ebscope.%s.125", dir, host);
	assert_int_equal(symlink("precious", from), 0);
	int before = tree_count(dir);
	assert_int_equal(scratch_sweep(dir, swept, sizeof(swept)), 0);
	assert_int_equal(tree_count(dir), before);
	snprintf(name, sizeof(name), "%s/precious/x", dir);
	assert_int_equal(access(name, F_OK), 0);
}

static void a_link_inside_is_removed_and_not_followed(void **state)
{
	struct scratch_dir s;
	struct err err = { 0 };
	char path[PATH_MAX + 64];

	(void)state;
	tree_text(dir, "precious/x", "x");
	assert_int_equal(scratch_dir_open(&s, dir, &err), 0);
	assert_int_equal(symlinkat("../precious", s.fd, "link"), 0);
	scratch_dir_close(&s);
	snprintf(path, sizeof(path), "%s/precious/x", dir);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(tree_count(dir), 1);
}

static void a_place_that_is_not_there_is_an_error(void **state)
{
	struct scratch_dir s;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(scratch_dir_open(&s, "/no/such", &err), -1);
	assert_int_equal(err.code, ENOENT);
	assert_int_equal(scratch_sweep("/no/such", swept, sizeof(swept)), 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(it_is_private_and_gone_at_the_end_with_all_that_is_in_it),
		T(two_in_one_place_do_not_meet),
		T(one_that_is_in_use_is_not_swept),
		T(what_a_killed_process_left_is_swept),
		T(names_that_are_not_ours_are_never_touched),
		T(a_link_inside_is_removed_and_not_followed),
		T(a_place_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
