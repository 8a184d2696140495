/* SPDX-License-Identifier: MIT */
/* The guard against real block devices: loop devices that the test makes, where it is root and the kernel has them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>

#include "engine/target.h"
#include "engine/units.h"
#include "tests/unit/engine/tmp_tree.h"

#define SIZE (16 * MIB)

struct fixture {
	char   dir[PATH_MAX];
	char   image[PATH_MAX + 16], mount[PATH_MAX + 16];
	char   dev[64]; /* "/dev/loop3" */
	char  *before;
	struct target t;
	struct err err;
};

/* Run a command; its first line of output goes to @p line. @return its success */
__attribute__((format(printf, 3, 4))) static bool run(char *line, size_t size, const char *fmt, ...)
{
	char command[4 * PATH_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	strcat(command, " 2>/dev/null");
	FILE *f = popen(command, "r");
	if (!f)
		return false;
	if (!fgets(line, (int)size, f))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return pclose(f) == 0;
}

#define RUN(...) run((char[256]){ 0 }, 256, __VA_ARGS__)

static char *content(const char *path)
{
	char *data = malloc(SIZE);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (!data || fd < 0 || read(fd, data, SIZE) != (ssize_t)SIZE)
		abort();
	close(fd);
	return data;
}

static int enter(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	tmp_tree(f->dir);
	snprintf(f->image, sizeof(f->image), "%s/image", f->dir);
	snprintf(f->mount, sizeof(f->mount), "%s/mnt", f->dir);
	tree_hole(f->dir, "image", SIZE);
	mkdir(f->mount, 0755);
	f->t.fd = -1;
	*state = f;
	return 0;
}

static int leave(void **state)
{
	struct fixture *f = *state;

	target_close(&f->t);
	RUN("mountpoint -q '%s' && umount '%s'", f->mount, f->mount);
	if (*f->dev)
		RUN("losetup -d %s", f->dev);
	tmp_tree_remove(f->dir);
	free(f->before);
	free(f);
	return 0;
}

/* A loop device over the image, or the test is skipped. */
static void attach(struct fixture *f)
{
	if (geteuid() != 0 || !run(f->dev, sizeof(f->dev), "losetup -f --show -P '%s'", f->image)) {
		f->dev[0] = '\0';
		print_message("needs root and a loop device\n");
		skip();
	}
	/* The node may be made by udev a moment later. */
	for (int i = 0; i < 100 && access(f->dev, F_OK) < 0; i++)
		usleep(10000);
	f->before = content(f->image);
}

static void need(bool ok, const char *what)
{
	if (!ok) {
		print_message("no %s\n", what);
		skip();
	}
}

static const char *name_of(const struct fixture *f)
{
	return f->dev + 5;
}

static int open_to_write(struct fixture *f, const char *path, const char *destroy)
{
	const struct target_request req = { .write = true, .direct = true, .destroy = destroy };

	return target_open(&f->t, path, &req, &f->err);
}

/* Refused for safety with a message that has @p word, with the right name given; and not a byte has changed. */
static void refused(struct fixture *f, const char *path, const char *destroy, const char *word)
{
	if (open_to_write(f, path, destroy) == 0)
		fail_msg("%s was opened for writing", path);
	if (f->err.code != ERR_REFUSED || !strstr(f->err.msg, word))
		fail_msg("%s: %d \"%s\" lacks \"%s\"", path, f->err.code, f->err.msg, word);
	char *after = content(f->image);
	assert_memory_equal(after, f->before, SIZE);
	free(after);
}

static void a_blank_device_is_written_by_its_own_name(void **state)
{
	struct fixture *f = *state;

	attach(f);
	refused(f, f->dev, NULL, "--destroy-data=NAME");
	refused(f, f->dev, "loop", "--destroy-data");
	if (open_to_write(f, f->dev, name_of(f)) < 0)
		fail_msg("%s", f->err.msg);
	assert_int_equal(f->t.kind, TARGET_BLOCK);
	assert_int_equal(f->t.size_bytes, SIZE);
	assert_true(f->t.writable);
	assert_string_equal(f->t.device, name_of(f));
	assert_string_equal(f->t.disks.name[0], name_of(f));
	assert_int_equal(target_recheck(&f->t, &f->err), 0);
	void *block = aligned_alloc(4096, 4096);
	memset(block, 0xa5, 4096);
	assert_int_equal(pwrite(f->t.fd, block, 4096, 4096), 4096);
	free(block);
	target_close(&f->t);
}

static void a_node_by_another_name_is_the_same_device(void **state)
{
	struct fixture *f = *state;
	char node[PATH_MAX + 16];
	struct stat st;

	attach(f);
	snprintf(node, sizeof(node), "%s/disk", f->dir);
	need(stat(f->dev, &st) == 0 && mknod(node, S_IFBLK | 0600, st.st_rdev) == 0, "mknod");
	int fd = open(node, O_RDONLY | O_CLOEXEC);
	need(fd >= 0, "devices outside /dev");
	close(fd);
	refused(f, node, "disk", name_of(f));
	assert_int_equal(open_to_write(f, node, name_of(f)), 0);
	target_close(&f->t);
	need(RUN("mkfs.ext4 -q -F '%s'", f->image), "mkfs.ext4");
	free(f->before);
	f->before = content(f->image);
	refused(f, node, name_of(f), "signature (ext4)");
}

static void a_second_writer_is_refused(void **state)
{
	struct fixture *f = *state;

	attach(f);
	assert_int_equal(open_to_write(f, f->dev, name_of(f)), 0);
	struct target first = f->t;
	refused(f, f->dev, name_of(f), "holds it");
	f->t = first;
}

static void a_filesystem_is_refused_mounted_or_not(void **state)
{
	struct fixture *f = *state;

	need(RUN("mkfs.ext4 -q -F '%s'", f->image), "mkfs.ext4");
	attach(f);
	refused(f, f->dev, name_of(f), "signature (ext4)");
	need(RUN("mount %s '%s'", f->dev, f->mount), "mounting");
	free(f->before);
	f->before = content(f->image);
	refused(f, f->dev, name_of(f), f->mount);
	/* Its directory is fine, and lives on it. */
	assert_int_equal(target_open(&f->t, f->mount, &(struct target_request){ .direct = true, .size = MIB }, &f->err), -1);
	assert_int_equal(f->err.code, ENOSPC);
}

/* One Linux partition from sector 2048 to the end. */
static void attach_partitioned(struct fixture *f)
{
	static const unsigned char entry[16] = { 0, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0x78, 0, 0 };
	char mbr[512] = { 0 };

	memcpy(mbr + 446, entry, sizeof(entry));
	mbr[510] = 0x55;
	mbr[511] = (char)0xaa;
	tree_put(f->dir, "image", mbr, sizeof(mbr));
	assert_int_equal(truncate(f->image, SIZE), 0);
	attach(f);
}

static void a_partition_table_is_refused(void **state)
{
	struct fixture *f = *state;

	attach_partitioned(f);
	refused(f, f->dev, name_of(f), "partition table (dos)");
}

static void the_disk_of_a_mounted_partition_is_refused(void **state)
{
	struct fixture *f = *state;
	char part[80];

	attach_partitioned(f);
	snprintf(part, sizeof(part), "%sp1", f->dev);
	need(access(part, F_OK) == 0, "partitions on loop devices");
	need(RUN("mkfs.ext4 -q -F %s && mount %s '%s'", part, part, f->mount), "mkfs.ext4");
	free(f->before);
	f->before = content(f->image);
	refused(f, f->dev, name_of(f), f->mount);
	refused(f, part, part + 5, f->mount);
}

static void signatures_of_swap_and_raid_are_refused(void **state)
{
	struct fixture *f = *state;
	unsigned char md[256] = { 0xfc, 0x4e, 0x2b, 0xa9, 1 }; /* version 1.2: magic and major version, at 4 KiB */
	char *image = calloc(1, SIZE);

	md[128] = 8 * 2; /* data offset, sectors */
	md[144] = 8;	 /* where this superblock is, sectors */
	memcpy(image + 4096, md, sizeof(md));
	tree_put(f->dir, "image", image, SIZE);
	free(image);
	attach(f);
	refused(f, f->dev, name_of(f), "signature (linux_raid_member)");
	need(RUN("mkswap '%s'", f->image), "mkswap");
	free(f->before);
	f->before = content(f->image);
	refused(f, f->dev, name_of(f), "signature (");
}

static void a_device_below_a_loop_device_is_refused_and_so_are_two_on_one_file(void **state)
{
	struct fixture *f = *state;
	char second[64];

	attach(f);
	need(run(second, sizeof(second), "losetup -f --show %s", f->dev), "second loop device");
	refused(f, f->dev, name_of(f), "below the loop device");
	refused(f, second, second + 5, "lies on the device");
	RUN("losetup -d %s", second);
	need(run(second, sizeof(second), "losetup -f --show '%s'", f->image), "second loop device");
	refused(f, f->dev, name_of(f), "shares");
	RUN("losetup -d %s", second);
}

static void the_file_of_a_loop_device_is_refused(void **state)
{
	struct fixture *f = *state;
	const struct target_request req = { .write = true, .overwrite = true };

	attach(f);
	assert_int_equal(target_open(&f->t, f->image, &req, &f->err), -1);
	assert_int_equal(f->err.code, ERR_REFUSED);
	assert_non_null(strstr(f->err.msg, name_of(f)));
}

static void a_signature_that_appears_later_stops_the_first_write(void **state)
{
	struct fixture *f = *state;

	attach(f);
	assert_int_equal(open_to_write(f, f->dev, name_of(f)), 0);
	need(RUN("mkfs.ext4 -q -F '%s'", f->image), "mkfs.ext4");
	RUN("blockdev --flushbufs %s", f->dev);
	assert_int_equal(target_recheck(&f->t, &f->err), -1);
	assert_int_equal(f->err.code, ERR_REFUSED);
}

static void a_device_is_read_whatever_is_on_it(void **state)
{
	struct fixture *f = *state;

	need(RUN("mkfs.ext4 -q -F '%s'", f->image), "mkfs.ext4");
	attach(f);
	assert_int_equal(target_open(&f->t, f->dev, &(struct target_request){ .direct = true }, &f->err), 0);
	assert_false(f->t.writable);
	assert_int_equal(f->t.whole_bytes, SIZE);
}

#define T(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_blank_device_is_written_by_its_own_name),
		T(a_node_by_another_name_is_the_same_device),
		T(a_second_writer_is_refused),
		T(a_filesystem_is_refused_mounted_or_not),
		T(a_partition_table_is_refused),
		T(the_disk_of_a_mounted_partition_is_refused),
		T(signatures_of_swap_and_raid_are_refused),
		T(a_device_below_a_loop_device_is_refused_and_so_are_two_on_one_file),
		T(the_file_of_a_loop_device_is_refused),
		T(a_signature_that_appears_later_stops_the_first_write),
		T(a_device_is_read_whatever_is_on_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
