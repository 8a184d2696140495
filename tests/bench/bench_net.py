#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Our client against iperf3's on loopback, both against the same iperf3 server, in turn. PAIRS=N: pairs a case (5).

CPU is what the whole client process used, as the kernel tells it to whoever waited for it, per GiB that arrived.
"""
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from bench import alternating, bar
from e2e import Failed, ebscope, main, run, start, test, wait_until

PAIRS = int(os.environ.get("PAIRS", "5"))
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
    got = {}

    def ours(i):
        r = ebscope("net", "127.0.0.1:%d" % port, "--no-record", "--format", "iperf3", "-t", "2", *args)
        got.setdefault("ours", []).append(received(r))
        return got["ours"][-1][i]

    def peers(i):
        got.setdefault("peer", []).append(received(run("iperf3", "-c", "127.0.0.1", "-p", port, "-J", "-t", "2", *args)))
        return got["peer"][-1][i]

    def median(side, i):
        values = sorted(v[i] for v in got[side])
        return values[len(values) // 2]

    alternating(PAIRS, lambda: ours(0), lambda: peers(0))
    bar(what + ": Gbps", median("ours", 0), median("peer", 0), at_least=0.97)
    bar(what + ": CPU seconds a GiB", median("ours", 1), median("peer", 1), at_most=1.03)


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
