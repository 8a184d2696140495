# SPDX-License-Identifier: MIT
"""Bad input: one line that names it and says what is allowed, exit status 2, nothing touched."""
import json
import os
import re
import subprocess
import time

from e2e import *

# option: values that no command takes
BAD = {
    "--rw": ["", "nonsense", "read,write", "randread "],
    "--bs": ["", "0", "-1", "1", "511", "x", "4kk", "1.5", "nan", "0x1000", "99999999999999999999", "8388608t", "2g"],
    "--iodepth": ["", "0", "-1", "1.5", "32k", "many", "99999999999999999999", "100000000"],
    "--numjobs": ["", "0", "-1", "x", "100000000"],
    "--size": ["", "-1", "x", "1.0000001k", "8388608t"],
    "--runtime": ["", "-1", "soon", "1:30", "1e3", "inf", "999999d"],
    "--ramp_time": ["", "-1", "x"],
    "--rwmixread": ["", "-1", "101", "x"],
    "--rate_iops": ["", "-1", "x", "1.5"],
    "--direct": ["", "2", "-1", "yes"],
    "--invalidate": ["", "2", "x"],
    "--ioengine": ["", "io_uring", "null", "LIBAIO "],
    "--workload": ["", "nonsense"],
    "--suite": ["", "nonsense"],
    "--repeat": ["", "0", "-1", "x", "99999999999"],
    "--volume": ["", "gp9", "gp3:0", "gp2:100:500", "gp3:500GiB:3000:1000", "gp3:500:99999999", "io2:64", "0*gp2:20",
                 "x*gp2:20", "gp2:99999", "gp3:100:3000:125:7"],
    "--raid": ["", "2", "x", "-1"],
    "--instance": ["", "m5.gigantic", "m5"],
    "--task": ["", "1", "0.25", "0.25:99", "0.3:1", "x:1", "1:x", "-1:2"],
    "--shape": ["", "fast", "100iops@5s", "0iops", "@", "1iops@1s,2MiBps", "100iops@0s,50iops"],
    "--time-scale": ["", "0", "0.5", "-1", "x", "nan", "99999999"],
    "--credits": ["", "-1", "101", "x"],
    "--format": ["", "xml", "JSON "],
}


def refuses(*args, names=(), status=2, **kw):
    r = ebscope(*args, timeout=10, **kw)
    equal(r.status, status, "%r\n%s" % (args, r.err))
    equal(r.out, "", repr(args))
    equal(len(r.err.splitlines()), 1, "%r: one line\n%s" % (args, r.err))
    contains(r.err, *names)
    assert len(r.err) < 500, r.err
    return r.err


@test(seconds=120)
def every_option_refuses_what_it_cannot_mean_by_its_name():
    folder, wrong = scratch(), []
    for option, values in BAD.items():
        for value in values:
            words = ["%s=%s" % (option, value)] + ["--runtime=0.2"] * (option != "--runtime")
            r = ebscope("run", *words, "--no-record", folder, timeout=10)
            if r.status != 2 or r.out or len(r.err.splitlines()) != 1 or option[2:] not in r.err:
                wrong.append("%s: %d %s%s" % (words[0], r.status, r.err, r.out[:200]))
    equal(wrong, [])
    equal(os.listdir(folder), [])


@test
def a_number_has_one_range_in_its_message_and_in_help():
    rows = {"run": {"--repeat": "0 101 x", "--char-size": "0 x"},
            "net": {"-P": "0 129 x", "-t": "0 86401 x", "-O": "601 x", "-i": "0.01 61 x", "-n": "0 x", "-k": "0 x", "-l": "0 2m x",
                    "-w": "0 1g x", "-M": "0 87 32768 x", "-S": "256 x", "-p": "0 65536 x", "--cport": "0 65536 x", "--queue": "65 x",
                    "--connect-timeout": "0 3600001 x"},
            "volumes": {"--timeout": "0 99999h x"}}
    for command, options in rows.items():
        text = ebscope("help", command).out
        for option, wrong in options.items():
            line = next(l for l in text.splitlines() if option in re.split("[ ,=]+", l[:28]))
            said = set()
            for value in wrong.split():
                r = ebscope(command, option, value, "sim:")
                equal((r.status, r.out, r.err.count("\n")), (2, "", 1), r)
                contains(r.err, "'%s' is not a " % value)
                said.add(re.search("is not a [a-z ]+ (?:from|of) (.*)", r.err).group(1))
            equal(len(said), 1, said)
            contains(line, *said)
    for option in "--bitrate", "--fq-rate":
        assert re.search("%s=.* 1 to 1000T" % option, ebscope("help", "net").out), option
        for value in "x", "0.1", "1001T":
            contains(refuses("net", option, value, "sim:", names=[option]), "'%s' is not a bit rate from 1 to 1000T" % value)
    refuses("net", "--fq-rate=10M/4", "sim:", names=["--fq-rate", "--bitrate"])


@test
def every_option_of_the_help_is_taken():
    help_text = ebscope("run", "--help").out
    options = set(re.findall(r"(--[a-z][a-z_-]+)", help_text))
    assert len(options) > 20, options
    for option in options:
        r = ebscope("run", option + "=\x01", timeout=10)
        assert "unknown option" not in r.err, (option, r.err)


@test
def the_help_says_of_each_parameter_what_is_allowed_and_the_default():
    text = ebscope("run", "--help").out
    for row in ("--rw=PATTERN .*: read, write, rw, randread, randwrite or randrw \\(read\\)", "--bs=SIZE .* 512 to 64m \\(4k\\)",
                "--iodepth=N .* 1 to 4096 \\(1\\)", "--ramp_time=TIME .* \\(0s\\)", "--ioengine=ENGINE .*: auto, libaio, sync or sim \\(auto\\)",
                "--runtime=TIME .*10s", "--size=SIZE .*1g", "--format=F .*\\(table\\)"):
        assert re.search("^ +" + row, text, re.M), row
    contains(text, "of a test given by --rw or --bs")
    contains(ebscope("--help").out, "the form starts from workload iops")   # a depth given alone does not make it 4k
    contains(ebscope("--screen", "80x24", "--keys", "wait:0.1s", "--dump", "--iodepth=4", "sim:").out, "16k", "randread")
    t = ebscope("run", "--rw=read", "--runtime=0.2", "--format=json", "sim:").json["tests"][0]
    equal((t["bs"], t["iodepth"], t["numjobs"], t["direct"]), (4096, 1, 1, True))


@test
def help_of_a_command_is_what_its_help_option_prints():
    for name in ("run", "net", "volumes", "compare", "replay"):
        r = ebscope("help", name)
        equal((r.status, r.out), (0, ebscope(name, "--help").out))
        assert "\n\n\n" not in r.out, r.out
    equal(ebscope("help").out, ebscope("--help").out)
    contains(refuses("help", "runn"), "no command 'runn'", "run")


@test
def a_command_has_no_option_that_means_nothing_to_it():
    for command, target, never in (
            ("watch", "/", "rw bs iodepth numjobs size ramp_time rwmixread rate_iops direct ioengine sync invalidate randseed "
             "workload suite repeat files list-suites shape time-scale overwrite bonnie-csv"),
            ("expect", "gp3:100", "size runtime ramp_time direct ioengine sync invalidate randseed suite repeat dd-data files "
             "list-suites shape time-scale volume-id bonnie-csv record overwrite"),
            ("devices", None, "bonnie-csv rw volume"), ("volumes", "list", "bonnie-csv"), ("net", "sim:", "bonnie-csv"),
            ("compare", "ref:dd/single", "bonnie-csv")):
        shown = re.findall(r"^ +(?:-., )?--([a-z][a-z_-]+)", ebscope(command, "--help").out, re.M)
        for name in never.split():
            assert name not in shown, (command, name)
            refuses(command, "--" + name, *[t for t in [target] if t], names=["--" + name])
    for words in (["watch", "--runtime=1"], ["expect", "--bs=16k", "--credits=50", "gp2:100"], ["compare", "--format=csv"]):
        shown = ebscope(words[0], "--help").out
        for word in words[1:]:
            assert not word.startswith("--") or word.split("=")[0] + "=" in shown, (words, shown)


@test
def a_path_that_leads_nowhere_is_told_in_the_words_of_the_system():
    here = scratch()
    config = os.path.join(here, "ebscope")
    os.makedirs(os.path.join(config, "suites"))
    for name in ("loop.json", "ebscope/config.json", "ebscope/suites/mine.json"):
        os.symlink(os.path.basename(name), os.path.join(here, name))
    open(os.path.join(here, "file"), "w").close()
    kw = {"cwd": here, "env": {"XDG_CONFIG_HOME": here}}
    for path, why in (("./loop.json", "Too many levels of symbolic links"), ("./file/x.json", "Not a directory")):
        for status, words in ((2, ("run", "--suite", path, "sim:")), (2, ("run", "--rw=read", "--limits", path, "sim:")),
                              (2, ("expect", "--limits", path, "gp3:100")), (3, ("export", "--format=csv", path)),
                              (3, ("compare", path, "ref:dd/single")), (3, ("run", "--rw=read", "--record", path, "sim:")),
                              (3, ("run", "--rw=read", "--output", path, "sim:")), (3, ("run", "--rw=read", path)),
                              (3, ("--screen=80x24", "--dump", "--theme", path)), (3, ("--screen=80x24", "--dump", "replay", path))):
            contains(refuses(*words, names=[path], status=status, **kw), why)
    contains(refuses("run", "--suite=mine", "sim:", **kw), "suites/mine.json: Too many levels")
    contains(refuses("run", "--suite=quik", "sim:", env={"XDG_CONFIG_HOME": "/dev/null"}), "did you mean quick?")
    contains(ebscope("--screen=120x40", "--dump", **kw).out, "config.json: Too many levels")


@test
def an_option_that_no_test_of_the_suite_looks_at_is_refused():
    own = os.path.join(scratch(), "own.json")
    with open(own, "w") as f:
        f.write('{"steps": [{"rw": "randread", "bs": "8k", "runtime": "0.1s"}]}')
    for word, whose in (("--files=3", "bonnie"), ("--per-char=stdio", "bonnie"), ("--char-size=4k", "bonnie"), ("--dd-data=random", "dd")):
        for test in (["--suite", own], ["--suite=quick"], ["--suite=" + {"dd": "bonnie", "bonnie": "dd"}[whose]], ["--rw=read"], []):
            for command in "run", "check":
                contains(refuses(command, *test, word, "sim:", names=[word.split("=")[0]]), "is for suite " + whose)
        refuses("--screen=80x24", "--dump", "--suite", own, word, "sim:", names=[word.split("=")[0]])
        equal(ebscope("--screen=80x24", "--dump", word, "sim:").status, 0)      # the suite may be chosen yet
    for word in ("--bs=4k", "--rw=read", "--iodepth=4", "--runtime=5", "--numjobs=2", "--rate_iops=9", "--sync=dsync"):
        for suite, takes in (("dd", "takes repeat dd-data"), ("bonnie", "takes repeat size direct")):
            contains(refuses("run", "--suite", suite, word, "sim:", names=[word.split("=")[0]]), "suite " + suite, takes)
    contains(refuses("run", "--suite=bonnie", "--files=3", own), "--files", "no directory")
    equal(ebscope("run", "--suite", own, "--repeat=2", "--iodepth=4", "--format=json", "--no-record", "sim:").json["tests"][0]["iodepth"], 4)


@test
def a_format_that_has_no_place_for_the_tests_is_refused_before_they_are_done():
    contains(refuses("run", "--rw=read", "--runtime=9999", "--format=iperf3", "sim:"), "network tests", "openmetrics")
    for name in ("fio", "bonnie", "openmetrics", "svg", "card"):
        contains(refuses("net", "-t", "900", "--format", name, "sim:net:2:4"), "--format " + name + " is for storage tests", "iperf3")
    for name in ("bonnie", "iperf3", "card", "xml"):
        contains(refuses("watch", "--format", name, "/"), "--format", name, "openmetrics")
    for command, never in (("run", "iperf3"), ("check", "iperf3"), ("net", "bonnie"), ("watch", "bonnie"), ("watch", "card")):
        row = re.search(r"^ +--format=F +(.*)", ebscope(command, "--help").out, re.M).group(1)
        assert never not in row, (command, row)
    recording = os.path.join(scratch(), "n.jsonl")
    equal(ebscope("net", "-t", "1", "-i", "0", "--record", recording, "sim:net:2:4").status, 0)
    contains(refuses("export", recording, "--format=card"), "is for storage tests")
    equal(ebscope("export", recording, "--format=csv").status, 0)


@test
def an_option_that_is_not_there_is_named():
    contains(refuses("run", "--iodepht=3", "sim:"), "--iodepht", "--iodepth")   # and the one that was meant
    refuses("run", "--no-such-thing", "sim:", names=["--no-such-thing"])
    refuses("run", "-Z", "sim:", names=["-Z"])
    refuses("--no-such-thing", names=["--no-such-thing"])


@test
def an_option_without_its_value_is_named():
    refuses("run", "sim:", "--bs", names=["--bs"])
    refuses("run", "sim:", "--format", names=["--format"])


@test
def a_number_out_of_range_an_empty_value_and_one_too_many_say_what_is_allowed():
    for value in ("-1", "x", "99999999999999999999"):
        refuses("run", "--iodepth=" + value, "sim:", names=["iodepth", "from 1 to 4096"])
        refuses("run", "--repeat=" + value, "sim:", names=["--repeat", "from 1 to 100"])
    for option in ("--output", "--record", "--volume", "--format", "--limits", "--destroy-data"):
        refuses("run", option + "=", "sim:", names=[option])
    for option in ("--no-record", "--overwrite", "--list-suites"):
        contains(refuses("run", option + "=1", "sim:"), option + " takes no value")


@test
def the_lists_are_printed_whatever_command_is_asked():
    for words in (["run"], ["check"], []):
        contains(ebscope(*words, "--list-suites").out, "bonnie", "dd-direct")
        contains(ebscope(*words, "--list-workloads").out, "randread")


@test
def output_holds_all_of_the_result_and_is_looked_at_before_the_run():
    out = os.path.join(scratch(), "out")
    r = ebscope("run", "--format", "json", "--output", out, "/no/such/dir")
    equal((r.status, r.out), (3, ""))
    equal(json.load(open(out))["error"]["code"], 3)
    r = ebscope("check", "--volume", "gp2:100", "--shape", "--time-scale", "100", "--runtime", "0.6", "--no-record",
                "--output", out, "sim:")
    lines = open(out).read().splitlines()
    contains(lines[0], "SIMULATED")
    contains(lines[-1], "ebscope check: ")
    for where in ("/no/such/dir/out", scratch()):
        began = time.monotonic()
        r = ebscope("run", "--rw", "randread", "--runtime", "20", "--no-record", "--output", where, "sim:")
        equal(r.status, 3, repr(r))
        contains(r.err, "--output " + where)
        assert time.monotonic() - began < 20


@test
def a_recording_takes_the_place_of_nothing_but_a_recording():
    data = os.path.join(scratch(), "data")
    with open(data, "w") as f:
        f.write("precious " * 1000)
    before = open(data).read()
    for words in (["sim:"], [data], [os.path.dirname(data)]):
        r = ebscope("run", "--rw", "randread", "--runtime", "0.2", "--record", data, *words)
        equal((r.status, r.out, len(r.err.splitlines()[-1:])), (3, "", 1), repr(r))
        contains(r.err, "is no recording")
        equal(open(data).read(), before)
    again = data + ".jsonl"
    for _ in range(2):
        equal(ebscope("run", "--rw", "randread", "--runtime", "0.2", "--record", again, "sim:").status, 0)


@test
def a_result_takes_the_place_of_nothing_that_the_command_works_on():
    here = scratch()
    data, link, rec = os.path.join(here, "data"), os.path.join(here, "link"), os.path.join(here, "run.jsonl")
    with open(data, "w") as f:
        f.write("precious " * 100000)
    os.link(data, link)
    run = ["run", "--rw=randread", "--runtime=0.2"]
    equal(ebscope(*run, "--record", rec, "sim:").status, 0)
    before = open(data).read(), open(rec).read()
    for words in ([*run, "--output", link, data], [*run, "--output", data, here + "," + data], ["export", rec, "--format=csv", "--output", rec],
                  ["compare", "ref:dd/single", rec, "--output", rec], [*run, "--record", rec, "--output", rec, "sim:"],
                  [*run, "--record", here + "/new", "--output", here + "/new", "sim:"], ["expect", "--limits", data, "--output", data, "gp3:100"]):
        r = ebscope(*words)
        equal((r.status, r.out), (2, ""), repr(r))
        contains(r.err, "would take the place of")
        equal((open(data).read(), open(rec).read()), before, words)
    equal(ebscope(*run, "--output", "/dev/null", "--record", "/dev/null", "sim:").status, 0)


@test
def a_full_stdout_is_no_success_of_watch():
    with open("/dev/full", "w") as full:
        p = subprocess.run(program("watch", "--runtime", "1", TOP), stdout=full, stderr=subprocess.PIPE, text=True)
    if "no block device" in p.stderr:
        skip("no block device below the working directory")
    equal(p.returncode, 3, p.stderr)


@test
def a_command_that_is_not_there_is_no_target():
    folder = scratch()
    for word, near in (("runn", "run"), ("rnu", "run"), ("volume", "volumes"), ("benchmark", "--help")):
        contains(refuses(word, cwd=folder), "'%s' is neither a command nor a target" % word, near)
    equal(os.listdir(folder), [])


@test
def options_of_fio_bonnie_and_iperf3_are_answered_all_at_once_with_ours():
    told = refuses("run", *"--name=x --filename=/dev/sdz --rw=randread --time_based --group_reporting --blocksize 4k".split())
    contains(told, "--filename: TARGET stands alone", "--blocksize: --bs", "--name, --time_based, --group_reporting: leave it out")
    contains(refuses("run", *"-d /tmp -s 1g -n16 -x 3".split()), "-d: TARGET", "-s: --size", "-n: --files", "-x: --repeat")
    contains(refuses("run", *"--verify=crc32c --offset=1g --thinktime=5 --random_distribution=zipf sim:".split()),
             "--verify: rates are measured here", "--offset: a test begins at the start", "--thinktime: --rate_iops",
             "--random_distribution: all of --size")
    contains(refuses("run", "--write_iops_log=x", "sim:"), "--write_iops_log: --format series")
    contains(refuses("run", *"--filename=x -d /tmp --timeout=9 --nrfiles=4 --cpus_allowed=1".split()), "--filename, -d: TARGET stands",
             "--timeout: --runtime", "--nrfiles: one file", "--cpus_allowed: taskset")
    assert "--overwrite" not in refuses("run", "--name=x", "--overwrite", "sim:")     # ours, and fio has one too
    contains(refuses("net", *"-c localhost -t 1 -J".split()), "-c: HOST stands alone", "-J: --format iperf3")
    contains(refuses("net", *"localhost --sctp".split()), "--sctp: TCP, or UDP with -u")
    contains(refuses("watch", "-c", "/"), "-c is not an option")            # that means nothing there
    contains(refuses("run", "-rw=randread", "sim:"), "-rw is not an option; did you mean --rw?")
    contains(refuses("expect", "gp2:1", "-1*gp2:20"), "-1*gp2:20 is not an option")
    assert "leave" not in refuses("run", "--no-such", "--name=x")          # the first word is the one that is wrong
    many = ["--%s=1" % w for w in "name filename readwrite bssplit filesize buffered rwmixwrite rate fsync loops thread eta".split()]
    refuses("run", *(many * 5), names=["--filename"])


@test
def a_command_line_of_fio_without_its_own_words_runs():
    r = ebscope("run", *"--rw=randread --bs=16k --iodepth=32 --numjobs=4 --direct=1 --ioengine=sim --runtime=0.3 --format=json sim:".split())
    equal((r.status, r.json["tests"][0]["numjobs"]), (0, 4), r.err)


@test
def a_target_is_needed_and_one_is_enough():
    refuses("run", names=["TARGET"])
    refuses("run", "sim:", "sim:")
    refuses("run", "", names=[])
    contains(refuses("check").lower(), "target")


@test
def options_that_contradict_each_other_are_named():
    folder = scratch()
    refuses("run", "sim:gp2:100", "--volume=gp3:100", names=["--volume", "sim:gp2:100"])
    refuses("run", "--rw=read", "--suite=quick", "--workload=iops", folder)
    refuses("run", "--bs=1m", "--size=512k", folder, names=["bs", "size"])
    refuses("run", "--raid=1", "--volume=gp3:100", folder, names=["--raid"])
    equal(os.listdir(folder), [])


@test
def a_hostile_argument_is_one_line_of_utf8_on_the_terminal():
    for text in (b"\xff\xfe\x1b[31m", b"a\nb\rc", b"x" * 5000, b"%s%n%s", "\u202egpj".encode()):
        for option in (b"--bs=", b"--volume=", b"--workload=", b"--format=", b"--", b""):
            r = run(*[os.fsdecode(a) for a in (program()[0].encode(), b"run", option + text)], timeout=10)
            assert r.status in (2, 3), r
            equal(len(r.err.splitlines()), 1, repr(r.err))
            assert "\x1b" not in r.err and "\ufffd" not in r.err, repr(r.err)


@test
def a_target_with_a_hostile_name_is_one_word_wherever_it_is_shown():
    folder = os.path.join(scratch(), "a\nb\x1b[31mc\rd")
    os.mkdir(folder)
    env = {"XDG_STATE_HOME": scratch()}
    for words in (("run", "--format=table"), ("run", "--format=svg"), ("run", "--format=openmetrics"), ("check", "--before")):
        r = ebscope(*words, "--rw=randread", "--runtime=0.2", "--size=1m", folder, env=env)
        said = r.out + r.err
        assert "\x1b" not in said and "\r" not in said and "a\nb" not in said, r
        contains(said, "a?b")
    where = os.path.join(env["XDG_STATE_HOME"], "ebscope/runs")
    recording = os.path.join(where, sorted(os.listdir(where))[0])
    contains(ebscope("export", "--format=table", recording).out, "on " + os.path.dirname(folder) + "/a?b")


@test
def environment_variables_that_mean_nothing_do_no_harm_or_are_named():
    folder = scratch()
    for name, value in (("XDG_STATE_HOME", "relative"), ("XDG_CONFIG_HOME", "/dev/null"), ("HOME", ""), ("HOME", None),
                        ("COLUMNS", "x"), ("TERM", ""), ("LC_ALL", "xx_YY.nonsense"), ("TZ", "nonsense"),
                        ("COLUMNS", "-5"), ("XDG_STATE_HOME", "/dev/full")):
        r = ebscope("run", "--rw=randread", "--runtime=0.2", "--format=json", "sim:", env={name: value}, cwd=folder)
        equal(r.status, 0, "%s=%s: %s" % (name, value, r.err))
        equal(r.json["schema"], "ebscope/1")
    equal(os.listdir(folder), [])
    r = ebscope("run", "--runtime=0.2", "/dev/sdz", env={"EBSCOPE_SYSROOT": "/no/such"})
    assert r.status in (2, 3), r
    contains(r.err, "EBSCOPE_SYSROOT")


@test
def help_and_version_go_to_stdout_and_need_nothing():
    for args in (["--help"], ["-h"], ["--version"], ["-V"], ["run", "--help"], ["check", "--help"]):
        r = ebscope(*args, env={"HOME": None, "TERM": None, "PATH": "/nonexistent"}, stdin=None)
        equal((r.status, r.err), (0, ""))
        assert r.out.endswith("\n") and len(max(r.lines, key=len)) <= 120, max(r.lines, key=len)


@test
def the_lists_are_printed_by_whatever_command_is_asked():
    for command in ((), ("run",), ("check",)):
        for option, name in (("--list-suites", "bonnie"), ("--list-workloads", "latency")):
            r = ebscope(*command, option)
            equal(r.status, 0, r)
            assert re.search("^%s " % name, r.out, re.M), r


@test
def a_full_or_closed_stdout_is_no_success():
    with open("/dev/full", "w") as full:
        r = ebscope("run", "--rw=randread", "--runtime=0.2", "sim:", stdout=full)
    equal(r.status, 3, r.err)
    contains(r.err, "No space left on device")


@test
def no_text_gets_into_the_target_where_descriptors_are_closed():
    path = os.path.join(scratch(), "data")
    for closed in (">&-", "<&- >&-", "2>&-", "<&- >&- 2>&-"):
        with open(path, "wb") as f:
            f.write(b"x" * (4 << 20))
        r = run("sh", "-c", 'exec "$@" ' + closed, "sh",
                *program("run", "--rw=write", "--bs=4k", "--direct=0", "--runtime=0.2", "--no-record", "--overwrite", path))
        equal(r.status, 0 if closed == "2>&-" else 3, closed)
        with open(path, "rb") as f:
            assert b"ebscope" not in f.read(), closed
    r = run("sh", "-c", 'exec "$@" >&-', "sh", *program("run", "--rw=read", "--runtime=0.2", "--no-record", "sim:"))
    contains(r.err, "Bad file descriptor")


@test
def a_limit_on_the_size_of_files_ends_the_recording_and_not_the_run():
    r = run("sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *program("run", "--rw=read", "--runtime=0.5", "sim:"))
    equal(r.status, 0, r.err)
    contains(r.out, "unknown")
    contains(r.err, "stops here", "File too large")


@test
def a_recording_that_was_named_and_is_not_whole_is_no_success():
    for words in (["run", "--rw=randread", "--runtime=0.2"], ["run", "--rw=randread", "--runtime=0.2", "--format=json"],
                  ["check", "--runtime=0.6", "--volume=gp3:100", "--shape"]):
        r = ebscope(*words, "--record=/dev/full", "sim:")
        equal(r.status, 3, r)
        assert r.out and len(r.out.splitlines()) > 2, "the result is printed: %r" % r
        contains(r.err.splitlines()[-1], "the recording /dev/full is not whole: No space left on device")
    r = ebscope("net", "sim:net:2:4", "-t", "1", "--record=/dev/full")
    equal(r.status, 3, r)
    contains(r.err.splitlines()[-1], "is not whole")


@test
def a_script_that_asked_for_json_gets_a_document_whatever_is_wrong():
    for words, status in ((["run", "--bogus", "--format", "json", "sim:"], 2), (["rnu", "--format=json"], 2),
                          (["run", "--format=json", "--output=/no/such/dir/x", "sim:"], 3),
                          (["run", "--format=json", "--output=" + scratch(), "sim:"], 3)):
        r = ebscope(*words)
        equal(r.status, status, r)
        equal(r.json["error"]["code"], status)
        equal(len(r.err.splitlines()), 1, r)


@test
def the_dashboard_without_a_terminal_is_refused_and_names_run():
    refuses("sim:", names=["run"], status=3)
    refuses(names=["run"], status=3)
    refuses("train", names=["--dump train"], status=3)
    recording = os.path.join(scratch(), "r.jsonl")
    equal(ebscope("run", "--rw=read", "--runtime=0.2", "--record", recording, "sim:").status, 0)
    refuses("replay", recording, names=["ebscope export"], status=3)


@test
def a_device_without_its_folder_is_told_with_it():
    contains(refuses("run", "null", status=3), "did you mean /dev/null?")
    assert "did you mean" not in refuses("run", "no-such-device", status=3)


main()
