#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Targets on machines we don't have: trees of files under EBSCOPE_SYSROOT, and what runs leave behind."""
import hashlib
import os
import shutil
import signal
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from e2e import *

WRITE = ("run", "--rw", "randwrite", "--bs", "4k", "--runtime", "1", "--no-record")
BY_ID = "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_"


def machine(name, **sizes):
    """A copy of tests/data/sysroot-NAME; sizes: of devices that are to be written, in MiB. -> (env, folder)"""
    folder = os.path.join(scratch(), "machine")
    shutil.copytree(os.path.join(DATA, "sysroot-" + name), folder, symlinks=True)
    for device, mib in sizes.items():
        os.truncate(os.path.join(folder, "dev", device), mib << 20)
    return {"EBSCOPE_SYSROOT": folder}, folder


def digests(folder):
    found = {}
    for at, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(at, name)
            if not os.path.islink(path):
                with open(path, "rb") as f:
                    found[os.path.relpath(path, folder)] = hashlib.sha256(f.read()).hexdigest()
    return found


def refused(env, folder, target, *options, why):
    before = digests(folder)
    r = ebscope(*WRITE, *options, target, env=env)
    equal(r.status, 3, repr(r))
    notes, _, refusal = r.err.rstrip("\n").rpartition("\n")
    contains(refusal, *why)
    equal(r.out, "")
    assert notes == "" or notes.startswith("ebscope: what the volume really is was not learned") and "\n" not in notes, r.err
    equal(digests(folder), before, "something was written")


@test
def a_disk_whose_partition_is_mounted_is_refused_by_the_mount_point():
    env, folder = machine("ebs")
    why = ("nvme4n1p1", "/mnt/part one")
    refused(env, folder, "/dev/nvme4n1", why=why)
    refused(env, folder, "/dev/nvme4n1", "--destroy-data=nvme4n1", why=why)
    refused(env, folder, BY_ID + "vol0aaaaaaaaaaaaaaaa", "--destroy-data=vol-0aaaaaaaaaaaaaaaa", why=why)
    refused(env, folder, "/dev/nvme0n1", "--destroy-data=nvme0n1", why=("mounted on /",))


@test
def devices_in_use_are_refused_whatever_is_agreed_to():
    env, folder = machine("ebs")
    for name, why in (("nvme1n1", "/data"), ("nvme5n1", "swap"), ("nvme6n1", "dm-0"), ("nvme7n1", "loop0")):
        refused(env, folder, "/dev/" + name, "--destroy-data=" + name, why=(why,))
    env, folder = machine("raid")
    for name, why in (("nvme1n1", "md0"), ("nvme6n1", "md1"), ("nvme8n1", "md5"), ("nvme10n1", "md10"), ("md0", "/data")):
        refused(env, folder, "/dev/" + name, "--destroy-data=" + name, why=(why,))


@test
def only_the_devices_own_name_or_volume_id_agrees_to_its_loss():
    env, folder = machine("ebs", nvme2n1=8, nvme3n1=8)
    for wrong in ("nvme3n1", "vol-1234abce", "vol1234abcd", "sdf", "/dev/nvme2n1", "yes"):
        refused(env, folder, "/dev/sdf", "--destroy-data=" + wrong, why=("nvme2n1", "vol-1234abcd"))
    refused(env, folder, "/dev/nvme2n1,/dev/nvme3n1", "--destroy-data=nvme2n1", why=("nvme3n1",))
    refused(env, folder, "/dev/nvme2n1", "--destroy-data=nvme2n1,nvme3n1", why=("nvme3n1", "none of the targets"))


@test
def a_blank_volume_is_written_by_its_id_and_nothing_else_changes():
    env, folder = machine("ebs", nvme2n1=8)
    before = digests(folder)
    r = ebscope(*WRITE, "--destroy-data=vol-1234abcd", "--format", "json", "/dev/sdf", env=env)
    equal(r.status, 0, repr(r))
    target = r.json["targets"][0]
    equal((target["kind"], target["volume_id"], target["device"]), ("block", "vol-1234abcd", "nvme2n1"))
    after = digests(folder)
    equal([path for path in after if after[path] != before.get(path)], ["dev/nvme2n1"])
    equal(os.path.getsize(os.path.join(folder, "dev/nvme2n1")), 8 << 20, "it grew")


@test
def a_device_that_is_not_there_and_the_folder_of_devices_are_refused():
    env, folder = machine("ebs")
    refused(env, folder, "/dev/nvme77n1", "--destroy-data=nvme77n1", why=("/dev/nvme77n1", "No such file"))
    for path in ("/dev", "/dev/", "/dev/disk"):
        refused(env, folder, path, why=("no place for test files",))


@test
def no_device_of_this_machine_is_opened_under_a_sysroot():
    env, folder = machine("ebs")
    os.symlink("/dev/null", os.path.join(folder, "dev/nvme8n1.link"))
    os.unlink(os.path.join(folder, "dev/nvme8n1"))
    os.symlink("/dev/zero", os.path.join(folder, "dev/nvme8n1"))
    r = ebscope("run", "--rw", "randread", "--runtime", "1", "--no-record", "/dev/nvme8n1", env=env)
    equal(r.status, 3, repr(r))


@test
def the_list_tells_volumes_from_instance_store_and_sets_from_members():
    env, _ = machine("ebs")
    r = ebscope("devices", "--format", "json", env=env)
    equal(r.status, 0, repr(r))
    by_path = {d["path"]: d for d in r.json["devices"]}
    d = by_path["/dev/nvme1n1"]
    equal((d["kind"], d["volume_id"], d["ebs_name"], d["mounts"]), ("ebs", "vol-0123456789abcdef0", "xvdh", ["/data"]))
    equal((by_path["/dev/nvme3n1"]["kind"], by_path["/dev/nvme3n1"]["volume_id"]), ("instance-store", None))
    equal((by_path["/dev/nvme2n1"]["writable"], by_path["/dev/nvme2n1"]["why_not"]), (True, None))
    assert not by_path["/dev/nvme4n1"]["writable"] and "/mnt/part one" in by_path["/dev/nvme4n1"]["why_not"]
    env, _ = machine("raid")
    by_path = {d["path"]: d for d in ebscope("devices", "--format", "json", env=env).json["devices"]}
    d = by_path["/dev/md5"]
    equal((d["level"], d["chunk_bytes"], d["members"]), ("raid5", 65536, ["nvme7n1", "nvme8n1", "nvme9n1"]))
    contains(ebscope("devices", env=env).out, "raid10 of nvme10n1, nvme11n1, nvme12n1, nvme13n1, chunk 512 KiB")


@test
def a_hostile_machine_is_listed_without_harm():
    env, _ = machine("hostile")
    equal(ebscope("devices", env=env).status, 0)
    for command in (["devices"], ["run", "--rw", "randread", "--runtime", "1", scratch()]):
        r = ebscope(*command, env={"EBSCOPE_SYSROOT": "/no/such/tree"})
        equal(r.status, 2, repr(r))
        contains(r.err, "EBSCOPE_SYSROOT=/no/such/tree")


@test
def a_containers_memory_sizes_a_buffered_test_and_is_named():
    env, _ = machine("container")
    folder = scratch()
    r = ebscope("run", "--rw", "randread", "--direct", "0", "--runtime", "1", "--no-record", folder, env=env)
    equal(r.status, 0, repr(r))
    contains(r.err, "a scratch file of 64 MiB")
    contains(r.out + r.err, "256 MiB, of the container")


@test
def buffers_stay_within_a_quarter_of_a_containers_memory_and_the_memory_is_shown():
    env, _ = machine("container")
    folder = scratch()
    for options in (["--bs", "16m", "--iodepth", "32"], ["--rw", "randrw", "--bs", "1m", "--iodepth", "33"],
                    ["--bs", "64m", "--numjobs", "2"]):
        r = ebscope("run", "--rw", "randread", "--runtime", "1", "--size", "64m", "--no-record", *options, folder, env=env)
        equal(r.status, 2, repr(r))
        contains(r.err, "of buffers: at most 64 MiB, a quarter of the memory (256 MiB (cgroup) of ")
        equal(os.listdir(folder), [])
    r = ebscope("run", "--rw", "randread", "--bs", "1m", "--iodepth", "64", "--runtime", "0.3", "--size", "64m", "--no-record",
                folder, env=env)
    equal(r.status, 0, repr(r))
    contains(r.out.split("\n")[0], "256 MiB (cgroup) of ")
    r = ebscope("--screen", "120x40", "--keys", "Enter,wait:1s", "--dump", "run", "--rw", "randread", "--runtime", "3",
                "--size", "64m", "--no-record", folder, env=env)
    contains(r.out.split("\n")[0], "256 MiB (cgroup) of ")


@test
def a_run_that_is_killed_leaves_nothing_in_the_folder():
    folder = scratch()
    p = start(*program("run", "--rw", "randread", "--runtime", "30", "--size", "16m", "--no-record", folder))
    time.sleep(1)
    equal(p.poll(), None)
    p.send_signal(signal.SIGKILL)
    equal(p.finish().status, 128 + signal.SIGKILL)
    equal(os.listdir(folder), [])


@test
def what_a_killed_run_left_is_removed_by_the_next_and_told():
    folder = scratch()
    host = "".join(c if c.isalnum() or c in "._-" else "_" for c in socket.gethostname())
    stale, other = ".ebscope.%s.4194304" % host, ".ebscope.another-host.4194304"
    for name in (stale, other):
        os.mkdir(os.path.join(folder, name), 0o700)
        with open(os.path.join(folder, name, "left"), "w") as f:
            f.write("behind")
    r = ebscope("run", "--rw", "randread", "--runtime", "1", "--size", "1m", "--no-record", folder)
    equal(r.status, 0, repr(r))
    contains(r.err, "removed " + stale)
    equal(os.listdir(folder), [other])


main()
