/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>

#include "engine/target.h"
#include "engine/units.h"
#include "tests/unit/engine/tmp_tree.h"

/* What every test works with: a directory that is removed, a list that is closed. */
struct fixture {
	char		   dir[PATH_MAX];
	struct target_list list;
	struct err	   err;
};

static int enter(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	tmp_tree(f->dir);
	*state = f;
	return 0;
}

static int leave(void **state)
{
	struct fixture *f = *state;

	target_list_close(&f->list);
	tmp_tree_remove(f->dir);
	unsetenv("EBSCOPE_SYSROOT");
	free(f);
	return 0;
}

static char *in(const struct fixture *f, const char *name)
{
	static char path[4][PATH_MAX + 64];
	static int next;
	char *p = path[next++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", f->dir, name);
	return p;
}

static struct target *opened(struct fixture *f, const char *paths, struct target_request req)
{
	target_list_close(&f->list);
	if (target_list_open(&f->list, paths, &req, &f->err) < 0)
		fail_msg("%s: %s", paths, f->err.msg);
	return f->list.at;
}

/* Refused with @p status and a message that has @p word. */
static void refused(struct fixture *f, const char *paths, struct target_request req, int status, const char *word)
{
	target_list_close(&f->list);
	if (target_list_open(&f->list, paths, &req, &f->err) == 0)
		fail_msg("%s was opened", paths);
	if (err_status(&f->err) != status || !strstr(f->err.msg, word))
		fail_msg("%s: status %d, \"%s\" lacks \"%s\"", paths, err_status(&f->err), f->err.msg, word);
	assert_int_equal(f->list.n, 0);
}

static bool says(const struct target_lines *lines, const char *word)
{
	for (unsigned i = 0; i < lines->n; i++) {
		if (strstr(lines->text[i], word))
			return true;
	}
	return false;
}

#define READ  ((struct target_request){ .direct = true })
#define WRITE ((struct target_request){ .direct = true, .write = true })

static void a_directory_gets_a_scratch_file_that_has_no_name(void **state)
{
	struct fixture *f = *state;
	struct target *t = opened(f, f->dir, (struct target_request){ .direct = true, .size = MIB });
	struct stat st;

	assert_int_equal(t->kind, TARGET_DIR);
	assert_int_equal(t->size_bytes, MIB);
	assert_true(t->scratch && t->needs_layout && t->writable);
	assert_int_equal(fstat(t->fd, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(tree_count(f->dir), 0);
	assert_true(says(&t->notes, "will stay free"));
}

static void a_file_is_only_read_unless_its_loss_is_agreed_to(void **state)
{
	struct fixture *f = *state;
	char data[65536];

	memset(data, 'x', sizeof(data));
	tree_put(f->dir, "file", data, sizeof(data));
	struct target *t = opened(f, in(f, "file"), READ);
	assert_int_equal(t->kind, TARGET_FILE);
	assert_int_equal(t->size_bytes, sizeof(data));
	assert_false(t->writable);
	assert_int_equal(pwrite(t->fd, data, 512, 0), -1);
	refused(f, in(f, "file"), WRITE, 3, "--overwrite");
	t = opened(f, in(f, "file"), (struct target_request){ .write = true, .overwrite = true });
	assert_true(t->writable);
	assert_false(t->scratch);
}

static void a_path_that_is_not_there_is_refused_and_not_created(void **state)
{
	struct fixture *f = *state;

	refused(f, in(f, "dta/x"), WRITE, 3, "No such file");
	refused(f, in(f, "x"), WRITE, 3, "nothing is created");
	refused(f, "/dev/nvme9n9", (struct target_request){ .write = true, .destroy = "nvme9n9" }, 3, "ebscope devices");
	assert_int_equal(symlink("/no/such", in(f, "dangling")), 0);
	refused(f, in(f, "dangling"), WRITE, 3, "No such file");
	assert_int_equal(tree_count(f->dir), 1);
}

static void what_is_no_medium_is_refused(void **state)
{
	struct fixture *f = *state;

	refused(f, "", READ, 2, "empty");
	refused(f, "/dev", READ, 3, "no place for test files");
	refused(f, "/dev/", READ, 3, "no place for test files");
	refused(f, "/proc/self", READ, 3, "no place for test files");
	refused(f, "/sys", READ, 3, "no place for test files");
	refused(f, "/dev/null", READ, 3, "character device");
	assert_int_equal(mkfifo(in(f, "pipe"), 0600), 0);
	refused(f, in(f, "pipe"), READ, 3, "pipe");
	tree_text(f->dir, "nothing", "");
	refused(f, in(f, "nothing"), READ, 3, "empty");
	tree_text(f->dir, "tiny", "tiny");
	refused(f, in(f, "tiny"), READ, 2, "less than one block");
}

static void a_job_file_of_fios_and_a_suite_are_no_targets(void **state)
{
	struct fixture *f = *state;
	char rest[4096];

	memset(rest, '#', sizeof(rest) - 1);
	rest[sizeof(rest) - 1] = 0;
	tree_text(f->dir, "job", "; ours\n[global]\n  rw=randread\n");
	refused(f, in(f, "job"), READ, 2, "a job file of fio's");
	refused(f, in(f, "job"), (struct target_request){ .write = true, .overwrite = true }, 2, "a job file of fio's");
	tree_text(f->dir, "suite", "\n{ \"about\": \"ours\",\n  \"steps\": [ { \"rw\": \"read\" } ] }\n");
	refused(f, in(f, "suite"), READ, 2, "a suite and no target: --suite");
	tree_text(f->dir, "notes", rest);
	opened(f, in(f, "notes"), READ);
	memcpy(rest, "rw=read\n[a]\nb=c\n", 16); /* its words in another order are anyone's */
	tree_text(f->dir, "notes", rest);
	opened(f, in(f, "notes"), READ);
}

static void a_size_beyond_the_file_is_refused(void **state)
{
	struct fixture *f = *state;

	tree_hole(f->dir, "file", 65536);
	refused(f, in(f, "file"), (struct target_request){ .size = 65537 }, 2, "64 KiB");
	assert_int_equal(opened(f, in(f, "file"), (struct target_request){ .size = 5000 })->size_bytes, 4608);
}

static void holes_are_laid_out_where_that_is_allowed_and_told_where_not(void **state)
{
	struct fixture *f = *state;

	tree_hole(f->dir, "file", 65536);
	struct target *t = opened(f, in(f, "file"), READ);
	assert_false(t->needs_layout);
	if (!t->warnings.n) {
		print_message("this filesystem does not tell what is a hole\n");
		skip();
	}
	assert_true(says(&t->warnings, "64 KiB of holes"));
	t = opened(f, in(f, "file"), (struct target_request){ .write = true, .overwrite = true, .direct = true });
	assert_true(t->needs_layout);
}

static void memory_is_no_device(void **state)
{
	struct fixture *f = *state;

	if (access("/dev/shm", W_OK) < 0) {
		print_message("no /dev/shm\n");
		skip();
	}
	struct target *t = opened(f, "/dev/shm", (struct target_request){ .direct = true, .size = MIB });
	assert_true(t->tmpfs);
	assert_false(t->direct);
	assert_int_equal(t->disks.n, 0);
	assert_true(says(&t->warnings, "not a block device"));
}

static void the_default_size_is_a_gibibyte_a_tenth_of_what_is_free_or_a_quarter_of_the_memory(void **state)
{
	static const struct {
		struct target_space space;
		uint64_t	    asked, size; /* size 0: refused */
	} cases[] = {
		{ { 100 * GIB, 80 * GIB, 0 }, 0, GIB },
		{ { 100 * GIB, 8 * GIB, 0 }, 0, 819 * MIB },
		{ { 100 * GIB, 80 * GIB, 256 * MIB }, 0, 64 * MIB },
		{ { 100 * GIB, 80 * GIB, 0 }, 60 * GIB, 60 * GIB },
		{ { 100 * GIB, 80 * GIB, 0 }, 75 * GIB, 75 * GIB },	/* 5 % stay */
		{ { 100 * GIB, 80 * GIB, 0 }, 75 * GIB + 1, 0 },
		{ { 1 * GIB, 512 * MIB, 0 }, 256 * MIB, 256 * MIB },	/* 256 MiB stay */
		{ { 1 * GIB, 512 * MIB, 0 }, 256 * MIB + 1, 0 },
		{ { 1 * GIB, 256 * MIB, 0 }, 0, 0 },
		{ { 1 * GIB, 270 * MIB, 0 }, 0, 14 * MIB },
		{ { 0, 0, 0 }, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct err err = { 0 };
		uint64_t size = 0;
		int ret = target_scratch_size(&cases[i].space, cases[i].asked, false, &size, &err);
		if (size != cases[i].size || (ret == 0) != (cases[i].size != 0) || (ret < 0 && err.code != ENOSPC))
			fail_msg("case %zu: %llu, %s", i, (unsigned long long)size, err.msg);
	}
}

static void a_size_that_does_not_fit_is_refused_with_the_one_that_does(void **state)
{
	struct fixture *f = *state;

	refused(f, f->dir, (struct target_request){ .size = 1ULL << 60 }, 3, "--size");
	refused(f, f->dir, (struct target_request){ .size = 1ULL << 60, .fixed_size = true }, 3, "the test's size is fixed: free ");
	assert_int_equal(tree_count(f->dir), 0);
}

static void sim_is_a_terabyte_of_nothing(void **state)
{
	struct fixture *f = *state;
	struct target *t = opened(f, "sim:", WRITE);

	assert_int_equal(t->kind, TARGET_SIM);
	assert_int_equal(t->size_bytes, TARGET_SIM_SIZE);
	assert_int_equal(t->fd, -1);
	assert_true(t->writable);
	assert_string_equal(opened(f, "sim:gp2:100", WRITE)->sim_spec, "gp2:100");
	refused(f, in(f, "sim:"), READ, 3, "No such file");
}

static void several_targets_are_of_one_size_and_named_once(void **state)
{
	struct fixture *f = *state;
	char paths[2 * PATH_MAX + 200];

	tree_hole(f->dir, "a", 8192);
	tree_hole(f->dir, "b,c", 4096 + 512);
	snprintf(paths, sizeof(paths), "%s/a,%s/b\\,c", f->dir, f->dir);
	struct target *t = opened(f, paths, (struct target_request){ 0 });
	assert_int_equal(f->list.n, 2);
	assert_string_equal(t[1].path, in(f, "b,c"));
	assert_int_equal(t[0].size_bytes, t[1].size_bytes);
	assert_true(t[0].size_bytes <= 4608);
	assert_int_equal(link(in(f, "a"), in(f, "d")), 0);
	assert_int_equal(symlink("a", in(f, "alias")), 0);
	snprintf(paths, sizeof(paths), "%s/a,%s/d", f->dir, f->dir);
	refused(f, paths, READ, 2, "the same file");
	snprintf(paths, sizeof(paths), "%s/a,%s/alias", f->dir, f->dir);
	refused(f, paths, READ, 2, "the same file");
	snprintf(paths, sizeof(paths), "%s/a,sim:", f->dir);
	refused(f, paths, READ, 2, "sim:");
	snprintf(paths, sizeof(paths), "%s/a,", f->dir);
	refused(f, paths, READ, 2, "empty");
}

/* ---- block devices that are files ---- */

/* A tree with a blank nvme1n1, an nvme2n1 whose partition is mounted, an nvme3n1 with swap on it (not in use). */
static void machine(struct fixture *f)
{
	char swap[65536] = { 0 };

	tree_text(f->dir, "proc/self/mountinfo", "22 1 259:9 / /mnt/there rw shared:1 - ext4 /dev/nvme2n1p1 rw\n");
	tree_text(f->dir, "sys/class/block/nvme1n1/dev", "259:1\n");
	tree_text(f->dir, "sys/class/block/nvme1n1/size", "2048\n");
	tree_text(f->dir, "sys/class/block/nvme1n1/device/model", "Amazon Elastic Block Store              \n");
	tree_text(f->dir, "sys/class/block/nvme1n1/device/serial", "vol0123456789abcdef0\n");
	tree_text(f->dir, "sys/class/block/nvme2n1/size", "2048\n");
	tree_text(f->dir, "sys/class/block/nvme3n1/size", "2048\n");
	for (int i = 1; i <= 4; i++) {
		char name[32];
		snprintf(name, sizeof(name), "dev/nvme%dn1", i);
		tree_hole(f->dir, name, (off_t)MIB);
	}
	memcpy(swap + 4086, "SWAPSPACE2", 10);
	swap[1024] = 1; /* version */
	swap[1028] = 15; /* last page */
	tree_put(f->dir, "dev/nvme3n1", swap, sizeof(swap));
	mkdir(in(f, "dev/disk"), 0755);
	assert_int_equal(symlink("../nvme1n1", in(f, "dev/disk/alias")), 0);
	setenv("EBSCOPE_SYSROOT", f->dir, 1);
}

static struct target_request destroy(const char *names)
{
	return (struct target_request){ .write = true, .direct = true, .destroy = names };
}

static void a_device_is_written_only_by_its_own_name(void **state)
{
	struct fixture *f = *state;

	machine(f);
	refused(f, "/dev/nvme1n1", WRITE, 3, "--destroy-data=NAME, NAME being nvme1n1 or vol-0123456789abcdef0");
	refused(f, "/dev/nvme1n1", destroy("nvme2n1"), 3, "nvme1n1");
	refused(f, "/dev/nvme1n1", destroy("nvme"), 3, "nvme1n1");
	refused(f, "/dev/disk/alias", destroy("alias"), 3, "nvme1n1");
	refused(f, "/dev/nvme1n1", destroy("nvme1n1,nvme2n1"), 3, "none of the targets");
	struct target *t = opened(f, "/dev/nvme1n1", destroy("nvme1n1"));
	assert_true(t->writable);
	assert_string_equal(t->volume[0], "vol-0123456789abcdef0");
	assert_int_equal(target_recheck(t, &f->err), 0);
	assert_true(opened(f, "/dev/disk/alias", destroy("vol-0123456789abcdef0"))->writable);
	assert_false(opened(f, "/dev/nvme1n1", READ)->writable);
}

static void a_device_in_use_is_refused_whatever_name_is_given(void **state)
{
	struct fixture *f = *state;

	machine(f);
	refused(f, "/dev/nvme2n1", WRITE, 3, "mounted on /mnt/there");
	refused(f, "/dev/nvme2n1", destroy("nvme2n1"), 3, "mounted on /mnt/there");
	refused(f, "/dev/nvme3n1", destroy("nvme3n1"), 3, "signature (swap)");
	refused(f, "/dev/nvme4n1", destroy("nvme4n1"), 3, "does not know this device");
	opened(f, "/dev/nvme3n1", READ);
}

static void one_bad_target_keeps_all_of_them_closed(void **state)
{
	struct fixture *f = *state;

	machine(f);
	refused(f, "/dev/nvme1n1,/dev/nvme3n1", destroy("nvme1n1,nvme3n1"), 3, "signature");
	refused(f, "/dev/nvme1n1,/dev/disk/alias", destroy("nvme1n1"), 2, "same device");
	/* Nobody holds nvme1n1 now. */
	opened(f, "/dev/nvme1n1", destroy("nvme1n1"));
}

/* The only mount is @p what on the folder data; blanks of its path stand there as the kernel writes them. */
static void mounted(struct fixture *f, const char *what, const char *how)
{
	char at[4 * PATH_MAX], *end = at, text[sizeof(at) + 200];

	mkdir(in(f, "data"), 0755);
	for (const char *p = in(f, "data"); *p; p++)
		end = stpcpy(end, *p == ' ' ? "\\040" : (const char[]){ *p, '\0' });
	snprintf(text, sizeof(text), "22 1 %s %s rw shared:1 - %s rw\n", what, at, how);
	tree_text(f->dir, "proc/self/mountinfo", text);
}

static void a_directory_on_a_set_knows_the_volumes_below(void **state)
{
	struct fixture *f = *state;

	machine(f);
	mounted(f, "9:0 /", "ext4 /dev/md0");
	tree_text(f->dir, "sys/class/block/md0/dev", "9:0\n");
	tree_text(f->dir, "sys/class/block/md0/size", "4096\n");
	tree_text(f->dir, "sys/class/block/md0/queue/logical_block_size", "4096\n");
	tree_text(f->dir, "sys/class/block/md0/md/level", "raid0\n");
	tree_text(f->dir, "sys/class/block/md0/md/chunk_size", "65536\n");
	tree_text(f->dir, "sys/class/block/md0/slaves/nvme1n1/dev", "259:1\n");
	tree_text(f->dir, "sys/class/block/md0/slaves/nvme2n1/dev", "259:2\n");
	tree_text(f->dir, "sys/class/block/nvme2n1/device/serial", "vol0123456789abcdef1\n");
	struct target *t = opened(f, in(f, "data"), (struct target_request){ .size = MIB });
	assert_string_equal(t->device, "md0");
	assert_string_equal(t->disks.name[0], "md0");
	assert_int_equal(t->media, BLOCKDEV_EBS);
	assert_int_equal(t->nr_volumes, 2);
	assert_string_equal(t->volume[1], "vol-0123456789abcdef1");
	assert_string_equal(t->raid_level, "raid0");
	assert_int_equal(t->lba, 4096);
}

static void a_btrfs_lives_on_all_its_devices(void **state)
{
	struct fixture *f = *state;

	machine(f);
	mounted(f, "0:40 /@", "btrfs /dev/nvme1n1");
	tree_text(f->dir, "sys/fs/btrfs/features/x", "");
	tree_text(f->dir, "sys/fs/btrfs/1234-5678/devices/nvme1n1/dev", "259:1\n");
	tree_text(f->dir, "sys/fs/btrfs/1234-5678/devices/nvme3n1/dev", "259:3\n");
	struct target *t = opened(f, in(f, "data"), (struct target_request){ .size = MIB });
	assert_int_equal(t->disks.n, 2);
	assert_string_equal(t->device, "nvme1n1");
	assert_int_equal(t->media, BLOCKDEV_OTHER);
	assert_int_equal(t->nr_volumes, 1);
	assert_true(says(&t->warnings, "copy-on-write"));
}

static void a_device_is_held_by_one_writer(void **state)
{
	struct fixture *f = *state;
	struct target_request req = destroy("nvme1n1");

	machine(f);
	opened(f, "/dev/nvme1n1", req);
	struct target *second = malloc(sizeof(*second));
	assert_int_equal(target_open(second, "/dev/nvme1n1", &req, &f->err), -1);
	assert_int_equal(f->err.code, ERR_REFUSED);
	free(second);
}

static void a_device_that_changed_since_is_not_written(void **state)
{
	struct fixture *f = *state;

	machine(f);
	struct target *t = opened(f, "/dev/nvme1n1", destroy("nvme1n1"));
	tree_text(f->dir, "sys/class/block/nvme1n1/device/serial", "vol0fedcba9876543210\n");
	assert_int_equal(target_recheck(t, &f->err), -1);
	assert_int_equal(f->err.code, ERR_REFUSED);
	tree_text(f->dir, "sys/class/block/nvme1n1/device/serial", "vol0123456789abcdef0\n");
	assert_int_equal(target_recheck(t, &f->err), 0);
	tree_text(f->dir, "proc/self/mountinfo", "22 1 259:1 / /late rw shared:1 - ext4 /dev/nvme1n1 rw\n");
	assert_int_equal(target_recheck(t, &f->err), -1);
	assert_non_null(strstr(f->err.msg, "/late"));
}

static void no_device_outside_the_sysroot_is_opened(void **state)
{
	struct fixture *f = *state;
	char path[PATH_MAX + 64];

	machine(f);
	assert_int_equal(symlink("/dev/null", in(f, "dev/nvme9n1")), 0);
	tree_text(f->dir, "sys/class/block/nvme9n1/size", "2048\n");
	refused(f, "/dev/nvme9n1", READ, 3, "nvme9n1");
	refused(f, "/dev/null", READ, 3, "EBSCOPE_SYSROOT");
	refused(f, "/dev", READ, 3, "no place");
	/* The stand-in is the device by its own path too, and no file to overwrite. */
	snprintf(path, sizeof(path), "%s/dev/nvme2n1", f->dir);
	refused(f, path, (struct target_request){ .write = true, .overwrite = true }, 3, "mounted on /mnt/there");
}

#define T(f) cmocka_unit_test_setup_teardown(f, enter, leave)

static void looking_for_a_target_opens_nothing_and_says_what_is_missing(void **state)
{
	struct fixture *f = *state;
	char both[2 * PATH_MAX + 200];

	assert_int_equal(target_list_find("sim:gp2:100", &f->err), 0);
	assert_int_equal(target_list_find(f->dir, &f->err), 0);
	snprintf(both, sizeof(both), "%s,%s", f->dir, in(f, "gone"));
	assert_int_equal(target_list_find(both, &f->err), -1);
	assert_int_equal(f->err.code, ENOENT);
	assert_non_null(strstr(f->err.msg, "gone"));
	assert_int_equal(target_list_find("/dev/null", &f->err), -1);
	assert_non_null(strstr(f->err.msg, "character device"));
	assert_int_equal(target_list_find("", &f->err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_directory_gets_a_scratch_file_that_has_no_name),
		T(a_file_is_only_read_unless_its_loss_is_agreed_to),
		T(a_path_that_is_not_there_is_refused_and_not_created),
		T(what_is_no_medium_is_refused),
		T(a_job_file_of_fios_and_a_suite_are_no_targets),
		T(a_size_beyond_the_file_is_refused),
		T(holes_are_laid_out_where_that_is_allowed_and_told_where_not),
		T(memory_is_no_device),
		T(the_default_size_is_a_gibibyte_a_tenth_of_what_is_free_or_a_quarter_of_the_memory),
		T(a_size_that_does_not_fit_is_refused_with_the_one_that_does),
		T(sim_is_a_terabyte_of_nothing),
		T(several_targets_are_of_one_size_and_named_once),
		T(a_device_is_written_only_by_its_own_name),
		T(a_device_in_use_is_refused_whatever_name_is_given),
		T(one_bad_target_keeps_all_of_them_closed),
		T(looking_for_a_target_opens_nothing_and_says_what_is_missing),
		T(a_directory_on_a_set_knows_the_volumes_below),
		T(a_btrfs_lives_on_all_its_devices),
		T(a_device_is_held_by_one_writer),
		T(a_device_that_changed_since_is_not_written),
		T(no_device_outside_the_sysroot_is_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
