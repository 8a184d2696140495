#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The engine against fio: both do the same in turn, medians are compared. PAIRS=N: so many pairs a case (7).

CPU is what the whole process used, start and end included, as the kernel tells it to whoever waited for it. Devices
are loop devices on memory: nothing here touches a disk.
"""
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import e2e
from bench import bar, fio
from blockdev import BlockDevice
from e2e import ebscope, main, test

PAIRS = int(os.environ.get("PAIRS", "7"))
FEW = min(PAIRS, 3)
MIB = 1 << 20


def figures(iops, bw_bytes, lat, ios, cpu_seconds):
    return {"iops": iops, "MiB/s": bw_bytes / MIB, "mean": lat["mean"] / 1e3,
            "p99": lat["percentile"]["99.000000"] / 1e3, "cpu": cpu_seconds / ios * 1e6}


def ours(target, wrap=list, **options):
    words = [w for k, v in options.items() for w in ("--" + k, v)]
    r = ebscope("run", *words, "--format", "json", "--no-record", target, wrap=wrap, timeout=120)
    if r.status not in (0, 1):
        raise e2e.Failed("ebscope failed: %r" % r)
    t = r.json["tests"][0]
    clat = t["clat_ns"]["percentile"]["99.000000"] / 1e3
    return {**figures(t["iops"], t["bw_bytes"], t["lat_ns"], t["ios"], r.cpu), "p99 of clat": clat}


def fios(target, wrap=list, **options):
    options = {"ioengine": "libaio", "direct": 1, **options}
    t = fio(filename=target, time_based=1, lat_percentiles=1, wrap=wrap, **options)
    return figures(t["read"]["iops"], t["read"]["bw_bytes"], t["read"]["lat_ns"], t["read"]["total_ios"],
                   t["cpu_seconds"])


def medians(runs):
    return {k: statistics.median(r[k] for r in runs) for k in runs[0]}


def in_turn(pairs, one, other):
    """-> medians of both, every figure; who goes first changes."""
    got = ([], [])
    for n in range(pairs):
        for which in ((0, 1) if n % 2 == 0 else (1, 0)):
            got[which].append((one, other)[which]())
    return medians(got[0]), medians(got[1])


def against(what, a, b, bars):
    """Print a row a bar (figure, at least, at most: ratios), then fail at the first that is missed."""
    missed = None
    for key, low, high in bars:
        try:
            bar("%s: %s" % (what, key), a[key], b[key], at_least=low, at_most=high)
        except e2e.Failed as error:
            missed = missed or error
    if missed:
        raise missed


SMALL = (("iops", 1, None), ("cpu", None, 0.8), ("mean", None, 1.05), ("p99", None, 1.25))
LARGE = (("MiB/s", 1, None), ("cpu", None, 1), ("mean", None, 1.05), ("p99", None, 1.25))


def compare(what, bars, pairs=PAIRS, throttle=None, **options):
    device = BlockDevice(size="512M", fill=True, throttled=throttle is not None)
    if throttle:
        device.limit(**throttle)
    a, b = in_turn(pairs, lambda: ours(device.path, device.wrap, **options),
                   lambda: fios(device.path, device.wrap, **options))
    against(what, a, b, bars)
    return a


@test(alone=True, tools=["fio"], seconds=200)
def without_a_device_an_io_costs_a_quarter_of_what_it_costs_fio():
    options = {"rw": "randread", "bs": "4k", "iodepth": 32, "runtime": 2}
    a, b = in_turn(PAIRS, lambda: ours("sim:", **options), lambda: fios("null", ioengine="null", size="1t", **options))
    bar("sim: 4k depth 32: I/Os a CPU second", 1e6 / a["cpu"], 1e6 / b["cpu"], at_least=4)
    bar("sim: 4k depth 32: I/Os a CPU second", 1e6 / a["cpu"], at_least=10e6)


@test(root=True, alone=True, tools=["fio"], seconds=200)
def small_random_reads_are_as_fast_as_fios_and_cost_less():
    compare("loop randread 4k depth 32", SMALL, rw="randread", bs="4k", iodepth=32, runtime=2)


@test(root=True, alone=True, tools=["fio"], seconds=200)
def small_random_reads_of_two_jobs_are_as_fast_as_fios_and_cost_less():
    compare("loop randread 4k depth 32, 2 jobs", SMALL, rw="randread", bs="4k", iodepth=32, numjobs=2, runtime=2)


@test(root=True, alone=True, tools=["fio"], seconds=200)
def large_reads_are_as_fast_as_fios_and_cost_no_more():
    compare("loop read 1m depth 8", LARGE, rw="read", bs="1m", iodepth=8, runtime=2)


def held(what, key, limit, **options):
    """On a throttled device both show the limit and the same latencies."""
    a = compare(what, ((key, 0.99, 1.01), ("mean", 0.95, 1.05), ("p99", 0.95, 1.05)), pairs=FEW, ramp_time=2, runtime=10,
                **options)
    bar("%s: %s of the limit" % (what, key), a[key], limit, at_least=0.99, at_most=1.01)


@test(root=True, alone=True, tools=["fio"], seconds=200)
def a_device_held_to_3000_iops_shows_3000_and_fios_latencies():
    held("held to 3,000 IOPS", "iops", 3000, throttle={"iops": 3000}, rw="randread", bs="4k", iodepth=32)


@test(root=True, alone=True, tools=["fio"], seconds=200)
def a_device_held_to_128_mib_a_second_shows_them_and_fios_latencies():
    held("held to 128 MiB/s", "MiB/s", 128, throttle={"bps": 128 * MIB}, rw="read", bs="1m", iodepth=8)


CAPPED = {"rw": "randread", "bs": "4k", "iodepth": 4, "rate_iops": 100, "runtime": 3}


@test(alone=True)
def a_cap_of_100_on_a_device_of_1_ms_adds_no_latency():
    a = medians([ours("sim:gp3:100", **CAPPED) for _ in range(FEW)])
    bar("cap of 100 IOPS, 1 ms: p99", a["p99"], at_most=1200, unit=" µs")
    bar("cap of 100 IOPS, 1 ms: IOPS", a["iops"], 100, at_least=0.99, at_most=1.01)


@test(root=True, alone=True)
def a_cap_of_100_on_a_real_device_starts_each_io_on_time():
    device = BlockDevice(size="256M", fill=True, throttled=False)
    runs = [ours(device.path, **CAPPED) for _ in range(FEW)]
    late = min(r["p99"] - r["p99 of clat"] for r in runs)       # the best: others on the CPUs make it late, never early
    bar("cap of 100 IOPS, loop: p99 of lat over that of clat", late, at_most=200, unit=" µs")


main()
