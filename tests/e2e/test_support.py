# SPDX-License-Identifier: MIT
"""The tests' own tools: a terminal that loses characters or a throttle that does not hold would make every test lie."""
import os
import signal
import subprocess
import sys
import time

from e2e import *
from blockdev import BlockDevice
from terminal import Terminal


def python(*lines):
    return ["/usr/bin/python3", "-c", "\n".join(lines)]


DRAW = """import curses, signal, locale
locale.setlocale(locale.LC_ALL, "")
def main(s):
    curses.start_color(); curses.use_default_colors(); curses.init_pair(1, curses.COLOR_RED, -1); curses.curs_set(0)
    while True:
        s.erase()
        h, w = s.getmaxyx()
        s.addstr(0, 0, "%dx%d" % (w, h))
        if h > 3 and w > 30:
            s.addstr(1, 0, "-" * 30)
            s.addstr(2, 0, "\\u28ff\\u2588\\u256d", curses.color_pair(1))
            s.hline(3, 0, curses.ACS_HLINE, 20)
        s.refresh()
        k = s.getch()
        if k == ord("q"): return
        if k == curses.KEY_F2: s.addstr(4, 0, "F2!"); s.refresh(); s.getch()
curses.wrapper(main)"""


@test
def the_terminal_shows_repeated_wide_and_line_drawing_characters():
    t = Terminal(python(DRAW))
    t.wait("80x24")
    t.settle()
    lines = t.text().splitlines()
    equal(lines[1], "-" * 30)
    equal(lines[2], "\u28ff\u2588\u256d")
    equal(lines[3], "\u2500" * 20)
    equal(t.cell(0, 2).fg, "red")
    contains(t.colours(), "red")


@test
def the_terminal_resizes_and_takes_keys_by_name():
    t = Terminal(python(DRAW), cols=100, rows=30)
    t.wait("100x30")
    t.resize(43, 7)
    t.wait("43x7")
    t.send("F2")
    t.wait("F2!")
    t.send("x", "q")
    equal(t.finish().status, 0)
    equal(t.left_behind(), [])


@test
def the_terminal_tells_what_a_killed_program_left_behind():
    t = Terminal(python(DRAW))
    t.wait("80x24")
    os.kill(t.pid, signal.SIGKILL)
    equal(t.finish().status, 137)
    equal(t.left_behind(), ["the alternate screen", "a hidden cursor", "the terminal's settings"])


@test
def a_closed_terminal_hangs_the_program_up():
    t = Terminal(python(DRAW))
    t.wait("80x24")
    t.hang_up()
    wait_until(lambda: t.process.poll() is not None)
    equal(t.process.returncode, -signal.SIGHUP)


@test
def the_terminal_knows_what_a_program_costs():
    t = Terminal(python("import time", "t = time.process_time()", "while time.process_time() - t < .3: pass",
                        "print('burnt', flush=True)", "time.sleep(60)"))
    t.wait("burnt", 30)
    assert 0.25 < t.cpu_seconds() < 1, t.cpu_seconds()
    wait_until(t.sleeps)                # it said so a moment earlier
    before = t.wake_ups()
    time.sleep(0.2)
    equal(t.wake_ups(), before)


def takes(argv, seconds, what):
    """Never faster than the limit allows (a slice of the throttle is 0.1 s); slower only as a busy machine makes it."""
    t0 = time.monotonic()
    equal(run(*argv, timeout=60).status, 0)
    took = time.monotonic() - t0
    assert seconds - 0.2 <= took <= 1.5 * seconds + 0.5, "%s: %g s, not %g" % (what, took, seconds)


@test(root=True, quiet=True)
def the_throttle_holds_a_device_to_its_rate_in_each_direction():
    d = BlockDevice(size="64M")
    d.limit(riops=200, wiops=400)
    read = d.wrap(["dd", "if=" + d.path, "of=/dev/null", "bs=4k", "count=600", "iflag=direct", "status=none"])
    write = d.wrap(["dd", "of=" + d.path, "if=/dev/zero", "bs=4k", "count=800", "oflag=direct", "status=none"])
    takes(read, 3, "600 reads at 200 a second")
    takes(write, 2, "800 writes at 400 a second")


@test(root=True, quiet=True)
def the_throttle_can_burst_first_and_fall_to_a_baseline_later():
    d = BlockDevice(size="64M")
    d.limit(bps=16 << 20)
    d.later(1, bps=8 << 20)
    argv = d.wrap(["dd", "if=" + d.path, "of=/dev/null", "bs=256k", "count=128", "iflag=direct", "status=none"])
    takes(argv, 3, "32 MiB, the first 16 of them in a second")


@test(root=True)
def a_killed_test_leaves_no_device_mount_or_file_behind():
    code = ["import os, sys", "sys.path.insert(0, %r)" % os.path.join(TOP, "tests/support"),
            "from blockdev import BlockDevice", "d = BlockDevice(size='32M', throttled=False)",
            "print(d.path, d.mount('ext4'), d.backing, flush=True)", "import time; time.sleep(60)"]
    p = start(*python(*code))
    path, folder, backing = wait_until(lambda: p.text().split() or p.poll() is not None and skip(p.text(1)))
    assert os.path.ismount(folder)
    p.kill()
    wait_until(lambda: not os.path.exists(folder) and not os.path.exists(backing))
    used = subprocess.run(["losetup", "--noheadings", "--output", "BACK-FILE", path], capture_output=True, text=True)
    assert backing not in used.stdout


BURN = """
import e2e, subprocess, time
from e2e import test, main, defer
e2e.BUSY = %s

@test(alone=True)
def a_figure_is_wrong():
    subprocess.Popen(["sh", "-c", "timeout 1.5 python3 -c 'while True: pass' &"]).wait()     # nobody's child any more
    time.sleep(1)
    assert False, "299 and not 300"

main()
"""


@test
def a_figure_that_is_wrong_on_a_busy_machine_is_a_skip_that_says_why_and_a_failure_on_any_other():
    for busy, word in (0.05, "# SKIP it measures, and strangers use "), (1e9, "not ok 1"):
        r = run(*python(BURN % busy), env={"EBSCOPE_TEST_TURN": None, "EBSCOPE_TEST_KIND": None})
        contains(r.out, word, "299 and not 300")


TURNS = """
from e2e import main, test

@test
def anybody(): pass

@test(quiet=True)
def patient(): pass

@test(alone=True)
def lonely(): pass

main()
"""


@test
def a_test_runs_in_one_of_the_three_turns_and_by_hand_all_run():
    for turn, names in ((None, ["anybody", "patient", "lonely"]), ("crowd", ["anybody"]), ("quiet", ["patient"]),
                        ("alone", ["lonely"])):
        r = run(*python(TURNS), env={"EBSCOPE_TEST_TURN": turn, "EBSCOPE_TEST_KIND": None, "TIMES": None})
        equal([line.split()[-1] for line in r.lines[1:]], names, r)


main(sanitized=False)
