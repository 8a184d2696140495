# SPDX-License-Identifier: MIT
"""Runs side by side: our own recordings, the built-in reference runs, and what fio, bonnie++ and iperf3 write."""
import json
import os
import subprocess

from e2e import *

IMPORT = os.path.join(DATA, "import")


def compare(*runs, **kw):
    r = ebscope("compare", "--format", "json", *runs, **kw)
    equal(r.status, 0, r)
    return r.json


def row(doc, test, metric):
    return next(r for r in doc["rows"] if (r["test"], r["metric"]) == (test, metric))


@test
def the_reference_tables_come_out_to_the_digit():
    doc = compare("ref:dd/single", "ref:dd/raid0", "ref:dd/raid5")
    equal(row(doc, "T5", "bw_bytes")["values"], [393000.0, 366000.0, 9900.0])
    equal(row(doc, "T7", "bw_mib")["values"], [8954.02, 8851.47, 8306.52])
    contains(row(doc, "T4", "bw_bytes")["not_comparable"], "cached")
    contains(ebscope("compare", "ref:dd/single").out, "272 MB/s", "393 kB/s", "1.3 GB/s")      # as dd printed them
    doc = compare("ref:fargate-net/eu-west-1/4:16384")
    equal(row(doc, "receive", "baseline_bits_per_second")["values"], [1.241])
    equal(row(doc, "receive", "burst_bits_per_second")["values"], [9.869])
    equal(row(doc, "receive", "burst_s")["values"], [750.0])


@test
def the_list_of_references_names_source_and_date():
    doc = ebscope("compare", "--list-references", "--format", "json").json
    equal(len(doc["references"]), 56)
    assert all(r["source"] and r["date"] for r in doc["references"])


@test
def the_two_bonnie_lines_compare_but_not_per_char():
    doc = compare("ref:bonnie/ebs-magnetic", "ref:bonnie/local")
    equal(row(doc, "write-block", "bw_kib")["values"], [20595.0, 62549.0])
    equal(row(doc, "write-char", "bw_kib")["ratio"][1], None)
    contains(row(doc, "write-char", "bw_kib")["not_comparable"], "per-char")


@test(quiet=True)
def two_recordings_of_one_job_say_whether_they_differ():
    state = scratch()
    names = [os.path.join(state, n) for n in ("a.jsonl", "b.jsonl", "c.jsonl")]
    runs = [start(*program("run", "--volume", volume, "--shape", "--rw", "randread", "--bs", "16k", "--iodepth", "32",
                           "--runtime", "7", "--record", name, "sim:"), env={"XDG_STATE_HOME": state})
            for name, volume in zip(names, ("gp3:100:3000", "gp3:100:3000", "gp3:100:6000"))]     # 5 % of a core each
    for r in [p.finish() for p in runs]:
        equal(r.status, 0, r)
    doc = compare(*names)
    iops = row(doc, "randread-16k", "iops")
    equal(iops["significant"], [None, False, True])
    assert 1.9 < iops["ratio"][2] < 2.1, iops
    assert doc["runs"][0]["kind"] == "recording" and not doc["runs"][0]["partial"], doc["runs"]


@test(tools=["fio"])
def a_fio_result_stands_beside_ours_of_the_same_job():
    here = scratch()
    path = os.path.join(here, "fio.json")
    run("fio", "--name=job", "--directory=" + here, "--size=4m", "--rw=randread", "--bs=16k", "--iodepth=4",
                    "--ioengine=libaio", "--runtime=1", "--time_based", "--output-format=json", "--output=" + path)
    ours = os.path.join(here, "ours.jsonl")
    r = ebscope("run", "--rw", "randread", "--bs", "16k", "--iodepth", "4", "--size", "4m", "--runtime", "1",
                "--record", ours, "sim:", env={"XDG_STATE_HOME": here})
    equal(r.status, 0, r)
    iops = row(compare(path, ours), "job", "iops")
    assert all(v > 0 for v in iops["values"]), iops


@test
def a_cut_recording_still_compares():
    state = scratch()
    path = os.path.join(state, "a.jsonl")
    r = ebscope("run", "--rw", "randread", "--runtime", "2", "--record", path, "sim:", env={"XDG_STATE_HOME": state})
    equal(r.status, 0, r)
    data = open(path, "rb").read()
    with open(path, "wb") as f:
        f.write(data[:len(data) * 6 // 10])
    doc = compare(path)
    assert doc["runs"][0]["partial"], doc["runs"]
    assert doc["rows"][0]["values"][0] > 0, doc["rows"][0]


@test
def a_failed_iperf3_run_is_no_zero():
    doc = compare(os.path.join(IMPORT, "iperf-3.12-refused.json"))
    assert doc["runs"][0]["failed"] and not doc["rows"], doc
    assert any("Connection refused" in w for w in doc["runs"][0]["warnings"]), doc


@test
def what_is_no_result_is_one_line():
    here = scratch()
    for text, words in ((b"", "line 1: the file is empty"), (b"hello\n", "line 1"), (b"{}\n", "line 1"),
                        (os.urandom(5000), "line")):
        path = os.path.join(here, "x")
        with open(path, "wb") as f:
            f.write(text)
        r = ebscope("compare", path)
        equal(r.status, 3, r)
        equal(r.out, "", r)
        contains(r.err, path, words)
        equal(r.err.count("\n"), 1, r.err)
    r = ebscope("compare", "ref:dd/singel")
    equal(r.status, 2, r)
    contains(r.err, "did you mean ref:dd/single?")
    equal(ebscope("compare").status, 2)


@test
def a_figure_below_nothing_is_no_figure():
    path = os.path.join(scratch(), "x")
    with open(path, "w") as f:
        f.write('{"fio version":"fio-3.36","jobs":[{"jobname":"a","read":{"total_ios":10,"iops":125,"bw_bytes":-1e300,'
                '"lat_ns":{"mean":-7}}}]}\n{"end":{"sum_received":{"bits_per_second":-8,"seconds":-1}}}\n')
    text = ebscope("compare", path)
    equal(text.status, 0, text)
    assert "-1000" not in text.out and "-0" not in text.out, text.out


@test
def the_marks_of_windows_shells_are_understood_or_named():
    here = scratch()
    doc = '{"fio version":"fio-3.36","jobs":[{"jobname":"a","job options":{"rw":"read"},"read":{"iops":125.0}}]}'
    for name, codec in (("8", "utf-8-sig"), ("16", "utf-16")):
        with open(os.path.join(here, name), "w", encoding=codec) as f:
            f.write(doc)
    contains(ebscope("compare", os.path.join(here, "8")).out, "125")
    r = ebscope("compare", os.path.join(here, "16"))
    equal(r.status, 3, r)
    contains(r.err, "UTF-16", "iconv")


@test
def other_tools_results_are_read_from_standard_input():
    with open(os.path.join(IMPORT, "bonnie-2.00a.csv")) as f:
        doc = compare("-", stdin=f)
    equal(row(doc, "write-char", "bw_kib")["values"], [1342.0])
    ours = os.path.join(scratch(), "run.jsonl")
    equal(ebscope("run", "--rw", "randread", "--runtime", "0.6", "--record", ours, "sim:").status, 0)
    cat = start("cat", ours, stdout=subprocess.PIPE)       # a pipe is read once only
    assert row(compare("-", stdin=cat.stdout), "randread-4k", "iops")["values"][0] > 0


def result(here, name, volumes, **more):
    """A result document of ours on these volumes, (type, GiB, IOPS, MiB/s) each."""
    keys = ("type", "size_gib", "iops", "throughput_mibps")
    doc = {"schema": "ebscope/1", "version": "1", "host": {"instance_type": "m5.large", "task": None},
           "targets": [{"path": "/data"}], "volumes": [dict(zip(keys, v)) for v in volumes],
           "tests": [{"name": "t", "kind": "block", "rw": "read", "bs": 1048576, "iops": 200.0}], **more}
    with open(os.path.join(here, name), "w") as f:
        json.dump(doc, f)
    return f.name


@test
def a_comparison_of_volumes_goes_by_the_figures_of_limits():
    here = scratch()
    old, new = result(here, "old.json", [("gp2", 500, 1500, 250)]), result(here, "new.json", [("sc1", 500, None, 6)])
    with open(here + "/limits.json", "w") as f:
        json.dump({"volumes": {"sc1": {"burst_per_tib": 160}}}, f)
    builtin, replaced = compare(old, new), compare("--limits", here + "/limits.json", old, new)
    contains(builtin["runs"][1]["warnings"][0], "throughput -84 %")        # 39 of 250 MiB/s
    contains(replaced["runs"][1]["warnings"][0], "throughput -69 %")       # 78
    r = ebscope("compare", "--limits", here + "/none.json", old, new)
    equal(r.status, 2)
    contains(r.err, "none.json")


@test
def a_run_says_what_it_was_measured_on_and_what_another_volume_costs_it():
    here = scratch()
    gp2 = result(here, "gp2.json", [("gp2", 500, 1500, 250)])
    gp3 = result(here, "gp3.json", [("gp3", 500, 3000, 125)], simulated=True, shaped=True)
    set_of = result(here, "set.json", [("gp3", 20, 3000, 125)] * 2)
    unlike = result(here, "unlike.json", [("gp3", 20, 3000, 125), ("gp2", 20, 100, 128)])
    was, now, two, mixed = compare(gp2, gp3, set_of, unlike)["runs"]
    equal(was["on"], "/data, gp2 500 GiB, 1,500 IOPS, 250 MiB/s, m5.large")
    equal(was["warnings"], [])
    equal(now["warnings"], ["simulated: no device was measured", "shaped: held to limits by ebscope itself",
                            "its volume beside that of run 1, as documented: throughput -50 %, IOPS +100 %; "
                            "gp3:500:3000:250 has as much"])
    equal((two["on"], two["warnings"]), ("/data, 2 x gp3 20 GiB, 3,000 IOPS, 125 MiB/s, m5.large", []))
    equal((mixed["on"], mixed["warnings"]), ("/data, m5.large", []))
    contains(ebscope("compare", gp3, gp2).out, "on " + was["on"], "throughput +100 %, IOPS -50 %\n")
    equal(compare("ref:dd/single")["runs"][0]["on"], None)


main()
