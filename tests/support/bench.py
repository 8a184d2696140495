# SPDX-License-Identifier: MIT
"""Benchmarks are tests (see e2e.py) that print what they measured and fail below a bar. The bar is a ratio against a
peer that does the same in the same minute, since machines differ and the peer's figure moves with the machine's.

    from e2e import *
    from bench import *

    @test(alone=True, tools=["fio"], seconds=300)
    def random_reads_are_as_fast_as_fios():
        ours, peer = alternating(7, lambda: ours_run().json["tests"][0]["iops"], lambda: fio(...)["read"]["iops"])
        bar("randread 4k, depth 32: IOPS", ours, peer, at_least=1.0)
"""
import json
import math
import statistics

import e2e

__all__ = ["alternating", "bar", "fio", "in_turn", "noise"]


def in_turn(pairs, ours, peer):
    """Call ours() and peer() in turn, changing who goes first; -> what each returned."""
    got = ([], [])
    for n in range(pairs):
        for which in ((0, 1) if n % 2 == 0 else (1, 0)):
            got[which].append((ours, peer)[which]())
    return got


def alternating(pairs, ours, peer):
    """As in_turn(); -> the median of each."""
    got = in_turn(pairs, ours, peer)
    return statistics.median(got[0]), statistics.median(got[1])


def noise(ratios, most=0.05):
    """What the median of the ratios of pairs cannot tell from 1: two standard errors of it, as of a normal distribution,
    from their median absolute deviation; never more than most."""
    middle = statistics.median(ratios)
    mad = statistics.median(abs(r - middle) for r in ratios)
    return min(most, 2 * 1.2533 * 1.4826 * mad / math.sqrt(len(ratios)))


def bar(what, ours, peer=None, at_least=None, at_most=None, unit=""):
    """Print both figures and their ratio (without a peer: the figure itself) and fail when it misses the bar."""
    value = ours / peer if peer else ours
    good = (at_least is None or value >= at_least) and (at_most is None or value <= at_most)
    wanted = " ".join("%s %g" % (word, v) for word, v in (("at least", at_least), ("at most", at_most)) if v is not None)
    figures = "%.6g%s against %.6g%s: %.3f" % (ours, unit, peer, unit, value) if peer else "%.6g%s" % (ours, unit)
    row = "%s: %s (%s)" % (what, figures, wanted)
    print("#| " + row + ("" if good else "  MISSED"), flush=True)
    if not good:
        raise e2e.Failed(row)


def fio(timeout=120, wrap=list, **options):
    """Run one job with these options (iodepth=32, rw="randread", direct=1 ...); -> its part of fio's JSON."""
    words = ["--%s=%s" % (k, v) for k, v in options.items()]
    r = e2e.run("fio", "--name=peer", "--output-format=json", "--group_reporting", *words, timeout=timeout, wrap=wrap)
    if r.status:
        raise e2e.Failed("fio failed: %r" % r)
    job = json.loads(r.out[r.out.index("{"):])["jobs"][0]
    if job["error"]:
        raise e2e.Failed("fio says error %d" % job["error"])
    job["cpu_seconds"] = r.cpu
    return job
