#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the dashboard costs: the same job on it, at 200x60, and without it, in turn. PAIRS=N: so many pairs (7)."""
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from bench import alternating, bar
from blockdev import BlockDevice
from e2e import ebscope, main, program, scratch, test, wait_until
from terminal import Terminal

PAIRS = int(os.environ.get("PAIRS", "7"))
JOB = ["--rw", "randread", "--bs", "4k", "--iodepth", "32", "--ramp_time", "1", "--runtime", "8"]


def result(file):
    for line in open(file):
        if '"result"' in line and json.loads(line)["type"] == "result":
            return json.loads(line)
    return None


def on_the_dashboard(target, wrap):
    file = os.path.join(scratch(), "run.jsonl")
    t = Terminal(wrap(program(*JOB, "--record", file, target)), cols=200, rows=60)
    t.wait("Start")
    t.send("Enter")
    wait_until(lambda: os.path.exists(file) and result(file), 30, "the run's result")
    t.wait("done")
    t.send("q")
    t.finish()
    return result(file)["iops"]


def without(target, wrap):
    return ebscope("run", *JOB, "--no-record", "--format", "json", target, wrap=wrap).json["tests"][0]["iops"]


@test(root=True, alone=True, seconds=300)
def the_dashboard_costs_a_throttled_job_nothing():
    d = BlockDevice("64M", fill=True)
    d.limit(iops=3000)
    bar("throttled to 3,000 IOPS, dashboard against headless",
        *alternating(PAIRS, lambda: on_the_dashboard(d.path, d.wrap), lambda: without(d.path, d.wrap)), at_least=0.99)


@test(root=True, alone=True, seconds=300)
def the_dashboard_costs_an_unthrottled_job_three_percent_at_most():
    d = BlockDevice("64M", fill=True, throttled=False)
    bar("unthrottled, dashboard against headless",
        *alternating(PAIRS, lambda: on_the_dashboard(d.path, d.wrap), lambda: without(d.path, d.wrap)), at_least=0.97)


@test(alone=True, seconds=120)
def the_dashboards_own_thread_takes_under_one_percent_of_a_core():
    t = Terminal(program("train", "instance-cap"), cols=200, rows=60)
    t.wait("IOPS seen")

    def ticks():
        fields = open("/proc/%d/task/%d/stat" % (t.process.pid, t.process.pid)).read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    before = ticks()
    time.sleep(20)
    bar("main thread at 200x60, share of a core", (ticks() - before) / os.sysconf("SC_CLK_TCK") / 20, at_most=0.01)
    t.send("q", "y")


main()
