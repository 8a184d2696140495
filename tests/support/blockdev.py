# SPDX-License-Identifier: MIT
"""A block device that behaves like an EBS volume: a loop device on memory, held to rates by the kernel.

    d = BlockDevice(size="256M")                    # skips where there is no root, loop device or throttle
    d.limit(iops=3000)                              # reads and writes each; riops= wiops= rbps= wbps= bps= likewise
    d.later(5, iops=300)                            # burst, then baseline
    r = ebscope("run", "--rw", "randread", d.path, wrap=d.wrap)     # or run(*d.wrap(program(...)))
    folder = d.mount("ext4")
    d.limit_memory(128 << 20)                       # page cache included: what is read comes from the device

The throttle is exact over a second (within 1 %) and lumpy below: it lets I/O through in slices of about 100 ms. Reads
and writes have separate budgets. Big I/Os are split at 256 KiB, as EBS counts them.

Everything is taken down by a shell that waits on a pipe from the test: it hears of the test's end even when that is
killed, and goes on when the test's session gets a signal.
"""
import os
import shlex
import subprocess
import threading
import time

import e2e

KEYS = ("riops", "wiops", "rbps", "wbps")
V1_FILES = {"riops": "read_iops", "wiops": "write_iops", "rbps": "read_bps", "wbps": "write_bps"}


class Guardian:
    """Runs shell commands, last added first, when close() is called or this process is gone."""

    def __init__(self):
        script = "trap '' HUP INT TERM; c=; while IFS= read -r l; do c=\"$l\n$c\"; done; eval \"$c\""
        self.shell = subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, start_new_session=True, text=True)
        e2e.defer(self.close)

    def add(self, *argv, until_done=False):
        """until_done: repeat for up to 10 s until it succeeds."""
        command = shlex.join(str(a) for a in argv)
        if until_done:
            command = "for i in $(seq 100); do %s && break; sleep 0.1; done" % command
        self.shell.stdin.write(command + "\n")
        self.shell.stdin.flush()

    def add_text(self, text, path):
        self.shell.stdin.write("echo %s >%s\n" % (shlex.quote(text), shlex.quote(path)))
        self.shell.stdin.flush()

    def close(self):
        self.shell.stdin.close()
        self.shell.wait(30)


def _mounts(kind, option=None):
    with open("/proc/self/mounts") as f:
        for line in f:
            _, at, fs, options = line.split()[:4]
            if fs == kind and (option is None or option in options.split(",")):
                return at
    return None


def _own_group(controller):
    """This process's cgroup of a v1 controller ("" for v2): its path below the mount."""
    with open("/proc/self/cgroup") as f:
        for line in f:
            _, names, path = line.rstrip("\n").split(":", 2)
            if controller in names.split(","):
                return path
    return "/"


class Throttle:
    """The kernel's block throttle, cgroup v1 or v2, for one device. The limit is where this process is counted."""

    def __init__(self, majmin, guardian):
        self.majmin, self.guardian, self.group = majmin, guardian, None
        v1 = _mounts("cgroup", "blkio")
        v2 = _mounts("cgroup2")
        if v1:
            own = os.path.join(v1, _own_group("blkio").lstrip("/"))
            self.v1 = own if os.path.exists(own) else v1
            self._probe(os.path.join(self.v1, "blkio.throttle.read_iops_device"))
            for name in V1_FILES.values():
                guardian.add_text(majmin + " 0", self._v1_file(name))
        elif v2:
            self.v1 = None
            self._make_group(v2)
        else:
            e2e.skip("no cgroup with a block throttle")

    @staticmethod
    def _probe(path):
        if not os.access(path, os.W_OK):
            e2e.skip("no block throttle in this kernel or container (%s)" % path)

    def _v1_file(self, name):
        return os.path.join(self.v1, "blkio.throttle.%s_device" % name)

    def _make_group(self, v2):
        """v2 cannot limit the root group: a group of its own, which wrap() puts a command into."""
        self._probe(os.path.join(v2, "cgroup.subtree_control"))
        try:
            with open(os.path.join(v2, "cgroup.subtree_control"), "w") as f:
                f.write("+io")
            self.group = os.path.join(v2, "ebscope-test.%d.%s" % (os.getpid(), self.majmin.replace(":", "-")))
            os.mkdir(self.group)
        except OSError as e:
            e2e.skip("no io controller to limit with: %s" % e)
        self.guardian.add("rmdir", self.group, until_done=True)
        self._probe(os.path.join(self.group, "io.max"))

    def set(self, limits):
        if self.v1:
            for key, value in limits.items():
                with open(self._v1_file(V1_FILES[key]), "w") as f:
                    f.write("%s %d" % (self.majmin, value))
        else:
            words = ["%s=%s" % (k, v or "max") for k, v in limits.items()]
            with open(os.path.join(self.group, "io.max"), "w") as f:
                f.write(" ".join([self.majmin, *words]))


def loop_device(file, *options):
    """-> the path of a new loop device on file; who calls detaches it."""
    for attempt in range(10):                   # --find races with others who look for a free one
        p = subprocess.run(["losetup", "--find", "--show", *options, file], capture_output=True, text=True)
        if p.returncode == 0:
            return p.stdout.strip()
        time.sleep(0.1 * attempt)
    e2e.skip("no loop device: " + p.stderr.strip())


class BlockDevice:
    """See the module. size as truncate takes it; sector 512 or 4096; fill writes it all with random data first."""

    def __init__(self, size="256M", sector=512, fill=False, throttled=True, folder="/dev/shm", read_only=False):
        if os.geteuid() != 0:
            e2e.skip("not root")
        self.guardian = Guardian()
        self.backing = os.path.join(folder, "ebscope-test.%d.%d" % (os.getpid(), time.monotonic_ns()))
        self.guardian.add("rm", "-f", self.backing)
        self._run("truncate", "-s", size, self.backing)
        if fill:
            self._fill()
        self.path = self._attach(sector, read_only)
        self.name = os.path.basename(self.path)
        with open("/sys/block/%s/dev" % self.name) as f:
            self.majmin = f.read().strip()
        self._sysfs("queue/max_sectors_kb", 256)
        self.throttle = Throttle(self.majmin, self.guardian) if throttled else None
        self.groups = [self.throttle.group] if throttled and self.throttle.group else []

    @staticmethod
    def _run(*argv):
        p = subprocess.run(argv, capture_output=True, text=True)
        if p.returncode:
            e2e.skip("%s: %s" % (argv[0], p.stderr.strip()))
        return p.stdout.strip()

    def _fill(self):
        with open(self.backing, "r+b") as f:
            block, left = os.urandom(1 << 20), os.path.getsize(self.backing)
            while left > 0:
                left -= f.write(block[:left])

    def _attach(self, sector, read_only):
        path = loop_device(self.backing, "--sector-size", str(sector), *["--read-only"] * read_only)
        self.guardian.add("losetup", "--detach", path, until_done=True)
        subprocess.run(["losetup", "--direct-io=on", path], capture_output=True)    # tmpfs takes it since Linux 6.6
        return path

    def _sysfs(self, name, value):
        with open("/sys/block/%s/%s" % (self.name, name), "w") as f:
            f.write(str(value))

    def limit(self, **rates):
        """Set rates, 0 for none: iops and bps stand for both directions."""
        limits = {}
        for key, value in rates.items():
            for k in KEYS:
                if k == key or k[1:] == key:
                    limits[k] = int(value)
        self.throttle.set(limits)

    def later(self, seconds, **rates):
        """limit(**rates) in so many seconds, unless the test has ended by then."""
        timer = threading.Timer(seconds, self.limit, kwargs=rates)
        timer.daemon = True
        timer.start()
        e2e.defer(timer.cancel)

    def limit_memory(self, size):
        """So many bytes for what wrap() starts."""
        v1 = _mounts("cgroup", "memory")
        if v1:
            group, name = os.path.join(v1, "ebscope-test.%d.memory" % os.getpid()), "memory.limit_in_bytes"
            os.mkdir(group)
            self.guardian.add("rmdir", group, until_done=True)
            self.groups.append(group)
        elif self.groups:
            group, name = self.groups[0], "memory.max"
            try:
                with open(os.path.join(os.path.dirname(group), "cgroup.subtree_control"), "w") as f:
                    f.write("+memory")
            except OSError as e:
                e2e.skip("no memory controller to limit with: %s" % e)
        else:
            e2e.skip("no memory controller to limit with")
        with open(os.path.join(group, name), "w") as f:
            f.write(str(size))

    def wrap(self, argv):
        """-> argv such that the limits hold for it: it joins their groups (under v1 the throttle holds where it is)."""
        if not self.groups:
            return list(argv)
        join = "".join('echo $$ >%s && ' % shlex.quote(g + "/cgroup.procs") for g in self.groups)
        return ["sh", "-c", join + 'exec "$0" "$@"', *argv]

    def mkfs(self, kind="ext4"):
        quick = {"ext4": ["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"]}.get(kind, ["-q", "-f"])
        self._run("mkfs." + kind, *quick, self.path)

    def mount(self, kind="ext4", options="defaults"):
        """Make a filesystem and mount it; -> the folder."""
        self.mkfs(kind)
        folder = self.backing + ".mnt"
        os.mkdir(folder)
        self.guardian.add("rmdir", folder)
        self._run("mount", "-o", options, self.path, folder)
        self.guardian.add("umount", folder, until_done=True)
        return folder
