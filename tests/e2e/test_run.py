#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""ebscope run: what it measures, what it says of it, what it leaves behind."""
import csv
import json
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from blockdev import BlockDevice  # noqa: E402
from e2e import *  # noqa: E402,F403


def result(*args, **kw):
    r = ebscope("run", *args, "--format", "json", **kw)
    assert r.status in (0, 1), r        # 1: short of the limit, on a machine that is busy
    return r.json


def measured(file):
    """-> how many samples of the test itself, not of the layout before it, are whole in a recording that grows."""
    if not os.path.exists(file):
        return 0
    lines = [json.loads(line) for line in open(file).read().split("\n")[:-1]]
    return sum(1 for s in lines if s["type"] == "sample" and s["phase"] == "measure" and s["r"]["ios"] + s["w"]["ios"])


def holds_a_deleted_file(pid):
    fds = "/proc/%d/fd" % pid
    return any("deleted" in os.path.realpath(os.path.join(fds, f)) for f in os.listdir(fds))    # closed since: no link


@test
def one_document_of_schema_ebscope_1_is_all_of_stdout():
    where = scratch()
    for rw in ("randread", "randwrite"):
        doc = result("--rw", rw, "--bs", "16k", "--iodepth", "32", "--runtime", "1", "--size", "64m", where)
        equal(doc["schema"], "ebscope/1")
        t = doc["tests"][0]
        equal((t["rw"], t["bs"], t["iodepth"], t["kind"]), (rw, 16384, 32, "block"))
        assert t["ios"] > 0 and t["bytes"] == t["ios"] * 16384 and t["errors"] == 0
        assert t["lat_ns"]["min"] <= t["lat_ns"]["percentile"]["50.000000"] <= t["lat_ns"]["max"]
        assert t["read" if rw == "randread" else "write"]["ios"] == t["ios"]
        equal(doc["targets"][0]["kind"], "directory")
    equal(os.listdir(where), [])


@test
def a_figure_that_does_not_exist_is_null_and_not_zero():
    t = result("--rw", "randread", "--runtime", "0.2", "sim:")["tests"][0]
    for key in ("device_bytes", "cached", "amplified", "expected", "credits", "layout_s", "durable_s", "repeat"):
        equal(t[key], None, key)
    equal(t["write"]["lat_ns"]["mean"], None)
    equal(t["verdict"], "unknown")


@test
def nothing_is_left_in_the_directory_not_even_after_sigkill():
    where = scratch()
    p = start(*program("run", "--rw", "randwrite", "--runtime", "60", "--size", "64m", where))
    wait_until(lambda: holds_a_deleted_file(p.pid))
    p.kill()
    p.wait()
    equal(os.listdir(where), [])


@test
def a_recording_is_complete_up_to_the_last_tick_after_sigkill():
    where, file = scratch(), os.path.join(scratch(), "run.jsonl")
    p = start(*program("run", "--rw", "randread", "--runtime", "60", "--size", "16m", "--record", file, where))
    wait_until(lambda: measured(file) > 4)
    p.kill()
    p.wait()
    kinds = [json.loads(line)["type"] for line in open(file)]
    equal(kinds[0], "header")
    assert "sample" in kinds and "end" not in kinds
    r = ebscope("export", file, "--format", "json")
    equal(r.status, 0)
    equal(r.json["ended"], "interrupted")
    contains(r.err, "interrupted")


def ended_by(sig, status):
    where, file = scratch(), os.path.join(scratch(), "run.jsonl")
    p = start(*program("run", "--rw", "randwrite", "--runtime", "60", "--size", "16m", "--record", file, "--format", "json",
                       where))
    wait_until(lambda: measured(file) > 2)
    p.send_signal(sig)
    r = p.finish()
    equal(r.status, status)
    equal(os.listdir(where), [])
    last = json.loads(open(file).read().splitlines()[-1])
    equal((last["type"], last["reason"]), ("end", "signal"))
    equal(r.json["ended"], "signal")
    assert r.json["tests"][0]["ios"] > 0, "what was measured is kept"


@test(tools=["nohup"])
def nohup_is_obeyed():
    file = os.path.join(scratch(), "run.jsonl")
    p = start("nohup", *program("run", "--rw=randread", "--runtime=60", "--format=json", "--record", file, "sim:"))
    wait_until(lambda: measured(file) > 2)
    p.send_signal(signal.SIGHUP)
    n = measured(file)
    wait_until(lambda: measured(file) > n + 2)
    p.send_signal(signal.SIGTERM)
    equal(p.finish().status, 143)


def by_worker(path):
    """-> bytes and I/Os of each worker in a recording, the layout left out."""
    sums = {}
    for s in map(json.loads, open(path)):
        for i, w in enumerate(s["workers"] if s["type"] == "sample" and s["phase"] != "layout" else []):
            b, n = sums.get(i, (0, 0))
            sums[i] = (b + w["bytes"], n + w["ios"])
    return [sums[i] for i in sorted(sums)]


@test(tools=["fio"])
def with_a_size_alone_each_job_moves_as_much_as_fios():
    for rw in ("read", "write", "randread"):
        here = scratch()
        words = ["--rw=" + rw, "--bs=64k", "--numjobs=4", "--size=4m"]
        fio = json.loads(run("fio", "--name=x", "--directory=" + here, "--output-format=json", *words).out)
        theirs = [(j[d]["io_bytes"], j[d]["total_ios"]) for j in fio["jobs"] for d in ("read", "write") if j[d]["total_ios"]]
        ours = os.path.join(here, "ours")
        result(*words, "--record", ours, here)
        equal(by_worker(ours), theirs, rw)
    text = " ".join(ebscope("run", "--help").out.split())
    contains(text, "with --size alone until each job moved that much", "sequentially each in a part of --size")


@test
def each_signal_that_asks_for_an_end_ends_a_run_cleanly():
    ended_by(signal.SIGINT, 130)
    ended_by(signal.SIGQUIT, 131)
    ended_by(signal.SIGTERM, 143)
    ended_by(signal.SIGHUP, 129)


@test
def a_recording_goes_to_stdout_where_that_is_asked_for():
    r = ebscope("run", "--rw", "randread", "--runtime", "0.3", "--record", "-", "sim:")
    equal(r.status, 0)
    kinds = [json.loads(line)["type"] for line in r.lines]
    equal((kinds[0], kinds[-1]), ("header", "end"))


@test
def a_state_directory_that_cannot_be_written_is_a_warning():
    r = ebscope("run", "--rw", "randread", "--runtime", "0.2", "sim:", env={"XDG_STATE_HOME": "/proc/no"})
    equal(r.status, 0)
    contains(r.err, "not recorded", "/proc/no")


@test
def bad_input_is_one_line_that_says_what_is_allowed_with_status_2():
    where = scratch()
    for args, says in ((["--rw", "randrd", where], "randread"), (["--bs", "0", where], "bs"), (["--bs", "1000", where], "512"),
                       (["--iodepth", "0", where], "1 to"), (["--iodepth", "-1", where], "iodepth"),
                       (["--runtime", "soon", where], "time"), (["--ioengine", "psync", where], "libaio"),
                       (["--nonsense", where], "not an option"), (["--run", "3", where], "--runtime"), ([], "usage"),
                       (["--format", "xml", where], "json"), (["--workload", "iop", where], "iops"),
                       (["--suite", "quik", where], "quick"), (["--repeat", "0", where], "1 to 100"),
                       (["--volume", "gp2:100:5000", where], "300"), (["--time-scale", "0", "sim:"], "1"),
                       (["--shape", "--rw", "read", where], "--volume"), (["--rwmixread", "101", where], "100")):
        r = ebscope("run", *args)
        equal(r.status, 2, (args, r.err))
        equal(len(r.err.splitlines()), 1, r.err)
        equal(r.out, "")
        contains(r.err, says)
    equal(os.listdir(where), [])


@test
def a_failure_before_measuring_is_one_document_too():
    r = ebscope("run", "--format", "json", "/no/such/place")
    equal((r.status, r.json["schema"], r.json["error"]["code"]), (3, "ebscope/1", 3))
    contains(r.json["error"]["message"], "/no/such/place")


@test
def a_directory_in_memory_is_cached_and_no_verdict_rests_on_it():
    if not os.path.ismount("/dev/shm"):
        skip("/dev/shm is no tmpfs")
    import shutil
    import tempfile
    where = tempfile.mkdtemp(dir="/dev/shm")
    defer(shutil.rmtree, where)
    doc = result("--rw", "randread", "--runtime", "0.6", "--size", "16m", "--volume", "gp3:100", where)
    t = doc["tests"][0]
    equal((t["cached"], t["verdict"], doc["verdict"]), (True, "unknown", "unknown"))
    contains(t["reason"], "cached")
    equal(t["direct"], False)


@test(alone=True)
def a_buffered_read_of_a_fresh_file_is_cached():
    t = result("--rw", "read", "--bs", "64k", "--direct", "0", "--invalidate", "0", "--runtime", "0.6", "--size", "16m",
               scratch())["tests"][0]
    if t["cached"] is None:
        skip("no device can be seen below the scratch directory")
    equal(t["cached"], True)


@test
def buffered_io_says_that_its_depth_is_1():
    t = result("--rw", "randread", "--direct", "0", "--ioengine", "libaio", "--iodepth", "8", "--runtime", "0.3", "--size", "16m",
               scratch())["tests"][0]
    contains(" ".join(t["warnings"]), "iodepth is 1")


@test(root=True, quiet=True)
def a_throttled_device_is_measured_at_what_it_is_throttled_to():
    d = BlockDevice("64M", fill=True)
    d.limit(iops=1000)
    t = result("--rw", "randread", "--bs", "4k", "--iodepth", "16", "--ramp_time", "1", "--runtime", "8", d.path,
               wrap=d.wrap)["tests"][0]
    near(t["iops"], 1000, 0.02, "IOPS")
    equal(t["cached"], False)


@test(root=True, quiet=True, seconds=120)
def a_disk_of_20_mib_s_never_shows_more_as_a_write_rate():
    d = BlockDevice("512M")
    d.limit(bps=20 << 20)
    where = d.mount()
    for args in (["--direct", "0"], ["--direct", "1"]):
        file = os.path.join(scratch(), "run.jsonl")
        t = result("--rw", "write", "--bs", "64k", *args, "--size", "128m", "--runtime", "6", "--record", file, where,
                   wrap=d.wrap, timeout=60)["tests"][0]
        assert t["bw_bytes"] < (20 << 20) * 1.1, (args, t["bw_bytes"])
        assert t["bw_bytes"] > (20 << 20) * 0.5, (args, t["bw_bytes"])


@test(root=True, quiet=True)
def small_synchronous_writes_on_ext4_are_amplified_and_not_cached():
    d = BlockDevice("1G", throttled=False)
    where = d.mount()
    t = result("--rw", "randwrite", "--bs", "512", "--direct", "0", "--ioengine", "sync", "--sync", "dsync", "--size", "32m",
               "--runtime", "2", where)["tests"][0]
    equal(t["cached"], False)
    assert t["amplified"] and t["amplified"] > 2, t["amplified"]


@test(root=True, quiet=True, seconds=90)
def a_burst_and_the_baseline_after_it_are_found_where_the_kernel_makes_them():
    d = BlockDevice("64M", fill=True)
    d.limit(iops=3000)
    d.later(6, iops=300)
    t = result("--rw", "randread", "--bs", "4k", "--iodepth", "32", "--runtime", "12", d.path, wrap=d.wrap,
               timeout=60)["tests"][0]
    kinds = [p["kind"] for p in t["phases"]]
    equal(kinds, ["burst", "baseline"])
    near(t["phases"][0]["iops"], 3000, 0.03, "burst")
    near(t["phases"][1]["iops"], 300, 0.05, "baseline")


@test(root=True)
def a_full_disk_ends_the_run_with_what_was_measured():
    d = BlockDevice("400M", throttled=False)
    where = d.mount()
    subprocess.run(["fallocate", "-l", "300M", os.path.join(where, "ballast")], check=False)
    r = ebscope("run", "--rw", "write", "--size", "200m", where)
    equal(r.status, 3)
    contains(r.err, "free")
    equal(sorted(os.listdir(where)), ["ballast", "lost+found"])


@test(root=True)
def an_io_error_stops_the_run_and_says_where():
    d = BlockDevice("64M", fill=True, throttled=False)
    os.truncate(d.backing, 32 << 20)          # the device keeps its size: beyond the middle is nothing any more
    r = ebscope("run", "--rw", "read", "--bs", "64k", "--iodepth", "4", "--runtime", "20", "--format", "json", d.path)
    equal(r.status, 3)
    contains(r.err, "read of 64 KiB at offset", d.path, "Input/output error")
    t = r.json["tests"][0]
    assert t["failed"] and t["errors"] >= 1 and t["ios"] > 0, t
    equal((r.json["ended"], r.json["error"]["code"]), ("error", 3))
    assert r.seconds < 20


@test
def ios_are_counted_as_aws_counts_them():
    for args, per in ((["--rw", "randread", "--bs", "1m"], 4), (["--rw", "read", "--bs", "32k"], 1 / 8),
                      (["--rw", "randread", "--bs", "32k"], 1)):
        t = result(*args, "--iodepth", "8", "--runtime", "0.6", "sim:gp3:500")["tests"][0]
        near(t["counted_ios"], t["ios"] * per, 0.01, args)
    equal(result("--rw", "read", "--runtime", "0.2", "sim:")["tests"][0]["counted_ios"], None)


@test(quiet=True)
def credits_that_were_seen_to_be_spent_are_0_from_the_start():
    t = result("--volume", "gp2:100", "--shape=300iops", "--rw", "randread", "--bs", "16k", "--runtime", "3", "sim:")["tests"][0]
    contains(t["reason"], "no burst seen")
    equal((t["credits"]["start"], t["credits"]["assumed"]), (0, False))


@test
def numbers_have_a_point_whatever_the_locale():
    r = ebscope("run", "--rw", "randread", "--runtime", "0.2", "--format", "csv", "sim:", env={"LC_ALL": "de_DE.UTF-8"})
    head, row = csv.reader(r.lines)
    equal(len(head), len(row), r.out)
    assert float(row[head.index("iops")]) > 0


@test
def fios_json_has_every_figure_where_a_reader_of_fio_looks():
    r = ebscope("run", "--rw", "randrw", "--bs", "8k", "--runtime", "0.4", "--format", "fio", "sim:")
    job = r.json["jobs"][0]
    for way in ("read", "write"):
        assert job[way]["total_ios"] > 0 and job[way]["iops"] > 0 and job[way]["bw_bytes"] > 0
        assert job[way]["clat_ns"]["percentile"]["99.000000"] >= job[way]["clat_ns"]["min"]
    equal(job["job options"]["bs"], "8k")
    equal(job["error"], 0)


main()
