# SPDX-License-Identifier: MIT
"""End-to-end tests: functions whose names are true sentences, run in order, answered in TAP.

    from e2e import *

    @test                                   # or @test(root=True, tools=["fio"], alone=True, seconds=90)
    def a_path_that_is_not_there_is_refused():
        r = ebscope("run", "/no/such/dir")
        equal(r.status, 3)
        contains(r.err, "/no/such/dir")

    main()

A program is run by tests/support/check, or by hand: `make e2e T=name`. Several programs run at the same time. Two kinds
of test measure: quiet=True what is held to a rate and costs hardly any CPU (a throttled, shaped or simulated target),
and runs beside others of its kind only; alone=True a latency, CPU time or what this machine's own disk moved, and runs
while no other test does. Where one of them fails while strangers keep the machine busy, that is a skip which says so:
the figure is theirs. What a test makes is taken down when it ends, whatever way: use scratch(), start(), and defer() for
the rest.
"""
import atexit
import contextlib
import json
import linecache
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

__all__ = ["test", "main", "skip", "defer", "scratch", "ebscope", "start", "run", "program", "equal", "contains",
           "near", "wait_until", "KIND", "NO_LEAKS", "TOP", "DATA"]

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
DATA = os.path.join(TOP, "tests/data")
PROGRAM = os.environ.get("EBSCOPE") or os.path.join(TOP, "build/ebscope")
KIND = os.environ.get("EBSCOPE_TEST_KIND", "")      # "asan" or "tsan" when PROGRAM is built with that sanitizer
TURN = os.environ.get("EBSCOPE_TEST_TURN", "")      # "crowd", "quiet" or "alone": only those tests; "": all, in order
SANITIZER_SAYS = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "WARNING: ThreadSanitizer", ": runtime error: ",
                  "ThreadSanitizer:DEADLYSIGNAL")
# for a process that is traced or may open no file: there nobody can look for leaks
NO_LEAKS = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
BUSY = 0.5      # cores in use by strangers above which a measured figure is not the program's
SLOWED = 4 if KIND else 1       # times as long as the plain program may take
_tests = []
_undo = contextlib.ExitStack()


class Skip(Exception):
    pass


class Failed(AssertionError):
    """A comparison that says all there is to say."""


def skip(reason):
    raise Skip(reason)


def test(function=None, *, root=False, tools=(), quiet=False, alone=False, seconds=60):
    """Mark a test. root: skip unless root; tools: commands it needs; quiet, alone: what may run meanwhile, see above,
    and never under a sanitizer, whose figures mean nothing; seconds: after which it has failed."""
    if function is None:
        return lambda f: test(f, root=root, tools=tools, quiet=quiet, alone=alone, seconds=seconds)
    _tests.append((function, root, tools, "alone" if alone else "quiet" if quiet else "crowd", seconds))
    return function


def defer(function, *args):
    """Call function(*args) when the test ends, last deferred first."""
    _undo.callback(function, *args)


def scratch():
    """-> the path of an empty folder on a real filesystem (not tmpfs), removed when the test ends."""
    path = tempfile.mkdtemp(prefix="scratch.", dir=os.environ.get("TMPDIR"))
    defer(shutil.rmtree, path, True)
    return path


# ---- running the program -------------------------------------------------------------------------------------------

class Ended:
    """A process that ended: status (128 + n by signal n), out, err, wall seconds, cpu seconds; json is out, parsed."""

    def __init__(self, argv, status, out, err, seconds, cpu=None):
        self.argv, self.out, self.err, self.seconds, self.cpu = argv, out, err, seconds, cpu
        self.status = status if status >= 0 else 128 - status

    @property
    def json(self):
        try:
            return json.loads(self.out)
        except ValueError as e:
            raise Failed("%s: stdout is no JSON: %s\n%s\nstderr: %s" % (self.argv, e, self.out[:2000], self.err)) from e

    @property
    def lines(self):
        return self.out.splitlines()

    def __repr__(self):
        return "<%s: status %d\nstdout: %s\nstderr: %s>" % (" ".join(self.argv), self.status, self.out[-3000:],
                                                              self.err[-3000:])


def cpu_of_children():
    """CPU seconds of all processes that were waited for so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Process(subprocess.Popen):
    """A process that ends with the test. finish() waits for it; stdout and stderr go to files, so it never blocks."""

    def __init__(self, argv, **kw):
        self.t0 = time.monotonic()
        self.files = [tempfile.TemporaryFile(), tempfile.TemporaryFile()]
        kw.setdefault("stdin", subprocess.DEVNULL)
        kw.setdefault("stdout", self.files[0])
        kw.setdefault("stderr", self.files[1])
        super().__init__(argv, **kw)
        defer(self.end)

    def text(self, which=0):
        """What it wrote so far: 0 stdout, 1 stderr."""
        self.files[which].flush()
        return os.pread(self.files[which].fileno(), 1 << 26, 0).decode(errors="replace")

    def finish(self, timeout=30):
        timeout *= SLOWED
        before = cpu_of_children()
        try:
            status = self.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Failed("%s: still runs after %g s\nstderr: %s" % (self.args, timeout, self.text(1))) from None
        ended = Ended(self.args, status, self.text(0), self.text(1), time.monotonic() - self.t0,
                      cpu_of_children() - before)
        for phrase in SANITIZER_SAYS:
            if phrase in ended.err:
                raise Failed("a sanitizer complains: %r" % ended)
        return ended

    def end(self):
        if self.poll() is None:
            self.kill()
            self.wait()
        for f in self.files:
            f.close()


def start(*argv, env=None, wrap=list, **kw):
    """Start any command; -> Process. env is added to the test's own (None removes); wrap: see blockdev."""
    full = {**os.environ, **(env or {}), **(NO_LEAKS if argv[0] == "strace" else {})}
    return Process(wrap([str(a) for a in argv]), env={k: v for k, v in full.items() if v is not None}, **kw)


def run(*argv, timeout=30, **kw):
    """Run any command to its end; -> Ended."""
    return start(*argv, **kw).finish(timeout)


def program(*args):
    """-> the command line of ebscope with args, for start(), Terminal() and tools that run it."""
    if not os.access(PROGRAM, os.X_OK):
        raise Failed("%s is not built" % PROGRAM)
    return [PROGRAM, *(str(a) for a in args)]


def ebscope(*args, timeout=30, **kw):
    """Run ebscope to its end; -> Ended."""
    return run(*program(*args), timeout=timeout, **kw)


# ---- what must be true; plain `assert` will do as well, its locals are shown --------------------------------------

def equal(got, want, what=""):
    if got != want:
        raise Failed("%s\n  got  %r\n  want %r" % (what, got, want))


def contains(text, *parts):
    for part in parts:
        if part not in text:
            raise Failed("%r is not in\n%s" % (part, text))


def near(got, want, share, what=""):
    """got is within share (0.01: 1 %) of want."""
    if got is None or not abs(got - want) <= share * abs(want):
        raise Failed("%s: got %r, want %r within %g %%" % (what, got, want, share * 100))


def wait_until(true, seconds=30, what=None):
    """Ask true() until it answers; -> the answer."""
    end = time.monotonic() + seconds * SLOWED
    while True:
        answer = true()
        if answer:
            return answer
        if time.monotonic() > end:
            raise Failed("not within %g s: %s" % (seconds, what() if callable(what) else what or true))
        time.sleep(0.01)


# ---- running the tests ----------------------------------------------------------------------------------------------

def _explain(error):
    """The failing line of the test, its locals where it was a bare assert, and the message."""
    rows = []
    me = os.path.abspath(sys.argv[0])
    frames = [f for f in traceback.walk_tb(error.__traceback__) if os.path.abspath(f[0].f_code.co_filename) == me]
    for _, line in frames:
        rows.append("%s:%d: %s" % (os.path.relpath(me, TOP), line, linecache.getline(me, line).strip()))
    if isinstance(error, AssertionError) and not isinstance(error, Failed) and frames:
        rows += ["  %s = %.2000r" % item for item in frames[-1][0].f_locals.items()]
    if not isinstance(error, AssertionError):
        rows += traceback.format_exception(error)
    else:
        rows.append(str(error))
    return "\n".join(rows)


class _Strangers:
    """CPU time that programs other than the tests spend from now on, and the hypervisor's steal. The kernel's own
    threads are nobody's: most of what they do, writing back and serving loop devices, is the test's work."""

    def __init__(self):
        self.t0, self.used0 = time.monotonic(), self.used()

    @staticmethod
    def used():
        rows = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                f = open("/proc/%s/stat" % pid).read().rpartition(")")[2].split()
                if not int(f[6]) & 0x200000:    # PF_KTHREAD
                    rows[int(pid)] = int(f[1]), sum(map(int, f[11:15]))     # parent; its time and its waited children's
        mine = {os.getppid() if TURN else os.getpid()}      # what started all of the tests
        while more := {pid for pid, (parent, _) in rows.items() if parent in mine} - mine:
            mine |= more
        steal = int(open("/proc/stat").readline().split()[8])
        return (steal + sum(ticks for pid, (_, ticks) in rows.items() if pid not in mine)) / os.sysconf("SC_CLK_TCK")

    def share(self):
        """Of one core, mean."""
        return (self.used() - self.used0) / max(time.monotonic() - self.t0, 0.1)


def _one(function, root, tools, turn, seconds):
    """-> (ok, skip or fail; detail)."""
    def late(_sig, _frame):
        raise Failed("not done after %d s" % (seconds * SLOWED))

    lacking = [t for t in tools if not shutil.which(t)]
    if root and os.geteuid() != 0:
        return "skip", "not root"
    if lacking:
        return "skip", "no " + ", ".join(lacking)
    if turn != "crowd" and KIND:
        return "skip", "it measures, and a sanitizer slows down"
    strangers = _Strangers()
    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds * SLOWED)
    try:
        with _undo:
            function()
        return "ok", ""
    except Skip as reason:
        return "skip", str(reason)
    except Exception as error:      # whatever it is, the next test runs
        if turn != "crowd" and strangers.share() > BUSY:
            return "skip", "it measures, and strangers use %.1f cores: %s" % (
                strangers.share(), " ".join(str(error).split())[:200])
        return "fail", _explain(error)
    finally:
        signal.alarm(0)


def main(sanitized=True):
    """Run the tests (those with all of the words of the command line in their name) and exit. sanitized=False: the file
    tests something else than the program, so once is enough."""
    if KIND and not sanitized:
        print("1..0 # SKIP it runs no sanitized code")
        sys.exit(0)
    words = sys.argv[1:]
    tests = [t for t in _tests if all(w in t[0].__name__ for w in words) and TURN in ("", t[3])]
    atexit.register(_undo.close)
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(sig, lambda s, f: sys.exit(128 + s))
    print("1..%d%s" % (len(tests), "" if tests else " # SKIP no such test here"), flush=True)
    failed = 0
    for number, (function, *how) in enumerate(tests, 1):
        t0, cpu0 = time.monotonic(), cpu_of_children()
        status, detail = _one(function, *how)
        if os.environ.get("TIMES"):
            print("#| %5.1f s, %5.1f s of CPU: %s" % (time.monotonic() - t0, cpu_of_children() - cpu0, function.__name__))
        failed += status == "fail"
        print("%sok %d - %s%s" % ("not " * (status == "fail"), number, function.__name__.replace("_", " "),
                                  " # SKIP " + detail if status == "skip" else ""), flush=True)
        if status == "fail":
            print("\n".join("# " + row for row in detail.splitlines()), flush=True)
    sys.exit(1 if failed else 0)
