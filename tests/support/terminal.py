# SPDX-License-Identifier: MIT
"""A terminal to test in: starts a program in a pseudo-terminal, types keys, and knows what is on the screen.

    t = Terminal(program("run", "sim:"), cols=120, rows=40)      # ends with the test
    t.wait("IOPS"); t.send("?", "Escape", "C-c"); t.resize(80, 24); print(t.text())
    equal(t.finish().status, 130); equal(t.left_behind(), [])

Keys are tmux's names, as in ebscope's own --keys; anything else is typed as it is. The screen is pyte's, with what
ncurses uses and pyte lacks: repeated characters (CSI b), line drawing beside UTF-8, scrolling (CSI S, T), and colours
written with colons. A thread reads all the time, so the program is never held up.
"""
import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import threading
import time

import e2e

try:
    import pyte
except ImportError:
    pyte = None

KEYS = {"Enter": "\r", "Escape": "\x1b", "Space": " ", "Tab": "\t", "BSpace": "\x7f", "BTab": "\x1b[Z",
        "Up": "\x1bOA", "Down": "\x1bOB", "Right": "\x1bOC", "Left": "\x1bOD", "Home": "\x1bOH", "End": "\x1bOF",
        "IC": "\x1b[2~", "DC": "\x1b[3~", "PPage": "\x1b[5~", "NPage": "\x1b[6~",
        "F1": "\x1bOP", "F2": "\x1bOQ", "F3": "\x1bOR", "F4": "\x1bOS", "F5": "\x1b[15~", "F6": "\x1b[17~",
        "F7": "\x1b[18~", "F8": "\x1b[19~", "F9": "\x1b[20~", "F10": "\x1b[21~", "F11": "\x1b[23~", "F12": "\x1b[24~"}
ALTERNATE = {47, 1047, 1049}
CURSOR = 25
CUT_ESCAPE = re.compile(r"\x1b(\[[0-9;:?>!]*)?$")
COLON_COLOUR = re.compile(r"([34]8):2:\d*:(\d+):(\d+):(\d+)")


def _screen_classes():
    class Screen(pyte.Screen):
        last, modes_seen = " ", frozenset()

        def draw(self, data):
            self.last = data[-1:] or self.last
            super().draw(data)

        def repeat(self, count=1, **_):
            super().draw(self.last * (count or 1))

        def scroll_up(self, count=1, **_):
            self._at_margin(1, self.index, count)

        def scroll_down(self, count=1, **_):
            self._at_margin(0, self.reverse_index, count)

        def _at_margin(self, end, step, count):
            x, y = self.cursor.x, self.cursor.y
            self.cursor.y = (self.margins or (0, self.lines - 1))[end]
            for _ in range(count or 1):
                step()
            self.cursor.x, self.cursor.y = x, y

        def set_mode(self, *modes, **kw):
            if kw.get("private") and ALTERNATE & set(modes):
                self.modes_seen |= {"alternate"}
                self.erase_in_display(2)
            super().set_mode(*modes, **kw)

        def reset_mode(self, *modes, **kw):
            if kw.get("private") and ALTERNATE & set(modes):
                self.modes_seen -= {"alternate"}
            super().reset_mode(*modes, **kw)

        def select_graphic_rendition(self, *attrs, **kw):
            if not kw.get("private"):           # CSI > m is xterm's, not a colour
                super().select_graphic_rendition(*attrs)

    class Stream(pyte.Stream):
        csi = dict(pyte.Stream.csi, b="repeat", S="scroll_up", T="scroll_down")
        events = frozenset([*pyte.Stream.events, "repeat", "scroll_up", "scroll_down"])

    return Screen, Stream


class Terminal:
    """See the module. at_start: called in the child before the program starts."""

    def __init__(self, argv, cols=80, rows=24, term="xterm-256color", env=None, at_start=None):
        if not pyte:
            e2e.skip("no pyte")
        screen, stream = _screen_classes()
        self._screen, self._lock = screen(cols, rows), threading.Lock()
        self._stream = stream(self._screen)
        self._stream.use_utf8 = False           # decoded here; pyte would drop line-drawing charsets with UTF-8 on
        self._decoder, self._held = codecs.getincrementaldecoder("utf-8")("replace"), ""
        self.bytes, self._news, self.usage = 0, time.monotonic(), None
        self.master, self._slave = pty.openpty()
        self._wake = os.pipe()
        self._winsize(cols, rows)
        self._termios = termios.tcgetattr(self._slave)
        full = {**os.environ, "TERM": term, **(env or {})}

        def child():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            if at_start:
                at_start()

        self.process = subprocess.Popen(argv, env={k: v for k, v in full.items() if v is not None},
                                        stdin=self._slave, stdout=self._slave, stderr=self._slave,
                                        start_new_session=True, preexec_fn=child)
        self.pid, self.argv = self.process.pid, argv
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        e2e.defer(self.close)

    def _winsize(self, cols, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def _read(self):
        while True:
            ready, _, _ = select.select([self.master, self._wake[0]], [], [])
            if self._wake[0] in ready:          # a read that blocks would keep the terminal from being closed
                return
            with self._lock:
                data = os.read(self.master, 65536)
                text = self._held + self._decoder.decode(data)
                cut = CUT_ESCAPE.search(text)
                self._held = text[cut.start():] if cut else ""
                self.bytes += len(data)
                self._news = time.monotonic()
                self._stream.feed(COLON_COLOUR.sub(r"\1;2;\2;\3;\4", text[:cut.start()] if cut else text))

    def _unread(self):
        """Was something written that is not on the screen yet?"""
        with self._lock:
            return bool(select.select([self.master], [], [], 0)[0])

    # ---- what a person does

    def send(self, *keys):
        for key in keys:
            if re.fullmatch(r"C-.", key):
                key = chr(ord(key[2].upper()) & 0x1f)
            elif re.fullmatch(r"M-.", key):
                key = "\x1b" + key[2]
            os.write(self.master, KEYS.get(key, key).encode())

    def resize(self, cols, rows):
        with self._lock:
            self._screen.resize(rows, cols)
        self._winsize(cols, rows)               # the kernel sends SIGWINCH

    def hang_up(self):
        """Close the terminal, as when its window is closed or ssh breaks."""
        if self.master < 0:
            return
        os.write(self._wake[1], b"x")
        self._reader.join()
        for fd in (self._slave, self.master, *self._wake):
            os.close(fd)
        self.master = self._slave = -1

    # ---- what a person sees

    def lines(self):
        with self._lock:
            return list(self._screen.display)

    def text(self):
        """The screen, without blanks at the ends of lines."""
        return "\n".join(line.rstrip() for line in self.lines())

    def cell(self, x, y):
        """-> pyte's Char: data, fg, bg, bold, reverse ..."""
        with self._lock:
            return self._screen.buffer[y][x]

    def colours(self):
        """Every foreground and background on the screen."""
        with self._lock:
            cells = [self._screen.buffer[y][x] for y in range(self._screen.lines) for x in range(self._screen.columns)]
        return {c.fg for c in cells} | {c.bg for c in cells}

    def wait(self, what, seconds=30):
        """Wait until the text, the regular expression or the function of the screen's text what is there; -> text."""
        sees = what if callable(what) else (re.compile(what) if isinstance(what, str) else what).search
        end = time.monotonic() + seconds * e2e.SLOWED
        while not sees(self.text()):
            gone = self.process.poll() is not None and not self._unread() and time.monotonic() - self._news > 0.5
            if gone or time.monotonic() > end:
                raise e2e.Failed("%r not seen within %g s (%s) on\n%s" % (
                    getattr(what, "pattern", what), seconds, self.process.poll(), self.text()))
            time.sleep(0.02)
        return self.text()

    def settle(self, quiet=0.3, seconds=10):
        """Wait until nothing new was drawn for quiet seconds; -> text."""
        end = time.monotonic() + seconds
        while (self._unread() or time.monotonic() - self._news < quiet) and time.monotonic() < end:
            time.sleep(0.02)
        return self.text()

    # ---- what it costs, and how it ends

    def _stat(self):
        with open("/proc/%d/stat" % self.pid) as f:
            return f.read().rpartition(")")[2].split()

    def cpu_seconds(self):
        """CPU time of the process so far, user and system."""
        return sum(int(v) for v in self._stat()[11:13]) / os.sysconf("SC_CLK_TCK")

    def thread_cpu_seconds(self):
        """CPU time of the main thread alone: the dashboard's own, without the workers."""
        with open("/proc/%d/task/%d/schedstat" % (self.pid, self.pid)) as f:
            return int(f.read().split()[0]) / 1e9

    def sleeps(self):
        return self._stat()[0] == "S"

    def wake_ups(self):
        """How often the main thread went to sleep so far: what an idle program must not do."""
        with open("/proc/%d/task/%d/status" % (self.pid, self.pid)) as f:
            return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", f.read(), re.M)[1])

    def finish(self, timeout=30):
        """Wait for the end; -> Ended, its out the last screen."""
        t0 = time.monotonic()
        try:
            status = self.process.wait(timeout * e2e.SLOWED)
        except subprocess.TimeoutExpired:
            raise e2e.Failed("still runs after %g s\n%s" % (timeout, self.text())) from None
        self.settle(0.1, 2)
        ended = e2e.Ended([str(a) for a in self.argv], status, self.text(), "", time.monotonic() - t0)
        for phrase in e2e.SANITIZER_SAYS:
            if phrase in ended.out:
                raise e2e.Failed("a sanitizer complains:\n%s" % ended.out)
        return ended

    def left_behind(self):
        """What a program that ended did not put back: [] is good."""
        wrong = []
        if "alternate" in self._screen.modes_seen:
            wrong.append("the alternate screen")
        if CURSOR << 5 not in self._screen.mode:
            wrong.append("a hidden cursor")
        wrong += ["mouse mode %d" % m for m in (1000, 1002, 1003, 1006, 2004) if m << 5 in self._screen.mode]
        if termios.tcgetattr(self._slave) != self._termios:
            wrong.append("the terminal's settings")
        return wrong

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.hang_up()
