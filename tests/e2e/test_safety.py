# SPDX-License-Identifier: MIT
"""What must never be written is not written: files, devices in use, devices with something on them, the wrong device."""
import hashlib
import os
import subprocess

from e2e import *
from blockdev import BlockDevice, loop_device

WRITE = ["run", "--rw", "randwrite", "--bs", "4k", "--runtime", "0.3", "--size", "8m", "--no-record"]
READ = ["run", "--rw", "randread", "--bs", "4k", "--runtime", "0.3", "--size", "8m", "--no-record"]


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def a_file(size=16 << 20):
    path = os.path.join(scratch(), "data")
    with open(path, "wb") as f:
        f.write(os.urandom(size))
    return path


def refused(path, *args, why=()):
    """The run is refused with 3 and one line that says why, and every byte of path stays."""
    before = digest(path)
    r = ebscope(*WRITE, *args)
    equal(r.status, 3, r.err)
    equal(len(r.err.splitlines()), 1, r.err)
    contains(r.err, *why)
    equal(r.out, "")
    equal(digest(path), before, "the bytes of " + path)


def shell(*argv):
    subprocess.run(argv, check=True, capture_output=True)


@test
def a_write_test_on_a_file_is_refused_and_leaves_every_byte():
    path = a_file()
    refused(path, path, why=["--overwrite"])
    mixed = ebscope("run", "--rw", "randrw", "--runtime", "0.3", "--no-record", path)
    equal(mixed.status, 3)


@test
def a_file_is_written_with_overwrite_and_never_grows():
    path = a_file()
    before = digest(path)
    r = ebscope(*WRITE, "--overwrite", path)
    equal(r.status, 0, r.err)
    assert digest(path) != before
    equal(os.path.getsize(path), 16 << 20)


@test
def a_read_test_changes_no_byte_of_a_file():
    path = a_file()
    before = digest(path), os.stat(path).st_mtime_ns
    equal(ebscope(*READ, path).status, 0)
    equal((digest(path), os.stat(path).st_mtime_ns), before)


@test
def a_path_that_is_not_there_is_refused_and_not_made():
    folder = scratch()
    for name in ("x", "x/", "x/y", "../%s.not" % os.path.basename(folder)):
        r = ebscope(*WRITE, os.path.join(folder, name))
        equal(r.status, 3, name)
        contains(r.err, "No such file or directory")
    r = ebscope(*WRITE, "/dev/nvme99n1")
    equal(r.status, 3)
    equal(os.listdir(folder), [])
    assert not os.path.exists("/dev/nvme99n1")


@test
def what_is_no_directory_file_or_block_device_is_refused():
    folder = scratch()
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    for path in (pipe, "/dev/null", "/dev/full"):
        r = ebscope(*WRITE, "--overwrite", path, timeout=10)
        equal(r.status, 3, path)
        equal(len(r.err.splitlines()), 1, r.err)


@test(root=True)
def a_blank_device_needs_its_name_and_is_written_with_it():
    d = BlockDevice("32M", throttled=False)
    refused(d.path, d.path, why=[d.name, "--destroy-data"])
    refused(d.path, "--destroy-data=sdz", d.path, why=["sdz", d.name])
    equal(ebscope(*WRITE, "--destroy-data=", d.path).status, 2)
    refused(d.path, "--overwrite", d.path)
    before = digest(d.path)
    r = ebscope(*WRITE, "--destroy-data=" + d.name, d.path)
    equal(r.status, 0, r.err)
    assert digest(d.path) != before


@test(root=True)
def every_one_of_several_devices_must_be_named():
    a, b = BlockDevice("32M", throttled=False), BlockDevice("32M", throttled=False)
    both = a.path + "," + b.path
    before = digest(a.path), digest(b.path)
    for names in (a.name, b.name, a.name + ",sdz"):
        r = ebscope(*WRITE, "--destroy-data=" + names, both)
        equal(r.status, 3, names)
    equal((digest(a.path), digest(b.path)), before)
    r = ebscope(*WRITE, "--numjobs", "2", "--destroy-data=%s,%s" % (b.name, a.name), both)
    equal(r.status, 0, r.err)


@test(root=True)
def a_read_test_on_a_device_needs_no_name_and_changes_nothing():
    d = BlockDevice("32M", throttled=False, fill=True)
    before = digest(d.path)
    equal(ebscope(*READ, d.path).status, 0)
    equal(digest(d.path), before)


@test(root=True, tools=["mkfs.ext4"])
def a_mounted_device_is_refused_by_its_mount_point():
    d = BlockDevice("32M", throttled=False)
    folder = d.mount("ext4", "ro,noload")       # a filesystem that writes would change bytes of its own
    refused(d.path, "--destroy-data=" + d.name, d.path, why=["mounted", folder])
    alias = os.path.join(scratch(), "alias")
    os.symlink(d.path, alias)
    refused(d.path, "--destroy-data=" + d.name, alias, why=["mounted"])
    node = os.path.join(scratch(), "node")
    os.mknod(node, 0o600 | 0o060000, os.stat(d.path).st_rdev)
    refused(d.path, "--destroy-data=" + d.name, node, why=["mounted"])


@test(root=True, tools=["mkfs.ext4"])
def a_device_with_a_filesystem_is_refused():
    d = BlockDevice("32M", throttled=False)
    d.mkfs("ext4")
    refused(d.path, "--destroy-data=" + d.name, d.path, why=["ext4"])


@test(root=True, tools=["sfdisk"])
def a_device_with_a_partition_table_is_refused():
    for label in ("gpt", "dos"):
        d = BlockDevice("32M", throttled=False)
        subprocess.run(["sfdisk", "-q", "--label", label, d.path], input=b",8M\n", check=True, capture_output=True)
        refused(d.path, "--destroy-data=" + d.name, d.path, why=["partition table"])


@test(root=True, tools=["mkswap"])
def a_device_with_a_swap_signature_is_refused():
    d = BlockDevice("32M", throttled=False)
    shell("mkswap", d.path)
    refused(d.path, "--destroy-data=" + d.name, d.path, why=["swap"])


@test(root=True)
def a_device_below_a_loop_device_is_refused():
    d = BlockDevice("32M", throttled=False)
    upper = loop_device(d.path)
    d.guardian.add("losetup", "--detach", upper, until_done=True)
    refused(d.path, "--destroy-data=" + d.name, d.path, why=[os.path.basename(upper)])


def loop_of(path):
    loop = loop_device(path)
    defer(subprocess.run, ["losetup", "--detach", loop])
    return loop


@test(root=True)
def a_file_below_a_loop_device_is_known_by_any_of_its_names():
    path = a_file()
    other = path + ".link"
    os.link(path, other)
    loop = loop_of(path)
    os.unlink(path)         # what sysfs calls it is no longer there
    refused(other, "--overwrite", other, why=[os.path.basename(loop)])
    second = loop_of(other)
    refused(second, "--destroy-data=" + os.path.basename(second), second, why=["shares", os.path.basename(loop)])


@test(root=True)
def without_sysfs_no_file_is_written():
    path = a_file()
    hidden = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /sys && exec "$@"', "sh"]
    if run(*hidden, "true").status:
        skip("no mount namespace here")
    before = digest(path)
    r = run(*hidden, *program(*WRITE, "--overwrite", path))
    equal(r.status, 3, r.err)
    contains(r.err, path, "/sys/class/block")
    equal(digest(path), before)


@test(root=True)
def a_device_that_someone_holds_exclusively_is_refused():
    d = BlockDevice("32M", throttled=False)
    fd = os.open(d.path, os.O_RDONLY | os.O_EXCL)
    defer(os.close, fd)
    r = ebscope(*WRITE, "--destroy-data=" + d.name, d.path)
    equal(r.status, 3)
    contains(r.err, d.path, "holds it")


@test(root=True)
def a_read_only_device_is_read_and_never_written():
    d = BlockDevice("32M", throttled=False, read_only=True)
    equal(ebscope(*READ, d.path).status, 0)
    r = ebscope(*WRITE, "--destroy-data=" + d.name, d.path)
    equal(r.status, 3)
    contains(r.err, "read-only")


@test(root=True)
def a_partition_table_that_appears_is_seen_at_the_next_run():
    d = BlockDevice("32M", throttled=False)
    equal(ebscope(*WRITE, "--destroy-data=" + d.name, d.path).status, 0)
    shell("mkfs.ext4", "-q", "-F", d.path)
    refused(d.path, "--destroy-data=" + d.name, d.path, why=["ext4"])


@test(root=True, tools=["mkfs.ext4"])
def a_run_leaves_room_on_the_filesystem():
    d = BlockDevice("400M", throttled=False)
    folder = d.mount("ext4")
    r = ebscope("run", "--rw", "write", "--size", "300m", "--runtime", "0.3", "--no-record", folder)
    equal(r.status, 3, r.err)
    contains(r.err, "free")
    equal(sorted(os.listdir(folder)), ["lost+found"])


@test
def a_read_only_directory_is_refused_with_its_name():
    folder = scratch()
    os.chmod(folder, 0o500)
    if os.geteuid() == 0:
        folder = "/proc"
    r = ebscope(*WRITE, folder)
    equal(r.status, 3)
    contains(r.err, folder)


main()
