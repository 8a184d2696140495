#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The engine against fio: both do the same, in turn, several times; medians are compared, and both are printed.

usage: bench_engine.py [WORD...]     only the cases with a WORD in their name
PAIRS=N in the environment: so many alternating pairs a case (7). Exit status 1 when a bar is missed.

CPU is what the whole process used, start and end included, as the kernel tells it to whoever waited for it. Devices
are loop devices on memory: nothing here touches a disk.
"""
import contextlib
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import e2e
from blockdev import BlockDevice

PAIRS = int(os.environ.get("PAIRS", "7"))
MIB = 1 << 20
missed = []


def ours(args, seconds, target, wrap=list):
    r = e2e.ebscope("run", *args, "--runtime", seconds, "--format", "json", "--no-record", target, wrap=wrap, timeout=120)
    if r.status not in (0, 1):
        raise e2e.Failed(repr(r))
    t = r.json["tests"][0]
    return {"iops": t["iops"], "bw": t["bw_bytes"] / MIB, "mean": t["lat_ns"]["mean"] / 1e3,
            "p99": t["lat_ns"]["percentile"]["99.000000"] / 1e3, "cpu": r.cpu / t["ios"] * 1e6,
            "ios": t["ios"], "clat99": t["clat_ns"]["percentile"]["99.000000"] / 1e3}


def fio(args, seconds, target, wrap=list):
    r = e2e.run("fio", "--name=bench", "--filename=" + target, "--time_based", "--group_reporting", "--lat_percentiles=1",
                "--output-format=json", "--runtime=%g" % seconds, *args, wrap=wrap, timeout=120)
    if r.status:
        raise e2e.Failed(repr(r))
    t = r.json["jobs"][0]["read"]
    return {"iops": t["iops"], "bw": t["bw_bytes"] / MIB, "mean": t["lat_ns"]["mean"] / 1e3,
            "p99": t["lat_ns"]["percentile"]["99.000000"] / 1e3, "cpu": r.cpu / t["total_ios"] * 1e6,
            "ios": t["total_ios"]}


def pairs(args, seconds, target, fio_args, fio_target=None, wrap=list, n=PAIRS):
    """-> medians of ours and of fio's, run in turn."""
    runs = [(ours(args, seconds, target, wrap), fio(fio_args, seconds, fio_target or target, wrap)) for _ in range(n)]
    return [{k: statistics.median(r[i][k] for r in runs) for k in runs[0][i]} for i in (0, 1)]


def bar(case, what, got, low=None, high=None, note=""):
    ok = (low is None or got >= low) and (high is None or got <= high)
    bounds = " and ".join(["at least %g" % low] * (low is not None) + ["at most %g" % high] * (high is not None))
    print("%-4s %-34s %-22s %10.4g   bar: %s%s" % ("ok" if ok else "MISS", case, what, got, bounds, note and "   " + note),
          flush=True)
    if not ok:
        missed.append("%s: %s" % (case, what))


def ratio(case, what, key, a, b, low=None, high=None):
    bar(case, what + " / fio", a[key] / b[key], low, high, "ebscope %.5g, fio %.5g" % (a[key], b[key]))


def against_the_null_engine():
    case = "sim: 4k depth 32"
    a, b = pairs(["--rw", "randread", "--bs", "4k", "--iodepth", "32"], 2, "sim:",
                 ["--ioengine=null", "--rw=randread", "--bs=4k", "--iodepth=32", "--size=1t"], "null")
    bar(case, "I/Os per CPU s / fio null", b["cpu"] / a["cpu"], low=4,
        note="ebscope %.3gM, fio %.3gM" % (1 / a["cpu"], 1 / b["cpu"]))
    bar(case, "I/Os per CPU s", 1e6 / a["cpu"], low=10e6)


def both(rw, bs, depth, jobs=1, extra=()):
    """The same workload for both."""
    return (["--rw", rw, "--bs", bs, "--iodepth", depth, "--numjobs", jobs, *extra],
            ["--ioengine=libaio", "--direct=1", "--rw=" + rw, "--bs=" + bs, "--iodepth=%d" % depth,
             "--numjobs=%d" % jobs, *("%s=%s" % e for e in zip(extra[::2], extra[1::2]))])


def a_fast_device():
    device = BlockDevice(size="512M", fill=True, throttled=False)
    for jobs in (1, 2):
        case = "loop randread 4k depth 32 jobs %d" % jobs
        args = both("randread", "4k", 32, jobs)
        a, b = pairs(args[0], 2, device.path, args[1])
        ratio(case, "IOPS", "iops", a, b, low=1)
        ratio(case, "CPU an I/O", "cpu", a, b, high=0.8)
        ratio(case, "mean lat", "mean", a, b, high=1.05)
        ratio(case, "p99 lat", "p99", a, b, high=1.25)
    case = "loop read 1m depth 8"
    args = both("read", "1m", 8)
    a, b = pairs(args[0], 2, device.path, args[1])
    ratio(case, "bandwidth", "bw", a, b, low=1)
    ratio(case, "CPU an I/O", "cpu", a, b, high=1)
    ratio(case, "mean lat", "mean", a, b, high=1.05)
    ratio(case, "p99 lat", "p99", a, b, high=1.25)


def throttled(case, limit, args, want, key):
    device = BlockDevice(size="512M", fill=True)
    device.limit(**limit)
    ours_args, fio_args = args
    a, b = pairs(ours_args, 6, device.path, fio_args, wrap=device.wrap, n=min(PAIRS, 3))
    bar(case, "%s of the limit" % key, a[key] / want, 0.99, 1.01, "%.5g of %g" % (a[key], want))
    ratio(case, key, key, a, b, 0.99, 1.01)
    ratio(case, "mean lat", "mean", a, b, 0.95, 1.05)
    ratio(case, "p99 lat", "p99", a, b, 0.95, 1.05)


def a_device_held_to_3000_iops():
    throttled("held to 3,000 IOPS", {"iops": 3000}, both("randread", "4k", 32, extra=("--ramp_time", "2")), 3000, "iops")


def a_device_held_to_128_mib():
    throttled("held to 128 MiB/s", {"bps": 128 * MIB}, both("read", "1m", 8, extra=("--ramp_time", "2")), 128, "bw")


def a_rate_cap():
    """100 a second on a device of 1 ms: nothing waits, so nothing may take much longer than 1 ms."""
    capped = ["--rw", "randread", "--bs", "4k", "--iodepth", "4", "--rate_iops", "100"]
    runs = [ours(capped, 3, "sim:gp3:100") for _ in range(min(PAIRS, 3))]
    bar("cap of 100 IOPS, sim of 1 ms", "p99 lat µs", statistics.median(r["p99"] for r in runs), high=1200)
    bar("cap of 100 IOPS, sim of 1 ms", "IOPS", statistics.median(r["iops"] for r in runs), 99, 101)
    device = BlockDevice(size="256M", fill=True, throttled=False)
    runs = [ours(capped, 3, device.path) for _ in range(min(PAIRS, 3))]
    bar("cap of 100 IOPS, loop", "p99 µs by the cap", statistics.median(r["p99"] - r["clat99"] for r in runs), high=200)


CASES = (against_the_null_engine, a_fast_device, a_device_held_to_3000_iops, a_device_held_to_128_mib, a_rate_cap)


def main():
    skipped = []
    for case in CASES:
        if not all(word in case.__name__ for word in sys.argv[1:]):
            continue
        with contextlib.ExitStack() as e2e._undo:
            try:
                case()
            except e2e.Skip as reason:
                skipped.append("%s: %s" % (case.__name__, reason))
            except (e2e.Failed, KeyError, TypeError, FileNotFoundError) as error:
                missed.append("%s: %r" % (case.__name__, error))
    for line in skipped:
        print("skipped " + line)
    for line in missed:
        print("missed " + line)
    if missed:
        sys.exit(1)
    if len(skipped) == len(CASES):
        print("nothing could be measured")
        sys.exit(77)


main()
