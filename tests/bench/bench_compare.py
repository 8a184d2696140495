#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Comparing: how long a large result of another tool takes, and how much memory."""
import json
import os
import resource
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from bench import bar
from e2e import *

SIZE = 100 << 20


def large_fio_document(path):
    """fio's JSON with many jobs, each with the histograms of json+."""
    with open(os.path.join(DATA, "import", "fio-3.33.json")) as f:
        text = f.read()
    doc = json.loads(text[text.index("{"):])
    job = doc["jobs"].pop()
    job["read"]["clat_ns"]["bins"] = {str(37 * i): 3 * i for i in range(800)}
    with open(path, "w") as f:
        f.write(json.dumps(doc)[:-2])       # up to the "[" of the jobs
        for n in range(1 << 20):
            f.write((",\n" if n else "") + json.dumps({**job, "jobname": "job%d" % n}, indent=2))
            if f.tell() >= SIZE:
                break
        f.write("]}\n")
    return n + 1


@test(alone=True, seconds=120)
def a_fio_document_of_100_mib_is_read_in_5_s_and_8_times_its_size():
    path = os.path.join(scratch(), "fio.json")
    jobs = large_fio_document(path)
    r = ebscope("compare", "--format", "json", path, timeout=60)
    equal(r.status, 0, r.err)
    equal(sum(row["metric"] == "iops" for row in r.json["rows"]), jobs)
    size = os.path.getsize(path)
    bar("import of %d MiB of fio JSON, %d jobs" % (size >> 20, jobs), r.seconds, at_most=5, unit=" s")
    # the largest child so far: nothing else was run by this program
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    bar("its memory over the document's size", peak / size, at_most=8)


main()
