# SPDX-License-Identifier: MIT
"""The device's own word: counters of the NVMe log page in watch, run and check."""
import json
import os
import re
import shutil

from e2e import *

try:
    from fake_device import FakeDevice
except ImportError:
    FakeDevice = None

QUIET = {"AWS_EC2_METADATA_DISABLED": "true", "AWS_ACCESS_KEY_ID": None, "AWS_PROFILE": None,
         "AWS_CONFIG_FILE": "/nonexistent", "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent"}


def device(**how):
    if not FakeDevice:
        skip("no botocore")
    d = FakeDevice(scratch(), **how)
    defer(d.close)
    return d


def at(d, *args, **kw):
    return ebscope(*args, env={**QUIET, "EBSCOPE_SYSROOT": d.root, "XDG_STATE_HOME": scratch()}, **kw)


def measure(d, *more):
    r = at(d, "run", d.path, "--rw", "randread", "--bs", "16k", "--iodepth", "4", "--runtime", "2.4", "--volume", "gp2:100",
           "--credits", "0", "--shape", "--format", "json", *more)
    return r, r.json["tests"][0]


@test
def watch_shows_the_devices_own_counters():
    d = device()
    d.limit("volume iops", 0.9)
    r = at(d, "watch", d.path, "--runtime", "3.4")
    equal(r.status, 0, r)
    shares = [int(x) for x in re.findall(r"at volume iops (\d+) %", r.out)]
    assert len(shares) > 1 and 70 <= sum(shares) / len(shares) <= 100, r.out   # each hangs on when the device was updated
    assert "at host" not in r.out, r.out


@test
def a_watched_device_is_named_in_the_document():
    d = device()
    d.write(d.base + "/size", b"209715200\n")
    r = at(d, "watch", d.path, "--runtime", "1.2", "--format", "json")
    target, volume = r.json["targets"][0], r.json["volumes"][0]
    equal((target["path"], target["device"], target["kind"]), ("/dev/nvme1n1", "nvme1n1", "block"))
    equal(target["volume_id"], "vol-0123456789abcdef0")
    equal((volume["volume_id"], volume["size_gib"], volume["source"]), ("vol-0123456789abcdef0", 100, "nvme"))


def reason(d, wording):
    """The reason of a run; on a machine too busy for 300 IOPS it speaks of that instead, so of one of a few."""
    for _ in range(4):
        _, t = measure(d)
        if wording in t["reason"]:
            break
    contains(t["reason"], wording)
    return t["reason"]


@test(quiet=True)
def the_verdict_has_three_wordings():
    d = device()
    reason(d, "not limited (proven)")
    d.limit("volume iops", 0.95)
    assert "not limited" not in reason(d, "; limited (proven)")
    none = device(status=b"\x09\x21")
    assert "proven" not in reason(none, "no counter")


@test
def a_result_carries_what_the_device_counted():
    d = device()
    d.limit("host throughput", 0.5)
    r, t = measure(d)
    limits = t["device"]["limits"]
    equal(list(limits), ["volume iops", "volume throughput", "host iops", "host throughput"])
    near(limits["host throughput"]["percent"], 50, 0.3)
    equal(limits["volume iops"]["percent"], 0)
    equal(t["device"]["queue"], 3)
    equal([row[:2] for row in t["device"]["lat_us"]], [[256, 512], [512, 1024]])
    assert all(row[2] > 0 and row[3] == 0 for row in t["device"]["lat_us"])


@test
def the_recording_carries_it_tick_by_tick_and_as_an_event():
    d = device()
    d.limit("volume throughput", 1)
    path = scratch() + "/run.jsonl"
    measure(d, "--record", path)
    with open(path) as f:
        lines = [json.loads(line) for line in f]
    seen = [x["device"]["limit_ns"] for x in lines if x["type"] == "sample" and "limit_ns" in (x["device"] or {})]
    assert 1 <= len(seen) <= 4, seen
    assert sum(s[1] for s in seen) > 5e8 * len(seen) and not any(s[0] for s in seen), seen
    events = [x["text"] for x in lines if x["type"] == "event" and x["kind"] == "throttled"]
    equal(events, ["device at its limit: volume throughput"])


@test
def a_device_without_the_page_is_told_once():
    d = device(status=b"\x09\x21")
    r, t = measure(d)
    equal([w for w in t["warnings"] if "statistics" in w], ["/dev/nvme1n1 has no EBS statistics (NVMe status 0x2109)"])
    equal(t["device"], None)
    r = at(d, "watch", d.path, "--runtime", "1.2")
    equal(r.err.count("no EBS statistics"), 1)


@test(quiet=True)
def a_hostile_page_costs_the_proof_and_nothing_else():
    for page in (b"x" * 4096, b"\0" * 100, b"\x10\xb5\x23\x3c" + b"\xff" * 4092):
        d = device(status=page)
        r, t = measure(d)
        equal(t["device"], None)
        assert t["iops"] > 50, t
        assert "(proven)" not in t["reason"], t["reason"]


def pull_out(d, p, entry):
    """The device is gone while p is at it, as its driver leaves it: first no size and reads that give nothing, then no
    entry in sysfs."""
    wait_until(lambda: [n for _, _, names in os.walk(p.state) for n in names if b'"sample"' in
                        open(os.path.join(p.state, "ebscope/runs", n), "rb").read()])
    d.close()
    if entry:
        d.write(d.base + "/size", b"0\n")
    else:
        shutil.rmtree(d.base)
    os.truncate(d.root + d.path, 0)
    return p.finish()


@test
def a_device_that_is_pulled_out_is_said_to_be_gone():
    test = ("run", "--rw", "randread", "--bs", "16k", "--runtime", "60")
    for words, entry in ((test, True), (test, False), (("watch",), False)):
        d = device()
        state = scratch()
        p = start(*program(*words, d.path), env={**QUIET, "EBSCOPE_SYSROOT": d.root, "XDG_STATE_HOME": state})
        p.state = state
        r = pull_out(d, p, entry)
        equal(r.status, 3, r)
        contains(r.err, "gone: detached or removed")
        assert "bytes were read" not in r.err, r


main()
