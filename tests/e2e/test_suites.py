#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The classic suites: dd's seven tests and bonnie++'s, with their own system calls."""
import functools
import json
import os
import re
import shutil
import sys
from xml.etree import ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import e2e  # noqa: E402
from blockdev import BlockDevice  # noqa: E402
from e2e import *  # noqa: E402,F403


def traced(calls, *args):
    """A run, and what its threads called, a line each: one file a thread, so that no line is cut by another's."""
    where = scratch()
    r = run("strace", "-ff", "-s", "0", "-o", os.path.join(where, "t"), "-e", "trace=" + calls,
            *program("run", "--no-record", *args), timeout=110)
    equal(r.status, 0, r)
    return r, "".join(open(os.path.join(where, f)).read() for f in sorted(os.listdir(where)))


def tests(*args, **kw):
    r = ebscope("run", *args, "--format", "json", **kw)
    equal(r.status, 0, r)
    return {t["name"]: t for t in r.json["tests"]}


@functools.cache
def dd():
    """
    -> tests by name, what was called (None without strace), and whether the device was its own, of one run: it writes
    2.5 GiB. What others write to the device meanwhile passes for what storage took of T4's.
    """
    try:
        own, where = True, BlockDevice("1536M", throttled=False).mount()
    except e2e.Skip:
        own, where = False, scratch()
    before = os.listdir(where)
    words = "--suite", "dd", "--format", "json", where
    if shutil.which("strace"):
        r, text = traced("openat,read,write,fdatasync,fsync", *words)
    else:
        r, text = ebscope("run", "--no-record", *words, timeout=110), None
    equal(r.status, 0, r)
    equal(os.listdir(where), before)
    return {t["name"]: t for t in r.json["tests"]}, text, own


@test(alone=True, seconds=120)
def dd_has_seven_tests_and_two_of_them_are_memory():
    t, _, own = dd()
    equal(list(t), ["T1", "T2", "T3", "T4", "T5", "T6", "T7"])
    equal({k: v["bytes"] for k, v in t.items() if k != "T7"},
          {"T1": 1 << 30, "T2": 64 << 20, "T3": 256 << 20, "T4": 80 << 20, "T5": 512000, "T6": 1 << 30})
    equal([t[k]["kind"] for k in t], ["dd"] * 7)
    for name in ("T1", "T2", "T3", "T4", "T5", "T6"):
        assert t[name]["durable_s"] >= t[name]["runtime_s"] * 0.99, name
    contains(t["T3"]["equivalent"], "dd if=/dev/zero bs=1M count=256 conv=fdatasync")
    contains(t["T4"]["measures"], "memory")
    for name in ("T4", "T7") if own else ("T7",):
        if t[name]["cached"] is None:
            skip("no device can be seen below the scratch directory")
        equal(t[name]["cached"], True, name)
    if own:                             # a file that was emptied is flushed by its close, a new one is not
        assert t["T4"]["device_bytes"] < (80 << 20) / 2, t["T4"]["device_bytes"]


@test(tools=["strace"], alone=not KIND, seconds=120)
def each_row_makes_dds_own_system_calls():
    _, text, _ = dd()
    opens = re.findall(r'/proc/(?:thread-)?self/fd/\d+"?\.*, (O_\S*)\)|"[^"]*"\.*, (O_WRONLY\S*)\)', text)
    flags = [a or b for a, b in opens]
    equal(len([f for f in flags if "O_DSYNC" in f]), 3, "T1, T2 and T5 are oflag=dsync: %s" % flags)
    size = lambda call, n: len(re.findall(r"\b%s\(\d+, \"\"\.\.\., %d\) += %d" % (call, n, n), text))  # noqa: E731
    for bytes_, count in ((1 << 30, 2), (64 << 20, 1), (1 << 20, 256), (8192, 10240), (512, 1000)):
        assert size("read", bytes_) >= count, ("read", bytes_, size("read", bytes_))
        equal(size("write", bytes_), count, "write of %d" % bytes_)
    equal(len(re.findall(r"\bfdatasync\(", text)), 3, "T3, T6, and what T7 rereads")
    assert size("read", 2 << 20) > 10, "T7 rereads 2 MiB"


@functools.cache
def bonnie():
    """-> what one run of bonnie's tests printed and recorded: it takes long, so the tests of its result share it."""
    where, rec = scratch(), os.path.join(scratch(), "r.jsonl")
    r = ebscope("run", "--suite", "bonnie", "--size", "16m", "--files", "1", "--format", "bonnie", "--record", rec,
                where, timeout=110)
    equal(r.status, 0, r)
    equal(os.listdir(where), [])
    with open(rec, "rb") as f:
        return r.out, f.read()


def bonnies_recording():
    rec = os.path.join(scratch(), "r.jsonl")
    with open(rec, "wb") as f:
        f.write(bonnie()[1])
    return rec


def bonnies_tests():
    return {t["name"]: t for t in ebscope("export", bonnies_recording(), "--format", "json").json["tests"]}


@test(seconds=120)
def bonnies_tests_have_bonnies_names_and_sizes():
    t = bonnies_tests()
    equal(list(t), "write-char write-block rewrite read-char read-block seeks create-seq stat-seq delete-seq create-rand "
                   "stat-rand delete-rand".split())
    equal(t["write-char"]["ios"], 3 << 20)
    equal(t["write-block"]["ios"], (16 << 20) // 8192)
    equal((t["rewrite"]["read"]["ios"], t["rewrite"]["write"]["ios"]), (2048, 2048))
    equal((t["seeks"]["read"]["ios"], t["seeks"]["numjobs"]), (8192, 5))
    near(t["seeks"]["write"]["ios"], 819, 0.01)
    equal(t["create-seq"]["ios"], 1024)
    for v in t.values():
        equal(v["iops"] is None, v["too_short"], v["name"])
        assert v["durable_s"] is None or v["durable_s"] >= v["runtime_s"] - 1e-6, v


@test(tools=["strace"])
def per_character_is_a_system_call_a_byte_or_one_a_buffer():
    for mode, calls in (("syscall", 4096), ("stdio", 1)):
        _, text = traced("write,read", "--suite", "bonnie", "--size", "4m", "--char-size", "4096", "--files", "0",
                         "--per-char", mode, scratch())
        seen = len(re.findall(r'\bwrite\(\d+, ""\.\.\., %d\) += ' % (1 if mode == "syscall" else 4096), text))
        assert calls <= seen < calls + 8, (mode, seen)       # a lone newline to stderr is one byte too


@test(tools=["strace"])
def files_are_named_and_taken_in_bonnies_order():
    _, text = traced("openat,newfstatat,unlinkat", "--suite", "bonnie", "--size", "4m", "--char-size", "4096",
                     "--files", "1:16:16", scratch())
    in_order, at_random = r'\d+, "([0-9a-f]{10}[a-zA-F]{0,12})"', r'\d+, "([a-zA-F]{0,12}[0-9a-f]{10})"'
    made, seen, gone = ([re.findall(call + name, text) for name in (in_order, at_random)]
                        for call in (r"openat\((?=[^)]*O_CREAT)", r"newfstatat\(", r"unlinkat\("))
    names = lambda found, first: found[:1024] if first else found[-1024:]  # noqa: E731
    for which, first in ((0, True), (1, False)):
        orders = [names(x[which], first) for x in (made, seen, gone)]
        equal([len(set(x)) for x in orders], [1024] * 3)
        equal(sorted(orders[0]), sorted(orders[1]))
        equal(sorted(orders[0]), sorted(orders[2]))
        number = lambda name: int(name[:10] if first else name[-10:], 16)  # noqa: E731
        equal([number(n) for n in orders[0]], list(range(1024)))
        equal(orders[1] == orders[2], first, "as the directory lists them; at random each time another")


@test(tools=["strace"])
def each_seeker_ends_with_an_fsync_as_bonnies_does():
    _, text = traced("fsync,lseek", "--suite", "bonnie", "--size", "16m", "--char-size", "4096", "--files", "0",
                     scratch())
    equal(len(re.findall(r"SEEK_SET\) += \d+\nfsync\(", text)), 5, text[-3000:])


@test(seconds=120)
def a_latency_per_character_is_that_of_8192_as_bonnies_is():
    stdio = tests("--suite", "bonnie", "--size", "4m", "--char-size", "64k", "--files", "0", "--per-char", "stdio",
                  "--no-record", scratch())
    syscall = bonnies_tests()
    for name in ("write-char", "read-char"):
        contains(stdio[name]["measures"], "latency: of 8,192")
        t = syscall[name]
        contains(t["measures"], "latency: of 8,192")
        equal(t["ios"], t["bytes"], name)       # and no machine does 8,192 system calls in a tenth of a millisecond
        assert t["too_short"] or t["lat_ns"]["min"] > 100000, t


@test(root=True, quiet=True, seconds=200)
def on_a_throttled_device_the_suites_say_what_the_throttle_allows():
    d = BlockDevice("3G")
    where = d.mount()
    d.limit(iops=500, bps=16 << 20)
    t = tests("--suite", "bonnie", "--size", "64m", "--char-size", "64k", "--files", "0", where, wrap=d.wrap, timeout=180)
    for name in ("write-block",):
        assert not t[name]["cached"], name
        assert t[name]["write"]["bw_bytes"] < 16 * (1 << 20) * 1.1, (name, t[name]["write"]["bw_bytes"])
    for name in ("rewrite", "read-block", "seeks"):      # what they read is still in the page cache
        equal(t[name]["cached"], True, name)


@test
def what_was_over_too_soon_has_no_figure_in_the_last_line_of_a_check():
    r = ebscope("check", "--suite", "bonnie", "--size", "4m", "--char-size", "4096", "--files", "0", "--no-record", scratch())
    equal(r.status, 3, r)
    contains(r.out.splitlines()[-1], "ebscope check: UNKNOWN iops=- mibps=- bound_by=-")


@test(tools=["bon_csv2html", "bon_csv2txt"], seconds=120)
def bonnies_line_is_read_by_bonnies_own_programs():
    line, rec = bonnie()[0], bonnies_recording()
    fields = line.strip().split(",")
    equal((len(fields), fields[:2]), (50, ["1.98", "2.00a"]))
    for tool in ("bon_csv2html", "bon_csv2txt"):
        page = run("sh", "-c", 'printf %%s "$1" | %s' % tool, "sh", line)
        equal(page.status, 0, page)
        contains(page.out, fields[9])
    for version, count in (("1.97", 48), ("1.03", 27)):
        old = ebscope("export", rec, "--format", "bonnie", "--bonnie-csv", version)
        equal((old.status, len(old.out.strip().split(","))), (0, count), old)


@test(seconds=120)
def bonnies_line_compares_with_the_run_it_is_of():
    rec = bonnies_recording()
    csv = rec + ".csv"
    equal(ebscope("export", rec, "--format", "bonnie", "--output", csv).status, 0)
    rows = {(x["test"], x["metric"]): x for x in ebscope("compare", rec, csv, "--format", "json").json["rows"]}
    row = rows["write-char", "bw_kib"]
    near(row["ratio"][1], 1, 0.01, row)
    equal(list(dict.fromkeys(t for t, m in rows if m in ("bw_kib", "seeks"))), "write-char write-block rewrite read-char read-block seeks".split())


@test
def a_line_of_1_03_means_per_character_by_stdio():
    r = ebscope("run", "--suite", "bonnie", "--size", "4m", "--files", "0", "--format", "bonnie", "--bonnie-csv", "1.03",
                "--per-char", "syscall", scratch())
    equal(r.status, 2, r)
    contains(r.err, "stdio")
    equal(ebscope("run", "--suite", "dd", "--format", "bonnie", scratch()).status, 2)
    equal(ebscope("run", "--suite", "bonnie", "--format", "json", "--bonnie-csv", "1.97", scratch()).status, 2)


@test(quiet=True)
def a_sweep_says_where_more_depth_stops_helping():
    rec = os.path.join(scratch(), "r.jsonl")
    r = ebscope("run", "--suite", "sweep", "--runtime", "0.5", "--format", "json", "--record", rec, "--instance", "m5.large",
                "sim:gp3:500")
    equal(r.status, 0, r)
    equal([t["iodepth"] for t in r.json["tests"]], [1, 2, 4, 8, 16, 32, 64, 128, 256])
    sweep = r.json["sweep"]         # 1 ms and 3,000 IOPS: 3 in flight are enough
    equal((sweep["knee_iodepth"], sweep["limit_iodepth"], sweep["limit_iops"]), (4, 4, 3000), sweep)
    contains(sweep["reason"], "knee at iodepth 4")
    screen = ebscope("--screen", "80x24", "--keys", "until:done,F3", "--dump", "replay", "--speed", "max", rec).out
    contains(screen, "IOPS by depth", "knee 4", "volume 3,000", "host 3,600")
    limits = os.path.join(scratch(), "limits.json")
    with open(limits, "w") as f:
        f.write('{"instances": {"m5.large": {"ebs_base_iops": 3500}}}')
    contains(ebscope("--screen", "80x24", "--keys", "until:done,F3", "--dump", "replay", "--limits", limits, "--speed", "max", rec).out,
             "volume 3,000", "host 3,500")
    line = next(l for l in screen.splitlines() if l.startswith("│ qd "))
    equal(line.strip("│ ").split(), ["qd"] + [str(2 ** k) for k in range(9)])
    latency = screen.splitlines()[screen.splitlines().index(line) + 1].strip("│ ").split()
    equal((latency[0], len(latency)), ("ms", 10), latency)
    picture = ebscope("export", rec, "--format", "svg").out
    ElementTree.fromstring(picture)
    contains(picture, "knee: iodepth 4", "volume 3,000", "host 3,600")
    equal(picture.count('class="point"'), 9)


@test
def what_cannot_be_shaped_or_simulated_is_refused_and_not_called_so():
    for words, why in ((("--shape=10MiBps", scratch()), "--shape holds block tests to a rate"), (("sim:gp3:100",), "not sim:")):
        for suite in ("dd", "bonnie"):
            r = ebscope("run", "--suite", suite, "--no-record", *words)
            equal((r.status, r.out, r.err.count("\n")), (2, "", 1), r)
            contains(r.err, why)


@test
def the_fargate_matrix_is_set_against_what_is_documented_and_what_was_seen():
    words = ["run", "--suite", "fargate-ssd", "--runtime", "1", "--repeat", "2", "--no-record", "sim:gp3:2000:16000:1000", "--shape"]
    r = ebscope(*words, "--task", "2:6", "--format", "json")
    assert r.status in (0, 1), r
    for t in r.json["tests"]:
        equal((t["task"]["size"], t["task"]["baseline"]["iops"], t["repeat"]["n"]), ("2:6", 3000, 2))
        contains(t["task"]["observed"]["text"], "16,000 IOPS")
    table = ebscope(*words, "--task", "0.25:1")
    contains(table.out, "no EBS baseline is documented up to 1 vCPU", "observed once, no promise", "2 times: mean")
    contains(ebscope(*words).out, "no task size is named")


@test
def a_run_is_exported_as_a_picture_and_as_metrics():
    rec = os.path.join(scratch(), "r.jsonl")
    r = ebscope("run", "--rw", "randread", "--bs", "16k", "--iodepth", "32", "--runtime", "2", "--record", rec, "--format", "svg", "sim:gp3:500")
    assert r.status in (0, 1), r        # short of 3,000 IOPS where the machine is busy: not what is tested
    picture = ElementTree.fromstring(r.out)
    assert picture.tag.endswith("}svg"), picture.tag
    contains(r.out, "gp3 500 GiB, 3,000 IOPS", "SIMULATED", "documented 3,000", "randread-16k")
    equal(ebscope("export", rec, "--format", "svg").out, r.out)
    text = ebscope("export", rec, "--format", "openmetrics").out
    equal(text.splitlines()[-1], "# EOF")
    families = {}
    for line in text.splitlines()[:-1]:
        if line.startswith("# TYPE "):
            families[line.split()[2]] = line.split()[3]
        elif not line.startswith("#"):
            name, value = re.fullmatch(r'([a-z_:]+)(?:\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)+\})? (\S+)', line).groups()
            float(value)
            assert any(name == f + s for f in families for s in ("", "_total", "_info", "_count", "_sum", "_bucket")), line
    equal(families["ebscope_provisioned_iops"], "gauge")
    contains(text, 'ebscope_provisioned_iops{type="gp3"} 3000')


@test
def a_suite_is_any_file_that_is_named_by_its_path():
    here = scratch()
    with open(os.path.join(here, "db.json"), "w") as f:
        f.write('{"steps": [{"name": "pages", "rw": "randread", "bs": "8k", "runtime": "0.6s"}]}')
    for name in "db.json", "./db.json", os.path.join(here, "db.json"):
        r = ebscope("run", "--suite", name, "--format", "json", "--no-record", "sim:", cwd=here)
        equal((r.json["title"], [(t["name"], t["bs"]) for t in r.json["tests"]]), ("db.json", [("pages", 8192)]), r)
    with open(os.path.join(here, "jobs.fio"), "w") as f:
        f.write("[global]\nrw=randread\n")
    with open(os.path.join(here, "text"), "w") as f:
        f.write("hello\n")
    for name, why in (("./no.json", "there is no './no.json'"), ("jobs", "by its path: ./db.json"),
                      ("./jobs.fio", "jobs.fio: there is no job in it"), ("./text", '1: \'hello\' stands in no [job]; a suite is a job file '
                       'of fio\'s, or JSON: {"steps":'), (here + "/", "is no file"), ("x/" * 130, "is too long")):
        r = ebscope("run", "--suite", name, "sim:", cwd=here)
        equal((r.status, len(r.err.splitlines())), (2, 1), r)
        contains(r.err, why)
    for name in "bonnie", "first-touch":
        os.link(os.path.join(here, "db.json"), os.path.join(here, name))
        r = ebscope("run", "--suite", "./" + name, "--size", "1m", "--format", "json", "--no-record", "sim:", cwd=here)
        equal((r.json["title"], r.json["tests"][0].get("first_touch")), ("./" + name, None), r)
    r = ebscope("run", "--suite", "./bonnie", "--format", "bonnie", "--record", "none.jsonl", "sim:", cwd=here)
    equal((r.status, os.path.exists(os.path.join(here, "none.jsonl"))), (2, False), r)
    form = ebscope("--suite", "./db.json", "--screen", "100x40", "--dump", "sim:gp3:100", cwd=here).out
    contains(form, "suite ./db.j", "pages")


JOBS = """; as a how-to has them
[global]
ioengine=libaio
direct=1
size=${JOBS_SIZE}
filename=%s
group_reporting
thread
runtime=30

[rand-read-4k]   ; queue depth 8
rw=randread
bs=4k
iodepth=8
stonewall

[seq-write-1m]
rw=write
bs=1m
iodepth=4
numjobs=2
stonewall

[mix]
readwrite=randrw
rwmixread=70
blocksize=16kb
wait_for_previous

[late]
stonewall
ioengine=psync
bs=64k
rate_iops=100
ramp_time=200ms
"""


@test(tools=["fio"])
def a_job_file_does_the_ios_that_fio_does():
    here, env = scratch(), {"JOBS_SIZE": "4m"}
    path, jobs = os.path.join(here, "data"), os.path.join(here, "ebs.fio")
    with open(path, "wb") as f:
        f.write(os.urandom(4 << 20))
    with open(jobs, "w") as f:
        f.write(JOBS % path)
    r = ebscope("run", "--suite", jobs, "--overwrite", "--format", "json", "--no-record", path, env=env)
    equal(r.status, 0, r)
    contains(r.err, "ebs.fio: its filename=%s is not looked at" % path, "left out, as no I/O changes with it: group_reporting, thread")
    theirs = run("fio", "--output-format=json", jobs, timeout=60, env={**os.environ, **env}).json["jobs"]
    equal([t["name"] for t in r.json["tests"]], [j["jobname"] for j in theirs])
    for t, j in zip(r.json["tests"], theirs):
        assert t["bs"] * t["ios"] == t["bytes"] and j["job options"].get("blocksize", j["job options"].get("bs"))
        if t["name"] == "mix":          # of 256: which of them are writes is drawn
            equal(t["ios"], j["read"]["total_ios"] + j["write"]["total_ios"])
            assert t["read"]["ios"] > t["write"]["ios"] > 0 and j["read"]["total_ios"] > j["write"]["total_ios"] > 0
        elif t["name"] == "late":       # 64 of them, those of the first 0.2 s are not counted
            assert all(0 < n < 64 for n in (t["ios"], j["read"]["total_ios"])), (t["ios"], j["read"]["total_ios"])
        else:
            equal([t[d]["ios"] for d in ("read", "write")], [j[d]["total_ios"] for d in ("read", "write")], t["name"])


@test(tools=["fio"])
def a_block_test_says_fios_line_for_the_same_ios():
    here = scratch()
    with open(os.path.join(here, "data"), "wb") as f:
        f.write(os.urandom(4 << 20))
    done = lambda words, target="data": list(tests(*words.split(), "--overwrite", "--no-record", target, cwd=here).values())[0]  # noqa: E731
    for target, words in (("data", "--rw randread --bs 16k --iodepth 4 --size 2m"), ("data", "--rw read --bs 64k --numjobs 2 --size 4m"),
                          ("data", "--rw randrw --bs 8k --rwmixread 70 --numjobs 2 --size 4m"), ("data", "--rw write --bs 1m --sync dsync --size 4m"),
                          ("data", "--rw randread --direct 0 --numjobs 2 --size 1m"), (".", "--rw read --bs 64k --iodepth 2 --size 2m")):
        t = done(words, target)
        if not t["equivalent"] and not t["direct"]:
            skip("no direct I/O here")
        jobs = run(*t["equivalent"].split(), "--output-format=json", cwd=here, timeout=60).json["jobs"]
        ios = lambda d: sum(j[d]["total_ios"] for j in jobs)  # noqa: E731
        equal(t["ios"], ios("read") + ios("write"), t["equivalent"])
        equal([t[d]["ios"] > 0 for d in ("read", "write")], [ios(d) > 0 for d in ("read", "write")], t["equivalent"])
        equal((t["rw"], t["bs"], t["bytes"]), (jobs[0]["job options"]["rw"], t["bytes"] // t["ios"], sum(
            j[d]["io_bytes"] for j in jobs for d in ("read", "write"))), t["equivalent"])
    equal(os.listdir(here), ["data"])
    timed = done("--rw randread --runtime 300ms --rate_iops 90")["equivalent"]
    contains(timed, " --runtime=300ms ", " --rate_iops=90 ", " --time_based")
    for words in ("--rw rw --size 1m", "--rw write --direct 0 --size 1m", "--rw read --bs 48k --size 100k", "--rw read --shape=9000iops --runtime 0.3",
                  "--rw randrw --rate_iops 9000 --size 1m"):
        equal(done(words)["equivalent"], None, words)
    equal(done("--rw read --size 1m", "sim:")["equivalent"], None)


@test
def a_job_file_never_names_the_target():
    here = scratch()
    path, jobs = os.path.join(here, "precious"), os.path.join(here, "w.fio")
    with open(path, "wb") as f:
        f.write(b"x" * 65536)
    with open(jobs, "w") as f:
        f.write("[w]\nrw=write\nsize=64k\nfilename=%s\ndirectory=%s\n" % (path, here))
    equal(ebscope("run", "--suite", jobs).status, 2)
    r = ebscope("run", "--suite", jobs, "--no-record", "--format", "json", "sim:")
    equal((r.status, r.json["tests"][0]["write"]["ios"]), (0, 16), r)
    contains(r.err, "w.fio: its filename=%s is not looked at" % path)
    with open(path, "rb") as f:
        equal(f.read(), b"x" * 65536)
    equal(sorted(os.listdir(here)), ["precious", "w.fio"])
    r = ebscope("run", jobs)
    equal((r.status, len(r.err.splitlines())), (2, 1), r)
    contains(r.err, "a job file of fio's and no target: --suite FILE takes it")


@test
def a_job_file_is_known_by_its_name_and_its_jobs_stay_as_they_are_on_the_dashboard():
    config = scratch()
    os.makedirs(os.path.join(config, "ebscope/suites"))
    with open(os.path.join(config, "ebscope/suites/ebs.fio"), "w") as f:
        f.write("[two]\nnumjobs=2\nruntime=300ms\ntime_based\n[writes]\nrw=write\nsize=1m\nstonewall\n")
    env = {"XDG_CONFIG_HOME": config}
    contains(ebscope("run", "--list-suites", env=env).out, "ebs            no about (your own: 2 tests)")
    r = ebscope("run", "--suite", "ebs", "--format", "json", "--no-record", "sim:", env=env)
    equal([(t["name"], t["numjobs"], t["runtime_s"] >= 0.3) for t in r.json["tests"]], [("two", 2, True), ("writes", 1, False)], r)
    contains(ebscope("--suite", "ebs", "--screen", "120x50", "--dump", "sim:gp3:100", env=env).out, "read 4k · iodepth 1 · 2 jobs")
    f = os.path.join(config, "file")
    with open(f, "wb") as out:
        out.write(bytes(1 << 20))
    r = ebscope("run", "--suite", "ebs", "--format", "json", "--no-record", f, env=env)
    equal([t["name"] for t in r.json["tests"]], ["two"])
    contains(r.err, "ebs: 1 of 2 tests write, and this target may only be read: they are left out")


@test
def each_test_of_a_suite_is_direct_or_buffered_as_it_says_itself():
    here = scratch()
    steps = [{"name": str(i), "rw": "randread", "bs": "4k", "size": "1m", "direct": d} for i, d in enumerate((1, 0, 1))]
    with open(os.path.join(here, "mixed.json"), "w") as f:
        json.dump({"steps": steps}, f)
    r = ebscope("run", "--suite", "./mixed.json", "--format", "json", "--no-record", here, cwd=here)
    equal([(t["direct"], t["ioengine"]) for t in r.json["tests"]], [(True, "libaio"), (False, "sync"), (True, "libaio")], r)
    for words in "buffered I/O: the page cache takes part", "less than twice the memory":
        equal([any(words in w for w in t["warnings"]) for t in r.json["tests"]], [False, True, False], words)


@test
def a_suite_of_ones_own_is_a_file_in_the_config_directory():
    config = scratch()
    os.makedirs(os.path.join(config, "ebscope/suites"))
    path = os.path.join(config, "ebscope/suites/ours.json")
    env = {"XDG_CONFIG_HOME": config}
    with open(path, "w") as f:
        f.write('{"about": "log and pages", "steps": [{"name": "log", "rw": "write", "bs": "64k", "runtime": "1s"},'
                ' {"name": "pages", "rw": "randread", "bs": "8k", "iodepth": 4, "runtime": 1}]}')
    contains(ebscope("run", "--list-suites", env=env).out, "ours", "log and pages (your own: 2 tests)")
    r = ebscope("run", "--suite", "ours", "--format", "json", "--no-record", "sim:", env=env)
    equal([(t["name"], t["bs"], t["iodepth"]) for t in r.json["tests"]], [("log", 65536, 1), ("pages", 8192, 4)])
    with open(path, "w") as f:
        f.write('{"steps": [{"rw": "randread",\n "bs": "8k"')
    r = ebscope("run", "--suite", "ours", "sim:", env=env)
    equal((r.status, len(r.err.splitlines())), (2, 1), r)
    contains(r.err, "ours.json:2:")
    contains(ebscope("run", "--list-suites", env=env).out, "cannot be used: ")
    contains(ebscope("run", "--suite", "our", "sim:", env=env).err, "did you mean ours?")


@test
def a_volume_is_read_once_and_mapped():
    twice = ebscope("run", "--suite", "first-touch", "--numjobs", "2", "sim:gp3:100")
    equal(twice.status, 2)
    contains(twice.err, "reads all of it once, in order: with numjobs 1, not 2")
    r = ebscope("run", "--suite", "first-touch", "--size", "256m", "--format", "json", "--no-record", "sim:gp3:100")
    t = r.json["tests"][0]
    touch = t["first_touch"]
    equal((r.status, t["bytes"], touch["read_bytes"], touch["cold_bytes"]), (0, 256 << 20, 256 << 20, 0), r)
    assert None not in touch["cells"], touch
    short = ebscope("run", "--suite", "first-touch", "--runtime", "1", "--size", "2g", "--format", "json", "--no-record", "sim:gp3:100")
    touch = short.json["tests"][0]["first_touch"]
    assert touch["cold_bytes"] > 0 and touch["cells"][-1] is None, touch
    contains(short.json["tests"][0]["reason"], "still cold")
    refused = ebscope("run", "--suite", "first-touch", scratch())
    equal(refused.status, 2)
    contains(refused.err, "nothing is cold in the scratch file of a directory")


@test(root=True, seconds=170)
def a_container_of_256_mib_can_run_the_classic_suites():
    mount = "/sys/fs/cgroup/memory"
    group = os.path.join(mount, "ebscope-test.%d" % os.getpid())
    if not os.path.exists(os.path.join(mount, "memory.limit_in_bytes")):
        skip("no memory controller of cgroup v1")
    if KIND == "tsan":
        skip("ThreadSanitizer alone fills 256 MiB")
    os.mkdir(group)
    defer(os.rmdir, group)
    with open(os.path.join(group, "memory.limit_in_bytes"), "w") as f:
        f.write(str(256 << 20))
    wrap = lambda argv: ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', group, *argv]  # noqa: E731
    r = ebscope("run", "--suite", "dd", "--format", "json", "--no-record", scratch(), wrap=wrap, timeout=80)
    equal(r.status, 0, r)
    rows = {t["name"]: t for t in r.json["tests"]}
    equal(rows["T1"]["bytes"], 1 << 30)
    assert rows["T1"]["bs"] <= 64 << 20, rows["T1"]["bs"]
    contains(" ".join(rows["T1"]["warnings"]), "in pieces of 64 MiB")
    r = ebscope("run", "--suite", "bonnie", "--char-size", "64k", "--files", "1", "--format", "json", "--no-record", scratch(),
                wrap=wrap, timeout=80)
    equal((r.status, r.json["tests"][1]["size"]), (0, 512 << 20), r)
    with open(os.path.join(group, "memory.oom_control")) as f:
        contains(f.read(), "oom_kill 0")


main()
