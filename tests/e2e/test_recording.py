# SPDX-License-Identifier: MIT
"""Recordings: what a run printed comes out of its recording again, and one that is cut or hostile does no harm."""
import csv
import io
import json
import os
import random
import signal
import time

from e2e import *


def recording(*args, status=(0,)):
    """Run on sim: and -> (path of the recording, the JSON document that the run printed)."""
    path = os.path.join(scratch(), "run.jsonl")
    r = ebscope("run", "--format", "json", "--record", path, *(args or ["--rw=randrw", "--runtime=1", "--rate_iops=500"]),
                "sim:")
    assert r.status in status, r
    return path, r.json


def lines_of(path):
    with open(path, "rb") as f:
        return f.read().splitlines(keepends=True)


def export(path, form="json"):
    return ebscope("export", path, "--format", form, timeout=20)


@test
def what_a_run_printed_comes_out_of_its_recording_again():
    path, printed = recording("--workload=iops", "--workload=latency", "--runtime=0.5")
    equal(export(path).json, printed)


@test
def every_line_is_an_object_with_a_type_and_the_order_is_the_designs():
    path, _ = recording()
    types = [json.loads(line)["type"] for line in lines_of(path)]
    equal((types[0], types[-1]), ("header", "end"))
    assert set(types[1:-1]) == {"sample", "event", "result"}, set(types)
    samples = [json.loads(line) for line in lines_of(path) if b'"type":"sample"' in line]
    equal([s["t"] for s in samples], sorted(s["t"] for s in samples))
    ticks = [s["dt"] for s in samples if s["phase"] == "measure"]
    assert all(abs(b["t"] - b["dt"] - a["t"]) < 1e-6 for a, b in zip(samples, samples[1:])), samples
    assert 2 <= len([dt for dt in ticks if dt > 0.05]) <= 11, ticks     # ten, or fewer where one was late


@test
def what_drains_at_the_end_does_not_change_the_percentiles_of_the_test():
    path, printed = recording("--rw=randread", "--bs=16k", "--iodepth=32", "--runtime=0.6", "--volume=gp3:100", "--shape",
                              status=(0, 1))       # on a busy machine it falls short
    samples = [json.loads(line) for line in lines_of(path) if b'"type":"sample"' in line]
    equal(samples[-1]["phase"], "drain")
    equal(samples[-1]["so_far"], [s for s in samples if s["phase"] == "measure"][-1]["so_far"])
    near(samples[-1]["so_far"][0], printed["tests"][0]["lat_ns"]["percentile"]["50.000000"], 0.02)


@test
def a_run_that_was_stopped_for_a_while_says_so_and_has_no_phase_of_it():
    path = os.path.join(scratch(), "run.jsonl")
    p = start(*program("run", "--rw=randread", "--iodepth=8", "--runtime=5", "--format=json", "--record", path, "sim:gp3:100"))
    wait_until(lambda: os.path.exists(path) and sum(b'"sample"' in line for line in lines_of(path)) > 8)
    p.send_signal(signal.SIGSTOP)
    time.sleep(2.2)
    p.send_signal(signal.SIGCONT)
    r = p.finish()
    test = r.json["tests"][0]
    contains(" ".join(test["warnings"]), "stood still")
    assert all(phase["iops"] > 400 for phase in test["phases"]), test["phases"]
    contains(b"".join(lines_of(path)).decode(), '"kind":"throttled"', "stood still for")


@test
def a_recording_that_another_run_writes_is_left_to_it():
    path = os.path.join(scratch(), "run.jsonl")
    words = program("run", "--rw=randread", "--runtime=20", "--format=json", "--record", path, "sim:gp3:100")
    first = start(*words)
    wait_until(lambda: os.path.exists(path) and b'"sample"' in open(path, "rb").read())
    second = run(*words)
    equal(second.status, 3, second)
    contains(second.err, path, "another run is writing it")
    first.send_signal(signal.SIGINT)
    equal(first.finish().status, 130)
    types = [json.loads(line)["type"] for line in lines_of(path)]
    equal((types.count("header"), types[0], types[-1]), (1, "header", "end"))


@test
def csv_has_a_row_for_each_test_under_one_header():
    path, printed = recording("--workload=iops", "--workload=mixed", "--runtime=0.5")
    rows = list(csv.DictReader(io.StringIO(export(path, "csv").out)))
    equal([r["test"] for r in rows], [t["name"] for t in printed["tests"]])
    for row, one in zip(rows, printed["tests"]):
        equal(int(row["ios"]), one["ios"])
        near(float(row["iops"]), one["iops"], 1e-6)


@test
def a_series_has_a_line_for_each_tick_and_nothing_where_nothing_was_counted():
    path, printed = recording("--workload=iops", "--workload=mixed", "--runtime=0.5")
    rows = list(csv.DictReader(io.StringIO(export(path, "series").out)))
    samples = [s for s in map(json.loads, lines_of(path)) if s["type"] == "sample"]
    equal(len(rows), len(samples))
    for row, s in zip(rows, samples):
        near(float(row["t_s"]), s["t"], 1e-6)
        for d, name in (("r", "read"), ("w", "write")):
            near(float(row[name + "_iops"]) * float(row["dt_s"]), s[d]["ios"], 1e-6)
            near(float(row[name + "_bw_bytes"]) * float(row["dt_s"]), s[d]["bytes"], 1e-6)
            equal(row["device_%s_iops" % name], "")        # sim: is no device
        equal(row["lat_p99_ns"], str(s["lat_ns"]["p99"]) if s["lat_ns"]["max"] else "")
    equal({r["test"] for r in rows}, {t["name"] for t in printed["tests"]})
    net = ebscope("net", "sim:net:4:8", "-t", "1", "--no-record", "--format", "series")
    equal(net.status, 0, net)
    assert all(r["iops"] == r["lat_p99_ns"] == "" and float(r["bw_bytes"]) > 0
               for r in csv.DictReader(io.StringIO(net.out))), net.out


@test(seconds=120)
def a_recording_cut_at_any_byte_replays_up_to_the_cut():
    path, _ = recording()
    with open(path, "rb") as f:
        whole = f.read()
    header = whole.index(b"\n") + 1
    cut = os.path.join(scratch(), "cut.jsonl")
    random.seed(1)
    at = sorted(set(range(0, header, 97)) | {header - 1, header} | {len(whole) - n for n in (1, 2, 40)} |
                set(random.sample(range(header, len(whole)), 150)))
    for n in at:
        with open(cut, "wb") as f:
            f.write(whole[:n])
        r = export(cut)
        if n < header:
            assert r.status in (2, 3), (n, r)
            equal(len(r.err.splitlines()), 1, r.err)
            contains(r.err, cut)
            continue
        equal(r.status, 0, "cut at %d: %s" % (n, r.err))
        equal(len(r.json["tests"]), whole[:whole.rindex(b"\n", 0, n)].count(b'"type":"result"'), n)
        equal(r.json["ended"], "interrupted", n)


@test
def a_recording_of_a_newer_version_or_of_another_kind_is_refused_in_a_line():
    path, _ = recording()
    lines = lines_of(path)
    for header in (lines[0].replace(b"ebscope/1", b"ebscope/2"), b"[]\n", b"{}\n", b"null\n", b'{"type":"sample"}\n',
                   b"PK\x03\x04\x00\n", b"\x00" * 4096 + b"\n", b"{" * 100000 + b"\n"):
        with open(path, "wb") as f:
            f.write(header + b"".join(lines[1:]))
        r = export(path)
        assert r.status in (2, 3), (header[:40], r)
        equal(len(r.err.splitlines()), 1, r.err)
        contains(r.err, path)


@test
def a_line_that_makes_no_sense_ends_the_replay_and_is_named():
    path, printed = recording()
    lines = lines_of(path)
    sample = next(n for n, line in enumerate(lines) if b'"type":"sample"' in line)
    for text in (b"[1]", b'"x"', b"\xff\xfe\x00", b'{"type":"sample"}', b"\x1b[31m", b'{"type":"sample","t":1e999}',
                 b'{"type":"sample","t":1e308,"dt":-1,"test":99999999999,"workers":[[[[]]]]}', b"{" * 100000,
                 b'{"type":"event","t":"x","kind":[],"text":{}}'):
        with open(path, "wb") as f:
            f.write(b"".join(lines[:sample + 1]) + text + b"\n" + b"".join(lines[sample + 1:]))
        r = export(path)
        equal((r.status, r.json["ended"], r.json["tests"]), (0, "interrupted", []), text[:40])
        equal(len(r.err.splitlines()), 1, r.err)
        contains(r.err, path, "line %d" % (sample + 2))
        equal(r.err.count(path), 1, r.err)
        assert "\x1b" not in r.err


@test
def no_word_of_a_recording_is_obeyed_by_the_terminal():
    path, _ = recording()
    lines = lines_of(path)
    evil = "\x1b[31m\x07\u009b2J"
    head, last = json.loads(lines[0]), json.loads(lines[-2])
    head.update({key: evil for key in ("version", "title", "target", "started")})
    last.update(name=evil, reason=evil, warnings=[evil])
    with open(path, "wb") as f:
        f.write(b"".join([json.dumps(head).encode() + b"\n", *lines[1:-2], json.dumps(last).encode() + b"\n", lines[-1]]))
    for words in (["compare", path, "ref:dd/single"], *(["export", path, "--format", f] for f in ("table", "csv", "json"))):
        r = ebscope(*words)
        for char in "\x1b\x07\u009b":
            assert char not in r.out + r.err, (words, r.out)


@test
def an_entry_of_a_kind_that_is_not_known_is_passed_over():
    path, printed = recording()
    lines = lines_of(path)
    with open(path, "wb") as f:
        f.write(b"".join(lines[:1] + [b"\n", b"{}\n", b'{"type":"from the future","x":[1,2]}\n'] + lines[1:]))
    r = export(path)
    equal((r.status, r.err), (0, ""))
    equal(r.json, printed)


@test
def figures_that_make_no_sense_do_no_harm():
    path, _ = recording()
    lines = lines_of(path)
    n = next(n for n, line in enumerate(lines) if b'"type":"sample"' in line)
    for old, new in ((b'"test":0', b'"test":4294967295'), (b'"ios":', b'"ios":-'), (b'"dt":0.', b'"dt":1e300'),
                     (b'"inflight":', b'"inflight":99999999999'), (b'"max":', b'"max":9999999999999'),
                     (b'"phase":"measure"', b'"phase":"\\u0000"')):
        bad = lines[:n] + [lines[n].replace(old, new)] + lines[n + 1:]
        with open(path, "wb") as f:
            f.write(b"".join(bad))
        for form in ("json", "table", "csv", "fio"):
            r = export(path, form)
            assert r.status in (0, 2, 3), (new, r)


@test
def what_is_no_recording_is_refused_by_its_name():
    folder = scratch()
    empty = os.path.join(folder, "empty")
    open(empty, "w").close()
    for path in (folder, empty, "/dev/null", os.path.join(folder, "none"), program()[0]):
        r = export(path)
        assert r.status in (2, 3), (path, r)
        equal(len(r.err.splitlines()), 1, r.err)
        contains(r.err, path)


@test
def runs_at_the_same_time_have_recordings_of_their_own():
    state = scratch()
    runs = [start(*program("run", "--rw=randread", "--runtime=0.5", "sim:"), env={"XDG_STATE_HOME": state})
            for _ in range(4)]
    for r in runs:
        equal(r.finish().status, 0)
    made = os.listdir(os.path.join(state, "ebscope/runs"))
    equal(len(made), 4, made)
    for name in made:
        equal(export(os.path.join(state, "ebscope/runs", name)).json["ended"], "done")


@test
def no_record_makes_nothing():
    state = scratch()
    equal(ebscope("run", "--rw=randread", "--runtime=0.2", "--no-record", "sim:", env={"XDG_STATE_HOME": state}).status, 0)
    equal(os.listdir(state), [])


main()
