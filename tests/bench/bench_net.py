#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Our client against iperf3's on loopback, both against the same iperf3 server, in turn. PAIRS=N: pairs a case (11).

CPU is what the whole client process used, as the kernel tells it to whoever waited for it, per GiB that arrived.

The bars are iperf3's own figures less what this measurement cannot tell apart. One test over loopback differs from the
next, by up to 15 %: by which core each end happens to run on, and by who else uses the caches. So two tests next to each
other give a ratio, the bar looks at the median of these, and two standard errors of that median (from the ratios' own
spread, by their median absolute deviation) are what it may miss 1 by, and never more than 5 %.
"""
import os
import socket
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from bench import bar, in_turn, noise
from e2e import Failed, ebscope, main, run, start, test, wait_until

PAIRS = int(os.environ.get("PAIRS", "11"))
GIB = 1 << 30


def server():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    start("iperf3", "-s", "-p", port, "-B", "127.0.0.1")
    wait_until(lambda: ":%04X " % port in open("/proc/net/tcp").read())
    return port


def received(r):
    if r.status:
        raise Failed("failed: %r" % r)
    end = r.json["end"]["sum_received"]
    return end["bits_per_second"] / 1e9, r.cpu / (end["bytes"] / GIB)


def compare(what, *args):
    port = server()
    both = in_turn(PAIRS, lambda: received(ebscope("net", "127.0.0.1:%d" % port, "--no-record", "--format", "iperf3",
                                                   "-t", "2", *args)),
                   lambda: received(run("iperf3", "-c", "127.0.0.1", "-p", port, "-J", "-t", "2", *args)))
    missed = []
    for i, name, sign in ((0, "Gbps", -1), (1, "CPU seconds a GiB", 1)):
        pairs = [(a[i], b[i]) for a, b in zip(*both)]
        ratios = [a / b for a, b in pairs]
        print("#| %s: %s: medians %.4g against %.4g" % (what, name, *(statistics.median(x) for x in zip(*pairs))))
        limit = {"at_least" if sign < 0 else "at_most": 1 + sign * noise(ratios)}
        try:
            bar("%s: %s, median of the pairs" % (what, name), statistics.median(ratios), **limit)
        except Failed as e:         # the other figure is worth seeing too
            missed.append(str(e))
    if missed:
        raise Failed("; ".join(missed))


@test(alone=True, tools=["iperf3"], seconds=300)
def one_stream_forward():
    compare("1 stream, forward")


@test(alone=True, tools=["iperf3"], seconds=300)
def one_stream_reverse():
    compare("1 stream, reverse", "-R")


@test(alone=True, tools=["iperf3"], seconds=300)
def ten_streams_forward():
    compare("10 streams, forward", "-P", "10")


@test(alone=True, tools=["iperf3"], seconds=300)
def ten_streams_reverse():
    compare("10 streams, reverse", "-P", "10", "-R")


main()
