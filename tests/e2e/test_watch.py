#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""ebscope watch: what a device does by itself, against its limits; nothing of ours reaches it."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from blockdev import BlockDevice  # noqa: E402
from e2e import *  # noqa: E402,F403


def busy(d, seconds, **rates):
    """fio on the device, from when it reads, and its document when it has ended."""
    def reads():
        with open("/sys/block/%s/stat" % d.name) as f:
            return int(f.read().split()[0])
    before = reads()
    fio = start("fio", "--name=x", "--filename=" + d.path, "--rw=randread", "--bs=4k", "--iodepth=16", "--ioengine=libaio",
                "--direct=1", "--time_based", "--runtime=%d" % seconds, "--output-format=json",
                *("--%s=%s" % r for r in rates.items()), wrap=d.wrap)
    wait_until(lambda: reads() > before + 50)
    return fio


@test(root=True, tools=["fio"], quiet=True, seconds=90)
def watch_beside_fio_has_fios_rate_and_finds_its_phases():
    d = BlockDevice("64M", fill=True)
    d.limit(iops=2000)
    file = os.path.join(scratch(), "w.jsonl")
    fio = busy(d, 16)
    d.later(8, iops=400)
    r = ebscope("watch", "--volume", "gp3:100", "--runtime", "13", "--record", file, "--format", "json", d.path, timeout=60)
    equal(r.status, 0, r)
    t = r.json["tests"][0]
    levels = [p["iops"] for p in t["phases"] if p["end_s"] - p["start_s"] > 2]
    assert len(levels) == 2, t["phases"]
    near(levels[0], 2000, 0.02, "before the fall")
    near(levels[1], 400, 0.02, "after it")
    near(fio.finish(30).json["jobs"][0]["read"]["iops"], (8 * 2000 + 8 * 400) / 16, 0.1, "fio's own mean")
    equal((t["kind"], t["verdict"]), ("watch", "unknown"))
    workers = [json.loads(line)["workers"] for line in open(file) if '"sample"' in line]
    assert workers and not any(workers), "nobody works for us"


@test(root=True, tools=["fio"], quiet=True)
def an_alarm_ends_watch_with_status_1_and_says_what_was_reached():
    d = BlockDevice("64M", fill=True, throttled=False)
    busy(d, 8, rate_iops=2600)
    r = ebscope("watch", "--volume", "gp3:100", "--warn-at", "80%", "--runtime", "6", d.path)
    equal(r.status, 1, r)
    contains(r.err, "% of the limit was reached")
    busy(d, 8, rate_iops=300)
    r = ebscope("watch", "--volume", "gp3:500:16000", "--warn-at", "80%", "--runtime", "2", d.path)
    equal(r.status, 0, r)


@test(root=True)
def a_watch_with_an_output_file_leaves_its_result_there():
    d = BlockDevice("8M", throttled=False)
    path = os.path.join(scratch(), "w.txt")
    r = ebscope("watch", "--runtime", "1.5", "--no-record", "--output", path, d.path)
    equal(r.status, 0, r)
    contains(open(path).read(), "watch on " + d.path)
    contains(r.out, "IOPS")


@test
def an_alarm_without_a_limit_is_refused():
    r = ebscope("watch", "--warn-at", "80%", "/tmp")
    equal(r.status, 2)
    contains(r.err, "--volume")
    equal(len(r.err.splitlines()), 1, r)
    r = ebscope("watch", "--warn-at", "80%", "--task", "0.25:1", "/tmp")     # nothing is documented for so small a one
    equal(r.status, 2, r)
    contains(r.err, "none is documented for 0.25:1")
    equal(ebscope("watch", "/no/such/dir").status, 3)
    equal(ebscope("watch", "sim:").status, 2)


main()
