#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The classic suites against the programs whose tests they are: the same directory, the same sizes, in turn. PAIRS=N: so
many pairs (5).

The filesystem is on a loop device on memory that the kernel holds to 384 MiB/s, so rows that reach the device measure the
throttle and rows that do not measure memory. A row is judged by the medians of all pairs. CPU is what the whole process
used, start and end included, against that of dd and hdparm, or of bonnie++, for all rows together.
"""
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import e2e
from bench import bar
from blockdev import BlockDevice
from e2e import ebscope, main, run, test

PAIRS = int(os.environ.get("PAIRS", "5"))
MIB = 1 << 20
DD = {"T1": "bs=1G count=1 oflag=dsync", "T2": "bs=64M count=1 oflag=dsync", "T3": "bs=1M count=256 conv=fdatasync",
      "T4": "bs=8k count=10k", "T5": "bs=512 count=1000 oflag=dsync", "T6": "bs=1G count=1 conv=fdatasync"}
BONNIE = ("write-char write-block rewrite read-char read-block seeks create-seq stat-seq delete-seq create-rand stat-rand "
          "delete-rand").split()


def place():
    device = BlockDevice("3G", fill=True)
    folder = device.mount()
    device.limit(bps=384 * MIB)
    return device, folder


def our_dd(device, folder):
    r = ebscope("run", "--suite", "dd", "--format", "json", "--no-record", folder, wrap=device.wrap, timeout=120)
    return {**{t["name"]: t["bw_bytes"] for t in r.json["tests"]}, "cpu": r.cpu}


def real_dd(device, folder):
    got, cpu = {}, 0
    for name, words in DD.items():
        path = os.path.join(folder, "dd." + name)
        r = run("dd", "if=/dev/zero", "of=" + path, *words.split(), wrap=device.wrap, timeout=120, env={"LC_ALL": "C"})
        size, seconds = re.search(r"(\d+) bytes.*copied, ([\d.e-]+) s", r.err).groups()
        got[name], cpu = int(size) / float(seconds), cpu + r.cpu
        run("sync", path)       # ours waits until all of it is on disk, and says when that was
        os.unlink(path)
    r = run("hdparm", "-T", device.path, wrap=device.wrap)
    got["T7"] = float(re.search(r"= *([\d.]+) MB/sec", r.out).group(1)) * MIB
    return {**got, "cpu": cpu + r.cpu}


def figures(line):
    """The 12 figures of a line of 1.98, None for +++++; and the run's own word of its version."""
    f = line.strip().split(",")
    values = f[9:21:2] + f[26:38:2]
    return dict(zip(BONNIE, (float(v) if v.strip("+") else None for v in values)))


def our_bonnie(device, folder):
    r = ebscope("run", "--suite", "bonnie", "--size", "1g", "--files", "32", "--format", "bonnie", "--no-record", folder,
                wrap=device.wrap, timeout=180)
    return {**figures(r.out), "cpu": r.cpu}


def real_bonnie(device, folder):
    r = run("bonnie++", "-q", "-u", "root", "-d", folder, "-s", "1024m", "-r", "512", "-n", "32", wrap=device.wrap, timeout=180)
    return {**figures(r.out), "cpu": r.cpu}


def in_turn(ours, real):
    """-> for each row the medians of both, None where it was too short for a figure in most pairs."""
    got = ([], [])
    for n in range(PAIRS):
        for which in ((0, 1) if n % 2 == 0 else (1, 0)):
            got[which].append((ours, real)[which]())
    middle = []
    for runs in got:
        middle.append({k: statistics.median(v) if len(v) * 2 > len(runs) else None
                       for k in runs[0] for v in [[r[k] for r in runs if r[k] is not None]]})
    return middle


def rows(suite, names, ours, real, faster=()):
    """Each row within 10 % of the real one, or faster where it is known why; then CPU."""
    missed = None
    for name in names:
        a, b = ours[name], real[name]
        if a is None or b is None:
            print("#| %s %s: %s against %s" % (suite, name, a or "+++++", b or "+++++"), flush=True)
            continue
        try:
            bar("%s %s" % (suite, name), a, b, at_least=0.9, at_most=None if name in faster else 1.1)
        except e2e.Failed as error:
            missed = missed or error
    try:
        bar("%s: CPU" % suite, ours["cpu"], real["cpu"], at_most=1, unit=" s")
    except e2e.Failed as error:
        missed = missed or error
    if missed:
        raise missed


@test(root=True, alone=True, tools=["dd", "hdparm"], seconds=600)
def each_row_of_dd_is_within_a_tenth_of_dds():
    device, folder = place()
    ours, real = in_turn(lambda: our_dd(device, folder), lambda: real_dd(device, folder))
    rows("dd", [*DD, "T7"], ours, real)


@test(root=True, alone=True, tools=["bonnie++"], seconds=900)
def each_row_of_bonnie_is_within_a_tenth_of_bonnies():
    device, folder = place()
    ours, real = in_turn(lambda: our_bonnie(device, folder), lambda: real_bonnie(device, folder))
    rows("bonnie", BONNIE, ours, real)


main()
