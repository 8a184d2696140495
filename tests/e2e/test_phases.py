# SPDX-License-Identifier: MIT
"""Burst and baseline on devices that the kernel throttles: found where they are, at the rates that they have."""
import os
import time

from blockdev import BlockDevice
from e2e import *


def phases(test):
    return [p["kind"] for p in test["phases"]], [p["iops"] for p in test["phases"]]


@test(root=True, quiet=True, seconds=60)
def a_throttle_that_drops_is_found_within_2_percent_and_half_a_second():
    d = BlockDevice(size="64M", fill=True)
    d.limit(iops=3000)
    start = time.monotonic()
    d.later(8, iops=300)
    r = ebscope("run", "--rw", "randread", "--bs", "16k", "--iodepth", "32", "--runtime", "16", "--format", "json",
                "--no-record", d.path, wrap=d.wrap, timeout=50)
    late = time.monotonic() - start - 16    # what starting and ending took: the change is that much earlier in the run
    equal(r.status, 0, r)
    kinds, iops = phases(r.json["tests"][0])
    equal(kinds, ["burst", "baseline"])
    near(iops[0], 3000, 0.02)
    near(iops[1], 300, 0.02)
    end = r.json["tests"][0]["phases"][0]["end_s"]
    assert 8 - late - 0.5 < end < 8.5, (end, late)


@test(root=True, quiet=True, tools=["fio"], seconds=60)
def what_fio_does_on_a_device_is_seen_from_outside():
    d = BlockDevice(size="64M", fill=True)
    d.limit(iops=2000)
    watch = start(*program("watch", "--runtime", "16", "--format", "json", "--volume", "gp2:100", d.path), wrap=d.wrap)
    time.sleep(1)
    d.later(7, iops=400)
    f = os.path.join(scratch(), "fio.json")
    run("fio", "--name=x", "--filename=" + d.path, "--rw=randread", "--bs=16k", "--iodepth=32", "--ioengine=libaio",
        "--direct=1", "--runtime=13", "--time_based", "--output-format=json", "--output=" + f, wrap=d.wrap, timeout=40)
    t = watch.finish(40).json["tests"][0]
    kinds, iops = phases(t)
    seen = [i for k, i in zip(kinds, iops) if k in ("burst", "baseline")]
    equal(len(seen), 2, t["phases"])
    near(seen[0], 2000, 0.03)
    near(seen[1], 400, 0.05)    # a slice of the throttle is 40 I/Os: at both ends of 5 s one more or less is 4 %


main()
