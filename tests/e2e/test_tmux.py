# SPDX-License-Identifier: MIT
"""The dashboard in tmux, a terminal that is not ours: the same picture, whatever the size; and what it costs to open."""
import json
import os
import re
import shlex
import shutil
import tempfile
import time

from e2e import *
from terminal import Terminal

SIZES = ((80, 24), (120, 40), (200, 60))


class Tmux:
    """A tmux server of the test's own with one window without status line."""

    def __init__(self, argv, cols, rows):
        folder = tempfile.mkdtemp(dir="/tmp")       # a socket's path has room for 107 characters
        defer(shutil.rmtree, folder, True)
        self.socket = os.path.join(folder, "tmux")
        config = self.socket + ".conf"
        with open(config, "w") as f:
            f.write("set -g status off\nset -g default-terminal screen-256color\nset -s escape-time 0\n"
                    "set -g remain-on-exit on\n")
        defer(run, "tmux", "-S", self.socket, "kill-server")
        self("-u", "-f", config, "new-session", "-d", "-x", cols, "-y", rows, shlex.join(argv))

    def __call__(self, *words):
        r = run("tmux", "-S", self.socket, *words)
        equal(r.status, 0, r)
        return r.out

    def text(self):
        return "\n".join(line.rstrip() for line in self("capture-pane", "-p").rstrip("\n").split("\n")).rstrip("\n")

    def wait(self, pattern):
        wait_until(lambda: re.search(pattern, self.text()), what=lambda: pattern + " on\n" + self.text())
        return self.text()

    def resize(self, cols, rows):
        self("resize-window", "-x", cols, "-y", rows)


def recording():
    path = os.path.join(scratch(), "run.jsonl")
    r = ebscope("run", "--rw", "randrw", "--bs", "16k", "--iodepth", "8", "--runtime", "1.5", "--record", path, "sim:gp2:100")
    assert r.status in (0, 1), r
    return path


def dump(cols, rows, *args):
    r = ebscope("--screen", "%dx%d" % (cols, rows), "--keys", "until:done", "--dump", *args)
    equal(r.status, 0, r)
    return "\n".join(line.rstrip() for line in r.out.splitlines()).rstrip("\n")


@test(tools=["tmux"])
def tmux_shows_cell_for_cell_what_the_dump_prints():
    path = recording()
    for cols, rows in SIZES:
        t = Tmux(program("replay", "--speed", "max", path), cols, rows)
        t.wait("done")
        want = dump(cols, rows, "replay", "--speed", "max", path)
        wait_until(lambda: t.text() == want, what=lambda: "the same at %dx%d:\n%s\n\n%s" % (cols, rows, t.text(), want))


@test(tools=["tmux"])
def after_any_resize_tmux_shows_what_the_dump_of_that_size_prints():
    path = recording()
    t = Tmux(program("replay", "--speed", "max", path), 80, 24)
    t.wait("done")
    for cols, rows in ((200, 60), (61, 13), (2, 2), (120, 40), (40, 50), (80, 24)):
        t.resize(cols, rows)
        want = dump(cols, rows, "replay", "--speed", "max", path)
        wait_until(lambda: t.text() == want, what=lambda: "the same at %dx%d:\n%s\n\n%s" % (cols, rows, t.text(), want))


@test(tools=["tmux"])
def a_live_run_in_tmux_takes_keys_and_gives_the_screen_back():
    t = Tmux(["sh", "-c", "%s; echo after $?; sleep 9" % shlex.join(program(
        "--rw", "randread", "--bs", "16k", "--runtime", "60", "sim:gp2:100"))], 120, 40)
    t.wait(r"\[ Start \]")
    t("send-keys", "Enter")
    t.wait(r"\d now")
    t("send-keys", "F3")
    t.wait("Earlier runs|Results")
    t("send-keys", "2", "x")
    t.wait("stopped")
    t("send-keys", "q")
    equal(t.wait("after 0").split("\n")[0], "after 0")


BONNIE = ["write-char", "write-block", "rewrite", "read-char", "read-block", "seeks", "create-seq", "stat-seq", "delete-seq",
          "create-rand", "stat-rand", "delete-rand"]


def lasted(state):
    """-> {test: seconds} of the only recording."""
    runs = os.path.join(state, "ebscope/runs")
    with open(os.path.join(runs, os.listdir(runs)[0])) as f:
        results = [json.loads(line) for line in f if '"type":"result"' in line]
    return {r["name"]: r["runtime_s"] for r in results}


@test(tools=["tmux"], seconds=120)
def bonnie_is_chosen_in_the_form_watched_phase_by_phase_tabled_and_laid_over_a_reference():
    state, seen = scratch(), []
    t = Tmux(["env", "XDG_STATE_HOME=" + state, *program("--size", "32m", "--direct", "1", "--files", "4", scratch())], 120, 50)
    t.wait(r"\[ Start \]")
    t("send-keys", *["BTab"] * 7)
    t.wait("a named workload, or a suite of tests")
    for _ in range(20):                     # a letter turns to the next choice that begins with it
        if re.search("test +suite bon", t.text()):
            break
        was = t.text()
        t("send-keys", "s")
        wait_until(lambda: t.text() != was, what=t.text)
    t("send-keys", "Enter", "Tab", "Tab", "Tab", "Enter")
    t.wait("1/12 write-char")
    while " done " not in t.text().split("\n")[-2]:
        label = re.search(r"\d+/12 ([a-z-]+)", t.text().split("\n")[-2])
        if label and label[1] not in seen:
            seen.append(label[1])
        time.sleep(0.05)
    equal(seen, [name for name in BONNIE if name in seen])     # each with its own label, in order
    for name, seconds in lasted(state).items():
        assert seconds < 2.5 or name in seen, (name, seconds, seen)
    t("send-keys", "F3")
    table = t.wait("This run")
    equal(re.findall("^. ([a-z]+-[a-z]+|rewrite|seeks) +[+0-9]", table, re.M), BONNIE)
    t("send-keys", "Tab", "Down", "Down", "Down", "Down", "g")
    t.wait("ghost: bonnie/ebs-magnetic, a level")
    t("send-keys", "Tab", "Home", "Down")
    t.wait("bonnie/ebs-magnetic 20,595 KiB/s")
    t.wait("ref 2,574")
    t("send-keys", "Up")                    # theirs was by stdio
    t.wait("bonnie/ebs-magnetic: per-char by syscall beside stdio|per-char by sys")
    t("send-keys", "q")


@test(alone=True)
def the_first_frame_is_there_within_a_tenth_of_a_second():
    best = 9
    for _ in range(5):
        t0 = time.monotonic()
        t = Terminal(program("sim:gp2:100"), cols=200, rows=60)
        wait_until(lambda: t.bytes > 2000, 5, "a frame")
        best = min(best, time.monotonic() - t0)
        t.wait(r"\[ Start \]")
        t.send("q")
        equal(t.finish().status, 0)
    assert best < 0.1, best


@test(quiet=True)
def the_dashboard_lives_in_32_mib_beside_its_buffers():
    t = Terminal(program("--rw", "randread", "--bs", "16k", "--iodepth", "32", "--runtime", "60", "sim:gp2:100"), cols=200,
                 rows=60)
    t.wait(r"\[ Start \]")
    t.send("Enter")
    t.wait(r"\d now")
    time.sleep(1)
    with open("/proc/%d/status" % t.pid) as f:
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", f.read())[1]) / 1024
    assert peak < 32 + 0.5, "%.1f MiB" % peak
    t.process.kill()


main()
