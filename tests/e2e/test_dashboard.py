#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The dashboard: on a terminal, without one, and when the terminal goes away."""
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from e2e import *  # noqa: E402,F403
from terminal import Terminal  # noqa: E402

SIZES = ((80, 24), (120, 40), (200, 60))


def utf8(**more):
    return {"LC_ALL": "C.UTF-8", "NO_COLOR": None, "COLORTERM": None, "XDG_STATE_HOME": scratch(),
            "XDG_CONFIG_HOME": scratch(), **more}


def dump(size, keys, *args, env=None):
    r = ebscope("--screen", "%dx%d" % size, "--keys", keys, "--dump", *args, env=env or utf8())
    equal(r.status, 0, r)
    return r.out


def only_recording(env):
    where = os.path.join(env["XDG_STATE_HOME"], "ebscope/runs")
    names = os.listdir(where)
    equal(len(names), 1, names)
    return os.path.join(where, names[0])


def board(*args, **kw):
    kw.setdefault("env", utf8())
    return Terminal(program(*args), **kw)


def quit_run(t):
    t.send("q")
    t.wait("A run is live")
    t.send("y")


@test
def a_picture_of_a_run_that_could_not_start_has_the_status_of_the_run():
    small = os.path.join(scratch(), "small")
    with open(small, "wb") as f:
        f.write(os.urandom(1 << 20))
    for keys, status, words in (("Enter", 2, ("run", "--rw=read", "--size=2m", small)), ("Enter", 2, ("run", "--suite=dd", "sim:")),
                                ("2", 3, ("watch", "/dev/nothing-here"))):
        r = ebscope("--screen", "80x24", "--keys", keys, "--dump", *words, env=utf8())
        equal((r.status, r.err.count("\n")), (status, 1), r)
        assert "Starting" not in r.out, r


@test
def the_picture_of_a_run_its_recording_and_the_terminal_are_equal():
    for cols, rows in SIZES:
        env = utf8()
        live = dump((cols, rows), "Enter,wait:1s,],m,until:done", "run", "--rw", "randrw", "--bs", "16k", "--iodepth", "8",
                    "--runtime", "2", "sim:gp2:100", env=env)
        file = only_recording(env)
        equal(dump((cols, rows), "until:done", "replay", "--speed", "max", file), live)
        t = board("replay", "--speed", "max", file, cols=cols, rows=rows)
        want = re.sub(r" +$", "", live, flags=re.M).rstrip()
        t.wait(lambda text: text.rstrip() == want)
        t.send("q")
        equal(t.finish().status, 0)


@test
def a_run_is_started_watched_turned_stopped_and_kept():
    env, where = utf8(), scratch()
    t = board("--rw", "randread", "--bs", "4k", "--iodepth", "4", "--runtime", "60", "--size", "16m", where, cols=120, rows=40, env=env)
    t.wait(r"\[ Start \]")
    t.send("Enter")
    t.wait(r"\d s left")                    # it is laid out
    t.send("]")
    t.wait("▼iodepth 8")
    t.send("m")
    t.wait("▼mark")
    t.send("x")
    t.wait("stopped")
    t.send("3")
    t.wait("ended by hand|Earlier runs")
    t.send("q")
    equal(t.finish().status, 0)
    equal(t.left_behind(), [])
    equal(os.listdir(where), [])
    with open(only_recording(env)) as f:
        contains(f.read(), '"iodepth 8"', '"mark"', '"type":"end"', '"stopped"')


@test
def of_a_suite_one_test_is_ended_and_the_rest_goes_on_or_not():
    env = utf8()
    t = board("--suite", "quick", "--runtime", "30", "sim:gp3:100", env=env)
    t.wait(r"\[ Start \]")
    t.send("Enter")
    t.wait("1/4 seq-read")
    t.wait("▶ seq-read +· seq-write +· rand-read")
    t.wait(r"[1-9]\d* now")
    t.send("x")
    t.wait("The run is paused")
    t.send("y")
    t.wait("2/4 seq-write")
    t.wait(r"\d+ s left|\d+ m \d+ s left")
    t.wait("▶ seq-write +· rand-read")
    t.wait(r"[1-9]\d* now")
    t.send("x")
    t.wait("The run is paused")
    t.send("Escape")
    t.wait("paused: x asks")
    t.send("x", "n")
    t.wait("stopped")
    t.send("q")
    equal(t.finish().status, 0)
    names = [json.loads(l)["name"] for l in open(only_recording(env)) if '"type":"result"' in l]
    equal(names, ["seq-read", "seq-write"])


@test
def results_stand_beside_an_earlier_run_and_beside_references():
    env = utf8()
    for depth in ("4", "32"):
        dump((80, 24), "Enter,until:done", "run", "--rw", "randread", "--bs", "16k", "--iodepth", depth, "--runtime", "1",
             "sim:gp2:100", env=env)
    file = sorted(os.listdir(os.path.join(env["XDG_STATE_HOME"], "ebscope/runs")))[-1]
    file = os.path.join(env["XDG_STATE_HOME"], "ebscope/runs", file)
    play = "replay", "--speed", "max", file
    for size in SIZES:
        contains(dump(size, "until:done,3,c", *play, env=env), "Its figures", "this is the run in hand")
        contains(dump(size, "until:done,3,Tab,Down,c", *play, env=env), "Side by side", "randread-16k", "throughput", "×",
                 "iodepth 4 beside 32")
        assert "Side by side" not in dump(size, "until:done,3,Tab,Down,c,Escape", *play, env=env)
        contains(dump(size, "until:done,3,Tab,Down,Down,Enter", *play, env=env), "Side by side", "ref:")


@test
def a_file_is_written_only_after_its_name_was_typed():
    where = os.path.join(scratch(), "precious")
    with open(where, "wb") as f:
        f.write(b"x" * (8 << 20))
    t = board("--rw", "randwrite", "--bs", "4k", "--runtime", "1", where)
    t.wait(r"\[ Start \]")
    t.send("Enter")
    t.wait("type precious")
    t.send("Enter", "y", "Enter", "p", "Enter")
    t.wait("not the name")
    t.send("Escape", "s")
    t.wait("type precious")
    t.send("Escape", "q")
    equal(t.finish().status, 0)
    with open(where, "rb") as f:
        equal(f.read(), b"x" * (8 << 20))


@test
def quitting_a_live_run_asks_and_escape_only_closes():
    t = board("--rw", "randread", "--runtime", "60", "sim:")
    t.wait(r"\[ Start \]")
    t.send("Enter")
    t.wait(r"\d now")
    t.send("q")
    t.wait("A run is live")
    t.send("Escape")
    t.wait(lambda text: "A run is live" not in text)
    t.send("Escape", "Escape")
    t.settle(0.1, 1)
    assert t.process.poll() is None
    quit_run(t)
    equal(t.finish().status, 0)
    equal(t.left_behind(), [])


@test
def at_every_size_it_lives_and_q_works():
    random.seed(7)
    t = board("--rw", "randread", "--runtime", "60", "sim:gp2:100", cols=120, rows=40)
    t.wait(r"\[ Start \]")
    t.send("Enter")
    t.wait(r"\d now")
    for i in range(60):
        t.resize(random.choice((1, 2, 5, 20, 40, 60, 73, 80, 120, 200)), random.choice((1, 2, 3, 5, 10, 20, 24, 41, 60)))
        if i % 6 == 0:
            t.send(random.choice(("1", "2", "3", "?", "+", "-", "Tab")))
        time.sleep(0.01)
    t.resize(80, 24)
    t.send("F2")
    t.wait("s left")        # of whichever view: what + and - did hangs on the size they met
    quit_run(t)
    equal(t.finish().status, 0)
    for cols, rows in ((73, 41), (60, 20), (40, 10), (20, 5), (1, 1)):
        text = dump((cols, rows), "Enter,wait:0.3s", "run", "--rw", "randread", "--runtime", "9", "sim:gp2:100")
        equal(len(text.splitlines()), rows)
        assert max(map(len, text.splitlines())) <= cols, text


@test
def what_is_pasted_is_text_and_no_keys():
    t = board("--rw", "randread", "--runtime", "60", "sim:gp2:100")
    t.wait(r"\[ Start \]")
    t.send("\x1b[200~q3s\r\x1b[201~")
    t.wait("pasted text goes into a field")
    contains(t.text(), "[ Start ]", "What to expect")
    t.send("BTab", "BTab", "BTab", "\x1b[200~" + "9" * 3000 + "\r\r\x1b[201~")
    t.wait("9999")
    t.send("Escape", "Escape", "q")
    equal(t.finish().status, 0)
    equal(t.left_behind(), [])


@test
def tables_of_long_ago_are_said_to_be_so_on_the_status_line_until_the_next_key():
    limits = scratch() + "/limits"
    with open(limits, "w") as f:
        f.write('{"as_of": "2020-01"}')
    words = ["--screen", "120x30", "--dump", "--limits", limits, "--volume", "io2:64:64000", "sim:"]
    contains(ebscope("--keys", "wait:100ms", *words).out, "tables of AWS's limits are of 2020-01, more than a year old",
             "a month (us-east-1, 2020-01)")
    assert "more than a year old" not in ebscope("--keys", "wait:100ms,Tab,wait:100ms", *words).out


@test
def a_paste_without_an_end_ends_when_nothing_more_comes():
    t = board("--rw", "randread", "--runtime", "60", "sim:gp2:100")
    t.wait(r"\[ Start \]")
    t.send("\x1b[200~q")
    t.wait("pasted text goes into a field")
    time.sleep(1.2)
    t.send("q")
    equal(t.finish().status, 0)


@test
def a_wait_that_fails_ends_it_with_a_reason():
    t = board("--rw", "randread", "--runtime", "60", "sim:gp2:100", env=utf8(**NO_LEAKS))
    t.wait(r"\[ Start \]")
    resource.prlimit(t.pid, resource.RLIMIT_NOFILE, (1, 1))     # fewer than are waited for: poll() refuses
    t.send("Tab")
    equal(t.finish().status, 3)
    contains(t.text(), "ebscope: wait for keys and news: Invalid argument")
    equal(t.left_behind(), [])


@test
def ctrl_backslash_in_a_run_gives_the_terminal_back_and_keeps_what_was_measured():
    env, where = utf8(**NO_LEAKS), scratch()
    t = board("--rw", "randread", "--bs", "4k", "--runtime", "60", "--size", "16m", where, env=env)
    t.wait(r"\[ Start \]")
    t.send("Enter")
    t.wait(r"\d now")
    t.send("C-\\")
    equal(t.finish().status, 131)
    equal(t.left_behind(), [])
    equal(os.listdir(where), [])
    with open(only_recording(env)) as f:
        contains(f.read(), '"reason":"signal"')


@test
def a_terminal_that_goes_away_ends_it_and_keeps_what_was_measured():
    def ignore_hup():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    for at_start in (None, ignore_hup):
        env, where = utf8(), scratch()
        t = board("--rw", "randread", "--bs", "4k", "--runtime", "60", "--size", "16m", where, env=env, at_start=at_start)
        t.wait(r"\[ Start \]")
        t.send("Enter")
        t.wait(r"\d now")
        before = t.thread_cpu_seconds()
        t.hang_up()
        t.process.wait(30)
        equal(os.listdir(where), [])
        with open(only_recording(env)) as f:
            contains(f.read(), '"reason":"signal"')
        assert before < 5


@test
def an_unknown_terminal_falls_back_with_a_line():
    for term in ("nonsense", "xterm-kitty-of-tomorrow", ""):
        t = board(term=term)
        t.wait("is not known on this machine: drawing as")
        t.send("q")
        equal(t.finish().status, 0)


@test
def colours_are_off_with_no_color_and_back_when_it_is_empty():
    for env, args, coloured in (({"NO_COLOR": "1"}, (), False), ({"NO_COLOR": ""}, (), True),
                                ({"NO_COLOR": "1"}, ("--color=always",), True), ({}, ("--color=never",), False)):
        dump = ebscope("--screen", "80x24", "--keys", "wait:50ms", "--dump=ansi", *args, "sim:", env=utf8(**env)).out
        equal(re.search(r"\x1b\[[0-9;]*[34]8;5;", dump) is not None, coloured, (env, args, "dump"))
        t = board(*args, env=utf8(**env))
        t.wait(r"\[ Start \]")
        t.settle(0.1, 2)
        equal(t.colours() != {"default"}, coloured, (env, args))
        x, y = next((line.index("[ Start ]"), y) for y, line in enumerate(t.lines()) if "[ Start ]" in line)
        assert coloured or t.cell(x, y).reverse, "the focus does not show"
        t.send("q")
        equal(t.finish().status, 0)


@test
def the_theme_that_was_chosen_is_there_the_next_time():
    env = utf8()
    config = os.path.join(env["XDG_CONFIG_HOME"], "ebscope/config.json")
    t = board(env=env)
    t.wait(r"\[ Start \]")
    t.send("t")
    t.wait("theme colorblind")
    t.send("q")
    equal(t.finish().status, 0)
    with open(config) as f:
        equal(json.load(f), {"theme": "colorblind"})
    t = board(env=env)
    t.wait(r"\[ Start \]")
    t.send("t")
    t.wait("theme projector")                   # the one after it
    t.send("q")
    equal(t.finish().status, 0)
    with open(config, "w") as f:
        f.write('{"theme": "')
    contains(dump((400, 40), "wait:100ms", env=env), "config.json: line 1 is no JSON", "[ Start ]")    # a long path too


@test
def what_is_no_file_where_a_file_should_be_holds_nothing_up():
    env = utf8()
    runs = os.path.join(env["XDG_STATE_HOME"], "ebscope/runs")
    os.makedirs(runs)
    os.makedirs(os.path.join(env["XDG_CONFIG_HOME"], "ebscope"))
    os.mkfifo(os.path.join(runs, "pipe.jsonl"))
    os.symlink("/dev/zero", os.path.join(runs, "zero.jsonl"))
    os.mkfifo(os.path.join(env["XDG_CONFIG_HOME"], "ebscope/config.json"))
    contains(dump((80, 24), "3", env=env), "Results")


@test
def without_utf8_everything_is_ascii():
    text = dump((120, 40), "Enter,wait:1s", "run", "--rw", "randread", "--runtime", "9", "sim:gp2:100", env=utf8(LC_ALL="C"))
    text.encode("ascii")
    contains(text, "+- IOPS", "burst 3,000", "SIMULATED x60")


@test(alone=True)
def the_dashboard_costs_under_a_hundredth_of_a_core_and_nothing_at_rest():
    t = board("--rw", "randread", "--bs", "16k", "--iodepth", "32", "--runtime", "60", "sim:gp2:200", cols=200, rows=60)
    t.wait(r"\[ Start \]")
    t.settle()
    wakes = t.wake_ups()
    time.sleep(2)
    assert t.wake_ups() - wakes <= 1, "%d wake-ups at rest" % (t.wake_ups() - wakes)
    t.send("Enter")
    t.wait(r"\d now")
    time.sleep(1)
    cpu, began = t.thread_cpu_seconds(), time.monotonic()
    time.sleep(5)
    share = (t.thread_cpu_seconds() - cpu) / (time.monotonic() - began)
    assert share < 0.01, "%.2f %% of a core" % (100 * share)
    quit_run(t)
    equal(t.finish().status, 0)


@test
def what_is_wrong_on_the_command_line_is_one_line_and_2():
    for args, says in ((("--screen", "80by24", "--dump"), "80by24"), (("--keys", "Entr", "--dump"), "Entr"),
                       (("--dump=html",), "html"), (("--theme", "/nonexistent", "--dump"), "/nonexistent"),
                       (("--screen", "80x24", "--dump", "devices"), "devices")):
        r = ebscope(*args)
        assert r.status in (2, 3), r
        equal(len(r.err.splitlines()), 1, r)
        contains(r.err, says)
    r = ebscope(stdin=subprocess.DEVNULL)
    equal(r.status, 3)
    contains(r.err, "ebscope run")


@test
def results_of_a_recording_are_shown_and_let_go():
    env = utf8()
    dump((80, 24), "Enter,until:done", "run", "--rw", "randread", "--runtime", "1", "sim:gp2:100", env=env)
    r = ebscope("--screen", "200x60", "--keys", "until:done,3,wait:50ms", "--dump", "replay", "--speed", "max",
                only_recording(env), env=utf8())
    equal(r.status, 0, r.err)       # under ASan: nothing of the plot in Results is left
    contains(r.out, "randread")


@test
def a_recording_cut_anywhere_still_plays():
    env = utf8()
    dump((80, 24), "Enter,until:done", "run", "--rw", "randread", "--runtime", "1", "sim:gp2:100", env=env)
    with open(only_recording(env), "rb") as f:
        whole = f.read()
    cut = os.path.join(scratch(), "cut.jsonl")
    for share in (0.2, 0.5, 0.9, 0.999):
        with open(cut, "wb") as f:
            f.write(whole[:int(len(whole) * share)])
        r = ebscope("--screen", "80x24", "--keys", "until:done", "--dump", "replay", "--speed", "max", cut, env=utf8())
        if r.status == 0:
            contains(r.out, "interrupted")
        else:
            equal((r.status, len(r.err.splitlines())), (2, 1), r)


main()
