#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The model's bars: how fast it answers, and how exactly shaped I/O keeps to what is documented."""
import json
import os
import shlex
import sys
from statistics import median

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from bench import bar
from e2e import *

BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))


@test(alone=True)
def a_million_forecasts_a_second_of_cpu_and_expect_in_20_ms():
    program = os.path.join(scratch(), "model")
    r = run(*shlex.split(os.environ.get("CC", "cc")), "-O2", "-std=gnu11", "-D_GNU_SOURCE", "-I", TOP, "-o", program,
            os.path.join(TOP, "tests/bench/model.c"), os.path.join(BUILD, "aws.a"), os.path.join(BUILD, "engine.a"),
            "-ljansson", "-lm", "-lpthread")
    equal(r.status, 0)
    figures = dict(line.split() for line in run(program).lines)
    bar("forecasts a second", float(figures["rates"]), at_least=1e6)
    bar("whole expectations a second", float(figures["expectations"]), at_least=1e5)
    bar("shaped I/Os booked a second", float(figures["reservations"]), at_least=5e6)
    bar("expect", 1e3 * min(ebscope("expect", "10*gp2:20", "--instance", "m5.large").seconds for _ in range(9)),
        at_most=20, unit=" ms")


def shaped(volume, *args):
    """-> the result of a shaped run on sim:, and the I/Os of each tick of its measured part."""
    record = os.path.join(scratch(), "run.jsonl")
    r = ebscope("run", "--volume", volume, "--shape", *args, "--format", "json", "--record", record, "sim:", timeout=90)
    with open(record) as f:
        rows = [json.loads(line) for line in f]
    ticks = [(row["dt"], row["r"]["ios"]) for row in rows if row["type"] == "sample" and row["phase"] == "measure"]
    return r.json["tests"][0], ticks


def most_in_a_second(ticks):
    """The most I/Os in any window of whole ticks that lasts a second, per second."""
    most = 0
    for first in range(len(ticks)):
        seconds = ios = 0
        for dt, n in ticks[first:]:
            seconds += dt
            ios += n
            if seconds >= 0.999:
                most = max(most, ios / seconds)
                break
    return most


@test(alone=True, seconds=120)
def documented_rates_are_held_within_half_a_percent_and_no_second_is_over_by_one():
    for volume, rate, args in (
            ("gp3:500", 3000, ["--bs", "16k", "--iodepth", "32"]),
            ("gp3:500:16000:1000", 16000, ["--bs", "16k", "--iodepth", "32"]),
            ("io2:500:64000", 64000, ["--bs", "16k", "--iodepth", "64"]),
            ("io2:500:256000", 256000, ["--bs", "4k", "--iodepth", "128"]),
            ("gp3:500:3000:500", 500, ["--bs", "1m", "--iodepth", "16"]),
            ("gp2:100", 3000, ["--bs", "16k", "--iodepth", "32"])):
        runs = [shaped(volume, "--rw", "randread", *args, "--runtime", "4") for _ in range(3)]
        bar("%s on sim: IOPS" % volume, median(t["iops"] for t, _ in runs), rate, at_least=0.995, at_most=1.005)
        bar("%s on sim: the busiest second" % volume, median(most_in_a_second(ticks) for _, ticks in runs), rate,
            at_most=1.01)


@test(alone=True, seconds=120)
def a_gp2_bucket_of_100_gib_is_empty_after_2000_s_of_volume_time():
    for scale in 100, 200:
        test_, _ = shaped("gp2:100", "--rw", "randread", "--bs", "16k", "--iodepth", "32", "--time-scale", str(scale),
                          "--runtime", str(3000 // scale))
        burst, base = [p for p in test_["phases"] if p["kind"] in ("burst", "baseline")]
        bar("x%d: burst" % scale, burst["iops"], 3000, at_least=0.99, at_most=1.01)
        bar("x%d: baseline" % scale, base["iops"], 300, at_least=0.99, at_most=1.01)
        bar("x%d: seconds of burst, volume time" % scale, (burst["end_s"] - burst["start_s"]) * scale, 2000,
            at_least=0.99, at_most=1.01)


main()
